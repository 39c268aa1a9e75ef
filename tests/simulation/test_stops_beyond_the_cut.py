"""Cranks that fall onto their stops: the same fall whatever position is called zero, stops beyond the cut too."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from support.gauge import crank_zero


@pytest.mark.parametrize("integrator", ["rk4", "semi-implicit"])
@pytest.mark.parametrize("angle", [np.pi - 0.02, np.pi - 0.045])
def test_a_fall_onto_stops_does_not_see_what_is_called_zero(angle: float, integrator: str) -> None:
    machine = gough.load("servo-hexapod")
    home = gough.inverse_kinematics(machine, machine.require_home()).length
    legs = [
        leg.replace(
            drive=None,
            limits=leg.limits.replace(
                stroke=(q - 0.06, q + 0.06), stop_stiffness=40.0, stop_loss=0.1
            ),
        )
        for leg, q in zip(machine.legs, home, strict=True)
    ]
    machine = machine.replace(legs=legs)
    g = crank_zero(machine, angle)
    here, there = (
        gough.simulate(
            m, m.require_home(), duration=0.08, step=5e-4, force=np.zeros(6), integrator=integrator
        )
        for m in (machine, g.platform)
    )
    assert np.abs(here.stop_force.values).max() > 0.1  # they were met
    seen = there.length.values
    assert (seen.max(axis=0) > np.pi).any() or (seen.min(axis=0) < -np.pi).any()
    for name in ("position", "stop_force"):
        np.testing.assert_allclose(there[name].values, here[name].values, atol=1e-6)
    np.testing.assert_allclose(seen + g.shift, here.length.values, atol=1e-7)
