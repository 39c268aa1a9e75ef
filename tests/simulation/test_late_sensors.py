"""What the loop hands to sensors and observers: the wrench of the instant that is shown, play of drives, lost runs."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.control.signals import CHANNELS, Sampling
from gough.layout import LEG_LAW, STATE
from gough.simulation import leg_law
from gough.simulation import loop as control
from gough.simulation.closed_kernels import CLIP, NUMBERS, PLAN, WOUND, drive_text
from gough.simulation.closed_laws import REFERENCE, SENSED
from gough.simulation.inputs import TimeSignal
from gough.simulation.loop import ControlLoop, _wide
from gough.simulation.readings import draw
from gough.simulation.rollout_kernel import _cut


@pytest.mark.parametrize("late", [0, 3, 7])
@pytest.mark.parametrize("sample", [0, 1, 2, 5])
def test_a_late_sensor_feels_the_wrench_of_the_instant_it_shows(
    sample: int, late: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five steps to a sample; before the start nothing was felt but what was there at the start."""
    seen: list[Any] = []
    monkeypatch.setattr(control, "reading", lambda *given: seen.append(given) or "read")
    ramp = np.outer(np.arange(41.0), np.ones(6))
    external = TimeSignal("external", ramp, steps=40, step=0.1, runs=2, batched=True)
    past = np.arange(4 * 24 * 2.0).reshape(4, 24, 2)
    made: Any = SimpleNamespace(
        sample=sample, steps=5, seen_late=late, sampling="s", rows=SimpleNamespace(size=18)
    )
    made._late = lambda k: past[k % 4]
    assert ControlLoop._more(made, sample, "law", external, "force") == "read"  # type: ignore[arg-type]
    name, sampling, k, rows, X, effort, wrench, law = seen[0]
    assert (name, sampling, k, rows, law) == ("force", "s", sample, made.rows, "law")
    np.testing.assert_array_equal(X, past[sample % 4][:18])
    np.testing.assert_array_equal(effort, past[sample % 4][18:])
    np.testing.assert_array_equal(wrench, np.full((6, 2), max(5.0 * sample - late, 0.0)))
    with pytest.raises(gough.InputError, match="at its own sample"):
        ControlLoop._more(made, sample + 1, "law", external, "force")  # type: ignore[arg-type]


def sensing(sampling: Sampling, laws: tuple[str, ...], drives: list[Any]) -> Any:
    legs = [SimpleNamespace(drive=drive) for drive in drives]
    layout = SimpleNamespace(at=lambda name: {"drive_coordinate": 31}[name])
    rows = SimpleNamespace(platform=SimpleNamespace(legs=legs), laws=laws, layout=layout)
    made: Any = SimpleNamespace(rows=rows, period=0.004)
    ControlLoop._sensors(made, sampling)
    return made


def test_legs_without_a_drive_have_no_play_and_others_theirs_where_it_is_asked_for() -> None:
    drives = [None, *(SimpleNamespace(backlash=1e-4 * k) for k in range(1, 6))]
    play = [0.0, 1e-4, 2e-4, 3e-4, 4e-4, 5e-4]
    np.testing.assert_allclose(sensing(Sampling(backlash=True), ("drive",), drives).play, play)
    np.testing.assert_array_equal(sensing(Sampling(), ("drive",), drives).play, np.zeros(6))
    behind = Sampling(backlash=True, encoder="motor")
    on_motor = sensing(behind, ("drive", "series"), drives)
    np.testing.assert_array_equal(on_motor.play, np.zeros(6))
    assert on_motor._numbers[NUMBERS.encoder] == 31
    on_leg = sensing(Sampling(encoder="leg"), ("drive", "series"), drives)
    np.testing.assert_array_equal(on_leg.play, np.zeros(6))
    assert on_leg._numbers[NUMBERS.encoder] == 0


def test_numbers_of_sensors_stand_in_their_channels() -> None:
    made = sensing(Sampling(noise=2e-6, quantization=1e-5), (), [None] * 6)
    length = CHANNELS.length
    assert (made._amplitude[length] == 2e-6).all()
    assert (made._errors[1, length] == 1e-5).all()
    assert not made._errors[0].any()
    assert not made._amplitude[CHANNELS.position].any()
    assert made._noisy
    quiet = sensing(Sampling(), (), [None] * 6)
    assert not quiet._noisy
    assert quiet._numbers[NUMBERS.period] == 0.004
    assert quiet._numbers[NUMBERS.observed] == 0.0
    assert quiet._numbers[NUMBERS.on_pose] == 0.0
    watching = sensing(Sampling(velocity="observed", bandwidth=300.0), (), [None] * 6)
    assert watching._numbers[NUMBERS.observed] == 1.0
    np.testing.assert_allclose(watching._numbers[NUMBERS.pole], np.exp(-300.0 * 0.004))


def test_rows_of_plans_and_memories_are_as_wide_as_what_they_hold() -> None:
    """One number each in plans; six for legs; a state for the pose."""
    for layout in (NUMBERS, PLAN):
        assert layout.size == len(layout.names)
    assert [width for _, width in SENSED.blocks()] == [6, 6, 6, STATE.size, 6, 6, 6]
    assert [width for _, width in WOUND.blocks()] == [6, 6]
    assert dict(CLIP.blocks())["command"] == dict(CLIP.blocks())["rate"] == 6
    assert dict(CLIP.blocks())["law"] % 6 == 0


def test_some_runs_of_what_is_the_same_for_all_is_all_of_it() -> None:
    for runs in (1, 2, 3):
        a = np.arange(12.0 * runs).reshape(2, 6, runs)
        for cut in (_wide, _cut):
            found = cut(a, slice(1, 3))
            np.testing.assert_array_equal(found, a if runs == 1 else a[:, :, 1:3])


class Fake:
    """Stands for what the estimate of a pose asks."""

    def __init__(self, runs: int) -> None:
        self.lost: dict[int, str] = {}

    def lose(self, kept: Any, why: str) -> None:
        self.lost |= {int(run): why for run in np.flatnonzero(~kept) if run not in self.lost}


def test_an_estimated_pose_is_each_runs_own_and_of_lost_runs_the_reference() -> None:
    """Three runs at poses of their own: one whose readings are no number, one that has ended, one that goes on."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    offset = np.array([[0.0, 0.0, 0.01], [0.02, 0.0, 0.0], [0.0, -0.03, 0.02]])
    poses = gough.Pose(home.position + offset, np.repeat(home.rotation[None], 3, axis=0))
    legs = gough.inverse_kinematics(
        machine, gough.Motion(poses.position, poses.rotation, 0.1 * offset, 0.0 * offset)
    )
    length, rate = np.array(legs.length), np.array(legs.rate)
    aim = gough.Motion(home.position[None], home.rotation[None])
    due = gough.inverse_kinematics(machine, aim)
    reference: Any = SimpleNamespace(motion=aim, length=due.length, rate=due.rate)
    for broken, why in ((np.nan, "no pose"), (-1.0, "no pose"), (None, "")):
        made: Any = SimpleNamespace(asker=Fake(3), model=machine, _shortest=np.zeros(6), rows=None)
        start = np.concatenate([home.position, home.rotation.ravel()])
        made.memory = {"pose": np.tile(start, (3, 1))}
        given = length.copy()
        if broken is not None:
            given[0, 4] = broken
        alive = np.array([True, False, True])
        found = ControlLoop._estimated_pose(made, given, rate, reference, alive)
        assert set(made.asker.lost) == ({0} if broken is not None else set())
        if broken is not None:
            assert why in made.asker.lost[0]
        at_home = [1] if broken is None else [0, 1]
        for run in range(3):
            wanted = home.position if run in at_home else poses.position[run]
            np.testing.assert_allclose(found.position[run], wanted, atol=1e-9)
            speed = np.zeros(3) if run in at_home else 0.1 * offset[run]
            np.testing.assert_allclose(found.velocity[run], speed, atol=1e-9)
        np.testing.assert_allclose(made.memory["pose"][2, :3], poses.position[2], atol=1e-9)
        np.testing.assert_allclose(found.rotation[2], home.rotation, atol=1e-9)
        everyone = ControlLoop._estimated_pose(made, length, rate, reference, None)
        if broken is None:
            np.testing.assert_allclose(everyone.position, poses.position, atol=1e-9)


def test_what_was_to_be_reached_is_told_at_the_sample_of_each_record() -> None:
    """Five steps to a sample, four samples in the table: the last is held."""
    table = np.zeros((4, REFERENCE.size, 1))
    table[:, REFERENCE.leg_length] = 10.0 * np.arange(4)[:, None, None]
    table[:, REFERENCE.leg_rate] = 1.0 + np.arange(4)[:, None, None]
    made: Any = SimpleNamespace(steps=5, table=SimpleNamespace(rows=table))
    index = np.array([0, 4, 5, 14, 15, 19, 20, 99])
    measured = np.random.default_rng(0).normal(size=(8, 12, 3))
    told = ControlLoop.told(made, index, measured)
    sample = np.array([0, 0, 1, 2, 3, 3, 3, 3])
    for run in range(3):
        for leg in range(6):
            np.testing.assert_array_equal(told["reference_length"][:, run, leg], 10.0 * sample)
            np.testing.assert_array_equal(told["reference_rate"][:, run, leg], 1.0 + sample)
            np.testing.assert_array_equal(told["measured_length"][:, run, leg], measured[:, leg, run])  # fmt: skip
            np.testing.assert_array_equal(told["measured_rate"][:, run, leg], measured[:, 6 + leg, run])  # fmt: skip
    np.testing.assert_array_equal(told["error"], told["reference_length"] - told["measured_length"])


def test_first_readings_are_put_into_the_turn_of_the_first_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(control.winding, "begin", lambda *given: begun.append(given))
    table: Any = SimpleNamespace(rows=["row 0", "row 1"], motion=["motion 0", "motion 1"])
    made: Any = SimpleNamespace(rows="rows", model="model", memory={"sensed": "read"})
    ControlLoop.follow(made, table)
    assert begun == [("rows", "model", "row 0", "motion 0", "read")]
    assert made.table is table


class Asked(list):
    """A law's rows that keep which of them are asked for."""

    def __init__(self, rows: int) -> None:
        super().__init__([1.0] * rows)
        self.seen: set[int] = set()

    def __getitem__(self, at: Any) -> Any:
        found = range(len(self))[at]
        self.seen |= {found} if isinstance(found, int) else set(found)
        return super().__getitem__(at)


def test_the_loop_hands_on_the_rows_of_a_law_that_cut_a_command() -> None:
    law = Asked(LEG_LAW.size)
    leg_law.motor_force(law, 3.0, 0.5)  # type: ignore[arg-type]
    assert 0 < len(law.seen) < LEG_LAW.size
    rows = ", ".join(str(k) for k in sorted(law.seen))
    assert re.search(rf"\({rows},?\)", drive_text())


@pytest.mark.parametrize("several", [False, True], ids=["one machine", "a machine each"])
def test_noise_is_drawn_for_every_sample_and_channel_that_has_some(several: bool) -> None:
    """Times its amplitude; of machines of their own each has the noise of a run alone."""
    made: Any = SimpleNamespace(rows=SimpleNamespace(several=several))
    made.memory, made.sampling = {"sensed": np.zeros((1, 3))}, SimpleNamespace(seed=11)
    made._amplitude = np.zeros(CHANNELS.size)
    made._amplitude[CHANNELS.length] = 1e-3 * np.arange(1.0, 7.0)
    made._amplitude[CHANNELS.velocity] = 0.5
    found = ControlLoop._noise(made, 4, 6)
    runs = 1 if several else 3
    assert found.shape == (3, CHANNELS.size, runs)
    wanted = np.zeros_like(found)
    for channel, (name, width) in enumerate(CHANNELS.blocks()):
        at = getattr(CHANNELS, name)
        for k in (4, 5, 6):
            drawn = draw(11, k, channel, (runs, width))
            wanted[k - 4, at] = made._amplitude[at][:, None] * drawn.T
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert ControlLoop._noise(made, 5, 4).shape == (1, CHANNELS.size, runs)
    assert not ControlLoop._noise(made, 5, 4).any()


def test_a_plan_says_from_where_to_where_and_its_first_noise() -> None:
    made: Any = SimpleNamespace(steps=4, _plans=np.full(PLAN.size, 9, dtype=np.int64))
    made._written = memoryview(made._plans)
    plan = ControlLoop._plan(made, 10, 17, 3)
    for name, value in (("from", 10), ("to", 17), ("every", 3), ("noise", 3), ("loud", 0)):
        assert plan[PLAN.at(f"p_{name}")] == value
    assert plan[PLAN.at("p_kept")] == 9
    assert ControlLoop.quiet.fget(made)  # type: ignore[attr-defined]
    plan[PLAN.at("p_loud")] = 1
    assert not ControlLoop.quiet.fget(made)  # type: ignore[attr-defined]
