"""NetCDF tables written in groups: what a table built in memory holds, flat memory, and no harm by a full disk."""

from __future__ import annotations

import errno
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.design.journal import Journal, line_of
from gough.export import streamed_netcdf
from gough.export.streamed_netcdf import Column, PatientFile, write_streamed
from gough.export.tables import write_netcdf
from gough.storage import StorageError, unsealed

xarray = pytest.importorskip("xarray")
COLUMNS = {
    "machine": Column(None, "machine"),
    "x": Column("m", "a length"),
    "status": Column(None, "status"),
}


def rows(count: int) -> Iterator[list[Any]]:
    for k in range(count):
        yield ["hé", 0.1 * k if k % 7 else float("nan"), "ok" if k % 7 else f"nicht möglich: {k}"]


def written(path: Path, count: int) -> Path:
    return write_streamed(path, COLUMNS, lambda: rows(count), {"title": "a table"})


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> int:
    """Small groups, so that a small table has many."""
    monkeypatch.setattr(streamed_netcdf, "GROUP", 64)
    return 64


@pytest.mark.parametrize("count", [1, 63, 64, 65, 500])
def test_it_holds_what_a_table_built_in_memory_holds(
    tmp_path: Path, groups: int, count: int
) -> None:
    made = list(zip(*rows(count), strict=True))
    variables: dict[str, Any] = {}
    for (name, column), values in zip(COLUMNS.items(), made, strict=True):
        told = {"long_name": column.about} | ({} if column.unit is None else {"units": column.unit})
        variables[name] = ("case", np.array(values), told)
    table = xarray.Dataset(variables, attrs={"title": "a table"})
    write_netcdf(table, tmp_path / "memory.nc")
    streamed = written(tmp_path / "streamed.nc", count)
    assert unsealed(streamed)[1]
    with (
        xarray.open_dataset(streamed, engine="h5netcdf") as ours,
        xarray.open_dataset(tmp_path / "memory.nc", engine="h5netcdf") as theirs,
    ):
        xarray.testing.assert_identical(ours.load(), theirs.load())
    assert written(tmp_path / "again.nc", count).read_bytes() == streamed.read_bytes()


def test_a_flipped_bit_is_seen(tmp_path: Path, groups: int) -> None:
    path = written(tmp_path / "a.nc", 200)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(gough.InputError):
        unsealed(path)


@pytest.mark.parametrize("left", [0, 1, 3, 10, 40])
def test_a_full_disk_is_an_error_that_leaves_nothing(
    tmp_path: Path, groups: int, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after some writes, in the middle of one; HDF5 does not hear of it."""
    real, after = os.pwrite, [left]

    def pwrite(handle: int, data: bytes, at: int) -> int:
        if after[0] == 0:
            real(handle, data[:3], at)
            raise OSError(errno.ENOSPC, "No space left on device")
        after[0] -= 1
        return real(handle, data, at)

    monkeypatch.setattr(streamed_netcdf.os, "pwrite", pwrite)
    with pytest.raises(StorageError, match="No space left"):
        written(tmp_path / "a.nc", 2000)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    written(tmp_path / "a.nc", 2000)


def test_a_patient_file_gives_back_what_the_disk_did_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    file = PatientFile(path)
    file.write(b"0123456789")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(streamed_netcdf.os, "pwrite", full)
    file.seek(8)
    file.write(b"abcd")
    file.seek(20)
    file.write(b"z")
    file.seek(0)
    assert file.read(40) == b"01234567abcd" + bytes(8) + b"z"
    file.seek(-2, os.SEEK_END)
    assert file.read(1) == b"\0"
    assert file.error is not None
    file.truncate(5)
    file.seek(0)
    assert file.read(40) == b"01234"
    file.close()


def test_memory_does_not_grow_with_the_table(tmp_path: Path, groups: int) -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        written(tmp_path / f"{count}.nc", count)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(100)  # what is imported and kept
    assert peak(12_000) < 1.3 * peak(1_200)


def test_a_journal_of_another_version_is_refused_by_its_name(tmp_path: Path) -> None:
    first = line_of({"gough journal": 1, "identity": "x", "chunks": 2})
    (tmp_path / "journal").write_bytes(first + line_of({"chunk": 0, "rows": [["a", 1.0]]}))
    with (
        pytest.raises(gough.InputError, match=r"journal 1, this is 2.*another folder"),
        Journal(tmp_path / "journal", {"identity": "x"}),
    ):
        pass
    assert (tmp_path / "journal").read_bytes().startswith(first)
