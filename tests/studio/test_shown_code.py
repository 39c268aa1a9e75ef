"""The code that the studio shows runs, and gives what is on screen: payload, rates, wrench, method, file."""

from __future__ import annotations

import json
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough import cli, cueing
from gough.checks import _key
from gough.cli.app import COMMAND_MODULES, app
from gough.model.writing import _value
from gough.studio import calibration_messages as c
from gough.studio import messages as m
from gough.studio.code import show_code
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder
from gough.trajectory.recorded import FOREIGN_SIZE, HDF5, _bad_row, _read_foreign
from support.reading_tables import write_readings

MACHINE = gough.load("motion-base-1500")
HOME = m.PoseInput(tuple(MACHINE.require_home().position.tolist()))


def run(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    return space


def test_everything_on_screen_is_in_the_code() -> None:
    """The shown Python, run: the forces of the loaded machine in motion under its wrench, by the chosen method."""
    solve = m.SolvePose(
        id=1,
        pose=HOME,
        payload=m.Payload(5.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.2)),
        velocity=(0.1, 0.0, 0.0, 0.0, 0.0, 0.2),
        acceleration=(0.0, 0.3, 0.0, 0.0, 0.1, 0.0),
        external=(1.0, 2.0, 3.0, 0.0, 0.0, 0.5),
        formulation="newton-euler",
    )
    python, shell = show_code(MACHINE, "motion-base-1500", m.ShowCode(id=2, solve=solve))
    found = run(python)["result"]
    body = gough.Body(5.0, [0.0, 0.0, 0.1], np.diag([0.1, 0.1, 0.2]))
    home = MACHINE.require_home()
    motion = gough.Motion(
        home.position, home.rotation, [0.1, 0, 0], [0, 0, 0.2], [0, 0.3, 0], [0, 0.1, 0]
    )
    wanted = gough.inverse_dynamics(
        gough.analysis.with_payload(MACHINE, body), motion, [1.0, 2.0, 3.0, 0.0, 0.0, 0.5]
    )
    np.testing.assert_allclose(found.force, wanted.force, rtol=1e-8)
    assert "--wrench '1.0 2.0 3.0 0.0 0.0 0.5'" in shell
    assert "--formulation newton-euler" in shell
    assert "payload is not part" in shell


def test_a_bare_pose_and_a_file_are_short() -> None:
    still = m.SolvePose(id=1, pose=HOME)
    python, shell = show_code(
        MACHINE, "motion-base-1500", m.ShowCode(id=2, solve=still), edited=True
    )
    assert "edited on screen" in python
    assert "at_rest" in python
    assert "with_payload" not in python
    assert "--wrench" not in shell
    motion = m.MakeMotion(id=3, kind="file", file="my path.csv", samples=7)
    python, shell = show_code(
        MACHINE, "motion-base-1500", m.ShowCode(id=2, solve=still, motion=motion)
    )
    assert "load_trajectory('my path.csv')" in python
    assert "'my path.csv' --out forces --samples 7" in shell


def test_the_code_of_a_calibration_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file with and without a choice of unknowns, and of trials: the numbers of the answer to the last bit."""
    session = Session(WorkFolder(tmp_path))
    session.handle(m.OpenMachine(1, "start"))
    write_readings(tmp_path, count=12)
    monkeypatch.chdir(tmp_path)
    cases = [
        c.CalibrationInput("readings.toml"),
        c.CalibrationInput("readings.toml", ("joint", "L2.base")),
        c.CalibrationInput(trial=c.TrialInput(count=12, seed=5)),
        c.CalibrationInput("", ("zero",), c.TrialInput("point", count=30, error=1e-4)),
        c.CalibrationInput("", ("L1.joint",), c.TrialInput("tilt", "planned", count=5)),
    ]
    for given in cases:
        shown = session.handle(c.Calibrate(2, given))
        code = session.handle(c.ShowCalibration(3, given))
        assert isinstance(shown, c.Calibrated)
        assert isinstance(code, m.Code)
        found = run(code.python)["found"]
        assert shown.chi_square == found.chi_square
        assert [row["name"] for row in shown.numbers] == list(found.names)
        for row, value in zip(shown.numbers, found.value, strict=True):
            assert row["value"] in (None, value)
        plain = given.file and not given.find
        assert code.command.startswith("gough calibrate" if plain else "# ")
        assert ("synthetic" in code.python) is not bool(given.file)


def test_the_command_of_a_calibration_and_of_a_plan_repeats_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(WorkFolder(tmp_path))
    session.handle(m.OpenMachine(1, "start"))
    write_readings(tmp_path, count=12)
    monkeypatch.chdir(tmp_path)
    given = c.CalibrationInput("readings.toml")
    shown = session.handle(c.Calibrate(2, given))
    code = session.handle(c.ShowCalibration(3, given))
    assert isinstance(code, m.Code)
    facts = json.loads(command(code.command + " --json"))
    keys = ("name", "value", "low", "high")
    assert [[row[k] for k in keys] for row in facts["numbers"]] == [
        [row[k] for k in keys] for row in shown.numbers
    ]
    plan = session.handle(c.PlanPoses(2, given, 8, 3))
    code = session.handle(c.ShowCalibration(3, given, True, 8, 3))
    assert isinstance(plan, c.PosesPlanned)
    assert isinstance(code, m.Code)
    command(code.command)
    table = np.genfromtxt(tmp_path / "plan.csv", delimiter=",", skip_header=1)
    assert table.tolist() == [list(row) for row in plan.table]
    assert run(code.python)["plan"].spread == plan.spread
    trial = c.CalibrationInput("", ("zero",), c.TrialInput("point"))
    code = session.handle(c.ShowCalibration(3, trial, True, 6))
    planned = session.handle(c.PlanPoses(2, trial, 6))
    assert isinstance(code, m.Code)
    assert isinstance(planned, c.PosesPlanned)
    assert run(code.python)["plan"].spread == planned.spread
    assert code.command.startswith("# ")


def command(line: str) -> str:
    """What a gough command prints."""
    for module in COMMAND_MODULES:
        import_module(f"gough.cli.{module}")
    found = CliRunner().invoke(app, shlex.split(line)[1:])
    assert found.exception is None, found.exception
    return found.stdout


def test_code_of_a_file_that_has_changed_since_is_not_shown(tmp_path: Path) -> None:
    """Neither where the file changed nor where its table did: the code would give other numbers than the answer."""
    session = Session(WorkFolder(tmp_path))
    session.handle(m.OpenMachine(1, "start"))
    write_readings(tmp_path, count=4)
    given = c.CalibrationInput("readings.toml")
    shown = session.handle(c.Calibrate(2, given))
    assert isinstance(shown, c.Calibrated)
    asked = c.ShowCalibration(3, given, fingerprint=shown.fingerprint)
    for name in ("readings.toml", "readings.csv"):
        assert isinstance(session.handle(asked), m.Code)
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text + "\n# another line\n")
        why = session.handle(asked)
        assert isinstance(why, m.Failure)
        assert "has changed since it was read" in why.text
        (tmp_path / name).write_text(text)
    trial = session.handle(c.Calibrate(2, c.CalibrationInput(trial=c.TrialInput(count=4))))
    assert isinstance(trial, c.Calibrated)
    assert trial.fingerprint == ""


def test_an_edited_machine_is_to_be_saved_first(tmp_path: Path) -> None:
    session = Session(WorkFolder(tmp_path))
    opened = session.handle(m.OpenMachine(1, "start"))
    write_readings(tmp_path, count=4)
    session.handle(m.SetMachine(2, opened.document, opened.label))
    code = session.handle(c.ShowCalibration(3, c.CalibrationInput("readings.toml")))
    assert isinstance(code, m.Code)
    assert "edited on screen" in code.python
    assert code.command == "gough calibrate machine.toml readings.toml --out calibrated\n"


def test_small_corners_of_writers_and_readers(tmp_path: Path) -> None:
    assert [_value(v) for v in (True, False, 1, 1.5)] == ["true", "false", "1", "1.5"]
    assert _key({"b": 1, "a": 2}) == _key({"a": 2, "b": 1})
    assert _bad_row([["t", "x"]], 2)[0] == "no samples"
    huge = HDF5 + bytes(FOREIGN_SIZE)
    assert "without checksum of more than" in str(_read_foreign(tmp_path / "a.nc", huge))


@pytest.mark.parametrize("size", [3, 4])
def test_a_file_of_another_kind_is_said(tmp_path: Path, size: int) -> None:
    assert "another kind" in str(_read_foreign(tmp_path / "a.nc", bytes(size)))


PARAMETERS = (m.CueParameter("translation", (2.0, 3.0, 4.5)), m.CueParameter("tilt_rate", (0.04,)))


@pytest.mark.parametrize("file", ["", "my drive.csv"])
def test_the_code_of_a_cue_gives_its_motion(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The shown Python to the last bit, the shown commands to the rounding of their file; a made-up drive too."""
    monkeypatch.chdir(tmp_path)
    vehicle = cueing.example_drive()
    if file:
        rows = np.column_stack([vehicle.time, vehicle.specific_force, vehicle.angular_rate])[:301]
        text = "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist())
        Path(file).write_text("time,fx,fy,fz,p,q,r\n" + text)
        vehicle = cueing.load_telemetry(file)
    asked = m.CueInput(file, "classical", 0.7314453125, PARAMETERS, "0123456789abcdef")
    motion = m.MakeMotion(3, "cue", cue=asked, samples=31)
    message = m.ShowCode(2, m.SolvePose(1, HOME), motion)
    python, shell = show_code(MACHINE, "motion-base-1500", message)
    law = cueing.ClassicalWashout(translation=(2.0, 3.0, 4.5), tilt_rate=0.04)
    wanted = cueing.cue(MACHINE, vehicle, law, scale=0.7314453125).trajectory
    space = run(python)
    times = np.linspace(0.0, wanted.duration, 1001)
    assert np.array_equal(space["trajectory"](times).position, wanted(times).position)
    assert np.array_equal(space["trajectory"](times).rotation, wanted(times).rotation)
    assert ("made up" in python) is (not file)
    commands = [line for line in shell.splitlines() if line.startswith("gough ")]
    assert [line.split()[1] for line in commands] == ["cue", "forces"]
    for line in commands:
        capfd.readouterr()
        monkeypatch.setattr("sys.argv", shlex.split(line))
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert end.value.code in (None, 0), line
    again = gough.trajectory.load_trajectory("cue/motion.nc")
    assert isinstance(again, gough.trajectory.Trajectory)
    assert np.allclose(again(times).position, wanted(times).position, rtol=0, atol=1e-12)
    assert np.allclose(again(times).rotation, wanted(times).rotation, rtol=0, atol=1e-12)
    forces = json.loads(capfd.readouterr().out)
    assert forces["samples"] == 31 == len(space["along"].force)


def test_a_cue_that_is_none_has_no_code() -> None:
    still = m.SolvePose(id=1, pose=HOME)
    for motion, why in (
        (m.MakeMotion(3, "cue"), "telemetry and method"),
        (m.MakeMotion(3, "cue", cue=m.CueInput(method="magic")), "must be one of classical"),
    ):
        with pytest.raises(gough.InputError, match=why):
            show_code(MACHINE, "motion-base-1500", m.ShowCode(2, still, motion))
