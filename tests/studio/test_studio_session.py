"""One client: its numbers are the library's, its errors are sentences, its memory is flat."""

from __future__ import annotations

import copy
import gc
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.drawing import drawing
from gough.analysis.sizing import with_payload
from gough.model.files import load, loads
from gough.model.json_document import from_document, to_document
from gough.spatial import Motion, Pose
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.machines import gallery
from gough.studio.numbering import place
from gough.studio.session import DEFAULT, Session
from gough.studio.workfolder import WorkFolder


def pose_of(
    s: Session, dx: float = 0.0, angles: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> m.PoseInput:
    assert s.platform.home is not None
    x, y, z = s.platform.home.position.tolist()
    if not np.array_equal(s.platform.home.rotation, np.eye(3)) and angles == (0.0, 0.0, 0.0):
        return m.PoseInput((x + dx, y, z), "quaternion", tuple(s.platform.home.quaternion.tolist()))
    return m.PoseInput((x + dx, y, z), angles=angles)


def test_live_numbers_are_those_of_the_library(session: Session) -> None:
    message = m.SolvePose(
        3,
        pose_of(session, 0.05, (0.05, -0.04, 0.1)),
        velocity=(0.1, -0.2, 0.05, 0.3, 0.1, -0.2),
        acceleration=(1.0, 0.5, -0.5, 0.2, 0.3, 0.1),
        external=(100.0, 20.0, -50.0, 5.0, 8.0, 3.0),
    )
    state = session.handle(message)
    assert isinstance(state, m.PoseState)
    at = place(session.platform, message.pose)
    t, R = at.position, at.rotation
    motion = Motion(
        t,
        R,
        np.array(message.velocity[:3]),
        np.array(message.velocity[3:]),
        np.array(message.acceleration[:3]),
        np.array(message.acceleration[3:]),
    )
    result = gough.inverse_dynamics(session.platform, motion, np.array(message.external))
    legs = gough.inverse_kinematics(session.platform, motion)
    assert np.array(state.force) == pytest.approx(result.force, rel=1e-12)
    assert np.array(state.coordinate) == pytest.approx(legs.length, rel=1e-14)
    assert np.array(state.rate) == pytest.approx(legs.rate, rel=1e-10)
    assert state.condition == pytest.approx(float(result.condition), rel=1e-10)
    assert state.condition_scaled == pytest.approx(float(result.condition_scaled), rel=1e-10)
    for name, values in state.reactions.items():
        assert np.array(values) == pytest.approx(
            np.linalg.norm(getattr(result.reactions, name), axis=-1), rel=1e-10
        )


@pytest.mark.parametrize("name", ["hexaglide", "servo-hexapod", "syed-6sps", "dasgupta-1998"])
def test_every_leg_type_is_answered(tmp_path: Path, name: str) -> None:
    s = Session(WorkFolder(tmp_path))
    machine = s.handle(m.OpenMachine(1, "preset", name))
    assert isinstance(machine, m.MachineOpened)
    state = s.handle(m.SolvePose(2, pose_of(s)))
    assert isinstance(state, m.PoseState)
    assert state.refused == ()
    expected = gough.inverse_dynamics(
        s.platform, Motion.at_rest(s.platform.home or Pose(np.zeros(3)))
    ).force
    assert np.array(state.force) == pytest.approx(expected, rel=1e-9)
    assert np.array(state.coordinate) == pytest.approx(
        np.array(machine.drawing["coordinate"]), abs=1e-12
    )


def test_a_refused_pose_says_why(session: Session) -> None:
    state = session.handle(m.SolvePose(2, pose_of(session, 1.5)))
    assert isinstance(state, m.PoseState)
    assert any("beyond its maximum" in text for text in state.refused)
    assert min(x for x in state.margin if x is not None) < 0
    assert session.handle(m.SolvePose(3, pose_of(session))).refused == ()


def test_a_pose_out_of_reach_is_answered_without_numbers(tmp_path: Path) -> None:
    s = Session(WorkFolder(tmp_path))
    s.handle(m.OpenMachine(1, "preset", "hexaglide"))
    state = s.handle(m.SolvePose(2, pose_of(s, 5.0)))
    assert state.force == (None,) * 6
    assert "cannot reach" in state.refused[0]
    json.loads(wire.encode(state))


def test_payload_is_one_more_body(session: Session) -> None:
    """Weight: the vertical joint forces of the legs on the platform carry platform and payload."""
    g = (
        9.80665
        if abs(session.platform.gravity[2] + 9.80665) < 1e-9
        else float(-session.platform.gravity[2])
    )
    total = []
    for mass in (0.0, 100.0):
        state = session.handle(
            m.SolvePose(1, pose_of(session), m.Payload(mass, (0.1, 0.0, 0.2), (1.0, 2.0, 2.5)))
        )
        total.append(sum(state.spherical_force[2::3]))
    assert total[0] == pytest.approx(session.platform.body.mass * g, rel=1e-10)
    assert total[1] - total[0] == pytest.approx(100.0 * g, rel=1e-9)


def test_two_bodies_as_one_keep_their_momenta() -> None:
    rng = np.random.default_rng(2)
    a = gough.Body(2.0, rng.normal(size=3), (1.0, 1.1, 1.2))
    b = gough.Body(3.0, rng.normal(size=3), (0.5, 0.6, 0.7))
    platform = load("octahedral-33")
    both = with_payload(platform.replace(body=a), b).body
    v, w = rng.normal(size=3), rng.normal(size=3)

    def energy(body: gough.Body) -> float:
        u = v + np.cross(w, body.center)
        return 0.5 * body.mass * u @ u + 0.5 * w @ body.inertia @ w

    assert energy(both) == pytest.approx(energy(a) + energy(b), rel=1e-14)
    assert with_payload(platform, gough.Body(0.0)) is platform
    wheel = gough.Body(0.0, (0, 0, 0), (1.0, 1.0, 1.5))  # without mass it still resists turning
    bare = platform.replace(body=gough.Body(0.0, (0.1, 0, 0), (2.0, 2.0, 3.0)))
    assert np.array_equal(with_payload(bare, wheel).body.inertia, np.diag([3.0, 3.0, 4.5]))
    assert np.array_equal(with_payload(bare, wheel).body.center, bare.body.center)


def test_documents_are_exact(recwarn: Any) -> None:
    for name in gough.presets():
        platform = load(name)
        again, _ = from_document(json.loads(json.dumps(to_document(platform))))
        assert again == platform
        json.dumps(drawing(platform), allow_nan=False)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("body", "mass"), -1.0, "body.mass"),
        (("body", "mass"), "heavy", "body.mass"),
        (("body", "inertia"), [1, 2], "body.inertia"),
        (("legs", 2, "base"), [0, 0], "legs[2].base"),
        (("legs", 2, "limits", "stroke"), [2.0, 1.0], "legs[2].limits.stroke"),
        (("legs", 0, "type"), "XYZ", "legs[0].type"),
        (("legs", 1, "friction"), {"oil": 1}, "legs[1].friction.oil"),
        (("gravity",), [0, 0], "gravity"),
        (("legs",), [], "legs"),
        (("home", "rotation"), [[1, 0, 0]] * 3, "home.rotation"),
        (("legs", 3, "axis"), [0, 0, 0], "legs[3].axis"),
        (("name",), 4, "name"),
        (("nonsense",), 1, "nonsense"),
        (("legs", 0, "drive"), {"ratio": 0}, "legs[0].drive.ratio"),
        (("source",), {"title": 3}, "source.title"),
    ],
)
def test_a_bad_edit_names_its_path(
    session: Session, path: tuple, value: object, field: str
) -> None:
    """And the machine of the client stays as it was."""
    before = session.platform
    document = copy.deepcopy(to_document(before))
    at: Any = document
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    answer = session.handle(m.SetMachine(5, document))
    assert isinstance(answer, m.Failure)
    assert answer.field == field
    assert session.platform is before


def test_an_edit_changes_the_forces(session: Session) -> None:
    before = session.handle(m.SolvePose(1, pose_of(session)))
    document = to_document(session.platform)
    document["body"]["mass"] *= 2
    assert isinstance(session.handle(m.SetMachine(2, document)), m.MachineOpened)
    after = session.handle(m.SolvePose(3, pose_of(session)))
    assert sum(after.spherical_force[2::3]) == pytest.approx(
        2 * sum(before.spherical_force[2::3]), rel=1e-10
    )


def test_save_and_open_again(session: Session) -> None:
    document = to_document(session.platform)
    document["body"]["mass"] = 1234.5678901234567
    session.handle(m.SetMachine(1, document))
    assert session.handle(m.SaveMachine(2, "mine.toml")) == m.Saved(2, "mine.toml")
    assert session.handle(m.SaveMachine(3, "mine.toml")).field == "name"
    assert session.handle(m.SaveMachine(4, "mine.toml", overwrite=True)) == m.Saved(4, "mine.toml")
    kept = session.platform
    session.handle(m.OpenMachine(5, "preset", DEFAULT))
    assert isinstance(session.handle(m.OpenMachine(6, "file", "mine.toml")), m.MachineOpened)
    assert session.platform == kept
    assert loads(session.handle(m.GetToml(7)).text) == kept
    for name in ("../mine.toml", "/etc/passwd", "mine.txt"):
        assert isinstance(session.handle(m.SaveMachine(8, name)), m.Failure)
        assert isinstance(session.handle(m.OpenMachine(9, "file", name)), m.Failure)


def test_opening_what_is_not_a_machine(session: Session) -> None:
    for text in ("", "x = 1", "not toml [", "legs = 3", "\x00", "a = 1e400"):
        answer = session.handle(m.OpenMachine(1, "text", "pasted", text))
        assert isinstance(answer, m.Failure), text
    assert isinstance(session.handle(m.OpenMachine(2, "preset", "nobody-1900")), m.Failure)


@pytest.mark.parametrize(
    "request_",
    [
        m.MakeMotion(1, "dance"),
        m.MakeMotion(1, "demo", samples=1),
        m.MakeMotion(1, "demo", samples=10**7),
        m.MakeMotion(1, "demo", duration=-1.0),
        m.MakeMotion(1, "line"),
        m.MakeMotion(1, "line", ((0.0,) * 5,) * 2),
        m.MakeMotion(1, "harmonic", ((0.0,) * 6,) * 4),
        m.MakeMotion(1, "file", file="../x.csv"),
        m.MakeMotion(1, "file", file="none.csv"),
        m.MakeMotion(1, "line", ((0.0,) * 6,) * 2, convention="abc"),
        m.SliceWorkspace(1, m.PoseInput((0, 0, 1)), plane="ab"),
        m.SliceWorkspace(1, m.PoseInput((0, 0, 1)), points=10**6),
        m.SolvePose(1, m.PoseInput((0, 0, 1), "quaternion", (0.0,) * 4)),
        m.SolvePose(1, m.PoseInput((0, 0, 1)), formulation="x"),
        m.SolvePose(1, m.PoseInput((0, 0, 1)), payload=m.Payload(-5.0)),
        m.Hello(1, protocol=99),
        m.OpenMachine(1, "network", "http://evil.example/x.toml"),
    ],
)
def test_bad_requests_get_sentences(session: Session, request_: m.Request) -> None:
    answer = session.handle(request_)
    assert isinstance(answer, m.Failure)
    assert len(answer.text) > 15


def test_definition_files_cannot_point_outside(session: Session) -> None:
    (session.folder.root.parent / "outside.csv").write_text("t,x\n0,0\n1,1\n")
    (session.folder.root / "sly.toml").write_text(
        '[trajectory]\nkind = "file"\npath = "../outside.csv"\n'
    )
    answer = session.handle(m.MakeMotion(1, "file", file="sly.toml"))
    assert isinstance(answer, m.Failure)
    assert "inside the work folder" in answer.text


def test_workspace_slice_shows_the_limits(session: Session) -> None:
    answer = session.handle(m.SliceWorkspace(1, pose_of(session), points=41))
    assert isinstance(answer, m.SliceShown)
    assert len(answer.reason) == 41 * 41
    assert answer.reason[20 * 41 + 20] == 0
    assert 0 < answer.area < (answer.u[-1] - answer.u[0]) ** 2


def test_shown_code_gives_the_shown_numbers(session: Session, tmp_path: Path, capsys: Any) -> None:
    solve = m.SolvePose(
        1,
        pose_of(session, 0.05, (0.1, 0.0, 0.05)),
        m.Payload(10.0, (0, 0, 0.1), (0.1, 0.1, 0.1)),
        external=(10.0, 0, 0, 0, 0, 1.0),
        formulation="lagrange",
    )
    state = session.handle(solve)
    motion = m.MakeMotion(1, "demo", samples=21)
    code = session.handle(m.ShowCode(2, solve, motion))
    scope: dict[str, Any] = {}
    exec(compile(code.python, "shown", "exec"), scope)
    assert scope["result"].force == pytest.approx(np.array(state.force), rel=1e-12)
    peak = np.abs(np.reshape(session.handle(motion).data["force"]["exact"], (-1, 6))).max(axis=0)
    bare = gough.inverse_dynamics(session.platform, scope["trajectory"].sample(21)).force
    assert np.abs(bare).max(axis=0) == pytest.approx(peak, rel=1e-12)
    assert "gough forces" in code.command
    (tmp_path / "motion.toml").write_text(code.command.split("<<'END'\n")[1].split("END\n")[0])
    again = gough.trajectory.load_trajectory(tmp_path / "motion.toml")
    assert again.sample(21).position == pytest.approx(
        scope["trajectory"].sample(21).position, abs=1e-15
    )  # type: ignore[union-attr]


def test_sessions_do_not_disturb_each_other(tmp_path: Path) -> None:
    one, two = Session(WorkFolder(tmp_path)), Session(WorkFolder(tmp_path))
    one.handle(m.OpenMachine(1, "start"))
    two.handle(m.OpenMachine(1, "preset", "octahedral-33"))
    first = one.handle(m.SolvePose(2, pose_of(one))).force
    document = to_document(two.platform)
    document["body"]["mass"] = 99.0
    two.handle(m.SetMachine(3, document))
    assert one.handle(m.SolvePose(4, pose_of(one))).force == pytest.approx(first, rel=1e-12)
    assert one.snapshot().platform is one.platform


def test_welcome_lists_what_there_is(session: Session) -> None:
    welcome = session.handle(m.Hello(1))
    assert {card["name"] for card in welcome.gallery} == set(gough.presets())
    assert "kane" in welcome.formulations
    assert len(wire.encode(welcome)) < 200_000
    assert gallery() is gallery()


def memory_growth(session: Session, count: int) -> int:
    """Bytes kept after `count` poses, by tracemalloc, compiling and warm-up aside."""
    raw = json.dumps(
        {"type": "SolvePose", "id": 1, "pose": {"position": list(pose_of(session).position)}}
    )
    for _ in range(50):
        wire.encode(session.handle(wire.decode(raw)))
    gc.collect()
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(count):
        wire.encode(session.handle(wire.decode(raw)))
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    return grown


def test_memory_is_flat_over_many_poses(session: Session) -> None:
    """One answer kept per pose would be 500 times 2 kB."""
    assert memory_growth(session, 500) < 200_000


@pytest.mark.slow
def test_memory_is_flat_over_a_hundred_thousand_poses(session: Session) -> None:
    """Pages of the process itself; one answer kept per pose would be 200 MB."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("needs /proc")
    raw = json.dumps(
        {"type": "SolvePose", "id": 1, "pose": {"position": list(pose_of(session).position)}}
    )

    def pages(count: int) -> int:
        for _ in range(count):
            wire.encode(session.handle(wire.decode(raw)))
        gc.collect()
        return int(statm.read_text().split()[1])

    before = pages(5_000)
    assert (pages(100_000) - before) * 4096 < 4_000_000
