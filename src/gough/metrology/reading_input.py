"""Readings as they are given to a calibration: checked, and the poses that a fit of them starts from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.checks import Array, InfeasibleError, InputError, array
from gough.kinematics.encoders import from_readings
from gough.kinematics.forward import forward_kinematics
from gough.metrology.sensors import MeasuringSensor, PoseSensor
from gough.model import Platform
from gough.spatial import Pose


def checked_readings(
    readings: Mapping[str, Any], count: int
) -> dict[str, tuple[MeasuringSensor, Any]]:
    """Sensors and readings, checked."""
    checked: dict[str, tuple[MeasuringSensor, Any]] = {}
    for name, pair in dict(readings).items():
        if not (
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], MeasuringSensor)
        ):
            raise InputError(f"readings.{name}", pair, "must be a sensor and what it read")
        sensor, read = pair
        if isinstance(sensor, PoseSensor):
            if not isinstance(read, Pose) or read.shape != (count,):
                raise InputError(f"readings.{name}", type(read).__name__, f"must be {count} poses")
        else:
            width = len(sensor.spread())
            read = array(f"readings.{name}", read)
            read = read[:, None] if read.ndim == 1 and width == 1 else read
            if read.shape != (count, width):
                raise InputError(
                    f"readings.{name}", np.shape(read), f"must be ({count}, {width}) numbers"
                )
        checked[str(name)] = (sensor, read)
    return checked


def start_poses(
    platform: Platform,
    lam: Array,
    measured: Mapping[str, tuple[MeasuringSensor, Any]],
    start: Pose | None,
) -> Pose:
    """Where a fit starts: `start`, else what a `PoseSensor` read, else forward kinematics of the nominal machine."""
    if start is not None:
        if start.shape != (len(lam),):
            raise InputError("start", start.shape, f"must be {len(lam)} poses")
        return start
    for sensor, read in measured.values():
        if isinstance(sensor, PoseSensor):
            return read
    found = forward_kinematics(platform, from_readings(platform, lam), certify=False)
    lost = ~np.isfinite(found.pose.position).all(axis=-1)
    if lost.any():
        row = int(np.argmax(lost))
        raise InfeasibleError(
            f"reading {row + 1}: the nominal machine has no pose near home with these coordinates; give start="
        )
    return found.pose
