"""The one kernel cache: keyed by everything that decides numbers, believed only when whole and our own."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gough.engines import cache, native
from gough.engines.progress import CompilerProgress

WORK = """
import numpy as np
from gough.engines import native, cache
kinds = ("sps",) * 6
x = np.linspace(0.1, 0.9, 12 * 3).reshape(3, 12)
out = native.run("mass", kinds, [x[:, :3], x[:, 3:]], np.linspace(0.5, 1.5, 229))
print(out.sum().hex(), cache.cache_folder())
"""


def run_process(root: Path, work: str = WORK, **more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "GOUGH_CACHE": str(root), "NUMBA_NUM_THREADS": "1", **more}
    return subprocess.Popen(
        [sys.executable, "-c", work],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def answer(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.split()[0]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cache that two processes filled at once, and their common answer."""
    root = tmp_path_factory.mktemp("cache")
    both = [run_process(root), run_process(root)]
    answers = {answer(process) for process in both}
    assert len(answers) == 1
    return root, answers.pop()


def machine_code(root: Path) -> list[Path]:
    return sorted(root.rglob("*.kernel"))


def test_two_processes_at_once_leave_one_good_kernel(filled: tuple[Path, str]) -> None:
    root, value = filled
    (file,) = machine_code(root)
    stamp = file.stat().st_mtime_ns
    assert answer(run_process(root)) == value
    assert file.stat().st_mtime_ns == stamp  # read, not compiled again
    assert oct(file.parent.stat().st_mode)[-3:] == "700"
    assert oct(file.stat().st_mode)[-3:] == "600"


@pytest.mark.parametrize("damage", ["truncate", "garbage", "checksum", "empty"])
def test_damaged_machine_code_is_compiled_again(
    filled: tuple[Path, str], tmp_path: Path, damage: str
) -> None:
    root = tmp_path / "cache"
    shutil.copytree(filled[0], root)
    (file,) = machine_code(root)
    content = file.read_bytes()
    file.write_bytes(
        {
            "truncate": content[: len(content) // 2],
            "garbage": content[:-64] + b"\x00" * 64,
            "checksum": b"\x00" * cache.DIGEST + content[cache.DIGEST :],
            "empty": b"",
        }[damage]
    )
    assert answer(run_process(root)) == filled[1]
    assert file.read_bytes()[cache.DIGEST :] != b""


def test_nothing_is_unpickled_before_its_checksum_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.kernel"
    cache.write_checked(path, b"payload")
    assert cache.read_checked(path) == b"payload"
    path.write_bytes(path.read_bytes() + b"x")
    assert cache.read_checked(path) is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
def test_files_and_folders_of_others_are_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.kernel"
    cache.write_checked(path, b"payload")
    path.chmod(0o622)
    assert cache.read_checked(path) is None
    path.chmod(0o600)
    assert cache.read_checked(path) == b"payload"
    monkeypatch.setattr(os, "getuid", lambda: 123_456)
    assert cache.read_checked(path) is None
    monkeypatch.setenv("GOUGH_CACHE", str(tmp_path))
    assert cache.cache_folder() is None


def test_a_folder_that_others_may_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gough" / "kernels"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    monkeypatch.setenv("GOUGH_CACHE", str(tmp_path))
    assert cache.cache_folder() is None


FULL_DISK = """
import errno, os
from gough.engines import cache
def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")
cache.write_checked = full
"""


def test_full_disk_compiles_in_memory(filled: tuple[Path, str], tmp_path: Path) -> None:
    assert answer(run_process(tmp_path, FULL_DISK + WORK)) == filled[1]
    assert not machine_code(tmp_path)


def test_unwritable_cache_compiles_in_memory(filled: tuple[Path, str], tmp_path: Path) -> None:
    """A plain file stands where the folder should be: no user, not even root, can make it."""
    (tmp_path / "gough").write_text("")
    out, err = run_process(tmp_path).communicate(timeout=300)
    assert not err
    assert out.split() == [filled[1], "None"]


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("GOUGH_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache.cache_folder() is None


def test_the_key_sees_every_source_a_kernel_leans_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit anywhere in the closure, two imports deep, changes the key; one outside does not."""
    package = tmp_path / "gough"
    shutil.copytree(
        cache.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "web", "presets")
    )
    monkeypatch.setattr(cache, "PACKAGE", package)
    text = native.generate("forces", ("ups",) * 6, "batch")
    before = cache.kernel_key(text)
    leans_on = cache.closure(set(cache._imported(text)))
    assert set(leans_on) > {
        "gough.equations.vec",
        "gough.layout",
        "gough.engines.tracer",
        "gough.engines.llvm_program",
    }
    for name in leans_on:
        path = cache._file(name)
        assert path is not None
        source = path.read_text()
        path.write_text(source + "# changed\n")
        assert cache.kernel_key(text) != before, name
        path.write_text(source)
    assert cache.kernel_key(text) == before
    with open(package / "cli" / "__init__.py", "a") as file:
        file.write("# changed\n")
    assert cache.kernel_key(text) == before
    assert cache.kernel_key(text + " ") != before


@pytest.mark.parametrize(("name", "value"), [("BOUNDSCHECK", 1), ("OPT", 1), ("CPU_FEATURES", "")])
def test_the_key_sees_the_compiler_settings(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numba

    before = cache.kernel_key("")
    monkeypatch.setattr(numba.config, name, value, raising=False)
    assert cache.kernel_key("") != before


def test_functions_of_a_module_are_kept(tmp_path: Path) -> None:
    """The second process reads what the first compiled; damage costs nothing but time."""
    (tmp_path / "some_kernels.py").write_text(
        "from gough.engines.cache import njit\n\n\n@njit(error_model='numpy')\ndef double(x):\n    return 2.0 * x\n"
    )
    work = (
        "import sys; sys.path.insert(0, sys.argv[0] or {here!r}); sys.path.insert(0, {here!r})\n"
        "import some_kernels\nprint(some_kernels.double(1.5), sum(some_kernels.double.stats.cache_hits.values()))\n"
    ).format(here=str(tmp_path))
    out = [
        run_process(tmp_path / "cache", work).communicate(timeout=300)[0].split() for _ in range(2)
    ]
    assert out == [["3.0", "0"], ["3.0", "1"]]
    (file,) = machine_code(tmp_path)
    file.write_bytes(file.read_bytes()[:20])
    assert run_process(tmp_path / "cache", work).communicate(timeout=300)[0].split() == ["3.0", "0"]


def test_text_that_would_use_another_cache_is_refused() -> None:
    with pytest.raises(AssertionError, match="takes njit from"):
        cache.load_generated("wrong", "from numba import njit\n")


def test_bounds_checked_runs_get_their_own_code(filled: tuple[Path, str], tmp_path: Path) -> None:
    root = tmp_path / "cache"
    shutil.copytree(filled[0], root)
    assert abs(float.fromhex(answer(run_process(root, NUMBA_BOUNDSCHECK="1")))) > 0
    assert len(machine_code(root)) == 2
    assert np.isfinite(float.fromhex(filled[1]))


WAITING = """
from gough.engines.cache import load_generated
text = "from gough.engines.cache import njit\\n@njit('float64(float64)')\\ndef kernel(x):\\n    return x + 1.0\\n"
print(load_generated("waiting", text).kernel(1.0), load_generated("waiting2", text + "#").kernel(1.0))
"""


def test_who_waits_for_the_compiler_is_told(tmp_path: Path) -> None:
    """One line for each kernel, where it was asked for; silence elsewhere and when the code is on the disk."""
    said = []
    for progress in ("0", "1", "1"):
        root = tmp_path / progress
        process = run_process(root, WAITING, GOUGH_PROGRESS=progress)
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out) == (0, "2.0 2.0\n"), err
        said.append(err)
    kept = tmp_path / "1" / "gough" / "kernels"
    told = f"gough: compiling waiting, once for this processor (kept in {kept})\ngough: compiling waiting2\n"
    assert said == ["", told, ""]


class Terminal(io.StringIO):
    """Text that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_progress_counts_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with two others inside it: on a terminal one line that changes, elsewhere a line now and then, or none."""
    told = {}
    for name, stream, asked in (
        ("seen", Terminal(), "0"),
        ("kept", io.StringIO(), "1"),
        ("no", io.StringIO(), "0"),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("GOUGH_PROGRESS", asked)
        progress = CompilerProgress()
        progress.known, progress.done = 30, 8
        for kernel in ("gough.kinematics.forward_batch.solve_batch", "certify", "invert6"):
            progress.begin(kernel, "folder")
        for _ in range(3):
            progress.end()
        told[name] = stream.getvalue()
    first = "gough: compiling solve_batch, once for this processor (kept in folder)\n"
    line = "gough: compiling solve_batch: {} of at most 30 kernels"
    assert told["seen"] == first + "".join("\r" + line.format(n) for n in (9, 10, 11)) + "\n"
    assert told["kept"] == first + line.format(10) + "\n"
    assert told["no"] == ""
