"""Poses that are not isolated: is the machine singular everywhere, and does it move with its legs locked?

A point X of the solution set F(X) = 0 (six legs and the Study condition, in P^7) with a Jacobian of rank 7 is isolated.
Where the rank is smaller, the set is followed along the Jacobian's kernel: a step of `STEP` times |X|, projected back
by Gauss-Newton, either falls back (a singular but isolated point) or lands beside X, on a point that is singular
as well: then X lies on a continuum, and the number of independent directions in which this happens is its local
dimension.
This is numerical evidence, not a proof; what follows from it is only ever that an answer is *not* complete.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.assembly.forms import FORMS, Complex, from_pose, matrices

EVERYWHERE = (
    2e-15  # ratio of the extreme singular values of H that is zero to the rounding of the joints
)
SOLVED = 4e-15  # |F| of unit X and unit forms that counts as zero
SINGULAR = 1e-10  # singular value of F' that counts as zero
STEP = 1e-2
SEEDS, POINTS = 48, 8  # random poses to begin with; points to return at most


@dataclass(frozen=True, eq=False)
class Continuum:
    """X (m, 8): real points on it, possibly none;  dimension: the largest local dimension seen, 0: none was found."""

    X: Array
    dimension: int


NONE = Continuum(np.zeros((0, 8)), 0)


def everywhere_singular(b: Array, p: Array) -> bool:
    """True if the machine is singular, to round-off, at three random poses: architecturally singular."""
    rng = np.random.default_rng(40)
    R = np.linalg.qr(rng.normal(size=(3, 3, 3)))[0]
    R *= np.sign(np.linalg.det(R))[:, None, None]
    q = p @ np.swapaxes(R, 1, 2)
    S = rng.normal(size=(3, 1, 3)) + q - b
    S /= np.linalg.norm(S, axis=-1, keepdims=True)
    values = np.linalg.svd(np.concatenate([S, np.cross(q, S)], axis=-1), compute_uv=False)
    return bool((values[:, -1] <= EVERYWHERE * values[:, 0]).all())


def find_continuum(rows: Array, ends: Complex) -> Continuum:
    """Points on a continuum of solutions of the six real `rows`, from path ends (n, 8) and from random real poses."""
    forms = _unit_forms(rows)
    rng = np.random.default_rng(6)
    real = _look(
        forms, from_pose(1.5 * rng.normal(size=(SEEDS, 3)), _unit(rng.normal(size=(SEEDS, 4)))), rng
    )
    if real.dimension or not len(ends):
        return real
    return Continuum(real.X, _look(forms, ends, rng).dimension)


def is_fold(rows: Array, X: Complex) -> bool:
    """True if the two path ends X (2, 8) meet at a regular fold: two solutions, isolated from all others.

    With u, v the left and right null vectors of F' and s its second smallest singular value, the solutions nearby are
    the zeros of ``g(tau) = u.F + ... + u.F''(v, v) tau^2/2`` up to terms of order |F''|^2 tau^3/s.
    """
    if len(X) != 2:
        return False
    forms = _unit_forms(rows)
    middle = _unit((X / X[:, [int(np.argmax(np.abs(X[0])))]]).mean(axis=0)[None])
    u, values, vh = np.linalg.svd(_derivative(forms, middle)[1])
    v = vh[0, -1].conj()
    bend = abs(u[0, :7, -1].conj() @ (2 * (forms @ v) @ v)) / 2
    spread = np.linalg.norm(np.diff(_unit(X) / _phase(X), axis=0))
    return bool(max(spread, values[0, -1]) < bend * values[0, -2] / 16)


def _phase(X: Complex) -> Complex:
    """(n, 1) phases of the coordinate that is largest in the first row."""
    lead = X[:, [int(np.argmax(np.abs(X[0])))]]
    return lead / np.abs(lead)


def _unit_forms(rows: Array) -> Array:
    """(7, 8, 8) matrices of the six conditions and of the Study condition, each of norm 1."""
    forms = np.concatenate([np.tensordot(rows, matrices()[:FORMS], 1), matrices()[FORMS:]])
    return forms / np.linalg.norm(forms, axis=(1, 2), keepdims=True)


def _look(forms: Array, X: Complex, rng: np.random.Generator) -> Continuum:
    X, good, _ = _project(forms, X)
    X, good, values = _project(forms, X[good], 2)
    X, values, kernel = X[good], values[good], _kernel(forms, X[good])
    found, dimension = [], 0
    for x, size, room in zip(X, (values < SINGULAR).sum(axis=1), kernel, strict=True):
        if size == 0:
            continue
        if len(found) == POINTS:
            break
        way = rng.normal(size=(4 * size, size)) @ room[:size]
        landed, there, also = _project(forms, x + STEP * _unit(way))
        gap = landed - (landed @ x.conj())[:, None] * x
        far = np.linalg.norm(gap, axis=1)
        moved = there & (also[:, -1] < SINGULAR) & (far > 0.2 * STEP) & (far < 5 * STEP)
        if moved.any():
            found.append(x)
            spread = np.linalg.svd(gap[moved] / STEP, compute_uv=False)
            dimension = max(dimension, min(size, int((spread > 0.15 * spread[0]).sum())))
    return Continuum(np.array([x.real for x in found]).reshape(-1, 8), dimension)


def _project(forms: Array, X: Complex, steps: int = 80) -> tuple[Complex, NDArray[np.bool_], Array]:
    """Gauss-Newton of smallest steps to F = 0; unit X, whether it is a finite solution, singular values of F'."""
    X = _unit(X)
    for _ in range(steps):
        F, J = _derivative(forms, X)
        if np.abs(F).max(initial=0.0) < 1e-16:
            break
        small = np.clip(np.sqrt(np.abs(F).max(axis=1)), 1e-7, 1e-2)
        step = (np.linalg.pinv(J, rcond=small) @ np.pad(F, ((0, 0), (0, 1)))[..., None])[..., 0]
        X = _unit(
            X - step * np.minimum(1.0, 0.3 / (np.linalg.norm(step, axis=1)[:, None] + 1e-300))
        )
    F, J = _derivative(forms, X)
    h = np.abs((X[:, :4] ** 2).sum(axis=1))
    values = np.linalg.svd(J, compute_uv=False) if len(X) else np.zeros((0, 8))
    return X, (np.abs(F).max(axis=1, initial=0.0) < SOLVED) & (h > 1e-4), values


def _derivative(forms: Array, X: Complex) -> tuple[Complex, Complex]:
    """F (n, 7), and F' with the row that keeps |X| (n, 8, 8)."""
    QX = np.tensordot(X, forms, ([1], [1]))
    return (QX * X[:, None]).sum(axis=2), np.concatenate([2 * QX, X.conj()[:, None]], axis=1)


def _kernel(forms: Array, X: Complex) -> Complex:
    """(n, 8, 8) right singular vectors of F', those of the smallest values first."""
    if not len(X):
        return np.zeros((0, 8, 8))
    return np.linalg.svd(_derivative(forms, X)[1])[2].conj()[:, ::-1]


def _unit(X: Complex) -> Complex:
    return X / np.linalg.norm(X, axis=1, keepdims=True)
