"""Runs of legs whose rods spin freely: their spins are part of the state and of the energy."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.engines import pack
from gough.equations.vec import Vec
from gough.simulation import programs
from gough.spatial import Motion, rotation_from_rpy
from oracles.machines import case
from oracles.source import _spin_angle_rate


def test_rates_of_the_spin_angles_of_every_leg() -> None:
    """The angle counts from a reference that s moves past; of a UCS leg W is the lower part's, the spin the upper's."""
    c = case("rods-mixed", seed=61, states=1)
    kinds, par = pack.kinds_of(c.platform), pack.parameters(c.platform)
    legs = gough.inverse_kinematics(
        c.platform, c.motion, spin=gough.Spin(c.spin_angle, c.spin_rate), engine="python"
    )
    found = {"direction": legs.direction, "angular_velocity": legs.angular_velocity}
    wanted = _spin_angle_rate(c, found)[0]
    z = {
        "spin_cosine": np.cos(c.spin_angle[0]),
        "spin_sine": np.sin(c.spin_angle[0]),
        "spin_rate": c.spin_rate[0],
    }
    each = [
        (Vec(*s), Vec(*W)) for s, W in zip(legs.direction[0], legs.angular_velocity[0], strict=True)
    ]
    rates = np.array(programs.spin_rates(kinds, par, z, each, np.arange(6.0)), dtype=float)
    cosine, sine, acceleration, angle = rates.reshape(4, 6)
    for i, kind in enumerate(kinds):
        if kind.endswith("_spin"):
            assert angle[i] == pytest.approx(wanted[i], rel=1e-12)
            assert cosine[i] == pytest.approx(-wanted[i] * z["spin_sine"][i])
            assert sine[i] == pytest.approx(wanted[i] * z["spin_cosine"][i])
            assert acceleration[i] == i
        elif kind.endswith("_axial"):
            assert angle[i] == c.spin_rate[0, i]
        else:
            assert angle[i] == acceleration[i] == 0.0
    assert {kind for kind in kinds if kind.endswith("_spin")} == {"rss_spin", "ucs_spin"}
    lower = kinds.index(
        "ucs_spin"
    )  # planted: the lower part's spin taken for the upper one's is another rate
    s, W = each[lower]
    k = Vec(*c.platform.legs[lower].reference)  # type: ignore[union-attr]
    wrong = programs.spin_turn(k, s, W, c.spin_rate[0, lower])
    assert abs(wrong - wanted[lower]) > 1e-3


@pytest.mark.slow
def test_a_run_keeps_its_energy() -> None:
    """Lopsided rods spin, swing and feel gravity; constant efforts do work along the actuators, nothing rubs."""
    c = case("rods-mixed", seed=62, states=1, friction=False)
    machine = c.platform
    home = machine.require_home()
    spin = gough.Spin(c.spin_angle[0], c.spin_rate[0])
    still = gough.inverse_dynamics(machine, home, spin=spin, engine="python").force
    start = Motion(
        home.position, home.rotation, [0.2, -0.1, 0.1], [0.4, 0.3, -0.5], np.zeros(3), np.zeros(3)
    )
    run = gough.simulate(machine, start, duration=0.04, step=1e-4, force=still, spin=spin)
    R = rotation_from_rpy(run.rpy.values)
    state = Motion(
        run.position.values,
        R,
        run.velocity.values,
        run.angular_velocity.values,
        np.zeros_like(run.position.values),
        np.zeros_like(run.position.values),
    )
    spins = gough.Spin(run.spin_angle.values, run.spin_rate.values)
    energy = gough.energy(machine, state, spin=spins, engine="python")
    total = energy.kinetic + energy.potential
    work = (run.length.values - run.length.values[0]) @ still
    free = np.array([kind.endswith("_spin") for kind in pack.kinds_of(machine)])
    assert np.abs(np.diff(run.spin_rate.values[:, free], axis=0)).max() > 1e-6
    np.testing.assert_allclose(total - total[0], work, atol=1e-8 * np.abs(total).max())
    assert np.abs(work).max() > 1e-3
