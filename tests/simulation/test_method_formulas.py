"""The formulas of the integrators by themselves, against matrices and differences, and legs of many runs at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gough
from gough.layout import LEG_MOTION, STATE
from gough.results import condition_number
from gough.simulation import events
from gough.simulation.alpha_family import Method
from gough.simulation.integrators import fixed_step, lie, rk4, semi_implicit
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.integrators.generalized_alpha import generalized_alpha
from gough.simulation.integrators.hht import hht
from gough.simulation.state import Rows
from gough.spatial import rotation_exp, rotation_from_quaternion, skew
from gough.struts import struts


def blocks(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    z = {name: rng.normal(size=3) for name in ("position", "velocity", "angular_velocity", "turn")}
    return z | {"rotation": rotation_exp(rng.normal(size=3)).ravel()}


def matrix(rows: object) -> np.ndarray:
    return np.array(rows, dtype=float).reshape(3, 3)


@pytest.mark.parametrize("seed", range(3))
def test_cayley_is_the_rotation_of_a_quaternion(seed: int) -> None:
    z = blocks(seed)
    u, R = z["turn"], z["rotation"].reshape(3, 3)
    turned = matrix(fixed_step.cayley(fixed_step.Vec(*u), R.ravel()))
    np.testing.assert_allclose(turned, rotation_from_quaternion(np.r_[1.0, u / 2]) @ R, atol=1e-14)
    columns = fixed_step.columns(R.ravel())
    np.testing.assert_array_equal(matrix(fixed_step.by_rows(*columns)), R)


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_the_charts_turn_the_platform(seed: int) -> None:
    """R' = w~ R whatever the chart, by central differences along its own rates."""
    z, h = blocks(seed), 1e-6
    w = z["angular_velocity"]
    R = matrix(lie.METHOD.pose(z)[1])
    rates = np.array(lie.METHOD.rates(z), dtype=float)
    np.testing.assert_array_equal(rates[:3], z["velocity"])
    ends = [
        matrix(lie.METHOD.pose({**z, "turn": z["turn"] + s * h * rates[3:]})[1]) for s in (1, -1)
    ]
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), skew(w) @ R, atol=1e-8)
    np.testing.assert_array_equal(matrix(lie.METHOD.finish(z, 0.1)[1]), R)
    rates = np.array(rk4.METHOD.rates(z), dtype=float)
    np.testing.assert_array_equal(rates[:3], z["velocity"])
    np.testing.assert_allclose(matrix(rates[3:]), skew(w) @ z["rotation"].reshape(3, 3), atol=1e-14)
    assert tuple(semi_implicit.METHOD.rates(z)) == ()


@pytest.mark.parametrize("seed", range(3))
def test_ends_of_the_steps(seed: int) -> None:
    """rk4: one Newton step of the polar decomposition; semi-implicit: the pose moved by the new velocities."""
    z = blocks(seed)
    A = z["rotation"].reshape(3, 3) + 1e-2 * np.random.default_rng(seed).normal(size=(3, 3))
    position, R = rk4.METHOD.finish({**z, "rotation": A.ravel()}, 0.1)
    np.testing.assert_array_equal(position, z["position"])
    np.testing.assert_allclose(matrix(R), A @ (3 * np.eye(3) - A.T @ A) / 2, atol=1e-14)
    position, R = semi_implicit.METHOD.finish(z, 0.1)
    np.testing.assert_allclose(position, z["position"] + 0.1 * z["velocity"], atol=1e-15)
    half = rotation_from_quaternion(np.r_[1.0, 0.05 * z["angular_velocity"]])
    np.testing.assert_allclose(matrix(R), half @ z["rotation"].reshape(3, 3), atol=1e-14)


@pytest.mark.parametrize("method", [rk4.METHOD, lie.METHOD, semi_implicit.METHOD])
def test_tableaus_are_consistent(method: fixed_step.FixedStep) -> None:
    """Sum of the weights 1; of order four: sum w c = 1/2, w c^2 = 1/3, w c^3 = 1/4."""
    w, c = np.array(method.weights), np.array(method.nodes)
    assert len(w) == len(c) == method.order
    for k in range(method.order):
        assert (w * c**k).sum() == pytest.approx(1 / (k + 1))


def amplification(method: Method, frequency: float) -> np.ndarray:
    """(3, 3) of (d, v, a) over one step h = 1 of the oscillator d'' = -frequency^2 d."""
    am, af, beta, gamma = method.alpha_m, method.alpha_f, method.beta, method.gamma
    k = frequency**2
    new = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - af) * k, 0, 1 - am]])
    old = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-af * k, 0, -am]])
    return np.linalg.solve(new, old)


@pytest.mark.parametrize("radius", [0.0, 0.4, 0.9, 1.0])
def test_generalized_alpha_damps_to_its_radius(radius: float) -> None:
    method = generalized_alpha(radius)
    fast = np.abs(np.linalg.eigvals(amplification(method, 1e5))).max()
    assert fast == pytest.approx(radius, abs=2e-2 if radius == 0 else 2e-3)
    assert method.gamma == pytest.approx(0.5 + method.alpha_f - method.alpha_m)  # order two
    slow = np.abs(np.linalg.eigvals(amplification(method, 1e-3))).max()
    assert slow == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("alpha", [0.0, -0.05, -0.3])
def test_hht_damps_by_its_alpha(alpha: float) -> None:
    method = hht(alpha)
    assert (method.alpha_m, method.alpha_f) == (0.0, -alpha)
    assert method.gamma == pytest.approx(0.5 - alpha)
    fast = np.abs(np.linalg.eigvals(amplification(method, 1e5))).max()
    assert fast == pytest.approx((1 + alpha) / (1 - alpha), abs=1e-3)


@pytest.mark.parametrize("make", [hht, generalized_alpha])
def test_damping_that_nobody_gives(make: Callable[[], Method]) -> None:
    """Both methods leave nine tenths of the fastest oscillations in a step."""
    fast = np.abs(np.linalg.eigvals(amplification(make(), 1e5))).max()
    assert fast == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        (hht, 0.01),
        (hht, -0.34),
        (hht, np.nan),
        (generalized_alpha, 1.01),
        (generalized_alpha, -0.01),
        (lambda v: Adaptive("RK45", rtol=v), 0.0),
        (lambda v: Adaptive("RK45", atol=v), -1.0),
        (Adaptive, "Euler"),
    ],
)
def test_parameters_beyond_their_range_are_refused(make: object, bad: object) -> None:
    with pytest.raises(gough.InputError):
        make(bad)  # type: ignore[operator]
    hht(-1 / 3)
    generalized_alpha(1.0)


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "servo-hexapod"])
def test_legs_of_many_runs_and_records_are_each_their_own(name: str) -> None:
    """(records, rows, runs): coordinates, rates, directions and condition belong to their own state."""
    platform = gough.load(name)
    home, rng = platform.require_home(), np.random.default_rng(4)
    K, n = 3, 4
    turn = rotation_exp(0.02 * rng.normal(size=(K, n, 3))) @ home.rotation
    position = home.position + 1e-3 * rng.normal(size=(K, n, 3))
    v, w = rng.normal(size=(2, K, n, 3))
    rows = Rows(platform, False)
    states = np.zeros((K, rows.size, n))
    for k in range(K):
        states[k] = rows.start(gough.Motion(position[k], turn[k], v[k], w[k]), None)
    assert np.abs(states[:, STATE.rotation][0, :, 0] - turn[0, 0].ravel()).max() == 0.0
    states[1, :, 2] = np.nan  # a run that has ended
    flat = np.moveaxis(states, 1, 0).reshape(rows.size, K * n)
    legs = rows.kinematics(flat).reshape(K, n, 6, LEG_MOTION.size)
    length, rate = legs[..., LEG_MOTION.coordinate], legs[..., LEG_MOTION.rate]
    direction = legs[..., LEG_MOTION.direction]
    R = np.moveaxis(states[:, STATE.rotation], 1, -1).reshape(K, n, 3, 3)
    condition = events.conditions(rows, direction, R, position)
    for k, i in np.ndindex(K, n):
        if (k, i) == (1, 2):
            assert np.isnan(length[k, i]).all()
            assert np.isnan(condition[k, i])
            continue
        g = struts(platform, gough.Pose(position[k, i], turn[k, i]))
        np.testing.assert_allclose(length[k, i], g.coordinate, atol=1e-9)
        np.testing.assert_allclose(rate[k, i], g.rate(v[k, i], w[k, i]), rtol=1e-9)
        np.testing.assert_allclose(direction[k, i], g.direction, atol=1e-10)
        wanted = condition_number(g.wrench_matrix, platform.characteristic_length)
        assert condition[k, i] == pytest.approx(wanted, rel=1e-9)
