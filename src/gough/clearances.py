"""How far the legs are from the bodies of platform and base, where these have a shape (`gough.Plate`).

A leg is a round rod of its radius about its strut; `spared` of its length next to its own joint on that body is left
out (of a leg that is shorter, all but its other end).  Rails, cranks and sliders are not looked at, nor are the two
bodies against one another.
    platform clearance   in platform axes:  from R^T (c - t) to  joint - R^T (min(spared, |S|) s)
    base clearance       in world axes:     from c + min(spared, |S|) s to t + q           (symbols: gough/struts.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.checks import Array, kept
from gough.plates import plate_table, segment_plate

if TYPE_CHECKING:
    from gough.model import Plate, Platform
    from gough.spatial import Motion, Pose
    from gough.struts import Struts

CLEARANCES = ("platform clearance", "base clearance")
NO_RADIUS = "the leg has no radius"


def plate_of(platform: Platform, kind: str) -> Plate | None:
    """The body that a kind of clearance is about."""
    return platform.platform_shape if kind == CLEARANCES[0] else platform.base_shape


@kept
def needed_clearances(platform: Platform) -> dict[str, Array]:
    """(6,) per kind that the machine has: distance of each strut that the body needs, m; NaN of legs without radius."""
    radius = [leg.limits.radius for leg in platform.legs]
    need = np.array([np.nan if r is None else r for r in radius])
    has = [kind for kind in CLEARANCES if plate_of(platform, kind) is not None]
    return {} if np.isnan(need).all() else dict.fromkeys(has, need)


def judged_segments(
    platform: Platform, kind: str, g: Struts, pose: Pose | Motion
) -> tuple[Array, Array]:
    """(..., 6, 3) both ends of what is judged of the struts, in the axes of the body."""
    plate = plate_of(platform, kind)
    assert plate is not None
    strut = g.end - g.start
    length = np.sqrt((strut * strut).sum(axis=-1, keepdims=True))
    cut = np.minimum(plate.spared, length) * g.direction
    if kind != CLEARANCES[0]:
        return g.start + cut, g.end
    a, b = g.start - pose.position[..., None, :], g.end - cut - pose.position[..., None, :]
    return a @ pose.rotation, b @ pose.rotation


def leg_clearances(platform: Platform, g: Struts, pose: Pose | Motion) -> dict[str, Array]:
    """(..., 6) per kind that the machine has: distances of the struts from the body, m."""
    found = {}
    for kind in needed_clearances(platform):
        plate = plate_of(platform, kind)
        assert plate is not None
        found[kind] = segment_plate(plate_table(plate), *judged_segments(platform, kind, g, pose))[
            0
        ]
    return found


def without_radius(platform: Platform) -> list[tuple[str, int]]:
    """Kinds and legs that cannot be judged against a body that has a shape."""
    has = [kind for kind in CLEARANCES if plate_of(platform, kind) is not None]
    legs = [i for i, leg in enumerate(platform.legs) if leg.limits.radius is None]
    return [(kind, i) for kind in has for i in legs]


def unchecked_clearances(platform: Platform) -> tuple[str, ...]:
    """The same in words."""
    return tuple(
        f"{platform.leg_names[i]}: {kind} not checked: {NO_RADIUS}"
        for kind, i in without_radius(platform)
    )
