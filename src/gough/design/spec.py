"""Reading of design files (TOML): machine families, parameters with units, tasks.  The format: docs/design.md."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import InputError
from gough.design.metrics import METRICS, Task
from gough.model import Body, Limits, Platform
from gough.model import geometry as families
from gough.model.files import load
from gough.documents.units import quantities, quantity

LARGEST = 1_000_000  # bytes
FAMILIES: dict[str, tuple[Callable[..., Platform], tuple[str, ...]]] = {
    "hexapod": (families.hexapod, ("base_radius", "platform_radius", "base_pair_angle", "platform_pair_angle",
                                   "height")),
    "octahedral": (families.octahedral, ("base_radius", "platform_radius", "height")),
    "six-three": (families.six_three, ("base_radius", "platform_radius", "base_pair_angle", "height")),
    "cubic": (families.cubic, ("edge", "fraction")),
    "hexaglide": (families.hexaglide, ("base_radius", "platform_radius", "base_pair_angle", "platform_pair_angle",
                                       "height", "link_length", "incline")),
    "servo-hexapod": (families.servo_hexapod, ("base_radius", "platform_radius", "base_pair_angle",
                                               "platform_pair_angle", "crank_length", "rod_length")),
}
OPTIONS = ("platform_mass", "leg_mass")
CHANGES = {"base_scale": "base joints times a factor", "platform_scale": "platform joints times a factor",
           "payload": "kg more at the platform's mass center"}
MOTION_CHANGES = {"time_scale": "duration of the motion times a factor"}
_BY_DIMENSION = {
    "length": ("base_radius", "platform_radius", "height", "edge", "link_length", "crank_length", "rod_length"),
    "angle": ("base_pair_angle", "platform_pair_angle", "incline"),
    "mass": ("platform_mass", "leg_mass", "payload"),
    "pure number": ("fraction", "base_scale", "platform_scale", "time_scale"),
}
DIMENSIONS: dict[str, str] = {name: dimension for dimension, names in _BY_DIMENSION.items() for name in names}
UNIT_DIMENSION = {"m": "length", "rad": "angle", "N": "force", "m/s": "speed", "1": "pure number"}
SI = {"length": "m", "angle": "rad", "mass": "kg", "pure number": "1"}


@dataclass(frozen=True)
class MachineSpec:
    """A preset, a file, or a family with its fixed parameters (SI)."""

    source: str
    family: str | None
    fixed: dict[str, float]
    options: dict[str, Any]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names that may be varied."""
        own = () if self.family is None else (*FAMILIES[self.family][1], *OPTIONS)
        return (*own, *CHANGES)

    def build(self, values: dict[str, float]) -> Platform:
        """The machine with `values` (SI) for its parameters; a bad geometry raises InputError."""
        given = {**self.fixed, **values}
        if self.family is None:
            platform = load(self.source)
        else:
            constructor, needed = FAMILIES[self.family]
            missing = [name for name in needed if name not in given and name != "fraction"]
            if missing:
                raise InputError(f"machine.{missing[0]}", None, f"must be given for family {self.family!r}, or varied")
            arguments = {k: v for k, v in given.items() if k in needed or k in OPTIONS}
            platform = constructor(**arguments, **self.options)
        return changed(platform, given)


def changed(platform: Platform, values: dict[str, float]) -> Platform:
    """Apply the changes of `CHANGES` that `values` names."""
    from gough.analysis.sizing import with_payload

    base, top = values.get("base_scale", 1.0), values.get("platform_scale", 1.0)
    for name, value in (("base_scale", base), ("platform_scale", top)):
        if not value > 0:
            raise InputError(name, value, "must be greater than 0")
    if base != 1.0 or top != 1.0:
        platform = platform.replace(legs=[leg.replace(base=base * leg.base, joint=top * leg.joint)
                                          for leg in platform.legs])
    if values.get("payload"):
        platform = with_payload(platform, Body(values["payload"], platform.body.center))
    return platform


def read_toml(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Path]:
    """Tables of a design file and the folder it lies in."""
    file = Path(path)
    if not file.is_file():
        raise InputError("spec", str(path), "is not a file")
    if file.stat().st_size > LARGEST:
        raise InputError("spec", str(path), f"must not exceed {LARGEST} bytes")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8")), file.parent
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(file.name, str(error) or type(error).__name__, "must be a TOML file in UTF-8") from None


def only(table: dict[str, Any], field: str, known: Iterable[str]) -> None:
    """Refuse unknown keys, with a suggestion."""
    names = list(known)
    for key in table:
        if key not in names:
            near = difflib.get_close_matches(key, names, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            where = f"{field}.{key}" if field else key
            raise InputError(where, table[key], f"{hint}unknown; allowed: {', '.join(names)}")


def table_of(data: dict[str, Any], name: str, required: bool = False) -> dict[str, Any]:
    """A table of the file, empty if it is missing."""
    value = data.get(name, None if required else {})
    if not isinstance(value, dict):
        raise InputError(name, value, "must be a table")
    return value


def machine_spec(table: dict[str, Any], folder: Path, field: str = "machine") -> MachineSpec:
    """``preset = ...``, ``file = ...`` or ``family = ...`` with fixed parameters and limits."""
    kinds = [k for k in ("preset", "file", "family") if k in table]
    if len(kinds) != 1:
        raise InputError(field, sorted(table), "must have exactly one of preset, file, family")
    if not isinstance(table[kinds[0]], str):
        raise InputError(f"{field}.{kinds[0]}", table[kinds[0]], "must be text")
    if kinds[0] != "family":
        only(table, field, [kinds[0], *CHANGES])
        source = table["preset"] if kinds[0] == "preset" else str(folder / table["file"])
        load(source)  # a wrong name is said now, not in the middle of a run
        fixed = {k: parameter(k, v, field) for k, v in table.items() if k in CHANGES}
        return MachineSpec(source, None, fixed, {})
    name = table["family"]
    if name not in FAMILIES:
        raise InputError(f"{field}.family", name, f"must be one of {', '.join(FAMILIES)}")
    own = (*FAMILIES[name][1], *OPTIONS, *CHANGES)
    only(table, field, ["family", "leg", "limits", *own])
    options: dict[str, Any] = {}
    if "leg" in table:
        options["leg"] = table["leg"]
    if "limits" in table:
        options["limits"] = _limits(table["limits"], f"{field}.limits")
    return MachineSpec(name, name, {k: parameter(k, v, field) for k, v in table.items() if k in own}, options)


def _limits(table: Any, field: str) -> Limits:
    kinds = {"force": "force", "speed": "speed", "base_cone": "angle", "platform_cone": "angle", "radius": "length"}
    if not isinstance(table, dict):
        raise InputError(field, table, "must be a table")
    only(table, field, ["stroke", *kinds])
    values: dict[str, Any] = {k: quantity(f"{field}.{k}", v, kinds[k]) for k, v in table.items() if k in kinds}
    if "stroke" in table:
        if not isinstance(table["stroke"], list):
            raise InputError(f"{field}.stroke", table["stroke"], "must be [min, max]")
        values["stroke"] = [quantity(f"{field}.stroke", x, "length") for x in table["stroke"]]
    return Limits(**values)


def parameter(name: str, value: Any, field: str) -> float:
    """One parameter in SI."""
    return quantity(f"{field}.{name}", value, DIMENSIONS[name])


def task_spec(table: dict[str, Any], folder: Path, field: str = "task") -> Task:
    """Box, tilts, motion and payload."""
    only(table, field, ["box", "tilt", "motion", "relative", "payload", "payload_center", "samples"])
    box = quantities(f"{field}.box", table["box"], "length") if "box" in table else np.zeros(3)
    tilt = quantities(f"{field}.tilt", table["tilt"], "angle") if "tilt" in table else np.zeros(3)
    payload = None
    if "payload" in table:
        center = quantities(f"{field}.payload_center", table.get("payload_center", [0, 0, 0]), "length")
        payload = Body(quantity(f"{field}.payload", table["payload"], "mass"), center)
    relative = table.get("relative", False)
    if not isinstance(relative, bool):
        raise InputError(f"{field}.relative", relative, "must be true or false")
    motion = None
    if "motion" in table:
        motion = read_motion(table["motion"], folder, table.get("samples", 101), f"{field}.motion")
    return Task(np.asarray(box), np.asarray(tilt), motion, relative, payload)


def read_motion(value: Any, folder: Path, samples: Any, field: str) -> Any:
    """A sampled motion from a definition's table, a file beside the design file, or a paper's path."""
    from gough.trajectory import LegTrajectory, load_trajectory, trajectory_from

    if isinstance(value, dict):
        path = trajectory_from(value, folder=folder, field=field)
    elif isinstance(value, str):
        near = folder / value
        path = load_trajectory(near if near.is_file() else value)
    else:
        raise InputError(field, value, "must be a table with a kind, a file name, or a paper's path")
    if isinstance(path, LegTrajectory):
        raise InputError(field, "legs-harmonic", "must be a motion of the platform, not of the legs")
    return path.sample(samples)


def metric_value(name: str, value: Any, field: str) -> float:
    """A bound on a metric, in its own unit."""
    dimension = UNIT_DIMENSION.get(METRICS[name].unit, "pure number")
    return quantity(field, value, dimension)
