"""Synthetic readings: a machine with planted errors, measured in the computer, to try a calibration beforehand.

    true number  = nominal + error e,     e normal with standard deviation 1; lengths by `error` (m), directions and
                   angles by `error` over the machine's characteristic length, scales by that share of themselves
    reading      = what the true machine's encoders and perfect sensors show + sigma e
Nothing here was measured; what is found tells how well such measurements would do, not what a machine is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, number, six
from gough.kinematics.encoders import readings
from gough.kinematics.inverse import inverse_kinematics
from gough.metrology.legs_seen import legs_seen
from gough.metrology.sensors import MeasuringSensor, PoseSensor
from gough.metrology.unknowns import FINE, unknowns
from gough.model import Platform
from gough.model.numbers import places, with_numbers
from gough.spatial import Pose, rotation_exp
from gough.struts import struts

LARGEST = 0.05  # of the machine's size: errors beyond are no errors of building


@dataclass(frozen=True, eq=False)
class SyntheticReadings:
    """What was planted and read.

    platform   the machine with its planted errors;   pose   where it stood: those of the poses that it reaches
    planted    true values of the unknowns by name
    length, readings, sigma   as `calibrate` takes them
    """

    platform: Platform
    pose: Pose
    planted: Mapping[str, float]
    length: Array
    readings: Mapping[str, tuple[MeasuringSensor, Any]]
    sigma: Array


def synthetic_readings(
    platform: Platform,
    poses: Pose,
    sensors: Mapping[str, MeasuringSensor],
    *,
    sigma: float | ArrayLike,
    error: float,
    find: Sequence[str] | str | None = None,
    seed: int = 0,
) -> SyntheticReadings:
    """Readings of a machine whose numbers `find` (as in `calibrate`) are off, at poses (n,).

    sigma   standard deviation of the encoders, one or six, m (rad);   error   of the machine's lengths, m
    """
    error = number("error", error, minimum=0.0)
    if error > LARGEST * platform.characteristic_length:
        most = f"{LARGEST * platform.characteristic_length:.3g} m"
        raise InputError("error", error, f"must be at most {most}: 5 % of the machine's size")
    spread = np.broadcast_to(six("sigma", sigma), (6,))
    wanted, rng = unknowns(platform, find), np.random.default_rng(seed)
    share = error / (FINE * platform.characteristic_length)
    now = places(platform)
    off = share * wanted.sizes * rng.normal(size=len(wanted.names))
    numbers = {
        name: now[name].value + x for name, x in zip(wanted.names, off.tolist(), strict=True)
    }
    true = with_numbers(platform, numbers)
    poses = poses[struts(true, poses).reachable.all(axis=-1)]
    if not len(poses):
        raise InfeasibleError("the machine with its planted errors reaches none of these poses")
    coordinate = inverse_kinematics(true, poses).length
    length = readings(true, coordinate + spread * rng.normal(size=coordinate.shape))
    legs = legs_seen(true, poses, ())
    read: dict[str, tuple[MeasuringSensor, Any]] = {}
    for name, sensor in sensors.items():
        noise = sensor.spread() * rng.normal(size=(len(poses), len(sensor.spread())))
        if isinstance(sensor, PoseSensor):
            turned = rotation_exp(noise[:, 3:]) @ poses.rotation
            read[name] = (sensor, Pose(poses.position + noise[:, :3], turned))
        else:
            read[name] = (sensor, sensor.expected(legs, poses) + noise)
    known = places(true)
    planted = {name: known[name].value for name in wanted.names}
    return SyntheticReadings(true, poses, planted, length, read, spread)
