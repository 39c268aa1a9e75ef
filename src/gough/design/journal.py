"""A journal of finished spans of cases: fsynced lines, each with its checksum, that survives kills and full disks.

The first line names the work (a hash of everything that decides the result); every other line holds the rows of one
finished span, whatever its size.  A line counts only if it is whole: a torn tail, left by a kill or a full disk, is cut
off when the journal is opened again, and a damaged line before it counts as not written.  One process at a time holds
the journal (a lock that dies with the process).  Rows stay on the disk: in memory is where each span's line lies.
Other threads may run through the rows while spans are still appended (`rows`).
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from gough import system
from gough.checks import InputError
from gough.design.spans import Span
from gough.system import sync_folder

VERSION = 2
TWICE = "was computed twice with different results"
_SPOKEN = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
_AS_TEXT = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_SPOKEN.__getitem__)


class JournalFullError(OSError):
    """A line could not be written; everything before it is safe."""


class AbandonedError(Exception):
    """The rows that a thread waits for will not come."""


class WrittenRows(NamedTuple):
    """So many rows as they stand in the journal: a worker writes them, and what is sent and kept is its text."""

    cases: int
    text: bytes


def written(rows: list[Any]) -> WrittenRows:
    """Rows as JSON with all digits."""
    return WrittenRows(len(rows), _json(rows))


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()


def line_of(record: dict[str, Any]) -> bytes:
    """One record as a line: checksum, space, JSON with all digits."""
    return _checked(_json(record))


def _checked(text: bytes) -> bytes:
    return f"{zlib.crc32(text):08x} ".encode() + text + b"\n"


def record_of(line: bytes, as_text: bool = False) -> dict[str, Any] | None:
    """The record of a whole line, None for a torn or damaged one; as_text: with the digits of its numbers."""
    if not line.endswith(b"\n") or len(line) < 11 or line[8:9] != b" ":
        return None
    text = line[9:-1]
    try:
        if int(line[:8], 16) != zlib.crc32(text):
            return None
        record = _AS_TEXT.decode(text.decode()) if as_text else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def span_of(record: dict[str, Any] | None) -> Span | None:
    """The span of a finished span's record, None for any other."""
    if record is None or not isinstance(record.get("first"), int):
        return None
    rows = record.get("rows")
    return Span(record["first"], record["first"] + len(rows)) if isinstance(rows, list) else None


class _Line(NamedTuple):
    """A span and the bytes that hold it."""

    span: Span
    offset: int
    length: int


class Journal:
    """Finished spans of one piece of work in the file `path`; use it as a context manager.

    work   identity of the work; a journal of other work is refused
    spans  those that are done;  cases: how many cases they hold
    """

    def __init__(self, path: str | os.PathLike[str], work: dict[str, Any]) -> None:
        self.path, self.work = Path(path), {"gough journal": VERSION, **work}
        self.cases = 0
        self.cut = 0  # bytes of a torn tail or of damaged lines that do not count
        self._lines: dict[int, _Line] = {}
        self._file = -1
        self._news, self._over = threading.Condition(), False

    @property
    def spans(self) -> list[Span]:
        """The spans that are done."""
        return [line.span for line in self._lines.values()]

    def __enter__(self) -> Journal:
        try:
            self._file = system.open_file(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise InputError(
                "journal", str(self.path), f"cannot be opened: {error.strerror}"
            ) from error
        try:
            why = (
                ""
                if system.lock(self._file)
                else "is held by another process that is still running"
            )
        except OSError as error:
            why = f"cannot be locked: {error.strerror}"
        if why:
            os.close(self._file)
            raise InputError("journal", str(self.path), why)
        try:
            self._read()
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._file)

    def _read(self) -> None:
        """Take over whole lines; drop a torn tail; refuse another work's journal."""
        good = 0  # bytes up to the end of the last whole line
        with open(self.path, "rb") as file:
            first = file.readline()
            head = record_of(first)
            if head is None and file.readline():
                raise InputError(
                    "journal", str(self.path), "is not a journal: its first line is damaged"
                )
            if head is not None and head.get("gough journal", VERSION) != VERSION:
                raise InputError(
                    "journal",
                    str(self.path),
                    f"is of another version of gough (journal {head['gough journal']}, this is {VERSION}): cases "
                    "that other code has computed are not mixed with new ones; choose another folder",
                )
            if head is not None and head != self.work:
                raise InputError(
                    "journal",
                    str(self.path),
                    "belongs to another sweep (its files, machine, motions, "
                    "version or commit differ); choose another folder",
                )
            file.seek(len(first))
            for line in file if head is not None else ():
                start = file.tell() - len(line)
                span = span_of(record_of(line))
                if span is None:
                    self.cut += len(line)
                    continue
                self._keep(_Line(span, start, len(line)))
                good = start + len(line)
        os.ftruncate(self._file, max(good, len(first) if head is not None else 0))
        if head is None:  # empty, or torn while its first line was written
            self._write(line_of(self.work))
            sync_folder(self.path.parent)

    def _keep(self, line: _Line) -> None:
        """Take down where a span lies; one that is there already must be the same."""
        there = self._lines.get(line.span.first)
        if there is None:
            with self._news:
                self._lines[line.span.first] = line
                self._news.notify_all()
            self.cases += line.span.size
        elif there.span != line.span or self._text(there) != self._text(line):
            raise InputError("journal", _told(line.span), TWICE)

    def _text(self, line: _Line) -> bytes:
        return system.read_at(self._file, line.length, line.offset)

    def append(self, first: int, rows: list[Any] | WrittenRows) -> None:
        """Record the rows of the cases from `first` on; they are on the disk when this returns."""
        count, text = rows if isinstance(rows, WrittenRows) else written(rows)
        data = _checked(b'{"first":%d,"rows":%b}' % (first, text))
        there, span = self._lines.get(first), Span(first, first + count)
        if there is None:
            self._keep(_Line(span, self._write(data), len(data)))
        elif self._text(there) != data:  # computed twice: the answers must agree
            raise InputError("journal", _told(span), TWICE)

    def rows(self, cases: int, as_text: bool = False) -> Iterator[Any]:
        """The rows of the first `cases` cases in their order, read from the disk span by span, each when it is there.

        Threads beside the one that appends may wait for them so; `AbandonedError`: what is missing will not come.
        as_text  numbers as the digits that stand in the journal: those that a CSV file has
        """
        at = 0
        while at < cases:
            with self._news:
                while at not in self._lines:
                    if self._over:
                        raise AbandonedError
                    self._news.wait()
            line = self._lines[at]
            yield from self._rows(line, as_text)
            at = line.span.stop

    def abandon(self) -> None:
        """No more spans will come."""
        with self._news:
            self._over = True
            self._news.notify_all()

    def _rows(self, line: _Line, as_text: bool) -> list[Any]:
        record = record_of(self._text(line), as_text)
        if record is None:
            raise InputError("journal", _told(line.span), "was damaged while it was in use")
        return record["rows"]

    def _write(self, data: bytes) -> int:
        """Put data at the end and on the disk; where it begins."""
        start = os.fstat(self._file).st_size
        try:
            view, at = memoryview(data), start
            while view:
                taken = system.write_at(self._file, view, at)
                view, at = view[taken:], at + taken
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(
                OSError
            ):  # no half line stays; if this fails, the next start cuts it
                os.ftruncate(self._file, start)
            raise JournalFullError(error.errno, error.strerror, str(self.path)) from error
        return start


def _told(span: Span) -> str:
    return f"cases {span.first} to {span.stop - 1}"
