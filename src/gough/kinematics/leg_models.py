"""What the legs do between two instants: Taylor models (gough/taylor.py) of their struts, coordinates and rates.

The formulas are those of gough/struts.py, with p, p', p'' the platform joint's motion, P = p - base, S the strut:

    p' = v + omega x q,  p'' = a + alpha x q + omega x (omega x q),  q = R joint
    strut    lam = |P|                lam' = s.p'         lam'' = (p'.p' + S.p'' - lam'^2)/|P|
    slider, crank    S.(p' - w lam') = 0, w = dc/dlam, gives
                     lam' = S.p'/S.w,     lam'' = (|p' - w lam'|^2 + S.(p'' - c'' lam'^2))/S.w
A crank's angle is its angle in the middle of the interval and the arcsine of what it turns from there.
World axes; m, rad for cranks.  `SERVED` are the legs whose platform joint is on a sphere about c(lam); of a leg with a
screw only the strut is known, not what its screw does (remainders of coordinate, rate and acceleration are infinite).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough import taylor
from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.model import Platform
from gough.struts import CRANK, SCREW, SLIDER, STRUT, leg_table
from gough.taylor import Model, cross, dot, power, reciprocal
from gough.trajectory.bounds import MotionModel

SERVED = (STRUT, SLIDER, CRANK)


class LegModel(NamedTuple):
    """(N, 6) coordinate, rate, acceleration, room; (N, 6, 3) start, end, arm q, strut's direction.

    room: what is under the root of the coordinate; the leg reaches where it is positive (m^2, of a crank m^4).
    """

    coordinate: Model
    rate: Model
    acceleration: Model
    start: Model
    end: Model
    arm: Model
    direction: Model
    room: Model


def without_bounds(platform: Platform) -> tuple[str, bool]:
    """Why no bounds are known for some leg, in words, or none; and whether at least those of all struts are known."""
    kinds = leg_table(platform)[:, LEG.kind]
    if not np.isin(kinds, (*SERVED, SCREW)).all():
        return "no bound is known for legs with offset joints", False
    screws = bool((kinds == SCREW).any())
    return "no bound is known for the coordinates of legs with screws" if screws else "", True


def leg_models(platform: Platform, motion: MotionModel) -> LegModel:
    """Of all six legs over the intervals of `motion`."""
    table = leg_table(platform)
    q = taylor.turned(motion.rotation, table[:, LEG.joint])
    w, al = motion.angular_velocity[:, None, :], motion.angular_acceleration[:, None, :]
    wq = cross(w, q)
    pd = motion.velocity[:, None, :] + wq
    pdd = motion.acceleration[:, None, :] + cross(al, q) + cross(w, wq)
    end = motion.position[:, None, :] + q
    P = end - table[:, LEG.base]
    order, found = [], []
    for kind, solve in ((STRUT, _strut), (SLIDER, _slider), (CRANK, _crank), (SCREW, _screw)):
        legs = np.nonzero(table[:, LEG.kind] == kind)[0].tolist()
        if legs:
            parts = (x if len(legs) == 6 else x[:, legs] for x in (P, pd, pdd))
            found.append(solve(table[legs], *parts))
            order.extend(legs)
    if len(found) == 1:
        coordinate, rate, acceleration, S, s, room = found[0]
    else:
        back = np.argsort(order)
        coordinate, rate, acceleration, S, s, room = (
            Model(
                np.concatenate([m.c for m in each], axis=2)[:, :, back],
                np.concatenate([m.r for m in each], axis=1)[:, back],
            )
            for each in zip(*found, strict=True)
        )
    return LegModel(coordinate, rate, acceleration, end - S, end, q, s, room)


Six = tuple[Model, Model, Model, Model, Model, Model]
"""Coordinate, rate, acceleration, strut S, direction s, room."""


def _strut(table: Array, P: Model, pd: Model, pdd: Model) -> Six:
    PP = dot(P, P)
    over = power(PP, -0.5)
    s = P * over[..., None]
    rate = dot(s, pd)
    acceleration = (dot(pd, pd) + dot(P, pdd) - rate * rate) * over
    return PP * over, rate, acceleration, P, s, PP


def _screw(table: Array, P: Model, pd: Model, pdd: Model) -> Six:
    lam, rate, acceleration, *strut = _strut(table, P, pd, pdd)
    unknown = (Model(x.c, np.full_like(x.r, np.inf)) for x in (lam, rate, acceleration))
    return *unknown, *strut  # type: ignore[return-value]


def _slider(table: Array, P: Model, pd: Model, pdd: Model) -> Six:
    e, L, sign = table[:, LEG.e], table[:, LEG.length], table[:, LEG.sign]
    along = dot(P, e)
    room = along * along - dot(P, P) + L * L
    root = power(room, 0.5) * sign
    lam = along - root
    S = P - lam[..., None] * e
    over = reciprocal(root)  # S.e = root
    rate = dot(S, pd) * over
    slip = pd - rate[..., None] * e
    acceleration = (dot(slip, slip) + dot(S, pdd)) * over
    return lam, rate, acceleration, S, S * (1.0 / L)[:, None], room


def _crank(table: Array, P: Model, pd: Model, pdd: Model) -> Six:
    e, u, n = table[:, LEG.e], table[:, LEG.u], table[:, LEG.n]
    h, rho, L = table[:, LEG.h], table[:, LEG.rho], table[:, LEG.length]
    A, B = dot(P, u), dot(P, n)
    D = (dot(P, P) + (h * h + rho * rho - L * L)) * 0.5 - dot(P, e) * h
    N2 = A * A + B * B
    room = N2 - D * D
    X = power(room, 0.5) * table[:, LEG.sign]
    over = reciprocal(N2)
    cos, sin = (A * D - B * X) * over, (B * D + A * X) * over
    out = cos[..., None] * u + sin[..., None] * n
    S = P - h[:, None] * e - out
    w = cos[..., None] * n - sin[..., None] * u
    over = reciprocal(dot(S, w))
    rate = dot(S, pd) * over
    slip = pd - w * rate[..., None]
    towards = out * (rate * rate)[..., None]  # - c'' lam'^2
    acceleration = (dot(slip, slip) + dot(S, pdd + towards)) * over
    return (
        turned_from(table[:, LEG.zero], cos, sin),
        rate,
        acceleration,
        S,
        S * (1.0 / L)[:, None],
        room,
    )


def turned_from(zero: Array, cos: Model, sin: Model) -> Model:
    """An angle counted within half a turn of `zero`; where the interval may pass that cut, nothing is known."""
    angle = np.arctan2(sin.c[0], cos.c[0])
    c, s = np.cos(angle), np.sin(angle)
    turn = taylor.arcsine(sin * c - cos * s)
    forward = (cos * c + sin * s).lower() > 0.0
    middle = zero + np.arctan2(
        np.sin(angle) * np.cos(zero) - np.cos(angle) * np.sin(zero),
        np.cos(angle) * np.cos(zero) + np.sin(angle) * np.sin(zero),
    )
    lam = turn + middle
    room = np.pi - np.abs(middle - zero) - lam.deviation()
    known = forward & (room > 0.0)
    return Model(lam.c, np.where(known, lam.r + 16 * taylor.EPS * np.pi, np.inf))


def pair_clearance(legs: LegModel, needed: Array, pairs: Array) -> Model:
    """(N, m, 4): each at least 0 proves that struts i and j of `pairs` (2, m) are `needed` (m,) apart, m.

    For any direction n(t) the segments are at least the gap of their shadows on it apart:
    ``min_kl n.(a_k - b_l)``, k, l their ends.  n is the common normal ``u x v`` where the closest points lie inside
    both struts (all four shadows fall together there), the line from an end to the other strut, or between two ends.
    """
    i, j = pairs
    a0, a1, b0, b1 = (x[:, k] for k in (i, j) for x in (legs.start, legs.end))
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    x, y, inside = _closest(u.c[0], v.c[0], w.c[0])
    # the closest points, fixed in their struts; then what lies along the struts is taken away where they end inside
    gap = w + u * x[..., None] - v * y[..., None]
    on_a, on_b = (x > 0.0) & (x < 1.0), (y > 0.0) & (y < 1.0)
    across = _across(gap, u, on_a & ~on_b)
    across = _across(across, v, on_b & ~on_a)
    normal = cross(u, v)
    sign = np.where((normal.c[0] * w.c[0]).sum(axis=-1) < 0.0, -1.0, 1.0)
    n = taylor.chosen((on_a & on_b & inside)[..., None], normal * sign[..., None], across)
    size = np.sqrt((n.c[0] ** 2).sum(axis=-1))
    n = n * (1.0 / np.where(size > 0.0, size, 1.0))[..., None]
    length = power(dot(n, n), 0.5)
    shadows = [dot(a - b, n) - length * needed for a in (a0, a1) for b in (b0, b1)]
    return taylor.stack(shadows)


def _across(gap: Model, along: Model, where: NDArray[np.bool_]) -> Model:
    """`gap` without its part along a strut, where asked."""
    if not where.any():
        return gap
    part = dot(gap, along) * reciprocal(dot(along, along))
    return taylor.chosen(where[..., None], gap - along * part[..., None], gap)


def _closest(u: Array, v: Array, w: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Places (0 to 1) of the closest points of segments a0 + x u and b0 + y v, w = a0 - b0; and: they are not parallel.

    Any places are allowed: they choose a direction, and the proof holds for every one.
    """
    uu, vv, uv = ((a * b).sum(axis=-1) for a, b in ((u, u), (v, v), (u, v)))
    uw, vw = (u * w).sum(axis=-1), (v * w).sum(axis=-1)
    det = uu * vv - uv * uv
    skew = det > 1e-9 * uu * vv
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.where(skew, (uv * vw - vv * uw) / det, 0.5)
        x = np.clip(x, 0.0, 1.0)
        y = np.clip((x * uv + vw) / vv, 0.0, 1.0)
        x = np.clip((y * uv - uw) / uu, 0.0, 1.0)
        y = np.clip((x * uv + vw) / vv, 0.0, 1.0)
    return x, y, skew


def regular(legs: LegModel, length: float) -> tuple[NDArray[np.bool_], Array]:
    """(N,) bool, float: the rows (s, q x s/length) are proved regular over the interval; sign of their determinant."""
    return regular_rows(legs.direction, cross(legs.arm * (1.0 / length), legs.direction))


def regular_rows(force: Model, moments: Model) -> tuple[NDArray[np.bool_], Array]:
    """(N,) bool, float: the rows (force, moments), (N, 6, 3) each, are proved regular; sign of their determinant.

    With M the rows in the middle, A close to M^-1 and |dM| how far they may move: ``|A M - E| + |A| |dM| < 1`` (rows
    summed) leaves no singular matrix (kinematics/path_intervals.py).
    """
    M = np.concatenate([force.c[0], moments.c[0]], axis=-1)
    off = np.concatenate([force.deviation(), moments.deviation()], axis=-1)
    off = off * taylor.WIDER + 1e-13 * (1.0 + np.abs(M).max(axis=(-1, -2), keepdims=True))
    good = np.isfinite(off).all(axis=(-1, -2)) & np.isfinite(M).all(axis=(-1, -2))
    M = np.where(good[:, None, None], M, np.eye(6))
    sign, log = np.linalg.slogdet(M)
    good &= np.isfinite(log) & (log > -60.0)
    A = np.linalg.inv(np.where(good[:, None, None], M, np.eye(6)))
    left = np.abs(A @ M - np.eye(6)) + np.abs(A) @ np.where(np.isfinite(off), off, 1e300)
    return good & (left.sum(axis=-1).max(axis=-1) < 1.0 - 1e-9), sign
