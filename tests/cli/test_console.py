"""What all commands share: numbers in one argument, exit codes, JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

import gough
from gough.cli.app import main
from gough.cli.console import answer, load_with_notes, read_numbers


@pytest.mark.parametrize("text", ["1 2 3", "1,2,3", " 1, 2  3 "])
def test_numbers_apart_by_spaces_or_commas(text: str) -> None:
    assert read_numbers("rpy", text, (3,), "three") == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 2", "three"),
        ("1 2 x", "three"),
        ("", "three"),
        ("1 2 nan", "finite"),
        ("1 2 inf", "finite"),
        ("1 2 1e999", "finite"),
    ],
)
def test_other_text_is_refused_with_the_field(text: str, why: str) -> None:
    with pytest.raises(gough.InputError, match=f"rpy.*{why}"):
        read_numbers("rpy", text, (3,), "must be three")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (gough.InputError("a", 1, "no"), 2),
        (gough.InfeasibleError("no"), 3),
        (FileNotFoundError(2, "gone", "a.toml"), 2),
    ],
)
def test_exit_codes(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def raises() -> None:
        raise error

    monkeypatch.setitem(main.__globals__, "app", raises)
    monkeypatch.setitem(main.__globals__, "COMMAND_MODULES", ())
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == code
    assert capsys.readouterr().err.startswith("gough: ")


def test_answers_are_json_or_a_table(capsys: Any) -> None:
    facts = {"peak_force": [1.0, 2.5], "name": "größer", "samples": 3}
    answer(facts, True)
    assert json.loads(capsys.readouterr().out) == facts
    answer(facts, False)
    out = capsys.readouterr().out
    assert "peak force" in out
    assert "1 2.5" in out


def test_notes_of_a_machine_are_kept_and_not_issued(recwarn: pytest.WarningsRecorder) -> None:
    platform, notes = load_with_notes("dasgupta-1998")
    assert platform.name
    assert any("not physical" in note for note in notes)
    assert not recwarn
