"""The commands workspace, limits, size, optimize and sweep through a real process: output, files, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import gough
from gough.analysis.volume import exact_volume

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gough", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_workspace_writes_figure_and_numbers(tmp_path: Path) -> None:
    out = tmp_path / "ws"
    done = run(
        "workspace",
        "motion-base-1500",
        "--rpy",
        "2 0 5",
        "--tilt",
        "3 3 0",
        "--points",
        "40",
        "--out",
        out,
        "--json",
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    rotation = gough.Pose.from_rpy(
        (0, 0, 0), [x * 3.141592653589793 / 180 for x in (2, 0, 5)]
    ).rotation
    assert facts["volume_m3"] == pytest.approx(
        exact_volume(gough.load("motion-base-1500"), rotation).value, rel=1e-6
    )
    assert facts["grid_volume_m3"] == pytest.approx(facts["volume_m3"], rel=0.02)
    assert facts["every_orientation_m3"] < facts["volume_m3"] < facts["some_orientation_m3"]
    assert (out / "workspace.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((out / "workspace.json").read_text())["volume_m3"] == facts["volume_m3"]


def test_workspace_of_cranks_by_grid() -> None:
    done = run("workspace", "servo-hexapod", "--points", "20", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["grid_volume_m3"] > 0
    assert "volume_m3" not in facts


def test_workspace_without_limits_or_with_bad_angles_is_refused() -> None:
    assert run("workspace", "dasgupta-1998").returncode == 2
    done = run("workspace", "motion-base-1500", "--rpy", "1 2")
    assert done.returncode == 2
    assert "rpy" in done.stderr


def test_limits_within_and_broken(tmp_path: Path) -> None:
    done = run(
        "limits", "motion-base-1500", EXAMPLES / "trajectories" / "motion-base.toml", "--json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["ok"] is True
    stroke = next(r for r in found["rows"] if r["leg"] == "L1" and r["kind"] == "stroke")
    assert stroke["allowed"] == [1.2, 1.75]
    assert stroke["margin"] == pytest.approx(min(stroke["min"] - 1.2, 1.75 - stroke["max"]) / 0.55)
    (tmp_path / "far.toml").write_text("""
[trajectory]
kind = "move"
start = { position = "0 0 1150 mm" }
end = { position = "0 0 1600 mm" }
duration = "0.2 s"
""")
    done = run("limits", "motion-base-1500", tmp_path / "far.toml")
    assert done.returncode == 3
    assert "L1" in done.stdout
    for text in ("beyond its maximum 1750.00 mm", "exceeds 0.6", "effort"):
        assert text in done.stderr, text


def test_limits_sees_a_singularity_between_samples() -> None:
    """[Dasgupta1998] Path III runs through a singular pose; Path I does not."""
    done = run("limits", "dasgupta-1998", "001-III", "--samples", "100")
    assert done.returncode == 3
    assert "crosses a singular pose" in done.stderr
    assert run("limits", "dasgupta-1998", "001-I").returncode == 0


def test_size_says_what_each_leg_needs() -> None:
    done = run(
        "size",
        "motion-base-1500",
        EXAMPLES / "trajectories" / "waves.toml",
        "--payload",
        "0",
        "--payload",
        "300,0,0,0.8",
        "--samples",
        "201",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["cases"]) == 2
    assert all(leg["worst_case"].endswith("payload 300,0,0,0.8 kg") for leg in found["legs"])
    assert all(
        leg["drive"]["peak_torque"] > leg["drive"]["rms_torque"] > 0 for leg in found["legs"]
    )
    text = run(
        "size", "motion-base-1500", EXAMPLES / "trajectories" / "waves.toml", "--samples", "51"
    ).stdout
    assert "peak torque" in text
    assert run("size", "motion-base-1500", "001-I", "--payload", "heavy").returncode == 2


DESIGN = """
[machine]
family = "octahedral"
platform_radius = "0.25 m"
height = "0.5 m"
[parameters]
base_radius = ["0.3 m", "0.7 m"]
[task]
box = "30 30 30 mm"
[objective]
footprint = 1
[constraints]
dexterity = { min = %s }
[search]
generations = 4
population = 5
"""


def test_optimize_saves_a_machine_that_can_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "design.toml").write_text(DESIGN % "0.1")
    done = run("optimize", tmp_path / "design.toml", "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    machine = gough.load(tmp_path / "out" / "machine.toml")
    radius = found["parameters"]["base_radius"]
    assert abs(machine.base_joints[:, :2]).max() <= radius * (1 + 1e-12)
    assert found["metrics"]["footprint"] == pytest.approx(2 * radius)
    assert json.loads((tmp_path / "out" / "result.json").read_text())["cost"] == found["cost"]


def test_optimize_says_why_nothing_is_feasible(tmp_path: Path) -> None:
    (tmp_path / "design.toml").write_text(DESIGN % "0.99")
    done = run("optimize", tmp_path / "design.toml", "--out", tmp_path / "out")
    assert done.returncode == 3
    assert "dexterity is" in done.stderr
    assert not (tmp_path / "out" / "machine.toml").exists()
    assert json.loads((tmp_path / "out" / "result.json").read_text())["feasible"] is False


def test_sweep_runs_refuses_and_resumes(tmp_path: Path) -> None:
    spec, out = EXAMPLES / "design" / "sweep.toml", tmp_path / "out"
    done = run("sweep", spec, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["cases"] == 84
    table = (out / "results.csv").read_bytes()
    assert table.count(b"\n") == 85
    again = run("sweep", spec, "--out", out)
    assert again.returncode == 2
    assert "resume" in again.stderr
    assert run("sweep", spec, "--out", out, "--resume").returncode == 0
    assert (out / "results.csv").read_bytes() == table


def test_missing_files_are_usage_errors(tmp_path: Path) -> None:
    for command in ("sweep", "optimize"):
        done = run(command, tmp_path / "none.toml", "--out", tmp_path / "out")
        assert done.returncode == 2
        assert "none.toml" in done.stderr
