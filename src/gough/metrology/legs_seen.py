"""Coordinates and strut directions of the legs at many poses, with their slopes over poses and over the machine.

One complex step through the exact equations per column, so that every leg type has its slopes to rounding:
translation (m) and rotation vector (rad) of the platform in world axes, then the chosen numbers of the machine file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InputError
from gough.dynamics.complex_step import slopes, variations
from gough.dynamics.parameters import derivative_kinds, packing_of
from gough.engines.evaluate import as_motion, motion_blocks
from gough.engines.pack import packed
from gough.kinematics.inverse import inverse_kinematics, spin_free
from gough.layout import LEG_MOTION, VARIATION
from gough.model import Platform
from gough.spatial import Pose


@dataclass(frozen=True, eq=False)
class LegsSeen:
    """The six legs at n poses, with slopes over the pose (6 columns) and over p numbers of the machine.

    coordinate, direction   (n, 6) m or rad, (n, 6, 3) world axes
    *_by_pose, *_by_machine (n, 6, 6 or p), (n, 6, 3, 6 or p)
    """

    coordinate: Array
    direction: Array
    coordinate_by_pose: Array
    coordinate_by_machine: Array
    direction_by_pose: Array
    direction_by_machine: Array


def legs_seen(platform: Platform, pose: Pose, names: Sequence[str]) -> LegsSeen:
    """The legs at poses (n,), with slopes over the pose and over the numbers of these names."""
    platform = spin_free(platform)
    blocks = motion_blocks(as_motion(pose))
    chosen = packing_of(platform, names)
    moved = variations("kinematics", pose.rotation, np.zeros((len(pose), 0)))
    moved = np.concatenate(
        [moved[..., VARIATION.position], moved[..., VARIATION.rotation_vector]], axis=-1
    )
    still = np.zeros((*moved.shape[:2], chosen.shape[1]))
    values, found = slopes(
        "kinematics",
        derivative_kinds(platform, spin=False),
        np.concatenate(blocks, axis=1),
        packed(platform).parameters,
        np.concatenate([moved, still], axis=2),
        np.concatenate([np.zeros((len(chosen), 6)), chosen], axis=1),
    )
    if not (np.isfinite(values).all() and np.isfinite(found).all()):
        inverse_kinematics(platform, pose)  # says which leg and why
        raise InputError("pose", "no finite slopes", "is singular for a leg")
    values = values.reshape(len(pose), 6, LEG_MOTION.size)
    found = found.reshape(len(pose), 6, LEG_MOTION.size, -1)
    coordinate, direction = found[:, :, LEG_MOTION.coordinate], found[:, :, LEG_MOTION.direction]
    return LegsSeen(
        values[:, :, LEG_MOTION.coordinate],
        values[:, :, LEG_MOTION.direction],
        coordinate[..., :6],
        coordinate[..., 6:],
        direction[..., :6],
        direction[..., 6:],
    )
