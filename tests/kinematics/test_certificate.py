"""The branch certificate: its equation, its honesty on crossings of singularities, and planted flips."""

from __future__ import annotations

import os

import numpy as np
import pytest

import gough
from gough.kinematics.assembly import assembly_modes
from gough.kinematics.forward import actuator_coordinates, forward_kinematics, track
from gough.spatial import Pose, rotation_exp, skew
from support.forward_machines import HOME, KINDS, machine


def wrench_determinant(platform: gough.Platform, pose: Pose) -> np.ndarray:
    """det of the rows (s, q x s): its sign changes where a path crosses a singularity (UPS, SPS)."""
    q = platform.platform_joints @ np.swapaxes(pose.rotation, -1, -2)
    S = pose.position[..., None, :] + q - platform.base_joints
    s = S / np.linalg.norm(S, axis=-1, keepdims=True)
    return np.linalg.det(
        np.concatenate([s, np.cross(q, s) / platform.characteristic_length], axis=-1)
    )


def test_the_local_equation_is_exact() -> None:
    """G of the certificate equals h (|P|^2 - l^2)/4 for finite displacements, term by term."""
    rng = np.random.default_rng(0)
    q, B, a, g = rng.normal(size=(4, 3))
    l = 1.3
    S, h, g0 = q - B, 1 + a @ a, -(a @ g)
    u = 2 * (g - g0 * a + np.cross(a, g)) / h
    R = np.eye(3) + 2 / h * (skew(a) + skew(a) @ skew(a))
    N = (
        g @ g
        + np.cross(a, B) @ np.cross(a, q)
        - np.cross(a, g) @ (q + B)
        + (a @ g) * (a @ S)
        + (a @ g) ** 2
    )
    G = (S @ S - l * l) / 4 * h + g @ S + a @ np.cross(q, S) + N
    P = u + R @ q - B
    np.testing.assert_allclose(G, h * (P @ P - l * l) / 4, rtol=1e-12)


def contraction(kind: str, width: float, radius: float) -> tuple[float, float, float, float]:
    """Largest |T(z) - T(z')|/|z - z'| and |T(z)| over samples of ball and box, beside their compiled bounds.

    G is taken from the definition, h (|P|^2 - l^2)/4 with the legs moved to places in the box, so that every
    term of the compiled bounds is held against the real machine.
    """
    from gough.kinematics.certificate import bounds, gather, invert6, lipschitz, local_geometry
    from gough.kinematics.forward import flat_pose
    from gough.layout import CERTIFICATE, LEG_GEOMETRY
    from gough.struts import anchors, leg_table

    platform = machine(kind)
    table, lam = leg_table(platform), actuator_coordinates(platform, HOME)
    c, _ = anchors(platform, lam)
    room, A, widths = np.empty((6, CERTIFICATE.size)), np.empty((6, 6)), np.full(6, width)
    local_geometry(table, flat_pose(HOME), c, room)
    q, S = room[:, CERTIFICATE.q], room[:, CERTIFICATE.strut]
    M = np.concatenate([np.cross(q, S), S], axis=1)
    invert6(M.copy(), np.abs(M[:, :3]).max(), np.abs(M[:, 3:]).max(), A)
    bounds(room, A)
    gather(table, A, widths, np.abs(M[:, :3]).max(), np.abs(M[:, 3:]).max(), room)
    error = room[:, CERTIFICATE.error]
    turn, shift = np.linalg.norm(error[:3]), np.linalg.norm(error[3:])
    rho = float(shift / turn)
    psi, phi = lipschitz(room, rho, radius)
    o = HOME.position + HOME.rotation @ platform.platform_joints.mean(axis=0)
    rng = np.random.default_rng(3)

    def image(z: np.ndarray, legs: np.ndarray) -> np.ndarray:
        a, g = z[:3], rho * z[3:]
        h = 1 + a @ a
        u = 2 * (g + (a @ g) * a + np.cross(a, g)) / h
        R = np.eye(3) + 2 / h * (skew(a) + skew(a) @ skew(a))
        center, length = anchors(platform, legs)
        P = o + u + q @ R.T - center
        step = A @ (h * ((P * P).sum(1) - length**2) / 4)
        return z - step * np.repeat([1, 1 / rho], 3)

    def norm(z: np.ndarray) -> float:
        return float(max(np.linalg.norm(z[:3]), np.linalg.norm(z[3:])))

    worst = farthest = 0.0
    for _ in range(400):
        legs = lam + width / table[:, LEG_GEOMETRY.rho] * rng.choice([-1.0, 1.0], 6)
        z, d = rng.normal(size=6), rng.normal(size=6)
        z[:3] *= radius / np.linalg.norm(z[:3])
        z[3:] *= radius / np.linalg.norm(z[3:])
        z *= 1 - 1e-4
        d *= 1e-4 * radius / norm(d)
        worst = max(worst, norm(image(z + d, legs) - image(z, legs)) / norm(d))
        farthest = max(farthest, norm(image(z, legs)))
    return worst, phi, farthest, float(turn + psi)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "radius"), [(1e-3, 0.05), (5e-3, 0.05), (1e-4, 0.3)])
def test_the_compiled_bounds_hold_for_the_machine(kind: str, width: float, radius: float) -> None:
    """No sample contracts less, or moves farther, than the bounds say; and the bounds are not idle."""
    worst, phi, farthest, reach = contraction(kind, width, radius)
    assert worst <= phi
    assert farthest <= reach
    assert worst > 0.2 * phi  # bounds five times too large would prove little
    assert farthest > 0.2 * reach


@pytest.mark.parametrize("kind", KINDS)
def test_small_steps_are_certified(kind: str) -> None:
    """One millimeter and two milliradian on a 0.5 m machine, for every kind of leg."""
    platform = machine(kind)
    rng = np.random.default_rng(1)
    turn = rotation_exp(rng.uniform(-1e-3, 1e-3, (50, 3)))
    step = Pose(HOME.position + rng.uniform(-5e-4, 5e-4, (50, 3)), turn)
    fk = forward_kinematics(platform, actuator_coordinates(platform, step), HOME)
    assert fk.certified.mean() > 0.9
    unproved = forward_kinematics(
        platform, actuator_coordinates(platform, step), HOME, certify=False
    )
    assert not unproved.certified.any()


@pytest.mark.parametrize("kind", KINDS)
def test_every_corner_of_a_certified_box_has_the_connected_pose(kind: str) -> None:
    """Legs driven to the corners of the certified box, in small certified steps, never meet another branch."""
    platform = machine(kind)
    start = actuator_coordinates(platform, HOME)
    reach = 2e-4
    first = forward_kinematics(platform, start + reach * np.r_[1, -1, 1, -1, 1, -1], HOME)
    assert first.certified
    radius = np.array(
        [
            np.linalg.norm(np.cross(leg.shaft, leg.arm)) if isinstance(leg, gough.RUS) else 1.0
            for leg in platform.legs
        ]
    )
    rng = np.random.default_rng(2)
    corners = start + 1.5 * reach * rng.choice([-1.0, 1.0], (40, 6)) * radius.min() / radius
    direct = forward_kinematics(platform, corners, HOME)
    assert direct.success.all()
    for k in range(40):
        path = start + np.linspace(0, 1, 20)[1:, None] * (corners[k] - start)
        tr = track(platform, path, HOME)
        assert tr.certified.all()
        np.testing.assert_allclose(tr.pose.position[-1], direct.pose.position[k], atol=1e-12)


def test_a_planted_flip_is_never_certified() -> None:
    """A solver that lands on another assembly mode: the certificate must refuse it, whatever the step."""
    from gough.kinematics.certificate import certify
    from gough.kinematics.forward import flat_pose
    from gough.layout import CERTIFICATE
    from gough.struts import leg_table

    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME)
    modes = assembly_modes(platform, length)
    table = leg_table(platform)
    room = (
        np.empty((6, CERTIFICATE.size)),
        np.empty((6, 6)),
        np.empty((6, 6)),
        np.empty(6),
        np.empty(12),
        np.empty(6),
        np.empty((6, 3)),
    )
    for k in range(len(modes)):
        here = np.abs(modes.poses.rotation[k] - HOME.rotation).max() < 1e-9
        for d in (0.0, 1e-4, 1e-3):
            accepted = certify(
                table,
                flat_pose(HOME),
                length,
                length + d,
                flat_pose(modes.poses[k]),
                1e-9,
                np.zeros(6),
                *room,
            )
            assert not accepted or here
            assert accepted or not here or d > 0
    assert len(modes) > 1


def trajectories(n: int, seed: int, samples: int = 160) -> list[Pose]:
    """Smooth random motions of the UPS machine; large turns drive many of them through singularities."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        t = np.linspace(0, 1, samples)[:, None]
        wave = sum(rng.normal(size=3) * np.sin(k * np.pi * t) / k for k in (1, 2, 3))
        turn = sum(rng.normal(size=3) * np.sin(k * np.pi * t) / k for k in (1, 2, 3))
        size = rng.uniform(0.05, 1.2)
        out.append(Pose(HOME.position + 0.1 * size * wave, rotation_exp(size * turn)))
    return out


def check_trajectories(n: int, seed: int) -> tuple[int, int, float]:
    """Follow motions through their leg lengths; (crossings, steps, share of certified steps)."""
    platform = machine("UPS")
    crossings = steps = proved = 0
    for path in trajectories(n, seed):
        length = actuator_coordinates(platform, path)
        tr = track(platform, length, path[0])
        sign = np.sign(wrench_determinant(platform, path))
        crossed = np.r_[False, sign[1:] != sign[:-1]]
        right = np.abs(tr.pose.rotation - path.rotation).max(axis=(1, 2)) < 1e-6
        right &= np.abs(tr.pose.position - path.position).max(axis=1) < 1e-6
        assert not (tr.certified & ~right).any(), "a wrong branch was certified"
        assert not (tr.connected & ~right).any(), "a wrong branch was called connected"
        assert not (tr.certified & crossed).any(), "a crossing was certified"
        crossings += int(crossed.sum())
        steps += len(length)
        proved += int(tr.certified.sum())
    return crossings, steps, proved / steps


def test_trajectories_through_singularities() -> None:
    """No wrong branch certified, no crossing unflagged; ordinary steps are certified."""
    crossings, _, share = check_trajectories(60, seed=5)
    assert crossings > 10
    assert share > 0.3


@pytest.mark.slow
def test_a_thousand_trajectories_through_singularities() -> None:
    crossings, steps, share = check_trajectories(1000, seed=6)
    assert crossings > 200
    assert steps == 160000
    assert share > 0.3


def test_a_motion_straight_through_a_singularity_loses_its_proof() -> None:
    """Yaw through 90 degrees (Fichter's singularity): the samples around it are not certified, and from the
    crossing on `connected` is False, although Newton finds poses all the way."""
    platform = machine("UPS")
    yaw = np.linspace(1.2, 2.0, 400)
    path = Pose.from_rpy(np.broadcast_to(HOME.position, (400, 3)), yaw[:, None] * [0.0, 0.0, 1.0])
    det = wrench_determinant(platform, path)
    at = int(np.flatnonzero(np.sign(det[1:]) != np.sign(det[:-1]))[0]) + 1
    tr = track(platform, actuator_coordinates(platform, path), path[0])
    assert not tr.certified[at]
    assert not tr.connected[at:].any()
    assert tr.lost_at is not None
    assert tr.lost_at <= at
    assert tr.connected[: at // 2].all()
    np.testing.assert_allclose(tr.pose.rotation[: at // 2], path.rotation[: at // 2], atol=1e-9)


def through_a_singularity(rng: np.random.Generator, samples: int) -> Pose:
    """Poses along the null twist of a singular pose of the UPS machine, uniformly sampled, the crossing anywhere."""
    platform = machine("UPS")
    turn, way = rotation_exp(0.2 * rng.normal(size=3)), 0.05 * rng.normal(size=3)

    def at(yaw: float) -> Pose:
        R = rotation_exp(np.array([0.0, 0.0, yaw])) @ turn
        return Pose(HOME.position + way, R)

    low, high = 0.0, 2.5
    sign = np.sign(wrench_determinant(platform, at(low)))
    if np.sign(wrench_determinant(platform, at(high))) == sign:
        return through_a_singularity(rng, samples)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high)
            if np.sign(wrench_determinant(platform, at(middle))) == sign
            else (low, middle)
        )
    there = at(low)
    q = platform.platform_joints @ there.rotation.T
    S = there.position + q - platform.base_joints
    null = np.linalg.svd(np.concatenate([S, np.cross(q, S)], axis=1))[2][-1]
    step = rng.uniform(2e-3, 2e-2) / np.abs(null).max()
    tau = step * (np.arange(samples) - samples // 2 + rng.uniform(-0.5, 0.5))[:, None]
    turns = rotation_exp(tau * null[3:]) @ there.rotation
    return Pose(there.position + tau * null[:3], turns)


def null_twist_paths(n: int, seed: int) -> tuple[int, int, float]:
    """(wrong certified or connected samples, paths that left the true branch, certified samples per path)."""
    platform, rng = machine("UPS"), np.random.default_rng(seed)
    wrong = flipped = proved = 0
    for k in range(n):
        path = through_a_singularity(rng, 41)
        path = path[
            int(rng.integers(0, 20)) if k % 2 else 19 :
        ]  # far from the crossing, or just before it
        length = actuator_coordinates(platform, path)
        if k % 3 == 1:  # gaps
            length[rng.choice(np.arange(1, len(length)), 4, replace=False)] = np.nan
        if k % 3 == 2:  # noise of a good encoder
            length += 1e-8 * rng.normal(size=length.shape)
        tr = track(platform, length, path[0])
        right = np.abs(tr.pose.rotation - path.rotation).max(axis=(1, 2)) < 1e-3
        right &= np.abs(tr.pose.position - path.position).max(axis=1) < 1e-3
        wrong += int(((tr.certified | tr.connected) & ~right).sum())
        flipped += int((tr.success & ~right).any())
        proved += int(tr.certified.sum())
    return wrong, flipped, proved / n


def test_through_a_singularity_along_its_null_twist() -> None:
    """The legs turn back in step: their change vanishes at the crossing, the box must not.  Many of these paths do
    flip; none of the wrong poses is called certified or connected, with gaps and noise or without."""
    wrong, flipped, certified = null_twist_paths(180, seed=8)
    assert wrong == 0
    assert flipped > 90
    assert certified > 1.0


@pytest.mark.slow
def test_many_null_twist_paths() -> None:
    """GOUGH_PATHS sets the number of paths."""
    paths = int(os.environ.get("GOUGH_PATHS", "400"))
    wrong, flipped, _ = null_twist_paths(paths, seed=9)
    assert wrong == 0
    assert flipped > paths // 30


def test_a_box_from_this_step_alone_would_certify_flips(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted error: without the changes of the steps around it, the same paths give false certificates."""
    from gough.kinematics import forward

    monkeypatch.setattr(
        forward, "excursions", lambda platform, lam, clock, timed: np.zeros(lam.shape)
    )
    assert null_twist_paths(60, seed=8)[0] > 0


def test_regular_motions_are_certified() -> None:
    """Smooth motions of usual speed far from singularities: at least 99 % of the samples."""
    platform, rng = machine("UPS"), np.random.default_rng(10)
    shares = []
    for _ in range(40):
        t = np.linspace(0, 1, 200)[:, None]
        wave = [
            sum(rng.normal(size=3) * np.sin(k * np.pi * t) / k for k in (1, 2, 3)) for _ in "ab"
        ]
        path = Pose(HOME.position + 0.02 * wave[0], rotation_exp(0.08 * wave[1]))
        shares.append(
            track(platform, actuator_coordinates(platform, path), path[0]).certified.mean()
        )
    assert np.mean(shares) >= 0.99


def test_a_sample_without_numbers_spoils_its_own_row_only() -> None:
    platform = machine("UPS")
    path = Pose(
        HOME.position + np.linspace(0, 0.01, 30)[:, None], np.broadcast_to(np.eye(3), (30, 3, 3))
    )
    length = actuator_coordinates(platform, path)
    length[7, 2], length[12] = np.nan, np.inf
    tr = track(platform, length, path[0])
    bad = np.isin(np.arange(30), (7, 12))
    assert (tr.status[bad] == gough.status.NO_SAMPLE).all()
    assert np.isnan(tr.pose.position[bad]).all()
    assert tr.certified[~bad].all()
    assert not tr.certified[bad].any()
    np.testing.assert_allclose(tr.pose.position[~bad], path.position[~bad], atol=1e-12)


def test_speed_limits_and_time_stamps_make_the_box() -> None:
    """A leg that may move fast between slow samples may go anywhere: the certificate is withheld."""
    slow, fast = (
        gough.Platform(
            gough.Body(1.0),
            [leg.replace(limits=gough.Limits(speed=v)) for leg in machine("UPS").legs],
            home=HOME,
        )
        for v in (0.02, 5.0)
    )
    path = Pose(
        HOME.position + np.linspace(0, 0.01, 30)[:, None], np.broadcast_to(np.eye(3), (30, 3, 3))
    )
    time = np.linspace(0, 1, 30)
    for platform, wanted in ((slow, True), (fast, False)):
        tr = track(platform, actuator_coordinates(platform, path), path[0], time=time)
        assert tr.certified[1:].all() == wanted
        assert tr.straight.all()
    with pytest.raises(gough.InputError, match="increas"):
        track(slow, actuator_coordinates(slow, path), path[0], time=time[::-1])
