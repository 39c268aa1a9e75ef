"""Every example runs and says something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = {"controllers"}  # a table of closed-loop runs: about a minute


def listed() -> list[object]:
    names = sorted(p.stem for p in EXAMPLES.glob("*.py"))
    return [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in names]


@pytest.mark.parametrize("name", listed())
def test_example_runs(name: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
