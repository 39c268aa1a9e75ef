"""Ends and branches that usual runs never take: solvers that give up, commands that are no number, rollouts of one
doubtful number, slopes over spins, forces by a factor, references of legs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.integrate

import gough
from gough.checks import Array
from gough.layout import FORWARD, SPINNING, STATE
from gough.simulation import PowerLoss, array_rollout, fixed_run, inside_steps, leg_law, winding
from gough.simulation.array_rollout import ArrayRollout
from gough.simulation.differentiable import Rollout, RolloutSlopes
from gough.simulation.gym.environment import PlatformVectorEnv
from gough.simulation.gym.goals import table
from gough.simulation.identity import identity
from gough.simulation.inside_steps import Between
from gough.simulation.scenario import load_scenario
from gough.trajectory import harmonic

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
HOLD = gough.inverse_dynamics(MACHINE, HOME).force


@pytest.mark.parametrize(("fails", "said"), [(True, "no luck"), (False, "not a number any more")])
def test_a_solver_that_gives_up_ends_the_run_at_its_last_record(
    fails: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = scipy.integrate.DOP853

    class Lost(true):  # type: ignore[misc, valid-type]
        def step(self) -> str | None:
            message = super().step()
            if self.t > 0.0125:
                if fails:
                    self.status = "failed"
                    return "no luck"
                self.y = self.y * np.nan
            return message

    monkeypatch.setattr(scipy.integrate, "DOP853", Lost)
    run = gough.simulate(
        MACHINE, HOME, duration=0.05, step=1e-3, output=5e-3, force=HOLD, drives=False,
        integrator="DOP853", reactions=False,
    )  # fmt: skip
    status, end = run.attrs["status"], run.attrs["end_time"]
    assert said in status
    assert f"after t = {end:.6g} s" in status
    assert 0.0 < end <= 0.0125
    assert end == pytest.approx(run.time.values[np.isfinite(run.position.values[:, 0])][-1])


@pytest.mark.parametrize("leg", [0, 3])
def test_a_command_that_is_no_number_names_its_leg(leg: int) -> None:
    ended = list[tuple[int, float, str]]()
    command = np.zeros((6, 2))
    command[[leg, 5], 1] = np.nan, np.inf
    loop = SimpleNamespace(ask=lambda *_: command, lost={})
    rows = SimpleNamespace(platform=MACHINE)
    job = SimpleNamespace(step=0.01, period=2, external=None, rows=rows)
    run: Any = SimpleNamespace(
        job=job, k=6, alive=np.array([True, True]), some_ended=False, feedback=True
    )
    run._end = lambda who, when, status: ended.append((int(who), when, str(status)))
    run._refuse = lambda *given: fixed_run.FixedRun._refuse(run, *given)
    fixed_run.FixedRun._ask(run, loop, None)  # type: ignore[arg-type]
    ((who, when, said),) = ended
    assert (who, when) == (1, pytest.approx(0.06))
    assert f"leg {MACHINE.leg_names[leg]} for nan" in said
    run.alive[1] = False
    fixed_run.FixedRun._ask(run, loop, None)  # type: ignore[arg-type]
    assert len(ended) == 1  # it has ended before


def test_one_number_that_is_not_finite_spoils_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so does a risk beyond the limit; the loads are those of the record's own step."""
    made = ArrayRollout.of(MACHINE, 1e-3, 2, "rk4")
    limit = array_rollout.risk_limit(MACHINE)
    seen = list[Any]()

    def run(name: str, kinds: Any, blocks: list[Array], par: Array) -> Array:
        seen.append(blocks)
        out = np.ones((6, FORWARD.size))
        out[:, FORWARD.risk] = limit
        out[1, 0] = np.nan
        out[2, FORWARD.risk] = limit * (1 + 1e-9)
        out[5] = np.inf
        return out

    monkeypatch.setattr(array_rollout.native, "run", run)
    effort = np.arange(2 * 4 * 6.0).reshape(2, 4, 6)
    told = np.zeros((2, 3, STATE.size))
    found = made._doubtful(made.parameters, told, effort, 100.0 + effort[:, :1])
    np.testing.assert_array_equal(found, [[False, True, True], [False, False, True]])
    steps = [0, 2, 3]
    np.testing.assert_array_equal(seen[0][-2].reshape(2, 3, 6), effort[:, steps])
    np.testing.assert_array_equal(seen[0][-1].reshape(2, 3, 6), 100.0 + effort[:, [0, 0, 0]])


def test_shapes_that_are_asked_for() -> None:
    array_rollout._check_shape("effort", (5, 7, 6))
    for name, shape in (("effort", (6,)), ("effort", (7, 5)), ("position", (2,)), ("position", ())):
        with pytest.raises(gough.InputError, match=r"must have shape \(\.\.\., ") as caught:
            array_rollout._check_shape(name, shape)
        assert ("steps, 6" in str(caught.value)) is (name == "effort")


def test_slopes_over_spins() -> None:
    """Of cosine and sine along the circle at the start; zero where no leg carries its spin."""
    rng = np.random.default_rng(3)
    rows, start = rng.normal(size=(2, 4, SPINNING.size))
    angle = rng.normal(size=(4, 6))
    start[:, SPINNING.spin_cosine], start[:, SPINNING.spin_sine] = np.cos(angle), np.sin(angle)
    none = np.zeros(0)
    found = RolloutSlopes(none, none, rows, start)
    along = (
        -np.sin(angle) * rows[:, SPINNING.spin_cosine] + np.cos(angle) * rows[:, SPINNING.spin_sine]
    )
    np.testing.assert_allclose(found.spin_angle, along, rtol=1e-14)
    np.testing.assert_array_equal(found.spin_rate, rows[:, SPINNING.spin_rate])
    still = RolloutSlopes(none, none, rows[:, : STATE.size], start[:, : STATE.size])
    np.testing.assert_array_equal(still.spin_angle, np.zeros((4, 6)))
    np.testing.assert_array_equal(still.spin_rate, np.zeros((4, 6)))


def test_a_loss_of_an_angle_is_one_of_cosine_and_sine(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    rows, angle = rng.normal(size=(3, SPINNING.size, 2)), rng.normal(size=(3, 6, 2))
    rows[:, SPINNING.spin_cosine], rows[:, SPINNING.spin_sine] = np.cos(angle), np.sin(angle)
    none = np.zeros((2, 6, 1))
    run = Rollout(MACHINE, "rk4", 1e-3, 1, (2,), rows, none, none)
    monkeypatch.setattr(Rollout, "_pulled", lambda self, weight, parameters: (weight, parameters))
    weight = rng.normal(size=(3, 2, 6))
    found, asked = run.slopes(spin_angle=weight)  # type: ignore[misc]
    turned = np.moveaxis(weight, -1, 1)
    np.testing.assert_allclose(found[:, SPINNING.spin_cosine], -np.sin(angle) * turned)
    np.testing.assert_allclose(found[:, SPINNING.spin_sine], np.cos(angle) * turned)
    assert asked is False
    found[:, SPINNING.spin_cosine], found[:, SPINNING.spin_sine] = 0.0, 0.0
    assert not found.any()
    np.testing.assert_array_equal(run.time, [0.0, 1e-3, 2e-3])


@pytest.mark.parametrize("factor", [None, 0.5])
def test_a_static_force_by_its_factor(factor: float | None, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    more = "" if factor is None else f"factor = {factor}\n"
    path.write_text(f'duration = "20 ms"\n[force]\nstatic = true\n{more}')
    found = load_scenario(path).arguments(MACHINE)["force"]
    np.testing.assert_allclose(found, (factor or 1.0) * HOLD, rtol=1e-12)


def test_a_start_takes_its_turn_from_the_file_and_its_place_from_home(tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(
        'duration = "20 ms"\n[start]\nrpy = ["10 deg", 0, 0]\nvelocity = "1 2 3 mm/s"\n'
    )
    state = load_scenario(path).arguments(MACHINE)["state"]
    np.testing.assert_array_equal(state.position, HOME.position)
    turned = gough.Pose.from_rpy(HOME.position, np.radians([10, 0, 0])).rotation
    np.testing.assert_allclose(state.rotation, turned, atol=1e-15)
    np.testing.assert_allclose(state.velocity, [1e-3, 2e-3, 3e-3])
    np.testing.assert_array_equal(state.angular_velocity, np.zeros(3))


def test_goals_of_a_motion_of_the_legs_are_those_of_the_first_machine() -> None:
    way = harmonic(HOME, [[0.02, 0.01, 0.0, 0.0, 0.0, 0.0]], [1.0], duration=1.0)
    asked = list[Any]()

    class Legs(gough.trajectory.LegTrajectory):  # type: ignore[misc]
        def __init__(self) -> None:
            """Nothing of its own."""

        def coordinates(self, *_: Any) -> Any:
            raise NotImplementedError

        resolution = coordinates

        def on(self, platform: Any) -> Any:
            asked.append(platform)
            return way

    other = MACHINE.replace(name="second")
    found = table([MACHINE, other], Legs(), 0.1, 3)
    assert asked == [MACHINE]
    np.testing.assert_allclose(found.position.reshape(4, 3)[2], way(0.2).position)


@pytest.mark.parametrize("given", [7.0, np.arange(1.0, 7.0)])
def test_an_authority_that_is_given_is_that_of_every_machine(given: Any) -> None:
    found = PlatformVectorEnv._authority(SimpleNamespace(), (MACHINE,), given)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found, np.broadcast_to(given, (1, 6)))


def test_shares_of_screws_machine_by_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = object(), object()
    poses = {0: "a", 1: "b"}
    monkeypatch.setattr(winding, "screwed", lambda platform: True)
    monkeypatch.setattr(winding, "struts", lambda machine, pose: (machine, pose))
    numbers = {(one, "a"): 1.0, (two, "b"): 2.0}
    monkeypatch.setattr(winding, "screw_shares", lambda m, made: np.full(6, numbers[made]))
    rows: Any = SimpleNamespace(
        platform=one,
        several=True,
        machines=(one, two),
        motion=lambda X: SimpleNamespace(pose=poses),
    )
    np.testing.assert_array_equal(winding.shares(rows, np.zeros((18, 2))), [[1.0, 2.0]] * 6)
    monkeypatch.setattr(winding, "screwed", lambda platform: False)
    np.testing.assert_array_equal(winding.shares(rows, np.zeros((18, 2))), np.zeros((6, 2)))


def test_inputs_inside_steps_are_felt_by_each_run_in_its_own_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a controller the command is the one held in that step; the wrench is asked at the instant itself."""
    asked = list[tuple[float, str]]()

    def efforts(*_: Any) -> Any:
        def at(t: float, X: Any) -> tuple[Array, Array]:
            asked.append((t, X))
            return np.full((6, 2), -1.0), np.stack([np.full(6, t), np.full(6, -t)], axis=1)

        return at

    monkeypatch.setattr(inside_steps.driven, "efforts", efforts)
    command = np.arange(3 * 6 * 2.0).reshape(3, 6, 2)
    job: Any = SimpleNamespace(
        rows=SimpleNamespace(laws=()),
        force=None,
        external=None,
        batched=True,
        loop=object(),
        step=0.1,
    )
    seen: Any = SimpleNamespace(command=command)
    between = Between(job, 10, np.zeros((1, 6, 1)), seen)
    monkeypatch.setattr(between, "_everyone", lambda step, part: f"{step} {part}")
    slots: Any = SimpleNamespace(run=np.array([1, 0]), step=np.array([0, 2]))
    push, wrench = between.inputs(slots, np.array([0.25, 0.5]), np.zeros((18, 2)))
    np.testing.assert_array_equal(push, np.stack([command[0, :, 1], command[2, :, 0]], axis=1))
    np.testing.assert_allclose(wrench, np.tile([[-1.025, 1.25]], (6, 1)))
    assert [x for _, x in asked] == ["0 0.25", "2 0.5"]
    np.testing.assert_allclose([t for t, _ in asked], [1.025, 1.25])
    np.testing.assert_allclose(between.time(slots, np.array([0.25, 0.5])), [1.025, 1.25])
    job.loop = None
    push, _ = between.inputs(slots, np.array([0.25, 0.5]), np.zeros((18, 2)))
    np.testing.assert_array_equal(push, np.full((6, 2), -1.0))


@pytest.mark.parametrize(
    ("refused", "bad", "said"),
    [
        (-1, -1, []),
        (0, -1, [0]),
        (12, -1, [12]),
        (12, 1, []),
        (12, 2, []),
        (12, 3, [12]),
    ],
)
def test_a_refused_command_counts_unless_the_state_was_lost_before(
    refused: int, bad: int, said: list[int]
) -> None:
    """Steps of the whole run and of the call (from step 10 on); a run that has ended is not asked."""
    told = list[tuple[int, int, int, float]]()
    run: Any = SimpleNamespace(
        alive=np.array([True, False]),
        k=10,
        lookout=SimpleNamespace(saw=False),
        _mark=lambda *_: None,
    )
    run._refuse = lambda *given: told.append(given)
    answers = np.array([[refused, 3], [4, 1], [7.5, 1.0]], dtype=float)
    fixed_run.FixedRun._digest(run, None, np.array([bad, -1]), answers)  # type: ignore[arg-type]
    assert told == [(0, step, 4, 7.5) for step in said]


def test_a_power_loss_cuts_valves_of_cylinders_and_windings_of_motors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each leg by what drives it; a leg without a drive has nothing that could be a valve."""
    cut = list[tuple[str, float]]()
    monkeypatch.setattr(leg_law.hydraulic, "cut", lambda law: cut.append(("valve", law[0])))
    monkeypatch.setattr(
        leg_law.motor, "cut", lambda law, drive, shorted: cut.append(("motor", law[0]))
    )
    drives: list[Any] = [
        None,
        SimpleNamespace(hydraulic=None),
        SimpleNamespace(hydraulic="oil"),
    ] * 2
    machine: Any = SimpleNamespace(legs=[SimpleNamespace(drive=drive) for drive in drives])
    law = np.arange(6.0)[None]
    leg_law.apply_fault(machine, law, PowerLoss(0.0))
    assert cut == [(("motor", "motor", "valve")[i % 3], float(i)) for i in range(6)]


def test_a_run_is_known_by_the_numbers_in_its_arrays() -> None:
    """Numbers, type and shape count; not where they lie, also where they are objects."""

    def of(value: Any) -> str:
        return identity({"force": value})

    a = np.arange(6.0)
    assert of(a) == of(a.copy()) == of(np.arange(12.0)[::2] / 2)
    others = [a + 1e-16 + (a == 5) * 1e-15, a.astype(np.float32), a.reshape(2, 3), a[:5]]
    assert len({of(a), *map(of, others)}) == 5
    big = [1e300, 2.5, float("1e10")]
    assert of(np.array(big, dtype=object)) == of(np.array([x * 1.0 for x in big], dtype=object))
    assert of(np.array(big, dtype=object)) != of(np.array([*big[:2], 7.0], dtype=object))
