"""Start systems per geometry: all finite solutions for one set of random complex leg lengths.

The 40 poses of a general machine are tracked to the geometry with random complex K = L^2.  Special geometries
have fewer finite solutions (semi-regular hexapod 28, 6-4 32, 6-3 and 3-3 16): the other paths end at h = 0, and
are not tracked again.  The count is accepted when it is 40, or when homotopies from two general machines give the same
set, every other path is proved to end at infinity (infinity.py), and the set is not empty.  Starts are kept
in memory and, for machines with fixed base joints, on disk beside the kernels (`gough.engines.cache`): a file that is
damaged, someone else's or cannot be written is as good as none.
"""

from __future__ import annotations

import io
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gough.engines.cache import cache_folder, read_checked, write_checked
from gough.kinematics.assembly.forms import Complex, mirror
from gough.kinematics.assembly.generic import DEGREE, generic_start
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.infinity import BESIDE, at_infinity
from gough.kinematics.assembly.paths import Ends, Flags, Legs, follow, known

VERSION = 5  # of the file's contents
MEMORY = 256
ALIKE = (
    5e-3  # distances of the joints that may make base and platform congruent, in normalized units
)
SPREAD = (0.5, 0.1)  # of the change, by attempt

_memory: OrderedDict[str, Start] = OrderedDict()
_seen: OrderedDict[str, None] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Start:
    """length_squared (6,) complex, normalized units;  X (n, 8) its solutions: all, or one of each mirror pair
    (`halved`);  trusted: every one of the 40 general paths is accounted for, twice."""

    length_squared: Complex
    X: Complex
    halved: bool
    trusted: bool

    @property
    def count(self) -> int:
        """Number of finite complex solutions of the geometry."""
        return len(self.X) * (2 if self.halved else 1)


def clear_memory() -> None:
    """Forget the starts kept in memory (the disk is not touched)."""
    _memory.clear()
    _seen.clear()


def seen_before(key: str) -> bool:
    """True from the second question about a geometry on: it is then worth its own start."""
    if key in _seen:
        return True
    _seen[key] = None
    if len(_seen) > 4096:
        _seen.popitem(last=False)
    return False


def lookup(geometry: Geometry, disk: bool) -> Start | None:
    """A start kept in memory or on disk."""
    start = _memory.get(geometry.key)
    if start is None and disk:
        start = _load(geometry)
        if start is not None:
            _remember(geometry.key, start)
    return start


def obtain(geometry: Geometry, disk: bool) -> Start:
    """The start of a geometry: kept, or made now."""
    start = lookup(geometry, disk)
    if start is None:
        start = build(geometry)
        _remember(geometry.key, start)
        if disk:
            _store(geometry, start)
    return start


def _remember(key: str, start: Start) -> None:
    _memory[key] = start
    if len(_memory) > MEMORY:
        _memory.popitem(last=False)


def random_lengths(geometry: Geometry, attempt: int) -> Complex:
    """Random complex L^2 in normalized units, the same in every process.

    Those of a random complex pose, changed by a share of what a turn of the platform can do: six spheres about a base
    must nearly meet in a point where the platform is small.  Machines close to an architecture singularity have
    solutions far away, the farther the larger the change.
    """
    rng = np.random.default_rng([1998, attempt])
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    S = rng.normal(size=3) + 0.5j * rng.normal(size=3) + geometry.p @ R.T - geometry.b
    turn = 2.0 * np.sqrt((geometry.b**2).sum() * (geometry.p**2).sum()) / 6.0
    return (S * S).sum(axis=1) + SPREAD[attempt] * turn * (
        rng.normal(size=6) + 1j * rng.normal(size=6)
    )


def build(geometry: Geometry) -> Start:
    """Track two general machines to the geometry; other random lengths where the two disagree."""
    best: Start | None = None
    for attempt in range(len(SPREAD)):
        target = Legs(geometry.b, geometry.p, random_lengths(geometry, attempt))
        first = _from_general(target, 0)
        n = int(first.finite.sum())
        trusted = n == DEGREE
        ends = first
        if not trusted and (first.finite | _gone(geometry, first)).all():
            second = _from_general(target, 1)
            ends = first.with_(second)
            accounted = (second.finite | _gone(geometry, second)).all()
            trusted = n > 0 and accounted and n == second.finite.sum() == ends.finite.sum()
        X, halved = ends.X[ends.finite], False
        half = _half(target, X) if geometry.planar else None
        if half is not None:
            X, halved = half, True
        start = Start(target.K, X, halved, bool(trusted))
        if trusted:
            return start
        if best is None or start.count > best.count:
            best = start
    assert best is not None
    return best


def _gone(geometry: Geometry, ends: Ends) -> Flags:
    """Paths that end at infinity, at a point that is a solution there.  How far out they have come does not decide:
    at a multiple solution a path may arrive, unproved, a little before it."""
    found = (ends.radius < 0) & (ends.left < BESIDE) & (ends.h < BESIDE)
    if _nearly_congruent(geometry):
        found[:] = False
    elif found.any():
        found[found] = at_infinity(geometry.own_b, geometry.own_p, ends.X[found])
    return found


def _nearly_congruent(geometry: Geometry) -> bool:
    """Base and platform almost of the same shape and size: finite solutions then lie beyond 31 digits, just at the
    points at infinity of other paths, and nothing is established."""
    lists = [
        np.sort(np.linalg.norm(x[:, None] - x, axis=-1), axis=None)
        for x in (geometry.b, geometry.p)
    ]
    gap = np.abs(lists[0] - lists[1]).max()
    return bool(1e-14 < gap < ALIKE)


def _from_general(target: Legs, which: int) -> Ends:
    """The 40 paths of a general machine to six leg conditions; those that seem to leave for infinity with 31 digits,
    which tell far finite solutions from them."""
    legs, X = generic_start(which)
    return follow(legs, target, X, finer=False)


def _half(target: Legs, X: Complex) -> Complex | None:
    """One of each mirror pair, or None if the pairing is not proved."""
    n = len(X)
    partner = known(target, np.concatenate([X, mirror(X)])).same[n:]
    if (
        n % 2
        or (partner < 0).any()
        or (partner >= n).any()
        or (partner == np.arange(n)).any()
        or (partner[partner] != np.arange(n)).any()
    ):
        return None
    return X[np.arange(n) < partner]


def _path(geometry: Geometry) -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder / f"start-{geometry.key}-{VERSION}.sealed"


def _store(geometry: Geometry, start: Start) -> None:
    path, memory = _path(geometry), io.BytesIO()
    flags = np.array([start.halved, start.trusted])
    np.savez(memory, length_squared=start.length_squared, X=start.X, flags=flags)
    with suppress(OSError):  # full disk: kept in memory
        if path is not None:
            write_checked(path, memory.getvalue())


def _load(geometry: Geometry) -> Start | None:
    path = _path(geometry)
    payload = None if path is None else read_checked(path)
    if payload is None:  # none there, damaged, or someone else's: it is built again
        return None
    with np.load(io.BytesIO(payload), allow_pickle=False) as file:
        return Start(file["length_squared"], file["X"], *(bool(x) for x in file["flags"]))
