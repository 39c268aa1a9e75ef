"""What the legs do along a motion as ranges over intervals of time: proved between instants, or the samples' own.

For drives that are still to be chosen: efforts are those of the machine without any drive (no rotor inertia).

    proved   intervals of the motion (trajectory/bounds.py) with efforts (analysis/effort_models.py), rates and
             accelerations (kinematics/leg_models.py) enclosed; cut until ranges are below `NARROW` of the largest
    sampled  instants with weights of the trapezium rule, ranges of no width: nothing is known between them
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.analysis.effort_models import effort_models, without_efforts
from gough.analysis.looks import instants
from gough.checks import Array, InputError
from gough.dynamics import inverse_dynamics
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.leg_models import leg_models, without_bounds
from gough.model import Platform
from gough.spatial import Motion
from gough.taylor import EPS, Model
from gough.trajectory.base import Trajectory
from gough.trajectory.bounds import gives_bounds, motion_model, pieces

NARROW = 0.005  # of the largest: ranges are cut until they are this narrow
ROUNDS = 8
MOST = 20_000  # intervals
BATCH = 512


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Spread:
    """Ranges (n, 6) over intervals; `value` (n, 6) in their middles."""

    low: Array
    high: Array
    value: Array

    @property
    def size(self) -> Array:
        """(n, 6) largest size."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def least(self) -> Array:
        """(n, 6) smallest size: 0 where both signs are possible."""
        either = (self.low <= 0.0) & (self.high >= 0.0)
        return np.where(either, 0.0, np.minimum(np.abs(self.low), np.abs(self.high)))


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Duty:
    """Along one motion: times (n,) s, weights (n,) s, and ranges of effort, rate, acceleration and coordinate.

    proved  the ranges hold at every instant;  why  why not, in words
    """

    time: Array
    weight: Array
    effort: Spread
    rate: Spread
    acceleration: Spread
    coordinate: Spread
    proved: bool
    why: str = ""

    @property
    def duration(self) -> float:
        """s"""
        return float(self.weight.sum())


def without_drives(platform: Platform) -> Platform:
    """The machine with no drive on any leg."""
    return platform.replace(legs=[leg.replace(drive=None) for leg in platform.legs])


def duty(platform: Platform, motion: Motion | Trajectory, external: Array) -> Duty:
    """Of the machine without its drives; external (6,): constant wrench, platform axes."""
    bare = without_drives(platform)
    if not isinstance(motion, Trajectory):
        return _sampled(bare, motion, external, "samples were given")
    found, why = proved_duty(bare, motion, external)
    return found or _sampled(bare, motion(instants(motion)), external, why)


def proved_duty(platform: Platform, path: Trajectory, external: Array) -> tuple[Duty | None, str]:
    """Of the machine as it is, its rotors included; None and why where no bounds are known."""
    why = without_bounds(platform)[0] or without_efforts(platform)
    if not why and not gives_bounds(path):
        why = "this trajectory gives no bounds"
    found = None if why else _proved(platform, path, external)
    return found, why or ("" if found else "the bounds of this motion are not finite")


def _sampled(platform: Platform, motion: Motion, external: Array, why: str) -> Duty:
    t = motion.time
    if t is None or t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise InputError("motions", f"shape {motion.shape}", "must have one rising time axis")
    legs = inverse_kinematics(platform, motion)
    force = inverse_dynamics(platform, motion, external).force
    step = np.diff(t)
    weight = 0.5 * (np.append(step, 0.0) + np.append(0.0, step))
    values = (force, legs.rate, legs.acceleration, legs.length)
    effort, rate, acceleration, coordinate = (Spread(x, x, x) for x in values)
    return Duty(t, weight, effort, rate, acceleration, coordinate, False, why)


def _proved(platform: Platform, path: Trajectory, external: Array) -> Duty | None:
    """None where the bounds do not become finite."""
    edges = pieces(path)
    t, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    kept: list[tuple[Array, Array, list[Spread]]] = []
    largest = np.zeros((4, 6))
    for turn in range(ROUNDS + 1):
        spreads = _spreads(platform, path, t, half, external)
        largest = np.fmax(
            largest, [np.nanmax(np.abs(s.value), axis=0, initial=0.0) for s in spreads]
        )
        # of the coordinates no narrow range is needed
        wide = [
            (s.high - s.low) > 2.0 * NARROW * largest[k].max() for k, s in enumerate(spreads[:3])
        ]
        open_ = np.any(wide, axis=(0, 2)) | ~np.isfinite([s.size for s in spreads]).all(axis=(0, 2))
        if turn == ROUNDS or len(t) * 4 > MOST:
            open_[:] = False
        done = ~open_
        kept.append((t[done], half[done], [_part(s, done) for s in spreads]))
        if not open_.any():
            break
        half = np.repeat(half[open_] / 4.0, 4)
        t = np.repeat(t[open_], 4) + np.tile([-3.0, -1.0, 1.0, 3.0], int(open_.sum())) * half
    time = np.concatenate([t for t, _, _ in kept])
    halves = np.concatenate([half for _, half, _ in kept])
    order = np.argsort(time)
    joined = _joined([spreads for _, _, spreads in kept])
    if not all(np.isfinite(s.size).all() for s in joined):
        return None
    effort, rate, acceleration, coordinate = (
        Spread(s.low[order], s.high[order], s.value[order]) for s in joined
    )
    return Duty(time[order], 2.0 * halves[order], effort, rate, acceleration, coordinate, True)


def _joined(parts: list[list[Spread]]) -> list[Spread]:
    """Spreads of several lots of intervals as one."""
    return [
        Spread(
            np.concatenate([p[n].low for p in parts]),
            np.concatenate([p[n].high for p in parts]),
            np.concatenate([p[n].value for p in parts]),
        )
        for n in range(len(parts[0]))
    ]


def _part(spread: Spread, which: NDArray[np.bool_]) -> Spread:
    return Spread(spread.low[which], spread.high[which], spread.value[which])


def _spreads(
    platform: Platform, path: Trajectory, t: Array, half: Array, external: Array
) -> list[Spread]:
    """Effort, rate, acceleration and coordinate over intervals."""
    parts = []
    with np.errstate(all="ignore"):
        for k in range(0, len(t), BATCH):
            wide = half[k : k + BATCH] + 8.0 * EPS * path.duration
            motion = motion_model(path, t[k : k + BATCH], wide)
            assert motion is not None
            legs = leg_models(platform, motion)
            effort = effort_models(platform, motion, external)
            parts.append(
                [_range(m) for m in (effort, legs.rate, legs.acceleration, legs.coordinate)]
            )
    return _joined(parts)


def _range(m: Model) -> Spread:
    low, high = m.lower(), -(-m).lower()
    unknown = ~(np.isfinite(low) & np.isfinite(high))
    low, high = np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
    return Spread(low, high, m.c[0])
