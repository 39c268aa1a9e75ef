"""The 17 quadratic forms that make a leg equation linear.

A pose is a dual quaternion X = (q, g) in P^7 with q.g = 0 and g = t q / 2.  With

    psi(X) = (h, M (9), x (3), y (3), r),   h = q.q,  M = h R,  x = h t,  y = h R^T t,  r = h t.t = 4 g.g

a leg |t + R p - b| = L is the linear condition ``row . psi = 0`` with

    row = (|p|^2 + |b|^2 - L^2,  -2 b p^T,  -2 b,  2 p,  1).                    docs/forward-kinematics.md
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.layout import QUADRATIC

Complex = NDArray[Any]  # complex128; Any lets real arrays pass where they may
FORMS = 17
MIRROR = np.array([1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0])


def psi(X: Complex) -> Complex:
    """The 17 forms of X (..., 8), real or complex."""
    q0, v, g0, w = X[..., :1], X[..., 1:4], X[..., 4:5], X[..., 5:]
    h = (X[..., :4] ** 2).sum(-1)
    vv = (v * v).sum(-1)[..., None, None]
    zero = np.zeros_like(q0[..., 0])
    K = np.stack(
        [zero, -v[..., 2], v[..., 1], v[..., 2], zero, -v[..., 0], -v[..., 1], v[..., 0], zero],
        axis=-1,
    )
    K = K.reshape(*K.shape[:-1], 3, 3)
    M = (
        (q0[..., None] ** 2 - vv) * np.eye(3)
        + 2 * q0[..., None] * K
        + 2 * v[..., :, None] * v[..., None, :]
    )
    straight, cross = 2 * (q0 * w - g0 * v), 2 * np.cross(v, w)
    r = 4 * (X[..., 4:] ** 2).sum(-1)
    return np.concatenate(
        [
            h[..., None],
            M.reshape(*M.shape[:-2], 9),
            straight + cross,
            straight - cross,
            r[..., None],
        ],
        axis=-1,
    )


@lru_cache(maxsize=1)
def matrices() -> Array:
    """(18, 8, 8) symmetric matrices of the 17 forms and of the Study condition q.g."""
    out = np.zeros((FORMS + 1, 8, 8))
    E = np.eye(8)
    for a in range(8):
        for b in range(8):
            out[:FORMS, a, b] = (psi(E[a] + E[b]) - psi(E[a]) - psi(E[b])) / 2
    out[FORMS, range(4), range(4, 8)] = out[FORMS, range(4, 8), range(4)] = 0.5
    return out


def leg_rows(base: Array, joint: Array, length_squared: Complex) -> Complex:
    """(6, 17) conditions of six legs; length_squared may be complex."""
    first = (joint**2).sum(-1) + (base**2).sum(-1) - length_squared
    mixed = -2 * (base[:, :, None] * joint[:, None, :]).reshape(6, 9)
    return np.concatenate([first[:, None], mixed, -2 * base, 2 * joint, np.ones((6, 1))], axis=1)


def from_pose(position: Array, quaternion: Array) -> Array:
    """X (..., 8) of poses: q and ``g = t q / 2``."""
    q0, v, t = quaternion[..., :1], quaternion[..., 1:], position
    g0 = -(t * v).sum(-1, keepdims=True) / 2
    return np.concatenate([q0, v, g0, (q0 * t + np.cross(t, v)) / 2], axis=-1)


def to_pose(X: Array) -> tuple[Array, Array]:
    """Position (..., 3) and rotation (..., 3, 3) of real X."""
    f = psi(X)
    h = f[..., QUADRATIC.h, None]
    R = f[..., QUADRATIC.rotation] / h
    return f[..., QUADRATIC.position] / h, R.reshape(*X.shape[:-1], 3, 3)


def mirror(X: NDArray[np.inexact]) -> NDArray[np.inexact]:
    """The pose reflected in the plane z = 0 of base and platform: ``(t, R) -> (Z t, Z R Z)``."""
    return X * MIRROR
