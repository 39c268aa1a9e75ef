"""Inverse dynamics on a base that moves, at any batch shape: the base carries the machine; plain answers stay."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.spatial import rotation_exp
from oracles.machines import case

PYTHON = {"engine": "python"}


def weight(machine: gough.Platform) -> float:
    """Mass of platform and legs, kg."""
    parts = [machine.body, *(p for leg in machine.legs for p in (leg.lower, leg.upper))]  # type: ignore[union-attr]
    return sum(part.mass for part in parts)


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_a_base_that_falls_freely_carries_nothing_and_one_that_rises_carries_more(
    shape: tuple[int, ...],
) -> None:
    """Machines at rest on a base that is tilted and accelerated: ``m (a - g)`` in base axes, state by state."""
    machine = gough.load("motion-base-1500")
    home, count = machine.require_home(), int(np.prod(shape))
    rng = np.random.default_rng(2)
    turned = rotation_exp(0.2 * rng.normal(size=(*shape, 3)))
    up = rng.normal(size=(*shape, 3))
    zero = np.zeros((*shape, 3))
    base = gough.BaseMotion(zero, turned, zero, zero, up, zero)
    still = gough.Motion(
        np.broadcast_to(home.position, (*shape, 3)), np.broadcast_to(home.rotation, (*shape, 3, 3))
    )
    found = gough.inverse_dynamics(machine, still, base=base, **PYTHON)
    carried = weight(machine) * (np.swapaxes(turned, -1, -2) @ (up - machine.gravity)[..., None])
    assert found.base_wrench.shape == (*shape, 6)
    np.testing.assert_allclose(found.base_wrench[..., :3], carried[..., 0], rtol=1e-9)
    falling = gough.BaseMotion(zero, turned, zero, zero, zero + machine.gravity, zero)
    free = gough.inverse_dynamics(machine, still, base=falling, **PYTHON)
    assert np.abs(free.base_wrench).max() < 1e-8 * weight(machine)
    assert np.abs(free.force).max() < 1e-8 * weight(machine)
    assert count == found.force.size // 6


@pytest.mark.parametrize("kind", ["UPS", "SPS-general"])
def test_states_of_a_batch_on_a_base_are_answered_one_by_one(kind: str) -> None:
    """Efforts, reactions, spins, base wrenches and their bounds."""
    c = case(kind, seed=3, states=4)
    whole = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
    base = gough.BaseMotion.yaw_stage(np.linspace(0.1, 0.4, 4), 0.7, -1.1)
    m = c.motion
    parts = (m.position, m.rotation, *m.rates)
    grid = gough.Motion(*(a.reshape(2, 2, *a.shape[1:]) for a in parts))
    yaws = gough.BaseMotion.yaw_stage(np.linspace(0.1, 0.4, 4).reshape(2, 2), 0.7, -1.1)
    spin = (
        None
        if whole is None
        else gough.Spin(*(a.reshape(2, 2, 6) for a in (whole.angle, whole.rate)))
    )
    external = c.external.reshape(2, 2, 6)
    found = gough.inverse_dynamics(c.platform, grid, external, spin=spin, base=yaws, **PYTHON)
    flat = gough.inverse_dynamics(c.platform, m, c.external, spin=whole, base=base, **PYTHON)
    for k in range(4):
        one = None if whole is None else gough.Spin(whole.angle[k], whole.rate[k])
        stage = gough.BaseMotion.yaw_stage(0.1 * (k + 1), 0.7, -1.1)
        alone = gough.inverse_dynamics(
            c.platform, m[k], c.external[k], spin=one, base=stage, **PYTHON
        )
        at = (k // 2, k % 2)
        for name in ("force", "base_wrench", "spin_acceleration", "error", "leg_errors"):
            got, due = getattr(found, name)[at], getattr(alone, name)
            assert got.shape == due.shape
            size = np.abs(due).max() + 1e-9
            np.testing.assert_allclose(got, due, atol=1e-6 * size, err_msg=name)
            np.testing.assert_allclose(getattr(flat, name)[k], due, atol=1e-6 * size)
        np.testing.assert_allclose(
            found.reactions.universal_force[at], alone.reactions.universal_force, rtol=1e-7
        )
    assert found.base_twist is not None
    np.testing.assert_allclose(found.base_twist[..., 5], np.full((2, 2), 0.7))


def test_at_rest_nothing_is_said_of_the_base_and_spins_have_their_shape() -> None:
    c = case("UPS", seed=3, states=3)
    plain = gough.inverse_dynamics(c.platform, c.motion, c.external, **PYTHON)
    assert plain.base_twist is None
    with pytest.raises(AttributeError):
        _ = plain.base_wrench
    assert plain.spin_acceleration is not None
    assert plain.spin_acceleration.shape == (3, 6)
    single = gough.inverse_dynamics(c.platform, c.motion[0], c.external[0], **PYTHON)
    assert single.spin_acceleration is not None
    assert single.spin_acceleration.shape == (6,)
    assert not plain.spin_acceleration.any()
    assert not single.spin_acceleration.any()
    assert plain.leg_errors.shape[:2] == (3, 6)
