"""Kinds of values: how TOML becomes SI numbers, and what an editor should know."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gough import checks
from gough.checks import LARGEST, InputError
from gough.documents.reader import Schema, Value
from gough.documents.source import did_you_mean
from gough.documents.units import plain, quantities, quantity, unit_names

_NUMBER: Schema = {"type": "number"}


def _text_schema(dimension: str, example: str) -> Schema:
    return {
        "type": "string",
        "description": f"{example}; units of {dimension}: {', '.join(unit_names(dimension))}",
    }


def _scalar_schema(dimension: str, **limits: float) -> Schema:
    text = _text_schema(dimension, f'"<number> {unit_names(dimension)[0]}"')
    return {"anyOf": [{**_NUMBER, **limits}, text]}


def _list_schema(items: Schema, count: int = 3) -> Schema:
    return {"type": "array", "items": items, "minItems": count, "maxItems": count}


def _vector_schema(dimension: str) -> Schema:
    text = _text_schema(dimension, f'"1 2 3 {unit_names(dimension)[0]}"')
    return {"anyOf": [_list_schema(_scalar_schema(dimension)), text]}


def scalar(
    dimension: str,
    *,
    minimum: float | None = None,
    above: float | None = None,
    maximum: float | None = None,
) -> Value[float]:
    """One quantity, ``>= minimum``, ``> above``, ``<= maximum``; what is above 0 is at least 1/LARGEST."""
    limits = {"minimum": minimum, "exclusiveMinimum": above, "maximum": maximum}

    def convert(value: Any) -> float:
        x = quantity("", value, dimension)
        if minimum is not None and x < minimum:
            raise InputError("", value, f"must be at least {minimum:g}")
        if above is not None and x <= above:
            raise InputError("", value, f"must be greater than {above:g}")
        if above == 0.0 and x * LARGEST < 1.0:
            raise InputError("", value, f"must be at least {1.0 / LARGEST:g} in SI")
        if maximum is not None and x > maximum:
            raise InputError("", value, f"must be at most {maximum:g}")
        return x

    return Value(
        convert, _scalar_schema(dimension, **{k: v for k, v in limits.items() if v is not None})
    )


def vector(dimension: str) -> Value[list[float]]:
    """Three quantities."""
    return Value(lambda v: quantities("", v, dimension), _vector_schema(dimension))


def interval(dimension: str, least: str = "min", most: str = "max") -> Value[list[float]]:
    """Two quantities, the first smaller."""

    def convert(value: Any) -> list[float]:
        if not isinstance(value, list) or len(value) != 2:
            raise InputError("", value, f"must be a list of two quantities, {least} and {most}")
        low, high = (quantity(f"[{i}]", x, dimension) for i, x in enumerate(value))
        if not low < high:
            raise InputError("", value, f"must be [{least}, {most}] with {least} < {most}")
        return [low, high]

    return Value(convert, _list_schema(_scalar_schema(dimension), 2))


def listed(
    *dimensions: str, count: int | None = None, allowed: str = "must be a list of quantities"
) -> Value[Any]:
    """A list of quantities, the dimensions taking turns by thirds; a bare one is a list of one unless `count`."""

    def convert(value: Any) -> list[float]:
        if count is None and not isinstance(value, list):
            value = [value]
        if not isinstance(value, list) or (count is not None and len(value) != count):
            raise InputError("", value, allowed)
        return [
            quantity(f"[{i}]", x, dimensions[i // 3 % len(dimensions)]) for i, x in enumerate(value)
        ]

    return Value(
        convert, {"type": "array", "items": {"anyOf": [_scalar_schema(d) for d in dimensions]}}
    )


def six(first: str, second: str) -> Value[Any]:
    """Six quantities, or rows of six: three of one dimension, three of another."""
    row = listed(first, second, count=6, allowed="must be six quantities").convert

    def convert(value: Any) -> Any:
        if isinstance(value, list) and value and isinstance(value[0], list):
            return [_inside(f"[{i}]", row, x) for i, x in enumerate(value)]
        return row(value)

    return Value(
        convert, {"type": "array", "items": {"anyOf": [_scalar_schema(first), {"type": "array"}]}}
    )


def _inside(field: str, convert: Callable[[Any], Any], value: Any) -> Any:
    try:
        return convert(value)
    except InputError as error:
        raise InputError(field + error.field, error.value, error.allowed) from None


def numbers(allowed: str, count: int | None = 3) -> Value[list[float]]:
    """A list of bare numbers."""

    def convert(value: Any) -> list[float]:
        if not isinstance(value, list) or (count is not None and len(value) != count):
            raise InputError("", value, allowed)
        return [plain(f"[{i}]", x) for i, x in enumerate(value)]

    return Value(
        convert,
        {"type": "array", "items": _NUMBER} if count is None else _list_schema(_NUMBER, count),
    )


def _per_leg(value: Any) -> Any:
    if isinstance(value, list):
        return [_inside(f"[{i}]", _per_leg, x) for i, x in enumerate(value)]
    return plain("", value, "must be a number, or six of them")


def bandwidth(*, above: float | None = None) -> Value[float]:
    """A rate, rad/s, or a frequency: "10 Hz"."""
    rate, hertz = scalar("rate", above=above), scalar("frequency", above=above)

    def convert(value: Any) -> float:
        if isinstance(value, str) and value.strip().endswith("Hz"):
            return 2 * math.pi * hertz.convert(value)
        return rate.convert(value)

    return Value(convert, _scalar_schema("rate"))


def whole(minimum: int, maximum: int = 2**63 - 1) -> Value[int]:
    """A whole number from `minimum` to `maximum`."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            least = "not negative" if minimum == 0 else f"at least {minimum}"
            raise InputError("", value, f"must be a whole number, {least}")
        if value > maximum:
            raise InputError("", value, f"must be a whole number, at most {maximum}")
        return value

    return Value(convert, {"type": "integer", "minimum": minimum, "maximum": maximum})


def choice(options: Sequence[Any]) -> Value[Any]:
    """One of a few values."""
    single = len(options) == 1
    allowed = (
        f"must be {options[0]}" if single else f"must be one of {', '.join(map(str, options))}"
    )

    def convert(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value not in options:
            hint = did_you_mean(value, map(str, options)) if isinstance(value, str) else ""
            raise InputError("", value, hint + allowed)
        return value

    return Value(convert, {"const": options[0]} if single else {"enum": list(options)})


def checked(kind: Value[Any], check: Callable[[Any], object]) -> Value[Any]:
    """`kind`, and what the model's own `check` of the converted value has to say."""

    def convert(value: Any) -> Any:
        found = kind.convert(value)
        try:
            check(found)
        except InputError as error:
            raise InputError("", value, error.allowed) from None
        return found

    return Value(convert, kind.schema({}))


def _of_type(kind: type, allowed: str, schema: Schema) -> Value[Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, kind):
            raise InputError("", value, allowed)
        return value

    return Value(convert, schema)


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
        raise InputError("", value, "must be a list of texts")
    return value


def _point(value: Any) -> list[float]:
    """Cartesian, or ``{radius, angle, height}`` about the z axis."""
    if not isinstance(value, dict):
        return quantities("", value, "length")
    if set(value) - {"radius", "angle", "height"} or "radius" not in value or "angle" not in value:
        raise InputError("", value, "must be three lengths, or a table {radius, angle, height}")
    r, a = quantity("radius", value["radius"], "length"), quantity("angle", value["angle"], "angle")
    height = quantity("height", value.get("height", 0.0), "length")
    return [r * math.cos(a), r * math.sin(a), height]


def _direction(value: Any) -> list[float]:
    """Three numbers, or ``{angle, elevation}``: about z from x, and above the horizontal."""
    if not isinstance(value, dict):
        found = _triple.convert(value)
        checks.unit("", found)  # the model makes it a unit vector, once
        return found
    if set(value) - {"angle", "elevation"} or "angle" not in value:
        raise InputError("", value, "must be three numbers, or a table {angle, elevation}")
    a = quantity("angle", value["angle"], "angle")
    e = quantity("elevation", value.get("elevation", 0.0), "angle")
    return [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]


def _several(value: Any) -> bool:
    """Text with more than one number in front."""
    words = str(value).replace(",", " ").split()
    return len(words) > 1 and words[1][0] in "+-.0123456789"


def tensor_of(dimension: str, *, single: bool = False) -> Value[Any]:
    """Three rows of three quantities, or the three of a diagonal; `single`: or one quantity."""

    def convert(value: Any) -> Any:
        if isinstance(value, list) and len(value) == 3 and all(isinstance(r, list) for r in value):
            return [quantities(f"[{i}]", row, dimension) for i, row in enumerate(value)]
        if single and not isinstance(value, list) and not _several(value):
            return quantity("", value, dimension)
        return quantities("", value, dimension)

    rows = [*_vector_schema(dimension)["anyOf"], _list_schema(_vector_schema(dimension))]
    return Value(convert, {"anyOf": [*rows, *([_NUMBER] if single else [])]})


def _rows(value: Any) -> list[list[float]]:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError("", value, "must be three rows of three numbers")
    return [_inside(f"[{i}]", _triple.convert, row) for i, row in enumerate(value)]


def _object_schema(**properties: str) -> Schema:
    found = {key: _scalar_schema(dimension) for key, dimension in properties.items()}
    return {"type": "object", "additionalProperties": False, "properties": found}


_triple = numbers("must be a list of three numbers")
text = _of_type(str, "must be text", {"type": "string"})
flag = _of_type(bool, "must be true or false", {"type": "boolean"})
texts = Value(_texts, {"type": "array", "items": {"type": "string"}})
per_leg = Value(_per_leg, {"anyOf": [_NUMBER, {"type": "array"}]})
anything: Value[Any] = Value(lambda value: value, {})
length_vector = vector("length")
_cylindrical = _object_schema(radius="length", angle="angle", height="length")
point = Value(_point, {"anyOf": [*_vector_schema("length")["anyOf"], _cylindrical]})
direction = Value(
    _direction, {"anyOf": [_list_schema(_NUMBER), _object_schema(angle="angle", elevation="angle")]}
)
rotation = Value(_rows, _list_schema(_list_schema(_NUMBER)))
tensor = tensor_of("inertia")
