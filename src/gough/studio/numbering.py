"""In which numbers the page says where the platform is: the machine's frames, with the page's pivot and convention.

A `Numbering` of the page is a `gough.Frames` of the library (model/frames.py): the work and tool frames of the machine
file where it is `framed`, else the world and the platform's reference point.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gough.checks import InputError
from gough.model import Frames, Platform
from gough.orientations import OTHERS, to_rotation
from gough.spatial import Pose
from gough.studio import messages as m

MOST_ROWS = 1000


def frames_of(platform: Platform, numbers: m.Numbering | m.PoseInput | m.MakeMotion) -> Frames:
    """The frames, pivot and convention in which those numbers are meant."""
    if numbers.framed:
        return platform.frames.replace(pivot=np.array(numbers.pivot), convention=numbers.convention)
    return _world(numbers.pivot, numbers.convention)


@lru_cache(64)
def _world(pivot: m.Numbers, convention: str) -> Frames:
    """Reference point in the world; kept, because every pose is entered and said in such numbers."""
    return Frames(pivot=np.array(pivot), convention=convention)


def place(platform: Platform, pose: m.PoseInput) -> Pose:
    """The platform's pose in the world of a pose as entered."""
    angles = to_rotation(pose.convention, pose.angles)
    given = Pose.trusted(np.array(pose.position), angles)
    found = frames_of(platform, pose).platform_pose(given)
    if not (np.isfinite(found.position).all() and np.isfinite(found.rotation).all()):
        raise InputError(
            "pose",
            (pose.position, pose.angles),
            "must be numbers of a size that can be computed with",
        )
    return found


def restate(platform: Platform, message: m.Restate) -> m.Restated:
    """The same poses in other numbers: rows x y z and the angles, from the numbering `of` to the numbering `to`."""
    width = 3 + OTHERS.get(message.of.convention, 3)
    if len(message.rows) > MOST_ROWS:
        raise InputError("rows", f"{len(message.rows)} given", f"must be at most {MOST_ROWS}")
    for i, row in enumerate(message.rows):
        if len(row) != width:
            raise InputError(
                f"rows[{i}]", row, f"must be {width} numbers in {message.of.convention}"
            )
    to = frames_of(platform, message.to)
    rows: list[m.Numbers] = []
    for row in message.rows:
        of = m.PoseInput(
            row[:3], message.of.convention, row[3:], message.of.pivot, message.of.framed
        )
        position, angles = to.numbers(place(platform, of))
        rows.append((*position.tolist(), *angles.tolist()))
    return m.Restated(message.id, tuple(rows))
