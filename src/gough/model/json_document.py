"""A machine as a JSON document, and back; its masses in figures.

The document spells out every field of every leg (no shared defaults), SI and radians, so that an edit is a change of
one value at one path.  Building the machine again runs all its checks, and an error names that same path.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from gough.checks import GoughError, InputError
from gough.model.body import Body, Friction, collected_warnings
from gough.model.drive import Drive
from gough.model.legs import PUS, RUS, SPS, UPS, Leg
from gough.model.limits import Limits
from gough.model.platform import Platform, Source
from gough.spatial import Pose

_LEGS: dict[str, type] = {"UPS": UPS, "SPS": SPS, "PUS": PUS, "RUS": RUS}
_PARTS: dict[str, type] = {"lower": Body, "upper": Body, "link": Body, "crank": Body, "friction": Friction,
                           "limits": Limits, "drive": Drive}


def to_document(platform: Platform) -> dict[str, Any]:
    """Every number of `platform`, as JSON."""
    home = platform.home
    return {
        "name": platform.name,
        "gravity": platform.gravity.tolist(),
        "home": None if home is None else {"position": home.position.tolist(), "rotation": home.rotation.tolist()},
        "source": {k: list(v) if isinstance(v, tuple) else v for k, v in _fields(platform.source).items()},
        "body": _plain(platform.body),
        "legs": [{"type": kind, **_plain(leg)} for kind, leg in zip(platform.kinds, platform.legs, strict=True)],
    }


def from_document(document: dict[str, Any]) -> tuple[Platform, tuple[str, ...]]:
    """The machine and its warnings; `InputError` names the path of a bad value."""
    allowed = {"name", "gravity", "home", "source", "body", "legs"}
    _known("", document, allowed)
    with collected_warnings() as notes:
        body = _part("body", Body, document.get("body"))
        raw = document.get("legs")
        if not isinstance(raw, list) or len(raw) != 6:
            raise InputError("legs", raw if not isinstance(raw, list) else f"{len(raw)} legs", "must be six legs")
        legs = [_leg(f"legs[{i}]", leg) for i, leg in enumerate(raw)]
        home = _home(document.get("home"))
        source = _source(document.get("source"))
        name = document.get("name", "")
        if not isinstance(name, str):
            raise InputError("name", name, "must be text")
        platform = Platform(body, legs, document.get("gravity", (0.0, 0.0, -9.81)), home, name, source)
    return platform, tuple(dict.fromkeys(notes))


def sheet(platform: Platform) -> dict[str, Any]:
    """The machine in figures: masses, source, limits, for the machine sheet."""
    moving = platform.body.mass + sum(leg_mass(leg) for leg in platform.legs)
    return {
        "name": platform.name, "kinds": list(platform.kinds), "platform_mass": platform.body.mass,
        "leg_mass": [leg_mass(leg) for leg in platform.legs], "moving_mass": moving,
        "characteristic_length": platform.characteristic_length,
        "source": to_document(platform)["source"],
    }


def leg_mass(leg: Leg) -> float:
    """Mass of all bodies of a leg, kg."""
    bodies = [getattr(leg, n) for n in ("lower", "upper", "link", "crank") if hasattr(leg, n)]
    return float(sum(body.mass for body in bodies) + getattr(leg, "slider_mass", 0.0))


def _fields(item: Any) -> dict[str, Any]:
    return {f.name: getattr(item, f.name) for f in dataclasses.fields(item)}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {k: _plain(v) for k, v in _fields(value).items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _known(where: str, data: Any, allowed: Any) -> None:
    if not isinstance(data, dict):
        raise InputError(where or "document", data, "must be an object")
    for key in data:
        if key not in allowed:
            raise InputError(f"{where}.{key}" if where else str(key), data[key], "is not a field of it")


def _part(where: str, cls: type, data: Any) -> Any:
    names = [f.name for f in dataclasses.fields(cls)]
    _known(where, data, names)
    try:
        return cls(**data)
    except GoughError as error:
        raise error.within(where) from None
    except TypeError as error:
        raise InputError(where, data, str(error)) from None


def _leg(where: str, data: Any) -> Leg:
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _LEGS:
        raise InputError(f"{where}.type", kind, "must be UPS, SPS, PUS or RUS")
    cls = _LEGS[kind]
    fields = {k: v for k, v in data.items() if k != "type"}
    _known(where, fields, [f.name for f in dataclasses.fields(cls)])
    for name, part in _PARTS.items():
        if name in fields and not (name == "drive" and fields[name] is None):
            fields[name] = _part(f"{where}.{name}", part, fields[name])
    if not isinstance(fields.get("name", ""), str):
        raise InputError(f"{where}.name", fields["name"], "must be text")
    return _part(where, cls, fields)


def _home(data: Any) -> Pose | None:
    return None if data is None else _part("home", Pose, data)


def _source(data: Any) -> Source:
    if data is None:
        return Source()
    _known("source", data, [f.name for f in dataclasses.fields(Source)])
    values: dict[str, Any] = {}
    for key, value in data.items():
        lines = isinstance(value, list) and all(isinstance(line, str) for line in value)
        if key in ("errata", "chosen") and lines:
            values[key] = tuple(value)
        elif isinstance(value, str) and key not in ("errata", "chosen"):
            values[key] = value
        else:
            raise InputError(f"source.{key}", value, "must be text (errata, chosen: a list of texts)")
    return Source(**values)
