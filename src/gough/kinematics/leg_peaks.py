"""How near a motion comes to limits on rates and accelerations of its legs, at every instant: a proved bound."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.kinematics.leg_models import leg_models, without_bounds
from gough.model import Platform
from gough.taylor import EPS, Model
from gough.trajectory.base import Trajectory
from gough.trajectory.bounds import gives_bounds, motion_model, pieces

WITHIN = 1e-6  # of the largest that is reached
PARTS, DEPTH, MOST = 4, 8, 10_000
PLACES = np.array([-1.0, 0.0, 1.0])


def pace_share(platform: Platform, path: Trajectory, V: Array, A: Array) -> float | None:
    """At least ``max(|rate|/V, sqrt(|acceleration|/A))`` of all legs and instants, V, A (6,): slowed by this factor the
    motion keeps both limits.  None: no bounds are known for its legs or for the motion."""
    if without_bounds(platform)[0] or not gives_bounds(path):
        return None
    edges = pieces(path)
    t, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    reached, bound = 0.0, 0.0
    for depth in range(DEPTH + 1):
        with np.errstate(all="ignore"):
            most, least = _shares(platform, path, t, half, V, A)
        reached = max(reached, least)
        again = ~(most <= max(reached, 1.0) * (1.0 + WITHIN))
        last = depth == DEPTH or PARTS * int(again.sum()) > MOST
        done = most if last else most[~again]
        bound = max(bound, float(np.max(done, initial=0.0)))
        if last or not again.any():
            break
        half = np.repeat(half[again] / PARTS, PARTS)
        shift = np.tile(np.arange(1 - PARTS, PARTS, 2), int(again.sum()))
        t = np.repeat(t[again], PARTS) + shift * half
    return bound if np.isfinite(bound) else None


def _shares(
    platform: Platform, path: Trajectory, t: Array, half: Array, V: Array, A: Array
) -> tuple[Array, float]:
    """(N,) what each interval uses at most, and what is used somewhere for sure."""
    motion = motion_model(path, t, half + 8.0 * EPS * path.duration)
    assert motion is not None
    legs = leg_models(platform, motion)
    rate, bend = legs.rate * (1.0 / V), legs.acceleration * (1.0 / A)
    most = np.maximum(_largest(rate), np.sqrt(_largest(bend)))
    least = [np.max(np.abs(value) - off) for value, off in (x.at(PLACES) for x in (rate, bend))]
    return most, max(float(least[0]), float(np.sqrt(max(least[1], 0.0))))


def _largest(x: Model) -> Array:
    """(N,) bound of the sizes of (N, 6)."""
    return np.maximum(-x.lower(), -(-x).lower()).max(axis=1)
