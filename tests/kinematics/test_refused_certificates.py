"""What has no certificate, each reason alone: too far a turn, a way out of reach, rows that depend on each other."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.certificate import certify
from gough.kinematics.forward import actuator_coordinates, flat_pose
from gough.layout import CERTIFICATE, POSE
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Pose, rotation_exp
from gough.struts import leg_table
from support.forward_machines import HOME, machine


def certified(table: Array, one: Pose, other: Pose, lam: Array) -> bool:
    """Between two poses whose legs have the same coordinates; the room for them holds these before."""
    room = np.empty((6, CERTIFICATE.size)), np.empty((6, 6)), np.empty((6, 6)), np.empty(6)
    there = np.empty(POSE.size), lam.copy(), np.empty((6, 3))
    flat = [np.ascontiguousarray(flat_pose(p)) for p in (one, other)]
    return certify(table, flat[0], lam, lam.copy(), flat[1], 1e-9, np.zeros(6), *room, *there)


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_a_pose_is_joined_to_itself_and_not_to_one_turned_far(kind: str) -> None:
    platform = machine(kind)
    table, lam = leg_table(platform), actuator_coordinates(platform, HOME)
    assert certified(table, HOME, HOME, lam)
    for angle in (2.2, 3.0, np.pi):
        far = Pose(HOME.position, rotation_exp([0.0, 0.0, angle]) @ HOME.rotation)
        assert not certified(table, HOME, far, lam)
        assert not certified(table, far, HOME, lam)


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_a_pose_that_no_leg_reaches_is_joined_to_none(kind: str) -> None:
    """Though coordinates of another question still lie in the room."""
    platform = machine(kind)
    table, lam = leg_table(platform), actuator_coordinates(platform, HOME)
    for shift in ([3.0, 0.0, 0.0], [0.0, 2.0, 5.0]):
        away = Pose(HOME.position + np.array(shift), HOME.rotation)
        assert np.isnan(actuator_coordinates(platform, away)).any()
        assert not certified(table, away, away, lam)


def test_a_strut_without_length_has_no_certificate() -> None:
    platform = machine("UPS")
    table = leg_table(platform).copy()
    joint = HOME.position + HOME.rotation @ platform.legs[2].joint
    table[2, LEG.base] = joint
    lam = np.linalg.norm(
        HOME.position + platform.platform_joints @ HOME.rotation.T - table[:, LEG.base], axis=1
    )
    assert not certified(table, HOME, HOME, lam)


@pytest.mark.parametrize(("one", "other"), [(0, 1), (4, 2), (5, 0)])
def test_two_legs_in_one_place_hold_nothing(one: int, other: int) -> None:
    platform = machine("UPS")
    table, lam = leg_table(platform).copy(), actuator_coordinates(platform, HOME)
    table[one], lam[one] = table[other], lam[other]
    assert not certified(table, HOME, HOME, lam)
