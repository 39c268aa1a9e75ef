"""Cranks beyond the cut of their angle: they fall onto stops there; beyond half a turn from home nothing is claimed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation import Events
from gough.simulation.winding import qualified, turns
from gough.status import OK, Status
from oracles.machines import platform
from support.carousel import carousel
from support.gauge import crank_zero


@pytest.mark.parametrize("integrator", ["rk4", "semi-implicit"])
@pytest.mark.parametrize("angle", [np.pi - 0.02, np.pi - 0.045])
def test_a_fall_onto_stops_does_not_see_what_is_called_zero(angle: float, integrator: str) -> None:
    machine = gough.load("servo-hexapod")
    home = gough.inverse_kinematics(machine, machine.require_home()).length
    legs = [
        leg.replace(
            drive=None,
            limits=leg.limits.replace(
                stroke=(q - 0.06, q + 0.06), stop_stiffness=40.0, stop_loss=0.1
            ),
        )
        for leg, q in zip(machine.legs, home, strict=True)
    ]
    machine = machine.replace(legs=legs)
    g = crank_zero(machine, angle)
    here, there = (
        gough.simulate(
            m, m.require_home(), duration=0.08, step=5e-4, force=np.zeros(6), integrator=integrator
        )
        for m in (machine, g.platform)
    )
    assert np.abs(here.stop_force.values).max() > 0.1  # they were met
    seen = there.length.values
    assert (seen.max(axis=0) > np.pi).any() or (seen.min(axis=0) < -np.pi).any()
    for name in ("position", "stop_force"):
        np.testing.assert_allclose(there[name].values, here[name].values, atol=1e-6)
    np.testing.assert_allclose(seen + g.shift, here.length.values, atol=1e-7)


def spun(stroke: tuple[float, float] | None, **more: Any) -> Any:
    """A carousel that turns on under constant efforts: by 5.4 and 6.0 rad."""
    machine = carousel()
    if stroke is not None:
        legs = [
            leg.replace(limits=leg.limits.replace(stroke=stroke, stop_stiffness=0.0))
            for leg in machine.legs
        ]
        machine = machine.replace(legs=legs)
    given = {"duration": 0.6, "step": 5e-4, "force": np.full(6, 80.0), "integrator": "rk4"}
    return gough.simulate(machine, machine.require_home(), **(given | more))


@pytest.mark.parametrize("high", [3.1, 4.0])
def test_what_limits_cannot_see_is_not_called_held(high: float) -> None:
    """Beyond half a turn: neither "ok" nor a limit passed at an angle that the crank does not have."""
    run = spun((-3.0, high))
    turned = run.length.values.max(axis=0)
    assert (turned > 5.0).all()
    told = run.attrs["status"]
    since = run.time.values[np.abs(run.length.values).max(axis=1) < np.pi][-1]
    assert told.startswith(f"not known after t = {since:.6g} s: cranks")
    before = "limits passed: leg L" if high < np.pi else "ok"
    assert f"until then: {before}" in told
    strokes = [x["text"] for x in json.loads(run.attrs["events"]) if x["name"] == "stroke"]
    assert len(strokes) == (6 if high < np.pi else 0)
    assert all("coordinate 3.1" in text for text in strokes)
    length = run.length.values
    np.testing.assert_allclose(run.stroke_margin.values, np.minimum(length + 3.0, high - length))


def test_a_machine_without_limits_turns_as_far_as_it_likes() -> None:
    assert spun(None).attrs["status"] == "ok"
    unjudged = spun((-3.0, 4.0), events=Events(stroke="off"))
    assert unjudged.attrs["status"] == "ok"
    assert unjudged.attrs["limits_checked"] == "none"
    short = spun((-3.0, 4.0), duration=0.3)
    assert short.attrs["status"] == "ok"


def test_of_a_batch_each_run_is_told() -> None:
    machine = carousel()
    legs = [
        leg.replace(limits=leg.limits.replace(stroke=(-3.0, 4.0), stop_stiffness=0.0))
        for leg in machine.legs
    ]
    machine, home = machine.replace(legs=legs), machine.require_home()
    start = gough.Pose(np.tile(home.position, (3, 1)), np.tile(home.rotation, (3, 1, 1)))
    force = np.array([80.0, 8.0, 60.0])[:, None, None] * np.ones((3, 1200, 6))
    run = gough.simulate(machine, start, duration=0.6, step=5e-4, force=force, integrator="rk4")
    told = run.status.values.tolist()
    assert [text.startswith("not known after t = ") for text in told] == [True, False, True]
    assert told[1] == "ok"
    assert run.attrs["status"].startswith("2 of 3 runs turned beyond what limits see: not known")


def test_a_run_that_ended_early_keeps_its_reason() -> None:
    ended = Status("singular", "singular at t = 2 s")
    found = qualified(ended, OK, 1.5)
    assert found.code == "singular"
    assert found.startswith("singular at t = 2 s; not known after t = 1.5 s: ")
    assert qualified(ended, OK, np.inf) is ended
    assert qualified(OK, OK, np.inf) is OK


def test_only_cranks_and_screws_lose_their_strokes() -> None:
    """Events of the strokes of other legs are told all the same."""
    assert turns(carousel()) == [True] * 6
    mixed = platform("mixed", seed=43)
    assert turns(mixed) == [kind in ("RUS", "RSS") for kind in mixed.kinds]
    assert {True, False} == set(turns(mixed))
