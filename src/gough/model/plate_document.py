"""The tables `base_shape` and `platform_shape` of machine files."""

from __future__ import annotations

from typing import Any

from gough.checks import InputError
from gough.documents import kinds as k
from gough.documents.reader import Keyed, Value, need
from gough.model.plate import Plate

_PAIR = k.listed("length", count=2, allowed="must be two lengths, x and y")


def _corners(value: Any) -> list[list[float]]:
    """Corners of an outline, two lengths each."""
    if not isinstance(value, list):
        raise InputError("", value, "must be a list of corners, two lengths each")
    corners = []
    for i, corner in enumerate(value):
        try:
            corners.append(_PAIR.convert(corner))
        except InputError as error:
            raise InputError(f"[{i}]{error.field}", error.value, error.allowed) from None
    return corners


PLATE = Keyed(
    "Plate",
    {
        "bottom": need(k.scalar("length")),
        "top": need(k.scalar("length")),
        "radius": k.scalar("length", above=0),
        "center": _PAIR,
        "outline": Value(_corners, {"type": "array", "items": _PAIR.schema({})}),
        "spared": k.scalar("length", minimum=0),
    },
    Plate,
)
