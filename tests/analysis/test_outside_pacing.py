"""Paces under force limits against an outside solver of the same problem: toppra (Pham and Pham 2018), a test extra.

It is given efforts as a function of place, speed and acceleration on the path, ``F = A(s) s'' + B(s) s'^2 + C(s)``, as
the verbs compute them, and imposes the limits at both ends of each interval of the same grid (`Interpolation`).  Ours
are imposed at five places of each interval and are proved in between: with fewer rows nobody can be slower, so that its
time is a lower bound of ours but for rounding.  Between the grid's points its pace breaks the limits (by 1.6e-4 on the
winding path).  Held to them like ours, at ten times as many places and less a reserve of 1e-6, by slowing it down
evenly where it must be, it is never faster than ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from analysis.test_pacing import bend, dense, hexapod, shares, swing
from gough.checks import Array
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_exp
from gough.trajectory.base import Trajectory
from oracles.machines import platform

toppra: Any = pytest.importorskip("toppra", reason="toppra is not installed: no outside pace")

POINTS = 100
ROUNDING = 1e-6
RESERVE = 1e-6  # of the limits: what ours give up at least
LEAST = 1e-8  # of a time: where seidel's linear programs and ours may differ


def still_legs(kind: str, seed: int) -> tuple[Platform, Trajectory, float]:
    """A random machine without friction, a way about home, and a limit on its efforts above its weight's."""
    one = platform(kind, seed=seed)
    one = one.replace(legs=[leg.replace(friction=gough.Friction()) for leg in one.legs])
    home, rng = one.require_home(), np.random.default_rng(seed)
    size = 0.05 * one.characteristic_length
    ends = [
        Pose(
            home.position + rng.uniform(-1, 1, 3) * size,
            rotation_exp(rng.uniform(-1, 1, 3) * 0.05) @ home.rotation,
        )
        for _ in range(2)
    ]
    way = gough.trajectory.uniform(ends[0], ends[1], 1.0, orientation="geodesic")
    weight = gough.inverse_dynamics(one, way.sample(50).pose, engine="python").force
    return one, way, 1.5 * float(np.abs(weight).max())


CASES = {
    "UPS, turning": lambda: (hexapod(), swing(), 60.0),
    "UPS, winding": lambda: (hexapod(), bend(), 60.0),
    "PUS": lambda: still_legs("PUS", 7),
    "RUS": lambda: still_legs("RUS", 7),
}


def moved(path: Trajectory, place: Array, square: Array, push: Array) -> Motion:
    """The path at ``s'^2 = square`` and ``s'' = push``."""
    at, square, push = path(place), np.asarray(square)[..., None], np.asarray(push)[..., None]
    speed = np.sqrt(square)
    return Motion(
        at.position,
        at.rotation,
        at.velocity * speed,
        at.angular_velocity * speed,
        at.acceleration * square + at.velocity * push,
        at.angular_acceleration * square + at.angular_velocity * push,
    )


def efforts(one: Platform, motion: Motion) -> Array:
    return gough.inverse_dynamics(one, motion, engine="python").force


def outside(one: Platform, path: Trajectory, most: float) -> tuple[Array, Array]:
    """Grid, and the speeds s' there of the fastest pace that toppra finds."""
    grid = np.linspace(0.0, path.duration, POINTS + 1)
    known: dict[tuple[float, float], Array] = {
        key: efforts(
            one, moved(path, grid, np.full(POINTS + 1, key[0]), np.full(POINTS + 1, key[1]))
        )
        for key in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    }

    def inverse(s: Array, speed: Array, push: Array) -> Array:
        k = int(np.argmin(np.abs(grid - s[0])))
        assert abs(grid[k] - s[0]) < 1e-12
        return known[round(float(speed[0]), 9), round(float(push[0]), 9)][k]

    both = np.vstack([np.eye(6), -np.eye(6)])
    limit = toppra.constraint.SecondOrderConstraint(
        inverse,
        lambda _: both,
        lambda _: np.full(12, most),
        1,
        discretization_scheme=toppra.constraint.DiscretizationType.Interpolation,
    )
    ends = [0.0, path.duration]
    straight = toppra.SplineInterpolator(ends, np.array(ends)[:, None])
    solver = toppra.algorithm.TOPPRA([limit], straight, gridpoints=grid, solver_wrapper="seidel")
    _, rates, _ = solver.compute_parameterization(0.0, 0.0)
    return grid, np.asarray(rates).ravel()


def time_of(grid: Array, rates: Array) -> float:
    return float((2.0 * np.diff(grid) / (rates[1:] + rates[:-1])).sum())


def worst(one: Platform, path: Trajectory, grid: Array, rates: Array) -> float:
    """The largest effort of a pace at ten times as many places as the grid has, both ends of each interval included."""
    share = np.linspace(0.0, 1.0, 11)
    x, width = rates**2, np.diff(grid)
    place = grid[:-1, None] + width[:, None] * share
    square = x[:-1, None] + np.diff(x)[:, None] * share
    push = np.broadcast_to((np.diff(x) / (2.0 * width))[:, None], square.shape)
    at = moved(path, place.ravel(), np.maximum(square, 0.0).ravel(), push.ravel())
    return float(np.abs(efforts(one, at)).max())


def slowed(one: Platform, path: Trajectory, most: float, grid: Array, rates: Array) -> float:
    """The time of a pace that was slowed down evenly until no effort at dense places is above `most`."""
    fast, slow = 1.0, 0.99
    if worst(one, path, grid, rates) <= most:
        return time_of(grid, rates)
    assert worst(one, path, grid, slow * rates) <= most
    while fast - slow > 1e-10:
        middle = 0.5 * (fast + slow)
        if worst(one, path, grid, middle * rates) <= most:
            slow = middle
        else:
            fast = middle
    return time_of(grid, slow * rates)


@pytest.mark.parametrize("name", CASES)
def test_no_slower_than_an_outside_solver(name: str) -> None:
    one, path, most = CASES[name]()
    mine = gough.analysis.pace_path(one, path, max_force=most, points=POINTS)
    assert mine.proved, mine.proof.sentences()
    assert time_of(*outside(one, path, most)) * (1.0 - ROUNDING) <= mine.duration
    kept = most * (1.0 - RESERVE)
    theirs = slowed(one, path, kept * (1.0 + 1e-10), *outside(one, path, kept))
    assert mine.duration <= theirs * (1.0 + LEAST)
    assert shares(one, dense(mine, POINTS), {"max_force": most}).max() <= 1.0 + 1e-6


def test_a_weaker_machine_shows() -> None:
    """Planted: the outside solver is told a limit that is a hundredth smaller."""
    one, path, most = CASES["UPS, turning"]()
    mine = gough.analysis.pace_path(one, path, max_force=most, points=POINTS)
    assert mine.duration < time_of(*outside(one, path, 0.99 * most)) * (1.0 - ROUNDING)


def test_a_pace_that_breaks_limits_between_grid_points_is_noticed() -> None:
    """Theirs on the winding path is no answer to the question that ours answers."""
    one, path, most = CASES["UPS, winding"]()
    assert worst(one, path, *outside(one, path, most)) > most * (1.0 + 1e-5)
