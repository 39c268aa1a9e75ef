"""Files written whole or not at all: the one writer of the house.

A temporary name in the same folder, the data on the disk (fsync), a rename: whoever looks, and whenever the process or
the machine dies, finds the old file or the new one.  What a killed process left behind is swept by the next writer in
the same folder: a temporary file is locked as long as its writer lives.

Binary results (NetCDF, checkpoint pieces) end with a seal of 48 bytes: a mark and the SHA-256 of all before it; HDF5
and zip readers ignore what follows their data, so other programs open them as they are.  Parquet must end with its own
footer: there the seal is the digest in a note of the footer (`PLACE`), taken with zeros in its place.  `unsealed`
checks the seal before any decoder sees the bytes.  A file that says it is sealed (NetCDF files name their seal in
``_NCProperties``, which copies by other programs do not carry) and has no seal, or whose length is not what its own
first bytes promise, is damaged.  Any other file without a seal comes from another program: it is read with lower trust
(a time limit, in a process of its own: `gough.trajectory.recorded`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from gough import system
from gough.checks import InputError
from gough.system import FilePath, sync_folder

MARK = b"gough-sha256-v1\n"
SEAL = len(MARK) + hashlib.sha256().digest_size
NAME = MARK.decode().strip()
PLACE = f"{NAME}:{'0' * 64}"
_STAMP = re.compile(f"{NAME}:([0-9a-f]{{64}})".encode())
HDF5 = b"\x89HDF\r\n\x1a\n"
_TEMPORARY = re.compile(r"\..{1,40}\.[0-9a-f]{8}\.tmp")
ABANDONED = 86400.0  # s; where a writer must let go of its file before the rename, only older ones are swept


class StorageError(InputError, OSError):
    """A file that cannot be written: the disk is full, the folder missing or read-only."""

    def __init__(self, path: FilePath, error: OSError) -> None:
        why = error.strerror or str(error)
        InputError.__init__(self, "path", os.fspath(path), f"cannot be written: {why}")
        self.errno, self.strerror = error.errno, why

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[StorageError], tuple[str, OSError]]:
        return StorageError, (str(self.value), OSError(self.errno, self.strerror))


@contextlib.contextmanager
def replacing(path: FilePath) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when the block ends well, and vanishes when not.

    A file that is replaced keeps its permissions; a new one gets those of any new file.
    """
    target = Path(path)
    if "\0" in str(target):
        raise InputError("path", str(target), "must not hold a null character")
    if os.path.isdir(target):
        raise InputError("path", str(target), "is a folder; give the name of a file")
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.tmp")
    handle = -1
    try:
        handle = _claim(temporary)
        _sweep(target.parent)
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        if not system.OPEN_FILES_MOVE:
            handle = _closed(handle)
        os.replace(temporary, target)
    except StorageError:
        raise
    except OSError as error:
        raise StorageError(target, error) from error
    finally:
        if not system.OPEN_FILES_MOVE:
            handle = _closed(handle)
        with contextlib.suppress(OSError):  # already renamed, or never made
            os.unlink(temporary)
        _closed(handle)
    with contextlib.suppress(
        OSError
    ):  # the file is whole by either name; some systems cannot sync a folder
        sync_folder(target.parent)


def write_whole(path: FilePath, data: str | bytes) -> Path:
    """Write `data` (text as UTF-8, line ends as they are) to `path`; the file appears complete or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)
    return Path(path)


def csv_cell(text: str) -> str:
    """A heading as a CSV cell: quoted where a name needs it; one that a spreadsheet would take for a formula gets an
    apostrophe in front."""
    safe = f"'{text}" if text[:1] in "=+-@\t\r\n" else text
    return '"' + safe.replace('"', '""') + '"' if any(c in safe for c in ',"\r\n') else safe


def sealed(data: bytes) -> bytes:
    """`data` with its seal behind it."""
    return data + MARK + hashlib.sha256(data).digest()


def seal(path: FilePath) -> None:
    """`sealed` for a file on the disk, of any size."""
    with open(path, "rb+") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
        file.seek(0, os.SEEK_END)
        file.write(MARK + digest)


def stamped(data: bytes) -> bytes:
    """`data` with its digest in the place that it keeps for it."""
    return data.replace(PLACE.encode(), f"{NAME}:{hashlib.sha256(data).hexdigest()}".encode())


def stamp(path: FilePath) -> None:
    """`stamped` for a file on the disk, of any size: its digest goes into the place that it keeps for it."""
    place, digest = PLACE.encode(), hashlib.sha256()
    found: list[int] = []
    with open(path, "rb+") as file:
        tail = b""
        while block := file.read(1 << 20):
            digest.update(block)
            start, text = file.tell() - len(block) - len(tail), tail + block
            found += [start + match.start() for match in re.finditer(place, text)]
            tail = text[1 - len(place) :]
        for offset in found:
            file.seek(offset)
            file.write(f"{NAME}:{digest.hexdigest()}".encode())


def unsealed(path: FilePath) -> tuple[bytes, bool]:
    """The whole file without its seal, and whether it had one; a seal that does not fit or is lost: `InputError`."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError("path", os.fspath(path), f"cannot be read: {why}") from None
    data, seal = content[:-SEAL], content[-SEAL:]
    if len(seal) == SEAL and seal.startswith(MARK):
        whole = hashlib.sha256(data).digest() == seal[len(MARK) :]
    elif _STAMP.search(content):
        data = content
        whole = stamped(_STAMP.sub(PLACE.encode(), content)) == content
    elif NAME.encode() in content or _promised_size(content) not in (0, len(content)):
        raise InputError(
            "path", os.fspath(path), "is damaged: its end is cut off, or its seal is lost"
        )
    else:
        return content, False
    if not whole:
        raise InputError("path", os.fspath(path), "is damaged: its checksum does not fit")
    return data, True


def _promised_size(content: bytes) -> int:
    """Bytes that the superblock of an HDF5 file promises (HDF5 File Format Specification, II.A); 0 for other files."""
    start = {0: 40, 1: 44, 2: 28, 3: 28}.get(int.from_bytes(content[8:9], "little"), 0)
    if not content.startswith(HDF5) or not start:
        return 0
    return max(start + 8, int.from_bytes(content[start : start + 8], "little"))


class Held:
    """A folder that one process at a time works in; freed by `close`, with the object, or when the process dies."""

    _handle = -1

    def __init__(self, field: str, folder: FilePath) -> None:
        self._handle = system.open_folder(folder)
        if not _lock(self._handle):
            self.close()
            raise InputError(
                field, os.fspath(folder), "is in use by another run that is still going"
            )

    def close(self) -> None:
        """Free the folder."""
        handle, self._handle = self._handle, -1
        _closed(handle)

    def __del__(self) -> None:
        self.close()


def _claim(temporary: Path) -> int:
    """A new locked file; made again if a sweeper took it for a dead writer's before it was locked."""
    while True:
        handle = system.open_file(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        if _lock(handle) and os.fstat(handle).st_nlink:
            return handle
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _lock(handle: int) -> bool:
    """Lock an open file for this process; False if another holds it.  Without locks: True."""
    try:
        return system.lock(handle)
    except OSError:  # a file system without locks
        return True


def _closed(handle: int) -> int:
    """Close an open file; -1, which is no file."""
    if handle >= 0:
        os.close(handle)
    return -1


def _sweep(folder: Path) -> None:
    """Remove temporaries whose writers are dead: nobody holds their lock, or they are old where that tells nothing."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if not _TEMPORARY.fullmatch(entry.name):
                continue
            if not (system.OPEN_FILES_MOVE and system.locks()):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat().st_mtime > ABANDONED:
                        os.unlink(entry.path)
            else:
                with contextlib.suppress(OSError), open(entry.path, "rb") as file:
                    if _lock(file.fileno()):
                        os.unlink(entry.path)
