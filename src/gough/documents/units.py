"""Quantities as text: ``"250 mm"``, ``"15 deg"``, ``"3 rpm"`` to SI and radians, correctly rounded."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from gough.checks import InputError
from gough.documents.source import did_you_mean

_DEG = math.pi / 180
_TURN = 2 * math.pi

# Scales are exact fractions of the SI unit where such a fraction exists; angles are floats.
UNITS: dict[str, dict[str, Fraction | float]] = {
    "length": {"m": Fraction(1), "cm": Fraction(1, 100), "mm": Fraction(1, 10**3), "um": Fraction(1, 10**6),
               "nm": Fraction(1, 10**9), "in": Fraction(254, 10**4), "ft": Fraction(3048, 10**4)},
    "angle": {"rad": Fraction(1), "mrad": Fraction(1, 10**3), "deg": _DEG, "arcmin": _DEG / 60,
              "arcsec": _DEG / 3600, "turn": _TURN},
    "mass": {"kg": Fraction(1), "g": Fraction(1, 10**3), "mg": Fraction(1, 10**6), "t": Fraction(10**3),
             "lb": Fraction(45359237, 10**8)},
    "force": {"N": Fraction(1), "mN": Fraction(1, 10**3), "kN": Fraction(10**3), "MN": Fraction(10**6)},
    "torque": {"N m": Fraction(1), "mN m": Fraction(1, 10**3), "kN m": Fraction(10**3),
               "N mm": Fraction(1, 10**3), "N cm": Fraction(1, 100), "kgf cm": Fraction(980665, 10**7)},
    "inertia": {"kg m^2": Fraction(1), "kg cm^2": Fraction(1, 10**4), "kg mm^2": Fraction(1, 10**6),
                "g m^2": Fraction(1, 10**3), "g cm^2": Fraction(1, 10**7), "g mm^2": Fraction(1, 10**9)},
    "speed": {"m/s": Fraction(1), "cm/s": Fraction(1, 100), "mm/s": Fraction(1, 10**3),
              "m/min": Fraction(1, 60), "mm/min": Fraction(1, 60_000)},
    "rate": {"rad/s": Fraction(1), "deg/s": _DEG, "rpm": _TURN / 60, "turn/s": _TURN},
    "acceleration": {"m/s^2": Fraction(1), "mm/s^2": Fraction(1, 10**3), "g0": Fraction(980665, 10**5)},
    "angular acceleration": {"rad/s^2": Fraction(1), "deg/s^2": _DEG},
    "time": {"s": Fraction(1), "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "min": Fraction(60)},
    "frequency": {"Hz": Fraction(1), "kHz": Fraction(10**3), "mHz": Fraction(1, 10**3)},
    "linear friction": {"N s/m": Fraction(1), "N s/mm": Fraction(10**3), "kN s/m": Fraction(10**3)},
    "rotary friction": {"N m s": Fraction(1), "mN m s": Fraction(1, 10**3), "N m s/rad": Fraction(1),
                        "N m/rpm": 60 / _TURN},
    "linear ratio": {"rad/m": Fraction(1), "rad/mm": Fraction(10**3), "turn/m": _TURN,
                     "turn/mm": 1e3 * _TURN},
    "torque constant": {"N m/A": Fraction(1), "mN m/A": Fraction(1, 10**3), "V s": Fraction(1)},
    "resistance": {"ohm": Fraction(1), "mohm": Fraction(1, 10**3)},
    "current": {"A": Fraction(1), "mA": Fraction(1, 10**3)},
    "voltage": {"V": Fraction(1), "mV": Fraction(1, 10**3), "kV": Fraction(10**3)},
    "pure number": {"%": Fraction(1, 100), "rad/rad": Fraction(1)},
}

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(rf"({_NUMBER})\s*(\D.*)?")
_VECTOR = re.compile(rf"({_NUMBER})[\s,]+({_NUMBER})[\s,]+({_NUMBER})\s*(\D.*)?")
_SPELLINGS = str.maketrans({"·": " ", "*": " ", "µ": "u", "μ": "u", "\u03a9": "ohm", "\u2126": "ohm"})
_LONGEST = 200  # characters; longer text cannot be a quantity


def plain(field: str, value: object, allowed: str = "must be a number") -> float:
    """A bare finite TOML number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(field, value, allowed)
    try:
        x = float(value)
    except OverflowError:
        x = math.inf
    if not math.isfinite(x):
        raise InputError(field, value, "must be finite (no NaN, no infinity)")
    return x


def quantity(field: str, value: object, dimension: str) -> float:
    """A number in SI from a TOML value: a number is SI already, text is ``"<number> <unit>"``."""
    if isinstance(value, str):
        found = _QUANTITY.fullmatch(value.strip()) if len(value) <= _LONGEST else None
        if found is None:
            raise InputError(field, value, f"must be a number, or text like \"3 {_example(dimension)}\"")
        return _convert(field, value, found[1], found[2], dimension)
    return plain(field, value, f"must be a number, or text like \"3 {_example(dimension)}\"")


def quantities(field: str, value: object, dimension: str) -> list[float]:
    """Three numbers in SI from a list of quantities, or from one text such as ``"10 0 250 mm"``."""
    if isinstance(value, str):
        found = _VECTOR.fullmatch(value.strip()) if len(value) <= _LONGEST else None
        if found is None:
            raise InputError(field, value, f"must be three numbers and a unit: 1 2 3 {_example(dimension)}")
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
        raise InputError(field, value, "has no unit; write a bare number for SI, or add one of "
                         + ", ".join(known))
    name = " ".join(unit.translate(_SPELLINGS).replace("²", "^2").replace("°", "deg").split())
    if name not in known:
        raise InputError(field, value, _unit_problem(name, dimension))
    x = float(digits)
    scale = known[name]
    if isinstance(scale, Fraction) and 1e-300 < abs(x) < 1e300:  # keeps huge exponents out of Fraction
        scaled = Fraction(digits) * scale
        x = float(scaled) if abs(scaled) < Fraction(10**308) else math.inf
    else:
        x *= float(scale)
    if not math.isfinite(x):
        raise InputError(field, value, "must be finite (no NaN, no infinity)")
    return x


def _unit_problem(name: str, dimension: str) -> str:
    allowed = ", ".join(UNITS[dimension])
    for other, names in UNITS.items():
        if name in names:
            return f"{name} is a unit of {other}, this is a {dimension}: {allowed}"
    return f"unknown unit {name!r}; {did_you_mean(name, UNITS[dimension])}allowed for a {dimension}: {allowed}"
