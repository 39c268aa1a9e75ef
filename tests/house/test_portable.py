"""The package works where locks, owners, forks and affinities are missing; one module knows which systems have them."""

from __future__ import annotations

import ast
import errno
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gough
from gough import storage, system
from support.bare_system import MODULES, NAMES, SIGNALS
from support.sweeps import SPEC

TESTS = Path(__file__).parents[1]
SOURCE = Path(gough.__file__).parent
README = (TESTS.parent / "README.md").read_text(encoding="utf-8")
POSIX_MODULES = {*MODULES, "posix", "msvcrt", "winreg", "_winapi"}
POSIX_NAMES = {*NAMES, "WNOHANG", "waitpid", "O_BINARY", "O_NOINHERIT", "startfile"}
POSIX_SIGNALS = {*SIGNALS, "SIGKILL", "SIGCHLD", "SIGSTOP", "SIGCONT", "pthread_sigmask", "alarm"}

RUN = """
import sys, numpy as np, gough
from gough.simulation import simulate
platform = gough.load("octahedral-33")
state = gough.State(platform.home)
options = dict(duration=0.02, step=1e-3, output=1e-3)
whole = simulate(platform, state, **options)
kept = simulate(platform, state, checkpoint=sys.argv[-1] + "/run", **options)
again = simulate(platform, state, checkpoint=sys.argv[-1] + "/run", resume=True, **options)
assert whole.identical(kept) and whole.identical(again)
print("run", whole.sizes["time"])
"""
SWEEP = """
import sys
from pathlib import Path
from gough.design import read_sweep, sweep
out = Path(sys.argv[-1])
sweep(read_sweep(out / "spec.toml"), out / "first", formats=("csv", "nc"))
sweep(read_sweep(out / "spec.toml"), out / "first", resume=True, formats=("csv", "nc"))
print("sweep", sorted(p.suffix for p in (out / "first").iterdir() if p.suffix in (".csv", ".nc")))
"""
CACHE = """
import os
from gough import system
from gough.engines import cache
print("locks", system.locks(), system.user(), system.memory(), system.processors() == os.cpu_count())
path = cache.cache_folder() / "portable-test.kernel"
cache.write_checked(path, b"payload")
assert cache.read_checked(path) == b"payload"
with cache._locked(path.with_suffix(".lock")):
    pass
path.unlink()
"""


def bare(code: str, *words: str) -> str:
    command = [sys.executable, "-m", "support.bare_system", code, *words]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_stripped_python_is_stripped() -> None:
    """The check itself: with the modules of this system, asking for them fails there."""
    code = "import fcntl"
    command = [sys.executable, "-m", "support.bare_system", code]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
    assert "fcntl" in done.stderr
    assert done.returncode == 1
    command[-1] = "import os; os.sched_getaffinity(0)"
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
    assert "AttributeError" in done.stderr


@pytest.mark.parametrize("kind", ["unlocked", "windows"])
def test_everything_is_answered_without_them(kind: str, tmp_path: Path) -> None:
    """README's example, a sweep and its resumption, a checkpointed run, the kernel cache."""
    (tmp_path / "spec.toml").write_text(SPEC)
    example, shown = re.search(r"```python\n(.*?)```\n```\n(.*?)```", README, re.S).groups()  # type: ignore[union-attr]
    assert bare(example + CACHE + SWEEP + RUN, kind, str(tmp_path)).splitlines() == [
        *shown.strip().splitlines(),
        "locks False None inf True",
        "sweep ['.csv', '.nc']",
        "run 21",
    ]
    assert not list(tmp_path.rglob("*.tmp"))


def _foreign(path: Path) -> list[str]:
    """Uses of what not every system has, by line."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names if a.name in POSIX_MODULES]
        elif isinstance(node, ast.ImportFrom):
            owner = {"os": POSIX_NAMES, "signal": POSIX_SIGNALS}.get(str(node.module), set())
            names = [a.name for a in node.names if a.name in owner]
            names += [str(node.module)] if node.module in POSIX_MODULES else []
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = {"os": POSIX_NAMES | {"open"}, "signal": POSIX_SIGNALS}.get(
                node.value.id, set()
            )
            names = [node.attr] if node.attr in owner else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value] if node.value in POSIX_MODULES | POSIX_NAMES else []
        found += [f"{path.name}:{node.lineno} {name}" for name in names]
    return found


def test_one_module_knows_the_systems(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text(
        "import fcntl\nimport os\nfrom os import fork\nos.getuid()\nos.open('a', 0)\n"
        "import signal\nsignal.SIGKILL\ngetattr(os, 'O_NOFOLLOW', 0)\n"
    )
    assert [line.split()[1] for line in sorted(_foreign(planted))] == [
        "fcntl", "fork", "getuid", "open", "SIGKILL", "O_NOFOLLOW",
    ]  # fmt: skip
    assert _foreign(SOURCE / "system.py")
    files = [path for path in SOURCE.rglob("*.py") if path != SOURCE / "system.py"]
    assert [line for path in files for line in _foreign(path)] == []


class _OneByte:
    """What msvcrt does with a byte: one holder, refusals as Windows words them."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.held: set[tuple[int, int]] = set()
        self.refusals = 0

    def locking(self, handle: int, mode: int, count: int) -> None:
        place = (os.fstat(handle).st_ino, os.lseek(handle, 0, os.SEEK_CUR))
        assert (mode, count) == (self.LK_NBLCK, 1)
        if place in self.held:
            self.refusals += 1
            raise PermissionError(errno.EACCES, "Permission denied")
        self.held.add(place)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> _OneByte:
    bytes_held = _OneByte()
    monkeypatch.setattr(system, "fcntl", None)
    monkeypatch.setattr(system, "msvcrt", bytes_held)
    monkeypatch.setattr(system, "OPEN_FILES_MOVE", False)
    monkeypatch.setattr(system, "FOLDERS_OPEN", False)
    return bytes_held


def test_locks_of_bytes(windows: _OneByte, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"data")
    first, second = (system.open_file(path, os.O_RDWR) for _ in range(2))
    os.lseek(first, 3, os.SEEK_SET)
    assert system.lock(first)
    assert os.lseek(first, 0, os.SEEK_CUR) == 3
    assert not system.lock(second)
    monkeypatch.setattr(
        system, "time", SimpleNamespace(sleep=lambda _: windows.held.clear())
    )  # the other one lets go
    assert system.lock(second, wait=True)
    assert windows.refusals == 2
    for handle in (first, second):
        os.close(handle)


def test_a_file_system_without_locks_is_an_error_and_not_a_lock(
    windows: _OneByte, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(handle: int, mode: int, count: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(windows, "locking", unable)
    handle = system.open_file(tmp_path / "a", os.O_RDWR | os.O_CREAT)
    with pytest.raises(OSError, match="No locks"):
        system.lock(handle)
    os.close(handle)
    from gough.design.journal import Journal

    with pytest.raises(gough.InputError, match="cannot be locked: No locks available"):
        Journal(tmp_path / "j", {}).__enter__()


def test_a_folder_is_held_by_a_file_in_it(windows: _OneByte, tmp_path: Path) -> None:
    held = storage.Held("checkpoint", tmp_path)
    assert (tmp_path / system.FOLDER_LOCK).exists()
    with pytest.raises(gough.InputError, match="in use by another run"):
        storage.Held("checkpoint", tmp_path)
    held.close()


def test_only_old_leftovers_are_swept_where_writers_must_let_go(
    windows: _OneByte, tmp_path: Path
) -> None:
    young, old = tmp_path / ".a.txt.01234567.tmp", tmp_path / ".b.txt.89abcdef.tmp"
    for path in (young, old):
        path.write_text("left")
    os.utime(old, (0, 0))
    storage.write_whole(tmp_path / "a.txt", "new")
    assert (young.exists(), old.exists()) == (True, False)
    assert (tmp_path / "a.txt").read_text() == "new"


def test_places_in_files_without_pread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handle = system.open_file(tmp_path / "a", os.O_RDWR | os.O_CREAT)
    for name in ("pread", "pwrite"):
        monkeypatch.delattr(os, name, raising=False)
    assert system.write_at(handle, b"abcdef", 2) == 6
    assert system.read_at(handle, 100, 4) == b"cdef"
    assert system.read_at(handle, 2, 2) == b"ab"
    os.close(handle)


def test_threads_keep_their_places_without_pread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each thread reads its byte, though others run between going to a place and reading there."""
    path = tmp_path / "a"
    path.write_bytes(bytes(range(200)))
    handle, go = system.open_file(path, os.O_RDWR), os.lseek
    for name in ("pread", "pwrite"):
        monkeypatch.delattr(os, name, raising=False)

    def slow(*place: int) -> int:
        at = go(*place)
        time.sleep(0.001)
        return at

    monkeypatch.setattr(os, "lseek", slow)
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda k: system.read_at(handle, 1, k), range(200)))
    os.close(handle)
    assert read == [bytes([k]) for k in range(200)]


def test_a_link_is_refused_where_the_system_can(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    os.close(system.open_file(tmp_path / "b", os.O_RDONLY))
    if hasattr(os, "O_NOFOLLOW"):
        with pytest.raises(OSError, match="symbolic link"):
            system.open_file(tmp_path / "b", os.O_RDONLY, links=False)


def test_caches_of_windows_are_local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert system.cache_home() == tmp_path / "home" / ".cache"
    monkeypatch.setattr(system, "os", SimpleNamespace(name="nt", environ=os.environ))
    assert system.cache_home() == tmp_path
