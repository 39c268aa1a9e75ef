"""Newton's matrix of the bodies: its damping is how the forces fall with the speeds, of every joint that rubs."""

from __future__ import annotations

import numpy as np
import pytest

from gough.formulations.multibody.kinematics import configuration
from gough.model import Friction
from gough.simulation.dae import MachineSystem
from oracles.machines import case


def test_only_machines_without_any_friction_have_no_damping() -> None:
    rubbing, smooth = case("UCU", seed=2), case("UPS", seed=2, friction=False)
    bare = rubbing.platform.replace(
        legs=[leg.replace(friction=Friction()) for leg in rubbing.platform.legs]
    )
    pose, other = rubbing.motion.pose[0], smooth.motion.pose[0]
    cases = (rubbing.platform, pose, False), (bare, pose, False), (smooth.platform, other, True)
    for platform, pose, none in cases:
        system = MachineSystem(platform)
        q = system.configuration(configuration(platform, pose)[0])
        assert (system.damping(q, np.zeros(78), 0.0) is None) is none


@pytest.mark.parametrize("kind", ["UCU", "UPS", "SPS-general", "PUS", "RUS"])
def test_damping_is_the_slope_of_the_forces(kind: str) -> None:
    """``D = -df/dv`` at rest, where nothing else depends on the speeds to first order."""
    c = case(kind, seed=2)
    platform = c.platform
    system = MachineSystem(platform)
    q = system.configuration(configuration(platform, c.motion.pose[0])[0])
    D = system.damping(q, np.zeros(78), 0.0)
    assert D is not None
    rng, rest = np.random.default_rng(1), system.force(q, np.zeros(78), 0.0)
    for _ in range(3):
        v = 1e-6 * rng.normal(size=78)
        slope = (system.force(q, v, 0.0) - system.force(q, -v, 0.0)) / 2.0
        assert -slope == pytest.approx(D @ v, rel=1e-5, abs=1e-9 * np.abs(rest).max() * 1e-6)
