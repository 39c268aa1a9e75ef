"""A machine's joints in coordinates that suit the solver, and the way back to poses.

Base and platform points are moved to their centroids, divided by a common size, and where they are planar
turned so that their plane is z = 0.  Two planar point sets make a mirror-symmetric machine: every pose has a
reflection, and only one of each pair has to be tracked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.checks import Array
from gough.kinematics.assembly.continuum import everywhere_singular

PLANAR = 4e-15  # relative thickness that is the rounding of planar coordinates
GRID = (
    2.0**50
)  # coordinates are whole multiples of 1/GRID: sums and differences of two have no rounding


@dataclass(frozen=True, eq=False)
class Geometry:
    """Normalized joints b, p (6, 3) with ``base = base_origin + size * base_axes b``, likewise the platform.

    own_b, own_p: the same with every digit that was given, each in its own size
    rounding: of the coordinates that were given, relative to the size of base or platform, whichever is worse
    """

    b: Array
    p: Array
    size: float
    base_origin: Array
    base_axes: Array
    joint_origin: Array
    joint_axes: Array
    planar: bool
    own_b: Array
    own_p: Array
    rounding: float

    @cached_property
    def singular(self) -> bool:
        """Singular in every pose, to round-off."""
        return everywhere_singular(self.b, self.p)

    @cached_property
    def key(self) -> str:
        """Names the normalized geometry in the cache."""
        return hashlib.sha256(
            self.b.tobytes() + self.p.tobytes() + bytes([self.planar])
        ).hexdigest()[:32]

    def world(self, t: Array, R: Array) -> tuple[Array, Array]:
        """Poses (..., 3), (..., 3, 3) of the platform frame from normalized ones."""
        Rw = self.base_axes @ R @ self.joint_axes.T
        tw = self.base_origin + self.size * t @ self.base_axes.T - Rw @ self.joint_origin
        return tw, Rw


def normalize(base: Array, joint: Array, turn: bool = True) -> Geometry:
    """Centered, scaled and, where planar and `turn`, turned copies of the joints."""
    ob, op = base.mean(axis=0), joint.mean(axis=0)
    b, p = base - ob, joint - op
    size = float(np.sqrt((b**2).sum(1).mean() + (p**2).sum(1).mean()))
    if size == 0.0:
        size = 1.0
    Ub, flat_b = _axes(b / size)
    Up, flat_p = _axes(p / size)
    planar = turn and flat_b and flat_p
    if not planar:
        Ub = Up = np.eye(3)
    b, p = b @ Ub / size, p @ Up / size
    if planar:
        b[:, 2] = p[:, 2] = 0.0
    own = [np.sqrt((x**2).sum() / 6) or 1.0 for x in (b, p)]
    far = max((np.abs(x).max() / size + 1) / s for x, s in zip((base, joint), own, strict=True))
    exact = b / own[0], p / own[1], float(np.finfo(float).eps * far)
    b, p = np.round(b * GRID) / GRID, np.round(p * GRID) / GRID
    return Geometry(b, p, size, ob, Ub, op, Up, planar, *exact)


def _axes(points: Array) -> tuple[Array, bool]:
    """Rotation whose last column is the normal of the points' plane, and whether they lie in it."""
    if np.abs(points[:, 2]).max() <= PLANAR:
        return np.eye(3), True
    _, values, vh = np.linalg.svd(points)
    axes = vh.T.copy()
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return axes, bool(values[2] <= PLANAR)
