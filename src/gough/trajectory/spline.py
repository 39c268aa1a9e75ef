"""C2 splines through poses: positions in R^3, orientations in SO(3), both exact to the second derivative.

Segment i runs over ``0 <= u <= h_i`` between knots i and i+1.
    position   ``p_i(u)`` a polynomial
    rotation   ``R = R_i exp([phi_i(u)]x)``, phi_i a polynomial, phi_i(0) = 0, phi_i(h_i) = log(R_i^T R_{i+1})
At the start of a segment ``phi' = omega`` and ``phi'' = alpha`` (axes of R_i, because phi = 0 there); at its
end ``omega = Jr phi'`` and ``alpha = Jr phi'' + (D Jr[phi']) phi'`` (axes of R_{i+1}).  Matching both at
every knot gives equations for the knots' omega, block tridiagonal but for a quadratic term, solved by
Newton's method.  The curve does not depend on the choice of world axes, and about a fixed axis it is the
ordinary cubic spline.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.checks import Array, InputError
from gough.spatial import Motion, rotation_log
from gough.trajectory.base import BREAK, Trajectory
from gough.trajectory.cubic import solve_neighbors
from gough.trajectory.so3 import jacobian_rate, right_jacobian, rotation_vector_motion

HALF_TURN = (
    np.pi - 1e-3
)  # rad: largest rotation between neighboring knots; beyond, the way is ambiguous
NEWTON_STEPS = 20
SHARES = 41  # stages of the quadratic term for far apart orientations


@dataclass(frozen=True, eq=False)
class PoseSpline(Trajectory):
    """Piecewise polynomial pose.

    times (n,) start at zero; rotations (n, 3, 3) at the knots; position and rotation: coefficients
    (n - 1, degree + 1, 3), lowest power first, in each segment's own time.
    """

    times: Array
    rotations: Array
    position: Array
    rotation: Array

    @property
    def duration(self) -> float:  # type: ignore[override]
        return float(self.times[-1])

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """Times of the waypoints, s; acceleration is continuous there."""
        return tuple(map(float, self.times))

    def evaluate(self, t: Array) -> Motion:
        i = np.searchsorted(self.times[1:-1], t + BREAK * self.duration, side="right")
        u = (t - self.times[i])[..., None]
        p, v, a = _polynomial(self.position[i], u)
        E, omega, alpha = rotation_vector_motion(*_polynomial(self.rotation[i], u))
        R = self.rotations[i]
        turn = R @ np.stack([omega, alpha], axis=-1)
        return Motion(p, R @ E, v, turn[..., 0], a, turn[..., 1], t)


def _polynomial(c: Array, u: Array) -> tuple[Array, Array, Array]:
    """Value and two derivatives of ``sum_k c[..., k, :] u^k`` by Horner's rule."""
    p = v = a = np.zeros((*np.broadcast_shapes(c.shape[:-2], u.shape[:-1]), 3))
    for k in range(c.shape[-2] - 1, -1, -1):
        a = a * u + 2.0 * v
        v = v * u + p
        p = p * u + c[..., k, :]
    return p, v, a


def cubic_hermite(h: Array, y0: Array, d0: Array, y1: Array, d1: Array) -> Array:
    """Coefficients (..., 4, 3) with values y and slopes d at both ends of an interval of length h."""
    h = h[..., None]
    slope = (y1 - y0) / h
    return np.stack(
        [y0, d0, (3.0 * slope - 2.0 * d0 - d1) / h, (d0 + d1 - 2.0 * slope) / h**2], axis=-2
    )


def quintic_hermite(
    h: Array, start: tuple[Array, Array, Array], end: tuple[Array, Array, Array]
) -> Array:
    """Coefficients (..., 6, 3) with value, slope and curvature at both ends of an interval of length h."""
    h = h[..., None]
    y0, d0, c0 = start
    y1, d1, c1 = end
    # what the quadratic part leaves at the far end, in units of the interval
    y = y1 - y0 - h * d0 - 0.5 * h**2 * c0
    d = h * (d1 - d0 - h * c0)
    c = h**2 * (c1 - c0)
    return np.stack(
        [
            y0,
            d0,
            0.5 * c0,
            (10.0 * y - 4.0 * d + 0.5 * c) / h**3,
            (-15.0 * y + 7.0 * d - c) / h**4,
            (6.0 * y - 3.0 * d + 0.5 * c) / h**5,
        ],
        axis=-2,
    )


def relative_rotations(field: str, R: Array) -> Array:
    """``phi_i = log(R_i^T R_{i+1})``, (n - 1, 3); refused beyond half a turn, where the way is ambiguous."""
    phi = rotation_log(np.swapaxes(R[:-1], -1, -2) @ R[1:])
    angle = np.linalg.norm(phi, axis=-1)
    if (angle > HALF_TURN).any():
        i = int(np.argmax(angle))
        raise InputError(
            f"{field}[{i + 1}]",
            f"{np.degrees(angle[i]):.3f} deg from the one before",
            "must turn less than half a turn (179.9 deg): add a waypoint between",
        )
    return phi


def knot_rates(h: Array, phi: Array, ends: tuple[Array | None, Array | None]) -> Array:
    """omega (n, 3) at the knots, each in its own knot's axes, that makes the cubic spline C2.

    `ends`: omega there, or None for zero angular acceleration (natural end).  Where Newton's method does not
    arrive at once (neighbors far apart), the quadratic term is let in little by little.
    """
    equations = _knot_equations(h, phi, ends)
    last = len(h) + (ends[1] is None)
    start = np.zeros((len(h) + 1, 3))
    w = _newton(phi, equations, last, start, 1.0)
    if w is None:
        w = start
        for share in np.linspace(0.0, 1.0, SHARES):
            w = _newton(phi, equations, last, w, float(share))
            if w is None:
                raise InputError(
                    "poses",
                    "turns too wild for one spline",
                    "must change more slowly: add waypoints",
                )
    return w


def _newton(
    phi: Array, equations: tuple[Array, Array, Array, Array], last: int, w: Array, share: float
) -> Array | None:
    """Solve the knot equations with `share` of their quadratic term from `w`; None: not converged."""
    lower, diagonal, upper, constant = equations
    q = np.arange(1, last)  # knots whose equation holds the end of the segment before
    bend = phi[q - 1]
    back = np.linalg.inv(right_jacobian(bend))

    def misfit(w: Array) -> tuple[Array, Array]:
        """Jump of alpha at every knot, and phi' at the ends of the segments."""
        rate = (back @ w[q, :, None])[..., 0]
        jump = constant + (diagonal @ w[..., None])[..., 0]
        jump[1:] += (lower[1:] @ w[:-1, :, None])[..., 0]
        jump[:-1] += (upper[:-1] @ w[1:, :, None])[..., 0]
        jump[q] += share * jacobian_rate(bend, rate, rate, -1.0)
        return jump, rate

    jump, rate = misfit(w)
    for _ in range(NEWTON_STEPS):
        D = diagonal.copy()
        for j in range(3):
            u = np.asarray(back[..., j], dtype=np.float64)
            D[q, :, j] += share * (
                jacobian_rate(bend, rate, u, -1.0) + jacobian_rate(bend, u, rate, -1.0)
            )
        step = solve_neighbors(lower, D, upper, -jump[..., None])[..., 0]
        w = w + step
        if np.abs(step).max() <= 1e-11 * np.abs(w).max() or not step.any():
            return w  # the error after a step is the square of the step; NaN does not pass
        jump, rate = misfit(w)
    return None


def _knot_equations(
    h: Array, phi: Array, ends: tuple[Array | None, Array | None]
) -> tuple[Array, Array, Array, Array]:
    """Linear part: alpha at the end of segment i - 1 minus alpha at the start of segment i, for each knot i.

    A natural end keeps one of the two; an end with given omega has its own equation.
    """
    n = len(h) + 1
    Jr = right_jacobian(phi)
    h3 = h[:, None, None]
    lower, diagonal, upper = np.zeros((n, 3, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3, 3))
    constant = np.zeros((n, 3))
    k = np.arange(1, n if ends[1] is None else n - 1)
    diagonal[k] += 4.0 * np.eye(3) / h3[k - 1]
    lower[k] = 2.0 * Jr[k - 1] / h3[k - 1]
    constant[k] -= 6.0 * phi[k - 1] / h[k - 1, None] ** 2
    k = np.arange(0 if ends[0] is None else 1, n - 1)
    diagonal[k] += 4.0 * np.eye(3) / h3[k]
    upper[k] = 2.0 * np.linalg.inv(Jr[k]) / h3[k]
    constant[k] -= 6.0 * phi[k] / h[k, None] ** 2
    for knot, value in ((0, ends[0]), (n - 1, ends[1])):
        if value is not None:
            diagonal[knot], constant[knot] = np.eye(3), -value
    return lower, diagonal, upper, constant


def end_of_segment(phi: Array, omega: Array, alpha: Array) -> tuple[Array, Array]:
    """phi' and phi'' at the end of a segment from omega and alpha there (axes of the end)."""
    Ji = np.linalg.inv(right_jacobian(phi))
    rate = (Ji @ omega[..., None])[..., 0]
    return rate, (Ji @ (alpha - jacobian_rate(phi, rate, rate, -1.0))[..., None])[..., 0]
