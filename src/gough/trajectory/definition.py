"""Trajectories from files and names.

A TOML file has one table ``[trajectory]`` with a ``kind`` and that kind's keys; quantities are SI numbers or
text with a unit ("80 mm/s").  Every key is checked, unknown ones are refused.  The format:
docs/trajectories.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import GoughError, InputError
from gough.documents.kinds import (
    choice,
    flag,
    length_vector,
    listed,
    scalar,
    six,
    text,
    whole,
)
from gough.documents.reader import (
    Either,
    Field,
    FileName,
    Keyed,
    Many,
    Place,
    Reading,
    Tagged,
    Value,
    need,
    read_document,
)
from gough.documents.source import did_you_mean, read_text
from gough.documents.units import plain, quantity
from gough.model.pose_document import pose_fields, read_pose
from gough.trajectory.base import Trajectory
from gough.trajectory.compose import hold, retimed, sequence, there_and_back
from gough.trajectory.harmonic import COORDINATES, acceleration_profile, harmonic
from gough.trajectory.jerk_limited import jerk_limited, legs_move
from gough.trajectory.legs import LegTrajectory, legs_harmonic
from gough.trajectory.paced import paced
from gough.trajectory.papers import paper, papers
from gough.trajectory.point_to_point import line, move
from gough.trajectory.profile import PROFILES
from gough.trajectory.recorded import absent, recorded
from gough.trajectory.sea import load_responses, sea_state
from gough.trajectory.shaking import Shaking, load_shaking
from gough.trajectory.sweeps import sweep
from gough.trajectory.waypoints import waypoints

LARGEST = 20_000_000  # bytes of a TOML file
AnyTrajectory = Trajectory | LegTrajectory


def load_trajectory(name_or_path: str | os.PathLike[str]) -> AnyTrajectory:
    """A trajectory from a paper's path ("001-I"), a TOML definition, or a CSV or NetCDF file of samples."""
    label = os.fspath(name_or_path)
    if label in papers():
        return paper(label)
    file = Path(label)
    if not os.path.isfile(file):
        gone = absent(file) if file.suffix else ""
        known = f"{gone}must be a .toml, .csv or .nc file, or one of {', '.join(papers())}"
        raise InputError("trajectory", label, did_you_mean(label, papers()) + known)
    if file.suffix.lower() != ".toml":
        return recorded(file)
    content = read_text(file, "trajectory", LARGEST, file.name)
    return read_document(_FILE, content, file.name, file.parent)


def trajectory_from(
    table: dict[str, Any], *, folder: Path | None = None, field: str = "trajectory"
) -> AnyTrajectory:
    """A trajectory from the keys of a definition; relative file names are seen from `folder`."""
    reading = Reading(field, folder=folder)
    return reading.finish(TRAJECTORY.read(table, Place(reading, tuple(field.split(".")))))


def _named(value: Any, folder: Path) -> AnyTrajectory:
    """A paper's path or a file, seen first from the document's folder."""
    if not isinstance(value, str):
        raise InputError("", value, "must be a table with a kind, a file name, or a paper's path")
    near = folder / value
    return told(load_trajectory, near if os.path.isfile(near) else value)


def told(make: Callable[[Any], Any], name: Any) -> Any:
    """``make(name)``; what another file says of itself becomes part of the sentence."""
    try:
        return make(name)
    except GoughError as error:
        raise InputError("", str(name), str(error)) from None


def _peak(value: Any) -> Any:
    """A number, or text whose unit is judged when the coordinate is known."""
    allowed = 'must be a number, or text like "3 m/s^2"'
    return value if isinstance(value, str) else plain("", value, allowed)


def _where(position: list[float], **turns: Any) -> Any:
    """A pair (position, rpy), whose angles stay as they are, or a pose given in another way."""
    if set(turns) <= {"rpy"}:
        return position, list(turns.get("rpy", (0.0, 0.0, 0.0)))
    return read_pose(position, **turns)


def _acceleration(start: Any, coordinate: str, peak: Any, period: float, **more: Any) -> Trajectory:
    dimension = "angular acceleration" if coordinate.startswith("r") else "acceleration"
    size = quantity("peak", peak, dimension)
    return acceleration_profile(start, coordinate, size, period, **more)


def _shaking(start: Any, path: Path, **more: Any) -> Shaking:
    return told(lambda file: load_shaking(start, file, **more), path)


def _sweep(
    start: Any, coordinate: str, size: Any, low: float, high: float, duration: float, **more: Any
) -> Trajectory:
    angular = "angular " if coordinate.startswith("r") else ""
    moved = "angle" if angular else "length"
    dimension = moved if more.get("controlled") == "displacement" else f"{angular}acceleration"
    return sweep(start, coordinate, quantity("size", size, dimension), low, high, duration, **more)


def _waypoints(
    poses: list[Any], times: list[float], spline: str = "cubic", ends: str = "rest"
) -> Trajectory:
    return waypoints(poses, np.array(times), kind=spline, ends=ends)


_seconds, _hertz, _profile = scalar("time", above=0), listed("frequency"), choice(tuple(PROFILES))
_angles, _lengths = six("angle", "angle"), six("length", "length")
_pose = Keyed("TrajectoryPose", {"position": need(length_vector), **pose_fields}, _where)
_ends: dict[str, Field] = {"start": need(_pose), "end": need(_pose), "duration": need(_seconds)}
_sines = {
    "amplitude": need(six("length", "angle")),
    "frequency": need(_hertz),
    "phase": _angles,
    "duration": _seconds,
}
_speeds = {"max_speed": scalar("speed", above=0), "max_rate": scalar("rate", above=0)}
_profiled: dict[str, Any] = {**_ends, "orientation": text, "profile": _profile}
_accelerated = {
    "start": need(_pose),
    "coordinate": need(choice(COORDINATES)),
    "duration": _seconds,
    "period": need(_seconds),
    "peak": need(Value(_peak, {"type": ["number", "string"]})),
}
_row = {
    "poses": need(Many(_pose, "must be a list of tables, at least one", 1)),
    "times": need(listed("time")),
    "spline": choice(("cubic", "quintic")),
    "ends": choice(("rest", "natural")),
}
_recorded = FileName(lambda value, folder: told(recorded, folder / text.convert(value)))
_centered = {"center": need(_pose), **_sines, "orientation": choice(("rpy", "vector"))}
_six_legs = {"center": need(_lengths), **_sines, "amplitude": need(_lengths)}
_straight_limits = {
    "max_speed": need(scalar("speed", above=0)),
    "max_acceleration": need(scalar("acceleration", above=0)),
    "max_jerk": need(scalar("jerk", above=0)),
}
_turning_limits = {
    "max_rate": scalar("rate", above=0),
    "max_angular_acceleration": scalar("angular acceleration", above=0),
    "max_angular_jerk": scalar("angular jerk", above=0),
}
_jerky = {
    "start": need(_pose),
    "end": need(_pose),
    **_straight_limits,
    **_turning_limits,
    "orientation": choice(("rpy", "geodesic")),
}
_strut = {
    name: need(listed(unit))
    for name, unit in (("max_speed", "speed"), ("max_acceleration", "acceleration"))
}
_struts = {
    "start": need(_lengths),
    "end": need(_lengths),
    **_strut,
    "max_jerk": need(listed("jerk")),
}
_responses = FileName(lambda value, folder: told(load_responses, folder / text.convert(value)))
_sea = {
    "center": need(_pose),
    "height": need(scalar("length", above=0)),
    "period": need(_seconds),
    "gamma": scalar("pure number", minimum=1),
    "heading": scalar("angle"),
    "responses": _responses,
    "duration": _seconds,
    "components": whole(1),
    "seed": whole(0),
}
_shaken = {
    "start": need(_pose),
    "path": need(FileName(lambda value, folder: folder / text.convert(value))),
    "coordinate": choice(("x", "y", "z")),
    "scale": scalar("pure number"),
    "correct": flag,
}
_swept = {
    "start": need(_pose),
    "coordinate": need(choice(COORDINATES)),
    "size": need(Value(_peak, {"type": ["number", "string"]})),
    "low": need(scalar("frequency", above=0)),
    "high": need(scalar("frequency", above=0)),
    "duration": need(_seconds),
    "spacing": choice(("logarithmic", "linear")),
    "controlled": choice(("acceleration", "displacement")),
    "fade": scalar("time", minimum=0),
}
_KINDS: dict[str, Keyed[AnyTrajectory]] = {}
TRAJECTORY = Tagged("kind", _KINDS)
_parts = Many(TRAJECTORY, "must be a list of tables, at least one", 1)
_again = {"path": need(TRAJECTORY), "duration": need(_seconds), "profile": _profile}
_by_numbers = {
    "path": need(TRAJECTORY),
    "times": need(listed("time")),
    "speed": need(listed("frequency")),
    "acceleration": listed("pure number"),
}
_MAKERS: dict[str, tuple[Callable[..., AnyTrajectory], dict[str, Any]]] = {
    "line": (line, {**_ends, "orientation": text, **_speeds}),
    "move": (move, _profiled),
    "there-and-back": (there_and_back, _profiled),
    "hold": (hold, {"pose": need(_pose), "duration": need(_seconds)}),
    "harmonic": (harmonic, _centered),
    "legs-harmonic": (legs_harmonic, _six_legs),
    "acceleration": (_acceleration, _accelerated),
    "waypoints": (_waypoints, _row),
    "jerk-limited": (jerk_limited, _jerky),
    "legs-move": (legs_move, _struts),
    "sea-state": (sea_state, _sea),
    "shaking": (_shaking, _shaken),
    "sweep": (_sweep, _swept),
    "paper": (paper, {"name": need(choice(tuple(papers())))}),
    "file": (lambda path: path, {"path": need(_recorded)}),
    "sequence": (lambda parts: sequence(*parts), {"parts": need(_parts)}),
    "paced": (paced, _by_numbers),
    "retimed": (lambda path, duration, **more: retimed(path, duration, **more), _again),
}
_KINDS.update((name, Keyed(name, table, make)) for name, (make, table) in _MAKERS.items())
NAMED_OR_TABLE = Either(TRAJECTORY, FileName(_named))
_FILE = Keyed("trajectory file", {"trajectory": need(TRAJECTORY)}, lambda trajectory: trajectory)
