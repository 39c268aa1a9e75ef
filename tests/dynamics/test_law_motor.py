"""Current loop and windings against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from gough.checks import Array
from gough.dynamics import laws
from gough.dynamics.laws import motor
from support.rides import SAMPLES, Ride, one_leg


def test_a_current_loop_lags_and_a_winding_limits_it() -> None:
    """First order; with an inductance the voltage bounds the current's rate: exact RL exponentials at standstill."""
    w, rho, top = 500.0, 200.0, 60.0
    slow = Ride(one_leg(current_rate=w), 1e12, lambda t: 10.0)
    t = np.linspace(0.0, 0.02, SAMPLES + 1)
    assert np.abs(slow.run([0.0, 0.0, 0.0], 0.02)[:, 2] - 10 * (1 - np.exp(-w * t))).max() < 1e-9
    coil = one_leg(current_rate=w, electric_rate=rho, voltage_force=top)
    found = Ride(coil, 1e12, lambda t: 55.0).run([0.0, 0.0, 0.0], 0.02)[:, 2]
    limited = top * (1 - np.exp(-rho * t))
    wanted = w * (55.0 - limited) > rho * (
        top - limited
    )  # the loop asks for more than the voltage gives
    assert wanted[:20].all()
    first = int(np.argmin(wanted))
    assert np.abs(found[:first] - limited[:first]).max() < 1e-8
    assert found[-1] == pytest.approx(55.0, rel=0.02)


def test_a_shorted_winding_brakes_by_its_back_emf() -> None:
    """Without inductance an exponential; with it the two roots of the coupled system."""
    slope, m, rho = 40.0, 5.0, 200.0
    law = one_leg(voltage_force=0.0, voltage_slope=slope)
    path = Ride(law, m, lambda t: 1e3).run([0.0, 2.0], 0.3)
    t = np.linspace(0.0, 0.3, SAMPLES + 1)
    assert np.abs(path[:, 1] - 2.0 * np.exp(-slope / m * t)).max() < 1e-9
    coil = one_leg(voltage_force=0.0, voltage_slope=slope, electric_rate=rho, current_rate=500.0)
    found = Ride(coil, m, lambda t: 0.0).run([0.0, 2.0, 0.0], 0.3)
    A = np.array([[0.0, 1 / m], [-rho * slope, -rho]])
    exact = (expm(0.3 * A) @ np.array([2.0, 0.0]))[0]
    assert found[-1, 1] == pytest.approx(exact, rel=1e-8)


def test_a_voltage_bound_needs_its_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the winding's rate without the back-EMF's sign; a shorted motor then drives instead of braking."""
    right = motor.current_rate

    def wrong(used: laws.Laws, law: Array, command: float, v: float, current: float) -> float:
        return right(used, law, command, -v, current)

    monkeypatch.setattr(motor, "current_rate", wrong)
    with pytest.raises(AssertionError):
        test_a_shorted_winding_brakes_by_its_back_emf()
