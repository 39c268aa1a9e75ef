"""Trajectories: rates are derivatives of the pose, joints are smooth, published blend times, bad input."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import trajectory
from gough.spatial import rotation_exp, rotation_log, rpy_rate_matrix, skew
from gough.trajectory.profile import PROFILES, Blend, make_profile
from gough.trajectory.so3 import (
    jacobian_rate,
    left_jacobian,
    right_jacobian,
    rotation_vector_motion,
)

RNG = np.random.default_rng(2024)
A = gough.Pose.from_rpy((0.1, 0.2, 0.9), (0.3, -0.2, 0.5))
B = gough.Pose.from_rpy((0.3, -0.2, 1.1), (-0.5, 0.7, 1.5))
POSES = gough.Pose.from_rpy(RNG.normal(size=(7, 3)), RNG.normal(size=(7, 3)))
TIMES = np.cumsum(RNG.uniform(0.3, 1.0, 7))
SINES = (0.2 * RNG.normal(size=(3, 6)), [1.0, 2.0, 0.5])
PATH_I = (((0.1, 0, 0.4), (0, 0, -0.2)), ((0.3, 0, 0.6), (0, 0, 0.2)))
PATH_III = (((0.4, 1.4, 1.2), (0.1, 0.2, 0)), ((0.8, 1.8, 1.8), (0.3, 0.4, 0)))


def _sampled() -> trajectory.Trajectory:
    m = trajectory.harmonic(A, *SINES).sample(9)
    assert m.time is not None
    return trajectory.through_motion(m.time, m.position, m.rotation, m.velocity, m.angular_velocity)


EVERY = {
    "line": trajectory.line(*PATH_I, 6.0, 0.08, 0.08),
    "line-iii": trajectory.line(*PATH_III, 6.0, 0.2, 0.08),
    "line-geodesic": trajectory.line(A, B, 2.0, orientation="geodesic"),
    "uniform": trajectory.uniform(A, B, 2.0),
    "trigonometric": trajectory.trigonometric(A, B, 2.0),
    "quintic-screw": trajectory.quintic(A, B, 2.0, orientation="screw"),
    "quintic-geodesic": trajectory.quintic(A, B, 2.0, orientation="geodesic"),
    "there-and-back": trajectory.there_and_back(A, B, 1.0),
    "harmonic": trajectory.harmonic(A, *SINES, phase=0.3),
    "harmonic-vector": trajectory.harmonic(A, *SINES, orientation="vector"),
    "acceleration-y": trajectory.acceleration_profile(A, "y", 10.0, 1.0),
    "acceleration-ry": trajectory.acceleration_profile(A, "ry", 8.0, 1.0, duration=1.7),
    "waypoints": trajectory.waypoints(POSES, TIMES),
    "waypoints-natural": trajectory.waypoints(POSES, TIMES, ends="natural"),
    "waypoints-quintic": trajectory.waypoints(POSES, TIMES, kind="quintic"),
    "waypoints-twists": trajectory.waypoints(
        POSES, TIMES, start_twist=RNG.normal(size=6), end_twist=RNG.normal(size=6)
    ),
    "sampled-twists": _sampled(),
    "hold": trajectory.hold(A, 1.5),
    "retimed": trajectory.retimed(trajectory.trigonometric(A, B, 2.0), 0.7, profile="quintic"),
    "sequence": trajectory.sequence(
        trajectory.hold(A, 0.4), trajectory.quintic(A, B, 1.0), trajectory.line(B, A, 1.0)
    ),
}


def _errors(path: trajectory.Trajectory, t: np.ndarray, h: float = 2e-4) -> dict[str, float]:
    """Largest relative difference of each rate from the fourth-order difference of its integral."""
    at = {k: path(t + k * h) for k in (-2, -1, 1, 2)}

    def slope(name: str) -> np.ndarray:
        y = {k: getattr(m, name) for k, m in at.items()}
        return (y[-2] - 8 * y[-1] + 8 * y[1] - y[2]) / (12 * h)

    m = path(t)
    pairs = {
        "velocity": (slope("position"), m.velocity),
        "acceleration": (slope("velocity"), m.acceleration),
        "omega": (slope("rotation"), skew(m.angular_velocity) @ m.rotation),
        "alpha": (slope("angular_velocity"), m.angular_acceleration),
    }
    return {
        name: float(np.abs(a - b).max() / (1.0 + np.abs(b).max())) for name, (a, b) in pairs.items()
    }


def _smooth_times(path: trajectory.Trajectory, n: int = 60) -> np.ndarray:
    t = np.random.default_rng(1).uniform(0.001, path.duration - 0.001, n)
    kinks = np.array([*path.breaks, *getattr(path, "knots", ())])
    return t[(np.abs(t[:, None] - kinks) > 1e-3).all(axis=1)]


@pytest.mark.parametrize("name", EVERY)
def test_rates_are_the_derivatives_of_the_pose(name: str) -> None:
    errors = _errors(EVERY[name], _smooth_times(EVERY[name]))
    assert max(errors.values()) < 2e-10, errors


def test_a_wrong_angular_acceleration_is_seen() -> None:
    """Planted error: alpha = J_A theta'' without the J_A' theta' term."""
    path = EVERY["line-iii"]

    @dataclasses.dataclass(frozen=True, eq=False)
    class Wrong(trajectory.Trajectory):
        duration: float = path.duration

        def evaluate(self, t: np.ndarray) -> gough.Motion:
            m = path(t)
            _, _, sdd = path.rotation(t)  # type: ignore[attr-defined]
            turn = path.end.rpy - path.start.rpy  # type: ignore[attr-defined]
            alpha = (rpy_rate_matrix(m.pose.rpy) @ (sdd[..., None] * turn)[..., None])[..., 0]
            return dataclasses.replace(m, angular_acceleration=alpha)

    errors = _errors(Wrong(), _smooth_times(path))
    assert errors["alpha"] > 1e-5
    assert errors["omega"] < 1e-10


@pytest.mark.parametrize("name", EVERY)
def test_scalar_and_batch_times_agree(name: str) -> None:
    path = EVERY[name]
    t = np.linspace(0.0, path.duration, 6)
    batch = path(t.reshape(2, 3))
    assert batch.shape == (2, 3)
    assert batch.time is not None
    for i, x in enumerate(t):
        one = path(float(x))
        assert one.shape == ()
        for field in (
            "position",
            "rotation",
            "velocity",
            "angular_velocity",
            "acceleration",
            "angular_acceleration",
        ):
            row = getattr(batch, field)[i // 3, i % 3]
            np.testing.assert_allclose(getattr(one, field), row, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("path", "position", "angle"), [(PATH_I, 2.4645, 1.0), (PATH_III, 1.877, 2.4645)]
)
def test_blend_times_of_001(path: tuple, position: float, angle: float) -> None:
    """[Dasgupta1998] (39); values computed from the printed data, four digits."""
    speed = 0.08 if path is PATH_I else 0.2
    line = trajectory.line(*path, 6.0, max_speed=speed, max_rate=0.08)
    assert line.translation.blend == pytest.approx(position, abs=5e-4)  # type: ignore[attr-defined]
    assert line.rotation.blend == pytest.approx(angle, abs=5e-5)  # type: ignore[attr-defined]


def test_line_cruises_at_the_speed_asked_for_and_meets_its_ends() -> None:
    line = trajectory.line(*PATH_I, duration=6.0, max_speed=0.08, max_rate=0.08)
    m = line(np.array([0.0, 3.0, 6.0]))
    assert np.linalg.norm(m.velocity[1]) == pytest.approx(0.08, rel=1e-14)
    assert np.linalg.norm(m.angular_velocity[1]) == pytest.approx(0.08, rel=1e-14)
    np.testing.assert_allclose(m.position[[0, 2]], [PATH_I[0][0], PATH_I[1][0]], atol=1e-15)
    np.testing.assert_allclose(m.pose.rpy[[0, 2]], [PATH_I[0][1], PATH_I[1][1]], atol=1e-15)
    # right limit at the start, left limit at the end: (40), speed over blend time
    a = 0.08 / 2.464466094067263
    np.testing.assert_allclose(np.linalg.norm(m.acceleration, axis=1), [a, 0, a])
    assert m.acceleration[0, 0] > 0 > m.acceleration[2, 0]


def test_breaks_take_the_limit_from_the_right() -> None:
    line = trajectory.line(*PATH_I, 6.0, 0.08, 0.08)
    for b in line.breaks:
        here, after = line(b), line(b + 1e-9)
        np.testing.assert_allclose(here.angular_acceleration, after.angular_acceleration, atol=1e-9)
        np.testing.assert_allclose(here.acceleration, after.acceleration, atol=1e-9)
    # a grid whose points miss the break by rounding still counts as the break
    assert line(5.0 - 1e-13).angular_acceleration[2] == line(5.0).angular_acceleration[2] < 0


@pytest.mark.parametrize(
    ("speed", "word"), [(0.04, "too low"), (0.0471404, "too low"), (0.2, "never reached")]
)
def test_a_speed_that_does_not_fit_is_refused_with_the_range(speed: float, word: str) -> None:
    with pytest.raises(gough.InputError, match=word) as error:
        trajectory.line(*PATH_I, 6.0, max_speed=speed, max_rate=0.08)
    assert error.value.field == "max_speed"
    assert "0.0471405 and not above 0.0942809" in str(error.value)


def test_the_impossible_path_1_of_000_is_refused() -> None:
    """0.5 m in 6 s at 0.08 m/s needs 6.25 s: erratum E000-6."""
    ends = ((0.1, 0, 0.5), (0, 0, 0)), ((0.6, 0, 0.5), (0, 0, 0))
    with pytest.raises(gough.InputError, match=r"blend -0\.25 s"):
        trajectory.line(*ends, 6.0, max_speed=0.08)
    steady = trajectory.paper("000-1")(2.0)
    assert np.linalg.norm(steady.velocity) == pytest.approx(0.5 / 6)  # type: ignore[union-attr]


def test_triangular_speed_is_the_fastest_admissible() -> None:
    ends = ((0, 0, 0), (0, 0, 0)), ((0.3, 0, 0), (0, 0, 0))
    line = trajectory.line(*ends, 0.7, max_speed=2 * 0.3 / 0.7)
    assert line(0.35).velocity[0] == pytest.approx(2 * 0.3 / 0.7, rel=1e-12)


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_go_from_zero_to_one(name: str) -> None:
    p = make_profile(name, 1.7)
    s, sd, sdd = p(np.array([0.0, 0.85, 1.7]))
    np.testing.assert_allclose(s, [0, 0.5, 1], atol=1e-15)
    if name != "uniform":
        np.testing.assert_allclose(sd[[0, 2]], 0, atol=1e-15)
        np.testing.assert_allclose(sdd[[0, 2]], 0, atol=1e-13)


def test_trigonometric_spline_is_the_one_of_002() -> None:
    t = np.linspace(0, 1, 9)
    s, _, _ = make_profile("trigonometric", 1.0)(t)
    np.testing.assert_allclose(
        s, 0.5 - (9 * np.cos(np.pi * t) - np.cos(3 * np.pi * t)) / 16, atol=1e-16
    )


@pytest.mark.parametrize(
    "name",
    ["waypoints", "waypoints-natural", "waypoints-quintic", "waypoints-twists", "sampled-twists"],
)
def test_splines_are_c2_at_their_knots(name: str) -> None:
    path = EVERY[name]
    knots = np.array(path.knots[1:-1])  # type: ignore[attr-defined]
    eps = 1e-9
    before, after = path(knots - eps), path(knots + eps)
    for field in (
        "position",
        "rotation",
        "velocity",
        "angular_velocity",
        "acceleration",
        "angular_acceleration",
    ):
        a, b = getattr(before, field), getattr(after, field)
        np.testing.assert_allclose(
            a, b, rtol=0, atol=2e-7 * (1 + np.abs(a).max() * 10), err_msg=field
        )


def test_waypoints_pass_through_their_poses_and_keep_their_ends() -> None:
    for name in ("waypoints", "waypoints-natural", "waypoints-quintic", "waypoints-twists"):
        m = EVERY[name](TIMES - TIMES[0])
        np.testing.assert_allclose(m.position, POSES.position, atol=1e-13)
        np.testing.assert_allclose(m.rotation, POSES.rotation, atol=1e-13)
    ends = [0.0, EVERY["waypoints"].duration]
    rest, natural, quintic = (
        EVERY[n](ends) for n in ("waypoints", "waypoints-natural", "waypoints-quintic")
    )
    speeds, accelerations = (
        ("velocity", "angular_velocity"),
        ("acceleration", "angular_acceleration"),
    )
    for m, fields in (
        (rest, speeds),
        (natural, accelerations),
        (quintic, (*speeds, *accelerations)),
    ):
        for field in fields:
            np.testing.assert_allclose(getattr(m, field), 0.0, atol=1e-11, err_msg=field)


def test_rotation_spline_about_one_axis_is_the_ordinary_cubic_spline() -> None:
    from scipy.interpolate import CubicSpline

    angle, t = np.array([0.0, 0.7, -0.4, 1.9, 2.5]), np.array([0.0, 1.0, 1.5, 2.5, 4.0])
    e = np.array([1.0, -2.0, 0.5]) / np.sqrt(5.25)
    poses = gough.Pose(np.zeros((5, 3)), rotation_exp(angle[:, None] * e))
    s = CubicSpline(t, angle, bc_type="clamped")
    x = np.linspace(0, 4, 41)
    m = trajectory.waypoints(poses, t)(x)
    np.testing.assert_allclose(m.angular_velocity, s(x, 1)[:, None] * e, atol=1e-12)
    inside = np.abs(x[:, None] - t).min(axis=1) > 1e-9
    np.testing.assert_allclose(
        m.angular_acceleration[inside], (s(x, 2)[:, None] * e)[inside], atol=1e-11
    )


def test_rotation_spline_does_not_depend_on_the_world_axes() -> None:
    turn = gough.Pose.from_rpy((0, 0, 0), (1.0, -0.7, 2.0)).rotation
    other = trajectory.waypoints(gough.Pose(POSES.position @ turn.T, turn @ POSES.rotation), TIMES)
    t = np.linspace(0, other.duration, 50)
    same = EVERY["waypoints"](t).angular_acceleration @ turn.T
    np.testing.assert_allclose(other(t).angular_acceleration, same, atol=1e-10)


@pytest.mark.slow
def test_splines_through_random_orientations_solve() -> None:
    rng = np.random.default_rng(5)
    for k in range(300):
        n = int(rng.integers(2, 12))
        position, times = rng.normal(size=(n, 3)), np.cumsum(rng.uniform(0.2, 2.0, n))
        poses = gough.Pose.from_rpy(position, rng.uniform(-1, 1, size=(n, 3)))
        if k % 2:
            poses = gough.Pose.from_quaternion(position, rng.normal(size=(n, 4)))
        path = trajectory.waypoints(poses, times, ends="natural")
        assert max(_errors(path, _smooth_times(path, 20), 1e-4).values()) < 1e-8


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-4, 0.3, 1.999999, 2.000001, 3.1, 6.0])
def test_so3_jacobians_against_complex_series(size: float) -> None:
    """Jl and its derivative against the matrix exponential's own series, at small and large angles."""
    rng = np.random.default_rng(7)
    v = rng.normal(size=3)
    phi = size * v / np.linalg.norm(v)
    K = skew(phi)
    series, term = np.zeros((3, 3)), np.eye(3)
    for k in range(1, 60):  # Jl = sum K^(k-1) / k!
        series, term = series + term, term @ K / (k + 1)
    np.testing.assert_allclose(left_jacobian(phi), series, atol=2e-13)
    np.testing.assert_allclose(right_jacobian(phi), left_jacobian(-phi), atol=1e-15)
    u, w = rng.normal(size=3), rng.normal(size=3)
    h = 1e-4
    for side, J in ((1.0, left_jacobian), (-1.0, right_jacobian)):
        far = J(phi - 2 * h * u) - J(phi + 2 * h * u)
        numeric = (far - 8 * J(phi - h * u) + 8 * J(phi + h * u)) @ w / (12 * h)
        np.testing.assert_allclose(jacobian_rate(phi, u, w, side), numeric, atol=1e-11)


def test_rotation_vector_motion_keeps_digits_near_zero() -> None:
    """At phi = 0: omega = phi', alpha = phi''; close by, the same to first order."""
    rate, acc = np.array([0.3, -1.0, 2.0]), np.array([4.0, 0.1, -0.2])
    _, w0, a0 = rotation_vector_motion(np.zeros(3), rate, acc)
    np.testing.assert_array_equal(w0, rate)
    np.testing.assert_array_equal(a0, acc)
    _, w1, a1 = rotation_vector_motion(np.full(3, 1e-8), rate, acc)
    assert np.abs(w1 - rate).max() < 1e-7
    assert np.abs(a1 - acc).max() < 1e-6


def test_acceleration_profile_is_the_integral_of_its_sine() -> None:
    path = trajectory.acceleration_profile(A, "x", 10.0, 0.1)
    m = path(np.array([0.0, 0.025, 0.1]))
    np.testing.assert_allclose(m.acceleration[:, 0], [0, 10, 0], atol=1e-13)
    assert m.velocity[2, 0] == pytest.approx(0.0, abs=1e-15)
    assert m.position[2, 0] - A.position[0] == pytest.approx(10 * 0.1**2 / (2 * np.pi), rel=1e-13)
    spin = trajectory.acceleration_profile(A, "rz", 8.0, 0.1)(0.1)
    turned = rotation_log(spin.rotation @ A.rotation.T)
    np.testing.assert_allclose(turned, [0, 0, 8 * 0.01 / (2 * np.pi)], atol=1e-14)


def test_screw_keeps_one_axis_fixed() -> None:
    """Along a screw the instantaneous axis keeps its direction and its place."""
    path = trajectory.quintic(A, B, 2.0, orientation="screw")
    m = path(np.linspace(0.2, 1.8, 9))
    w2 = (m.angular_velocity**2).sum(axis=1, keepdims=True)
    axis = m.angular_velocity / np.sqrt(w2)
    foot = m.position + np.cross(m.angular_velocity, m.velocity) / w2
    foot = foot - (foot * axis).sum(axis=1, keepdims=True) * axis
    np.testing.assert_allclose(axis, axis[:1].repeat(9, axis=0), atol=1e-12)
    np.testing.assert_allclose(foot, foot[:1].repeat(9, axis=0), atol=1e-11)
    end = path(2.0)
    np.testing.assert_allclose(end.position, B.position, atol=1e-14)
    np.testing.assert_allclose(end.rotation, B.rotation, atol=1e-14)


def test_pairs_keep_full_turns_and_poses_take_the_short_way() -> None:
    turn = trajectory.uniform(((0, 0, 1), (0, 0, 0)), ((0, 0, 1), (0, 0, 2 * np.pi)), 1.0)
    assert turn(0.5).angular_velocity[2] == pytest.approx(2 * np.pi)
    ends = [gough.Pose.from_rpy((0, 0, 1), (0, 0, yaw)) for yaw in (3.0, -3.0)]
    short = trajectory.uniform(*ends, 1.0)
    assert short(0.5).angular_velocity[2] == pytest.approx(2 * np.pi - 6.0)


def test_retiming_scales_rates() -> None:
    path = trajectory.quintic(A, B, 2.0)
    fast = trajectory.retimed(path, 0.5)
    np.testing.assert_allclose(fast(0.2).velocity, 4 * path(0.8).velocity, rtol=1e-13)
    alpha = 16 * path(0.8).angular_acceleration
    np.testing.assert_allclose(fast(0.2).angular_acceleration, alpha, rtol=1e-13)
    line = trajectory.retimed(trajectory.line(*PATH_I, 6.0, 0.08, 0.08), 3.0)
    np.testing.assert_allclose(line.breaks, [0.5, 1.232233, 1.767767, 2.5], atol=1e-6)


def test_sampling_covers_the_ends() -> None:
    path = trajectory.line(*PATH_I, 6.0, 0.08, 0.08)
    time = path.sample(dt=0.1).time
    assert time is not None
    assert len(time) == 61
    assert time[-1] == 6.0
    odd = path.sample(dt=0.7).time
    assert odd is not None
    assert odd[-1] == 6.0
    assert len(odd) == 10
    assert path.sample().shape == (601,)


def test_trajectories_are_values() -> None:
    again = trajectory.line(*PATH_I, 6.0, 0.08, 0.08)
    assert again == EVERY["line"]
    assert hash(again) == hash(EVERY["line"])
    assert trajectory.line(*PATH_I, 6.0, 0.081, 0.08) != again
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.orientation = "screw"  # type: ignore[misc]


BAD = {
    "times outside": lambda: EVERY["line"](6.1),
    "negative time": lambda: EVERY["line"]([-0.1, 1.0]),
    "no times": lambda: EVERY["line"]([]),
    "nan time": lambda: EVERY["line"](np.nan),
    "zero duration": lambda: trajectory.line(A, B, 0.0),
    "infinite duration": lambda: trajectory.quintic(A, B, np.inf),
    "nan pose": lambda: trajectory.line(((np.nan, 0, 0), (0, 0, 0)), B, 1.0),
    "not a pose": lambda: trajectory.line("home", B, 1.0),
    "batched pose": lambda: trajectory.line(POSES, B, 1.0),
    "unknown profile": lambda: trajectory.move(A, B, 1.0, profile="cosine"),
    "unknown orientation": lambda: trajectory.quintic(A, B, 1.0, orientation="slerp"),
    "screw line": lambda: trajectory.line(A, B, 1.0, orientation="screw"),
    "negative speed": lambda: trajectory.line(A, B, 1.0, max_speed=-1.0),
    "blend too long": lambda: Blend(1.0, 0.6),
    "gap in a sequence": lambda: trajectory.sequence(
        trajectory.hold(A, 1.0), trajectory.hold(B, 1.0)
    ),
    "empty sequence": lambda: trajectory.sequence(),
    "one waypoint": lambda: trajectory.waypoints([A], [0.0]),
    "no waypoints": lambda: trajectory.waypoints([], []),
    "times not increasing": lambda: trajectory.waypoints([A, B, A], [0.0, 1.0, 1.0]),
    "times too many": lambda: trajectory.waypoints([A, B], [0.0, 1.0, 2.0]),
    "half a turn": lambda: trajectory.waypoints(
        [((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, np.pi))], [0.0, 1.0]
    ),
    "natural with twist": lambda: trajectory.waypoints(
        [A, B], [0, 1], ends="natural", start_twist=np.zeros(6)
    ),
    "unknown coordinate": lambda: trajectory.acceleration_profile(A, "roll", 1.0, 1.0),
    "zero frequency": lambda: trajectory.harmonic(A, np.zeros(6), 0.0),
    "five amplitudes": lambda: trajectory.harmonic(A, np.zeros(5), 1.0),
    "leg amplitudes": lambda: trajectory.legs_harmonic(np.ones(6), np.ones((2, 6)), [1.0]),
    "one sample": lambda: EVERY["line"].sample(1),
    "samples and dt": lambda: EVERY["line"].sample(10, dt=0.1),
    "dt too long": lambda: EVERY["line"].sample(dt=7.0),
    "unknown paper": lambda: trajectory.paper("001-IV"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    with pytest.raises(gough.InputError):
        BAD[name]()


def test_every_paper_path_runs_and_says_what_it_is() -> None:
    for name, about in trajectory.papers().items():
        path = trajectory.paper(name)
        assert about
        assert path.duration > 0
        path(np.linspace(0, path.duration, 5))
    with pytest.raises(gough.InputError, match="did you mean 001-I"):
        trajectory.paper("001-i")


def test_legs_of_003_move_the_platform_as_measured() -> None:
    """[ElBadawy]: twist at t = 0 and range over a period; Y up there, z up here: (x, y, z) = (X, -Z, Y)."""
    from gough.model.files import load

    legs = trajectory.paper("003")
    path = legs.on(load("elbadawy-6sps"))  # type: ignore[union-attr]
    start = path(0.0)
    np.testing.assert_allclose(start.velocity, [0.0148, 0.0262, 0.00385], atol=5e-5)
    np.testing.assert_allclose(start.angular_velocity, [-0.26989, -0.06707, 0.82215], atol=5e-5)
    extremes = path([np.pi / 2, 3 * np.pi / 2])
    np.testing.assert_allclose(extremes.position[:, 0], [0.02360, -0.00994], atol=1e-5)
    errors = _errors(path, np.array([0.4, 2.0, 5.5]), 1e-3)
    assert max(errors.values()) < 1e-8, errors


def test_legs_that_tear_the_platform_apart_are_infeasible() -> None:
    from gough.model.files import load

    legs = trajectory.legs_harmonic(np.full(6, 0.4), [0.35, 0, 0, 0, 0, 0], 1.0)
    with pytest.raises(gough.InfeasibleError, match="leg motion at t"):
        legs.on(load("elbadawy-6sps")).sample(21)


@pytest.mark.parametrize(
    ("rate", "expected"), [(None, 2 * np.sqrt(0.3 / 2.0)), (0.5, 0.3 / 0.5 + 0.5 / 2.0)]
)
def test_time_optimal_lift_is_bang_bang(rate: float | None, expected: float) -> None:
    """Vertical sliders follow a vertical lift one to one: two parabolas, or a trapezoid of speed."""
    platform = gough.load("lopes-6pus")
    lift = trajectory.uniform(((0, 0, 2.0), (0, 0, 0)), ((0, 0, 2.3), (0, 0, 0)), 1.0)
    fast = trajectory.time_optimal(lift, platform, max_acceleration=2.0, max_rate=rate)
    assert fast.duration == pytest.approx(expected, rel=1e-5)
    m = fast([0.0, fast.duration])
    np.testing.assert_allclose(m.velocity, 0, atol=1e-12)
    np.testing.assert_allclose(m.position[:, 2], [2.0, 2.3], atol=1e-12)


def test_time_optimal_pace_always_has_a_leg_at_its_limit() -> None:
    platform = gough.load("motion-base-1500")
    poses = [
        ((0, 0, 1.15), (0, 0, 0)),
        ((0.1, 0.05, 1.2), (0.1, 0, 0.05)),
        ((-0.1, 0.1, 1.1), (0, 0.15, 0)),
        ((0, 0, 1.15), (0, 0, 0)),
    ]
    path = trajectory.waypoints(poses, [0.0, 1.0, 2.0, 3.0], ends="natural")
    fast = trajectory.time_optimal(path, platform, max_acceleration=3.0, max_rate=0.4, points=800)
    legs = gough.inverse_kinematics(platform, fast.sample(4001))
    rate, acceleration = (
        np.abs(legs.rate).max(axis=1) / 0.4,
        np.abs(legs.acceleration).max(axis=1) / 3.0,
    )
    assert max(rate.max(), acceleration.max()) < 1.001  # limits hold on the grid, nearly so between
    assert np.mean(np.maximum(rate, acceleration) > 0.99) > 0.99
    half = trajectory.time_optimal(path, platform, max_acceleration=0.75, max_rate=0.2, points=800)
    assert half.duration == pytest.approx(
        2 * fast.duration, rel=1e-9
    )  # time scales with both limits


def test_time_optimal_refuses_paths_it_cannot_pace() -> None:
    platform = gough.load("lopes-6pus")
    low, high, side = (((x, 0, z), (0, 0, 0)) for x, z in ((0, 2.0), (0, 2.1), (0.1, 2.1)))
    with pytest.raises(gough.InputError, match="stands still"):
        trajectory.time_optimal(trajectory.quintic(low, high, 1.0), platform, max_acceleration=1.0)
    corner = trajectory.sequence(
        trajectory.uniform(low, high, 1.0), trajectory.uniform(high, side, 1.0)
    )
    with pytest.raises(gough.InputError, match="corner at 1 s"):
        trajectory.time_optimal(corner, platform, max_acceleration=1.0)
    with pytest.raises(gough.InputError, match="max_acceleration"):
        trajectory.time_optimal(trajectory.uniform(low, high, 1.0), platform, max_acceleration=0.0)


def test_the_examples_load_and_run() -> None:
    folder = Path(__file__).parents[2] / "examples" / "trajectories"
    files = sorted(folder.glob("*.toml"))
    assert len(files) >= 3
    for file in files:
        assert trajectory.load_trajectory(file).duration > 0
    assert trajectory.load_trajectory(folder / "path-one.toml") == trajectory.paper("001-I")
