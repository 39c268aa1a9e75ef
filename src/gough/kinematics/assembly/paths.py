"""NumPy face of the compiled tracker: sections in, endpoints with proofs out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.kinematics.assembly.forms import Complex, lanes
from gough.kinematics.assembly.roots import separate, verify
from gough.kinematics.assembly.tracker import INFINITE, track_paths

LEVELS = ((1e-3, 0.7, 300, False), (1e-4, 0.5, 600, True), (1e-6, 0.3, 3000, True))
# tolerance of the predictor, share of the distance to the pole, most steps, F in doubled precision
AT_INFINITY = 1e-17  # |h|/|X|^2 below which a path is given up on the way
GONE = 1e-9  # 1 - s of a path that ended at infinity


@dataclass
class Ends:
    """Endpoints of n paths, polished where a root was proved.

    X (n, 8) complex;  status of the tracker and reached s;  h = |q.q|/|X|^2
    radius (n,) of the proved ball in the weights of roots.py, -1 without proof;  unique: radius without another
    real: 1, 0 or -1 (undecided);  same: earlier index of the same root, or -1
    """

    X: Complex
    status: NDArray[np.int64]
    reach: Array
    radius: Array
    unique: Array
    real: NDArray[np.int64]
    same: NDArray[np.int64]

    @property
    def proved(self) -> NDArray[np.bool_]:
        """Proved and distinct from every earlier one."""
        return (self.radius >= 0) & (self.same < 0)

    @property
    def h(self) -> Array:
        """``|q.q| / |X|^2``: zero at infinity."""
        return np.abs((self.X[:, :4] ** 2).sum(1)) / (np.abs(self.X) ** 2).sum(1)

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Proved, distinct and proved to have h different from zero."""
        wq, wg = np.abs(self.X[:, :4]).max(1), np.abs(self.X[:, 4:]).max(1)
        bound = 10 * np.maximum(wq, 1e-8 * wg) ** 2 * np.maximum(self.radius, 1e-16)
        return self.proved & (self.h * (np.abs(self.X) ** 2).sum(1) > bound)

    @property
    def gone(self) -> NDArray[np.bool_]:
        """At infinity: h vanishes with 1 - s, and not even doubled precision proves a root there."""
        near = (self.reach > 1 - GONE) & (self.h < 100 * (1 - self.reach) + 3e-15)
        return (self.radius < 0) & ((self.status == INFINITE) | near)

    @property
    def open(self) -> NDArray[np.bool_]:
        """Arrived, but neither proved nor at infinity: singular, or too near to another."""
        arrived = (self.status == 0) | (self.reach > 0.999)
        return ~self.finite & ~self.gone & (self.same < 0) & arrived


def split(M: Complex) -> tuple[Array, Array]:
    """Real and imaginary part, each contiguous."""
    return np.ascontiguousarray(np.real(M)), np.ascontiguousarray(np.imag(M))


def run(
    start: Complex,
    target: Complex,
    X: Complex,
    level: int = 0,
    *,
    at_infinity: float = AT_INFINITY,
) -> tuple[Complex, NDArray[np.int64], Array]:
    """Track X from the section `start` to `target` (both forms.lanes); endpoints, status, reached s."""
    tolerance, share, most, double = LEVELS[level]
    Xr, Xi = split(X)
    n = len(X)
    status, steps, reach = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n)
    track_paths(
        *split(start),
        *split(target - start),
        Xr,
        Xi,
        tolerance,
        share,
        most,
        double,
        at_infinity,
        status,
        reach,
        steps,
    )
    return Xr + 1j * Xi, status, reach


def examine(target: Complex, X: Complex, status: NDArray[np.int64], reach: Array) -> Ends:
    """Polish and prove endpoints on the section `target`; a path that stopped just short is tried as well."""
    n = len(X)
    Xr, Xi = split(X)
    radius, unique = np.full(n, -1.0), np.zeros(n)
    real, same, charts = (np.full(n, -1, dtype=np.int64) for _ in range(3))
    verify(*split(target), Xr, Xi, (status == 0) | (reach > 0.999), radius, unique, real, charts)
    keep = radius >= 0
    polished = np.where(keep[:, None], Xr + 1j * Xi, X)
    separate(Xr, Xi, radius, charts, same)
    return Ends(polished, status, reach, radius, unique, real, same)


def follow(start: Complex, target: Complex, X: Complex, *, expected: int | None = None) -> Ends:
    """Track and examine; paths that fail, or that end on another's root, are tracked again with smaller steps.

    expected: number of finite roots at which nothing more is to be done (default: all paths).
    """
    ends = examine(target, *run(start, target, X))
    want = len(X) if expected is None else expected
    for level in range(1, len(LEVELS)):
        if ends.finite.sum() >= want or (level > 1 and (ends.finite | ends.gone).all()):
            break
        again = ~ends.finite
        twins = ends.same[ends.same >= 0]
        again[twins] = True
        Y, status, reach = ends.X.copy(), ends.status.copy(), ends.reach.copy()
        Y[again], status[again], reach[again] = run(start, target, X[again], level)
        fresh = examine(target, Y, status, reach)
        if fresh.finite.sum() >= ends.finite.sum():
            ends = fresh
    return ends


def orthonormal(rows: NDArray[np.inexact]) -> Complex:
    """Rows with the same span, orthonormal."""
    return np.linalg.qr(np.asarray(rows, dtype=complex).T)[0].T


def aligned(start: Complex, target: Complex, turn: Complex | None = None) -> Complex:
    """The rows `start` mixed among themselves to lie as close as possible to `target` (both orthonormal).

    turn: (6,) phases that make it another, equally good, homotopy.
    """
    u, _, vh = np.linalg.svd(target @ start.conj().T)
    mixed = (u @ vh) @ start
    return mixed if turn is None else turn[:, None] * mixed


def section(rows: NDArray[np.inexact]) -> Complex:
    """Kernel layout of six rows."""
    return lanes(rows)
