"""The fastest pace along a path within the legs' rates, accelerations and efforts, and the proof that it keeps them.

    sigma      place on the path, in the path's own time, s
    x, u       sigma'^2 and sigma'', the state and the choice in each of n intervals of length h
    d, e       (6,) first and second derivative of the actuator coordinates by sigma
    F          efforts, ``F = c + b sigma' + P x + Q u``, (6,) each: c weight, springs and external wrench, b viscous
               friction, P and Q inertia (four evaluations of the exact model give them)
With constant u in an interval ``x(sigma) = x_i + 2 (sigma - sigma_i) u``: at every place inside it all limits are half
planes of (x_i, u), but for b.  They are imposed at `PLACES` + 1 places of each interval.  A sweep from the end finds
the x from which the end can still be reached, a sweep from the start takes the largest u (reachability analysis, Pham
and Pham 2018).  Friction is put on the safe side about a pace X that is known: where it hinders
``sigma' <= (x + X)/(2 sqrt X)``, where it helps ``sigma' >= x/sqrt(w X)`` for ``x <= w X``, w > 1; then about the pace
found, until nothing changes.
With friction the pace keeps the limits, but a faster one is not ruled out.

Between those places a limit could be passed.  So limits are first taken smaller by the share `RESERVES[0]`, the pace is
proved at every instant (analysis/proved.py) against the full ones, and the next reserve is tried if it is not.
With a limit on jerks analysis/jerk_pacing.py finds the pace, which is then slowed by the shares `SLOWDOWNS`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.least_time import least_time
from gough.analysis.path_efforts import effort_parts
from gough.analysis.proved import HOLDS, ProvedLimits, proved_limits
from gough.checks import Array, InfeasibleError, InputError, array
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.results import Result
from gough.trajectory.base import Trajectory
from gough.trajectory.compose import Retimed
from gough.trajectory.optimal import at_pace, positive, refuse_corners

PLACES = 4  # parts of an interval at whose ends the limits are imposed
RESERVES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # shares of the limits
SLOWDOWNS = (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)  # shares of the duration
PACED = ("speed", "acceleration", "force", "jerk")
WIDER = (9.0, 3.0, 1.5, 1.1, 1.02, *[1.004] * 8)  # how far x may grow in the passes over friction
SLOWER = 4.0 ** -np.arange(9.0)  # shares of the frictionless pace to begin these with
FLOOR = 1e-6  # of the largest x: about less friction is not taken
SETTLED = 1e-9  # of the largest x: two passes agree
STEPS = 200  # of Newton's method on a piecewise linear function: it ends after a few

Rows = tuple[Array, Array, Array]
"""Half planes ``p x + q u <= r``, (n, m) each: m of each interval."""


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PacedPath(Result):
    """A path at the fastest pace found, and what is proved of it.

    trajectory    the path with its pace, from rest to rest
    proved        every limit on rates, accelerations, efforts and jerks that was asked for holds at every instant
    reserve       share of these limits (with jerks: of the duration) that was given up so that they hold between the
                  places where they were imposed
    proof         of all limits of the machine on this motion (strokes, cones, ... too), as `proved_limits` gives it
    least         s: what the leg that needs most time for its part of the way needs alone, within its rate,
                  acceleration and jerk; nothing is faster between these ends.  0: none of them is limited
    without_jerk  s: the duration found without the limit on jerks; None: there is none, or nothing else is limited
    """

    trajectory: Retimed
    proved: bool
    reserve: float
    proof: ProvedLimits
    least: float
    without_jerk: float | None = None

    @property
    def duration(self) -> float:
        """s"""
        return self.trajectory.duration

    def __bool__(self) -> bool:
        return self.proved


def pace_path(
    platform: Platform,
    path: Trajectory,
    *,
    max_rate: ArrayLike | None = None,
    max_acceleration: ArrayLike | None = None,
    max_force: ArrayLike | None = None,
    max_jerk: ArrayLike | None = None,
    external: ArrayLike | None = None,
    points: int = 200,
) -> PacedPath:
    """`path` as fast as rates, accelerations, efforts and jerks of the legs allow, from rest to rest.

    max_rate          of the actuator coordinates, one number or six, m/s (rad/s for cranks); default: `limits.speed`
    max_acceleration  likewise, m/s^2 (rad/s^2); default: not limited
    max_force         of the efforts of the exact model, N (N m); default: `limits.force`
    max_jerk          of the actuator coordinates, m/s^3 (rad/s^3); default: not limited, and accelerations jump
    external          (6,) constant wrench on the platform, platform axes, N and N m
    points            intervals of the path in which sigma'' is constant
    The path's own pace does not matter, but it must keep moving and have no corner.  With `max_jerk` the pace is the
    fastest that was found; that none is faster is not said.
    """
    if isinstance(points, bool) or not isinstance(points, int) or points < 10:
        raise InputError("points", points, "must be a whole number, at least 10")
    wrench = np.zeros(6) if external is None else array("external", external, (6,))
    if wrench.shape != (6,):
        raise InputError("external", f"shape {wrench.shape}", "must be one wrench, six numbers")
    own = [(leg.limits.speed, leg.limits.force) for leg in platform.legs]
    V = _limits("max_rate", max_rate, [x[0] for x in own])
    F = _limits("max_force", max_force, [x[1] for x in own])
    A = _limits("max_acceleration", max_acceleration, [None] * 6)
    J = _limits("max_jerk", max_jerk, [None] * 6)
    enough = np.isfinite(A).all() or np.isfinite(F).all()
    if not enough and max_jerk is None:
        raise InputError(
            "max_acceleration", max_acceleration, "must be given where not every effort is limited"
        )
    bounds = _Bounds(platform, path, points, wrench, (V, A, F))
    least = least_time(bounds.way, V, A, J)
    asked = max_rate, max_acceleration, max_force, max_jerk, wrench

    def judged(paced: Retimed, reserve: float, free: float | None) -> tuple[PacedPath, bool]:
        """And whether more reserve could help."""
        proof = pace_proof(platform, paced, *asked)
        left = [v for v in proof.verdicts if v.kind in PACED and v.status != HOLDS]
        found = PacedPath(paced, not left, reserve, proof, least, free)
        return found, any(v.time is not None for v in left)

    def with_reserve(reserve: float) -> tuple[PacedPath, bool]:
        pace = bounds.fastest(1.0 - reserve)
        return judged(at_pace(path, bounds.sigma[::PLACES], pace), reserve, None)

    if max_jerk is None:
        return _first_proved(with_reserve, RESERVES)
    free = at_pace(path, bounds.sigma[::PLACES], bounds.fastest(1.0)).duration if enough else None
    from gough.analysis.jerk_pacing import EasedPace, slowed  # SciPy

    pace = EasedPace(platform, path, points, wrench, (V, A, F, J)).found()
    return _first_proved(lambda by: judged(slowed(path, pace, by), by, free), SLOWDOWNS)


def _first_proved(
    attempt: Callable[[float], tuple[PacedPath, bool]], reserves: tuple[float, ...]
) -> PacedPath:
    """With the first reserve that is enough, or after which more would not help; else with the last."""
    for reserve in reserves[:-1]:
        found, helps = attempt(reserve)
        if not helps:
            return found
    return attempt(reserves[-1])[0]


def pace_proof(
    platform: Platform,
    path: Trajectory,
    max_rate: ArrayLike | None = None,
    max_acceleration: ArrayLike | None = None,
    max_force: ArrayLike | None = None,
    max_jerk: ArrayLike | None = None,
    external: ArrayLike | None = None,
) -> ProvedLimits:
    """`proved_limits` of a motion with limits as `pace_path` takes them."""
    V = _limits("max_rate", max_rate, [leg.limits.speed for leg in platform.legs])
    F = _limits("max_force", max_force, [leg.limits.force for leg in platform.legs])
    judged = _limited(platform, V, F)
    return proved_limits(
        judged, path, max_acceleration=max_acceleration, max_jerk=max_jerk, external=external
    )


def _limits(field: str, value: ArrayLike | None, own: list[float | None]) -> Array:
    """(6,) as asked, else the machine's own; infinite where there is none."""
    if value is not None:
        return positive(field, value)
    return np.array([np.inf if x is None else x for x in own])


def _limited(platform: Platform, V: Array, F: Array) -> Platform:
    """The machine with these limits on rates and efforts."""
    speed, force = ([float(x) if np.isfinite(x) else None for x in each] for each in (V, F))
    legs = [
        leg.replace(limits=leg.limits.replace(speed=v, force=f))
        for leg, v, f in zip(platform.legs, speed, force, strict=True)
    ]
    return platform.replace(legs=legs)


class _Bounds:
    """The path's numbers at all places, and what they leave to the pace."""

    def __init__(
        self,
        platform: Platform,
        path: Trajectory,
        points: int,
        wrench: Array,
        limits: tuple[Array, Array, Array],
    ) -> None:
        self.n, self.h = points, path.duration / points
        self.sigma = np.linspace(0.0, path.duration, points * PLACES + 1)
        motion = path(self.sigma)
        legs = inverse_kinematics(platform, motion, engine="python")
        refuse_corners(path, platform, legs.rate)
        self.d, self.e = legs.rate, legs.acceleration
        self.way = np.abs(legs.length[-1] - legs.length[0])
        if min(float(np.abs(self.d[k]).max()) for k in (0, -1)) == 0.0:
            raise InputError(
                "path",
                "one that stands still at an end",
                "must keep moving: take trajectory.uniform for the geometry",
            )
        self.V, self.A, self.F = limits
        if np.isfinite(self.F).any():
            self.c, self.b, self.P, self.Q = effort_parts(platform, motion, wrench)

    def fastest(self, share: float) -> Array:
        """(n + 1,) the largest x at the ends of the intervals with `share` of every limit."""
        rows = self._plain_rows(share)
        if not np.isfinite(self.F).any():
            return self._swept(rows)
        x = self._swept(_joined(rows, *self._effort_rows(share)))
        if not (np.abs(self.b) > 1e-12 * np.abs(self.Q).max()).any():
            return x
        x = self._first(rows, share, x)
        for wide in WIDER[1:]:
            before, x = x, self._swept(_joined(rows, *self._effort_rows(share, x, wide)))
            if np.abs(x - before).max() <= SETTLED * x.max():
                break
        return x

    def _first(self, rows: Rows, share: float, free: Array) -> Array:
        """A pace with friction taken about some share of the frictionless one."""

        def about(slower: float) -> Array:
            friction = self._effort_rows(share, slower * free, WIDER[0])
            return self._swept(_joined(rows, *friction))

        for slower in SLOWER[:-1].tolist():
            with suppress(InfeasibleError):
                return about(slower)
        return about(float(SLOWER[-1]))

    def _inside(self, values: Array) -> Array:
        """(n, PLACES + 1, ...) of each interval from (n PLACES + 1, ...) of all places."""
        at = np.arange(self.n)[:, None] * PLACES + np.arange(PLACES + 1)
        return values[at]

    def _shift(self) -> Array:
        """(PLACES + 1,) from the beginning of an interval."""
        return self.h * np.arange(PLACES + 1) / PLACES

    def _plain_rows(self, share: float) -> Rows:
        """Of rates and accelerations: ``x(sigma) <= min (V/d)^2``, ``|d u + e x(sigma)| <= A``."""
        with np.errstate(divide="ignore"):
            top = np.min((share * self.V / np.abs(self.d)) ** 2, axis=1)
        legs = np.isfinite(self.A)
        e, d, most = self.e[:, legs], self.d[:, legs], share * self.A[legs]
        rates = [self._not_above(top)] if np.isfinite(self.V).any() else []
        return _joined(
            *rates, self._under(e, d, most + 0.0 * d), self._under(-e, -d, most + 0.0 * d)
        )

    def _effort_rows(
        self, share: float, about: Array | None = None, wide: float = 1.0
    ) -> list[Rows]:
        """``|c + b sigma' + P x(sigma) + Q u| <= F``, friction about X = `about` (n + 1,); None: without friction."""
        legs = np.isfinite(self.F)
        c, b, P, Q = (y[:, legs] for y in (self.c, self.b, self.P, self.Q))
        most = share * self.F[legs]
        if about is None:
            return [self._under(P, Q, most - c), self._under(-P, -Q, most + c)]
        X = np.interp(self.sigma, self.sigma[::PLACES], about)
        X = np.maximum(X, FLOOR * X.max())[:, None]
        out = [self._not_above(wide * X[:, 0])]
        for side in (1.0, -1.0):
            hinders = side * b > 0.0
            rise = np.where(hinders, 0.5 / np.sqrt(X), 1.0 / np.sqrt(wide * X))
            fixed = np.where(hinders, 0.5 * np.sqrt(X), 0.0)
            by_x, held = side * (P + b * rise), side * (c + b * fixed)
            out.append(self._under(by_x, side * Q, most - held))
        return out

    def _not_above(self, top: Array) -> Rows:
        """``x(sigma) <= top`` at all places."""
        one = np.ones((len(top), 1))
        return self._under(one, 0.0 * one, np.minimum(top, 1e300)[:, None])

    def _under(self, by_x: Array, by_u: Array, most: Array) -> Rows:
        """``by_x x(sigma) + by_u u <= most``, (n PLACES + 1, m) each, at the places of each interval."""
        p, q, r = (self._inside(y) for y in (by_x, by_u, most))
        q = q + 2.0 * self._shift()[:, None] * p
        return p.reshape(self.n, -1), q.reshape(self.n, -1), r.reshape(self.n, -1)

    def _swept(self, rows: Rows) -> Array:
        n, h = self.n, self.h
        kept = np.zeros((n + 1, 2))  # least and largest x from which the end is still reached
        for i in range(n - 1, -1, -1):
            here = self._within(rows, i, kept[i + 1])
            least, most = -largest(-here[0], *here[1:]), largest(*here)
            if not least <= most * (1.0 + 1e-12) + 1e-300:
                self._refuse(i)
            kept[i] = max(least, 0.0), most
        if not np.isfinite(kept).all() or kept[0, 0] > 1e-12 * kept.max():
            self._refuse(0)
        x = np.zeros(n + 1)
        for i in range(n):
            p, q, r = self._within(rows, i, kept[i + 1])
            u = float(np.min((r - p * x[i])[q > 0.0] / q[q > 0.0]))
            x[i + 1] = np.clip(x[i] + 2.0 * h * u, *kept[i + 1])
        if (x[1:-1] <= 0.0).any():
            self._refuse(int(np.argmin(x[1:-1])) + 1)
        return x

    def _within(self, rows: Rows, i: int, then: Array) -> Rows:
        """Rows of interval i, with ``0 <= x`` and ``then[0] <= x + 2 h u <= then[1]``."""
        p, q, r = (y[i] for y in rows)
        step = 2.0 * self.h
        return (
            np.concatenate([p, [-1.0, 1.0, -1.0]]),
            np.concatenate([q, [0.0, step, -step]]),
            np.concatenate([r, [0.0, then[1], -then[0]]]),
        )

    def _refuse(self, i: int) -> None:
        share = 100.0 * i / self.n
        raise InfeasibleError(
            f"path: no pace is found that keeps the limits at {share:.4g} % of it"
        )


def _joined(*rows: Rows) -> Rows:
    p, q, r = (np.concatenate(each, axis=1) for each in zip(*rows, strict=True))
    return p, q, r


def largest(p: Array, q: Array, r: Array) -> float:
    """Largest x for which some u fulfills ``p x + q u <= r`` (m,); -inf: there is none, inf: x is not bounded.

    Rows with q > 0 bound u from above, those with q < 0 from below; the room between is a concave function of x, and
    Newton's method comes to its last zero from the right in finitely many steps.
    """
    flat, over, under = q == 0.0, q > 0.0, q < 0.0
    if (r[flat & (p == 0.0)] < 0.0).any():
        return -np.inf
    right, left = flat & (p > 0.0), flat & (p < 0.0)
    top = float(np.min(r[right] / p[right], initial=np.inf))
    least = float(np.max(r[left] / p[left], initial=-np.inf))
    x = top
    if over.any() and under.any():
        high, low = (
            (r[side] / q[side], p[side] / q[side]) for side in (over, under)
        )  # u at x = 0, and its fall with x
        x = _last_zero(high, low, top)
    return x if x >= least - 1e-12 * abs(least) else -np.inf


def _last_zero(high: tuple[Array, Array], low: tuple[Array, Array], top: float) -> float:
    """Largest x <= top at which the least of the lines `high` is not below the largest of `low`; -inf: none."""
    x = top
    if not np.isfinite(x):
        i, j = int(np.argmax(high[1])), int(np.argmin(low[1]))  # what binds far to the right
        slope = low[1][j] - high[1][i]
        if slope >= 0.0:
            return np.inf
        x = (low[0][j] - high[0][i]) / slope
    for _ in range(STEPS):
        above, below = high[0] - high[1] * x, low[0] - low[1] * x
        i, j = int(np.argmin(above)), int(np.argmax(below))
        gap, slope = above[i] - below[j], low[1][j] - high[1][i]
        if gap >= 0.0:
            break
        if slope >= 0.0:
            return -np.inf
        nearer = x - gap / slope
        if not nearer < x:
            break
        x = float(nearer)
    return float(x)
