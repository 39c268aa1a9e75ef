"""What the tests of sweeps share."""

from __future__ import annotations

from pathlib import Path

import pytest

from gough.design import read_sweep, sweep
from support.sweeps import SPEC


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep run once without interruption: what every other run must equal."""
    path = tmp_path_factory.mktemp("sweep")
    (path / "spec.toml").write_text(SPEC)
    sweep(read_sweep(path / "spec.toml"), path / "whole", formats=("csv", "nc", "parquet"))
    return path
