"""Generalized inertia and active forces of every body.  [Syed] 004 eqs 3-9, 12-14"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, array
from gough.formulations.kane.partial import Partial, Speeds, Struts, speeds
from gough.model import PUS, RUS, SPS, UPS, Body, Platform
from gough.spatial import Motion


@dataclass
class Equations:
    """The terms of eq 11 for the platform twist as speeds; `in_leg_space` gives them for the actuator rates.

    m           (..., 6, 6) ``[m]`` of eq 7, minus the mass matrix
    b           (..., 6) velocity-dependent generalized inertia forces
    gravity, friction, external   (..., 6) generalized active forces
    drive       (6, 6) ``[m_d]`` of eqs 12-14, leg space, positive
    """

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
        Gt = np.swapaxes(G, -1, -2)
        drift = self.b - _mv(self.m, _mv(G, _mv(now.Jdot, now.twist)))
        return LegSpace(Gt @ self.m @ G, _mv(Gt, drift), _mv(Gt, self.gravity), _mv(Gt, self.friction), G)


@dataclass(frozen=True)
class LegSpace:
    """``[m] ldd + b + g + sigma + f = 0`` (eq 11); `partial` (..., 6, 6): column j is (V~_jP, omega~_jP)."""

    m: Array
    b: Array
    gravity: Array
    friction: Array
    partial: Array


@dataclass(frozen=True)
class Options:
    """Which leg bodies and rotors count, and which errata are kept."""

    legs: str
    drive: bool
    errata: frozenset[str]
    pinion_radius: float


def assemble(platform: Platform, motion: Motion, options: Options, external: ArrayLike | None = None) -> Equations:
    """All terms at the states of `motion`."""
    now = speeds(platform, motion)
    shape = motion.shape
    eq = Equations(now, np.zeros((*shape, 6, 6)), np.zeros((*shape, 6)), np.zeros((*shape, 6)), np.zeros((*shape, 6)))
    R, w = motion.rotation, motion.angular_velocity
    r = R @ platform.body.center
    cm = now.linear + now.angular.cross(r, np.cross(w, r))
    _body(
        eq,
        [platform.body],
        cm.wide(),
        now.angular.wide(),
        R[..., None, :, :],
        w[..., None, :],
        platform.gravity,
        options,
    )
    for kind, struts in now.struts.items():
        legs = [platform.legs[i] for i in struts.index]
        add = {PUS: _slider_legs, RUS: _crank_legs}.get(kind, _telescopic_legs)
        add(eq, legs, struts, platform.gravity, options)  # type: ignore[arg-type]
    _friction(eq, platform, w, options)
    if options.drive:
        _drives(eq, platform, options)
    if external is not None:
        load = array("external", external, (6,))
        eq.external = np.concatenate([_mv(R, load[..., :3]), _mv(R, load[..., 3:])], axis=-1)
    return eq


def _telescopic_legs(eq: Equations, legs: Sequence[UPS | SPS], struts: Struts, g: Array, options: Options) -> None:
    """Lower legs A_i turn about the base joint, upper legs B_i follow the platform joint."""
    W, T = struts.W, struts.T
    if options.legs in ("lower", "full"):
        lower = [leg.lower for leg in legs]
        r = (T @ np.array([x.center for x in lower])[..., None])[..., 0]
        V = struts.turn.cross(r, np.cross(W, r))
        extra = None
        if "E004-3" in options.errata:  # eq 3, second line: + omega x V
            extra = np.cross(W, _velocity(V, eq))
        _body(eq, lower, V, struts.turn, T, W, g, options, extra)
    if options.legs in ("upper", "full"):
        upper = [leg.upper for leg in legs]
        r = (T @ np.array([x.center for x in upper])[..., None])[..., 0]
        V = struts.tip + struts.turn.cross(r, np.cross(W, r))
        extra = axial = None
        if "E004-3" in options.errata:  # eq 3, third line: + omega x V + s ldd + 2 omega x s ldot
            sldot = struts.s * eq.speeds.rate[..., struts.index, None]
            axial = _along(struts.s, struts, eq)
            extra = (
                np.cross(W, _velocity(V, eq)) + 2 * np.cross(W, sldot) + _mv(axial.rate, eq.speeds.twist[..., None, :])
            )
        _body(eq, upper, V, struts.turn, T, W, g, options, extra, axial)


def _slider_legs(eq: Equations, legs: Sequence[PUS], struts: Struts, g: Array, options: Options) -> None:
    """The slider's partial velocity is the rail direction for its own rate; the link turns about it."""
    e = np.array([leg.rail for leg in legs])
    W, T = struts.W, struts.T
    slide = _along(e, struts, eq)
    still = slide - slide
    if options.legs in ("lower", "full"):
        sliders = [Body(leg.slider_mass) for leg in legs]
        _body(eq, sliders, slide, still, np.broadcast_to(np.eye(3), T.shape), np.zeros_like(W), g, options)
    if options.legs in ("upper", "full"):
        links = [leg.link for leg in legs]
        r = (T @ np.array([x.center for x in links])[..., None])[..., 0]
        V = slide + struts.turn.cross(r, np.cross(W, r))
        extra = np.cross(W, _velocity(V, eq)) if "E004-3" in options.errata else None
        _body(eq, links, V, struts.turn, T, W, g, options, extra)


def _crank_legs(eq: Equations, legs: Sequence[RUS], struts: Struts, g: Array, options: Options) -> None:
    """The crank turns about its shaft; the rod turns about the crank's tip."""
    assert struts.crank is not None
    Z, W, T = struts.crank, struts.W, struts.T
    spin = _carrier(legs, struts, eq)
    Omega = _velocity(spin, eq)
    if options.legs in ("lower", "full"):
        cranks = [leg.crank for leg in legs]
        d = (Z @ np.array([x.center for x in cranks])[..., None])[..., 0]
        _body(eq, cranks, spin.cross(d, np.cross(Omega, d)), spin, Z, Omega, g, options)
    if options.legs in ("upper", "full"):
        links = [leg.link for leg in legs]
        u = (Z @ np.array([leg.arm for leg in legs])[..., None])[..., 0]
        r = (T @ np.array([x.center for x in links])[..., None])[..., 0]
        V = spin.cross(u, np.cross(Omega, u)) + struts.turn.cross(r, np.cross(W, r))
        extra = np.cross(W, _velocity(V, eq)) if "E004-3" in options.errata else None
        _body(eq, links, V, struts.turn, T, W, g, options, extra)


def _carrier(legs: Sequence[RUS], struts: Struts, eq: Equations) -> Partial:
    """Partial angular velocities of the cranks, which carry the universal joints."""
    return _along(np.array([leg.shaft for leg in legs]), struts, eq)


def _body(
    eq: Equations,
    bodies: list[Body],
    V: Partial,
    turn: Partial,
    T: Array,
    W: Array,
    g: Array,
    options: Options,
    extra: Array | None = None,
    axial: Partial | None = None,
) -> None:
    """Generalized inertia and gravity forces of a stack of bodies: eqs 3-6 and 8.

    `extra` (..., n, 3) and `axial`: accelerations that eq 3 adds in print (E004-3).
    """
    m = np.array([x.mass for x in bodies])[:, None]
    I = np.array([x.inertia for x in bodies])
    Tt = np.swapaxes(T, -1, -2)
    to_N = Tt if "E004-5" in options.errata else T  # eq 5 | eq A.2
    u = eq.speeds.twist[..., None, :]
    per_accel = V.value if axial is None else V.value + axial.value
    a = _mv(V.rate, u) + (0.0 if extra is None else extra)  # eq 3 without its acceleration part
    al = _mv(Tt, _mv(turn.rate, u))
    w = _mv(Tt, W)
    torque = _mv(to_N, -_mv(I, al) - np.cross(w, _mv(I, w)))  # eqs 4, 5
    Vt, Wt = np.swapaxes(V.value, -1, -2), np.swapaxes(turn.value, -1, -2)
    eq.m = eq.m - (Vt @ (m[..., None] * per_accel) + Wt @ to_N @ I @ Tt @ turn.value).sum(-3)  # eqs 6, 7
    eq.b = eq.b + (_mv(Wt, torque) + _mv(Vt, -m * a)).sum(-2)
    eq.gravity = eq.gravity + _mv(Vt, m * g).sum(-2)  # eq 8


def _friction(eq: Equations, platform: Platform, w: Array, options: Options) -> None:
    """Generalized friction forces: prismatic (eq 9), universal and spherical joints; all viscous."""
    C_u, C_p, C_s = (
        np.array([getattr(leg.friction, name) for leg in platform.legs])
        for name in ("universal", "prismatic", "spherical")
    )
    rate = eq.speeds.rate
    sliding = C_p * rate
    if "E004-4" in options.errata:  # magnitude mu = C_p |ldot| along ldot / l instead of its sign
        sliding = C_p * np.abs(rate) * rate / np.where(C_p > 0, eq.speeds.length, 1.0)
    eq.friction = eq.friction - _mv(np.swapaxes(eq.speeds.J, -1, -2), sliding)
    for kind, struts in eq.speeds.struts.items():
        joint, W_rel = struts.turn, struts.W
        if kind is RUS:
            spin = _carrier([platform.legs[i] for i in struts.index], struts, eq)  # type: ignore[arg-type]
            joint, W_rel = joint - spin, W_rel - _velocity(spin, eq)
        ball = struts.turn - eq.speeds.angular.wide()
        for partial, moment in (
            (joint, C_u[struts.index, None] * W_rel),
            (ball, C_s[struts.index, None] * (struts.W - w[..., None, :])),
        ):
            eq.friction = eq.friction - _mv(np.swapaxes(partial.value, -1, -2), moment).sum(-2)


def _drives(eq: Equations, platform: Platform, options: Options) -> None:
    """``[m_d]`` of eqs 13, 14, and the coupling of rotors that ride on their leg."""
    m_r = np.array([leg.drive.reflected_inertia if leg.drive else 0.0 for leg in platform.legs])
    if "E004-1" in options.errata:  # zeta^2 I r^2, with nu = zeta / r
        m_r = m_r * options.pinion_radius**4
    eq.drive = np.diag(m_r)
    for struts in eq.speeds.struts.values():
        for n, i in enumerate(struts.index):
            drive = platform.legs[i].drive
            if drive is None or drive.rotor_axis is None or drive.rotor_inertia == 0.0:
                continue
            gam = drive.ratio * drive.rotor_inertia
            d = struts.T[..., n, :, :] @ drive.rotor_axis
            turn, turn_rate = struts.turn.value[..., n, :, :], struts.turn.rate[..., n, :, :]
            row, own = _mv(np.swapaxes(turn, -1, -2), d), eq.speeds.J[..., i, :]
            eq.m = eq.m - gam * (row[..., :, None] * own[..., None, :] + own[..., :, None] * row[..., None, :])
            drift = (eq.speeds.Jdot[..., i, :] * eq.speeds.twist).sum(-1)[..., None]
            swing = drift * d + eq.speeds.rate[..., i, None] * np.cross(struts.W[..., n, :], d)
            back = (d * _mv(turn_rate, eq.speeds.twist)).sum(-1)[..., None]
            eq.b = eq.b - gam * (_mv(np.swapaxes(turn, -1, -2), swing) + own * back)


def _velocity(V: Partial, eq: Equations) -> Array:
    return V.velocity(eq.speeds.twist[..., None, :])


def _along(direction: Array, struts: Struts, eq: Equations) -> Partial:
    """Velocity ``direction * ldot_i``; its rate leaves the turning of `direction` out."""
    J, Jdot = eq.speeds.J[..., struts.index, None, :], eq.speeds.Jdot[..., struts.index, None, :]
    return Partial(direction[..., :, None] * J, direction[..., :, None] * Jdot)


def _mv(a: Array, v: Array) -> Array:
    return (a @ v[..., None])[..., 0]
