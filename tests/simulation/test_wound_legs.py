"""Screws on legs that are wound up beyond half a turn, under a controller: readings, reference and records go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.control import Decentralized
from gough.model import Platform
from gough.simulation import winding as source
from gough.simulation.closed_laws import SENSED
from gough.spatial import Motion, rotation_from_quaternion
from gough.struts import struts
from gough.twist import screw_shares
from support import winding

ROUNDS, DURATION = 1.25, 0.8
LEAD = 5e-3


def around(machine: Platform, t: float) -> Motion:
    """So many rounds of a precession, at rest at both ends."""
    s, total = min(t / DURATION, 1.0), 2 * np.pi * ROUNDS
    angle = total * (s - np.sin(2 * np.pi * s) / (2 * np.pi))
    rate = total / DURATION * (1 - np.cos(2 * np.pi * s))
    acceleration = total / DURATION**2 * 2 * np.pi * np.sin(2 * np.pi * s)
    one = (np.array(x) for x in (angle, rate, acceleration, t))
    return winding.precession(machine, *one)


@pytest.fixture(scope="module")
def machine() -> Platform:
    """Without friction, stops or play in the drives: laws count travels within half a turn."""
    made = winding.winding()
    bare = [
        leg.replace(
            limits=gough.Limits(), drive=gough.Drive.ball_screw(lead=LEAD, rotor_inertia=3e-5)
        )
        for leg in made.legs
    ]
    return made.replace(legs=tuple(bare))


def controlled(machine: Platform, controller: Any, **more: Any) -> Any:
    return gough.simulate(
        machine,
        around(machine, 0.0),
        duration=DURATION,
        controller=controller,
        reference=lambda t: around(machine, t),
        **more,
    )


def test_screws_follow_more_than_a_turn_of_their_legs(machine: Platform) -> None:
    """Both loops: no step in what is read, asked for or recorded; legs end a lead from what their pose alone says."""
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0, integral=0.2)
    runs = [controlled(machine, c) for c in (law, lambda *given: law(*given))]
    for run in runs:
        assert run.attrs["status"] == "ok"
        told = run.attrs["lengths_beyond_half_a_turn"]
        assert told.startswith(
            "go on; limits, laws of the drives and torsion springs do not: wrong after t = 0."
        )
        for told in (run.measured_length.values, run.reference_length.values, run.length.values):
            assert np.abs(np.diff(told, axis=0)).max() < 1e-3
        assert np.abs(run.error.values).max() < 0.3 * LEAD  # what the law leaves, and no jump
        R = rotation_from_quaternion(run.quaternion.values)
        alone = gough.inverse_kinematics(
            machine, gough.Pose(run.position.values, R), engine="python"
        ).length
        turns = (run.length.values - alone) / LEAD
        np.testing.assert_allclose(turns, np.rint(turns), atol=1e-6)
        assert np.abs(np.diff(alone, axis=0)).max() > 0.9 * LEAD
        np.testing.assert_allclose(turns[0], 0.0, atol=1e-6)
        assert (np.rint(turns[-1]) <= -1).all()
    assert np.abs(runs[0].position.values - runs[1].position.values).max() < 1e-11


def test_a_reference_that_jumps_by_a_lead_is_seen(
    machine: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: with turns not counted in the reference the controller is told to move by a lead."""
    monkeypatch.setattr("gough.kinematics.inverse.whole_turns", lambda angle, rate, time: 0 * angle)
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0, integral=0.2)
    run = controlled(machine, law)
    assert np.nanmax(np.abs(run.error.values)) > 0.5 * LEAD


def test_a_start_in_another_turn_than_the_reference(machine: Platform) -> None:
    """Across the cut the first reading is taken in the reference's turn: no lead between them."""
    t = np.linspace(0.0, DURATION, 3201)
    each = [around(machine, float(x)) for x in t]
    share = np.array([gough.inverse_kinematics(machine, m, engine="python").length for m in each])
    k = int(np.argmax(np.abs(np.diff(share, axis=0)).max(axis=1)))
    assert np.abs(share[k + 1] - share[k]).max() > 0.9 * LEAD, "the case must lie across the cut"
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0)
    start, goal = (gough.Pose(m.position, m.rotation) for m in (each[k], each[k + 1]))
    run = gough.simulate(machine, start, duration=0.05, controller=law, reference=goal)
    assert np.abs(run.error.values).max() < 1e-3


def test_pose_from_the_legs_and_machines_without_screws(machine: Platform) -> None:
    """Readings beyond half a turn are brought back for forward kinematics; other legs have no turns to count."""
    sensed = np.zeros((SENSED.size, 2))
    home = screw_shares(machine, struts(machine, machine.require_home()))
    sensed[SENSED.wound] = (home - LEAD * np.array([[0.2], [1.3]])).T
    length = np.full((2, 6), 0.4)
    found = source.in_home_turn(machine, sensed, length)
    np.testing.assert_allclose(found, length + LEAD * np.array([[0.0], [1.0]]), atol=1e-15)
    other = gough.load("dasgupta-1998-physical")
    assert source.in_home_turn(other, sensed, length) is length


def test_records_too_far_apart_say_so(machine: Platform) -> None:
    """Half a round between records: nobody can say the turns, and the record says that nobody did."""
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0, integral=0.2)
    run = controlled(machine, law, output=DURATION / 4)
    assert run.attrs["lengths_beyond_half_a_turn"].startswith("do not go on")
