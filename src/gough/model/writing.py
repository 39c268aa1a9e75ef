"""A Platform as TOML text: every number by its shortest exact spelling, shared leg keys once."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from gough.checks import InputError
from gough.model.body import Body
from gough.model.leg_types import Leg
from gough.model.platform import Platform
from gough.spatial import Pose

_DEFAULT = dataclasses.MISSING
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
_ESCAPES |= {"\r": "\\r", "\b": "\\b", "\f": "\\f"}


def dumps(platform: Platform) -> str:
    """`platform` as TOML in SI units; ``loads(dumps(p)) == p`` exactly.

    >>> platform = gough.load("positioner-300")
    >>> print(gough.dumps(platform).splitlines()[0])
    format = 1
    >>> gough.loads(gough.dumps(platform)) == platform
    True
    """
    if not isinstance(platform, Platform):
        raise InputError("platform", platform, "must be a gough.Platform")
    head: dict[str, Any] = {"format": 1}
    if platform.name:
        head["name"] = platform.name
    head["gravity"] = platform.gravity
    parts = [_keys(head)]
    source = {k: v for k, v in _fields(platform.source).items() if v}
    if source:
        parts.append("[source]\n" + _keys(source))
    if platform.home is not None:
        parts.append("[home]\n" + _keys(_pose(platform.home)))
    frames = _table(platform.frames)
    if frames:
        parts.append("[frames]\n" + _keys(frames))
    parts.append(_remarks(platform, "body") + "[body]\n" + _keys(_body(platform.body)))
    for key in ("base_shape", "platform_shape"):
        shape = getattr(platform, key)
        if shape is not None:
            parts.append(f"[{key}]\n" + _keys(_table(shape)))
    shared, legs = _share([_leg(leg) for leg in platform.legs])
    tables = ["[leg_defaults]\n" + _keys(shared)] if shared else []
    tables += ["[[legs]]\n" + _keys(leg) for leg in legs]
    tables[0] = _remarks(platform, "legs") + tables[0]
    return "\n".join([*parts, *tables])


def _remarks(platform: Platform, table: str) -> str:
    """Comments above a table: what of it was chosen, not given (`source.chosen` says it too, and is read again)."""
    told = (said.partition(": ") for said in platform.source.chosen)
    return "".join(f"# {' '.join(why.split())}\n" for about, _, why in told if about == table)


def _share(legs: list[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Keys with the same text in all six legs, and what is left of each leg."""
    if len({leg["type"] for leg in legs}) > 1:
        return {}, legs
    first = legs[0]
    same = {
        k for k in first if all(k in leg and _value(leg[k]) == _value(first[k]) for leg in legs)
    }
    return {k: first[k] for k in first if k in same}, [
        {k: v for k, v in leg.items() if k not in same} for leg in legs
    ]


def _leg(leg: Leg) -> dict[str, Any]:
    return {"type": type(leg).__name__, **_table(leg)}


def _table(item: Any) -> dict[str, Any]:
    """Fields of a model object that differ from their defaults, nested objects as tables."""
    table: dict[str, Any] = {}
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        default = field.default
        if field.default_factory is not _DEFAULT:
            default = field.default_factory()  # type: ignore[misc]
        if _is_default(value, default):
            continue
        if isinstance(value, (Body, Pose)):
            value = _body(value) if isinstance(value, Body) else _pose(value)
        elif dataclasses.is_dataclass(value):
            value = _table(value)
        table[field.name] = value
    return table


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray) and isinstance(default, np.ndarray):
        return value.tobytes() == np.asarray(default, dtype=float).tobytes()
    return type(value) is type(default) and bool(value == default)


def _body(body: Body) -> dict[str, Any]:
    table: dict[str, Any] = {"mass": body.mass}
    if body.center.any():
        table["center"] = body.center
    if body.inertia.any():
        diagonal = np.diag(body.inertia)
        table["inertia"] = (
            diagonal if np.array_equal(np.diag(diagonal), body.inertia) else body.inertia
        )
    return table


def _pose(pose: Pose) -> dict[str, Any]:
    """Roll-pitch-yaw where that gives the very same matrix, else the matrix."""
    if np.array_equal(pose.rotation, np.eye(3)):
        return {"position": pose.position}
    if Pose.from_rpy(pose.position, pose.rpy) == pose:
        return {"position": pose.position, "rpy": pose.rpy}
    return {"position": pose.position, "rotation": pose.rotation}


def _fields(item: Any) -> dict[str, Any]:
    return {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}


def _keys(table: dict[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, np.ndarray):
        return _value(value.tolist())
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
            if value
            else "{}"
        )
    if isinstance(value, tuple):  # sentences, one a line
        return "[\n" + "".join(f"    {_value(v)},\n" for v in value) + "]"
    return "[" + ", ".join(_value(v) for v in value) + "]"


def _text(value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("text", value, "must be valid Unicode") from None
    plain = {c for c in value if c >= " " and c != "\x7f"}
    return (
        '"' + "".join(_ESCAPES.get(c, c if c in plain else f"\\u{ord(c):04x}") for c in value) + '"'
    )
