"""The fastest pace along a given path that the legs' rates and accelerations allow.

    sigma      place on the path, in the path's own time, s
    x, u       sigma'^2 and sigma'', the state and the choice at each place
    d, e       (6,) first and second derivative of the actuator coordinates by sigma
Rates ``d sigma'`` and accelerations ``d u + e x`` are linear in (x, u), and ``x_{i+1} = x_i + 2 h u_i``: at
every grid point the admissible pairs form a polygon.  A sweep from the end finds the largest x from which one
can still brake; a sweep from the start takes the largest u that stays below it.  (Reachability analysis of
the phase plane.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, six
from gough.model import Platform
from gough.trajectory.base import Trajectory
from gough.trajectory.compose import Retimed

_SLACK = 1e-9  # of the row's size: rounding allowed when the corners of a polygon are compared


@dataclass(frozen=True, eq=False)
class Stepped(Frozen):
    """Progress with piecewise constant second derivative: knots (n,), progress, its speed and accelerations."""

    knots: Array
    progress: Array
    speed: Array
    acceleration: Array

    @property
    def duration(self) -> float:
        return float(self.knots[-1])

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(map(float, self.knots[1:-1]))

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        i = np.searchsorted(self.knots[1:-1], t, side="right")
        tau, v, a = t - self.knots[i], self.speed[i], self.acceleration[i]
        return self.progress[i] + tau * (v + 0.5 * a * tau), v + a * tau, a


@dataclass(frozen=True, eq=False)
class Eased(Stepped):
    """Progress whose acceleration does not jump: knots (n,) s, progress, speed and acceleration there, the jerk at the
    start of each segment and its constant snap, (n - 1,).  At its breaks the jerk jumps."""

    jerk: Array
    snap: Array

    def __call__(self, t: Array) -> tuple[Array, Array, Array]:
        i = np.searchsorted(self.knots[1:-1], t, side="right")
        u, v, a, j, s = (
            t - self.knots[i],
            *(x[i] for x in (self.speed, self.acceleration, self.jerk, self.snap)),
        )
        return (
            self.progress[i] + u * (v + u * (a / 2.0 + u * (j / 6.0 + u * s / 24.0))),
            v + u * (a + u * (j / 2.0 + u * s / 6.0)),
            a + u * (j + u * s / 2.0),
        )


def eased(knots: Array, speed: Array, acceleration: Array) -> Eased:
    """The progress whose speed is a cubic between knots (n,), with these values and slopes there.

    It must not turn back: Bernstein's coefficients of the speed are not negative in any segment.
    """
    h, v, w, a, b = np.diff(knots), speed[:-1], speed[1:], acceleration[:-1], acceleration[1:]
    jerk = 6.0 * (w - v) / h**2 - (4.0 * a + 2.0 * b) / h
    snap = 6.0 * (a + b) / h**2 - 12.0 * (w - v) / h**3
    steps = 0.5 * (v + w) * h + (a - b) * h**2 / 12.0
    progress = np.concatenate([[0.0], np.cumsum(steps)])
    least = np.min([v, w, v + h * a / 3.0, w - h * b / 3.0])
    if least < -_SLACK * speed.max():
        raise InputError("speed", float(least), "must not turn back between the times")
    return Eased(knots, progress, speed, acceleration, jerk, snap)


def time_optimal(
    path: Trajectory,
    platform: Platform,
    *,
    max_acceleration: ArrayLike,
    max_rate: ArrayLike | None = None,
    points: int = 400,
) -> Retimed:
    """`path` at the fastest pace, from rest to rest, that keeps every leg within its limits at the grid's places.

    It is then slowed by the share by which they are passed in between (kinematics/leg_peaks.py): they hold at every
    instant, proved.

    max_acceleration  of the actuator coordinates, one number or six, m/s^2 (rad/s^2 for cranks)
    max_rate          likewise, m/s; default: the legs' `limits.speed`, no limit where there is none
    points            grid intervals along the path, at whose ends the limits are imposed
    Where no bounds are known for the path or for the legs (docs/proved.md) it is not slowed, and limits may be passed
    between the grid's places by a little: `gough.analysis.proved_limits(..., max_acceleration=...)` says what is known.
    The path's own pace does not matter, but it must keep moving: take `uniform` for the geometry between two
    poses.
    """
    from gough.kinematics.inverse import inverse_kinematics
    from gough.kinematics.leg_peaks import pace_share

    A = positive("max_acceleration", max_acceleration)
    if max_rate is None:
        V = np.array(
            [np.inf if leg.limits.speed is None else leg.limits.speed for leg in platform.legs]
        )
    else:
        V = positive("max_rate", max_rate)
    if isinstance(points, bool) or not isinstance(points, int) or points < 10:
        raise InputError("points", points, "must be a whole number, at least 10")
    sigma = np.linspace(0.0, path.duration, points + 1)
    legs = inverse_kinematics(platform, path(sigma))
    refuse_corners(path, platform, legs.rate)
    d, e, h = legs.rate, legs.acceleration, path.duration / points
    with np.errstate(divide="ignore"):
        fastest = np.min((V / np.abs(d)) ** 2, axis=1)
    if not np.isfinite(_top(d[0], e[0], A, fastest[0])) or not np.isfinite(
        _top(d[-1], e[-1], A, fastest[-1])
    ):
        raise InputError(
            "path",
            "one that stands still at an end, with no acceleration either",
            "must keep moving: take trajectory.uniform for the geometry",
        )
    fast = at_pace(path, sigma, _sweep(d, e, A, fastest, h))
    share = pace_share(platform, fast, V, A)
    if share is None or share <= 1.0:
        return fast
    k = share * (1.0 + _SLACK)
    pace = fast.pace
    assert isinstance(pace, Stepped)
    slower = (pace.knots * k, pace.progress, pace.speed / k, pace.acceleration / k**2)
    return Retimed(path, Stepped(*slower))


def at_pace(path: Trajectory, sigma: Array, x: Array) -> Retimed:
    """`path` at the pace whose squares ``x = sigma'^2`` at even places sigma (n + 1,) are joined by straight lines."""
    v, T = np.sqrt(x), path.duration
    h = T / (len(x) - 1)
    knots = np.concatenate([[0.0], np.cumsum(2.0 * h / (v[:-1] + v[1:]))])
    return Retimed(path, Stepped(knots, sigma / T, v / T, np.diff(x) / (2.0 * h) / T))


def positive(field: str, value: ArrayLike) -> Array:
    """One number or six, each above zero."""
    limits = six(field, value)
    if (limits <= 0).any():
        raise InputError(field, value, "must be positive")
    return limits


def refuse_corners(path: Trajectory, platform: Platform, rate: Array) -> None:
    """A corner would need a stop: refuse it, the parts can be paced one by one."""
    from gough.kinematics.inverse import inverse_kinematics

    eps = 1e-9 * path.duration
    for b in path.breaks:
        both = inverse_kinematics(platform, path(np.array([b - eps, b + eps]))).rate
        if np.abs(both[1] - both[0]).max() > 1e-5 * np.abs(rate).max():
            raise InputError(
                "path",
                f"a corner at {b:.6g} s",
                "must not change its direction at once: pace the parts one by one and join them",
            )


def _top(d: Array, e: Array, A: Array, fastest: float) -> float:
    """Largest x at a place where the path starts or ends: 0 for rest, more where the legs stand still anyway."""
    if np.abs(d).max() > 1e-9 * max(1.0, float(np.abs(e).max())):
        return 0.0
    with np.errstate(divide="ignore"):
        return float(min(fastest, np.min(A / np.abs(e))))


def _sweep(d: Array, e: Array, A: Array, fastest: Array, h: float) -> Array:
    """x at the grid points: backward for what can be braked from, forward for the fastest."""
    n = len(d) - 1
    K = np.empty(n + 1)
    K[n] = _top(d[n], e[n], A, float(fastest[n]))
    rows = [_rows(d, e, A, i, h) for i in range(n)]
    for i in range(n - 1, -1, -1):
        K[i] = _largest_x(*_with_bounds(rows[i], K[i + 1], float(fastest[i]), h))
    x = np.empty(n + 1)
    x[0] = min(K[0], _top(d[0], e[0], A, float(fastest[0])))
    for i in range(n):
        p, q, r = _with_bounds(rows[i], K[i + 1], float(fastest[i]), h)
        room = (r - p * x[i]) / np.where(q > 0, q, np.inf)
        u = float(np.min(room[q > 0]))
        x[i + 1] = min(max(x[i] + 2.0 * h * u, 0.0), K[i + 1])
    if (x[1:-1] <= 0.0).any():
        raise InputError(
            "path", "a place where every pace is too fast", "must be smoother, or the limits wider"
        )
    return x


def _rows(d: Array, e: Array, A: Array, i: int, h: float) -> tuple[Array, Array, Array]:
    """Half planes ``p x + q u <= r`` of the accelerations at both ends of interval i."""
    p, q = np.concatenate([e[i], e[i + 1]]), np.concatenate([d[i], d[i + 1] + 2.0 * h * e[i + 1]])
    return np.concatenate([p, -p]), np.concatenate([q, -q]), np.concatenate([A, A, A, A])


def _with_bounds(
    rows: tuple[Array, Array, Array], K: float, fastest: float, h: float
) -> tuple[Array, Array, Array]:
    """Add ``0 <= x <= fastest`` and ``0 <= x + 2 h u <= K``."""
    p, q, r = rows
    top = min(fastest, 1e30)
    return (
        np.concatenate([p, [1.0, -1.0, 1.0, -1.0]]),
        np.concatenate([q, [0.0, 0.0, 2.0 * h, -2.0 * h]]),
        np.concatenate([r, [top, 0.0, K, 0.0]]),
    )


def _largest_x(p: Array, q: Array, r: Array) -> float:
    """Largest x of the polygon: the corners are the pairwise crossings that fulfill every row."""
    i, j = np.triu_indices(len(p), 1)
    det = p[i] * q[j] - p[j] * q[i]
    ok = np.abs(det) > 1e-14 * (np.abs(p[i] * q[j]) + np.abs(p[j] * q[i]))
    i, j, det = i[ok], j[ok], det[ok]
    x = (r[i] * q[j] - r[j] * q[i]) / det
    u = (p[i] * r[j] - p[j] * r[i]) / det
    left = x[:, None] * p + u[:, None] * q
    size = np.abs(x[:, None] * p) + np.abs(u[:, None] * q) + np.abs(r)
    inside = (left - r <= _SLACK * size).all(axis=1)
    return float(max(x[inside].max(initial=0.0), 0.0))
