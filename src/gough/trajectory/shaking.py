"""Recorded accelerations (earthquakes, transport, road) as a motion: integrated exactly, drift removed and told.

Between two samples the acceleration is a straight line, so velocity and position are polynomials.  A record never ends
at rest by itself; ``c0 + c1 t`` is taken off the acceleration such that the motion ends at rest where it began.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array, number
from gough.documents.source import read_text
from gough.spatial import Motion
from gough.trajectory.base import Endpoint, Trajectory, endpoint
from gough.trajectory.recorded import check_file, read_columns
from gough.trajectory.waypoints import check_knots

LARGEST = 50_000_000  # bytes of a record
STANDARD_GRAVITY = 9.80665
COLUMNS = {"acceleration": (("ax", "ay", "az"), "acceleration")}


@dataclass(frozen=True, eq=False)
class Shaking(Trajectory):
    """Translation under a piecewise linear acceleration.

    knots (n,) s; position, velocity, acceleration (n, 3) at the knots, world axes
    removed  (2, 3) c0 (m/s^2) and c1 (m/s^3) of the straight line taken off the record
    """

    start: Endpoint
    knots: Array
    position: Array
    velocity: Array
    acceleration: Array
    removed: Array

    @property
    def duration(self) -> float:  # type: ignore[override]
        return float(self.knots[-1])

    def evaluate(self, t: Array) -> Motion:
        i = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        u = (t - self.knots[i])[..., None]
        h = (self.knots[i + 1] - self.knots[i])[..., None]
        x, v, a = self.position[i], self.velocity[i], self.acceleration[i]
        j = (self.acceleration[i + 1] - a) / h
        return Motion(
            self.start.position + x + u * (v + u * (a / 2 + u * j / 6)),
            self.start.rotation,
            v + u * (a + u * j / 2),
            np.zeros(3),
            a + u * j,
            np.zeros(3),
            t,
        )


def shaking(
    start: object, times: ArrayLike, acceleration: ArrayLike, *, correct: bool = True
) -> Shaking:
    """The motion of the platform whose acceleration (n, 3), m/s^2, world axes, is given at `times` (s), from rest.

    correct  take off the straight line that makes it end at rest where it began (`Shaking.removed` tells which)
    """
    a = array("acceleration", acceleration, (3,))
    if a.ndim != 2:
        raise InputError("acceleration", f"shape {a.shape}", "must have shape (n, 3)")
    t = check_knots("times", times, len(a))
    removed = np.zeros((2, 3))
    if correct:
        T = t[-1]
        x, v = (part[-1] for part in _integrated(t, a))
        removed = np.linalg.solve([[T, T**2 / 2], [T**2 / 2, T**3 / 6]], np.stack([v, x]))
        a = a - removed[0] - t[:, None] * removed[1]
    return Shaking(endpoint("start", start), t, *_integrated(t, a), a, removed)


def _integrated(t: Array, a: Array) -> tuple[Array, Array]:
    """Position and velocity (n, 3) at the knots, from rest."""
    h = np.diff(t)[:, None]
    zero = np.zeros((1, 3))
    v = np.concatenate([zero, np.cumsum(h * (a[1:] + a[:-1]) / 2, axis=0)])
    x = np.cumsum(h * v[:-1] + h**2 * (a[:-1] / 3 + a[1:] / 6), axis=0)
    return np.concatenate([zero, x]), v


def load_shaking(
    start: object,
    path: str | os.PathLike[str],
    *,
    coordinate: str = "x",
    scale: float = 1.0,
    correct: bool = True,
) -> Shaking:
    """A record of accelerations from a file.

    CSV: columns time, ax, ay, az (``ax [g0]``: units in the header, SI without).  PEER (.at2): one component in g,
    along `coordinate` x, y or z.  `scale` multiplies the accelerations.
    """
    factor = number("scale", scale)
    file = check_file("path", path, "a CSV or AT2 file of accelerations")
    if file.suffix.lower() == ".at2":
        if coordinate not in ("x", "y", "z"):
            raise InputError("coordinate", coordinate, "must be x, y or z")
        dt, values = read_at2(file)
        a = np.zeros((len(values), 3))
        a[:, "xyz".index(coordinate)] = values
        return shaking(start, dt * np.arange(len(values)), factor * a, correct=correct)
    data = read_columns(file, COLUMNS)
    for name in ("time", "acceleration"):
        if name not in data:
            columns = "time" if name == "time" else "ax, ay, az"
            raise InputError(f"{file.name}: {columns}", "missing", "must be there")
    return shaking(start, data["time"], factor * data["acceleration"], correct=correct)


def read_at2(file: Path) -> tuple[float, Array]:
    """Sample time (s) and accelerations (m/s^2) of a record in the format of the PEER data base."""
    lines = read_text(file, "record", LARGEST, file.name).splitlines()
    head = " ".join(lines[:4])
    count = re.search(r"NPTS\s*=\s*(\d{1,12})\b", head, re.IGNORECASE)
    step = re.search(r"DT\s*=\s*([0-9.eE+-]+)", head, re.IGNORECASE)
    if len(lines) < 5 or count is None or step is None:
        raise InputError(
            file.name, "its first four lines", "must say NPTS= and DT=, as PEER files do"
        )
    try:
        values = np.array(" ".join(lines[4:]).split(), dtype=float)
        dt = float(step[1])
    except ValueError:
        raise InputError(
            file.name, "a cell that is no number", "must hold numbers after line 4"
        ) from None
    if len(values) != int(count[1]) or len(values) < 2:
        raise InputError(
            file.name,
            f"{len(values)} values",
            f"must be the {count[1]} that NPTS promises, two at least",
        )
    if not np.isfinite(values).all() or not 0.0 < dt < 1e6:
        raise InputError(file.name, "NaN, infinity or a bad DT", "must be finite, DT positive")
    return dt, STANDARD_GRAVITY * values
