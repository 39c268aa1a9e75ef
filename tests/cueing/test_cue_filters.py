"""The filters against their transfer functions: sines, ramps, and an independent integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.signal import lsim

from gough.checks import InputError
from gough.cueing.filters import Filter, polynomial, power, transfer
from gough.cueing.vestibular import canal, otolith
from gough.cueing.washout import ClassicalWashout

LAW = ClassicalWashout()
FILTERS = {
    "surge": LAW.translation_filter(0),
    "heave": LAW.translation_filter(2),
    "second order": ClassicalWashout(third=0.0).translation_filter(1),
    "tilt": LAW.tilt_filter(),
    "roll": LAW.rotation_filter(0),
    "canal": canal(1),
    "otolith": otolith(),
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("omega", [0.05, 1.0, 20.0])
def test_the_gain_is_the_transfer_function(name: str, omega: float) -> None:
    """By the definition: s in the quotient of the polynomials."""
    s = 1j * omega
    w, wb, z = 2.5, 0.2, 1.0
    second = s**2 + 2 * z * w * s + w**2
    heave = (s**2 + 2 * z * 3.5 * s + 3.5**2) * (s + 0.3)
    wanted = {
        "surge": [s**3 / second / (s + wb), s**2 / second / (s + wb), s / second / (s + wb)],
        "heave": [s**3 / heave, s**2 / heave, s / heave],
        "second order": [s**2 / second, s / second, 1 / second],
        "tilt": [w**2 / second],
        "roll": [1 / (s + 1.0)],
        "canal": [5.3 * 30 * s**2 / (5.3 * s + 1) / (30 * s + 1)],
        "otolith": [0.4 * (13.2 * s + 1) / (5.33 * s + 1) / (0.66 * s + 1)],
    }[name]
    assert np.allclose(FILTERS[name].gain(s), wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", FILTERS)
def test_a_sine_comes_out_as_the_transfer_function_says(name: str) -> None:
    """Steady state of a sine, to 1e-9: samples so close that the straight lines between them are the sine."""
    f, omega, h = FILTERS[name], 3.0, 2e-5
    t = h * np.arange(2_000_001)[: int(12.0 / h)]
    s = 1j * omega
    # the answer from rest = steady state + the filter's own decay, which starts at minus the steady state's states
    states = np.linalg.solve(s * np.eye(len(f.B)) - f.A, f.B)
    u = np.sin(omega * t)
    y = f.respond(u, h)
    from scipy.linalg import expm

    at = [len(t) // 3, len(t) // 2, len(t) - 1]
    for k in at:
        rest = expm(f.A * t[k]) @ (-np.imag(states))
        wanted = np.imag(f.gain(s) * np.exp(s * t[k])) + f.C @ rest
        assert np.allclose(y[:, k], wanted, rtol=0, atol=1e-9 * np.abs(f.gain(s)).max())


@pytest.mark.parametrize("name", FILTERS)
def test_straight_lines_are_exact_whatever_the_step(name: str) -> None:
    """A signal of straight lines: coarse samples give the values of fine ones, and of two independent solvers."""
    f = FILTERS[name]
    knots, values = np.array([0.0, 1.0, 1.5, 4.0]), np.array([0.0, 2.0, -1.0, 0.5])
    coarse, fine = np.linspace(0, 4, 9), np.linspace(0, 4, 4001)
    y = f.respond(np.interp(coarse, knots, values), 0.5)
    dense = f.respond(np.interp(fine, knots, values), 1e-3)[:, ::500]
    assert np.allclose(y, dense, rtol=0, atol=1e-11)
    done = solve_ivp(
        lambda t, x: f.A @ x + f.B * np.interp(t, knots, values),
        (0, 4),
        np.zeros(len(f.B)),
        t_eval=coarse,
        rtol=1e-11,
        atol=1e-13,
        max_step=0.05,
    )
    assert np.allclose(
        y, f.C @ done.y + np.outer(f.D, np.interp(coarse, knots, values)), atol=1e-8, rtol=0
    )
    outputs = lsim(
        (f.A, f.B[:, None], f.C, f.D[:, None]), np.interp(coarse, knots, values), coarse
    )[1]
    assert np.allclose(y.T, outputs.reshape(y.T.shape), rtol=0, atol=1e-10)


def test_velocity_and_position_are_integrals_of_the_acceleration() -> None:
    h = 1e-3
    t = h * np.arange(8001)
    u = np.where(t > 1.0, 1.0, t)
    a, v, x = LAW.translation_filter(0).respond(u, h)
    for rate, value in ((a, v), (v, x)):
        total = np.concatenate([[0.0], np.cumsum(0.5 * h * (rate[1:] + rate[:-1]))])
        assert np.abs(total - value).max() < 2e-6
    assert abs(x[-1]) < 0.06  # washed out


def test_channels_are_independent_and_many() -> None:
    rng = np.random.default_rng(1)
    u = rng.standard_normal((200, 3, 2))
    f = transfer([power(2), [1.0]], polynomial([1.0, 0.4], [2.0, 1.0]))
    both = f.respond(u, 0.01)
    assert both.shape == (2, 200, 3, 2)
    assert np.allclose(both[:, :, 1, 0], f.respond(u[:, 1, 0], 0.01), rtol=0, atol=1e-14)


def test_a_planted_error_of_a_pole_is_seen() -> None:
    good = FILTERS["surge"]
    bad = Filter(good.A * (1 + 1e-6), good.B, good.C, good.D)
    u = np.ones(2000)
    assert np.abs(good.respond(u, 0.01) - bad.respond(u, 0.01)).max() > 1e-9


def test_published_parameters_are_those_of_their_source() -> None:
    """``(s/(s + w))^2``, ``4 w^2/(s + 2 w)^2`` and ``s/(s + w)``, w = 2.5 rad/s: what the source's difference equations
    are bilinear transforms of, read there."""
    law = ClassicalWashout.published("shoarai-2017", force_scale=0.3)
    assert (law.force_scale == 0.3).all()
    s, w = 1j * np.array([0.3, 2.0, 9.0]), 2.5
    for axis in range(3):
        assert np.allclose(
            law.translation_filter(axis).gain(s)[:, 0], (s / (s + w)) ** 2, rtol=1e-12
        )
        assert np.allclose(s * law.rotation_filter(axis).gain(s)[:, 0], s / (s + w), rtol=1e-12)
    tilt = 4 * w**2 / (s + 2 * w) ** 2
    assert np.allclose(law.tilt_filter().gain(s)[:, 0], tilt, rtol=1e-12)
    assert (
        np.abs(LAW.tilt_filter().gain(s)[:, 0] - tilt).min() > 1e-3
    )  # planted: the starting values
    with pytest.raises(InputError, match="shoarai-2017"):
        ClassicalWashout.published("reid-nahon-1985")
