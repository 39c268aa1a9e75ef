"""Maps over the joined part of a workspace: against the verbs they are made of, pose by pose, and against limits."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.connected import REACHED, ReachableVolume, reachable_volume
from gough.analysis.workspace_maps import LARGE_IS_GOOD, UNITS, WorkspaceMap, workspace_map
from gough.layout import TWIST
from gough.limits import check
from gough.model import Platform
from gough.spatial import Pose

GIVEN = {
    "condition": {},
    "stiffness": {"stiffness": 2e7},
    "accuracy": {"actuator": 1e-5},
    "payload": {"center": [0.1, -0.05, 0.4]},
    "margin": {},
}


@pytest.fixture(scope="module")
def machine() -> Platform:
    base = gough.load("motion-base-1500")
    legs = [leg.replace(limits=leg.limits.replace(force=9e3)) for leg in base.legs]
    return base.replace(legs=legs)


@pytest.fixture(scope="module")
def part(machine: Platform) -> ReachableVolume:
    return reachable_volume(machine, depth=4)


def centers(part: ReachableVolume, found: WorkspaceMap) -> tuple[Pose, np.ndarray]:
    """The poses of a few joined cells and what the map says there."""
    joined = np.argwhere(part.cells >= REACHED)[::37]
    size = (part.box[1] - part.box[0]) / part.cells.shape
    poses = Pose(part.box[0] + (joined + 0.5) * size, part.start.rotation)
    return poses, found.values[tuple(joined.T)]


@pytest.mark.parametrize("quantity", UNITS)
def test_a_map_covers_the_joined_cells_and_names_its_worst(
    machine: Platform, part: ReachableVolume, quantity: str
) -> None:
    found = workspace_map(machine, part, quantity, **GIVEN[quantity])
    assert (np.isfinite(found.values) == (part.cells >= REACHED)).all()
    ends = np.nanmin(found.values), np.nanmax(found.values)
    assert {found.worst, found.best} == set(ends)
    assert (found.worst < found.best) == (quantity in LARGE_IS_GOOD)
    at = np.round((found.worst_at - part.box[0]) / (part.box[1] - part.box[0]) * 16 - 0.5)
    assert found.values[tuple(at.astype(int))] == found.worst
    assert "not proved" in found.sentence()


def test_the_margin_is_that_of_the_limits_pose_by_pose(
    machine: Platform, part: ReachableVolume
) -> None:
    poses, found = centers(part, workspace_map(machine, part, "margin"))
    said = [min(x for x in check(machine, pose).leg_margin if x == x) for pose in poses]
    assert np.allclose(found, said, rtol=0, atol=1e-12)
    free = [leg.replace(limits=gough.Limits()) for leg in machine.legs]
    with pytest.raises(gough.InputError, match="at least one leg needs a limit"):
        workspace_map(machine.replace(legs=free), part, "margin")


def test_condition_and_accuracy_pose_by_pose(machine: Platform, part: ReachableVolume) -> None:
    poses, found = centers(part, workspace_map(machine, part, "condition"))
    for k, value in enumerate(found):
        H = gough.analysis.singularity.singularity(machine, poses[k]).wrench_matrix
        assert value == pytest.approx(np.linalg.cond(H), rel=1e-9)
    poses, found = centers(part, workspace_map(machine, part, "accuracy", actuator=1e-5))
    for k, value in enumerate(found):
        D = np.linalg.inv(gough.jacobian(machine, poses[k]))[TWIST.linear]
        assert value == pytest.approx(1e-5 * np.linalg.norm(D, 2), rel=1e-9)


def test_stiffness_is_that_of_the_softest_direction(
    machine: Platform, part: ReachableVolume
) -> None:
    poses, found = centers(part, workspace_map(machine, part, "stiffness", stiffness=2e7))
    directions = np.random.default_rng(0).normal(size=(400, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for k, value in enumerate(found):
        J = gough.jacobian(machine, poses[k])
        C = np.linalg.inv(2e7 * J.T @ J)[TWIST.linear, TWIST.linear]
        along = 1.0 / (directions @ C * directions).sum(axis=1)
        assert value <= along.min() * (1 + 1e-9)
        assert value == pytest.approx(along.min(), rel=0.05)


def test_the_payload_is_the_largest_that_is_held(machine: Platform, part: ReachableVolume) -> None:
    """With a hundredth less all efforts keep their limits, with a hundredth more one breaks its own."""
    point = GIVEN["payload"]["center"]
    poses, found = centers(part, workspace_map(machine, part, "payload", center=point))
    assert found.min() > 0.0
    for k, mass in enumerate(found):
        for share, held in ((0.99, True), (1.01, False)):
            body = gough.Body(share * mass, point)
            loaded = gough.analysis.with_payload(machine, body)
            effort = np.abs(gough.inverse_dynamics(loaded, poses[k]).force)
            assert bool((effort <= 9e3).all()) is held


def test_a_machine_that_cannot_hold_itself_holds_no_payload(
    machine: Platform, part: ReachableVolume
) -> None:
    weak = machine.replace(
        legs=[leg.replace(limits=leg.limits.replace(force=1.0)) for leg in machine.legs]
    )
    found = workspace_map(weak, part, "payload")
    assert found.best == found.worst == 0.0


def test_what_a_map_needs_is_asked_for(machine: Platform, part: ReachableVolume) -> None:
    for quantity, message in (
        ("stiffness", "stiffness"),
        ("accuracy", "actuator"),
        ("weight", "condition, stiffness"),
    ):
        with pytest.raises(gough.InputError, match=message):
            workspace_map(machine, part, quantity)
    with pytest.raises(gough.InputError, match="one point"):
        workspace_map(machine, part, "payload", center=np.zeros((2, 3)))
    with pytest.raises(gough.InputError, match="this machine"):
        workspace_map(gough.load("servo-hexapod"), part, "condition")
    free = machine.replace(
        legs=[leg.replace(limits=leg.limits.replace(force=None)) for leg in machine.legs]
    )
    with pytest.raises(gough.InputError, match="largest effort"):
        workspace_map(free, part, "payload")


def test_rods_between_two_balls_without_springs_have_the_stiffness_of_their_cranks() -> None:
    """``C^-1 = J^T k J``, J the actuator rates per twist; their free spin, which nothing holds, takes no part."""
    head = gough.load("robot-head-rss")
    home = head.require_home()
    C = gough.analysis.compliance(head, home, stiffness=50.0, preload=False)
    J = gough.jacobian(head, home)
    assert np.allclose(C @ (J.T @ (50.0 * J)), np.eye(6), atol=1e-8)
