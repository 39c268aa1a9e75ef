"""What a vehicle's occupant feels: specific force and angular rate over time, from a file or from arrays.

Axes of the vehicle: x forward, y left, z up.  Specific force is what an accelerometer shows, ``f = a - g``: standing
still on level ground it is (0, 0, 9.80665) m/s^2.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array
from gough.frozen import hinted
from gough.spatial import rotation_from_rpy
from gough.trajectory.recorded import read_columns
from gough.trajectory.waypoints import check_knots

GRAVITY = 9.80665
MOST = 2_000_000  # samples of an even grid
COLUMNS = {
    "specific force": (("fx", "fy", "fz"), "acceleration"),
    "acceleration": (("ax", "ay", "az"), "acceleration"),
    "rate": (("p", "q", "r"), "rate"),
    "angles": (("roll", "pitch", "yaw"), "angle"),
}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Telemetry(Frozen):
    """A vehicle's motion as it is felt, on an even time grid.

    time            (n,) s, even, from 0
    specific_force  (n, 3) m/s^2, vehicle axes, gravity included
    angular_rate    (n, 3) rad/s, vehicle axes
    """

    time: Array
    specific_force: Array
    angular_rate: Array

    def __post_init__(self) -> None:
        time = array("time", self.time)
        if time.ndim != 1 or len(time) < 2:
            raise InputError("time", f"shape {time.shape}", "must be two times or more")
        gaps = np.diff(time)
        if time[0] != 0.0 or not (np.abs(gaps - gaps[0]) <= 1e-6 * gaps[0]).all():
            raise InputError("time", "no even grid from 0", "must be one: `telemetry` lays it")
        object.__setattr__(self, "time", time)
        for name in ("specific_force", "angular_rate"):
            value = array(name, getattr(self, name), (3,))
            if value.shape != (len(time), 3):
                allowed = f"must have shape ({len(time)}, 3)"
                raise InputError(name, f"shape {value.shape}", allowed)
            object.__setattr__(self, name, value)

    @property
    def step(self) -> float:
        """Time between samples, s."""
        return float(self.time[1] - self.time[0])

    @property
    def duration(self) -> float:
        """s"""
        return float(self.time[-1])


def telemetry(
    time: ArrayLike, specific_force: ArrayLike, angular_rate: ArrayLike | None = None
) -> Telemetry:
    """Telemetry from samples; uneven times are laid on an even grid of their median step by straight lines."""
    f = array("specific_force", specific_force, (3,))
    if f.ndim != 2:
        raise InputError("specific_force", f"shape {f.shape}", "must have shape (n, 3)")
    w = np.zeros_like(f) if angular_rate is None else array("angular_rate", angular_rate, (3,))
    if w.shape != f.shape:
        raise InputError("angular_rate", f"shape {w.shape}", f"must have shape {f.shape}")
    t = check_knots("time", time, len(f))
    h = float(np.median(np.diff(t)))
    count = round(t[-1] / h) + 1
    if count > MOST:
        raise InputError("time", f"{count} samples on an even grid", f"must not exceed {MOST}")
    even = np.linspace(0.0, t[-1], max(count, 2))
    if len(even) == len(t) and np.allclose(even, t, rtol=0.0, atol=1e-6 * h):
        return Telemetry(even, f, w)
    laid = [np.stack([np.interp(even, t, column) for column in a.T], axis=-1) for a in (f, w)]
    return Telemetry(even, *laid)


def load_telemetry(path: str | os.PathLike[str]) -> Telemetry:
    """Telemetry from a CSV file: a header, then numbers; a column is ``name`` or ``name [unit]`` (SI without unit).

    time                    s, increasing
    fx fy fz                specific force, or
    ax ay az                acceleration without gravity, which is added along ``roll pitch`` (level where not given)
    p q r                   angular rates, vehicle axes, or from ``roll pitch yaw``; none: no rotation
    """
    file = Path(path)
    data = read_columns(file, COLUMNS, "telemetry")
    if "time" not in data:
        raise InputError(f"{file.name}: time", "missing", "must be there")
    if ("specific force" in data) == ("acceleration" in data):
        allowed = "must hold either fx, fy, fz or ax, ay, az"
        raise InputError(file.name, "both or neither", allowed)
    time, angles = data["time"], data.get("angles")
    if len(time) > 1 and not (np.diff(time) > 0).all():
        raise InputError(f"{file.name}: time", "not increasing", "must increase")
    force = data.get("specific force")
    if force is None:
        up = np.array([0.0, 0.0, GRAVITY])
        force = data["acceleration"] + (
            up if angles is None else rotation_from_rpy(angles)[:, 2] * GRAVITY
        )
    rate = data.get("rate")
    if rate is None and angles is not None:
        rate = _rates(time, angles)
    return telemetry(time, force, rate)


def _rates(time: Array, angles: Array) -> Array:
    """Angular rates in vehicle axes of angles over time: ``p = roll' - yaw' sin(pitch)`` and so on."""
    rpy = np.unwrap(angles, axis=0)
    d = np.gradient(rpy, time, axis=0, edge_order=1)
    (phi, theta), (s, c) = rpy[:, :2].T, (np.sin, np.cos)
    return np.stack(
        [
            d[:, 0] - d[:, 2] * s(theta),
            d[:, 1] * c(phi) + d[:, 2] * s(phi) * c(theta),
            -d[:, 1] * s(phi) + d[:, 2] * c(phi) * c(theta),
        ],
        axis=-1,
    )
