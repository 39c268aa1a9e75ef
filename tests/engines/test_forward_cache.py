"""The folder of compiled kernels: another folder, a damaged file, and none at all change nothing but the time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
from gough.engines.cache import cache_folder
from gough.kinematics.bernstein import decide
out = np.empty((1, 3))
decide(np.array([[1.0, -0.2, 1.0]]), np.array([1e-16]), out)
print(out.tolist(), cache_folder() is not None)
"""


def run(folder: Path) -> str:
    environment = {**os.environ, "GOUGH_CACHE": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_kernels_survive_a_damaged_or_missing_cache(tmp_path: Path) -> None:
    first = run(tmp_path)
    assert first.strip() == "[[1.0, 0.0, nan]] True"  # 1 - 2.4 u + 2.4 u^2 has no zero
    files = sorted((tmp_path / "gough").rglob("*.kernel"))
    assert files
    assert oct((tmp_path / "gough" / files[0].parent.name).stat().st_mode)[-3:] == "700"
    for file in files:
        file.write_bytes(file.read_bytes()[:20])
    assert run(tmp_path) == first
    blocked = tmp_path / "file"
    blocked.write_text("a file where the folder should be")
    assert run(blocked) == first.replace("True", "False")
