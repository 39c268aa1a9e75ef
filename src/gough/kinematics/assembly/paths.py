"""NumPy face of the compiled trackers: starts and problems in, endpoints with proofs out."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.assembly.doubled_tracker import (
    EXAMINE,
    EXPAND,
    TAKE_STEP,
    doubled_path,
    doubled_proof,
)
from gough.kinematics.assembly.forms import Complex
from gough.kinematics.assembly.lane_tracker import lane_paths, lane_proofs
from gough.kinematics.assembly.lanes import INFINITE, REACHED
from gough.kinematics.assembly.roots import SHARP, closed, separate

LEVELS = (
    (1e-3, 0.7, 400),
    (1e-5, 0.4, 1500),
)  # tolerance, share of the distance to the pole, most steps
SMALLEST = 1e-25  # what is left of a path that is given up as one that leaves for infinity
DOUBLED_STEPS = (
    300,
    4000,
)  # in doubled precision: most steps of a path, and of all paths of one call
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


class Legs(NamedTuple):
    """Six leg conditions: joints b, p (6, 3) in normalized units, and K = L^2 (6,), complex on the way."""

    b: Array
    p: Array
    K: Complex


@dataclass
class Ends:
    """Endpoints of n paths, polished where a root was proved.

    X (n, 8) complex;  status of the tracker;  left: what is left of the way
    radius (n,) of the proved ball in the weights of roots.py, -1 without proof;  unique: radius without another
    real: 1, 0 or -1 (undecided);  charts: coordinate that is 1;  proper: proved to have h different from zero
    same: earlier index of the same root, or -1
    """

    X: Complex
    status: Integers
    left: Array
    radius: Array
    unique: Array
    real: Integers
    charts: Integers
    proper: Flags
    same: Integers

    @property
    def finite(self) -> Flags:
        """Proved, distinct from every earlier one, and not at infinity."""
        return (self.radius >= 0) & (self.same < 0) & self.proper

    @property
    def h(self) -> Array:
        """``|q.q| / |X|^2``: zero at infinity."""
        return np.abs((self.X[:, :4] ** 2).sum(1)) / (np.abs(self.X) ** 2).sum(1)

    @property
    def far(self) -> Flags:
        """Without proof, and close to infinity."""
        return (self.radius < 0) & ((self.status == INFINITE) | (self.h < 1e-6))

    @property
    def open(self) -> Flags:
        """Arrived, but neither proved nor far: singular, or too near to another."""
        return ~self.finite & ~self.far & (self.same < 0) & (self.left < 1e-3)

    @property
    def closed(self) -> bool:
        """The finite roots come with their conjugates, as those of real conditions do."""
        return closed(self.X, self.radius, self.unique, self.real, self.charts, self.finite)

    def of(self, which: Any) -> Ends:
        """Some of the paths, copied."""
        return Ends(*(getattr(self, f.name)[which].copy() for f in fields(Ends)))

    def with_(self, more: Ends) -> Ends:
        """These and more paths, doublets marked."""
        both = [
            np.concatenate([getattr(self, f.name), getattr(more, f.name)]) for f in fields(Ends)
        ]
        return Ends(*both).marked()

    def marked(self) -> Ends:
        """`same` computed again."""
        separate(self.X, self.radius, self.charts, self.same)
        return self

    def put(self, where: Integers, new: Ends) -> None:
        """Replace some paths."""
        for f in fields(Ends):
            getattr(self, f.name)[where] = getattr(new, f.name)


def empty(X: Complex) -> Ends:
    """Paths that have not begun."""
    n = len(X)
    whole = [np.full(n, -1, dtype=np.int64) for _ in range(4)]
    return Ends(
        np.array(X, dtype=complex),
        whole[0],
        np.ones(n),
        np.full(n, -1.0),
        np.zeros(n),
        whole[1],
        whole[2],
        np.zeros(n, dtype=bool),
        whole[3],
    )


def track(start: Legs, target: Legs, X: Complex, level: int = 0) -> Ends:
    """Track and prove in double precision."""
    ends = empty(X)
    steps = np.empty((1, len(X)), dtype=np.int64)
    b, p, K = target.b[None], target.p[None], np.asarray(target.K, dtype=complex)[None]
    X = np.ascontiguousarray(X, dtype=complex)
    lane_paths(
        *start,
        b,
        p,
        K,
        X,
        *LEVELS[level],
        SMALLEST,
        ends.X[None],
        ends.status[None],
        ends.left[None],
        steps,
    )
    return prove(target, ends)


def prove(target: Legs, ends: Ends) -> Ends:
    """Prove what has arrived in double precision, in place; mark doublets."""
    b, p, K = target.b[None], target.p[None], np.asarray(target.K, dtype=complex)[None]
    arrived = (ends.status == REACHED) & (ends.radius < 0)
    lane_proofs(
        b,
        p,
        K,
        ends.X[None],
        arrived[None],
        ends.radius[None],
        ends.unique[None],
        ends.real[None],
        ends.charts[None],
        ends.proper[None],
    )
    return ends.marked()


def known(target: Legs, X: Complex) -> Ends:
    """Points X as if paths had led to them, proved."""
    ends = empty(X)
    ends.status[:], ends.left[:] = REACHED, 0.0
    return prove(target, ends)


def track_doubled(start: Legs, target: Legs, X: Complex) -> Ends:
    """Track and prove in doubled precision."""
    ends = empty(X)
    K = np.asarray(target.K, dtype=complex)
    most, room = DOUBLED_STEPS
    for i, x in enumerate(ends.X):
        ends.status[i], ends.left[i], steps, point, chart = doubled_path(
            *start,
            target.b,
            target.p,
            K,
            x,
            EXPAND,
            TAKE_STEP,
            *LEVELS[0][:2],
            min(most, room),
            SMALLEST,
        )
        room -= steps
        if ends.status[i] == REACHED:
            _prove_doubled(target, ends, i, point, chart)
    return ends.marked()


def _prove_doubled(target: Legs, ends: Ends, i: int, point: Array, chart: int) -> None:
    proof = doubled_proof(
        target.b,
        target.p,
        np.asarray(target.K, dtype=complex),
        ends.X[i],
        point,
        chart,
        TAKE_STEP,
        EXAMINE,
    )
    if proof[0] >= 0:
        ends.radius[i], ends.unique[i], ends.real[i], ends.charts[i], ends.proper[i] = proof


def sharpen(target: Legs, ends: Ends) -> Ends:
    """Prove with 31 digits what has arrived and double precision did not prove, or not sharply, in place."""
    dull = (ends.radius < 0) | (ends.radius > SHARP) | (ends.real < 0) | ~ends.proper
    for i in np.flatnonzero(dull & (ends.status == REACHED)).tolist():
        _prove_doubled(target, ends, i, np.zeros((0, 2)), -1)
    return ends.marked()


def follow(
    start: Legs, target: Legs, X: Complex, *, doubled: bool = True, finer: bool = True
) -> Ends:
    """Track and prove; paths that fail, or end on another's root, again with smaller steps (`finer`), then with 31
    digits (`doubled`)."""
    ends = sharpen(target, track(start, target, X))
    again = [lambda Y: sharpen(target, track(start, target, Y, 1))] if finer else []
    again += [lambda Y: track_doubled(start, target, Y)] if doubled else []
    for retry in again:
        where = _unsettled(ends)
        if not len(where):
            break
        new = retry(X[where])
        better = (new.radius >= 0) | (new.left < ends.left[where])
        fresh = ends.of(slice(None))
        fresh.put(where[better], new.of(better))
        if fresh.marked().finite.sum() >= ends.finite.sum():
            ends = fresh
    return ends


def _unsettled(ends: Ends) -> Integers:
    """Paths without proof of their own, and those whose roots they doubled."""
    again = ~ends.finite
    again[ends.same[ends.same >= 0]] = True
    return np.flatnonzero(again)
