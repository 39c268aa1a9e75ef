"""Files written whole or not at all: the one writer of the house.

A temporary name in the same folder, the data on the disk (fsync), a rename: whoever looks, and whenever the process or
the machine dies, finds the old file or the new one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from gough.checks import InputError

FilePath = str | os.PathLike[str]


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
    if target.is_dir():
        raise InputError("path", str(target), "is a folder; give the name of a file")
    if "\0" in str(target):
        raise InputError("path", str(target), "must not hold a null character")
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.tmp")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        os.replace(temporary, target)
    except StorageError:
        raise
    except OSError as error:
        raise StorageError(target, error) from error
    finally:
        with contextlib.suppress(OSError):  # already renamed, or never made
            os.unlink(temporary)
    with contextlib.suppress(
        OSError
    ):  # the file is whole by either name; some systems cannot sync a folder
        sync_folder(target.parent)


def write_whole(path: FilePath, data: str | bytes) -> Path:
    """Write `data` (text as UTF-8, line ends as they are) to `path`; the file appears complete or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)
    return Path(path)


def sync_folder(folder: FilePath) -> None:
    """Put the names in `folder` on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
