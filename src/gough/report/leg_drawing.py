"""One leg of a machine in a 3D figure: what drives it, its parts, the axes of its universal joints, its twist."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.model import Leg
from gough.spatial import Pose, rotation_exp

INK = "#333333"
_ROUND = {"solid_capstyle": "round"}


def segment(axes: Any, a: Array, b: Array, **style: Any) -> None:
    """A line from a to b."""
    axes.plot(*np.stack([a, b]).T, **style)


def draw_leg(
    axes: Any, leg: Leg, pose: Pose, ends: tuple[Array, Array], coordinate: float, color: str
) -> None:
    """The leg with its strut from ``ends[0]`` to ``ends[1]``, m.

    A leg of two parts is thick as far as the lower one goes; one that no actuator drives (a fixed link) is one line.
    Universal joints show both their axes and, where these do not meet, what lies between them; where the parts turn, a
    bar on either shows by its side how far.
    """
    low, high = ends
    own: Any = leg
    if hasattr(leg, "rail"):
        _rail(axes, own, coordinate)
    elif hasattr(leg, "shaft"):
        segment(axes, own.base, low, color=INK, linewidth=3.0, zorder=3)
    driven = getattr(leg, "fixed", None) is None and hasattr(leg, "lower")
    segment(axes, low, high, color=color, linewidth=1.6 if driven else 2.4, zorder=4, **_ROUND)
    middle = low + 0.55 * (high - low)
    if driven:
        segment(axes, low, middle, color=color, linewidth=3.6, zorder=4, **_ROUND)
    size = 0.045 * float(np.linalg.norm(high - low))
    s = (high - low) / np.linalg.norm(high - low)
    joints = [(low, k, getattr(leg, "base_offset", None)) for k in _base_axis(own, coordinate)]
    top = [pose.rotation @ k for k in _field(leg, "platform_axis")]
    joints += [(high, k, getattr(leg, "platform_offset", None)) for k in top]
    sides = [_cross(axes, at, k, s, size, offset) for at, k, offset in joints]
    if driven and len(sides) == 2:
        for y, start, stop in ((sides[0], 0.35, 0.55), (sides[1], 0.55, 0.75)):
            out = 0.4 * size * y
            a, b = (low + share * (high - low) + out for share in (start, stop))
            segment(axes, a, b, color=INK, linewidth=1.4, zorder=5)


def _field(leg: Leg, name: str) -> list[Array]:
    return [getattr(leg, name)] if hasattr(leg, name) else []


def _base_axis(leg: Any, coordinate: float) -> list[Array]:
    """First axis of the universal joint on the base, the slider or the crank, if there is one."""
    turned = rotation_exp(coordinate * leg.shaft) if hasattr(leg, "shaft") else np.eye(3)
    return [turned @ k for k in _field(leg, "axis")]


def _cross(axes: Any, at: Array, k: Array, s: Array, size: float, offset: Any) -> Array:
    """Both axes of a universal joint where the leg's axis ends at `at`, and what lies between them where they do not
    meet; the second axis, which is the leg's."""
    y = np.cross(k, s)
    y = y / np.linalg.norm(y)
    pin = first = at
    if offset is not None:
        pin = at - offset.f * y - offset.d * np.cross(s, y)
        first = pin - offset.e * np.cross(y, k)
        for a, b in ((first, pin), (pin, at)):
            segment(axes, a, b, color=INK, linewidth=2.6, zorder=5.5)
    for center, direction, width in ((first, k, 1.0), (pin, y, 1.8)):
        arm = size * direction
        segment(axes, center - arm, center + arm, color=INK, linewidth=width, zorder=6)
    return y


def _rail(axes: Any, leg: Any, coordinate: float) -> None:
    low, high = (min(0.0, coordinate), max(0.0, coordinate))
    if leg.limits.stroke is not None:
        low, high = leg.limits.stroke
    ends = [leg.base + x * leg.rail for x in (low, high)]
    segment(axes, *ends, color=INK, linewidth=1.6, zorder=2)
