"""Larger samples that would begin too late are left out, and said to be."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SUITE = """
import pytest

@pytest.mark.slow
def test_large():
    pass

def test_small():
    pass
"""


@pytest.mark.parametrize(
    ("until", "ran", "said"), [(-60.0, "1 passed, 1 skipped", True), (600.0, "2 passed", False)]
)
def test_late_samples_are_left_out_loudly(
    tmp_path: Path, until: float, ran: str, said: bool
) -> None:
    here = Path(__file__).resolve().parents[1] / "conftest.py"
    (tmp_path / "conftest.py").write_text(here.read_text())
    (tmp_path / "test_samples.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow: larger\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        env={**os.environ, "GOUGH_SLOW_UNTIL": str(time.time() + until)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout
    assert ran in done.stdout
    assert ("LEFT OUT: 1 larger samples" in done.stdout and "test_large" in done.stdout) is said
