"""Leg kinematics of [Dasgupta1998] (001): eqs (1)-(14).

Legend (world axes unless said; leading batch axes; legs on axis -2, or -1 for scalars):

    t, R, v, w, a, al   platform reference point: position, rotation, twist, acceleration
    b, p, q             base joint; platform joint in P; q = R p                                     m
    S = L s             leg vector, length, direction                                               m, m, -
    k, y, c             fixed and moving universal axes (unit), c = k x y; T = [s, y, s x y]
    W, A                leg angular velocity and acceleration                               rad/s, rad/s^2
    r_d, r_u            mass centers of lower and upper part from the base joint                      m
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import refusals
from gough.formulations.arrays import MotionArrays, UPSArrays
from gough.formulations.linear import apply, centripetal, cross, dot, transpose


@dataclass(frozen=True)
class LegKinematics:
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


def leg_kinematics(leg: UPSArrays, x: MotionArrays, slips: frozenset[str]) -> LegKinematics:
    """[Dasgupta1998] (1)-(14); with the spin that the universal joint forces unless E001-1 is committed."""
    q = leg.p @ transpose(x.R)
    S = x.t[..., None, :] + q - leg.b  # (1)
    L = np.sqrt(dot(S, S))  # (2)
    refusals.joints_meet(L, range(6))
    s = S / L[..., None]  # (3)
    kap = dot(leg.k, s)
    sine2 = 1.0 - kap**2
    refusals.along_axis(sine2, range(6))
    ks = cross(leg.k, s)
    y = ks / np.sqrt(dot(ks, ks))[..., None]
    c = cross(leg.k, y)
    T = np.stack([s, y, cross(s, y)], axis=-1)  # (10)

    w, al = x.w[..., None, :], x.al[..., None, :]
    Sd = cross(w, q) + x.v[..., None, :]  # (4)
    Ld = dot(s, Sd)  # (5)
    Wn = cross(s, Sd) / L[..., None]  # (6)
    Sdd = cross(al, q) + centripetal(w, q) + x.a[..., None, :]  # (7)
    Ldd = dot(s, Sdd) + L * dot(Wn, Wn)  # (8)
    An = (cross(s, Sdd) - 2.0 * Ld[..., None] * Wn) / L[..., None]  # (9)
    if "E001-1" in slips:
        W, A = Wn, An
    else:  # the joint cannot turn about c: W.c = 0 and its derivative give the components along s
        spin = (kap * dot(leg.k, Wn) / sine2)[..., None]
        W = Wn + spin * s
        An = An - spin * cross(s, Wn)
        a_s = kap * dot(leg.k, An) + dot(W, leg.k) * dot(W, y) * dot(c, s)
        A = An + (a_s / sine2)[..., None] * s

    r_d = apply(T, leg.r_d0)  # (11)
    r_u = S + apply(T, leg.r_u0)  # (12)
    a_d = cross(A, r_d) + centripetal(W, r_d)  # (13)
    a_u = (
        Ldd[..., None] * s + cross(A, r_u) + centripetal(W, r_u) + 2.0 * Ld[..., None] * cross(W, s)
    )  # (14)
    return LegKinematics(q, S, L, s, c, T, Ld, Ldd, W, A, r_d, r_u, a_d, a_u)
