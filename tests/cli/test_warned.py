"""Poses and motions outside the limits, or absurd, are warned of on stderr; stdout and exit codes stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.analysis
import gough.cli.export
import gough.cli.fk
import gough.cli.machine
import gough.cli.metrology
import gough.cli.places
import gough.cli.report
import gough.cli.simulate
import gough.cli.worst
from gough.cli.app import app
from gough.cli.warned import FAR, far_away, many_turns, outside

MACHINE = "positioner-300"
FAR_AWAY = "were millimeters meant?"
BROKEN = "is outside the limits"


def run(*arguments: str | Path) -> Any:
    """stdout, stderr, exit code and error of a command."""
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    if isinstance(found.exception, Exception) and not isinstance(found.exception, gough.GoughError):
        raise found.exception
    return found


def motion_file(folder: Path, height: float) -> Path:
    """A wave whose top is `height` (m) above home."""
    x, y, z = gough.load(MACHINE).require_home().position.tolist()
    path = folder / "wave.toml"
    path.write_text(
        f"""[trajectory]
kind = "harmonic"
center = {{ position = [{x}, {y}, {z + height}] }}
amplitude = [0.001, 0.0, 0.0, 0.0, 0.0, 0.0]
frequency = 1.0
duration = 1.0
"""
    )
    return path


def test_sentences() -> None:
    platform = gough.load(MACHINE)
    home = platform.require_home()
    assert outside(platform, home) == []
    assert far_away(platform, gough.Pose([0.0, 0.0, 220.0])) != []
    assert far_away(platform, gough.Pose([0.0, 0.0, 1.0])) == []
    above = gough.Pose(home.position + np.array([0.0, 0.0, 0.1]))
    said = outside(platform, above)
    assert len(said) == 4
    assert said[0].startswith("the pose is outside the limits: L")
    assert said[-1].endswith("more limits are broken")
    t = np.array([0.0, 1.0, 2.0])
    motion = gough.Motion(np.stack([home.position, above.position, home.position]), time=t)
    assert all("(at 1 s)" in one for one in outside(platform, motion, "the motion x")[:3])
    pushed = np.zeros((3, 6))
    pushed[2, 4] = 1e9
    still = gough.Motion(np.stack([home.position] * 3), time=t)
    assert outside(platform, still) == []
    (only,) = outside(platform, still, "the motion x", pushed)
    assert "L5: effort" in only
    assert "(at 2 s)" in only
    assert many_turns("pose", [0.0, 6.2]) == []
    assert "859.4°" in many_turns("pose", [0.0, -15.0])[0]


def test_the_scale_is_the_machine_s() -> None:
    """The same sentence for a machine of any size: what is absurd for one is home for another."""
    small, large = gough.load(MACHINE), gough.load("motion-base-1500")
    size = 0.3
    pose = gough.Pose([0.0, 0.0, 1.1 * FAR * size])
    assert far_away(small, pose)
    assert not far_away(large, pose)


def test_fixed_links_are_told() -> None:
    platform = gough.load("telescope-secondary")
    (said,) = outside(
        platform, gough.Pose(platform.require_home().position + np.array([0, 0, 0.01]))
    )
    assert said.startswith("the pose: ")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("ik", MACHINE, "0 0 220 0 0 0"), FAR_AWAY),
        (("ik", MACHINE, "0 0 0.22 0 0 15"), "were degrees meant?"),
        (("travel", MACHINE, "--pose", "0 0 0.25 0 0 0"), BROKEN),
        (("modes", MACHINE, "--pose", "0 0 0.3 0 0 0"), BROKEN),
        (("fk", MACHINE, "0.3 0.3 0.3 0.3 0.3 0.3"), "the pose found " + BROKEN),
        (("fk", MACHINE, "0.24 0.24 0.24 0.24 0.24 0.24", "--guess", "0 0 0.3 0 0 0"), BROKEN),
        (("worst", MACHINE, "--box", "0.1 0 0", "--boxes", "1"), "a corner of the box " + BROKEN),
    ],
)
def test_poses_of_commands(command: tuple[str, ...], words: str) -> None:
    plain, told = run(*command), run(*command, "--json")
    assert words in " ".join(plain.stderr.split())
    assert "warning: " in plain.stderr
    assert "warning: " not in plain.stdout
    assert plain.exit_code == told.exit_code
    if told.stdout:
        assert any(words in said for said in json.loads(told.stdout)["warnings"])


def test_nothing_is_warned_of_where_nothing_is_wrong() -> None:
    found = run("ik", MACHINE, "0 0 220 mm 0 0 1 deg", "--json")
    assert found.exit_code == 0
    assert "warning" not in found.stderr
    assert "warnings" not in json.loads(found.stdout)


def test_motions_of_commands(tmp_path: Path) -> None:
    high, far = motion_file(tmp_path, 0.1), tmp_path / "far.toml"
    far.write_text(high.read_text().replace("0.001", "100.0"))
    out = tmp_path / "out"
    some = ("--samples", "11")
    for motion, words in ((high, BROKEN), (far, FAR_AWAY)):
        commands: list[tuple[str | Path, ...]] = [
            ("size", MACHINE, motion, *some, "--json"),
            ("report", MACHINE, motion, "--out", tmp_path / "page.html", *some),
            ("export", "joints", MACHINE, motion, "--out", tmp_path / "joints.csv", *some),
        ]
        commands += [("forces", MACHINE, motion, "--out", out, "--no-figures", *some, "--json")]
        for command in commands:
            found = run(*command)
            assert words in " ".join(found.stderr.split()), command
            assert "warning: " not in found.stdout
            if "--json" in command and found.stdout:
                assert any(words in said for said in json.loads(found.stdout)["warnings"])
    found = run("limits", MACHINE, far, *some)
    assert FAR_AWAY in " ".join(found.stderr.split())


def test_scenarios(tmp_path: Path) -> None:
    scenario = tmp_path / "run.toml"
    scenario.write_text(
        'title = "high"\nduration = 0.002\nstep = 0.001\n[start]\nposition = [0.0, 0.0, 0.3]\n'
    )
    found = run("simulate", MACHINE, scenario, "--out", tmp_path / "o", "--no-plot", "--no-report")
    assert "the start " + BROKEN in " ".join(found.stderr.split())
    assert "warning: " not in found.stdout
