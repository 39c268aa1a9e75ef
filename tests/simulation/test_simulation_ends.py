"""How runs end: divergence, limits passed or stopped at, dead points; and what that does to other runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation import Events
from support.recorded import rows


def test_a_diverging_run_ends_with_its_time(machine: gough.Platform, lift: Array) -> None:
    def pumping(t: float, motion: gough.Motion) -> Array:
        """Negative damping on every leg."""
        twist = np.concatenate([motion.velocity, motion.angular_velocity])
        return lift + 3e3 * gough.jacobian(machine, motion) @ twist

    run = gough.simulate(machine, machine.home, duration=2.0, force=pumping)
    assert "diverged" in run.attrs["status"]
    end = run.attrs["end_time"]
    assert 0.0 < end < 2.0
    assert f"t = {end:.6g} s" in run.attrs["status"]
    after = run.time.values > end
    assert np.isnan(run.position.values[after]).all()
    assert np.isfinite(run.position.values[run.time.values < end]).all()


def test_one_bad_run_does_not_touch_the_others(machine: gough.Platform, lift: Array) -> None:
    forces = np.stack([lift, 1e9 * lift, lift])[:, None]
    states = gough.Motion(np.repeat(machine.home.position[None], 3, axis=0), machine.home.rotation)
    run = gough.simulate(machine, states, duration=0.5, force=forces, output=0.01)
    assert [s == "ok" for s in run.status.values] == [True, False, True]
    assert run.attrs["status"].startswith("1 of 3 runs")
    single = gough.simulate(machine, machine.home, duration=0.5, force=lift, output=0.01)
    assert np.array_equal(rows(run)[2], rows(single))


def test_a_stopping_event_ends_the_run_where_it_happens(
    machine: gough.Platform, lift: Array
) -> None:
    low = gough.inverse_kinematics(machine, machine.home).length[0]
    legs = [
        leg.replace(limits=gough.Limits(stroke=(0.1, low + 0.002 if i == 0 else 3.0)))
        for i, leg in enumerate(machine.legs)
    ]
    limited = machine.replace(legs=legs)
    more: dict[str, Any] = {"duration": 0.3, "force": 1.1 * lift, "drives": False}
    going = gough.simulate(limited, machine.home, **more)
    stopped = gough.simulate(limited, machine.home, **more, events=Events(stroke="stop"))
    event = json.loads(going.attrs["events"])[0]
    assert (event["name"], event["leg"], event["count"]) == ("stroke", "L1", 1)
    when = f"at t = {event['time']:.6g} s"
    assert going.attrs["status"] == f"limits passed: {event['text']}"
    assert event["text"].startswith("leg L1 left its stroke")
    assert event["text"].endswith(when)
    assert stopped.attrs["status"].startswith(f"stopped by stroke {when}: leg L1 left its stroke")
    k = int(np.argmax(going.length.values[:, 0] > low + 0.002))
    assert going.time.values[k - 1] < event["time"] <= going.time.values[k]
    assert np.array_equal(rows(stopped)[:k], rows(going)[:k])
    assert stopped.time.values[k:] == [event["time"]] == [stopped.attrs["end_time"]]
    assert abs(stopped.stroke_margin.values[k, 0]) < 1e-12
    assert going.stroke_margin.values[k, 0] < 0.0


def test_singularity_and_cone_events(machine: gough.Platform, lift: Array) -> None:
    legs = [
        leg.replace(limits=gough.Limits(base_cone=0.01, platform_cone=0.01)) for leg in machine.legs
    ]
    run = gough.simulate(
        machine.replace(legs=legs),
        machine.home,
        duration=0.2,
        force=1.1 * lift,
        events=Events(condition=5.0),
    )
    names = {e["name"] for e in json.loads(run.attrs["events"])}
    assert names == {"cone", "singularity"}
    with pytest.raises(gough.InputError, match="stroke"):
        Events(stroke="explode")


def test_a_crank_machine_leaves_its_reach() -> None:
    """Twenty times its rest torque drives the servo hexapod to a dead point; the run says so."""
    crank = gough.load("servo-hexapod")
    run = gough.simulate(
        crank, crank.home, duration=1.0, step=5e-4, force=np.full(6, 2.0), drives=False
    )
    assert "unreachable" in run.attrs["status"]
    assert 0.0 < run.attrs["end_time"] < 1.0
