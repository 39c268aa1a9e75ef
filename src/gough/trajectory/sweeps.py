"""Vibration sweeps: one coordinate shaken by a sine whose frequency runs from one end of a band to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InputError, number
from gough.spatial import Motion, rotation_exp
from gough.trajectory.base import Endpoint, Trajectory, endpoint
from gough.trajectory.harmonic import COORDINATES

Three = tuple[Array, Array, Array]


def _product(a: Three, b: Three) -> Three:
    """Value and two derivatives of a product."""
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2]


@dataclass(frozen=True, eq=False)
class VibrationSweep(Trajectory):
    """``x = -fade(t) a(t) sin(phi(t))`` along or about one world axis, ``phi' = 2 pi f(t)``; see `sweep`."""

    start: Endpoint
    coordinate: int
    size: float
    low: float
    high: float
    duration: float
    fade: float
    logarithmic: bool
    controlled: str

    def phase(self, t: Array) -> tuple[Array, Three]:
        """phi (rad), and the circular frequency with its first two derivatives."""
        w0, w1, T = 2.0 * np.pi * self.low, 2.0 * np.pi * self.high, self.duration
        if self.logarithmic and w1 != w0:
            k = np.log(w1 / w0) / T
            w = w0 * np.exp(k * t)
            return (w - w0) / k, (w, k * w, k * k * w)
        slope = (w1 - w0) / T
        w = w0 + slope * t
        return t * (w0 + 0.5 * slope * t), (w, np.full_like(t, slope), np.zeros_like(t))

    def shake(self, t: Array) -> Three:
        """Value, rate and acceleration of the coordinate, exact derivatives of one formula."""
        phi, (w, wd, wdd) = self.phase(t)
        sin, cos = np.sin(phi), np.cos(phi)
        wave = sin, w * cos, wd * cos - w * w * sin
        size: Three = (np.full_like(t, self.size), np.zeros_like(t), np.zeros_like(t))
        if self.controlled == "acceleration":
            size = (
                self.size / w**2,
                -2.0 * self.size * wd / w**3,
                self.size * (6.0 * wd**2 / w**4 - 2.0 * wdd / w**3),
            )
        x, v, a = _product(_product(size, wave), self._window(t))
        return -x, -v, -a

    def _window(self, t: Array) -> Three:
        """Quintic fade in and out: the shaking starts and ends at rest, without acceleration."""
        if self.fade == 0.0:
            return np.ones_like(t), np.zeros_like(t), np.zeros_like(t)
        left = self.duration - t
        u = np.clip(np.minimum(t, left) / self.fade, 0.0, 1.0)
        sign = np.where(t <= left, 1.0, -1.0) / self.fade
        return (
            u**3 * (10.0 + u * (6.0 * u - 15.0)),
            sign * 30.0 * u**2 * (1.0 - u) ** 2,
            60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / self.fade**2,
        )

    def evaluate(self, t: Array) -> Motion:
        e = np.eye(3)[self.coordinate % 3]
        x, v, a = (value[..., None] * e for value in self.shake(t))
        p, R, zero = self.start.position, self.start.rotation, np.zeros(3)
        if self.coordinate < 3:
            return Motion(p + x, R, v, zero, a, zero, t)
        return Motion(p, rotation_exp(x) @ R, zero, v, zero, a, t)


def sweep(
    start: object,
    coordinate: str,
    size: float,
    low: float,
    high: float,
    duration: float,
    *,
    spacing: str = "logarithmic",
    controlled: str = "acceleration",
    fade: float | None = None,
) -> VibrationSweep:
    """A sine on one coordinate (x, y, z along, rx, ry, rz about a world axis) from `low` to `high` Hz.

    size        amplitude: m/s^2 (rad/s^2) where `controlled` is "acceleration": displacement ``size / w^2``, whose own
                change adds a part of order ``w'/w^2`` to the acceleration; m (rad) where it is "displacement"
    spacing     "logarithmic" (equal octaves in equal times) or "linear"
    fade        s of smooth fading at both ends (default: two periods of the lower frequency, at most a quarter)
    """
    if coordinate not in COORDINATES:
        raise InputError("coordinate", coordinate, f"must be one of {', '.join(COORDINATES)}")
    for name, value, known in (
        ("spacing", spacing, ("logarithmic", "linear")),
        ("controlled", controlled, ("acceleration", "displacement")),
    ):
        if value not in known:
            raise InputError(name, value, f"must be one of {', '.join(known)}")
    f0, f1 = number("low", low, above=0.0), number("high", high, above=0.0)
    T = number("duration", duration, above=0.0)
    usual = min(2.0 / min(f0, f1), 0.25 * T)
    gone = usual if fade is None else number("fade", fade, minimum=0.0)
    if gone > 0.5 * T:
        raise InputError("fade", gone, f"must not exceed half the duration, {0.5 * T:g} s")
    axis, log = COORDINATES.index(coordinate), spacing == "logarithmic"
    where = endpoint("start", start)
    return VibrationSweep(where, axis, number("size", size), f0, f1, T, gone, log, controlled)
