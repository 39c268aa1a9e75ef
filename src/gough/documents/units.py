"""Quantities as text: ``"250 mm"``, ``"15 deg"``, ``"3 rpm"`` to SI and radians, correctly rounded."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from gough.checks import LARGEST, InputError
from gough.documents.source import did_you_mean

_DEG = math.pi / 180
_TURN = 2 * math.pi

# Scales of the SI unit: exact fractions where such a fraction exists (angles are floats).
_SCALES = {
    "length": "m 1, cm 1/100, mm 1/1000, um 1/1000000, nm 1/1000000000, in 254/10000, inch 254/10000, ft 3048/10000",
    "angle": "rad 1, mrad 1/1000, urad 1/1000000, deg deg, arcmin arcmin, arcsec arcsec, turn turn",
    "mass": "kg 1, g 1/1000, mg 1/1000000, t 1000, lb 45359237/100000000",
    "force": "N 1, mN 1/1000, kN 1000, MN 1000000, kgf 980665/100000, lbf 8896443230521/2000000000000",
    "torque": "N m 1, mN m 1/1000, kN m 1000, N mm 1/1000, N cm 1/100, kgf m 980665/100000, kgf cm 980665/10000000, "
    "lbf in 1129848290276167/10000000000000000, lbf ft 3389544870828501/2500000000000000",
    "inertia": "kg m^2 1, kg cm^2 1/10000, kg mm^2 1/1000000, g m^2 1/1000, g cm^2 1/10000000, g mm^2 1/1000000000, "
    "lb in^2 731599133573/2500000000000000, lb ft^2 6584392202157/156250000000000",
    "speed": "m/s 1, cm/s 1/100, mm/s 1/1000, m/min 1/60, mm/min 1/60000",
    "rate": "rad/s 1, deg/s deg, rpm rpm, turn/s turn",
    "acceleration": "m/s^2 1, mm/s^2 1/1000, g0 980665/100000",
    "angular acceleration": "rad/s^2 1, deg/s^2 deg",
    "jerk": "m/s^3 1, mm/s^3 1/1000",
    "angular jerk": "rad/s^3 1, deg/s^3 deg",
    "time": "s 1, ms 1/1000, us 1/1000000, min 60, h 3600",
    "frequency": "Hz 1, kHz 1000, mHz 1/1000",
    "linear friction": "N s/m 1, N s/mm 1000, kN s/m 1000",
    "rotary friction": "N m s 1, mN m s 1/1000, N m s/rad 1, N m/rpm per-rpm",
    "linear ratio": "rad/m 1, rad/mm 1000, turn/m turn, turn/mm kiloturn",
    "torque constant": "N m/A 1, mN m/A 1/1000, V s 1",
    "resistance": "ohm 1, mohm 1/1000",
    "current": "A 1, mA 1/1000",
    "voltage": "V 1, mV 1/1000, kV 1000",
    "inductance": "H 1, mH 1/1000, uH 1/1000000",
    "linear stiffness": "N/m 1, N/mm 1000, N/um 1000000, kN/m 1000, MN/m 1000000",
    "rotary stiffness": "N m/rad 1, mN m/rad 1/1000, kN m/rad 1000, N m/deg per-deg",
    "time per length": "s/m 1, s/mm 1000, ms/mm 1",
    "time per angle": "s/rad 1, s/deg per-deg",
    "pressure": "Pa 1, kPa 1000, MPa 1000000, bar 100000",
    "volume": "m^3 1, l 1/1000, cm^3 1/1000000, ml 1/1000000",
    "volume flow": "m^3/s 1, l/s 1/1000, l/min 1/60000",
    "leakage": "m^3/(s Pa) 1, l/min/bar 1/6000000000, ml/min/bar 1/6000000000000",
    "pure number": "% 1/100, rad/rad 1",
}
_ANGLES = {
    "deg": _DEG,
    "arcmin": _DEG / 60,
    "arcsec": _DEG / 3600,
    "turn": _TURN,
    "rpm": _TURN / 60,
    "per-rpm": 60 / _TURN,
    "per-deg": 1 / _DEG,
    "kiloturn": 1e3 * _TURN,
}


def _scales(line: str) -> dict[str, Fraction | float]:
    pairs = [entry.rpartition(" ") for entry in line.split(", ")]
    return {
        unit: _ANGLES[scale] if scale in _ANGLES else Fraction(scale) for unit, _, scale in pairs
    }


UNITS: dict[str, dict[str, Fraction | float]] = {
    dimension: _scales(line) for dimension, line in _SCALES.items()
}

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(rf"({_NUMBER})\s*(\D.*)?")
_VECTOR = re.compile(rf"({_NUMBER})[\s,]+({_NUMBER})[\s,]+({_NUMBER})\s*(\D.*)?")
_SPELLINGS = str.maketrans(
    {"·": " ", "*": " ", "µ": "u", "μ": "u", "\u03a9": "ohm", "\u2126": "ohm"}
)
_LONGEST = 200  # characters; longer text cannot be a quantity


def plain(field: str, value: object, allowed: str = "must be a number") -> float:
    """A bare TOML number, finite and at most `LARGEST`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(field, value, allowed)
    try:
        x = float(value)
    except OverflowError:
        x = math.inf
    return _bounded(field, value, x)


def _bounded(field: str, value: object, x: float) -> float:
    if not math.isfinite(x):
        raise InputError(field, value, "must be finite (no NaN, no infinity)")
    if abs(x) > LARGEST:
        raise InputError(field, value, f"must not exceed {LARGEST:g} in SI")
    return x


def quantity(field: str, value: object, dimension: str) -> float:
    """A number in SI from a TOML value: a number is SI already, text is ``"<number> <unit>"``."""
    if isinstance(value, str):
        found = _QUANTITY.fullmatch(value.strip()) if len(value) <= _LONGEST else None
        if found is None:
            raise InputError(
                field, value, f'must be a number, or text like "3 {_example(dimension)}"'
            )
        return _convert(field, value, found[1], found[2], dimension)
    return plain(field, value, f'must be a number, or text like "3 {_example(dimension)}"')


def quantities(field: str, value: object, dimension: str) -> list[float]:
    """Three numbers in SI from a list of quantities, or from one text such as ``"10 0 250 mm"``."""
    if isinstance(value, str):
        found = _VECTOR.fullmatch(value.strip()) if len(value) <= _LONGEST else None
        if found is None:
            raise InputError(
                field, value, f"must be three numbers and a unit: 1 2 3 {_example(dimension)}"
            )
        return [_convert(field, value, found[i], found[4], dimension) for i in (1, 2, 3)]
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise InputError(field, value, "must be a list of three quantities")
    return [quantity(f"{field}[{i}]", x, dimension) for i, x in enumerate(value)]


def unit_names(dimension: str) -> list[str]:
    """Units known for `dimension`, the SI unit first."""
    return list(UNITS[dimension])


def _example(dimension: str) -> str:
    return next(iter(UNITS[dimension]))


def _convert(field: str, value: str, digits: str, unit: str | None, dimension: str) -> float:
    known = UNITS[dimension]
    if unit is None:
        raise InputError(
            field,
            value,
            "has no unit; write a bare number for SI, or add one of " + ", ".join(known),
        )
    name = " ".join(unit.translate(_SPELLINGS).replace("²", "^2").replace("°", "deg").split())
    if name not in known:
        raise InputError(field, value, _unit_problem(name, dimension))
    x = float(digits)
    scale = known[name]
    if (
        isinstance(scale, Fraction) and 1e-300 < abs(x) < 1e300
    ):  # keeps huge exponents out of Fraction
        scaled = Fraction(digits) * scale
        x = float(scaled) if abs(scaled) < Fraction(10**308) else math.inf
    else:
        x *= float(scale)
    return _bounded(field, value, x)


def _unit_problem(name: str, dimension: str) -> str:
    allowed = ", ".join(UNITS[dimension])
    for other, names in UNITS.items():
        if name in names:
            return f"{name} is a unit of {other}, this is {_one(dimension)}: {allowed}"
    hint = did_you_mean(name, UNITS[dimension])
    return f"unknown unit {name!r}; {hint}allowed for {_one(dimension)}: {allowed}"


def _one(dimension: str) -> str:
    return f"{'an' if dimension[0] in 'aeiou' else 'a'} {dimension}"
