"""The adaptive law: what it learns, what it cannot, and that every estimate is a body that could be."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import AdaptivePayload, Sampling, adaptive, excitation
from gough.control.adaptive import (
    FLOOR,
    PAYLOAD,
    learned,
    mass_rate,
    payload_parameters,
    pseudo_inertia,
    regressor,
    thickened,
    units_of,
)
from gough.control.tracking import task_error

MACHINES = (
    "motion-base-1500",
    "hexaglide",
    "servo-hexapod",
    "syed-6sps-drive",
)  # UPS, PUS, RUS, SPS
ALL = (0.05, 0.04, 0.03, 0.1, 0.12, 0.15)  # m, rad: amplitudes of a motion that shows everything
W, T = 40.0, 4e-3


def load(name: str) -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return gough.load(name)


def path(amplitude: Any = ALL, duration: float = 4.0) -> gough.trajectory.Trajectory:
    home = (0, 0, 1.15), (0, 0, 0)
    often = [1.0, 1.3, 0.8, 1.7, 2.1, 1.5]
    return gough.trajectory.harmonic(home, np.diag(amplitude), often, duration=duration)


@pytest.mark.parametrize("name", MACHINES)
def test_the_regressor_is_the_equations(name: str) -> None:
    """``Y p`` is what another payload adds to ``M a + b + M' s/2``, to round-off; a planted error is seen."""
    machine, rng = load(name), np.random.default_rng(5)
    home = machine.home
    n = 4
    turn = gough.spatial.rotation_exp(0.1 * rng.standard_normal((n, 3)))
    now = gough.Motion(
        np.repeat(home.position[None], n, axis=0),
        turn @ home.rotation,
        *(0.2 * rng.standard_normal((2, n, 3))),
    )
    body = machine.body
    other = machine.replace(
        body=gough.Body(1.4 * body.mass, body.center + 0.02, 1.3 * body.inertia)
    )
    wanted, s = rng.standard_normal((2, n, 6))

    def all_of(m: gough.Platform) -> Array:
        M, rate = gough.mass_matrix(m, now.pose), mass_rate(m, now, None)
        return (M @ wanted[..., None] + 0.5 * rate @ s[..., None])[..., 0] + gough.bias(m, now)

    p = payload_parameters(other.body) - payload_parameters(body)
    added = all_of(other) - all_of(machine)
    Y = regressor(machine, now, wanted, s)
    np.testing.assert_allclose(Y @ p, added, rtol=1e-7, atol=1e-7 * np.abs(added).max())
    wrong = regressor(machine, now, wanted, -s)
    assert np.abs(wrong @ p - added).max() > 1e-4 * np.abs(added).max()


class Watched(AdaptivePayload):
    """Keeps the Lyapunov function, estimate and error of each sample; `machine`: the true one."""

    machine: gough.Platform
    seen: list[tuple[float, Array, Array]]

    def update(self, t: float, measurement: Any, reference: Any, memory: Any) -> Any:
        e, rate = task_error(measurement.motion, reference.motion)
        s = (rate + self.bandwidth * e)[0]
        M = gough.mass_matrix(self.machine, measurement.motion.pose)[0]
        out = super().update(t, measurement, reference, memory)
        p = out[1]["payload"][0]
        V = 0.5 * s @ M @ s
        if self.adaptation:
            body = payload_parameters(self.model.body) + p
            V += apart(body, payload_parameters(self.machine.body)) / self.rate
        self.seen.append((V, p, e[0]))
        return out


def apart(body: Array, true: Array) -> float:
    """``ln det K - ln det K* + tr(K^-1 K*) - 4``; infinite where no body has these parameters."""
    K, goal = pseudo_inertia(body), pseudo_inertia(true)
    if np.linalg.eigvalsh(K).min() <= 0.0:
        return np.inf
    size = np.linalg.slogdet(K)[1]
    return float(size - np.linalg.slogdet(goal)[1] + np.trace(np.linalg.solve(K, goal)) - 4.0)


def adapted(
    adaptation: float, motion: gough.trajectory.Trajectory, duration: float, **more: Any
) -> tuple[Array, Array, Array, Array]:
    """Lyapunov function, estimates and task errors over a run, and the true difference; the model is too light."""
    machine = load("motion-base-1500")
    body = machine.body
    light = gough.Body(0.8 * body.mass, body.center - 0.03, 0.7 * body.inertia)
    law = Watched(machine.replace(body=light), W, adaptation)
    object.__setattr__(law, "machine", machine)
    object.__setattr__(law, "seen", [])
    given = {"drives": False, "sampling": Sampling(rate=1 / T), "step": T, **more}
    run = gough.simulate(
        machine,
        motion(0.0),
        duration=duration,
        controller=law,
        reference=motion,
        reactions=False,
        output=duration,
        **given,
    )
    assert run.attrs["end_time"] == duration
    V, p, e = (np.array(column) for column in zip(*law.seen, strict=True))
    return V, p, e, payload_parameters(body) - payload_parameters(light)


def test_the_adaptive_law_learns_the_payload() -> None:
    """Its Lyapunov function falls, but for the sampling's share, and under excitation all ten parameters converge."""
    motion = path()
    machine = load("motion-base-1500")
    assert excitation(machine, motion.sample(200)).rank == 10
    V, payload, _, true = adapted(1.0, motion, 4.0)
    assert V[-1] < 2e-3 * V[0]
    assert np.diff(V).clip(min=0.0).sum() < 0.02 * V[0]
    off = np.abs(payload - true) / (np.abs(true) + 0.02 * np.abs(true).max())
    assert off[-1].max() < 0.3
    assert off[-1][np.abs(true) > 0.1 * np.abs(true).max()].max() < 0.05
    assert (adapted(0.0, motion, 0.1)[1] == 0.0).all()  # nothing is learned without adaptation


def test_what_does_not_show_is_not_learned_and_the_error_still_vanishes() -> None:
    """At rest only the mass and two first moments show; the excitation says so before."""
    still = path([0.0] * 6)
    told = excitation(load("motion-base-1500"), still.sample(50))
    assert told.rank == 3
    assert told.identifiable == ("mass", "hx", "hy")
    V, payload, error, true = adapted(1.0, still, 2.0)
    assert np.abs(error[-1]).max() < 1e-3 * np.abs(error).max()
    assert np.diff(V).clip(min=0.0).sum() < 0.02 * V[0]
    shown = [0, 1, 2]
    np.testing.assert_allclose(payload[-1, shown], true[shown], rtol=2e-3)
    hidden = told.hidden @ ((payload[-1] - true) / told.scale)
    assert np.abs(hidden).max() > 0.02  # and so nothing is claimed


@pytest.mark.parametrize(
    ("amplitude", "rank"),
    [
        ([0, 0, 0.03, 0, 0, 0], 3),  # along gravity nothing but the weight shows
        ([0.05, 0.04, 0.03, 0, 0, 0], 4),  # accelerations across it show the height
        ([0, 0, 0, 0, 0, 0.15], 6),  # yaw: Izz, Ixz, Iyz
        ([0, 0, 0, 0.1, 0, 0], 7),
        (ALL, 10),
    ],
)
def test_the_rank_is_that_of_the_inverse_dynamics(amplitude: Any, rank: int) -> None:
    """Bodies that differ along a hidden direction need the same efforts all along; along the others they do not."""
    machine = load("motion-base-1500")
    motion = path(amplitude).sample(40)
    told = excitation(machine, motion)
    assert told.rank == rank
    assert ("not identifiable" in str(told)) == (rank < 10)
    exact = gough.inverse_dynamics(machine, motion).force

    def changed(direction: Array) -> float:
        p = payload_parameters(machine.body) + 0.01 * direction * told.scale
        c = p[PAYLOAD.first] / p[PAYLOAD.mass]
        inertia = adaptive._tensor(p) - p[PAYLOAD.mass] * (c @ c * np.eye(3) - np.outer(c, c))
        other = machine.replace(body=gough.Body(float(p[PAYLOAD.mass]), c, inertia))
        return float(np.abs(gough.inverse_dynamics(other, motion).force - exact).max())

    weight = machine.body.mass * 9.81
    for direction in told.hidden:
        assert changed(direction) < 1e-9 * weight
    _, _, V = np.linalg.svd(told.hidden, full_matrices=True)
    for direction in V[len(told.hidden) :]:
        assert changed(direction) > 1e-5 * weight


def test_every_estimate_is_a_body_that_could_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pulled up by more than its weight, or asked for more than its drives give, late and with blunt encoders: all that
    is learned as payload, and yet mass and pseudo-inertia stay positive and bounded; the plain law (planted: a straight
    step) leaves what bodies there can be."""
    machine = load("motion-base-1500")
    lift = np.array([0.0, 0.0, 1.3 * machine.body.mass * 9.81, 0.0, 0.0, 0.0])
    worst = Sampling(rate=1 / T, delay=T, quantization=1e-4, velocity="observed")
    given: dict[str, Any] = {"external": lift, "sampling": worst, "step": T / 2}
    for drives in (False, True):
        V, payload, _, true = adapted(0.5, path(), 0.6, drives=drives, **given)
        known = payload_parameters(machine.body) - true
        assert np.isfinite(V).all()
        size = np.linalg.eigvalsh(pseudo_inertia(known + payload) / units_of(known))
        assert size.min() > 0.99 * FLOOR
        assert size.max() < 10.0 * (1 + 1e-9)
        assert (known + payload)[:, PAYLOAD.mass].min() > 0.0
    assert size.max() > 9.9  # saturated drives are learned as far as the bound
    rates = np.maximum(known**2, 1e-3 * known.max() ** 2)
    monkeypatch.setattr(adaptive, "learned", lambda body, push, *more: body + rates * push)
    assert np.isinf(adapted(0.5, path(), 0.6, drives=True, **given)[0]).any()


def test_the_step_is_the_gradient_in_its_own_metric() -> None:
    """``K' = K L K`` with ``tr(L K(p)) = p . v``: by its definition, entry by entry; nothing moves without a push."""
    body, rng = payload_parameters(load("motion-base-1500").body), np.random.default_rng(1)
    v = 1e-9 * rng.standard_normal(PAYLOAD.size)
    change = learned(body[None], v[None], units_of(body))[0] - body
    back = np.linalg.inv(pseudo_inertia(body))
    L = back @ pseudo_inertia(change) @ back
    for k, unit in enumerate(np.eye(PAYLOAD.size)):
        assert np.trace(L @ pseudo_inertia(unit)) == pytest.approx(v[k], rel=1e-5)
    assert (learned(body[None], np.zeros((1, 10)), units_of(body))[0] == body).all()


def test_the_bounds_bring_the_estimate_nearer_to_every_body_within() -> None:
    """Bregman projection: ``D(K*, K) >= D(K*, lifted) + D(lifted, K)`` for bodies drawn at random; above as below."""
    rng = np.random.default_rng(2)
    units = units_of(payload_parameters(load("hexaglide").body))
    for _ in range(50):
        A, B = rng.standard_normal((2, 4, 4))
        goal = A @ A.T / np.linalg.norm(A) ** 2 * 5.0 + 2 * FLOOR * np.eye(4)
        thin = B @ np.diag([30.0, 1e-3, 0.5 * FLOOR, 1e-3 * FLOOR]) @ B.T
        given, true = (adaptive._parameters(K * units) for K in (thin, goal))
        lifted = learned(given[None], np.zeros((1, 10)), units, 10.0)[0]
        assert np.linalg.eigvalsh(pseudo_inertia(lifted) / units).min() > 0.99 * FLOOR
        assert apart(given, true) >= (apart(lifted, true) + apart(given, lifted)) * (1 - 1e-6)


def test_thin_and_impossible_bodies_start_from_the_nearest_that_could_be() -> None:
    for name in ("lopes-6pus", "dasgupta-1998"):  # a plate; a tensor that no mass has
        given = payload_parameters(load(name).body)
        start = thickened(given)
        assert np.linalg.eigvalsh(pseudo_inertia(given)).min() <= 1e-12
        assert np.linalg.eigvalsh(pseudo_inertia(start)).min() > 0.0
        assert np.abs(start - given).max() < 0.01 * np.abs(given).max()
    whole = payload_parameters(load("motion-base-1500").body)
    assert (thickened(whole) == whole).all()


def test_bad_motions_are_refused() -> None:
    machine = load("motion-base-1500")
    with pytest.raises(gough.InputError, match="row of instants"):
        excitation(machine, path()(0.0))
