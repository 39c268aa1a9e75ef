"""Thirteen bodies: what cannot be asked of them, and batches of any shape with spins and wrenches."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import gough
from gough.formulations.multibody import verbs
from oracles.machines import case


def test_spins_are_asked_for_in_words() -> None:
    c = case("SPS-general", seed=3)
    with pytest.raises(gough.InputError, match="spin by dynamics of their own"):
        verbs.inverse_dynamics(c.platform, c.motion)
    with pytest.raises(gough.InputError, match=r"gough\.Spin"):
        verbs.inverse_dynamics(c.platform, c.motion, spin=3.0)
    for half in ({"angle": c.spin_angle}, {"rate": c.spin_rate}):
        with pytest.raises(gough.InputError, match="angle, rate"):
            verbs.inverse_dynamics(c.platform, c.motion, spin=SimpleNamespace(**half))
    with pytest.raises(gough.InputError, match="spin"):
        verbs.inverse_dynamics(c.platform, c.motion, spin=(np.zeros((3, 6)), np.zeros((3, 6))))
    with pytest.raises(gough.InputError, match="external"):
        verbs.inverse_dynamics(
            c.platform, c.motion, np.zeros((5, 6)), spin=(c.spin_angle, c.spin_rate)
        )


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("kind", ["UPS", "SPS-free", "PUS", "RUS"])
def test_legs_out_of_reach_are_named(kind: str, place: int, leg: int) -> None:
    c = case(kind, seed=5)
    tip = c.motion.position[place] + c.motion.rotation[place] @ c.platform.legs[leg].joint
    base = tip if kind in ("UPS", "SPS-free") else tip + np.array([50.0, 40.0, 30.0])
    legs = [x.replace(base=base) if i == leg else x for i, x in enumerate(c.platform.legs)]
    platform = c.platform.replace(legs=legs, home=None)
    with pytest.raises(gough.InfeasibleError, match=c.platform.leg_names[leg]):
        verbs.inverse_dynamics(platform, c.motion, c.external)


def test_a_table_of_states_is_its_rows() -> None:
    """Two batch axes, with spins and wrenches: every answer is that of its own state."""
    c = case("SPS-general", seed=6, states=6)
    shape = (2, 3)
    m = gough.Motion(
        *(a.reshape(*shape, *a.shape[1:]) for a in (c.motion.position, c.motion.rotation)),
        *(a.reshape(*shape, 3) for a in c.motion.rates),
    )
    spin = tuple(a.reshape(*shape, 6) for a in (c.spin_angle, c.spin_rate))
    table = verbs.inverse_dynamics(c.platform, m, c.external.reshape(*shape, 6), spin=spin)
    rows = verbs.inverse_dynamics(
        c.platform, c.motion, c.external, spin=(c.spin_angle, c.spin_rate)
    )
    np.testing.assert_allclose(table.force.reshape(6, 6), rows.force, rtol=1e-12)
    np.testing.assert_allclose(
        table.reactions.spherical_force.reshape(6, 6, 3), rows.reactions.spherical_force, rtol=1e-9
    )
    np.testing.assert_allclose(
        table.spin_acceleration.reshape(6, 6), rows.spin_acceleration, rtol=1e-9, atol=1e-9
    )
    with pytest.raises(gough.InputError, match="force"):
        verbs.forward_dynamics(
            c.platform, c.motion, np.zeros((4, 6)), spin=(c.spin_angle, c.spin_rate)
        )


def test_batches_larger_than_the_motion_and_odd_options_are_refused() -> None:
    c = case("UPS", seed=3)
    one = c.motion[0]
    with pytest.raises(gough.InputError, match="external"):
        verbs.inverse_dynamics(c.platform, one, np.zeros((3, 6)))
    with pytest.raises(gough.InputError, match="True or False"):
        verbs.inverse_dynamics(c.platform, c.motion, published="yes")
