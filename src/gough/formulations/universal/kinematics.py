"""Pod kinematics of [Pedrammehr2012] (000): eqs (1)-(30), with the universal joint's own triad.

Legend (world axes; leading batch axes; pods on axis -2, or -1 for scalars):
    t, R, v, w, a, al      geometric center of the platform: position, rotation, twist, acceleration
                           (the paper's X, Xd, w, Xdd, al)
    l, n                   pod length and direction                                              m, -
    u, v, c                universal joint: fixed axis, moving axis v = u x n/|u x n|, c = u x v; `UPSArrays` has u as
                           its k and the paper's a_i as its p
    wl, al_l               angular velocity and acceleration of the pod                   rad/s, rad/s^2
    wu, wv                 its rates about the two joint axes                                    rad/s
    L_d, L_u               mass centers of lower and upper part from the base joint                  m
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import refusals
from gough.formulations.arrays import MotionArrays, UPSArrays
from gough.formulations.linear import apply, centripetal, cross, dot, transpose


@dataclass(frozen=True)
class PodMotion:
    """Eqs (1)-(30)."""

    q: Array
    l: Array
    n: Array
    v: Array
    c: Array
    T: Array
    L: Array
    ld: Array
    ldd: Array
    wu: Array
    wv: Array
    wl: Array
    al_l: Array
    L_d: Array
    L_u: Array
    Ldd_d: Array
    Ldd_u: Array


def pod_motion(
    pod: UPSArrays, x: MotionArrays, slips: frozenset[str], route: str, simplified: bool
) -> PodMotion:
    """Everything about the pods that a platform motion fixes.

    route "axes": eqs (12)-(14), (18)-(21); "components": eqs (15)-(17), (22)-(25).
    simplified: ``wl.n = 0`` and ``al_l.n = 0``, the assumption the paper argues against.
    """
    q = pod.p @ transpose(x.R)  # (3)
    L = x.t[..., None, :] + q - pod.b  # (1), (2), (7)
    l = np.sqrt(dot(L, L))  # (4)
    refusals.joints_meet(l, range(6))
    n = L / l[..., None]  # (5)
    un = cross(pod.k, n)
    sine2 = dot(un, un)
    refusals.along_axis(sine2, range(6))
    v = un / np.sqrt(sine2)[..., None]
    c = cross(pod.k, v)
    T = np.stack([n, v, cross(n, v)], axis=-1)  # (28)

    w, al, Xd, Xdd = (z[..., None, :] for z in (x.w, x.al, x.v, x.a))
    wq = cross(w, q)
    ld = dot(Xd, n) + dot(w, cross(q, n))  # (8)
    Ld = Xd + wq
    Ldd = Xdd + cross(al, q) + cross(w, wq)
    lnc, across = l * dot(n, c), Ld - ld[..., None] * n
    wu = -dot(across, v) / lnc  # (13)
    wv = dot(across, pod.k) / lnc  # (14)
    by_axes = route == "axes" and not simplified
    if by_axes:
        wl = wu[..., None] * pod.k + wv[..., None] * v  # (12)
    else:
        wl = cross(n, Ld) / l[..., None]  # (16)
        if not simplified:
            wl = wl + (-dot(wl, c) / dot(n, c))[..., None] * n  # (15), (17)
    nd = cross(wl, n)
    ldd = (
        dot(Xdd, n) + dot(al, cross(q, n)) + dot(Xd, nd) + dot(w, cross(wq, n) + cross(q, nd))
    )  # (9)
    inward, coriolis = centripetal(wl, l[..., None] * n), 2.0 * ld[..., None] * nd
    if by_axes:
        wuv = (wu * wv)[..., None] * c
        rest = Ldd - inward - coriolis - ldd[..., None] * n
        if "E000-2" not in slips:  # (21), with the factor c that is not printed
            rest = rest - cross(wuv, l[..., None] * n)
        au, av = -dot(rest, v) / lnc, dot(rest, pod.k) / lnc  # (19), (20)
        al_l = au[..., None] * pod.k + av[..., None] * v + wuv  # (18)
    else:
        al_l = cross(n, Ldd - (inward + coriolis)) / l[..., None]  # (23)
        if not simplified:
            al_l = al_l + along(pod.k, c, n, al_l, wu * wv, slips)[..., None] * n  # (22)

    L_d = apply(T, pod.r_d0)  # (26)
    L_u = L + apply(T, pod.r_u0)  # (27)
    Ldd_d = cross(al_l, L_d) + centripetal(wl, L_d)  # (29)
    Ldd_u = cross(al_l, L_u) + centripetal(wl, L_u) + coriolis + ldd[..., None] * n  # (30)
    return PodMotion(q, l, n, v, c, T, L, ld, ldd, wu, wv, wl, al_l, L_d, L_u, Ldd_d, Ldd_u)


def along(u: Array, c: Array, n: Array, an: Array, wuv: Array, slips: frozenset[str]) -> Array:
    """``a_t``, the pod's angular acceleration about its own axis, (25)."""
    kap = dot(u, n)
    sine2 = 1.0 - kap**2
    if "E000-1" in slips:
        return kap * dot(u, an) / sine2 - wuv
    return (kap * dot(u, an) + wuv * dot(c, n)) / sine2
