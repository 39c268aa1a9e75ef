"""Stops: the rebound in closed form, and a force that never pulls."""

from __future__ import annotations

import numpy as np
import pytest

from gough.dynamics.laws import stops
from support.rides import Ride, one_leg


@pytest.mark.parametrize(("loss", "speed"), [(0.0, 1.0), (0.5, 0.3), (3.0, 1.0), (5.0, 2.0)])
def test_rebound_from_a_stop_is_the_closed_form(loss: float, speed: float) -> None:
    """Whatever mass and stiffness; an energy that grows would come back faster than it went in."""
    e = stops.restitution(loss, speed)
    assert 0.0 < e <= 1.0
    for mass, k in ((5.0, 1e5), (800.0, 3e6)):
        law = one_leg(stop_high=0.2, stop_stiffness=k, stop_loss=loss)
        ride = Ride(law, mass, lambda t: 0.0)
        back = ride.run([0.2 - 1e-9, speed], 12.0 * np.sqrt(mass / k))[-1, 1]
        assert -back / speed == pytest.approx(e, rel=1e-6)
    mirrored = one_leg(stop_low=0.1, stop_stiffness=1e5, stop_loss=loss)
    low = Ride(mirrored, 5.0, lambda t: 0.0).run([0.1 + 1e-9, -speed], 12.0 * np.sqrt(5e-5))
    assert low[-1, 1] / speed == pytest.approx(e, rel=1e-6)


def test_a_stop_never_pulls() -> None:
    law = one_leg(stop_low=-0.1, stop_high=0.1, stop_stiffness=1e6, stop_loss=4.0)
    l, v = np.random.default_rng(0).normal(size=(2, 10_000)) * np.array([[0.3], [3.0]])
    N = stops.force(law, l, v)
    assert (N[l > 0.1] <= 0.0).all()
    assert (N[l < -0.1] >= 0.0).all()
    assert (N[np.abs(l) < 0.1] == 0.0).all()
    assert (stops.dissipated(law, l, v) >= 0.0).all()
    assert ((N == 0.0) & (np.abs(l) > 0.1)).any()  # leaves it faster than it follows
