"""Loads on the gears before a motion starts: those of the machine at rest, whatever the spins of its legs."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics.laws.machine import static_load
from gough.results import Spin
from gough.spatial import Motion
from oracles.machines import case


@pytest.mark.parametrize("rate", [0.0, 3.0])
def test_loads_are_those_at_rest_with_the_legs_turned_as_they_are(rate: float) -> None:
    c = case("SPS-general", seed=1)
    still = Motion(c.motion.position, c.motion.rotation)
    spin = Spin(c.spin_angle, np.zeros_like(c.spin_angle))
    wanted = gough.inverse_dynamics(c.platform, still, spin=spin, engine="python").force
    found = static_load(c.platform, c.motion, Spin(c.spin_angle, np.full_like(c.spin_rate, rate)))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    assert np.abs(found).min() > 0.0
