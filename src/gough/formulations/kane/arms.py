"""Leg geometry in motion: how the platform joint's velocity moves actuator and strut, with time derivatives.

``ldot = j.pdot`` and ``W = Aw pdot`` for every leg type; dots are derivatives along the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.model import PUS, RUS, SPS, UPS, Platform

SINGULAR = 1e-12  # 1 - (k.s)^2 below which the universal joint has lost an axis


@dataclass(frozen=True)
class Arm:
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


def arms(platform: Platform, p: Array, pdot: Array) -> dict[type, Arm]:
    """The legs by type, for platform joints at `p` (..., 6, 3) with velocity `pdot`."""
    makers = {UPS: _telescopic, SPS: _telescopic, PUS: _sliding, RUS: _cranked}
    found = {}
    for kind, make in makers.items():
        index = [i for i, leg in enumerate(platform.legs) if type(leg) is kind]
        if index:
            legs = [platform.legs[i] for i in index]
            found[kind] = make(legs, index, p[..., index, :], pdot[..., index, :])  # type: ignore[arg-type]
    return found


def _telescopic(legs: Sequence[UPS | SPS], index: list[int], p: Array, pdot: Array) -> Arm:
    """``W = s x pdot / L`` and, with a universal joint, its spin."""
    S = p - np.array([leg.base for leg in legs])
    L = np.sqrt((S * S).sum(-1, keepdims=True))
    positive(L[..., 0], index, "the platform joint meets the base joint")
    s = S / L
    Ldot = (s * pdot).sum(-1, keepdims=True)
    sdot = (pdot - Ldot * s) / L
    N = skew(s) / L[..., None]
    Ndot = skew(sdot) / L[..., None] - (Ldot / L)[..., None] * N
    axes = np.array([leg.axis for leg in legs if isinstance(leg, UPS)])
    Aw, Awdot, T = (N, Ndot, _any_frame(s))
    if len(axes):
        Aw, Awdot, T = _joint(index, s, sdot, (N, Ndot), (axes, np.zeros(3)))
    return Arm(index, L[..., 0], s, s, sdot, Aw, Awdot, T)


def _sliding(legs: Sequence[PUS], index: list[int], p: Array, pdot: Array) -> Arm:
    """Slider coordinate l on the rail e; the link turns with ``s x (pdot - ldot e) / Lf``."""
    b, e, k = (np.array([getattr(leg, name) for leg in legs]) for name in ("base", "rail", "axis"))
    Lf = np.array([leg.length for leg in legs])
    sign = np.array([leg.assembly for leg in legs])
    P = p - b
    Pe = (P * e).sum(-1)
    root = Pe**2 - (P * P).sum(-1) + Lf**2
    positive(root, index, "the link is too short to reach the platform joint from its rail")
    l = Pe - sign * np.sqrt(root)
    s = (P - l[..., None] * e) / Lf[:, None]
    lean = (s * e).sum(-1, keepdims=True)
    j = s / lean
    ldot = (j * pdot).sum(-1, keepdims=True)
    sdot = (pdot - ldot * e) / Lf[:, None]
    jdot = (sdot - (sdot * e).sum(-1, keepdims=True) * j) / lean
    X = np.eye(3) - e[:, :, None] * j[..., None, :]
    N = skew(s) @ X / Lf[:, None, None]
    Ndot = (skew(sdot) @ X - skew(s) @ (e[:, :, None] * jdot[..., None, :])) / Lf[:, None, None]
    return Arm(index, l, s, j, jdot, *_joint(index, s, sdot, (N, Ndot), (k, np.zeros(3))))


def _cranked(legs: Sequence[RUS], index: list[int], p: Array, pdot: Array) -> Arm:
    """Crank on a shaft e, tip at u, tip velocity n = e x u per unit rate; the universal axis k turns with it.

    ``W - thd e`` has no component about the joint's normal, which adds ``(s.e - kap k.e)/(1 - kap^2) s j^T``.
    """
    e, u0, k0 = (np.array([getattr(leg, name) for leg in legs]) for name in ("shaft", "arm", "axis"))
    Lf = np.array([leg.length for leg in legs])[:, None]
    P = p - np.array([leg.base for leg in legs])
    angle = _crank_angle(legs, index, P)
    Z = _turned(e, angle)
    u, k = ((Z @ x[..., None])[..., 0] for x in (u0, k0))
    n = np.cross(e, u)
    s = (P - u) / Lf
    lever = (s * n).sum(-1, keepdims=True)
    j = s / lever
    rate = (j * pdot).sum(-1, keepdims=True)
    ndot, kdot = rate * np.cross(e, n), rate * np.cross(e, k)
    sdot = (pdot - rate * n) / Lf
    jdot = (sdot - ((sdot * n).sum(-1, keepdims=True) + (s * ndot).sum(-1, keepdims=True)) * j) / lever
    X = np.eye(3) - n[..., :, None] * j[..., None, :]
    Xdot = -ndot[..., :, None] * j[..., None, :] - n[..., :, None] * jdot[..., None, :]
    N, Ndot = skew(s) @ X / Lf[..., None], (skew(sdot) @ X + skew(s) @ Xdot) / Lf[..., None]
    Aw, Awdot, T = _joint(index, s, sdot, (N, Ndot), (k, kdot))
    kap, kapdot = (k * s).sum(-1, keepdims=True), (kdot * s + k * sdot).sum(-1, keepdims=True)
    se, sedot, ke = ((x * e).sum(-1, keepdims=True) for x in (s, sdot, k))
    room = 1 - kap**2
    f = (se - kap * ke) / room
    fdot = (sedot - kapdot * ke) / room + 2 * kap * kapdot * f / room
    Aw = Aw + (f * s)[..., :, None] * j[..., None, :]
    Awdot = Awdot + (fdot * s + f * sdot)[..., :, None] * j[..., None, :] + (f * s)[..., :, None] * jdot[..., None, :]
    return Arm(index, angle, s, j, jdot, Aw, Awdot, T, Z)


def _crank_angle(legs: Sequence[RUS], index: list[int], P: Array) -> Array:
    """Crank angle (..., n) that puts the tip at the rod's length from P, rad."""
    e, u0 = (np.array([getattr(leg, name) for leg in legs]) for name in ("shaft", "arm"))
    h = (e * u0).sum(-1)
    flat = u0 - h[:, None] * e
    A, B = (P * flat).sum(-1), (P * np.cross(e, flat)).sum(-1)
    Lf = np.array([leg.length for leg in legs])
    D = ((P * P).sum(-1) + (u0 * u0).sum(-1) - Lf**2) / 2 - h * (P * e).sum(-1)
    root = A**2 + B**2 - D**2
    positive(root, index, "the rod does not reach from the crank to the platform joint")
    X = np.array([leg.elbow for leg in legs]) * np.sqrt(root)
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
    kap = (axis * s).sum(-1)[..., None, None]
    kapdot = (axis * sdot + turn * s).sum(-1)[..., None, None]
    room = 1 - kap**2
    positive(room[..., 0, 0] - SINGULAR, index, "the strut lies along the first axis of its universal joint")
    g, gdot = kap / room, kapdot * (1 + kap**2) / room**2
    sk = s[..., :, None] * axis[..., None, :]
    skdot = sdot[..., :, None] * axis[..., None, :] + s[..., :, None] * turn[..., None, :]
    F, Fdot = np.eye(3) + g * sk, gdot * sk + g * skdot
    return F @ N[0], Fdot @ N[0] + F @ N[1], _frame(s, axis)


def _any_frame(s: Array) -> Array:
    """Axes for a leg whose spin does not matter, built on the world axis farthest from it."""
    return _frame(s, np.eye(3)[np.argmin(s * s, axis=-1)])


def _frame(s: Array, k: Array) -> Array:
    y = np.cross(k, s)
    y = y / np.sqrt((y * y).sum(-1, keepdims=True))
    return np.stack([s, y, np.cross(s, y)], axis=-1)  # type: ignore[return-value]


def skew(v: Array) -> Array:
    """``[v]x``, for numbers of any kind."""
    K = np.zeros((*v.shape, 3), dtype=v.dtype)
    K[..., 0, 1], K[..., 1, 0] = -v[..., 2], v[..., 2]
    K[..., 0, 2], K[..., 2, 0] = v[..., 1], -v[..., 1]
    K[..., 1, 2], K[..., 2, 1] = -v[..., 0], v[..., 0]
    return K


def positive(value: Array, index: list[int], sentence: str) -> None:
    bad = np.logical_not(value > 0)
    if bad.any():
        leg = index[int(np.nonzero(bad)[-1][0])]
        raise InfeasibleError(f"leg {leg + 1}: {sentence}")
