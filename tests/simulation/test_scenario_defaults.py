"""What a scenario file leaves out: nothing of it acts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation.scenario import load_scenario

SPRINGS = {"stiffness": 2.0, "rest": 0.3, "damping": 4.0}
HOMELESS = gough.load("motion-base-1500").replace(home=None)


def arguments(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "case.toml"
    path.write_text('duration = "20 ms"\n' + text)
    return dict(load_scenario(path).arguments(gough.load("motion-base-1500")))


@pytest.mark.parametrize("missing", SPRINGS)
def test_a_number_of_the_springs_that_is_left_out_is_zero(missing: str, tmp_path: Path) -> None:
    lines = [f"{name} = {value}" for name, value in SPRINGS.items() if name != missing]
    found = arguments(tmp_path, "[springs]\n" + "\n".join(lines))["springs"]
    for name, value in {**SPRINGS, missing: 0.0}.items():
        np.testing.assert_array_equal(getattr(found, name), np.full(6, value))


@pytest.mark.parametrize("lines", ['"brake"\nforce = 1e3', '"power-loss"'])
def test_a_fault_without_a_time_is_there_from_the_start(lines: str, tmp_path: Path) -> None:
    (fault,) = arguments(tmp_path, f"[[faults]]\nkind = {lines}\n")["faults"]
    assert (fault.time, fault.legs) == (0.0, None)


def test_a_disturbance_without_times_never_ends(tmp_path: Path) -> None:
    external = arguments(tmp_path, "[[disturbances]]\nwrench = [1, 2, 3, 4, 5, 6]\n")["external"]
    for t in (0.0, 0.01, 1e9):
        np.testing.assert_array_equal(external(t), np.arange(1.0, 7.0))


@pytest.mark.parametrize(
    ("text", "field"), [("", "start"), ('[start]\nvelocity = "1 0 0 mm/s"\n', "start.position")]
)
def test_a_machine_without_home_asks_for_a_start(text: str, field: str, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text('duration = "20 ms"\n' + text)
    with pytest.raises(gough.InputError, match="the machine names no home pose") as e:
        load_scenario(path).arguments(HOMELESS)
    assert e.value.field == field
