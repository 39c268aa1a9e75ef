"""Rotations: matrices, quaternions, rotation vectors, and angles in named conventions.

R maps platform components to world components.  RPY means ``R = Rz Ry Rx`` with the angles listed (x, y, z), rad.
Quaternions are (w, x, y, z).  Everything takes leading batch axes; NaN stays NaN (a pose that was not found).
Euler sequences are named in `gough.orientations`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, batch_shape, pick, real

_PLUS, _MINUS = np.array([7, 2, 3]), np.array([5, 6, 1])  # where (x, y, z) stands in [v]x


def skew(v: ArrayLike) -> Array:
    """``[v]x`` with ``[v]x u = v x u``, shape (..., 3, 3)."""
    v = real("v", v, (3,))
    K = np.zeros((*v.shape[:-1], 9))
    K[..., _PLUS], K[..., _MINUS] = v, -v
    return K.reshape(*v.shape, 3)


def rotation_x(angle: ArrayLike) -> Array:
    """Rotation about x by `angle` (rad)."""
    return _elementary(angle, 0)


def rotation_y(angle: ArrayLike) -> Array:
    """Rotation about y by `angle` (rad)."""
    return _elementary(angle, 1)


def rotation_z(angle: ArrayLike) -> Array:
    """Rotation about z by `angle` (rad)."""
    return _elementary(angle, 2)


def _elementary(angle: ArrayLike, axis: int) -> Array:
    a = real("angle", angle)
    R = np.zeros((*a.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[..., axis, axis] = 1.0
    R[..., i, i] = R[..., j, j] = np.cos(a)
    R[..., j, i] = np.sin(a)
    R[..., i, j] = -np.sin(a)
    return R


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """``R = Rz(rpy_z) Ry(rpy_y) Rx(rpy_x)``."""
    rpy = real("rpy", rpy, (3,))
    return rotation_z(rpy[..., 2]) @ rotation_y(rpy[..., 1]) @ rotation_x(rpy[..., 0])


def rpy_from_rotation(R: ArrayLike) -> Array:
    """Angles (x, y, z) with ``R = Rz Ry Rx`` to all digits at any pitch; at exact gimbal lock the x angle is zero.

    Near a pitch of 90 degrees roll and yaw are ill determined but their sum is not: the yaw is taken from what is left
    of the rotation after the roll found, which undoes an error of the roll.
    """
    R = real("R", R, (3, 3))
    x = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    s, c = np.sin(x), np.cos(x)
    y = np.arctan2(-R[..., 2, 0], s * R[..., 2, 1] + c * R[..., 2, 2])
    z = np.arctan2(s * R[..., 0, 2] - c * R[..., 0, 1], c * R[..., 1, 1] - s * R[..., 1, 2])
    return np.stack([x, y, z], axis=-1) + 0.0  # no -0.0


def rpy_rate_matrix(rpy: ArrayLike) -> Array:
    """``J_A`` with ``omega = J_A d(rpy)/dt``, world axes, shape (..., 3, 3)."""
    rpy = real("rpy", rpy, (3,))
    y, z = rpy[..., 1], rpy[..., 2]
    J = np.zeros((*rpy.shape[:-1], 3, 3))
    J[..., 0, 0], J[..., 1, 0], J[..., 2, 0] = (
        np.cos(z) * np.cos(y),
        np.sin(z) * np.cos(y),
        -np.sin(y),
    )
    J[..., 0, 1], J[..., 1, 1] = -np.sin(z), np.cos(z)
    J[..., 2, 2] = 1.0
    return J


def rpy_rate_matrix_dot(rpy: ArrayLike, rate: ArrayLike) -> Array:
    """Time derivative of `rpy_rate_matrix` along ``d(rpy)/dt = rate``."""
    rpy, rate = real("rpy", rpy, (3,)), real("rate", rate, (3,))
    shape = batch_shape("rate", rpy.shape[:-1], rate.shape[:-1])
    y, z, yd, zd = rpy[..., 1], rpy[..., 2], rate[..., 1], rate[..., 2]
    J = np.zeros((*shape, 3, 3))
    J[..., 0, 0] = -np.sin(z) * np.cos(y) * zd - np.cos(z) * np.sin(y) * yd
    J[..., 1, 0] = np.cos(z) * np.cos(y) * zd - np.sin(z) * np.sin(y) * yd
    J[..., 2, 0] = -np.cos(y) * yd
    J[..., 0, 1], J[..., 1, 1] = -np.cos(z) * zd, -np.sin(z) * zd
    return J


def rotation_from_quaternion(q: ArrayLike) -> Array:
    """Rotation matrix of the quaternion (w, x, y, z), normalized first."""
    given = real("q", q, (4,))
    e: Array = given / np.sqrt((given * given).sum(axis=-1, keepdims=True))
    K = skew(e[..., 1:])
    return np.eye(3) + 2.0 * e[..., :1, None] * K + 2.0 * K @ K


# sums and differences of a flattened rotation matrix: 4wx 4wy 4wz 4xy 4xz 4yz of its quaternion, and which of them
# stand beside the largest component
_OFF_FIRST, _OFF_SECOND = np.array([7, 2, 3, 1, 2, 5]), np.array([5, 6, 1, 3, 6, 7])
_OFF_SIGN = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
_OFF_OF = np.array([[-1, 0, 1, 2], [0, -1, 3, 4], [1, 3, -1, 5], [2, 4, 5, -1]])


def quaternion_from_rotation(R: ArrayLike) -> Array:
    """Unit quaternion (w, x, y, z) with w >= 0, by the largest of the four candidates (no loss of digits)."""
    R = real("R", R, (3, 3))
    flat = R.reshape(*R.shape[:-2], 9)
    d = flat[..., ::4]
    trace = d.sum(axis=-1)
    four = np.concatenate(
        [(1 + trace)[..., None], 1 - trace[..., None] + 2 * d], axis=-1
    )  # 4 q_i^2
    best = np.argmax(four, axis=-1)
    off = flat[..., _OFF_FIRST] + _OFF_SIGN * flat[..., _OFF_SECOND]
    rows = _OFF_OF[best]
    largest = pick(four, best[..., None])
    numerator = np.where(rows < 0, largest, pick(off, np.maximum(rows, 0)))
    q = numerator / (2.0 * np.sqrt(largest))
    return np.where(q[..., :1] < 0, -q, q)


def rotation_exp(v: ArrayLike) -> Array:
    """``exp([v]x)`` for a rotation vector v (rad), exact near zero."""
    v = real("v", v, (3,))
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    K = skew(v)
    a = np.sinc(angle / np.pi)
    b = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return np.eye(3) + a * K + b * (K @ K)


def rotation_log(R: ArrayLike) -> Array:
    """Rotation vector v with ``R = exp([v]x)``, ``|v| <= pi``."""
    q = quaternion_from_rotation(R)
    n = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(n, q[..., :1])
    scale = np.where(n > 1e-12, angle / np.where(n > 1e-12, n, 1.0), 2.0)
    return scale * q[..., 1:]
