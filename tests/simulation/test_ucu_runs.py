"""Runs of machines on screws and with offset joints: energy, watched condition numbers, the coordinate of the legs."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.singularity import singularity
from gough.model.geometry import hexapod
from gough.spatial import Motion, Pose, rotation_from_rpy
from gough.struts import struts


def offset_joints(springs: gough.JointSprings) -> gough.Platform:
    """A desktop hexapod of UPS legs whose base joints have offsets and cross pieces."""
    platform = hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UPS")
    cross = gough.Body(0.2, [0.01, 0, 0], [1e-4, 1e-4, 1e-4])
    joint = gough.JointOffset(e=0.02, d=0.005, f=0.004, cross=cross)
    legs = [leg.replace(base_offset=joint, springs=springs) for leg in platform.legs]
    return platform.replace(legs=tuple(legs))


MACHINES = {
    "screw-hexapod": lambda: gough.load("screw-hexapod"),
    "offset joints": lambda: offset_joints(gough.JointSprings()),
    "offset joints with springs": lambda: offset_joints(
        gough.JointSprings(3.0, 4.5, platform_ball=2.0)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_a_run_keeps_energy_and_reports_its_legs(machine: str) -> None:
    """Free swing at constant efforts without friction: T + V grows by the work of the efforts along the travel, V of
    the springs among it; planted: without theirs it does not."""
    platform = MACHINES[machine]()
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
    if any(leg.springs.any for leg in legs):
        bare = built.replace(legs=[leg.replace(springs=gough.JointSprings()) for leg in legs])
        without = energy.kinetic + gough.energy(bare, state, engine="python").potential
        assert np.abs(without - without[0] - work).max() > 1e-4 * np.abs(work).max()
