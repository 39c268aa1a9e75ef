"""Is the end of a path really at infinity?  Solutions there depend on the geometry alone, and can be checked.

At h = 0 the closure of all poses is ``M = mu a c^T, x = xi a, y = eta c`` with isotropic vectors a.a = c.c = 0, and
a leg says, whatever its length,

    r + 2 eta p.c - 2 xi b.a - 2 mu (b.a)(p.c) = 0

so six legs have a solution at infinity just where the (6, 4) matrix [1, p.c, b.a, (b.a)(p.c)] has rank 3: the joints,
seen along a and c, are related by a projectivity (Moebius photogrammetry, Gallet, Nawratil, Schicho 2015).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.assembly.forms import Complex, psi
from gough.layout import QUADRATIC

ROUNDING = 2e-15  # largest residual, relative to the joints' size, that counts as the rounding of their coordinates
BESIDE = 1e-3  # an end belongs to a solution at infinity that is this close; others may lie behind far finite ones
NEAR = 1e-6  # joints closer than this are either the same, or too close for the residual to decide
STEPS = 60


def at_infinity(b: Array, p: Array, X: Complex) -> NDArray[np.bool_]:
    """(n,) which of the path ends X (n, 8) are solutions at infinity, to the rounding of the joints.

    Where base and platform both have double joints (octahedral machines) the residual is of second order in the gap
    between the joints that should coincide: joints that are close but not the same decide nothing.
    """
    for joints in (b, p):
        gap = np.abs(joints[:, None] - joints).max(axis=-1)
        if ((gap > ROUNDING) & (gap < NEAR)).any():
            return np.zeros(len(X), dtype=bool)
    residual, moved = infinite_residual(b, p, X)
    return (residual < ROUNDING) & (moved < BESIDE)


def infinite_residual(b: Array, p: Array, X: Complex) -> tuple[Array, Array]:
    """(n,) smallest residual of the six conditions above near the ends X (n, 8): about the distance, relative to
    the machine's size, of the nearest machine that has a solution at infinity there; and how far that lies from X."""
    f = psi(np.asarray(X, dtype=complex))
    M, x, y = f[:, QUADRATIC.rotation], f[:, QUADRATIC.position], f[:, QUADRATIC.turned_back]
    M = M.reshape(-1, 3, 3)
    scale = [np.linalg.norm(v, axis=1)[:, None, None] + 1e-300 for v in (M.reshape(-1, 9), x, y)]
    M = M * (
        scale[0] > BESIDE * np.minimum(scale[1], scale[2])
    )  # mu = 0: joints in affine relation
    left = np.concatenate([M / scale[0], x[:, :, None] / scale[1]], axis=2)
    right = np.concatenate([np.swapaxes(M, 1, 2) / scale[0], y[:, :, None] / scale[2]], axis=2)
    a, c = (np.linalg.svd(v)[0][:, :, 0] for v in (left, right))
    w = np.linalg.svd(_conditions(b, p, a, c))[2][:, -1].conj()
    best, begin = np.full(len(f), np.inf), (a, c)
    for _ in range(STEPS):
        N = _conditions(b, p, a, c)
        F = np.concatenate(
            [(N @ w[..., None])[..., 0], (a * a).sum(1)[:, None], (c * c).sum(1)[:, None]], 1
        )
        best = np.fmin(best, np.abs(F).max(axis=1))
        if (best < 0.4 * ROUNDING).all():
            break
        seen = a @ b.T, c @ p.T
        J = np.zeros((len(f), 11, 10), dtype=complex)
        J[:, :6, :3] = (w[:, 2, None] + w[:, 3, None] * seen[1])[..., None] * b
        J[:, :6, 3:6] = (w[:, 1, None] + w[:, 3, None] * seen[0])[..., None] * p
        J[:, :6, 6:] = N
        J[:, 6, :3], J[:, 7, 3:6] = 2 * a, 2 * c
        J[:, 8, :3], J[:, 9, 3:6], J[:, 10, 6:] = a.conj(), c.conj(), w.conj()
        right_side = np.concatenate([F, np.zeros((len(f), 3))], axis=1)[..., None]
        small = np.clip(np.sqrt(np.abs(F).max(axis=1)), 1e-9, 1e-2)
        step = -(np.linalg.pinv(J, rcond=small) @ right_side)[..., 0]
        step *= np.minimum(1.0, 0.3 / (np.abs(step).max(axis=1, keepdims=True) + 1e-300))
        a, c, w = (
            _unit(v + step[:, k])
            for v, k in ((a, slice(0, 3)), (c, slice(3, 6)), (w, slice(6, 10)))
        )
    turned = [
        1 - np.abs((u.conj() * v).sum(axis=1)) ** 2 for u, v in zip(begin, (a, c), strict=True)
    ]
    return best, np.sqrt(np.abs(np.maximum(*turned)))


def _unit(v: Complex) -> Complex:
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _conditions(b: Array, p: Array, a: Complex, c: Complex) -> Complex:
    """(n, 6, 4) rows 1, p.c, b.a, (b.a)(p.c)."""
    seen, other = c @ p.T, a @ b.T
    return np.stack([np.ones_like(seen), seen, other, seen * other], axis=-1)
