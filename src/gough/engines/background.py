"""Kernels that are not compiled yet: the plain engine answers small questions while another process compiles them.

`plainly` says for one call whether it does so.  The plain engine runs the same equations on NumPy, so its answers
differ from a kernel's by rounding and lie within `.error` as well; whoever promises the same bytes again (an engine
given by name, calls inside the library, runs, sweeps, streams, `lean`) never asks here, or asks inside `settled`.

The helper is one process of low priority per kernel folder (a lock in the folder holds that).  It takes requests from
its input, compiles one after the other into the cache, and ends when its input does or nothing more is asked.  It says
nothing, and if it dies or never starts, the caller compiles for itself.  A small note in the folder says that a kernel
is there, named by all that decides it and can be told without loading the compiler; a wrong note costs waiting only.

    GOUGH_BACKGROUND=0    no helper: every call waits for its kernel
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from gough import system
from gough.engines.cache import PACKAGE, cache_folder

SMALL = 1024  # states that NumPy takes some milliseconds for; more wait for the kernel
IDLE = 5.0  # s after which a helper without requests ends
REST = 2.0  # s before another helper is tried where one of another process is at work
TRIES = 2  # helpers that may end without the kernel before the caller compiles for itself
DONE, FAILED, BUSY = 0, 1, 75
COMPILED = {"numba": ("__init__.py", "_version.py"), "llvmlite": ("__init__.py", "_version.py")}
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); import gough.engines.background as b; b.main()"


class Wanted(NamedTuple):
    """A kernel: the name of its note, and the call ``module:function`` that compiles it and notes it."""

    name: str
    maker: str
    arguments: tuple[Any, ...] = ()


_settled: ContextVar[bool] = ContextVar("settled", default=False)


@contextmanager
def settled() -> Iterator[None]:
    """No plain answers inside: for work that promises the same bytes whenever it is done again."""
    token = _settled.set(True)
    try:
        yield
    finally:
        _settled.reset(token)


def plainly(wanted: Wanted, size: int, small: int = SMALL) -> bool:
    """Whether the plain engine shall answer this call of `size` states, because its kernel is neither on the disk nor
    compiled by now; a helper is asked for it then."""
    if size > small or _settled.get() or not allowed():
        return False
    path = note(wanted)
    if path is None or path.exists():
        return False
    return _helpers.asked(wanted)


def allowed() -> bool:
    """Whether a helper may be started: not by request, in worker processes, in programs that are no plain Python."""
    if (
        os.environ.get("GOUGH_BACKGROUND", "") == "0"
        or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    ):
        return False
    workers = sys.modules.get("multiprocessing.process")
    if _helpers.forked or (workers is not None and workers.parent_process() is not None):
        return False
    plain = Path(sys.executable or "").stem.lower().startswith("python")
    return plain and not getattr(sys, "frozen", False)


def note(wanted: Wanted) -> Path | None:
    """Where it is noted that a kernel is on the disk; None without a folder."""
    folder = cache_folder()
    return None if folder is None else folder / f"{wanted.name}-{stamp()}.ready"


def mark(wanted: Wanted) -> None:
    """Note that a kernel is on the disk."""
    path = note(wanted)
    if path is not None:
        with suppress(OSError):
            path.touch(mode=0o600)


@lru_cache(maxsize=1)
def stamp() -> str:
    """Hash of what decides a kernel, as far as it can be told without the compiler: sizes and times of all sources and
    of the compiler's, Python, its settings, the processor."""
    files = sorted(PACKAGE.rglob("*.py"))
    for package, names in COMPILED.items():
        found = find_spec(package)
        if found is not None and found.origin is not None:
            files += [Path(found.origin).with_name(name) for name in names]
    said = [sys.version, system.processor()]
    said += sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith("NUMBA_"))
    for path in files:
        with suppress(OSError):
            status = path.stat()
            said.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\0".join(said).encode()).hexdigest()[:24]


class Helpers:
    """The helper of this process, one at a time."""

    def __init__(self, forked: bool = False) -> None:
        self.forked = forked
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: set[Wanted] = set()
        self._failed: dict[Wanted, int] = {}
        self._not_before = 0.0

    def asked(self, wanted: Wanted) -> bool:
        """Ask for a kernel unless that was done; False: it must be compiled by whoever wants it."""
        with self._lock:
            process = self._process
            if process is not None and process.poll() is None:
                return wanted in self._sent or self._send(process, wanted)
            if process is not None:
                self._ended(process.returncode)
            if self._failed.get(wanted, 0) >= TRIES:
                return False
            if time.monotonic() < self._not_before:
                return True
            process = self._process = self._started()
            return process is not None and self._send(process, wanted)

    def _ended(self, code: int) -> None:
        """A helper has ended: what it leaves undone failed once more, unless another process was at work."""
        left = [w for w in self._sent if not _there(w)]
        for wanted in left if code != BUSY else ():
            self._failed[wanted] = self._failed.get(wanted, 0) + 1
        self._not_before = time.monotonic() + REST if code == BUSY else 0.0
        self._process, self._sent = None, set()

    def _send(self, process: subprocess.Popen[bytes], wanted: Wanted) -> bool:
        """Hand a request over; one that meets a helper at its end is asked for again by the next call."""
        self._sent.add(wanted)
        with suppress(OSError, ValueError):
            assert process.stdin is not None
            process.stdin.write(json.dumps(wanted).encode() + b"\n")
            process.stdin.flush()
        return True

    def _started(self) -> subprocess.Popen[bytes] | None:
        environment = {**os.environ, "GOUGH_BACKGROUND": "0", "GOUGH_PROGRESS": "0"}
        command = [sys.executable, "-P", "-c", START, json.dumps([str(p) for p in sys.path])]
        try:
            process = system.apart(command, environment)
        except OSError:
            return None
        threading.Thread(target=process.wait, daemon=True, name="gough helper").start()
        return process


def _there(wanted: Wanted) -> bool:
    path = note(wanted)
    return path is not None and path.exists()


_helpers = Helpers()


def _after_fork() -> None:
    """A forked child starts no helper, and holds no lock of a thread that it does not have."""
    global _helpers
    _helpers = Helpers(forked=True)


system.after_fork(_after_fork)


def main() -> None:
    """The helper: compile what its input asks for, then end.  No words, and no harm if it dies."""
    system.ignore_interrupts()
    system.lower_priority()
    folder = cache_folder()
    code = FAILED
    with suppress(OSError):
        if folder is not None and system.locks():
            with open(folder / "helper.lock", "w") as file:
                code = _serve() if system.lock(file.fileno()) else BUSY
    os._exit(code)  # the thread that reads is left where it waits


def _serve() -> int:
    requests: queue.Queue[bytes | None] = queue.Queue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    while True:
        try:
            line = requests.get(timeout=IDLE)
        except queue.Empty:
            return DONE
        if line is None:
            return DONE
        try:
            _, maker, arguments = json.loads(line)
            module, _, name = str(maker).partition(":")
            if not module.startswith("gough."):
                return FAILED
            given = [tuple(a) if isinstance(a, list) else a for a in arguments]
            getattr(import_module(module), name)(*given)
        except Exception:  # whoever asked compiles for itself and meets it there
            return FAILED


def _read(requests: queue.Queue[bytes | None]) -> None:
    """Lines of the input, as they come."""
    left = b""
    while piece := os.read(0, 65536):
        *lines, left = (left + piece).split(b"\n")
        for line in lines:
            requests.put(line)
    requests.put(None)
