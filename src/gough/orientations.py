"""Orientations by name: Euler sequences, roll-pitch-yaw, rotation vectors, quaternions; and the nearest rotation.

A sequence is three of X, Y, Z, no two neighbors alike, its angles (a, b, c), rad, listed in the order of its letters:

    "ZXZ", "ZXZ intrinsic"    R = Rz(a) Rx(b) Rz(c)      each turn about the axes that the ones before have moved
    "ZXZ extrinsic"           R = Rz(c) Rx(b) Rz(a)      every turn about the fixed axes
    "rpy"                     R = Rz(c) Ry(b) Rx(a)      roll, pitch, yaw: the same as "XYZ extrinsic"
    "vector"                  R = exp([v]x)
    "quaternion"              (w, x, y, z), normalized
Lower-case letters are refused: scipy means fixed axes by them, others do not.  R maps turned components to fixed ones.
Angles that come back give the same matrix to rounding; b is in [-pi/2, pi/2] (three different axes) or [0, pi].  Where
the first and the last turn are about the same line only their sum or difference is determined: the leftmost is zero.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array, text
from gough.rotations import (
    quaternion_from_rotation,
    rotation_exp,
    rotation_from_quaternion,
    rotation_from_rpy,
    rotation_log,
    rotation_x,
    rotation_y,
    rotation_z,
    rpy_from_rotation,
)

SEQUENCES = tuple(
    a + b + c for a, b, c in product("XYZ", repeat=3) if a != b and b != c
)  # twelve of them
SENSES = ("intrinsic", "extrinsic")
OTHERS = {"rpy": 3, "vector": 3, "quaternion": 4}  # how many numbers each takes
WITHIN = 1e-2  # of a matrix written with a few digits from the rotation it stands for
_TURNS = rotation_x, rotation_y, rotation_z


def axes_of(convention: str) -> tuple[tuple[int, int, int], bool]:
    """Axis numbers of an Euler sequence in the order of its letters, and whether its axes move (intrinsic)."""
    letters, _, sense = convention.partition(" ")
    if letters not in SEQUENCES or sense not in ("", *SENSES):
        raise InputError("sequence", convention, _allowed(convention))
    first, second, third = ("XYZ".index(letter) for letter in letters)
    return (first, second, third), sense != "extrinsic"


def _allowed(name: object) -> str:
    said = f"must be one of {', '.join(SEQUENCES)}, with intrinsic (default) or extrinsic behind it"
    if isinstance(name, str) and name.upper() in SEQUENCES:
        said = (
            f"write {name.upper()} (moving axes) or {name.upper()} extrinsic (fixed axes): "
            "lower-case letters mean the one here and the other there"
        )
    return said


def check_convention(field: str, value: object) -> str:
    """The name of a convention, or `InputError`."""
    name = text(field, value)
    if name not in OTHERS:
        try:
            axes_of(name)
        except InputError as error:
            also = f"; or {', '.join(OTHERS)}" if "must be" in error.allowed else ""
            raise InputError(field, value, error.allowed + also) from None
    return name


def euler_rotation(angles: ArrayLike, sequence: str) -> Array:
    """(..., 3, 3) rotation of the angles (..., 3), rad, in a sequence such as "ZXZ" or "XYZ extrinsic"."""
    axes, moving = axes_of(sequence)
    a = array("angles", angles, (3,))
    first, second, third = (_TURNS[axis](a[..., i]) for i, axis in enumerate(axes))
    return first @ second @ third if moving else third @ second @ first


def euler_angles(rotation: ArrayLike, sequence: str) -> Array:
    """(..., 3) the angles of rotations (..., 3, 3) in a sequence, rad; the inverse of `euler_rotation`.

    With ``R = Ri(a) Rj(b) Rk(c)``: a from the column of k, then b and c from what is left of R after it, so that
    ill-determined angles still give the matrix back to all digits.
    """
    axes, moving = axes_of(sequence)
    R = array("rotation", rotation, (3, 3))
    found = _moving_angles(R, *(axes if moving else axes[::-1]))
    return found if moving else found[..., ::-1]


def _moving_angles(R: Array, i: int, j: int, k: int) -> Array:
    other = 3 - i - j
    even = 1.0 if (j - i) % 3 == 1 else -1.0
    if i == k:
        a = np.arctan2(R[..., j, i], -even * R[..., other, i] + 0.0)
        M = np.swapaxes(_TURNS[i](a), -1, -2) @ R
        b = np.arctan2(-even * M[..., other, i], M[..., i, i])
        c = np.arctan2(-even * M[..., j, other], M[..., j, j])
    else:
        a = np.arctan2(-even * R[..., j, k], R[..., k, k])
        M = np.swapaxes(_TURNS[i](a), -1, -2) @ R
        b = np.arctan2(even * M[..., i, k], M[..., k, k])
        c = np.arctan2(even * M[..., j, i], M[..., j, j])
    return np.stack([a, b, c], axis=-1) + 0.0  # no -0.0


def to_rotation(convention: str, numbers: ArrayLike) -> Array:
    """(..., 3, 3) rotation of the numbers of any convention of this module."""
    check_convention("convention", convention)
    a = array("angles", numbers, (OTHERS.get(convention, 3),))
    if convention == "rpy":
        return rotation_from_rpy(a)
    if convention == "vector":
        return rotation_exp(a)
    if convention == "quaternion":
        if (np.linalg.norm(a, axis=-1) < 1e-12).any():
            raise InputError("angles", a.tolist(), "a quaternion must not have zero length")
        return rotation_from_quaternion(a)
    return euler_rotation(a, convention)


def from_rotation(convention: str, rotation: ArrayLike) -> Array:
    """The numbers of rotations (..., 3, 3) in any convention of this module."""
    check_convention("convention", convention)
    known = {"rpy": rpy_from_rotation, "vector": rotation_log}
    known["quaternion"] = quaternion_from_rotation
    return (
        known[convention](rotation) if convention in known else euler_angles(rotation, convention)
    )


def nearest_rotation(matrix: ArrayLike, within: float = WITHIN) -> Array:
    """(..., 3, 3) the rotation with the least ``|M - R|`` (Frobenius), for matrices written with a few digits.

    ``M = U S V^T``, ``R = U V^T``.  A matrix that is farther than `within` from it in an entry, or whose determinant
    is not positive, is no rounded rotation and is refused.
    """
    M = array("rotation", matrix, (3, 3))
    U, _, Vt = np.linalg.svd(M)
    R = U @ Vt
    off = float(np.abs(M - R).max(initial=0.0))
    if not off <= within or not bool((np.linalg.det(M) > 0.0).all()):
        raise InputError(
            "rotation", M.tolist(), f"no rotation is within {within:g} of it (nearest: {off:.2g})"
        )
    return R


def conventions() -> dict[str, str]:
    """Every name with its formula: rpy first, the sequences, the others."""
    names = ["rpy", *SEQUENCES, *(f"{letters} extrinsic" for letters in SEQUENCES)]
    return {name: describe(name) for name in (*names, "vector", "quaternion")}


def describe(convention: str) -> str:
    """The convention as a formula."""
    if convention in OTHERS:
        return {
            "rpy": "R = Rz(yaw) Ry(pitch) Rx(roll), angles listed roll, pitch, yaw",
            "vector": "R = exp([v]x), rotation vector",
            "quaternion": "unit quaternion w, x, y, z",
        }[convention]
    axes, moving = axes_of(convention)
    turns = [f"R{'xyz'[axis]}({name})" for axis, name in zip(axes, "abc", strict=True)]
    return "R = " + " ".join(turns if moving else turns[::-1])
