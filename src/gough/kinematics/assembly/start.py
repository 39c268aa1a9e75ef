"""Start systems per geometry: all finite solutions for one set of random complex leg lengths.

The 40 poses of the general section are tracked to the geometry with random complex L^2.  Special geometries
have fewer finite solutions (semi-regular hexapod 28, 6-4 32, 6-3 and 3-3 16): the other paths end at h = 0, and
are not tracked again.  The count is accepted when it is 40, or when two independent homotopies give the same set, every
other path is proved to end at infinity (infinity.py), and the set is not empty.  Starts are kept
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
from gough.kinematics.assembly.forms import Complex, leg_rows, mirror
from gough.kinematics.assembly.generic import DEGREE, generic_start
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.infinity import ROUNDING, infinite_residual
from gough.kinematics.assembly.paths import Ends, aligned, examine, follow, orthonormal, section

VERSION = 3  # of the file's contents
MEMORY = 256
SPREAD = (0.5, 0.1, 0.3, 0.03)  # of the random L^2, by attempt

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


def random_lengths(attempt: int) -> Complex:
    """Random complex L^2 in normalized units, the same in every process.

    Machines close to an architecture singularity have solutions far away, the farther the more L^2 differ.
    """
    rng = np.random.default_rng([1998, attempt])
    return 1.5 + SPREAD[attempt] * (rng.normal(size=6) + 1j * rng.normal(size=6))


def build(geometry: Geometry) -> Start:
    """Track the general start to the geometry, twice; other random lengths where the two disagree."""
    best: Start | None = None
    for attempt in range(len(SPREAD)):
        L2 = random_lengths(attempt)
        rows = leg_rows(geometry.b, geometry.p, L2)
        target = section(rows)
        first = from_general(rows, target)
        accounted = _accounted(geometry, first, int(first.finite.sum()))
        turn = np.exp(2j * np.pi * np.random.default_rng(attempt).random(6))
        second = from_general(rows, target, turn) if accounted else first
        union = examine(
            target,
            np.concatenate([first.X, second.X]),
            np.r_[first.status, second.status],
            np.r_[first.reach, second.reach],
        )
        n = int(union.finite.sum())
        trusted = n == DEGREE or (n > 0 and accounted and _accounted(geometry, second, n))
        X, halved = union.X[union.finite], False
        if geometry.planar:
            half = _half(target, X)
            if half is not None:
                X, halved = half, True
        start = Start(L2, X, halved, trusted)
        if trusted:
            return start
        if best is None or start.count > best.count:
            best = start
    assert best is not None
    return best


def _accounted(geometry: Geometry, ends: Ends, n: int) -> bool:
    """n finite roots, and all other paths at points that are at infinity to the rounding of the joints."""
    rest = ~ends.finite
    if n != DEGREE - rest.sum() or not (ends.finite | ends.gone).all():
        return False
    return bool((infinite_residual(geometry.b, geometry.p, ends.X[rest]) < ROUNDING).all())


def from_general(rows: Complex, target: Complex, turn: Complex | None = None) -> Ends:
    """The 40 general paths to six rows (given also in kernel layout); the roots proved on the latter."""
    general, X = generic_start()
    end = orthonormal(rows)
    ends = follow(section(aligned(general, end, turn)), section(end), X)
    return examine(target, ends.X, ends.status, ends.reach)


def _half(target: Complex, X: Complex) -> Complex | None:
    """One of each mirror pair, or None if the pairing is not proved."""
    n = len(X)
    both = np.concatenate([X, mirror(X)])
    ends = examine(target, both, np.zeros(2 * n, dtype=np.int64), np.ones(2 * n))
    partner = ends.same[n:]
    if (
        n % 2
        or (partner < 0).any()
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
