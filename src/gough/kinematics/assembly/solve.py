"""All solutions of six sphere equations: start, paths, proofs, and what could not be proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.assembly.continuum import NONE, Continuum, find_continuum, is_fold
from gough.kinematics.assembly.forms import MIRROR, Complex, leg_rows, mirror
from gough.kinematics.assembly.generic import DEGREE, STARTS, generic_start
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.paths import Ends, Legs, follow, track
from gough.kinematics.assembly.start import Start, obtain

CLUSTER = 1e-3  # relative distance below which endpoints without proof belong together


@dataclass(frozen=True, eq=False)
class Solutions:
    """X (count, 8): proved finite solutions, all distinct;  real (count,): 1, 0, or -1 undecided
    clusters: arrays (m, 8) of endpoints without proof that lie together: m solutions merge there
    at_infinity: paths that left for infinity at just these lengths
    singular: paths that end at single points without proof: solutions that are not isolated (self-motion) do so
    lost: paths unaccounted for
    expected: finite solutions of this geometry for general lengths;  trusted: that number is established
    complete: the solutions above are all there are;  continuum: points on a positive-dimensional set
    """

    X: Complex
    real: NDArray[np.int64]
    clusters: tuple[Complex, ...] = ()
    at_infinity: int = 0
    singular: int = 0
    lost: int = 0
    expected: int = DEGREE
    trusted: bool = True
    complete: bool = False
    continuum: Continuum = NONE


def solve(geometry: Geometry, length: Array, disk: bool) -> Solutions:
    """Every pose of the normalized `geometry` with sphere radii `length` (6,), m."""
    square = (length / geometry.size) ** 2
    target = Legs(geometry.b, geometry.p, square.astype(complex))
    rows = leg_rows(geometry.b, geometry.p, square)
    if geometry.singular:
        nothing = np.zeros((0, 8)), np.zeros(0, dtype=np.int64)
        return Solutions(
            *nothing, expected=0, trusted=False, continuum=find_continuum(rows, nothing[0])
        )
    start = obtain(geometry, disk)
    begin = target._replace(K=start.length_squared)
    ends = _mirrored(track(begin, target, start.X), start.halved)
    continuum = NONE
    if ends.finite.sum() < start.count or (ends.real[ends.finite] < 0).any():
        ends = _mirrored(follow(begin, target, start.X, doubled=False), start.halved)
        if ends.finite.sum() < start.count:
            continuum = find_continuum(rows, ends.X[ends.open])
    if continuum.dimension == 0 and ends.finite.sum() < start.count:
        ends = _rescued(begin, target, ends, start)
    if not start.trusted:
        return _account(rows, ends, DEGREE, False, continuum)
    return _account(rows, ends, start.count, True, continuum)


def _rescued(begin: Legs, target: Legs, ends: Ends, start: Start) -> Ends:
    """Paths that are lost once more: from other general machines, and with 31 digits."""
    ends = ends.with_(_mirrored(follow(begin, target, start.X), start.halved))
    for which in range(STARTS):
        if ends.finite.sum() >= start.count:
            break
        legs, X = generic_start(which)
        ends = ends.with_(follow(legs, target, X, doubled=which == STARTS - 1))
    return ends.of(_first_paths(ends, len(start.X) * (1 + start.halved)))


def _first_paths(ends: Ends, n: int) -> NDArray[np.int64]:
    """The paths of the start, and all others that found a root of their own."""
    return np.flatnonzero((np.arange(len(ends.X)) < n) | ends.finite)


def _mirrored(ends: Ends, halved: bool) -> Ends:
    """With the reflections of all paths, whose proofs hold for them word by word."""
    if not halved:
        return ends
    other = ends.of(np.arange(len(ends.X)))
    other.X = mirror(ends.X)
    other.X *= np.where(ends.charts >= 0, MIRROR[ends.charts], 1.0)[:, None]
    return ends.with_(other)


def _account(
    rows: NDArray[Any], ends: Ends, expected: int, trusted: bool, continuum: Continuum = NONE
) -> Solutions:
    """Complete: as many proved, distinct solutions as the geometry has (two for each fold), closed under conjugation,
    all proved real or not.  By the degree of the map from poses to lengths nothing else can then exist, not even a
    continuum; anything less is looked at for one and never complete."""
    finite = ends.finite
    n, X, real = int(finite.sum()), ends.X[finite], ends.real[finite]
    if trusted and n == expected and (real >= 0).all():  # the usual case
        return Solutions(X, real, expected=expected, complete=ends.closed)
    if n > expected:  # the geometry has more than its start found
        expected, trusted = DEGREE, False
    merging = ends.finite & (
        ends.real < 0
    )  # proved, but the rounding of the data reaches the axis of real poses
    open_ends = ends.open & (n < expected)
    groups = _group(ends.X, np.flatnonzero(merging)) + _group(ends.X, np.flatnonzero(open_ends))
    groups = [g for g in groups if len(g) > 1]
    kept = ends.finite.copy()
    kept[[i for g in groups for i in g]] = False
    X, real, clusters = ends.X[kept], ends.real[kept], tuple(ends.X[g] for g in groups)
    found = len(X) + sum(len(c) for c in clusters)
    if found > expected:
        clusters, found = (), len(X)
    sound = trusted and found == expected and bool((real >= 0).all()) and ends.of(kept).closed
    if sound and not clusters:
        return Solutions(X, real, expected=expected, complete=True)
    gone = min(int(ends.far.sum()), expected - found)
    alone = min(
        int(open_ends.sum()) - sum(len(g) for g in groups if open_ends[g[0]]),
        expected - found - gone,
    )
    lost = expected - found - gone - alone
    sound = sound and continuum.dimension == 0 and all(is_fold(rows, c) for c in clusters)
    return Solutions(X, real, clusters, gone, alone, lost, expected, trusted, sound, continuum)


def _group(X: Complex, members: NDArray[np.int64]) -> list[list[int]]:
    """The indices `members`, those whose points lie together in one list."""
    groups: list[list[int]] = []
    for i in members.tolist():
        for group in groups:
            if _distance(X[i], X[group[0]]) < CLUSTER:
                group.append(i)
                break
        else:
            groups.append([i])
    return groups


def _distance(x: Complex, y: Complex) -> float:
    k = int(np.argmax(np.abs(x)))
    if abs(y[k]) < 1e-6:
        return np.inf
    size = np.repeat([np.abs(x[:4]).max(), np.abs(x[4:]).max()], 4)
    return float((np.abs(x / x[k] - y / y[k]) / size * abs(x[k])).max())
