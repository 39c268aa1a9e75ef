"""All solutions of six sphere equations: start, paths, proofs, and what could not be proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.assembly.continuum import NONE, Continuum, find_continuum, is_fold
from gough.kinematics.assembly.forms import FORMS, Complex, leg_rows, mirror, psi
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

CLUSTER = 1e-3  # relative distance below which endpoints without proof belong together
OTHER_HOMOTOPIES = (None, *np.exp(2j * np.pi * np.random.default_rng(7).random((2, 6))))


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
    rows = leg_rows(geometry.b, geometry.p, (length / geometry.size) ** 2)
    if geometry.singular:
        nothing = np.zeros((0, 8)), np.zeros(0, dtype=np.int64)
        return Solutions(
            *nothing, expected=0, trusted=False, continuum=find_continuum(rows, nothing[0])
        )
    target = section(rows)
    if lookup(geometry, disk) is None and not seen_before(geometry.key):
        end = orthonormal(rows)
        general, X = generic_start()
        ends = examine(target, *run(section(aligned(general, end)), section(end), X))
        if ends.finite.sum() == DEGREE:
            return _account(rows, ends, DEGREE, True)
    start = obtain(geometry, disk)
    begin = section(leg_rows(geometry.b, geometry.p, start.length_squared))
    if start.halved:
        ends = _with_mirror(target, *run(begin, target, start.X))
        if ends.finite.sum() < start.count:
            slow = follow(begin, target, start.X)
            ends = _with_mirror(target, slow.X, slow.status, slow.reach)
    else:
        ends = follow(begin, target, start.X)
    if not start.trusted:
        return _account(rows, ends, DEGREE, False)
    continuum = NONE
    if ends.finite.sum() < start.count:
        continuum = find_continuum(rows, ends.X[ends.open])
    for turn in OTHER_HOMOTOPIES if continuum.dimension == 0 else ():
        if ends.finite.sum() < start.count:
            ends = _with_other_start(rows, target, ends, turn)
    return _account(rows, ends, start.count, True, continuum)


def _with_mirror(target: Complex, X: Complex, status: NDArray[np.int64], reach: Array) -> Ends:
    return examine(target, np.concatenate([X, mirror(X)]), np.tile(status, 2), np.tile(reach, 2))


def _with_other_start(rows: Complex, target: Complex, ends: Ends, turn: Complex | None) -> Ends:
    """Add the roots that an independent homotopy finds and the first did not."""
    other = from_general(rows, target, turn)
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


def _account(
    rows: NDArray[Any], ends: Ends, expected: int, trusted: bool, continuum: Continuum = NONE
) -> Solutions:
    """Complete: as many proved, distinct solutions as the geometry has (two for each fold), closed under conjugation,
    all proved real or not.  By the degree of the map from poses to lengths nothing else can then exist, not even a
    continuum; anything less is looked at for one and never complete."""
    finite = ends.finite
    n, X, real = int(finite.sum()), ends.X[finite], ends.real[finite]
    if trusted and n == expected and (real >= 0).all():  # the usual case
        return Solutions(X, real, expected=expected, complete=_closed(X))
    if n > expected:  # the geometry has more than its start found
        expected, trusted = n, False
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
    sound = (
        trusted
        and found == expected
        and bool((real >= 0).all())
        and _closed(np.concatenate([X, *clusters]))
    )
    if sound and not clusters:
        return Solutions(X, real, expected=expected, complete=True)
    gone = min(int(ends.gone.sum()), expected - found)
    alone = min(
        int(open_ends.sum()) - sum(len(g) for g in groups if open_ends[g[0]]),
        expected - found - gone,
    )
    lost = expected - found - gone - alone
    if not trusted:
        continuum = find_continuum(rows, ends.X[open_ends])
    sound = sound and continuum.dimension == 0 and all(is_fold(rows, c) for c in clusters)
    return Solutions(X, real, clusters, gone, alone, lost, expected, trusted, sound, continuum)


def _closed(X: Complex) -> bool:
    """True if the solutions of real conditions come with their complex conjugates, as they must."""
    f = psi(X)
    value = f[:, 1:] @ np.cos(np.arange(FORMS - 1)) / f[:, 0]
    gap = np.abs(value[:, None] - value.conj()).min(axis=1, initial=np.inf)
    return bool((gap <= 1e-6 * (1.0 + np.abs(value))).all())


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
