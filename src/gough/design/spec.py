"""Reading of design files (TOML): machine families, parameters with units, tasks.  The format: docs/design.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gough.checks import InputError
from gough.design.hardware import Hardware
from gough.design.metrics import Metric, Task, units_of
from gough.documents import reader
from gough.documents.kinds import flag, scalar, text, vector, whole
from gough.documents.reader import BAD, Either, FileName, Keyed, Place, ValueKind
from gough.documents.source import did_you_mean, read_text
from gough.model import CRANKS, Body, Limits, Platform, families
from gough.model.document import LEGS
from gough.model.families import FAMILIES as FAMILIES
from gough.model.families import OPTIONAL, OPTIONS, TURNING
from gough.model.files import load
from gough.trajectory import LegTrajectory
from gough.trajectory.definition import NAMED_OR_TABLE, told

T = TypeVar("T")
LARGEST = 1_000_000  # bytes
CHANGES = {
    "base_scale": "base joints times a factor",
    "platform_scale": "platform joints times a factor",
    "payload": "kg more at the platform's mass center",
}
MOTION_CHANGES = {"time_scale": "duration of the motion times a factor"}
DIMENSIONS = {
    **families.DIMENSIONS,
    "payload": "mass",
    **dict.fromkeys(("base_scale", "platform_scale", "time_scale"), "pure number"),
}
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

    def units(self, metrics: Mapping[str, Metric]) -> dict[str, str]:
        """Units of metrics of this machine; metrics that it cannot have are refused."""
        turning = {self.family in TURNING}
        if self.family is None:
            turning = {isinstance(leg, CRANKS) for leg in self.loaded.legs}
        return units_of(turning, metrics)

    @cached_property
    def loaded(self) -> Platform:
        """The preset or file, read once."""
        return load(self.source)

    def build(self, values: dict[str, float]) -> Platform:
        """The machine with `values` (SI) for its parameters; a bad geometry raises InputError."""
        given = {**self.fixed, **values}
        if self.family is None:
            platform = self.loaded
        else:
            constructor, needed = FAMILIES[self.family]
            missing = [name for name in needed if name not in given and name not in OPTIONAL]
            if missing:
                problem = f"must be given for family {self.family!r}, or varied"
                raise InputError(f"machine.{missing[0]}", None, problem)
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
        platform = platform.replace(
            legs=[leg.replace(base=base * leg.base, joint=top * leg.joint) for leg in platform.legs]
        )
    if values.get("payload"):
        platform = with_payload(platform, Body(values["payload"], platform.body.center))
    return platform


class TaskSpec(NamedTuple):
    """A task and the samples of its motions."""

    task: Task
    samples: int


def read_design(path: str | os.PathLike[str], fields: dict[str, Any], build: Callable[..., T]) -> T:
    """What `build` makes of a design file with these fields; all mistakes in one `DocumentError`."""
    file, table = Path(path), Keyed("design file", fields, build)
    content = read_text(file, "design", LARGEST, file.name)
    return reader.read_document(table, content, file.name, file.parent)


class MachineTable(ValueKind[MachineSpec]):
    """``preset = ...``, ``file = ...`` or ``family = ...`` with fixed parameters and limits."""

    def read(self, value: Any, at: Place) -> MachineSpec:
        table = self._table(value, at)
        return BAD if table is None else table.read(value, at)

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        tables = (*_SOURCES.values(), *_FAMILY_TABLES.values())
        return {"anyOf": [table.schema(definitions) for table in tables]}

    @staticmethod
    def _table(value: Any, at: Place) -> Keyed[MachineSpec] | None:
        if not isinstance(value, dict):
            at.wrong(value, "must be a table")
            return None
        given = [key for key in ("preset", "file", "family") if key in value]
        if len(given) != 1:
            at.wrong(sorted(value), "must have exactly one of preset, file, family")
            return None
        if given[0] in _SOURCES:
            return _SOURCES[given[0]]
        family = value["family"]
        if not isinstance(family, str) or family not in FAMILIES:
            hint = did_you_mean(family, FAMILIES)
            at["family"].wrong(family, f"{hint}must be one of {', '.join(FAMILIES)}")
            return None
        return _FAMILY_TABLES[family]


def _preset(value: Any, folder: Path) -> str:
    """The name of a machine that loads: a wrong one is said now, not in the middle of a run."""
    told(load, text.convert(value))
    return value


def _file(value: Any, folder: Path) -> str:
    return _preset(str(folder / text.convert(value)), folder)


def _from_source(preset: str = "", file: str = "", **fixed: float) -> MachineSpec:
    return MachineSpec(preset or file, None, fixed, {})


def _from_family(
    family: str, leg: str | None = None, limits: Limits | None = None, **fixed: float
) -> MachineSpec:
    options = {key: value for key, value in (("leg", leg), ("limits", limits)) if value is not None}
    return MachineSpec(family, family, fixed, options)


class _PlatformMotion(Either):
    """A motion of the platform: a definition's table, a file beside the design file, or a paper's path."""

    def read(self, value: Any, at: Place) -> Any:
        path = super().read(value, at)
        if isinstance(path, LegTrajectory):
            at.wrong("legs-harmonic", "must be a motion of the platform, not of the legs")
        return path


def _task(
    box: Any = (0.0, 0.0, 0.0),
    tilt: Any = (0.0, 0.0, 0.0),
    motion: Any = None,
    relative: bool = False,
    payload: float | None = None,
    payload_center: Any = (0.0, 0.0, 0.0),
    samples: int = 101,
    hardware: Hardware | None = None,
) -> TaskSpec:
    body = None if payload is None else Body(payload, payload_center)
    sampled = None if motion is None else motion.sample(samples)
    legs = Hardware() if hardware is None else hardware
    return TaskSpec(Task(np.asarray(box), np.asarray(tilt), sampled, relative, body, legs), samples)


_parameters = {name: scalar(dimension) for name, dimension in DIMENSIONS.items()}
_changes = {name: _parameters[name] for name in CHANGES}
_SOURCES = {
    "preset": Keyed("preset", {"preset": FileName(_preset), **_changes}, _from_source),
    "file": Keyed("machine file", {"file": FileName(_file), **_changes}, _from_source),
}
_common = {"family": text, "leg": text, "limits": LEGS["UPS"].fields["limits"].kind}
_FAMILY_TABLES = {
    name: Keyed(
        name, _common | {key: _parameters[key] for key in (*own, *OPTIONS, *CHANGES)}, _from_family
    )
    for name, (_, own) in FAMILIES.items()
}
MACHINE = MachineTable()
MOTION = _PlatformMotion(NAMED_OR_TABLE.table, NAMED_OR_TABLE.other)
_hardware = {
    "leg_stiffness": scalar("linear stiffness", above=0),
    "crank_stiffness": scalar("rotary stiffness", above=0),
    "actuator_error": scalar("length", minimum=0),
    "crank_error": scalar("angle", minimum=0),
    "joint_error": scalar("length", minimum=0),
    "rod_diameter": scalar("length", above=0),
    "rod_modulus": scalar("pressure", above=0),
}
_task_fields = {
    "box": vector("length"),
    "tilt": vector("angle"),
    "motion": MOTION,
    "relative": flag,
    "payload": scalar("mass", minimum=0),
    "payload_center": vector("length"),
    "samples": whole(2, 50_000_000),
    "hardware": Keyed("hardware", _hardware, Hardware),
}
TASK = Keyed("task", _task_fields, _task)
