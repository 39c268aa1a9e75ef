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
from typing import NamedTuple

import numpy as np

from gough.checks import Array
from gough.formulations import refusals
from gough.formulations.arrays import MotionArrays, UPSArrays
from gough.formulations.linear import apply, centripetal, cross, dot, transpose


class Triad(NamedTuple):
    """The universal joint's axes u, v, c with the pod's direction n and length l."""

    u: Array
    v: Array
    c: Array
    n: Array
    l: Array


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
    joint = Triad(pod.k, v, c, n, l)
    wu, wv, wl = _angular_velocity(joint, ld, Ld, route, simplified)
    nd = cross(wl, n)
    ldd = (
        dot(Xdd, n) + dot(al, cross(q, n)) + dot(Xd, nd) + dot(w, cross(wq, n) + cross(q, nd))
    )  # (9)
    if route == "axes" and not simplified:
        al_l = _by_axes(joint, ld, ldd, Ldd, wu, wv, wl, slips)
    else:
        al_l = _by_components(joint, ld, Ldd, wu, wv, wl, slips, simplified)

    L_d = apply(T, pod.r_d0)  # (26)
    L_u = L + apply(T, pod.r_u0)  # (27)
    Ldd_d = cross(al_l, L_d) + centripetal(wl, L_d)  # (29)
    Ldd_u = (
        cross(al_l, L_u) + centripetal(wl, L_u) + 2.0 * ld[..., None] * nd + ldd[..., None] * n
    )  # (30)
    return PodMotion(q, l, n, v, c, T, L, ld, ldd, wu, wv, wl, al_l, L_d, L_u, Ldd_d, Ldd_u)


def _angular_velocity(
    j: Triad, ld: Array, Ld: Array, route: str, simplified: bool
) -> tuple[Array, Array, Array]:
    """``wu, wv, wl``: about the joint axes (12)-(14) or across and along the pod (15)-(17)."""
    lnc = j.l * dot(j.n, j.c)
    across = Ld - ld[..., None] * j.n
    wu = -dot(across, j.v) / lnc  # (13)
    wv = dot(across, j.u) / lnc  # (14)
    if route == "axes" and not simplified:
        return wu, wv, wu[..., None] * j.u + wv[..., None] * j.v  # (12)
    wn = cross(j.n, Ld) / j.l[..., None]  # (16)
    if simplified:
        return wu, wv, wn
    wt = -dot(wn, j.c) / dot(j.n, j.c)  # (17)
    return wu, wv, wn + wt[..., None] * j.n  # (15)


def _by_axes(
    j: Triad,
    ld: Array,
    ldd: Array,
    Ldd: Array,
    wu: Array,
    wv: Array,
    wl: Array,
    slips: frozenset[str],
) -> Array:
    """Angular acceleration about the joint axes, (18)-(21); eq 21 needs the factor c that is not printed."""
    wuv = (wu * wv)[..., None] * j.c
    rest = (
        Ldd
        - centripetal(wl, j.l[..., None] * j.n)
        - 2.0 * ld[..., None] * cross(wl, j.n)
        - ldd[..., None] * j.n
    )
    if "E000-2" not in slips:
        rest = rest - cross(wuv, j.l[..., None] * j.n)  # (21)
    lnc = j.l * dot(j.n, j.c)
    au = -dot(rest, j.v) / lnc  # (19)
    av = dot(rest, j.u) / lnc  # (20)
    return au[..., None] * j.u + av[..., None] * j.v + wuv  # (18)


def _by_components(
    j: Triad,
    ld: Array,
    Ldd: Array,
    wu: Array,
    wv: Array,
    wl: Array,
    slips: frozenset[str],
    simplified: bool,
) -> Array:
    """Angular acceleration across and along the pod, (22)-(25), eq 25 corrected."""
    moved = centripetal(wl, j.l[..., None] * j.n) + 2.0 * ld[..., None] * cross(wl, j.n)
    an = cross(j.n, Ldd - moved) / j.l[..., None]  # (23)
    if simplified:
        return an
    return an + along(j.u, j.c, j.n, an, wu * wv, slips)[..., None] * j.n  # (22)


def along(u: Array, c: Array, n: Array, an: Array, wuv: Array, slips: frozenset[str]) -> Array:
    """``a_t``, the pod's angular acceleration about its own axis, (25)."""
    kap = dot(u, n)
    sine2 = 1.0 - kap**2
    if "E000-1" in slips:
        return kap * dot(u, an) / sine2 - wuv
    return (kap * dot(u, an) + wuv * dot(c, n)) / sine2
