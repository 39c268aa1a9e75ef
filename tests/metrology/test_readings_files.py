"""Readings files and the commands on them: calibrated.toml is the machine that was measured; plans are tables."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from border.measured_files import SENSORS, TRACKED
from gough.checks import GoughError, InfeasibleError
from gough.cli.app import COMMAND_MODULES, app
from gough.kinematics.inverse import inverse_kinematics
from gough.metrology.document import load_readings, load_sensors
from gough.model.numbers import places
from support.calibrating import disturbed


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, gough.Platform, np.ndarray]:
    """A folder with a readings file and its table, the machine that was measured, zeros of its encoders."""
    folder = tmp_path_factory.mktemp("readings")
    nominal = gough.load("motion-base-1500")
    true, zero, poses = disturbed(nominal, 21, count=25, size=5e-4)
    rng = np.random.default_rng(4)
    length = inverse_kinematics(true, poses).length - zero + 1e-6 * rng.normal(size=(25, 6))
    position = poses.position + 2e-6 * rng.normal(size=(25, 3))
    rows = np.concatenate([1e3 * length, position, np.degrees(poses.rpy)], axis=1)
    heads = [f"{name} [mm]" for name in nominal.leg_names]
    heads += ["x [m]", "y [m]", "z [m]", "roll [deg]", "pitch [deg]", "yaw [deg]"]
    lines = [",".join(heads), *(",".join(map(repr, row)) for row in rows.tolist())]
    (folder / "readings.csv").write_text("\n".join(lines))
    (folder / "readings.toml").write_text(TRACKED)
    return folder, true, zero


def run(*arguments: object) -> tuple[str, BaseException | None]:
    for module in COMMAND_MODULES:
        import_module(f"gough.cli.{module}")
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    return found.stdout, found.exception


def test_a_calibration_from_files(measured: tuple, tmp_path: Path) -> None:
    folder, true, zero = measured
    out, error = run(
        "calibrate", "motion-base-1500", folder / "readings.toml", "--out", tmp_path, "--json"
    )
    assert error is None
    facts = json.loads(out)
    assert facts["settled"]
    assert facts["seen_combinations"] == 42
    assert facts["likelihood"] > 1e-3
    saved = gough.load(tmp_path / "calibrated.toml")
    found = [leg.encoder.zero for leg in saved.legs]
    assert found == pytest.approx([row["value"] for row in facts["numbers"][36:]], rel=1e-12)
    assert np.abs(np.array(found) - zero).max() < 1e-3
    inside = [
        row["low"] <= places(true)[row["name"]].value <= row["high"]
        for row in facts["numbers"][:36]
    ]
    assert sum(inside) >= 30
    for row in facts["numbers"][:36]:
        assert places(saved)[row["name"]].value == pytest.approx(row["value"], rel=1e-12)
    assert (tmp_path / "calibration.png").stat().st_size > 20_000
    assert json.loads((tmp_path / "calibration.json").read_text())["numbers"] == facts["numbers"]


def test_readings_that_contradict_their_deviations_are_an_error(
    measured: tuple, tmp_path: Path
) -> None:
    folder, _, _ = measured
    (tmp_path / "readings.csv").write_text((folder / "readings.csv").read_text())
    (tmp_path / "readings.toml").write_text(TRACKED.replace("um", "nm").replace("urad", "rad"))
    _, error = run("calibrate", "motion-base-1500", tmp_path / "readings.toml")
    assert isinstance(error, InfeasibleError)
    assert "residuals this large" in str(error)


def test_a_plan_is_a_table_of_poses_within_the_limits(measured: tuple, tmp_path: Path) -> None:
    folder, _, _ = measured
    out, error = run(
        *("plan", "motion-base-1500", folder / "readings.toml", tmp_path / "plan.csv"),
        *("--count", 12, "--json"),
    )
    assert error is None
    facts = json.loads(out)
    assert facts["spread"] < facts["spread_of_random_poses"]
    table = np.genfromtxt(tmp_path / "plan.csv", delimiter=",", skip_header=1)
    assert table.shape == (12, 12)
    platform = gough.load("motion-base-1500")
    poses = gough.Pose.from_rpy(table[:, :3], table[:, 3:6])
    assert gough.analysis.check(platform, poses).ok.all()
    assert np.abs(inverse_kinematics(platform, poses).length - table[:, 6:]).max() < 1e-12


def test_every_kind_of_sensor_is_read(tmp_path: Path) -> None:
    nominal = gough.load("motion-base-1500")
    (tmp_path / "s.toml").write_text(SENSORS)
    sensors, sigma, find = load_sensors(nominal, tmp_path / "s.toml")
    assert sigma == 1e-6
    assert find is None
    assert list(sensors) == ["ball", "wire", "level", "swing"]
    assert sensors["wire"].offset == 3e-3
    assert sensors["ball"].free == ("point",)
    with pytest.raises(GoughError, match="must name the CSV table"):
        load_readings(nominal, tmp_path / "s.toml")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('kind = "pose"', 'kind = "posse"', "did you mean"),
        ('sigma = "1 um"', 'sigma = "1 kg"', "encoders.sigma"),
        ('"2 urad"', "-1.0", "greater than 0"),
        ('readings = "readings.csv"', 'readings = "nothing.csv"', "nothing.csv"),
        ('find = ["base", "joint", "zero"]', 'find = ["bass"]', "did you mean"),
        ("[calibrate]", "[calibrates]", "unknown key"),
        ('position_sigma = "2 um"\n', "", "is missing"),
    ],
)
def test_mistakes_in_a_file_are_named(
    measured: tuple, tmp_path: Path, old: str, new: str, says: str
) -> None:
    folder, _, _ = measured
    assert old in TRACKED
    (tmp_path / "readings.csv").write_text((folder / "readings.csv").read_text())
    (tmp_path / "readings.toml").write_text(TRACKED.replace(old, new))
    _, error = run("calibrate", "motion-base-1500", tmp_path / "readings.toml")
    assert isinstance(error, (GoughError, OSError))
    assert says in str(error)


def test_an_identification_from_files(tmp_path: Path) -> None:
    platform = gough.load("motion-base-1500")
    heavier = platform.replace(body=platform.body.replace(mass=1.2 * platform.body.mass))
    (tmp_path / "shake.toml").write_text(
        """
[trajectory]
kind = "harmonic"
center = { position = [0.0, 0.0, 1.0] }
amplitude = [
    ["10 mm", "15 mm", "20 mm", "2 deg", "3 deg", "4 deg"],
    ["8 mm", "9 mm", "7 mm", "3 deg", "2 deg", "2 deg"],
]
frequency = ["0.7 Hz", "1.1 Hz"]
duration = "5 s"
"""
    )
    path = gough.trajectory.load_trajectory(tmp_path / "shake.toml")
    time = np.linspace(0.0, 5.0, 81)
    noise = np.random.default_rng(1).normal(size=(81, 6))
    force = gough.inverse_dynamics(heavier, path(time)).force + 2.0 * noise
    heads = ["time [s]", *(f"{n} [kN]" for n in platform.leg_names)]
    rows = np.column_stack([time, force / 1e3])
    lines = [",".join(heads), *(",".join(map(repr, row)) for row in rows.tolist())]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    out, error = run(
        *("identify", "motion-base-1500", tmp_path / "shake.toml", tmp_path / "log.csv"),
        *("--sigma", 2, "--find", "body", "--out", tmp_path, "--json"),
    )
    assert error is None
    facts = json.loads(out)
    assert facts["base_parameters"] == 10
    row = next(row for row in facts["numbers"] if row["name"] == "body.mass")
    assert row["low"] < heavier.body.mass < row["high"]
    assert gough.load(tmp_path / "identified.toml").body.mass == pytest.approx(
        heavier.body.mass, rel=0.02
    )
    _, error = run(
        *("identify", "motion-base-1500", tmp_path / "shake.toml", tmp_path / "log.csv"),
        *("--sigma", 2, "--find", "friction"),
    )
    assert isinstance(error, InfeasibleError)
