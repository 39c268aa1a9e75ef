"""Sweeps by batch: the rows of one by one, the same bytes however the cases are cut, and which way they went."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gough.design import METRICS, parameter_sweep, read_sweep, sweep
from gough.design.parameter_sweep import roads, rows_of, run_case
from gough.design.spans import Span
from gough.design.sweep_plan import Sweep
from support.sweeps import tables

SPEC = """
metrics = ["dexterity", "clearance", "platform_tilt", "stroke"]
[machines.round]
family = "hexapod"
platform_radius = "0.25 m"
platform_pair_angle = "30 deg"
base_radius = "0.5 m"
height = "0.5 m"
[machines.cube]
family = "cubic"
edge = "0.5 m"
[machines.cylinders]
family = "hexapod"
leg = "UCU"
platform_radius = "0.25 m"
platform_pair_angle = "30 deg"
base_pair_angle = "20 deg"
base_radius = "0.5 m"
height = "0.5 m"
[axes]
base_scale = [-1, 1, 1.1]
time_scale = [0, 1, 1e9]
[draw]
count = 3
[draw.ranges]
platform_scale = [0.8, 1.2]
[task]
box = "30 30 0 mm"
relative = true
samples = 5
[motions.heave]
kind = "harmonic"
center = { position = [0, 0, 0] }
amplitude = [0, 0, "20 mm", 0, 0, 0]
frequency = ["1 Hz"]
duration = "1 s"
[motions.roll]
kind = "harmonic"
center = { position = [0, 0, 0] }
amplitude = [0, 0, 0, "5 deg", 0, 0]
frequency = ["1 Hz"]
duration = "1 s"
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    path = tmp_path_factory.mktemp("roads") / "spec.toml"
    text = SPEC.replace(
        'height = "0.5 m"\n[machines.cube]',
        'height = "0.5 m"\nbase_pair_angle = "20 deg"\n[machines.cube]',
    )
    path.write_text(text)
    return read_sweep(path)


def test_rows_by_batch_are_those_of_each_case(plan: Sweep) -> None:
    """Among them impossible scales, paces of zero, and paces at which the rates vanish."""
    together = rows_of(plan, Span(0, plan.cases))
    bad = 0
    for number, row in enumerate(together):
        alone = run_case(plan, number)
        assert row[:2] == alone[:2]
        assert row[2:5] == alone[2:5]
        assert row[-1] == alone[-1]
        assert row[5:-1] == pytest.approx(alone[5:-1], rel=1e-13, abs=1e-13, nan_ok=True)
        bad += alone[-1] != "ok"
    assert 0 < bad < plan.cases


def test_the_cut_of_the_cases_changes_no_byte(plan: Sweep, tmp_path: Path) -> None:
    whole = rows_of(plan, Span(0, plan.cases))
    for size in (1, 7, 50):
        parts = [Span(k, min(k + size, plan.cases)) for k in range(0, plan.cases, size)]
        assert repr([row for part in parts for row in rows_of(plan, part)]) == repr(whole)
    for chunk in (5, None):
        sweep(plan, tmp_path / str(chunk), chunk=chunk, formats=("csv", "nc", "parquet"))
    assert tables(tmp_path / "5") == tables(tmp_path / "None")


def test_a_neighbor_that_changes_a_row_is_noticed(
    plan: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted error: numbers that depend on how many designs stand together."""
    true = parameter_sweep.evaluate_many

    def drifting(*given: object, **how: object) -> object:
        found = true(*given, **how)  # type: ignore[arg-type]
        found.numbers[:] *= 1.0 + 1e-15 * len(found.numbers)
        return found

    monkeypatch.setattr(parameter_sweep, "evaluate_many", drifting)
    whole = rows_of(plan, Span(0, plan.cases))
    parts = [row for k in range(plan.cases) for row in rows_of(plan, Span(k, k + 1))]
    assert repr(parts) != repr(whole)


def test_the_sweep_says_which_way_its_machines_go(plan: Sweep) -> None:
    said = roads(plan)
    assert said["round"] == said["cube"] == "by batch"
    assert said["cylinders"] == "one by one: UCU legs are not packed"


def test_metrics_along_a_motion_do_not_take_its_poses_for_all(plan: Sweep) -> None:
    """A motion that is slowed case by case: only where nothing but its poses counts do cases go together."""
    pace = {"time_scale": np.array([0.0, 1e-7, 1.0, 2.0, 1e7])}
    assert np.asarray(parameter_sweep._poses_alone(plan, pace)).tolist() == [
        False,
        False,
        True,
        True,
        False,
    ]
    along = Sweep(**{**plan.__dict__, "metrics": {"peak_speed": METRICS["peak_speed"]}})
    assert parameter_sweep._poses_alone(along, pace) is False
