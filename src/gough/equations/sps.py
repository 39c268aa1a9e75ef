"""Ball joints at both ends (SPS): the strut may spin about its own axis.

Three cases, docs/derivations/exact.md, SPS; in those with a spin ``s.C = 0`` takes the place of the universal joint's
moment and answers the spin acceleration:
    `sps`        axisymmetric parts, no ball friction, no rotor on the leg, no spin: no moment acts about s
    `sps_axial`  axisymmetric parts (a rotor along s included) that spin: only the rate matters; world axes, no frame
    `sps_spin`   any parts, also with springs in the joints: the spin angle phi counts from the reference k,
                 T = [s, y, s x y] Rx(phi), y = k x s/|k x s|
"""

from __future__ import annotations

from gough.equations.base import Base, point_kinetic
from gough.equations.springs import ball_load
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegSpin,
    LegState,
    across,
    strut_risk,
    swing_mass,
)
from gough.equations.ups import UPSData, strut_state
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
    return _sps(leg, at, None)


def sps_axial(leg: UPSData, at: JointMotion, spin: LegSpin) -> LegState:
    """The same spinning with ``W = W_n + w_s s``: ``I A + W x I W`` gains ``I_a (w_s n' + a_t s)``, so
    ``I_a a_t = -C_u w_s - C_s (w_s - w.s) - gam Ldd`` and
    ``L K += C_u n' + C_s (n' - w x s) - (I_a w_s + gam Ldot) W_n``."""
    return _sps(leg, at, spin.rate)


def _sps(leg: UPSData, at: JointMotion, ws: Scalar | None) -> LegState:
    strut = at.p - leg.base
    L = norm(strut)
    s = strut / L
    e, d, It = leg.e.x, leg.d.x, leg.second.xx + leg.second.yy
    Ldot = dot(s, at.pd)
    turn = lean = (at.pd - s * Ldot) / L
    turn2 = dot(turn, turn)
    along = dot(s, at.pdd)
    Ldd = along + L * turn2
    swing = (at.pdd - s * along) / L - turn * (2.0 * Ldot / L)
    if at.base is not None:  # from here on s turns as in the world
        bend = swing - s * turn2 + at.base.carried(s, turn)
        turn = turn + cross(at.base.w, s)
        turn2 = dot(turn, turn)
        swing = bend + s * turn2
    fall, foot = at.pdd - at.felt(at.p, at.pd), at.felt(leg.base, STILL)
    s_fall, s_g = dot(s, fall), dot(s, foot)
    gravity_across = foot - s * s_g
    KL = swing * (It + L * e) + (fall - s * s_fall) * (leg.upper_mass * L + e) - gravity_across * d
    D = leg.upper_mass * s_fall - e * turn2 + leg.friction.y * Ldot
    D = D + at.rotor(leg.reflected, Ldd)
    stretch = swing - s * turn2
    upper_load = fall * leg.upper_mass + stretch * e
    Wn = W = cross(s, turn)
    A = cross(s, swing)
    upper_moment = A * (leg.upper.xx + leg.upper.yy) + cross(s, fall * e + upper_load * L)
    drag = hold = Vec(0.0, 0.0, 0.0)
    spin_acceleration: Scalar = 0.0
    if ws is not None:
        axial, gyro = leg.second.yy + leg.second.zz, leg.gyro.x
        if at.base is not None:
            ws = ws + dot(s, at.base.w)
        W = Wn + s * ws
        seen = W if at.base is None else W - at.base.w
        drag, hold = (seen - at.w) * leg.friction.z, seen * (-leg.friction.x)
        if at.rub is not None:
            drag, hold = drag + at.rub.platform, hold - at.rub.base
            KL = KL + cross(at.rub.base, s)
        spin_acceleration = (dot(s, hold) - dot(s, drag) - gyro * Ldd) / axial
        spun = turn * ws + s * spin_acceleration
        A = A + spun
        KL = KL + lean * leg.friction.x + cross(drag, s) - Wn * (axial * ws + gyro * Ldot)
        D = D + gyro * spin_acceleration
        upper_moment = upper_moment + spun * (leg.upper.yy + leg.upper.zz) + drag
    kinetic: Scalar = 0.0
    if at.base is not None:
        kinetic = _sps_kinetic(leg, at.base, at, turn, Ldot, 0.0 if ws is None else ws)
        W, A = at.base.seen(W, A)
        if ws is not None:
            spin_acceleration = dot(s, A)
    K = KL / L
    return LegState(
        A=A,
        K=K,
        W=W,
        acceleration=Ldd,
        arm=strut,
        coordinate=L,
        couple=drag,
        eta=1.0,
        load=K + s * D,
        part_load=upper_load + s * (leg.friction.y * Ldot),
        part_moment=upper_moment,
        rate=Ldot,
        risk=strut_risk(leg.base, leg.joint, L),
        s=s,
        spin_acceleration=spin_acceleration,
        strut_load=upper_load + stretch * d - foot * leg.lower_mass,
        universal_moment=hold,
        kinetic=kinetic,
    )


def _sps_kinetic(
    leg: UPSData, base: Base, at: JointMotion, turn: Vec, Ldot: Scalar, ws: Scalar
) -> Scalar:
    """Energy of both parts and a rotor along the leg in the world; `turn` and ws as seen from there."""
    S, foot, tip = leg.second, base.velocity(leg.base, STILL), base.velocity(at.p, at.pd)
    return (
        0.5 * ((S.xx + S.yy) * dot(turn, turn) + (S.yy + S.zz) * ws * ws)
        + point_kinetic(leg.lower_mass, foot, turn * leg.d.x)
        + point_kinetic(leg.upper_mass, tip, turn * leg.e.x)
        + Ldot * (0.5 * leg.reflected * Ldot + leg.gyro.x * ws)
    )


def sps_mass(leg: UPSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """``Q = (m_u + m_r) s s^T + (I_t/L^2 + 2 e/L + m_u)(E - s s^T)``"""
    return _sps_mass(leg, at, False)


def sps_axial_mass(leg: UPSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """The same with the spin condensed out: ``mu = gam s``, ``Q -= gam^2 s s^T/I_a``."""
    return _sps_mass(leg, at, True)


def _sps_mass(leg: UPSData, at: JointPlace, spinning: bool) -> LegMass:
    p, g = at.p, at.g
    strut = p - leg.base
    L = norm(strut)
    s = strut / L
    sideways = ((leg.second.xx + leg.second.yy) / L + 2.0 * leg.e.x) / L + leg.upper_mass
    extra = leg.upper_mass + leg.reflected - sideways
    axial: Scalar = 0.0
    mu = Vec(0.0, 0.0, 0.0)
    if spinning:
        axial, mu = leg.second.yy + leg.second.zz, s * leg.gyro.x
        extra = extra - leg.gyro.x * leg.gyro.x / axial
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
    return LegMass(Q=Q, axial=axial, j=s, mu=mu, potential=potential, risk=risk)


def spun_frame(k: Vec, s: Vec, spin: LegSpin) -> Frame:
    """``[s, y, s x y] Rx(phi)``: leg axes turned by the spin angle."""
    T = leg_frame(k, s)
    return Frame(s, T.y * spin.cosine + T.z * spin.sine, T.z * spin.cosine - T.y * spin.sine)


def spin_risk(leg: UPSData, s: Vec, length: Scalar) -> Scalar:
    """``1/|k x s|^2`` and the strut's share: along its reference k the spin angle has no zero."""
    lean = cross(leg.k, s)
    return 1.0 / dot(lean, lean) + strut_risk(leg.base, leg.joint, length)


def sps_spin(leg: UPSData, at: JointMotion, spin: LegSpin) -> LegState:
    """General leg.  ``a_t = -s.C(a_t=0)/I_a``, ``I_a`` the leg's inertia about its axis."""
    strut = at.p - leg.base
    L = norm(strut)
    s = strut / L
    T = spun_frame(leg.k, s, spin)
    v, u, foot = T.local(at.pd), T.local(at.pdd), T.local(at.felt(leg.base, STILL))
    tip, w = T.local(at.felt(at.p, at.pd)), T.local(at.w)
    Ldot, ws = v.x, spin.rate
    Wn = across(v, L)
    W = Vec(ws, Wn.y, Wn.z)
    Ldd = u.x + L * (Wn.y * Wn.y + Wn.z * Wn.z)
    A0 = across(u, L) - Vec(0.0, -ws * Wn.z, ws * Wn.y) - Wn * (2.0 * Ldot / L)

    turned = at.turning(T, W, A0)
    B0 = rate_matrix(*turned)
    fall = u - tip
    grip, drag = W * leg.friction.x, (W - w) * leg.friction.z
    springs = None if leg.springs is None else ball_load(leg.springs, T, at.R)
    if springs is not None:
        grip, drag = grip + springs.base, drag + springs.platform
    grip, drag = at.rubbed(T, grip, drag)
    C0 = (
        inertia_moment(B0, leg.second).x
        + cross(leg.e, fall).x
        - cross(leg.d, foot).x
        + grip.x
        + drag.x
        + leg.gyro.x * Ldd
        + cross(turned[0], leg.gyro).x * Ldot
    )
    axial = leg.second.yy + leg.second.zz
    spin_acceleration = -C0 / axial
    A = Vec(spin_acceleration, A0.y, A0.z)
    risk = spin_risk(leg, s, L)
    return strut_state(
        leg, at, T, L, W, A, Ldd, rotor=True, universal=None, risk=risk, springs=springs
    )


def sps_spin_mass(leg: UPSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """``Q = Q_0 - mu mu^T/I_a`` with the spin condensed out; mu the coupling ``w_s mu.pd`` in the energy."""
    p, g = at.p, at.g
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
    risk = spin_risk(leg, s, L)
    if leg.springs is not None:
        springs = ball_load(leg.springs, T, at.R)
        potential, risk = potential + springs.energy, risk + springs.risk
    return LegMass(Q=Q.turned(T), axial=axial, j=s, mu=T.world(mu), potential=potential, risk=risk)
