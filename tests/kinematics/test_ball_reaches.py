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


def seen_in(point: np.ndarray, chart: int, radius: float, rng: np.random.Generator) -> np.ndarray:
    """A middle, with 1 at its chart, whose ball of that radius holds the point (which may reach the ball's edge)."""
    at = point / point[chart]
    for _ in range(100):
        move = radius * np.repeat(roots.weights(at), 4) * rng.uniform(0.0, 0.9, 8)
        X = at + move * np.exp(2j * np.pi * rng.uniform(size=8))
        X[chart] = 1.0
        if (np.abs(at - X) <= radius * np.repeat(roots.weights(X), 4)).all():
            return X
    raise AssertionError("no such ball")


def test_two_balls_around_one_root_always_meet() -> None:
    """Whatever their sizes, up to most of the chart, and however small the coordinate of one that is 1 for the other:
    two balls with a root in common are never called distinct.  Small balls around different roots are."""
    rng, large = np.random.default_rng(5), 0
    for trial in range(3000):
        P = complex_point(int(rng.integers(200)))
        own, other = rng.permutation(4)[:2]
        P[other] *= 10.0 ** rng.uniform(-14.0, 0.0) if trial % 2 else 1.0
        blow, radius = 10.0 ** rng.uniform(-12.0, -0.1, 2)
        X, Y = seen_in(P, own, blow, rng), seen_in(P, other, radius, rng)
        assert roots.meets(X, Y, other, blow, radius)
        large += roots.grown(X, other, blow) < 0.0
    assert large > 100  # where no bound can be given are among them
    for seed in range(0, 100, 4):
        X, Y = complex_point(seed), complex_point(seed + 4)
        X, Y = X / X[0], Y / Y[1]
        assert not roots.meets(X, Y, 1, 1e-9, 1e-9)
        for z in (
            0.0,
            1e-15,
            1e-12,
        ):  # another chart's infinity, or nearly: far from all that is near Y
            X[1] = z
            for blow in (4e-16, 1e-9):
                assert not roots.meets(X, Y, 1, blow, 1e-9)


@pytest.mark.parametrize("blow", [1e-12, 1e-6, 1e-3, 0.05, 0.4])
def test_a_ball_within_another_has_all_its_points_there(blow: float) -> None:
    """Only what is called within may be taken for the one root of the other ball."""
    rng, told = np.random.default_rng(8), 0
    for _ in range(400):
        X = complex_point(int(rng.integers(200)))
        own, chart = rng.permutation(4)[:2]
        X /= X[own]
        radius = blow * 10.0 ** rng.uniform(-1.0, 3.0)
        Y = X / X[chart]
        unit = np.repeat(roots.weights(Y), 4)
        Y = Y + radius * unit * rng.uniform(0.0, 0.7) * np.exp(2j * np.pi * rng.uniform(size=8))
        Y[chart] = 1.0
        if not roots.within(X, Y, chart, blow, radius):
            continue
        told += 1
        for _ in range(10):
            there = edge(X, blow, rng)
            unit = np.repeat(roots.weights(Y), 4)
            assert (np.abs(there / there[chart] - Y) <= radius * unit).all()
    assert told > 10 or blow > 0.3
    X = complex_point(0) / complex_point(0)[0]
    assert roots.within(X, X, 0, 1e-3, 1e-2)
    assert not roots.within(X, X, 0, 1e-2, 1e-3)  # met, but not within
    assert not roots.within(X, X, 0, 0.6, 1e3)  # its chart may end inside the ball


def test_a_conjugate_in_a_ball_that_is_too_small_is_not_found() -> None:
    """Two roots that are nearly conjugate, known to 1e-6: whether they are conjugates a ball of 1e-7 cannot tell."""
    X = np.stack([complex_point(0), complex_point(0).conj()])
    X /= X[:, :1]
    flags = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64), np.ones(2, dtype=bool)
    for radius, unique, found in ((1e-6, 1e-3, True), (1e-6, 1e-7, False), (0.6, 10.0, False)):
        assert roots.closed(X, np.full(2, radius), np.full(2, unique), *flags) == found


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
