"""Newton in lanes by itself: what its rounds make of steps and misfits, in any size, lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gough.kinematics import forward_lanes
from gough.kinematics.forward_lanes import (
    FIRST,
    LANES,
    MISFIT,
    ROUNDS,
    ROUNDS_DONE,
    SCALE,
    SECOND,
    TALL,
    WIDTH,
)

Told = tuple[float, float, float]  # step, correction after it, misfit: m
GOOD = (1e-3, 1e-6, 1e-2)  # goes on
DONE = (1e-12, 1e-13, 1e-14)
LOST = (10.0, 1e-6, 0.0)


def rounds_of(
    monkeypatch: pytest.MonkeyPatch,
    told: Callable[[int, int], Told],
    size: float = 1.0,
    tall: float = 0.0,
    branch: Callable[[int], bool] = lambda n: True,
    lanes: int = LANES,
    first: int = 0,
) -> tuple[Any, Any, Any]:
    """Rounds, residuals and poses of lanes whose round `turn` says told(lane, turn); machine and legs of this size.

    The poses that a round makes are ``100 turn + lane``, and each must begin with those of the round before."""
    turns = [0]

    def evaluate(X: Any, at: int, prepared: Any, Y: Any) -> None:
        turns[0] += 1
        assert at == 0
        for lane in range(lanes):
            if told(lane, turns[0])[0] is not None and turns[0] > 1 and open_[lane]:
                assert (X[:WIDTH, lane] == 100.0 * (turns[0] - 1) + lane).all()
            step, more, misfit = told(lane, turns[0])
            open_[lane] = (step, more, misfit) == GOOD
            Y[:WIDTH, lane] = 100.0 * turns[0] + lane
            Y[FIRST, lane], Y[SECOND, lane], Y[MISFIT, lane] = (
                (size * step) ** 2,
                (size * more) ** 2,
                (size * misfit) ** 2,
            )

    def fill(table: Any, lam: Any, guess: Any, at: int, n: int, *room: Any) -> None:
        found = room[-1]
        assert (at, n) == (first, lanes)
        found[ROUNDS_DONE, :lanes], found[TALL, :lanes] = -1.0, tall

    open_ = [False] * lanes
    monkeypatch.setattr(forward_lanes, "evaluate", evaluate)
    monkeypatch.setattr(forward_lanes, "prepare", lambda machine: machine)
    monkeypatch.setattr(forward_lanes, "fill_lanes", fill)
    monkeypatch.setattr(forward_lanes, "reduce_legs", lambda *_: True)
    monkeypatch.setattr(forward_lanes, "on_branch", lambda table, pose, lam, c: branch(int(lam[0])))
    plain = getattr(forward_lanes.newton_lanes, "py_func", forward_lanes.newton_lanes)
    machine = np.zeros(SCALE + 1)
    machine[SCALE] = size if tall == 0.0 else 1e-9 * size
    lam = np.repeat(np.arange(float(first + lanes))[:, None], 6, axis=1)
    pose = np.full((first + lanes, WIDTH), -7.0)
    X, Y = np.zeros((64, LANES)), np.zeros((64, LANES))
    found = np.zeros((forward_lanes.FOUND.size, LANES))
    room = np.zeros((6, 3)), np.zeros(6)
    plain(np.zeros((6, 1)), machine, lam, pose, first, pose, X, Y, *room, found)
    return found[ROUNDS_DONE, :lanes], found[forward_lanes.RESIDUAL, :lanes], pose


@pytest.mark.parametrize(("size", "tall"), [(1.0, 0.0), (1e-6, 0.0), (1e7, 0.0)])
def test_each_lane_ends_in_its_own_round(
    size: float, tall: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as its step is nothing, with that round's pose and misfit; sizes are those of the machine or its legs."""
    ends = [1, 2, 3, 4, 1, 2, 3, 4]
    rounds, residual, pose = rounds_of(
        monkeypatch, lambda lane, turn: DONE if turn >= ends[lane] else GOOD, size, tall
    )
    assert rounds.tolist() == ends
    assert residual == pytest.approx(np.full(LANES, 1e-14 * size))
    for lane, turn in enumerate(ends):
        assert (pose[lane] == 100.0 * turn + lane).all()


CASES: list[tuple[Told, bool]] = [
    (DONE, True),
    ((1e-5, 0.0, 1e-14), True),  # nothing would follow: no round more is needed
    ((1e-5, 1e-20, 1e-14), True),
    ((1e-5, 1e-7, 1e-14), False),  # something would: it goes on, and has no more rounds
    ((0.3, 0.05, 1e-14), False),
    (LOST, False),  # a step as large as the machine
    ((5.0, 0.0, 1e-14), False),
    ((1e-3, 0.9e-3, 0.0), False),  # corrections that do not shrink
    ((np.nan, 0.0, 0.0), False),
    ((1e-5, np.nan, 0.0), False),
    ((1e-12, 1e-13, 1e-6), False),  # it stands still beside the legs' lengths
    ((1e-12, 1.0, 1e-14), True),  # steps that are nothing need not shrink
]


@pytest.mark.parametrize(("told", "found"), CASES)
@pytest.mark.parametrize(("size", "tall"), [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0)])
def test_what_is_said_in_the_last_round_decides(
    told: Told, found: bool, size: float, tall: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds, _, _ = rounds_of(
        monkeypatch, lambda lane, turn: told if turn == ROUNDS else GOOD, size, tall
    )
    assert rounds.tolist() == [ROUNDS if found else 0.0] * LANES


@pytest.mark.parametrize("early", [LOST, (1e-3, 0.9e-3, 0.0), (1e-12, 1e-13, 1e-6)])
def test_a_lane_that_is_lost_stays_lost(early: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though later rounds would look fine; its neighbors do not mind."""
    rounds, _, _ = rounds_of(
        monkeypatch,
        lambda lane, turn: early if lane == 2 and turn == 1 else DONE if turn > 1 else GOOD,
    )
    assert rounds.tolist() == [0.0 if lane == 2 else 2.0 for lane in range(LANES)]


def test_long_legs_round_more_than_a_small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform of a micrometer on legs of a kilometer: misfits and steps within the rounding of these are none, and a
    step of meters is no leap."""
    cases = (((1e-17, 0.0, 1e-17), True), ((1e-17, 0.0, 1e-9), False), ((1e-3, 1e-20, 1e-17), True))
    for told, found in cases:
        rounds, _, _ = rounds_of(monkeypatch, lambda lane, turn, t=told: t, 1e3, 1e3)
        assert rounds.tolist() == [1.0 if found else 0.0] * LANES


def test_poses_on_another_branch_and_lanes_without_a_problem_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds, _, pose = rounds_of(
        monkeypatch, lambda lane, turn: DONE, branch=lambda n: n != 12, lanes=3, first=10
    )
    assert rounds.tolist() == [1.0, 1.0, 0.0]
    assert (pose[:10] == -7.0).all()
    assert (pose[10:, 0] == 100.0 + np.arange(3)).all()
