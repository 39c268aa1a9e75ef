"""Metrics of the user: any function of a machine and its task, in sweeps everywhere; the SLURM example."""

from __future__ import annotations

import csv
import hashlib
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gough
from gough.design import metric, read_sweep, sweep
from gough.design.own_metrics import load_metrics
from gough.design.parameter_sweep import run_case, run_span
from gough.design.spans import Span
from support.sweeps import SPEC

EXAMPLES = Path(__file__).parents[2] / "examples"
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
    assert metric("1", "large", "x")(abs_of)(None) == 1.0


def abs_of(_: Any) -> float:
    return 1.0


def test_the_slurm_example_runs_on_any_cluster(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """SLURM replaced by a cluster in this process: the arguments that it would be asked with, twice the same table."""
    distributed = pytest.importorskip("distributed")
    asked: list[dict[str, Any]] = []

    class Stand(distributed.LocalCluster):
        def __init__(self, **given: Any) -> None:
            asked.append(given)
            super().__init__(
                n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
            )

        def scale(self, n: int = 0, jobs: int = 0) -> None:
            asked[-1]["jobs"] = jobs or n

    module = ModuleType("dask_jobqueue")
    module.SLURMCluster = Stand  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dask_jobqueue", module)
    words = [
        "x",
        str(folder / "spec.toml"),
        str(tmp_path / "out"),
        "--jobs",
        "3",
        "--minutes",
        "90",
    ]
    monkeypatch.setattr(sys, "argv", words)
    for _ in range(2):
        runpy.run_path(str(EXAMPLES / "design" / "sweep_slurm.py"), run_name="__main__")
    wanted = (folder / "whole" / "results.parquet").read_bytes()
    assert (tmp_path / "out" / "results.parquet").read_bytes() == wanted
    assert capsys.readouterr().out.count("results.parquet") == 2
    assert [given["walltime"] for given in asked] == ["01:30:00"] * 2
    assert asked[0]["worker_extra_args"][1] == "85m"
    assert asked[0]["processes"] == asked[0]["cores"]
