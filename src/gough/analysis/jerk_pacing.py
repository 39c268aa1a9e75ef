"""A fast pace along a path within rates, accelerations, efforts and jerks of the legs.

    tau        place on the path, 0 to 1, ``sigma = S(tau)`` with S the quintic step: there d and e vanish at both ends,
               so that every pace in tau starts and ends at rest, without acceleration
    y, u       tau'^2 > 0 and tau'', at n + 1 even places of tau; between them u is straight, ``w = du/dtau``
    d, e, g    (6,) first three derivatives of the actuator coordinates by tau
    rates ``d sqrt(y)``, accelerations ``d u + e y``, efforts ``c + b sqrt(y) + P y + Q u``,
    jerks ``sqrt(y) (d w + 3 e u + g y)``
But for the roots all are linear in (y, u).  About a pace Y that is known the limits are replaced by linear ones that
are nowhere wider, imposed at the places and in the middle between two of them,

    |d w + 3 e u + g y| <= J/sqrt(Y) (3 - y/Y)/2 <= J/sqrt(y)          sqrt(y) <= (y + Y)/(2 sqrt(Y))
    sqrt(y) >= the chord between the ends of ``Y/r <= y <= r Y``
and the time ``int dtau/sqrt(y)`` by tangents; a linear program gives a pace that is faster and keeps the limits, about
which the next is taken.  The first is the fastest even one.  What comes out is the fastest that was found: nothing says
that there is none faster.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, diags, hstack, vstack

from gough.analysis.jerk_proof import without_jerks
from gough.analysis.leg_jerks import jerk_models
from gough.analysis.path_efforts import effort_parts
from gough.checks import Array, InfeasibleError, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.trajectory.base import Trajectory
from gough.trajectory.bounds import pieces
from gough.trajectory.compose import Retimed, retimed
from gough.trajectory.jets import pose_jet
from gough.trajectory.optimal import Eased, eased

ROUNDS = 12  # linear programs
SETTLED = 1e-3  # of the time: a program that gains less is the last
TRUST = 3.0  # how far y may move in one program
TANGENTS = 3.0 ** np.linspace(-1.0, 1.0, 9)
BESIDE = 1e-9  # of the path: how far from its breaks
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)

Limits = tuple[Array, Array, Array, Array]
"""V, A, F, J (6,) each; infinite: none."""


class EasedPace:
    """The path's numbers at all places, and the linear programs about a pace."""

    def __init__(
        self, platform: Platform, path: Trajectory, points: int, wrench: Array, limits: Limits
    ) -> None:
        self.n, self.path = points, path
        self.V, self.A, self.F, self.J = limits
        smooth = retimed(path, 1.0, profile="quintic")
        why = without_jerks(platform, smooth)
        if why:
            raise InputError("max_jerk", self.J.tolist(), f"cannot be kept: {why}")
        tau = np.linspace(0.0, 1.0, 2 * points + 1)
        motion = smooth(tau)
        legs = inverse_kinematics(platform, motion, engine="python")
        self.d, self.e = legs.rate, legs.acceleration
        none = np.zeros_like(self.d)
        self.c, self.b, self.P, self.Q = none, none, none, none
        if np.isfinite(self.F).any():
            self.c, self.b, self.P, self.Q = effort_parts(platform, motion, wrench)
        interval = np.minimum(np.arange(2 * points + 1) // 2, points - 1)
        self.y, self.u, _ = self._operators(interval, tau)
        self._place_jerks(platform, smooth)

    def _place_jerks(self, platform: Platform, smooth: Trajectory) -> None:
        """d, e, g where jerks are imposed: ends and middles of the intervals, and both sides of the path's own breaks,
        where its third derivative may jump."""
        edges = pieces(smooth)[1:-1]
        inside = np.concatenate([edges - BESIDE, edges + BESIDE])
        inside = inside[(inside > 0.0) & (inside < 1.0)]
        k = np.arange(self.n)
        tau = np.concatenate([(k + shift) / self.n for shift in (0.0, 0.5, 1.0)] + [inside])
        interval = np.concatenate([k, k, k, np.minimum((inside * self.n).astype(int), self.n - 1)])
        self.at_y, self.at_u, self.at_w = self._operators(interval, tau)
        legs = inverse_kinematics(platform, smooth(tau), engine="python")
        pose = pose_jet(smooth, tau, np.zeros_like(tau))
        assert pose is not None
        self.jd, self.je, self.jg = legs.rate, legs.acceleration, jerk_models(platform, pose).c[0]

    def _operators(
        self, interval: NDArray[np.intp], tau: Array
    ) -> tuple[csr_matrix, csr_matrix, csr_matrix]:
        """y, u, w at places of these intervals, (m, 2 n + 2) each, from the unknowns (y, u) at the even places."""
        h, count = 1.0 / self.n, len(tau)
        s, row = tau - interval * h, np.arange(count)
        y, u, v = interval, self.n + 1 + interval, self.n + 2 + interval

        def of(columns: list[NDArray[np.intp]], values: list[Array]) -> csr_matrix:
            rows = np.tile(row, len(columns))
            both = np.concatenate(values), (rows, np.concatenate(columns))
            return csr_matrix(both, shape=(count, 2 * self.n + 2))

        one = np.ones(count)
        return (
            of([y, u, v], [one, 2.0 * s - s * s / h, s * s / h]),
            of([u, v], [1.0 - s / h, s / h]),
            of([u, v], [-one / h, one / h]),
        )

    def found(self) -> Eased:
        """The fastest pace found, as progress in time, 0 to 1."""
        Y = np.full(self.n + 1, self._even())
        time = np.inf
        u = np.zeros(self.n + 1)
        for _ in range(ROUNDS):
            faster = self._program(Y, u)
            if faster is None:
                break
            before, time = time, float(self.times(*faster)[-1])
            Y, u = faster
            if time > before * (1.0 - SETTLED):
                break
        return self._in_time(Y, u)

    def _even(self) -> float:
        """The largest y that keeps all limits when it does not change."""
        shares = (
            (self.d / self.V) ** 2,
            np.abs(self.e) / self.A,
            (np.abs(self.jg) / self.J) ** (2.0 / 3.0),
        )
        high = 1.0 / max(float(x.max()) for x in shares)
        low = 0.0

        def kept(y: float) -> bool:
            return bool((np.abs(self.c + self.b * np.sqrt(y) + self.P * y) <= self.F).all())

        if kept(high):
            return high
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if kept(middle) else (low, middle)
        if low == 0.0:
            raise InfeasibleError("path: no even pace is found that keeps the limits")
        return low

    def _rows(self, Y: Array, u: Array) -> tuple[csr_matrix, Array]:
        """All limits as half planes of the unknowns, about the pace (Y, u); shares of the limits."""
        pace = np.concatenate([Y, u])
        at, jerked = (np.maximum(y @ pace, 1e-12 * Y.max()) for y in (self.y, self.at_y))
        root = np.sqrt(at)
        rows, most = [], []

        def under(by_y: Array, by_u: Array, right: Array) -> None:
            rows.append(diags(by_y) @ self.y + diags(by_u) @ self.u)
            most.append(right)

        with np.errstate(divide="ignore"):
            top = np.min((self.V / np.abs(self.d)) ** 2, axis=1)
        limited = np.isfinite(top)
        rows.append(diags(1.0 / at[limited]) @ self.y[limited])
        most.append(top[limited] / at[limited])
        one = np.ones_like(at)
        for leg in range(6):
            for side in (1.0, -1.0):
                if np.isfinite(self.A[leg]):
                    share = side / self.A[leg]
                    under(share * self.e[:, leg], share * self.d[:, leg], one)
                if np.isfinite(self.F[leg]):
                    share, b = side / self.F[leg], side * self.b[:, leg] / self.F[leg]
                    low, high = np.sqrt(at / TRUST), np.sqrt(at * TRUST)
                    rise = np.where(b > 0.0, 0.5 / root, 1.0 / (low + high))
                    fixed = np.where(b > 0.0, 0.5 * root, low * high / (low + high))
                    by_y = share * self.P[:, leg] + b * rise
                    right = one - share * self.c[:, leg] - b * fixed
                    under(by_y, share * self.Q[:, leg], right)
                if np.isfinite(self.J[leg]):
                    rows.append(self._jerk_rows(leg, side, jerked))
                    most.append(np.full(len(jerked), 1.5))
        return csr_matrix(vstack(rows)), np.concatenate(most)

    def _jerk_rows(self, leg: int, side: float, Y: Array) -> csr_matrix:
        """``sqrt(Y)/J |d w + 3 e u + g y| + y/2Y <= 3/2``, Y at the places where jerks are imposed."""
        share = side * np.sqrt(Y) / self.J[leg]
        d, e, g = (x[:, leg] * share for x in (self.jd, self.je, self.jg))
        by_y, by_u = diags(g + 0.5 / Y) @ self.at_y, diags(3.0 * e) @ self.at_u
        return csr_matrix(by_y + by_u + diags(d) @ self.at_w)

    def _program(self, Y: Array, u: Array) -> tuple[Array, Array] | None:
        """A pace that is no slower, by one linear program; None: none is found."""
        n = self.n
        scale = float(Y.max())
        rows, most = self._rows(Y, u)
        rows = rows * scale
        blank = csr_matrix((rows.shape[0], n + 1))
        over = diags(np.ones(n + 1))
        tangents, right = [], []
        for ratio in TANGENTS:
            near = Y / scale * ratio
            tangents.append(hstack([diags(-0.5 * near**-1.5), csr_matrix((n + 1, n + 1)), -over]))
            right.append(-1.5 * near**-0.5)
        weights = np.concatenate([[0.5], np.ones(n - 1), [0.5]]) / n
        found = linprog(
            np.concatenate([np.zeros(2 * n + 2), weights]),
            vstack([hstack([rows, blank]), *tangents]).tocsr(),
            np.concatenate([most, *right]),
            hstack([self._joints(), csr_matrix((n, n + 1))]).tocsr(),
            np.zeros(n),
            [
                *zip(Y / scale / TRUST, Y / scale * TRUST, strict=True),
                *[(None, None)] * (n + 1),
                *[(0.0, None)] * (n + 1),
            ],
            method="highs",
        )
        if found.status != 0:
            return None
        return scale * found.x[: n + 1], scale * found.x[n + 1 : 2 * n + 2]

    def _joints(self) -> csr_matrix:
        """``y_{i+1} - y_i = h (u_i + u_{i+1})``"""
        k = np.arange(self.n)
        end = self._operators(k, (k + 1.0) / self.n)[0]
        here = csr_matrix((np.ones(self.n), (k, k + 1)), shape=end.shape)
        return end - here

    def times(self, y: Array, u: Array) -> Array:
        """When even places are passed of which y and u are given: ``int dtau/sqrt(y)``."""
        h = 1.0 / (len(y) - 1)
        s = 0.5 * h * (NODES + 1.0)
        w = (np.diff(u) / h)[:, None]
        inside = y[:-1, None] + s * (2.0 * u[:-1, None] + s * w)
        steps = 0.5 * h * (WEIGHTS / np.sqrt(inside)).sum(axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def _in_time(self, y: Array, u: Array) -> Eased:
        """With knots at the places and in the middle between two of them."""
        pace = np.concatenate([y, u])
        y, u = self.y @ pace, self.u @ pace
        tau = np.linspace(0.0, 1.0, 2 * self.n + 1)
        rise = 30.0 * tau**2 * (1.0 - tau) ** 2
        bend = 60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau)
        knots, speed, acceleration = self.times(y, u), rise * np.sqrt(y), bend * y + rise * u
        whole = float(eased(knots, speed, acceleration).progress[-1])
        return eased(knots, speed / whole, acceleration / whole)


def slowed(path: Trajectory, pace: Eased, by: float) -> Retimed:
    """`path` at a pace that takes ``1 + by`` times as long."""
    k = 1.0 + by
    return Retimed(path, eased(pace.knots * k, pace.speed / k, pace.acceleration / k**2))
