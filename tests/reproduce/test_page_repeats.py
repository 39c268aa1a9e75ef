"""The page is the same, byte for byte, when it is made again by another process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = """
import sys, warnings
from pathlib import Path
import numpy as np
from gough.report.reproduction import write_reproduction
from gough.reproduce import Reproduction, reproduce
from gough.reproduce.agreement import Agreement
from gough.reproduce.codes import check_codes
from gough.reproduce.operations import table
warnings.simplefilter("ignore")
small = Agreement(("exact", "kane"), ("m",), 1, np.array([[np.nan, 1e-12], [1e-12, np.nan]]))
papers = tuple(reproduce(key) for key in sys.argv[2:])
write_reproduction(Reproduction(papers, small, table(), check_codes()), Path(sys.argv[1]))
"""


def made(folder: Path, seed: str, papers: list[str]) -> dict[str, bytes]:
    """Every file of the page, made in a process of its own with another hash seed."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", BUILD, str(folder), *papers]
    subprocess.run(command, check=True, env=environment)
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    """One paper by default; GOUGH_PAPERS="000 001 002 003 004" asks for all."""
    papers = os.environ.get("GOUGH_PAPERS", "001").split()
    first, second = (made(tmp_path / seed, seed, papers) for seed in ("1", "2"))
    assert set(first) == set(second)
    assert len(first) > 30
    different = [name for name in first if first[name] != second[name]]
    assert different == []
