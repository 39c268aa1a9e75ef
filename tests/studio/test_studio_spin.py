"""Machines whose legs spin freely or are fixed links in the studio: answered; what was taken or refused is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough.engines import evaluate
from gough.studio import messages as m
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder
from oracles.machines import case


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(evaluate, "plainly", lambda *_: True)  # as before kernels are compiled
    return Session(WorkFolder(tmp_path))


def pose(platform: gough.Platform) -> m.PoseInput:
    home = platform.require_home()
    angles = tuple(home.quaternion.tolist())
    return m.PoseInput(tuple(home.position.tolist()), "quaternion", angles)


@pytest.mark.parametrize("kind", ["SPS-general", "UCS-general", "RSS-general"])
def test_a_pose_is_answered_without_spin_and_says_so(session: Session, kind: str) -> None:
    platform = case(kind, seed=3, states=1).platform
    session.platform = platform
    answer = session.handle(m.SolvePose(1, pose(platform)))
    assert isinstance(answer, m.PoseState)
    assert "taken without spin" in answer.notes[0]
    home, spin = platform.require_home(), gough.Spin(np.zeros(6), np.zeros(6))
    own = gough.inverse_dynamics(platform, home, spin=spin, engine="python").force
    np.testing.assert_allclose(answer.force, own, rtol=1e-12)


def test_the_shown_code_of_such_a_machine_runs(session: Session) -> None:
    platform = case("UCS-general", seed=3, states=1).platform
    session.platform, session.label = platform, "machine.toml"
    solve = m.SolvePose(1, pose(platform))
    shown = session.handle(m.ShowCode(2, solve))
    assert isinstance(shown, m.Code)
    assert "from Python only" in shown.command
    text = shown.python.replace("gough.load('machine.toml')", "given")
    text = text.replace("spin=", "engine='python', spin=")
    space: dict[str, object] = {"given": platform, "print": lambda *_: None}
    exec(compile(text, "shown", "exec"), space)
    result = space["result"]
    answer = session.handle(solve)
    np.testing.assert_allclose(result.force, answer.force, rtol=1e-12)  # type: ignore[attr-defined]


def test_machines_that_do_not_spin_say_nothing(session: Session) -> None:
    platform = case("PSU", seed=3, states=1).platform
    session.platform = platform
    answer = session.handle(m.SolvePose(1, pose(platform)))
    assert isinstance(answer, m.PoseState)
    assert not any("spin" in note for note in answer.notes)


def test_a_pose_off_a_fixed_link_is_drawn_and_refused_with_its_reason(session: Session) -> None:
    session.platform = gough.load("telescope-secondary")
    here = pose(session.platform)
    answer = session.handle(m.SolvePose(1, here))
    assert isinstance(answer, m.PoseState)
    assert answer.refused == ()
    x, y, z = here.position
    away = m.PoseInput((x, y, z + 0.01), here.convention, here.angles)
    answer = session.handle(m.SolvePose(2, away))
    assert isinstance(answer, m.PoseState)
    assert len(answer.refused) == 1
    assert "is a fixed link" in answer.refused[0]
    assert answer.position == away.position
    assert all(x is not None for x in answer.coordinate)
    assert answer.force == answer.margin == (None,) * 6
