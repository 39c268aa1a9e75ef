"""The fastest pace within efforts: against a bound by quadrature, linear programming, and dense samples."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, linprog

import gough
from gough.analysis import pacing
from gough.analysis.pacing import PacedPath, largest
from gough.checks import Array
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_exp
from gough.struts import struts
from gough.trajectory.base import Trajectory
from oracles.machines import platform

MASS, FORCE, LOW, HIGH = 10.0, 40.0, 0.55, 0.85
COUNT = int(os.environ.get("GOUGH_PACES", "6"))
KINDS = ("UPS", "PUS", "RUS", "PSU", "UCU", "UCU-screw")


def hexapod(**more: Any) -> Platform:
    return gough.hexapod(0.5, 0.3, 0.4, 0.6, 0.6, platform_mass=MASS, **more)


def lift() -> Trajectory:
    ends = (((0.0, 0.0, z), (0.0, 0.0, 0.0)) for z in (LOW, HIGH))
    return gough.trajectory.uniform(*ends, 1.0)


def swing() -> Trajectory:
    """A way on which the platform shifts and turns."""
    ends = ((-0.1, 0.05, 0.55), (0.1, 0.0, -0.1)), ((0.12, 0.0, 0.7), (-0.15, 0.2, 0.25))
    return gough.trajectory.uniform(*ends, 1.0, orientation="geodesic")


def bend() -> Trajectory:
    """A winding way."""
    poses = [
        ((0.0, 0.0, 0.6), (0.0, 0.0, 0.0)),
        ((0.1, 0.05, 0.65), (0.1, 0.0, 0.1)),
        ((-0.1, 0.1, 0.55), (0.0, 0.15, 0.0)),
        ((0.0, 0.0, 0.6), (0.0, 0.0, 0.0)),
    ]
    return gough.trajectory.waypoints(poses, [0.0, 1.0, 2.0, 3.0], ends="natural")


def shares(one: Platform, motion: Motion, most: dict[str, float], wrench: Any = None) -> Array:
    """(N,) the largest share of a limit that a leg uses."""
    legs = gough.inverse_kinematics(one, motion, engine="python")
    force = gough.inverse_dynamics(one, motion, wrench, engine="python").force
    values = {"max_rate": legs.rate, "max_acceleration": legs.acceleration, "max_force": force}
    return np.max([np.abs(values[kind]).max(axis=-1) / most[kind] for kind in most], axis=0)


def dense(found: PacedPath, points: int) -> Motion:
    """Ten times as many instants as the grid has, and both sides of every knot."""
    inner = np.array(found.trajectory.pace.breaks)
    even = np.linspace(0.0, found.duration, 10 * points + 1)
    return found.trajectory(np.sort(np.concatenate([even, inner, inner - 1e-9 * found.duration])))


def fastest_lift(one: Platform) -> float:
    """s, of a mass on massless legs, ``6 F cos = m (g + a)``: full effort up, then down, by quadrature."""
    g = -float(one.gravity[2])

    def pull(z: float, side: float) -> float:
        cosine = float(struts(one, Pose([0.0, 0.0, z])).direction[0, 2])
        return side * 6.0 * FORCE * cosine / MASS - g

    def work(a: float, b: float, side: float) -> float:
        return quad(pull, a, b, (side,), epsabs=1e-13, epsrel=1e-13)[0]

    switch = brentq(lambda z: work(LOW, z, 1.0) + work(z, HIGH, -1.0), LOW, HIGH, xtol=1e-14)
    up, down = np.sqrt(switch - LOW), np.sqrt(HIGH - switch)
    rise = quad(lambda y: 2 * y / np.sqrt(2 * work(LOW, LOW + y * y, 1.0)), 0.0, up)[0]
    fall = quad(lambda y: 2 * y / np.sqrt(-2 * work(HIGH - y * y, HIGH, -1.0)), 0.0, down)[0]
    return rise + fall


def test_a_lift_is_as_fast_as_theory_allows_and_no_faster() -> None:
    one = hexapod(leg_mass=1e-9)
    bound = fastest_lift(one)
    times = [
        gough.analysis.pace_path(one, lift(), max_force=FORCE, points=n).duration for n in (50, 200)
    ]
    assert min(times) >= bound * (1.0 - 1e-8)
    assert times[0] <= bound * 1.002
    assert times[1] <= bound * 1.0003


def test_limits_hold_between_the_grid_points_and_one_is_always_used() -> None:
    one, most = hexapod(), {"max_force": 60.0, "max_acceleration": 12.0, "max_rate": 0.8}
    found = gough.analysis.pace_path(one, swing(), **most)
    assert found.proved
    assert found.reserve <= 1e-5
    assert found.proof.ok is True
    used = shares(one, dense(found, 200), most)
    assert used.max() <= 1.0 + 1e-6
    assert np.mean(used > 0.99) > 0.98
    assert len({v.kind for v in found.proof.verdicts} & {"speed", "acceleration", "force"}) == 3
    ends = found.trajectory([0.0, found.duration])
    np.testing.assert_allclose(ends.velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(ends.position, swing()([0.0, 1.0]).position, atol=1e-12)


def by_programming(
    one: Platform, path: Trajectory, most: dict[str, float], n: int, m: int
) -> Array:
    """(n + 1,) the largest x that linear programming finds, limits imposed at m + 1 places of each interval.

    Its rows come from the verbs at unlike speeds, not from the solver's: ``F(x, u) = F0 + x F1 + u F2``.
    """
    h = path.duration / n
    i, k = (x.ravel() for x in np.mgrid[:n, : m + 1])
    s = (h * k / m)[:, None]
    at = path(np.minimum(i * h + s[:, 0], path.duration))

    def used(x: float, u: float) -> Array:
        v = np.sqrt(x)
        moved = Motion(
            at.position,
            at.rotation,
            at.velocity * v,
            at.angular_velocity * v,
            at.acceleration * x + at.velocity * u,
            at.angular_acceleration * x + at.angular_velocity * u,
        )
        legs = gough.inverse_kinematics(one, moved, engine="python").acceleration
        force = gough.inverse_dynamics(one, moved, engine="python").force
        return np.concatenate([legs / most["max_acceleration"], force / most["max_force"]], axis=1)

    fixed = used(0.0, 0.0)
    by_x, by_u = (used(0.25, 0.0) - fixed) / 0.25, (used(0.0, 2.0) - fixed) / 2.0
    # u = (x' - x)/2h, x(s) = x + 2 s u
    here, there = by_x * (1.0 - s / h) - by_u / (2.0 * h), by_x * s / h + by_u / (2.0 * h)
    rows, bounds = [], []
    for side in (1.0, -1.0):
        row = np.zeros((len(i), 12, n + 1))
        row[np.arange(len(i)), :, i], row[np.arange(len(i)), :, i + 1] = side * here, side * there
        rows.append(row.reshape(-1, n + 1))
        bounds.append((1.0 - side * fixed).ravel())
    ends = [(0.0, 0.0), *[(0.0, None)] * (n - 1), (0.0, 0.0)]
    found = linprog(
        -np.ones(n + 1), np.concatenate(rows), np.concatenate(bounds), bounds=ends, method="highs"
    )
    assert found.status == 0
    return found.x


def test_no_slower_than_linear_programming(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest x at every place at once: with all rows the same pace, with fewer rows none that is slower."""
    one, most, n = hexapod(), {"max_force": 60.0, "max_acceleration": 12.0}, 20
    monkeypatch.setattr(pacing, "RESERVES", (0.0,))
    found = gough.analysis.pace_path(one, swing(), **most, points=n)
    x = np.asarray(found.trajectory.pace.speed) ** 2  # type: ignore[attr-defined]
    same = by_programming(one, swing(), most, n, pacing.PLACES)
    np.testing.assert_allclose(x, same, rtol=1e-6, atol=1e-9 * x.max())
    v = np.sqrt(by_programming(one, swing(), most, n, 1))
    bound = float((2.0 / n / (v[1:] + v[:-1])).sum())
    assert bound <= found.duration <= 1.01 * bound


@pytest.mark.parametrize("error", ["weight", "places"])
def test_planted_errors_are_not_called_proved(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pace that knows no weight; limits imposed at the ends of wide intervals only, with nothing in reserve."""
    one = hexapod()
    monkeypatch.setattr(pacing, "RESERVES", (0.0,))
    if error == "weight":
        parts = pacing.effort_parts
        monkeypatch.setattr(pacing, "effort_parts", lambda *a: (0.0 * parts(*a)[0], *parts(*a)[1:]))
    else:
        monkeypatch.setattr(pacing, "PLACES", 1)
    found = gough.analysis.pace_path(one, bend(), max_force=60.0, points=12)
    assert not found
    assert shares(one, dense(found, 120), {"max_force": 60.0}).max() > 1.0 + 1e-5


def test_a_reserve_is_taken_where_the_places_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "PLACES", 1)
    one = hexapod()
    found = gough.analysis.pace_path(one, bend(), max_force=60.0, points=80)
    assert found.proved
    assert found.reserve > 1e-6
    assert shares(one, dense(found, 800), {"max_force": 60.0}).max() <= 1.0


def test_viscous_friction_and_a_wrench_are_part_of_the_efforts() -> None:
    one = hexapod(friction=gough.Friction(universal=2.0, prismatic=30.0, spherical=1.0))
    wrench, most = np.array([5.0, 0.0, -20.0, 0.0, 1.0, 0.0]), {"max_force": 70.0}
    found = gough.analysis.pace_path(one, swing(), **most, external=wrench)
    assert found.proved
    used = shares(one, dense(found, 200), most, wrench)
    assert used.max() <= 1.0
    assert np.mean(used > 0.95) > 0.97
    bare = gough.analysis.pace_path(hexapod(), swing(), **most, external=wrench)
    assert bare.duration < found.duration


def test_limits_of_the_machine_are_taken() -> None:
    bare = hexapod()
    limits = gough.Limits(force=60.0, speed=0.8)
    one = bare.replace(legs=[leg.replace(limits=limits) for leg in bare.legs])
    found = gough.analysis.pace_path(one, swing(), points=60)
    asked = gough.analysis.pace_path(bare, swing(), max_force=60.0, max_rate=0.8, points=60)
    assert found.duration == asked.duration


@dataclass(frozen=True, eq=False)
class Unknown(Trajectory):
    """A kind of motion that gives no bounds."""

    inner: Trajectory
    duration: float = 1.0

    def evaluate(self, t: Array) -> Motion:
        return self.inner.evaluate(t)


def test_what_gives_no_bounds_is_paced_and_not_called_proved() -> None:
    one, most = hexapod(), {"max_force": 60.0}
    found = gough.analysis.pace_path(one, Unknown(swing()), max_force=60.0, points=60)
    known = gough.analysis.pace_path(one, swing(), max_force=60.0, points=60)
    assert not found.proved
    assert found.reserve == pacing.RESERVES[0]
    assert any("gives no bounds" in said for said in found.proof.sentences())
    assert found.duration == pytest.approx(known.duration, rel=1e-3)
    assert shares(one, dense(found, 60), most).max() <= 1.0 + 1e-3


def test_legs_that_spin_are_refused() -> None:
    """Their spin is part of the state, and a path does not give it."""
    one = platform("mixed", seed=43)
    home = one.require_home()
    way = gough.trajectory.uniform(home, Pose(home.position + 0.01, home.rotation), 1.0)
    with pytest.raises(gough.InputError, match="spin"):
        gough.analysis.pace_path(one, way, max_force=1e5)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({}, gough.InputError, "max_acceleration"),
        ({"max_rate": 1.0}, gough.InputError, "max_acceleration"),
        ({"max_force": 0.0}, gough.InputError, "max_force"),
        ({"max_force": 60.0, "points": 3}, gough.InputError, "points"),
        ({"max_force": 60.0, "external": np.zeros((2, 6))}, gough.InputError, "external"),
        ({"max_force": 10.0}, gough.InfeasibleError, "no pace is found that keeps the limits"),
    ],
)
def test_what_cannot_be_paced_is_refused(
    arguments: dict[str, Any], error: type[Exception], said: str
) -> None:
    """The last: the legs cannot even hold the platform."""
    with pytest.raises(error, match=said):
        gough.analysis.pace_path(hexapod(), swing(), **arguments)


def test_paths_that_stop_are_refused() -> None:
    one, still = (
        hexapod(),
        gough.trajectory.quintic(((0, 0, LOW), (0, 0, 0)), ((0, 0, HIGH), (0, 0, 0)), 1.0),
    )
    with pytest.raises(gough.InputError, match="stands still"):
        gough.analysis.pace_path(one, still, max_force=60.0)
    low, high, side = (((x, 0, z), (0, 0, 0)) for x, z in ((0, 0.6), (0, 0.7), (0.1, 0.7)))
    corner = gough.trajectory.sequence(
        gough.trajectory.uniform(low, high, 1.0), gough.trajectory.uniform(high, side, 1.0)
    )
    with pytest.raises(gough.InputError, match="corner at 1 s"):
        gough.analysis.pace_path(one, corner, max_force=60.0)


def test_largest_against_linear_programming() -> None:
    """Random half planes, bounded or not, empty or not."""
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(200):
        m = int(rng.integers(2, 8))
        p, q, r = rng.normal(size=(3, m))
        q[rng.random(m) < 0.2] = 0.0
        truth = linprog([-1.0, 0.0], np.stack([p, q], axis=1), r, bounds=(None, None))
        mine = largest(p, q, r)
        if truth.status == 0:
            assert mine == pytest.approx(truth.x[0], rel=1e-7, abs=1e-9)
        elif truth.status == 2:
            assert mine == -np.inf
        seen.add(truth.status)
    assert seen >= {0, 2, 3}


@pytest.mark.slow
def test_paces_of_random_machines() -> None:
    """Every leg type with bounds: proved, and dense samples agree."""
    for n in range(COUNT):
        one = platform(KINDS[n % len(KINDS)], seed=40 + n)
        home, rng = one.require_home(), np.random.default_rng(n)
        size = 0.03 * one.characteristic_length
        ends = [
            Pose(
                home.position + rng.uniform(-1, 1, 3) * size,
                rotation_exp(rng.uniform(-1, 1, 3) * 0.03) @ home.rotation,
            )
            for _ in range(2)
        ]
        way = gough.trajectory.uniform(*ends, 1.0, orientation="geodesic")
        still = gough.inverse_dynamics(one, way.sample(50).pose, engine="python").force
        most = {"max_force": 2.0 * float(np.abs(still).max()) + 1.0}
        found = gough.analysis.pace_path(one, way, **most, points=60)
        assert found.proved, found.proof.sentences()
        assert shares(one, dense(found, 60), most).max() <= 1.0 + 1e-9
