"""Between the samples: a proof that a spline of poses keeps every limit of a machine at every instant.

Over a segment the derivatives of the spline's polynomials lie in the hulls of their Bernstein coefficients: bounds
V >= |t'|, A >= |t''| of the position, w >= |phi'|, a >= |phi''| of the rotation vector.  The Jacobian of phi has norm 1
at most and changes by |phi'|/2 at most, so the platform turns with |omega| <= w, |alpha| <= a + w^2/2, and

    a joint b moves with          u = V + |b| w          and   c = A + |b| (a + 3 w^2/2)
    a strut between joints has    |l''| <= c + u^2/l      and   turns with u/l at most
Between two looks a time tau apart l leaves their interval by tau^2/8 |l''| at most, its rate by tau/2 |l''|, angles and
the distance of two struts by tau/2 times their rates, that of a strut from the base by tau/2 u, from the platform by
tau/2 (u + w l): so fast the base joint moves as seen from there.  Where looks that are inside leave too
little room for that, the interval is halved.  Rounding is given `ROUNDING` of every range.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.clearances import CLEARANCES, needed_clearances
from gough.limits import KINDS, check, needed_distances
from gough.model import Platform
from gough.struts import lengths_only
from gough.trajectory.spline import PoseSpline

PIECES = 4  # of a segment, to begin with
HALVINGS = 8
ROUNDING = 1e-9
OUTSIDE = "outside at t = "  # how a doubt begins that is none: an instant was found where a limit is broken
Segments = NDArray[np.intp]


def doubt(platform: Platform, path: PoseSpline) -> str | None:
    """None: every limit that can be judged (gough/limits.py) holds at every instant; else why that is not proved."""
    if not lengths_only(platform):
        return "legs whose coordinate is not the distance of their joints: no bound between samples is known"
    moves = _Moves(platform, path)
    segment = np.repeat(np.arange(len(path.times) - 1), PIECES)
    span = np.diff(path.times)[segment]
    low = path.times[segment] + span * np.tile(np.arange(PIECES) / PIECES, len(path.times) - 1)
    span = span / PIECES
    for _ in range(HALVINGS + 1):
        open_, outside = moves.left_open(segment, low, span)
        if outside is not None:
            return f"{OUTSIDE}{outside:.6g} s"
        if not open_.any():
            return None
        segment, half = np.repeat(segment[open_], 2), 0.5 * span[open_]
        low = np.stack([low[open_], low[open_] + half], axis=1).ravel()
        span = np.repeat(half, 2)
    return f"within {span[0]:.2g} s of t = {low[0]:.6g} s the limits are too near to tell"


class _Moves:
    """A machine along a spline, with the bounds of its segments."""

    def __init__(self, platform: Platform, path: PoseSpline) -> None:
        self.platform, self.path = platform, path
        h = np.diff(path.times)
        V, A = (_largest(path.position, h, order) for order in (1, 2))
        self.turn, a = (_largest(path.rotation, h, order) for order in (1, 2))
        arms = np.linalg.norm([leg.joint for leg in platform.legs], axis=-1)
        self.speed = V[:, None] + arms * self.turn[:, None]
        self.bend = A[:, None] + arms * (a + 1.5 * self.turn**2)[:, None]
        self.range = {kind: _ranges(platform, kind) for kind in KINDS}

    def left_open(
        self, segment: Segments, low: Array, span: Array
    ) -> tuple[NDArray[np.bool_], float | None]:
        """Which intervals are not proved yet, and an instant outside where there is one."""
        ends = np.unique(np.concatenate([low, low + span]))
        seen = check(self.platform, self.path(np.minimum(ends, self.path.duration)))
        if not seen.ok.all():
            return np.ones(len(low), dtype=bool), float(ends[np.argmin(seen.ok)])
        at = np.searchsorted(ends, low), np.searchsorted(ends, low + span)
        length = np.minimum(*(seen.geometry.coordinate[i] for i in at))
        drops = self._drops(segment, span[:, None], length)
        proved = np.ones(len(low), dtype=bool)
        for kind, drop in drops.items():
            least = np.minimum(*(seen.margin[kind][i] for i in at))
            proved &= ~(least < drop + ROUNDING).any(axis=1)  # NaN: no such limit
        return ~proved, None

    def _drops(self, segment: Segments, tau: Array, length: Array) -> dict[str, Array]:
        """By how much each margin (in shares of its range) may fall between looks, (intervals, 6)."""
        u, w = self.speed[segment], self.turn[segment][:, None]
        shortest = length - 0.5 * tau * u
        with np.errstate(divide="ignore"):
            lean = np.where(shortest > 0.0, u / shortest, np.inf)
        stretch = self.bend[segment] + u * lean
        each = {
            "stroke": tau**2 / 8.0 * stretch,
            "base cone": 0.5 * tau * lean,
            "platform cone": 0.5 * tau * (lean + w),
            "speed": 0.5 * tau * stretch,
            "distance": 0.5 * tau * (u + u.max(axis=1, keepdims=True)),
            "base clearance": 0.5 * tau * u,
            "platform clearance": 0.5 * tau * (u + w * (length + tau * u)),
        }
        return {kind: drop / self.range[kind] for kind, drop in each.items()}


def _ranges(platform: Platform, kind: str) -> Array:
    """(6,) what one means in the margins of a kind, SI; NaN where nothing is limited."""
    limits = [leg.limits for leg in platform.legs]
    if kind == "stroke":
        return np.array([np.nan if x.stroke is None else np.ptp(x.stroke) for x in limits])
    if kind == "distance":
        return np.full(6, np.fmin.reduce(needed_distances(platform), initial=np.inf))
    if kind in CLEARANCES:
        return needed_clearances(platform).get(kind, np.full(6, np.nan))
    given = (getattr(x, kind.replace(" ", "_"), None) for x in limits)
    return np.array([np.nan if x is None else x for x in given], dtype=float)


def _largest(c: Array, h: Array, order: int) -> Array:
    """(segments,) bound of the size of a derivative: its Bernstein coefficients on each segment's own time."""
    for _ in range(order):
        c = c[:, 1:] * np.arange(1, c.shape[1])[:, None]
    n = c.shape[1] - 1
    scaled = c * h[:, None, None] ** np.arange(n + 1)[:, None]
    lift = np.array([[comb(i, k) / comb(n, k) for k in range(n + 1)] for i in range(n + 1)])
    return np.linalg.norm(lift @ scaled, axis=-1).max(axis=1)
