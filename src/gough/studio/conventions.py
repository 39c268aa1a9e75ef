"""Ways to write an orientation, all converted here: the page never computes a rotation.

Euler names give the axes of the factors from left to right: zyx means ``R = Rz(c) Ry(b) Rx(a)`` read with the
angles listed in the order of the name.  rpy is the same matrix with the angles listed (x, y, z).
"""

from __future__ import annotations

import numpy as np

from gough import spatial
from gough.checks import Array, InputError

CONVENTIONS = {
    "rpy": "R = Rz(yaw) Ry(pitch) Rx(roll), angles listed roll, pitch, yaw",
    "xyz": "R = Rx(a) Ry(b) Rz(c)",
    "zyx": "R = Rz(a) Ry(b) Rx(c)",
    "zxz": "R = Rz(a) Rx(b) Rz(c)",
    "zyz": "R = Rz(a) Ry(b) Rz(c)",
    "vector": "R = exp([v]x), rotation vector",
    "quaternion": "unit quaternion w, x, y, z",
}
_ELEMENTARY = {"x": spatial.rotation_x, "y": spatial.rotation_y, "z": spatial.rotation_z}


def to_rotation(convention: str, angles: object) -> Array:
    """(3, 3) rotation P -> W of the angles (rad; four numbers for a quaternion)."""
    a = np.asarray(angles, dtype=float)
    if convention not in CONVENTIONS:
        raise InputError("convention", convention, "must be one of " + ", ".join(CONVENTIONS))
    if a.shape[-1:] != ((4,) if convention == "quaternion" else (3,)):
        raise InputError("angles", a.tolist(), f"wrong count for the convention {convention}")
    if convention == "rpy":
        return spatial.rotation_from_rpy(a)
    if convention == "vector":
        return spatial.rotation_exp(a)
    if convention == "quaternion":
        if np.linalg.norm(a) < 1e-12:
            raise InputError("angles", a.tolist(), "a quaternion must not have zero length")
        return spatial.rotation_from_quaternion(a)
    first, second, third = (_ELEMENTARY[c](a[..., i]) for i, c in enumerate(convention))
    return first @ second @ third


def from_rotation(convention: str, R: Array) -> Array:
    """The angles of `R` in a convention; at gimbal lock the last Euler angle is zero (roll for rpy)."""
    if convention == "rpy":
        return spatial.rpy_from_rotation(R)
    if convention == "vector":
        return spatial.rotation_log(R)
    if convention == "quaternion":
        return spatial.quaternion_from_rotation(R)
    if convention not in CONVENTIONS:
        raise InputError("convention", convention, "must be one of " + ", ".join(CONVENTIONS))
    if convention[0] == convention[2]:
        return _proper(convention, R)
    return _tait_bryan(convention, R)


def _tait_bryan(convention: str, R: Array) -> Array:
    i, j, k = ("xyz".index(c) for c in convention)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    b = np.arctan2(sign * R[i, k], np.hypot(R[i, i], R[i, j]))
    if np.hypot(R[i, i], R[i, j]) < 1e-12:
        return np.array([np.arctan2(sign * R[k, j], R[j, j]), b, 0.0])
    return np.array([np.arctan2(-sign * R[j, k], R[k, k]), b, np.arctan2(-sign * R[i, j], R[i, i])])


def _proper(convention: str, R: Array) -> Array:
    i, j = ("xyz".index(c) for c in convention[:2])
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    b = np.arctan2(np.hypot(R[i, j], R[i, k]), R[i, i])
    if np.hypot(R[i, j], R[i, k]) < 1e-12:
        return np.array([np.arctan2(sign * R[k, j], R[j, j]), b, 0.0])
    return np.array([np.arctan2(R[j, i], -sign * R[k, i]), b, np.arctan2(R[i, j], sign * R[i, k])])
