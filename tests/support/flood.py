"""A workspace that can be moved through, by brute force: the points of a grid looked at, then filled from the start."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.limits import check
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import struts

BLOCK = 40_000


def looked_at(platform: Platform, points: Array, rotation: Array) -> tuple[NDArray, Array]:
    """(N,) within all limits, and the determinant's sign, by NumPy alone; bodies only where the rest is kept."""
    within, sign = [], []
    bare = platform.replace(base_shape=None, platform_shape=None)
    shaped = bare != platform
    for k in range(0, len(points), BLOCK):
        pose = Pose(points[k : k + BLOCK], rotation)
        found = check(bare, pose)
        ok = found.ok.copy()
        if shaped and ok.any():
            ok[ok] = check(platform, pose[ok]).ok
        rows = found.geometry.rows_over(platform.characteristic_length)
        rows = np.where(np.isfinite(rows).all(axis=(1, 2), keepdims=True), rows, 0.0)
        within.append(ok)
        sign.append(np.sign(np.linalg.det(rows)))
    return np.concatenate(within), np.concatenate(sign)


def filled(good: NDArray, seed: tuple[int, ...]) -> NDArray:
    """The cells of `good` joined by faces with `seed`, by growing it cell by cell."""
    front = np.zeros_like(good)
    front[seed] = good[seed]
    while True:
        grown = front.copy()
        for axis in range(3):
            ahead = [slice(None)] * 3
            behind = [slice(None)] * 3
            ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
            grown[tuple(ahead)] |= front[tuple(behind)]
            grown[tuple(behind)] |= front[tuple(ahead)]
        grown &= good
        if (grown == front).all():
            return grown
        front = grown


def flood_volume(
    platform: Platform, start: Pose, box: Array, cells: int
) -> tuple[float, float, float]:
    """m^3 that are filled from the start, that are within the limits, and of these on the other side."""
    size = (box[1] - box[0]) / cells
    axes = [box[0, k] + size[k] * (np.arange(cells) + 0.5) for k in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    within, sign = looked_at(platform, points, start.rotation)
    here = np.linalg.det(struts(platform, start).rows_over(platform.characteristic_length))
    good = (within & (sign == np.sign(here))).reshape((cells,) * 3)
    middle = ((points - start.position) ** 2).sum(axis=1)
    seed = np.unravel_index(np.where(good.ravel(), middle, np.inf).argmin(), good.shape)
    part = float(size.prod())
    joined = part * float(filled(good, tuple(int(i) for i in seed)).sum())
    beyond = within & (sign == -np.sign(here))
    return joined, part * float(within.sum()), part * float(beyond.sum())
