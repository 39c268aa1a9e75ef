"""Types of the values in a machine file: how TOML becomes SI numbers, and what an editor should know."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

from pydantic_core import core_schema

from gough.checks import InputError
from gough.model import units

_NUMBER = {"type": "number"}


class Reads:
    """How a TOML value becomes numbers (`check`), and what an editor should know about it (`schema`)."""

    def __init__(self, check: Callable[[object], object], schema: dict[str, Any]) -> None:
        self.check, self.schema = check, schema

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return self.schema


def _text(dimension: str, example: str) -> dict[str, Any]:
    return {"type": "string", "description": f"{example}; units of {dimension}: "
            + ", ".join(units.unit_names(dimension))}


def _scalar_schema(dimension: str) -> dict[str, Any]:
    return {"anyOf": [_NUMBER, _text(dimension, f"\"<number> {units.unit_names(dimension)[0]}\"")]}


def _list_schema(items: dict[str, Any], count: int = 3) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": count, "maxItems": count}


def _vector_schema(dimension: str) -> dict[str, Any]:
    text = _text(dimension, f"\"1 2 3 {units.unit_names(dimension)[0]}\"")
    return {"anyOf": [_list_schema(_scalar_schema(dimension)), text]}


def scalar(dimension: str) -> Reads:
    """One quantity."""
    return Reads(lambda v: units.quantity("", v, dimension), _scalar_schema(dimension))


def vector(dimension: str) -> Reads:
    """Three quantities."""
    return Reads(lambda v: units.quantities("", v, dimension), _vector_schema(dimension))


def interval(dimension: str) -> Reads:
    """Two quantities, min and max."""

    def check(value: object) -> list[float]:
        if not isinstance(value, list) or len(value) != 2:
            raise InputError("", value, "must be a list of two quantities, min and max")
        return [units.quantity(f"[{i}]", x, dimension) for i, x in enumerate(value)]

    return Reads(check, _list_schema(_scalar_schema(dimension), 2))


def _point(value: object) -> list[float]:
    """Cartesian, or ``{radius, angle, height}`` about the z axis."""
    if not isinstance(value, dict):
        return units.quantities("", value, "length")
    unknown = sorted(set(value) - {"radius", "angle", "height"})
    if unknown or "radius" not in value or "angle" not in value:
        raise InputError("", value, "must be three lengths, or a table {radius, angle, height}")
    r = units.quantity("radius", value["radius"], "length")
    a = units.quantity("angle", value["angle"], "angle")
    return [r * math.cos(a), r * math.sin(a), units.quantity("height", value.get("height", 0.0), "length")]


def _numbers(value: object) -> list[float]:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError("", value, "must be a list of three numbers")
    return [units.plain(f"[{i}]", x) for i, x in enumerate(value)]


def _direction(value: object) -> list[float]:
    """Three numbers, or ``{angle, elevation}``: about z from x, and above the horizontal."""
    if not isinstance(value, dict):
        return _numbers(value)
    if set(value) - {"angle", "elevation"} or "angle" not in value:
        raise InputError("", value, "must be three numbers, or a table {angle, elevation}")
    a = units.quantity("angle", value["angle"], "angle")
    e = units.quantity("elevation", value.get("elevation", 0.0), "angle")
    return [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]


def _tensor(value: object) -> list[Any]:
    if isinstance(value, list) and len(value) == 3 and all(isinstance(row, list) for row in value):
        return [units.quantities(f"[{i}]", row, "inertia") for i, row in enumerate(value)]
    return units.quantities("", value, "inertia")


def _rows(value: object) -> list[list[float]]:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError("", value, "must be three rows of three numbers")
    return [_numbers(row) for row in value]


_triple = _list_schema(_NUMBER)
_polar = {"type": "object", "additionalProperties": False, "properties": {
    "radius": _scalar_schema("length"), "angle": _scalar_schema("angle"), "height": _scalar_schema("length")}}
_azimuth = {"type": "object", "additionalProperties": False, "properties": {
    "angle": _scalar_schema("angle"), "elevation": _scalar_schema("angle")}}

Length = Annotated[float, scalar("length")]
Angle = Annotated[float, scalar("angle")]
Mass = Annotated[float, scalar("mass")]
Number = Annotated[float, scalar("pure number")]
Torque = Annotated[float, scalar("torque")]
Rate = Annotated[float, scalar("rate")]
RotaryDamping = Annotated[float, scalar("rotary friction")]
LengthVector = Annotated[list[float], vector("length")]
Point = Annotated[list[float], Reads(_point, {"anyOf": [*_vector_schema("length")["anyOf"], _polar]})]
Direction = Annotated[list[float], Reads(_direction, {"anyOf": [_triple, _azimuth]})]
Rotation = Annotated[list[list[float]], Reads(_rows, _list_schema(_triple))]
Tensor = Annotated[list[Any], Reads(_tensor, {"anyOf": [
    *_vector_schema("inertia")["anyOf"], _list_schema(_vector_schema("inertia"))]})]
