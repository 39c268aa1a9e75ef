"""Progress ``s(t)`` from 0 to 1 over a duration, with its first two derivatives.

Each profile is a frozen callable: ``profile(t) -> (s, s', s'')``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gough.checks import Array, InputError, number
from gough.trajectory.base import reached


class Profile(Protocol):
    """The contract of a profile."""

    @property
    def duration(self) -> float: ...
    @property
    def breaks(self) -> tuple[float, ...]: ...
    def __call__(self, t: Array) -> tuple[Array, Array, Array]: ...


@dataclass(frozen=True)
class Still:
    """No progress is needed: the two ends are the same."""

    duration: float
    breaks: tuple[float, ...] = ()

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        zero = np.zeros_like(t)
        return zero, zero, zero


@dataclass(frozen=True)
class Blend:
    """Constant acceleration for `blend` s, constant speed, constant deceleration for `blend` s.

    [Dasgupta1998] (39), (40): speed ``1 / (T - b)``, acceleration ``speed / b``.
    """

    duration: float
    blend: float

    def __post_init__(self) -> None:
        number("duration", self.duration, above=0.0)
        b = number("blend", self.blend, above=0.0)
        if b > self.duration / 2:
            raise InputError(
                "blend", b, f"must not exceed half the duration, {self.duration / 2:.9g} s"
            )

    @property
    def breaks(self) -> tuple[float, ...]:
        return (self.blend, self.duration - self.blend)

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        T, b = self.duration, self.blend
        v = 1.0 / (T - b)
        a = v / b
        begin, end = ~reached(t, b, T), reached(t, T - b, T)
        left = T - t
        s = np.where(
            end, 1.0 - 0.5 * a * left**2, np.where(begin, 0.5 * a * t**2, v * (t - 0.5 * b))
        )
        sd = np.where(end, a * left, np.where(begin, a * t, v))
        sdd = np.where(end, -a, np.where(begin, a, 0.0))
        return s, sd, sdd


@dataclass(frozen=True)
class Uniform:
    """Constant speed from the first instant to the last: the velocity is not zero at the ends."""

    duration: float
    breaks: tuple[float, ...] = ()

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        return t / self.duration, np.full_like(t, 1.0 / self.duration), np.zeros_like(t)


@dataclass(frozen=True)
class Trigonometric:
    """``s = 1/2 - (9 cos th - cos 3 th) / 16``, ``th = pi t / T``: at rest without acceleration at both ends.

    The third-order trigonometric spline of [Lopes], in the one form that starts and ends with s' = s'' = 0.
    """

    duration: float
    breaks: tuple[float, ...] = ()

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        w = np.pi / self.duration
        th = w * t
        s = 0.5 - (9.0 * np.cos(th) - np.cos(3.0 * th)) / 16.0
        sin = np.sin(th)
        sd = 0.75 * w * sin**3
        sdd = 2.25 * w**2 * sin**2 * np.cos(th)
        return s, sd, sdd


@dataclass(frozen=True)
class Quintic:
    """``s = 10 u^3 - 15 u^4 + 6 u^5``, ``u = t / T``: s' = s'' = 0 at both ends."""

    duration: float
    breaks: tuple[float, ...] = ()

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        T = self.duration
        u = t / T
        s = u**3 * (10.0 + u * (6.0 * u - 15.0))
        sd = 30.0 * u**2 * (1.0 - u) ** 2 / T
        sdd = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / T**2
        return s, sd, sdd


PROFILES = {"uniform": Uniform, "trigonometric": Trigonometric, "quintic": Quintic}


def make_profile(name: str, duration: float) -> Profile:
    """A profile by name: uniform, trigonometric, quintic."""
    if name not in PROFILES:
        raise InputError("profile", name, f"must be one of {', '.join(PROFILES)}")
    return PROFILES[name](number("duration", duration, above=0.0))


def blend_for_speed(name: str, distance: float, duration: float, speed: float | None) -> Profile:
    """The blend that covers `distance` in `duration` at the cruising `speed`; None: 1.5 times the mean speed.

    [Dasgupta1998] (39): ``tau_b = tau_f - distance / speed``, and ``0 < tau_b <= tau_f / 2``.
    """
    if speed is not None:
        speed = number(name, speed, above=0.0)
    if distance == 0.0:
        return Still(duration)
    if speed is None:
        speed = 1.5 * distance / duration
    blend = duration - distance / speed
    if blend > duration / 2 and blend < duration / 2 * (1 + 1e-12):
        blend = duration / 2
    low, high = distance / duration, 2.0 * distance / duration
    rule = (
        f"must lie above {low:.6g} and not above {high:.6g} to cover {distance:.6g} in {duration:.6g} s "
        "with blends"
    )
    if blend <= 1e-12 * duration:
        raise InputError(name, speed, f"{rule}: this speed is too low (blend {blend:.6g} s)")
    if blend > duration / 2:
        raise InputError(
            name, speed, f"{rule}: this speed is never reached (blend {blend:.6g} s, over half)"
        )
    return Blend(duration, blend)
