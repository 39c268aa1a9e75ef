"""Warnings on stderr: poses and motions outside the limits (judged by gough/limits.py), or absurdly far away."""

from __future__ import annotations

from math import degrees, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import GoughError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gough.checks import Array
    from gough.model import Platform
    from gough.spatial import Motion, Pose

FAR = 20.0  # sizes of the machine from its base: nothing stands there
MOST = 3  # broken limits that are told; the others are counted
SAMPLES = (
    20_000  # of a motion that are looked at, evenly; proofs are the business of `gough limits`
)
SAMPLES = (
    20_000  # of a motion that are looked at, evenly; proofs are the business of `gough limits`
)


def outside(
    platform: Platform, where: Pose | Motion, what: str = "the pose", force: Array | None = None
) -> list[str]:
    """Sentences on a pose or a motion that is absurdly far away, or else outside the machine's limits.

    force  (..., 6) efforts, compared with their limits too
    """
    from gough import limits

    where, force = _some(where, force)
    where, force = _some(where, force)
    far = far_away(platform, where, what)
    if far or not where.position.size:
        return far
    try:
        found = limits.check(platform, where, force=force)
    except GoughError as error:  # fixed links do not allow the pose
        return [f"{what}: {error.allowed}"]
    if not found.worst.size or found.worst.min() >= -limits.ROUNDING:
        return []
    broken = found.violations()
    time = getattr(where, "time", None)
    said = [
        f"{what} is outside the limits: {v.sentence}"
        + ("" if time is None else f" (at {float(np.ravel(time)[v.sample]):.4g} s)")
        for v in broken[:MOST]
    ]
    rest = len(broken) - MOST
    return [*said, *([f"{what}: {rest} more limits are broken"] if rest > 0 else [])]


def far_away(platform: Platform, where: Pose | Motion, what: str = "the pose") -> list[str]:
    """A sentence where positions are many sizes of the machine away, as millimeters taken for meters are."""
    b, p = platform.base_joints, platform.platform_joints
    center, home = b.mean(axis=0), platform.likely_home.position
    size = max(
        *(float(np.ptp(x, axis=0).max()) for x in (b, p)), float(np.abs(home - center).max())
    )
    apart = np.linalg.norm(where.position.reshape(-1, 3) - center, axis=1)
    far = float(np.nanmax(apart, initial=0.0))
    if not far > FAR * size:
        return []
    return [
        f"{what} is {far:.4g} m from the base of a machine of {size:.3g} m: "
        f"positions are in m; were millimeters meant?"
    ]


def many_turns(field: str, angles: Iterable[float]) -> list[str]:
    """A sentence where an angle is more than a turn, as degrees taken for radians are."""
    most = max(map(abs, angles), default=0.0)
    if most <= 2 * pi:
        return []
    return [f"{field}: an angle of {most:.4g} rad is {degrees(most):.4g}°; were degrees meant?"]


def _some(where: Any, force: Array | None) -> tuple[Any, Array | None]:
    if len(where.shape) != 1 or len(where) <= SAMPLES:
        return where, force
    at = np.linspace(0, len(where) - 1, SAMPLES).astype(int)
    return where[at], None if force is None else force[at]
