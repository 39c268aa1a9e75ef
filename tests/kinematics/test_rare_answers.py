"""Answers that usual questions never get: steps that are halved, boxes of small errors to first order, singular poses,
candidates that are closed, starts that are forgotten."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough import status
from gough.checks import Array
from gough.kinematics import estimation, uncertainty
from gough.kinematics.assembly import start
from gough.kinematics.centering import centered
from gough.kinematics.estimation import _Sensors
from gough.kinematics.forward import actuator_coordinates, flat_pose
from gough.kinematics.recovery import SAME, Candidates, Recovery
from gough.layout import POSE
from gough.spatial import Pose, rotation_from_rpy, rotation_log
from gough.struts import struts
from support.forward_machines import HOME, machine


@pytest.mark.parametrize("far", [1.0, 1.5, 2.5, 8.0])
def test_steps_that_go_too_far_are_halved(far: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """``atan x = 0``: whole steps of Newton's method from beyond 1.39 never come back."""

    def used(self: Any, pose: Pose, out: list[int]) -> tuple[Array, Array, Array]:
        x = np.concatenate([pose.position, rotation_log(pose.rotation)])
        return -np.arctan(x), np.diag(1.0 / (1.0 + x * x)), np.arange(6)

    monkeypatch.setattr(_Sensors, "_used", used)
    task = _Sensors(machine("UPS"), np.zeros(6), np.ones(6), ())
    found = task._least(Pose(np.array([far, -far, 0.3]), np.eye(3)), [])
    assert found is not None
    np.testing.assert_allclose(found[0].position, 0.0, atol=1e-6)


@pytest.mark.parametrize(("asked", "taken"), [(0.01, 0.01), (0.5, 0.5), (0.9, 0.5)])
def test_a_significance_is_at_most_one_half(
    asked: float, taken: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimation._Sensors, "estimate", lambda self, begin, level: level)
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME)
    found: Any = gough.estimate_pose(platform, length, actuator=1e-5, significance=asked)
    assert found == taken


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_boxes_of_small_errors_are_those_of_first_order(kind: str) -> None:
    """Never less, and little more: ``|J^-1| (|dl| + |s|.|db| + |R^T s|.|dp|)`` of legs, base and joints."""
    platform, size = machine(kind), 1e-8
    pose = Pose(
        HOME.position + np.array([0.01, -0.02, 0.015]), rotation_from_rpy((0.1, -0.05, 0.2))
    )
    length, g = actuator_coordinates(platform, pose), struts(platform, pose)
    J = gough.jacobian(platform, pose)
    back = np.abs(np.linalg.inv(J))
    share = np.abs(1.0 / g.eta)  # coordinate per length of the strut
    wide = np.abs(g.direction).sum(axis=1) * share
    turned = np.abs(g.direction @ pose.rotation).sum(axis=1) * share
    for given, due in (
        ({"actuator": size}, np.ones(6)),
        ({"actuator": size * np.arange(1.0, 7.0)}, np.arange(1.0, 7.0)),
        ({"actuator": 0.0, "base": size}, wide),
        ({"actuator": 0.0, "joint": size}, turned),
    ):
        found = gough.pose_uncertainty(platform, length, pose, **given)
        assert found.certified
        least = back @ due * size
        assert (found.box > 0.999 * least).all()
        most = 1.02 * least + 1e-13
        if kind != "UPS":  # ends that move along slanted rails and circles are held by boxes
            most = 1.4 * least
        if "joint" in given:  # a box of a turned box: wider by its corners
            most = 3.0 * least
        assert (found.box < most).all(), found.box / least


def test_a_singular_pose_has_no_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned by a right angle about its axis a regular machine is singular, whatever finds that pose."""
    platform = gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6)
    home = platform.require_home()
    worst = None
    for angle in np.linspace(0.0, np.pi, 181):
        pose = Pose(home.position, rotation_from_rpy((0.0, 0.0, float(angle))))
        smallest = float(np.linalg.svd(gough.jacobian(platform, pose))[1][-1])
        worst = min(worst or (smallest, pose), (smallest, pose), key=lambda x: x[0])
    assert worst is not None
    pose = worst[1]
    fk = SimpleNamespace(success=True, pose=pose, status=status.CONVERGED)
    monkeypatch.setattr(uncertainty, "forward_kinematics", lambda *_, **__: fk)
    found = gough.pose_uncertainty(platform, actuator_coordinates(platform, pose), actuator=1e-9)
    assert found.status is status.SINGULAR
    assert not found.certified
    assert np.isinf(found.box).all()
    assert np.isinf(found.covariance).all()


def recovery(**more: Any) -> Recovery:
    given = {"platform": machine("UPS"), "lam": np.zeros((2, 6)), "beyond": np.zeros(2)}
    given |= {"margin": 0.0, "whole": np.ones(2, bool), "filters": (), "accept": None}
    return Recovery(**{**given, **more})


def test_poses_are_the_same_within_a_millionth_of_size_or_radian() -> None:
    one = recovery()
    flat = np.zeros((5, POSE.size))
    at = POSE.at("position")
    flat[1, at] = 0.9 * SAME * one.platform.characteristic_length
    flat[2, at] = 1.1 * SAME * one.platform.characteristic_length
    flat[3, POSE.at("rotation")] = -0.9 * SAME
    flat[4, POSE.at("rotation") + 8] = -1.1 * SAME
    assert one._same(flat, np.zeros(POSE.size)).tolist() == [True, True, False, True, False]


@pytest.mark.parametrize("leg", range(6))
def test_the_residual_of_a_recovered_pose_is_its_largest_leg_error(leg: int) -> None:
    platform = machine("UPS")
    lam = actuator_coordinates(platform, HOME)[None] + np.zeros((2, 1))
    lam[1] += 1e-3 * np.arange(6.0)
    lam[1, leg] -= 0.02
    one = recovery(lam=lam)
    flat = centered(platform).inward(flat_pose(Pose(HOME.position[None], HOME.rotation[None])))[0]
    assert one._residual(0, flat) == pytest.approx(0.0, abs=1e-12)
    assert one._residual(1, flat) == pytest.approx(0.02 - 1e-3 * leg, rel=1e-9)


def test_candidates_that_were_closed_stay_closed_when_all_are_found_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = recovery()
    flat = np.arange(3.0)[:, None] * np.ones(POSE.size)
    fresh = Candidates(flat[[2, 0, 1]] + 1e-9, np.ones(3, bool))
    held = Candidates(flat, np.array([True, False, True]))
    monkeypatch.setattr(Recovery, "_found", lambda self, n: fresh)
    proved = np.array([True, True, True])
    monkeypatch.setattr(Recovery, "_step", lambda self, n, given: (given, proved))
    assert one._followed(1, held).open.tolist() == [True, False, True]  # type: ignore[union-attr]
    proved[2] = False
    found = one._followed(1, held)
    assert found is fresh
    assert found.open.tolist() == [True, True, False]


def test_the_oldest_start_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_memory", type(start._memory)())
    for k in range(start.MEMORY + 2):
        start._remember(str(k), k)  # type: ignore[arg-type]
    assert len(start._memory) == start.MEMORY
    assert next(iter(start._memory)) == "2"
    assert list(start._memory)[-1] == str(start.MEMORY + 1)
    monkeypatch.setattr(start, "_seen", type(start._seen)())
    assert [start.seen_before("a"), start.seen_before("a")] == [False, True]
    for k in range(4096):
        assert not start.seen_before(str(k))
    assert len(start._seen) == 4096
    assert not start.seen_before("a")
