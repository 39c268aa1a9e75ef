"""Newton-Euler inverse dynamics of the 6-UPS platform after Dasgupta and Mruthyunjaya (1998), key 001.

Follows the paper equation by equation: leg kinematics (1)-(14), leg balances with all unknowns but one
eliminated (15)-(24), platform balance ``H x = c`` (30)-(37), reactions (25)-(29), massless legs (41)-(42).
Corrected, it is exact for any UPS leg; what the paper prints instead is kept behind `errata`.
Legend (world axes unless said; leading batch axes; legs on axis -2, or -1 for scalars):

    t, R, v, w, a, al   platform reference point: position, rotation, twist, acceleration
    b, p, q             base joint; platform joint in P; q = R p                                     m
    S = L s             leg vector, length, direction                                               m, m, -
    k, y, c             fixed and moving universal axes (unit), c = k x y; T = [s, y, s x y]
    W, A                leg angular velocity and acceleration                               rad/s, rad/s^2
    r_d, r_u            mass centers of lower and upper part from the base joint                      m
    I_d, I_u            tensors about the mass centers, world axes                                kg m^2
    x, K, D             F_s = x s + K (platform on leg), F = D - x                                    N
    m                   moment of the universal joint along c                                       N m
Derivation: docs/derivations/newton_euler.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, array
from gough.model import UPS, Platform
from gough.results import InverseDynamics, LegMotion, Reactions, condition_number
from gough.spatial import Motion, Pose

NAME = "newton-euler"

ERRATA = {
    "E001-1": "eqs 6, 9: W.s = 0 and A.s = 0, although a universal joint enforces W.c = 0",
    "E001-2": "eqs 17-21, 29: the universal joint's moment along s instead of along c = k x y",
    "E001-3": "eq 16: m_u L^2 diag(0, 1, 1) added to I_u, and counted again in r_u x a_u",
    "E001-4": "eq 33: +sum K instead of -sum K (eq 35 has the right sign)",
}
PRINTED = frozenset({"E001-1", "E001-2", "E001-3"})
"""The paper as printed, with the sign of eq 35; add "E001-4" for the sign of eq 33."""

SINGULAR = 1e-12  # smallest 1 - (k.s)^2 for which the moving universal axis is defined


class _Legs(NamedTuple):
    """Leg data as arrays over the six legs."""

    b: Array
    p: Array
    k: Array
    m_d: Array
    m_u: Array
    r_d0: Array
    r_u0: Array
    I_d0: Array
    I_u0: Array
    C_u: Array
    C_p: Array
    C_s: Array
    m_r: Array
    gam: Array
    d0: Array


class _State(NamedTuple):
    t: Array
    R: Array
    v: Array
    w: Array
    a: Array
    al: Array


@dataclass(frozen=True)
class _Kinematics:
    """Eqs (1)-(14)."""

    q: Array
    S: Array
    L: Array
    s: Array
    c: Array
    T: Array
    Ld: Array
    Ldd: Array
    W: Array
    A: Array
    r_d: Array
    r_u: Array
    a_d: Array
    a_u: Array


@dataclass(frozen=True)
class _Balance:
    """Eqs (15)-(24) of the legs and (30)-(35) of the platform."""

    leg: _Kinematics
    I_u: Array
    f: Array
    moment: Array
    K: Array
    D: Array
    H: Array
    c: Array
    c0: Array


def inverse_dynamics(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
                     published: bool = False, errata: Iterable[str] | None = None) -> InverseDynamics:
    """Actuator forces ``F = D - x`` with ``H x = c``, (..., 6) N.  [Dasgupta1998] (36), (37)

    external: (..., 6) force and moment on the platform at its reference point, platform axes.
    published: as printed with eq 35's sign; errata: a selection of ERRATA to commit instead.
    extra["massless"], extra["dynamic"]: F0 of eq 41 and F - F0 of eq 42.
    """
    slips = _selection(published, errata)
    system = _balance(_legs(platform), platform, _state(motion), _wrench(external), platform.gravity, slips)
    x, x0 = _solve(system.H, system.c, system.c0)
    F = system.D - x                                                                    # (37)
    return InverseDynamics(
        force=F, wrench_matrix=system.H, formulation=NAME, published=bool(slips),
        characteristic_length=platform.characteristic_length,
        extra={"massless": -x0, "dynamic": F + x0},                                     # (41), (42)
        compute_reactions=lambda: _reactions(_legs(platform), system, x, platform.gravity),
    )


def reactions(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
              published: bool = False, errata: Iterable[str] | None = None) -> Reactions:
    """All joint reactions, world axes.  [Dasgupta1998] (17)-(18), (21), (25)-(29)"""
    return inverse_dynamics(platform, motion, external, published=published, errata=errata).reactions


def mass_matrix(platform: Platform, pose: Pose, *, published: bool = False,
                errata: Iterable[str] | None = None) -> Array:
    """Task-space mass matrix (..., 6, 6), world axes, at the reference point.

    Column j is the wrench ``H F`` that a unit acceleration j asks for at rest without gravity:
    ``H F = H D - c``, so no solve is needed and singular poses are allowed.
    """
    slips = _selection(published, errata)
    zero = np.zeros(3)
    unit = np.eye(6).reshape(6, *(1,) * len(pose.shape), 6)
    state = _State(pose.position, pose.rotation, zero, zero, unit[..., :3], unit[..., 3:])
    system = _balance(_legs(platform), platform, state, None, zero, slips)
    return np.moveaxis(_apply(system.H, system.D) - system.c, 0, -1)


def bias(platform: Platform, motion: Motion, *, published: bool = False,
         errata: Iterable[str] | None = None) -> Array:
    """``b`` of ``M xdd + b = H F + wrench``: the wrench asked for at zero acceleration, (..., 6)."""
    slips = _selection(published, errata)
    zero = np.zeros(3)
    state = _state(motion)._replace(a=zero, al=zero)
    system = _balance(_legs(platform), platform, state, None, platform.gravity, slips)
    return _apply(system.H, system.D) - system.c


def massless_forces(platform: Platform, motion: Motion, external: ArrayLike | None = None) -> Array:
    """``F0`` with massless legs and no friction, (..., 6) N.  [Dasgupta1998] (41)"""
    return inverse_dynamics(platform, motion, external).extra["massless"]


def dynamic_fraction(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
                     published: bool = False, errata: Iterable[str] | None = None) -> Array:
    """``F_d / F``, the share of leg inertia, leg weight and friction, (..., 6).  [Dasgupta1998] Sec. 4.4"""
    result = inverse_dynamics(platform, motion, external, published=published, errata=errata)
    with np.errstate(divide="ignore"):
        return result.extra["dynamic"] / result.force


def condition(platform: Platform, pose: Pose) -> Array:
    """Ratio of the extreme singular values of H, SI, mixed units as in the paper.  [Dasgupta1998] Sec. 4.2"""
    zero = np.zeros(3)
    state = _State(pose.position, pose.rotation, zero, zero, zero, zero)
    kin = _kinematics(_legs(platform), state, frozenset())
    return condition_number(_wrench_matrix(kin))


def leg_motion(platform: Platform, motion: Motion, *, published: bool = False,
               errata: Iterable[str] | None = None) -> LegMotion:
    """Lengths, rates and angular motion of the legs.  [Dasgupta1998] (2)-(9)"""
    kin = _kinematics(_legs(platform), _state(motion), _selection(published, errata))
    return LegMotion(kin.L, kin.Ld, kin.Ldd, kin.s, kin.W, kin.A)


def _kinematics(leg: _Legs, x: _State, slips: frozenset[str]) -> _Kinematics:
    """[Dasgupta1998] (1)-(14); with the spin that the universal joint forces unless E001-1 is committed."""
    q = leg.p @ np.swapaxes(x.R, -1, -2)
    S = x.t[..., None, :] + q - leg.b                                                   # (1)
    L = np.sqrt(_dot(S, S))                                                             # (2)
    if not (L > 0.0).all():
        raise InfeasibleError("a leg has length zero: its platform joint lies on its base joint")
    s = S / L[..., None]                                                                # (3)
    kap = _dot(leg.k, s)
    sine2 = 1.0 - kap**2
    if (sine2 < SINGULAR).any():
        i = int(np.argmin(sine2) % 6)
        raise InfeasibleError(f"leg {i + 1} lies along the fixed axis of its universal joint")
    ks = np.cross(leg.k, s)
    y = ks / np.sqrt(_dot(ks, ks))[..., None]
    c = np.cross(leg.k, y)
    T = np.stack([s, y, np.cross(s, y)], axis=-1)                                       # (10)

    w, al = x.w[..., None, :], x.al[..., None, :]
    Sd = np.cross(w, q) + x.v[..., None, :]                                             # (4)
    Ld = _dot(s, Sd)                                                                    # (5)
    Wn = np.cross(s, Sd) / L[..., None]                                                 # (6)
    Sdd = np.cross(al, q) + np.cross(w, np.cross(w, q)) + x.a[..., None, :]             # (7)
    Ldd = _dot(s, Sdd) + L * _dot(Wn, Wn)                                               # (8)
    An = (np.cross(s, Sdd) - 2.0 * Ld[..., None] * Wn) / L[..., None]                   # (9)
    if "E001-1" in slips:
        W, A = Wn, An
    else:  # W.c = 0 and its derivative give the components along s
        spin = (kap * _dot(leg.k, Wn) / sine2)[..., None]
        W = Wn + spin * s
        An = An - spin * np.cross(s, Wn)
        a_s = kap * _dot(leg.k, An) + _dot(W, leg.k) * _dot(W, y) * _dot(c, s)
        A = An + (a_s / sine2)[..., None] * s

    r_d = _apply(T, leg.r_d0)                                                           # (11)
    r_u = S + _apply(T, leg.r_u0)                                                       # (12)
    a_d = np.cross(A, r_d) + np.cross(W, np.cross(W, r_d))                              # (13)
    a_u = (Ldd[..., None] * s + np.cross(A, r_u) + np.cross(W, np.cross(W, r_u))
           + 2.0 * Ld[..., None] * np.cross(W, s))                                      # (14)
    return _Kinematics(q, S, L, s, c, T, Ld, Ldd, W, A, r_d, r_u, a_d, a_u)


def _balance(leg: _Legs, platform: Platform, x: _State, external: Array | None, g: Array,
             slips: frozenset[str]) -> _Balance:
    """Leg balances (15)-(24), then the right-hand side c of the platform's ``H x = c`` (35)."""
    k = _kinematics(leg, x, slips)
    w = x.w[..., None, :]
    m_d, m_u, L = leg.m_d[:, None], leg.m_u[:, None], k.L[..., None]
    Tt = np.swapaxes(k.T, -1, -2)
    I_d = k.T @ leg.I_d0 @ Tt                                                           # (15)
    I_u0 = leg.I_u0
    if "E001-3" in slips:
        I_u0 = I_u0 + (leg.m_u * k.L**2)[..., None, None] * np.diag([0.0, 1.0, 1.0])
    I_u = k.T @ I_u0 @ Tt                                                               # (16)

    f = leg.C_s[:, None] * (k.W - w)
    I = I_d + I_u
    C = (m_d * np.cross(k.r_d, k.a_d - g) + m_u * np.cross(k.r_u, k.a_u - g) + _apply(I, k.A)
         + np.cross(k.W, _apply(I, k.W)) + leg.C_u[:, None] * k.W + f)                  # (20)
    D = leg.m_u * _dot(k.s, k.a_u - g) + leg.C_p * k.Ld                                 # (24)
    d = _apply(k.T, leg.d0)  # drives: not in the paper, docs/derivations/exact.md
    C = C + leg.gam[:, None] * (k.Ldd[..., None] * d + k.Ld[..., None] * np.cross(k.W, d))
    D = D + leg.m_r * k.Ldd + leg.gam * _dot(d, k.A)

    if "E001-2" in slips:
        moment = _dot(C, k.s)[..., None] * k.s                                          # (29)
    else:
        moment = (_dot(C, k.s) / _dot(k.c, k.s))[..., None] * k.c
    K = np.cross(C - moment, k.s) / L                                                   # (21)

    H = _wrench_matrix(k)
    c0 = _platform_right_side(platform, x, external, g)
    qK = np.cross(k.q, K)
    sign = 1.0 if "E001-4" in slips else -1.0
    c = c0 + np.concatenate([sign * K.sum(axis=-2), -(qK - f).sum(axis=-2)], axis=-1)   # (35)
    return _Balance(k, I_u, f, moment, K, D, H, c, c0)


def _wrench_matrix(k: _Kinematics) -> Array:
    """``H = [s_i; q_i x s_i]``.  [Dasgupta1998] (36)"""
    return np.swapaxes(np.concatenate([k.s, np.cross(k.q, k.s)], axis=-1), -1, -2)


def _platform_right_side(platform: Platform, x: _State, external: Array | None, g: Array) -> Array:
    """``c0``: weight, inertia and load of the platform.  [Dasgupta1998] (30)-(34), (41)"""
    body = platform.body
    R = x.R @ body.center                                                               # (30)
    a = np.cross(x.al, R) + np.cross(x.w, np.cross(x.w, R)) + x.a                       # (31)
    I = x.R @ body.inertia @ np.swapaxes(x.R, -1, -2)                                   # (32)
    force = body.mass * (g - a)                                                         # (33)
    moment = np.cross(R, force) - _apply(I, x.al) - np.cross(x.w, _apply(I, x.w))       # (34)
    if external is not None:
        force = force + _apply(x.R, external[..., :3])
        moment = moment + _apply(x.R, external[..., 3:])
    force, moment = np.broadcast_arrays(force, moment)
    return np.concatenate([force, moment], axis=-1)


def _reactions(leg: _Legs, system: _Balance, x: Array, g: Array) -> Reactions:
    """[Dasgupta1998] (18), (21), (26)-(29); the friction of each joint is inside its reaction."""
    k = system.leg
    m_d, m_u = leg.m_d[:, None], leg.m_u[:, None]
    F_s = x[..., None] * k.s + system.K                                                 # (21)
    F_p = m_u * (k.a_u - g) - F_s + (leg.C_p * k.Ld)[..., None] * k.s                   # (26)
    F_u = m_d * (k.a_d - g) + m_u * (k.a_u - g) - F_s                                   # (27)
    M_p = (m_u * np.cross(k.r_u, k.a_u - g) + _apply(system.I_u, k.A)
           + np.cross(k.W, _apply(system.I_u, k.W)) - np.cross(k.S, F_s) + system.f)    # (18), about b
    return Reactions(-F_s, F_u, system.moment - leg.C_u[:, None] * k.W, F_p, M_p)


def _selection(published: bool, errata: Iterable[str] | None) -> frozenset[str]:
    if errata is None:
        return PRINTED if published else frozenset()
    chosen = frozenset(errata)
    if not chosen <= ERRATA.keys():
        raise InputError("errata", sorted(chosen - ERRATA.keys()), f"must be among {', '.join(ERRATA)}")
    return chosen


def _legs(platform: Platform) -> _Legs:
    """Leg data of a platform whose six legs are UPS."""
    legs: list[UPS] = []
    for i, leg in enumerate(platform.legs):
        if not isinstance(leg, UPS):
            raise InputError(f"legs[{i}]", type(leg).__name__, f"formulation {NAME!r} is for UPS legs; use "
                             "'exact' (any leg), 'lagrange', 'kane' or 'multibody' (UPS, SPS, PUS)")
        legs.append(leg)
    lower, upper = [leg.lower for leg in legs], [leg.upper for leg in legs]
    friction = [leg.friction for leg in legs]
    drives = [leg.drive for leg in legs]
    on_leg = [d if d is not None and d.rotor_axis is not None else None for d in drives]
    return _Legs(
        b=np.array([leg.base for leg in legs]),
        p=np.array([leg.joint for leg in legs]),
        k=np.array([leg.axis for leg in legs]),
        m_d=np.array([body.mass for body in lower]),
        m_u=np.array([body.mass for body in upper]),
        r_d0=np.array([body.center for body in lower]),
        r_u0=np.array([body.center for body in upper]),
        I_d0=np.array([body.inertia for body in lower]),
        I_u0=np.array([body.inertia for body in upper]),
        C_u=np.array([x.universal for x in friction]),
        C_p=np.array([x.prismatic for x in friction]),
        C_s=np.array([x.spherical for x in friction]),
        m_r=np.array([d.reflected_inertia if d else 0.0 for d in drives]),
        gam=np.array([d.ratio * d.rotor_inertia if d else 0.0 for d in on_leg]),
        d0=np.array([d.rotor_axis if d else np.zeros(3) for d in on_leg]),
    )


def _state(x: Motion) -> _State:
    return _State(x.position, x.rotation, x.velocity, x.angular_velocity, x.acceleration,
                  x.angular_acceleration)


def _wrench(external: ArrayLike | None) -> Array | None:
    return None if external is None else array("external", external, (6,))


def _solve(H: Array, *right: Array) -> tuple[Array, ...]:
    try:
        x = np.linalg.solve(H, np.stack(np.broadcast_arrays(*right), axis=-1))
    except np.linalg.LinAlgError:
        raise InfeasibleError("singular pose: no leg forces hold the platform (H has no inverse)") from None
    return tuple(np.moveaxis(x, -1, 0))


def _dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=-1)


def _apply(M: Array, v: Array) -> Array:
    return (M @ v[..., None])[..., 0]
