"""What `gough simulate` draws and writes of a run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.machine  # two commands: the names are kept
import gough.cli.simulate
from gough.cli.app import app
from gough.control import GravityCompensation
from gough.export.tracking import effort_limits, first_pose, strokes, tracking
from gough.report import run_figure, run_page, save_figure, write_run_report
from gough.simulation import Events

EXAMPLES = Path(__file__).parents[2] / "examples" / "scenarios"


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def run(machine: gough.Platform) -> Any:
    """A machine pushed off its pose, that passes a limit on the way."""
    assert machine.home is not None
    return gough.simulate(
        machine,
        machine.home,
        duration=0.1,
        controller=GravityCompensation(machine, bandwidth=20.0),
        external=[0.0, 0.0, -4000.0, 0.0, 0.0, 300.0],
        events=Events(condition=1.1),
        drives=False,
    )


def test_tracking_error_is_reference_minus_run(machine: gough.Platform, run: Any) -> None:
    """Against a pose that is off by a known amount; then a planted error: the sign, or the axes, the other way."""
    start = first_pose(run)
    turn = gough.spatial.rotation_exp([0.0, 0.0, 0.01])
    shift = np.array([1e-3, -2e-3, 3e-3])
    found = tracking(run, gough.Pose(start.position + shift, turn @ start.rotation))
    np.testing.assert_allclose(found.position[0], shift, atol=1e-15)
    np.testing.assert_allclose(found.rotation[0], [0.0, 0.0, 0.01], atol=1e-12)
    moved = run.position.values[-1] - run.position.values[0]
    np.testing.assert_allclose(found.position[-1], shift - moved, atol=1e-15)
    held = tracking(run, gough.trajectory.hold(start, duration=0.05))
    np.testing.assert_allclose(held.position, start.position - run.position.values, atol=1e-15)
    figures = held.figures()
    size = np.linalg.norm(held.position, axis=1)
    assert figures["position_max_m"] == size.max() > 0.0
    assert figures["position_rms_m"] == pytest.approx(np.sqrt((size**2).mean()))
    ended = run.copy(deep=True)
    for name in ("position", "quaternion"):
        ended[name].values[-10:] = np.nan
    lost = tracking(ended, start)
    assert np.isnan(lost.position[-10:]).all()
    assert np.isfinite(lost.position[:-10]).all()
    assert lost.figures()["position_max_m"] < figures["position_max_m"]


def test_limits_are_those_of_the_machine(machine: gough.Platform) -> None:
    leg = machine.legs[0]
    assert leg.limits.stroke is not None
    np.testing.assert_array_equal(strokes(machine)[0], leg.limits.stroke)
    bare = machine.replace(
        legs=[each.replace(limits=gough.Limits(), drive=None) for each in machine.legs]
    )
    assert np.isinf(strokes(bare)).all()
    assert np.isinf(effort_limits(bare)).all()
    weak = machine.replace(
        legs=[each.replace(limits=each.limits.replace(force=12.5)) for each in machine.legs]
    )
    np.testing.assert_array_equal(effort_limits(weak), np.full(6, 12.5))


def test_the_figure_shows_units_limits_and_events(machine: gough.Platform, run: Any) -> None:
    error = tracking(run, first_pose(run))
    tight = machine.replace(
        legs=[
            leg.replace(
                limits=leg.limits.replace(stroke=(1.0, float(np.nanmax(run.length)) + 1e-4))
            )
            for leg in machine.legs
        ]
    )
    figure = run_figure(run, tight, error)
    figure.draw_without_rendering()
    labels = [axes.get_ylabel() for axes in figure.axes]
    wanted = ["position error (mm)", "rotation error (mrad)", "motor effort (N)", "coordinate (m)"]
    assert labels == [*wanted, "energy (J)"]
    drawn = [line.get_ydata()[0] for line in figure.axes[3].lines if line.get_label() == "limit"]
    assert drawn == [float(np.nanmax(run.length)) + 1e-4]
    assert "limits at 1 and" in figure.axes[3].get_title(loc="right")
    shown = figure.axes[0].lines[2].get_ydata()
    np.testing.assert_allclose(shown, 1e3 * error.position[:, 2], atol=1e-12)
    times = {round(e["time"], 9) for e in json.loads(run.attrs["events"])[:12]}
    marked = {
        round(float(x.get_xdata()[0]), 9) for x in figure.axes[0].lines if x.get_linestyle() == ":"
    }
    assert marked == times
    assert times
    boxes = [axes.get_legend().get_window_extent() for axes in figure.axes]
    for axes, box in zip(figure.axes, boxes, strict=True):
        assert not box.overlaps(axes.get_window_extent()), "a legend lies on its curves"
    for above, below in zip(figure.axes, figure.axes[1:], strict=False):
        assert above.get_window_extent().y0 > below.get_window_extent().y1
    assert len(run_figure(run, machine).axes) == 3


def test_the_page_says_what_was_run_and_loads_nothing(
    machine: gough.Platform, run: Any, tmp_path: Path
) -> None:
    error = tracking(run, first_pose(run))
    page = run_page(run, machine, error, 'title = "<script>"')
    for word in (
        "GravityCompensation",
        "rk4",
        "0.001",
        "position rms m",
        "singularity",
        run.attrs["status"],
    ):
        assert word in page, word
    assert "&lt;script&gt;" in page
    assert not re.search(r"<script|src=|url\((?!#)|@import", page)
    outside = set(re.findall(r'(?:href|xlink:href)="([^#"][^"]*)"', page))
    assert not outside
    assert f"{error.figures()['position_max_m']:.4g}" in page
    assert page == run_page(run, machine, error, 'title = "<script>"'), "the same bytes again"
    target = write_run_report(tmp_path / "r.html", run, machine)
    assert "No reference" in target.read_text("utf-8")
    with pytest.raises(gough.InputError, match="html"):
        write_run_report(tmp_path / "r.pdf", run, machine)


def test_several_runs_are_refused(machine: gough.Platform) -> None:
    assert machine.home is not None
    many = gough.simulate([machine, machine], machine.home, duration=2e-3, drives=False)
    for verb in (lambda: run_figure(many, machine), lambda: tracking(many, machine.home)):
        with pytest.raises(gough.InputError, match="single run"):
            verb()
    assert len(run_figure(many.isel(run=1), machine).axes) == 3


def test_the_command_draws_and_reports(tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = ["simulate", "motion-base-1500", str(EXAMPLES / "dead-leg.toml"), "--out", str(out)]
    answer = CliRunner().invoke(app, [*given, "--json"])
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    assert found["tracking"]["position_max_m"] > 0.05
    assert {p.name for p in out.iterdir()} == {"run.nc", "summary.json", "run.png", "report.html"}
    page = (out / "report.html").read_text("utf-8")
    assert found["status"] in page
    assert "One leg loses power in motion" in page
    assert "tuned_for" in page
    short = tmp_path / "short.toml"
    short.write_text('duration = "2 ms"\n[force]\nstatic = true\n')
    bare = tmp_path / "bare"
    less = [
        "simulate",
        "motion-base-1500",
        str(short),
        "--out",
        str(bare),
        "--no-plot",
        "--no-report",
    ]
    answer = CliRunner().invoke(app, [*less, "--json"])
    assert answer.exit_code == 0, answer.output
    assert "tracking" not in json.loads(answer.stdout)
    assert {p.name for p in bare.iterdir()} == {"run.nc", "summary.json"}


def test_a_run_that_ended_at_once_can_be_drawn(machine: gough.Platform, tmp_path: Path) -> None:
    assert machine.home is not None
    run = gough.simulate(
        machine, machine.home, duration=5e-3, force=1e15 * np.ones(6), drives=False
    )
    assert run.attrs["status"] != "ok"
    error = tracking(run, machine.home)
    assert save_figure(run_figure(run, machine, error), tmp_path / "f.png").stat().st_size > 1000
    assert run.attrs["status"] in run_page(run, machine, error)
