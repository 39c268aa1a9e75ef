"""Paces under force limits against an outside solver of the same problem: toppra (Pham and Pham 2018), a test extra.

It is given efforts as a function of place, speed and acceleration on the path, ``F = A(s) s'' + B(s) s'^2 + C(s)``, as
the verbs compute them, and imposes the limits at both ends of each interval of the same grid (`Interpolation`).  Ours
are imposed at five places of each interval and are proved in between: with fewer rows nobody can be slower, so that its
time is a lower bound of ours but for rounding, and ours may be longer by what the rows between cost (`LONGER`).
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
LONGER = 3e-4  # of its time; a reserve of 1e-6 and three more places in each interval
ROUNDING = 1e-6


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


def outside(one: Platform, path: Trajectory, most: float) -> float:
    """s: the shortest time that toppra finds."""
    T = path.duration
    grid = np.linspace(0.0, T, POINTS + 1)
    at = path(grid)

    def efforts(speed: float, push: float) -> Array:
        moved = Motion(
            at.position,
            at.rotation,
            at.velocity * speed,
            at.angular_velocity * speed,
            at.acceleration * speed**2 + at.velocity * push,
            at.angular_acceleration * speed**2 + at.angular_velocity * push,
        )
        return gough.inverse_dynamics(one, moved, engine="python").force

    known: dict[tuple[float, float], Array] = {
        key: efforts(*key) for key in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
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
    straight = toppra.SplineInterpolator([0.0, T], np.array([[0.0], [T]]))
    solver = toppra.algorithm.TOPPRA([limit], straight, gridpoints=grid, solver_wrapper="seidel")
    _, rates, _ = solver.compute_parameterization(0.0, 0.0)
    return float((2.0 * np.diff(grid) / (rates[1:] + rates[:-1])).sum())


@pytest.mark.parametrize("name", CASES)
def test_as_fast_as_an_outside_solver(name: str) -> None:
    one, path, most = CASES[name]()
    theirs = outside(one, path, most)
    mine = gough.analysis.pace_path(one, path, max_force=most, points=POINTS)
    assert mine.proved, mine.proof.sentences()
    assert theirs * (1.0 - ROUNDING) <= mine.duration <= theirs * (1.0 + LONGER)
    assert shares(one, dense(mine, POINTS), {"max_force": most}).max() <= 1.0 + 1e-6


def test_a_weaker_machine_shows() -> None:
    """Planted: the outside solver is told a limit that is a hundredth smaller."""
    one, path, most = CASES["UPS, turning"]()
    mine = gough.analysis.pace_path(one, path, max_force=most, points=POINTS)
    assert mine.duration < outside(one, path, 0.99 * most) * (1.0 - ROUNDING)
