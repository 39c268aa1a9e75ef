"""From the trajectory builder of the page to a motion of the library."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np

import gough
from gough.analysis.limits import check
from gough.checks import InputError
from gough.model import Platform
from gough.report.document import guess_home
from gough.spatial import Motion, Pose, rpy_from_rotation
from gough.studio.conventions import to_rotation
from gough.studio.messages import MakeMotion
from gough.studio.workfolder import WorkFolder

MOST_SAMPLES = 5001
KINDS = ("demo", "waypoints", "line", "harmonic", "file")


def make_motion(platform: Platform, request: MakeMotion, folder: WorkFolder) -> tuple[Motion, str]:
    """The motion asked for, sampled, and a label for it."""
    if not 2 <= request.samples <= MOST_SAMPLES:
        raise InputError("samples", request.samples, f"must be from 2 to {MOST_SAMPLES}")
    if request.kind == "file":
        return from_file(platform, folder, request.file, request.samples), request.file
    if request.kind not in KINDS:
        raise InputError("kind", request.kind, "must be one of " + ", ".join(KINDS))
    if not 0.0 < request.duration <= 3600.0:
        raise InputError("duration", request.duration, "must be above 0 and at most 3600 s")
    trajectory = {"demo": _demo, "waypoints": _waypoints, "line": _line, "harmonic": _harmonic}[request.kind](
        platform, request)
    return trajectory.sample(request.samples), _label(request)


def _label(request: MakeMotion) -> str:
    return {"demo": "demo motion", "waypoints": f"{len(request.waypoints)} waypoints",
            "line": "line", "harmonic": "harmonic"}[request.kind]


def _rows(request: MakeMotion, least: int) -> list[tuple[Any, Any]]:
    rows = []
    for i, row in enumerate(request.waypoints):
        if len(row) != 6:
            raise InputError(f"waypoints[{i}]", row, "must be x y z and three angles")
        rows.append((np.array(row[:3]), rpy_from_rotation(to_rotation(request.convention, row[3:]))))
    if len(rows) < least:
        raise InputError("waypoints", f"{len(rows)} given", f"must be at least {least}")
    return rows


def _line(platform: Platform, request: MakeMotion) -> Any:
    start, end = _rows(request, 2)[:2]
    return gough.trajectory.line(start, end, request.duration, request.max_speed or None, request.max_rate or None)


def _waypoints(platform: Platform, request: MakeMotion) -> Any:
    return through(_rows(request, 2), request.duration, request.max_speed, request.max_rate)


def through(rows: list[tuple[Any, Any]], duration: float, max_speed: float = 0.0, max_rate: float = 0.0) -> Any:
    """Rest-to-rest quintic pieces between (position, rpy) rows.

    With speed limits (m/s, rad/s; 0: none) each piece takes the time they need; else all share `duration` (s).
    """
    pairs = [(a, b) for a, b in zip(rows, rows[1:], strict=False)]
    distance = [float(np.linalg.norm(np.subtract(b[0], a[0]))) for a, b in pairs]
    angle = [float(np.linalg.norm(np.subtract(b[1], a[1]))) for a, b in pairs]
    peak = 1.875  # largest rate of the quintic profile over its mean
    if max_speed > 0 or max_rate > 0:
        times = [max(peak * d / max_speed if max_speed > 0 else 0.0,
                     peak * a / max_rate if max_rate > 0 else 0.0, 1e-2) for d, a in zip(distance, angle, strict=True)]
    else:
        weight = [max(d, 0.2 * a, 1e-6) for d, a in zip(distance, angle, strict=True)]
        times = [duration * w / sum(weight) for w in weight]
    pieces = [gough.trajectory.quintic(a, b, T) for (a, b), T in zip(pairs, times, strict=True)]
    return pieces[0] if len(pieces) == 1 else gough.trajectory.sequence(*pieces)


def _harmonic(platform: Platform, request: MakeMotion) -> Any:
    if len(request.waypoints) != 4 or any(len(row) != 6 for row in request.waypoints):
        raise InputError("waypoints", len(request.waypoints), "harmonic: centre, amplitude, frequency, phase, six each")
    center, amplitude, frequency, phase = request.waypoints
    rpy = rpy_from_rotation(to_rotation(request.convention, center[3:]))
    return gough.trajectory.harmonic((np.array(center[:3]), rpy), np.diag(amplitude), frequency, np.diag(phase),
                                     duration=request.duration)  # one row per coordinate, each its own frequency


def demo(platform: Platform, duration: float = 10.0) -> Any:
    """Six harmonics about home, shrunk until they stay inside the limits of the machine."""
    home = platform.home or Pose(guess_home(platform))
    reach = 0.35 * platform.characteristic_length
    shape = np.array([1.0, 0.8, 0.5, 0.7, 0.6, 0.5])
    scale = np.array([reach, reach, reach, 0.45, 0.45, 0.45])
    rows = np.zeros((2, 6))  # one turn over the motion, and two
    rows[0], rows[1] = shape * scale * (1, 0, 1, 1, 1, 0), shape * scale * (0, 1, 0, 0, 0, 1)
    phase = np.array([[0.0, 0.0, 0.9, 1.7, 0.2, 0.0], [0.0, 0.4, 0.0, 0.0, 0.0, 2.2]])
    frequency = np.array([1.0, 2.0]) / duration
    size = 1.0
    trajectory = None
    for _ in range(40):
        trajectory = gough.trajectory.harmonic(home, size * rows, frequency, phase, duration=duration)
        motion = trajectory.sample(101)
        if bool(check(platform, motion).ok.all()):
            return trajectory
        size *= 0.85
    return trajectory


def _demo(platform: Platform, request: MakeMotion) -> Any:
    return demo(platform, request.duration)


def from_file(platform: Platform, folder: WorkFolder, name: str, samples: int) -> Motion:
    """A path of the papers by its name, or a trajectory file of the work folder, at `samples` even times."""
    if name in gough.trajectory.papers():
        trajectory = gough.trajectory.paper(name)
    else:
        path = folder.resolve(name, kind="trajectory")
        if not path.is_file():
            raise InputError("file", name, "no such file in the work folder")
        if path.suffix.lower() == ".toml":
            _only_inside(folder, path.read_text(encoding="utf-8", errors="replace"))
        trajectory = gough.trajectory.load_trajectory(path)
    if isinstance(trajectory, gough.trajectory.LegTrajectory):
        raise InputError("file", name, "is a motion of the legs; open one of the platform")
    return trajectory.sample(samples)


def _only_inside(folder: WorkFolder, text: str) -> None:
    """A definition may name other files; they too must lie in the work folder."""
    def look(value: object) -> None:
        if isinstance(value, dict):
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)
        elif isinstance(value, str) and value.lower().endswith((".csv", ".nc", ".toml")):
            folder.resolve(value, kind="trajectory")

    try:
        look(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return  # load_trajectory says what is wrong, with the line
