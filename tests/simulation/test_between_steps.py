"""Inputs and states inside steps, run by run: each event has its own run, step and part of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation import driven
from gough.simulation.inputs import TimeSignal
from gough.simulation.inside_steps import Between
from gough.simulation.lookout import Seen, Slots
from gough.simulation.programs import METHODS
from gough.simulation.state import Rows

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
H, STEPS, RUNS, FIRST = 0.01, 20, 3, 5
RUN, STEP, PART = np.array([2, 0, 1, 2]), np.array([0, 3, 3, 7]), np.array([0.25, 1.0, 0.5, 0.0])


def signals(own: bool) -> tuple[TimeSignal, TimeSignal]:
    """A command that grows in time, for all runs or for each; a wrench that does so for each."""
    hold = gough.inverse_dynamics(MACHINE, HOME).force
    line = 1.0 + 0.02 * np.arange(STEPS + 1)[:, None] * np.ones(6)
    rows = hold * line
    each = np.stack([rows * (1.0 + 0.1 * run) for run in range(RUNS)])
    make: dict[str, Any] = {"steps": STEPS, "step": H, "runs": RUNS, "batched": True}
    push = np.stack([line * 10.0 * run for run in range(RUNS)])
    return TimeSignal("force", each if own else rows, **make), TimeSignal("external", push, **make)


def job(own: bool, loop: Any = None, method: str = "rk4") -> Any:
    force, external = signals(own)
    made: Any = SimpleNamespace(rows=Rows(MACHINE, False), method=method, step=H, loop=loop)
    made.force, made.external, made.batched = force, external, True
    return made


def slots(before: Array) -> Slots:
    command = np.arange(24.0).reshape(6, 4)
    return Slots(RUN, STEP, np.zeros(4, dtype=int), np.zeros(4, dtype=bool), before, command)


def starts() -> Array:
    rng = np.random.default_rng(3)
    place = HOME.position + 0.02 * rng.standard_normal((4, 3))
    twist = 0.2 * rng.standard_normal((2, 4, 3))
    motion = gough.Motion(place, np.repeat(HOME.rotation[None], 4, axis=0), *twist)
    return np.array(Rows(MACHINE, False).start(motion, None))


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("controlled", [False, True])
def test_inputs_are_those_of_the_run_at_the_part_of_its_step(own: bool, controlled: bool) -> None:
    """Under a controller the command is the one that is held; the wrench goes on in time."""
    made = job(own, loop=object() if controlled else None)
    between = Between(made, FIRST, np.zeros((1, 6, 1)))
    where = slots(starts())
    np.testing.assert_allclose(between.time(where, PART), H * (FIRST + STEP + PART))
    command, wrench = between.inputs(where, PART, where.before)
    assert command.shape == wrench.shape == (6, 4)
    hold = gough.inverse_dynamics(MACHINE, HOME).force
    for k, (run, step, part) in enumerate(zip(RUN, STEP, PART, strict=True)):
        grown = 1.0 + 0.02 * (FIRST + step + part)
        np.testing.assert_allclose(wrench[:, k], 10.0 * run * grown, rtol=1e-12)
        if controlled:
            np.testing.assert_array_equal(command[:, k], where.command[:, k])
        else:
            share = 1.0 + 0.1 * run if own else 1.0
            np.testing.assert_allclose(command[:, k], hold * share * grown, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_part_of_a_step_is_a_step_of_that_length(method: str) -> None:
    made = job(True, method=method)
    before = starts()
    found = Between(made, FIRST, np.zeros((1, 6, 1))).states(slots(before), PART)
    for k, (run, step, part) in enumerate(zip(RUN, STEP, PART, strict=True)):
        begin = (FIRST + step) * H

        def efforts(t: float, X: Array, run: int = run) -> tuple[Array, Array]:
            now: Any = None
            return tuple(s.stage(t, now)[:, run, None] for s in (made.force, made.external))  # type: ignore[return-value]

        alone = driven.step(
            made.rows, METHODS[method], begin, before[:, k, None], part * H, efforts, None
        )
        np.testing.assert_allclose(found[:, k], alone[:, 0], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found[:, 3], before[:, 3], atol=1e-15)


@pytest.mark.parametrize("controlled", [False, True])
def test_forces_of_the_motion_are_felt_by_all_runs_at_once(controlled: bool) -> None:
    """States between are taken from those that were seen; a controller's command is that of the step."""
    made = job(False, loop=object() if controlled else None)
    asked: list[Any] = []

    def spring(t: float, motion: Any) -> Array:
        asked.append(t)
        return 100.0 * np.concatenate([HOME.position - motion.position, 0.0 * motion.position], -1)

    make: dict[str, Any] = {"steps": STEPS, "step": H, "runs": RUNS, "batched": True}
    made.external = TimeSignal("external", spring, **make)
    X = starts()[:, :RUNS]
    states = np.stack([X + 1e-3 * k for k in range(9)])
    command = np.arange(8 * 6.0 * RUNS).reshape(8, 6, RUNS)
    seen = Seen(states, command, -np.ones_like(command), np.full(8, H))
    between = Between(made, FIRST, np.zeros((1, 6, 1)), seen)
    where = slots(starts())
    found = between.states(where, PART)
    for k, (run, step, part) in enumerate(zip(RUN, STEP, PART, strict=True)):
        given = driven.efforts(made.rows, made.force, made.external, True)
        inputs = given
        if controlled:
            inputs = lambda t, X, u=command[step], given=given: (u, given(t, X)[1])  # noqa: E731
        begin = (FIRST + step) * H
        whole = driven.step(made.rows, METHODS["rk4"], begin, states[step], part * H, inputs, None)
        np.testing.assert_allclose(found[:, k], whole[:, run], rtol=1e-12, atol=1e-13)
        both = between.inputs(where, PART, found)
        u, w = inputs(begin + part * H, whole)
        np.testing.assert_allclose(both[0][:, k], u[:, run if u.shape[1] > 1 else 0], rtol=1e-12)
        np.testing.assert_allclose(both[1][:, k], w[:, run], rtol=1e-9, atol=1e-12)
