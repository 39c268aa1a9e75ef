"""Parts of a run by themselves: instants inside steps, states between records, laws after faults, samples of a loop,
draws of machines, limits of environments."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.control import Sampling
from gough.layout import LEG_MOTION, STATE
from gough.simulation import Evenly, Normal, events, fixed_run, loop, paths, readings, reference
from gough.simulation.gym.ranges import CONE, FINE, REACH, STROKE, Ranges
from gough.simulation.lookout import Seen
from gough.simulation.variation import _matched
from gough.spatial import Motion, rotation_exp, rotation_log

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()


@pytest.mark.parametrize("power", [1, 2, 5, 0.3])
def test_a_crossing_is_the_first_instant_beyond_to_a_part_in_ten_billion(power: float) -> None:
    root = np.array([0.1, 0.37, 0.62, 0.9999, 0.5])
    top = np.array([1.0, 0.5, 1.0, 1.0, 0.8])

    def margin(part: Any) -> Any:
        gap = root - part
        return np.sign(gap) * np.abs(gap) ** power

    found = events.crossing(margin, top)
    assert ((found >= root) & (found <= root + 2 * events.PARTS)).all()
    assert (margin(found) <= 0.0).all()


def test_a_crossing_without_a_bracket_is_the_end_that_is_beyond() -> None:
    start = np.array([-1.0, 1.0, 0.0, np.nan])
    slope = np.array([0.0, 1.0, -1.0, 0.0])
    found = events.crossing(lambda part: start + slope * part, np.array([0.9, 0.9, 0.9, 0.9]))
    np.testing.assert_allclose(found, [0.0, 0.9, 0.0, 0.9], atol=1e-9)


def test_the_deepest_instant_of_a_dip() -> None:
    at, top = np.array([0.2, 0.5, 0.71, 0.0, 0.9]), np.array([1.0, 1.0, 0.8, 1.0, 0.9])
    found = events.deepest(lambda part: (part - at) ** 2 - 0.3, top)
    np.testing.assert_allclose(found, at, atol=2e-8)


def cubic(t: Any) -> Motion:
    """Cubic in position and in an angle about an axis."""
    t = np.atleast_1d(np.asarray(t, dtype=float))[:, None]
    a, b, c = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 0.2], [-0.3, 0.1, 0.4]])
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    angle = 0.1 * t + 0.05 * t**2
    return Motion(
        a * t + b * t**2 + c * t**3,
        rotation_exp(angle * axis),
        a + 2 * b * t + 3 * c * t**2,
        (0.1 + 0.1 * t) * axis,
        2 * b + 6 * c * t,
        0.1 * axis + 0.0 * t,
    )


def test_rows_of_a_motion_and_their_rates() -> None:
    now, h = cubic([0.3, 0.8]), 1e-6
    rows, rate = paths.states_and_rates(now)
    later, before = (paths.states_and_rates(cubic([0.3 + s, 0.8 + s]))[0] for s in (h, -h))
    np.testing.assert_allclose(rate, (later - before) / (2 * h), atol=1e-7)
    np.testing.assert_array_equal(rows[:, STATE.position], now.position)
    np.testing.assert_array_equal(rows[:, STATE.rotation], now.rotation.reshape(2, 9))


def test_states_inside_steps_are_cubic_and_turns_stay_turns() -> None:
    h = 0.1
    rows, rate = paths.states_and_rates(cubic(h * np.arange(4)))
    step, part = np.array([0, 1, 2, 2, 1]), np.array([0.0, 0.3, 0.5, 1.0, 0.9])
    found = paths.hermite(rows, rate, h, step, part)
    true = cubic(h * (step + part))
    np.testing.assert_allclose(found[STATE.position].T, true.position, atol=1e-12)
    np.testing.assert_allclose(found[STATE.velocity].T, true.velocity, atol=1e-12)
    R = found[STATE.rotation].T.reshape(-1, 3, 3)
    np.testing.assert_allclose(
        R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), atol=1e-12
    )
    off = rotation_log(R @ np.swapaxes(true.rotation, -1, -2))
    np.testing.assert_allclose(off, 0.0, atol=1e-7)


def test_times_inside_steps_of_uneven_length() -> None:
    path = paths.Path(None, np.array([0.0, 0.1, 0.4]), None, None)  # type: ignore[arg-type]
    slots: Any = SimpleNamespace(step=np.array([0, 1, 1]))
    np.testing.assert_allclose(path.time(slots, np.array([0.5, 0.0, 1.0])), [0.05, 0.1, 0.4])


def test_laws_follow_their_faults_in_the_order_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_run, "apply_fault", lambda platform, law, fault: law + fault.by)
    faults: Any = [
        SimpleNamespace(time=t, by=by) for t, by in ((0.3, 1.0), (0.1, 10.0), (0.3, 100.0))
    ]
    law: Any = 0.0
    found = fixed_run.law_timeline(law, faults, MACHINE, 0.1)
    assert found == [(0, 0.0), (1, 10.0), (3, 111.0)]
    at_once = fixed_run.law_timeline(law, [SimpleNamespace(time=0.0, by=5.0)], MACHINE, 0.1)  # type: ignore[list-item]
    assert at_once == [(0, 5.0)]


@pytest.mark.parametrize(
    ("rate", "step", "steps"), [(100.0, 1e-3, 10), (1000.0, 1e-3, 1), (1.0 / 0.003, 1e-3, 3)]
)
def test_a_period_is_a_whole_number_of_steps(rate: float, step: float, steps: int) -> None:
    assert loop.sampled(Sampling(rate=rate), step) == steps
    assert loop.sampled(Sampling(rate=rate * (1 + 0.9e-9)), step) == steps
    for wrong in (rate * (1 + 1.2e-9), rate * (1 - 1.2e-9), rate * 1.3, 4.0 / step):
        with pytest.raises(gough.InputError, match="multiple of the step"):
            loop.sampled(Sampling(rate=wrong), step)


def test_a_delay_is_a_whole_number_of_steps() -> None:
    for delay, steps in ((0.0, 0), (0.02, 2), (0.02 * (1 + 0.9e-9), 2)):
        made: Any = SimpleNamespace(sampling=SimpleNamespace(delay=delay), step=0.01)
        assert loop.ControlLoop._whole_steps(made, "delay") == steps
    for delay in (0.015, 0.02 * (1 + 1.2e-9), 1e-5):
        made = SimpleNamespace(sampling=SimpleNamespace(delay=delay), step=0.01)
        with pytest.raises(gough.InputError, match="whole number of steps"):
            loop.ControlLoop._whole_steps(made, "delay")


def test_noise_is_drawn_by_seed_sample_and_channel() -> None:
    """The first channel without a number of its own; a run's numbers do not depend on how many runs there are."""
    rng = np.random.default_rng([7, 3])
    np.testing.assert_array_equal(readings.draw(7, 3, 0, (2, 6)), rng.standard_normal((2, 6)))
    rng = np.random.default_rng([7, 3, 4])
    np.testing.assert_array_equal(readings.draw(7, 3, 4, (2, 6)), rng.standard_normal((2, 6)))
    np.testing.assert_array_equal(
        readings.draw(7, 3, 4, (2, 6)), readings.draw(7, 3, 4, (5, 6))[:2]
    )


def test_mean_changes_of_a_rate_and_none_after_the_last() -> None:
    rate = np.array([[0.0, 1.0], [2.0, 1.0], [3.0, -1.0]])
    np.testing.assert_allclose(reference._means(rate, 0.5), [[4.0, 0.0], [2.0, -4.0], [0.0, 0.0]])


def test_after_its_end_a_trajectory_is_held_at_rest() -> None:
    way = gough.trajectory.harmonic(HOME, [[0.1, 0, 0, 0, 0, 0]], [1.0], duration=0.4)
    t = np.array([0.0, 0.3, 0.4, 0.5])
    found = reference._held_at_end(way, t)
    np.testing.assert_allclose(found.position, way(np.minimum(t, 0.4)).position)
    assert np.abs(found.velocity[:3]).max(axis=1).min() > 0.0
    assert not found.velocity[3].any()
    assert not found.acceleration[3].any()
    alone = reference._held_at_end(lambda x: way(min(x, 0.4)), t)
    np.testing.assert_allclose(alone.velocity, way(np.minimum(t, 0.4)).velocity)


@pytest.mark.parametrize(
    ("law", "low", "high", "mean", "deviation"),
    [
        (Evenly(2.0, 5.0), 2.0, 5.0, 3.5, 3.0 / np.sqrt(12)),
        (Evenly(0.5, 1.5, relative=True), 5.0, 15.0, 10.0, 10.0 / np.sqrt(12)),
        (Normal(2.0), -np.inf, np.inf, 10.0, 2.0),
        (Normal(0.1, relative=True), -np.inf, np.inf, 10.0, 1.0),
    ],
)
def test_draws_have_their_mean_and_spread(
    law: Any, low: float, high: float, mean: float, deviation: float
) -> None:
    found = law.draw(np.random.default_rng(0), 10.0, 40_000)
    assert found.min() >= low
    assert found.max() <= high
    assert found.mean() == pytest.approx(mean, abs=4 * deviation / 200)
    assert found.std() == pytest.approx(deviation, rel=0.02)


def test_names_of_numbers_that_vary() -> None:
    known = dict.fromkeys(["body.mass", "L1.lower.mass", "L2.lower.mass", "L1.drive.coulomb"], 0.0)
    legs = ["L1.", "L2."]
    assert set(_matched(known, {"legs.*.mass": 1}, legs)) == {"L1.lower.mass", "L2.lower.mass"}
    assert set(_matched(known, {"*mass": 1}, legs)) == {
        "body.mass",
        "L1.lower.mass",
        "L2.lower.mass",
    }
    assert _matched(known, {"body.mass": 1, "L1.drive.*": 2}, legs) == {
        "body.mass": 1,
        "L1.drive.coulomb": 2,
    }
    for spread, words in (
        ({"body.mas": 1}, "is no number"),
        ({"body.mass": 1, "*mass": 2}, "has a distribution already"),
        ({"legs.body.mass": 1}, "is no number"),
    ):
        with pytest.raises(gough.InputError, match=words):
            _matched(known, spread, legs)


def limited() -> Any:
    """Ranges of one machine whose legs have strokes 1..2 and cones of 60 and 30 degrees about z."""
    made: Any = Ranges.__new__(Ranges)
    made.low, made.high = np.full((1, 6), 1.0), np.full((1, 6), 2.0)
    made._cones = np.tile(np.cos(np.radians([60.0, 30.0])), (1, 6, 1))
    made._axes = np.zeros((1, 2, 6, 3))
    made._axes[:, 0, :, 2], made._axes[:, 1, :, 2] = 1.0, -1.0
    return made


@pytest.mark.parametrize("leg", [0, 3, 5])
@pytest.mark.parametrize(
    ("lean", "coordinate", "turn", "said"),
    [
        (0.0, 1.5, 0.0, FINE),
        (29.0, 1.5, 0.0, FINE),
        (31.0, 1.5, 0.0, CONE),
        (59.0, 1.5, 59.0, FINE),
        (61.0, 1.5, 61.0, CONE),
        (0.0, 1.0, 0.0, FINE),
        (0.0, 2.0, 0.0, FINE),
        (0.0, 0.999, 0.0, STROKE),
        (0.0, 2.001, 0.0, STROKE),
        (61.0, 2.001, 61.0, STROKE),
        (0.0, np.nan, 0.0, REACH),
    ],
)
def test_what_is_wrong_with_a_state_and_of_which_leg(
    leg: int, lean: float, coordinate: float, turn: float, said: int
) -> None:
    """Leans about x, the platform turned with them or not; the first leg counts, reach before stroke before cone."""
    legs = np.zeros((2, 6, LEG_MOTION.size))
    legs[..., LEG_MOTION.coordinate] = 1.5
    legs[..., LEG_MOTION.direction] = [0.0, 0.0, 1.0]
    a, R = np.radians(lean), np.tile(np.eye(3), (2, 1, 1))
    legs[1, leg, LEG_MOTION.coordinate] = coordinate
    legs[1, leg, LEG_MOTION.direction] = [0.0, -np.sin(a), np.cos(a)]
    made = limited()
    if turn:
        made._cones[0, np.arange(6) != leg] = -np.inf
        R[1] = rotation_exp(np.array([np.radians(turn), 0.0, 0.0]))
    code, which = made.outside(legs, R)
    assert code.tolist() == [FINE, said]
    assert said == FINE or which[1] == leg


def test_commands_that_a_drive_cuts_are_beyond() -> None:
    rows: Any = SimpleNamespace(laws=(), layout=SimpleNamespace(names=()))
    states = np.zeros((3, 18, 2))
    seen = Seen.of(
        rows, states, np.arange(12.0).reshape(2, 6, 1), np.array([0.1, 0.2]), np.zeros(0)
    )
    np.testing.assert_array_equal(seen.excess, np.full((2, 6, 2), -1.0))
    np.testing.assert_array_equal(seen.command[..., 1], np.arange(12.0).reshape(2, 6))
