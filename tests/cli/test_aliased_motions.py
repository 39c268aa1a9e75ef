"""Motions that stand still at every one of 601 samples: what the commands say of their speeds and powers.

Two examples: ten minutes of sea at 0.5 Hz, whose samples, one a second, see 1e-13 m/s; and a motion of more than a
hundred kilowatts, whose samples see less than a microwatt.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.analysis
from gough.checks import InfeasibleError
from gough.cli.app import app
from gough.model import Limits, Platform

assert gough.cli.analysis
WAVE = """[trajectory]
kind = "harmonic"
center = {{ position = [0.0, 0.0, {height!r}] }}
amplitude = [0.0, 0.0, {amplitude}, 0.0, 0.0, 0.0]
frequency = {frequency}
phase = [0.0, 0.0, 1.5707963267948966, 0.0, 0.0, 0.0]
duration = {duration}
"""


def written(
    folder: Path, name: str, amplitude: float, frequency: float, duration: float, limits: Limits
) -> tuple[Platform, str, str]:
    """A machine and a wave in its height that is at its top at every sample, as files."""
    machine = gough.load("motion-base-1500")
    machine = machine.replace(legs=[leg.replace(limits=limits) for leg in machine.legs])
    wave = WAVE.format(
        height=float(machine.require_home().position[2]),
        amplitude=amplitude,
        frequency=frequency,
        duration=duration,
    )
    path = folder / f"{name}.toml"
    path.write_text(wave)
    return machine, str(gough.save(machine, folder / f"{name}-machine.toml")), str(path)


def test_a_sea_that_601_samples_see_as_still_is_refused(tmp_path: Path) -> None:
    limits = Limits(speed=0.05)
    machine, file, path = written(tmp_path, "sea", 0.1, 0.5, 600.0, limits)
    sea = gough.trajectory.load_trajectory(path)
    assert isinstance(sea, gough.trajectory.Trajectory)
    few = sea.sample(601)
    assert np.abs(gough.inverse_kinematics(machine, few).rate).max() < 1e-12
    for asked in ((), ("--samples", "601")):
        with pytest.raises(InfeasibleError, match=r"speed|rate"):
            CliRunner().invoke(app, ["limits", file, path, *asked], catch_exceptions=False)
    wide = machine.replace(legs=[leg.replace(limits=Limits(speed=0.5)) for leg in machine.legs])
    held = str(gough.save(wide, tmp_path / "wide.toml"))
    said = CliRunner().invoke(app, ["limits", held, path, "--json"], catch_exceptions=False)
    assert said.exit_code == 0
    assert json.loads(said.stdout)["proved"] is True


def test_a_hundred_kilowatts_that_601_samples_miss_are_sized(tmp_path: Path) -> None:
    """And the limit on efforts that they break is said to be broken, whatever samples are asked for."""
    machine, file, path = written(tmp_path, "shaker", 0.1, 10.0, 60.0, Limits(force=5e3))
    motion = gough.trajectory.load_trajectory(path)
    assert isinstance(motion, gough.trajectory.Trajectory)
    few, whole = motion.sample(601), motion(np.linspace(0.0, 0.2, 4001))
    seen, true = (
        float(
            np.abs(
                gough.inverse_dynamics(machine, m).force * gough.inverse_kinematics(machine, m).rate
            ).max()
        )
        for m in (few, whole)
    )
    assert seen < 1e-6
    assert true > 1e5
    said = CliRunner().invoke(app, ["size", file, path, "--json"], catch_exceptions=False)
    found = json.loads(said.stdout)
    largest = max(max(leg["peak_power"], -leg["peak_braking"]) for leg in found["legs"])
    assert largest == pytest.approx(true, rel=1e-5)
    assert any("exceeds" in sentence for sentence in found["overload"]), found["overload"]
    with pytest.raises(InfeasibleError, match=r"force|effort"):
        CliRunner().invoke(app, ["limits", file, path, "--samples", "601"], catch_exceptions=False)
    few_said = CliRunner().invoke(app, ["size", file, path, "--samples", "601", "--json"])
    assert any("contradict one another" in s for s in json.loads(few_said.stdout)["judged"])
