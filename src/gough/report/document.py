"""A machine as a JSON document for the page, and back; and what the page needs to draw it.

The document spells out every field of every leg (no shared defaults), SI and radians, so that an edit is a change of
one value at one path.  Building the machine again runs all its checks, and an error names that same path.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from gough.checks import Array, GoughError, InputError
from gough.limits import cone_axes
from gough.model import PUS, RUS, SPS, UPS, Body, Drive, Friction, Leg, Limits, Platform, Source
from gough.model.body import collected_warnings
from gough.spatial import Pose
from gough.struts import struts

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


def drawing(platform: Platform) -> dict[str, Any]:
    """What the page draws, beyond the document: home struts, cone axes, sizes, a home pose."""
    home = platform.likely_home
    g = struts(platform, home)
    size = float(np.ptp(np.vstack([platform.base_joints, g.end[np.isfinite(g.end).all(axis=-1)]]), axis=0).max())
    base, top = cone_axes(platform)
    return {
        "kinds": list(platform.kinds),
        "names": list(platform.leg_names),
        "home": {"position": home.position.tolist(), "quaternion": home.quaternion.tolist()},
        "start": _finite(g.start), "end": _finite(g.end), "coordinate": _finite(g.coordinate),
        "size": size,
        "base_axes": _axes(base),
        "platform_axes": _axes(top),
        "up": platform.up.tolist(),
        "range": pose_range(platform, home, g.coordinate),
    }


def _axes(axes: Array) -> list[list[float] | None]:
    return [None if np.isnan(a[0]) else a.tolist() for a in axes]


def pose_range(platform: Platform, home: Pose, coordinate: Array) -> dict[str, Any]:
    """How far the sliders of the page go: about the travel of the legs, m and rad."""
    strokes = [float(np.ptp(leg.limits.stroke)) for leg in platform.legs
               if leg.limits.stroke is not None and not isinstance(leg, RUS)]
    struts_of = [getattr(leg, "length", float(l)) for leg, l in zip(platform.legs, coordinate, strict=True)]
    size = max(struts_of)
    reach = 0.8 * max(strokes) if strokes else 0.3 * size
    reach = float(f"{reach:.1g}") or 0.1
    return {"travel": reach, "turn": float(np.deg2rad(40.0)), "middle": home.position.tolist()}


def sheet(platform: Platform) -> dict[str, Any]:
    """The machine in figures: masses, source, limits, for the machine sheet."""
    moving = platform.body.mass + sum(_leg_mass(leg) for leg in platform.legs)
    return {
        "name": platform.name, "kinds": list(platform.kinds), "platform_mass": platform.body.mass,
        "leg_mass": [_leg_mass(leg) for leg in platform.legs], "moving_mass": moving,
        "characteristic_length": platform.characteristic_length,
        "source": to_document(platform)["source"],
    }


def with_payload(platform: Platform, mass: float, center: Any, inertia: Any) -> Platform:
    """`platform` carrying one more body, rigidly: masses added, tensors moved to the common center."""
    if mass == 0.0 and not np.any(inertia):
        return platform
    with collected_warnings():
        extra = Body(mass, center, inertia)
        return platform.replace(body=add_bodies(platform.body, extra))


def add_bodies(a: Body, b: Body) -> Body:
    """Two bodies in the same axes as one: ``I = sum I_i + m_i (d.d E - d d^T)``, d from the common center."""
    mass = a.mass + b.mass
    if mass == 0.0:
        return Body(0.0, a.center, a.inertia + b.inertia)
    center = (a.mass * a.center + b.mass * b.center) / mass
    inertia = np.zeros((3, 3))
    for body in (a, b):
        d = body.center - center
        inertia += body.inertia + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Body(mass, center, inertia)


def _leg_mass(leg: Leg) -> float:
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


def _finite(a: Array) -> Any:
    return np.where(np.isfinite(a), a, 0.0).tolist()


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
