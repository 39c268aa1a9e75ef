"""Messages drawn from their declarations are answered, or refused by a sentence; none is our mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from campaigns.studio_fuzz import furnished, play, said
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.session import TOO_LARGE, Session
from gough.studio.workfolder import WorkFolder

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers at the end of floats


def test_drawn_messages_are_never_our_mistake(tmp_path: Path) -> None:
    found, faults = play(11, 40, furnished(tmp_path))
    assert faults == []
    assert found.total() == 40
    assert {"message", "Failure input"} < set(found), "the draw reaches both refusals"


@pytest.mark.slow
def test_more_drawn_messages_are_never_our_mistake(tmp_path: Path) -> None:
    assert play(12, 400, furnished(tmp_path))[1] == []


def test_a_planted_mistake_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Session, message: m.Request) -> Any:
        raise KeyError("planted")

    monkeypatch.setattr(Session, "welcome", broken)
    session = Session(WorkFolder(tmp_path))
    assert said(session, '{"type":"Hello","id":1}') == "fault"
    assert said(session, '{"type":"GetToml","id":1}') == "Toml"


HALF, LONG = "\ud800", "\u03c0" * 200  # half of a character; more bytes than a file name can have
ASKED: dict[str, Any] = {
    f"{what} {type_}": {"type": type_, "id": 1, **fields, key: name}
    for what, name in (("half a character", f"{HALF}.toml"), ("a long name", f"{LONG}.toml"))
    for type_, key, fields in (
        ("OpenMachine", "name", {"source": "file"}),
        ("SaveMachine", "name", {}),
        ("MakeMotion", "file", {"kind": "file"}),
    )
}  # these six were "the studio made a mistake"
ASKED |= {
    "half a character in a document": {"type": "SetMachine", "id": 1, "document": {"name": HALF}},
    "half a character as a key": {"type": "SetMachine", "id": 1, "document": {HALF: 1}},
    "a file as a folder": {"type": "OpenMachine", "id": 1, "source": "file", "name": "way.csv/x.toml"},
    "marks of direction": {"type": "SaveMachine", "id": 1, "name": "\u202elmot.toml"},
    "a long list": {"type": "SetMachine", "id": 1, "document": {"legs": [1] * 5000}},
}  # fmt: skip


@pytest.mark.parametrize("what", ASKED)
def test_inputs_that_were_our_mistake_or_read_too_much(what: str, tmp_path: Path) -> None:
    session = Session(furnished(tmp_path))
    before = sorted(path.name for path in tmp_path.iterdir())
    assert said(session, json.dumps(ASKED[what])) in ("message", "Failure input")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_folder_that_cannot_be_written_to_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device", str(tmp_path / "x.toml"))

    monkeypatch.setattr("gough.studio.session.save", full)
    answer = Session(WorkFolder(tmp_path)).handle(m.SaveMachine(1, "x.toml"))
    assert isinstance(answer, m.Failure)
    assert "No space left" in answer.text
    assert str(tmp_path) not in answer.text


def test_numbers_beyond_floats_are_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def over(*_: Any) -> Any:
        return 10.0**400

    monkeypatch.setattr(Session, "solve_pose", over)
    answer = Session(WorkFolder(tmp_path)).handle(wire.decode(
        '{"type":"SolvePose","id":1,"pose":{"position":[0,0,1]}}'
    ))  # fmt: skip
    assert isinstance(answer, m.Failure)
    assert answer.text == TOO_LARGE
