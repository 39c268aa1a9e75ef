"""What a user's controller calls an actuator's coordinate: zero, scale and offset of its encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gough.checks import Checked, InputError, number, text
from gough.frozen import hinted


def _scale(field: str, value: Any) -> float:
    scale = number(field, value)
    if abs(scale) < 1e-30:
        raise InputError(field, value, "must not be zero")
    return scale


def flag(field: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise InputError(field, value, "must be True or False")
    return value


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Encoder(Checked):
    """How an actuator's coordinate is read: ``reading = scale (coordinate - zero) + offset``.

    zero        coordinate at which the actuator's own count begins, m (rad for a crank)
    scale       reading per m (rad); negative where it counts the other way
    offset      reading at that place
    unit        what the readings are called ("mm", "counts"); empty: m (rad)
    about_home  `zero` is counted from the coordinate at the machine's home; a `gough.Platform` makes it absolute
    """

    zero: float = 0.0
    scale: float = 1.0
    offset: float = 0.0
    unit: str = ""
    about_home: bool = False

    CHECKS: ClassVar = {
        "zero": number,
        "scale": _scale,
        "offset": number,
        "unit": text,
        "about_home": flag,
    }
