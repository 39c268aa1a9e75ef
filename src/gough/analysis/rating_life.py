"""Basic rating life of bearings and ball screws: what 90 of 100 alike reach before their races tire.

    L10 = (C/P)^p   million turns        C dynamic load rating, N;  P equivalent load;  p 3 of balls, 10/3 of rollers
    P = (int |F|^p dN / int dN)^(1/p)    over the turns dN of a cycle       ISO 281 (bearings), ISO 3408-5 (ball screws)
so that a cycle uses up the share ``int |F|^p dN / (1e6 C^p)`` of a life, and the life is cycle time over that.

Not in it, by those standards or by what a motion tells: lubrication, dirt, shocks, temperature, preload, loads across
the thrust direction (X and Y factors), misalignment; that bearings which swing by less than about a roller's pitch wear
otherwise (false brinelling).  The reliability is 90 percent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.looks import instants
from gough.checks import Array, InputError, array
from gough.dynamics import inverse_dynamics
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.model import CRANKS, PUS, RSS, RUS, SPS, UPS, Platform
from gough.results import Result
from gough.spatial import Motion
from gough.trajectory.base import Trajectory

EXPONENTS = {"ball": 3.0, "roller": 10.0 / 3.0}
TURN, HOUR, MILLION = 2.0 * np.pi, 3600.0, 1e6
JOINTS = (UPS, SPS, PUS, RUS, RSS)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class BearingLife(Result):
    """Of each leg's two joints along a motion that is repeated, base side and platform side: (2, 6) each.

    load    equivalent load P, N;  turn  angle that is swept in a cycle, rad (both ways count)
    turns   basic rating life in turns;  hours  the same in hours of this motion; infinite where nothing turns
    judged  what this rests on, in words
    """

    names: tuple[str, ...]
    load: Array
    turn: Array
    turns: Array
    hours: Array
    judged: str

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON; a life without an end is None."""
        return {
            "legs": [
                {"name": name}
                | {
                    side: {
                        "load_N": float(self.load[k, i]),
                        "swept_rad": float(self.turn[k, i]),
                        "life_turns": _finite(self.turns[k, i]),
                        "life_h": _finite(self.hours[k, i]),
                    }
                    for k, side in enumerate(("base", "platform"))
                }
                for i, name in enumerate(self.names)
            ],
            "judged": self.judged,
        }


def _finite(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


def cycles(rating: ArrayLike, load: Array, turns: Array, exponent: float) -> Array:
    """How often a cycle of loads (n, ...) N over `turns` (n, ...) each is survived, basic rating life."""
    used = (np.abs(load) ** exponent * turns).sum(axis=0)
    with np.errstate(divide="ignore", over="ignore"):
        return MILLION * np.asarray(rating, dtype=float) ** exponent / used


def bearing_life(
    platform: Platform,
    motion: Motion | Trajectory,
    *,
    base_rating: ArrayLike,
    platform_rating: ArrayLike,
    kind: str = "ball",
    external: ArrayLike | None = None,
) -> BearingLife:
    """Basic rating life of the joints' bearings in a machine that repeats `motion`.

    base_rating, platform_rating  dynamic load ratings C of the joints, N: one number or six
    kind      "ball" or "roller"
    external  (6,) constant wrench on the platform, platform axes
    A joint counts as one bearing that bears the joint's whole force and turns as the leg turns in it, about whatever
    axis; the spin of legs between two balls about their own axis is free and is not counted.  Instants of the motion
    are added up (trapezium rule): no proof between them.
    """
    if kind not in EXPONENTS:
        raise InputError("kind", kind, f"must be one of {', '.join(EXPONENTS)}")
    if not all(isinstance(leg, JOINTS) for leg in platform.legs):
        allowed = (
            "must be UPS, SPS, PUS, RUS or RSS legs: of the others' joints no turn is known here"
        )
        raise InputError("platform", platform.kinds, allowed)
    rating = np.stack(
        [
            _rating(n, c)
            for n, c in (("base_rating", base_rating), ("platform_rating", platform_rating))
        ]
    )
    samples = motion(instants(motion)) if isinstance(motion, Trajectory) else motion
    t = samples.time
    if t is None or t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise InputError("motion", f"shape {samples.shape}", "must have one rising time axis")
    load, turn = _loads_and_turns(platform, samples, external)
    step = np.diff(t)
    weight = 0.5 * (np.append(step, 0.0) + np.append(0.0, step))
    swept = turn * weight[:, None, None]
    p = EXPONENTS[kind]
    often = cycles(rating, load, swept / TURN, p)
    total = swept.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = ((load**p * swept).sum(axis=0) / total) ** (1.0 / p)
    mean = np.where(total > 0.0, mean, load.max(axis=0))
    judged = f"{kind} bearings, 90 percent reliability, {len(t)} samples, no proof between them"
    hours = often * (t[-1] - t[0]) / HOUR
    turns = MILLION * (rating / mean) ** p
    return BearingLife(platform.leg_names, mean, total, turns, hours, judged)


def _rating(field: str, value: ArrayLike) -> Array:
    found = array(field, value)
    if found.shape not in ((), (6,)) or not (found > 0.0).all():
        raise InputError(field, value, "must be one number or six, positive")
    return np.broadcast_to(found, (6,))


def _loads_and_turns(
    platform: Platform, motion: Motion, external: ArrayLike | None
) -> tuple[Array, Array]:
    """(n, 2, 6) forces in both joints of each leg, N, and how fast these turn, rad/s."""
    legs = inverse_kinematics(platform, motion)
    r = inverse_dynamics(platform, motion, external).reactions
    load = np.linalg.norm(np.stack([r.universal_force, r.spherical_force], axis=1), axis=-1)
    below = np.zeros_like(legs.angular_velocity)
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, CRANKS):
            below[:, i] = legs.rate[:, i, None] * leg.shaft
    base = legs.angular_velocity - below
    top = motion.angular_velocity[:, None, :] - legs.angular_velocity
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, (SPS, RSS)):
            s = legs.direction[:, i]
            for w in (base[:, i], top[:, i]):
                w -= (w * s).sum(axis=-1, keepdims=True) * s
    return load, np.linalg.norm(np.stack([base, top], axis=1), axis=-1)
