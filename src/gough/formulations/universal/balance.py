"""Forces of [Pedrammehr2012] (000): pod balance (31)-(40), platform balance (45)-(50).

    N      moment that moves, carries and rubs the pod, about its base joint                     N m
    m      moment of the universal joint along c                                                 N m
    F      force of the platform on the pod, F = -F_act n + K                                      N
    G      gravity                                                                             m/s^2
The tensors of eqs (32), (33), (50) as printed count the parallel-axis part twice (E000-3) and mix axes
(E000-4); the right ones are the rotated tensors about the mass centers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations.arrays import MotionArrays, UPSArrays
from gough.formulations.linear import apply, centripetal, cross, dot, join, outer, transpose
from gough.formulations.universal.kinematics import PodMotion
from gough.model import Body
from gough.results import Reactions


@dataclass(frozen=True)
class PodBalance:
    """Eqs (31)-(40)."""

    I_u: Array
    f: Array
    moment: Array
    K: Array


def tensors(pod: UPSArrays, k: PodMotion, slips: frozenset[str]) -> tuple[Array, Array]:
    """``I_d, I_u`` in world axes, (32)-(33)."""
    I_d = _turned(pod.I_d0, pod.m_d, k.L_d, k.T, slips, "32")
    I_u = _turned(pod.I_u0, pod.m_u, k.L_u, k.T, slips, "33")
    return I_d, I_u


def _turned(
    I0: Array, mass: Array, r: Array, T: Array, slips: frozenset[str], equation: str
) -> Array:
    Tt = transpose(T)
    if "E000-3" in slips or f"E000-3:{equation}" in slips:
        if "E000-4" not in slips:
            r = apply(Tt, r)
        square = dot(r, r)[..., None, None] * np.eye(3) - outer(r, r)
        I0 = I0 + mass[..., None, None] * square
    return T @ I0 @ Tt


def pod_forces(
    pod: UPSArrays, k: PodMotion, w: Array, G: Array, slips: frozenset[str]
) -> PodBalance:
    """Balance of each pod about its base joint: N, m, and the known part K of F = -F_act n + K."""
    I_d, I_u = tensors(pod, k, slips)
    I = I_u + I_d
    f = pod.C_s[:, None] * (k.wl - w[..., None, :])
    N = (
        -cross(pod.m_u[:, None] * k.L_u + pod.m_d[:, None] * k.L_d, G)
        + pod.m_u[:, None] * cross(k.L_u, k.Ldd_u)
        + pod.m_d[:, None] * cross(k.L_d, k.Ldd_d)
        + apply(I, k.al_l)
        + cross(k.wl, apply(I, k.wl))
        + f
        + pod.C_u[:, None] * k.wl
    )  # (36)
    axial = pod.m_u * dot(k.n, k.Ldd_u - G) + pod.C_p * k.ld  # (39)
    d = apply(k.T, pod.d0)  # drives: not in the paper, docs/derivations/exact.md
    N = N + pod.gam[:, None] * (k.ldd[..., None] * d + k.ld[..., None] * cross(k.wl, d))
    axial = axial + pod.m_r * k.ldd + pod.gam * dot(d, k.al_l)
    m = dot(N, k.n) / dot(k.c, k.n)  # (37)
    moment = m[..., None] * k.c  # (34)
    K = axial[..., None] * k.n + cross(N - moment, k.n) / k.l[..., None]  # (40)
    return PodBalance(I_u, f, moment, K)


def platform_tensor(body: Body, R: Array, slips: frozenset[str]) -> Array:
    """``I_p`` in world axes, (50)."""
    r = apply(R, body.center)  # (47)
    return _turned(body.inertia, np.asarray(body.mass), r, R, slips, "50")


def required_wrench(
    body: Body, x: MotionArrays, k: PodMotion, force: PodBalance, G: Array, slips: frozenset[str]
) -> Array:
    """``sum F_act (n, q x n)`` that the motion asks for, from (45) and (49)."""
    r = apply(x.R, body.center)  # (47)
    Xdd_g = x.a + cross(x.al, r) + centripetal(x.w, r)  # (46)
    I_p = platform_tensor(body, x.R, slips)
    f = body.mass * (Xdd_g - G)
    top = f + force.K.sum(axis=-2)  # (45)
    bottom = (
        cross(r, f)
        + apply(I_p, x.al)
        + cross(x.w, apply(I_p, x.w))
        + (cross(k.q, force.K) - force.f).sum(axis=-2)
    )  # (49)
    return join(top, bottom)


def joint_reactions(
    pod: UPSArrays, k: PodMotion, force: PodBalance, F_act: Array, G: Array
) -> Reactions:
    """F and m c of the paper, and the rest by Newton's law for each part."""
    F = force.K - F_act[..., None] * k.n  # (40)
    up = pod.m_u[:, None] * (k.Ldd_u - G)
    down = pod.m_d[:, None] * (k.Ldd_d - G)
    moment_up = (
        cross(k.L_u, up)
        + apply(force.I_u, k.al_l)
        + cross(k.wl, apply(force.I_u, k.wl))
        + force.f
        - cross(k.L, F)
    )
    return Reactions(
        spherical_force=-F,
        universal_force=up + down - F,
        universal_moment=force.moment - pod.C_u[:, None] * k.wl,
        prismatic_force=up - F + (pod.C_p * k.ld)[..., None] * k.n,
        prismatic_moment=moment_up,
        platform_moment=force.f,
    )
