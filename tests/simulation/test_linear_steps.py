"""Steps of the alpha family where everything is linear: Newton's matrix is exact, so a second look finds nothing to do;
and rotations of thirteen bodies by quaternions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation.alpha_family import Method, Newton, _Point, _step, integrate
from gough.simulation.dae import MachineSystem, generalized_alpha, hht
from gough.spatial import rotation_exp, rotation_from_quaternion


class Slide:
    """Two masses on a plane with springs and dampers; their sum of places is 0.3 t: all of it linear."""

    M = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.5]])
    K = np.array([[40.0, -10.0, 0.0], [-10.0, 30.0, 5.0], [0.0, 5.0, 20.0]])
    D = np.array([[5.0, 1.0, 0.0], [1.0, 4.0, 0.5], [0.0, 0.5, 6.0]])
    A = np.array([[1.0, 1.0, -0.5]])

    def __init__(self, springs: bool = True) -> None:
        self.springs = springs

    @property
    def size(self) -> tuple[int, int]:
        return 3, 1

    def mass(self, q: Array) -> Array:
        return self.M

    def force(self, q: Array, v: Array, t: float) -> Array:
        elastic = self.K @ q if self.springs else np.zeros(3)
        return np.array([1.0, -2.0, 0.5]) + np.sin(3.0 * t) - self.D @ v - elastic

    def damping(self, q: Array, v: Array, t: float) -> Array:
        return self.D

    def constraint(self, q: Array, t: float) -> Array:
        return self.A @ q - 0.3 * t

    def jacobian(self, q: Array, t: float) -> Array:
        return self.A

    def constraint_rate(self, t: float) -> Array:
        return np.array([-0.3])

    def gamma(self, q: Array, v: Array, t: float) -> Array:
        return np.zeros(1)

    def retract(self, q: Array, dx: Array) -> Array:
        return q + dx

    def blocks(self) -> None:
        return None


METHODS = [hht(-0.2), generalized_alpha(0.9), generalized_alpha(0.3), generalized_alpha(0.0)]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name} {m.alpha_m:.2g}")
@pytest.mark.parametrize("h", [1e-3, 0.1])
def test_a_linear_step_without_springs_needs_one_correction(method: Method, h: float) -> None:
    """Springs are left out of Newton's matrix, dampers are not: then the second look finds the balance closed."""
    run = integrate(
        Slide(springs=False),
        np.zeros(3),
        np.array([0.3, 0.0, 0.0]),
        duration=10 * h,
        step=h,
        method=method,
    )
    assert run.ok
    assert (run.iterations == 2).all()
    assert run.residual.max() < 1e-12


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name} {m.alpha_m:.2g}")
def test_a_step_is_the_published_formulas(method: Method) -> None:
    """Balance at the end, the auxiliary acceleration by its recurrence, places and speeds by Newmark's."""
    h, system = 0.05, Slide()
    q, v = np.array([0.1, -0.2, -0.2]), np.array([0.1, 0.3, 0.2])
    vd, a = np.array([1.0, -0.5, 0.3]), np.array([0.8, -0.4, 0.5])
    now = _Point(q, v, vd, a, np.array([0.7]), 0.0)
    new: Any = _step(system, now, h, h, method, Newton())
    m, f, beta, gamma = method.alpha_m, method.alpha_f, method.beta, method.gamma
    left = (1 - m) * new.a + m * a
    np.testing.assert_allclose(left, (1 - f) * new.vd + f * vd, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(new.v, v + h * ((1 - gamma) * a + gamma * new.a), rtol=1e-12)
    moved = q + h * v + h * h * ((0.5 - beta) * a + beta * new.a)
    np.testing.assert_allclose(new.q, moved, rtol=1e-12)
    balance = system.M @ new.vd + system.A.T @ new.multiplier - system.force(new.q, new.v, h)
    assert np.abs(balance).max() < 1e-8
    assert np.abs(system.constraint(new.q, h)).max() < 1e-12
    assert new.t == h


def test_members_have_their_published_numbers() -> None:
    """[Bruls2010]: second order for ``gamma = 1/2 + alpha_f - alpha_m``, and ``beta = (gamma + 1/2)^2/4``."""
    for method in METHODS:
        assert method.gamma == pytest.approx(0.5 + method.alpha_f - method.alpha_m)
        assert method.beta == pytest.approx((method.gamma + 0.5) ** 2 / 4)


def test_turns_of_bodies_multiply_and_places_add() -> None:
    """By rotation matrices: the turn in world axes before what there was; back again by what is read off the bodies."""
    system = MachineSystem(gough.load("motion-base-1500"))
    rng = np.random.default_rng(3)
    bodies = rng.normal(size=(13, 7))
    bodies[:, 3:] /= np.linalg.norm(bodies[:, 3:], axis=1, keepdims=True)
    d = rng.normal(size=(13, 6))
    d[4, 3:] = 0.0
    moved = system.retract(bodies.reshape(91), d.reshape(78)).reshape(13, 7)
    np.testing.assert_allclose(moved[:, :3], bodies[:, :3] + d[:, :3], rtol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(moved[:, 3:], axis=1), 1.0, rtol=1e-14)
    turned = rotation_exp(d[:, 3:]) @ rotation_from_quaternion(bodies[:, 3:])
    np.testing.assert_allclose(rotation_from_quaternion(moved[:, 3:]), turned, atol=1e-14)
    state = system.state(np.stack([bodies.reshape(91), moved.reshape(91)]))
    assert state.r.shape == (2, 14, 3)
    np.testing.assert_array_equal(state.r[0, :13], bodies[:, :3])
    np.testing.assert_allclose(state.A[1, :13], turned, atol=1e-14)
    np.testing.assert_array_equal(state.A[:, 13], [np.eye(3)] * 2)
    assert not state.r[:, 13].any()
    back = system.configuration(state)
    assert back.shape == (2, 91)
    again = back[1].reshape(13, 7)
    np.testing.assert_allclose(again[:, :3], moved[:, :3], rtol=1e-14)
    np.testing.assert_allclose(rotation_from_quaternion(again[:, 3:]), turned, atol=1e-13)
