"""Strokes and zeros of encoders that are counted from home (`about_home`), made absolute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gough.checks import Array, InputError
from gough.model.leg_types import Leg
from gough.spatial import Pose


def relative(leg: Leg) -> bool:
    """Something of the leg is counted from home."""
    return leg.limits.about_home or leg.encoder.about_home


def without_relative(leg: Leg) -> Leg:
    """The leg without what is counted from home: where it is there can then be found."""
    limits = {"stroke": None, "about_home": False} if leg.limits.about_home else {}
    encoder = leg.encoder.replace(about_home=False)
    return leg.replace(limits=leg.limits.replace(**limits), encoder=encoder)


def made_absolute(
    legs: tuple[Leg, ...], home: Pose | None, coordinates: Callable[[], Array]
) -> tuple[Leg, ...]:
    """The legs with absolute strokes and zeros; `coordinates` () -> (6,) of the machine at home, NaN out of reach."""
    if not any(map(relative, legs)):
        return legs
    if home is None:
        which = next(i for i, leg in enumerate(legs) if relative(leg))
        what = "limits.stroke" if legs[which].limits.about_home else "encoder.zero"
        raise InputError(f"legs[{which}].{what}", "about home", "the machine needs a home pose")
    at = coordinates()
    return tuple(
        _absolute(leg, i, float(x)) if relative(leg) else leg
        for i, (leg, x) in enumerate(zip(legs, at, strict=True))
    )


def _absolute(leg: Leg, i: int, at: float) -> Leg:
    if at != at:  # NaN
        what = "limits.stroke" if leg.limits.about_home else "encoder.zero"
        raise InputError(f"legs[{i}].{what}", "about home", "the leg does not reach its home pose")
    new: dict[str, Any] = {}
    if leg.limits.about_home:
        stroke = leg.limits.stroke
        assert stroke is not None
        new["limits"] = leg.limits.replace(stroke=stroke + at, about_home=False)
    if leg.encoder.about_home:
        new["encoder"] = leg.encoder.replace(zero=leg.encoder.zero + at, about_home=False)
    return leg.replace(**new)
