"""Numbers of arguments: bare ones in the unit that the option names, or with a unit of their own ("100 mm", 15deg).

The one place where commands read numbers; the units are those of machine files (gough/documents/units.py), and a unit
that does not fit the quantity is refused with both names.  Several numbers of one quantity may share the unit behind
the last of them: "0 0 600 mm 0 0 15 deg".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING

import typer

from gough.checks import InputError

if TYPE_CHECKING:
    from gough.model import Platform

_WORD = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([^\d.].*)?")
_ENDLESS = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
WRENCH = ("force",) * 3 + ("torque",) * 3
PLAIN: Mapping[str, str] = {}
MILLIMETERS = {"length": "mm", "angle": "deg"}
DEGREES = {"angle": "deg"}


class Entered(float):
    """A number of an option, SI, and what its unit was one of; None: it came bare."""

    dimension: str | None

    def __new__(cls, value: float, dimension: str | None) -> Entered:
        made = super().__new__(cls, value)
        made.dimension = dimension
        return made


def read_numbers(
    field: str,
    text: str,
    count: tuple[int, ...],
    allowed: str,
    dimensions: Sequence[str] = (),
    bare: Mapping[str, str] = PLAIN,
) -> list[float]:
    """Numbers in one argument, apart by spaces or commas, in SI; as many as one of `count`.

    dimensions  what each is, as many as the largest count; left out: pure numbers
    bare        units of numbers without one, by dimension, where these are not SI
    """
    words = _numbers_and_units(text)
    if words is None or len(words) not in count:
        raise InputError(field, text, allowed)
    if not all(isfinite(float(number)) for number, _ in words):
        raise InputError(field, text, "must be finite")
    each = tuple(dimensions) or ("pure number",) * len(words)
    found: list[float] = []
    for dimension, group in groupby(zip(each, words, strict=False), key=lambda pair: pair[0]):
        shared = _shared(field, [word for _, word in group])
        try:
            found += [_value(n, unit or bare.get(dimension), dimension) for n, unit in shared]
        except InputError as error:
            raise InputError(field, text, error.allowed) from None
    return found


def read_wrench(text: str) -> list[float]:
    """The external wrench of an option: N and N m."""
    six = "must be six numbers: force x y z, N, and moment x y z, N m"
    return read_numbers("wrench", text, (6,), six, WRENCH)


def read_point(field: str, text: str, mm: bool = False) -> list[float]:
    """Three lengths, m, or with `mm` in millimeters."""
    said = "must be three numbers: x y z"
    return read_numbers(field, text, (3,), said, ("length",) * 3, MILLIMETERS if mm else PLAIN)


def read_degrees(field: str, text: str) -> tuple[float, float, float]:
    """Roll, pitch and yaw, rad; bare numbers are degrees."""
    said = "must be three angles: roll pitch yaw, deg"
    roll, pitch, yaw = read_numbers(field, text, (3,), said, ("angle",) * 3, DEGREES)
    return roll, pitch, yaw


def _numbers_and_units(text: str) -> list[tuple[str, str]] | None:
    """Every number with the text of its unit; None where the text begins with none."""
    found: list[tuple[str, str]] = []
    for word in text.replace(",", " ").split():
        split = _WORD.fullmatch(word)
        if split is not None:
            found.append((split[1], split[2] or ""))
        elif _ENDLESS.fullmatch(word):
            found.append((word, ""))
        elif found:
            number, unit = found[-1]
            found[-1] = number, f"{unit} {word}".strip()
        else:
            return None
    return found


def _shared(field: str, words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Numbers of one quantity: those without a unit have that of the next one that has."""
    unit, found = "", []
    for number, own in reversed(words):
        unit = own or unit
        found.append((number, unit))
    with_unit = next((f"{n} {u}" for n, u in words if u), None)
    for number, own in found:
        if with_unit is not None and not own and float(number) != 0.0:
            raise InputError(field, number, f"has no unit behind {with_unit}: give it one")
    return found[::-1]


def _value(number: str, unit: str | None, dimension: str) -> float:
    from gough.documents.units import quantity

    return quantity("", f"{number} {unit}", dimension) if unit else float(number)


def option_parser(field: str, kind: str) -> Callable[[str | float], Entered]:
    """How an option with one number is read; `kind`: its dimension, or several with | between (of actuators that slide
    and of those that turn), "bandwidth" (rad/s or Hz), or "hours"."""

    def parse(value: str | float) -> Entered:
        try:
            return _entered(field, str(value), kind)
        except InputError as error:
            raise typer.BadParameter(f"got {error.value!r}; {error.allowed}") from None

    return parse


def _entered(field: str, text: str, kind: str) -> Entered:
    words = _numbers_and_units(text)
    if words is None or len(words) != 1:
        raise InputError(field, text, "must be a number, or a number and its unit")
    (number, unit), *_ = words
    if not isfinite(float(number)):
        raise InputError(field, text, "must be finite")
    if not unit:
        return Entered(float(number), None)
    if kind == "bandwidth":
        from gough.documents.kinds import bandwidth

        return Entered(bandwidth().convert(f"{number} {unit}"), "rate")
    if kind == "hours":
        return Entered(_value(number, unit, "time") / 3600.0, "time")
    dimensions = kind.split("|")
    for dimension in dimensions[:-1]:
        try:
            return Entered(_value(number, unit, dimension), dimension)
        except InputError:
            continue
    return Entered(_value(number, unit, dimensions[-1]), dimensions[-1])


TURNING = {"angle", "rate", "torque", "angular acceleration", "angular jerk", "rotary stiffness"}


def actuator_dimensions(platform: Platform, sliding: str, turning: str) -> tuple[str, ...]:
    """What a number of each leg is: `sliding`, or `turning` of a crank."""
    from gough.model import CRANKS

    return tuple(turning if isinstance(leg, CRANKS) else sliding for leg in platform.legs)


def check_actuators(platform: Platform, **given: float | None) -> None:
    """Refuse units of sliding actuators where all of a machine turn, and the other way round."""
    from gough.model import CRANKS

    turns = {isinstance(leg, CRANKS) for leg in platform.legs}
    for field, value in given.items():
        dimension = value.dimension if isinstance(value, Entered) else None
        if dimension is not None and turns == {dimension not in TURNING}:
            what = "turn" if True in turns else "slide"
            raise InputError(field, float(value or 0.0), f"is a {dimension}: the actuators {what}")
