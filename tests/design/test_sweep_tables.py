"""Tables of sweeps: the same bytes for spans of any size, in memory that does not grow; rows that hold any error."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import extras, storage
from gough.design import parameter_sweep, read_sweep, sweep, tables
from gough.design.journal import Journal
from gough.design.parameter_sweep import rows_of, run_case
from gough.design.spans import Span
from gough.storage import PLACE, stamp, stamped, unsealed
from support.sweeps import tables as written

ALL = ("csv", "nc", "parquet")


@pytest.mark.parametrize("chunk", [1, 5, 16, 100])
def test_any_size_of_chunks_gives_the_same_bytes(folder: Path, tmp_path: Path, chunk: int) -> None:
    sweep(read_sweep(folder / "spec.toml"), tmp_path, formats=ALL, chunk=chunk)
    assert written(tmp_path) == written(folder / "whole")


def test_chunks_change_on_resume_and_by_cost(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(read_sweep(folder / "spec.toml"), chunk=None)
    stop_after(monkeypatch, 7)
    with pytest.raises(KeyboardInterrupt):
        sweep(plan, tmp_path, chunk=2)
    monkeypatch.undo()
    sweep(plan, tmp_path, resume=True, formats=ALL)
    assert written(tmp_path) == written(folder / "whole")
    with Journal(tmp_path / "journal", {"identity": plan.identity, "cases": plan.cases}) as journal:
        sizes = [span.size for span in sorted(journal.spans)]
    assert sizes[:3] == [2, 2, 2]
    assert sum(sizes) == 16
    assert sizes[3] == 1  # the first of the second run: nothing was measured yet


def stop_after(monkeypatch: pytest.MonkeyPatch, cases: int) -> None:
    """The user stops the sweep while case number `cases` is computed."""

    def stopping(plan: Any, span: Span) -> Any:
        if cases in range(*span):
            raise KeyboardInterrupt
        return rows_of(plan, span)

    monkeypatch.setattr(parameter_sweep, "rows_of", stopping)


def test_bad_sizes_are_refused(folder: Path, tmp_path: Path) -> None:
    plan = read_sweep(folder / "spec.toml")
    for wrong in (dict[str, Any](chunk=0), dict[str, Any](workers=-1)):
        with pytest.raises(gough.InputError, match="at least 1"):
            sweep(plan, tmp_path / "out", **wrong)
    assert not (tmp_path / "out").exists()


def test_parquet_without_its_library_leaves_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(gough.InputError, match=r"gough\[parquet\]"):
        sweep(read_sweep(folder / "spec.toml"), tmp_path / "out", formats=("csv", "parquet"))
    assert not (tmp_path / "out").exists()


def rows_made(plan: Any, count: int) -> Iterator[list[Any]]:
    numbers = len(plan.columns) - 3
    for case in range(count):
        yield ["hexapod", "sway", *(case + k / 7 for k in range(numbers)), f"case {case}"]


def peak(plan: Any, folder: Path, kind: str, count: int, greedy: bool = False) -> int:
    """Most bytes of Python objects while a table of so many rows is written."""
    rows = (
        (lambda: iter(list(rows_made(plan, count)))) if greedy else lambda: rows_made(plan, count)
    )
    tracemalloc.start()
    tables.write_tables(plan, rows, folder, (kind,))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    plan = read_sweep(folder / "spec.toml")
    monkeypatch.setattr(tables, "GROUP", 100)
    peak(plan, tmp_path, kind, 200)  # what is imported and made once
    few, many = peak(plan, tmp_path, kind, 500), peak(plan, tmp_path, kind, 5000)
    assert many < 1.2 * few + 50_000
    assert peak(plan, tmp_path, kind, 5000, greedy=True) > 1.2 * few + 50_000  # planted


def test_groups_of_rows_are_one_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    plan = read_sweep(folder / "spec.toml")
    monkeypatch.setattr(tables, "GROUP", 100)
    (path,) = tables.write_tables(plan, lambda: rows_made(plan, 250), tmp_path, ("parquet",))
    assert pq.ParquetFile(path).num_row_groups == 3
    assert pq.read_table(path)["status"].to_pylist() == [f"case {k}" for k in range(250)]
    assert unsealed(path)[1]
    about = pq.read_table(path).schema.metadata
    assert about[b"identity"].decode() == plan.identity


def test_a_stamp_on_the_disk_is_the_stamp_in_memory(tmp_path: Path) -> None:
    """The place may lie across the blocks that are read."""
    place = PLACE.encode()
    for before in (0, 10, (1 << 20) - len(place) // 2, (1 << 20) - 1, 1 << 20, (2 << 20) - 3):
        data = b"x" * before + place + b"y" * 1000
        (tmp_path / "a").write_bytes(data)
        stamp(tmp_path / "a")
        assert (tmp_path / "a").read_bytes() == stamped(data), before
    assert storage.unsealed(tmp_path / "a")[1]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (np.linalg.LinAlgError("Singular matrix"), "LinAlgError: Singular matrix"),
        (RuntimeError("<thing at 0x7f01ab> broke"), "RuntimeError: <thing at 0x> broke"),
    ],
)
def test_any_error_of_a_case_is_its_row(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(parameter_sweep, "judged", fails)
    row = run_case(read_sweep(folder / "spec.toml"), 3)
    assert row[-1] == words
    assert np.isnan(row[4:-1]).all()
