"""Runs of a machine on screws: energy, watched condition numbers, the coordinate of the legs."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.singularity import singularity
from gough.spatial import Motion, Pose, rotation_from_rpy
from gough.struts import struts


@pytest.mark.slow
def test_a_run_keeps_energy_and_reports_its_screws() -> None:
    """Free swing at constant efforts without friction: T + V grows by the work of the efforts along the travel."""
    platform = gough.load("screw-hexapod")
    legs = tuple(leg.replace(friction=gough.Friction(), drive=None) for leg in platform.legs)
    machine = platform.replace(legs=legs)
    home = machine.require_home()
    force = gough.inverse_dynamics(machine, home, engine="python").force * 1.01
    start = Motion(
        home.position, home.rotation, [0.05, 0.02, 0.0], [0.2, -0.1, 0.3], np.zeros(3), np.zeros(3)
    )
    run = gough.simulate(machine, start, duration=0.05, step=1e-3, force=force)
    R = rotation_from_rpy(run.rpy.values)
    path = Pose(run.position.values, R)
    g = struts(machine, path)
    np.testing.assert_allclose(run.length.values, g.coordinate, atol=1e-12)
    np.testing.assert_allclose(
        run.condition.values, singularity(machine, path).condition, rtol=1e-9
    )
    state = Motion(
        path.position,
        R,
        run.velocity.values,
        run.angular_velocity.values,
        np.zeros_like(path.position),
        np.zeros_like(path.position),
    )
    energy = gough.energy(machine, state, engine="python")
    total = energy.kinetic + energy.potential
    work = (g.coordinate - g.coordinate[0]) @ force
    np.testing.assert_allclose(total - total[0], work, atol=1e-8 * np.abs(total).max())
    assert np.abs(work).max() > 1e-3
