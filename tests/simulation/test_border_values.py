"""The last value that is taken and the first that is not: scenario files, events, faults, environments, rewards."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.documents.source import DocumentError
from gough.layout import LEG_LAW
from gough.simulation import Brake, Events, PowerLoss, scenario
from gough.simulation.gym.environment import POSE_ERROR, PlatformVectorEnv, _count
from gough.simulation.leg_law import clipped, leg_indices, motor_force
from gough.simulation.programs import _excess
from gough.simulation.scenario import load_scenario
from gough.simulation.variation import Evenly, Normal

TAKEN = {
    "duration": ("", '0.5 s"', '0 s"'),
    "step": ("", '1e-4 s"', '0 s"'),
    "condition": ("[events]", "1.01", "1.0"),
    "rate": ("[sampling]", '0.5 Hz"', '0 Hz"'),
    "delay": ("[sampling]", '0 s"', '-1 ms"'),
    "measurement_delay": ("[sampling]", '0 s"', '-1 ms"'),
    "quantization": ("[sampling]", '0 m"', '-1 um"'),
    "noise": ("[sampling]", '0 m"', '-1 um"'),
    "bandwidth": ("[sampling]", '0.5 rad/s"', '0 rad/s"'),
    "seed": ("[sampling]", "0", "-1"),
    "margin": ('[controller]\nkind = "decentralized"\ntuned_for = "50 Hz"', "1.0", "0.99"),
    "tuned_for": ('[controller]\nkind = "decentralized"', '0.5 Hz"', '0 Hz"'),
    "force": ('[[faults]]\nkind = "brake"', '0.5 N"', '0 N"'),
    "time": ('[[faults]]\nkind = "power-loss"', '0 s"', '-1 ms"'),
}


@pytest.mark.parametrize("key", TAKEN)
def test_a_scenario_takes_a_number_up_to_its_bound(key: str, tmp_path: Path) -> None:
    table, fine, wrong = TAKEN[key]
    path = tmp_path / "case.toml"

    def written(value: str) -> None:
        line = f'{key} = "{value}' if value.endswith('"') else f"{key} = {value}"
        head = "" if key == "duration" else 'duration = "20 ms"\n'
        path.write_text(f"{head}{table}\n{line}\n")

    written(fine)
    load_scenario(path)
    written(wrong)
    with pytest.raises(DocumentError, match=key):
        load_scenario(path)


def test_disturbances_act_from_their_first_instant_to_before_their_last() -> None:
    early, late = np.arange(6.0), np.ones(6)
    wrench = scenario._external([(0.1, 0.3, early), (0.2, np.inf, late)])
    for t, due in ((0.0, 0 * late), (0.1, early), (0.2, early + late), (0.3, late), (9.0, late)):
        np.testing.assert_array_equal(wrench(t), due)
    assert scenario._external([])(0.0).shape == (6,)


def test_a_constant_force_is_given_or_holds_the_start() -> None:
    machine = gough.load("motion-base-1500")
    state = gough.simulation.State(machine.home)
    held = gough.inverse_dynamics(machine, machine.home).force
    np.testing.assert_allclose(scenario._force()(machine, state), held)
    np.testing.assert_allclose(scenario._force(factor=0.3)(machine, state), 0.3 * held)
    np.testing.assert_array_equal(scenario._force([1.0] * 6, static=False)(machine, state), 1.0)
    with pytest.raises(gough.InputError, match=r"static.*constant"):
        scenario._force(static=False)


@pytest.mark.parametrize("legs", [(), (6,), (-1,), (0, 7), "x", 3, [None]])
def test_legs_are_numbered_from_zero_to_five(legs: Any) -> None:
    with pytest.raises(gough.InputError, match=r"legs.*0\.\.5"):
        leg_indices("legs", legs)
    for fault in (Brake, PowerLoss):
        given = (0.0, 5.0) if fault is Brake else (0.0,)
        with pytest.raises(gough.InputError, match="legs"):
            fault(*given, legs=legs)
        assert fault(*given, legs=[0, 5]).legs == (0, 5)
        assert fault(*given).legs is None


@pytest.mark.parametrize(("time", "force"), [(-1e-9, 1.0), (0.0, 0.0), (0.0, -1.0)])
def test_brakes_close_in_time_and_with_force(time: float, force: float) -> None:
    with pytest.raises(gough.InputError, match=r"brake\."):
        Brake(time, force)
    assert Brake(0.0, 1e-9).time == 0.0


def test_a_condition_is_above_one_and_actions_are_known() -> None:
    assert Events(condition=1.0 + 1e-9).condition > 1.0
    with pytest.raises(gough.InputError, match="condition"):
        Events(condition=1.0)
    for name in ("stroke", "speed", "cone", "singularity", "force"):
        assert Events(**{name: "off"}).off == (name,)
        assert Events(**{name: "stop"}).stops
        with pytest.raises(gough.InputError, match=name):
            Events(**{name: "halt"})
    assert not Events().stops
    assert Events().off == ()


@pytest.mark.parametrize("command", [-1e6, -1.0, 0.0, 3.0, 1e9])
def test_a_command_is_clipped_where_more_than_rounding_is_missing(command: float) -> None:
    one = 1e-9 * (1.0 + abs(command))
    for share, told in ((0.0, False), (0.9, False), (-0.9, False), (1.1, True), (-1.1, True)):
        assert bool(clipped(np.array(command + share * one), np.array(command))) == told


@pytest.mark.parametrize(("share", "told"), [(0.9, False), (1.2, True), (2.0, True)])
def test_kernels_and_loops_call_the_same_command_clipped(share: float, told: bool) -> None:
    """Commands beyond the limits of six drives by a share of 1e-9: the look of the steps and that of the loops."""
    law = np.zeros((LEG_LAW.size, 6))
    law[LEG_LAW.limit], law[LEG_LAW.voltage_force] = 10.0 ** np.arange(6), np.inf
    limit, sign = law[LEG_LAW.limit], np.array([1.0, -1.0] * 3)
    command = sign * (limit + share * 1e-9 * (1.0 + limit))
    rate = np.zeros(6)
    excess = _excess({"effort": command, "rate": rate, "law": law.ravel()})
    assert (np.array(excess) > 0.0).tolist() == [told] * 6
    assert clipped(motor_force(law, command, rate), command).tolist() == [told] * 6


@pytest.mark.parametrize(
    ("given", "machines", "count"),
    [(None, None, 1), (1, None, 1), (3, None, 3), (None, 4, 4), (4, 4, 4)],
)
def test_how_many_environments(given: int | None, machines: int | None, count: int) -> None:
    assert _count(given, machines) == count
    for wrong, of in ((0, None), (-2, None), (3, 4), (5, 4)):
        with pytest.raises(gough.InputError, match="num_envs"):
            _count(wrong, of)


def test_a_reward_is_what_is_missing_and_what_it_costs() -> None:
    """Squared pose error and a thousandth of the squared action; lost: the whole reach in all six until the end; just
    reset: nothing."""
    rng = np.random.default_rng(2)
    seen, action = rng.normal(size=(4, 24)), rng.uniform(-1, 1, size=(4, 6))
    env: Any = SimpleNamespace(seen=seen, horizon=50, age=np.array([3, 4, 5, 0]))
    fresh, lost = np.array([False, False, False, True]), np.array([False, False, True, False])
    found = PlatformVectorEnv._reward(env, action, fresh, lost)
    error = (seen[:, POSE_ERROR] ** 2).sum(axis=1)
    assert seen[:, POSE_ERROR].shape == (4, 6)
    due = -(error + 1e-3 * (action**2).sum(axis=1))
    np.testing.assert_allclose(found[:2], due[:2])
    assert found[2] == pytest.approx(due[2] - 6.0 * 45)
    assert found[3] == 0.0


def test_spreads_that_cannot_be_are_refused() -> None:
    assert Evenly(1.0, 1.0).low == 1.0
    with pytest.raises(gough.InputError, match=r"evenly\.high"):
        Evenly(1.0, 0.99)
    with pytest.raises(gough.InputError, match=r"normal\.deviation"):
        Normal(-1e-9)
    with pytest.raises(gough.InputError, match=r"count.*at least 1"):
        gough.simulation.varied(gough.load("motion-base-1500"), {}, 0)
