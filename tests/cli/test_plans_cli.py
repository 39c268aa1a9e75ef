"""gough plan-path: the way, the file that it writes, and what it says of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.plans
from campaigns.plan_campaign import valley
from gough.analysis.pacing import pace_proof
from gough.checks import InfeasibleError
from gough.cli.app import app
from gough.trajectory import load_trajectory
from gough.trajectory.base import Trajectory
from gough.trajectory.paced import paced_text

assert gough.cli.plans
START, END = "-0.2 0 0.6 0 0 0", "0.2 0 0.6 0 0 0"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["plan-path", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def machine(tmp_path: Path) -> str:
    return str(gough.save(valley()[0], tmp_path / "valley.toml"))


def test_a_detour_is_written_and_proved_as_it_is_read(machine: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    said = json.loads(
        run("--max-force", "80", "--out", str(file), "--json", "--", machine, START, END)
    )
    assert said["possible"] is True
    assert len(said["poses"]) > 2
    assert said["motion"]["proved"] is True
    motion = load_trajectory(file)
    assert isinstance(motion, Trajectory)
    assert motion.duration == said["motion"]["duration"]
    one, start, end = valley()
    ends = motion([0.0, motion.duration])
    np.testing.assert_allclose(ends.position, [start.position, end.position], atol=1e-12)
    np.testing.assert_allclose(ends.velocity, 0.0, atol=1e-12)
    force = gough.inverse_dynamics(one, motion.sample(4001), engine="python").force
    assert np.abs(force).max() <= 80.0
    assert pace_proof(one, motion, max_force=0.9 * np.abs(force).max()).ok is False


def test_in_words(machine: str) -> None:
    text = run(machine, START, END)  # numbers that begin with a minus are no options
    assert "a way is proved" in text
    assert "straight pieces" in text


def test_a_limit_on_jerk_is_proved_of_the_file(machine: str, tmp_path: Path) -> None:
    file, near = tmp_path / "plan.toml", "-0.2 0 0.65 0 0 0"
    limits = ("--max-force", "80", "--max-jerk", "100")
    said = json.loads(run(machine, START, near, *limits, "--out", str(file), "--json"))
    assert said["motion"]["proved"] is True
    motion = load_trajectory(file)
    assert isinstance(motion, Trajectory)
    one = valley()[0]
    assert pace_proof(one, motion, max_force=80.0, max_jerk=100.0).ok is True
    assert pace_proof(one, motion, max_force=80.0, max_jerk=50.0).ok is False


def test_poses_in_other_frames(machine: str) -> None:
    """The same two poses: seen from a work frame, and with a tool."""
    plain = json.loads(run(machine, START, "-0.15 0 0.6 0 0 0", "--json"))
    frames = ("--work", "100 0 0 0 0 0", "--tool", "0 0 -100 0 0 0", "--convention", "ZXZ")
    moved = json.loads(
        run(machine, "-300 0 500 0 0 0", "-250 0 500 0 0 0", *frames, "--mm", "--json")
    )
    for a, b in zip(plain["poses"], moved["poses"], strict=True):
        np.testing.assert_allclose(a["position"], b["position"], atol=1e-12)
        np.testing.assert_allclose(a["quaternion"], b["quaternion"], atol=1e-12)
    assert moved["poses"][0]["convention"] == "ZXZ"
    np.testing.assert_allclose(moved["poses"][0]["entered"][:3], [-0.3, 0.0, 0.5], atol=1e-12)


def test_an_option_that_does_not_exist_is_named(machine: str) -> None:
    result = CliRunner().invoke(app, ["plan-path", machine, START, END, "--max-jerks", "3"])
    assert result.exit_code == 2
    assert "No such option" in result.output


def test_an_end_that_is_refused(machine: str) -> None:
    with pytest.raises(InfeasibleError, match="the end itself is refused"):
        run("--", machine, START, "0 0 0.6 0 0 0")


def test_only_paced_straight_ways_are_written() -> None:
    with pytest.raises(gough.InputError, match="straight ways"):
        paced_text([gough.trajectory.hold(gough.Pose([0.0, 0.0, 1.0]), 1.0)])


@pytest.mark.parametrize(
    ("times", "speed", "field"),
    [
        ([0.0, 1.0], [0.0, 1.0], "speed"),
        ([0.0, 1.0], [-1.0, 3.0], "speed"),
        ([0.0, 1.0, 0.5], [0.0, 2.0, 0.0], "times"),
        ([0.0], [1.0], "times"),
    ],
)
def test_paces_that_do_not_lead_over_the_path(
    times: list[float], speed: list[float], field: str
) -> None:
    way = gough.trajectory.uniform(((0, 0, 1), (0, 0, 0)), ((0, 0, 2), (0, 0, 0)), 3.0)
    with pytest.raises(gough.InputError, match=field):
        gough.trajectory.paced(way, times, speed)


def test_a_pace_by_numbers() -> None:
    """Up and down in a triangle of speeds: ``z = 1 + t^2/2`` at first."""
    way = gough.trajectory.uniform(((0, 0, 1), (0, 0, 0)), ((0, 0, 2), (0, 0, 0)), 3.0)
    path = gough.trajectory.paced(way, [5.0, 6.0, 7.0], [0.0, 1.0, 0.0])
    at = path([0.0, 0.5, 1.0, 1.5, 2.0])
    np.testing.assert_allclose(at.position[:, 2], [1.0, 1.125, 1.5, 1.875, 2.0], atol=1e-15)
    np.testing.assert_allclose(at.velocity[:, 2], [0.0, 0.5, 1.0, 0.5, 0.0], atol=1e-15)
    np.testing.assert_allclose(at.acceleration[:, 2], [1.0, 1.0, -1.0, -1.0, -1.0], atol=1e-15)
