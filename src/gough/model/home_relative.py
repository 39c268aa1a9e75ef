"""What a machine takes from its home: strokes and zeros of encoders that are counted from there (`about_home`), made
absolute; elbows and assemblies that were not given, chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.model.leg_types import Leg
from gough.model.legs import FromHome
from gough.spatial import Pose


def open_sign(leg: Leg) -> str | None:
    """The name of the leg's sign if it is to be chosen: `elbow` or `assembly`."""
    return next(
        (n for n in ("elbow", "assembly") if isinstance(getattr(leg, n, 1), FromHome)), None
    )


def signs_chosen(
    legs: tuple[Leg, ...], home: Pose | None, coordinates: Callable[[tuple[Leg, ...]], Array]
) -> tuple[Leg, ...]:
    """The legs with the signs that put the machine where it stands at home; `coordinates` (legs) -> (6,) there.

    Both signs reach the same platform joint.  The one within the stroke is taken, nearest to its middle; without a
    stroke a crank's nearest to zero, and +1 of a slider.  Without a home the signs stay open (+1).
    """
    if home is None or not any(map(open_sign, legs)):
        return legs
    both = [tuple(_signed(leg, sign) for leg in legs) for sign in (1, -1)]
    at = np.array([coordinates(tuple(map(without_relative, made))) for made in both])
    return tuple(
        leg if name is None else made[int(_distance(leg, x[1]) < _distance(leg, x[0]) - 1e-9)]
        for leg, name, x, made in zip(
            legs, map(open_sign, legs), at.T.tolist(), zip(*both, strict=True), strict=True
        )
    )


def _signed(leg: Leg, sign: int) -> Leg:
    name = open_sign(leg)
    return leg if name is None else leg.replace(**{name: sign})


def _distance(leg: Leg, x: float) -> float:
    """How far a coordinate is from where the leg is likely to stand at home; NaN (out of reach) compares as no less."""
    stroke = None if leg.limits.about_home else leg.limits.stroke
    if stroke is not None:
        return abs(x - float(stroke.mean()))
    return abs(x) if open_sign(leg) == "elbow" else 0.0


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
