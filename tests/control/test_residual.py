"""What steps and noise of the sensors leave at rest: a bound that no run passes, and one that can be reached."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import Sampling, Sensor, residual
from gough.control.one_sample import LinearSample, smooth
from gough.control.register import law_of
from gough.control.rest_motion import _noise, peak
from gough.control.signals import CHANNELS
from gough.simulation import State

RATE = 500.0
ENCODERS = Sampling(rate=RATE, quantization=1e-5, velocity="observed")
IN_THE_LOOP = Sampling(
    rate=RATE, quantization=1e-5, delay=3e-3, velocity="observed", pose="forward-kinematics"
)
STEPS = {"position": 1e-6, "rotation": 1e-5, "velocity": 1e-5, "angular_velocity": 1e-4}
TRACKER = Sampling(rate=RATE, sensors={n: Sensor(quantization=q) for n, q in STEPS.items()})
CASES: list[tuple[str, str, Sampling, float, dict[str, Any]]] = [
    ("motion-base-1500", "decentralized", ENCODERS, 20.0, {"integral": 0.3}),
    ("hexaglide", "computed-force", IN_THE_LOOP, 20.0, {}),
    ("servo-hexapod", "computed-force", TRACKER, 40.0, {"integral": 0.3}),
    ("syed-6sps-drive", "disturbance-observer", TRACKER, 20.0, {}),
]


@cache
def load(name: str) -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return smooth(gough.load(name))


def at_rest(
    machine: gough.Platform, law: Any, sampling: Sampling, samples: int, runs: int = 6
) -> tuple[Array, Array]:
    """Displacements (runs, samples/2, 6) from home and motor efforts, after the start is forgotten."""
    home, drawn = machine.require_home(), np.random.default_rng(0).standard_normal((runs, 3))
    start = State(home.position + 1e-5 * drawn, np.repeat(home.rotation[None], runs, axis=0))
    run = gough.simulate(
        machine,
        start,
        duration=samples / RATE,
        step=1e-3,
        controller=law,
        reference=home,
        sampling=sampling,
        reactions=False,
        output=1 / RATE,
    )
    position = run.position.values[:, samples // 2 :]
    R = gough.Pose.from_quaternion(position, run.quaternion.values[:, samples // 2 :]).rotation
    turn = gough.spatial.rotation_log(R @ home.rotation.T)
    moved = np.concatenate([position - home.position, turn], axis=-1)
    return moved, run.motor_force.values[:, samples // 2 : -1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[1] + " " + case[0])
def test_no_run_passes_the_bound_of_quantization(
    case: tuple[str, str, Sampling, float, dict[str, Any]],
) -> None:
    """Limit cycles on legs of all kinds, encoders and pose sensors, observer, delay, memory; they come within a
    factor of fifty, and the efforts within five, of what is the worst of all sequences of errors."""
    name, kind, sampling, w, given = case
    machine = load(name)
    law = law_of(kind)(machine, bandwidth=w, **given)
    told = residual(machine, law, sampling=sampling)
    moved, effort = at_rest(machine, law, sampling, 1200)
    most = np.abs(moved).max(axis=(0, 1))
    rest = gough.inverse_dynamics(machine, machine.require_home()).force
    ripple = np.abs(effort - rest).max(axis=(0, 1))
    assert (most <= told.displacement).all()
    assert (ripple <= told.effort).all()
    assert (ripple > 0.2 * told.effort).any()
    assert (most > 0.02 * told.displacement).any()
    assert (told.displacement_noise == 0.0).all()


def test_a_bound_that_forgets_the_observer_is_passed() -> None:
    """Planted: velocities as if measured without error."""
    machine = load("motion-base-1500")
    law = law_of("decentralized")(machine, bandwidth=20.0, integral=0.3)
    blind = residual(machine, law, sampling=Sampling(rate=RATE, quantization=1e-5))
    _, effort = at_rest(machine, law, ENCODERS, 600)
    rest = gough.inverse_dynamics(machine, machine.require_home()).force
    assert (np.abs(effort - rest).max(axis=(0, 1)) > blind.effort).all()


def test_some_errors_reach_the_bound() -> None:
    """It is the least: the sequence of signs of ``P M^k S``, backwards, comes to it on the linear loop."""
    machine = load("motion-base-1500")
    law = law_of("decentralized")(machine, bandwidth=20.0, integral=0.3)
    loop = gough.control.sampled_loop(machine, law, sampling=ENCODERS)
    M, bound = loop.A + loop.B @ loop.C, peak(loop, ENCODERS)
    X, rows = loop.S, []
    for _ in range(3000):
        rows.append(loop.P[0] @ X)
        X = M @ X
    z = np.zeros(len(M))
    for row in rows[::-1]:
        z = M @ z + loop.S @ (0.5e-5 * np.sign(row))
    assert loop.P[0] @ z == pytest.approx(bound[0], rel=1e-3)


def test_noise_spreads_as_computed() -> None:
    machine = load("motion-base-1500")
    law = law_of("decentralized")(machine, bandwidth=30.0, integral=0.3)
    noisy = Sampling(rate=RATE, noise=1e-5, velocity="observed")
    told = residual(machine, law, sampling=noisy)
    moved, effort = at_rest(machine, law, noisy, 2000)
    np.testing.assert_allclose(moved.std(axis=(0, 1)), told.displacement_noise, rtol=0.1)
    np.testing.assert_allclose(effort.std(axis=(0, 1)), told.effort_noise, rtol=0.05)
    assert (told.displacement == 0.0).all()


def leaky(gain: float) -> LinearSample:
    """``y' = (1 - gain) y - gain q``: six integrators with feedback of what is read off by q."""
    S = np.zeros((6, CHANNELS.size))
    S[:, CHANNELS.length] = -gain * np.eye(6)
    eye = np.eye(6)
    return LinearSample(eye, eye, -gain * eye, eye, eye, S, 1e-3, np.zeros(6))


def test_a_loop_known_in_closed_form() -> None:
    """``sum |(1-k)^j k| step/2``; ``k/sqrt(1 - (1-k)^2)`` of the noise; none where it is unstable."""
    k, sampling = 0.3, Sampling(quantization=2e-4, noise=1e-4)
    np.testing.assert_allclose(peak(leaky(k), sampling)[:6], 1e-4, rtol=1e-6)
    np.testing.assert_allclose(peak(leaky(k), sampling)[:6], 1e-4 * np.ones(6), rtol=1e-6)
    over = peak(leaky(1.6), sampling)[:6]  # it alternates: sum |(-0.6)^j 1.6|
    np.testing.assert_allclose(over, 4e-4, rtol=1e-6)
    spread = _noise(leaky(k), sampling)[:6]
    np.testing.assert_allclose(spread, 1e-4 * k / np.sqrt(1 - (1 - k) ** 2), rtol=1e-9)
    assert (peak(leaky(2.1), sampling) == np.inf).all()
    assert (_noise(leaky(2.1), sampling) == np.inf).all()
    assert (peak(leaky(1e-7), sampling) == np.inf).all()  # forgets in ten million samples


def test_margins_and_tuner_with_and_without_quantization() -> None:
    machine = load("motion-base-1500")
    law = law_of("decentralized")(machine, bandwidth=20.0, integral=0.3)
    exact = Sampling(rate=RATE, delay=4e-3, velocity="observed")
    coarse = replace(exact, quantization=1e-4)
    plain, fine = (gough.control.margins(machine, law, sampling=s) for s in (coarse, exact))
    assert plain.together.gain_up == pytest.approx(float(fine.together.gain_up), rel=1e-4)
    bound = residual(machine, law, sampling=coarse).displacement
    room = 1.1 * bound
    kept = gough.control.margins(machine, law, sampling=coarse, within=room)
    assert 1.0 < kept.together.gain_up < 0.99 * plain.together.gain_up
    assert kept.together.modulus == pytest.approx(float(plain.together.modulus))
    none = gough.control.margins(machine, law, sampling=coarse, within=0.9 * bound)
    assert np.isnan(none.together.gain_up)
    assert none.stable  # yet not within
    given: dict[str, Any] = {"sampling": coarse, "integral": 0.3, "margin": 1.2}
    free, tight = (
        gough.control.tune(machine, "decentralized", within=w, **given) for w in (None, room)
    )
    assert (residual(machine, tight, sampling=coarse).displacement <= room).all()
    assert (residual(machine, free, sampling=coarse).displacement > room).any()
    assert (tight.kp < free.kp).all()  # type: ignore[union-attr]
    for bad in ([1.0], [0.0] * 6):
        with pytest.raises(gough.InputError, match="within"):
            gough.control.margins(machine, law, sampling=coarse, within=bad)
    with pytest.raises(gough.InputError, match="stays within its room"):
        gough.control.tune(machine, "decentralized", within=1e-3 * room, **given)
