"""The machine seen from its middle, so that proofs do not depend on where its frames lie.

A frame far away costs digits: `t + R p - b` of numbers near 1e6 m is wrong by 1e-10 m, whatever the machine's size.
Where the centroid of the base or of the platform joints is far from its frame, the kernels work with

    b' = b - ob,   p' = p - op,   t' = t + R op - ob          ob, op: the centroids, m

and only the answer is rounded to the far frame.  All kernels compare with the machine's own sizes, never with meters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.checks import Array, kept
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE
from gough.model import Platform
from gough.struts import leg_table

FAR = 16.0  # sizes of the machine between a centroid and its frame, beyond which the frame is moved


class Centered(NamedTuple):
    """table (6, LEG.size) of the legs for the kernels, the moved origins ob, op (3,), m, and whether they are moved."""

    table: Array
    base: Array
    joint: Array
    moved: bool

    def inward(self, pose: Array) -> Array:
        """(..., 12) poses as the kernels take them."""
        return self._shifted(pose, 1.0) if self.moved else pose

    def outward(self, pose: Array) -> Array:
        """(..., 12) poses in the machine's own frames."""
        return self._shifted(pose, -1.0) if self.moved else pose

    def rounding(self, pose: Array) -> Array:
        """(...) m: what the far frames cost a pose: the rounding of t and of R op."""
        far = np.abs(pose[..., POSE.position]).sum(axis=-1) + np.abs(self.joint).sum()
        return 4 * np.finfo(float).eps * far if self.moved else 0.0 * far

    def _shifted(self, pose: Array, sign: float) -> Array:
        out = np.array(pose)
        R = out[..., POSE.rotation].reshape(*out.shape[:-1], 3, 3)
        out[..., POSE.position] += sign * (R @ self.joint - self.base)
        return out


@kept
def centered(platform: Platform) -> Centered:
    """The legs' table with far frames moved to the machine."""
    table = leg_table(platform)
    b, p = platform.base_joints, platform.platform_joints
    ob, op = b.mean(axis=0), p.mean(axis=0)
    size = max(float(np.abs(b - ob).max()), float(np.abs(p - op).max()))
    ob, op = (np.where(np.abs(o).max() > FAR * size, o, 0.0) for o in (ob, op))
    if not (ob.any() or op.any()):
        return Centered(table, ob, op, False)
    table = table.copy()
    table[:, LEG.base] -= ob
    table[:, LEG.joint] -= op
    return Centered(table, ob, op, True)
