"""Messages as JSON text: reading with every check, writing without NaN."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from typing import Any, Union

from gough.studio import messages

LARGEST = 1_000_000  # characters of one message
LONGEST_LIST = 4096
DEEPEST = 12


class MessageError(ValueError):
    """A message that cannot be understood; the text says why and goes back to the sender."""


_BY_NAME = {cls.__name__: cls for cls in messages.REQUESTS}
_HINTS: dict[type, dict[str, Any]] = {}


def decode(text: str | bytes) -> messages.Request:
    """A request from the text of one message; `MessageError` says what is wrong with it."""
    if len(text) > LARGEST:
        raise MessageError(f"message of {len(text)} characters; at most {LARGEST} are read")
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise MessageError("message is nested too deeply") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise MessageError(f"message is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise MessageError("message must be a JSON object")
    cls = _BY_NAME.get(data.pop("type", None)) if isinstance(data.get("type"), str) else None
    if cls is None:
        raise MessageError("message needs a `type`: one of " + ", ".join(_BY_NAME))
    return _build(cls, data, cls.__name__, 0)


def request_id(text: str | bytes) -> int:
    """The id of a message, however broken the rest is; 0 when there is none."""
    if len(text) > LARGEST:
        return 0
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    value = data.get("id") if isinstance(data, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else 0


def encode(answer: Any) -> str:
    """An answer as the text of one message; NaN and infinity become null."""
    data = {"type": type(answer).__name__,
            **{f.name: getattr(answer, f.name) for f in dataclasses.fields(answer)}}
    try:
        return json.dumps(data, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(clean(data), allow_nan=False, separators=(",", ":"))


def clean(value: Any) -> Any:
    """`value` with NaN and infinity as None, tuples as lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    return value


def _refuse_constant(name: str) -> float:
    raise MessageError(f"{name} is not a number that can be used")


def _build(cls: type, data: dict[str, Any], where: str, depth: int) -> Any:
    if cls not in _HINTS:
        _HINTS[cls] = typing.get_type_hints(cls)
    hints = _HINTS[cls]
    fields = {f.name: f for f in dataclasses.fields(cls)}
    unknown = sorted(str(k) for k in set(data) - set(fields))
    if unknown:
        raise MessageError(f"{where} has no field {unknown[0]!r}")
    values = {}
    for name, f in fields.items():
        if name in data:
            values[name] = _convert(hints[name], data[name], f"{where}.{name}", depth + 1, f.metadata.get("length"))
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise MessageError(f"{where} needs {name!r}")
    return cls(**values)


def _convert(hint: Any, value: Any, where: str, depth: int, length: tuple[int, ...] | None = None) -> Any:
    if hint is float:
        return _number(value, where)
    if hint is int:
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**53:
            raise MessageError(f"{where} must be a whole number")
        return value
    if hint in (str, bool):
        if not isinstance(value, hint):
            raise MessageError(f"{where} must be {'text' if hint is str else 'true or false'}")
        return value
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = [h for h in typing.get_args(hint) if h is not type(None)]
        return None if value is None else _convert(inner[0], value, where, depth, length)
    if origin is tuple:
        if not isinstance(value, list) or len(value) > LONGEST_LIST:
            raise MessageError(f"{where} must be a list of at most {LONGEST_LIST}")
        if length is not None and len(value) not in length:
            raise MessageError(f"{where} must have {' or '.join(map(str, length))} numbers, got {len(value)}")
        item = typing.get_args(hint)[0]
        return tuple(_convert(item, v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value))
    if not isinstance(value, dict):
        raise MessageError(f"{where} must be an object")
    if origin is dict:
        _check_depth(value, where, depth)
        return value
    return _build(hint, value, where, depth)


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MessageError(f"{where} must be a number")
    try:
        x = float(value)
    except OverflowError:
        raise MessageError(f"{where} is too large") from None
    if not math.isfinite(x):
        raise MessageError(f"{where} must be finite")
    return x


def _check_depth(value: Any, where: str, depth: int) -> None:
    if depth > DEEPEST:
        raise MessageError(f"{where} is nested too deeply")
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        _check_depth(item, where, depth + 1)
