"""Paces within limits on jerk: against theory, dense samples, the proof, and planted errors."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import gough
from analysis.test_pacing import Unknown, bend, hexapod, swing
from gough.analysis import jerk_pacing
from gough.analysis.least_time import fastest_alone
from gough.analysis.pacing import PacedPath
from gough.model import Platform
from gough.trajectory.paced import paced, paced_text
from oracles.machines import platform

MOST = {"max_force": 60.0, "max_acceleration": 5.0, "max_rate": 0.8, "max_jerk": 60.0}


def used(one: Platform, found: PacedPath, count: int) -> dict[str, float]:
    """Largest shares of `MOST` at even instants; jerk from differences of accelerations."""
    t = np.linspace(0.0, found.duration, count)
    legs = gough.inverse_kinematics(one, found.trajectory(t), engine="python")
    force = gough.inverse_dynamics(one, found.trajectory(t), engine="python").force
    jerk = np.diff(legs.acceleration, axis=0) / np.diff(t)[:, None]
    values = (force, legs.acceleration, legs.rate, jerk)
    return {
        kind: float(np.abs(x).max()) / most
        for (kind, most), x in zip(MOST.items(), values, strict=True)
    }


@pytest.mark.parametrize("rate", [0.5, 5.0])
def test_a_lift_is_as_fast_as_theory_allows_and_no_faster(rate: float) -> None:
    """Vertical sliders follow a vertical lift one to one: the fastest is a move of constant jerks."""
    one = gough.load("lopes-6pus")
    lift = gough.trajectory.uniform(((0, 0, 2.0), (0, 0, 0)), ((0, 0, 2.3), (0, 0, 0)), 1.0)
    limits = {"max_rate": rate, "max_acceleration": 2.0, "max_jerk": 20.0}
    found = gough.analysis.pace_path(one, lift, **limits, points=60)
    theory = gough.trajectory.constant_jerk(0.3, rate, 2.0, 20.0).duration
    assert found.proved
    assert found.least == pytest.approx(theory, rel=1e-9)
    assert theory * (1.0 - 1e-9) <= found.duration <= 1.005 * theory
    assert found.without_jerk == pytest.approx(
        0.3 / rate + rate / 2.0 if rate < 1 else 2 * np.sqrt(0.15), rel=1e-3
    )


def test_all_limits_hold_between_the_grid_points() -> None:
    one = hexapod()
    found = gough.analysis.pace_path(one, swing(), **MOST, points=100)
    assert found.proved
    assert found.reserve <= 1e-2
    shares = used(one, found, 20_001)
    assert max(shares.values()) <= 1.0 + 1e-6
    assert min(shares.values()) > 0.9  # each is used somewhere
    assert found.without_jerk is not None
    assert max(found.without_jerk, found.least) < found.duration
    ends = found.trajectory([0.0, found.duration])
    np.testing.assert_allclose(ends.velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-9)
    np.testing.assert_allclose(ends.position, swing()([0.0, 1.0]).position, atol=1e-12)


def test_a_wide_limit_on_jerk_costs_little() -> None:
    one = hexapod()
    wide = gough.analysis.pace_path(one, swing(), max_force=60.0, max_jerk=600.0)
    assert wide.proved
    assert wide.without_jerk is not None
    assert wide.without_jerk <= wide.duration <= 1.05 * wide.without_jerk


def test_jerks_alone_and_a_path_whose_third_derivative_jumps() -> None:
    found = gough.analysis.pace_path(hexapod(), bend(), max_jerk=60.0, points=100)
    assert found.proved
    assert found.without_jerk is None
    assert used(hexapod(), found, 20_001)["max_jerk"] <= 1.0 + 1e-6


def test_viscous_friction_is_on_the_safe_side() -> None:
    one = hexapod(friction=gough.Friction(universal=2.0, prismatic=30.0, spherical=1.0))
    most = {"max_force": 70.0, "max_jerk": 100.0}
    found = gough.analysis.pace_path(one, swing(), **most, points=60)
    bare = gough.analysis.pace_path(hexapod(), swing(), **most, points=60)
    assert found.proved
    assert bare.duration < found.duration


@pytest.mark.parametrize("error", ["third derivative", "weight"])
def test_planted_errors_are_not_called_proved(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = jerk_pacing.jerk_models, jerk_pacing.effort_parts
    if error == "weight":
        monkeypatch.setattr(
            jerk_pacing, "effort_parts", lambda *a: (0.0 * parts(*a)[0], *parts(*a)[1:])
        )
    else:
        monkeypatch.setattr(jerk_pacing, "jerk_models", lambda *a: whole(*a) * 0.5)
    found = gough.analysis.pace_path(hexapod(), swing(), max_force=60.0, max_jerk=60.0, points=40)
    assert not found


def test_what_has_no_jerk_is_refused() -> None:
    with pytest.raises(gough.InputError, match="no bound is known for the jerk"):
        gough.analysis.pace_path(hexapod(), Unknown(swing()), max_jerk=10.0)
    one = platform("UCU-screw", seed=45)
    home = one.require_home()
    way = gough.trajectory.uniform(home, gough.Pose(home.position + 0.01, home.rotation), 1.0)
    with pytest.raises(gough.InputError, match="screws"):
        gough.analysis.pace_path(one, way, max_jerk=10.0)
    with pytest.raises(gough.InputError, match="max_jerk"):
        gough.analysis.pace_path(hexapod(), swing(), max_jerk=0.0)
    with pytest.raises(gough.InfeasibleError, match="no pace is found"):
        gough.analysis.pace_path(hexapod(), swing(), max_force=10.0, max_jerk=10.0)


def test_least_times_of_one_coordinate() -> None:
    inf = np.inf
    assert fastest_alone(0.0, inf, inf, inf) == 0.0
    assert fastest_alone(2.0, inf, inf, inf) == 0.0
    assert fastest_alone(2.0, 0.5, inf, inf) == 4.0
    assert fastest_alone(2.0, inf, 2.0, inf) == pytest.approx(2.0)
    assert fastest_alone(2.0, 1.0, 2.0, inf) == pytest.approx(2.5)
    assert fastest_alone(2.0, inf, inf, 4.0) == pytest.approx((32.0 * 2.0 / 4.0) ** (1.0 / 3.0))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("second", [1e-3, 1.0, 1e3])
def test_least_times_do_not_depend_on_units(unit: float, second: float) -> None:
    """D, V, A, J in mm or km, ms or ks, limited or not: the same time.  With weak or strong jerk alone
    ``T^3 = 32 D/J``, with acceleration ``T = 2 sqrt(D/A + (A/2J)^2) + A/J``, half of it speeding up."""
    for D, V, A, J in itertools.product([2.0], [0.7, np.inf], [3.0, np.inf], [0.05, 40.0, 1e7]):
        given = D * unit, V * unit / second, A * unit / second**2, J * unit / second**3
        found = fastest_alone(*given)
        assert found == pytest.approx(second * fastest_alone(D, V, A, J), rel=1e-9)
        peak = min(A, np.cbrt(J * J * D / 2.0))
        if np.isinf(V):
            due = 2.0 * np.sqrt(D / peak + (peak / (2.0 * J)) ** 2) + peak / J
            assert found == pytest.approx(second * due, rel=1e-9)


def test_eased_paces_in_a_file(tmp_path: Path) -> None:
    found = gough.analysis.pace_path(hexapod(), swing(), max_force=60.0, max_jerk=100.0, points=40)
    file = tmp_path / "way.toml"
    file.write_text(paced_text([found.trajectory]))
    again = gough.trajectory.load_trajectory(file)
    assert isinstance(again, gough.trajectory.Trajectory)
    t = np.linspace(0.0, found.duration, 101)
    mine, theirs = found.trajectory(t), again(t)
    np.testing.assert_allclose(theirs.position, mine.position, atol=1e-12)
    np.testing.assert_allclose(theirs.acceleration, mine.acceleration, atol=1e-9)


@pytest.mark.parametrize(
    ("speed", "acceleration", "said"),
    [
        ([0.0, 1.5, 0.0], [0.0, 0.0], "as many"),
        ([0.0, 1.0, 0.0], [3.0, 0.0, 3.0], "must not turn back"),
        ([0.0, 1.5, 0.0], [0.0, 0.0, 0.0], "must lead over the path once"),
    ],
)
def test_paces_that_are_none(speed: list[float], acceleration: list[float], said: str) -> None:
    with pytest.raises(gough.InputError, match=said):
        paced(swing(), [0.0, 1.0, 2.0], speed, acceleration)
