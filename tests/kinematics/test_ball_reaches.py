"""How far the proved ball of a root reaches: seen from another chart, and towards infinity."""

from __future__ import annotations

import numpy as np
import pytest

from gough.kinematics.assembly import roots
from gough.kinematics.mode_boxes import _finite
from support.study_points import complex_point


def edge(X: np.ndarray, radius: float, rng: np.random.Generator) -> np.ndarray:
    """A point at the edge of the ball of X, in every coordinate."""
    unit = np.repeat(roots.weights(X), 4)
    return X + radius * unit * np.exp(2j * np.pi * rng.uniform(size=8))


@pytest.mark.parametrize("chart", [1, 2, 3])
@pytest.mark.parametrize("small", [0.9, 0.3, 0.03])
def test_a_ball_meets_each_of_its_points_in_every_chart(chart: int, small: float) -> None:
    """A coordinate `small` that becomes 1 makes the ball larger, by up to ``1/small^2``: a point of it is always met,
    and is not met by a ball that is ten times smaller, in most directions."""
    rng, radius, idle = np.random.default_rng(chart), 1e-3, 0
    for seed in range(0, 200, 4):  # the largest coordinate is the first
        X = complex_point(seed)
        X /= X[0]
        X[chart] *= small / abs(X[chart])
        there = edge(X, radius, rng)
        Y = there / there[chart]
        assert roots.meets(X, Y, chart, radius, 0.0)
        idle += roots.meets(X, Y, chart, 0.1 * radius, 0.0)
    assert idle < 5


def nearest_to_infinity(q: np.ndarray, reach: float) -> float:
    """Least ``|q.q|`` of the real q[0] and the imaginary q[1:], each moved by `reach` along its own axis."""
    return (q[0].real - reach) ** 2 - ((q[1:].imag + reach) ** 2).sum()


@pytest.mark.parametrize("size", [1.0, 0.9, 0.1, 1e-4])  # of q, where the largest coordinate is 1
@pytest.mark.parametrize("bent", [0.0, 0.3, 0.5])
def test_a_ball_that_reaches_infinity_has_no_finite_pose(size: float, bent: float) -> None:
    """q = (1, i bent, i bent, i bent) touches h = 0 with the radius (1 - sqrt(3) bent)/(1 + sqrt(3)).  No larger ball
    is called finite, and those of half the radius are."""
    q = size * np.array([1.0, 1j * bent, 1j * bent, 1j * bent])
    x = np.concatenate([q, [1.0, 0.2, 0.3, 0.1]])[None]
    w = np.repeat([size, 1.0], 4)[None]
    touch = (1.0 - np.sqrt(3.0) * bent) / (1.0 + np.sqrt(3.0))
    assert nearest_to_infinity(q, size * touch) == pytest.approx(0.0, abs=1e-15)
    for share, finite in ((0.5, True), (1.001, False), (1.1, False), (2.0, False)):
        assert _finite(x, w, np.array([share * touch]))[0] == finite
