"""The largest values of functions over a box: found at a point, and proved not to be passed anywhere.

Branch and bound.  Boxes whose bounds are within `tolerance` of what was found are done; the others are cut in halves
across the variables that change the functions most; where nothing is known of a box, those that do so in the middle.
Values are found in the middles of boxes and in the corners to which the slopes of the most promising ones point.
When the budget is spent the bounds of what is left stand as they are: they are proved all the same, only farther from
what was found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gough.checks import Array

BATCH = 1024  # boxes at once
FILL = 256  # boxes that a round should have: few ones are cut more often
CORNERS = 4  # promising boxes per function whose corners are looked at


class BoxBounds(NamedTuple):
    """Of m functions over N boxes: values in the middles and bounds from above (N, m), slopes (N, m, n) per half width,
    and by how much each variable changes them (N, n)."""

    value: Array
    bound: Array
    slope: Array
    turns: Array


class BoxMaximum(NamedTuple):
    """found (m,) at points (m, n); bound (m,) proved (infinite: none); boxes looked at; open: a box (2, n) of the
    largest bound that was left, middle and half widths, or None."""

    found: Array
    at: Array
    bound: Array
    boxes: int
    open: Array | None


Bounds = Callable[[Array, Array], BoxBounds]


def largest(bounds: Bounds, middle: Array, half: Array, tolerance: float, boxes: int) -> BoxMaximum:
    """Of functions over the box ``middle +- half`` (n,), to `tolerance` of each or until so many boxes are spent."""
    centers, halves = middle[None], half[None]
    usual = bounds(centers, 1e-3 * halves).turns * 1e3
    found: Array | None = None
    at, closed, spent = np.empty(0), np.empty(0), 0
    while True:
        seen = _all(bounds, centers, halves)
        spent += len(centers)
        if found is None:
            found, at = (
                np.full(seen.value.shape[1], -np.inf),
                np.tile(middle, (seen.value.shape[1], 1)),
            )
            closed = np.full(len(found), -np.inf)
        _note(found, at, seen.value, centers)
        corners = _corners(seen, centers, halves)
        _note(found, at, bounds(corners, np.zeros_like(corners)).value, corners)
        enough = found + tolerance * np.abs(found)
        more = (seen.bound > enough).any(axis=1) & (halves > 0.0).any(axis=1)
        closed = np.maximum(closed, seen.bound[~more].max(axis=0, initial=-np.inf))
        count = int(more.sum())
        if not count:
            return BoxMaximum(found, at, np.maximum(closed, found), spent, None)
        times = int(np.clip(np.log2(max(FILL / count, 2.0)), 1, 3))
        left = seen.bound[more]
        if spent + count * 2**times > boxes:
            worst = int(
                np.nanargmax(np.where(np.isfinite(left), left / np.abs(found), np.inf).max(axis=1))
            )
            rest = np.stack([centers[more][worst], halves[more][worst]])
            return BoxMaximum(found, at, np.maximum(closed, left.max(axis=0)), spent, rest)
        centers, halves = centers[more], halves[more]
        wide = usual * halves / np.where(half > 0.0, half, 1.0)
        turns = np.where(np.isfinite(left).all(axis=1, keepdims=True), seen.turns[more], wide)
        for _ in range(times):
            centers, halves, turns = _cut(centers, halves, turns)


def _all(bounds: Bounds, centers: Array, halves: Array) -> BoxBounds:
    parts = [
        bounds(centers[k : k + BATCH], halves[k : k + BATCH]) for k in range(0, len(centers), BATCH)
    ]
    return BoxBounds(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _note(found: Array, at: Array, value: Array, points: Array) -> None:
    """Keep larger values and where they are; NaN is none."""
    value = np.where(np.isnan(value), -np.inf, value)
    best = value.argmax(axis=0)
    for k, row in enumerate(best.tolist()):
        if value[row, k] > found[k]:
            found[k], at[k] = value[row, k], points[row]


def _corners(seen: BoxBounds, centers: Array, halves: Array) -> Array:
    points = []
    for k in range(seen.bound.shape[1]):
        best = np.argsort(seen.bound[:, k])[-CORNERS:]
        points.append(centers[best] + np.sign(seen.slope[best, k]) * halves[best])
    return np.concatenate(points)


def _cut(centers: Array, halves: Array, turns: Array) -> tuple[Array, Array, Array]:
    """In halves across the variable of the largest share."""
    shares = np.where(np.isfinite(turns), turns, 0.0) + 1e-9
    k = (shares * (halves > 0.0)).argmax(axis=1)
    rows = np.arange(len(centers))
    halves, turns = halves.copy(), turns.copy()
    halves[rows, k] /= 2.0
    turns[rows, k] /= 2.0
    step = np.zeros_like(centers)
    step[rows, k] = halves[rows, k]
    return (
        np.concatenate([centers - step, centers + step]),
        np.concatenate([halves, halves]),
        np.concatenate([turns, turns]),
    )
