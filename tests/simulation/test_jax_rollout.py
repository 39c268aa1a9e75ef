"""Rollouts inside JAX programs: states and slopes are those of `rollout`, under jit, vmap and grad."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.engines.pack import packed
from gough.simulation import jax_rollout, rollout
from gough.simulation.array_rollout import ArrayRollout

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install 'gough[jax]'")
STEPS = 12


@pytest.fixture(scope="module", autouse=True)
def double() -> object:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def push(base: gough.Platform) -> Array:
    hold = gough.inverse_dynamics(base, base.home).force  # type: ignore[arg-type]
    return hold * (1.0 + 0.05 * np.random.default_rng(0).normal(size=(STEPS, 6)))


def test_states_and_slopes_are_those_of_a_rollout(base: gough.Platform, push: Array) -> None:
    home, rng = base.home, np.random.default_rng(1)
    assert home is not None
    wrench = rng.normal(size=6) * 20.0
    roll = jax_rollout(base, step=2e-3, every=3)
    run = rollout(base, home, push, step=2e-3, every=3, external=wrench)
    told = roll(home.position, home.rotation, push, external=wrench)
    weights = {name: rng.normal(size=np.shape(told[name])) for name in told}

    def loss(effort: Array, rotation: Array, wrench: Array, par: Array) -> Array:
        told = roll(home.position, rotation, effort, external=wrench, parameters=par)
        return sum((told[name] * weights[name]).sum() for name in told)

    for name, values in told.items():
        np.testing.assert_array_equal(values, getattr(run, name))
    par = packed(base).parameters
    found = jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3)))(push, home.rotation, wrench, par)
    wanted = run.slopes(**weights, parameters=True)
    np.testing.assert_allclose(found[0], wanted.effort, rtol=1e-12)
    np.testing.assert_allclose(found[1], wanted.rotation, rtol=1e-12)
    np.testing.assert_allclose(found[2], wanted.external.sum(axis=0), rtol=1e-11)
    np.testing.assert_allclose(found[3], wanted.packed, rtol=1e-12)


def test_vmap_over_efforts_and_machines(base: gough.Platform, push: Array) -> None:
    home, roll = base.home, jax_rollout(base, every=STEPS)
    assert home is not None
    heavy = base.replace(body=base.body.replace(mass=1.1 * base.body.mass))
    par = np.stack([packed(m).parameters for m in (base, heavy, base)])
    force = np.stack([push, push, 1.01 * push])

    def height(effort: Array, par: Array) -> Array:
        return roll(home.position, home.rotation, effort, parameters=par)["position"][-1, 2]

    found = jax.vmap(height)(force, par)
    slope = jax.vmap(jax.grad(height))(force, par)
    for i, machine in enumerate((base, heavy, base)):
        run = rollout(machine, home, force[i], every=STEPS)
        weight = np.zeros((2, 3))
        weight[1, 2] = 1.0
        assert found[i] == run.position[-1, 2]
        np.testing.assert_allclose(slope[i], run.slopes(position=weight).effort, rtol=1e-12)


def test_untrusted_runs_are_not_numbers(base: gough.Platform, push: Array) -> None:
    """A run that leaves all numbers is NaN from there on, and the one beside it is not."""
    home, roll = base.home, jax_rollout(base, step=0.05)
    assert home is not None
    force = np.stack([push, np.full_like(push, 1e9)])
    told = roll(home.position, home.rotation, force)["position"]
    good = np.isfinite(told).all(axis=-1)
    assert good[0].all()
    assert good[1, 0]
    assert not good[1, -1]
    assert (np.diff(good[1].astype(int)) <= 0).all()


def test_legs_that_carry_their_spin(push: Array) -> None:
    from oracles.machines import case

    c = case("SPS-general", seed=6, states=1)
    motion = c.motion[0]
    angle, rate = c.spin_angle[0], c.spin_rate[0]
    made = ArrayRollout.of(c.platform, 1e-4, 1, "rk4")
    assert made.spins
    roll = jax_rollout(c.platform, step=1e-4)
    with pytest.raises(gough.InputError, match="spin"):
        roll(motion.position, motion.rotation, 0.0 * push)
    turns = np.stack([np.cos(angle), np.sin(angle), rate], axis=-1)
    start = motion.position, motion.rotation, 0.0 * push, motion.velocity, motion.angular_velocity
    told = roll(*start, spin=turns)
    run = rollout(c.platform, motion, 0.0 * push, step=1e-4, spin=gough.Spin(angle, rate))
    np.testing.assert_array_equal(told["velocity"], run.velocity)
    np.testing.assert_array_equal(told["spin"][..., 2], run.spin.rate)  # type: ignore[union-attr]
    found = jax.grad(lambda v: roll(*start[:3], v, start[4], spin=turns)["spin"][-1, :, 2].sum())(
        motion.velocity
    )
    ones = np.zeros((STEPS + 1, 6))
    ones[-1] = 1.0
    wanted = run.slopes(spin_rate=ones)
    np.testing.assert_allclose(found, wanted.velocity, rtol=1e-12)


def test_what_is_refused(base: gough.Platform, push: Array) -> None:
    home = base.home
    assert home is not None
    roll = jax_rollout(base, every=5)
    with pytest.raises(gough.InputError, match="every"):
        roll(home.position, home.rotation, push)
    with pytest.raises(gough.InputError, match="effort"):
        roll(home.position, home.rotation, push[0, :5])
    with pytest.raises(gough.InputError, match="integrator"):
        jax_rollout(base, integrator="Radau")
    with pytest.raises(gough.InputError, match=r"engine: .*native, cuda"):
        jax_rollout(base, engine="python")
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(gough.InputError, match="double precision"):
        jax_rollout(base)
    jax.config.update("jax_enable_x64", True)
