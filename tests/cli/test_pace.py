"""How far long work is: rates of this run alone, lines where there is no terminal."""

from __future__ import annotations

import pytest

from gough.cli import pace
from gough.cli.pace import EVERY, Pace, duration


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_what_was_done_before_does_not_count() -> None:
    clock = Clock()
    told = Pace("cases", clock)
    assert told.sentence(600, 1000) == "600 of 1000 cases"  # resumed: no rate yet
    clock.now += 50.0
    assert told.sentence(700, 1000) == "700 of 1000 cases, 2 a second, about 150 s left".replace(
        "150 s", duration(150.0)
    )
    assert told.sentence(1000, 1000) == "1000 of 1000 cases, 8 a second"


def test_lines_come_now_and_then() -> None:
    clock = Clock()
    told = Pace("cases", clock)
    assert told.due(0, 100) is None
    clock.now += EVERY / 2
    assert told.due(10, 100) is None
    clock.now += EVERY / 2
    line = told.due(30, 100)
    assert line is not None
    assert line.startswith("30 of 100 cases, 1 a second, about 70 s left")
    clock.now += 1.0
    assert told.due(31, 100) is None
    assert told.due(100, 100) is not None  # the end of long work is told
    quick = Pace("cases", clock)
    assert [quick.due(k, 3) for k in range(4)] == [None] * 4  # short work is not


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (89, "89 s"), (150, "2 min"), (5400, "1 h 30 min"), (4 * 86400, "4 d 0 h")],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_lines_go_to_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "EVERY", 0.0)
    with pace.told("cases") as tell:
        tell(0, 4)
        tell(4, 4)
    said = capsys.readouterr()
    assert "4 of 4 cases" in said.err
    assert said.out == ""
