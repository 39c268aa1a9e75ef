"""Catalogue files: motors, gears and screws to choose from, by name.

[motors.M60]
continuous_torque = "1.3 N m"           up to rated_speed, for ever
rated_speed = "3000 rpm"
peak_torque = "4 N m"                   for a short time, up to peak_speed; or `curve`
peak_speed = "4500 rpm"
rotor_inertia = "0.6 kg cm^2"
curve = [["0 rpm", "4 N m"], ["3000 rpm", "4 N m"], ["4500 rpm", "1.5 N m"]]      torque never rises with speed
drag = "0.02 N m"                       friction that does not depend on the load; also of gears, at their input
[gears.G5]
ratio = 5.0                             input over output speed
efficiency = 0.95
peak_torque = "40 N m"                  at the output
max_speed = "6000 rpm"                  at the input
inertia = "0.3 kg cm^2"                 at the input
[screws.S20]
lead = "10 mm"
efficiency = 0.9
inertia = "1.2 kg cm^2"                 of all that turns with the screw
dynamic_load = "18 kN"                  C of ISO 3408-5
max_load = "30 kN"
max_speed = "2500 rpm"                  the critical one, or what the nut allows
root_diameter = "16 mm"                 also judged against buckling, with `length` or the leg's own
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import Array, Frozen, InputError
from gough.documents.kinds import scalar, text
from gough.documents.reader import Field, Keyed, Named, Value, need, read_document
from gough.documents.source import read_text
from gough.documents.units import quantity

LARGEST = 1_000_000  # bytes
STEEL = 206e9  # Pa, Young's modulus


@dataclass(frozen=True, eq=False)
class MotorData(Frozen):
    """A motor: torques N m, speeds rad/s, inertia kg m^2; curve (n, 2) of speeds and the torques up to there."""

    continuous_torque: float
    rated_speed: float
    peak_torque: float
    peak_speed: float
    rotor_inertia: float
    curve: Array | None = None
    drag: float = 0.0
    about: str = ""

    def __post_init__(self) -> None:
        if self.curve is None:
            flat = [[0.0, self.peak_torque], [self.peak_speed, self.peak_torque]]
            object.__setattr__(self, "curve", np.array(flat))

    def torque_at(self, speed: Array) -> Array:
        """Largest torque at speeds (rad/s); 0 above the largest one."""
        assert self.curve is not None
        speeds, torques = self.curve.T
        found = np.interp(speed, speeds, torques)
        return np.where(
            speed > min(speeds[-1], self.peak_speed), 0.0, np.minimum(found, self.peak_torque)
        )


@dataclass(frozen=True, eq=False)
class GearData(Frozen):
    """A gear: ratio of input to output speed, inertia at the input kg m^2, peak_torque N m at the output, max_speed
    rad/s at the input, drag N m at the input."""

    ratio: float
    efficiency: float
    peak_torque: float
    max_speed: float
    inertia: float = 0.0
    back_efficiency: float | None = None
    drag: float = 0.0
    about: str = ""


@dataclass(frozen=True, eq=False)
class ScrewData(Frozen):
    """A screw: lead m, inertia kg m^2, dynamic_load and max_load N, max_speed rad/s; root_diameter and length (free, m)
    for buckling, modulus Pa."""

    lead: float
    efficiency: float
    dynamic_load: float
    max_load: float
    max_speed: float
    inertia: float = 0.0
    back_efficiency: float | None = None
    root_diameter: float | None = None
    length: float | None = None
    modulus: float = STEEL
    about: str = ""

    def buckling_load(self, length: float) -> float | None:
        """Euler's, hinged at both ends: ``pi^2 E I/L^2``, ``I = pi d^4/64``, N; None without a root diameter."""
        if self.root_diameter is None:
            return None
        return float(np.pi**3 * self.modulus * self.root_diameter**4 / 64.0 / length**2)


@dataclass(frozen=True, eq=False)
class Catalogue(Frozen):
    """What there is to choose from, by name."""

    motors: Mapping[str, MotorData]
    gears: Mapping[str, GearData] = field(default_factory=dict)
    screws: Mapping[str, ScrewData] = field(default_factory=dict)
    title: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if not self.motors:
            raise InputError("motors", "none", "must hold at least one motor")


def _curve(value: Any) -> Array:
    allowed = "must be a list of [speed, torque], speeds rising from 0, torques never rising"
    if not isinstance(value, list) or len(value) < 2:
        raise InputError("", value, allowed)
    if not all(isinstance(row, list) and len(row) == 2 for row in value):
        raise InputError("", value, allowed)
    rows = [[quantity("", v, "rate"), quantity("", t, "torque")] for v, t in value]
    points = np.array(rows)
    rises = (np.diff(points[:, 0]) <= 0.0).any() or (np.diff(points[:, 1]) > 0.0).any()
    if points[0, 0] != 0.0 or rises or (points < 0.0).any():
        raise InputError("", value, allowed)
    return points


def _share(needed: bool) -> Any:
    kind = scalar("pure number", above=0.0, maximum=1.0)
    return need(kind) if needed else scalar("pure number", maximum=1.0)


def _more(dimension: str) -> Field:
    return need(scalar(dimension, above=0.0))


_PLAIN = scalar("inertia", minimum=0.0)
_DRAG = scalar("torque", minimum=0.0)
CATALOGUE = Keyed(
    "catalogue",
    {
        "title": text,
        "note": text,
        "motors": need(
            Named(
                Keyed(
                    "motor",
                    {
                        "continuous_torque": _more("torque"),
                        "rated_speed": _more("rate"),
                        "peak_torque": _more("torque"),
                        "peak_speed": _more("rate"),
                        "rotor_inertia": need(_PLAIN),
                        "curve": Value(_curve, {"type": "array"}),
                        "drag": _DRAG,
                        "about": text,
                    },
                    MotorData,
                )
            )
        ),
        "gears": Named(
            Keyed(
                "gear",
                {
                    "ratio": _more("pure number"),
                    "efficiency": _share(True),
                    "back_efficiency": _share(False),
                    "peak_torque": _more("torque"),
                    "max_speed": _more("rate"),
                    "inertia": _PLAIN,
                    "drag": _DRAG,
                    "about": text,
                },
                GearData,
            )
        ),
        "screws": Named(
            Keyed(
                "screw",
                {
                    "lead": _more("length"),
                    "efficiency": _share(True),
                    "back_efficiency": _share(False),
                    "dynamic_load": _more("force"),
                    "max_load": _more("force"),
                    "max_speed": _more("rate"),
                    "inertia": _PLAIN,
                    "root_diameter": scalar("length", above=0.0),
                    "length": scalar("length", above=0.0),
                    "modulus": scalar("pressure", above=0.0),
                    "about": text,
                },
                ScrewData,
            )
        ),
    },
    Catalogue,
)


def load_catalogue(path: str | os.PathLike[str]) -> Catalogue:
    """A catalogue from a TOML file; everything wrong with it is one error."""
    file = Path(path)
    return read_document(CATALOGUE, read_text(file, "catalogue", LARGEST), str(file))
