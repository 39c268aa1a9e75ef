"""Partial velocities of every body and their time derivatives.  [Syed] 004

The independent speeds are the actuator rates ldot (6); the partial velocities of the platform are the columns
of ``G = J^-1`` (eqs 1, 2) and those of any body follow through the platform twist u: ``V~ = V^ G`` with
``V = V^ u``.  Kept here is ``V^`` (..., 3, 6) beside its time derivative in the inertial frame N, so that
eq 3, ``a = V~ ldd + dV~/dt ldot``, is evaluated as ``V^ du/dt + dV^/dt u``: the same vector, without the
rounding errors of ``J^-1 J`` near singular poses.  All vectors in world axes.  Legs of one type share axis n.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.checks import Array
from gough.formulations.kane.kinematics import LegGroup, UpperParts, leg_groups, upper_parts
from gough.formulations.linear import apply, cross, join, outer, skew, transpose
from gough.model import UCU, Platform
from gough.spatial import Motion


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
        return apply(self.value, u)

    def cross(self, r: Array, rdot: Array) -> Partial:
        """``omega x r`` of a point at `r` that moves with `rdot` in N."""
        return Partial(-skew(r) @ self.value, -skew(rdot) @ self.value - skew(r) @ self.rate)

    def through(self, A: Array, Adot: Array) -> Partial:
        """``A V`` with a linear map that changes in time."""
        return Partial(A @ self.value, Adot @ self.value + A @ self.rate)


@dataclass(frozen=True)
class StrutPartials:
    """Struts of one leg type: legs `index`, directions s, frames T (..., n, 3, 3), angular velocities W.

    turn: partial angular velocities;  tip: partial velocities of the platform joint;  crank: its rotation (RUS)
    pair: how the upper parts turn in these, the lower ones (UCU)
    """

    index: list[int]
    s: Array
    T: Array
    W: Array
    turn: Partial
    tip: Partial
    crank: Array | None
    pair: PairPartials | None = None


@dataclass(frozen=True)
class PairPartials:
    """Cylindrical pairs: geometry of the upper parts, W and its partials `turn`; `twist` (..., n, 1, 6): of phi."""

    upper: UpperParts
    W: Array
    turn: Partial
    twist: Partial


@dataclass(frozen=True)
class Speeds:
    """The machine in motion.

    J, Jdot           (..., 6, 6) actuator rates from the twist, and its time derivative
    slide             (..., 6, 6) rates of sliding: J, or of legs with screws those of their lengths
    twist, accel      (..., 6) u and du/dt of the platform reference point
    length, rate, acceleration  (..., 6) actuator coordinates l, ldot, ldd (length of a leg with a screw: its own)
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
    struts: dict[type, StrutPartials]
    slide: Array


def speeds(platform: Platform, motion: Motion) -> Speeds:
    """Partial velocities of platform and struts.  004 eqs 1, 2"""
    t, R, v, w = motion.position, motion.rotation, motion.velocity, motion.angular_velocity
    q = platform.platform_joints @ transpose(R)
    qdot = cross(w[..., None, :], q)
    pdot = v[..., None, :] + qdot
    found = leg_groups(platform, t[..., None, :] + q, pdot)
    s, j, jdot = (np.zeros_like(q) for _ in range(3))
    length = np.zeros(q.shape[:-1], dtype=q.dtype)
    for group in found.values():
        for whole, part in ((s, group.s), (j, group.j), (jdot, group.jdot)):
            whole[..., group.index, :] = part
        length[..., group.index] = group.length
    J = np.concatenate([j, cross(q, j)], axis=-1)
    Jdot = np.concatenate([jdot, cross(qdot, j) + cross(q, jdot)], axis=-1)
    E = np.broadcast_to(np.eye(6), (*motion.shape, 6, 6))
    linear, angular = (
        Partial(E[..., rows, :], np.zeros((3, 6))) for rows in (slice(0, 3), slice(3, 6))
    )
    struts = {kind: _strut(group, linear, angular, q, qdot, pdot) for kind, group in found.items()}
    slide = J
    if UCU in struts:
        legs: list[Any] = [platform.legs[i] for i in struts[UCU].index]
        low, own = found[UCU], pdot[..., struts[UCU].index, :]
        upper = upper_parts(legs, low, own, R, w, platform.likely_home)
        pair = _pair(struts[UCU], upper, low.jdot, angular.wide(), own, w)
        struts[UCU] = replace(struts[UCU], pair=pair)
        J, Jdot = J.copy(), Jdot.copy()
        h = upper.data.h[:, None]
        J[..., low.index, :] += h * pair.twist.value[..., 0, :]
        Jdot[..., low.index, :] += h * pair.twist.rate[..., 0, :]
    twist = join(v, w)
    accel = join(motion.acceleration, motion.angular_acceleration)
    rate = apply(J, twist)
    acceleration = (J @ accel[..., None] + Jdot @ twist[..., None])[..., 0]
    legs_now = (length, rate, acceleration)
    return Speeds(J, Jdot, twist, accel, *legs_now, linear, angular, s, q, struts, slide)


def _pair(
    struts: StrutPartials, upper: UpperParts, sdot: Array, angular: Partial, pdot: Array, w: Array
) -> PairPartials:
    """``W_u = Aw pdot + s (row.w)`` and the twist's rate ``s.(W_u - W)``."""
    s = struts.s
    spun = outer(sdot, upper.row) + outer(s, upper.rowdot)
    turn = struts.tip.through(upper.Aw, upper.Awdot) + angular.through(outer(s, upper.row), spun)
    twist = (turn - struts.turn).through(s[..., None, :], sdot[..., None, :])
    W = apply(upper.Aw, pdot) + s * (upper.row * w[..., None, :]).sum(-1, keepdims=True)
    return PairPartials(upper, W, turn, twist)


def _strut(
    group: LegGroup, linear: Partial, angular: Partial, q: Array, qdot: Array, pdot: Array
) -> StrutPartials:
    tip = linear.wide() + angular.wide().cross(q[..., group.index, :], qdot[..., group.index, :])
    W = apply(group.Aw, pdot[..., group.index, :])
    return StrutPartials(
        group.index, group.s, group.T, W, tip.through(group.Aw, group.Awdot), tip, group.crank
    )
