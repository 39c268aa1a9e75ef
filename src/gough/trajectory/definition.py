"""Trajectories from files and names.

A TOML file has one table ``[trajectory]`` with a ``kind`` and that kind's keys; quantities are SI numbers or
text with a unit ("80 mm/s").  Every key is checked, unknown ones are refused.  The format:
docs/trajectories.md.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import GoughError, InputError
from gough.model.units import quantities, quantity
from gough.trajectory.base import Trajectory
from gough.trajectory.compose import hold, retimed, sequence, there_and_back
from gough.trajectory.harmonic import acceleration_profile, harmonic
from gough.trajectory.legs import LegTrajectory, legs_harmonic
from gough.trajectory.papers import paper, papers
from gough.trajectory.point_to_point import line, move
from gough.trajectory.recorded import recorded
from gough.trajectory.waypoints import waypoints

LARGEST = 20_000_000  # bytes of a TOML file
Any_ = Trajectory | LegTrajectory
Read = Callable[[str, Any], Any]


def load_trajectory(name_or_path: str | os.PathLike[str]) -> Any_:
    """A trajectory from a paper's path ("001-I"), a TOML definition, or a CSV or NetCDF file of samples."""
    label = os.fspath(name_or_path)
    if label in papers():
        return paper(label)
    file = Path(label)
    if not file.is_file():
        near = difflib.get_close_matches(label, papers(), 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InputError("trajectory", label, f"{hint}must be a .toml, .csv or .nc file, or one of "
                         + ", ".join(papers()))
    if file.suffix.lower() != ".toml":
        return recorded(file)
    if file.stat().st_size > LARGEST:
        raise InputError("trajectory", label, f"must not exceed {LARGEST // 10**6} MB")
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(file.name, reason, "must be a TOML file in UTF-8") from None
    if set(data) != {"trajectory"} or not isinstance(data["trajectory"], dict):
        raise InputError(file.name, sorted(data), "must hold one table [trajectory]")
    return trajectory_from(data["trajectory"], folder=file.parent)


def trajectory_from(table: dict[str, Any], *, folder: Path | None = None, field: str = "trajectory") -> Any_:
    """A trajectory from the keys of a definition; relative file names are seen from `folder`."""
    kind = table.get("kind")
    if kind not in _KINDS:
        near = difflib.get_close_matches(str(kind), _KINDS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InputError(f"{field}.kind", kind, f"{hint}must be one of {', '.join(_KINDS)}")
    build, required, optional = _KINDS[str(kind)]
    known = {**required, **optional}
    for key in table:
        if key != "kind" and key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise InputError(f"{field}.{key}", table[key], f"{hint}unknown; {kind} knows {', '.join(known)}")
    missing = [key for key in required if key not in table]
    if missing:
        raise InputError(f"{field}.{missing[0]}", "nothing", f"must be given for kind {kind!r}")
    values = {key: known[key](f"{field}.{key}", value) for key, value in table.items() if key != "kind"}
    if kind == "file":
        return recorded((folder or Path()) / values["path"])
    if kind in ("sequence", "retimed"):
        return _compose(str(kind), values, folder, field)
    try:
        return build(**values)
    except GoughError as error:
        raise error.within(field) from None


def _compose(kind: str, values: dict[str, Any], folder: Path | None, field: str) -> Trajectory:
    if kind == "sequence":
        parts = [trajectory_from(part, folder=folder, field=f"{field}.parts[{i}]")
                 for i, part in enumerate(values["parts"])]
        return sequence(*parts)  # type: ignore[arg-type]
    inner = trajectory_from(values.pop("path"), folder=folder, field=f"{field}.path")
    return retimed(inner, **values)  # type: ignore[arg-type]


def _as(dimension: str) -> Read:
    return lambda field, value: quantity(field, value, dimension)


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(field, value, "must be text")
    return value


def _table(field: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(field, value, "must be a table")
    return value


def _tables(field: str, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value:
        raise InputError(field, value, "must be a list of tables, at least one")
    return [_table(f"{field}[{i}]", x) for i, x in enumerate(value)]


def _pose(field: str, value: Any) -> tuple[list[float], list[float]]:
    table = _table(field, value)
    unknown = set(table) - {"position", "rpy"}
    if unknown or "position" not in table:
        raise InputError(field, value, "must have the key position, may have rpy, and no other")
    rpy = quantities(f"{field}.rpy", table["rpy"], "angle") if "rpy" in table else [0.0, 0.0, 0.0]
    return quantities(f"{field}.position", table["position"], "length"), rpy


def _poses(field: str, value: Any) -> list[Any]:
    return [_pose(f"{field}[{i}]", p) for i, p in enumerate(_tables(field, value))]


def _list(dimension: str) -> Read:
    def read(field: str, value: Any) -> list[float]:
        values = value if isinstance(value, list) else [value]
        return [quantity(f"{field}[{i}]", x, dimension) for i, x in enumerate(values)]
    return read


def _six(first: str, second: str) -> Read:
    """Six quantities, or rows of six: three of one dimension, three of another."""
    def row(field: str, value: Any) -> list[float]:
        if not isinstance(value, list) or len(value) != 6:
            raise InputError(field, value, "must be six quantities")
        return [quantity(f"{field}[{i}]", x, first if i < 3 else second) for i, x in enumerate(value)]

    def read(field: str, value: Any) -> Any:
        if isinstance(value, list) and value and isinstance(value[0], list):
            return [row(f"{field}[{i}]", x) for i, x in enumerate(value)]
        return row(field, value)
    return read


def _acceleration(start: Any, coordinate: str, peak: Any, period: float, **more: Any) -> Trajectory:
    dimension = "angular acceleration" if coordinate.startswith("r") else "acceleration"
    return acceleration_profile(start, coordinate, quantity("peak", peak, dimension), period, **more)


def _waypoints(poses: list[Any], times: list[float], spline: str = "cubic", ends: str = "rest") -> Trajectory:
    return waypoints(poses, np.array(times), kind=spline, ends=ends)


def _as_is(field: str, value: Any) -> Any:
    return value


_SECONDS, _HERTZ = _as("time"), _list("frequency")
_ANGLES, _LENGTHS = _six("angle", "angle"), _six("length", "length")
_ENDS: dict[str, Read] = {"start": _pose, "end": _pose, "duration": _SECONDS}
_WAY: dict[str, Read] = {"orientation": _text}
_Spec = tuple[Callable[..., Any_], dict[str, Read], dict[str, Read]]
_KINDS: dict[str, _Spec] = {
    "line": (line, _ENDS, {**_WAY, "max_speed": _as("speed"), "max_rate": _as("rate")}),
    "move": (move, _ENDS, {**_WAY, "profile": _text}),
    "there-and-back": (there_and_back, _ENDS, {**_WAY, "profile": _text}),
    "hold": (hold, {"pose": _pose, "duration": _SECONDS}, {}),
    "harmonic": (harmonic, {"center": _pose, "amplitude": _six("length", "angle"), "frequency": _HERTZ},
                 {**_WAY, "phase": _ANGLES, "duration": _SECONDS}),
    "legs-harmonic": (legs_harmonic, {"center": _LENGTHS, "amplitude": _LENGTHS, "frequency": _HERTZ},
                      {"phase": _ANGLES, "duration": _SECONDS}),
    "acceleration": (_acceleration, {"start": _pose, "coordinate": _text, "peak": _as_is, "period": _SECONDS},
                     {"duration": _SECONDS}),
    "waypoints": (_waypoints, {"poses": _poses, "times": _list("time")}, {"spline": _text, "ends": _text}),
    "paper": (lambda name: paper(name), {"name": _text}, {}),
    "file": (recorded, {"path": _text}, {}),
    "sequence": (sequence, {"parts": _tables}, {}),
    "retimed": (retimed, {"path": _table, "duration": _SECONDS}, {"profile": _text}),
}
