"""A machine as a JSON document, and back; its masses in figures.

The document spells out every field of every leg (no shared defaults), SI and radians, so that an edit is a change of
one value at one path.  Building the machine again runs all its checks, and an error names that same path.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

import numpy as np

from gough.model.body import collected_warnings
from gough.model.document import platform_from
from gough.model.leg_types import Leg
from gough.model.platform import Platform


def to_document(platform: Platform) -> dict[str, Any]:
    """Every number of `platform`, as JSON."""
    home = platform.home
    return {
        "name": platform.name,
        "gravity": platform.gravity.tolist(),
        "home": None
        if home is None
        else {"position": home.position.tolist(), "rotation": home.rotation.tolist()},
        "source": {
            k: list(v) if isinstance(v, tuple) else v for k, v in _fields(platform.source).items()
        },
        "frames": _plain(platform.frames),
        "body": _plain(platform.body),
        "base_shape": _plain(platform.base_shape),
        "platform_shape": _plain(platform.platform_shape),
        "legs": [
            {"type": kind, **_plain(leg)}
            for kind, leg in zip(platform.kinds, platform.legs, strict=True)
        ],
    }


def fingerprint(platform: Platform) -> str:
    """Hash of every number of `platform`; not of its name, its source, and the frames in which users speak of it."""
    told = to_document(platform)
    numbers = {key: told[key] for key in sorted(told) if key not in ("name", "source", "frames")}
    return hashlib.sha256(json.dumps(numbers).encode()).hexdigest()


def from_document(document: dict[str, Any]) -> tuple[Platform, tuple[str, ...]]:
    """The machine and its warnings; the `DocumentError` names the path of every bad value."""
    with collected_warnings() as about:
        platform, notes = platform_from(document)
    return platform, tuple(dict.fromkeys([*notes, *about]))


def sheet(platform: Platform) -> dict[str, Any]:
    """The machine in figures: masses, source, limits, for the machine sheet."""
    moving = platform.body.mass + sum(leg_mass(leg) for leg in platform.legs)
    return {
        "name": platform.name,
        "kinds": list(platform.kinds),
        "platform_mass": platform.body.mass,
        "leg_mass": [leg_mass(leg) for leg in platform.legs],
        "moving_mass": moving,
        "characteristic_length": platform.characteristic_length,
        "source": to_document(platform)["source"],
    }


def leg_mass(leg: Leg) -> float:
    """Mass of all bodies of a leg, kg."""
    bodies = [getattr(leg, n) for n in ("lower", "upper", "link", "crank") if hasattr(leg, n)]
    joints = (getattr(leg, f"{side}_offset", None) for side in ("base", "platform"))
    bodies += [joint.cross for joint in joints if joint is not None]
    return float(sum(body.mass for body in bodies) + getattr(leg, "slider_mass", 0.0))


def _fields(item: Any) -> dict[str, Any]:
    return {f.name: getattr(item, f.name) for f in dataclasses.fields(item)}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {k: _plain(v) for k, v in _fields(value).items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value
