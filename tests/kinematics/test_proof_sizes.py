"""The bounds by norms that a proof of a root leans on: true in every direction, and near the truth in some.

Sizes of a leg's condition, of its gradient and of its second derivative, for joints, K, v and w of very different
sizes, against the condition itself in many directions (leg_equations.py).  A bound that is too small in any of its
terms lets through what is not proved; one that is too large by more than a factor loses proofs.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gough.kinematics.assembly.leg_equations import Leg, Number, Numbers, dot, jacobian, numbers
from gough.kinematics.assembly.proof_program import _FarSizes, _Sizes

DIRECTIONS = 60
LOOSE = 30.0  # norms of vectors in place of sums of components, and all terms of one sign
CASES = list(product([0.01, 100.0], repeat=5))  # |d|, |m|, sqrt|K|, |v|, |w|


def legs_and_points(
    sizes: tuple[float, ...], seed: int
) -> list[tuple[Leg, Numbers, Numbers, Number]]:
    """Directions of joints and points with these sizes; K with any phase."""
    rng = np.random.default_rng(seed)
    d, m, k, v, w = sizes
    found = []
    for turn in range(DIRECTIONS):
        real = rng.normal(size=(2, 3))
        real /= np.linalg.norm(real, axis=1)[:, None]
        wide = rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3)) * (turn % 2)
        wide /= np.linalg.norm(wide, axis=1)[:, None]
        phase = np.exp(2j * np.pi * rng.uniform()) if turn % 2 else 1.0 - 2.0 * (turn % 4 == 0)
        K = k * k * phase
        at = [numbers(list((z * s).view(float))) for z, s in zip(wide, (v, w), strict=True)]
        leg = Leg([*(d * real[0]), *(m * real[1]), np.real(K), np.imag(K)])
        found.append((leg, *at, dot(at[0], at[1])))
    return found


def size(z: Number) -> float:
    return float(np.hypot(z.re, z.im))


def weighed(row: Numbers, wv: float, wg: float) -> float:
    """Sum of |dF/dx| over the unit ball of the proof's norm."""
    return sum(size(z) * s for z, s in zip(row, [wv] * 3 + [wg] * 3, strict=True))


@pytest.mark.parametrize("sizes", CASES, ids=str)
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 1e4), (1e4, 1.0)])
def test_value_and_gradient_of_a_leg(
    sizes: tuple[float, ...], weights: tuple[float, float]
) -> None:
    values, gradients = [], []
    for leg, v, w, sigma in legs_and_points(sizes, 1):
        c, n = leg.seen(v)
        values.append(size(leg.value(w, sigma, dot(v, v) + Number(1.0, 0.0), c, n)))
        gradients.append(weighed(leg.gradient(v, w, sigma, c, n), *weights))
    bound = _Sizes(leg, sizes[3], sizes[4], *weights)
    assert max(values) <= bound.value <= LOOSE * max(values)
    assert max(gradients) <= bound.gradient <= LOOSE * max(gradients)


@pytest.mark.parametrize("sizes", list(product([0.01, 100.0], repeat=2)), ids=str)
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 1e4), (1e4, 1.0)])
def test_value_and_gradient_of_what_all_legs_share(
    sizes: tuple[float, float], weights: tuple[float, float]
) -> None:
    values, gradients = [], []
    for _, v, w, sigma in legs_and_points((1.0, 1.0, 1.0, *sizes), 2):
        none = [Leg([0.0] * 8)] * 6
        values.append(2.0 * size(sigma * sigma + dot(w, w)))
        gradients.append(weighed(jacobian(none, v, w, sigma)[-1], *weights))
    bound = _FarSizes(*sizes, *weights)
    assert max(values) <= bound.value <= LOOSE * max(values)
    assert max(gradients) <= bound.gradient <= LOOSE * max(gradients)


def bent(leg: Leg, dv: Numbers, dw: Numbers, dg: Number) -> float:
    """|Phi''| along (dv, dg0, dw): the condition is quadratic in them, so two values and the middle give it."""

    def phi(s: float) -> Number:
        v, w, sigma = [z * s for z in dv], [z * s for z in dw], dg * -s
        return leg.value(w, sigma, dot(v, v) + Number(1.0, 0.0), *leg.seen(v))

    return size(phi(1.0) + phi(-1.0) - phi(0.0) * 2.0)


@pytest.mark.parametrize("sizes", list(product([0.01, 100.0], repeat=3)), ids=str)
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 1e4), (1e4, 1.0)])
def test_second_derivative_of_a_leg(
    sizes: tuple[float, float, float], weights: tuple[float, float]
) -> None:
    found = []
    wv, wg = weights
    for leg, v, w, sigma in legs_and_points((*sizes, np.sqrt(3.0) * wv, np.sqrt(3.0) * wg), 3):
        phase = sigma * (wg / size(sigma))
        found.append(bent(leg, v, w, phase))
    bound = _Sizes(leg, 1.0, 1.0, *weights).bend
    assert max(found) <= bound <= LOOSE * max(found)


@pytest.mark.parametrize("wg", [0.01, 100.0])
def test_second_derivative_of_what_all_legs_share(wg: float) -> None:
    """2 (g0^2 + w.w) over |g0|, |w_k| <= wg: at most 4 (1 + 3) wg^2, in the corner of real numbers."""
    assert _FarSizes(1.0, 1.0, 1.0, wg).bend == pytest.approx(4.0 * 4.0 * wg * wg)
