"""The fastest moves under limits of speed, acceleration and jerk: seven segments of constant jerk.

A change of speed from v to w without acceleration at its ends takes at least

    T = 2 sqrt(|w - v| / J)               where |w - v| <= A^2 / J  (the acceleration limit is not reached)
    T = |w - v| / A + A / J               else

and covers ``(v + w) T / 2`` by symmetry.  A move is such a change up to a peak speed, cruising, and a change down; the
distance grows with the peak, so the fastest move takes the largest peak that fits, found by bracketing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, number, six
from gough.spatial import rotation_log
from gough.trajectory.base import BREAK, endpoint
from gough.trajectory.legs import LegCoordinates, LegTrajectory
from gough.trajectory.optimal import Stepped
from gough.trajectory.point_to_point import PointToPoint


@dataclass(frozen=True, eq=False)
class ConstantJerk(Stepped):
    """Progress in segments of constant jerk: knots (n + 1,) s, and at the start of each segment progress, speed,
    acceleration, and its jerk, (n,).  At its breaks the jerk jumps, not the acceleration."""

    jerk: Array

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        """Progress, speed and acceleration."""
        i = np.searchsorted(self.knots[1:-1], t + BREAK * self.duration, side="right")
        x, v, a, j = self.progress[i], self.speed[i], self.acceleration[i], self.jerk[i]
        u = t - self.knots[i]
        return (
            x + u * (v + u * (a / 2 + u * j / 6)),
            v + u * (a + u * j / 2),
            a + u * j,
        )


def constant_jerk(
    distance: float,
    max_speed: float,
    max_acceleration: float,
    max_jerk: float,
    *,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
) -> ConstantJerk:
    """The fastest way over `distance` (m, or any unit) from `start_speed` to `end_speed`, no acceleration at the ends.

    Speeds are not negative and not above `max_speed`.  A distance that is too short to change between the two speeds
    is refused: it would need a way beyond it and back.
    """
    D = number("distance", distance, above=0.0)
    V, A = (
        number("max_speed", max_speed, above=0.0),
        number("max_acceleration", max_acceleration, above=0.0),
    )
    J = number("max_jerk", max_jerk, above=0.0)
    v0, v1 = (
        number(name, v, minimum=0.0)
        for name, v in (("start_speed", start_speed), ("end_speed", end_speed))
    )
    if max(v0, v1) > V:
        raise InputError("max_speed", V, "must not be below the speeds at the ends")

    def way(peak: float) -> float:
        return _change(v0, peak, A, J)[1] + _change(peak, v1, A, J)[1] - D

    low = max(v0, v1)
    if way(low) > 1e-12 * D:
        least = _change(v0, v1, A, J)[1]
        raise InputError(
            "distance", D, f"must be at least {least:.6g} to change the speed as asked"
        )
    peak, high = V, V
    if way(V) > 0.0:
        peak = low
        for _ in range(200):  # halving: the way grows with the peak
            middle = 0.5 * (peak + high)
            if not peak < middle < high:
                break
            peak, high = (middle, high) if way(middle) <= 0.0 else (peak, middle)
    cruise = max(-way(peak) / peak, 0.0)
    up, down = _change(v0, peak, A, J)[0], _change(peak, v1, A, J)[0]
    segments = [*_jerks(peak - v0, up, A, J), (cruise, 0.0), *_jerks(v1 - peak, down, A, J)]
    return _joined([s for s in segments if s[0] > 0.0], v0, D)


def _change(v: float, w: float, A: float, J: float) -> tuple[float, float]:
    """Least time of a change of speed, and the way covered meanwhile."""
    step = abs(w - v)
    T = 2.0 * np.sqrt(step / J) if step <= A * A / J else step / A + A / J
    return T, 0.5 * (v + w) * T


def _jerks(step: float, T: float, A: float, J: float) -> list[tuple[float, float]]:
    """(duration, jerk) of the two or three segments that change the speed by `step` in T."""
    j = np.copysign(J, step)
    ramp = T / 2.0 if abs(step) <= A * A / J else A / J
    return [(ramp, j), (T - 2.0 * ramp, 0.0), (ramp, -j)]


def _joined(segments: list[tuple[float, float]], speed: float, distance: float) -> ConstantJerk:
    """Segments one after another; progress is scaled so that it ends at exactly `distance`."""
    x, v, a = 0.0, speed, 0.0
    rows = []
    for h, j in segments:
        rows.append((x, v, a, j))
        x += h * (v + h * (a / 2 + h * j / 6))
        v += h * (a + h * j / 2)
        a += h * j
    knots = np.concatenate([[0.0], np.cumsum([h for h, _ in segments])])
    columns = np.array(rows).T
    if abs(x - distance) > 1e-9 * distance:
        raise AssertionError(f"a move of {distance} ends at {x}")
    return ConstantJerk(knots, *columns)


def jerk_limited(
    start: object,
    end: object,
    max_speed: float,
    max_acceleration: float,
    max_jerk: float,
    *,
    max_rate: float | None = None,
    max_angular_acceleration: float | None = None,
    max_angular_jerk: float | None = None,
    orientation: str = "geodesic",
) -> PointToPoint:
    """From start to end on one common progress, the fastest that no limit forbids.

    max_speed, max_acceleration, max_jerk   of the reference point, m/s, m/s^2, m/s^3
    max_rate, ...                           of the orientation, rad/s, rad/s^2, rad/s^3 (default: not limited);
                                            with ``orientation="rpy"`` of the norm of the angles
    On a straight line with one axis of rotation ("geodesic") the norms of velocity, acceleration and jerk are those of
    the progress times distance and angle: the limits hold at every instant.  A screw bends the way of the position and
    is refused.
    """
    if orientation not in ("rpy", "geodesic"):
        raise InputError("orientation", orientation, "must be rpy or geodesic")
    a = endpoint("start", start)
    b = endpoint("end", end, near=a)
    turn = b.rpy - a.rpy if orientation == "rpy" else rotation_log(a.rotation.T @ b.rotation)
    sizes = float(np.linalg.norm(b.position - a.position)), float(np.linalg.norm(turn))
    straight = _limits(
        ("max_speed", "max_acceleration", "max_jerk"), (max_speed, max_acceleration, max_jerk)
    )
    names = "max_rate", "max_angular_acceleration", "max_angular_jerk"
    turning = _limits(names, (max_rate, max_angular_acceleration, max_angular_jerk))
    if max(sizes) == 0.0:
        raise InputError("end", "the start", "must be another pose: there is no way to go")
    with np.errstate(divide="ignore"):
        shares = np.min(
            [limits / size for limits, size in zip((straight, turning), sizes, strict=True)], axis=0
        )
    if not np.isfinite(shares).all():
        raise InputError(
            names[int(np.argmax(~np.isfinite(shares)))], None, "must be given: the move only turns"
        )
    progress = constant_jerk(1.0, *shares.tolist())
    return PointToPoint(a, b, progress, progress, orientation)


def _limits(names: tuple[str, ...], values: tuple[float | None, ...]) -> Array:
    each = [
        np.inf if v is None else number(name, v, above=0.0)
        for name, v in zip(names, values, strict=True)
    ]
    return np.array(each)


@dataclass(frozen=True, eq=False)
class LegMove(LegTrajectory):
    """A straight line in leg space on one progress: all actuators start and end together."""

    start: Array
    end: Array
    progress: ConstantJerk

    @property
    def duration(self) -> float:  # type: ignore[override]
        return self.progress.duration

    @property
    def resolution(self) -> float:
        """s"""
        return self.duration / 80.0

    def coordinates(self, t: Array) -> LegCoordinates:
        s, sd, sdd = (x[..., None] for x in self.progress(t))
        step = self.end - self.start
        return LegCoordinates(self.start + s * step, sd * step, sdd * step, t)


def legs_move(
    start: ArrayLike,
    end: ArrayLike,
    max_speed: ArrayLike,
    max_acceleration: ArrayLike,
    max_jerk: ArrayLike,
) -> LegMove:
    """Synchronized strut profiles: six actuator coordinates from `start` to `end` (m, rad for cranks), as fast as the
    slowest allows; each keeps its own speed, acceleration and jerk limits (one number or six) at every instant."""
    a, b = six("start", start), six("end", end)
    step = np.abs(b - a)
    if not step.any():
        raise InputError("end", "the start", "must be other coordinates: there is no way to go")
    limits = (
        six(name, value)
        for name, value in zip(_NAMES, (max_speed, max_acceleration, max_jerk), strict=True)
    )
    moving = step > 0.0
    shares = []
    for name, limit in zip(_NAMES, limits, strict=True):
        if not (limit > 0.0).all():
            raise InputError(name, limit, "must be positive")
        shares.append(float((limit[moving] / step[moving]).min()))
    return LegMove(a, b, constant_jerk(1.0, *shares))


_NAMES = "max_speed", "max_acceleration", "max_jerk"
