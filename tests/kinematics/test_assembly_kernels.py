"""Each compiled or traced piece of the path trackers against its definition: charts, steps, proofs, sums of pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from gough.kinematics.assembly import doubled, lanes, roots
from gough.kinematics.assembly.batch import lower, pose_row, pose_rows
from gough.kinematics.assembly.forms import MIRROR, from_pose, leg_rows, mirror, psi, to_pose
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.assembly.leg_equations import LEG, POINT
from gough.kinematics.assembly.step_programs import (
    ORDER,
)
from gough.spatial import quaternion_from_rotation, rotation_exp
from support.hexapods import random_machine
from support.study_points import complex_point

SHIFT = np.array([1.0, 2.0, 3.0])


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of two quaternions (4,), complex ones too."""
    return np.r_[x[0] * y[0] - x[1:] @ y[1:], x[0] * y[1:] + y[0] * x[1:] + np.cross(x[1:], y[1:])]


@pytest.mark.parametrize("k", range(4))
def test_a_chart_is_a_half_turn(k: int) -> None:
    x, e = complex_point(k)[:4], np.eye(4)[k]
    conjugate = e * [1, -1, -1, -1]
    np.testing.assert_allclose(lanes.turned(x, k, False), product(x, conjugate), atol=1e-14)
    np.testing.assert_allclose(lanes.turned(x, k, True), product(x, e), atol=1e-14)
    back = lanes.turned(lanes.turned(x, k, False), k, True)
    np.testing.assert_allclose(back, x, atol=1e-14)


@pytest.mark.parametrize("k", range(4))
@pytest.mark.parametrize("lane", [0, 2])
def test_a_point_goes_into_its_lane_and_back(k: int, lane: int) -> None:
    X, there = complex_point(k + 4), np.empty(8, dtype=complex)
    rows = np.full((POINT.size, 3), 7.0)
    assert lanes.put_point(rows, lane, X) == k
    assert (np.delete(rows, lane, axis=1) == 7.0).all()
    lanes.take_point(rows, lane, k, there)
    np.testing.assert_allclose(there, X / X[k], atol=1e-13)
    assert not lanes.outside(rows, lane)
    for row in range(6):
        far = np.zeros((POINT.size, 3))
        far[row, lane] = 1.51
        assert lanes.outside(far, lane)
        assert not lanes.outside(far, 1)
        far[row, lane] = 1.49
        assert not lanes.outside(far, lane)
    shifted = np.zeros((POINT.size, 3))
    shifted[POINT.w] = 9.0  # how far the platform is away does not matter
    assert not lanes.outside(shifted, lane)


@pytest.mark.parametrize("k", range(4))
def test_legs_in_a_chart_say_the_same_of_the_turned_point(k: int) -> None:
    """Rows d, m, K in the chart k: the condition of leg_equations at the turned point is that of forms.py."""
    rng = np.random.default_rng(k)
    b, p = rng.normal(size=(2, 6, 3))
    K = rng.normal(size=6) + 1j * rng.normal(size=6)
    rows, X = np.zeros((6 * LEG.size, 1)), complex_point(k)
    point = np.zeros((POINT.size, 1))
    lanes.put_point(point, 0, X)
    lanes.put_legs(rows, 0, k, b, p, K)
    v, w = (z[::2, 0] + 1j * z[1::2, 0] for z in (point[POINT.v], point[POINT.w]))
    sigma, h = v @ w, 1 + v @ v
    for leg in range(6):
        row = rows[LEG.size * leg : LEG.size * (leg + 1), 0]
        d, m, square = row[LEG.d], row[LEG.m], row[LEG.K] @ [1, 1j]
        assert square == K[leg]
        c, n = d @ v, d + np.cross(m, v)
        phi = n @ (n / 2 - 2 * w) + c * (c / 2 - 2 * sigma) - square * h / 2
        wanted = (leg_rows(b, p, K)[leg] @ psi(X / X[k])) / 2
        np.testing.assert_allclose(phi + 2 * (sigma**2 + w @ w), wanted, rtol=1e-10)


def test_the_length_of_a_step() -> None:
    """(tolerance/size)^(1/5), the distance to the pole, and what is left: the smallest of the three."""
    assert lanes.stride(0.7, 0.0, 0.0, 0.0, 1e-3, 0.5) == 0.7
    assert lanes.stride(0.7, 1e4, 0.0, 0.0, 1e-3, 0.5) == pytest.approx((1e-3 / 100) ** (1 / ORDER))
    assert lanes.stride(0.7, 0.0, 3.0, 4.0, 1e-3, 0.5) == pytest.approx(0.1)
    assert lanes.stride(0.7, 1e4, 3.0, 4.0, 1e-3, 0.5) == pytest.approx((1e-5) ** (1 / ORDER))
    assert lanes.stride(0.05, 1e4, 3.0, 4.0, 1e-3, 0.5) == 0.05
    assert lanes.stride(0.7, 1e-20, 30.0, 40.0, 1e-3, 0.5) == pytest.approx(0.01)
    assert lanes.stride(0.7, 0.0, 0.48, -0.64, 1e-3, 0.5) == pytest.approx(0.625)  # poles far away
    assert lanes.stride(0.7, 0.25, 0.0, 0.0, 1e-3, 0.5) == pytest.approx((2e-3) ** (1 / ORDER))


def test_a_step_is_accepted_if_its_corrections_are_small_and_shrink() -> None:
    small = (20 * 1e-3) ** 2
    assert lanes.accepted(0.9 * small, 0.9e-3 * small, 1e-3)
    assert not lanes.accepted(1.1 * small, 0.0, 1e-3)
    assert not lanes.accepted(0.9 * small, 1.1e-3 * small, 1e-3)
    assert lanes.accepted(1e-17, 0.9e-16, 1e-3)
    assert not lanes.accepted(np.nan, 0.0, 1e-3)
    assert lanes.accepted(0.9e-18, 0.0, 0.0)
    assert not lanes.accepted(1.1e-18, 0.0, 0.0)


def test_the_ball_of_a_root() -> None:
    """radius: eta + delta r + kappa r^2/2 = r; unique: (1 - delta)/kappa; no proof beyond them."""
    for eta, kappa, delta in ((1e-9, 30.0, 0.01), (0.01, 20.0, 0.2), (1e-3, 1e-6, 0.4)):
        r, unique = lanes.ball(eta, kappa, delta, eta + kappa + delta, 1.0)
        assert eta + delta * r + kappa * r * r / 2 == pytest.approx(r, rel=1e-7)
        assert eta + delta * r + kappa * r * r / 2 <= r
        assert 0.99 * (1 - delta) / kappa < unique < (1 - delta) / kappa
    free = 1 - 0.2
    edge = free * free / 2
    assert lanes.ball(0.97 * edge, 1.0, 0.2, 1.0, 1.0)[0] > 0
    assert lanes.ball(1e-9, 1.0, 0.0, np.inf, 1.0) == (
        -1.0,
        0.0,
    )  # something compared was no number
    assert lanes.ball(1e-9, 1.0, 0.0, 1.0, 1e30) == (-1.0, 0.0)  # a point that has left its chart
    for bad in ((0.99 * edge, 1.0, 0.2), (1e-9, 1.0, 0.51), (np.nan, 1.0, 0.0), (0.0, np.inf, 0.0)):
        assert lanes.ball(*bad, sum(bad), 1.0) == (-1.0, 0.0)


@pytest.mark.parametrize("row", [*range(1, 6, 2), *range(7, 12, 2)])
def test_real_complex_or_undecided(row: int) -> None:
    rows = np.random.default_rng(1).normal(size=(POINT.size, 2))
    rows[1::2] = 0.0
    weight = (2.0, 3.0)
    unit = weight[0] if row < 6 else weight[1]
    for off, radius, unique, wanted in (
        (0.0, 1e-9, 1e-3, 1),
        (1e-4, 1e-9, 1e-3, 1),
        (1e-4, 1e-9, 5.9e-4, 0),
        (1e-4, 0.9e-4, 6.8e-4, 0),
        (1e-4, 1.1e-4, 7.0e-4, -1),
        (1e-4, 1.1e-4, 7.2e-4, 1),
    ):
        for sign in (1, -1):
            rows[row, 1] = sign * off * unit
            assert lanes.realness(rows, 1, *weight, radius, unique) == wanted
    assert lanes.realness(rows, 0, *weight, 1e-9, 1e-3) == 1


def test_the_weights_of_a_root() -> None:
    X = np.array([1, 2j, -3, 0, 0.5, 0.1, 0.2j, -0.4], dtype=complex)
    assert roots.weights(X) == (3.0, 0.5 + 3e-8)
    assert roots.weights(np.r_[X[:4], np.zeros(4)]) == (3.0, pytest.approx(3e-8))


@pytest.mark.parametrize("b", range(8))
def test_balls_that_meet(b: int) -> None:
    """Two points apart by a gap in one coordinate: met up to the sum of both radii, never beyond."""
    X = complex_point(3)
    X /= X[3]
    wq, wg = roots.weights(X)
    unit = wq if b < 4 else wg
    if b == 3:
        beside = np.r_[
            X[:3], 1e-13, X[4:]
        ]  # at infinity for the chart of X, unless its ball is large
        assert not roots.meets(beside, X, 3, 1e-3, 1e-3)
        assert roots.meets(beside, X, 3, 1.0, 1.0)
        return
    for radius, blow in ((1e-3, 0.0), (0.0, 1e-3)):
        reach = radius * unit + 4 * blow * wq * unit
        for share, met in ((0.98, True), (1.02, False)):
            Y = X.copy()
            Y[b] += share * reach * (0.6 + 0.8j)
            assert roots.meets(X, Y, 3, blow, radius) == met
        for factor in (0.5j, 3.0):  # the same point of projective space
            assert roots.meets(X * factor, X, 3, 1e-9, 1e-9)


def root_set() -> tuple[Any, ...]:
    """Two real roots and a pair of conjugates, proved."""
    first = complex_point(0)
    X = np.stack([complex_point(4).real, first, first.conj(), complex_point(8).real]).astype(
        complex
    )
    X /= X[:, :1]
    n = len(X)
    return (
        X,
        np.full(n, 1e-11),
        np.full(n, 1e-3),
        np.array([1, 0, 0, 1]),
        np.zeros(n, dtype=np.int64),
        np.ones(n, dtype=bool),
    )


def test_roots_are_counted_once_and_with_their_conjugates() -> None:
    X, radius, unique, real, charts, finite = root_set()
    same = np.empty(4, dtype=np.int64)

    def count(**changed: Any) -> int:
        given = {"X": X, "radius": radius, "unique": unique, "real": real, "charts": charts}
        given |= {"finite": finite} | changed
        return roots.judge(*(np.array(v) for v in given.values()), same, False)

    assert count() == 4
    assert same.tolist() == [-1] * 4
    for n in range(4):
        one = np.arange(4) == n
        assert count(finite=~one) == (3 if n in (0, 3) else -3)  # a conjugate is missing
        assert count(real=np.where(one, -1, real)) == -4
        assert count(radius=np.where(one, 2e-9, radius)) == -4  # not sharp
    twice = X.copy()
    twice[3] = X[0] * 1j
    assert count(X=twice) == 3
    assert same.tolist() == [-1, -1, -1, 0]
    count(X=twice, radius=np.array([-1.0, 1e-11, 1e-11, 1e-11]))
    assert same.tolist() == [-1] * 4  # what is not proved is no root to be the same as
    apart = X.copy()
    apart[2, 5] += 1.1e-3 * roots.weights(X[2])[1]  # farther than `unique`
    assert count(X=apart) == -4
    apart[2, 5] -= 0.2e-3 * roots.weights(X[2])[1]
    assert count(X=apart) == 4


def test_reflections_fill_the_second_half() -> None:
    whole = [np.concatenate([v, np.zeros_like(v)]) for v in root_set()]
    for n in range(4):  # charts of every sign
        whole[4][n] = n
        whole[0][n] /= whole[0][n, n]
    roots.reflect(*whole)
    X = whole[0]
    for n in range(4):
        np.testing.assert_allclose(X[n + 4], mirror(X[n]) * MIRROR[n], atol=1e-15)
        assert X[n + 4, n] == pytest.approx(1.0)
    for column in whole[1:]:
        np.testing.assert_array_equal(column[4:], column[:4])


@pytest.mark.parametrize("kind", ["general", "semi-regular"])
def test_rows_of_poses_in_the_world(kind: str) -> None:
    """As forms.py and geometry.py say; the worst leg error of any of the six; sorted, highest first."""
    rng = np.random.default_rng(3)
    platform = random_machine(kind, rng)
    base, joint = platform.base_joints + SHIFT, platform.platform_joints + 0.1 * SHIFT
    turn = rotation_exp(rng.normal(size=3))
    g = normalize(base @ turn.T, joint @ turn)
    frame = g.size, g.base_origin, g.base_axes, g.joint_origin, g.joint_axes
    own = base @ turn.T - g.base_origin, joint @ turn - g.joint_origin
    X = np.array(
        [
            from_pose(t, quaternion_from_rotation(rotation_exp(w)))
            for t, w in zip(rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), strict=True)
        ]
    )
    t, R = g.world(*to_pose(X))
    length = np.linalg.norm(
        t[:, None] + (joint @ turn) @ np.swapaxes(R, 1, 2) - base @ turn.T, axis=2
    )
    for n in range(5):
        row = np.empty(12)
        assert pose_row(1.3 * X[n].astype(complex), *own, *frame, length[n], row) < 1e-12
        np.testing.assert_allclose(row, np.r_[t[n], R[n].ravel()], atol=1e-12)
        for leg in range(6):
            wrong = length[n] + 1e-3 * (np.arange(6) == leg)
            assert pose_row(X[n].astype(complex), *own, *frame, wrong, row) == pytest.approx(1e-3)
    rows, residual = np.empty((5, 12)), np.empty(5)
    pose_rows(X.astype(complex), *own, *frame, length[2], rows, residual)
    order = np.argsort(-t[:, 2])
    np.testing.assert_allclose(rows[:, :3], t[order], atol=1e-12)
    np.testing.assert_allclose(residual, np.abs(length[order] - length[2]).max(axis=1), atol=1e-12)


def test_which_pose_comes_first() -> None:
    """Highest first, then by y and by x."""
    for a, b in (((5, 5, 1), (0, 0, 2)), ((5, 3, 1), (0, 2, 1)), ((2, 2, 1), (1, 2, 1))):
        assert lower(np.array(a, dtype=float), np.array(b, dtype=float))
        assert not lower(np.array(b, dtype=float), np.array(a, dtype=float))
    assert not lower(np.ones(3), np.ones(3))


def exact(pair: tuple[float, float]) -> mpmath.mpf:
    return mpmath.mpf(pair[0]) + mpmath.mpf(pair[1])


@pytest.mark.parametrize("seed", range(20))
def test_pairs_have_thirty_digits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mpmath.mp.dps = 60
    high = rng.normal(size=2) * 10.0 ** rng.integers(-6, 6, 2)
    if seed % 4 == 0:
        high[1] = -high[0] * (1 + 1e-9)  # cancellation
    low = high * rng.uniform(-1, 1, 2) * 2.0**-54
    a, b = (high[0], low[0]), (high[1], low[1])
    p, e = doubled.two_product(*high)
    assert exact((p, e)) == mpmath.mpf(high[0]) * mpmath.mpf(high[1])
    x, y = exact(a), exact(b)
    size = abs(x) + abs(y)
    tries: list[tuple[Callable[..., Any], tuple[float, ...], Any, Any]] = [
        (doubled.add, (*a, *b), x + y, size),
        (doubled.multiply, (*a, *b), x * y, abs(x * y)),
        (doubled.invert, a, 1 / x, abs(1 / x)),
        (doubled.root, (abs(a[0]), np.sign(a[0]) * a[1]), mpmath.sqrt(abs(x)), mpmath.sqrt(abs(x))),
    ]
    for function, given, wanted, scale in tries:
        found = function(*given)
        assert abs(exact(found) - wanted) <= doubled.UNIT * scale
        assert found[0] == found[0] + found[1]  # normalized
    assert doubled.root(0.0, 0.0) == (0.0, 0.0)
    assert doubled.root(-1.0, 0.0) == (0.0, 0.0)
