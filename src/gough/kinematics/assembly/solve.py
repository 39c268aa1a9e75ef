"""All solutions of six sphere equations: start, paths, proofs, and what could not be proved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.assembly.forms import Complex, leg_rows, mirror
from gough.kinematics.assembly.generic import DEGREE, generic_start
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.paths import (
    Ends,
    aligned,
    examine,
    follow,
    orthonormal,
    run,
    section,
)
from gough.kinematics.assembly.start import from_general, lookup, obtain, seen_before

Mask = NDArray[np.bool_]
CLUSTER = 1e-3  # relative distance below which endpoints without proof belong together


@dataclass(frozen=True, eq=False)
class Solutions:
    """X (count, 8): proved finite solutions, all distinct;  real (count,): 1, 0, or -1 undecided
    clusters: arrays (m, 8) of endpoints without proof that lie together: m solutions merge there
    at_infinity: paths that left for infinity
    singular: paths that end at single points without proof: solutions that are not isolated (self-motion) do so
    lost: paths unaccounted for
    expected: finite solutions of this geometry for general lengths;  trusted: that number is established
    """

    X: Complex
    real: NDArray[np.int64]
    radius: Array
    clusters: tuple[Complex, ...]
    at_infinity: int
    singular: int
    lost: int
    expected: int
    trusted: bool


def solve(geometry: Geometry, length: Array, disk: bool) -> Solutions:
    """Every pose of the normalized `geometry` with sphere radii `length` (6,), m."""
    rows = leg_rows(geometry.b, geometry.p, (length / geometry.size) ** 2)
    target = section(rows)
    if lookup(geometry, disk) is None and not seen_before(geometry.key):
        end = orthonormal(rows)
        general, X = generic_start()
        ends = examine(target, *run(section(aligned(general, end)), section(end), X))
        if ends.finite.sum() == DEGREE:
            return _pack(ends, ends.finite, (), 0, 0, 0, DEGREE, True)
    start = obtain(geometry, disk)
    begin = section(leg_rows(geometry.b, geometry.p, start.length_squared))
    if start.halved:
        ends = _with_mirror(target, *run(begin, target, start.X))
        if ends.finite.sum() < start.count:
            slow = follow(begin, target, start.X)
            ends = _with_mirror(target, slow.X, slow.status, slow.reach)
    else:
        ends = follow(begin, target, start.X)
    if ends.finite.sum() < start.count:
        ends = _with_second_start(rows, target, ends)
    return _account(ends, start.count, start.trusted)


def _with_mirror(target: Complex, X: Complex, status: NDArray[np.int64], reach: Array) -> Ends:
    return examine(target, np.concatenate([X, mirror(X)]), np.tile(status, 2), np.tile(reach, 2))


def _with_second_start(rows: Complex, target: Complex, ends: Ends) -> Ends:
    """Add the roots that an independent homotopy finds and the first did not."""
    other = from_general(rows, target)
    new = other.finite
    if not new.any():
        return ends
    union = examine(
        target,
        np.concatenate([ends.X, other.X[new]]),
        np.r_[ends.status, other.status[new]],
        np.r_[ends.reach, other.reach[new]],
    )
    return union if union.finite.sum() > ends.finite.sum() else ends


def _account(ends: Ends, expected: int, trusted: bool) -> Solutions:
    finite, gone = ends.finite, ends.gone
    open_ends = ~finite & ~gone & (ends.same < 0) & ((ends.status == 0) | (ends.reach > 0.999))
    clusters, alone = _group(ends.X[open_ends])
    at_infinity = int(gone.sum())
    found = int(finite.sum()) + sum(len(c) for c in clusters)
    lost = max(expected - found - at_infinity - alone, 0)
    return _pack(ends, finite, clusters, at_infinity, alone, lost, expected, trusted)


def _group(X: Complex) -> tuple[tuple[Complex, ...], int]:
    """Endpoints that lie together, and the number of those that lie alone."""
    groups: list[list[int]] = []
    for i in range(len(X)):
        for group in groups:
            if _distance(X[i], X[group[0]]) < CLUSTER:
                group.append(i)
                break
        else:
            groups.append([i])
    return tuple(X[g] for g in groups if len(g) > 1), sum(len(g) == 1 for g in groups)


def _distance(x: Complex, y: Complex) -> float:
    k = int(np.argmax(np.abs(x)))
    if abs(y[k]) < 1e-6:
        return np.inf
    d = (
        np.abs(x / x[k] - y / y[k])
        / np.repeat([np.abs(x[:4]).max(), np.abs(x[4:]).max()], 4)
        * abs(x[k])
    )
    return float(d.max())


def _pack(
    ends: Ends,
    keep: Mask,
    clusters: tuple[Complex, ...],
    at_infinity: int,
    singular: int,
    lost: int,
    expected: int,
    trusted: bool,
) -> Solutions:
    return Solutions(
        ends.X[keep],
        ends.real[keep],
        ends.radius[keep],
        clusters,
        at_infinity,
        singular,
        lost,
        expected,
        trusted,
    )
