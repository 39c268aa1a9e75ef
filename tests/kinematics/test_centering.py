"""Far frames are moved to the machine: there and back, only where they are far, and what it costs is said."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.kinematics.centering import FAR, centered
from gough.kinematics.forward import flat_pose
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE
from gough.spatial import Pose
from gough.struts import leg_table
from support.forward_machines import machine, poses

WAY = np.array([0.6, -1.0, 0.3])


def spread(x: Array) -> float:
    return float(np.abs(x - x.mean(axis=0)).max())


def placed(base: float, joint: float) -> gough.Platform:
    """The centroids of base and joints this many of the machine's sizes along WAY from their frames."""
    platform = machine("mixed")
    b, p = platform.base_joints, platform.platform_joints
    size = max(spread(b), spread(p))
    move = [base * size * WAY - b.mean(axis=0), joint * size * WAY - p.mean(axis=0)]
    legs = [
        leg.replace(base=leg.base + move[0], joint=leg.joint + move[1]) for leg in platform.legs
    ]
    return gough.Platform(platform.body, legs)


CASES = [
    (0.0, 0.0),
    (0.99 * FAR, -0.99 * FAR),
    (1.01 * FAR, 0.5),
    (0.5, -1.01 * FAR),
    (-1e5, 1e4),
]


@pytest.mark.parametrize(("base", "joint"), CASES)
def test_frames_are_moved_where_they_are_far(base: float, joint: float) -> None:
    """By the whole centroid; a frame that is near stays, whatever the other one does."""
    platform = placed(base, joint)
    here, table = centered(platform), leg_table(platform)
    far = [abs(base) > FAR, abs(joint) > FAR]
    assert here.moved is any(far)
    b, p = platform.base_joints.mean(axis=0), platform.platform_joints.mean(axis=0)
    np.testing.assert_allclose(here.base, b if far[0] else np.zeros(3), rtol=1e-12)
    np.testing.assert_allclose(here.joint, p if far[1] else np.zeros(3), rtol=1e-12)
    np.testing.assert_array_equal(here.table[:, LEG.base], table[:, LEG.base] - here.base)
    np.testing.assert_array_equal(here.table[:, LEG.joint], table[:, LEG.joint] - here.joint)
    rest = np.ones(LEG.size, dtype=bool)
    rest[LEG.base] = rest[LEG.joint] = False
    np.testing.assert_array_equal(here.table[:, rest], table[:, rest])
    assert leg_table(platform) is not here.table or not here.moved


@pytest.mark.parametrize(("base", "joint"), CASES)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_legs_are_the_same_from_the_middle(
    base: float, joint: float, shape: tuple[int, ...]
) -> None:
    """``t' + R p' - b' = t + R p - b``, and the way back is the way."""
    platform = placed(base, joint)
    here = centered(platform)
    some = poses(6, turn=1.0, seed=3)
    pose = Pose(
        np.resize(some.position, (*shape, 3)) + 0.1, np.resize(some.rotation, (*shape, 3, 3))
    )
    flat = flat_pose(pose)
    inward = here.inward(flat)
    assert inward.shape == flat.shape
    R = pose.rotation[..., None, :, :]
    np.testing.assert_array_equal(inward[..., POSE.rotation], flat[..., POSE.rotation])

    def struts(t: Array, joints: Array, feet: Array) -> Array:
        return t[..., None, :] + (R @ joints[..., None])[..., 0] - feet

    mine = struts(inward[..., POSE.position], here.table[:, LEG.joint], here.table[:, LEG.base])
    theirs = struts(pose.position, platform.platform_joints, platform.base_joints)
    far = 1.0 + np.abs(here.base).max() + np.abs(here.joint).max()
    np.testing.assert_allclose(mine, theirs, atol=1e-14 * far)
    np.testing.assert_allclose(here.outward(inward), flat, atol=1e-14 * far)
    if not here.moved:
        assert here.outward(flat) is flat
        assert inward is flat


def test_rounding_is_that_of_the_far_numbers() -> None:
    """Some roundings of position and lever; none where nothing is moved."""
    near, far = centered(placed(0.0, 0.0)), centered(placed(100.0, 50.0))
    flat = flat_pose(poses(3))
    flat[1, POSE.position] = [1e3, -2e3, 5e2]
    assert near.rounding(flat).tolist() == [0.0] * 3
    eps = np.finfo(float).eps
    found = far.rounding(flat)
    assert found.shape == (3,)
    lever = np.abs(far.joint).sum()
    assert (found >= 2 * eps * lever).all()
    np.testing.assert_allclose(
        found[1] - found[0], 4 * eps * (3500.0 - np.abs(flat[0, POSE.position]).sum()), rtol=1e-9
    )
    sizes = np.abs(flat[:, POSE.position]).sum(axis=1) + lever
    np.testing.assert_allclose(found / sizes, found[0] / sizes[0], rtol=1e-9)
