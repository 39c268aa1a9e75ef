"""Where the joints of the usual machines are, from their dimensions: one machine or any number of them at once.

Lengths in m, angles in rad; dimensions (...), joints (..., 6, 3) in leg order.  Nothing is checked here: the
constructors (model/geometry.py) and the arrays of designs (design/design_arrays.py) know what is allowed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array

BASE_PAIRS = np.radians([0.0, 120.0, 120.0, 240.0, 240.0, 0.0])  # centers of the pairs, leg by leg
PLATFORM_PAIRS = np.radians([60.0, 60.0, 180.0, 180.0, 300.0, 300.0])
WIDEST = np.radians(120.0)  # a pair angle is less than this
CUBE_SHARE = 0.7  # of an edge of the cube that is leg, where it is not said
_TURN = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
_UP = np.array([0.0, 0.0, 1.0])


def hexagons(
    base_radius: ArrayLike,
    platform_radius: ArrayLike,
    base_pair_angle: ArrayLike,
    platform_pair_angle: ArrayLike,
) -> tuple[Array, Array]:
    """Joints of base and platform on their circles."""
    base, platform = (
        np.asarray(angle, dtype=float)[..., None]
        for angle in (base_pair_angle, platform_pair_angle)
    )
    return (
        circle(base_radius, BASE_PAIRS + _TURN * base / 2),
        circle(platform_radius, PLATFORM_PAIRS - _TURN * platform / 2),
    )


def cube(edge: ArrayLike, fraction: ArrayLike) -> tuple[Array, Array, Array]:
    """Joints of base and platform about their centroids, for legs that are `fraction` of six edges of a cube that
    stands on a corner; and the height (...) of one centroid above the other."""
    a, f = np.asarray(edge, dtype=float), np.asarray(fraction, dtype=float)[..., None, None]
    r, h = a * np.sqrt(2 / 3), a / np.sqrt(3)
    low, high = circle(r, BASE_PAIRS), circle(r, PLATFORM_PAIRS) + h[..., None, None] * _UP
    cut = (1 - f) / 2 * (high - low)
    low, high = low + cut, high - cut
    under, over = low.mean(axis=-2, keepdims=True), high.mean(axis=-2, keepdims=True)
    return low - under, high - over, (over - under)[..., 0, 2]


def circle(radius: ArrayLike, angles: ArrayLike) -> Array:
    """Points (..., k, 3) of circles about z at the angles (..., k)."""
    a, r = np.asarray(angles, dtype=float), np.asarray(radius, dtype=float)[..., None]
    x = r * np.cos(a)
    return np.stack([x, r * np.sin(a), np.zeros_like(x)], axis=-1)
