"""Rollouts: the states are `simulate`'s, and the slopes are those of complex steps through the same operations."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.engines import adjoint
from gough.engines.adjoint import pulled_back
from gough.engines.pack import packed
from gough.engines.tracer import Graph, Program
from gough.simulation import programs, rollout
from gough.simulation.differentiable import Rollout
from gough.simulation.programs import METHODS
from oracles import machines, offset_machines
from oracles.machines import CYLINDERS, KINDS, RODS, case
from support.complex_rollout import STEP, complex_states, twist_rows

TOLERANCE = 1e-11
EVERY = (*KINDS, *CYLINDERS, *RODS, machines.MIXTURE)


def stage_rows(c: machines.Case, method: str, kinds: tuple[str, ...]) -> Array:
    """A state of the case as a stage of the method reads it."""
    layout, rng = programs.stage_layout(METHODS[method], kinds, ()), np.random.default_rng(5)
    m = c.motion
    given = {
        "position": m.position[0],
        "rotation": m.rotation[0].ravel(),
        "velocity": m.velocity[0],
        "angular_velocity": m.angular_velocity[0],
        "turn": 0.1 * rng.normal(size=3),
        "spin_cosine": np.cos(c.spin_angle[0]),
        "spin_sine": np.sin(c.spin_angle[0]),
        "spin_rate": c.spin_rate[0],
        "spin_angle": c.spin_angle[0],
        "effort": 300.0 * rng.normal(size=6),
        "external": c.external[0],
        "step": [1e-3],
    }
    return np.concatenate([given[name] for name in layout.names])


def stage_misfit(c: machines.Case, method: str) -> float:
    """Reverse mode against a complex step in a random direction of inputs and parameters, both programs of a step."""
    found = packed(c.platform, c.needs_spin)
    kinds, par, rng, worst = found.kinds, found.parameters, np.random.default_rng(1), 0.0
    x = stage_rows(c, method, kinds)
    for lowered in programs.steps_programs(method, kinds, ())[:2]:
        program = lowered.program
        weight = rng.normal(size=len(program.outputs))
        dx, dpar = rng.normal(size=x.size), rng.normal(size=par.size) * (1.0 + np.abs(par))
        out = program.run(list(x + 1j * STEP * dx), list(par + 1j * STEP * dpar))
        wanted = float(weight @ np.array([np.imag(v) for v in out])) / STEP
        back = np.array(pulled_back(program, True).run([*x, *weight], list(par)), dtype=float)
        terms = np.concatenate([back[: x.size] * dx, back[x.size :] * dpar])
        worst = max(worst, abs(terms.sum() - wanted) / np.abs(terms).sum())
    return worst


@pytest.mark.parametrize("kind", EVERY)
def test_slopes_of_a_stage_are_those_of_complex_steps(kind: str) -> None:
    assert stage_misfit(case(kind, seed=3), "rk4") < TOLERANCE


@pytest.mark.parametrize("kind", offset_machines.KINDS)
def test_slopes_of_joints_with_offsets(kind: str) -> None:
    """Legs that are closed by iteration among them: the last step carries the slope."""
    assert (
        stage_misfit(offset_machines.offset_cases(kind, 1, states=1, seed=1)[0], "rk4") < TOLERANCE
    )


@pytest.mark.parametrize("method", ["lie", "semi-implicit"])
@pytest.mark.parametrize("kind", ["SPS-general", "RUS"])
def test_slopes_of_the_other_methods(kind: str, method: str) -> None:
    assert stage_misfit(case(kind, seed=4), method) < TOLERANCE


def test_slopes_of_sprung_joints() -> None:
    assert stage_misfit(case("UPS", seed=2, springs=True), "rk4") < TOLERANCE


@pytest.mark.parametrize("code", ["sub", "mul", "inv", "sqrt"])
def test_a_planted_error_in_reverse_mode_is_caught(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = adjoint._pull

    def wrong(graph: Graph, operation: object, at: int, bar: int, add: object) -> None:
        if operation.code == code:  # type: ignore[attr-defined]
            bar = graph.mul(graph.const(1.0 + 1e-6), bar)
        true(graph, operation, at, bar, add)  # type: ignore[arg-type]

    monkeypatch.setattr(adjoint, "_pull", wrong)
    assert stage_misfit(case("UPS", seed=3), "rk4") > 1e-9


def test_a_choice_has_no_slope() -> None:
    graph = Graph()
    a, b = graph.put("x", 0), graph.put("x", 1)
    program = Program.of(graph, [graph.put("larger", a, b)], {"x": 2, "par": 0})
    with pytest.raises(ValueError, match="larger has no slope"):
        pulled_back(program)


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


def efforts(platform: gough.Platform, steps: int, *shape: int, seed: int = 0) -> Array:
    """What holds the machine at home, and some more."""
    hold = gough.inverse_dynamics(platform, platform.home).force  # type: ignore[arg-type]
    return hold * (1.0 + 0.05 * np.random.default_rng(seed).normal(size=(steps, *shape, 6)))


def fan(platform: gough.Platform, runs: int) -> gough.Motion:
    """Starts about home."""
    home, rng = platform.home, np.random.default_rng(2)
    assert home is not None
    t = home.position + 0.02 * rng.normal(size=(runs, 3))
    turn = gough.spatial.rotation_exp(0.03 * rng.normal(size=(runs, 3)))
    return gough.Motion(t, turn @ home.rotation, 0.1 * rng.normal(size=(runs, 3)))


def test_states_are_those_of_simulate(base: gough.Platform) -> None:
    force = efforts(base, 60)
    for state in (base.home, fan(base, 11)):
        run = rollout(base, state, force, step=2e-3, every=20)
        wanted = gough.simulate(
            base, state, duration=0.12, force=force, step=2e-3, output=0.04, drives=False
        )
        for name in ("position", "velocity", "angular_velocity"):
            found = np.moveaxis(getattr(run, name), 0, -2)
            values = wanted[name].values
            np.testing.assert_array_equal(found.reshape(values.shape), values)
        np.testing.assert_allclose(run.time, wanted.time.values, rtol=0, atol=1e-15)


def directional(run: Rollout, seed: int, parameters: bool = True) -> tuple[Array, Array]:
    """A random loss and a random direction of each input: its slopes by reverse mode and by complex steps, (4,)."""
    rng, steps = np.random.default_rng(seed), len(run.effort)
    (count, size, n), own = run.rows.shape, packed(run.platform, run.spin is not None)
    weight = rng.normal(size=(count, size, n))
    weight[:, twist_rows(size).stop :] = 0.0
    back = run._pulled(weight, parameters)
    d_effort, d_wrench = rng.normal(size=(2, steps, 6, n)) * 10.0
    d_rows, par = rng.normal(size=(size, n)) * 0.1, own.parameters
    d_par = rng.normal(size=par.size) * np.abs(par) * parameters
    d_rows[twist_rows(size).stop :] = 0.0

    def flat(a: Array) -> Array:
        return np.moveaxis(a.reshape(*a.shape[: a.ndim - 1 - len(run.shape)], n, -1), -1, -2)

    found = np.array(
        [
            (flat(back.effort) * d_effort).sum(),
            (flat(back.external) * d_wrench).sum(),
            (flat(back.rows) * d_rows).sum(),
            (flat(back.packed) * d_par[:, None]).sum() if parameters else 0.0,  # type: ignore[arg-type]
        ]
    )
    one = 1j * STEP * np.eye(4)
    full = (steps, 6, n)
    push = np.broadcast_to(run.effort, full)[..., None] + d_effort[..., None] * one[0]
    wrench = np.broadcast_to(run.external, full)[..., None] + d_wrench[..., None] * one[1]
    rows = run.rows[0][..., None] + d_rows[..., None] * one[2]
    numbers = par[:, None, None] + d_par[:, None, None] * one[3]
    states = complex_states(run.integrator, own.kinds, rows, push, wrench, numbers, run.step)
    told = states[:: run.every].imag / STEP
    return found, (weight[..., None] * told).sum(axis=(0, 1, 2))


def test_slopes_are_those_of_complex_steps(base: gough.Platform) -> None:
    wrench = np.array([30.0, -20.0, 50.0, 5.0, -3.0, 8.0])
    alone = rollout(base, base.home, efforts(base, 40), step=2e-3, external=wrench)
    found, wanted = directional(alone, 0)
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE)
    runs = rollout(base, fan(base, 3), efforts(base, 12, 3), step=2e-3, every=4)
    found, wanted = directional(runs, 1)
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE)


@pytest.mark.slow
def test_slopes_of_a_thousand_steps(base: gough.Platform) -> None:
    run = rollout(base, base.home, efforts(base, 1000), step=1e-3, every=50)
    found, wanted = directional(run, 3)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method"), [("SPS-general", "lie"), ("RUS", "semi-implicit")])
def test_slopes_of_other_legs_and_methods(kind: str, method: str) -> None:
    c = case(kind, seed=6, states=2)
    spin = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
    force = gough.inverse_dynamics(c.platform, c.motion, spin=spin).force
    push = np.broadcast_to(force, (6, 2, 6)) * np.linspace(0.9, 1.1, 6)[:, None, None]
    run = rollout(c.platform, c.motion, push, step=1e-4, every=2, integrator=method, spin=spin)
    found, wanted = directional(run, 4)
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.slow
def test_slopes_where_links_are_fixed() -> None:
    platform = gough.load("telescope-secondary")
    push = efforts(platform, 8)
    run = rollout(platform, platform.home, push, step=1e-3, every=2)
    found, wanted = directional(run, 5)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_records_change_nothing(base: gough.Platform) -> None:
    """States between records are computed again: the same operations, the same bits."""
    force, state = efforts(base, 24), fan(base, 2)
    dense, sparse = (rollout(base, state, force, every=k) for k in (1, 12))
    np.testing.assert_array_equal(dense.rows[::12], sparse.rows)
    weight = np.zeros(dense.position.shape)
    weight[::12] = np.random.default_rng(0).normal(size=sparse.position.shape)
    found, wanted = sparse.slopes(position=weight[::12]), dense.slopes(position=weight)
    np.testing.assert_array_equal(found.effort, wanted.effort)
    np.testing.assert_array_equal(found.rows, wanted.rows)


def test_runs_side_by_side_are_runs_alone(base: gough.Platform) -> None:
    force, state = efforts(base, 10, 3), fan(base, 3)
    together = rollout(base, state, force).slopes(velocity=np.ones(3), parameters=True)
    one = gough.Motion(state.position[1], state.rotation[1], state.velocity[1])
    alone = rollout(base, one, force[:, 1]).slopes(velocity=np.ones(3), parameters=True)
    np.testing.assert_allclose(together.effort[:, 1], alone.effort, rtol=1e-12)
    np.testing.assert_allclose(together.turn[1], alone.turn, rtol=1e-11)
    np.testing.assert_allclose(together.parameters[1], alone.parameters, rtol=1e-9, atol=1e-12)


def test_slopes_over_a_machine_file_are_differences_of_machines(base: gough.Platform) -> None:
    """Mass of the platform, a joint's place, a turn of the start: central differences of whole rollouts."""
    force = efforts(base, 30)
    weight = np.array([1.0, -2.0, 0.5])

    def loss(machine: gough.Platform, turn: Array | None = None) -> float:
        home = base.home
        assert home is not None
        R = home.rotation if turn is None else gough.spatial.rotation_exp(turn) @ home.rotation
        run = rollout(machine, gough.Pose(home.position, R), force, every=30)
        return float(run.position[-1] @ weight + run.rotation[-1, 0, 1])

    run = rollout(base, base.home, force, every=30)
    last = np.array([0.0, 1.0])
    turned = np.zeros((2, 3, 3))
    turned[1, 0, 1] = 1.0
    back = run.slopes(position=last[:, None] * weight, rotation=turned, parameters=True)
    mass = back.names.index("body.mass")
    assert back.units[mass] == "kg"
    body, h = base.body, 1e-3 * base.body.mass
    heavy = [loss(base.replace(body=body.replace(mass=body.mass + s * h))) for s in (1, -1)]
    assert back.parameters[mass] == pytest.approx((heavy[0] - heavy[1]) / (2 * h), rel=1e-6)
    leg, h = base.legs[2], 1e-5
    for axis, name in enumerate("xyz"):
        moved = []
        for s in (1, -1):
            place = leg.joint + s * h * np.eye(3)[axis]
            legs = [
                leg.replace(joint=place) if i == 2 else each for i, each in enumerate(base.legs)
            ]
            moved.append(loss(base.replace(legs=tuple(legs))))
        at = back.names.index(f"{base.leg_names[2]}.joint.{name}")
        assert back.parameters[at] == pytest.approx((moved[0] - moved[1]) / (2 * h), rel=1e-5)
        turns = [loss(base, s * 1e-6 * np.eye(3)[axis]) for s in (1, -1)]
        assert back.turn[axis] == pytest.approx((turns[0] - turns[1]) / 2e-6, rel=1e-5, abs=1e-7)


def test_what_is_refused(base: gough.Platform) -> None:
    force = efforts(base, 6)
    with pytest.raises(gough.InputError, match="every"):
        rollout(base, base.home, force, every=4)
    with pytest.raises(gough.InputError, match="effort"):
        rollout(base, base.home, force[0])
    with pytest.raises(gough.InputError, match="effort"):
        rollout(base, fan(base, 2), np.zeros((6, 3, 6)))
    with pytest.raises(gough.InputError, match="integrator"):
        rollout(base, base.home, force, integrator="Radau")
    with pytest.raises(gough.InputError, match="external"):
        rollout(base, base.home, force, external=np.zeros((5, 6)))
    with pytest.raises(gough.InfeasibleError, match=r"step \d+ of 400"):
        rollout(base, base.home, np.full((400, 6), 1e7), step=0.05, every=400)
    run = rollout(base, base.home, force)
    with pytest.raises(gough.InputError, match="position"):
        run.slopes(position=np.ones((3, 3)))
    with pytest.raises(gough.InputError, match="spin"):
        run.slopes(spin_rate=np.zeros(6))
    with pytest.raises(AttributeError, match="parameters=True"):
        _ = run.slopes(position=np.ones(3)).parameters


def test_a_rollout_through_a_singular_pose_is_refused(base: gough.Platform) -> None:
    """A strut swings through its universal axis: the numbers stay finite, and are not to be trusted."""
    home, h = base.home, 1e-6
    assert home is not None
    along = gough.inverse_kinematics(base, home).direction[0]
    legs = (base.legs[0].replace(axis=along), *base.legs[1:])
    machine, velocity = base.replace(legs=legs), np.array([1.0, 0.0, 0.0])
    state = gough.Motion(home.position - 10.7 * h * velocity, home.rotation, velocity)
    force = gough.inverse_dynamics(base, home).force
    with pytest.raises(gough.InfeasibleError, match=r"state \d+: .*digits are proven"):
        rollout(machine, state, np.tile(force, (12, 1)), step=h)
    rollout(machine, state, force[None], step=h)  # before it


def test_copies_and_pickles_answer_the_same(base: gough.Platform) -> None:
    run = rollout(base, base.home, efforts(base, 4))
    wanted = run.slopes(position=np.ones(3)).effort
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        np.testing.assert_array_equal(other.slopes(position=np.ones(3)).effort, wanted)
    with pytest.raises(ValueError, match="read-only"):
        run.rows[0] = 0.0
