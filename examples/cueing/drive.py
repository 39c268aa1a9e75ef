"""Writes drive.csv: a minute in a car, made up but physical: pull away, lane change, bend, bumps, braking to rest.

    python examples/cueing/drive.py [FILE]
Speed and path curvature are smooth functions of time; accelerations, rates and body roll follow from them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

GRAVITY = 9.80665


def pulse(t: np.ndarray, start: float, end: float, ramp: float = 0.8) -> np.ndarray:
    """One between `start` and `end`, with smooth flanks."""
    step = lambda x: np.clip(x, 0.0, 1.0) ** 2 * (3.0 - 2.0 * np.clip(x, 0.0, 1.0))  # noqa: E731
    return step((t - start) / ramp) * step((end - t) / ramp)


def drive() -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) s and rows (n, 6): specific force (m/s^2) and angular rate (rad/s), vehicle axes x forward, z up."""
    t = np.linspace(0.0, 60.0, 6001)
    along = 2.5 * pulse(t, 2.0, 9.0) + 1.0 * pulse(t, 12.0, 18.0)
    brake = pulse(t, 46.0, 52.0)
    along -= brake * along.sum() / brake.sum()  # ends at rest
    speed = np.concatenate([[0.0], np.cumsum(0.5 * (along[1:] + along[:-1]) * np.diff(t))])
    swerve = np.sin(2.0 * np.pi * (t - 20.0) / 4.0) * pulse(t, 20.0, 24.0, 0.5)
    across = 3.0 * swerve + 3.2 * pulse(t, 27.0, 36.0, 1.5)  # m/s^2 to the left
    yaw_rate = np.where(speed > 1.0, across / np.maximum(speed, 1.0), 0.0)
    bumps = sum(
        1.8
        * np.sin(2.0 * np.pi * 2.5 * (t - at))
        * np.exp(-2.5 * np.maximum(t - at, 0.0))
        * (t >= at)
        for at in (38.0, 40.5, 42.0)
    )
    roll, pitch = -0.012 * across, 0.006 * along  # the body leans outwards and squats
    rates = np.stack([np.gradient(roll, t), np.gradient(pitch, t), yaw_rate], axis=1)
    force = np.stack(
        [
            along - GRAVITY * np.sin(pitch),
            across + GRAVITY * np.sin(roll),
            GRAVITY * np.cos(roll) + bumps,
        ],
        axis=1,
    )
    return t, np.concatenate([force, rates], axis=1)


def main() -> None:
    """Write the file."""
    t, rows = drive()
    target = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("drive.csv"))
    lines = ["time,fx,fy,fz,p,q,r"]
    lines += [
        ",".join(f"{x:.5g}" for x in (when, *row))
        for when, row in zip(t[::2], rows[::2], strict=True)
    ]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
