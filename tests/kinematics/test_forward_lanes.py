"""Eight forward problems at a time: the same answers as one at a time, and what the lanes may not settle."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics import forward_lanes as lanes
from gough.kinematics.forward import actuator_coordinates, flat_pose, forward_kinematics
from gough.kinematics.forward_kernel import CONVERGED, answer
from gough.spatial import Pose, rotation_exp
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


def solved_by_lanes(kind: str, guess: Pose, there: Pose) -> tuple[Array, Array]:
    """Rounds (n,), 0 where the lanes gave up, and poses (n, 12)."""
    platform, n = machine(kind), len(there.position)
    length = actuator_coordinates(platform, there)
    table, pose = leg_table(platform), np.full((n, 12), np.nan)
    row = lanes.machine_row(table, platform.characteristic_length)
    X, Y = np.ones((lanes.IN, lanes.LANES)), np.empty((lanes.OUT, lanes.LANES))
    found, rounds = np.empty((lanes.FOUND.size, lanes.LANES)), np.empty(n)
    for first in range(0, n, lanes.LANES):
        lanes.newton_lanes(
            table,
            row,
            length,
            flat_pose(guess),
            first,
            pose,
            X,
            Y,
            np.empty((6, 3)),
            np.empty(6),
            found,
        )
        rounds[first : first + lanes.LANES] = found[lanes.ROUNDS_DONE][: n - first]
    return rounds, pose


@pytest.mark.parametrize("kind", KINDS)
def test_near_guesses_are_settled_in_the_lanes(kind: str) -> None:
    """Steps that contract: a millimeter off takes a round or two, and nothing is left to another program."""
    there = poses(11, seed=8)
    near = Pose(there.position + 1e-3, there.rotation)
    rounds, pose = solved_by_lanes(kind, near, there)
    assert ((rounds >= 1) & (rounds <= 2)).all()
    np.testing.assert_allclose(pose, flat_pose(there), atol=1e-12)


def test_steps_that_do_not_contract_are_left_to_the_other_program() -> None:
    """From far away the second step is no small part of the first: given up at once, whatever it might lead to."""
    there = poses(16, seed=9)
    far = Pose(there.position, rotation_exp([0.0, 0.0, 1.4]) @ there.rotation)
    rounds, _ = solved_by_lanes("UPS", far, there)
    first = [
        one_round(actuator_coordinates(machine("UPS"), p), g)
        for p, g in zip(there, far, strict=True)
    ]
    wild = np.array([f["second"][0] >= lanes.CONTRACTS * f["first"][0] for f in first])
    assert wild.sum() > 3
    assert (rounds[wild] == 0.0).all()
