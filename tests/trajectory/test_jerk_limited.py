"""Moves under limits of speed, acceleration and jerk: never exceeded, never slower than they must be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import gough
from gough import trajectory as tr
from gough.trajectory.jerk_limited import ConstantJerk

CASES = [  # distance, speed, acceleration, jerk: every combination of limits that are reached or not
    (1.0, 0.5, 1.0, 4.0),  # all three
    (1.0, 5.0, 1.0, 4.0),  # no cruising
    (0.01, 5.0, 1.0, 4.0),  # neither speed nor acceleration
    (1.0, 0.1, 1.0, 4.0),  # speed, not acceleration
    (1e-6, 1e3, 1e-3, 1e-9),
]


def extremes(profile: ConstantJerk) -> tuple[float, float, float]:
    """Largest speed, acceleration and jerk, exact: at the knots and where the acceleration vanishes."""
    t = np.unique(np.concatenate([profile.knots, np.linspace(0, profile.duration, 3001)]))
    _, v, a = profile(t)
    return float(np.abs(v).max()), float(np.abs(a).max()), float(np.abs(profile.jerk).max())


@pytest.mark.parametrize(("D", "V", "A", "J"), CASES)
def test_limits_hold_and_the_way_is_made(D: float, V: float, A: float, J: float) -> None:
    p = tr.constant_jerk(D, V, A, J)
    end = p(np.array([0.0, p.duration]))
    scale = D / p.duration
    assert end[0][1] == pytest.approx(D, rel=1e-12)
    assert np.abs(end[1]).max() < 1e-9 * scale
    assert np.abs(end[2]).max() < 1e-9 * A
    for found, limit in zip(extremes(p), (V, A, J), strict=True):
        assert found <= limit * (1 + 1e-9)


@pytest.mark.parametrize(("D", "V", "A", "J"), CASES)
def test_segments_join_smoothly(D: float, V: float, A: float, J: float) -> None:
    p = tr.constant_jerk(D, V, A, J)
    for k in range(1, len(p.jerk)):
        h = p.knots[k] - p.knots[k - 1]
        x, v, a, j = p.progress[k - 1], p.speed[k - 1], p.acceleration[k - 1], p.jerk[k - 1]
        assert p.progress[k] == pytest.approx(x + h * (v + h * (a / 2 + h * j / 6)), rel=1e-12)
        assert p.speed[k] == pytest.approx(v + h * (a + h * j / 2), rel=1e-9, abs=1e-12 * V)


def shortest(D: float, V: float, A: float, J: float, T: float, v0: float, v1: float) -> float:
    """The farthest that any motion sampled at n steps of constant jerk gets in time T, by linear programming."""
    n = 120
    h = T / n
    k = np.arange(n)
    # after step i: a, v, x as linear maps of the jerks j_0..j_(n-1)
    steps = np.arange(1, n + 1)[:, None]
    held = (k < steps).astype(float)
    rest = np.where(k < steps, (steps - k) * h, 0.0)
    a = h * held
    v = h * (rest - h / 2) * held
    x = h * (rest**2 / 2 - rest * h / 2 + h**2 / 6) * held
    upper = np.concatenate([np.full(n, A), np.full(n, A), np.full(n, V - v0), np.full(n, v0)])
    rows = np.concatenate([a, -a, v, -v])
    done = linprog(
        -x[-1], rows, upper, np.stack([a[-1], v[-1]]), [0.0, v1 - v0], bounds=[(-J, J)] * n
    )
    assert done.status == 0
    return float(-done.fun + v0 * T)


@pytest.mark.parametrize(("D", "V", "A", "J"), CASES[:4])
@pytest.mark.parametrize(("start", "end"), [(0.0, 0.0), (0.05, 0.02)])
def test_no_faster_move_exists(
    D: float, V: float, A: float, J: float, start: float, end: float
) -> None:
    if start and D < 0.1:
        pytest.skip("too short a way to start at speed")
    p = tr.constant_jerk(D, V, A, J, start_speed=start, end_speed=end)
    assert shortest(D, V, A, J, 0.99 * p.duration, start, end) < D
    assert (
        shortest(D, V, A, J, 1.02 * p.duration, start, end) > D
    )  # the program itself is no tighter


def test_speeds_that_do_not_fit_are_refused() -> None:
    with pytest.raises(gough.InputError, match="must be at least"):
        tr.constant_jerk(1e-3, 1.0, 1.0, 1.0, start_speed=1.0)
    with pytest.raises(gough.InputError, match="max_speed"):
        tr.constant_jerk(1.0, 0.5, 1.0, 1.0, start_speed=0.6)
    with pytest.raises(gough.InputError, match="max_jerk"):
        tr.constant_jerk(1.0, 0.5, 1.0, 0.0)


def test_a_pose_move_keeps_both_sets_of_limits() -> None:
    start = gough.Pose.from_rpy([0.0, 0.0, 0.5], [0.0, 0.0, 0.0])
    end = gough.Pose.from_rpy([0.1, -0.05, 0.6], [0.2, -0.1, 0.3])
    limits = {"max_rate": 0.2, "max_angular_acceleration": 0.5, "max_angular_jerk": 3.0}
    path = tr.jerk_limited(start, end, 0.05, 0.2, 1.0, **limits)
    t = np.linspace(0.0, path.duration, 20_001)
    m = path(t)
    h = t[1]
    for found, limit in (
        (m.velocity, 0.05),
        (m.acceleration, 0.2),
        (np.diff(m.acceleration, axis=0) / h, 1.0),
        (m.angular_velocity, 0.2),
        (m.angular_acceleration, 0.5),
        (np.diff(m.angular_acceleration, axis=0) / h, 3.0),
    ):
        assert np.linalg.norm(found, axis=1).max() <= limit * (1 + 1e-6)
    assert np.allclose(m.position[-1], end.position, rtol=0, atol=1e-12)
    assert np.allclose(m.rotation[-1], end.rotation, rtol=0, atol=1e-12)
    tight = np.linalg.norm(m.velocity, axis=1).max() / 0.05
    assert tight == pytest.approx(1.0, abs=1e-6)  # the fastest: some limit is met


def test_turning_alone_needs_limits_of_turning() -> None:
    start = gough.Pose([0.0, 0.0, 0.5])
    with pytest.raises(gough.InputError, match="max_rate"):
        tr.jerk_limited(start, gough.Pose.from_rpy([0, 0, 0.5], [0.1, 0, 0]), 1.0, 1.0, 1.0)
    with pytest.raises(gough.InputError, match="another pose"):
        tr.jerk_limited(start, start, 1.0, 1.0, 1.0)


def test_struts_start_and_end_together_each_within_its_limits() -> None:
    platform = gough.load("dasgupta-1998")
    home = platform.require_home()
    other = gough.Pose.from_rpy(home.position + np.array([0.02, 0.03, 0.05]), [0.05, -0.03, 0.1])
    a, b = (gough.inverse_kinematics(platform, p).length for p in (home, other))
    speed = np.array([0.02, 0.03, 0.04, 0.05, 0.06, 0.07])
    legs = tr.legs_move(a, b, speed, 0.2, 2.0)
    now = legs(np.linspace(0.0, legs.duration, 4001))
    assert (np.abs(now.rate).max(axis=0) <= speed * (1 + 1e-9)).all()
    assert np.abs(now.acceleration).max() <= 0.2 * (1 + 1e-9)
    moved = now.length - a
    share = moved / (b - a)
    assert np.abs(share - share[:, :1]).max() < 1e-9  # a straight line: together all the way
    path = legs.on(platform, home)
    m = path(np.linspace(0, legs.duration, 41))
    found = gough.inverse_kinematics(platform, m)
    assert np.allclose(found.length, legs(m.time).length, rtol=0, atol=1e-10)
    assert np.allclose(found.rate, legs(m.time).rate, rtol=0, atol=1e-9)
    assert np.allclose(m.position[-1], other.position, rtol=0, atol=1e-9)


def test_kinds_in_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "move.toml"
    file.write_text(
        '[trajectory]\nkind = "jerk-limited"\nmax_speed = "50 mm/s"\nmax_acceleration = 0.2\nmax_jerk = "1 m/s^3"\n'
        "[trajectory.start]\nposition = [0, 0, 0.5]\n[trajectory.end]\nposition = [0, 0, 0.6]\n"
    )
    path = tr.load_trajectory(file)
    assert path.duration == pytest.approx(tr.constant_jerk(0.1, 0.05, 0.2, 1.0).duration, rel=1e-12)
    file.write_text(
        '[trajectory]\nkind = "legs-move"\nstart = [1, 1, 1, 1, 1, 1]\nend = [1.1, 1, 1, 1, 1, 1]\n'
        'max_speed = "50 mm/s"\nmax_acceleration = 0.2\nmax_jerk = 1.0\n'
    )
    assert tr.load_trajectory(file).duration == pytest.approx(path.duration, rel=1e-12)
