"""Maps over a workspace as files, as a figure and by the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough.analysis import reachable_volume, workspace_map
from gough.analysis.connected import REACHED
from gough.analysis.workspace_maps import UNITS, WorkspaceMap
from gough.cli import analysis as _commands  # noqa: F401  (registers them)
from gough.cli.app import app
from gough.export import save_map
from gough.report import map_figure
from gough.report.maps import LABELS


@pytest.fixture(scope="module")
def condition() -> WorkspaceMap:
    one = gough.load("motion-base-1500")
    return workspace_map(one, reachable_volume(one, depth=4), "condition")


def test_tables_hold_every_joined_cell_with_its_unit(
    condition: WorkspaceMap, tmp_path: Path
) -> None:
    import xarray

    with (save_map(condition, tmp_path / "map.csv")).open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["x [m]", "y [m]", "z [m]", "condition [1]"]
    numbers = np.array(rows[1:], dtype=float)
    assert len(numbers) == np.isfinite(condition.values).sum()
    worst = numbers[numbers[:, -1].argmax()]
    np.testing.assert_array_equal(worst[-1], condition.worst)
    np.testing.assert_allclose(worst[:3], condition.worst_at, rtol=1e-12)
    with xarray.open_dataset(save_map(condition, tmp_path / "map.nc"), engine="h5netcdf") as table:
        np.testing.assert_array_equal(table["condition"].values, condition.values)
        assert table["condition"].attrs["units"] == "1"
        np.testing.assert_allclose(table["z"].values, condition.axes[2])
        assert "not proved between them" in table.attrs["judged"]
    with pytest.raises(gough.InputError, match=r"\.nc or \.csv"):
        save_map(condition, tmp_path / "map.txt")


def test_words_tell_the_size_of_cells(condition: WorkspaceMap) -> None:
    size = (condition.box[1] - condition.box[0]) / 16
    np.testing.assert_allclose(condition.spacing, size)
    assert " x ".join(f"{1e3 * x:.3g}" for x in size) + " mm" in condition.sentence()


def test_the_figure_shows_planes_through_the_worst_cell(condition: WorkspaceMap) -> None:
    figure = map_figure(condition)
    panels = [axes for axes in figure.axes if axes.get_xlabel()]
    assert [axes.get_xlabel()[0] + axes.get_ylabel()[0] for axes in panels] == ["xy", "xz", "yz"]
    for axes, k in zip(panels, (2, 1, 0), strict=True):
        at = float(axes.get_title().split("=")[1].removesuffix("mm"))
        assert at == pytest.approx(1e3 * condition.worst_at[k], rel=1e-3)
        assert np.any(np.asarray(axes.collections[0].get_array()) == condition.worst)
    said = " ".join(text.get_text() for axes in figure.axes for text in axes.texts)
    assert "between them nothing is looked at" in said
    assert set(LABELS) == set(UNITS)
    for quantity, unit in UNITS.items():
        assert LABELS[quantity].endswith(f"({unit})")


def test_the_command_writes_a_map(tmp_path: Path) -> None:
    asked = ["workspace", "motion-base-1500", "--points", "8", "--out", str(tmp_path), "--json"]
    done = CliRunner().invoke(app, [*asked, "--map", "stiffness", "--stiffness", "2e7"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)["map"]
    one = gough.load("motion-base-1500")
    part = reachable_volume(one, depth=3)
    wanted = workspace_map(one, part, "stiffness", stiffness=2e7)
    assert facts["worst"] == wanted.worst
    assert facts["unit"] == "N/m"
    assert facts["judged"] == wanted.sentence()
    names = {"stiffness.png", "stiffness.nc", "stiffness.csv"}
    assert {Path(file).name for file in facts["files"]} == names
    assert names < {path.name for path in tmp_path.iterdir()}
    assert (part.cells >= REACHED).sum() == np.isfinite(wanted.values).sum()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--map", "beauty"], "must be one of condition"),
        (["--map", "stiffness"], "must be given for a map of stiffness"),
        (["--map", "condition", "--actuator", "1e-5"], "belongs to a map of accuracy"),
        (["--map", "payload", "--center", "1 2"], "must be three numbers: x y z"),
        (["--map", "accuracy", "--actuator", "1 2"], "one number or six"),
    ],
)
def test_the_command_refuses(options: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["workspace", "motion-base-1500", "--points", "8", *options])
    assert done.exception is not None
    assert said in str(done.exception)
