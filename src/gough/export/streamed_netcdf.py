"""NetCDF-4 tables written group by group, in memory that does not grow with them; sealed as all our NetCDF files are.

HDF5 ends the process when a disk is full.  So it never hears of it: what the disk does not take is kept in memory
(`PatientFile`), writing stops with the next group, and the error is raised when HDF5 has closed its file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gough.export.tables import say_sealed
from gough.extras import package
from gough.storage import FilePath, replacing, seal
from gough.system import open_file, read_at, write_at

GROUP = 16384  # rows written together: fixed, for the same bytes


class Column(NamedTuple):
    """A column of numbers, or of text (`unit` is None)."""

    unit: str | None
    about: str


class PatientFile(io.RawIOBase):
    """A file for HDF5 that takes everything; `error` is what the system first refused."""

    def __init__(self, path: FilePath) -> None:
        super().__init__()
        self._handle = open_file(path, os.O_RDWR)
        self._at = self._size = 0
        self._kept: list[tuple[int, bytes]] = []
        self.error: OSError | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def writable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """At the current place."""
        content = bytes(data)
        if self.error is None:
            try:
                done = 0
                while done < len(content):
                    done += write_at(self._handle, content[done:], self._at + done)
            except OSError as error:
                self.error = error
        if self.error is not None:
            self._kept.append((self._at, content))
        self._at += len(content)
        self._size = max(self._size, self._at)
        return len(content)

    def readinto(self, target: Any) -> int:
        """From the current place, with what the disk did not take."""
        view = memoryview(target).cast("B")
        count = max(0, min(len(view), self._size - self._at))
        there = read_at(self._handle, count, self._at)
        view[:count] = there + bytes(count - len(there))
        for start, content in self._kept:
            first, stop = max(start, self._at), min(start + len(content), self._at + count)
            if first < stop:
                view[first - self._at : stop - self._at] = content[first - start : stop - start]
        self._at += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        """The current place."""
        return self._at

    def truncate(self, size: int | None = None) -> int:
        """Make it so long."""
        self._size = self._at if size is None else size
        if self.error is None:
            try:
                os.ftruncate(self._handle, self._size)
            except OSError as error:
                self.error = error
        return self._size

    def close(self) -> None:
        """Give the file back."""
        if not self.closed:
            os.close(self._handle)
        super().close()


def write_streamed(
    path: FilePath,
    columns: Mapping[str, Column],
    rows: Callable[[], Iterator[list[Any]]],
    attributes: Mapping[str, str],
) -> Path:
    """A table over the dimension ``case``: `rows()` runs through its rows once, and is called twice."""
    text = [k for k, column in enumerate(columns.values()) if column.unit is None]
    count, widths = 0, dict.fromkeys(text, 1)
    for row in rows():
        count += 1
        for k in text:
            widths[k] = max(widths[k], len(row[k].encode()))
    with replacing(path) as temporary:
        file = PatientFile(temporary)
        try:
            _write(file, columns, rows(), count, widths, attributes)
        finally:
            file.close()
            if file.error is not None:
                raise file.error
        seal(temporary)
    return Path(path)


def _write(
    file: PatientFile,
    columns: Mapping[str, Column],
    rows: Iterator[list[Any]],
    count: int,
    widths: dict[int, int],
    attributes: Mapping[str, str],
) -> None:
    h5netcdf = package("h5netcdf")

    with h5netcdf.File(file, "w") as table:
        table.attrs.update(attributes)
        table.dimensions = {"case": count, **{f"string{w}": w for w in sorted({*widths.values()})}}
        made = [
            _variable(table, name, column, widths.get(k))
            for k, (name, column) in enumerate(columns.items())
        ]
        first = 0
        while (group := list(islice(rows, GROUP))) and file.error is None:
            stop = first + len(group)
            for k, values in enumerate(zip(*group, strict=True)):
                made[k][first:stop] = (
                    _characters(values, widths[k]) if k in widths else np.array(values)
                )
            first = stop
    say_sealed(file)


def _variable(table: Any, name: str, column: Column, width: int | None) -> Any:
    case = min(GROUP, table.dimensions["case"].size)
    told: dict[str, Any] = {"long_name": column.about}
    if width is None:
        made = table.create_variable(
            name, ("case",), float, fillvalue=np.nan, chunks=(case,), fletcher32=True
        )
        told["units"] = column.unit
    else:
        dimensions = ("case", f"string{width}")
        made = table.create_variable(name, dimensions, "S1", chunks=(case, width), fletcher32=True)
        told["_Encoding"] = "utf-8"
    made.attrs.update(told)
    return made


def _characters(values: tuple[str, ...], width: int) -> Any:
    """(n, width) single bytes: text of fixed width has a checksum, text of any width has none."""
    fixed = np.array([value.encode() for value in values], dtype=f"S{width}")
    return fixed.view("S1").reshape(len(values), width)
