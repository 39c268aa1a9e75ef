"""What only some operating systems have, asked for in one place: locks, owners, processors, forks, places in files.

Every function answers on Linux, macOS and Windows, and where a system lacks something says what it does instead.
No other module of the package uses the names that are not on all three (`tests/house/test_portable.py`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

FilePath = str | os.PathLike[str]
OPEN_FILES_MOVE = os.name != "nt"  # Windows neither renames nor removes a file that is open
FOLDERS_OPEN = os.name != "nt"  # Windows does not open folders as files
LOCKED_BYTE = 2**31 - 2  # Windows locks bytes, and nobody else may read them: one beyond the data
FOLDER_LOCK = ".gough.lock"  # what is locked where a folder cannot be
PAUSE = 0.05  # s between two tries for a lock where the system cannot wait
_HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK, getattr(errno, "EDEADLOCK", errno.EDEADLK)}


def _module(name: str) -> Any:
    """A module of the standard library that not every system has; None without it."""
    try:
        return import_module(name)
    except ImportError:
        return None


fcntl, msvcrt, resource = _module("fcntl"), _module("msvcrt"), _module("resource")


def locks() -> bool:
    """Whether this system locks files at all."""
    return fcntl is not None or msvcrt is not None


def lock(handle: int, *, wait: bool = False) -> bool:
    """Lock an open file for this process until the handle closes; False if another holds it (never with `wait`).

    A system without locks answers True.  A file system without them raises `OSError`.
    """
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    while msvcrt is not None and not _byte_locked(handle):
        if not wait:
            return False
        time.sleep(PAUSE)
    return True


def _byte_locked(handle: int) -> bool:
    """Lock one byte beyond the data; the place in the file stays."""
    place = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno not in _HELD:
            raise
        return False
    finally:
        os.lseek(handle, place, os.SEEK_SET)
    return True


def open_file(
    path: FilePath, flags: int, mode: int = 0o666, *, links: bool = True, wait: bool = True
) -> int:
    """`os.open` of bytes as they are, closed in child processes; ``links=False`` refuses a link, where it can, and
    ``wait=False`` does not wait for whoever is at the other end of a pipe.

    Without ``O_NOFOLLOW`` the caller's own look at the path (`Path.is_symlink`) is all there is.
    """
    more = (() if links else ("O_NOFOLLOW",)) + (() if wait else ("O_NONBLOCK",))
    for name in ("O_BINARY", "O_CLOEXEC", "O_NOINHERIT", *more):
        flags |= getattr(os, name, 0)
    return os.open(path, flags, mode)


def open_folder(folder: FilePath) -> int:
    """A handle that stands for a folder and can be locked; a small file in it where folders cannot be opened."""
    if FOLDERS_OPEN:
        return open_file(folder, os.O_RDONLY)
    return open_file(Path(folder) / FOLDER_LOCK, os.O_RDWR | os.O_CREAT)


def sync_folder(folder: FilePath) -> None:
    """Put the names in `folder` on the disk; nothing where folders cannot be opened (NTFS journals its names)."""
    if FOLDERS_OPEN:
        handle = open_file(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


_place = (
    threading.Lock()
)  # where going to a place and using it are two calls: no other thread between them


def read_at(handle: int, count: int, offset: int) -> bytes:
    """`count` bytes from `offset` on, fewer at the end; other threads may read and write at their own places."""
    if hasattr(os, "pread"):
        return os.pread(handle, count, offset)
    with _place:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, count)


def write_at(handle: int, data: bytes | memoryview, offset: int) -> int:
    """Write at `offset`, how many bytes were taken; other threads may read and write at their own places."""
    if hasattr(os, "pwrite"):
        return os.pwrite(handle, data, offset)
    with _place:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.write(handle, data)


def processors() -> int:
    """How many processors this process may run on; all there are where the system (macOS, Windows) does not tell."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def memory() -> float:
    """Bytes of this machine; infinity where the system does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return float("inf")


def limit_memory(size: int) -> None:
    """Let this process have at most `size` bytes of address space, where the system can."""
    with contextlib.suppress(OSError, ValueError):
        if resource is not None:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))


def user() -> int | None:
    """The number of this user; None where files have no such owner."""
    return os.getuid() if hasattr(os, "getuid") else None


def cache_home() -> Path | None:
    """Where this user's caches live; None when the system does not know the user."""
    try:
        given = os.environ.get("XDG_CACHE_HOME") or (
            os.environ.get("LOCALAPPDATA") if os.name == "nt" else None
        )
        return Path(given) if given else Path.home() / ".cache"
    except RuntimeError:
        return None


def after_fork(call: Callable[[], None]) -> None:
    """Let `call` run in every forked child; nothing where processes cannot fork."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def processor() -> str:
    """The processor in words, so far as the system tells them at once: on Linux its name and abilities."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        lines = file.read(1 << 14).partition("\n\n")[0].splitlines()
        told = [
            line for line in lines if line.startswith(("model name", "flags", "CPU", "Features"))
        ]
        return "\n".join([platform.machine(), *told])
    return platform.machine()


def apart(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process with an input of its own, without output and without this one's terminal."""
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows only, and the next
    flags |= getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    return subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=flags,
    )


def lower_priority() -> None:
    """Let others go first, where the system can say so of a running process."""
    nice = getattr(os, "nice", None)
    if nice is not None:
        with contextlib.suppress(OSError):
            nice(10)


def ignore_interrupts() -> None:
    """Leave the keyboard's interrupt to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
