"""Eight forward problems at a time: the same answers as one at a time, and what the lanes may not settle."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics import forward_lanes as lanes
from gough.kinematics.forward import actuator_coordinates, flat_pose, forward_kinematics
from gough.kinematics.forward_kernel import CONVERGED, answer
from gough.spatial import Pose
from gough.struts import leg_table, struts
from support.forward_machines import HOME, KINDS, machine, poses


@pytest.mark.parametrize("kind", KINDS)
def test_lanes_and_one_problem_alone_agree(kind: str) -> None:
    """Newton with pivots and halving (`answer`) and the lanes are different programs for the same pose."""
    platform, there = machine(kind), poses(50, seed=1)
    length, guess = actuator_coordinates(platform, there), poses(50, seed=2)
    fk = forward_kinematics(platform, length, guess, certify=False)
    assert fk.success.all()
    table, start = leg_table(platform), flat_pose(guess)
    room = np.empty((6, 3)), np.empty(6), np.empty((7, 7)), np.empty(6), np.empty(12)
    for k in range(50):
        pose = np.empty(12)
        status, *_ = answer(table, length[k], start[k], platform.characteristic_length, pose, *room)
        assert status == CONVERGED
        np.testing.assert_allclose(flat_pose(fk.pose[k]), pose, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_does_not_depend_on_its_neighbors(kind: str) -> None:
    """Bit by bit: alone, in batches of any size, beside problems without an answer."""
    platform, there, guess = machine(kind), poses(19, seed=3), poses(19, 0.2, 0.4, seed=4)
    length = actuator_coordinates(platform, there)
    length[7, 0] += 2.5  # out of reach
    whole = forward_kinematics(platform, length, guess)
    assert not whole.success[7]
    for some in (slice(0, 1), slice(5, 9), slice(3, 19)):
        part = forward_kinematics(platform, length[some], guess[some])
        np.testing.assert_array_equal(flat_pose(part.pose), flat_pose(whole.pose)[some])
        np.testing.assert_array_equal(part.residual, whole.residual[some])
        np.testing.assert_array_equal(part.iterations, whole.iterations[some])
    for k in (0, 7, 18):
        alone = forward_kinematics(platform, length[k], guess[k])
        np.testing.assert_array_equal(flat_pose(alone.pose), flat_pose(whole.pose[k]))


def one_round(length: Array, guess: Pose) -> dict[str, Array]:
    platform = machine("UPS")
    table = leg_table(platform)
    par = lanes.machine_row(table, platform.characteristic_length)
    row = [*flat_pose(guess), *platform.base_joints.ravel(), *length]
    return lanes.ROUND.named(np.array(lanes.newton_round().run(row, par), dtype=float))


def test_a_round_says_how_far_its_pose_is_off() -> None:
    """Its leg error is that of struts.py; from 1 mm two steps shrink it 1e4 times; wrong lengths do not vanish."""
    platform, there, guess = machine("UPS"), poses(1, seed=5)[0], poses(1, 1e-3, 2e-3, seed=6)[0]
    length = actuator_coordinates(platform, there)
    near = Pose(there.position + guess.position - HOME.position, guess.rotation @ there.rotation)
    found = one_round(length, near)
    pose = Pose(found["position"], found["rotation"].reshape(3, 3))
    left = np.abs(struts(platform, pose).coordinate - length).max()
    np.testing.assert_allclose(np.sqrt(found["misfit"][0]), left, atol=1e-15)
    before = np.abs(struts(platform, near).coordinate - length).max()
    assert left < 1e-4 * before
    assert found["second"][0] < 1e-4 * found["first"][0]
    np.testing.assert_allclose(pose.rotation.T @ pose.rotation, np.eye(3), atol=1e-14)
    wrong = one_round(length + 0.3 * np.eye(6)[0], near)
    assert wrong["misfit"][0] > 1e-8


def test_a_guess_that_is_no_rotation_is_made_one() -> None:
    platform, there = machine("UPS"), poses(1, seed=5)[0]
    length = actuator_coordinates(platform, there)
    bent = Pose.trusted(there.position, there.rotation * (1 + 1e-5))
    fk = forward_kinematics(platform, length, bent)
    assert fk.success
    np.testing.assert_allclose(fk.pose.rotation.T @ fk.pose.rotation, np.eye(3), atol=1e-15)
