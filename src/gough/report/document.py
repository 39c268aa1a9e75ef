"""A machine as a JSON document for the page, and back; and what the page needs to draw it.

The document spells out every field of every leg (no shared defaults), SI and radians, so that an edit is a change of
one value at one path.  Building the machine again runs all its checks, and an error names that same path.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from gough.analysis.limits import cone_axes
from gough.analysis.struts import struts
from gough.checks import Array
from gough.model import RUS, Body, Leg, Platform
from gough.model.body import collected_warnings
from gough.model.document import platform_from
from gough.spatial import Pose


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
    """The machine and its warnings; the `DocumentError` names the path of every bad value."""
    with collected_warnings() as about:
        platform, notes = platform_from(document)
    return platform, tuple(dict.fromkeys([*notes, *about]))


def drawing(platform: Platform) -> dict[str, Any]:
    """What the page draws, beyond the document: home struts, cone axes, sizes, a home pose."""
    home = platform.home or Pose(guess_home(platform))
    g = struts(platform, home)
    size = float(np.ptp(np.vstack([platform.base_joints, g.end[np.isfinite(g.end).all(axis=-1)]]), axis=0).max())
    base, top = cone_axes(platform)
    return {
        "kinds": list(platform.kinds),
        "names": list(platform.leg_names),
        "home": {"position": home.position.tolist(), "quaternion": home.quaternion.tolist()},
        "start": _finite(g.start), "end": _finite(g.end), "coordinate": _finite(g.coordinate),
        "size": size,
        "base_axes": [None if a is None else a.tolist() for a in base],
        "platform_axes": [None if a is None else a.tolist() for a in top],
        "up": _up(platform).tolist(),
        "range": pose_range(platform, home, g.coordinate),
    }


def pose_range(platform: Platform, home: Pose, coordinate: Array) -> dict[str, Any]:
    """How far the sliders of the page go: about the travel of the legs, m and rad."""
    strokes = [float(np.ptp(leg.limits.stroke)) for leg in platform.legs
               if leg.limits.stroke is not None and not isinstance(leg, RUS)]
    struts_of = [getattr(leg, "length", float(l)) for leg, l in zip(platform.legs, coordinate, strict=True)]
    size = max(struts_of)
    reach = 0.8 * max(strokes) if strokes else 0.3 * size
    reach = float(f"{reach:.1g}") or 0.1
    return {"travel": reach, "turn": float(np.deg2rad(40.0)), "middle": home.position.tolist()}


def guess_home(platform: Platform) -> Array:
    """A position to start from when the machine has no home: above the base by its size."""
    b = platform.base_joints
    size = float(np.ptp(b, axis=0).max()) or 1.0
    return b.mean(axis=0) + size * _up(platform)


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


def _up(platform: Platform) -> Array:
    g = platform.gravity
    n = float(np.linalg.norm(g))
    return -g / n if n > 0 else np.array([0.0, 0.0, 1.0])


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
