"""How far straight segments are from a plate: an upright cylinder or a convex prism (`gough.Plate`).

A plate is ``C = D x [bottom, top]``, D a disc or a convex polygon of its frame's x-y plane.  The nearest point of C
is found part by part, so the distance of a point p is ``|p - nearest(p)|``.  Along a segment a + x u the square of that
is convex in x, with the slope ``2 (p - nearest(p)).u``: `segment_plate` halves where the slope has its sign change, 48
times.  What it finds is the distance of two points, so never less than the true one but for rounding, and more by at
most ``(2^-48 |u|)^2`` over the distance, for slopes of a distance to a convex set are Lipschitz with 1/distance.
    support(n) = max of n.c over C          proofs: a segment is at least ``min(n.a, n.b) - support(n)`` away, |n| = 1
Plate axes, m.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gough.checks import Array, kept

if TYPE_CHECKING:
    from gough.model.plate import Plate

HALVINGS = 48


class PlateTable(NamedTuple):
    """A plate for NumPy and for compiled kernels.

    corners (n, 2) counterclockwise, none of a cylinder;  x, y, radius: of a cylinder, 0 of a prism
    """

    corners: Array
    x: float
    y: float
    radius: float
    bottom: float
    top: float


@kept
def plate_table(plate: Plate) -> PlateTable:
    """The numbers of a plate."""
    if plate.radius is not None:
        x, y = plate.center.tolist()
        return PlateTable(np.zeros((0, 2)), x, y, plate.radius, plate.bottom, plate.top)
    assert plate.outline is not None
    corners = plate.outline if turning(plate.outline) > 0.0 else plate.outline[::-1]
    return PlateTable(np.ascontiguousarray(corners), 0.0, 0.0, 0.0, plate.bottom, plate.top)


def turning(outline: Array) -> float:
    """Twice the area of a polygon (n, 2), positive counterclockwise, m^2."""
    x, y = outline.T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def nearest(plate: PlateTable, p: Array) -> Array:
    """(..., 3) nearest points of the plate to points p (..., 3)."""
    out = np.empty_like(p)
    flat = p[..., :2]
    if len(plate.corners):
        out[..., :2] = _on_polygon(plate.corners, flat)
    else:
        v = flat - np.array([plate.x, plate.y])
        far = np.sqrt((v * v).sum(axis=-1))
        share = np.where(far > plate.radius, plate.radius / np.where(far > 0.0, far, 1.0), 1.0)
        out[..., :2] = np.where(
            (far > plate.radius)[..., None], flat - v * (1.0 - share)[..., None], flat
        )
    out[..., 2] = np.clip(p[..., 2], plate.bottom, plate.top)
    return out


def _on_polygon(corners: Array, p: Array) -> Array:
    """(..., 2) nearest points of a convex polygon."""
    edge = np.roll(corners, -1, axis=0) - corners
    v = p[..., None, :] - corners
    along = np.clip((v * edge).sum(axis=-1) / (edge * edge).sum(axis=-1), 0.0, 1.0)
    off = v - along[..., None] * edge
    best = (off * off).sum(axis=-1).argmin(axis=-1)[..., None, None]
    left = edge[:, 0] * v[..., 1] - edge[:, 1] * v[..., 0]
    inside = np.asarray((left >= 0.0).all(axis=-1))
    return np.where(inside[..., None], p, p - np.take_along_axis(off, best, axis=-2)[..., 0, :])


def segment_plate(plate: PlateTable, a: Array, b: Array) -> tuple[Array, Array]:
    """Distances (...) of segments a-b (..., 3) and a plate, m, and (..., 3) from its to their nearest points."""
    u = b - a
    x = np.zeros(u.shape[:-1])
    first, last = (_slope(plate, p, u) for p in (a, b))
    x[last <= 0.0] = 1.0
    inner = (first < 0.0) & (last > 0.0)
    if inner.any():
        x[inner] = _level(plate, a[inner], u[inner])
    gap = a + x[..., None] * u
    gap -= nearest(plate, gap)
    return np.sqrt((gap * gap).sum(axis=-1)), gap


def _slope(plate: PlateTable, p: Array, u: Array) -> Array:
    """(...) half the slope of the squared distance at points p along u."""
    return ((p - nearest(plate, p)) * u).sum(axis=-1)


def _level(plate: PlateTable, a: Array, u: Array) -> Array:
    """(n,) places 0 to 1 on segments a + x u (n, 3) at which the slope changes its sign."""
    low, high = np.zeros(len(u)), np.ones(len(u))
    for _ in range(HALVINGS):
        x = 0.5 * (low + high)
        slope = _slope(plate, a + x[:, None] * u, u)
        low, high = np.where(slope <= 0.0, x, low), np.where(slope >= 0.0, x, high)
    return 0.5 * (low + high)


def support(plate: PlateTable, n: Array) -> Array:
    """(...) largest n.c over the plate's points c, of directions n (..., 3)."""
    high = np.maximum(n[..., 2] * plate.bottom, n[..., 2] * plate.top)
    flat = n[..., :2]
    if len(plate.corners):
        return high + (flat @ plate.corners.T).max(axis=-1)
    across = np.sqrt((flat * flat).sum(axis=-1))
    return high + flat @ np.array([plate.x, plate.y]) + plate.radius * across
