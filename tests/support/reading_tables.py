"""Readings files with their tables, for tests of calibrations from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.metrology import reachable_poses
from gough.metrology.sensors import PoseSensor
from gough.metrology.trials import SyntheticReadings, synthetic_readings

FILE = """
readings = "readings.csv"
[encoders]
sigma = "5 um"
[sensors.tracker]
kind = "pose"
position_sigma = "20 um"
rotation_sigma = "20 urad"
"""


def write_readings(
    folder: Path, name: str = "motion-base-1500", count: int = 20, **more: Any
) -> SyntheticReadings:
    """A readings file and its table beside it: a machine off by 0.5 mm, read by encoders and a tracker."""
    platform = gough.load(name)
    poses = reachable_poses(platform, count, 4)
    sensors = {"tracker": PoseSensor(2e-5, 2e-5)}
    given: dict[str, Any] = {"sigma": 5e-6, "error": 5e-4, "seed": 9} | more
    trial = synthetic_readings(platform, poses, sensors, **given)
    at = trial.readings["tracker"][1]
    rows = np.concatenate([trial.length, at.position, at.rpy], axis=1)
    heads = [*platform.leg_names, "x", "y", "z", "roll", "pitch", "yaw"]
    lines = [",".join(heads), *(",".join(map(repr, row)) for row in rows.tolist())]
    (folder / "readings.csv").write_text("\n".join(lines))
    (folder / "readings.toml").write_text(FILE)
    return trial
