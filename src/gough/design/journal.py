"""A journal of finished chunks: fsynced lines, each with its checksum, that survives kills and full disks.

The first line names the work (a hash of everything that decides the result); every other line holds one finished
chunk.  A line counts only if it is whole: a torn tail, left by a kill or a full disk, is cut off when the journal is
opened again.  One process at a time holds the journal (a lock that dies with the process).
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from gough.checks import InputError
from gough.storage import sync_folder

VERSION = 1


class JournalFullError(OSError):
    """A line could not be written; everything before it is safe."""


def line_of(record: dict[str, Any]) -> bytes:
    """One record as a line: checksum, space, JSON with all digits."""
    text = json.dumps(record, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
    return f"{zlib.crc32(text):08x} ".encode() + text + b"\n"


def record_of(line: bytes) -> dict[str, Any] | None:
    """The record of a whole line, None for a torn or damaged one."""
    if not line.endswith(b"\n") or len(line) < 11 or line[8:9] != b" ":
        return None
    text = line[9:-1]
    try:
        if int(line[:8], 16) != zlib.crc32(text):
            return None
        record = json.loads(text)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


class Journal:
    """Finished chunks of one piece of work in the file `path`; use it as a context manager.

    work    identity of the work; a journal of other work is refused
    chunks  number -> payload of the chunks that are done
    """

    def __init__(self, path: str | os.PathLike[str], work: dict[str, Any]) -> None:
        self.path, self.work = Path(path), {"gough journal": VERSION, **work}
        self.chunks: dict[int, Any] = {}
        self.cut = 0  # bytes of a torn tail or of damaged lines that were dropped
        self._file = -1

    def __enter__(self) -> Journal:
        import fcntl

        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise InputError(
                "journal", str(self.path), f"cannot be opened: {error.strerror}"
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise InputError(
                "journal", str(self.path), "is held by another process that is still running"
            ) from None
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
        with open(self.path, "rb") as file:
            lines = file.readlines()
        head = record_of(lines[0]) if lines else None
        if lines and head is None and len(lines) > 1:
            raise InputError(
                "journal", str(self.path), "is not a journal: its first line is damaged"
            )
        if head is None:  # empty, or torn while its first line was written
            self._restart([line_of(self.work)])
            return
        if head != self.work:
            raise InputError(
                "journal",
                str(self.path),
                "belongs to another sweep (its files, machine, motions or "
                "version differ); choose another folder",
            )
        good = [lines[0]]
        for line in lines[1:]:
            record = record_of(line)
            if record is None or not isinstance(record.get("chunk"), int):
                self.cut += len(line)
                continue
            self._keep(record["chunk"], record["rows"])
            good.append(line)
        if self.cut:
            self._restart(good)
        os.lseek(self._file, 0, os.SEEK_END)

    def _restart(self, lines: list[bytes]) -> None:
        """Make the file hold exactly these lines; what stands before the first damaged one is not touched."""
        with open(self.path, "rb") as file:
            there = file.readlines()
        same = 0
        while same < min(len(lines), len(there)) and lines[same] == there[same]:
            same += 1
        os.ftruncate(self._file, sum(len(line) for line in lines[:same]))
        self._write(b"".join(lines[same:]))
        sync_folder(self.path.parent)

    def _keep(self, chunk: int, rows: Any) -> None:
        text = json.dumps(rows)  # NaN is not equal to itself, its text is
        if chunk in self.chunks and json.dumps(self.chunks[chunk]) != text:
            raise InputError(
                "journal", f"chunk {chunk}", "was computed twice with different results"
            )
        self.chunks[chunk] = rows

    def append(self, chunk: int, rows: Any) -> None:
        """Record a finished chunk; it is on the disk when this returns."""
        if chunk in self.chunks:
            self._keep(chunk, rows)  # a scheduler ran it twice: the answers must agree
            return
        self._write(line_of({"chunk": chunk, "rows": rows}))
        self._keep(chunk, rows)

    def _write(self, data: bytes) -> None:
        start = os.lseek(self._file, 0, os.SEEK_END)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(
                OSError
            ):  # no half line stays; if this fails, the next start cuts it
                os.ftruncate(self._file, start)
            raise JournalFullError(error.errno, error.strerror, str(self.path)) from error
