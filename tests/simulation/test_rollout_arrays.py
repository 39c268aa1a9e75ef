"""Rollouts as functions of arrays: what is left out, leading axes that broadcast, machines that differ, doubts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.layout import SPINNING, STATE
from gough.results import Spin
from gough.simulation.array_rollout import ArrayRollout
from gough.simulation.card_rollout import CardSteps, pull_arguments, steps_of
from gough.simulation.differentiable import Rollout, RolloutSlopes
from gough.simulation.rollout_kernel import RolloutSteps
from gough.spatial import rotation_exp
from oracles.machines import case

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
UPS = ("ups",) * 6
NONE = dict.fromkeys(
    (
        "position",
        "rotation",
        "effort",
        "velocity",
        "angular_velocity",
        "external",
        "spin",
        "parameters",
    )
)


def made(every: int = 1, machine: gough.Platform = MACHINE) -> ArrayRollout:
    return ArrayRollout.of(machine, 1e-3, every, "rk4")


def test_what_is_left_out_is_at_rest_under_no_wrench_and_of_this_machine() -> None:
    given = {**NONE, "position": np.arange(3.0), "rotation": 9.0 * np.eye(3), "effort": np.ones((4, 6))}  # fmt: skip
    start, effort, wrench, par = made().laid_out(np, np.asarray, given)
    assert start.shape == (18,)
    np.testing.assert_array_equal(start[STATE.position], np.arange(3.0))
    np.testing.assert_array_equal(start[STATE.rotation], 9.0 * np.eye(3).ravel())
    assert not start[12:].any()
    np.testing.assert_array_equal(effort, np.ones((4, 6)))
    np.testing.assert_array_equal(wrench, np.zeros((1, 6)))
    np.testing.assert_array_equal(par, made().parameters)


def test_leading_axes_broadcast_over_all_that_is_given() -> None:
    rng = np.random.default_rng(0)
    each = {
        "position": rng.normal(size=(5, 1, 3)),
        "rotation": rng.normal(size=(3, 3)),
        "effort": rng.normal(size=(2, 4, 6)),
        "velocity": rng.normal(size=(2, 3)),
        "angular_velocity": rng.normal(size=(5, 2, 3)),
        "external": rng.normal(size=(5, 1, 4, 6)),
        "spin": None,
        "parameters": rng.normal(size=(2, len(made().parameters))),
    }
    start, effort, wrench, par = made().laid_out(np, np.asarray, each)
    assert start.shape == (5, 2, 18)
    assert effort.shape == wrench.shape == (5, 2, 4, 6)
    assert par.shape == (5, 2, len(made().parameters))
    for i in range(5):
        for j in range(2):
            np.testing.assert_array_equal(start[i, j, STATE.position], each["position"][i, 0])
            np.testing.assert_array_equal(start[i, j, STATE.rotation], each["rotation"].ravel())
            np.testing.assert_array_equal(start[i, j, STATE.velocity], each["velocity"][j])
            np.testing.assert_array_equal(
                start[i, j, STATE.angular_velocity], each["angular_velocity"][i, j]
            )
            np.testing.assert_array_equal(effort[i, j], each["effort"][j])
            np.testing.assert_array_equal(wrench[i, j], each["external"][i, 0])
            np.testing.assert_array_equal(par[i, j], each["parameters"][j])


def test_spins_are_cosine_sine_and_rate_and_their_angle_follows() -> None:
    c = case("SPS-general", seed=2, states=1)
    spinning = made(machine=c.platform)
    assert spinning.spins
    assert not made().spins
    assert made().rows == STATE.size
    angle, rate = np.linspace(-3.0, 3.0, 6), np.arange(6.0)
    turns = np.stack([np.cos(angle), np.sin(angle), rate], axis=-1)
    given = {**NONE, "position": np.zeros(3), "rotation": np.eye(3), "effort": np.zeros((1, 6))}
    start = spinning.laid_out(np, np.asarray, {**given, "spin": turns})[0]
    assert start.shape == (spinning.rows,)
    told = {"cosine": np.cos(angle), "sine": np.sin(angle), "rate": rate, "angle": angle}
    for name, value in told.items():
        np.testing.assert_allclose(start[getattr(SPINNING, f"spin_{name}")], value, atol=1e-15)
    told = spinning.named(np, np.stack([start, 2.0 * start]))
    np.testing.assert_allclose(told["spin"][1], 2.0 * turns, atol=1e-15)
    assert told["rotation"].shape == (2, 3, 3)
    with pytest.raises(gough.InputError, match="carry their spin"):
        spinning.laid_out(np, np.asarray, given)
    assert "spin" not in made().named(np, np.zeros((2, 18)))


def test_records_come_after_whole_numbers_of_steps() -> None:
    assert made(3).records(6) == 3
    assert made(1).records(1) == 2
    for steps in (0, 4, 7):
        with pytest.raises(gough.InputError, match="every"):
            made(3).records(steps)


def test_runs_of_each_machine_go_together() -> None:
    rng = np.random.default_rng(1)
    lead = (2, 3)
    a, b = rng.normal(size=(*lead, 18)), rng.normal(size=(*lead, 4, 6))
    same = np.broadcast_to(np.arange(5.0), (*lead, 5))
    ((numbers, runs, parts),) = made()._machines(same, lead, a, b)
    np.testing.assert_array_equal(numbers, np.arange(5.0))
    assert runs.tolist() == list(range(6))
    np.testing.assert_array_equal(parts[0], a.reshape(6, 18))
    np.testing.assert_array_equal(parts[1], b.reshape(6, 4, 6))
    kinds = np.array([2, 0, 2, 1, 0, 2])
    several = np.array([[7.0, 1.0], [7.0, 2.0], [8.0, 0.0]])[kinds].reshape(*lead, 2)
    seen: list[int] = []
    for numbers, runs, parts in made()._machines(several, lead, a, b):
        for run, part in zip(runs, parts[0], strict=True):
            np.testing.assert_array_equal(several.reshape(6, 2)[run], numbers)
            np.testing.assert_array_equal(part, a.reshape(6, 18)[run])
        seen += runs.tolist()
    assert sorted(seen) == list(range(6))


def test_a_run_is_no_number_from_its_first_doubtful_record_on() -> None:
    """Lost at a step, or not trusted at a record; the runs beside it are told whole."""
    bad = np.array([-1, 3, 4, -1, 1])
    doubtful = np.zeros((5, 4), dtype=bool)
    doubtful[3, 1] = True
    rows = np.ones((4, 18, 5)) * np.arange(5.0)

    class Fake(ArrayRollout):
        def _doubtful(self, *given: Any) -> Any:  # type: ignore[override]
            _, told, effort, external = given
            assert told.shape == (5, 4, 18)
            assert effort.shape == (5, 6, 6)
            assert (effort == 1.0).all()
            assert (external == 2.0).all()
            return doubtful.copy()

    def roll(par: Any, x: Any, push: Any, wrench: Any) -> Any:
        assert x.shape == (18, 5)
        assert push.shape == wrench.shape == (6, 6, 5)
        return rows, bad

    rollouts = Fake(MACHINE, SimpleNamespace(kinds=UPS, every=2, roll=roll), np.zeros(3))  # type: ignore[arg-type]
    loads = np.ones((5, 6, 6))
    found = rollouts.forwards(np.zeros((5, 18)), loads, 2.0 * loads, np.zeros((5, 3)))
    assert found.shape == (5, 4, 18)
    told = np.isfinite(found).all(axis=-1)
    assert (told == np.isfinite(found).any(axis=-1)).all()
    # the record before the step at which it was lost still stands
    assert told.sum(axis=1).tolist() == [4, 2, 2, 1, 1]
    np.testing.assert_array_equal(found[2, 0], np.full(18, 2.0))


def test_arguments_of_slopes_on_the_card() -> None:
    steps = CardSteps("rk4", UPS, 1e-3, 4)
    rows, weight = np.zeros((3, 18, 5)), np.ones((3, 18, 5))
    effort, external = np.zeros((8, 6, 5)), np.zeros((1, 6, 1))
    out = tuple(np.zeros(k) for k in range(1, 6))
    told = pull_arguments(steps, (rows, effort, external, weight), out)
    assert [int(x) for x in told[:3]] == [5, 3, 4]
    assert told[3] == 1e-3
    assert told[4] is rows
    assert told[5] is external
    assert [int(x) for x in told[6:8]] == [1, 1]
    assert told[8] is effort
    assert [int(x) for x in told[9:11]] == [8, 5]
    assert told[11] is weight
    assert all(a is b for a, b in zip(told[12:], out, strict=True))
    assert isinstance(steps_of("cuda", "rk4", UPS, 1e-3, 1), CardSteps)
    assert isinstance(steps_of("native", "rk4", UPS, 1e-3, 1), RolloutSteps)


def a_rollout(shape: tuple[int, ...], records: int = 3) -> Rollout:
    runs = int(np.prod(shape, dtype=int))
    rows = np.arange(records * 18.0 * runs).reshape(records, 18, runs)
    return Rollout(MACHINE, "rk4", 1e-3, 5, shape, rows, np.zeros((10, 6, 1)), np.zeros((1, 6, 1)))


@pytest.mark.parametrize("shape", [(), (1,), (2,), (2, 3)])
def test_states_are_told_by_record_and_run(shape: tuple[int, ...]) -> None:
    run = a_rollout(shape)
    np.testing.assert_allclose(run.time, [0.0, 5e-3, 10e-3])
    for name in STATE.names:
        value = getattr(run, name)
        own = (3, 3) if name == "rotation" else (3,)
        assert value.shape == (3, *shape, *own)
        flat = value.reshape(3, -1, int(np.prod(own)))
        for k in range(flat.shape[1]):
            np.testing.assert_array_equal(flat[:, k], run.rows[:, getattr(STATE, name), k])
    assert run.motion.shape == (3, *shape)
    assert run.spin is None


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_weights_of_a_loss_lie_as_the_states_do(shape: tuple[int, ...]) -> None:
    run = a_rollout(shape)
    n = run.rows.shape[2]
    value = np.random.default_rng(2).normal(size=(3, *shape, 3, 3))
    found = run._weight("rotation", value, (3, 3))
    assert found.shape == (3, 9, n)
    for k in range(n):
        np.testing.assert_array_equal(found[:, :, k], value.reshape(3, n, 9)[:, k])
    alike = run._weight("position", [1.0, 2.0, 3.0], (3,))
    np.testing.assert_array_equal(alike[2, :, n - 1], [1.0, 2.0, 3.0])
    with pytest.raises(gough.InputError, match="must broadcast to"):
        run._weight("position", np.zeros((7, 3)), (3,))
    with pytest.raises(gough.InputError, match="no leg carries its spin"):
        run.slopes(spin_rate=np.zeros(6))


def test_a_turn_of_the_start_is_a_small_rotation_in_world_axes() -> None:
    """Slopes over the nine numbers of R, contracted with exp([phi]x) R, by differences."""
    rng = np.random.default_rng(3)
    start, rows = np.zeros((2, 18)), rng.normal(size=(2, 18))
    R = rotation_exp(rng.normal(size=(2, 3)))
    start[:, STATE.rotation] = R.reshape(2, 9)
    slopes = RolloutSlopes(np.zeros((1, 2, 6)), np.zeros((1, 2, 6)), rows, start)
    h = 1e-6
    for k in range(3):
        phi = np.zeros(3)
        phi[k] = h
        change = (rotation_exp(phi) - rotation_exp(-phi)) @ R / (2 * h)
        wanted = (change.reshape(2, 9) * rows[:, STATE.rotation]).sum(axis=1)
        np.testing.assert_allclose(slopes.turn[:, k], wanted, atol=1e-8)


def test_spins_of_a_rollout_are_told_by_record_and_run() -> None:
    rows = np.zeros((2, SPINNING.size, 3))
    angle = np.random.default_rng(4).uniform(-20.0, 20.0, (2, 6, 3))
    rows[:, SPINNING.spin_cosine], rows[:, SPINNING.spin_sine] = np.cos(angle), np.sin(angle)
    rows[:, SPINNING.spin_angle], rows[:, SPINNING.spin_rate] = angle, 3.0 * angle
    run = Rollout(MACHINE, "rk4", 1e-3, 1, (3,), rows, np.zeros((1, 6, 1)), np.zeros((1, 6, 1)))
    spin = run.spin
    assert isinstance(spin, Spin)
    np.testing.assert_allclose(spin.angle, np.moveaxis(angle, 1, -1), atol=1e-12)
    np.testing.assert_allclose(spin.rate, 3.0 * np.moveaxis(angle, 1, -1))
    for word in ("array", "[["):
        assert word not in repr(run)
