"""The code that the studio shows runs, and gives what is on screen: payload, rates, wrench, method, file."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import cli, cueing
from gough.checks import _key
from gough.model.writing import _value
from gough.studio import messages as m
from gough.studio.code import show_code
from gough.trajectory.recorded import FOREIGN_SIZE, HDF5, _bad_row, _read_foreign

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
