"""`Simulator`: the bits of `simulate`, a status at the step where it happens, loops that can be rewound."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from xarray import Dataset

import gough
from gough.checks import Array
from gough.control import ComputedForce, Decentralized, FeedForward, Sampling
from gough.simulation import Brake, Events, PowerLoss, Springs

STEPS = 60
CASES: dict[str, dict[str, Any]] = {
    "drives": {},
    "ideal": {"drives": False},
    "springs": {"springs": Springs(1e4, 1.0, 50.0)},
    "faults": {"faults": [PowerLoss(0.01, (0, 3)), Brake(0.02, 9e3)]},
    "long step": {"step": 2e-3},
}


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


def efforts(machine: gough.Platform, scale: float = 400.0, count: int = STEPS) -> Array:
    hold = gough.inverse_dynamics(machine, machine.require_home()).force
    return hold + scale * np.random.default_rng(3).standard_normal((count, 6))


def same(simulator: gough.Simulator, run: Dataset, at: int) -> None:
    seen = simulator.observe()
    for name in ("position", "velocity", "angular_velocity", "length", "rate"):
        assert np.array_equal(getattr(seen, name), run[name].values[at]), (name, at)
    assert seen.time == run.time.values[at]


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_n_steps_are_the_bits_of_a_run(base: gough.Platform, options: dict[str, Any]) -> None:
    u, h = efforts(base), options.get("step", 1e-3)
    run = gough.simulate(base, base.require_home(), duration=STEPS * h, force=u, **options)
    simulator = gough.Simulator(base, **options)
    same(simulator, run, 0)
    for k in range(STEPS):
        simulator.step(u[k])
        same(simulator, run, k + 1)
    assert simulator.outcome == run.attrs["status"]


def test_wrench_and_start_are_taken(base: gough.Platform) -> None:
    rng = np.random.default_rng(4)
    wrench, u = 300.0 * rng.standard_normal((20, 6)), efforts(base, 100.0, 20)
    home = base.require_home()
    start = gough.State(
        home.position + np.array([0.01, 0.0, 0.02]), home.rotation, [0.1, 0.0, -0.05]
    )
    run = gough.simulate(base, start, duration=0.02, force=u, external=wrench)
    simulator = gough.Simulator(base)
    simulator.reset(start)
    for k in range(20):
        simulator.step(u[k], wrench[k])
    same(simulator, run, 20)


@pytest.mark.parametrize(
    "sampling", [None, Sampling(rate=250.0, delay=2e-3, noise=1e-6)], ids=["ideal", "late"]
)
def test_a_held_reference_gives_the_bits_of_a_controlled_run(
    base: gough.Platform, sampling: Sampling | None
) -> None:
    home = base.require_home()
    goal = gough.Pose(home.position + np.array([0.01, 0.0, 0.005]), home.rotation)
    for law in (
        Decentralized.from_bandwidth(base, bandwidth=30.0, integral=0.3),
        ComputedForce(base, 30.0),
        lambda t, seen, wanted: 5e4 * (wanted.length - seen.length) - 2e3 * seen.rate + 2500.0,
    ):
        given: dict[str, Any] = {"controller": law, "sampling": sampling}
        run = gough.simulate(base, home, duration=0.04, reference=goal, **given)
        simulator = gough.Simulator(base, **given)
        simulator.reset(reference=goal)
        for _ in range(40):
            simulator.step(goal)
        same(simulator, run, 40)


def test_a_wrench_acts_under_a_controller(base: gough.Platform) -> None:
    home, wrench = base.require_home(), np.array([300.0, -200.0, 500.0, 20.0, 30.0, -40.0])
    law = Decentralized.from_bandwidth(base, bandwidth=30.0, integral=0.3)
    run = gough.simulate(base, home, duration=0.03, controller=law, external=wrench)
    simulator = gough.Simulator(base, controller=law)
    for _ in range(30):
        simulator.step(None, wrench)
    same(simulator, run, 30)


def test_it_needs_no_xarray() -> None:
    code = """if True:
        import sys
        sys.modules["xarray"] = None
        import gough
        machine = gough.load("motion-base-1500")
        simulator = gough.Simulator(machine)
        simulator.step(gough.inverse_dynamics(machine, machine.home).force)
        print(simulator.status.code, simulator.observe().time)
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["ok", "0.001"], ran.stderr


def test_a_moving_reference_without_accelerations_is_that_of_a_run(base: gough.Platform) -> None:
    home = base.require_home()
    way = gough.trajectory.quintic(home, gough.Pose(home.position + np.array([0, 0, 0.02])), 0.04)
    law = Decentralized.from_bandwidth(base, bandwidth=30.0, feed_forward=False)
    run = gough.simulate(base, home, duration=0.04, controller=law, reference=way)
    simulator = gough.Simulator(base, controller=law)
    for k in range(40):
        simulator.step(way(k * 1e-3))
    same(simulator, run, 40)


def test_feed_forward_computes_what_it_is_told(base: gough.Platform) -> None:
    """The law that computes its efforts ahead of a run computes them at every reference here."""
    home, law = base.require_home(), FeedForward(base, 30.0)
    goal = gough.Pose(home.position + np.array([0.0, 0.0, 0.01]))
    run = gough.simulate(base, home, duration=0.04, controller=law, reference=goal)
    simulator = gough.Simulator(base, controller=law)
    for _ in range(40):
        simulator.step(goal)
    same(simulator, run, 40)


def test_cranks_go_on_beyond_half_a_turn() -> None:
    servo = gough.load("servo-hexapod")
    home = servo.require_home()
    law = Decentralized.from_bandwidth(servo, bandwidth=20.0)
    simulator = gough.Simulator(servo, controller=law, drives=False)
    before = simulator.observe().length
    for k in range(30):
        simulator.step(gough.Pose(home.position + np.array([0.0, 0.0, 1e-4 * k])))
    after = simulator._followed.loop.table.at(0).length[0]  # type: ignore[union-attr]
    true = gough.inverse_kinematics(
        servo, gough.Pose(home.position + np.array([0.0, 0.0, 29e-4]))
    ).length
    assert np.abs(before - after).max() < 1.0
    assert np.allclose(after, true, atol=1e-12)


def test_a_passed_limit_is_said_at_its_step(base: gough.Platform) -> None:
    """A fall: no effort at all, ideal drives, so nothing holds it."""
    run = gough.simulate(base, base.require_home(), duration=0.5, force=np.zeros(6), drives=False)
    simulator = gough.Simulator(base, drives=False)
    codes = [simulator.step(np.zeros(6)).code for _ in range(500)]
    first = codes.index("limits")
    assert set(codes[:first]) == {"ok"}
    assert "ok" not in codes[first:]
    assert simulator.outcome == run.attrs["status"]
    told = float(simulator.events[0].rsplit("t = ")[1].removesuffix(" s"))
    assert first * 1e-3 < told <= (first + 1) * 1e-3
    assert "still beyond" in simulator.status


def test_a_stopping_event_stops_it_there(base: gough.Platform) -> None:
    options: dict[str, Any] = {"drives": False, "events": Events(stroke="stop")}
    run = gough.simulate(base, base.require_home(), duration=0.6, force=np.zeros(6), **options)
    simulator = gough.Simulator(base, **options)
    while not simulator.ended:
        simulator.step(np.zeros(6))
    assert simulator.status.code == "stopped"
    assert simulator.status == run.attrs["status"]
    same(simulator, run, -1)
    with pytest.raises(gough.InputError, match="has ended"):
        simulator.step(np.zeros(6))
    assert simulator.reset().time == 0.0
    assert not simulator.ended


def test_a_state_that_is_none_is_never_taken(base: gough.Platform) -> None:
    simulator = gough.Simulator(base, drives=False, events=Events(singularity="off"))
    before = simulator.state
    while not simulator.ended:
        before = simulator.state
        simulator.step(np.full(6, 9e11))
    assert simulator.status.code in ("diverged", "unreachable")
    assert np.array_equal(simulator.state, before)
    assert np.isfinite(simulator.observe().length).all()


@pytest.mark.parametrize(
    "given",
    [
        None,
        np.zeros(5),
        [np.nan] * 6,
        [np.inf] + [0.0] * 5,
        np.full(6, 1e13),
        "effort",
        np.zeros((1, 6)),
        [1j] * 6,
    ],
    ids=str,
)
def test_a_refused_input_changes_nothing(base: gough.Platform, given: Any) -> None:
    simulator = gough.Simulator(base)
    simulator.step(efforts(base)[0])
    before, time = simulator.state, simulator.time
    with pytest.raises(gough.InputError):
        simulator.step(given)
    if given is not None:
        with pytest.raises(gough.InputError):
            simulator.step(np.zeros(6), given)
    assert np.array_equal(simulator.state, before)
    assert simulator.time == time


def test_a_reference_out_of_reach_changes_nothing() -> None:
    servo = gough.load("servo-hexapod")
    law = Decentralized.from_bandwidth(servo, bandwidth=20.0)
    simulator = gough.Simulator(servo, controller=law, drives=False)
    simulator.step(servo.require_home())
    before = simulator.state
    with pytest.raises(gough.InfeasibleError):
        simulator.step(gough.Pose([0.0, 0.0, 9.0]))
    with pytest.raises(gough.InputError, match="must be the reference"):
        simulator.step(np.zeros(6))
    assert np.array_equal(simulator.state, before)
    assert simulator.step().ok


@pytest.mark.parametrize("closed", [False, True], ids=["efforts", "references"])
def test_a_loop_can_be_rewound(base: gough.Platform, closed: bool) -> None:
    """The second time round gives the same bits, events included; a reset between is nothing."""
    u, home = efforts(base, 800.0), base.require_home()
    law = Decentralized.from_bandwidth(base, bandwidth=30.0, integral=0.3)
    sampling = Sampling(rate=500.0, delay=2e-3, noise=1e-5)
    options: dict[str, Any] = {"controller": law, "sampling": sampling} if closed else {}
    simulator = gough.Simulator(base, **options)
    goals = [gough.Pose(home.position + np.array([0.0, 0.0, 2e-4 * k])) for k in range(STEPS)]
    inputs: Any = goals if closed else u
    for k in range(20):
        simulator.step(inputs[k])
    kept = simulator.snapshot()
    ways = []
    for _ in range(3):
        for k in range(20, STEPS):
            simulator.step(inputs[k])
        ways.append((simulator.state, simulator.events, simulator.time, simulator.outcome))
        if len(ways) == 2:
            simulator.reset()
        simulator.restore(kept)
    for other in ways[1:]:
        assert np.array_equal(ways[0][0], other[0])
        assert ways[0][1:] == other[1:]
    with pytest.raises(gough.InputError, match="of this simulator"):
        gough.Simulator(base).restore(kept)


def test_what_it_does_not_serve_is_refused(base: gough.Platform) -> None:
    for options in (
        {"integrator": "DOP853"},
        {"integrator": "hht"},
        {"base": base.home},
        {"output": 0.1},
        {"step": -1.0},
        {"state": "home"},
        {"nonsense": 1},
    ):
        with pytest.raises(gough.InputError):
            gough.Simulator(base, **options)  # type: ignore[arg-type]
    home = base.require_home()
    with pytest.raises(gough.InputError, match="single"):
        gough.Simulator(base, state=gough.Pose(np.stack([home.position] * 2)))


def test_observations_are_kept_and_short(base: gough.Platform) -> None:
    simulator = gough.Simulator(base)
    first = simulator.observe()
    was = first.position.copy()
    simulator.step(efforts(base)[0])
    assert np.array_equal(first.position, was)
    with pytest.raises(ValueError, match="read-only"):
        first.position[0] = 1.0
    assert np.array_equal(first.pose.position, was)
    assert first.motion.shape == ()
    for told in (first, simulator, simulator.snapshot()):
        assert len(repr(told)) < 120


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lie", "semi-implicit"])
def test_other_methods_too(base: gough.Platform, method: str) -> None:
    test_n_steps_are_the_bits_of_a_run(base, {"integrator": method})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["servo-hexapod", "hexaglide", "motion-base-ucu", "glide-psu"])
def test_other_machines_too(name: str) -> None:
    machine = gough.load(name)
    u = efforts(machine, 1e-3)
    run = gough.simulate(machine, machine.require_home(), duration=STEPS * 1e-4, force=u, step=1e-4)
    simulator = gough.Simulator(machine, step=1e-4)
    for k in range(STEPS):
        simulator.step(u[k])
    same(simulator, run, STEPS)
