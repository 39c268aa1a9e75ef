"""First calls: plain answers while a helper compiles, one helper, never where the same bytes are promised."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import system
from gough.engines import background, native
from gough.engines.background import BUSY, DONE, TRIES, Helpers, Wanted, plainly, settled
from gough.engines.cache import cache_folder
from gough.engines.pack import packed

VERBS = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "bias",
    "energy",
    "inverse_kinematics",
    "forward_kinematics",
)
WANTED = Wanted("a_kernel", "gough.nothing:nothing")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty kernel folder, helpers on, none started yet."""
    monkeypatch.setenv("GOUGH_CACHE", str(tmp_path))
    monkeypatch.setenv("GOUGH_BACKGROUND", "1")
    monkeypatch.setattr(background, "_helpers", Helpers())
    found = cache_folder()
    assert found is not None
    return found


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes in the place of helpers: they end with the code of ENDING as soon as they are asked for something."""
    made: list[subprocess.Popen[bytes]] = []

    def apart(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        code = f"import sys; sys.stdin.readline(); sys.exit({os.environ['ENDING']})"
        made.append(subprocess.Popen([sys.executable, "-S", "-c", code], stdin=subprocess.PIPE))
        return made[-1]

    monkeypatch.setattr(system, "apart", apart)
    yield made
    for process in made:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


def until(true: Callable[[], bool], seconds: float = 300.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


README_CALLS = """
import sys, gough
from gough.engines import background
background.START = f"import sys; sys.exit({background.BUSY})"
platform = gough.load("motion-base-1500")
pose = gough.Pose.from_rpy([0.1, 0, 1.3], [0, 0.1, 0.2])
motion = gough.trajectory.quintic(platform.home, pose, duration=1.5)(0.4)
result = gough.inverse_dynamics(platform, motion)
result.reactions, result.error, result.condition_scaled
legs = gough.inverse_kinematics(platform, motion)
acceleration = gough.forward_dynamics(platform, motion, result.force)
gough.mass_matrix(platform, motion), gough.bias(platform, motion), gough.energy(platform, motion)
back = gough.forward_kinematics(platform, legs.length)
assert abs(back.pose.position - motion.position).max() < 1e-12 and back.straight
assert abs(acceleration.acceleration - motion.acceleration).max() < 1e-9
assert not {"numba", "llvmlite", "scipy"} & set(sys.modules), sorted(sys.modules)
print("plain")
"""


def test_first_calls_load_no_compiler(folder: Path) -> None:
    """All verbs of one state, on an empty cache, while another process is at work: neither compiled nor waited for."""
    run = subprocess.run([sys.executable, "-c", README_CALLS], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "plain\n"), run.stderr[-2000:]
    assert not list(folder.glob("*.kernel"))


def test_a_helper_compiles_and_the_kernel_is_picked_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way: plain first, one helper, the kernel on the disk, then its answer; no process is left."""
    monkeypatch.setattr(native, "_kernels", {})
    monkeypatch.setattr(background, "IDLE", 0.2)
    platform = gough.load("motion-base-1500")
    home = platform.require_home()
    kinds = packed(platform).kinds
    plain = gough.mass_matrix(platform, home)
    np.testing.assert_array_equal(plain, gough.mass_matrix(platform, home, engine="python"))
    helper = background._helpers._process
    assert helper is not None
    gough.mass_matrix(platform, home)
    assert background._helpers._process is helper
    note = background.note(native.wanted("mass", kinds))
    assert note is not None
    assert until(note.exists)
    compiled = gough.mass_matrix(platform, home)
    assert native.in_memory("mass", kinds)
    assert len(list(folder.glob("*.kernel"))) == 1
    np.testing.assert_array_equal(compiled, gough.mass_matrix(platform, home, engine="native"))
    np.testing.assert_allclose(compiled, plain, rtol=0, atol=1e-13 * np.abs(plain).max())
    assert until(lambda: helper.poll() is not None, 60)
    assert helper.returncode == DONE


def test_only_one_helper_per_folder(folder: Path) -> None:
    """A second one sees the first and ends; its own request is not counted as a failure."""
    command = [sys.executable, "-P", "-c", background.START, json.dumps(sys.path)]
    with open(folder / "helper.lock", "w") as file:
        assert system.lock(file.fileno())
        second = system.apart(command, dict(os.environ))
        assert second.wait(120) == BUSY
    assert second.stdin is not None
    second.stdin.close()


def test_a_helper_that_fails_is_not_asked_for_ever(
    folder: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENDING", "1")
    answers = []
    for _ in range(TRIES):
        answers.append(plainly(WANTED, 1))
        started[-1].wait(60)
        assert until(lambda: started[-1].poll() is not None, 60)
    assert answers == [True] * TRIES
    assert not plainly(WANTED, 1)  # the caller compiles for itself
    assert len(started) == TRIES
    assert plainly(Wanted("another", "gough.nothing:nothing"), 1)


def test_while_another_process_compiles_nothing_is_started_again_and_again(
    folder: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENDING", str(BUSY))
    monkeypatch.setattr(background, "REST", 1e6)
    assert plainly(WANTED, 1)
    started[-1].wait(60)
    assert until(lambda: started[-1].poll() is not None, 60)
    assert [plainly(WANTED, 1) for _ in range(5)] == [True] * 5
    assert len(started) == 1


def test_a_note_says_that_the_kernel_is_there(folder: Path, started: list[Any]) -> None:
    background.mark(WANTED)
    assert not plainly(WANTED, 1)
    assert not started


@pytest.mark.parametrize(
    ("name", "value"), [("GOUGH_BACKGROUND", "0"), ("NUMBA_DISABLE_JIT", "1"), ("GOUGH_CACHE", "")]
)
def test_switched_off(
    name: str, value: str, folder: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By request, where nothing is compiled, and where nothing can be kept."""
    file = folder / "a file"
    file.write_text("where the folder should be")
    monkeypatch.setenv(name, value or str(file))
    assert not plainly(WANTED, 1)
    assert not started


def test_not_in_other_programs_and_workers(
    folder: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as m:
        m.setattr(sys, "frozen", True, raising=False)
        assert not background.allowed()
    with monkeypatch.context() as m:
        m.setattr(sys, "executable", "/usr/bin/blender")
        assert not background.allowed()
    with monkeypatch.context() as m:
        import multiprocessing.process

        m.setattr(multiprocessing.process, "parent_process", lambda: object())
        assert not background.allowed()
    assert background.allowed()


FORKED = """
import os
from gough.engines import background

assert background.allowed()
child = os.fork()
if child == 0:
    os._exit(1 if background.allowed() else 0)
assert os.waitpid(child, 0)[1] == 0
assert background.allowed()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_not_in_forked_children(folder: Path) -> None:
    """Apart: this process may hold threads of other libraries, which no fork survives."""
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=120)


def test_large_batches_wait(folder: Path, started: list[Any]) -> None:
    assert not plainly(WANTED, background.SMALL + 1)
    assert not started


def test_settled_work_gets_no_plain_answers(folder: Path, started: list[Any]) -> None:
    """What promises the same bytes again: a run asks its forces inside `settled`."""
    with settled():
        assert not plainly(WANTED, 1)
    platform, seen = gough.load("octahedral-33"), []

    def force(t: float, motion: gough.Motion) -> Any:
        seen.append(plainly(WANTED, 1))
        return np.zeros(6)

    gough.simulate(platform, platform.require_home(), duration=2e-3, step=1e-3, force=force)
    assert seen
    assert not any(seen)
    assert not started


@pytest.mark.parametrize("verb", VERBS)
def test_only_calls_from_outside_may_be_answered_plainly(verb: str) -> None:
    """Inside the library, and for whoever names the engine, nothing has changed."""
    public = getattr(gough, verb)
    assert inspect.signature(public).parameters["engine"].default == "auto"
    inside = public.__wrapped__
    assert inspect.signature(inside).parameters["engine"].default == "native"
    assert "engine" not in inspect.signature(gough.lean).parameters


def test_who_names_the_native_engine_waits_for_it(
    folder: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(function: str, *rest: Any) -> Any:
        asked.append(function)
        raise RuntimeError("compiled")

    monkeypatch.setattr(native, "_kernels", {})
    monkeypatch.setattr(native, "run", run)
    platform = gough.load("motion-base-1500")
    with pytest.raises(RuntimeError, match="compiled"):
        gough.inverse_dynamics(platform, platform.require_home(), engine="native")
    with pytest.raises(RuntimeError, match="compiled"):
        gough.dynamics.inverse_dynamics(platform, platform.require_home())  # inside the library
    assert asked == ["forces", "forces"]
    assert not started
