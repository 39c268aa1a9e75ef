"""Commands beyond what the drives can give, along runs whose steps are not the compiled ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_a_command_that_grows_is_noted_when_it_passes_the_limit(method: str) -> None:
    """A ramp of the efforts: the limit of each leg is passed at an instant of its own, in a step after the first."""
    bare = gough.load("dasgupta-1998-physical")
    lift = gough.inverse_dynamics(bare, bare.home).force
    times = np.array([0.006, 0.011, 0.017, 0.021, 0.026, 0.033])
    most = np.abs(lift) * (1.0 + 10.0 * times)
    legs = [
        leg.replace(limits=gough.Limits(force=float(f)))
        for leg, f in zip(bare.legs, most, strict=True)
    ]
    machine = bare.replace(legs=legs)

    def ramp(t: float, state: Any) -> Array:
        return lift * (1.0 + 10.0 * t)

    run = gough.simulate(
        machine, machine.home, duration=0.04, force=ramp, integrator=method, step=1e-3, drives=True
    )
    found = {e["leg"]: e["time"] for e in json.loads(run.attrs["events"]) if e["name"] == "force"}
    assert set(found) == set(machine.leg_names)
    for name, passed in zip(machine.leg_names, times, strict=True):
        assert passed - 1e-9 <= found[name] < passed + 0.02  # at the start of the next step
    assert sorted(found.values()) == [found[name] for name in machine.leg_names]
    assert found[machine.leg_names[-1]] > found[machine.leg_names[0]]
