"""Forces over time: what each form means at a grid point, within a step and in the chunks that kernels read."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation.inputs import TimeSignal
from gough.spatial import Motion

SIX = np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0])
STEPS, STEP = 4, 0.25
HERE = Motion(np.zeros(3), np.eye(3))


def signal(
    value: object, *, steps: int = STEPS, runs: int = 1, batched: bool = False
) -> TimeSignal:
    return TimeSignal("force", value, steps=steps, step=STEP, runs=runs, batched=batched)


def values(given: TimeSignal, *, first: int = 0, count: int = STEPS) -> Array:
    """Start, middle and end of each step, (count, 3, 6) of the first run."""
    chunk = given.chunk(first, count)
    return np.broadcast_to(chunk, (3 * count, *chunk.shape[1:]))[:, :, 0].reshape(count, 3, 6)


@pytest.mark.parametrize("given", [SIX, SIX[None], [SIX.tolist()]])
def test_six_numbers_or_one_row_hold_for_the_whole_run(given: object) -> None:
    held = signal(given)
    assert held.held
    for t in (0.0, 0.3, 1.0, 9.0):
        np.testing.assert_array_equal(held.stage(t, HERE)[:, 0], SIX)
    np.testing.assert_array_equal(held.at(STEPS)[:, 0], SIX)
    np.testing.assert_array_equal(values(held), np.broadcast_to(SIX, (STEPS, 3, 6)))


def test_one_row_of_a_run_of_one_step_is_that_step() -> None:
    one = signal(SIX[None], steps=1)
    np.testing.assert_array_equal(values(one, count=1)[0], np.broadcast_to(SIX, (3, 6)))
    np.testing.assert_array_equal(one.at(1)[:, 0], SIX)
    two = signal(np.stack([SIX, 3 * SIX]), steps=1)
    np.testing.assert_allclose(values(two, count=1)[0], np.outer([1.0, 2.0, 3.0], SIX))
    np.testing.assert_allclose(two.stage(0.25 * STEP, HERE)[:, 0], 1.5 * SIX)


def test_nothing_is_zero() -> None:
    assert not values(signal(None)).any()


def test_a_row_per_step_is_held_over_it() -> None:
    rows = np.arange(1.0, STEPS + 1)[:, None] * SIX
    held = signal(rows)
    np.testing.assert_array_equal(values(held), np.repeat(rows[:, None], 3, axis=1))
    np.testing.assert_array_equal(values(held, first=2, count=2), values(held)[2:])
    for k in range(STEPS):
        for part in (0.0, 0.5, 0.99):
            np.testing.assert_array_equal(held.stage((k + part) * STEP, HERE)[:, 0], rows[k])
        np.testing.assert_array_equal(held.at(k)[:, 0], rows[k])
    np.testing.assert_array_equal(held.stage(99.0, HERE)[:, 0], rows[-1])
    np.testing.assert_array_equal(held.stage(-1.0, HERE)[:, 0], rows[0])
    np.testing.assert_array_equal(held.at(STEPS)[:, 0], rows[-1])


@pytest.mark.parametrize("form", ["rows", "table", "function"])
def test_rows_at_the_ends_of_steps_a_table_and_a_function_say_the_same(form: str) -> None:
    """A line over time, three ways."""
    t = STEP * np.arange(STEPS + 1)
    given = {
        "rows": np.outer(1.0 + t, SIX),
        "table": (t[[0, -1]], np.outer(1.0 + t[[0, -1]], SIX)),
        "function": lambda t: (1.0 + t) * SIX,
    }[form]
    line = signal(given)
    assert not line.held
    middle = STEP * np.array([0.0, 0.5, 1.0])
    wanted = (1.0 + t[:-1, None] + middle)[..., None] * SIX
    np.testing.assert_allclose(values(line), wanted, rtol=1e-14)
    np.testing.assert_allclose(values(line, first=1, count=2), wanted[1:3], rtol=1e-14)
    for at in (0.0, 0.1, 0.5, 0.93, 1.0):
        np.testing.assert_allclose(line.stage(at, HERE)[:, 0], (1.0 + at) * SIX, rtol=1e-12)
    for k in range(STEPS + 1):
        np.testing.assert_allclose(line.at(k)[:, 0], (1.0 + t[k]) * SIX, rtol=1e-14)


def test_a_table_is_constant_outside_of_its_times() -> None:
    table = signal(([0.25, 0.5], np.stack([SIX, 2 * SIX])))
    np.testing.assert_allclose(table.stage(0.0, HERE)[:, 0], SIX)
    np.testing.assert_allclose(table.stage(0.375, HERE)[:, 0], 1.5 * SIX)
    np.testing.assert_allclose(table.stage(1.0, HERE)[:, 0], 2 * SIX)


def test_a_table_of_one_row_is_that_row_at_all_times() -> None:
    table = signal(([0.25], SIX[None]))
    for t in (0.0, 0.25, 1.0):
        np.testing.assert_array_equal(table.stage(t, HERE)[:, 0], SIX)
    np.testing.assert_array_equal(values(table), np.broadcast_to(SIX, (STEPS, 3, 6)))


@pytest.mark.parametrize("times", [[0.0, 0.0], [1.0, 0.5]])
def test_times_that_do_not_increase_are_refused(times: list[float]) -> None:
    with pytest.raises(gough.InputError, match="must increase"):
        signal((times, np.ones((2, 6))))


def test_only_functions_of_time_or_of_time_and_motion() -> None:
    for wrong in (lambda: SIX, lambda t, motion, more: SIX):
        with pytest.raises(gough.InputError, match="function of"):
            signal(wrong)
    assert not signal(lambda t, scale=2.0: scale * SIX).feedback
    assert not signal(np.ones(6).__mul__).feedback


def test_runs_have_rows_of_their_own() -> None:
    scale = np.array([1.0, 2.0, 5.0])
    for rows in (1, STEPS, STEPS + 1):
        given = np.broadcast_to(scale[:, None, None] * SIX, (3, rows, 6))
        many = signal(given, runs=3, batched=True)
        for run in range(3):
            np.testing.assert_array_equal(many.stage(0.4, HERE)[:, run], scale[run] * SIX)
        assert many.chunk(0, STEPS).shape[1:] == (6, 3)
        np.testing.assert_array_equal(many.chunk(0, STEPS)[-1].T, scale[:, None] * SIX)


def test_functions_of_runs_and_of_motion() -> None:
    each = signal(lambda t: np.stack([SIX, t * SIX]), runs=2, batched=True)
    np.testing.assert_allclose(each.at(2)[:, 1], 2 * STEP * SIX)
    feedback = signal(lambda t, motion: t * SIX + motion.position[0])
    assert feedback.feedback
    away = Motion([2.0, 0, 0], np.eye(3))
    np.testing.assert_allclose(feedback.stage(3.0, away)[:, 0], 3 * SIX + 2.0)
    np.testing.assert_allclose(feedback.at(2, away)[:, 0], 2 * STEP * SIX + 2.0)
    assert not each.feedback


@pytest.mark.parametrize(
    "given",
    [
        np.ones((2, 6)),
        np.ones((STEPS + 2, 6)),
        np.ones((2, STEPS, 6)),
        np.ones(5),
        np.full(6, np.nan),
        lambda t: np.ones(5),
    ],
)
def test_other_shapes_are_refused_with_the_field(given: object) -> None:
    with pytest.raises(gough.InputError, match="force"):
        signal(given).at(0)


def test_a_table_of_uneven_times_is_straight_between_them() -> None:
    """NumPy's interpolation, leg by leg, at, between and beyond times of any distance."""
    times = np.array([0.05, 0.1, 0.4, 0.45, 0.9])
    rows = np.random.default_rng(1).normal(size=(5, 6))
    table = signal((times, rows))
    for t in (0.0, 0.05, 0.07, 0.1, 0.2, 0.39, 0.42, 0.6, 0.9, 1.0):
        wanted = [np.interp(t, times, rows[:, i]) for i in range(6)]
        np.testing.assert_allclose(table.stage(t, HERE)[:, 0], wanted, rtol=1e-12, atol=1e-12)
