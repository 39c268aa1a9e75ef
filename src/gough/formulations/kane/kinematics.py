"""Leg geometry in motion: how the platform joint's velocity moves actuator and strut, with time derivatives.

``ldot = j.pdot`` and ``W = Aw pdot`` for every leg type; dots are derivatives along the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import refusals
from gough.formulations.arrays import PairArrays, column, columns, pair_arrays
from gough.formulations.linear import apply, cross, dot, outer, skew, transpose
from gough.model import PUS, RUS, SPS, UCU, UPS, Platform
from gough.spatial import Pose


@dataclass(frozen=True)
class LegGroup:
    """Legs of one type (their numbers `index`).

    length  (..., n) actuator coordinate;   s (..., n, 3) strut direction;   T (..., n, 3, 3) strut axes
    j, Aw   (..., n, 3), (..., n, 3, 3) with ``ldot = j.pdot``, ``W = Aw pdot``, and their rates
    crank   (..., n, 3, 3) rotation of the crank from angle zero (RUS), else None
    """

    index: list[int]
    length: Array
    s: Array
    j: Array
    jdot: Array
    Aw: Array
    Awdot: Array
    T: Array
    crank: Array | None = None


def leg_groups(platform: Platform, p: Array, pdot: Array) -> dict[type, LegGroup]:
    """The legs by type, for platform joints at `p` (..., 6, 3) with velocity `pdot`."""
    telescopes = dict.fromkeys((UPS, SPS, UCU), _telescopic)
    makers = {**telescopes, PUS: _sliding, RUS: _cranked}
    found = {}
    for kind, make in makers.items():
        index = [i for i, leg in enumerate(platform.legs) if type(leg) is kind]
        if index:
            legs = [platform.legs[i] for i in index]
            found[kind] = make(legs, index, p[..., index, :], pdot[..., index, :])  # type: ignore[arg-type]
    return found


def _telescopic(
    legs: Sequence[UPS | SPS | UCU], index: list[int], p: Array, pdot: Array
) -> LegGroup:
    """``W = s x pdot / L`` and, with a universal joint, its spin."""
    S = p - column(legs, "base")
    L = np.sqrt(dot(S, S)[..., None])
    refusals.joints_meet(L[..., 0], index)
    s = S / L
    Ldot = dot(s, pdot)[..., None]
    sdot = (pdot - Ldot * s) / L
    N = skew(s) / L[..., None]
    Ndot = skew(sdot) / L[..., None] - (Ldot / L)[..., None] * N
    Aw, Awdot, T = N, Ndot, _any_frame(s)
    if not isinstance(legs[0], SPS):
        Aw, Awdot, T = _joint(index, s, sdot, (N, Ndot), (column(legs, "axis"), np.zeros(3)))
    return LegGroup(index, L[..., 0], s, s, sdot, Aw, Awdot, T)


@dataclass(frozen=True)
class UpperParts:
    """Upper parts of UCU legs, whose universal joint the platform carries: ``W = Aw pdot + s (row.w)``.

    data  constants of their cylindrical pairs;  Aw, row and their rates;  T (..., n, 3, 3) axes
    phi   (..., n) twist against the lower parts, rad, in the turn nearest to the one at home
    """

    data: PairArrays
    Aw: Array
    Awdot: Array
    row: Array
    rowdot: Array
    T: Array
    phi: Array


def upper_parts(
    legs: Sequence[UCU], lower: LegGroup, pdot: Array, R: Array, w: Array, home: Pose
) -> UpperParts:
    """Upper parts of the legs `lower` on a platform with axes R that turns with w (..., 3).

    ``(W - w).(k x y) = 0`` adds ``row = (s - kap k)/(1 - kap^2)``, ``kap = k.s``, to what a joint at rest gives.
    """
    data, s, sdot = pair_arrays(legs), lower.s, lower.jdot
    k = data.kp @ transpose(R)
    kdot = cross(w[..., None, :], k)
    L, Ldot = lower.length[..., None], dot(s, pdot)[..., None]
    N = skew(s) / L[..., None]
    Ndot = skew(sdot) / L[..., None] - (Ldot / L)[..., None] * N
    Aw, Awdot, T = _joint(lower.index, s, sdot, (N, Ndot), (k, kdot))
    kap, kapdot = dot(k, s)[..., None], (kdot * s + k * sdot).sum(-1, keepdims=True)
    room = 1 - kap**2
    row = (s - kap * k) / room
    rowdot = (sdot - kapdot * k - kap * kdot + 2 * kap * kapdot * row) / room
    phi = np.zeros(lower.length.shape)
    if data.spring.any():
        S = home.position + column(legs, "joint") @ home.rotation.T - column(legs, "base")
        s0 = S / np.sqrt(dot(S, S))[:, None]
        C0, S0 = _twist(_frame(s0, data.k), _frame(s0, data.kp @ home.rotation.T))
        C, S = _twist(lower.T, T)
        phi = np.arctan2(S0, C0) + np.arctan2(S * C0 - C * S0, C * C0 + S * S0)
    return UpperParts(data, Aw, Awdot, row, rowdot, T, phi)


def _twist(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Cosine and sine (..., n) of the angle from y of the lower to y of the upper axes, about s."""
    y = upper[..., 1]
    return dot(lower[..., 1], y), dot(lower[..., 2], y)


def _sliding(legs: Sequence[PUS], index: list[int], p: Array, pdot: Array) -> LegGroup:
    """Slider coordinate l on the rail e; the link turns with ``s x (pdot - ldot e) / Lf``."""
    b, e, k, Lf, sign = columns(legs, "base rail axis length assembly")
    P = p - b
    Pe = dot(P, e)
    root = Pe**2 - dot(P, P) + Lf**2
    refusals.far_from_rail(root, index)
    l = Pe - sign * np.sqrt(root)
    s = (P - l[..., None] * e) / Lf[:, None]
    lean = dot(s, e)[..., None]
    j = s / lean
    ldot = dot(j, pdot)[..., None]
    sdot = (pdot - ldot * e) / Lf[:, None]
    jdot = (sdot - dot(sdot, e)[..., None] * j) / lean
    X = np.eye(3) - outer(e, j)
    N = skew(s) @ X / Lf[:, None, None]
    Ndot = (skew(sdot) @ X - skew(s) @ outer(e, jdot)) / Lf[:, None, None]
    return LegGroup(index, l, s, j, jdot, *_joint(index, s, sdot, (N, Ndot), (k, np.zeros(3))))


def _cranked(legs: Sequence[RUS], index: list[int], p: Array, pdot: Array) -> LegGroup:
    """Crank on a shaft e, tip at u, tip velocity n = e x u per unit rate; the universal axis k turns with it.

    ``W - thd e`` has no component about the joint's normal, which adds ``(s.e - kap k.e)/(1 - kap^2) s j^T``.
    """
    b, e, u0, k0 = columns(legs, "base shaft arm axis")
    Lf = column(legs, "length")[:, None]
    P = p - b
    angle = _crank_angle(legs, index, P)
    Z = _turned(e, angle)
    u, k = (apply(Z, x) for x in (u0, k0))
    n = cross(e, u)
    s = (P - u) / Lf
    lever = dot(s, n)[..., None]
    j = s / lever
    rate = dot(j, pdot)[..., None]
    ndot, kdot = rate * cross(e, n), rate * cross(e, k)
    sdot = (pdot - rate * n) / Lf
    jdot = (sdot - (dot(sdot, n)[..., None] + dot(s, ndot)[..., None]) * j) / lever
    X = np.eye(3) - outer(n, j)
    Xdot = -outer(ndot, j) - outer(n, jdot)
    N, Ndot = skew(s) @ X / Lf[..., None], (skew(sdot) @ X + skew(s) @ Xdot) / Lf[..., None]
    Aw, Awdot, T = _joint(index, s, sdot, (N, Ndot), (k, kdot))
    kap, kapdot = dot(k, s)[..., None], (kdot * s + k * sdot).sum(-1, keepdims=True)
    se, sedot, ke = (dot(x, e)[..., None] for x in (s, sdot, k))
    room = 1 - kap**2
    f = (se - kap * ke) / room
    fdot = (sedot - kapdot * ke) / room + 2 * kap * kapdot * f / room
    Aw = Aw + outer(f * s, j)
    Awdot = Awdot + outer(fdot * s + f * sdot, j) + outer(f * s, jdot)
    return LegGroup(index, angle, s, j, jdot, Aw, Awdot, T, Z)


def _crank_angle(legs: Sequence[RUS], index: list[int], P: Array) -> Array:
    """Crank angle (..., n) that puts the tip at the rod's length from P, rad."""
    e, u0, Lf, elbow = columns(legs, "shaft arm length elbow")
    h = dot(e, u0)
    flat = u0 - h[:, None] * e
    A, B = dot(P, flat), dot(P, cross(e, flat))
    D = (dot(P, P) + dot(u0, u0) - Lf**2) / 2 - h * dot(P, e)
    root = A**2 + B**2 - D**2
    refusals.far_from_crank(root, index)
    X = elbow * np.sqrt(root)
    return np.arctan2(B * D + A * X, A * D - B * X)


def _turned(e: Array, angle: Array) -> Array:
    """Rotation by `angle` (..., n) about the unit axes e (n, 3)."""
    c, s = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
    return c * np.eye(3) + s * skew(e) + (1 - c) * e[:, :, None] * e[:, None, :]


def _joint(
    index: list[int], s: Array, sdot: Array, N: tuple[Array, Array], k: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """Add the spin forced by a universal joint with first axis k: ``Aw = (E + kap s k^T/(1-kap^2)) N``.

    Returns Aw, its rate and the strut axes.
    """
    axis, turn = k
    kap = dot(axis, s)[..., None, None]
    kapdot = (axis * sdot + turn * s).sum(-1)[..., None, None]
    room = 1 - kap**2
    refusals.along_axis(room[..., 0, 0], index)
    g, gdot = kap / room, kapdot * (1 + kap**2) / room**2
    sk = outer(s, axis)
    skdot = outer(sdot, axis) + outer(s, turn)
    F, Fdot = np.eye(3) + g * sk, gdot * sk + g * skdot
    return F @ N[0], Fdot @ N[0] + F @ N[1], _frame(s, axis)


def _any_frame(s: Array) -> Array:
    """Axes for a leg whose spin does not matter, built on the world axis farthest from it."""
    return _frame(s, np.eye(3)[np.argmin(s * s, axis=-1)])


def _frame(s: Array, k: Array) -> Array:
    y = cross(k, s)
    y = y / np.sqrt(dot(y, y)[..., None])
    return np.stack([s, y, cross(s, y)], axis=-1)  # type: ignore[return-value]
