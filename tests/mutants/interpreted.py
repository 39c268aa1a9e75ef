"""Kernels as ordinary Python: a wrong change in one is tried in a second, where compiling it takes minutes.

The kernels of the changed module and of all that lean on it run uncompiled, everything below comes from the kernel
cache as always.  `learn` runs the tests of a room that import kernels in this way once, with nothing changed, each
for LONGEST seconds of processor time at most, and keeps which of them pass and which lines each runs.
"""

from __future__ import annotations

import ast
import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mutants.chosen import MAP, ROOT, TESTS, digest, varied

LONGEST = 2.0  # s of processor time for one test
PER_FILE = 8.0  # s of processor time for the tests of one file
MARKS = ("@kernel", "@strict_kernel", "@njit")


def is_kernel(path: Path) -> bool:
    """Whether a source (relative to src, or anywhere) holds functions that are compiled."""
    return any(mark in (ROOT / "src" / path).read_text() for mark in MARKS)


def leaning_on(path: Path) -> set[str]:
    """Names of the module at `path` (relative to src) and of all that import it, directly or not."""
    names = {_name(p): p for p in (ROOT / "src" / "gough").rglob("*.py")}
    imports = {name: _imported(p) & names.keys() for name, p in names.items()}
    found, grown = {_name(ROOT / "src" / path)}, True
    while grown:
        more = {n for n, of in imports.items() if of & found and not n.endswith("__init__")}
        grown, found = not more <= found, found | more
    return found


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)


def _imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def interpret(modules: set[str]) -> None:
    """From now on the kernels of these modules stay Python."""
    import numpy as np

    from gough.engines import cache, llvm_program

    compiling, lowering = cache.njit, llvm_program.Lowered

    def njit(signature: Any = None, **options: Any) -> Any:
        compiled = compiling(signature, **options)
        return lambda f: f if f.__module__ in modules else compiled(f)

    class Chosen(lowering):  # a class, as in annotations that are evaluated
        def __new__(cls, program: Any, *sizes: int) -> Any:
            mine = sys._getframe(1).f_globals["__name__"] in modules
            return _Walked(program) if mine else lowering(program, *sizes)

    cache.njit, llvm_program.Lowered = njit, Chosen
    np.seterr(all="ignore")  # as the kernels do


class _Walked:
    """A traced program, all columns at once, operation by operation."""

    def __init__(self, program: Any) -> None:
        self.program = program

    def prepare(self, par: Any) -> Any:
        return par

    def evaluate(self, X: Any, first: int, prepared: Any, Y: Any) -> None:
        for row, value in zip(Y, self.program.run(list(X), list(prepared)), strict=False):
            row[:] = value


class Patience:
    """A pytest plugin: no test runs longer than LONGEST, no file longer than PER_FILE; keeps what passed."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}
        self.of_file: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        import coverage

        now = coverage.Coverage.current()
        if now is not None:
            now.switch_context(item.nodeid)
        began = time.process_time()
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            file, spent = item.nodeid.split("::")[0], time.process_time() - began
            self.of_file[file] = self.of_file.get(file, 0.0) + spent
            if item.nodeid in self.took:
                self.took[item.nodeid] = spent

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self.of_file.get(item.nodeid.split("::")[0], 0.0) > PER_FILE:
            pytest.skip("enough of this file")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.took[report.nodeid] = 0.0


def _too_long(*_: object) -> None:
    raise TimeoutError("not worth waiting for")


def map_of(room: str) -> Path:
    """Where the knowledge about a room's kernels lies."""
    return MAP.with_name(f"interpreted-{room}.json")


def learn(room: str) -> None:
    """Run the room's tests of kernels with all its kernels interpreted; to be called in a process of its own."""
    import coverage

    kernels = [p for p in (ROOT / "src" / "gough" / room).rglob("*.py") if is_kernel(p)]
    modules = set[str]().union(*(leaning_on(p) for p in kernels))
    files = [
        p for p in (TESTS / room).glob("test_*.py") if _imported(p) & {_name(k) for k in kernels}
    ]
    measured = coverage.Coverage(
        data_file=None, include=[str(p) for p in kernels], config_file=False
    )
    patience = Patience()
    measured.start()
    interpret(modules)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "filterwarnings=ignore"]
    pytest.main([*options, "-m", "not slow and not browser", *map(str, sorted(files))], [patience])
    measured.stop()
    found, took = {}, patience.took
    for path in kernels:
        lines = measured.get_data().contexts_by_lineno(str(path))
        found[path.relative_to(ROOT / "src").as_posix()] = {
            "digest": digest(path),
            "lines": {k: [t for t in tests if t in took] for k, tests in lines.items()},
        }
    map_of(room).write_text(json.dumps({"files": found, "took": took}))


def tests_of(path: Path, lines: range) -> list[str] | None:
    """Tests that run these lines of an interpreted module, cheap ones first; None where nothing has been learned.

    Of lines that no test was seen to run (programs are traced once, by whatever comes first) those of the module.
    """
    file = map_of(path.parts[1])
    known = json.loads(file.read_text()) if file.is_file() else {"files": {}}
    module = known["files"].get(path.as_posix())
    if module is None or module["digest"] != digest(ROOT / "src" / path):
        return None
    here = {t for line in lines for t in module["lines"].get(str(line), [])}
    here = here or {t for tests in module["lines"].values() for t in tests}
    return [t for t, _ in varied([(t, known["took"][t]) for t in here])]
