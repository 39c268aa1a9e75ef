"""Partial velocities of every body and their time derivatives.  [Syed] 004

The independent speeds are the actuator rates ldot (6); the partial velocities of the platform are the columns
of ``G = J^-1`` (eqs 1, 2) and those of any body follow through the platform twist u: ``V~ = V^ G`` with
``V = V^ u``.  Kept here is ``V^`` (..., 3, 6) beside its time derivative in the inertial frame N, so that
eq 3, ``a = V~ ldd + dV~/dt ldot``, is evaluated as ``V^ du/dt + dV^/dt u``: the same vector, without the
rounding errors of ``J^-1 J`` near singular poses.  All vectors in world axes.  Legs of one type share axis n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.model import PUS, SPS, UPS, Platform
from gough.spatial import Motion

SINGULAR = 1e-12  # 1 - (k.s)^2 below which the universal joint has lost an axis


@dataclass(frozen=True)
class Partial:
    """Velocity per twist component, `value` (..., 3, 6), and its time derivative `rate`."""

    value: Array
    rate: Array

    def __add__(self, other: Partial) -> Partial:
        return Partial(self.value + other.value, self.rate + other.rate)

    def __sub__(self, other: Partial) -> Partial:
        return Partial(self.value - other.value, self.rate - other.rate)

    def wide(self) -> Partial:
        """With an axis for bodies."""
        return Partial(self.value[..., None, :, :], self.rate[..., None, :, :])

    def velocity(self, u: Array) -> Array:
        """``V^ u`` for speeds (..., 6)."""
        return (self.value @ u[..., None])[..., 0]

    def cross(self, r: Array, rdot: Array) -> Partial:
        """``omega x r`` of a point at `r` that moves with `rdot` in N."""
        return Partial(-_skew(r) @ self.value, -_skew(rdot) @ self.value - _skew(r) @ self.rate)

    def through(self, A: Array, Adot: Array) -> Partial:
        """``A V`` with a linear map that changes in time."""
        return Partial(A @ self.value, Adot @ self.value + A @ self.rate)


@dataclass(frozen=True)
class Struts:
    """Struts of one leg type: legs `index`, directions s, frames T (..., n, 3, 3), angular velocities W.

    turn: partial angular velocities;  tip: partial velocities of the platform joint
    """

    index: list[int]
    s: Array
    T: Array
    W: Array
    turn: Partial
    tip: Partial


@dataclass(frozen=True)
class Speeds:
    """The machine in motion.

    J, Jdot           (..., 6, 6) actuator rates from the twist, and its time derivative
    twist, accel      (..., 6) u and du/dt of the platform reference point
    length, rate, acceleration  (..., 6) actuator coordinates l, ldot, ldd
    linear, angular   partial velocities of the platform reference point and of the platform
    s, q              (..., 6, 3) strut directions and platform joints from the reference point
    struts            by leg type
    """

    J: Array
    Jdot: Array
    twist: Array
    accel: Array
    length: Array
    rate: Array
    acceleration: Array
    linear: Partial
    angular: Partial
    s: Array
    q: Array
    struts: dict[type, Struts]


def speeds(platform: Platform, motion: Motion) -> Speeds:
    """Partial velocities of platform and struts.  004 eqs 1, 2"""
    t, R, v, w = motion.position, motion.rotation, motion.velocity, motion.angular_velocity
    q = platform.platform_joints @ np.swapaxes(R, -1, -2)
    qdot = np.cross(w[..., None, :], q)
    pdot = v[..., None, :] + qdot
    arms = {kind: _arms(platform, kind, t[..., None, :] + q, pdot) for kind in (UPS, SPS, PUS)}
    s, j, jdot = (np.zeros_like(q) for _ in range(3))
    length = np.zeros(q.shape[:-1], dtype=q.dtype)
    for arm in arms.values():
        if arm is not None:
            s[..., arm.index, :], j[..., arm.index, :], jdot[..., arm.index, :] = arm.s, arm.j, arm.jdot
            length[..., arm.index] = arm.length
    J = np.concatenate([j, np.cross(q, j)], axis=-1)
    Jdot = np.concatenate([jdot, np.cross(qdot, j) + np.cross(q, jdot)], axis=-1)
    twist = np.concatenate([v, w], axis=-1)
    accel = np.concatenate([motion.acceleration, motion.angular_acceleration], axis=-1)
    rate = (J @ twist[..., None])[..., 0]
    acceleration = (J @ accel[..., None] + Jdot @ twist[..., None])[..., 0]
    E = np.broadcast_to(np.eye(6), (*motion.shape, 6, 6))
    linear, angular = (Partial(E[..., rows, :], np.zeros((3, 6))) for rows in (slice(0, 3), slice(3, 6)))
    struts = {
        kind: _strut(arm, linear, angular, q, qdot, pdot) for kind, arm in arms.items() if arm is not None
    }
    return Speeds(J, Jdot, twist, accel, length, rate, acceleration, linear, angular, s, q, struts)


@dataclass(frozen=True)
class Arm:
    """Legs of one type: direction s, ``ldot = j.pdot``, ``W = Aw pdot``, time derivatives, frames T."""

    index: list[int]
    length: Array
    s: Array
    j: Array
    jdot: Array
    Aw: Array
    Awdot: Array
    T: Array


def _arms(platform: Platform, kind: type, p: Array, pdot: Array) -> Arm | None:
    index = [i for i, leg in enumerate(platform.legs) if type(leg) is kind]
    if not index:
        return None
    legs = [platform.legs[i] for i in index]
    make = _sliding if kind is PUS else _telescopic
    return make(legs, index, p[..., index, :], pdot[..., index, :])  # type: ignore[arg-type]


def _telescopic(legs: Sequence[UPS | SPS], index: list[int], p: Array, pdot: Array) -> Arm:
    """``W = s x pdot / L`` and, with a universal joint, its spin."""
    S = p - np.array([leg.base for leg in legs])
    L = np.sqrt((S * S).sum(-1, keepdims=True))
    _positive(L[..., 0], index, "the platform joint meets the base joint")
    s = S / L
    Ldot = (s * pdot).sum(-1, keepdims=True)
    sdot = (pdot - Ldot * s) / L
    N = _skew(s) / L[..., None]
    Ndot = _skew(sdot) / L[..., None] - (Ldot / L)[..., None] * N
    axes = np.array([leg.axis for leg in legs if isinstance(leg, UPS)])
    return _joint(index, L[..., 0], s, sdot, (s, sdot), (N, Ndot), axes if len(axes) else None)


def _sliding(legs: Sequence[PUS], index: list[int], p: Array, pdot: Array) -> Arm:
    """Slider coordinate l on the rail e; the link turns with ``s x (pdot - ldot e) / Lf``."""
    b, e, k = (np.array([getattr(leg, name) for leg in legs]) for name in ("base", "rail", "axis"))
    Lf = np.array([leg.length for leg in legs])
    sign = np.array([leg.assembly for leg in legs])
    P = p - b
    Pe = (P * e).sum(-1)
    root = Pe**2 - (P * P).sum(-1) + Lf**2
    _positive(root, index, "the link is too short to reach the platform joint from its rail")
    l = Pe - sign * np.sqrt(root)
    s = (P - l[..., None] * e) / Lf[:, None]
    lean = (s * e).sum(-1, keepdims=True)
    j = s / lean
    ldot = (j * pdot).sum(-1, keepdims=True)
    sdot = (pdot - ldot * e) / Lf[:, None]
    jdot = (sdot - (sdot * e).sum(-1, keepdims=True) * j) / lean
    X = np.eye(3) - e[:, :, None] * j[..., None, :]
    N = _skew(s) @ X / Lf[:, None, None]
    Ndot = (_skew(sdot) @ X - _skew(s) @ (e[:, :, None] * jdot[..., None, :])) / Lf[:, None, None]
    return _joint(index, l, s, sdot, (j, jdot), (N, Ndot), k)


def _joint(
    index: list[int],
    l: Array,
    s: Array,
    sdot: Array,
    j: tuple[Array, Array],
    N: tuple[Array, Array],
    k: Array | None,
) -> Arm:
    """Add the spin forced by the universal joint with first axis `k`: ``(E + kap s k^T/(1-kap^2)) N``."""
    if k is None:  # ball joints at both ends: no spin, and any frame serves an axisymmetric leg
        return Arm(index, l, s, *j, *N, _frame(s, np.eye(3)[np.argmin(s * s, axis=-1)]))
    kap, kapdot = ((k * x).sum(-1)[..., None, None] for x in (s, sdot))
    room = 1 - kap**2
    _positive(room[..., 0, 0] - SINGULAR, index, "the strut lies along the first axis of its universal joint")
    g, gdot = kap / room, kapdot * (1 + kap**2) / room**2
    sk, sdotk = s[..., :, None] * k[:, None, :], sdot[..., :, None] * k[:, None, :]
    F, Fdot = np.eye(3) + g * sk, gdot * sk + g * sdotk
    return Arm(index, l, s, *j, F @ N[0], Fdot @ N[0] + F @ N[1], _frame(s, k))


def _frame(s: Array, k: Array) -> Array:
    y = np.cross(k, s)
    y = y / np.sqrt((y * y).sum(-1, keepdims=True))
    return np.stack([s, y, np.cross(s, y)], axis=-1)  # type: ignore[return-value]


def _skew(v: Array) -> Array:
    """``[v]x``, for numbers of any kind."""
    K = np.zeros((*v.shape, 3), dtype=v.dtype)
    K[..., 0, 1], K[..., 1, 0] = -v[..., 2], v[..., 2]
    K[..., 0, 2], K[..., 2, 0] = v[..., 1], -v[..., 1]
    K[..., 1, 2], K[..., 2, 1] = -v[..., 0], v[..., 0]
    return K


def _strut(arm: Arm, linear: Partial, angular: Partial, q: Array, qdot: Array, pdot: Array) -> Struts:
    tip = linear.wide() + angular.wide().cross(q[..., arm.index, :], qdot[..., arm.index, :])
    W = (arm.Aw @ pdot[..., arm.index, :, None])[..., 0]
    return Struts(arm.index, arm.s, arm.T, W, tip.through(arm.Aw, arm.Awdot), tip)


def _positive(value: Array, index: list[int], sentence: str) -> None:
    bad = np.logical_not(value > 0)
    if bad.any():
        leg = index[int(np.nonzero(bad)[-1][0])]
        raise InfeasibleError(f"leg {leg + 1}: {sentence}")
