"""In which frames and angles a user says where the platform is: work, tool, pivot, convention.

W world, B the work frame (`work` = pose of B in W), P the platform, T the tool (`tool` = pose of T in P)
A pose as entered is (x, R) of T seen from B: where the tool would be with R = 1, and its orientation.
Turns are about the pivot c, given in platform axes, c' in the tool's:

    T in B = (x + c' - R c', R),        P in W = work (T in B) tool^-1
Without a pivot turns are about the tool's origin (c' = 0) and x is where that is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Checked, InputError, array, batch_shape, optional, vector
from gough.frozen import hinted
from gough.orientations import check_convention, from_rotation, to_rotation
from gough.spatial import Pose


def _single(name: str, value: Any) -> Pose:
    if not isinstance(value, Pose) or value.shape != ():
        raise InputError(name, value, "must be a single gough.Pose")
    return value


def _origin() -> Pose:
    return Pose(np.zeros(3))


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Frames(Checked):
    """Work frame (world axes), tool frame and pivot (platform axes, m), and the convention of angles.

    convention  rpy, vector, quaternion, or a sequence such as ZXZ or "XYZ extrinsic" (gough/orientations.py)
    """

    work: Pose = field(default_factory=_origin)
    tool: Pose = field(default_factory=_origin)
    pivot: Array | None = None
    convention: str = "rpy"

    CHECKS: ClassVar = {
        "work": _single,
        "tool": _single,
        "pivot": optional(vector),
        "convention": check_convention,
    }

    def pose(self, position: ArrayLike, angles: ArrayLike | None = None) -> Pose:
        """The platform's pose in the world of numbers as entered: position (..., 3) m, angles in the convention."""
        x = array("position", position, (3,))
        R = np.eye(3) if angles is None else to_rotation(self.convention, angles)
        shape = batch_shape("angles", x.shape[:-1], R.shape[:-2])
        given = Pose(np.broadcast_to(x, (*shape, 3)), np.broadcast_to(R, (*shape, 3, 3)))
        return self.platform_pose(given)

    def numbers(self, pose: Pose) -> tuple[Array, Array]:
        """Position and angles to enter for a pose of the platform in the world: the inverse of `pose`."""
        given = self.entered(pose)
        return given.position, from_rotation(self.convention, given.rotation)

    def platform_pose(self, entered: Pose) -> Pose:
        """The platform's pose in the world of a pose as entered (tool seen from work, turned about the pivot)."""
        c = self._pivot()
        x = entered.position + c - entered.rotation @ c
        return self.work @ Pose.trusted(x, entered.rotation) @ self.tool.inverse()

    def entered(self, pose: Pose) -> Pose:
        """What to enter for a pose of the platform in the world: the inverse of `platform_pose`."""
        seen, c = self.work.inverse() @ pose @ self.tool, self._pivot()
        return Pose.trusted(seen.position - c + seen.rotation @ c, seen.rotation)

    def _pivot(self) -> Array:
        """(3,) the pivot from the tool's origin, tool axes, m."""
        if self.pivot is None:
            return np.zeros(3)
        return self.tool.rotation.T @ (self.pivot - self.tool.position)

    def turning_point(self, pose: Pose) -> Array:
        """(..., 3) where the pivot is while the platform is at `pose`, world axes, m."""
        c = self.tool.position if self.pivot is None else self.pivot
        return pose.position + pose.rotation @ c
