"""The commands import, export joints and joints through a real process: files, sentences, exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough as library
from gough.export import save_urdf

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"


def gough(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gough", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_import_writes_the_machine_and_says_what_it_left_out(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo's compiler")
    done = gough("import", FOREIGN / "servos.xml", "-o", tmp_path / "deck.toml")
    assert done.returncode == 0, done.stderr
    assert "is left to a controller" in done.stderr
    found = library.load(tmp_path / "deck.toml")
    assert found.kinds == ("RSS",) * 6
    again = library.importing.read_urdf(FOREIGN / "ros_loop_joints.urdf")
    assert again.kinds == ("UPS",) * 6


def test_import_refuses_with_the_reason(tmp_path: Path) -> None:
    alone = tmp_path / "alone.urdf"
    save_urdf(library.load("hexaglide"), alone)
    alone.with_suffix(".loops.json").unlink()
    out = tmp_path / "m.toml"
    for given, why in (
        ((alone, "-o", out), "nothing closes a loop"),
        ((alone, "-o", out, "--keyframe", "a"), "has no meaning for a .urdf file"),
        ((tmp_path / "a.sdf", "-o", out), "must end in .xml or .mjcf"),
    ):
        done = gough("import", *given)
        assert done.returncode == 2
        assert why in done.stderr
    assert not out.exists()


def test_joint_coordinates_out_and_in(tmp_path: Path) -> None:
    machine = library.load("hexaglide")
    home = machine.require_home()
    times = np.linspace(0.0, 1.0, 21)
    path = home.position + 0.01 * np.sin(times)[:, None] * np.array([1.0, 0.5, 1.0])
    motion = library.Motion(path, np.broadcast_to(home.rotation, (21, 3, 3)), time=times)
    library.export.write_csv(library.export.motion_table(motion), tmp_path / "motion.csv")
    table, back = tmp_path / "joints.csv", tmp_path / "back.csv"
    done = gough(
        "export", "joints", "hexaglide", tmp_path / "motion.csv", "--out", table, "--samples", "21"
    )
    assert done.returncode == 0, done.stderr
    assert "L1-drive [m]" in table.read_text().splitlines()[0]
    done = gough("joints", "hexaglide", table, "--out", back, "--samples", "21")
    assert done.returncode == 0, done.stderr
    found = library.trajectory.recorded(back)(times)
    assert np.abs(found.position - path).max() < 1e-6
