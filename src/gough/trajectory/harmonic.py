"""Sums of sines in task space, and prescribed sinusoidal accelerations integrated in closed form.

Coordinates are x, y, z (m) and rx, ry, rz (rad).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import SMALLEST, Array, Frozen, InputError, array, fitting, number
from gough.spatial import Motion, rotation_exp
from gough.trajectory.base import Endpoint, Trajectory, endpoint, rpy_motion
from gough.trajectory.so3 import rotation_vector_motion

COORDINATES = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True, eq=False)
class Sines(Frozen):
    """``x_j(t) = center_j + sum_k A_kj sin(2 pi f_k t + phase_kj)`` for six coordinates.

    amplitude (n, 6), frequency (n,) Hz, phase (n, 6) rad
    """

    center: Array
    amplitude: Array
    frequency: Array
    phase: Array

    def lasting(self, duration: float | None) -> float:
        """`duration`, s, checked; None: a period of the slowest sine."""
        if duration is None:
            return 1.0 / float(self.frequency.min())
        return number("duration", duration, above=0.0)

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        """Value, rate and acceleration, (..., 6)."""
        w = 2.0 * np.pi * self.frequency[:, None]
        angle = w * t[..., None, None] + self.phase
        sin, cos = np.sin(angle), np.cos(angle)
        A = self.amplitude
        value, rate, acceleration = A * sin, A * w * cos, -A * w**2 * sin
        return self.center + value.sum(axis=-2), rate.sum(axis=-2), acceleration.sum(axis=-2)


def sines(
    center: ArrayLike, amplitude: ArrayLike, frequency: ArrayLike, phase: ArrayLike = 0.0
) -> Sines:
    """Checked `Sines`; a single sine may be given as (6,) amplitudes and one frequency."""
    A = np.atleast_2d(array("amplitude", amplitude, (6,)))
    if A.ndim != 2:
        raise InputError("amplitude", f"shape {A.shape}", "must have shape (6,) or (n, 6)")
    f = np.atleast_1d(array("frequency", frequency))
    if f.shape != (len(A),) or (f < SMALLEST).any():
        allowed = f"must be {len(A)} positive number(s), Hz: one for each row of amplitude"
        raise InputError("frequency", frequency, allowed)
    ph = fitting("phase", array("phase", phase), A.shape)
    return Sines(array("center", center, (6,)), A, f, ph)


@dataclass(frozen=True, eq=False)
class Harmonic(Trajectory):
    """Sums of sines about a pose."""

    center: Endpoint
    sines: Sines
    duration: float
    orientation: str = "rpy"

    def evaluate(self, t: Array) -> Motion:
        x, xd, xdd = self.sines(t)
        angles, rate, acc = x[..., 3:], xd[..., 3:], xdd[..., 3:]
        if self.orientation == "rpy":
            R, omega, alpha = rpy_motion(self.center.rpy + angles, rate, acc)
        else:
            R, omega, alpha = rotation_vector_motion(angles, rate, acc)
            R = R @ self.center.rotation
        return Motion(
            self.center.position + x[..., :3], R, xd[..., :3], omega, xdd[..., :3], alpha, t
        )


def harmonic(
    center: object,
    amplitude: ArrayLike,
    frequency: ArrayLike,
    phase: ArrayLike = 0.0,
    *,
    duration: float | None = None,
    orientation: str = "rpy",
) -> Harmonic:
    """Sums of sines about `center`: amplitude (6,) or (n, 6) m and rad, frequency Hz, phase rad.

    orientation "rpy": the angles are added to the RPY angles of the center; "vector": they are a rotation
    vector in world axes, ``R = exp(phi) R_center``.  Default duration: one period of the slowest sine.
    """
    if orientation not in ("rpy", "vector"):
        raise InputError("orientation", orientation, "must be rpy or vector")
    s = sines(np.zeros(6), amplitude, frequency, phase)
    return Harmonic(endpoint("center", center), s, s.lasting(duration), orientation)


@dataclass(frozen=True, eq=False)
class AccelerationProfile(Trajectory):
    """``a(t) = A sin(2 pi t / T)`` along or about one world axis, from rest."""

    start: Endpoint
    coordinate: int
    peak: float
    period: float
    duration: float

    def evaluate(self, t: Array) -> Motion:
        w = 2.0 * np.pi / self.period
        e = np.eye(3)[self.coordinate % 3]
        x = (self.peak / w * (t - np.sin(w * t) / w))[..., None] * e
        v = (self.peak / w * (1.0 - np.cos(w * t)))[..., None] * e
        a = (self.peak * np.sin(w * t))[..., None] * e
        p, R = self.start.position, self.start.rotation
        if self.coordinate < 3:
            return Motion(p + x, R, v, np.zeros(3), a, np.zeros(3), t)
        return Motion(p, rotation_exp(x) @ R, np.zeros(3), v, np.zeros(3), a, t)


def acceleration_profile(
    start: object, coordinate: str, peak: float, period: float, *, duration: float | None = None
) -> AccelerationProfile:
    """From rest with the acceleration ``peak * sin(2 pi t / period)`` on one coordinate ([Syed]).

    coordinate x, y, z (peak in m/s^2) or rx, ry, rz (rad/s^2, about the fixed world axis through the
    reference point).  Integrated exactly: ``v = A/w (1 - cos wt)``, ``x = A/w (t - sin(wt)/w)``.  Default
    duration: a period.
    """
    if coordinate not in COORDINATES:
        raise InputError("coordinate", coordinate, f"must be one of {', '.join(COORDINATES)}")
    T = number("period", period, above=0.0)
    total = T if duration is None else number("duration", duration, above=0.0)
    axis = COORDINATES.index(coordinate)
    return AccelerationProfile(endpoint("start", start), axis, number("peak", peak), T, total)
