"""A Python without what only some systems have: ``python -m support.bare_system CODE``.

Modules are blocked and names deleted before anything of gough is imported; with ``windows`` open files neither move
nor vanish and folders do not open, as there.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import Any

MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline")
NAMES = [
    "sched_getaffinity",
    "sched_setaffinity",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getgroups",
    "fork",
    "forkpty",
    "register_at_fork",
    "pread",
    "pwrite",
    "preadv",
    "pwritev",
    "sysconf",
    "O_NOFOLLOW",
    "O_DIRECTORY",
    "O_CLOEXEC",
    "O_NONBLOCK",
    "O_SYNC",
    "O_DSYNC",
    "O_NOATIME",
    "fchmod",
    "fchown",
    "chown",
    "lchown",
    "killpg",
    "setsid",
    "getpgid",
    "getpriority",
    "setpriority",
    "nice",
    "statvfs",
    "fstatvfs",
    "uname",
    "getloadavg",
    "mkfifo",
    "mknod",
    "posix_fallocate",
    "posix_fadvise",
    "sendfile",
    "wait3",
    "wait4",
    "sync",
    "fdatasync",
]
SIGNALS = ("SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGXFSZ", "SIGPIPE")


def strip(windows: bool) -> None:
    """Take away what the other systems lack."""
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in NAMES:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        if hasattr(signal, name):
            delattr(signal, name)
    if windows:
        _as_on_windows()


def _as_on_windows() -> None:
    """Folders do not open; files that `os.open` holds open are neither renamed nor removed."""
    real = {name: getattr(os, name) for name in ("open", "close", "replace", "unlink")}
    held: dict[int, str] = {}

    def opening(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied", path)
        handle = real["open"](path, flags, mode, **more)
        held[handle] = os.path.abspath(path)
        return handle

    def closing(handle: int) -> None:
        held.pop(handle, None)
        real["close"](handle)

    def refusing(name: str) -> Any:
        def call(path: Any, *more: Any, **rest: Any) -> Any:
            if os.path.abspath(path) in held.values():
                raise PermissionError(13, "used by another process", path)
            return real[name](path, *more, **rest)

        return call

    os.open, os.close = opening, closing  # type: ignore[assignment]
    os.replace, os.unlink = refusing("replace"), refusing("unlink")

    import gough.system

    gough.system.OPEN_FILES_MOVE = gough.system.FOLDERS_OPEN = False


if __name__ == "__main__":
    for package in ("multiprocessing.pool", "numpy", "numba", "xarray", "h5netcdf", "scipy.stats"):
        importlib.import_module(package)  # as this system has them: they are not on trial
    strip("windows" in sys.argv[2:])
    exec(compile(sys.argv[1], "<bare>", "exec"), {"__name__": "__main__"})
