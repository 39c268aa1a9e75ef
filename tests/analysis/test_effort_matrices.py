"""Linear systems of models over boxes: what each variable changes, inverses that are none, solutions that enclose."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gough.analysis import effort_boxes
from gough.checks import Array
from gough.quadratic import Quadratic, pairs

TERMS = 1 + 6 + 21
N, I, J = pairs(TERMS)


def terms(e: Array) -> Array:
    return np.concatenate([[1.0], e, e[I] * e[J]])


def test_how_much_each_variable_changes_a_matrix() -> None:
    """Its slope, and every bend that it has a part in, sizes of all entries added up; remainders do not count."""
    rng = np.random.default_rng(0)
    c = rng.normal(size=(TERMS, 2, 6, 3))
    found = effort_boxes._by_variable(Quadratic(c, np.full((2, 6, 3), 9.0)))
    size = np.abs(c).sum(axis=(2, 3))
    for k in range(6):
        due = size[1 + k] + sum(size[7 + p] for p in range(21) if k in (I[p], J[p]))
        np.testing.assert_allclose(found[:, k], due)
    assert found.shape == (2, 6)
    lone = np.zeros((TERMS, 1, 6, 1))
    lone[7 + [(i, j) for i, j in zip(I, J, strict=True)].index((1, 4)), 0, 2, 0] = -3.0
    found = effort_boxes._by_variable(Quadratic(lone, np.zeros((1, 6, 1))))
    np.testing.assert_array_equal(found, [[0, 3, 0, 0, 3, 0]])


def test_matrices_without_an_inverse_are_told() -> None:
    rng = np.random.default_rng(1)
    H = rng.normal(size=(4, 6, 6)) + 3.0 * np.eye(6)
    true = np.linalg.inv(H[[0, 3]])
    H[1, 2, 3] = np.nan
    H[2] = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 1e-7])  # condition 1e7
    found, good = effort_boxes._inverse(H)
    assert good.tolist() == [True, False, False, True]
    np.testing.assert_allclose(found[[0, 3]], true)
    np.testing.assert_allclose(found[[1, 2]], np.broadcast_to(np.eye(6), (2, 6, 6)))
    lost = H.copy()
    lost[0, 5, 0] = np.inf
    assert effort_boxes._inverse(lost)[1].tolist() == [False, False, False, True]
    edge = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 1.1e-6])[None]
    assert effort_boxes._inverse(edge)[1].all()


def drawn(rng: np.random.Generator, m: int, size: float) -> Quadratic:
    sizes = np.array([1.0, *[size] * 6, *[0.1 * size] * 21])
    c = rng.normal(size=(TERMS, 3, 6, m)) * sizes[:, None, None, None]
    return Quadratic(c, np.full((3, 6, m), 1e-3 * size))


@pytest.mark.parametrize("size", [1e-4, 2e-3])
@pytest.mark.parametrize("seed", range(3))
def test_solutions_of_models_enclose_those_of_their_values(seed: int, size: float) -> None:
    """``H Y = W`` at random points of the box, remainders taken anywhere; the third box is not regular."""
    rng = np.random.default_rng(seed)
    H, W = drawn(rng, 6, size), drawn(rng, 2, size)
    H.c[0] += 6.0 * np.eye(6)
    H.c[0, 2, :, 5] = H.c[0, 2, :, 4]
    found, turns = effort_boxes._solved(H, W)
    assert np.isinf(found.r[2]).all()
    assert np.isfinite(found.r[:2]).all()
    assert turns.shape == (3, 6)
    largest = 0.0
    for e in rng.uniform(-1.0, 1.0, (60, 6)):
        h, w, y = (np.tensordot(terms(e), m.c, axes=1) for m in (H, W, found))
        h, w = (x + rng.uniform(-1.0, 1.0, m.r.shape) * m.r for x, m in ((h, H), (w, W)))
        true = np.linalg.solve(h[:2], w[:2])
        off = np.abs(true - y[:2])
        assert (off <= found.r[:2] * (1.0 + 1e-9)).all()
        largest = max(largest, float((off / found.r[:2]).max()))
    assert largest > 1e-3  # not by far
    first = (np.arange(TERMS) == 0)[:, None, None, None]
    exact = effort_boxes._solved(*(Quadratic(m.c[:, :1] * first, 0.0 * m.r[:1]) for m in (H, W)))
    np.testing.assert_allclose(exact[0].c[0, 0], np.linalg.solve(H.c[0, 0], W.c[0, 0]), rtol=1e-9)
    assert exact[0].r.max() < 1e-10
    assert exact[1].max() < 1e-10


@pytest.mark.parametrize("variable", [0, 4])
def test_a_variable_that_changes_the_matrix_or_its_first_load_is_told(variable: int) -> None:
    """By its share: twice the change, twice the number; loads behind the first do not count."""
    rng = np.random.default_rng(2)
    still = np.zeros((TERMS, 1, 6, 6))
    still[0, 0] = rng.normal(size=(6, 6)) + 6.0 * np.eye(6)
    load = np.zeros((TERMS, 1, 6, 2))
    load[0, 0] = rng.uniform(1.0, 2.0, (6, 2))

    def turns(of_H: float, of_W: float, column: int = 0) -> Array:
        h, w = still.copy(), load.copy()
        h[1 + variable, 0, 2, 3] = of_H
        w[1 + variable, 0, :, column] = of_W * load[0, 0, :, column]
        return effort_boxes._solved(
            Quadratic(h, np.zeros((1, 6, 6))), Quadratic(w, np.zeros((1, 6, 2)))
        )[1][0]

    A = np.linalg.inv(still[0, 0])
    by_H = np.abs(A[:, 2]).sum() * 1e-3
    np.testing.assert_allclose(turns(1e-3, 0.0)[variable], by_H, rtol=1e-6)
    np.testing.assert_allclose(turns(2e-3, 0.0)[variable], 2.0 * by_H, rtol=1e-6)
    Z = np.abs(A @ load[0, 0, :, 0])
    np.testing.assert_allclose(turns(0.0, 1e-3)[variable], 1e-3 * Z.sum() / (1.001 * Z.sum()), rtol=1e-6)  # fmt: skip
    assert turns(0.0, 1e-3, column=1).max() < 1e-12
    others = np.delete(turns(1e-3, 1e-3), variable)
    assert others.max() < 1e-12


def test_a_matrix_of_numbers_times_models_keeps_their_remainders() -> None:
    rng = np.random.default_rng(3)
    A, m = rng.normal(size=(3, 6, 6)), drawn(rng, 2, 0.1)
    found = effort_boxes._times(A, m)
    np.testing.assert_allclose(found.c, A @ m.c)
    assert (found.r >= np.abs(A) @ m.r).all()
    np.testing.assert_allclose(found.r, np.abs(A) @ m.r, rtol=1e-9)
    none = effort_boxes._times(A, Quadratic(m.c, 0.0 * m.r)).r
    assert (none > 0.0).all()
    assert (none < 1e-13 * (np.abs(A) @ np.abs(m.c).sum(axis=0))).all()


def test_a_symmetric_matrix_from_its_upper_triangle() -> None:
    upper = tuple(float(k) for k in range(21))
    found = np.array(effort_boxes._square(upper))
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found[np.triu_indices(6)], np.arange(21.0))


def fixed_point(E: Array, Z: Array) -> list[Fraction]:
    """``Y = Z + E Y`` without rounding."""
    n = len(E)
    rows = [[Fraction(i == j) - Fraction(float(E[i, j])) for j in range(n)] for i in range(n)]
    rows = [[*row, Fraction(float(z))] for row, z in zip(rows, Z, strict=True)]
    for c in range(n):
        for i in range(n):
            if i != c:
                share = rows[i][c] / rows[c][c]
                rows[i] = [x - share * y for x, y in zip(rows[i], rows[c], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


@pytest.mark.parametrize("size", [1.0, 1e-9, 1e5])
@pytest.mark.parametrize("digits", [0.3, 1.0, 2.0, 3.0, 6.0, 8.0, 9.5])
def test_what_is_proved_of_a_fixed_point_is_so_without_rounding(digits: float, size: float) -> None:
    """``|Y| <= Z + E |Y|`` with E's largest eigenvalue 10^-digits below 1: a bound that is called proved is not below
    the exact solution, which is itself a Y, however close to 1 that is; nor far above it at any size of Z."""
    rng = np.random.default_rng(int(10 * digits))
    E = rng.uniform(size=(12, 6, 6))
    radius = np.abs(np.linalg.eigvals(E)).max(axis=-1)
    E *= ((1.0 - 10.0**-digits) / radius)[:, None, None]
    Z = size * rng.uniform(size=(12, 6, 1))
    B, proved = effort_boxes._largest(E, Z)
    if digits <= 1.0:
        assert proved.all()
    for e, z, b in zip(E[proved], Z[proved, :, 0], B[proved, :, 0], strict=True):
        for found, true in zip(b, fixed_point(e, z), strict=True):
            assert Fraction(float(found)) >= true
            assert float(found) == pytest.approx(float(true), rel=1e-8)


def test_fixed_points_that_there_are_none_of_are_not_proved() -> None:
    """An eigenvalue of 1 or above, numbers that are none, and sizes beyond all measure, beside a row that is proved."""
    E = np.tile(0.1 * np.eye(6), (6, 1, 1))
    E[1, 2, 2] = 1.0
    E[2, 2, 2] = 1.5
    E[3, 0, 4] = np.nan
    E[4, 0, 4] = 2e6
    Z = np.full((6, 6, 2), 0.9)
    Z[5, 3, 1] = np.inf
    B, proved = effort_boxes._largest(E, Z)
    assert proved.tolist() == [True, False, False, False, False, False]
    np.testing.assert_allclose(B[0], 1.0, rtol=1e-8)
    assert (B >= 0.0).all()
