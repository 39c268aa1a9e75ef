"""Least squares over a machine's unknowns and over the poses it stood in, which nobody knows exactly either.

At each pose k the weighted misreadings r_k depend on the unknowns z (one vector for all) and on that pose x_k (six
numbers).  To first order ``r_k - A_k dz - B_k dx_k``; with ``B_k = Q_k R_k`` the pose is eliminated,

    (1 - Q Q^T) A_k dz = (1 - Q Q^T) r_k,      dx_k = R_k^-1 Q_k^T (r_k - A_k dz),
so encoders, trackers, wires and inclinometers are all rows of one problem, and a sensor that sees less than a pose
counts for what it sees.  The stacked matrix, its columns scaled to changes of equal weight, is decomposed: singular
values below `NOTHING` of the largest are combinations that no reading depends on.  They stay as they were (the step
has no component along them) and `Spectrum.unseen` names them.  An unknown that is known beforehand to some tolerance
adds a row of its own, ``(z - nominal)/tolerance``.  Steps are damped (Levenberg, Marquardt) where a full one does not
lower the sum of squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, GoughError
from gough.frozen import hinted
from gough.spatial import Pose, rotation_exp

NOTHING = 1e-10  # of the largest singular value: rounding of exact slopes
STEPS = 40
SETTLED = (
    1e-8  # of the sum of squares: what a step would still take off it, 1e-4 of a standard deviation
)
ROUNDED = 1e-12  # relative: sums of squares that differ by less are equal
DAMPING = 1e-4
LARGEST = 1e12  # of the damping: nothing lowers the sum


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Misreadings over their standard deviations and their slopes: (n, m), (n, m, p), (n, m, 6).

    reading = expected + misreading: slopes are those of what is expected.
    """

    misread: Array
    by_unknowns: Array
    by_pose: Array


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Spectrum:
    """What the readings say about the unknowns, poses eliminated; columns scaled by `sizes`.

    singular   (p,) descending;   rank   how many are not zero
    directions (p, p) rows: combinations of the scaled unknowns, the unseen ones last
    """

    sizes: Array
    singular: Array
    directions: Array
    rank: int

    @property
    def unseen(self) -> Array:
        """(p - rank, p) combinations of the scaled unknowns that no reading depends on."""
        return self.directions[self.rank :]

    @property
    def seen(self) -> NDArray[np.bool_]:
        """(p,) unknowns that have no share in an unseen combination."""
        return (self.unseen**2).sum(axis=0) < 1e-12

    def covariance(self) -> Array:
        """(p, p) of the unknowns for unit noise; unseen combinations are left out: see `seen`."""
        V = self.directions[: self.rank] / self.singular[: self.rank, None]
        return (self.sizes[:, None] * V.T) @ (V * self.sizes)


class FittedModel(Protocol):
    """What is fitted: rows at unknowns z and poses, weights of rows, what is known of the unknowns beforehand.

    begin (p,) and known (p,), one over its standard deviation; 0: nothing is
    """

    begin: Array
    known: Array

    def rows(self, z: Array, pose: Pose) -> WeightedRows: ...

    def weights(self, misread: Array) -> Array: ...


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Unknowns and poses of least squares; `weights` (n, m) of the readings, 1 without a robust estimator."""

    z: Array
    pose: Pose
    rows: WeightedRows
    weights: Array
    spectrum: Spectrum
    steps: int
    settled: bool


def eliminated(rows: WeightedRows, weights: Array) -> tuple[Array, Array, Array, Array]:
    """The rows without their poses: (n m, p), (n m,), and the Q, R of the poses."""
    w = np.sqrt(weights)[..., None]
    Q, R = np.linalg.qr(w * rows.by_pose)
    A, r = w * rows.by_unknowns, (w * rows.misread[..., None])
    across = np.swapaxes(Q, -1, -2)
    A, r = A - Q @ (across @ A), r - Q @ (across @ r)
    return A.reshape(-1, A.shape[-1]), r.ravel(), Q, R


def spectrum(rows: WeightedRows, weights: Array, known: Array, sizes: Array) -> Spectrum:
    """How well readings, and what is known beforehand, determine the unknowns."""
    A = np.concatenate([eliminated(rows, weights)[0], np.diag(known)[known > 0.0]])
    return spectrum_of(A * sizes, sizes)


def spectrum_of(A: Array, sizes: Array) -> Spectrum:
    """Of a stacked matrix whose columns are scaled."""
    triangle = np.linalg.qr(A, mode="r") if len(A) > A.shape[1] else A
    _, s, V = np.linalg.svd(triangle, full_matrices=True)
    singular = np.zeros(A.shape[1])
    singular[: len(s)] = s
    rank = int((singular > NOTHING * max(singular[0], np.finfo(float).tiny)).sum())
    return Spectrum(sizes, singular, V, rank)


def moved(pose: Pose, change: Array) -> Pose:
    """Poses moved by (n, 6) translations and rotation vectors, world axes."""
    return Pose.trusted(pose.position + change[:, :3], rotation_exp(change[:, 3:]) @ pose.rotation)


def fitted(model: FittedModel, z: Array, pose: Pose, sizes: Array) -> Fit:
    """Unknowns and poses from a start near them; not settled after `STEPS`: said so, not hidden."""
    damping, steps, settled = DAMPING, 0, False
    rows = model.rows(z, pose)
    weights = model.weights(rows.misread)
    cost = _cost(model, z, rows, weights)
    while steps < STEPS and not settled and damping < LARGEST:
        steps += 1
        dz, dx, gain = _step(model, z, rows, weights, sizes, damping)
        small = gain < SETTLED + ROUNDED * cost
        new = _tried(model, z + dz, moved(pose, dx))
        if new is None or not _cost(model, z + dz, new, weights) <= cost * (1.0 + ROUNDED):
            damping, settled = damping * 10.0, small and new is not None
            continue
        z, pose, rows, damping = z + dz, moved(pose, dx), new, damping / 10.0
        again = model.weights(rows.misread)
        settled = small and bool(np.abs(again - weights).max(initial=0.0) < 1e-6)
        weights = again
        cost = _cost(model, z, rows, weights)
    found = spectrum(rows, weights, model.known, sizes)
    return Fit(z, pose, rows, weights, found, steps, settled)


def _cost(model: FittedModel, z: Array, rows: WeightedRows, weights: Array) -> float:
    off = model.known * (model.begin - z)
    return float((weights * rows.misread**2).sum() + (off**2).sum())


def _tried(model: FittedModel, z: Array, pose: Pose) -> WeightedRows | None:
    """WeightedRows, or None where a step leaves what the machine can be."""
    try:
        return model.rows(z, pose)
    except GoughError:
        return None


def _step(
    model: FittedModel, z: Array, rows: WeightedRows, weights: Array, sizes: Array, damping: float
) -> tuple[Array, Array, float]:
    """A damped step of the unknowns, what the poses make of it, and what a full step would take off the sum."""
    A, r, Q, R = eliminated(rows, weights)
    held = model.known > 0.0
    A = np.concatenate([A, np.diag(model.known)[held]])
    r = np.concatenate([r, (model.known * (model.begin - z))[held]])
    U, s, V = np.linalg.svd(A * sizes, full_matrices=False)
    largest = max(s.max(initial=0.0), np.finfo(float).tiny)
    kept = s > NOTHING * largest
    damped = s / np.where(kept, s**2 + damping * (1e-3 * largest) ** 2, 1.0)
    along = np.where(kept, U.T @ r, 0.0)
    dz = sizes * (V.T @ (damped * along))
    w = np.sqrt(weights)[..., None]
    left = w * (rows.misread[..., None] - (rows.by_unknowns @ dz)[..., None])
    across = np.swapaxes(Q, -1, -2) @ left
    gain = float((along**2).sum() + (across**2).sum())
    dx = np.asarray(np.linalg.solve(R, across), dtype=np.float64)
    return dz, dx[..., 0], gain


def sparse(rows: Array) -> Array:
    """The same combinations in rows of few numbers each, of length one: Gauss-Jordan with the largest pivots."""
    out = rows.copy()
    for k in range(len(out)):
        i, j = np.unravel_index(np.argmax(np.abs(out[k:])), out[k:].shape)
        out[[k, k + i]] = out[[k + i, k]]
        out[k] /= out[k, j]
        others = np.arange(len(out)) != k
        out[others] -= out[others][:, j, None] * out[k]
    return out / np.linalg.norm(out, axis=1, keepdims=True)
