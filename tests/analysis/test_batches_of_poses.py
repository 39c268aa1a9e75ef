"""A batch of poses is its members, one by one: two batch axes, so that no axis can stand for another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import (
    compliance,
    error_budget,
    force_sensitivity,
    linearize,
    modes,
    pose_sensitivity,
    stiffness_matrix,
    transmissibility,
)
from gough.analysis.joint_stiffness import joint_stiffness, spring_stiffness, unit_twists
from gough.analysis.linked import basis_and_inverse, held_stiffness
from gough.analysis.sensitivity import actuator_sensitivity
from gough.analysis.singularity import clearance, singularity
from gough.checks import Array
from gough.spatial import Pose, rotation_exp

SHAPE = (2, 3)
STIFF = 1e7 * np.arange(1.0, 7.0)
JOINTS = {"universal": 2e3, "spherical": 3e3}
MACHINE = gough.load("motion-base-1500")
FLEXIBLE = gough.load("flexure-hexapod")


def poses(machine: gough.Platform) -> Pose:
    """Six poses about home in two rows of three."""
    rng, home = np.random.default_rng(8), machine.require_home()
    size = 0.01 * machine.characteristic_length
    return Pose(
        home.position + size * rng.normal(size=(*SHAPE, 3)),
        rotation_exp(0.01 * rng.normal(size=(*SHAPE, 3))) @ home.rotation,
    )


def linear(machine: gough.Platform, pose: Pose) -> tuple[Array, ...]:
    found = linearize(
        machine,
        pose,
        stiffness=STIFF,
        damping=1e4,
        outputs=("length", "rate", "pose", "twist"),
        wrench=True,
        **JOINTS,
    )
    sampled = found.discrete(1e-3)
    answer = [found.response([3.0, 50.0]), sampled.response([3.0, 50.0])]
    parts = [np.concatenate([x.real, x.imag], axis=-1) for x in answer]
    return (*found, found.force, sampled.A, sampled.B, *parts)


def budget(machine: gough.Platform, pose: Pose) -> tuple[Array, ...]:
    found = error_budget(machine, pose, base=1e-4, joint=2e-4, actuator=3e-5 * np.arange(1.0, 7.0))
    return found.covariance, found.sigma, *found.share.values()


def natural(motors: str) -> Callable[[gough.Platform, Pose], tuple[Array, ...]]:
    def found(machine: gough.Platform, pose: Pose) -> tuple[Array, ...]:
        told = modes(machine, pose, stiffness=STIFF, motors=motors, **JOINTS)  # type: ignore[arg-type]
        # up to their signs
        return told.frequency, np.abs(told.shape), told.stable

    return found


def shaken(machine: gough.Platform, pose: Pose) -> tuple[Array, ...]:
    found = transmissibility(machine, pose, [2.0, 40.0], stiffness=STIFF, damping=2e4, **JOINTS)
    return found.response.real, found.response.imag, found.gain


def measured(machine: gough.Platform, pose: Pose) -> tuple[Array, ...]:
    found = singularity(machine, pose)
    return found.smallest, found.condition, found.determinant, found.wrench_matrix


ASKED: dict[str, Callable[[gough.Platform, Pose], tuple[Any, ...]]] = {
    "linear models": linear,
    "budgets": budget,
    "locked": natural("locked"),
    "rigid": natural("rigid"),
    "free": natural("free"),
    "transmissibility": shaken,
    "singularity": measured,
    "with preload": lambda m, p: (stiffness_matrix(m, p, stiffness=STIFF, **JOINTS),),
    "plain": lambda m, p: (stiffness_matrix(m, p, stiffness=STIFF, preload=False, **JOINTS),),
    "compliance": lambda m, p: (compliance(m, p, stiffness=STIFF, **JOINTS),),
    "joints": lambda m, p: (joint_stiffness(m, p, 2.0, 3.0),),
    "of poses": lambda m, p: pose_sensitivity(m, p)[:1],
    "of efforts": lambda m, p: force_sensitivity(m, p)[:1],
    "of actuators": lambda m, p: (actuator_sensitivity(m, p),),
}


def one_by_one(machine: gough.Platform, asked: Callable[..., tuple[Any, ...]]) -> None:
    many = poses(machine)
    whole = asked(machine, many)
    for at in np.ndindex(SHAPE):
        for all_, one in zip(whole, asked(machine, many[at]), strict=True):
            rest = np.shape(one)
            assert np.shape(all_) == (*SHAPE, *rest)
            size = float(np.abs(one).max(initial=0.0))
            np.testing.assert_allclose(all_[at], one, rtol=1e-7, atol=1e-9 * size)


@pytest.mark.parametrize("name", ASKED)
def test_a_batch_of_poses_is_its_members(name: str) -> None:
    one_by_one(MACHINE, ASKED[name])


def test_springs_of_flexures_pose_by_pose() -> None:
    one_by_one(FLEXIBLE, lambda m, p: (spring_stiffness(m, p),))
    assert np.abs(spring_stiffness(FLEXIBLE, poses(FLEXIBLE))).max() > 1.0


def test_unit_twists_pose_by_pose() -> None:
    """Six motions of each pose: along the axes, then about them."""
    many = poses(MACHINE)
    found = unit_twists(many)
    assert found.shape == (*SHAPE, 6)
    for k in range(6):
        np.testing.assert_array_equal(found.position[..., k, :], many.position)
        np.testing.assert_array_equal(found.rotation[..., k, :, :], many.rotation)
        v, w = found.velocity[..., k, :], found.angular_velocity[..., k, :]
        both = np.concatenate(np.broadcast_arrays(v, w), axis=-1)
        np.testing.assert_array_equal(
            both.reshape(-1, 6), np.tile(np.eye(6)[k], (both.size // 6, 1))
        )


def held(pose: Pose) -> gough.Platform:
    """The machine with its second leg a fixed link of the length that it has at one pose."""
    length = gough.inverse_kinematics(MACHINE, pose).length
    free = {"drive": None, "limits": gough.Limits(), "friction": gough.Friction()}
    legs = list(MACHINE.legs)
    legs[1] = legs[1].replace(fixed=float(length[1]), **free)
    return MACHINE.replace(legs=legs)


@pytest.mark.parametrize("preload", [True, False])
def test_machines_with_a_link_pose_by_pose(preload: bool) -> None:
    """The same pose in every place of the batch, for the link has one length."""
    home = MACHINE.require_home()
    machine = held(home)
    many = Pose(
        np.broadcast_to(home.position, (*SHAPE, 3)), np.broadcast_to(home.rotation, (*SHAPE, 3, 3))
    )
    options: dict[str, Any] = {"stiffness": STIFF, "preload": preload, **JOINTS}
    K, T = held_stiffness(machine, home, STIFF, (2e3, 3e3), preload)
    many_K, many_T = held_stiffness(machine, many, STIFF, (2e3, 3e3), preload)
    basis, inverse = basis_and_inverse(machine, many)
    assert K.shape == (5, 5)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    wrench = np.linalg.eigvalsh(compliance(machine, home, **options))
    assert abs(wrench[0]) < 1e-9 * wrench[-1]  # one direction is held by the link
    assert wrench[1] > 1e-6 * wrench[-1]
    for at in np.ndindex(SHAPE):
        np.testing.assert_allclose(many_T[at], T, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(many_K[at], K, rtol=1e-9, atol=1e-9 * np.abs(K).max())
        np.testing.assert_allclose(inverse[at] @ basis[at], np.eye(5), atol=1e-12)
        for asked in (compliance, lambda *given, **more: modes(*given, **more).frequency):
            np.testing.assert_allclose(
                asked(machine, many, **options)[at], asked(machine, home, **options), rtol=1e-7,
                atol=1e-14,
            )  # fmt: skip
    model, one = (
        linearize(machine, p, stiffness=STIFF, damping=2.0, wrench=True) for p in (many, home)
    )
    wrench_names = ("fx", "fy", "fz", "mx", "my", "mz")
    assert model.inputs == ("force_1", *(f"force_{i}" for i in range(3, 7)), *wrench_names)
    assert len(model.states) == 10
    for all_, each in zip(model, one, strict=True):
        assert all_.shape == (*SHAPE, *each.shape)
        np.testing.assert_allclose(all_[1, 2], each, rtol=1e-8, atol=1e-9 * np.abs(each).max(initial=1e-9))  # fmt: skip


def test_ways_to_a_singularity_pose_by_pose() -> None:
    """Each pose with its own direction; and one direction for all of them."""
    many, rng = poses(MACHINE), np.random.default_rng(3)
    way = rng.normal(size=(*SHAPE, 3))
    found = clearance(MACHINE, many, way, 1.5)
    assert found.shape == SHAPE
    for at in np.ndindex(SHAPE):
        one = clearance(MACHINE, many[at], way[at], 1.5)
        assert found[at] == pytest.approx(float(one), rel=1e-6)
    along = clearance(MACHINE, many, np.array([0.0, 0.0, -2.0]), 1.5)
    np.testing.assert_allclose(
        along, [[clearance(MACHINE, many[i, j], np.array([0.0, 0.0, -1.0]), 1.5) for j in range(3)] for i in range(2)]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("way", "limit"),
    [
        ([0.0, 0.0, 0.0], 1.0),
        ([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], 1.0),
        ([0.0, 0.0, 1.0], 0.0),
        ([0.0, 0.0, 1.0], -1.0),
        ([0.0, 0.0, 1.0], np.inf),
    ],
)
def test_a_way_has_a_direction_and_an_end(way: Any, limit: float) -> None:
    with pytest.raises(gough.InputError, match="non-zero vector, with a positive limit"):
        clearance(MACHINE, MACHINE.require_home(), way, limit)
