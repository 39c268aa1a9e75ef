"""Ways to write an orientation that the page offers: `gough.orientations` under the page's names.

The page never computes a rotation.  Its Euler names are of moving axes and in small letters, read from left to right:
zyx means ``R = Rz(a) Ry(b) Rx(c)``, which is ZYX of `gough.orientations`.  rpy lists the angles (x, y, z).
"""

from __future__ import annotations

from gough import orientations
from gough.checks import Array, InputError

_EULER = ("xyz", "zyx", "zxz", "zyz")
_NAMES = {"rpy": "rpy", **{name: name.upper() for name in _EULER}}
_NAMES |= {"vector": "vector", "quaternion": "quaternion"}
CONVENTIONS = {name: orientations.describe(known) for name, known in _NAMES.items()}


def to_rotation(convention: str, angles: object) -> Array:
    """(3, 3) rotation P -> W of the angles (rad; four numbers for a quaternion)."""
    return orientations.to_rotation(_known(convention), angles)  # type: ignore[arg-type]


def from_rotation(convention: str, R: Array) -> Array:
    """The angles of `R` in a convention; at gimbal lock the first Euler angle is zero."""
    return orientations.from_rotation(_known(convention), R)


def _known(convention: str) -> str:
    if convention not in _NAMES:
        raise InputError("convention", convention, "must be one of " + ", ".join(CONVENTIONS))
    return _NAMES[convention]
