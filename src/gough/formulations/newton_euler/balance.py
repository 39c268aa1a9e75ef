"""Balances of [Dasgupta1998] (001): legs (15)-(24), platform (30)-(37), reactions (25)-(29).

Symbols as in kinematics.py, and

    I_d, I_u            tensors about the mass centers, world axes                                kg m^2
    x, K, D             F_s = x s + K (platform on leg), F = D - x                                    N
    m                   moment of the universal joint along c                                       N m
    C                   moment that moves, carries and rubs the leg, about its base joint           N m
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.formulations.arrays import MotionArrays, UPSArrays, world_wrench, wrench_matrix
from gough.formulations.linear import apply, centripetal, cross, dot, join, transpose
from gough.formulations.newton_euler.kinematics import LegKinematics, leg_kinematics
from gough.model import Body
from gough.results import Reactions


@dataclass(frozen=True)
class PlatformBalance:
    """Eqs (15)-(24) of the legs and (30)-(35) of the platform: ``H x = c``; c0 with massless legs."""

    leg: LegKinematics
    I_u: Array
    f: Array
    moment: Array
    K: Array
    D: Array
    H: Array
    c: Array
    c0: Array


def balance(
    leg: UPSArrays,
    body: Body,
    x: MotionArrays,
    external: ArrayLike | None,
    g: Array,
    slips: frozenset[str],
) -> PlatformBalance:
    """Leg balances (15)-(24), then the right-hand side c of the platform's ``H x = c`` (35)."""
    k = leg_kinematics(leg, x, slips)
    w = x.w[..., None, :]
    m_d, m_u, L = leg.m_d[:, None], leg.m_u[:, None], k.L[..., None]
    Tt = transpose(k.T)
    I_d = k.T @ leg.I_d0 @ Tt  # (15)
    I_u0 = leg.I_u0
    if "E001-3" in slips:
        I_u0 = I_u0 + (leg.m_u * k.L**2)[..., None, None] * np.diag([0.0, 1.0, 1.0])
    I_u = k.T @ I_u0 @ Tt  # (16)

    f = leg.C_s[:, None] * (k.W - w)
    I = I_d + I_u
    C = (
        m_d * cross(k.r_d, k.a_d - g)
        + m_u * cross(k.r_u, k.a_u - g)
        + apply(I, k.A)
        + cross(k.W, apply(I, k.W))
        + leg.C_u[:, None] * k.W
        + f
    )  # (20)
    D = leg.m_u * dot(k.s, k.a_u - g) + leg.C_p * k.Ld  # (24)
    d = apply(k.T, leg.d0)  # drives: not in the paper, docs/derivations/exact.md
    C = C + leg.gam[:, None] * (k.Ldd[..., None] * d + k.Ld[..., None] * cross(k.W, d))
    D = D + leg.m_r * k.Ldd + leg.gam * dot(d, k.A)

    # the joint's moment has one direction; its size cancels the part of C along s, which no force at the far end can
    if "E001-2" in slips:
        moment = dot(C, k.s)[..., None] * k.s  # (29)
    else:
        moment = (dot(C, k.s) / dot(k.c, k.s))[..., None] * k.c
    K = cross(C - moment, k.s) / L  # (21)

    c0 = platform_right_side(body, x, external, g)
    sign = 1.0 if "E001-4" in slips else -1.0
    c = c0 + np.concatenate(
        [sign * K.sum(axis=-2), -(cross(k.q, K) - f).sum(axis=-2)], axis=-1
    )  # (35)
    return PlatformBalance(k, I_u, f, moment, K, D, wrench_matrix(k.s, k.q), c, c0)  # (36)


def platform_right_side(body: Body, x: MotionArrays, external: ArrayLike | None, g: Array) -> Array:
    """``c0``: weight, inertia and load of the platform.  [Dasgupta1998] (30)-(34), (41)"""
    R = x.R @ body.center  # (30)
    a = cross(x.al, R) + centripetal(x.w, R) + x.a  # (31)
    I = x.R @ body.inertia @ transpose(x.R)  # (32)
    force = body.mass * (g - a)  # (33)
    moment = cross(R, force) - apply(I, x.al) - cross(x.w, apply(I, x.w))  # (34)
    return join(force, moment) + world_wrench(x.R, external)


def joint_reactions(leg: UPSArrays, system: PlatformBalance, x: Array, g: Array) -> Reactions:
    """[Dasgupta1998] (18), (21), (26)-(29); the friction of each joint is inside its reaction."""
    k = system.leg
    m_d, m_u = leg.m_d[:, None], leg.m_u[:, None]
    F_s = x[..., None] * k.s + system.K  # (21)
    F_p = m_u * (k.a_u - g) - F_s + (leg.C_p * k.Ld)[..., None] * k.s  # (26)
    F_u = m_d * (k.a_d - g) + m_u * (k.a_u - g) - F_s  # (27)
    M_p = (
        m_u * cross(k.r_u, k.a_u - g)
        + apply(system.I_u, k.A)
        + cross(k.W, apply(system.I_u, k.W))
        - cross(k.S, F_s)
        + system.f
    )  # (18), about b
    return Reactions(-F_s, F_u, system.moment - leg.C_u[:, None] * k.W, F_p, M_p, system.f)
