"""Workspace at constant orientation: which positions of the platform are within all limits.

A slice is a plane of the world at a level of the third coordinate; each grid point is a pose with the same
rotation, checked for reach, stroke, joint cones, leg-leg distance and clearance of bodies by `gough.limits`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.points import NO_VOLUME
from gough.checks import Array, InputError, array, number
from gough.frozen import hinted
from gough.limits import KINDS, LimitCheck, check
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import CARRIED, Struts, struts

PLANES = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}
MOST_POINTS = 4_000_000


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class WorkspaceSlice:
    """A slice of the constant-orientation workspace.

    plane   "xy", "xz" or "yz"; level: the third coordinate, m
    u, v    (n,), (m,) grid coordinates along the two axes of the plane, m
    margin  (m, n) smallest margin over all limits: positive inside
    reason  (m, n) 0 inside, else 1 + index in `KINDS` of the limit that refuses the point
    area    of the part inside, m^2: cells cut linearly where the margin changes sign
    beyond  (m, n) bool: inside, and the determinant has the other sign there than at home: every motion from home
            passes a singular pose of the machine or a leg; None: without a home that all legs reach there is no side
    """

    plane: str
    level: float
    rotation: Array
    u: Array
    v: Array
    margin: Array
    reason: np.ndarray
    area: float
    limited: bool
    beyond: np.ndarray | None = None

    @property
    def inside(self) -> np.ndarray:
        """(m, n) bool."""
        return self.reason == 0

    def words(self) -> str:
        """The area, and how much of it lies beyond a singularity."""
        if not self.limited:
            return "no stroke, cone or radius limits are set: the slice shows reach only"
        said = f"{self.plane} slice, {self.area:.4g} m² inside all limits"
        if self.beyond is None:
            return f"{said}; on which side of a singularity is not known without a home pose"
        if not self.beyond.any():
            return said
        share = 100.0 * float(self.beyond.sum()) / float(self.inside.sum())
        return (
            f"{said}; {share:.3g} % of its points inside lie beyond a singularity, seen from home"
        )


def workspace_slice(
    platform: Platform,
    rotation: ArrayLike | None = None,
    *,
    plane: str = "xy",
    level: float | None = None,
    center: ArrayLike | None = None,
    width: float | None = None,
    points: int = 81,
) -> WorkspaceSlice:
    """Slice of the workspace at orientation `rotation` (default: that of the home pose).

    level   third coordinate of the plane (default: of the home pose), m
    center  (2,) middle of the square looked at (default: home pose), m;  width: its side, m
    points  grid points per side
    """
    if plane not in PLANES:
        raise InputError("plane", plane, 'must be "xy", "xz" or "yz"')
    if not isinstance(points, (int, np.integer)) or points < 2 or points**2 > MOST_POINTS:
        raise InputError(
            "points", points, f"must be a whole number from 2 to {int(MOST_POINTS**0.5)}"
        )
    refuse_links(platform, NO_VOLUME)
    home = platform.likely_home
    R = home.rotation if rotation is None else array("rotation", rotation, (3, 3))
    i, j, k = PLANES[plane]
    middle = home.position[[i, j]] if center is None else array("center", center, (2,))
    side = number("width", default_width(platform) if width is None else width, above=0.0)
    height = float(home.position[k]) if level is None else number("level", level)
    u = middle[0] + np.linspace(-side / 2, side / 2, int(points))
    v = middle[1] + np.linspace(-side / 2, side / 2, int(points))
    position = np.zeros((len(v), len(u), 3))
    position[..., i], position[..., j], position[..., k] = u[None, :], v[:, None], height
    result = check(platform, Pose(position, R))
    return WorkspaceSlice(
        plane,
        height,
        R,
        u,
        v,
        result.worst,
        result.reason,
        positive_area(result.worst, u, v),
        has_limits(platform),
        _beyond(platform, result),
    )


def _beyond(platform: Platform, found: LimitCheck) -> np.ndarray | None:
    """(...) inside, with the determinant's other sign than at home."""
    if platform.home is None:
        return None
    here = determinant_signs(platform, struts(platform, platform.home))
    if here == 0.0:
        return None
    return found.ok & (determinant_signs(platform, found.geometry) == -here)


def determinant_signs(platform: Platform, g: Struts) -> Array:
    """(...) of the determinant; 0 where a leg does not reach."""
    rows = g.rows_over(platform.characteristic_length)
    good = np.isfinite(rows).all(axis=(-1, -2), keepdims=True)
    return np.sign(np.linalg.det(np.where(good, rows, 0.0)))


def default_width(platform: Platform) -> float:
    """A square that shows the whole slice of usual machines: 2.6 strokes, or the base size."""
    strokes = [
        float(np.ptp(leg.limits.stroke))
        for leg in platform.legs
        if leg.limits.stroke is not None and type(leg).__name__ not in CARRIED
    ]
    size = float(np.ptp(platform.base_joints, axis=0).max())
    return 2.6 * max(strokes) if strokes else size or 1.0


def has_limits(platform: Platform) -> bool:
    """True if any leg has a limit that depends on the pose alone."""
    names = ("stroke", "base_cone", "platform_cone", "radius")
    return any(getattr(leg.limits, name) is not None for leg in platform.legs for name in names)


def positive_area(margin: Array, u: Array, v: Array) -> float:
    """Area where a bilinear-sampled `margin` is positive, cells cut linearly along their edges, m^2."""
    m = np.where(np.isfinite(margin), margin, np.sign(margin))
    corners = np.stack([m[:-1, :-1], m[:-1, 1:], m[1:, 1:], m[1:, :-1]])
    du, dv = np.diff(u)[None, :], np.diff(v)[:, None]
    middle = corners.mean(axis=0)
    fraction = sum(_triangle(corners[n], corners[(n + 1) % 4], middle) for n in range(4)) / 4
    return float((np.broadcast_to(fraction, middle.shape) * du * dv).sum())


def _triangle(a: Array, b: Array, c: Array) -> Array:
    """Share of a triangle where the linear interpolation of its corner values is positive."""
    low, mid, high = np.sort(np.stack([a, b, c]), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        one_above = high**2 / ((high - mid) * (high - low))
        one_below = 1.0 - low**2 / ((mid - low) * (high - low))
    return np.where(
        low >= 0, 1.0, np.where(high < 0, 0.0, np.where(mid >= 0, one_below, one_above))
    )


__all__ = ["KINDS", "PLANES", "WorkspaceSlice", "default_width", "positive_area", "workspace_slice"]
