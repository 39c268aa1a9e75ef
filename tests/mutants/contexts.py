"""A pytest plugin (`-p mutants.contexts`): every line that coverage sees is filed under the test that ran it.

At the end each process writes how long its tests took, fixtures included, beside coverage's data; only tests that
passed are worth anything against a mutant.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator

import coverage
import pytest

_seconds: dict[str, float] = {}
_passed: set[str] = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fixtures made for a test count as its own work."""
    now = coverage.Coverage.current()
    if now is not None:
        now.switch_context(item.nodeid)
    began = time.perf_counter()
    try:
        return (yield)
    finally:
        _seconds[item.nodeid] = time.perf_counter() - began


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        _passed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Durations as JSON, by node id."""
    folder = session.config.rootpath / "out" / "coverage"
    folder.mkdir(parents=True, exist_ok=True)
    found = {name: took for name, took in _seconds.items() if name in _passed}
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    (folder / f"seconds-{worker}.json").write_text(json.dumps(found))
