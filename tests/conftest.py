"""Shared by all tests: helper packages beside the tests can be imported by name; larger samples end in time.

``GOUGH_SLOW_UNTIL`` (seconds since 1970): a slow test that would begin later is left out, with its reason, and the
last lines say how many were.  `.ci/run` sets it, so that a slow computer ends with fewer samples and not with none.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

# kernels answer from the first call on; tests of helpers switch them on
os.environ["GOUGH_BACKGROUND"] = "0"
sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[1]))  # handbook

LATE = "no time left for larger samples (GOUGH_SLOW_UNTIL)"


def pytest_runtest_setup(item: pytest.Item) -> None:
    until = float(os.environ.get("GOUGH_SLOW_UNTIL", "inf"))
    if item.get_closest_marker("slow") is not None and time.time() > until:
        pytest.skip(LATE)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    late = [r for r in terminalreporter.stats.get("skipped", []) if LATE in str(r.longrepr)]
    if late:
        terminalreporter.write_line(
            f"LEFT OUT: {len(late)} larger samples, {LATE}; the first: {late[0].nodeid}"
        )
