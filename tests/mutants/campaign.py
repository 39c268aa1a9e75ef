"""Run mutants, one forked child each, and say what became of them."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants import interpreted
from mutants.changes import Mutant, mutants
from mutants.chosen import ROOT, TESTS, Chooser

SECONDS = 30.0  # of tests, as long as they took when the map was made
PATIENCE = 150  # s of processor time for one test; a mutant that needs more counts as killed
ENOUGH = float(  # s of processor time for all tests of a mutant: what nobody noticed by then has survived
    os.environ.get("GOUGH_ENOUGH", "400")
)
FEW = 8  # tests tried before all others
ASLEEP = 1200.0  # s; what waits for so long counts as killed
ALSO = {  # rooms whose tests look at another room's numbers too
    "equations": ("equations", "engines", "dynamics"),
    "engines": ("engines", "dynamics", "equations"),
    "dynamics": ("dynamics", "equations"),
    "model": ("model", "equations"),
}
HEAVY = ("numpy", "scipy.optimize", "scipy.integrate", "numba", "xarray", "pytest", "hypothesis",
         "mpmath", "pinocchio", "mujoco", "typer", "rich")  # fmt: skip
KILLED, SURVIVED, TIMED_OUT, EQUIVALENT = "killed", "survived", "killed (time)", "equivalent"
UNNOTICED = dict.fromkeys(
    (0, 4, 5), SURVIVED
)  # exit codes of pytest: passed, not called so, no test


@dataclass(frozen=True)
class Fate:
    """What became of a mutant, how long it took, and the test that noticed it."""

    mutant: Mutant
    outcome: str
    seconds: float
    killer: str = ""

    @property
    def survived(self) -> bool:
        """No test noticed it, and nobody has said why none can."""
        return self.outcome == SURVIVED


def campaign(
    room: str, count: int, seed: int, seconds: float = SECONDS, quick: bool = False
) -> Iterator[Fate]:
    """`count` random mutants of a room (or of one module), printed as they go; `quick`: nothing is compiled anew."""
    for name in HEAVY:
        with suppress(ImportError):
            __import__(name)
    where = ROOT / "src" / "gough" / room
    files = (
        [p for p in where.rglob("*.py") if p.name != "__init__.py"]
        if where.is_dir()
        else [where.with_suffix(".py")]
    )
    known, killers, readable = equivalents(), noticed(), False
    chooser = Chooser(room, ALSO.get(room, (room.split("/")[0],)), seconds)
    for mutant in mutants(ROOT / "src", files, count, seed):
        began = time.monotonic()
        outcome, killer = (EQUIVALENT, "") if mutant.label in known else (SURVIVED, "")
        if outcome == SURVIVED and mutant.label in killers:
            outcome, killer = run(mutant, [killers[mutant.label]])
        if outcome == SURVIVED and not readable:
            readable = _readable(ALSO.get(room, (room.split("/")[0],)))
        kernel = interpreted.is_kernel(mutant.path)
        if outcome == SURVIVED and kernel:
            outcome, killer = run(mutant, uncompiled(mutant), plain=True)
        if outcome == SURVIVED and not (quick and kernel):
            tests = chooser.tests(mutant, plain=quick)
            for part in (tests[:FEW], tests[FEW:]):  # the rest need not even be read, mostly
                outcome, killer = run(mutant, part) if outcome == SURVIVED else (outcome, killer)
        fate = Fate(mutant, outcome, time.monotonic() - began, killer)
        print(f"{outcome:14} {fate.seconds:6.1f} s  {mutant}  [{killer}]", flush=True)
        yield fate


def _readable(rooms: tuple[str, ...]) -> bool:
    """Tests that cannot even be collected with nothing changed would kill every mutant: then there is no campaign."""
    path = Path("gough/layout.py")
    unchanged = Mutant(path, 1, range(1), "", (ROOT / "src" / path).read_text())
    folders = [str(TESTS / room) for room in rooms if (TESTS / room).is_dir()]
    if run(unchanged, [*folders, "--collect-only"])[0] != SURVIVED:
        raise SystemExit(f"tests of {', '.join(rooms)} cannot be collected with nothing changed")
    return True


def uncompiled(mutant: Mutant) -> list[str]:
    """Tests of a changed kernel as Python; learned where nobody has yet."""
    found = interpreted.tests_of(mutant.path, mutant.lines)
    if found is None:
        child = os.fork()
        if child == 0:
            _prepare(ROOT / "src")
            try:
                interpreted.learn(mutant.path.parts[1])
            finally:
                os._exit(0)
        _wait(child)
        found = interpreted.tests_of(mutant.path, mutant.lines)
    return found or []


def run(mutant: Mutant, tests: list[str], plain: bool = False) -> tuple[str, str]:
    """Fork, change the copy, run the tests; what became of the mutant, and the test that noticed.

    `plain`: the kernels of the changed module and of all that lean on it run as Python.
    """
    if not tests:
        return SURVIVED, ""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("web"))
        (source / mutant.path).write_text(mutant.text)
        sys.stdout.flush()
        child = os.fork()
        killer = Path(folder) / "killer"
        if child == 0:
            _prepare(source)
            _child(tests, killer, interpreted.leaning_on(mutant.path) if plain else set())
        return _wait(child), killer.read_text() if killer.is_file() else ""


class _Witness:
    """A pytest plugin: writes down which test failed."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def pytest_runtest_logstart(self) -> None:
        used = int(time.process_time())
        if used > ENOUGH:
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_CPU, (used + PATIENCE, resource.RLIM_INFINITY))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.file.write_text(report.nodeid)

    pytest_collectreport = pytest_runtest_logreport


def _prepare(source: Path) -> None:
    """A process that is quiet and takes the package from `source`."""
    os.setpgrp()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.environ["PYTHONPATH"] = f"{source}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    sys.path[:0] = [str(source), str(ROOT)]  # tests of the benchmarks import them from the root
    sys.dont_write_bytecode = True
    os.chdir(ROOT)


def _child(tests: list[str], killer: Path, plain: set[str]) -> None:
    """Run pytest on the changed copy; the exit code tells."""
    import pytest

    os.environ["GOUGH_CACHE"] = str(_kernels_of_its_own(killer.with_name("cache")))
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:mutants.contexts"]
    options += ["-m", "not slow and not browser"]
    try:
        if plain:
            interpreted.interpret(plain)
            options += ["-o", "filterwarnings=ignore"]
        code = pytest.main([*options, *tests], [_Witness(killer)])
        if code == pytest.ExitCode.USAGE_ERROR:  # a case that is called otherwise now: whole files
            files = list(dict.fromkeys(t.split("::")[0] for t in tests))
            code = pytest.main([*options, *files], [_Witness(killer)])
    except BaseException:
        code = 1
    os._exit(int(code))


def _kernels_of_its_own(folder: Path) -> Path:
    """A cache folder with links to the kernels that are there, so that nothing of a mutant stays behind."""
    root = os.environ.get("GOUGH_CACHE") or os.environ.get("XDG_CACHE_HOME")
    there = (Path(root) if root else Path.home() / ".cache") / "gough"
    try:
        if there.is_dir():
            shutil.copytree(there, folder / "gough", copy_function=os.link)
    except (OSError, shutil.Error):  # another file system: start empty
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _wait(child: int) -> str:
    deadline = time.monotonic() + ASLEEP
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return {**UNNOTICED, -signal.SIGXCPU: TIMED_OUT}.get(code, KILLED)
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TIMED_OUT


def equivalents() -> dict[str, str]:
    """Mutants that cannot be killed, each with its reason."""
    return _listed("equivalent.toml", "reason")


def noticed() -> dict[str, str]:
    """The gate's mutants, each with a test that notices it: it is tried first."""
    return _listed("noticed.toml", "test")


def _listed(file: str, field: str) -> dict[str, str]:
    entries = tomllib.loads((TESTS / "mutants" / file).read_text()).get("known", [])
    return {entry["mutant"]: entry[field] for entry in entries}
