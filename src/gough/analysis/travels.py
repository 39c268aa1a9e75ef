"""How far each axis goes while the others stay: coupled travel ranges about any pivot, each end with what stops it.

The axes are the six numbers with which a user says where the platform is (`gough.Frames`): x, y, z along the work
frame, and three angles in its convention, turned about the pivot.  Changing one angle alone turns about a fixed axis:
of ``R = R1(a) R2(b) R3(c)`` the axis of b is R1(a) e2, seen from the work frame.  With the conventions "vector" and
"quaternion", whose numbers are no turns, the turns are about the work frame's x, y and z.
Ends are proved (analysis/rays.py): up to `low` and `high` every limit holds and no pose is singular, and within
`within` behind them what is named is broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees, pi

import numpy as np
from numpy.typing import ArrayLike

from gough import reasons
from gough.analysis.rays import first_stops
from gough.analysis.ways import RayEnd, Rays, together
from gough.checks import Array, InfeasibleError, InputError, number
from gough.frozen import hinted
from gough.limits import ROUNDING, check
from gough.links import POSE, refuse_off_links
from gough.model import Frames, Platform
from gough.orientations import OTHERS, axes_of
from gough.results import Result
from gough.spatial import Pose, rotation_x, rotation_y, rotation_z
from gough.struts import struts

_TURNS = rotation_x, rotation_y, rotation_z


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class TravelRanges(Result):
    """Ranges of the six axes from a pose, the others staying where they are.

    names        of the axes; the first three m, the others rad
    low, high    (6,) how far each goes down (not positive) and up, from the pose
    within       (6, 2) length behind each end in which what stops it is broken; NaN: nothing is
    ends         two per axis, down and up: `gough.analysis.ways.RayEnd`
    entered      (6,) the numbers of the pose itself, in `frames`
    unchecked    limits that could not be judged
    """

    names: tuple[str, ...]
    low: Array
    high: Array
    within: Array
    ends: tuple[tuple[RayEnd, RayEnd], ...]
    pose: Pose
    entered: Array
    frames: Frames
    unchecked: tuple[str, ...]

    @property
    def proved(self) -> bool:
        """Every end is proved: free up to it, and broken behind it or never up to where was looked."""
        return not self.unchecked and all(end.settled for pair in self.ends for end in pair)

    def reason(self, axis: int, up: bool) -> str:
        """What ends an axis on one side, in words."""
        return end_reason(self.ends[axis][up], axis >= 3)


def end_reason(end: RayEnd, turns: bool) -> str:
    """What ends a way, in words."""
    far = f"{degrees(end.free):.6g}°" if turns else f"{1e3 * end.free:.6g} mm"
    said = f"no limit up to {far}" if end.whole else "; ".join(together(end.stops))
    if not end.whole and not np.isfinite(end.beyond):
        said = f"not proved beyond: {said}"
    return said if end.proved is None else f"{said} ({end.proved})"


def travel(
    platform: Platform,
    pose: Pose | None = None,
    *,
    pivot: ArrayLike | None = None,
    frames: Frames | None = None,
    most_travel: float | None = None,
    most_turn: float = pi,
) -> TravelRanges:
    """How far each axis goes from `pose` (default: home) while the others stay, and what stops it.

    pivot        point about which it turns, platform axes, m (default: that of `frames`)
    frames       default: the machine's own
    most_travel  where to stop looking, m (default: five times the machine's size);  most_turn  likewise, rad
    Strokes, cones, leg-leg distances, fixed links, reach and singularities are judged, not speeds and efforts.

    >>> platform = gough.load("positioner-300")
    >>> ranges = gough.travel(platform)
    >>> print(ranges.high[:3].round(4))
    [0.0361 0.0349 0.0166]
    >>> print(ranges.reason(2, True))
    L1, L2, L3, L4, L5, L6: stroke at its maximum, 254 mm
    """
    at = platform.require_home() if pose is None else pose
    own = platform.frames if frames is None else frames
    own = own if pivot is None else own.replace(pivot=pivot)
    far = (
        _most(platform, at)
        if most_travel is None
        else number("most_travel", most_travel, above=0.0)
    )
    turn = number("most_turn", most_turn, above=0.0)
    if turn > 2.0 * pi:
        raise InputError("most_turn", most_turn, "must be at most a whole turn, rad")
    _refuse(platform, at)
    axes = turn_axes(own, at)
    ends = first_stops(platform, _rays(platform, at, own, axes, (far, turn)))
    pairs = tuple((ends[2 * k], ends[2 * k + 1]) for k in range(6))
    position, angles = own.numbers(at)
    return TravelRanges(
        (*"xyz", *turn_names(own.convention)),
        np.array([-down.free for down, _ in pairs]),
        np.array([up.free for _, up in pairs]),
        np.array([[end.beyond - end.free for end in pair] for pair in pairs]),
        pairs,
        at,
        np.concatenate([position, angles]),
        own,
        check(platform, at).unchecked,
    )


def _refuse(platform: Platform, pose: Pose) -> None:
    """A pose that cannot be taken has no travel."""
    refuse_off_links(platform, pose, POSE)
    found = check(platform, pose)
    if found.worst < -ROUNDING:
        raise InfeasibleError(f"the pose itself breaks a limit: {found.sentences()[0]}")
    problem = reasons.pose_problem(platform, pose.position, pose.rotation)
    if problem is not None:
        raise InfeasibleError(problem)


def _most(platform: Platform, pose: Pose) -> float:
    g = struts(platform, pose)
    return 5.0 * float(np.ptp(np.concatenate([g.start, g.end]), axis=0).max())


def turn_names(convention: str) -> tuple[str, str, str]:
    """Names of the three turns."""
    if convention == "rpy":
        return ("roll", "pitch", "yaw")
    if convention in OTHERS:
        return ("about x", "about y", "about z")
    axes, _ = axes_of(convention)
    first, second, third = ("XYZ"[axis] for axis in axes)
    return (f"angle 1 ({first})", f"angle 2 ({second})", f"angle 3 ({third})")


def turn_axes(frames: Frames, pose: Pose) -> Array:
    """(3, 3) unit axes, world axes, about which the platform turns when one of the angles changes alone."""
    if frames.convention in OTHERS and frames.convention != "rpy":
        return frames.work.rotation.T
    sequence = "XYZ extrinsic" if frames.convention == "rpy" else frames.convention
    axes, moving = axes_of(sequence)
    angles = frames.entered(pose).to_euler(sequence)
    order = (0, 1, 2) if moving else (2, 1, 0)  # of the factors of R from left to right
    before, found = np.eye(3), np.empty((3, 3))
    for k in order:
        found[k] = before[:, axes[k]]
        before = before @ _TURNS[axes[k]](angles[k])
    return found @ frames.work.rotation.T


def _rays(
    platform: Platform, pose: Pose, frames: Frames, axes: Array, most: tuple[float, float]
) -> Rays:
    """Twelve ways: down and up along x, y, z, then about the three axes."""
    shift, turn = np.zeros((2, 12, 3))
    both = np.array([-1.0, 1.0])[:, None]
    for k in range(3):
        shift[2 * k : 2 * k + 2] = both * frames.work.rotation[:, k]
        turn[6 + 2 * k : 8 + 2 * k] = both * axes[k]
    start = Pose.trusted(np.tile(pose.position, (12, 1)), np.tile(pose.rotation, (12, 1, 1)))
    center = np.tile(frames.turning_point(pose), (12, 1))
    center[:6] = pose.position
    unit = np.repeat([platform.characteristic_length, 1.0], 6)
    return Rays(start, turn, shift, center, np.repeat(np.array(most), 6), unit)
