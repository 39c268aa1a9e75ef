"""Closed form of [Pedrammehr2012] (000): ``F = -F_act n + Q (Xdd + al x q) + V``, (41)-(43), (48), (51).

The printed Q and V drop terms (E000-5): Q must be symmetric, since ``pd.Q pd / 2`` is the pod's kinetic
energy.  The complete ones are the printed Q plus what it leaves out, and V from the balance at zero
``Xdd + al x q``.  Symbols as in kinematics.py and balance.py; ``~`` is the skew matrix, P = Xdd + al x q.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations.arrays import MotionArrays, UPSArrays
from gough.formulations.linear import apply, centripetal, cross, dot, join, skew, transpose
from gough.formulations.universal.balance import platform_tensor, tensors
from gough.formulations.universal.kinematics import PodMotion, along
from gough.model import Body


def pod_mass(pod: UPSArrays, k: PodMotion, slips: frozenset[str]) -> Array:
    """``Q`` (..., 6, 3, 3), (42); complete unless E000-5 is committed."""
    I_d, I_u = tensors(pod, k, slips)
    I, m_u = I_u + I_d, pod.m_u[:, None, None]
    n_, Lu_, Ld_ = skew(k.n), skew(k.L_u), skew(k.L_d)
    moved = m_u * (Lu_ @ Lu_) + pod.m_d[:, None, None] * (Ld_ @ Ld_)
    l = k.l[..., None, None]
    n, u = k.n[..., None], np.broadcast_to(pod.k, k.n.shape)[..., None]
    nT, uT = transpose(n), transpose(u)
    kap = uT @ n
    tau = kap * (uT @ n_) / (l * (1.0 - kap**2))  # a_t = tau P
    lever = cross(k.c, k.n)[..., None] / dot(k.c, k.n)[..., None, None]
    Q = (
        m_u * (n @ nT)
        + n_ @ moved @ n_ / l**2
        - n_ @ I @ n_ / l**2
        + lever @ (nT @ moved @ n_ / l**2 - (nT @ I @ n) * tau / l)
    )  # (42)
    if "E000-5" not in slips:  # what (42) leaves out
        Lun = cross(k.L_u, k.n)[..., None]
        Q = Q + (
            m_u * n @ (transpose(Lun) @ n_) / l
            - m_u * (n_ @ Lun) @ nT / l
            - n_ @ (I - moved) @ n @ tau / l
            - lever @ (-(nT @ moved @ n) * tau / l + nT @ I @ n_ / l**2)
        )
    # reflected rotor inertia; a rotor riding on the pod adds its coupling to the pod's rotation, wl = turn pd
    turn = (np.eye(3) + kap * n @ uT / (1.0 - kap**2)) @ n_ / l
    coupling = n @ transpose(apply(k.T, pod.d0)[..., None]) @ turn
    return Q + (
        pod.m_r[:, None, None] * (n @ nT)
        + pod.gam[:, None, None] * (coupling + transpose(coupling))
    )


def pod_bias(pod: UPSArrays, k: PodMotion, w: Array, G: Array, slips: frozenset[str]) -> Array:
    """``V`` (..., 6, 3), (43): complete unless E000-5 is committed."""
    I_d, I_u = tensors(pod, k, slips)
    I, w = I_u + I_d, w[..., None, :]
    if "E000-5" in slips:
        return _printed_bias(pod, k, I, w, G, slips)
    l, ld = k.l[..., None], k.ld[..., None]
    m_u, m_d = pod.m_u[:, None], pod.m_d[:, None]
    center = centripetal(w, k.q) - centripetal(k.wl, k.L)
    an = cross(k.n, center - 2.0 * ld * cross(k.wl, k.n)) / l  # S/l of Appendix 1
    a0 = an + along(pod.k, k.c, k.n, an, k.wu * k.wv, slips)[..., None] * k.n
    ldd0 = dot(center, k.n)
    acc_u = (
        cross(a0, k.L_u)
        + centripetal(k.wl, k.L_u)
        + 2.0 * ld * cross(k.wl, k.n)
        + ldd0[..., None] * k.n
    )
    acc_d = cross(a0, k.L_d) + centripetal(k.wl, k.L_d)
    N0 = (
        m_u * cross(k.L_u, acc_u - G)
        + m_d * cross(k.L_d, acc_d - G)
        + apply(I, a0)
        + cross(k.wl, apply(I, k.wl))
        + pod.C_s[:, None] * (k.wl - w)
        + pod.C_u[:, None] * k.wl
    )
    d = apply(k.T, pod.d0)
    N0 = N0 + pod.gam[:, None] * (ldd0[..., None] * d + ld * cross(k.wl, d))
    axial = pod.m_u * dot(k.n, acc_u - G) + pod.C_p * k.ld + pod.m_r * ldd0 + pod.gam * dot(d, a0)
    lever = (dot(N0, k.n) / dot(k.c, k.n))[..., None] * cross(k.c, k.n)
    return axial[..., None] * k.n + (cross(N0, k.n) - lever) / l


def _printed_bias(
    pod: UPSArrays, k: PodMotion, I: Array, w: Array, G: Array, slips: frozenset[str]
) -> Array:
    """``V`` as (43) and Appendix 1 print it; the length rate in S as in (23) unless E000-5:S is committed."""
    l, ld, n, wl = k.l[..., None], k.ld[..., None], k.n, k.wl
    m_u, m_d = pod.m_u[:, None], pod.m_d[:, None]
    spinning = centripetal(wl, k.L)
    turning = centripetal(w, k.q)
    wwu = centripetal(wl, k.L_u)
    rate = l if "E000-5:S" in slips else ld
    S = cross(n, turning - spinning - 2.0 * rate * cross(wl, n))  # Appendix 1
    S_d = cross(k.L_d, cross(k.L_d, S))
    S_u = cross(k.L_u, cross(k.L_u, S))
    weight = cross(m_u * k.L_u + m_d * k.L_d, G)
    gyro = cross(wl, apply(I, wl))
    rub = pod.C_u[:, None] * wl + pod.C_s[:, None] * (wl - w)
    kap = dot(pod.k, n)
    axial = (
        pod.m_u * dot(n, wwu)
        + pod.m_u * (dot(turning, n) - dot(spinning, n))
        - pod.m_u * dot(n, G)
        + pod.C_p * k.ld
    )
    across = (
        -cross(weight, n)
        + m_u * cross(n, S_u) / l
        + m_u * cross(cross(k.L_u, wwu), n)
        + 2.0 * ld * m_u * cross(cross(k.L_u, cross(wl, n)), n)
        + m_d * cross(n, S_d) / l
        + m_d * cross(cross(k.L_d, wwu), n)  # the paper's L_u where L_d belongs
        - cross(n, apply(I, S)) / l
        + cross(gyro, n)
        + cross(rub, n)
    ) / l
    spin = dot(pod.k, S) * kap / (k.l * (1.0 - kap**2)) - k.wu * k.wv
    twist = (
        -dot(weight, n)
        - pod.m_u * dot(n, S_u) / k.l
        - pod.m_d * dot(n, S_d) / k.l
        + dot(n, apply(I, n)) * spin
        + dot(gyro, n)
        + dot(rub, n)
    )
    lever = cross(k.c, n) / (l * dot(k.c, n)[..., None])
    return axial[..., None] * n + across - twist[..., None] * lever  # (43)


def assemble(body: Body, x: MotionArrays, k: PodMotion, Q: Array, slips: frozenset[str]) -> Array:
    """Mass matrix of (48) and (51), (..., 6, 6)."""
    r_ = skew(apply(x.R, body.center))
    q_ = skew(k.q)
    I_p = platform_tensor(body, x.R, slips)
    Qq, qQ, qQq = Q @ q_, q_ @ Q, q_ @ Q @ q_
    M = np.empty((*Q.shape[:-3], 6, 6))
    M[..., :3, :3] = body.mass * np.eye(3) + Q.sum(axis=-3)  # (48)
    M[..., :3, 3:] = -(body.mass * r_ + Qq.sum(axis=-3))
    M[..., 3:, :3] = body.mass * r_ + qQ.sum(axis=-3)  # (51)
    M[..., 3:, 3:] = I_p - body.mass * (r_ @ r_) - qQq.sum(axis=-3)
    return M


def remainder(
    pod: UPSArrays,
    body: Body,
    x: MotionArrays,
    k: PodMotion,
    V: Array,
    G: Array,
    slips: frozenset[str],
) -> Array:
    """Velocity, gravity and friction terms of (48) and (51), (..., 6)."""
    r = apply(x.R, body.center)
    f = body.mass * (centripetal(x.w, r) - G)
    I_p = platform_tensor(body, x.R, slips)
    rub = pod.C_s[:, None] * (k.wl - x.w[..., None, :])
    top = f + V.sum(axis=-2)
    bottom = cross(r, f) + cross(x.w, apply(I_p, x.w)) + (cross(k.q, V) - rub).sum(axis=-2)
    return join(top, bottom)
