"""Runs of machines on screws and with offset joints: energy, watched condition numbers, the coordinate of the legs."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.singularity import singularity
from gough.model.geometry import hexapod
from gough.spatial import Motion, Pose, rotation_from_rpy
from gough.struts import struts


def offset_joints() -> gough.Platform:
    """A desktop hexapod of UPS legs whose base joints have offsets and cross pieces."""
    platform = hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UPS")
    cross = gough.Body(0.2, [0.01, 0, 0], [1e-4, 1e-4, 1e-4])
    joint = gough.JointOffset(e=0.02, d=0.005, f=0.004, cross=cross)
    return platform.replace(legs=tuple(leg.replace(base_offset=joint) for leg in platform.legs))


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["screw-hexapod", "offset joints"])
def test_a_run_keeps_energy_and_reports_its_legs(machine: str) -> None:
    """Free swing at constant efforts without friction: T + V grows by the work of the efforts along the travel."""
    platform = offset_joints() if machine == "offset joints" else gough.load(machine)
    legs = tuple(leg.replace(friction=gough.Friction(), drive=None) for leg in platform.legs)
    built = platform.replace(legs=legs)
    home = built.require_home()
    force = gough.inverse_dynamics(built, home, engine="python").force * 1.01
    start = Motion(
        home.position, home.rotation, [0.05, 0.02, 0.0], [0.2, -0.1, 0.3], np.zeros(3), np.zeros(3)
    )
    run = gough.simulate(built, start, duration=0.05, step=1e-3, force=force)
    R = rotation_from_rpy(run.rpy.values)
    path = Pose(run.position.values, R)
    g = struts(built, path)
    np.testing.assert_allclose(run.length.values, g.coordinate, atol=1e-12)
    np.testing.assert_allclose(run.condition.values, singularity(built, path).condition, rtol=1e-9)
    state = Motion(
        path.position,
        R,
        run.velocity.values,
        run.angular_velocity.values,
        np.zeros_like(path.position),
        np.zeros_like(path.position),
    )
    energy = gough.energy(built, state, engine="python")
    total = energy.kinetic + energy.potential
    work = (g.coordinate - g.coordinate[0]) @ force
    np.testing.assert_allclose(total - total[0], work, atol=1e-8 * np.abs(total).max())
    assert np.abs(work).max() > 1e-3
