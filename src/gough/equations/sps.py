"""Ball joints at both ends (SPS): the strut may spin about its own axis.

`sps` is the plain case: axisymmetric parts with their mass centers on the axis, no ball friction, no rotor on
the leg and no spin; then no moment acts about s and everything stays in world axes.
`sps_spin` carries the spin angle and rate as given state and answers the spin acceleration; ``s.C = 0`` takes
the place of the universal joint's moment.  docs/derivations/exact.md, SPS
"""

from __future__ import annotations

from gough.equations.strut import (
    JointMotion,
    LegMass,
    LegSpin,
    LegState,
    across,
    strut_risk,
    swing_mass,
)
from gough.equations.ups import UPSData
from gough.equations.vec import (
    Frame,
    Mat,
    Scalar,
    Sym,
    Vec,
    cross,
    dot,
    inertia_moment,
    leg_frame,
    norm,
    outer,
    rate_matrix,
)


def sps(leg: UPSData, at: JointMotion, spin: LegSpin) -> LegState:
    """Plain leg.  With ``n' = W_n x s`` (rate of s) and ``n'' = A_n x s``:
    ``K = [(I_t + L e) n'' + (m_u L + e)(pdd - g)_across - d g_across]/L``, ``D = s.m_u(a_u - g)``."""
    strut = at.p - leg.base
    L = norm(strut)
    s = strut / L
    e, d, It = leg.e.x, leg.d.x, leg.second.xx + leg.second.yy
    Ldot = dot(s, at.pd)
    turn = (at.pd - s * Ldot) / L
    turn2 = dot(turn, turn)
    along = dot(s, at.pdd)
    Ldd = along + L * turn2
    swing = (at.pdd - s * along) / L - turn * (2.0 * Ldot / L)
    fall = at.pdd - at.g
    s_fall, s_g = dot(s, fall), dot(s, at.g)
    gravity_across = at.g - s * s_g
    K = (
        swing * (It + L * e) + (fall - s * s_fall) * (leg.upper_mass * L + e) - gravity_across * d
    ) / L
    D = leg.upper_mass * s_fall - e * turn2 + leg.friction.y * Ldot + leg.reflected * Ldd
    stretch = swing - s * turn2
    upper_load = fall * leg.upper_mass + stretch * e
    W, A = cross(s, turn), cross(s, swing)
    upper_moment = A * (leg.upper.xx + leg.upper.yy) + cross(s, fall * e + upper_load * L)
    none = Vec(0.0, 0.0, 0.0)
    return LegState(
        A=A,
        K=K,
        W=W,
        acceleration=Ldd,
        arm=strut,
        coordinate=L,
        couple=none,
        eta=1.0,
        load=K + s * D,
        part_load=upper_load + s * (leg.friction.y * Ldot),
        part_moment=upper_moment,
        rate=Ldot,
        risk=strut_risk(leg.base, leg.joint, L),
        s=s,
        spin_acceleration=0.0,
        strut_load=upper_load + stretch * d - at.g * leg.lower_mass,
        universal_moment=none,
    )


def sps_mass(leg: UPSData, p: Vec, g: Vec, spin: LegSpin) -> LegMass:
    """``Q = (m_u + m_r) s s^T + (I_t/L^2 + 2 e/L + m_u)(E - s s^T)``"""
    strut = p - leg.base
    L = norm(strut)
    s = strut / L
    sideways = ((leg.second.xx + leg.second.yy) / L + 2.0 * leg.e.x) / L + leg.upper_mass
    extra = leg.upper_mass + leg.reflected - sideways
    ss = outer(s)
    Q = Sym(
        ss.xx * extra + sideways,
        ss.xy * extra,
        ss.xz * extra,
        ss.yy * extra + sideways,
        ss.yz * extra,
        ss.zz * extra + sideways,
    )
    potential = -dot(g, leg.base * leg.lower_mass + p * leg.upper_mass + s * (leg.d.x + leg.e.x))
    risk = strut_risk(leg.base, leg.joint, L)
    return LegMass(Q=Q, axial=0.0, j=s, mu=Vec(0.0, 0.0, 0.0), potential=potential, risk=risk)


def spun_frame(k: Vec, s: Vec, spin: LegSpin) -> Frame:
    """``[s, y, s x y] Rx(phi)``: leg axes turned by the spin angle."""
    T = leg_frame(k, s)
    return Frame(s, T.y * spin.cosine + T.z * spin.sine, T.z * spin.cosine - T.y * spin.sine)


def spin_risk(leg: UPSData, s: Vec, length: Scalar) -> Scalar:
    """``1/|k x s|^2`` and the strut's share: along its reference k the spin angle has no zero."""
    lean = cross(leg.k, s)
    return 1.0 / dot(lean, lean) + strut_risk(leg.base, leg.joint, length)


def sps_spin(leg: UPSData, at: JointMotion, spin: LegSpin) -> LegState:
    """General or spinning leg.  ``a_t = -s.C(a_t=0)/I_a``, ``I_a`` the leg's inertia about its axis."""
    strut = at.p - leg.base
    L = norm(strut)
    s = strut / L
    T = spun_frame(leg.k, s, spin)
    v, u, g, w = T.local(at.pd), T.local(at.pdd), T.local(at.g), T.local(at.w)
    Ldot, ws = v.x, spin.rate
    Wn = across(v, L)
    W = Vec(ws, Wn.y, Wn.z)
    Ldd = u.x + L * (Wn.y * Wn.y + Wn.z * Wn.z)
    A0 = across(u, L) - Vec(0.0, -ws * Wn.z, ws * Wn.y) - Wn * (2.0 * Ldot / L)

    B0 = rate_matrix(W, A0)
    fall = u - g
    load0 = fall * leg.upper_mass + B0.times(leg.e)
    drag = (W - w) * leg.friction.z
    C0 = (
        inertia_moment(B0, leg.second).x
        + cross(leg.e, fall).x
        - cross(leg.d, g).x
        + W.x * leg.friction.x
        + drag.x
        + leg.gyro.x * Ldd
        + cross(W, leg.gyro).x * Ldot
    )
    axial = leg.second.yy + leg.second.zz
    spin_acceleration = -C0 / axial

    A = Vec(spin_acceleration, A0.y, A0.z)
    B = rate_matrix(W, A)
    upper_load = load0 + Vec(0.0, -leg.e.z, leg.e.y) * spin_acceleration
    lever = Vec(0.0, -L * upper_load.z, L * upper_load.y)
    C = (
        inertia_moment(B, leg.second)
        + cross(leg.e, fall)
        - cross(leg.d, g)
        + lever
        + W * leg.friction.x
        + drag
        + leg.gyro * Ldd
        + cross(W, leg.gyro) * Ldot
    )
    D = upper_load.x + leg.friction.y * Ldot + leg.reflected * Ldd + dot(leg.gyro, A)
    K = Vec(0.0, C.z / L, -C.y / L)
    upper_moment = inertia_moment(B, leg.upper) + cross(leg.e, fall) + lever + drag
    return LegState(
        A=T.world(A),
        K=T.world(K),
        W=T.world(W),
        acceleration=Ldd,
        arm=strut,
        coordinate=L,
        couple=T.world(drag),
        eta=1.0,
        load=T.world(Vec(D, K.y, K.z)),
        part_load=T.world(upper_load) + s * (leg.friction.y * Ldot),
        part_moment=T.world(upper_moment),
        rate=Ldot,
        risk=spin_risk(leg, s, L),
        s=s,
        spin_acceleration=spin_acceleration,
        strut_load=T.world(upper_load + B.times(leg.d) - g * leg.lower_mass),
        universal_moment=T.world(W * (-leg.friction.x)),
    )


def sps_spin_mass(leg: UPSData, p: Vec, g: Vec, spin: LegSpin) -> LegMass:
    """``Q = Q_0 - mu mu^T/I_a`` with the spin condensed out; mu the coupling ``w_s mu.pd`` in the energy."""
    strut = p - leg.base
    L = norm(strut)
    s = strut / L
    T = spun_frame(leg.k, s, spin)
    rates = Mat(Vec(0.0, 0.0, 0.0), Vec(0.0, 0.0, 1.0 / L), Vec(0.0, -1.0 / L, 0.0))
    slides = Mat(Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
    Q = swing_mass(rates, slides, leg.second, leg.e, leg.upper_mass)
    axial = leg.second.yy + leg.second.zz
    S = leg.second
    # I s = (axial, -S.xy, -S.xz); s x e = (0, -e.z, e.y)
    mu = Vec(leg.gyro.x, -S.xz / L - leg.e.z, S.xy / L + leg.e.y)
    out = outer(mu)
    share = -1.0 / axial
    Q = Q + Sym(
        leg.reflected + out.xx * share,
        dot(leg.gyro, rates.b) + out.xy * share,
        dot(leg.gyro, rates.c) + out.xz * share,
        out.yy * share,
        out.yz * share,
        out.zz * share,
    )
    potential = -dot(g, leg.base * leg.lower_mass + p * leg.upper_mass + T.world(leg.d + leg.e))
    return LegMass(
        Q=Q.turned(T),
        axial=axial,
        j=s,
        mu=T.world(mu),
        potential=potential,
        risk=spin_risk(leg, s, L),
    )
