"""Tables of machine files that say where something is: poses in any convention, frames, encoders, strokes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gough.checks import InputError
from gough.documents import kinds as k
from gough.documents.reader import Keyed, Value, ValueKind, each, need
from gough.documents.units import quantity, unit_names
from gough.model.encoder import Encoder
from gough.model.frames import Frames
from gough.model.limits import Limits
from gough.orientations import check_convention, to_rotation
from gough.spatial import Pose

TURNS = ("rpy", "quaternion", "rotation", "angles")
_ABOUT = re.compile(r"\s*(?:±|\+-|\+/-)\s*")


def _numbers(value: Any) -> list[float]:
    """Angles by their unit, or the four bare numbers of a quaternion."""
    if isinstance(value, list) and len(value) == 4:
        return k.listed("pure number", count=4).convert(value)
    return k.vector("angle").convert(value)


def _convention(value: Any) -> str:
    return check_convention("", value)


convention = Value(_convention, {"type": "string"})
pose_fields: dict[str, Any] = {
    "rpy": k.vector("angle"),
    "quaternion": k.listed("pure number", count=4, allowed="must be four numbers"),
    "rotation": k.rotation,
    "angles": Value(_numbers, {"anyOf": [{"type": "array"}, {"type": "string"}]}),
    "convention": convention,
    "nearest": k.flag,
}


def read_pose(
    position: list[float], convention: str | None = None, nearest: bool = False, **turns: Any
) -> Pose:
    """A pose of the keys of its table: at most one of `TURNS`, `angles` with their `convention`."""
    first, second = [*turns, None, None][:2]
    if second is not None:
        raise InputError(second, turns[second], f"is given beside {first}; keep one")
    if (convention is not None) != (first == "angles"):
        raise InputError("convention", convention, "belongs to angles, and angles need one")
    if nearest and first != "rotation":
        raise InputError("nearest", True, "belongs to a rotation given as a matrix")
    if convention is not None:
        return Pose(np.array(position), to_rotation(convention, turns["angles"]))
    if first == "quaternion":
        return Pose.from_quaternion(position, turns["quaternion"])
    if first == "rotation":
        make = Pose.nearest if nearest else Pose.from_matrix
        return make(position, turns["rotation"])
    return Pose.from_rpy(position, turns.get("rpy", (0.0, 0.0, 0.0)))


POSE = Keyed("Pose", {"position": need(k.length_vector), **pose_fields}, read_pose)
_AT = Keyed(
    "FramePose",
    {"position": k.length_vector, **pose_fields},
    lambda position=(0.0, 0.0, 0.0), **turns: read_pose(list(position), **turns),
)
FRAMES = Keyed(
    "Frames",
    {**each(_AT, "work", "tool"), "pivot": k.length_vector, "convention": convention},
    Frames,
)


def stroke(dimension: str) -> ValueKind[Any]:
    """Two quantities, min and max; or text with ±: as far to both sides of home, as vendors write it."""
    absolute = k.interval(dimension)

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return absolute.convert(value)
        sign = _ABOUT.match(value)
        if sign is None:
            said = f'must be [min, max], or text like "±14 {unit_names(dimension)[0]}" about home'
            raise InputError("", value, said)
        half = quantity("", value[sign.end() :], dimension)
        if not half > 0.0:
            raise InputError("", value, "must be greater than 0")
        return AboutHome([-half, half])

    text = {"type": "string", "description": f'"± <number> {unit_names(dimension)[0]}" about home'}
    return Value(convert, {"anyOf": [absolute.schema({}), text]})


class AboutHome(list[float]):
    """A stroke that is counted from the coordinate at home."""


def read_limits(stroke: Any = None, about_home: bool | None = None, **given: Any) -> Limits:
    """Limits of a leg; a stroke written with ± is about home."""
    if not isinstance(stroke, AboutHome):
        return Limits(stroke=stroke, about_home=bool(about_home), **given)
    if about_home is False:
        raise InputError("about_home", False, "a stroke written with ± is about home")
    return Limits(stroke=list(stroke), about_home=True, **given)  # type: ignore[arg-type]


def encoder(kind: str, travel: str) -> Keyed[Encoder]:
    """How the coordinate of a linear or rotary actuator is read; zero = "home": counted from there."""
    place = k.scalar(travel)

    def zero(value: Any) -> float | None:
        return None if value == "home" else place.convert(value)

    fields = {
        "zero": Value(zero, {"anyOf": [place.schema({}), {"const": "home"}]}),
        **each(k.scalar("pure number"), "scale", "offset"),
        "unit": k.text,
        "about_home": k.flag,
    }
    return Keyed(f"{kind}Encoder", fields, _encoder)


def _encoder(zero: float | None = 0.0, about_home: bool | None = None, **given: Any) -> Encoder:
    if zero is None and about_home is False:
        raise InputError("about_home", False, 'zero = "home" is about home')
    return Encoder(zero=zero or 0.0, about_home=bool(about_home or zero is None), **given)
