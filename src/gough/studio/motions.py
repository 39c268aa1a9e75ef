"""From the trajectory builder of the page to a motion of the library.

The builder's answer is a trajectory definition (docs/trajectories.md), the same table that a file holds: what is on
screen can be saved, shown as code and given to the command line.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.checks import InputError
from gough.documents.source import DocumentError, parse_toml
from gough.dynamics import FORMULATIONS
from gough.limits import check
from gough.model import Platform
from gough.spatial import Motion
from gough.studio.cue_motions import cue_label, cue_trajectory
from gough.studio.messages import CueInput, MakeMotion, Numbers, PoseInput
from gough.studio.numbering import place
from gough.studio.workfolder import WorkFolder
from gough.trajectory import Trajectory

MOST_SAMPLES = 5001
MOST_WAYPOINTS = 500
MOST_FILES_DEEP = 8
KINDS = ("demo", "waypoints", "line", "harmonic", "file", "cue")
QUINTIC_PEAK = 1.875  # largest rate of the quintic profile over its mean


def make_motion(
    platform: Platform, request: MakeMotion, folder: WorkFolder
) -> tuple[Motion, str, Trajectory]:
    """The motion asked for, sampled, a label for it, and the trajectory it was taken from."""
    if not 2 <= request.samples <= MOST_SAMPLES:
        raise InputError("samples", request.samples, f"must be from 2 to {MOST_SAMPLES}")
    _check_formulations(request.formulations)
    trajectory, label = make_trajectory(platform, request, folder)
    return trajectory.sample(request.samples), label, trajectory


def _check_formulations(names: tuple[str, ...]) -> None:
    """Each a formulation, or one as printed, and none twice: said before any of them is computed."""
    known = [name + rest for name in FORMULATIONS for rest in ("", "/published")]
    for name in names:
        if name not in known:
            raise InputError("formulations", name, "must be of " + ", ".join(known))
    if len(set(names)) < len(names):
        raise InputError("formulations", f"{len(names)} given", "must not repeat one")


def make_trajectory(platform: Platform, request: MakeMotion, folder: WorkFolder) -> tuple[Any, str]:
    """The trajectory asked for and a label for it."""
    if request.kind == "file":
        return from_file(platform, folder, request.file), request.file
    if request.kind == "cue":
        cue = asked_cue(request)
        return cue_trajectory(platform, cue, folder), cue_label(cue)
    labels = {"demo": "demo motion", "waypoints": f"{len(request.waypoints)} waypoints"}
    made = gough.trajectory.trajectory_from(definition(platform, request))
    return made, labels.get(request.kind, request.kind)


def asked_cue(request: MakeMotion) -> CueInput:
    """What a motion of the kind "cue" is made of."""
    if request.cue is None:
        raise InputError("cue", None, "must be given: telemetry and method")
    return request.cue


def definition(platform: Platform, request: MakeMotion) -> dict[str, Any]:
    """The trajectory as a table for `gough.trajectory.trajectory_from` and for a TOML file."""
    if request.kind not in KINDS:
        raise InputError("kind", request.kind, "must be one of " + ", ".join(KINDS))
    if not 0.0 < request.duration <= 3600.0:
        raise InputError("duration", request.duration, "must be above 0 and at most 3600 s")
    if request.kind == "demo":
        return demo(platform, request.duration)
    if request.kind == "harmonic":
        return _harmonic(platform, request)
    poses = _poses(platform, request)
    if request.kind == "waypoints":
        return through(poses, request.duration, request.max_speed, request.max_rate)
    limits = {"max_speed": request.max_speed, "max_rate": request.max_rate}
    return {
        "kind": "line",
        "start": poses[0],
        "end": poses[1],
        "duration": request.duration,
        **{name: value for name, value in limits.items() if value > 0},
    }


def _pose(platform: Platform, request: MakeMotion, row: Numbers) -> dict[str, list[float]]:
    """A row as entered, as the pose of the reference point in the world."""
    numbers = request.convention, row[3:], request.pivot, request.framed
    pose = place(platform, PoseInput(row[:3], *numbers))
    return {"position": pose.position.tolist(), "rpy": pose.rpy.tolist()}


def _poses(platform: Platform, request: MakeMotion) -> list[dict[str, list[float]]]:
    if len(request.waypoints) > MOST_WAYPOINTS:
        given = f"{len(request.waypoints)} given"
        raise InputError("waypoints", given, f"must be at most {MOST_WAYPOINTS}")
    for i, row in enumerate(request.waypoints):
        if len(row) != 6:
            raise InputError(f"waypoints[{i}]", row, "must be x y z and three angles")
    if len(request.waypoints) < 2:
        raise InputError("waypoints", f"{len(request.waypoints)} given", "must be at least 2")
    return [_pose(platform, request, row) for row in request.waypoints]


def through(
    poses: list[dict[str, list[float]]],
    duration: float,
    max_speed: float = 0.0,
    max_rate: float = 0.0,
) -> dict[str, Any]:
    """Rest-to-rest quintic pieces between poses.

    With speed limits (m/s, rad/s; 0: none) each piece takes the time they need; else all share `duration` (s).
    """
    pairs = list(pairwise(poses))
    distance = [float(np.linalg.norm(np.subtract(b["position"], a["position"]))) for a, b in pairs]
    angle = [float(np.linalg.norm(np.subtract(b["rpy"], a["rpy"]))) for a, b in pairs]
    if max_speed > 0 or max_rate > 0:
        times = [
            max(
                QUINTIC_PEAK * d / max_speed if max_speed > 0 else 0.0,
                QUINTIC_PEAK * a / max_rate if max_rate > 0 else 0.0,
                1e-2,
            )
            for d, a in zip(distance, angle, strict=True)
        ]
    else:
        weight = [max(d, 0.2 * a, 1e-6) for d, a in zip(distance, angle, strict=True)]
        times = [duration * w / sum(weight) for w in weight]
    parts = [
        {"kind": "move", "profile": "quintic", "start": a, "end": b, "duration": T}
        for (a, b), T in zip(pairs, times, strict=True)
    ]
    return parts[0] if len(parts) == 1 else {"kind": "sequence", "parts": parts}


def _harmonic(platform: Platform, request: MakeMotion) -> dict[str, Any]:
    """One row per coordinate, so that each has its own frequency; coordinates that stand still are left out."""
    if len(request.waypoints) != 4 or any(len(row) != 6 for row in request.waypoints):
        allowed = "harmonic: center, amplitude, frequency, phase, six each"
        raise InputError("waypoints", len(request.waypoints), allowed)
    center, amplitude, frequency, phase = request.waypoints
    moving = [i for i in range(6) if amplitude[i] != 0.0]
    if not moving:
        raise InputError("amplitude", amplitude, "must not be zero in all six coordinates")
    rows = [[amplitude[i] if k == i else 0.0 for k in range(6)] for i in moving]
    shift = [[phase[i] if k == i else 0.0 for k in range(6)] for i in moving]
    return {
        "kind": "harmonic",
        "center": _pose(platform, request, center),
        "amplitude": rows,
        "frequency": [frequency[i] for i in moving],
        "phase": shift,
        "duration": request.duration,
    }


def demo(platform: Platform, duration: float = 10.0) -> dict[str, Any]:
    """Harmonics in all six coordinates about home, shrunk until they stay inside the limits of the machine."""
    home = platform.likely_home
    reach = 0.35 * platform.characteristic_length
    size = np.array([1.0, 0.8, 0.5, 0.7, 0.6, 0.5]) * [reach, reach, reach, 0.45, 0.45, 0.45]
    phase = [[0.0, 0.0, 0.9, 1.7, 0.2, 0.0], [0.0, 0.4, 0.0, 0.0, 0.0, 2.2]]
    table: dict[str, Any] = {}
    for _ in range(40):
        rows = (size * ((1, 0, 1, 1, 1, 0), (0, 1, 0, 0, 0, 1))).round(6).tolist()
        table = {
            "kind": "harmonic",
            "center": {"position": home.position.tolist(), "rpy": home.rpy.tolist()},
            "amplitude": rows,
            "frequency": [1.0 / duration, 2.0 / duration],
            "phase": phase,
            "duration": duration,
        }
        motion = gough.trajectory.trajectory_from(table).sample(101)  # type: ignore[union-attr]
        if bool(check(platform, motion).ok.all()):
            break
        size = 0.85 * size
    return table


def from_file(platform: Platform, folder: WorkFolder, name: str) -> Any:
    """A path of the papers by its name, or a trajectory file of the work folder."""
    if name in gough.trajectory.papers():
        trajectory = gough.trajectory.paper(name)
    else:
        path = folder.file(name, kind="trajectory")
        _only_inside(folder, path)
        trajectory = gough.trajectory.load_trajectory(path)
    legs = isinstance(trajectory, gough.trajectory.LegTrajectory)
    return trajectory.on(platform) if legs else trajectory  # type: ignore[union-attr]


def _only_inside(folder: WorkFolder, path: Path, depth: int = 0) -> None:
    """A definition may name other files, and these further ones; all must be plain files of the work folder.

    The reader takes a text for a file name where one lies beside the definition, or in the current folder.
    """
    if path.suffix.lower() != ".toml":
        return
    if depth > MOST_FILES_DEEP:
        raise InputError("file", path.name, "names files that name files, too many in a row")

    def look(value: object) -> None:
        if isinstance(value, dict):
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)
        elif isinstance(value, str) and value not in gough.trajectory.papers():
            near = path.parent / value
            if os.path.lexists(near) and near.is_relative_to(folder.root):
                name = near.relative_to(folder.root).as_posix()
                _only_inside(folder, folder.file(name, kind="trajectory"), depth + 1)
            elif os.path.lexists(near) or os.path.lexists(value):
                raise InputError("path", value, "must be a file of the work folder")

    try:
        look(parse_toml(path.read_text(encoding="utf-8", errors="replace"), "trajectory"))
    except DocumentError:
        return  # load_trajectory says what is wrong, with the line
