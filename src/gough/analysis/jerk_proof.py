"""Is a limit on the legs' jerks kept at every instant?

Inside the pieces of a motion jerks are bounded by Taylor models (analysis/leg_jerks.py).  Between two pieces the
accelerations must meet: they may differ by no more than the limit allows in the share `MEET` of the motion's duration,
which is left to rounding.  A larger jump is an infinite jerk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.analysis.effort_models import share_room
from gough.analysis.leg_jerks import jerk_models
from gough.checks import Array
from gough.kinematics.leg_models import leg_models, without_bounds
from gough.model import Platform
from gough.taylor import Model
from gough.trajectory.base import Trajectory
from gough.trajectory.bounds import motion_model, pieces
from gough.trajectory.jets import gives_jets, pose_jet

Flags = NDArray[np.bool_]
MEET = 1e-9  # of the duration
BESIDE = 1e-11  # of the duration: half length of the intervals beside an edge


def without_jerks(platform: Platform, path: Trajectory) -> str:
    """Why jerks are not bounded, in words; empty where they are."""
    why = without_bounds(platform)[0]
    if why:
        return why
    return "" if gives_jets(path) else "no bound is known for the jerk of this trajectory"


def jerk_room(platform: Platform, path: Trajectory, t: Array, half: Array, most: Array) -> Model:
    """(N, 6, 2) at least 0 where the jerks are within `most` (6,), as shares of it."""
    pose = pose_jet(path, t, half)
    assert pose is not None
    return share_room(jerk_models(platform, pose), most)


def acceleration_jumps(platform: Platform, path: Trajectory, most: Array) -> tuple[Array, Array]:
    """Where the acceleration of each leg jumps for sure: times (6,), NaN: nowhere; and where that is left open, as time
    and half length (6, 2)."""
    edges = pieces(path)
    inner = edges[1:-1]
    if not len(inner):
        return np.full(6, np.nan), np.full((6, 2), np.nan)
    half = np.minimum(BESIDE * path.duration, 0.25 * np.diff(edges))
    before, after = (
        _acceleration(platform, path, inner + side * h, h, -side)
        for side, h in ((-1.0, half[:-1]), (1.0, half[1:]))
    )
    jump, doubt = np.abs(after[0] - before[0]), before[1] + after[1]
    allowed = MEET * path.duration * most
    bad: Flags = np.asarray(jump - doubt > allowed)
    opened: Flags = np.asarray(~(jump + doubt <= allowed))
    left = np.stack([inner, half[1:]], axis=-1)[opened.argmax(axis=0)]
    return (
        np.where(bad.any(axis=0), inner[bad.argmax(axis=0)], np.nan),
        np.where(np.asarray(opened.any(axis=0))[:, None], left, np.nan),
    )


def _acceleration(
    platform: Platform, path: Trajectory, t: Array, half: Array, end: float
) -> tuple[Array, Array]:
    """(N, 6) at one end of intervals, and how far it may be off."""
    motion = motion_model(path, t, half)
    assert motion is not None
    value, off = leg_models(platform, motion).acceleration.at(np.array([end]))
    return value[0], off
