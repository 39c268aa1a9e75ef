"""Ways through a run that are seldom taken: refusals, empty batches, ends that come from outside, what is left over; in
side_by_side.py, leg_law.py, variation.py and all modules that are imported here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array, InfeasibleError
from gough.control import Decentralized, Sampling
from gough.control.signals import Measurement
from gough.layout import LEG_MOTION, STATE
from gough.simulation import (
    Events,
    Simulator,
    Springs,
    State,
    device,
    device_runs,
    differentiable,
    fixed_run,
    paths,
    simulate_dae,
    varied,
)
from gough.simulation.alpha_family import consistent
from gough.simulation.array_rollout import ArrayRollout
from gough.simulation.asking import Asker
from gough.simulation.compiled import in_parts
from gough.simulation.dae import _check_lengths, _member, generalized_alpha, hht
from gough.simulation.demand import grid
from gough.simulation.differentiable import RolloutSlopes, rollout
from gough.simulation.events import HIGH, SPEED, Passed, conditions
from gough.simulation.followed import Followed
from gough.simulation.identity import identity
from gough.simulation.linked import check_controller
from gough.simulation.lookout import Located
from gough.simulation.moving_base import carrier
from gough.simulation.reference import ReferenceTable
from gough.simulation.scenario import Scenario
from gough.simulation.simulator import MOST, _six
from gough.simulation.state import Rows, initial
from gough.status import OK, Status
from gough.trajectory import harmonic

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
UPS = ("ups",) * 6


class Stuck:
    """A constraint that no step makes any smaller."""

    size = (2, 1)

    def __init__(self, left: float) -> None:
        self.left, self.asked = left, 0

    def mass(self, q: Array) -> Array:
        return np.eye(2)

    def constraint(self, q: Array, t: float) -> Array:
        self.asked += 1
        return np.array([self.left])

    def jacobian(self, q: Array, t: float) -> Array:
        return np.array([[1.0, 1.0]])

    def constraint_rate(self, t: float) -> Array:
        return np.array([-3.0])

    def retract(self, q: Array, dx: Array) -> Array:
        return q + dx

    def blocks(self) -> None:
        return None


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_start_that_rounding_keeps_open_is_taken_and_one_that_is_open_is_not(sign: float) -> None:
    """Up to a thousand times the tolerance of 1e-13."""
    q, v = consistent(Stuck(sign * 0.9e-10), np.zeros(2), None, 0.0)  # type: ignore[arg-type]
    assert np.abs(q).max() < 1e-8
    np.testing.assert_allclose(v, [1.5, 1.5])
    with pytest.raises(gough.InputError, match=r"constraint error 1\.1e-10"):
        consistent(Stuck(sign * 1.1e-10), np.zeros(2), None, 0.0)  # type: ignore[arg-type]
    at_once = Stuck(sign * 0.9e-13)
    consistent(at_once, np.zeros(2), None, 0.0)  # type: ignore[arg-type]
    assert at_once.asked == 1
    with pytest.raises(gough.InputError, match="constraint error nan"):
        consistent(Stuck(np.nan), np.zeros(2), None, 0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("held", [True, False])
def test_slopes_over_a_wrench_are_as_many_as_it_had_rows(held: bool) -> None:
    """One row that acts in all steps gathers the slopes of all steps."""
    lead, steps, n = (2, 3), 4, 6
    rng = np.random.default_rng(0)
    to_push, to_wrench = rng.normal(size=(2, steps, 6, n))
    to_start, to_par = rng.normal(size=(18, n)), rng.normal(size=(5, n))

    def pull(par: Any, rows: Any, push: Any, wrench: Any, share: Any, parameters: bool) -> Any:
        assert parameters
        assert rows.shape == share.shape == (3, 18, n)
        assert push.shape == (steps, 6, n)
        assert wrench.shape == (1 if held else steps, 6, n)
        return to_push, to_wrench, to_start, to_par

    made = ArrayRollout(MACHINE, SimpleNamespace(kinds=UPS, every=2, pull=pull), np.zeros(5))  # type: ignore[arg-type]
    states = np.zeros((*lead, 3, 18))
    given = np.zeros((*lead, steps, 6)), np.zeros((*lead, 1 if held else steps, 6))
    found = made.backwards(states, *given, np.zeros((*lead, 5)), states)
    wanted = to_wrench.sum(axis=0, keepdims=True) if held else to_wrench
    for got, each in zip(found, (to_start, to_push, wanted, to_par), strict=True):
        np.testing.assert_allclose(got, np.moveaxis(each, -1, 0).reshape(*lead, *each.shape[:-1]))


def test_what_cannot_be_asked_is_no_controller() -> None:
    with pytest.raises(gough.InputError, match=r"controller: .*init and update"):
        Asker(3.0, 2)  # type: ignore[arg-type]
    with pytest.raises(gough.InputError, match="controller"):
        Asker(SimpleNamespace(init=lambda n: {}), 2)  # type: ignore[arg-type]
    assert not Asker(lambda t, seen, wanted: None, 2).stateful  # type: ignore[arg-type]
    both = SimpleNamespace(init=lambda n: {"a": np.zeros((n, 3))}, update=lambda *_: None)
    asker = Asker(both, 2)  # type: ignore[arg-type]
    assert asker.stateful
    assert asker.start()["controller_a"].shape == (2, 3)
    for wrong in (np.zeros((3, 2)), np.zeros(()), np.array([None, None])):
        both.init = lambda n, wrong=wrong: {"a": wrong}
        with pytest.raises(gough.InputError, match=r"controller\.init"):
            Asker(both, 2).start()  # type: ignore[arg-type]


def test_runs_that_only_fail_together_are_nobodys_fault() -> None:
    """Alone each of them is served: there is nobody to leave out."""
    wanted: Any = SimpleNamespace(length=np.zeros((4, 6)), rate=np.zeros((4, 6)))
    wanted.motion = gough.Motion(np.zeros((4, 3)), np.repeat(np.eye(3)[None], 4, axis=0))
    seen = Measurement(
        np.ones((4, 6)), np.zeros((4, 6)), wanted.motion, np.zeros((4, 6)), None, None
    )  # type: ignore[arg-type]

    def law(t: float, now: Any, reference: Any) -> Array:
        shown = int((now.length != 0.0).any(axis=1).sum())
        if shown > 1:
            raise InfeasibleError(f"too many: {shown}")
        return np.zeros((4, 6))

    asker = Asker(law, 4)
    with pytest.raises(InfeasibleError, match="too many: 4"):
        asker.ask(0.0, seen, wanted, {}, None)
    assert asker.lost == {}


def test_no_runs_are_no_work() -> None:
    done: list[slice] = []
    in_parts(0, 3, done.append)
    assert done == []
    in_parts(1, 3, done.append)
    assert done == [slice(0, 1)]


def test_bodies_are_refused_what_they_cannot_do() -> None:
    six = np.zeros(6)
    _check_lengths(lambda t: (six, six, six), 0.0)
    for wrong in (lambda t: (six, six), lambda t: six, lambda t: (six, six, np.zeros(5)), lambda t: "no"):  # fmt: skip
        with pytest.raises(gough.InputError, match="six lengths"):
            _check_lengths(wrong, 0.0)  # type: ignore[arg-type]
    with pytest.raises(gough.InputError, match="method"):
        _member("euler", None)
    assert _member("hht", -0.1) == hht(-0.1)
    assert _member("generalized-alpha", None) == generalized_alpha()
    assert _member(hht(-0.2), None) == hht(-0.2)
    with pytest.raises(gough.InputError, match="initial_speeds"):
        simulate_dae(MACHINE, HOME, 1e-3, 1e-3, initial_speeds="fast")
    with pytest.raises(gough.InputError, match="either lengths or force"):
        simulate_dae(MACHINE, HOME, 1e-3, 1e-3, force=six, lengths=lambda t: (six, six, six))


def test_a_base_is_a_motion_over_time() -> None:
    for wrong in (3.0, "base", np.zeros(3)):
        with pytest.raises(gough.InputError, match="base"):
            carrier(wrong, 1)
    assert carrier(None, 1) is None
    still = gough.Motion(np.array([1.0, 2.0, 3.0]), np.eye(3))
    at = carrier(still, 2)
    assert at is not None
    np.testing.assert_array_equal(at(0.0)[0].ravel(), [1.0, 2.0, 3.0])
    moving = gough.Motion(np.zeros(3), np.eye(3), [0.0, 0.0, 1.0])
    with pytest.raises(gough.InputError, match="it moves"):
        carrier(moving, 1)
    three = gough.Motion(np.zeros((3, 3)), np.repeat(np.eye(3)[None], 3, axis=0))
    assert carrier(lambda t: three, 3) is not None
    for runs in (1, 2):
        with pytest.raises(gough.InputError, match="one motion"):
            carrier(lambda t: three, runs)


def test_a_base_that_moves_is_not_served_on_the_card() -> None:
    quiet = SimpleNamespace(feedback=False, field="force")
    job: Any = SimpleNamespace(method="rk4", force=quiet, external=quiet)
    job.rows = SimpleNamespace(carried=lambda t: t)
    with pytest.raises(gough.InputError, match=r"base: .*native does"):
        device.refuse_on_device(job)
    job.rows.carried = None
    device.refuse_on_device(job)
    job.external = SimpleNamespace(feedback=True, field="external")
    with pytest.raises(gough.InputError, match=r"external: .*every stage"):
        device.refuse_on_device(job)


@pytest.mark.parametrize("every", [0, 2])
def test_a_call_of_the_card_records_only_where_records_are_due(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    states = np.arange(3.0)[:, None, None] * np.ones((1, 18, 2))

    def advance(kernel: Any, *span: Any, **more: Any) -> tuple[Array, Array]:
        calls.append((kernel, span, more))
        return states, np.full(2, -1)

    monkeypatch.setattr(device, "advance", advance)
    chunks: list[Any] = []
    signal = SimpleNamespace(chunk=lambda first, count: chunks.append((first, count)) or "chunk")
    kept: list[Any] = []
    made: Any = SimpleNamespace(job=SimpleNamespace(force=signal, external=signal, step=0.5), k=3)
    made.X, made.watched, made._law = "X", "watched", lambda: "law"
    made._kernel_under = lambda law: f"kernel of {law}"
    made._record_block = kept.append
    made._digest = lambda *given: kept.append(given[0])
    device.OnDevice._step(made, 9, every)
    kernel, span, more = calls[0]
    assert (kernel, span, more["watch"]) == ("kernel of law", ("X", 6, every or 6, 0.5), "watched")
    assert chunks == [(3, 6), (3, 6)]
    assert made.k == 9
    assert len(kept) == (2 if every else 1)
    if every:
        np.testing.assert_array_equal(kept[0], states[:-1])
    assert kept[-1] == "law"


def test_arrays_go_to_the_card_by_the_shortest_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy's by a copy, those of other libraries by DLPack, those that are there already as they are."""
    taken: list[Any] = []
    fake = SimpleNamespace(
        from_dlpack=lambda a: ("from", a), asarray=lambda a, dtype: taken.append((a, dtype)) or a
    )
    monkeypatch.setattr(device_runs, "cupy", lambda: fake)
    here = np.ones(3)
    other = SimpleNamespace(__dlpack__=lambda: None)
    there = SimpleNamespace(__dlpack__=lambda: None, __cuda_array_interface__={})
    plain = [1.0, 2.0]
    assert device_runs.on_card(here) is here
    assert device_runs.on_card(other) == ("from", other)
    assert device_runs.on_card(there) is there
    assert device_runs.on_card(plain) is plain
    assert all(dtype is np.float64 for _, dtype in taken)


def test_slopes_over_the_start_are_rows_by_their_names() -> None:
    rng = np.random.default_rng(1)
    rows, start = rng.normal(size=(2, 3, 18)), rng.normal(size=(2, 3, 18))
    slopes = RolloutSlopes(np.zeros((1, 2, 3, 6)), np.zeros((1, 2, 3, 6)), rows, start)
    for name in STATE.names:
        flat = getattr(slopes, name).reshape(2, 3, -1)
        np.testing.assert_array_equal(flat, rows[..., getattr(STATE, name)])
    assert slopes.rotation.shape == (2, 3, 3, 3)
    assert slopes.spin_angle.shape == slopes.spin_rate.shape == (2, 3, 6)
    assert not slopes.spin_angle.any()
    with pytest.raises(AttributeError, match="parameters=True"):
        _ = slopes.names


def test_a_rollout_that_does_not_fit_is_refused_before_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four numbers for each one that is recorded: 3 records of 18 rows."""
    need = 8 * 4 * 3 * 18
    push = np.repeat(gough.inverse_dynamics(MACHINE, HOME).force[None], 4, axis=0)
    monkeypatch.setattr(differentiable, "memory", lambda: need)
    rollout(MACHINE, HOME, push, every=2)
    monkeypatch.setattr(differentiable, "memory", lambda: need - 1)
    with pytest.raises(gough.InputError, match=r"3 records of 1 runs.*record less often"):
        rollout(MACHINE, HOME, push, every=2)


def test_states_that_are_none_have_no_condition() -> None:
    rows = Rows(MACHINE, False)
    lost = np.full((2, 1, 6, 3), np.nan), np.full((2, 1, 3, 3), np.nan), np.full((2, 1, 3), np.nan)
    assert np.isnan(conditions(rows, *lost)).all()
    legs = rows.kinematics(np.array(rows.start(State(HOME).motion, None)))
    s = np.repeat(legs[None, :, :, LEG_MOTION.direction], 2, axis=0)
    R, t = np.repeat(HOME.rotation[None, None], 2, axis=0), np.repeat(HOME.position[None, None], 2, axis=0)  # fmt: skip
    s[1] = np.nan
    found = conditions(rows, s, R, t)
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_a_controller_that_gives_up_ends_all_runs_that_go_on() -> None:
    ended: list[Any] = []

    def ask(*given: Any) -> Array:
        raise InfeasibleError("nothing to be done")

    loop: Any = SimpleNamespace(ask=ask, memory={"asked": np.zeros((6, 3))}, lost={0: "unread"})
    run: Any = SimpleNamespace(k=6, alive=np.array([True, False, True]), some_ended=True)
    run.job = SimpleNamespace(step=0.01, period=2, external=None)
    run.feedback = False
    run._end = lambda who, when, status: ended.append((who, when, status.code, str(status)))
    fixed_run.FixedRun._ask(run, loop, None)  # type: ignore[arg-type]
    assert [(who, when, code) for who, when, code, _ in ended] == [
        (0, pytest.approx(0.06), "controller"),
        (2, pytest.approx(0.06), "controller"),
    ]
    assert all("could not go on at t = 0.06 s: nothing to be done" in said for *_, said in ended)


def test_references_of_a_simulator_are_single_and_legs_that_do_not_turn_are_found_at_once() -> None:
    made: Any = Followed.__new__(Followed)
    made._now, made._motion, made._turns, made.model = None, None, False, MACHINE
    many = gough.Pose(np.zeros((2, 3)), np.repeat(np.eye(3)[None], 2, axis=0))
    with pytest.raises(gough.InputError, match=r"u: .*single pose or motion"):
        made.take(many)
    with pytest.raises(gough.InputError, match="must be the reference"):
        made.take(np.zeros(6))
    motion = gough.Motion(HOME.position, HOME.rotation, [0.1, 0.2, 0.3], [0.1, 0.0, 0.2])
    found = made._legs(motion, np.zeros(6))
    legs = gough.inverse_kinematics(MACHINE, motion)
    np.testing.assert_array_equal(found["leg_length"], legs.length)
    np.testing.assert_array_equal(found["leg_rate"], legs.rate)
    np.testing.assert_array_equal(found["leg_acceleration"], legs.acceleration)


def test_a_function_that_closes_over_nothing_yet_is_known() -> None:
    def made(fill: bool) -> Any:
        def law(t: float) -> float:
            return later * t

        if fill:
            later = 2.0
        return law

    assert identity({"f": made(False)}) == identity({"f": made(False)})
    assert identity({"f": made(False)}) != identity({"f": made(True)})


def test_springs_are_one_six_or_six_for_each_run() -> None:
    for good in (1.0, np.ones(6), np.ones((4, 6))):
        assert Springs(good, 1.0).stiffness.shape[-1] == 6
    for wrong in (np.ones(5), np.ones((4, 7)), np.ones((6, 1))):
        with pytest.raises(gough.InputError, match="stiffness"):
            Springs(wrong, 1.0)
    with pytest.raises(gough.InputError, match=r"damping: .*negative"):
        Springs(1.0, -5.0, -1.0)
    np.testing.assert_allclose(Springs(2.0, 1.0).energy(np.full((3, 6), 1.5)), 6 * 0.25)


def test_links_are_served_by_laws_of_the_legs_and_measured_poses() -> None:
    telescope = gough.load("telescope-secondary")
    law = Decentralized.from_bandwidth(MACHINE, bandwidth=30.0)
    check_controller(telescope, law, Sampling())
    with pytest.raises(gough.InputError, match=r"sampling\.pose"):
        check_controller(telescope, law, Sampling(pose="forward-kinematics"))
    with pytest.raises(gough.InputError, match="Decentralized and FeedForward"):
        check_controller(telescope, gough.control.ComputedForce(MACHINE, 20.0), Sampling())
    check_controller(telescope, lambda *_: np.zeros(6), Sampling())  # type: ignore[arg-type]
    check_controller(MACHINE, law, Sampling(pose="forward-kinematics"))


def test_links_follow_the_accelerations_that_were_given() -> None:
    """Means over a period are none that links allow."""
    telescope = gough.load("telescope-secondary")
    home = telescope.require_home()
    still = gough.Motion(home.position, home.rotation)

    for machine, given in ((telescope, 0.5), (MACHINE, 0.0)):
        where = machine.require_home()

        def way(t: float, where: Any = where) -> gough.Motion:
            return gough.Motion(
                where.position, where.rotation, np.zeros(3), np.zeros(3), [0.0, 0.0, 0.5]
            )

        table = ReferenceTable(machine, way, still, 3, 0.01)
        np.testing.assert_allclose(table.motion.acceleration[..., 2], given)


class Legs(gough.trajectory.LegTrajectory):  # type: ignore[misc]
    """Stands for a motion of the legs."""

    duration = 1.0

    def __init__(self) -> None:
        """Nothing to keep."""

    resolution = 0.1

    def coordinates(self, t: Any) -> Any:
        raise NotImplementedError

    def on(self, platform: Any, guess: Any = None) -> Any:
        return harmonic(platform.require_home(), [[0.01] * 6], [1.0], duration=1.0)


def test_a_motion_of_the_legs_is_put_onto_the_machine_and_is_none_of_a_base() -> None:
    table: dict[str, Any] = {"duration": 0.1, "trajectory": Legs()}
    found = Scenario("t", table).arguments(MACHINE)
    wanted = Legs().on(MACHINE)(0.0)
    np.testing.assert_allclose(found["state"].position, wanted.position)
    np.testing.assert_allclose(found["state"].velocity, wanted.velocity)
    with pytest.raises(gough.InputError, match="motion of the base"):
        Scenario("t", {"duration": 0.1, "base": Legs()}).arguments(MACHINE)


def concluded(events: list[Passed], started: list[Passed], action: Events, status: Status = OK) -> Any:  # fmt: skip
    """Records at 0, 0.2, 0.4 of a run whose state is ten times the time."""
    rows = SimpleNamespace(size=18, platform=MACHINE)
    job: Any = SimpleNamespace(step=0.1, recorded=np.arange(0, 10, 2), rows=rows)
    job.plant, job.X = SimpleNamespace(events=action), np.zeros((18, 1))
    states = np.array([0.0, 2.0, 4.0])[:, None, None] * np.ones((1, 18, 1))
    lookout: Any = SimpleNamespace(found=started)
    found = [Located(e, None, None, np.full((18, 1), 10.0 * e.time)) for e in events]  # type: ignore[arg-type]
    seen = lambda t, X: (np.full((6, 1), t), X[:6])  # noqa: E731
    return paths.conclude(job, states, seen, status, lookout, found)


def test_a_path_ends_at_the_event_that_stops_it_and_tells_none_behind_its_end() -> None:
    early, late = Passed(0, HIGH, 0.25, 1.0), Passed(0, SPEED, 0.3, 1.0)
    beyond = Passed(0, HIGH + 1, 0.5, 1.0)
    noted = concluded([early, late, beyond], [], Events())
    assert noted.lookout.found == [early, late]
    np.testing.assert_allclose(noted.time, [0.0, 0.2, 0.4])
    assert noted.index.tolist() == [0, 2, 4]
    assert noted.status[0].code == "limits"
    np.testing.assert_allclose(noted.command[:, 0, 0], noted.time)
    np.testing.assert_allclose(noted.external[:, 0, 0], 10.0 * noted.time)
    assert np.isnan(noted.final).all()
    stopped = concluded([early, late, beyond], [], Events(speed="stop"))
    assert stopped.lookout.found == [early, late]
    np.testing.assert_allclose(stopped.time, [0.0, 0.2, 0.3])
    assert stopped.index.tolist() == [0, 2, 3]
    np.testing.assert_allclose(stopped.states[:, 0, 0], [0.0, 2.0, 3.0])
    assert stopped.end_time[0] == 0.3
    assert stopped.status[0].code == "stopped"
    np.testing.assert_allclose(stopped.final, 3.0)
    at_start = Passed(0, HIGH, 0.0, 1.0)
    never = concluded([early], [at_start], Events(stroke="stop"))
    assert never.lookout.found == [at_start]
    np.testing.assert_allclose(never.time, [0.0])
    broken = concluded([early], [], Events(), Status("no-convergence", "gave up"))
    assert broken.status[0].code == "no-convergence"


def test_a_fleet_tells_how_far_it_is() -> None:
    told: list[float] = []
    run = gough.simulate([MACHINE, MACHINE], HOME, duration=4e-3, drives=False, progress=told.append)  # fmt: skip
    assert run.sizes["run"] == 2
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_simulator_takes_single_references_and_no_more_steps_than_it_has() -> None:
    control = gough.control.ComputedForce(MACHINE, 20.0)
    simulator = Simulator(MACHINE, controller=control, drives=False)
    many = gough.Pose(np.zeros((2, 3)), np.repeat(np.eye(3)[None], 2, axis=0))
    for wrong in (many, 3.0):
        with pytest.raises(gough.InputError, match="reference"):
            simulator.reset(reference=wrong)  # type: ignore[arg-type]
    open_loop = Simulator(MACHINE, drives=False)
    with pytest.raises(gough.InputError, match="needs a controller"):
        open_loop.reset(reference=HOME)
    several = State(np.repeat(HOME.position[None], 2, axis=0))
    with pytest.raises(gough.InputError, match="must be a single state"):
        open_loop.reset(several)
    stopping = Simulator(MACHINE, drives=False, events=Events(stroke="stop"))
    for _ in range(2000):
        if stopping.ended:
            break
        stopping.step(np.zeros(6))
    assert stopping.ended
    with pytest.raises(gough.InputError, match="has ended"):
        stopping.step(np.zeros(6))


def test_six_numbers_below_the_largest() -> None:
    six = np.arange(6.0)
    assert _six("u", six) is six
    np.testing.assert_array_equal(_six("u", [1, 2, 3, 4, 5, 6]), np.arange(1.0, 7.0))
    np.testing.assert_array_equal(_six("u", six.astype(np.float32)), six)
    for sign in (1.0, -1.0):
        _six("u", np.array([0.0, 0, 0, 0, 0, sign * 0.99e12]))
        with pytest.raises(gough.InputError, match="u"):
            _six("u", np.array([0.0, 0, 0, 0, 0, sign * 1.01e12]))
    for wrong in (np.zeros(5), np.zeros((1, 6)), 3.0, np.full(6, np.nan), np.zeros(7)):
        with pytest.raises(gough.InputError, match="u"):
            _six("u", wrong)


def test_a_run_lasts_a_day_and_a_simulator_eleven() -> None:
    """Ten thousand million steps; a thousand million steps of a millisecond."""
    assert grid(0.9, 1e-10)[0] == 9 * 10**9
    with pytest.raises(gough.InputError, match=r"a run has at most 1e\+10"):
        grid(1.1, 1e-10)
    assert 11.0 < MOST * 1e-3 / 86400.0 < 12.0


def test_a_start_is_a_state_a_motion_or_a_pose() -> None:
    for wrong in (np.zeros(3), None, "home"):
        with pytest.raises(gough.InputError, match="state: "):
            initial(MACHINE, wrong, None)  # type: ignore[arg-type]


def test_at_least_one_machine_is_drawn_and_one_that_cannot_be_is_named() -> None:
    for count in (0, -2):
        with pytest.raises(gough.InputError, match="count"):
            varied(MACHINE, {}, count)
    assert len(varied(MACHINE, {}, 1)) == 1
    values = iter([100.0, -5.0, 100.0])
    with pytest.raises(gough.GoughError, match="machine 1 drawn from spread"):
        varied(MACHINE, {"body.mass": lambda rng, value: next(values)}, 3)
