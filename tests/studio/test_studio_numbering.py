"""In which numbers the page says where the platform is: conventions, pivot, work and tool frames."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.orientations import conventions, from_rotation, to_rotation
from gough.spatial import Pose, rotation_from_quaternion, rotation_from_rpy
from gough.studio import messages as m
from gough.studio.numbering import MOST_ROWS, place
from gough.studio.session import Session

FRAMES = gough.Frames(
    work=Pose.from_rpy([0.3, -0.2, 0.9], [0.1, -0.2, 0.7]),
    tool=Pose.from_rpy([0.05, 0.02, 0.25], [-0.3, 0.2, 0.4]),
    pivot=[0.1, -0.05, 0.3],
    convention="ZXZ extrinsic",
)


@pytest.fixture
def framed(session: Session) -> Session:
    """The same client with a machine whose file has work and tool frames."""
    text = gough.dumps(session.platform.replace(frames=FRAMES))
    assert isinstance(session.handle(m.OpenMachine(2, "text", "mine", text)), m.MachineOpened)
    return session


def number(frames: gough.Frames, framed: bool = True) -> m.Numbering:
    pivot = (0.0, 0.0, 0.0) if frames.pivot is None else tuple(frames.pivot.tolist())
    return m.Numbering(frames.convention, pivot, framed)


def entered(pose: Pose, numbering: m.Numbering, frames: gough.Frames) -> m.PoseInput:
    """What a user enters for a pose of the platform in the world, by the library."""
    x, angles = frames.numbers(pose)
    at = tuple(x.tolist()), numbering.convention, tuple(angles.tolist())
    return m.PoseInput(*at, numbering.pivot, numbering.framed)


def near(pose: Pose, seed: int) -> Pose:
    rng = np.random.default_rng(seed)
    turn = rotation_from_rpy(0.1 * rng.normal(size=3))
    return Pose(pose.position + 0.03 * rng.normal(size=3), turn @ pose.rotation)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_tool_and_work_frame_mean_what_the_library_says(
    framed: Session, seed: int
) -> None:
    pose, numbering = near(framed.platform.require_home(), seed), number(FRAMES)
    given = entered(pose, numbering, FRAMES)
    state = framed.handle(m.SolvePose(3, given, show=numbering))
    assert state.position == pytest.approx(pose.position, abs=1e-14)
    assert state.quaternion == pytest.approx(pose.quaternion, abs=1e-14)
    assert state.entered == pytest.approx(given.position, abs=1e-14)
    assert state.angles == pytest.approx(given.angles, abs=1e-13)
    assert state.show == numbering
    forces = gough.inverse_dynamics(framed.platform, gough.Motion.at_rest(pose)).force
    assert state.force == pytest.approx(forces, rel=1e-11)
    plain = m.PoseInput(given.position, given.convention, given.angles, given.pivot)
    assert place(framed.platform, plain).position != pytest.approx(pose.position, abs=1e-2)


def test_the_same_poses_in_other_numbers(framed: Session) -> None:
    poses = [near(framed.platform.require_home(), seed) for seed in range(4)]
    world = tuple((*p.position.tolist(), *p.quaternion.tolist()) for p in poses)
    to = number(FRAMES)
    told = framed.handle(m.Restate(4, world, m.Numbering("quaternion"), to)).rows
    expected = [np.concatenate(FRAMES.numbers(pose)) for pose in poses]
    assert np.array(told) == pytest.approx(np.array(expected), abs=1e-13)
    back = framed.handle(m.Restate(5, told, to, m.Numbering("quaternion"))).rows
    assert np.array(back) == pytest.approx(np.array(world), abs=1e-13)
    for rows, word in (((world[0][:6],), "7 numbers"), (world[:1] * (MOST_ROWS + 1), "at most")):
        failure = framed.handle(m.Restate(6, rows, m.Numbering("quaternion"), to))
        assert isinstance(failure, m.Failure)
        assert word in failure.text


@pytest.mark.parametrize("kind", ["line", "waypoints"])
def test_waypoints_are_the_poses_that_were_on_screen(framed: Session, kind: str) -> None:
    """Also with a pivot alone: the numbers of a pose are not where the reference point is."""
    poses = [near(framed.platform.require_home(), seed) for seed in (1, 2)]
    for frames, on in ((FRAMES, True), (gough.Frames(pivot=[0.1, 0.0, 0.3]), False)):
        numbering = number(frames, on)
        rows = tuple(tuple(np.concatenate(frames.numbers(pose)).tolist()) for pose in poses)
        given = (numbering.convention, numbering.pivot, numbering.framed)
        motion = framed.handle(m.MakeMotion(7, kind, rows, *given, duration=1.0, samples=11))
        assert isinstance(motion, m.Timeline), motion
        x = np.reshape(motion.data["position"], (-1, 3))
        q = np.reshape(motion.data["quaternion"], (-1, 4))
        for i, pose in ((0, poses[0]), (-1, poses[1])):
            assert x[i] == pytest.approx(pose.position, abs=1e-12)
            assert abs(q[i] @ pose.quaternion) == pytest.approx(1.0, abs=1e-12)
    center = m.MakeMotion(
        8,
        "harmonic",
        (rows[0], (0.01, 0, 0, 0, 0, 0), (1.0,) * 6, (0.0,) * 6),
        *given,
        samples=11,
    )
    x = np.reshape(framed.handle(center).data["position"], (-1, 3))
    assert x[0] == pytest.approx(poses[0].position, abs=1e-12)


def test_shown_code_is_of_the_pose_on_screen(framed: Session) -> None:
    pose, numbering = near(framed.platform.require_home(), 3), number(FRAMES)
    solve = m.SolvePose(3, entered(pose, numbering, FRAMES), show=numbering)
    code = framed.handle(m.ShowCode(9, solve)).python
    line = next(line for line in code.splitlines() if line.startswith("pose = "))
    scope: dict[str, Pose] = {}
    exec(line, {"gough": gough}, scope)
    assert scope["pose"].position == pytest.approx(pose.position, abs=1e-13)
    assert scope["pose"].rotation == pytest.approx(pose.rotation, abs=1e-13)


def test_turning_about_a_pivot_keeps_it_in_place(session: Session) -> None:
    pivot = (0.1, -0.2, 0.3)
    straight = m.PoseInput((0.0, 0.0, 1.15), pivot=pivot)
    turned = m.PoseInput((0.0, 0.0, 1.15), angles=(0.1, 0.05, -0.07), pivot=pivot)
    placed = [place(session.platform, pose) for pose in (straight, turned)]
    points = [pose.position + pose.rotation @ np.array(pivot) for pose in placed]
    assert points[0] == pytest.approx(points[1], abs=1e-15)
    state = session.handle(m.SolvePose(1, turned, show=m.Numbering(pivot=pivot)))
    assert state.entered == pytest.approx((0.0, 0.0, 1.15), abs=1e-15)
    assert state.position != pytest.approx((0.0, 0.0, 1.15), abs=1e-3)


@pytest.mark.parametrize("convention", conventions())
def test_conventions_round_trip(convention: str) -> None:
    rng = np.random.default_rng(8)
    samples = [rotation_from_quaternion(rng.normal(size=4)) for _ in range(50)]
    samples += [
        rotation_from_rpy(v)
        for v in ((0, np.pi / 2, 0.3), (0, -np.pi / 2, 0.3), (np.pi, 0, 0), (0, 0, 0))
    ]
    for R in samples:
        assert np.abs(to_rotation(convention, from_rotation(convention, R)) - R).max() < 1e-12


def test_conventions_are_what_they_say() -> None:
    a, b, c = 0.3, -0.4, 0.5
    assert to_rotation("ZYX", (c, b, a)) == pytest.approx(to_rotation("rpy", (a, b, c)), abs=1e-15)
    assert to_rotation("XYZ", (a, b, c)) == pytest.approx(
        to_rotation("ZYX", (-c, -b, -a)).T, abs=1e-15
    )
    assert to_rotation("ZXZ", (a, 0, c)) == pytest.approx(
        to_rotation("rpy", (0, 0, a + c)), abs=1e-15
    )
    with pytest.raises(gough.InputError, match="convention"):
        to_rotation("xxx", (0, 0, 0))
    with pytest.raises(gough.InputError, match="angles"):
        to_rotation("rpy", (1, 0, 0, 0))


def test_frames_of_a_file_come_with_the_machine_and_a_bad_home_is_told(session: Session) -> None:
    text = gough.dumps(session.platform.replace(frames=gough.Frames(convention="ZXZ")))
    opened = session.handle(m.OpenMachine(2, "text", "mine", text))
    assert opened.document["frames"]["convention"] == "ZXZ"
    assert not opened.warnings
    legs = [leg.replace(limits=gough.Limits(stroke=(0.1, 0.2))) for leg in session.platform.legs]
    bad = gough.dumps(session.platform.replace(legs=legs))
    told = session.handle(m.OpenMachine(3, "text", "mine", bad)).warnings
    assert any("the home pose breaks a limit" in said for said in told)
