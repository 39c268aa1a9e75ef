"""Machines made to have a solution at infinity: it is found there, and how far other machines are from having one."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.forms import leg_rows, psi
from gough.kinematics.assembly.infinity import BESIDE, ROUNDING, at_infinity, infinite_residual
from gough.layout import QUADRATIC


def infinite_point(rng: np.random.Generator) -> Array:
    """X (8,) with q.q = q.g = 0, q isotropic."""
    u, v = np.linalg.qr(rng.normal(size=(4, 2)))[0].T
    q = np.exp(2j * rng.uniform()) * (u + 1j * v)
    g = rng.normal(size=4) + 1j * rng.normal(size=4)
    g -= q.conj() * (q @ g) / (q @ q.conj())
    return np.concatenate([q, g]) / np.sqrt(2.0)


def machine_through(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Joints b, p (6, 3) of size one whose legs all allow X: ``b.(M p + x) = p.y + r/2``, two real conditions for b."""
    f = psi(X)
    M = f[QUADRATIC.rotation].reshape(3, 3)
    x, y, r = f[QUADRATIC.position], f[QUADRATIC.turned_back], f[-1]
    p = 0.6 * rng.normal(size=(6, 3))
    b = np.empty((6, 3))
    for i in range(6):
        m, k = M @ p[i] + x, p[i] @ y + r / 2
        plane = np.stack([m.real, m.imag])
        near = np.linalg.lstsq(plane, np.array([k.real, k.imag]), rcond=None)[0]
        normal = np.cross(m.real, m.imag)
        b[i] = near + rng.normal() * normal / np.linalg.norm(normal)
    rows = leg_rows(b, p, rng.normal(size=6))  # whatever the lengths
    assert np.abs(rows @ f).max() < 1e-12 * (np.abs(rows) @ np.abs(f)).max()
    return b, p


@pytest.mark.parametrize("seed", range(6))
def test_a_solution_at_infinity_is_found_from_beside_it(seed: int) -> None:
    """From the point itself, in any scale, and from ends that are a little off, by about as much as they are off."""
    rng = np.random.default_rng(seed)
    X = infinite_point(rng)
    b, p = machine_through(X, rng)
    off = 1e-4 * (rng.normal(size=8) + 1j * rng.normal(size=8))
    far = rng.normal(size=8) + 1j * rng.normal(size=8)
    residual, moved = infinite_residual(b, p, np.stack([X, (2 - 3j) * X, X + off, far]))
    assert (residual[:3] < 2 * ROUNDING).all()
    assert (moved[:2] < 1e-6).all()
    assert 1e-6 < moved[2] < 1e-3
    assert moved[3] > 10 * BESIDE
    told = at_infinity(b, p, np.stack([X, far, X + off]))
    assert told[1:].tolist() == [False, bool(residual[2] < ROUNDING)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3])
def test_the_residual_is_about_the_distance_of_the_nearest_such_machine(
    seed: int, size: float
) -> None:
    rng = np.random.default_rng(10 + seed)
    X = infinite_point(rng)
    b, p = machine_through(X, rng)
    wrong = [x + size * rng.normal(size=(6, 3)) for x in (b, p)]
    residual, moved = infinite_residual(*wrong, X[None])
    assert 1e-3 * size < residual[0] < 10 * size
    assert moved[0] < 1e3 * size
    assert not at_infinity(*wrong, X[None])[0]
