"""Turns of screws and cranks in a run, piece by piece: first readings, home's turn, and what is said of records."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gough.checks import Array
from gough.model import Platform
from gough.simulation import winding as turns
from gough.simulation.closed_laws import REFERENCE, SENSED
from gough.simulation.state import Rows
from gough.spatial import Motion, Pose
from gough.struts import struts
from gough.twist import leads, screw_shares
from support import winding
from support.forward_machines import machine

TIME = np.array([0.0, 0.1, 0.25, 0.5])


def screws_on(legs: tuple[int, ...]) -> Platform:
    """The machine that winds, with screws on some legs only."""
    made = winding.winding()
    each = [leg if i in legs else leg.replace(screw=None) for i, leg in enumerate(made.legs)]
    return made.replace(legs=tuple(each))


def records(turned: dict[tuple[int, int, int], float]) -> tuple[Array, Array]:
    """Coordinates (4, 2, 6) in home's turn, and those that go on."""
    length = np.arange(48.0).reshape(4, 2, 6)
    found = length.copy()
    for at, more in turned.items():
        found[at] += more
    return length, found


@pytest.mark.parametrize("first", [0, 1, 2, 3])
@pytest.mark.parametrize(("run", "leg"), [(0, 0), (1, 4)])
def test_records_that_go_on_say_until_when_the_laws_are_right(
    first: int, run: int, leg: int
) -> None:
    length, found = records({(k, run, leg): 1.0 for k in range(first, 4)})
    told, word = turns.worded(TIME, length, found)
    assert told is found
    assert word.startswith("go on;")
    assert word.endswith(f"wrong after t = {TIME[max(first - 1, 0)]:g} s")


def test_turns_that_are_not_reached_or_not_known() -> None:
    length, found = records({})
    assert turns.worded(TIME, length, found) == (length, "are not reached")
    told, word = turns.worded(TIME, length, None)
    assert told is length
    assert "too far apart" in word
    length[2:, 1], found[2:, 1] = np.nan, np.nan  # a run that ended tells nothing more
    assert turns.worded(TIME, length, found)[1] == "are not reached"


@pytest.mark.parametrize("legs", [(2,), (0, 5), (0, 1, 2, 3, 4, 5)])
def test_first_readings_come_into_the_turn_of_the_reference(legs: tuple[int, ...]) -> None:
    """Travels of screws by whole leads, of these legs alone."""
    model = screws_on(legs)
    rows, home = Rows(model, False, ()), model.require_home()
    due = screw_shares(model, struts(model, home))
    start, lead = Motion.at_rest(Pose(home.position[None], home.rotation[None])), leads(model)
    assert set(np.flatnonzero(lead)) == set(legs)
    for add in (-2.0, 0.0, 3.0):
        sensed = np.zeros((SENSED.size, 1))
        sensed[SENSED.wound, 0] = np.where(lead == 0.0, 0.123, due + add * lead + 0.1 * lead)
        turns.begin(rows, model, np.zeros((REFERENCE.size, 1)), start, sensed)
        wanted = np.where(lead == 0.0, 0.123, due + 0.1 * lead)
        assert sensed[SENSED.wound, 0] == pytest.approx(wanted, abs=1e-12)


def test_first_angles_come_into_the_turn_of_the_reference() -> None:
    model = machine("mixed")
    rows: Any = SimpleNamespace(kinds=Rows(model, False, ()).kinds, platform=model)
    cranks = np.array([kind == "RUS" for kind in model.kinds])
    assert 0 < cranks.sum() < 6
    sensed, reference = np.zeros((SENSED.size, 2)), np.zeros((REFERENCE.size, 2))
    reference[REFERENCE.leg_length] = [[0.2, 7.0]]
    sensed[SENSED.play] = np.array([[0.3 + 4 * np.pi, 0.5]])
    turns.begin(rows, model, reference, Motion.at_rest(model.require_home()), sensed)
    wanted = np.where(cranks[:, None], [[0.3, 0.5 + 2 * np.pi]], [[0.3 + 4 * np.pi, 0.5]])
    assert sensed[SENSED.play] == pytest.approx(wanted)


@pytest.mark.parametrize("legs", [(), (3,), (1, 4)])
def test_readings_in_homes_turn(legs: tuple[int, ...]) -> None:
    model = screws_on(legs)
    lead = leads(model)
    home = screw_shares(model, struts(model, model.likely_home))
    length = np.arange(12.0).reshape(2, 6)
    sensed = np.zeros((SENSED.size, 2))
    sensed[SENSED.wound] = (home + np.array([[2.2], [-0.8]]) * lead).T
    found = turns.in_home_turn(model, sensed, length)
    assert found == pytest.approx(length - np.array([[2.0], [-1.0]]) * lead, abs=1e-12)


def test_shares_of_states_are_those_of_their_poses() -> None:
    model = screws_on((1, 2))
    home = model.require_home()
    poses = Pose(
        home.position + np.array([[0, 0, 0], [0.01, 0.02, 0.0]]), np.stack([home.rotation] * 2)
    )
    rows = Rows(model, False, ())
    X = rows.start(Motion.at_rest(poses), None)
    found = turns.shares(rows, X).T
    assert found == pytest.approx(screw_shares(model, struts(model, poses)))
    bare = screws_on(())
    assert turns.shares(Rows(bare, False, ()), X).tolist() == np.zeros((6, 2)).tolist()


def test_which_machines_turn() -> None:
    for model, goes_on in (
        (machine("mixed"), True),
        (machine("RUS"), True),
        (machine("UPS"), False),
        (screws_on(()), False),
        (screws_on((4,)), True),
    ):
        assert turns.turning(Rows(model, False, ())) == goes_on
