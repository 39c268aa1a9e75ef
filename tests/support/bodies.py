"""Machines whose platform and base have a shape, and distances from shapes by dense points, with nothing of gough's."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from gough.checks import Array
from gough.clearances import leg_clearances
from gough.model import Limits, Plate, Platform
from gough.struts import pair_distances, shared_joints, struts


def random_plate(rng: np.random.Generator, size: float, low: float, high: float) -> Plate:
    """A cylinder or a prism of 3 to 7 corners, about `size` wide, between two heights."""
    spared = float(rng.uniform(0.2, 0.5) * size)
    heights = {"bottom": low, "top": high, "spared": spared}
    if rng.random() < 0.5:
        center = rng.uniform(-0.2, 0.2, 2) * size
        return Plate(radius=float(rng.uniform(0.6, 1.3) * size), center=center, **heights)
    n = int(rng.integers(3, 8))
    angle = 2 * np.pi * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) / n
    corners = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(0.7, 1.4) * size
    order = slice(None) if rng.random() < 0.5 else slice(None, None, -1)
    return Plate(outline=corners[order] + rng.uniform(-0.2, 0.2, 2) * size, **heights)


def with_bodies(platform: Platform, seed: int, only: bool = False) -> Platform:
    """`platform` with bodies at its joints and radii that about fit at home.

    only  without any other limit but strokes
    """
    rng = np.random.default_rng([seed, 9])
    size, home = platform.characteristic_length, platform.require_home()
    b, p = platform.base_joints, platform.platform_joints
    thick = 0.3 * size
    bodies = {
        "base_shape": random_plate(rng, size, float(b[:, 2].min()) - thick, float(b[:, 2].mean())),
        "platform_shape": random_plate(
            rng, size, float(p[:, 2].mean()), float(p[:, 2].max()) + thick
        ),
    }
    thin = [x.replace(limits=x.limits.replace(radius=1e-3 * size)) for x in platform.legs]
    bare = platform.replace(legs=thin, **bodies)
    g = struts(bare, home)
    room = min(float(d.min()) for d in leg_clearances(bare, g, home).values())
    pairs = float(pair_distances(g)[~shared_joints(bare)].min())
    radius = max(min(0.8 * room, 0.45 * pairs), 1e-3 * size)
    legs = [
        x.replace(
            limits=Limits(stroke=x.limits.stroke, radius=radius)
            if only
            else x.limits.replace(radius=radius)
        )
        for x in platform.legs
    ]
    return bare.replace(legs=legs)


def plate_points(plate: Plate, spacing: float) -> Array:
    """(n, 3) points on the surface of a plate, about `spacing` apart, corners and edges among them."""
    heights = _steps(plate.bottom, plate.top, spacing)
    if plate.radius is not None:
        turns = np.linspace(0, 2 * np.pi, int(2 * np.pi * plate.radius / spacing) + 8)
        ring = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        rim = plate.center + plate.radius * ring
        inner = [plate.center + r * ring for r in _steps(0.0, plate.radius, spacing)]
        face = np.concatenate(inner)
    else:
        corners = np.asarray(plate.outline)
        after = np.roll(corners, -1, axis=0)
        rim = np.concatenate(
            [
                a + u[:, None] * (b - a)
                for a, b in zip(corners, after, strict=True)
                for u in [_steps(0.0, 1.0, spacing / float(np.linalg.norm(b - a)))]
            ]
        )
        middle = corners.mean(axis=0)
        far = float(np.linalg.norm(corners - middle, axis=1).max())
        face = np.concatenate(
            [middle + s * (rim - middle) for s in _steps(0.0, 1.0, spacing / far)]
        )
    sides = [np.column_stack([rim, np.full(len(rim), z)]) for z in heights]
    ends = [np.column_stack([face, np.full(len(face), z)]) for z in (plate.bottom, plate.top)]
    return np.concatenate([*sides, *ends])


def dense_distance(points: cKDTree, a: Array, b: Array, count: int = 400) -> float:
    """Smallest distance of points from `count` points of the segment a-b."""
    along = a + np.linspace(0.0, 1.0, count)[:, None] * (b - a)
    return float(points.query(along)[0].min())


def _steps(low: float, high: float, spacing: float) -> Array:
    return np.linspace(low, high, max(int(np.ceil((high - low) / spacing)), 1) + 1)
