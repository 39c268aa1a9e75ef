"""Conditions that depend on each other leave poses that are not isolated: a direction for each that is missing."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.continuum import (
    POINTS,
    SOLVED,
    _derivative,
    _kernel,
    _project,
    _unit_forms,
    find_continuum,
)
from gough.kinematics.assembly.forms import FORMS, from_pose, leg_rows, psi
from gough.kinematics.assembly.geometry import normalize
from kinematics.test_accounts import merging, some_pose
from support.study_points import complex_point

NO_ENDS = np.zeros((0, 8), dtype=complex)


def conditions(missing: int, seed: int = 3) -> tuple[Array, Array]:
    """(6, 17) of which this many are sums of the others, and a pose for which all hold."""
    rng = np.random.default_rng(seed)
    g = normalize(rng.normal(size=(6, 3)), rng.normal(size=(6, 3)))
    q = rng.normal(size=4)
    X = from_pose(rng.normal(size=3), q / np.linalg.norm(q))
    f = psi(X)
    rows = leg_rows(g.b, g.p, (leg_rows(g.b, g.p, np.zeros(6)) @ f) / f[0])
    for k in range(missing):
        rows[5 - k] = rng.normal(size=6 - missing) @ rows[: 6 - missing]
    assert np.abs(rows @ f).max() < 1e-12 * np.abs(rows).max()
    return rows, X


@pytest.mark.parametrize("missing", [0, 1, 2, 3])
def test_each_missing_condition_is_a_direction(missing: int) -> None:
    rows, X = conditions(missing)
    found = find_continuum(rows, NO_ENDS)
    assert found.dimension == missing
    assert found.X.shape[1:] == (8,)
    assert len(found.X) <= POINTS
    assert (len(found.X) > 0) is (missing > 0)
    if missing:
        misfit = np.abs(rows @ psi(found.X).T) / (np.abs(rows) @ np.abs(psi(found.X)).T)
        assert misfit.max() < 1e-12
        assert np.abs((found.X[:, :4] * found.X[:, 4:]).sum(axis=1)).max() < 1e-12
    beside = find_continuum(rows, X[None] + 0j)  # an end on it tells nothing new
    assert beside.dimension == missing


def without_real_points() -> tuple[Array, Array]:
    """Five conditions, one of them ``h + c r = 0`` with c > 0, and one that depends on them; a complex solution."""
    rng = np.random.default_rng(5)
    q, g = np.linalg.qr(rng.normal(size=(4, 2)))[0].T
    X = np.concatenate([q + 0j, 0.7j * g])
    f = psi(X)
    plane = np.linalg.svd(np.stack([f.real, f.imag]))[2][2:]
    rows = rng.normal(size=(6, len(plane))) @ plane
    rows[0] = 0.0
    rows[0, 0], rows[0, -1] = 1.0, -(f[0] / f[-1]).real
    assert rows[0, -1] > 0.0
    rows[5] = rows[1] - 0.4 * rows[3]
    assert np.abs(rows @ f).max() < 1e-12
    return rows, X


def test_a_continuum_without_real_points_is_found_from_its_ends() -> None:
    """No real pose lies on it, so none is given; from nowhere it is not seen."""
    rows, X = without_real_points()
    assert find_continuum(rows, NO_ENDS).dimension == 0
    found = find_continuum(rows, X[None])
    assert found.dimension == 1
    assert found.X.shape == (0, 8)
    both = np.stack([psi(X).real, psi(X).imag])
    rows[5] = np.random.default_rng(6).normal(size=FORMS)
    rows[5] -= np.linalg.lstsq(both, both @ rows[5], rcond=None)[0]
    assert find_continuum(rows, X[None]).dimension == 0  # six that are independent: isolated


def test_points_are_led_to_solutions_by_the_shortest_way() -> None:
    """From a thousandth beside a solution to one that is about as near; a unit vector, and F' as it is there."""
    rows, X = conditions(0)
    X = X / np.linalg.norm(X)
    forms = _unit_forms(rows)
    assert np.linalg.norm(forms, axis=(1, 2)) == pytest.approx(np.ones(7))
    rng = np.random.default_rng(8)
    start = X + 1e-3 * rng.normal(size=(5, 8))
    found, good, values = _project(forms, start + 0j)
    assert good.all()
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.abs(found @ X), 1.0, atol=1e-9)  # the same point
    F, J = _derivative(forms, found)
    assert np.abs(F).max() < SOLVED
    np.testing.assert_allclose(values, np.linalg.svd(J, compute_uv=False), rtol=1e-6)
    short, early, _ = _project(forms, start + 0j, 0)
    np.testing.assert_allclose(short, start / np.linalg.norm(start, axis=1, keepdims=True))
    assert not early.any()
    none, nobody, nothing = _project(forms, NO_ENDS)
    assert (none.shape, nobody.shape, nothing.shape) == ((0, 8), (0,), (0, 8))


def test_solutions_at_infinity_are_none() -> None:
    """h = 0: an isotropic q, for which any six conditions without its forms hold."""
    q = np.array([1.0, 1j, 0.0, 0.0])
    X = np.concatenate([q, [0.0, 0.0, 0.3, 0.3j]])
    f = psi(X)
    rng = np.random.default_rng(9)
    plane = np.linalg.svd(np.stack([f.real, f.imag]))[2][2:]
    rows = rng.normal(size=(6, len(plane))) @ plane
    found, good, _ = _project(_unit_forms(rows), X[None], 3)
    F, _ = _derivative(_unit_forms(rows), found)
    assert np.abs(F).max() < SOLVED
    assert not good.any()


def test_derivatives_are_those_of_the_conditions() -> None:
    rows, _ = conditions(0)
    forms = _unit_forms(rows)
    X = np.stack([complex_point(k) for k in range(3)])
    F, J = _derivative(forms, X)
    np.testing.assert_allclose(F, np.einsum("iab,na,nb->ni", forms, X, X), rtol=1e-12, atol=1e-14)
    size = np.linalg.norm(rows @ psi(X).T, axis=0)
    assert (size > 0.0).all()
    assert J.shape == (3, 8, 8)
    step = 1e-6 * np.stack([complex_point(k) for k in range(4, 7)])
    ends = [_derivative(forms, X + s * step)[0] for s in (1, -1)]
    np.testing.assert_allclose(
        (J[:, :7] @ step[..., None])[..., 0], (ends[0] - ends[1]) / 2, atol=1e-12
    )
    np.testing.assert_allclose(J[:, 7], X.conj())
    turned = _kernel(forms, X)
    values = np.linalg.norm(J @ np.swapaxes(turned, 1, 2), axis=1)
    assert (np.diff(values, axis=1) >= -1e-9).all()  # the smallest first
    assert _kernel(forms, NO_ENDS).shape == (0, 8, 8)


@pytest.mark.parametrize("seed", range(3))
def test_a_singular_point_that_is_isolated_is_no_continuum(seed: int) -> None:
    """A condition without slope at X: two solutions merge there, and one that goes on along it falls back."""
    rng = np.random.default_rng(seed)
    X = some_pose(rng)
    rows, ends = merging(X, 1.0, rng)
    found = find_continuum(rows, np.concatenate([X[None] + 0j, ends]))
    assert found.dimension == 0
    assert len(found.X) == 0
