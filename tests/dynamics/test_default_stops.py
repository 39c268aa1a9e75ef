"""Stops that nobody described: what comes back of the fastest impact does not ask where the stroke begins."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from gough.dynamics.laws import stops
from gough.dynamics.laws.stiffness import REACH
from gough.layout import LEG_LAW
from gough.model import CRANKS, Limits
from oracles.machines import platform

SLIDING = [(kind, low) for kind in ("PUS", "RUS") for low in (-1.0, -0.1, 0.5, 2.0)]


@pytest.mark.parametrize(("kind", "low"), [("UPS", 0.5), ("UPS", 2.0), *SLIDING])
def test_the_fastest_impact_is_a_fall_through_the_stroke(kind: str, low: float) -> None:
    """``beta v = IMPACT`` with ``v^2 = 2 g (high - low)``, of a crank by the angle: over the radius of its arm."""
    high = low + 0.4
    leg = platform(kind, seed=1).legs[2].replace(limits=Limits(stroke=(low, high)))
    law = np.zeros(LEG_LAW.size)
    stops.fill(law, leg, 7.0)
    radius = float(np.linalg.norm(leg.arm)) if isinstance(leg, CRANKS) else 1.0
    v = np.sqrt(2.0 * 9.81 * 0.4 / radius)
    assert law[LEG_LAW.stop_loss] * v == pytest.approx(stops.IMPACT)
    assert law[LEG_LAW.stop_stiffness] == pytest.approx(7.0 * stops.CONTACT_RATE**2)
    assert (law[LEG_LAW.stop_low], law[LEG_LAW.stop_high]) == pytest.approx((low, high))


def test_a_known_speed_takes_the_place_of_the_fall() -> None:
    leg = platform("UPS", seed=1).legs[0].replace(limits=Limits(stroke=(0.5, 0.9), speed=2.0))
    law = np.zeros(LEG_LAW.size)
    stops.fill(law, leg, 7.0)
    assert law[LEG_LAW.stop_loss] == pytest.approx(0.5 * stops.IMPACT)


def test_what_is_told_of_stops_that_nobody_described_is_so() -> None:
    """Their words: a third of the fastest impact comes back, and how long a contact lasts."""
    assert stops.restitution(stops.IMPACT, 1.0) == pytest.approx(1.0 / 3.0, abs=0.05)
    told = f"(`default_stiffness`): {1e3 / stops.CONTACT_RATE:g} ms of contact"
    assert told in " ".join(str(stops.__doc__).split())
    assert stops.default_stiffness(3.0) == pytest.approx(3.0 * stops.CONTACT_RATE**2)
    assert 1e-3 * stops.CONTACT_RATE < REACH  # steps of a millisecond are stable


@pytest.mark.parametrize("b", [1e-20, 1e-9, 1e-3, 0.2, 0.6, 0.7, 1.0, 3.0, 9.0, 60.0, 1e6])
def test_a_rebound_keeps_what_the_closed_form_keeps(b: float) -> None:
    """``b - ln(1 + b) = -e b - ln(1 - e b)`` with 60 digits, from hardly a touch to impacts that hardly come back."""
    e = stops.restitution(b, 1.0)
    assert stops.restitution(1.0, b) == stops.restitution(2.0 * b, 0.5) == e
    with mpmath.workdps(60):
        exact = mpmath.mpf(b)
        into = exact - mpmath.log1p(exact)
        low, high = mpmath.mpf(0), exact + 1  # w = -ln(1 - e b)
        for _ in range(300):
            middle = (low + high) / 2
            low, high = (middle, high) if middle + mpmath.expm1(-middle) < into else (low, middle)
        assert e == pytest.approx(float(-mpmath.expm1(-high) / exact), rel=1e-15)
    assert stops.restitution(0.0, b) == stops.restitution(b, 0.0) == 1.0
    assert stops.restitution(1e-160, b) == 1.0
