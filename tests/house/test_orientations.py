"""Orientations by name against scipy, poses as transforms, frames by their round trips; and errors planted in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import orientations, spatial
from gough.orientations import OTHERS, SENSES, SEQUENCES, euler_angles, euler_rotation

EXACT = 1e-14
NAMES = [f"{letters} {sense}".strip() for letters in SEQUENCES for sense in ("", *SENSES)]


def angles() -> np.ndarray:
    """Random ones, and those at which two axes fall together."""
    found = np.random.default_rng(1).uniform(-3.1, 3.1, (30, 3))
    found[:6, 1] = [0.0, np.pi / 2, -np.pi / 2, np.pi, 1e-9, np.pi / 2 - 1e-9]
    return found


def agrees_with_scipy(name: str) -> bool:
    letters, _, sense = name.partition(" ")
    theirs = Rotation.from_euler(letters.lower() if sense == "extrinsic" else letters, angles())
    return bool(np.abs(euler_rotation(angles(), name) - theirs.as_matrix()).max() < EXACT)


@pytest.mark.parametrize("name", NAMES)
def test_sequences_are_those_of_scipy(name: str) -> None:
    assert agrees_with_scipy(name)


@pytest.mark.parametrize("name", NAMES)
def test_angles_come_back(name: str) -> None:
    R = euler_rotation(angles(), name)
    back = euler_angles(R, name)
    np.testing.assert_allclose(euler_rotation(back, name), R, atol=EXACT)
    letters, _, sense = name.partition(" ")
    few = Rotation.from_matrix(R[6:])
    theirs = few.as_euler(letters.lower() if sense == "extrinsic" else letters)
    np.testing.assert_allclose(back[6:], theirs, atol=1e-9)
    low, high = (0.0, np.pi) if letters[0] == letters[2] else (-np.pi / 2, np.pi / 2)
    assert ((back[:, 1] >= low) & (back[:, 1] <= high)).all()


def test_one_rotation_is_a_batch_of_none() -> None:
    R = euler_rotation([0.1, 0.2, 0.3], "ZXZ")
    assert R.shape == (3, 3)
    assert euler_angles(R, "ZXZ") == pytest.approx([0.1, 0.2, 0.3])


def test_planted_errors_in_the_sequences_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Axes swapped, or moving taken for fixed: scipy says otherwise."""
    real = orientations.axes_of
    for wrong in (
        lambda name: (real(name)[0][::-1], real(name)[1]),
        lambda name: (real(name)[0], not real(name)[1]),
    ):
        monkeypatch.setattr(orientations, "axes_of", wrong)
        assert not agrees_with_scipy("XYZ")
        assert not agrees_with_scipy("ZXY extrinsic")


def test_rpy_is_xyz_about_fixed_axes() -> None:
    a = angles()
    np.testing.assert_array_equal(euler_rotation(a, "XYZ extrinsic"), spatial.rotation_from_rpy(a))
    for name in OTHERS:
        R = euler_rotation(a, "XYZ")
        back = orientations.to_rotation(name, orientations.from_rotation(name, R))
        np.testing.assert_allclose(back, R, atol=1e-13)


@pytest.mark.parametrize("name", ["xyz", "zxz", "XXY", "XYX moving", "XYZW", "", "rpy", None])
def test_other_names_are_refused(name: object) -> None:
    """Lower-case letters mean moving axes to some and fixed ones to others."""
    with pytest.raises(gough.InputError, match="sequence"):
        gough.Pose.from_euler([0, 0, 0], [0, 0, 0], name)  # type: ignore[arg-type]
    with pytest.raises(gough.InputError, match="sequence"):
        gough.Pose([0.0, 0.0, 0.0]).to_euler(name)  # type: ignore[arg-type, call-overload]


def test_lower_case_is_told_both_ways_to_say_it() -> None:
    with pytest.raises(gough.InputError, match=r"write XYZ .moving axes. or XYZ extrinsic"):
        gough.Frames(convention="xyz")


def test_a_rounded_matrix_finds_its_rotation() -> None:
    rng = np.random.default_rng(2)
    R = spatial.rotation_from_quaternion(rng.normal(size=(50, 4)))
    for digits in (3, 5, 8):
        rounded = np.round(R, digits)
        found = gough.Pose.nearest(np.zeros(3), rounded)
        assert np.abs(found.rotation - R).max() < 10.0**-digits
        np.testing.assert_allclose(
            found.rotation @ np.swapaxes(found.rotation, -1, -2),
            np.broadcast_to(np.eye(3), R.shape),
            atol=EXACT,
        )
        best = np.linalg.norm(rounded - found.rotation, axis=(-1, -2))
        for _ in range(20):  # no rotation nearby is nearer
            other = spatial.rotation_exp(rng.normal(size=(50, 3)) * 1e-3) @ found.rotation
            assert (np.linalg.norm(rounded - other, axis=(-1, -2)) >= best).all()


@pytest.mark.parametrize(
    "matrix", [np.eye(3) * 1.1, np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3)), np.ones((3, 3))]
)
def test_what_is_no_rounded_rotation_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(gough.InputError, match="rotation"):
        gough.Pose.nearest([0, 0, 0], matrix)


def test_poses_are_transforms() -> None:
    rng = np.random.default_rng(3)
    a, b, c = (gough.Pose.from_quaternion(rng.normal(size=3), rng.normal(size=4)) for _ in "abc")
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), atol=EXACT)
    np.testing.assert_allclose(a.inverse().matrix(), np.linalg.inv(a.matrix()), atol=EXACT)
    np.testing.assert_allclose((a @ (b @ c)).matrix(), ((a @ b) @ c).matrix(), atol=EXACT)
    many = gough.Pose(rng.normal(size=(4, 1, 3)))
    assert (many @ gough.Pose(rng.normal(size=(5, 3)))).shape == (4, 5)
    assert (a @ many).shape == (4, 1)
    with pytest.raises(gough.InputError, match="pose"):
        _ = many @ gough.Pose(np.zeros((3, 2, 3)))
    with pytest.raises(gough.InputError, match="pose"):
        _ = a @ np.eye(4)  # type: ignore[operator]


def test_poses_move_points() -> None:
    """``A @ p``: a point given in the axes of A, seen from where A is; batches broadcast."""
    rng = np.random.default_rng(4)
    a, b = (gough.Pose.from_quaternion(rng.normal(size=3), rng.normal(size=4)) for _ in "ab")
    points = rng.normal(size=(6, 3))
    column = np.concatenate([points, np.ones((6, 1))], axis=1).T
    np.testing.assert_allclose(a @ points, (a.matrix() @ column)[:3].T, atol=EXACT)
    np.testing.assert_allclose((a @ b) @ points, a @ (b @ points), atol=EXACT)
    np.testing.assert_allclose(a.inverse() @ (a @ points), points, atol=EXACT)
    np.testing.assert_allclose(a @ [0.0, 0.0, 0.0], a.position, atol=EXACT)
    many = gough.Pose.from_rpy(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)))
    moved = many[:, None] @ points
    assert moved.shape == (4, 6, 3)
    np.testing.assert_allclose(moved[2], many[2] @ points, atol=EXACT)
    np.testing.assert_allclose(many @ points[:4], [many[i] @ points[i] for i in range(4)])
    for wrong in (points, np.zeros(4), "here", [[0.0, np.nan, 0.0]], None):
        with pytest.raises(gough.InputError, match="points"):
            _ = many @ wrong  # type: ignore[operator]


def test_the_joints_of_a_machine_are_where_its_pose_puts_them() -> None:
    platform = gough.load("dasgupta-1998-physical")
    pose = gough.Pose.from_rpy([0.1, 0.2, 0.5], [0.1, -0.2, 0.3])
    length = gough.inverse_kinematics(platform, pose).length
    apart = np.linalg.norm(pose @ platform.platform_joints - platform.base_joints, axis=1)
    np.testing.assert_allclose(apart, length, atol=EXACT)


def some_frames(convention: str = "ZXZ") -> gough.Frames:
    work = gough.Pose.from_rpy([0.3, -0.2, 0.1], [0.2, 0.3, -0.4])
    tool = gough.Pose.from_rpy([0.05, 0.02, 0.2], [-0.1, 0.4, 0.2])
    return gough.Frames(work=work, tool=tool, pivot=[0.1, 0.0, 0.3], convention=convention)


@pytest.mark.parametrize("convention", ["rpy", "vector", "quaternion", "ZXZ", "YZX extrinsic"])
def test_frames_take_a_pose_and_give_it_back(convention: str) -> None:
    rng = np.random.default_rng(4)
    frames = some_frames(convention)
    pose = gough.Pose.from_quaternion(rng.normal(size=(7, 3)), rng.normal(size=(7, 4)))
    back = frames.pose(*frames.numbers(pose))
    np.testing.assert_allclose(back.matrix(), pose.matrix(), atol=1e-13)
    given = frames.platform_pose(frames.entered(pose))
    np.testing.assert_allclose(given.matrix(), pose.matrix(), atol=1e-13)


def test_without_a_pivot_the_position_is_that_of_the_tool() -> None:
    """Tool seen from work, by 4x4 transforms written out."""
    frames = some_frames().replace(pivot=None)
    pose = frames.pose([0.1, 0.2, 0.9], [0.3, 0.4, -0.2])
    seen = np.linalg.inv(frames.work.matrix()) @ pose.matrix() @ frames.tool.matrix()
    assert seen[:3, 3] == pytest.approx([0.1, 0.2, 0.9])
    theirs = Rotation.from_euler("ZXZ", [0.3, 0.4, -0.2]).as_matrix()
    np.testing.assert_allclose(seen[:3, :3], theirs, atol=EXACT)


def test_turns_are_about_the_pivot() -> None:
    """Whatever the angles, the pivot stays; with no angles the tool is where it is said to be."""
    frames, where = some_frames(), [0.1, 0.2, 0.9]
    still = frames.pose(where)
    tool = (still @ frames.tool).position
    np.testing.assert_allclose((frames.work @ gough.Pose(where)).position, tool, atol=EXACT)
    for turn in ([0.3, 0.0, 0.0], [0.1, 0.5, -2.0]):
        point = frames.turning_point(frames.pose(where, turn))
        np.testing.assert_allclose(point, frames.turning_point(still), atol=EXACT)
    wrong = frames.replace(pivot=[0.1, 0.0, 0.31])  # planted: another pivot moves this one
    moved = frames.turning_point(wrong.pose(where, [0.1, 0.5, -2.0]))
    assert np.abs(moved - frames.turning_point(still)).max() > 1e-3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("work", [0, 0, 0]),
        ("tool", gough.Pose(np.zeros((2, 3)))),
        ("pivot", [1.0, 2.0]),
        ("convention", "ypr"),
    ],
)
def test_frames_refuse_what_they_are_not(field: str, value: object) -> None:
    with pytest.raises(gough.InputError, match=field):
        gough.Frames(**{field: value})  # type: ignore[arg-type]
