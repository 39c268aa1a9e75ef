"""Generalized inertia and active forces of every body.  [Syed] 004 eqs 3-9, 12-14"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.formulations.arrays import column, frictions, rotors, world_wrench
from gough.formulations.kane.errata import KaneModel
from gough.formulations.kane.partial_velocities import (
    PairPartials,
    Partial,
    Speeds,
    StrutPartials,
    speeds,
)
from gough.formulations.linear import apply, cross, outer, transpose
from gough.model import PUS, RUS, SPS, UCU, UPS, Body, Platform
from gough.spatial import Motion


@dataclass
class Equations:
    """The terms of eq 11 for the platform twist as speeds; `in_leg_space` gives them for the actuator rates.

    m           (..., 6, 6) ``[m]`` of eq 7, minus the mass matrix
    b           (..., 6) velocity-dependent generalized inertia forces
    gravity, friction, external   (..., 6) generalized active forces; friction with torsion springs (UCU)
    drive       (6, 6) ``[m_d]`` of eqs 12-14, leg space, positive
    """

    platform: Platform
    model: KaneModel
    speeds: Speeds
    m: Array
    b: Array
    gravity: Array
    friction: Array
    external: Array = field(default_factory=lambda: np.zeros(6))
    drive: Array = field(default_factory=lambda: np.zeros((6, 6)))

    def in_leg_space(self) -> LegSpace:
        """``[m]``, b, g, f for the actuator rates: projected with the partial velocities ``G = J^-1``."""
        now = self.speeds
        G = np.asarray(np.linalg.inv(now.J), dtype=np.float64)
        Gt = transpose(G)
        drift = self.b - apply(self.m, apply(G, apply(now.Jdot, now.twist)))
        return LegSpace(
            Gt @ self.m @ G, apply(Gt, drift), apply(Gt, self.gravity), apply(Gt, self.friction), G
        )


@dataclass(frozen=True)
class LegSpace:
    """``[m] ldd + b + g + sigma + f = 0`` (eq 11); `partial` (..., 6, 6): column j is (V~_jP, omega~_jP)."""

    m: Array
    b: Array
    gravity: Array
    friction: Array
    partial: Array


def assemble(
    platform: Platform, motion: Motion, model: KaneModel, external: ArrayLike | None = None
) -> Equations:
    """All terms at the states of `motion`."""
    now = speeds(platform, motion)
    zero = np.zeros((*motion.shape, 6))
    eq = Equations(platform, model, now, np.zeros((*motion.shape, 6, 6)), zero, zero, zero)
    R, w = motion.rotation, motion.angular_velocity
    r = R @ platform.body.center
    cm = now.linear + now.angular.cross(r, cross(w, r))
    _body(eq, [platform.body], cm.wide(), now.angular.wide(), R[..., None, :, :], w[..., None, :])
    for kind, struts in now.struts.items():
        legs = [platform.legs[i] for i in struts.index]
        add = {PUS: _slider_legs, RUS: _crank_legs}.get(kind, _telescopic_legs)
        add(eq, legs, struts)  # type: ignore[arg-type]
    _friction(eq, w)
    if model.drive:
        _drives(eq)
    eq.external = world_wrench(R, external)
    return eq


def _telescopic_legs(eq: Equations, legs: Sequence[UPS | SPS | UCU], struts: StrutPartials) -> None:
    """Lower legs A_i turn about the base joint, upper legs B_i follow the platform joint."""
    W, T, turn = struts.W, struts.T, struts.turn
    if eq.model.legs in ("lower", "full"):
        lower = [leg.lower for leg in legs]
        r = apply(T, column(lower, "center"))
        V = struts.turn.cross(r, cross(W, r))
        _body(eq, lower, V, struts.turn, T, W, _twice(eq, V, W))  # eq 3, second line: + omega x V
    if eq.model.legs in ("upper", "full"):
        upper = [leg.upper for leg in legs]
        if struts.pair is not None:
            W, T, turn = struts.pair.W, struts.pair.upper.T, struts.pair.turn
        r = apply(T, column(upper, "center"))
        V = struts.tip + turn.cross(r, cross(W, r))
        extra, axial = _twice(eq, V, W), None
        if extra is not None:  # eq 3, third line: + omega x V + s ldd + 2 omega x s ldot
            sldot = struts.s * eq.speeds.rate[..., struts.index, None]
            axial = _along(struts.s, struts, eq)
            extra = extra + 2 * cross(W, sldot) + apply(axial.rate, eq.speeds.twist[..., None, :])
        _body(eq, upper, V, turn, T, W, extra, axial)


def _slider_legs(eq: Equations, legs: Sequence[PUS], struts: StrutPartials) -> None:
    """The slider's partial velocity is the rail direction for its own rate; the link turns about it."""
    W, T = struts.W, struts.T
    slide = _along(column(legs, "rail"), struts, eq)
    if eq.model.legs in ("lower", "full"):
        sliders = [Body(leg.slider_mass) for leg in legs]
        _body(
            eq, sliders, slide, slide - slide, np.broadcast_to(np.eye(3), T.shape), np.zeros_like(W)
        )
    if eq.model.legs in ("upper", "full"):
        _rods(eq, legs, struts, slide)


def _crank_legs(eq: Equations, legs: Sequence[RUS], struts: StrutPartials) -> None:
    """The crank turns about its shaft; the rod turns about the crank's tip."""
    assert struts.crank is not None
    spin = _along(
        column(legs, "shaft"), struts, eq
    )  # of the cranks, which carry the universal joints
    Omega = _velocity(spin, eq)
    if eq.model.legs in ("lower", "full"):
        cranks = [leg.crank for leg in legs]
        d = apply(struts.crank, column(cranks, "center"))
        _body(eq, cranks, spin.cross(d, cross(Omega, d)), spin, struts.crank, Omega)
    if eq.model.legs in ("upper", "full"):
        u = apply(struts.crank, column(legs, "arm"))
        _rods(eq, legs, struts, spin.cross(u, cross(Omega, u)))


def _rods(eq: Equations, legs: Sequence[PUS | RUS], struts: StrutPartials, base: Partial) -> None:
    """Rods of fixed length whose universal joint moves with `base`."""
    links = [leg.link for leg in legs]
    r = apply(struts.T, column(links, "center"))
    V = base + struts.turn.cross(r, cross(struts.W, r))
    _body(eq, links, V, struts.turn, struts.T, struts.W, _twice(eq, V, struts.W))


def _twice(eq: Equations, V: Partial, W: Array) -> Array | None:
    """``omega x V``, which eq 3 adds in print although dV/dt has it (E004-3)."""
    return cross(W, _velocity(V, eq)) if "E004-3" in eq.model.errata else None


def _body(
    eq: Equations,
    bodies: list[Body],
    V: Partial,
    turn: Partial,
    T: Array,
    W: Array,
    extra: Array | None = None,
    axial: Partial | None = None,
) -> None:
    """Generalized inertia and gravity forces of a stack of bodies: eqs 3-6 and 8.

    `extra` (..., n, 3) and `axial`: accelerations that eq 3 adds in print (E004-3).
    """
    m, I = column(bodies, "mass")[:, None], column(bodies, "inertia")
    Tt = transpose(T)
    to_N = Tt if "E004-5" in eq.model.errata else T  # eq 5 | eq A.2
    u = eq.speeds.twist[..., None, :]
    per_accel = V.value if axial is None else V.value + axial.value
    a = apply(V.rate, u) + (0.0 if extra is None else extra)  # eq 3 without its acceleration part
    al = apply(Tt, apply(turn.rate, u))
    w = apply(Tt, W)
    torque = apply(to_N, -apply(I, al) - cross(w, apply(I, w)))  # eqs 4, 5
    Vt, Wt = transpose(V.value), transpose(turn.value)
    eq.m = eq.m - (Vt @ (m[..., None] * per_accel) + Wt @ to_N @ I @ Tt @ turn.value).sum(
        -3
    )  # eqs 6, 7
    eq.b = eq.b + (apply(Wt, torque) + apply(Vt, -m * a)).sum(-2)
    eq.gravity = eq.gravity + apply(Vt, m * eq.platform.gravity).sum(-2)  # eq 8


def _friction(eq: Equations, w: Array) -> None:
    """Generalized friction forces: prismatic (eq 9), universal and spherical joints; all viscous."""
    C_u, C_p, C_s = frictions(eq.platform.legs)
    now = eq.speeds
    rate = now.rate if now.slide is now.J else apply(now.slide, now.twist)
    sliding = C_p * rate
    if "E004-4" in eq.model.errata:  # magnitude mu = C_p |ldot| along ldot / l instead of its sign
        sliding = C_p * np.abs(rate) * rate / np.where(C_p > 0, eq.speeds.length, 1.0)
    eq.friction = eq.friction - apply(transpose(eq.speeds.slide), sliding)
    for kind, struts in eq.speeds.struts.items():
        joint, W_rel = struts.turn, struts.W
        if kind is RUS:
            cranks = [eq.platform.legs[i] for i in struts.index]
            spin = _along(column(cranks, "shaft"), struts, eq)
            joint, W_rel = joint - spin, W_rel - _velocity(spin, eq)
        top, W = struts.turn, struts.W
        if struts.pair is not None:
            top, W = struts.pair.turn, struts.pair.W
            _pairs(eq, struts.pair)
        ball = top - eq.speeds.angular.wide()
        for partial, moment in (
            (joint, C_u[struts.index, None] * W_rel),
            (ball, C_s[struts.index, None] * (W - w[..., None, :])),
        ):
            eq.friction = eq.friction - apply(transpose(partial.value), moment).sum(-2)


def _pairs(eq: Equations, pair: PairPartials) -> None:
    """Friction and torsion spring of cylindrical pairs: ``-(C_c phidot + k (phi - phi_0))`` on the twist's speed."""
    data, row = pair.upper.data, pair.twist.value
    moment = data.C_c * _velocity(pair.twist, eq)[..., 0]
    moment = moment + data.spring * (pair.upper.phi - data.rest)
    eq.friction = eq.friction - (moment[..., None] * row[..., 0, :]).sum(-2)


def _drives(eq: Equations) -> None:
    """``[m_d]`` of eqs 13, 14, and the coupling of rotors that ride on their leg."""
    m_r, gam, axis = rotors(eq.platform.legs)
    if "E004-1" in eq.model.errata:  # zeta^2 I r^2, with nu = zeta / r
        m_r = m_r * eq.model.pinion_radius**4
    eq.drive = np.diag(m_r)
    for struts in eq.speeds.struts.values():
        for n, i in enumerate(struts.index):
            if gam[i] == 0.0:
                continue
            T, W, partial = struts.T, struts.W, struts.turn
            if struts.pair is not None and struts.pair.upper.data.above[n]:
                T, W, partial = struts.pair.upper.T, struts.pair.W, struts.pair.turn
            d = T[..., n, :, :] @ axis[i]
            turn, turn_rate = partial.value[..., n, :, :], partial.rate[..., n, :, :]
            row, own = apply(transpose(turn), d), eq.speeds.J[..., i, :]
            eq.m = eq.m - gam[i] * (outer(row, own) + outer(own, row))
            drift = (eq.speeds.Jdot[..., i, :] * eq.speeds.twist).sum(-1)[..., None]
            swing = drift * d + eq.speeds.rate[..., i, None] * cross(W[..., n, :], d)
            back = (d * apply(turn_rate, eq.speeds.twist)).sum(-1)[..., None]
            eq.b = eq.b - gam[i] * (apply(transpose(turn), swing) + own * back)


def _velocity(V: Partial, eq: Equations) -> Array:
    return V.velocity(eq.speeds.twist[..., None, :])


def _along(direction: Array, struts: StrutPartials, eq: Equations) -> Partial:
    """Velocity ``direction * ldot_i``; its rate leaves the turning of `direction` out."""
    J, Jdot = eq.speeds.J[..., struts.index, None, :], eq.speeds.Jdot[..., struts.index, None, :]
    return Partial(direction[..., :, None] * J, direction[..., :, None] * Jdot)
