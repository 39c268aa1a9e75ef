"""The tasks: what is to be reached, and where the machine starts.

hold   from anywhere within the reach to home, and stay there (balance)
reach  from anywhere within the reach to a pose drawn within it, and stay there
track  follow a trajectory, from near its start
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.limits import check
from gough.model import Platform
from gough.simulation.gym.ranges import Ranges
from gough.spatial import Motion, Pose
from gough.trajectory import LegTrajectory, harmonic

TASKS = ("hold", "reach", "track")
NEAR = 0.1  # of the reach: where a tracking episode starts
USUAL = (
    0.5,
    0.3,
    0.2,
)  # of the reach: amplitudes of the trajectory that is tracked if none is given
FREQUENCIES = (0.5, 1.0, 1.5)  # Hz


class Goal(NamedTuple):
    """What every environment shall do at the end of the coming period: (n or 1, ...) motion and legs."""

    position: Array
    rotation: Array
    velocity: Array
    angular_velocity: Array
    coordinate: Array
    rate: Array


def usual_trajectory(home: Pose, ranges: Ranges, duration: float) -> Any:
    """Three sines in each coordinate, of one phase each, within the reach."""
    size = np.repeat([ranges.reach, ranges.tilt], 3)
    amplitude = np.outer(USUAL, size) * [
        [1, 1, 1, 1, 1, 1],
        [1, -1, 1, -1, 1, -1],
        [1, 1, -1, -1, 1, 1],
    ]
    phase = np.arange(6.0) * np.pi / 3
    return harmonic(home, amplitude, FREQUENCIES, np.tile(phase, (3, 1)), duration=duration)


def table(machines: Sequence[Platform], trajectory: Any, period: float, count: int) -> Goal:
    """The trajectory at the ends of all periods: (count + 1, 1 or n, ...); its last pose is held."""
    if isinstance(trajectory, LegTrajectory):
        trajectory = trajectory.on(machines[0])
    if not callable(trajectory):
        allowed = "must be a trajectory, or a function of time to a gough.Motion"
        raise InputError("trajectory", trajectory, allowed)
    time = period * np.arange(count + 1)
    end = float(getattr(trajectory, "duration", np.inf))
    each = [trajectory(float(min(t, end))) for t in time]
    if not all(isinstance(m, Motion) and m.shape == () for m in each):
        raise InputError("trajectory", each[0], "must answer one gough.Motion for a time")
    t, R = (np.stack([getattr(m, name) for m in each]) for name in ("position", "rotation"))
    moving = (time < end * (1 + 1e-12))[:, None]
    v, w = (
        np.where(moving, np.stack([getattr(m, name) for m in each]), 0.0)
        for name in ("velocity", "angular_velocity")
    )
    motion, legs = Motion(t, R, v, w), []
    for machine in machines:
        judged = check(machine, motion)
        if not judged.ok.all():
            raise InputError("trajectory", machine.name, judged.sentences()[0])
        legs.append(inverse_kinematics(machine, motion))
    coordinate, rate = (
        np.stack([getattr(leg, n) for leg in legs], axis=1) for n in ("length", "rate")
    )
    return Goal(t, R, v, w, coordinate, rate)


def at_age(goals: Goal, age: NDArray[np.intp]) -> Goal:
    """The goals of environments of different ages."""
    k = np.minimum(age + 1, len(goals.position) - 1)
    run = np.arange(len(k)) % goals.coordinate.shape[1]
    legs = (a[k, run] for a in (goals.coordinate, goals.rate))
    return Goal(*(a[k] for a in goals[:4]), *legs)
