"""What each filter admits, pose by pose: strokes, cones, above the base, legs apart."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics.assembly.filters import _from_home, admitted
from gough.kinematics.forward import actuator_coordinates
from gough.model import Limits
from gough.spatial import Pose, rotation_exp
from gough.struts import pair_distances, struts
from support.forward_machines import HOME, machine, poses


def limited(leg: int, limits: Limits) -> gough.Platform:
    platform = machine("UPS")
    legs = list(platform.legs)
    legs[leg] = legs[leg].replace(limits=limits)
    return platform.replace(legs=tuple(legs))


@pytest.mark.parametrize("leg", [0, 5])
def test_a_stroke_admits_all_poses_or_none(leg: int) -> None:
    """They have the same lengths: only these decide."""
    length = actuator_coordinates(machine("UPS"), HOME)
    here = float(length[leg])
    for low, high, taken in (
        (here - 0.1, here + 0.1, True),
        (here + 0.01, here + 0.1, False),
        (here - 0.1, here - 0.01, False),
    ):
        platform = limited(leg, Limits(stroke=(low, high)))
        for n in (0, 1, 3):
            found = admitted("stroke", platform, poses(n), length)
            assert found.tolist() == [taken] * n


@pytest.mark.parametrize("side", ["base", "platform"])
@pytest.mark.parametrize("leg", [0, 4])
def test_a_strut_is_in_its_cones_up_to_their_angle(side: str, leg: int) -> None:
    """The cone about the strut's direction at home; another pose turns the strut by a known angle."""
    platform = machine("UPS")
    there = Pose(HOME.position + np.array([0.05, -0.1, 0.02]), rotation_exp([0.1, 0.2, -0.1]))
    both = Pose(
        np.stack([HOME.position, there.position]), np.stack([HOME.rotation, there.rotation])
    )

    def direction(pose: Pose) -> np.ndarray:
        S = pose.position + pose.rotation @ platform.legs[leg].joint - platform.legs[leg].base
        s = S / np.linalg.norm(S)
        return s if side == "base" else pose.rotation.T @ s

    angle = float(np.arccos(direction(HOME) @ direction(there)))
    length = actuator_coordinates(platform, there)
    for share, taken in ((1.05, True), (0.95, False)):
        narrow = limited(leg, Limits(**{f"{side}_cone": share * angle}))
        assert admitted("cones", narrow, both, length).tolist() == [True, taken]


def test_above_is_against_gravity() -> None:
    """Every joint on the upper side of the base's middle; gravity may pull anywhere."""
    shifts = np.array([[0.0, 0, 0.55], [0, 0, -0.55], [0.55, 0, 0], [0, -0.55, 0]])
    turned = Pose(
        shifts + HOME.position * [1, 1, 0],
        np.stack([np.eye(3), np.eye(3), rotation_exp([0, np.pi / 2, 0]), rotation_exp([np.pi / 2, 0, 0])]),
    )  # fmt: skip
    platform = machine("UPS")
    middle = platform.base_joints.mean(axis=0)
    length = np.ones(6)
    for gravity in ([0.0, 0.0, -9.81], [0.0, 0.0, 9.81], [-9.81, 0.0, 0.0], [0.0, 9.81, 0.0]):
        pulled = platform.replace(gravity=gravity)
        end = turned.position[:, None] + platform.platform_joints @ np.swapaxes(
            turned.rotation, 1, 2
        )
        due = ((end - middle) @ -np.array(gravity) > 0).all(axis=1)
        found = admitted("above", pulled, turned, length)
        assert found.tolist() == due.tolist()
        assert found.sum() == 1
    tilted = Pose(
        HOME.position[None] * [[1, 1, 0.2]], rotation_exp(np.array([[0.9, 0.0, 0.0]]))
    )  # one side hangs below
    assert admitted("above", platform, tilted, length).tolist() == [False]


def test_legs_keep_the_sum_of_their_radii_apart() -> None:
    """Of two neighbors: apart by more than both radii, or not."""
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME)
    pose = Pose(HOME.position[None], HOME.rotation[None])
    gap = pair_distances(struts(platform, pose))[0]
    i, j = np.triu_indices(6, 1)
    k = int(gap.argmin())
    for share, taken in ((0.98, True), (1.02, False)):
        legs = list(platform.legs)
        for leg, part in ((int(i[k]), 0.7), (int(j[k]), 0.3)):
            legs[leg] = legs[leg].replace(limits=Limits(radius=float(share * part * gap[k])))
        thick = platform.replace(legs=tuple(legs))
        assert admitted("crossings", thick, pose, length).tolist() == [taken]
    assert admitted("crossings", platform, pose, length).tolist() == [True]


def test_home_comes_first_among_the_poses_that_are_joined_to_it() -> None:
    platform, some = machine("UPS"), poses(3)
    found = _from_home(platform, some)
    np.testing.assert_array_equal(found.position, [HOME.position, *some.position])
    np.testing.assert_array_equal(found.rotation, [HOME.rotation, *some.rotation])
