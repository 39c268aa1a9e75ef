"""Metrics of the user: any function of a machine and its task, here and on workers."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.design import metric, read_sweep, sweep
from gough.design.own_metrics import load_metrics
from gough.design.parameter_sweep import run_case, run_span
from gough.design.spans import Span
from support.sweeps import SPEC

OWN = """
import numpy as np
from gough.design import metric

@metric("m", "small", "height of home above the base")
def home_height(trial):
    return trial.home.position[2]

@metric("1", "small", "fails above a base radius")
def fussy(trial):
    radius = np.linalg.norm(trial.platform.base_joints[0])
    if radius > 0.55:
        raise ZeroDivisionError("too wide")
    return np.inf if radius > 0.45 else 1

def helper(trial):
    return 2.0
"""


@pytest.fixture
def plan_files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "own.py").write_text(OWN)
    text = SPEC.replace('"footprint", "peak_force"', '"home_height", "fussy"')
    (tmp_path / "spec.toml").write_text(text)
    return tmp_path / "spec.toml", tmp_path / "own.py"


def test_own_metrics_stand_beside_the_others(plan_files: tuple[Path, Path]) -> None:
    spec, own = plan_files
    plan = read_sweep(spec, own)
    sweep(plan, spec.parent / "out", formats=("csv", "nc"))
    with (spec.parent / "out" / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["home_height [m]"]) for row in rows[:4]] == [0.5] * 4
    assert [float(row["fussy [1]"]) for row in rows[:4]] == [1.0] * 4
    assert [row["status"] for row in rows[4:8]] == [
        *["fussy is not finite"] * 2,
        *["ZeroDivisionError: too wide"] * 2,
    ]
    assert np.isnan(float(rows[4]["home_height [m]"]))
    import xarray

    with xarray.open_dataset(spec.parent / "out" / "results.nc", engine="h5netcdf") as table:
        assert table["home_height"].attrs["long_name"] == "height of home above the base"


def test_workers_run_the_same_file(plan_files: tuple[Path, Path]) -> None:
    spec, own = plan_files
    plan = read_sweep(spec, own)
    assert plan.own.digest == hashlib.sha256(OWN.encode()).hexdigest()
    found = run_span(plan.path, plan.own.path, plan.identity, Span(0, 1))
    assert found == [run_case(plan, 0)]
    own.write_text(OWN.replace("else 1", "else 2"))
    assert read_sweep(spec, own).identity != plan.identity
    with pytest.raises(gough.InputError, match="was changed"):
        run_span(plan.path, plan.own.path, plan.identity + "x", Span(0, 1))
    with pytest.raises(gough.InputError, match="must be a list of names among"):
        read_sweep(spec)  # a sweep file alone names no code


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("x = 1", "must hold a function marked by"),
        ("1 / 0", "cannot be run: ZeroDivisionError"),
        ("def (", "cannot be run: SyntaxError"),
        (OWN.replace("home_height", "stroke"), "is the name of a metric of gough"),
        (OWN.replace('"small"', '"fair"'), "must be small or large"),
    ],
)
def test_bad_files_of_metrics_are_refused(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "own.py").write_text(text)
    with pytest.raises(gough.InputError, match=match):
        load_metrics(tmp_path / "own.py")


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(gough.InputError, match="cannot be read"):
        load_metrics(tmp_path / "none.py")
    with pytest.raises(gough.InputError, match=r"Python file \(.py\)"):
        load_metrics(tmp_path / "own.txt")
    assert metric("1", "large", "x")(one) is one  # it stays the function it was


def one(_: Any) -> float:
    return 1.0
