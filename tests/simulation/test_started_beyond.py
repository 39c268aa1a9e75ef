"""Runs that start beyond a limit: noted, or stopped before they have begun, each run for itself."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gough
from gough.simulation import Events


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def above(machine: gough.Platform, *lift: float) -> gough.Pose:
    home = machine.require_home()
    each = home.position + np.array(lift)[:, None] * [0.0, 0.0, 1.0]
    return gough.Pose(each, np.stack([home.rotation] * len(lift)))


def test_a_start_beyond_the_stroke_stops_there(machine: gough.Platform) -> None:
    run = gough.simulate(
        machine, above(machine, 0.6)[0], duration=0.05, events=Events(stroke="stop"), drives=False
    )
    assert run.attrs["status"].startswith("stopped by stroke at t = 0 s")
    assert "started beyond" in run.attrs["status"]
    assert run.time.values.tolist() == [0.0]
    assert run.position.values[0] == pytest.approx(above(machine, 0.6).position[0])


def test_a_start_beyond_the_stroke_is_noted_and_goes_on(machine: gough.Platform) -> None:
    run = gough.simulate(machine, above(machine, 0.6)[0], duration=0.05, drives=False)
    told = [e for e in json.loads(run.attrs["events"]) if "started beyond" in e["text"]]
    assert {e["leg"] for e in told} == set(machine.leg_names)
    assert all(e["time"] == 0.0 and e["count"] == 1 for e in told)
    assert run.time.values[-1] == pytest.approx(0.05)


def test_only_the_run_that_starts_beyond_ends(machine: gough.Platform) -> None:
    runs = gough.simulate(
        machine,
        above(machine, 0.0, 0.6, 0.0),
        duration=0.02,
        events=Events(stroke="stop"),
        force=gough.inverse_dynamics(machine, machine.require_home()).force,
        drives=False,
    )
    assert runs.end_time.values == pytest.approx([0.02, 0.0, 0.02])
    last = runs.position.isel(time=-1)
    assert np.isfinite(last.isel(run=[0, 2]).values).all()
    assert np.isnan(last.isel(run=1).values).all()
