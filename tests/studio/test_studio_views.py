"""What the page asks beside pose and motion: every number against the verbs it is made of, refusals as sentences."""

from __future__ import annotations

import asyncio
import os
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.connected import PROVED, REACHED, reachable_volume
from gough.analysis.singularity import singularity
from gough.analysis.workspace_maps import workspace_map
from gough.export.machine_meshes import machine_bytes
from gough.kinematics.regular_paths import path_check
from gough.limits import check
from gough.spatial import Pose, rotation_from_quaternion
from gough.studio import calibration_messages as c
from gough.studio import messages as m
from gough.studio import view_messages as v
from gough.studio import views, wire
from gough.studio.crew import WorkerCrew
from gough.studio.cueing_messages import MakeCue
from gough.studio.numbering import place
from gough.studio.server import SLOW
from gough.studio.session import Session


def here(s: Session, dx: float = 0.0, yaw: float = 0.0) -> m.PoseInput:
    x, y, z = s.platform.likely_home.position.tolist()
    return m.PoseInput((x + dx, y, z), "rpy", (0.0, 0.0, yaw))


def opened(s: Session, name: str) -> Session:
    assert isinstance(s.handle(m.OpenMachine(1, "preset", name)), m.MachineOpened)
    return s


@pytest.mark.parametrize("quantity", ["margin", "condition", "stiffness"])
def test_the_volume_is_that_of_the_library(session: Session, quantity: str) -> None:
    asked = v.MapVolume(7, here(session, 0.05, 0.1), quantity, 2e7, depth=4)
    shown = session.handle(asked)
    assert isinstance(shown, v.VolumeShown)
    part = reachable_volume(session.platform, place(session.platform, asked.pose), depth=4)
    found = workspace_map(session.platform, part, quantity, stiffness=2e7)
    assert shown.volume == (part.value, part.low, part.high)
    assert (shown.worst, shown.best, shown.unit) == (found.worst, found.best, found.unit)
    assert np.array_equal(np.reshape(shown.box, (2, 3)), part.box)
    assert 2 * len(shown.faces) == len(part.surface(proved=False).triangles)
    cells = np.array(shown.faces) // 6
    assert np.array_equal(found.values.ravel()[cells], np.array(shown.values, dtype=float))
    assert "not proved between them" in " ".join(shown.text)


def test_faces_lie_between_a_cell_and_none(session: Session) -> None:
    """Every face, and every cell of the cut on its side: nothing of the other half, nothing unproved where proved."""
    at = here(session, 0.03)
    shown = session.handle(v.MapVolume(7, at, proved=True, cut="y"))
    assert isinstance(shown, v.VolumeShown)
    part = reachable_volume(session.platform, place(session.platform, at), depth=4)
    n = shown.cells
    assert part.cells.shape == (n, n, n)
    for code in shown.faces:
        cell = np.array(np.unravel_index(code // 6, (n, n, n)))
        beside = cell.copy()
        beside[code % 6 // 2] += 2 * (code % 2) - 1
        y = part.box[0, 1] + (np.array([cell[1], beside[1]]) + 0.5) * np.ptp(part.box[:, 1]) / n
        assert part.cells[tuple(cell)] == PROVED
        assert y[0] >= at.position[1]
        inside = (beside >= 0).all() and (beside < n).all()
        assert not inside or part.cells[tuple(beside)] < PROVED or y[1] < at.position[1]
    assert (part.cells >= REACHED).sum() > (part.cells >= PROVED).sum()


def test_a_machine_without_strokes_is_looked_at_in_a_cube_and_says_so(session: Session) -> None:
    shown = opened(session, "robot-head-rss").handle(v.MapVolume(1, here(session), "stiffness"))
    assert isinstance(shown, v.VolumeShown)
    assert "cube" in shown.text[-1]
    assert all(np.isfinite(x) for x in shown.values if x is not None)


def test_what_is_slow_is_answered_by_a_worker_and_can_be_stopped(session: Session) -> None:
    """Each from another process, letter by letter; a volume that is stopped gives its place back."""
    at, home = here(session, 0.02), session.platform.likely_home
    to = (*home.position.tolist(), 1.0, 0.0, 0.0, 0.0)
    trial = c.CalibrationInput(trial=c.TrialInput(count=8))
    asked = (
        v.MapVolume(2, at, depth=3),
        v.FindTravel(3, at),
        v.FindWay(4, at, to),
        c.Calibrate(6, trial),
        c.PlanPoses(7, trial, 3),
    )
    assert {type(one) for one in asked} == set(views.SLOW) - {MakeCue}  # test_studio_cueing.py
    assert set(views.SLOW) < set(SLOW)
    crew, fine = WorkerCrew(2), v.MapVolume(5, at, depth=6)

    def ended(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    async def story() -> list[Any]:
        answers = [await crew.answer(session.snapshot(), one, lambda *_: None) for one in asked]
        stopped = asyncio.create_task(crew.answer(session, fine, lambda *_: None))
        while not crew.busy:
            await asyncio.sleep(0.01)
        pid = next(iter(crew.busy)).process.pid
        assert pid is not None
        await asyncio.sleep(0.05)
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        while not ended(pid):
            await asyncio.sleep(0.01)
        return answers

    try:
        assert asyncio.run(story()) == [wire.encode(session.handle(one)) for one in asked]
    finally:
        crew.close()


def test_ranges_are_those_of_travel_in_the_numbers_of_the_page(session: Session) -> None:
    show = m.Numbering("ZXZ", (0.0, 0.0, 0.2))
    asked = v.FindTravel(3, here(session, 0.05, 0.1), show)
    shown = session.handle(asked)
    assert isinstance(shown, v.TravelShown)
    frames = gough.Frames(pivot=np.array([0.0, 0.0, 0.2]), convention="ZXZ")
    at = place(session.platform, asked.pose)
    found = gough.travel(session.platform, at, frames=frames)
    assert np.allclose(shown.low, found.entered + found.low, rtol=0, atol=1e-12)
    assert np.allclose(shown.high, found.entered + found.high, rtol=0, atol=1e-12)
    assert shown.proved == found.proved
    assert shown.axes
    numbers = np.array(shown.entered)
    for k, (low, high) in enumerate(zip(shown.low, shown.high, strict=True)):
        for end, inside in ((low + 1e-6, True), (high - 1e-6, True), (high + 1e-3, False)):
            moved = numbers.copy()
            moved[k] = end
            pose = frames.pose(moved[:3], moved[3:])
            assert bool(check(session.platform, pose).ok) is inside, (k, end)


def test_a_rotation_vector_has_no_ranges_of_its_angles(session: Session) -> None:
    shown = session.handle(v.FindTravel(3, here(session), m.Numbering("vector")))
    assert isinstance(shown, v.TravelShown)
    assert not shown.axes


def modes_of(s: Session) -> m.ModesFound:
    found = s.handle(m.FindModes(1, here(s)))
    assert isinstance(found, m.ModesFound)
    return found


def test_a_way_to_another_mode_passes_what_the_library_proves(session: Session) -> None:
    opened(session, "octahedral-33")
    poses = modes_of(session).poses
    rated = session.handle(v.RatePoses(2, poses))
    assert isinstance(rated, v.PosesRated)
    start = place(session.platform, here(session))
    home = singularity(session.platform, start).determinant
    crossed = 0
    for row, determinant in zip(poses, rated.determinant, strict=True):
        end = Pose(np.array(row[:3]), rotation_from_quaternion(np.array(row[3:])))
        assert determinant == pytest.approx(singularity(session.platform, end).determinant)
        shown = session.handle(v.FindWay(4, here(session), row))
        assert isinstance(shown, v.WayShown)
        said = path_check(session.platform, start, end)
        assert (shown.verdict == "regular") == bool(said.regular)
        if (
            determinant * home < 0.0
        ):  # between opposite signs lies a singular pose, an odd number of times
            crossed += 1
            assert len(shown.crossings) % 2 == 1
            assert "actuators" in " ".join(shown.text)
        for k in (0, 77, 200):
            q = shown.rows[k]
            at = Pose(np.array(q[:3]), rotation_from_quaternion(np.array(q[3:])))
            assert shown.condition[k] == pytest.approx(
                float(singularity(session.platform, at).condition), rel=1e-9
            )
        for u in shown.crossings:
            assert max(c or 0.0 for c in near(shown, u)) > 1e2
    assert crossed > 0


def near(shown: v.WayShown, u: float) -> tuple[float | None, ...]:
    """Conditions at the two samples about a share, one more on either side."""
    k = int(u * 200)
    return shown.condition[max(k - 1, 0) : k + 3]


def test_limits_are_said_to_hold_only_where_there_are_some(session: Session) -> None:
    home = session.platform.require_home()
    row = (*home.position.tolist(), *home.quaternion.tolist())

    def rated(platform: gough.Platform) -> v.PosesRated:
        session.use("changed", platform)
        found = session.handle(v.RatePoses(2, (row,)))
        assert isinstance(found, v.PosesRated)
        assert found.refused == ("",)
        return found

    limited = session.platform
    assert rated(limited).limited
    fast = gough.Limits(speed=1.0, force=1e4)  # nothing of a pose
    free = limited.replace(legs=tuple(leg.replace(limits=fast) for leg in limited.legs))
    assert not rated(free).limited
    assert rated(free).margin == (1.0,)  # that of the speed, at rest


def test_a_planned_way_is_refused_where_the_end_is(session: Session) -> None:
    answer = session.handle(v.FindWay(1, here(session), modes_of(session).poses[1], True))
    assert isinstance(answer, m.Failure)
    assert "no way was planned: the end itself is refused" in answer.text


@pytest.mark.parametrize("relative", [True, False])
def test_both_machines_are_solved_as_each_would_be_alone(session: Session, relative: bool) -> None:
    asked = m.SolvePose(5, here(session, 0.04), external=(10.0, 0.0, -300.0, 0.0, 0.0, 5.0))
    shown = session.handle(v.SolveOther(6, asked, "preset", "octahedral-33", relative))
    assert isinstance(shown, v.OtherSolved)
    own: Any = session.handle(asked)
    alone = opened(Session(session.folder), "octahedral-33")
    homes = session.platform.likely_home.position, alone.platform.likely_home.position
    at = np.array(asked.pose.position) + relative * (homes[1] - homes[0])
    other: Any = alone.handle(m.SolvePose(5, m.PoseInput(tuple(at)), external=asked.external))
    for key in ("coordinate", "force", "margin", "refused", "broken"):
        for said, wanted in ((shown.own, own), (shown.other, other)):
            if key in ("refused", "broken"):
                assert said[key] == getattr(wanted, key)
            else:  # the engine may change between the calls, once its kernels are there
                assert said[key] == pytest.approx(getattr(wanted, key), rel=1e-9, abs=1e-9)
    assert session.label == "motion-base-1500"  # still the page's machine


def test_the_exported_file_is_that_of_the_library(session: Session) -> None:
    at = here(session, 0.02)
    for form in ("glb", "stl"):
        answer = session.handle(v.ExportMachine(1, at, form))
        assert isinstance(answer, v.MachineExported)
        assert answer.name == f"motion-base-1500.{form}"
        pose = place(session.platform, at)
        assert b64decode(answer.data) == machine_bytes(session.platform, pose, form)


BAD = [
    (v.MapVolume(1, m.PoseInput((0.0, 0.0, 1.15)), "warmth"), "quantity"),
    (v.MapVolume(1, m.PoseInput((0.0, 0.0, 1.15)), depth=9), "depth"),
    (v.MapVolume(1, m.PoseInput((0.0, 0.0, 1.15)), cut="w"), "cut"),
    (v.MapVolume(1, m.PoseInput((0.0, 0.0, 1.15)), "stiffness", -1.0), "stiffness"),
    (v.RatePoses(1, ((0.0,) * 6,)), "rows"),
    (v.RatePoses(1, ((0.0,) * 7,)), "rows"),
    (v.RatePoses(1, ()), "rows"),
    (v.SolveOther(1, m.SolvePose(1, m.PoseInput((0.0, 0.0, 1.15))), "preset", "none"), "source"),
    (v.SolveOther(1, m.SolvePose(1, m.PoseInput((0.0, 0.0, 1.15))), "file", "../x.toml"), "name"),
    (v.ExportMachine(1, m.PoseInput((0.0, 0.0, 1.15)), "obj"), "form"),
]


@pytest.mark.parametrize(("message", "field"), BAD)
def test_what_cannot_be_asked_is_a_sentence(session: Session, message: Any, field: str) -> None:
    answer = session.handle(message)
    assert isinstance(answer, m.Failure)
    assert answer.field == field or field in answer.text
    assert answer.kind == "input"


def test_the_new_messages_travel(session: Session) -> None:
    for cls, told in ((v.MapVolume, "VolumeShown"), (v.FindTravel, "TravelShown")):
        text = f'{{"type": "{cls.__name__}", "id": 3, "pose": {{"position": [0, 0, 1.15]}}}}'
        message = wire.decode(text)
        assert isinstance(message, cls)
        assert wire.encode(session.handle(message)).startswith(f'{{"type":"{told}"')
    with pytest.raises(wire.MessageError, match="7 numbers"):
        wire.decode('{"type": "FindWay", "id": 1, "pose": {"position": [0, 0, 1]}, "to": [1, 2]}')
