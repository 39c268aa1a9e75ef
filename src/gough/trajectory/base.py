"""What every trajectory is: a frozen callable from time to Motion.

Times run from 0 to `duration`.  Where an acceleration jumps (the ends of a blend, the joints of a sequence)
the value is the limit from the right; at ``t = duration`` it is the limit from the left.  `breaks` lists
those times.  A time within 1e-12 of the duration of a break counts as that break, so that ``0.1 *
arange(61)`` meets them all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, Frozen, InputError, array, number, vector
from gough.spatial import (
    Motion,
    Pose,
    rotation_from_rpy,
    rpy_rate_matrix,
    rpy_rate_matrix_dot,
)

BREAK = 1e-12  # of the duration: two times closer than this are the same time
MOST = 50_000_000  # samples of a time grid
OUTSIDE = 1e-9  # of the duration: rounding of a time grid beyond the ends that is accepted


class Trajectory(Frozen, ABC):
    """A motion of the platform over ``0 <= t <= duration`` (s)."""

    duration: float

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times inside the trajectory where the acceleration may jump, s."""
        return ()

    @abstractmethod
    def evaluate(self, t: Array) -> Motion:
        """The motion at checked times; `__call__` is the public door."""

    def __call__(self, t: ArrayLike) -> Motion:
        """Pose, twist and acceleration at `t` (scalar or any batch shape), world axes, with ``.time`` set."""
        return self.evaluate(check_times(t, self.duration))

    def sample(self, samples: int | None = None, dt: float | None = None) -> Motion:
        """The motion on an even time grid: `samples` points, or every `dt` s (the end is always included)."""
        return self(time_grid(self.duration, samples, dt))


def check_times(t: ArrayLike, duration: float) -> Array:
    """`t` as an array inside [0, duration]; at least one time."""
    t = array("t", t)
    if t.size == 0:
        raise InputError("t", "an empty array", "must hold at least one time")
    slack = OUTSIDE * duration
    if t.min() < -slack or t.max() > duration + slack:
        raise InputError(
            "t",
            [float(t.min()), float(t.max())],
            f"must lie in the trajectory, 0 to {duration:.9g} s",
        )
    return np.minimum(np.maximum(t, 0.0), duration)


def time_grid(duration: float, samples: int | None = None, dt: float | None = None) -> Array:
    """Even times over [0, duration]: `samples` of them (601), or every `dt` with the end added."""
    if samples is not None and dt is not None:
        raise InputError("dt", dt, "give samples or dt, not both")
    if dt is not None:
        dt = number("dt", dt, above=0.0)
        if dt > duration:
            raise InputError("dt", dt, f"must not exceed the duration, {duration:.9g} s")
        n = np.floor(duration / dt * (1 + OUTSIDE))
        if n > MOST:
            raise InputError("dt", dt, f"gives more than {MOST} samples")
        grid = np.minimum(dt * np.arange(int(n) + 1), duration)
        if duration - grid[-1] > OUTSIDE * duration:
            grid = np.append(grid, duration)
        return grid
    samples = 601 if samples is None else samples
    whole = isinstance(samples, (int, np.integer)) and not isinstance(samples, bool)
    if not whole or not 2 <= samples <= MOST:
        raise InputError("samples", samples, f"must be a whole number from 2 to {MOST}")
    return np.linspace(0.0, duration, int(samples))


def reached(t: Array, time: float, duration: float) -> NDArray[np.bool_]:
    """True where `t` has reached `time` (within `BREAK`): the right-continuous comparison."""
    return np.asarray(t >= time - BREAK * duration)


@dataclass(frozen=True, eq=False)
class Endpoint(Frozen):
    """A pose with the angles that name it: position (3,) m, rpy (3,) rad, rotation (3, 3)."""

    position: Array
    rpy: Array
    rotation: Array

    @property
    def pose(self) -> Pose:
        """As a Pose."""
        return Pose(self.position, self.rotation)


def endpoint(field: str, value: object, near: Endpoint | None = None) -> Endpoint:
    """From a Pose or a pair (position, rpy).

    A pair keeps its angles as they are, full turns included.  A Pose knows only its matrix: its angles are
    taken within half a turn of those of `near`.
    """
    if isinstance(value, Pose):
        if value.shape != ():
            raise InputError(field, f"a batch of poses {value.shape}", "must be a single pose")
        rpy = value.rpy
        if near is not None:
            rpy = rpy - 2 * np.pi * np.round((rpy - near.rpy) / (2 * np.pi))
        return Endpoint(value.position, rpy, value.rotation)
    if isinstance(value, Motion):
        return endpoint(field, value.pose, near)
    try:
        position, angles = value  # type: ignore[misc]
    except Exception:  # whatever a foreign object does when it is taken apart
        raise InputError(field, value, "must be a gough.Pose or a pair (position, rpy)") from None
    angles = vector(f"{field}.rpy", angles)
    return Endpoint(vector(f"{field}.position", position), angles, rotation_from_rpy(angles))


def rpy_motion(rpy: Array, rate: Array, acceleration: Array) -> tuple[Array, Array, Array]:
    """Rotation, omega and alpha (world axes) of angles moving in time.

    ``omega = J_A rpy'``, ``alpha = J_A rpy'' + J_A' rpy'``.
    """
    J, J_dot = rpy_rate_matrix(rpy), rpy_rate_matrix_dot(rpy, rate)
    omega = (J @ rate[..., None])[..., 0]
    alpha = (J @ acceleration[..., None] + J_dot @ rate[..., None])[..., 0]
    return rotation_from_rpy(rpy), omega, alpha
