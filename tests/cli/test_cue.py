"""gough cue: files, figures, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import cueing, trajectory

DRIVE = Path(__file__).parents[2] / "examples" / "cueing" / "drive.csv"


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cue") / "short.csv"
    file.write_text("\n".join(DRIVE.read_text().splitlines()[:500]) + "\n")
    return file


def run(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[int, str, str]:
    from gough import cli

    monkeypatch.setattr("sys.argv", ["gough", *words])
    try:
        cli.main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    said = capfd.readouterr()
    return code, said.out, said.err


def test_a_cue_is_a_trajectory_again(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, short: Path
) -> None:
    out = tmp_path / "out"
    code, said, _ = run(
        capfd, monkeypatch, "cue", "motion-base-1500", str(short), "--out", str(out), "--json"
    )
    assert code == 0
    facts = json.loads(said)
    assert facts["within_limits"] is True
    assert sorted(p.name for p in out.iterdir()) == [
        "cue.png",
        "legs.csv",
        "motion.csv",
        "motion.nc",
        "summary.json",
    ]
    found = cueing.cue(gough.load("motion-base-1500"), cueing.load_telemetry(short))
    assert facts["missed_surge"] == pytest.approx(found.score.missed[0], rel=1e-12)
    again = trajectory.load_trajectory(out / "motion.nc")
    assert np.allclose(again(5.0).position, found.trajectory(5.0).position, rtol=0, atol=1e-12)
    legs = np.loadtxt(out / "legs.csv", delimiter=",", skiprows=1)
    length = gough.inverse_kinematics(
        gough.load("motion-base-1500"), found.trajectory(legs[:, 0])
    ).length
    assert np.allclose(legs[:, 1:], length, rtol=0, atol=1e-8)


def test_strokes_that_do_not_hold_are_exit_code_three(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, short: Path
) -> None:
    words = "cue", "positioner-300", str(short), "--out", str(tmp_path / "out")
    code, said, why = run(capfd, monkeypatch, *words)
    assert code == 3
    assert "within limits  False" in said
    assert "exceeds" in why or "beyond" in why
    code, _, why = run(capfd, monkeypatch, *words, "--scale", "some")
    assert code == 2
    assert "auto" in why


def test_the_made_up_drive_and_parameters_by_their_names(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    words = "cue", "motion-base-1500", "example", "--out", "out", "--scale", "0.5"
    given = "--set", "tilt_rate=0.04", "--set", "translation=2,2,3"
    code, said, _ = run(capfd, monkeypatch, *words, *given, "--json")
    assert code == 0
    facts = json.loads(said)
    law = cueing.ClassicalWashout(tilt_rate=0.04, translation=(2.0, 2.0, 3.0))
    found = cueing.cue(gough.load("motion-base-1500"), cueing.example_drive(), law, scale=0.5)
    assert facts["missed_sway"] == found.score.missed[1]
    assert facts["verdict"] == str(found.verdict)
    for bad in ("warmth=1", "tilt_rate=fast", "tilt_rate", "tilt_rate=-1"):
        code, _, why = run(capfd, monkeypatch, *words, "--set", bad)
        assert code == 2, bad
        assert "must" in why


def test_a_machine_without_limits_is_not_called_within_them(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = "cue", "dasgupta-1998-physical", "example", "--out", str(tmp_path / "out")
    code, said, _ = run(capfd, monkeypatch, *words)
    assert code == 0
    assert "no limits given: the machine limits no stroke" in said
    assert "within limits  no limits given" in said
    assert "True" not in said
