"""Bounds on what a sizing reports: no instant exceeds them, and they are near what is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.analysis import size_bounds
from gough.analysis.duty import Spread
from gough.analysis.sizing import BOUNDED, size
from gough.trajectory import Trajectory
from oracles.offset_machines import offset_case

SWINGS = {
    "motion-base-1500": (0.08, 0.1),
    "hexaglide": (0.03, 0.05),
    "servo-hexapod": (0.005, 0.04),
}


def swing(machine: gough.Platform, name: str) -> Trajectory:
    """All six coordinates about home, two frequencies."""
    home, (far, turn) = machine.require_home(), SWINGS[name]
    table = {
        "kind": "harmonic",
        "center": {"position": home.position.tolist(), "rpy": home.rpy.tolist()},
        "amplitude": [[far, 0.0, far, turn, 0.0, turn], [0.0, far, 0.0, 0.0, turn, 0.0]],
        "frequency": [0.5, 0.8],
        "duration": 2.0,
    }
    found = gough.trajectory.trajectory_from(table)
    assert isinstance(found, Trajectory)
    return found


@pytest.mark.parametrize("name", SWINGS)
def test_no_instant_exceeds_the_bounds_and_they_are_near(name: str) -> None:
    machine = gough.load(name)
    path = swing(machine, name)
    found = size(machine, {"swing": path})
    assert any(BOUNDED in said for said in found.judged), found.judged
    motion = path(np.linspace(0.0, path.duration, 20_001))
    legs = gough.inverse_kinematics(machine, motion)
    force = gough.inverse_dynamics(machine, motion).force
    power = force * legs.rate
    seen = {
        "most_length": legs.length.max(axis=0),
        "force": np.abs(force).max(axis=0),
        "speed": np.abs(legs.rate).max(axis=0),
        "acceleration": np.abs(legs.acceleration).max(axis=0),
        "power": power.max(axis=0),
    }
    for i, bounds in enumerate(found.most):
        for field, values in seen.items():
            most = getattr(bounds, field)
            assert values[i] <= most
            assert most - values[i] <= 0.06 * np.abs(values).max(), field
        assert bounds.least_length <= legs.length[:, i].min()
        assert bounds.braking <= power[:, i].min()
        one = found.legs[i]
        assert bounds.force >= abs(one.peak_force)
        assert bounds.power >= one.peak_power


def test_cases_are_joined_and_samples_have_no_bounds() -> None:
    machine = gough.load("motion-base-1500")
    path = swing(machine, "motion-base-1500")
    load = gough.Body(500.0, (0.0, 0.0, 0.2))
    alone = size(machine, {"swing": path}).most
    both = size(machine, {"swing": path}, {"none": gough.Body(0.0), "load": load}).most
    loaded = size(machine, {"swing": path}, {"load": load}).most
    for a, b, c in zip(alone, both, loaded, strict=True):
        assert b.force == max(a.force, c.force) > a.force
        assert b.braking == min(a.braking, c.braking)
    sampled = size(machine, {"swing": path, "samples": path.sample(101)})
    assert sampled.most == ()
    assert not any(BOUNDED in said for said in sampled.judged if said.startswith("samples"))


def test_an_offset_leg_says_that_its_peaks_have_no_bounds() -> None:
    made = offset_case("UPS-offset", seed=2, states=1)
    at = made.motion.pose
    machine = made.platform.replace(
        home=gough.Pose(at.position.reshape(-1, 3)[0], at.rotation.reshape(-1, 3, 3)[0])
    )
    found = size(machine, {"hold": gough.trajectory.hold(machine.require_home(), 0.1)})
    assert found.most == ()
    assert any("no bounds on the peaks" in said for said in found.judged)


def test_bounds_that_are_too_narrow_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = gough.load("motion-base-1500")
    path = swing(machine, "motion-base-1500")
    found = size_bounds.proved_duty(machine, path, np.zeros(6))[0]
    assert found is not None
    peak = max(abs(leg.peak_force) for leg in size(machine, {"swing": path}).legs)
    narrow = Spread(found.effort.value, found.effort.value, found.effort.value)
    less = replace(found, effort=narrow)
    monkeypatch.setattr(size_bounds, "proved_duty", lambda *_: (less, ""))
    bounds, _ = size_bounds.leg_bounds(machine, path, None)
    assert max(b.force for b in bounds) < peak
