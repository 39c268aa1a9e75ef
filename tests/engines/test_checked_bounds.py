"""The compiled kernels once with every index checked: numba writes past the end of an array without a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
KERNELS = (
    "engines/test_engines.py",
    "kinematics/test_forward.py",
    "kinematics/test_certificate.py",
)
PLANTED = """
import numpy as np
from gough.engines.cache import njit

@njit("void(f8[:])")
def beyond(x):
    x[x.size] = 1.0

beyond(np.zeros(3))
"""


def run(arguments: list[str], cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "GOUGH_CACHE": str(cache)}
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
    )


def test_a_planted_step_beyond_the_end_is_caught(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    assert "IndexError" in run([str(tmp_path / "planted.py")], tmp_path).stderr


@pytest.mark.slow
def test_kernels_stay_within_their_arrays(tmp_path: Path) -> None:
    chosen = os.environ.get("GOUGH_BOUNDS", KERNELS[1]).split()
    files = KERNELS if chosen == ["all"] else chosen
    paths = [str(TESTS / file) for file in files]
    done = run(
        ["-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", *paths], tmp_path
    )
    assert done.returncode == 0, done.stdout[-2000:]
