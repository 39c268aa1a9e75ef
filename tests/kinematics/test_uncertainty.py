"""Errors of lengths and joints: no machine outside its proved box, covariances as sampled, the wrong sensor found."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import status
from gough.kinematics import Distance, Inclinometer
from gough.kinematics.assembly import assembly_modes
from gough.kinematics.forward import actuator_coordinates, forward_kinematics, track
from gough.kinematics.mode_boxes import modes_within
from gough.model.body import collected_warnings
from gough.spatial import Pose, rotation_exp, rotation_log
from support.forward_machines import HOME, KINDS, machine, poses


def errors(
    kind: str, pose: Pose, actuator: float, joint: float, samples: int, *, corners: bool
) -> np.ndarray:
    """(samples, 6) pose errors of machines and lengths within their bounds, evenly spread or in the corners."""
    platform, rng = machine(kind), np.random.default_rng(1)
    length = actuator_coordinates(platform, pose)

    def draw(*shape: int) -> np.ndarray:
        return rng.choice([-1.0, 1.0], shape) if corners else rng.uniform(-1, 1, shape)

    out = np.empty((samples, 6))
    for k in range(samples):
        legs = [
            leg.replace(base=leg.base + joint * draw(3), joint=leg.joint + joint * draw(3))
            for leg in platform.legs
        ]
        with collected_warnings():
            wrong = gough.Platform(platform.body, legs, home=HOME)
        fk = forward_kinematics(wrong, length + actuator * draw(6), pose, certify=False)
        assert fk.success
        out[k, :3] = fk.pose.position - pose.position
        out[k, 3:] = rotation_log(fk.pose.rotation @ pose.rotation.T)
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("actuator", "joint"), [(1e-5, 1e-5), (1e-3, 0.0), (0.0, 4e-4)])
def test_no_machine_lies_outside_the_proved_box(kind: str, actuator: float, joint: float) -> None:
    """Corners of the data, where the errors add up; the box is not idle: they reach well into it."""
    pose = poses(1, seed=4)[0]
    platform = machine(kind)
    length = actuator_coordinates(platform, pose)
    found = gough.pose_uncertainty(
        platform, length, pose, actuator=actuator, base=joint, joint=joint
    )
    assert found.certified
    seen = np.abs(errors(kind, pose, actuator, joint, 120, corners=True))
    assert (seen <= found.box).all()
    assert (seen.max(axis=0) > 0.25 * found.box).all()
    half = gough.pose_uncertainty(
        platform, length, pose, actuator=actuator / 4, base=joint / 4, joint=joint / 4
    )
    assert (seen > half.box).any()  # planted: data four times as wrong as declared is noticed


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_the_covariance_is_that_of_the_sample(kind: str) -> None:
    pose, size = poses(1, seed=5)[0], 1e-5
    length = actuator_coordinates(machine(kind), pose)
    found = gough.pose_uncertainty(
        machine(kind), length, pose, actuator=size, base=size, joint=size
    )
    sample = errors(kind, pose, size, size, 600, corners=False)
    values = np.linalg.eigvals(np.linalg.solve(found.covariance, np.cov(sample.T)))
    assert values.real.min() > 0.7
    assert values.real.max() < 1.4


def test_too_large_errors_and_singular_poses_have_no_box() -> None:
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME)
    wide = gough.pose_uncertainty(platform, length, actuator=0.05)
    assert not wide.certified
    assert np.isinf(wide.box).all()
    assert np.isfinite(wide.covariance).all()
    failed = gough.pose_uncertainty(platform, np.full(6, 0.05), actuator=1e-6)
    assert not failed.certified
    assert not failed.status.ok
    assert "no box" in repr(wide)
    with pytest.raises(gough.InputError, match="negative"):
        gough.pose_uncertainty(platform, length, actuator=-1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_modes_for_all_lengths_in_the_box(kind: str) -> None:
    """Every corner of the box has exactly the modes that are promised, each near its own."""
    platform = machine(kind)
    length = actuator_coordinates(platform, poses(1, seed=6)[0])
    width = 1e-8
    found = modes_within(platform, length, actuator=width)
    assert found.settled
    rng = np.random.default_rng(2)
    for _ in range(10):
        modes = assembly_modes(platform, length + width * rng.choice([-1.0, 1.0], 6))
        assert modes.complete
        assert len(modes) == len(found.always)
        gap = np.abs(modes.poses.rotation[:, None] - found.always.rotation).max(axis=(2, 3))
        assert (gap.min(axis=1) < 1e-4).all()


def test_modes_that_merge_within_the_box_are_not_promised() -> None:
    """At a fold two modes are born: a box around it promises neither, though one side has them."""
    platform = machine("UPS")
    yaw = np.linspace(0.0, 2.0, 400)
    path = Pose.from_rpy(np.broadcast_to(HOME.position, (400, 3)), yaw[:, None] * [0.0, 0.0, 1.0])
    length = actuator_coordinates(platform, path)
    lost = track(platform, length, path[0]).lost_at
    assert lost is not None
    near = modes_within(platform, length[lost - 3], actuator=1e-3)
    assert not near.settled
    here = assembly_modes(platform, length[lost - 3])
    assert len(near.always) < len(here)
    assert len(near.always) + len(near.sometimes) == len(here)
    joints = modes_within(platform, length[0], joint=1e-12)
    assert joints.complete  # this machine has 40: they stay 40
    special = gough.hexapod(0.5, 0.3, 0.4, 0.5, 0.6)
    at = actuator_coordinates(special, special.require_home())
    assert not modes_within(
        special, at, joint=1e-12
    ).complete  # 28 of 40: joints off the ring have more


def sensors(pose: Pose, rng: np.random.Generator, sigma: float, wires: int) -> list[object]:
    """Wires and an inclinometer that measure `pose` with normal errors."""
    out: list[object] = []
    for _ in range(wires):
        b, p = 0.5 * rng.normal(size=3), 0.2 * rng.normal(size=3)
        true = float(np.linalg.norm(pose.position + pose.rotation @ p - b))
        out.append(Distance(b, p, true + sigma * rng.normal(), sigma))
    across = np.array([*rng.normal(size=2), 0.0])
    up = (rotation_exp(sigma * across) @ pose.rotation).T @ [0.0, 0.0, 1.0]
    return [*out, Inclinometer(up, sigma)]


@pytest.mark.parametrize("kind", ["UPS", "mixed"])
def test_more_sensors_than_six(kind: str) -> None:
    """Errors over sigma have unit variance, chi2 its mean, and few sets of honest sensors are called inconsistent."""
    platform, rng, sigma = machine(kind), np.random.default_rng(3), 2e-5
    pose = poses(1, seed=7)[0]
    length = actuator_coordinates(platform, pose)
    square, chi2, accused, n = np.zeros(6), 0.0, 0, 300
    for _ in range(n):
        found = gough.estimate_pose(
            platform,
            length + sigma * rng.normal(size=6),
            actuator=sigma,
            sensors=sensors(pose, rng, sigma, 2),
        )
        assert found.status.ok
        x = np.r_[
            found.pose.position - pose.position, rotation_log(found.pose.rotation @ pose.rotation.T)
        ]
        square += np.linalg.solve(np.linalg.cholesky(found.covariance), x) ** 2 / n
        accused += bool(found.outliers)
        chi2 += found.chi2 / found.redundancy / n
    assert square.min() > 0.7
    assert square.max() < 1.35
    assert 0.85 < chi2 < 1.15
    assert accused <= 3


@pytest.mark.parametrize("wrong", range(8))
def test_the_wrong_sensor_is_found(wrong: int) -> None:
    """One of six legs or two wires is off by fifty sigma: named, left out, and the pose is right again."""
    platform, rng, sigma = machine("UPS"), np.random.default_rng(8), 1e-5
    pose = poses(1, seed=9)[0]
    length = actuator_coordinates(platform, pose) + sigma * rng.normal(size=6)
    extra = sensors(pose, rng, sigma, 2)
    if wrong < 6:
        length[wrong] += 50 * sigma
    else:
        bad = extra[wrong - 6]
        assert isinstance(bad, Distance)
        extra[wrong - 6] = Distance(bad.base, bad.joint, bad.value - 50 * sigma, sigma)
    found = gough.estimate_pose(platform, length, actuator=sigma, sensors=extra)
    name = f"leg {platform.leg_names[wrong]}" if wrong < 6 else f"distance {wrong - 5}"
    assert found.outliers == (name,)
    assert found.consistent
    error = found.pose.position - pose.position
    assert (np.abs(error) < 5 * np.sqrt(np.diag(found.covariance)[:3])).all()


def test_what_cannot_be_told_is_not_told() -> None:
    """One redundant sensor shows a fault but not whose; a lost leg is carried by the others; five do not do."""
    platform, sigma = machine("UPS"), 1e-5
    length = actuator_coordinates(platform, HOME)
    b, p = np.array([0.1, 0.9, 0.0]), np.array([0.1, 0.05, 0.02])
    wire = float(np.linalg.norm(HOME.position + p - b))
    wrong = length + 50 * sigma * np.eye(6)[2]
    one = gough.estimate_pose(
        platform, wrong, actuator=sigma, sensors=[Distance(b, p, wire, sigma)]
    )
    assert not one.consistent
    assert one.outliers == ()
    assert "which of them" in one.status
    lost = np.where(np.arange(6) == 2, np.nan, length)
    without = gough.estimate_pose(
        platform, lost, actuator=sigma, sensors=[Distance(b, p, wire, sigma)]
    )
    assert without.status is status.CONVERGED
    assert without.redundancy == 0
    np.testing.assert_allclose(without.pose.position, HOME.position, atol=1e-10)
    few = gough.estimate_pose(platform, lost, actuator=sigma)
    assert few.status.code == "singular"
    assert np.isnan(few.pose.position).all()
    for bad in ({"actuator": 0.0}, {"sensors": [3.0]}):
        with pytest.raises(gough.InputError):
            gough.estimate_pose(platform, length, **({"actuator": sigma} | bad))  # type: ignore[arg-type]
