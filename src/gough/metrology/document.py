"""Readings files: which sensors there were, and the CSV table of what they and the encoders read.

readings = "readings.csv"               beside this file; a unit may stand in a column's head: "L1 [mm]"
[encoders]
sigma = "5 um"                          columns default to the legs' names
[sensors.tracker]
kind = "pose"                           columns default to x, y, z, roll, pitch, yaw
position_sigma = "20 um"
rotation_sigma = "20 urad"
[sensors.wire]
kind = "distance"                       also point, tilt, swing; columns default to the sensor's name
anchor = "1 0 0.2 m"
point = "0 0.1 0 m"
sigma = "10 um"
free = ["offset"]
[calibrate]
find = ["base", "joint", "zero"]        what `gough.metrology.calibrate` takes: also robust, noise, tolerance
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.documents.kinds import choice, direction, point, scalar, text, texts, whole
from gough.documents.reader import Field, Keyed, Named, Tagged, ValueKind, need, read_document
from gough.documents.source import read_text
from gough.documents.units import quantity
from gough.metrology.sensors import (
    DistanceSensor,
    MeasuringSensor,
    PointSensor,
    PoseSensor,
    SwingSensor,
    TiltSensor,
)
from gough.model import CRANKS, Platform
from gough.spatial import Pose
from gough.trajectory.recorded import read_columns

LARGEST = 1_000_000  # bytes of a readings file, without its table
POSE_COLUMNS = ("x", "y", "z", "roll", "pitch", "yaw")


@dataclass(frozen=True, eq=False)
class PlacedSensor:
    """A sensor with the columns it stands in; None: by the sensor's name."""

    sensor: MeasuringSensor
    columns: tuple[str, ...] | None


def _table(
    kind: str, make: type[MeasuringSensor], **fields: ValueKind[Any] | Field
) -> Keyed[PlacedSensor]:
    def build(columns: Sequence[str] | None = None, **given: Any) -> PlacedSensor:
        return PlacedSensor(make(**given), None if columns is None else tuple(columns))

    build.__doc__ = make.__doc__
    return Keyed(f"{kind} sensor", {**fields, "columns": texts}, build)


_LENGTH, _ANGLE = scalar("length", above=0.0), scalar("angle", above=0.0)
SENSORS = Tagged(
    "kind",
    {
        "pose": _table(
            "pose", PoseSensor, position_sigma=need(_LENGTH), rotation_sigma=need(_ANGLE)
        ),
        "point": _table("point", PointSensor, point=need(point), sigma=need(_LENGTH), free=texts),
        "distance": _table(
            "distance",
            DistanceSensor,
            anchor=need(point),
            point=need(point),
            sigma=need(_LENGTH),
            offset=scalar("length"),
            free=texts,
        ),
        "tilt": _table(
            "tilt",
            TiltSensor,
            axis=need(direction),
            sigma=need(_ANGLE),
            zero=scalar("angle"),
            up=direction,
            free=texts,
        ),
        "swing": _table(
            "swing",
            SwingSensor,
            leg=need(whole(1, 6)),
            axis=need(direction),
            level=need(direction),
            sigma=need(_ANGLE),
            zero=scalar("angle"),
            free=texts,
        ),
    },
)
READINGS = Keyed(
    "readings",
    {
        "title": text,
        "readings": Field(text, about="CSV table beside this file; a plan needs none"),
        "encoders": need(
            Keyed("encoders", {"sigma": need(text, '"5 um"; cranks: "20 urad"'), "columns": texts})
        ),
        "sensors": need(Named(SENSORS)),
        "calibrate": Keyed(
            "calibrate",
            {
                "find": texts,
                "robust": choice(["huber", "cauchy"]),
                "noise": choice(["given", "estimated"]),
                "tolerance": Named(text),
            },
        ),
    },
)


def load_readings(platform: Platform, path: str | os.PathLike[str]) -> dict[str, Any]:
    """What `gough.metrology.calibrate` takes beside the machine: length, readings, sigma and options."""
    file = Path(path)
    table = _document(file)
    dimension = _dimension(platform)
    counted = any(leg.encoder.unit for leg in platform.legs)  # counts, or whatever they are called
    encoders = table["encoders"]
    names = tuple(encoders.get("columns", platform.leg_names))
    if len(names) != 6:
        raise InputError("encoders.columns", names, "must be six columns")
    groups: dict[str, tuple[tuple[str, ...], str]] = {
        "encoders": (_low(names), "" if counted else dimension)
    }
    for name, placed in table["sensors"].items():
        groups |= _columns(name, placed)
    if "readings" not in table:
        raise InputError("readings", "nothing", "must name the CSV table of what was read")
    found = read_columns(file.parent / table["readings"], groups, "readings")
    missing = [", ".join(groups[name][0]) for name in groups if name not in found]
    if missing:
        raise InputError(table["readings"], "no columns " + "; ".join(missing), "must have them")
    return {
        "length": found["encoders"],
        "readings": {
            name: (placed.sensor, _read(name, placed.sensor, found))
            for name, placed in table["sensors"].items()
        },
        "sigma": quantity("encoders.sigma", encoders["sigma"], dimension),
        **_options(table),
    }


def load_sensors(
    platform: Platform, path: str | os.PathLike[str]
) -> tuple[dict[str, MeasuringSensor], float, list[str] | None]:
    """What `plan_poses` takes: sensors, deviation of the encoders, what is looked for; no table is read."""
    table = _document(Path(path))
    sigma = quantity("encoders.sigma", table["encoders"]["sigma"], _dimension(platform))
    sensors = {name: placed.sensor for name, placed in table["sensors"].items()}
    return sensors, sigma, table.get("calibrate", {}).get("find")


def _document(file: Path) -> dict[str, Any]:
    return read_document(READINGS, read_text(file, "readings", LARGEST, file.name), file.name)


def _dimension(platform: Platform) -> str:
    turning = [isinstance(leg, CRANKS) for leg in platform.legs]
    if any(turning) and not all(turning):
        raise InputError("platform", "cranks beside other legs", "must be calibrated from Python")
    return "angle" if all(turning) else "length"


def _options(table: dict[str, Any]) -> dict[str, Any]:
    options = dict(table.get("calibrate", {}))
    if "tolerance" in options:
        given = options["tolerance"].items()
        options["tolerance"] = {word: _tolerance(word, value) for word, value in given}
    return options


def _low(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def _columns(name: str, placed: PlacedSensor) -> dict[str, tuple[tuple[str, ...], str]]:
    """Columns of a sensor by the group that they are read as."""
    sensor, columns = placed.sensor, placed.columns
    if isinstance(sensor, PoseSensor):
        own = _low(columns or POSE_COLUMNS)
        if len(own) != 6:
            raise InputError(
                f"sensors.{name}.columns", columns, "must be six: x y z roll pitch yaw"
            )
        return {f"{name} position": (own[:3], "length"), f"{name} rotation": (own[3:], "angle")}
    width = len(sensor.spread())
    own = _low(columns or ((name,) if width == 1 else tuple(f"{name}.{c}" for c in "xyz")))
    if len(own) != width:
        raise InputError(f"sensors.{name}.columns", columns, f"must be {width}")
    return {name: (own, "length" if sensor.UNIT == "m" else "angle")}


def _read(name: str, sensor: MeasuringSensor, found: dict[str, Array]) -> Pose | Array:
    if isinstance(sensor, PoseSensor):
        return Pose.from_rpy(found[f"{name} position"], found[f"{name} rotation"])
    return np.asarray(found[name])


def _tolerance(word: str, value: str) -> float:
    for dimension in ("length", "angle"):
        try:
            return quantity(f"tolerance.{word}", value, dimension)
        except InputError:
            continue
    raise InputError(f"calibrate.tolerance.{word}", value, 'must be a length or an angle: "1 mm"')


def load_efforts(platform: Platform, path: str | os.PathLike[str]) -> tuple[Array, Array]:
    """Times (n,) s and efforts (n, 6) of a CSV table with a column per leg, N (N m for cranks)."""
    file = Path(path)
    dimension = "torque" if _dimension(platform) == "angle" else "force"
    found = read_columns(file, {"efforts": (_low(platform.leg_names), dimension)}, "efforts")
    for name, what in (("time", "time"), ("efforts", ", ".join(platform.leg_names))):
        if name not in found:
            raise InputError(file.name, f"no columns {what}", "must have them")
    return found["time"], found["efforts"]
