"""gough.jax on NumPy in the place of JAX, where nothing is compiled: batch shapes, refusals and their words."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import gough
from gough.dynamics import jax as model_jax
from gough.engines import plain
from gough.equations.machine import LEG_WEIGHT
from gough.guard import MAX_CONDITION, OVERTURNED, SINGLE_CONDITION, risk_limit
from oracles.machines import case
from support.complex_steps import spin_of


class Tracer:
    """What JAX passes through a function that it compiles."""


@pytest.fixture(autouse=True)
def _numpy_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(numpy=np, core=SimpleNamespace(Tracer=Tracer))
    monkeypatch.setattr(model_jax, "require_jax", lambda: stand_in)


@pytest.mark.parametrize("kind", ["UPS", "mixed", "RUS"])
@pytest.mark.parametrize("shape", [(), (4,), (2, 2)])
def test_every_verb_answers_as_the_plain_engine(kind: str, shape: tuple[int, ...]) -> None:
    c = case(kind, seed=31, states=4)
    model, whole = model_jax.machine(c.platform), spin_of(c)
    at = slice(None) if shape else 0

    def shaped(a: np.ndarray) -> np.ndarray:
        return a[at].reshape(*shape, *a.shape[1:])

    m = gough.Motion(*(shaped(a) for a in (c.motion.position, c.motion.rotation, *c.motion.rates)))
    external, more, turns = shaped(c.external), {"engine": "python"}, None
    if whole is not None:
        angle, rate = shaped(c.spin_angle), shaped(c.spin_rate)
        more["spin"] = gough.Spin(angle, rate)
        turns = np.stack([np.cos(angle), np.sin(angle), rate], axis=-1)
    state = (m.position, m.rotation, m.velocity, m.angular_velocity)
    wanted = gough.inverse_dynamics(c.platform, m, external, **more).force
    rates = (m.acceleration, m.angular_acceleration)
    force = model.inverse_dynamics(*state, *rates, external, spin=turns)
    np.testing.assert_allclose(force, wanted, rtol=1e-9)
    a = gough.forward_dynamics(c.platform, m, 1.1 * wanted, external, **more)
    due = np.concatenate([a.acceleration, a.angular_acceleration], axis=-1)
    found = model.forward_dynamics(*state, 1.1 * wanted, external, spin=turns)
    np.testing.assert_allclose(found, due, rtol=1e-8, atol=1e-9)
    M = gough.mass_matrix(c.platform, m, **more)
    np.testing.assert_allclose(model.mass_matrix(*state[:2], spin=turns), M, atol=1e-9 * M.max())
    energy = gough.energy(c.platform, m, **more)
    both = np.stack([energy.kinetic, energy.potential], axis=-1)
    np.testing.assert_allclose(model.energy(*state, spin=turns), both, rtol=1e-10)
    length = gough.inverse_kinematics(c.platform, m, **more).length
    np.testing.assert_allclose(model.inverse_kinematics(*state[:2], spin=turns), length, rtol=1e-12)


def test_spins_may_have_batch_axes_that_the_motion_has_not() -> None:
    """One motion with a table of spins (2, 2): every energy is that of its own spin."""
    c = case("SPS-general", seed=4, states=4)
    model, m = model_jax.machine(c.platform), c.motion[0]
    turns = np.stack([np.cos(c.spin_angle), np.sin(c.spin_angle), c.spin_rate], axis=-1)
    given = (m.position, m.rotation, m.velocity, m.angular_velocity)
    found = model.energy(*given, spin=turns.reshape(2, 2, 6, 3))
    assert found.shape == (2, 2, 2)
    for k in range(4):
        spin = gough.Spin(c.spin_angle[k], c.spin_rate[k])
        wanted = gough.energy(c.platform, m, spin=spin, engine="python")
        assert found.reshape(4, 2)[k] == pytest.approx(np.array([wanted.kinetic, wanted.potential]))


def test_one_pose_may_have_many_velocities_and_the_wrong_one_is_named() -> None:
    c = case("UPS", seed=6, states=1)
    machine, m = model_jax.machine(c.platform), c.motion[0]
    velocity = np.arange(18.0).reshape(2, 3, 3) / 20.0
    found = machine.energy(m.position, m.rotation, velocity)
    still = gough.Motion(*np.broadcast_arrays(m.position, velocity)[:1], m.rotation, velocity)
    wanted = gough.energy(c.platform, still, engine="python")
    np.testing.assert_allclose(found[..., 0], wanted.kinetic, rtol=1e-12)
    np.testing.assert_allclose(found[..., 1], wanted.potential, rtol=1e-12)
    velocity[1, 2, 0] = np.nan
    with pytest.raises(gough.InfeasibleError, match=r"^state 1, 2: .*platform singularity"):
        machine.energy(m.position, m.rotation, velocity)


def test_what_is_being_compiled_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside jit nothing can be raised: the answer goes on as it is."""
    model = model_jax.machine(gough.load("motion-base-1500"))
    passing = Tracer()
    monkeypatch.setattr(model, "_stack", lambda values: passing)
    assert model._judged([np.array(np.nan)], [0.0] * 24) is passing


@pytest.mark.parametrize("springs", [False, True])
def test_a_joint_that_overturned_is_thought_of_where_there_are_springs(springs: bool) -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    if springs:
        held = machine.legs[0].replace(springs=gough.JointSprings(first=20.0))
        machine = machine.replace(legs=[held, *machine.legs[1:]])
    model = model_jax.machine(machine)
    x = [*home.position, *home.rotation.ravel()]
    with pytest.raises(gough.InfeasibleError) as refused:
        model._judged([np.array([1.0, np.nan])], x)
    assert (OVERTURNED in str(refused.value)) == springs
    assert str(refused.value).startswith("state 1: ")


def marked(model: model_jax.JaxMachine, risks: np.ndarray, more: float) -> list[float]:
    legs = [{"risk": [risk]} for risk in risks]
    return [float(v) for v in model._marked([3.0, -1.0], legs, more)]


def test_the_risks_of_all_legs_and_of_the_machine_count_together() -> None:
    """Up to the guard's limit the values stay, a millionth above it all of them are none."""
    model = model_jax.machine(gough.load("motion-base-1500"))
    limit = risk_limit(model.platform, MAX_CONDITION)
    shares = np.array([0.05, 0.1, 0.2, 0.0, 0.15, 0.1])  # the rest is the machine's own
    for factor, fine in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
        found = marked(model, shares * limit / LEG_WEIGHT, (factor - 0.6) * limit)
        assert found == [3.0, -1.0] if fine else np.isnan(found).all()
        one = np.where(np.arange(6) == 4, factor * limit / LEG_WEIGHT, 0.0)
        assert np.isnan(marked(model, one, 0.0)).any() != fine


@pytest.mark.parametrize("verb", ["forces", "forward", "mass", "energy"])
def test_every_verb_is_judged_by_the_risk_that_the_equations_say(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Legs and solved system together: a limit a millionth above it answers, one below refuses."""
    c = case("UPS", seed=31, states=1)
    model, m = model_jax.machine(c.platform), c.motion[0]
    state, none = (m.position, m.rotation, m.velocity, m.angular_velocity), np.zeros(6)
    rates = (m.acceleration, m.angular_acceleration)
    asked = {
        "forces": lambda: model.inverse_dynamics(*state, *rates, none),
        "forward": lambda: model.forward_dynamics(*state, none),
        "mass": lambda: model.mass_matrix(*state[:2]),
        "energy": lambda: model.energy(*state),
    }
    given = {
        "forces": (*state, *rates, none),
        "forward": (*state, none, none),
        "mass": state[:2],
        "energy": state,
    }
    x = np.concatenate([np.ravel(part) for part in given[verb]])
    found = plain.evaluate(verb, model.kinds, list(x), list(model.parameters), plain.NO_SPIN)
    risk = float(found[-1])
    for factor in (1.0 + 1e-7, 1.0 - 1e-7):
        monkeypatch.setattr(model_jax, "risk_limit", lambda *_, f=factor: f * risk)
        if factor > 1.0:
            assert np.isfinite(asked[verb]()).all()
            continue
        with pytest.raises(gough.InfeasibleError):
            asked[verb]()


@pytest.mark.parametrize("number", ["float32", "float64"])
def test_single_precision_has_a_limit_of_its_own(number: str) -> None:
    """A state between both limits is answered in double precision only."""
    model = model_jax.machine(gough.load("motion-base-1500"))
    model.parameters = model.parameters.astype(number)
    low, high = (risk_limit(model.platform, c) for c in (SINGLE_CONDITION, MAX_CONDITION))
    for risk, fine in ((0.99 * low, True), (np.sqrt(low * high), number == "float64")):
        assert np.isfinite(marked(model, np.zeros(6), risk)).all() == fine


def test_arrays_of_another_width_are_named_with_the_width_that_is_due() -> None:
    model = model_jax.machine(gough.load("motion-base-1500"))
    home = model.platform.require_home()
    given = (home.position, home.rotation)
    for wrong in (np.zeros(2), np.zeros(4), np.zeros((3, 2)), np.float64(1.0)):
        with pytest.raises(gough.InputError, match=r"array.*must have shape \(\.\.\., 3\)"):
            model.energy(*given, wrong)
    for wrong in (np.zeros(3), np.zeros(7)):
        with pytest.raises(gough.InputError, match=r"array.*must have shape \(\.\.\., 6\)"):
            model.inverse_dynamics(*given, external=wrong)
    for shape in ((3,), (3, 2), (2, 3), (4, 3), (3, 4)):
        with pytest.raises(gough.InputError, match=r"rotation.*must have shape \(\.\.\., 3, 3\)"):
            model.energy(home.position, np.zeros(shape))
    size = len(model.parameters)
    for shape in ((), (1,), (2, size), (1, size), (size + 1,)):
        with pytest.raises(gough.InputError, match=r"parameters.*vmap"):
            model.energy(*given, parameters=np.zeros(shape))


def test_other_parameters_are_those_of_another_machine() -> None:
    """A platform twice as heavy weighs twice as much."""
    model = model_jax.machine(gough.load("motion-base-1500"))
    home = model.platform.require_home()
    body = model.platform.body
    heavy = model.platform.replace(body=body.replace(mass=2.0 * body.mass))
    found = model.energy(
        home.position, home.rotation, parameters=model_jax.machine(heavy).parameters
    )
    wanted = gough.energy(heavy, home, engine="python")
    assert found == pytest.approx(np.array([0.0, float(wanted.potential)]))
