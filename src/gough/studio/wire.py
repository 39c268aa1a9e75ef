"""Messages as JSON text: reading with every check, writing without NaN; answers with arrays as binary frames."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Union

import numpy as np

from gough.studio import cueing_messages, messages
from gough.studio.frames import Arrays

LARGEST = 1_000_000  # characters of one message
LONGEST_LIST = 4096
DEEPEST = 12


class MessageError(ValueError):
    """A message that cannot be understood; the text says why and goes back to the sender."""


_BY_NAME = {cls.__name__: cls for cls in cueing_messages.REQUESTS}
Reader = Callable[[Any, str, int], Any]  # value, where it stands, how deep


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
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53
        else 0
    )


def encode(answer: Any) -> str | bytes:
    """An answer as one message: JSON text, NaN and infinity as null, or with arrays a binary frame (`frames`)."""
    data = {"type": type(answer).__name__, **vars(answer)}
    try:
        return _written(data)
    except ValueError:
        return _written(clean(data))


def _written(data: dict[str, Any]) -> str | bytes:
    arrays = Arrays()

    def other(value: Any) -> Any:
        return arrays.put(value) if isinstance(value, np.ndarray) else vars(value)

    text = json.dumps(data, allow_nan=False, separators=(",", ":"), default=other)
    return arrays.frame(text) if arrays.parts else text


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
    readers, required = _fields(cls)
    unknown = data.keys() - readers.keys()
    if unknown:
        raise MessageError(f"{where} has no field {min(map(str, unknown))!r}")
    for name in required:
        if name not in data:
            raise MessageError(f"{where} needs {name!r}")
    return cls(
        **{name: readers[name](value, f"{where}.{name}", depth + 1) for name, value in data.items()}
    )


@cache
def _fields(cls: type) -> tuple[dict[str, Reader], tuple[str, ...]]:
    """How to read each field of a message, and which ones must be there; made once."""
    hints, fields = typing.get_type_hints(cls), dataclasses.fields(cls)
    readers = {f.name: _reader(hints[f.name], f.metadata.get("length")) for f in fields}
    return readers, tuple(f.name for f in fields if f.default is dataclasses.MISSING)


def _reader(hint: Any, length: tuple[int, ...] | None = None) -> Reader:
    """The function that checks a value of this type; `length`: how many items a list may have."""
    simple: dict[Any, Reader] = {float: _number, int: _whole, str: _text, bool: _flag}
    if hint in simple:
        return simple[hint]
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = _reader(next(h for h in typing.get_args(hint) if h is not type(None)), length)
        return lambda value, where, depth: None if value is None else inner(value, where, depth)
    if origin is tuple:
        return partial(_list, _reader(typing.get_args(hint)[0]), length)
    return partial(_object, None if origin is dict else hint)


def _list(
    item: Reader, length: tuple[int, ...] | None, value: Any, where: str, depth: int
) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) > LONGEST_LIST:
        raise MessageError(f"{where} must be a list of at most {LONGEST_LIST}")
    if length is not None and len(value) not in length:
        raise MessageError(
            f"{where} must have {' or '.join(map(str, length))} numbers, got {len(value)}"
        )
    return tuple([item(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)])


def _object(cls: type | None, value: Any, where: str, depth: int) -> Any:
    if not isinstance(value, dict):
        raise MessageError(f"{where} must be an object")
    if cls is not None:
        return _build(cls, value, where, depth)
    _check_depth(value, where, depth)
    return value


def _whole(value: Any, where: str, _: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**53:
        raise MessageError(f"{where} must be a whole number")
    return value


def _text(value: Any, where: str, _: int) -> str:
    if not isinstance(value, str):
        raise MessageError(f"{where} must be text")
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise MessageError(f"{where} holds half of a character")
    return value


def _flag(value: Any, where: str, _: int) -> bool:
    if not isinstance(value, bool):
        raise MessageError(f"{where} must be true or false")
    return value


def _number(value: Any, where: str, _: int) -> float:
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
    if isinstance(value, str):
        _text(value, where, depth)
    items = (
        (*value, *value.values())
        if isinstance(value, dict)
        else value
        if isinstance(value, list)
        else ()
    )
    if len(items) > LONGEST_LIST:
        raise MessageError(f"{where} holds a list of {len(items)}; at most {LONGEST_LIST} are read")
    for item in items:
        _check_depth(item, where, depth + 1)
