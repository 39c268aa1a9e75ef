"""Covariances of a pose to first order: those of legs, base points and joints, each through the Jacobian."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.uncertainty import PoseUncertainty, _variance
from gough.spatial import Pose, rotation_from_rpy
from gough.struts import anchors, joints, struts
from support.forward_machines import HOME, machine

POSE = Pose(HOME.position + np.array([0.01, -0.02, 0.015]), rotation_from_rpy((0.1, -0.05, 0.2)))
ACTUATOR = 1e-7 * np.array([1.0, 2.0, 0.5, 3.0, 1.5, 0.7])
KINDS = pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "mixed"])


@KINDS
def test_errors_spread_evenly_have_a_third_of_their_squares(kind: str) -> None:
    """``J^-1 diag(w^2/3) J^-T`` of coordinates wrong by up to w: of a base point or joint wrong by e in every
    coordinate w = e/|eta|, and independent errors add up."""
    platform = machine(kind)
    length, eta = actuator_coordinates(platform, POSE), struts(platform, POSE).eta
    back = np.linalg.inv(gough.jacobian(platform, POSE))

    def through(width: np.ndarray) -> np.ndarray:
        return back @ np.diag(width**2 / 3.0) @ back.T

    base, joint = 2e-7, 3e-7
    for given, due in (
        ({"actuator": ACTUATOR}, through(ACTUATOR)),
        ({"actuator": 1e-7}, through(np.full(6, 1e-7))),
        ({"base": base}, through(base / eta)),
        ({"joint": joint}, through(joint / eta)),
        (
            {"actuator": ACTUATOR, "base": base, "joint": joint},
            through(ACTUATOR) + through(base / eta) + through(joint / eta),
        ),
    ):
        found = gough.pose_uncertainty(platform, length, POSE, **given)
        size = np.sqrt(np.outer(np.diag(due), np.diag(due)))
        np.testing.assert_allclose(found.covariance / size, due / size, atol=1e-6)
        np.testing.assert_allclose(found.sigma, np.sqrt(np.diag(due)), rtol=1e-6)


@KINDS
def test_variances_of_the_conditions_are_those_of_their_slopes(kind: str) -> None:
    """``F = |P|^2 - l^2`` by differences in the coordinate, and ``dF = 2 P.db``, in any axes."""
    platform = machine(kind)
    lam, h = actuator_coordinates(platform, POSE), 1e-6
    end = joints(platform, POSE)[1]

    def conditions(coordinate: np.ndarray) -> np.ndarray:
        c, l = anchors(platform, coordinate)
        return ((end - c) ** 2).sum(axis=1) - l**2

    slope = (conditions(lam + h) - conditions(lam - h)) / (2 * h)
    P = end - anchors(platform, lam)[0]
    for base, joint in ((0.0, 0.0), (2e-3, 0.0), (0.0, 3e-3), (2e-3, 3e-3)):
        found = _variance(platform, lam, P, 1e4 * ACTUATOR, base, joint)
        square = 4 * (P**2).sum(axis=1) * (base**2 + joint**2)
        due = ((slope * 1e4 * ACTUATOR) ** 2 + square) / 3
        np.testing.assert_allclose(found, due, rtol=1e-6)


def test_boxes_and_deviations_are_read_in_order() -> None:
    covariance = np.diag(np.arange(1.0, 7.0) ** 2) * 1e-8
    some = PoseUncertainty(
        HOME, 1e-3 * np.arange(1.0, 7.0), covariance, True, gough.status.CONVERGED
    )
    assert some.sigma == pytest.approx(1e-4 * np.arange(1.0, 7.0))
    assert repr(some) == (
        "<PoseUncertainty: converged; proved within 0.001 0.002 0.003 0.004 0.005 0.006; "
        "sigma 0.0001 0.0002 0.0003 0.0004 0.0005 0.0006 (m, rad)>"
    )


def test_a_pose_that_is_not_found_has_neither_box_nor_covariance() -> None:
    found = gough.pose_uncertainty(machine("UPS"), np.full(6, 0.05), actuator=1e-6)
    assert not found.status.ok
    assert found.box.shape == (6,)
    assert found.covariance.shape == (6, 6)
    assert np.isinf(found.box).all()
    assert np.isinf(found.covariance).all()
    assert not found.certified
