"""Rotations by their axioms, poses and motions by their round trips."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import spatial

SHAPES = [(), (1,), (3, 1, 2)]
EXACT = 1e-14


def rotation_vectors(shape: tuple[int, ...], kind: str) -> np.ndarray:
    rng = np.random.default_rng(4)
    v = rng.normal(size=(*shape, 3))
    unit = v / np.linalg.norm(v, axis=-1, keepdims=True)
    some = unit * rng.uniform(0.1, 3.1, (*shape, 1))
    return {"any": some, "tiny": 1e-9 * v, "near pi": unit * (np.pi - 1e-7), "zero": 0 * v}[kind]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["any", "tiny", "near pi", "zero"])
def test_exponential_and_logarithm(shape: tuple[int, ...], kind: str) -> None:
    v = rotation_vectors(shape, kind)
    R = spatial.rotation_exp(v)
    assert R.shape == (*shape, 3, 3)
    np.testing.assert_allclose(
        R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), atol=EXACT
    )
    np.testing.assert_allclose(np.linalg.det(R), np.ones(shape), atol=EXACT)
    np.testing.assert_allclose(
        spatial.rotation_log(R), v, atol=1e-8 if kind == "near pi" else 1e-13
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_rotation_turns_about_its_vector_by_its_length(shape: tuple[int, ...]) -> None:
    v = rotation_vectors(shape, "any")
    R = spatial.rotation_exp(v)
    np.testing.assert_allclose(np.einsum("...ij,...j->...i", R, v), v, atol=EXACT * 10)
    np.testing.assert_allclose(
        np.trace(R, axis1=-2, axis2=-1), 1 + 2 * np.cos(np.linalg.norm(v, axis=-1)), atol=1e-13
    )


@pytest.mark.parametrize("kind", ["any", "tiny", "near pi"])
def test_quaternions_and_matrices_are_the_same_rotations(kind: str) -> None:
    R = spatial.rotation_exp(rotation_vectors((50,), kind))
    q = spatial.quaternion_from_rotation(R)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1.0, atol=EXACT)
    assert (q[:, 0] >= 0).all()
    np.testing.assert_allclose(spatial.rotation_from_quaternion(q), R, atol=1e-14)
    np.testing.assert_allclose(spatial.rotation_from_quaternion(-3.0 * q), R, atol=1e-14)


def test_rpy_is_rz_ry_rx_and_comes_back() -> None:
    rpy = np.random.default_rng(5).uniform(-1.5, 1.5, (40, 3))
    R = spatial.rotation_from_rpy(rpy)
    by_hand = (
        spatial.rotation_z(rpy[:, 2])
        @ spatial.rotation_y(rpy[:, 1])
        @ spatial.rotation_x(rpy[:, 0])
    )
    np.testing.assert_array_equal(R, by_hand)
    np.testing.assert_allclose(spatial.rpy_from_rotation(R), rpy, atol=1e-13)
    locked = spatial.rotation_from_rpy([0.3, np.pi / 2, 0.2])
    np.testing.assert_allclose(
        spatial.rotation_from_rpy(spatial.rpy_from_rotation(locked)), locked, atol=1e-12
    )


def test_rate_matrix_is_the_derivative_of_the_rotation() -> None:
    rng = np.random.default_rng(6)
    rpy, rate, h = rng.uniform(-1, 1, 3), rng.normal(size=3), 1e-6
    Rd = (spatial.rotation_from_rpy(rpy + h * rate) - spatial.rotation_from_rpy(rpy - h * rate)) / (
        2 * h
    )
    omega = spatial.rpy_rate_matrix(rpy) @ rate
    np.testing.assert_allclose(
        Rd @ spatial.rotation_from_rpy(rpy).T, spatial.skew(omega), atol=1e-9
    )
    Jd = (spatial.rpy_rate_matrix(rpy + h * rate) - spatial.rpy_rate_matrix(rpy - h * rate)) / (
        2 * h
    )
    np.testing.assert_allclose(spatial.rpy_rate_matrix_dot(rpy, rate), Jd, atol=1e-9)


def test_poses_from_every_description_are_equal() -> None:
    rng = np.random.default_rng(7)
    t, rpy = rng.normal(size=(4, 3)), rng.uniform(-1, 1, (4, 3))
    pose = gough.Pose.from_rpy(t, rpy)
    for other in (
        gough.Pose.from_quaternion(t, pose.quaternion),
        gough.Pose.from_matrix(pose.matrix()),
        gough.Pose.from_matrix(t, pose.rotation),
    ):
        np.testing.assert_allclose(other.rotation, pose.rotation, atol=1e-14)
        np.testing.assert_array_equal(other.position, t)
    np.testing.assert_allclose(pose.rpy, rpy, atol=1e-13)
    assert len(pose) == 4
    assert pose[1:3].shape == (2,)
    assert pose[0] == gough.Pose.from_rpy(t[0], rpy[0])
    assert bool(pose[0])
    with pytest.raises(TypeError):
        len(pose[0])
    with pytest.raises(gough.InputError, match="matrix"):
        gough.Pose.from_matrix(np.ones((4, 4)))


def test_motion_broadcasts_and_refuses_what_does_not_fit() -> None:
    motion = gough.Motion(np.zeros((5, 3)), velocity=[1.0, 0, 0], time=np.arange(5.0))
    assert motion.velocity.shape == (5, 3)
    assert motion.rotation.shape == (5, 3, 3)
    assert motion[2].time == 2.0
    with pytest.raises(gough.InputError, match="velocity"):
        gough.Motion(np.zeros((5, 3)), velocity=np.zeros((4, 3)))
    with pytest.raises(ValueError, match="read-only"):
        motion.position[0, 0] = 1.0


@pytest.mark.parametrize("away", [0.3, 1e-3, 1e-6, 1e-9, 1e-12, 0.0])
def test_rpy_keeps_all_digits_near_gimbal_lock(away: float) -> None:
    for pitch in (np.pi / 2 - away, -np.pi / 2 + away):
        R = spatial.rotation_from_rpy([0.7, pitch, -1.9])
        np.testing.assert_allclose(
            spatial.rotation_from_rpy(spatial.rpy_from_rotation(R)), R, atol=2e-15
        )


def test_rates_of_the_rpy_matrix_take_batches_together() -> None:
    """One angle for many rates and the other way round; what does not fit is one sentence."""
    rng = np.random.default_rng(5)
    rpy, rate = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    each = np.stack([spatial.rpy_rate_matrix_dot(rpy[0], r) for r in rate])
    np.testing.assert_array_equal(spatial.rpy_rate_matrix_dot(rpy[0], rate), each)
    np.testing.assert_array_equal(
        spatial.rpy_rate_matrix_dot(rpy, rate[0])[2], spatial.rpy_rate_matrix_dot(rpy[2], rate[0])
    )
    with pytest.raises(gough.InputError, match=r"rate: .*must broadcast"):
        spatial.rpy_rate_matrix_dot(rpy, rate[:3])
