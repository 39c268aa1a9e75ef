"""Roots, angles, comparisons and small algebra on every kind of number that the equations run on."""

from __future__ import annotations

from decimal import Decimal

import mpmath
import numpy as np
import pytest

from gough.equations import vec
from gough.equations.scalar import angle, larger, smaller, sqrt
from gough.equations.vec import Frame, Mat, Sym, Vec
from gough.layout import Layout
from gough.spatial import rotation_exp

STEP = 1e-30
POINTS = [(0.3, 0.7), (-0.4, 1.9), (2.0, -0.6), (-1.2, -0.1)]  # sine, cosine of some length


@pytest.mark.parametrize(("sine", "cosine"), POINTS)
def test_an_angle_carries_its_derivatives(sine: float, cosine: float) -> None:
    """d atan2 against differences, for each argument alone and for both; floats, arrays and mpmath agree."""
    plain = np.arctan2(sine, cosine)
    assert angle(sine, cosine) == plain
    assert float(angle(mpmath.mpf(sine), mpmath.mpf(cosine))) == pytest.approx(plain, rel=1e-15)
    h = 1e-6
    for ds, dc in ((1.0, 0.0), (0.0, 1.0), (0.6, -1.7)):
        found = angle(sine + 1j * STEP * ds, cosine + 1j * STEP * dc)
        ahead, behind = (np.arctan2(sine + s * ds, cosine + s * dc) for s in (h, -h))
        assert found.real == plain
        assert found.imag / STEP == pytest.approx((ahead - behind) / (2 * h), rel=1e-8)
        rows = angle(np.array([sine + 1j * STEP * ds]), np.array([cosine + 1j * STEP * dc]))
        assert rows[0] == found


def test_roots() -> None:
    assert sqrt(2.25) == 1.5
    assert np.isnan(sqrt(-1.0))
    assert sqrt(mpmath.mpf("6.25")) == mpmath.mpf("2.5")
    assert sqrt(mpmath.mpc(-4.0, 0.0)) == mpmath.mpc(0.0, 2.0)
    assert sqrt(Decimal("1e-40")) == Decimal("1e-20")  # by its own rule, to its own digits
    np.testing.assert_array_equal(sqrt(np.array([4.0, np.nan])), [2.0, np.nan])
    assert sqrt(4.0 + 1j * STEP).imag == pytest.approx(STEP / 4.0)


@pytest.mark.parametrize("x", [-2.0, 0.5])
@pytest.mark.parametrize("bound", [-1.0, 0.0, 3.0])
def test_comparisons(x: float, bound: float) -> None:
    """The bound where it is beyond x; a NaN stays."""
    assert smaller(x, bound) == min(x, bound)
    assert larger(x, bound) == max(x, bound)
    assert smaller(np.array([x]), np.array([bound]))[0] == min(x, bound)
    assert larger(np.array([x]), np.array([bound]))[0] == max(x, bound)
    assert np.isnan(smaller(np.nan, bound))
    assert np.isnan(larger(np.nan, bound))


def rows(m: Mat | Frame | Sym) -> np.ndarray:
    """(3, 3), of a frame its columns."""
    if isinstance(m, Sym):
        return np.array([[m.xx, m.xy, m.xz], [m.xy, m.yy, m.yz], [m.xz, m.yz, m.zz]])
    if isinstance(m, Frame):
        return np.array([[*m.x], [*m.y], [*m.z]]).T
    return np.array([[*m.a], [*m.b], [*m.c]])


def some(seed: int) -> tuple[np.ndarray, np.ndarray, Sym, Mat, Frame]:
    rng = np.random.default_rng(seed)
    a, b, x = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3))
    S, R = x @ x.T + np.eye(3), rotation_exp(rng.normal(size=3))
    sym = Sym(*(float(S[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))))
    return a, b, sym, Mat(*(Vec(*row) for row in x)), Frame(*(Vec(*column) for column in R.T))


@pytest.mark.parametrize("seed", range(3))
def test_vectors_matrices_and_frames_are_those_of_arrays(seed: int) -> None:
    a, b, S, M, T = some(seed)
    u, v = Vec(*a), Vec(*b)
    for found, wanted in (
        (u + v, a + b),
        (u - v, a - b),
        (-u, -a),
        (u * 2.5, 2.5 * a),
        (2.5 * u, 2.5 * a),
        (u / 2.5, a / 2.5),
        (vec.cross(u, v), np.cross(a, b)),
        (S.times(u), rows(S) @ a),
        (S.solve(u), np.linalg.solve(rows(S), a)),
        (S.diagonal, np.diag(rows(S))),
        (M.times(u), rows(M) @ a),
        (M.transposed_times(u), rows(M).T @ a),
        ((-M).times(u), -rows(M) @ a),
        ((M + M).times(u), 2.0 * rows(M) @ a),
        (T.world(u), rows(T) @ a),
        (T.local(u), rows(T).T @ a),
    ):
        np.testing.assert_allclose([*found], wanted, rtol=1e-10, atol=1e-12)
    for found, wanted in (
        (S.inverse(), np.linalg.inv(rows(S))),
        (S + S, 2.0 * rows(S)),
        (S.turned(T), rows(T) @ rows(S) @ rows(T).T),
        (vec.outer(u), np.outer(a, a)),
        (vec.inertia_tensor(S), np.trace(rows(S)) * np.eye(3) - rows(S)),
    ):
        np.testing.assert_allclose(rows(found), wanted, rtol=1e-9, atol=1e-10)
    other = some(seed + 10)[4]
    np.testing.assert_allclose(rows(T.sees(other)), rows(T).T @ rows(other), atol=1e-12)
    assert vec.dot(u, v) == pytest.approx(a @ b)
    assert vec.norm(u) == pytest.approx(np.linalg.norm(a))


@pytest.mark.parametrize("seed", range(3))
def test_points_and_moments_of_a_body_that_turns(seed: int) -> None:
    """``B r = A x r + W x (W x r)``; the moment of its inertia is ``I A + W x I W``; a frame follows its strut."""
    W, A, S, _, _ = some(seed)
    B, r = vec.rate_matrix(Vec(*W), Vec(*A)), np.array([0.3, -0.7, 0.2])
    due = np.cross(A, r) + np.cross(W, np.cross(W, r))
    np.testing.assert_allclose([*B.times(Vec(*r))], due, atol=1e-12)
    inertia = np.trace(rows(S)) * np.eye(3) - rows(S)
    moment = inertia @ A + np.cross(W, inertia @ W)
    np.testing.assert_allclose([*vec.inertia_moment(B, S)], moment, atol=1e-10)
    s, k = W / np.linalg.norm(W), A / np.linalg.norm(A)
    T = rows(vec.leg_frame(Vec(*k), Vec(*s)))
    np.testing.assert_allclose(T.T @ T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(T[:, 0], s)
    np.testing.assert_allclose(T[:, 1], np.cross(k, s) / np.linalg.norm(np.cross(k, s)))
    assert np.linalg.det(T) == pytest.approx(1.0)


def test_blocks_of_a_row_are_read_in_order() -> None:
    """Numbers, vectors, tensors and vectors that turn with a crank, from any place of a row."""
    a = [float(k) for k in range(40)]
    one, three, six, nine = vec.blocks_at(Layout(n=1, v=3, s=6, t=9), a, 4)
    assert one == 4.0
    assert [*three] == [5.0, 6.0, 7.0]
    assert [*six] == [8.0, 9.0, 10.0, 11.0, 12.0, 13.0]
    assert [*nine.axial, *nine.cosine, *nine.sine] == a[14:23]
    assert [*nine.at(2.0, 10.0)] == [14.0 + 34.0 + 200.0, 15.0 + 36.0 + 210.0, 16.0 + 38.0 + 220.0]
