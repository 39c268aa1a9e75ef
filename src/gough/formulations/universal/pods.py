"""Pod kinematics of [Pedrammehr2012] (000): eqs (1)-(30), with the universal joint's own triad.

Legend (world axes; leading batch axes; pods on axis -2, or -1 for scalars):
    X, R, Xd, w, Xdd, al   geometric center of the platform: position, rotation, twist, acceleration
    l, n                   pod length and direction                                              m, -
    u, v, c                universal joint: fixed axis, moving axis v = u x n/|u x n|, c = u x v
    wl, al_l               angular velocity and acceleration of the pod                   rad/s, rad/s^2
    wu, wv                 its rates about the two joint axes                                    rad/s
    L_d, L_u               mass centers of lower and upper part from the base joint                  m
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.checks import Array, InfeasibleError, InputError
from gough.model import UPS, Platform
from gough.spatial import Motion

SINGULAR = 1e-12  # smallest 1 - (u.n)^2 for which the moving universal axis is defined


class Pods(NamedTuple):
    """Pod data as arrays over the six pods; m_r, gam, d0 belong to drives and are not in the paper."""

    b: Array
    a: Array
    u: Array
    m_d: Array
    m_u: Array
    L_d0: Array
    L_u0: Array
    I_d0: Array
    I_u0: Array
    C_u: Array
    C_p: Array
    C_s: Array
    m_r: Array
    gam: Array
    d0: Array


class State(NamedTuple):
    """Motion of the platform as plain arrays."""

    X: Array
    R: Array
    Xd: Array
    w: Array
    Xdd: Array
    al: Array


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


def pod_motion(pod: Pods, x: State, slips: frozenset[str], route: str, simplified: bool) -> PodMotion:
    """Everything about the pods that a platform motion fixes.

    route "axes": eqs (12)-(14), (18)-(21); "components": eqs (15)-(17), (22)-(25).
    simplified: ``wl.n = 0`` and ``al_l.n = 0``, the assumption the paper argues against.
    """
    q = pod.a @ np.swapaxes(x.R, -1, -2)                                                # (3)
    L = x.X[..., None, :] + q - pod.b                                                   # (1), (2), (7)
    l = np.sqrt(dot(L, L))                                                              # (4)
    if not (l > 0.0).all():
        raise InfeasibleError("a pod has length zero: its platform joint lies on its base joint")
    n = L / l[..., None]                                                                # (5)
    un = np.cross(pod.u, n)
    sine2 = dot(un, un)
    if (sine2 < SINGULAR).any():
        i = int(np.argmin(sine2) % 6)
        raise InfeasibleError(f"pod {i + 1} lies along the fixed axis of its universal joint")
    v = un / np.sqrt(sine2)[..., None]
    c = np.cross(pod.u, v)
    T = np.stack([n, v, np.cross(n, v)], axis=-1)                                       # (28)

    w, al, Xd, Xdd = (z[..., None, :] for z in (x.w, x.al, x.Xd, x.Xdd))
    wq = np.cross(w, q)
    ld = dot(Xd, n) + dot(w, np.cross(q, n))                                            # (8)
    Ld = Xd + wq
    Ldd = Xdd + np.cross(al, q) + np.cross(w, wq)
    wu, wv, wl = _angular_velocity(pod.u, v, c, n, l, ld, Ld, route, simplified)
    nd = np.cross(wl, n)
    ldd = (dot(Xdd, n) + dot(al, np.cross(q, n)) + dot(Xd, nd)
           + dot(w, np.cross(wq, n) + np.cross(q, nd)))                                 # (9)
    acceleration = _by_axes if route == "axes" and not simplified else _by_components
    al_l = acceleration(pod.u, v, c, n, l, ld, ldd, Ldd, wu, wv, wl, slips, simplified)

    L_d = apply(T, pod.L_d0)                                                            # (26)
    L_u = L + apply(T, pod.L_u0)                                                        # (27)
    Ldd_d = np.cross(al_l, L_d) + np.cross(wl, np.cross(wl, L_d))                       # (29)
    Ldd_u = (np.cross(al_l, L_u) + np.cross(wl, np.cross(wl, L_u))
             + 2.0 * ld[..., None] * nd + ldd[..., None] * n)                           # (30)
    return PodMotion(q, l, n, v, c, T, L, ld, ldd, wu, wv, wl, al_l, L_d, L_u, Ldd_d, Ldd_u)


def _angular_velocity(u: Array, v: Array, c: Array, n: Array, l: Array, ld: Array, Ld: Array, route: str,
                      simplified: bool) -> tuple[Array, Array, Array]:
    """``wu, wv, wl``: about the joint axes (12)-(14) or across and along the pod (15)-(17)."""
    lnc = l * dot(n, c)
    across = Ld - ld[..., None] * n
    wu = -dot(across, v) / lnc                                                          # (13)
    wv = dot(across, u) / lnc                                                           # (14)
    if route == "axes" and not simplified:
        return wu, wv, wu[..., None] * u + wv[..., None] * v                            # (12)
    wn = np.cross(n, Ld) / l[..., None]                                                 # (16)
    if simplified:
        return wu, wv, wn
    wt = -dot(wn, c) / dot(n, c)                                                        # (17)
    return wu, wv, wn + wt[..., None] * n                                               # (15)


def _by_axes(u: Array, v: Array, c: Array, n: Array, l: Array, ld: Array, ldd: Array, Ldd: Array, wu: Array,
             wv: Array, wl: Array, slips: frozenset[str], simplified: bool) -> Array:
    """Angular acceleration about the joint axes, (18)-(21); eq 21 needs the factor c that is not printed."""
    wuv = (wu * wv)[..., None] * c
    rest = Ldd - np.cross(wl, np.cross(wl, l[..., None] * n)) - 2.0 * ld[..., None] * np.cross(wl, n)
    rest = rest - ldd[..., None] * n
    if "E000-2" not in slips:
        rest = rest - np.cross(wuv, l[..., None] * n)                                   # (21)
    lnc = l * dot(n, c)
    au = -dot(rest, v) / lnc                                                            # (19)
    av = dot(rest, u) / lnc                                                             # (20)
    return au[..., None] * u + av[..., None] * v + wuv                                  # (18)


def _by_components(u: Array, v: Array, c: Array, n: Array, l: Array, ld: Array, ldd: Array, Ldd: Array,
                   wu: Array, wv: Array, wl: Array, slips: frozenset[str], simplified: bool) -> Array:
    """Angular acceleration across and along the pod, (22)-(25), eq 25 corrected."""
    moved = np.cross(wl, np.cross(wl, l[..., None] * n)) + 2.0 * ld[..., None] * np.cross(wl, n)
    an = np.cross(n, Ldd - moved) / l[..., None]                                        # (23)
    if simplified:
        return an
    return an + along(u, c, n, an, wu * wv, slips)[..., None] * n                       # (22)


def along(u: Array, c: Array, n: Array, an: Array, wuv: Array, slips: frozenset[str]) -> Array:
    """``a_t``, the pod's angular acceleration about its own axis, (25)."""
    kap = dot(u, n)
    sine2 = 1.0 - kap**2
    if "E000-1" in slips:
        return kap * dot(u, an) / sine2 - wuv
    return (kap * dot(u, an) + wuv * dot(c, n)) / sine2


def pod_data(platform: Platform) -> Pods:
    """Pod data of a platform whose six legs are UPS."""
    legs: list[UPS] = []
    for i, leg in enumerate(platform.legs):
        if not isinstance(leg, UPS):
            raise InputError(f"legs[{i}]", type(leg).__name__, "formulation 'universal' is for UPS legs; use "
                             "'exact' (any leg), 'lagrange', 'kane' or 'multibody' (UPS, SPS, PUS)")
        legs.append(leg)
    drives = [leg.drive for leg in legs]
    riding = [d if d is not None and d.rotor_axis is not None else None for d in drives]
    return Pods(
        b=np.array([leg.base for leg in legs]),
        a=np.array([leg.joint for leg in legs]),
        u=np.array([leg.axis for leg in legs]),
        m_d=np.array([leg.lower.mass for leg in legs]),
        m_u=np.array([leg.upper.mass for leg in legs]),
        L_d0=np.array([leg.lower.center for leg in legs]),
        L_u0=np.array([leg.upper.center for leg in legs]),
        I_d0=np.array([leg.lower.inertia for leg in legs]),
        I_u0=np.array([leg.upper.inertia for leg in legs]),
        C_u=np.array([leg.friction.universal for leg in legs]),
        C_p=np.array([leg.friction.prismatic for leg in legs]),
        C_s=np.array([leg.friction.spherical for leg in legs]),
        m_r=np.array([d.reflected_inertia if d else 0.0 for d in drives]),
        gam=np.array([d.ratio * d.rotor_inertia if d else 0.0 for d in riding]),
        d0=np.array([d.rotor_axis if d else np.zeros(3) for d in riding]),
    )


def state_of(x: Motion) -> State:
    """The arrays of a motion."""
    return State(x.position, x.rotation, x.velocity, x.angular_velocity, x.acceleration,
                 x.angular_acceleration)


def dot(a: Array, b: Array) -> Array:
    """Scalar product over the last axis."""
    return (a * b).sum(axis=-1)


def apply(M: Array, v: Array) -> Array:
    """Matrix times vector over leading axes."""
    return (M @ v[..., None])[..., 0]
