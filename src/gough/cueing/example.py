"""A made-up drive for a first try: twenty seconds in a car that nobody drove, in closed form."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.cueing.recording import GRAVITY, Telemetry

DURATION = 20.0  # s
STEP = 0.02  # s
SPEED = 8.0  # m/s, at the beginning
LEAN, SQUAT = 0.012, 0.006  # rad per m/s^2: how the body rolls outwards and pitches


def example_drive() -> Telemetry:
    """Made up, not measured: speeding up, a change of lanes, a bump, slowing down; 20 s in steps of 20 ms.

    The accelerations a along and b across the way (m/s^2) are smooth bells in time; the body leans by
    ``roll = -LEAN b``, ``pitch = SQUAT a``.  Specific force and rates follow, in vehicle axes:

        f = (a - g sin pitch, b + g sin roll, g cos roll + bump)      p, q = roll', pitch'      r = b / speed
    """
    t = np.linspace(0.0, DURATION, round(DURATION / STEP) + 1)
    away, stop = _bell(t, 3.5, 1.2), _bell(t, 16.0, 1.0)
    left, right = _bell(t, 8.0, 0.6), _bell(t, 10.0, 0.6)
    along, along_rate = (2.5 * x - 3.0 * y for x, y in zip(away, stop, strict=True))
    across, across_rate = (3.0 * (x - y) for x, y in zip(left, right, strict=True))
    roll, pitch = -LEAN * across, SQUAT * along
    bump = 1.5 * _bell(t, 13.0, 0.25)[0] * np.sin(2.0 * np.pi * 2.0 * (t - 13.0))
    force = (
        along - GRAVITY * np.sin(pitch),
        across + GRAVITY * np.sin(roll),
        GRAVITY * np.cos(roll) + bump,
    )
    gained = np.cumsum(0.5 * STEP * (along[1:] + along[:-1]))
    speed = SPEED + np.concatenate([[0.0], gained])
    rate = -LEAN * across_rate, SQUAT * along_rate, across / speed
    return Telemetry(t, np.stack(force, axis=-1), np.stack(rate, axis=-1))


def _bell(t: Array, middle: float, width: float) -> tuple[Array, Array]:
    """``exp(-u^2/2)``, u = (t - middle)/width, and its rate."""
    u = (t - middle) / width
    bell = np.exp(-0.5 * u**2)
    return bell, -u / width * bell
