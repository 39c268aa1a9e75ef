"""Where to measure: of many possible poses those that tell most about the unknowns.

Each pose adds ``A_k^T A_k`` to the information about the scaled unknowns, its own six numbers eliminated
(metrology/fit.py).  The plan makes the mean variance small (A-optimal): poses are added one by one, then exchanged
as long as an exchange gains, by updates of the covariance C of a few rows:

    adding rows A takes   tr((1 + A C A^T)^-1 A C C A^T)   off the trace of C
The exchange is Fedorov's (Theory of Optimal Experiments, 1972) with the trace in place of the determinant.
Combinations that no candidate depends on are left out.  An exchange ends in a plan that no single exchange betters;
a better one with several poses changed at once may exist.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InputError, six
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.links import refuse_links
from gough.metrology.calibration import Readings
from gough.metrology.candidates import reachable_poses
from gough.metrology.fit import Spectrum, eliminated, spectrum_of
from gough.metrology.sensors import MeasuringSensor
from gough.metrology.unknowns import coordinate_unit, unknowns
from gough.model import Platform
from gough.spatial import Pose
from gough.storage import csv_cell, write_whole

PRIOR = (
    1e-6  # information before the first pose, of what one pose brings: only there until all is seen
)
GAIN = 1e-4  # relative: exchanges that gain less end the search
SWEEPS = 20
CANDIDATES, RIM = 600, 0.8  # poses to choose from, and the share of them that stand at a limit


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class MeasurementPlan:
    """Poses to measure at and what they promise.

    pose        (count,) the poses;   chosen   their places among the candidates
    names, units, sigma   of the unknowns after measuring there, to first order; infinite where nothing depends on them
    spread      root mean square of sigma over changes of equal weight, seen combinations
    by_chance   the same for as many poses at random (mean of 10 draws): of the given candidates, or within the limits
    spectrum    singular values and combinations
    """

    pose: Pose
    chosen: NDArray[np.int64]
    names: tuple[str, ...]
    units: tuple[str, ...]
    sigma: Array
    spread: float
    by_chance: float
    spectrum: Spectrum


def plan_poses(
    platform: Platform,
    count: int,
    sensors: Mapping[str, MeasuringSensor],
    *,
    sigma: float | ArrayLike,
    find: Sequence[str] | str | None = None,
    candidates: Pose | None = None,
    seed: int = 0,
) -> MeasurementPlan:
    """The `count` poses of `candidates` that determine the unknowns best.

    sensors, sigma, find   as in `calibrate`
    candidates  (n,) poses; default: 600 random ones within the machine's limits, most of them at a limit
    """
    refuse_links(platform, "plan_poses")
    if candidates is None:
        many = max(CANDIDATES, 4 * count)
        candidates = reachable_poses(platform, many, seed, rim=RIM)
        chance = reachable_poses(platform, many, seed + 1)
    else:
        chance = candidates
    n = len(candidates) if len(candidates.shape) == 1 else 0
    if isinstance(count, bool) or not 1 <= count <= n:
        raise InputError("count", count, f"must be from 1 to the number of candidates, {n}")
    model = _model(platform, sensors, sigma, find)
    pieces, basis = _pieces(model, candidates)
    chosen = _exchanged(pieces, _greedy(pieces, count))
    found = _spectrum(model, pieces, basis, chosen)
    variance = np.diagonal(found.covariance())
    return MeasurementPlan(
        candidates[chosen],
        chosen,
        model.names,
        model.units,
        np.where(found.seen, np.sqrt(variance), np.inf),
        _spread(found, basis),
        _by_chance(model, chance, basis, count, seed),
        found,
    )


def write_plan(platform: Platform, plan: MeasurementPlan, path: str | os.PathLike[str]) -> Path:
    """Poses and actuator coordinates as a CSV table, complete or not at all."""
    heads, rows = plan_table(platform, plan)
    lines = [",".join(map(csv_cell, heads)), *(",".join(map(repr, row)) for row in rows.tolist())]
    return write_whole(path, "\n".join(lines) + "\n")


def plan_table(platform: Platform, plan: MeasurementPlan) -> tuple[list[str], Array]:
    """Heads and (count, 12) numbers: position, roll pitch yaw, actuator coordinates; SI."""
    heads = ["x [m]", "y [m]", "z [m]", "roll [rad]", "pitch [rad]", "yaw [rad]"]
    heads += [f"{n} [{coordinate_unit(platform, i)}]" for i, n in enumerate(platform.leg_names)]
    length = inverse_kinematics(platform, plan.pose).length
    return heads, np.concatenate([plan.pose.position, plan.pose.rpy, length], axis=1)


def _by_chance(model: Readings, poses: Pose, basis: Array, count: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    pieces = _rows(model, poses) @ basis.T
    drawn = (rng.choice(len(poses), count, replace=False) for _ in range(10))
    return float(np.mean([_spread(_spectrum(model, pieces, basis, k), basis) for k in drawn]))


def _model(
    platform: Platform,
    sensors: Mapping[str, MeasuringSensor],
    sigma: float | ArrayLike,
    find: Sequence[str] | str | None,
) -> Readings:
    for name, sensor in sensors.items():
        if not isinstance(sensor, MeasuringSensor):
            raise InputError(f"sensors.{name}", sensor, "must be a sensor of gough.metrology")
    spread = np.broadcast_to(six("sigma", sigma), (6,))
    if not (spread > 0.0).all():
        raise InputError("sigma", sigma, "must be positive")
    measured = {name: (sensor, None) for name, sensor in sensors.items()}
    return Readings(unknowns(platform, find), np.zeros((0, 6)), spread, measured)


def _pieces(model: Readings, poses: Pose) -> tuple[Array, Array]:
    """(n, m, q) rows of each pose over the seen combinations, and these (q, p), of the scaled unknowns."""
    A = _rows(model, poses)
    found = spectrum_of(A.reshape(-1, A.shape[-1]), model.sizes)
    basis = found.directions[: found.rank]
    return A @ basis.T, basis


def _rows(model: Readings, poses: Pose) -> Array:
    """(n, m, p) rows of each pose over the scaled unknowns, the poses eliminated."""
    parts = []
    for low in range(0, len(poses), 100):
        rows = model.rows(model.begin, poses[low : low + 100], read=False)
        A = eliminated(rows, np.ones_like(rows.misread))[0] * model.sizes
        parts.append(A.reshape(*rows.misread.shape, -1))
    return np.concatenate(parts)


def _greedy(pieces: Array, count: int) -> list[int]:
    """Poses one after the other, each the one that takes most off the trace."""
    n, _, q = pieces.shape
    strength = float((pieces**2).sum() / n)
    C = np.eye(q) / (PRIOR * strength)
    chosen: list[int] = []
    for _ in range(count):
        gain = _gains(pieces, C)
        gain[chosen] = -np.inf
        best = int(np.argmax(gain))
        chosen.append(best)
        C = _added(C, pieces[best])
    return chosen


def _exchanged(pieces: Array, chosen: list[int]) -> NDArray[np.int64]:
    """The plan after exchanges, one pose at a time, until none gains `GAIN` of the trace."""
    q = pieces.shape[2]
    weak = PRIOR * 1e-3 * float((pieces**2).sum() / len(pieces))
    for _ in range(SWEEPS):
        before = np.trace(_covariance(pieces, chosen, weak))
        for place, old in enumerate(list(chosen)):
            rest = [k for k in chosen if k != old]
            C = _covariance(pieces, rest, weak)
            gain = _gains(pieces, C)
            gain[rest] = -np.inf
            best = int(np.argmax(gain))
            if gain[best] > gain[old] + GAIN / q * np.trace(C):
                chosen[place] = best
        if before - np.trace(_covariance(pieces, chosen, weak)) <= GAIN * before:
            break
    return np.array(chosen)


def _covariance(pieces: Array, chosen: Sequence[int], weak: float) -> Array:
    A = pieces[list(chosen)].reshape(-1, pieces.shape[2])
    return np.asarray(np.linalg.inv(A.T @ A + weak * np.eye(A.shape[1])), dtype=np.float64)


def _gains(pieces: Array, C: Array) -> Array:
    """(n,) what each pose would take off the trace of C."""
    AC = pieces @ C
    across = np.swapaxes(pieces, -1, -2)
    inner = np.eye(pieces.shape[1]) + AC @ across
    return np.trace(np.linalg.solve(inner, AC @ np.swapaxes(AC, -1, -2)), axis1=-2, axis2=-1)


def _added(C: Array, A: Array) -> Array:
    AC = A @ C
    return C - AC.T @ np.linalg.solve(np.eye(len(A)) + AC @ A.T, AC)


def _spectrum(model: Readings, pieces: Array, basis: Array, chosen: NDArray[np.int64]) -> Spectrum:
    A = pieces[chosen].reshape(-1, pieces.shape[2]) @ basis
    return spectrum_of(A, model.sizes)


def _spread(found: Spectrum, basis: Array) -> float:
    """Root mean square deviation of the seen combinations; infinite where a plan sees less than the candidates."""
    if found.rank < len(basis):
        return float("inf")
    return float(np.sqrt(np.mean(found.singular[: found.rank] ** -2.0)))
