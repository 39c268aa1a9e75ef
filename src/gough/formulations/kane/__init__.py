"""Kane's equations with the actuator rates as independent speeds.  [Syed] 004

    K* + K = 0,   K* = [m] ldd + b,   K = g + [a] sigma + f                                      (eqs 7, 10, 11)

Exact for SPS (spin-free), UPS and PUS legs in any mixture.  K* are the generalised inertia forces, so ``[m]`` is minus
the mass matrix in leg space; g, f are gravity and friction (and the external wrench); with true partial velocities
``[a]`` is the identity.  ``legs="massless"`` drops the leg bodies (Sec. 3.1), ``"lower"`` and ``"upper"`` keep one
half, ``"full"`` keeps both (Sec. 3.2); ``drive=True`` adds the rotors (Sec. 3.3).  `published` and `errata` keep what
is printed.  Derivation: docs/derivations/kane.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, array, number
from gough.formulations.kane.partial import Partial, Speeds, Struts, speeds
from gough.model import PUS, RUS, SPS, Body, Platform
from gough.results import InverseDynamics
from gough.spatial import Motion, Pose

ERRATA = {
    "E004-1": "eq 14: drive inertia zeta^2 I r^2 in place of zeta^2 I / r^2",
    "E004-2": "eq 12: [m_d] added to [m], which is minus the mass matrix",
    "E004-3": "eq 3: omega x V, s ldd and 2 omega x s ldot counted twice",
    "E004-4": "eq 9: friction direction ldot / l in place of the sign of ldot",
    "E004-5": "eq A.2: local torques brought to N by R^T in place of R",
}
PUBLISHED = frozenset({"E004-1", "E004-2", "E004-3", "E004-4"})  # eq 5 itself prints R, so E004-5 is left out
LEGS = ("massless", "lower", "upper", "full")
PINION_RADIUS = 0.01  # m, only for eq 14 as printed, which needs it apart from the ratio


@dataclass
class Equations:
    """The terms of eq 11, each as its sum over the bodies for unit twist; `in_leg_space` gives them as printed.

    m           (..., 6, 6) ``[m]`` of eq 7, minus the mass matrix
    b           (..., 6) velocity-dependent generalised inertia forces
    gravity, friction, external   (..., 6) generalised active forces
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
        G = np.linalg.inv(now.J)
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
class _Options:
    legs: str
    drive: bool
    errata: frozenset[str]
    pinion_radius: float


def inverse_dynamics(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
                     published: bool = False, errata: Iterable[str] | None = None, legs: str = "full",
                     drive: bool = True, pinion_radius: float = PINION_RADIUS) -> InverseDynamics:
    """Actuator forces ``sigma`` (..., 6), N.  004 eqs 11, 12

    external  (..., 6) force and moment on the platform at its reference point, platform axes
    legs      which leg bodies count: "massless", "lower", "upper" (PUS: slider, link) or "full"
    drive     count the rotors of legs that have a `Drive`
    extra     "transmitted_force" behind the rotor and, if every leg has a drive, "motor_torque" (N m)
    """
    options = _options(platform, published, errata, legs, drive, pinion_radius)
    eq = _equations(platform, motion, options, external)
    now = eq.speeds
    sign = -1.0 if "E004-2" in options.errata else 1.0
    total = _mv(eq.m, now.accel) + eq.b + eq.gravity + eq.friction + eq.external
    sigma = -_project(now.J, total) + sign * _mv(eq.drive, now.acceleration)  # eq 12, [a] = 1
    s, q = eq.speeds.s, eq.speeds.q
    H = np.swapaxes(np.concatenate([s, np.cross(q, s)], axis=-1), -1, -2)
    return InverseDynamics(sigma, H, formulation="kane", published=bool(options.errata),
                           characteristic_length=platform.characteristic_length,
                           extra=_motor(platform, eq, sigma) if drive else {})


def mass_matrix(platform: Platform, pose: Pose, *, published: bool = False, errata: Iterable[str] | None = None,
                legs: str = "full", drive: bool = True) -> Array:
    """Mass matrix (..., 6, 6) at the reference point, world axes: ``J^T (-[m] + [m_d]) J`` of leg space."""
    options = _options(platform, published, errata, legs, drive, PINION_RADIUS)
    eq = _equations(platform, Motion.at_rest(pose), options, None)
    J = eq.speeds.J
    sign = -1.0 if "E004-2" in options.errata else 1.0
    return -eq.m + sign * np.swapaxes(J, -1, -2) @ eq.drive @ J


def bias(platform: Platform, motion: Motion, *, published: bool = False, errata: Iterable[str] | None = None,
         legs: str = "full", drive: bool = True) -> Array:
    """``b`` (..., 6) of ``M (a, al) + b = J^T sigma + external``: velocity, gravity and friction terms, world axes."""
    options = _options(platform, published, errata, legs, drive, PINION_RADIUS)
    eq = _equations(platform, motion, options, None)
    now = eq.speeds
    sign = -1.0 if "E004-2" in options.errata else 1.0
    rotor = _mv(np.swapaxes(now.J, -1, -2), _mv(eq.drive, _mv(now.Jdot, now.twist)))
    return -(eq.b + eq.gravity + eq.friction) + sign * rotor


def equations(platform: Platform, motion: Motion, *, legs: str = "full", drive: bool = True) -> Equations:
    """The terms of Kane's equations."""
    return _equations(platform, motion, _options(platform, False, None, legs, drive, PINION_RADIUS), None)


def _equations(platform: Platform, motion: Motion, options: _Options, external: ArrayLike | None) -> Equations:
    now = speeds(platform, motion)
    shape = motion.shape
    eq = Equations(now, np.zeros((*shape, 6, 6)), np.zeros((*shape, 6)), np.zeros((*shape, 6)), np.zeros((*shape, 6)))
    R, w = motion.rotation, motion.angular_velocity
    r = R @ platform.body.center
    cm = now.linear + now.angular.cross(r, np.cross(w, r))
    _body(eq, [platform.body], cm.wide(), now.angular.wide(), R[..., None, :, :], w[..., None, :], platform.gravity, options)
    for kind, struts in now.struts.items():
        legs = [platform.legs[i] for i in struts.index]
        (_slider_legs if kind is PUS else _telescopic_legs)(eq, legs, struts, platform.gravity, options)
    _friction(eq, platform, w, options)
    if options.drive:
        _drives(eq, platform, options)
    if external is not None:
        load = array("external", external, (6,))
        eq.external = np.concatenate([_mv(R, load[..., :3]), _mv(R, load[..., 3:])], axis=-1)
    return eq


def _telescopic_legs(eq: Equations, legs: list, struts: Struts, g: Array, options: _Options) -> None:
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
            extra = np.cross(W, _velocity(V, eq)) + 2 * np.cross(W, sldot) \
                + _mv(axial.rate, eq.speeds.twist[..., None, :])
        _body(eq, upper, V, struts.turn, T, W, g, options, extra, axial)


def _slider_legs(eq: Equations, legs: list[PUS], struts: Struts, g: Array, options: _Options) -> None:
    """The slider's partial velocity is the rail direction for its own rate; the link turns about the slider."""
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


def _body(eq: Equations, bodies: list[Body], V: Partial, turn: Partial, T: Array, W: Array, g: Array,
          options: _Options, extra: Array | None = None, axial: Partial | None = None) -> None:
    """Generalised inertia and gravity forces of a stack of bodies: eqs 3-6 and 8.

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


def _friction(eq: Equations, platform: Platform, w: Array, options: _Options) -> None:
    """Generalised friction forces: prismatic (eq 9), universal or ball joints, spherical joints; all viscous."""
    C_u, C_p, C_s = (np.array([getattr(leg.friction, name) for leg in platform.legs])
                     for name in ("universal", "prismatic", "spherical"))
    rate = eq.speeds.rate
    sliding = C_p * rate
    if "E004-4" in options.errata:  # magnitude mu = C_p |ldot| along ldot / l instead of its sign
        sliding = C_p * np.abs(rate) * rate / eq.speeds.length
    eq.friction = eq.friction - _mv(np.swapaxes(eq.speeds.J, -1, -2), sliding)
    for struts in eq.speeds.struts.values():
        slip = struts.W - w[..., None, :]
        relative = (struts.turn - eq.speeds.angular.wide()).value
        eq.friction = eq.friction - _mv(np.swapaxes(struts.turn.value, -1, -2), C_u[struts.index, None] * struts.W
                                        ).sum(-2) - _mv(np.swapaxes(relative, -1, -2),
                                                        C_s[struts.index, None] * slip).sum(-2)


def _drives(eq: Equations, platform: Platform, options: _Options) -> None:
    """``[m_d]`` of eqs 13, 14, and the coupling of rotors that ride on their leg (docs/derivations/exact.md)."""
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


def _motor(platform: Platform, eq: Equations, sigma: Array) -> dict[str, Array]:
    """Force behind the rotor and torque at the motor, with gear loss and rotor friction.

    ``tau = I_r nu ldd + F_t / (nu eta^±1) + c_v nu ldot + c_0 sign(nu ldot)``: the loss opposes the flow of power.
    """
    if not all(leg.drive for leg in platform.legs):
        return {}
    drives = [leg.drive for leg in platform.legs if leg.drive]
    nu, I_r, eta, viscous, coulomb = (np.array([getattr(x, name) for x in drives]) for name in
                                      ("ratio", "rotor_inertia", "efficiency", "viscous", "coulomb"))
    ldot, ldd = eq.speeds.rate, eq.speeds.acceleration
    through = sigma - nu**2 * I_r * ldd
    loss = np.where(through * ldot >= 0, 1 / eta, eta)
    torque = I_r * nu * ldd + through * loss / nu + viscous * nu * ldot + coulomb * np.sign(nu * ldot)
    return {"transmitted_force": through, "motor_torque": torque}


def _velocity(V: Partial, eq: Equations) -> Array:
    return V.velocity(eq.speeds.twist[..., None, :])


def _along(direction: Array, struts: Struts, eq: Equations) -> Partial:
    """Velocity ``direction * ldot_i``; its rate leaves the turning of `direction` out."""
    J, Jdot = eq.speeds.J[..., struts.index, None, :], eq.speeds.Jdot[..., struts.index, None, :]
    return Partial(direction[..., :, None] * J, direction[..., :, None] * Jdot)


def _project(J: Array, force: Array) -> Array:
    """``G^T force`` with ``G = J^-1``, the platform's partial velocities."""
    try:
        return np.linalg.solve(np.swapaxes(J, -1, -2), force[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise InfeasibleError("the actuator Jacobian is singular: actuator rates are no independent speeds here, "
                              "so Kane's equations in leg space do not exist") from None


def _options(platform: Platform, published: bool, errata: Iterable[str] | None, legs: str, drive: bool,
             pinion_radius: float) -> _Options:
    kept = frozenset(errata) if errata is not None else PUBLISHED if published else frozenset()
    if kept - ERRATA.keys():
        raise InputError("errata", sorted(kept - ERRATA.keys()), f"must be among {', '.join(ERRATA)}")
    if legs not in LEGS:
        raise InputError("legs", legs, f"must be one of {', '.join(LEGS)}")
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, RUS):
            raise InputError(f"legs[{i}]", "RUS leg", "kane applies to UPS, SPS and PUS legs; use formulation 'exact'")
        if isinstance(leg, SPS) and not leg.spin_free:
            raise InputError(f"legs[{i}]", "SPS leg whose spin matters",
                             "kane needs SPS legs that are axisymmetric, without ball friction and without a "
                             "leg-mounted rotor; use formulation 'exact' or 'multibody'")
    return _Options(legs, drive, kept, number("pinion_radius", pinion_radius, above=0.0))


def _mv(a: Array, v: Array) -> Array:
    return (a @ v[..., None])[..., 0]
