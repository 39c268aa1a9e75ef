"""gough.jax: the same numbers as the compiled engine, gradients as by complex step."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics import jax as model_jax
from gough.engines import pack
from oracles.machines import Case, case
from support.complex_steps import complex_step, spin_of, worst
from support.near_singular import UNIVERSAL, near

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def _double_precision():  # type: ignore[no-untyped-def]
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


def arguments(c: Case, i: int | slice = slice(None)) -> tuple[np.ndarray, ...]:
    m = c.motion
    return tuple(
        a[i]
        for a in (
            m.position,
            m.rotation,
            m.velocity,
            m.angular_velocity,
            m.acceleration,
            m.angular_acceleration,
            c.external,
        )
    )


def spins(c: Case) -> np.ndarray | None:
    return (
        np.stack([np.cos(c.spin_angle), np.sin(c.spin_angle), c.spin_rate], axis=-1)
        if c.needs_spin
        else None
    )


def close(found: object, wanted: np.ndarray, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(
        np.asarray(found), wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max()
    )


@pytest.mark.parametrize("kind", ["UPS", "SPS-general", "mixed"])
def test_values_equal_the_compiled_engine(kind: str) -> None:
    c = case(kind, seed=31, states=6)
    model, m, spin = model_jax.machine(c.platform), c.motion, spins(c)
    result = gough.inverse_dynamics(c.platform, m, c.external, spin=spin_of(c))
    close(model.inverse_dynamics(*arguments(c), spin=spin), result.force)
    acc = model.forward_dynamics(*arguments(c)[:4], result.force, c.external, spin=spin)
    close(acc, np.concatenate([m.acceleration, m.angular_acceleration], axis=-1), 1e-9)
    close(
        model.mass_matrix(m.position, m.rotation, spin=spin),
        gough.mass_matrix(c.platform, gough.Pose(m.position, m.rotation), spin=spin_of(c)),
    )
    energy = gough.energy(c.platform, m, spin=spin_of(c))
    close(
        model.energy(*arguments(c)[:4], spin=spin),
        np.stack([energy.kinetic, energy.potential], axis=-1),
    )
    legs = gough.inverse_kinematics(c.platform, m, spin=spin_of(c))
    close(model.inverse_kinematics(m.position, m.rotation), legs.length)


def test_jit_and_vmap_change_nothing() -> None:
    c = case("UPS", seed=32, states=5)
    model = model_jax.machine(c.platform)
    wanted = gough.inverse_dynamics(c.platform, c.motion, c.external).force
    close(model_jax.jit(model.inverse_dynamics)(*arguments(c)), wanted)
    close(model_jax.jit(jax.vmap(model.inverse_dynamics))(*arguments(c)), wanted)
    close(model.inverse_dynamics(*arguments(c, 2)), wanted[2])


@pytest.mark.parametrize(
    "kind",
    [
        "UPS",
        pytest.param("RUS", marks=pytest.mark.slow),
        pytest.param("PUS", marks=pytest.mark.slow),
        pytest.param("SPS-general", marks=pytest.mark.slow),
    ],
)
def test_gradients_equal_complex_step(kind: str) -> None:
    """Every geometry, inertia and friction parameter, and the motion, in one reverse sweep per effort."""
    c = case(kind, seed=11, states=1)
    model, spin = model_jax.machine(c.platform), spins(c)
    turn = None if spin is None else spin[0]

    def effort(k, par, position, velocity, rate, acceleration, angular, wrench):  # type: ignore[no-untyped-def]
        return model.inverse_dynamics(
            position,
            c.motion.rotation[0],
            velocity,
            rate,
            acceleration,
            angular,
            wrench,
            parameters=par,
            spin=turn,
        )[k]

    t, _, *rest = arguments(c, 0)
    slope = model_jax.jit(jax.grad(effort, argnums=tuple(range(1, 8))))
    _, wanted = complex_step("forces", c, 0, np.zeros((1, 6)))
    places = (
        slice(42, None),
        slice(0, 3),
        slice(6, 9),
        slice(9, 12),
        slice(12, 15),
        slice(15, 18),
        slice(18, 24),
    )
    found = [slope(k, model.parameters, t, *rest) for k in range(6)]
    for j, place in enumerate(places):
        assert worst(np.array([np.asarray(row[j]) for row in found]), wanted[:, place]) < 1e-10


def test_gradient_through_forward_dynamics_and_energy() -> None:
    """Energy slope: d(potential)/d(position) is minus the weight of what moves with the platform; checked by steps."""
    c = case("UPS", seed=33, states=1)
    model = model_jax.machine(c.platform)
    t, R, *_ = arguments(c, 0)
    potential = model_jax.jit(lambda p: model.energy(p, R)[1])
    slope = np.asarray(model_jax.jit(jax.grad(lambda p: model.energy(p, R)[1]))(t))
    h = 1e-6
    steps = [(potential(t + h * e) - potential(t - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(slope, np.array(steps), rtol=1e-7, atol=1e-6)


def test_parts_that_are_not_given_are_zero() -> None:
    """A bare pose is at rest without a wrench; a state without efforts is coasting."""
    c = case("PUS", seed=33, states=2)
    model, pose = model_jax.machine(c.platform), (c.motion.position, c.motion.rotation)
    static = gough.inverse_dynamics(c.platform, c.motion.pose).force
    np.testing.assert_allclose(model.inverse_dynamics(*pose), static, rtol=1e-9, atol=1e-9)
    rest = gough.energy(c.platform, c.motion.pose)
    found = np.asarray(model.energy(*pose))
    np.testing.assert_allclose(found[:, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], rest.potential, rtol=1e-12)


def test_spins_that_are_not_given_are_at_rest() -> None:
    """Moving legs whose own spin nobody gives: angle and rate zero, and the angle alone changes no rate."""
    c = case("SPS-general", seed=3, states=1)
    model = model_jax.machine(c.platform)
    still = gough.Spin(np.zeros((1, 6)), np.zeros((1, 6)))
    wanted = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=still).force
    close(model.inverse_dynamics(*arguments(c)), wanted)


def test_bad_shapes_are_named() -> None:
    c = case("UPS", seed=32, states=1)
    model = model_jax.machine(c.platform)
    with pytest.raises(gough.InputError, match="rotation"):
        model.inverse_dynamics(np.zeros(3), np.zeros(9))
    with pytest.raises(gough.InputError, match="parameters"):
        model.inverse_dynamics(np.zeros(3), np.eye(3), parameters=pack.parameters(c.platform)[:-1])


def test_singular_states_are_refused_and_nan_inside_jit() -> None:
    c = case("UPS", seed=31, states=3)
    model = model_jax.machine(near(c, 1, 2, UNIVERSAL, 1e-9))
    at = arguments(c)
    for call in (
        lambda *a: model.inverse_dynamics(*a[:6], a[6]),
        lambda *a: model.forward_dynamics(*a[:4], a[6]),
        lambda *a: model.mass_matrix(*a[:2]),
        lambda *a: model.energy(*a[:4]),
    ):
        with pytest.raises(gough.InfeasibleError, match=r"state 1: leg L3: .*universal joint"):
            call(*at)
    found = np.asarray(model_jax.jit(model.inverse_dynamics)(*at))
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[[0, 2]]).all()


def test_one_number_that_is_none_is_enough_to_refuse() -> None:
    """The potential energy of a machine whose velocity is no number is fine; the answer is not."""
    c = case("UPS", seed=6, states=2)
    machine = gough.jax.machine(c.platform)
    velocity = np.array([[0.1, 0.2, 0.3], [0.1, np.nan, 0.3]])
    with pytest.raises(gough.InfeasibleError, match="state 1"):
        machine.energy(c.motion.position, c.motion.rotation, velocity)


def test_an_error_of_the_function_itself_is_raised_at_once() -> None:
    """Only a compiler option that XLA does not know is a reason to compile again without it."""
    calls = []

    def broken(x: object) -> object:
        calls.append(x)
        raise ArithmeticError("its own mistake")

    with pytest.raises(ArithmeticError, match="its own mistake"):
        model_jax.jit(broken)(1.0)
    assert len(calls) == 1
