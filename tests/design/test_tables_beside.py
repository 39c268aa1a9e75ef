"""Tables that are written while cases come in: the same bytes, in the order of the cases, or nothing at all."""

from __future__ import annotations

import csv
import errno
import io
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gough.design import parameter_sweep, read_sweep
from gough.design.executors import Here, SweepStoppedError
from gough.design.journal import AbandonedError, Journal, JournalFullError
from gough.design.parameter_sweep import rows_of
from support.sweeps import tables as written

ALL = ("csv", "nc", "parquet")
ODD = [
    ["a, b", 'say "so"', 0.1, 1e-320, float("nan"), 3],
    ["", "ü\n", -0.0, float("inf"), -float("inf"), 123456789012345678901],
    ["NaN", "1.50", 1e22, 5e-324, 1.7976931348623157e308, 0],
]


def beside(folder: Path, out: Path) -> list[Path]:
    """The sweep of `folder` in this process, its tables in threads beside it."""
    plan = read_sweep(folder / "spec.toml")
    crew = Here(partial(parameter_sweep._sent, partial(rows_of, plan)))
    return parameter_sweep._run(plan, crew, out, ALL, None, 3, True)


def test_the_tables_are_those_that_are_written_afterwards(folder: Path, tmp_path: Path) -> None:
    assert [path.name for path in beside(folder, tmp_path)] == [f"results.{kind}" for kind in ALL]
    assert written(tmp_path) == written(folder / "whole")


def test_digits_of_the_journal_are_those_of_a_csv_file(tmp_path: Path) -> None:
    told = []
    with Journal(tmp_path / "journal", {}) as journal:
        journal.append(0, ODD)
        for as_text in (False, True):
            file = io.StringIO()
            csv.writer(file).writerows(journal.rows(len(ODD), as_text))
            told.append(file.getvalue())
    assert told[0] == told[1]
    assert "123456789012345678901" in told[0]
    assert "1.50" in told[0]  # text stays as it is


def test_rows_come_in_the_order_of_the_cases(tmp_path: Path) -> None:
    seen: list[Any] = []
    with Journal(tmp_path / "journal", {}) as journal:
        reader = threading.Thread(target=lambda: seen.extend(journal.rows(6)))
        reader.start()
        for first in (4, 0, 2):
            journal.append(first, [[first], [first + 1]])
        reader.join(60)
        assert not reader.is_alive()
    assert seen == [[k] for k in range(6)]


def test_rows_that_do_not_come_are_not_made_up(tmp_path: Path) -> None:
    ends: list[str] = []

    def read(journal: Journal) -> None:
        try:
            ends.append(f"{len(list(journal.rows(6)))} rows")
        except AbandonedError:
            ends.append("abandoned")

    with Journal(tmp_path / "journal", {}) as journal:
        reader = threading.Thread(target=read, args=(journal,))
        reader.start()
        journal.append(0, [[0], [1]])
        journal.append(4, [[4], [5]])
        journal.abandon()
        reader.join(60)
        assert not reader.is_alive()
    assert ends == ["abandoned"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), JournalFullError(errno.ENOSPC, "full")])
def test_a_sweep_that_stops_leaves_its_journal_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    real = Journal.append

    def append(self: Journal, first: int, rows: Any) -> None:
        if first >= 9:
            raise error
        real(self, first, rows)

    monkeypatch.setattr(Journal, "append", append)
    with pytest.raises((KeyboardInterrupt, SweepStoppedError)):
        beside(folder, tmp_path)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]
    beside(folder, tmp_path)
    assert written(tmp_path) == written(folder / "whole")


def test_a_table_that_cannot_be_written_is_said_and_leaves_no_other_half(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "results.csv").mkdir()
    with pytest.raises(Exception, match=r"results\.csv.*is a folder"):
        beside(folder, tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]
