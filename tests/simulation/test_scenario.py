"""Scenario files and `gough simulate`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray
from typer.testing import CliRunner

import gough
from gough.cli import machine as other
from gough.cli import simulate as command
from gough.cli.app import app
from gough.simulation.scenario import load_scenario

EXAMPLES = Path(__file__).parents[2] / "examples" / "scenarios"
SHORT = 'duration = "20 ms"\n[force]\nstatic = true\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "case.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", sorted(p.stem for p in EXAMPLES.glob("*.toml")))
def test_examples_are_readable(name: str) -> None:
    machine = gough.load("dasgupta-1998-physical" if name == "path-II" else "motion-base-1500")
    arguments = load_scenario(EXAMPLES / f"{name}.toml").arguments(machine)
    assert arguments["duration"] > 0


def test_power_loss_is_caught_and_written(tmp_path: Path) -> None:
    assert command is not other  # two commands: the names are kept
    out = tmp_path / "out"
    answer = CliRunner().invoke(
        app,
        [
            "simulate",
            "motion-base-1500",
            str(EXAMPLES / "power-loss.toml"),
            "--out",
            str(out),
            "--json",
        ],
    )
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    assert found["status"] == "ok"
    assert found == json.loads((out / "summary.json").read_text())
    assert not (out / "checkpoint").exists()
    with xarray.open_dataset(out / "run.nc", engine="h5netcdf") as run:
        assert run.attrs["scenario"] == "power loss, caught by brakes"
        assert np.abs(run.velocity.values[-1]).max() < 1e-5
        assert run.position.values[0, 2] - run.position.values[-1, 2] > 5e-3


def test_a_failed_run_says_why_with_code_three(tmp_path: Path) -> None:
    wild = write(
        tmp_path,
        'duration = "2 s"\ndrives = false\n[start]\nvelocity = "1 0 0 mm/s"\n[controller]\n'
        'kind = "decentralized"\nbandwidth = 9000.0\n',
    )
    answer = CliRunner().invoke(
        app, ["simulate", "motion-base-1500", str(wild), "--out", str(tmp_path / "o")]
    )
    assert isinstance(answer.exception, gough.InfeasibleError)
    assert "diverged" in str(answer.exception)
    assert json.loads((tmp_path / "o" / "summary.json").read_text())["end_time"] < 2.0


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("duration = 1\nstpe = 1", "stpe"),
        ("step = 1e-3", "duration"),
        ("duration = 'x'", "duration"),
        ("duration = 1\ntrajectory = '001-II'", "trajectory"),
        ("duration = 1\n[controller]\nkind = 'pid'", "controller.kind"),
        ("duration = 1\n[controller]\nkind = 'gravity'", "controller.bandwidth"),
        ("duration = 1\n[controller]\nkind = 'gravity'\nbandwith = 3", "controller.bandwith"),
        ("duration = 1\n[[faults]]\nkind = 'fire'", "faults[0].kind"),
        ("duration = 1\n[[faults]]\nkind = 'brake'\ntime = 1", "faults[0].force"),
        ("duration = 1\n[[faults]]\nkind = 'power-loss'\nlegs = ['L9']", "faults[0].legs"),
        ("duration = 1\n[[disturbances]]\nwrench = [1, 2]", "disturbances[0].wrench"),
        ("duration = 1\n[start]\npostion = [0, 0, 1]", "start.postion"),
        ("duration = 1\ndrives = 3", "drives"),
        ("duration = 1\n[events]\nstroke = 'explode'", "events.stroke"),
        ("duration = ", "case.toml"),
        ("duration = 1\nforce = 3", "force"),
        ("duration = 1\nfaults = 3", "faults"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, field: str) -> None:
    machine = gough.load("motion-base-1500")
    with pytest.raises(gough.InputError) as caught:
        load_scenario(write(tmp_path, text)).arguments(machine)
    problems = getattr(caught.value, "problems", ())
    assert field in {caught.value.field, *(p.path for p in problems)}
    assert (
        len(problems) <= 1 or field == "controller.bandwith"
    )  # there the right key is missing too


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(gough.InputError, match="no such file"):
        load_scenario(tmp_path / "none.toml")


def test_disturbances_add_up_in_their_times(tmp_path: Path) -> None:
    machine = gough.load("motion-base-1500")
    plan = load_scenario(
        write(
            tmp_path,
            SHORT + "[[disturbances]]\nwrench = ['1 kN', 0, 0, 0, 0, 0]\nto = '10 ms'\n"
            "[[disturbances]]\nwrench = [1, 2, 3, 4, 5, 6]\nfrom = '5 ms'\n",
        )
    )
    wrench = plan.arguments(machine)["external"]
    assert wrench(0.0) == pytest.approx([1000, 0, 0, 0, 0, 0])
    assert wrench(0.007) == pytest.approx([1001, 2, 3, 4, 5, 6])
    assert wrench(0.02) == pytest.approx([1, 2, 3, 4, 5, 6])
    run = plan.play(machine)
    assert run.external.values[7] == pytest.approx([1001, 2, 3, 4, 5, 6])


def test_a_base_that_moves_is_the_one_of_simulate(tmp_path: Path) -> None:
    """The file's base is handed on as it is: the same run, not that of a base at rest; leg motions are refused."""
    machine = gough.load("motion-base-1500")
    deck = '[base]\nkind = "harmonic"\ncenter = { position = "0 0 0 m" }\n'
    deck += 'amplitude = [[0, 0, "0.5 m", "4 deg", "3 deg", 0]]\nfrequency = ["1 Hz"]\nduration = "1 s"\n'
    moving = load_scenario(write(tmp_path, SHORT + deck)).play(machine)
    still = load_scenario(write(tmp_path, SHORT)).play(machine)
    arguments = load_scenario(write(tmp_path, SHORT)).arguments(machine)
    home, turned = gough.Pose(np.zeros(3), np.eye(3)), np.radians([4, 3])
    ship = gough.trajectory.harmonic(home, [[0, 0, 0.5, *turned, 0]], [1.0], duration=1.0)
    own = gough.simulate(machine, arguments.pop("state"), **arguments, base=ship)
    assert np.array_equal(moving.position.values, own.position.values)
    assert np.abs(moving.position.values - still.position.values).max() > 1e-5
    legs = '[base]\nkind = "legs"\n'
    with pytest.raises(gough.InputError, match="base"):
        load_scenario(write(tmp_path, SHORT + legs)).arguments(machine)
