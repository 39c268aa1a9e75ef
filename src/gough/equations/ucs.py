"""Universal joint at the base, cylindrical pair, ball joint at the platform (UCS): the upper part spins freely about s.

Lower part and its axes T as of a UPS leg, about the base joint; upper part about the platform joint, in axes T_u with
the same first axis s.  docs/derivations/rods.md
    w_u          spin rate of the upper part, a state;  phid = w_u - w_d its turning in the lower part
    N = C_c phid                                               of the cylindrical pair about s
    a_tu = -(s.C_t(a_tu=0) + N)/I_a                            C_t of the upper part about p with the ball's friction
    m c_d        what the base joint transmits: ``s.C_d - N`` about s
    K = (C_d - N s - m c_d + C_t + S x m_u(a_u - g)) x s/L,  F_s = (D - y) s + K,  M_s = -C_s (W_u - w)
Three cases of the upper part, as of SPS legs: `ucs` axisymmetric, without friction of ball and pair, no spin in the
world; `ucs_axial` axisymmetric, spinning: T_u = T; `ucs_spin` any: T_u = [s, y, s x y] Rx(phi), y from the reference,
also with springs in the base joint (on T) and in the ball (on T_u).  docs/derivations/springs.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gough.equations.base import Base, point_kinetic
from gough.equations.springs import LegSprings, SpringLoad, universal_load
from gough.equations.sps import spun_frame
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegSpin,
    LegState,
    Swings,
    across,
    condensed,
    constraint_moment,
    end_force,
    free_spin,
    strut_risk,
    swing_mass,
    turning_energy,
)
from gough.equations.ups import universal_spin, universal_spin_rate
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
    rate_matrix,
)

Case = Literal["still", "axial", "spin"]


@dataclass(slots=True, eq=False)
class UCSData:
    """One leg's constants, in the order of gough.layout.FREE_CYLINDER.

    joint  platform joint, platform axes;  base, k  base joint and its first axis;  reference  of the spin, world axes
    d, lower  first and second moment of the lower part about the base joint, T
    e, upper  of the upper part about the platform joint, T_u;  turning  C_c
    reflected  m_r;  gyro  ``gam d0`` of a rotor riding on the lower part, T
    """

    joint: Vec
    base: Vec
    k: Vec
    reference: Vec
    d: Vec
    e: Vec
    lower: Sym
    upper: Sym
    lower_mass: Scalar
    upper_mass: Scalar
    friction: Vec
    turning: Scalar
    reflected: Scalar
    gyro: Vec
    springs: LegSprings | None = None

    @property
    def moving_mass(self) -> Scalar:
        """Mass of all its bodies."""
        return self.lower_mass + self.upper_mass


@dataclass(slots=True, eq=False)
class FreeStrut:
    """The leg in a pose: strut S = L s, axes T of the lower and Tu of the upper part, kap and sig of the base joint."""

    S: Vec
    L: Scalar
    T: Frame
    Tu: Frame
    kap: Scalar
    sig: Scalar
    risk: Scalar


def _strut(leg: UCSData, p: Vec, spin: LegSpin, case: Case) -> FreeStrut:
    S = p - leg.base
    L = norm(S)
    s = S / L
    T = Tu = leg_frame(leg.k, s)
    kap, sig = dot(leg.k, s), dot(leg.k, T.z)
    risk = 1.0 / (sig * sig) + strut_risk(leg.base, leg.joint, L)
    if case == "spin":
        lean = cross(leg.reference, s)
        Tu, risk = spun_frame(leg.reference, s, spin), risk + 1.0 / dot(lean, lean)
    return FreeStrut(S, L, T, Tu, kap, sig, risk)


def ucs_state(leg: UCSData, at: JointMotion, spin: LegSpin, case: Case, rotor: bool) -> LegState:
    """The leg's answer to a motion of its platform joint; `rotor`: one rides on the lower part."""
    pair = _strut(leg, at.p, spin, case)
    T, L, joint = pair.T, pair.L, (pair.kap, pair.sig)
    v, acc, foot = T.local(at.pd), T.local(at.pdd), T.local(at.felt(leg.base, STILL))
    Ldot, Wn = v.x, across(v, L)
    Ldd = acc.x + L * (Wn.y * Wn.y + Wn.z * Wn.z)
    swing = across(acc, L) - Wn * (2.0 * Ldot / L)
    ws = universal_spin(*joint, Wn)
    W = Vec(ws, Wn.y, Wn.z)
    An = swing - Vec(0.0, -ws * Wn.z, ws * Wn.y)
    A = Vec(universal_spin_rate(*joint, W, An), An.y, An.z)
    W0, A0 = at.turning(T, W, A)
    B = rate_matrix(W0, A0)
    C = inertia_moment(B, leg.lower) - cross(leg.d, foot)
    D = leg.friction.y * Ldot + at.rotor(leg.reflected, Ldd)
    if rotor:
        C = C + leg.gyro * Ldd + cross(W0, leg.gyro) * Ldot
        D = D + dot(leg.gyro, A0)
    springs, risk = ucs_springs(leg, pair, at.R), pair.risk
    top = _upper(leg, at, pair, (Wn, swing), spin.rate, ws, case, springs)
    hold = W * leg.friction.x
    if springs is not None:
        hold, risk = hold + springs.base, risk + springs.risk
    if at.rub is not None:
        hold = hold + T.local(at.rub.base)
    C = C + hold - Vec(top.pair, 0.0, 0.0)
    K = T.world(end_force(C, *joint, L)) + top.K
    load, s = top.load, T.x
    return LegState(
        A=T.world(A),
        K=K,
        W=T.world(W),
        acceleration=Ldd,
        arm=pair.S,
        coordinate=L,
        couple=top.drag,
        eta=1.0,
        load=K + s * (dot(s, load) + D),
        part_load=load + s * (leg.friction.y * Ldot),
        part_moment=top.moment,
        rate=Ldot,
        risk=risk,
        s=s,
        spin_acceleration=0.0 if case == "still" else top.spin_acceleration,
        strut_load=load + T.world(B.times(leg.d) - foot * leg.lower_mass),
        universal_moment=T.world(constraint_moment(C, *joint) - hold),
        kinetic=0.0 if at.base is None else top.kinetic + _lower_kinetic(leg, at.base, T, W0, Ldot),
    )


def ucs_axes(leg: UCSData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """Axes of the upper part without spin, and of the lower one, with the platform joint at p, world axes."""
    S = p - leg.base
    s = S / norm(S)
    return leg_frame(leg.reference, s), leg_frame(leg.k, s)


def ucs_springs(leg: UCSData, pair: FreeStrut, R: Frame) -> SpringLoad | None:
    """What the springs in the joints do, if there are any; moments in T and in T_u."""
    if leg.springs is None:
        return None
    return universal_load(leg.springs, leg.k, leg.k, leg.springs.rest.y, pair.T, R, pair.Tu)


@dataclass(slots=True, eq=False)
class Upper:
    """What the upper part does, world axes.

    load    ``m_u(a_u - g)``;  moment  of inertia, weight and ball friction about the base joint
    K       its share of the end force across s;  drag  of the ball on the platform;  pair  N about s
    """

    load: Vec
    moment: Vec
    K: Vec
    drag: Vec
    pair: Scalar
    spin_acceleration: Scalar
    kinetic: Scalar


def _upper(
    leg: UCSData,
    at: JointMotion,
    pair: FreeStrut,
    swings: tuple[Vec, Vec],
    rate: Scalar,
    below: Scalar,
    case: Case,
    springs: SpringLoad | None,
) -> Upper:
    """`swings`: angular velocity and acceleration of s, axes T; `rate`, `below`: spins of the upper and lower part."""
    T, Tu, L = pair.T, pair.Tu, pair.L
    Wn, swing = swings if case != "spin" else (Tu.local(T.world(v)) for v in swings)
    still = case == "still"
    if still:
        rate = 0.0 if at.base is None else -dot(T.x, at.base.w)
    W, A = Vec(rate, Wn.y, Wn.z), swing - Vec(0.0, -rate * Wn.z, rate * Wn.y)
    W0, A0 = at.turning(Tu, W, A)
    fall = Tu.local(at.pdd - at.felt(at.p, at.pd))
    N: Scalar = 0.0
    drag = STILL
    if still:
        spun = -A0.x
    else:
        drag, N = (W - Tu.local(at.w)) * leg.friction.z, leg.turning * (rate - below)
        if springs is not None:
            drag = drag + springs.platform
        if at.rub is not None:
            drag = drag + Tu.local(at.rub.platform)
        spun = free_spin(rate_matrix(W0, A0), leg.upper, leg.e, fall, drag.x + N)
    A0 = Vec(A0.x + spun, A0.y, A0.z)
    B = rate_matrix(W0, A0)
    load = fall * leg.upper_mass + B.times(leg.e)
    C = inertia_moment(B, leg.upper) + cross(leg.e, fall) + drag
    kinetic: Scalar = 0.0
    if at.base is not None:
        v = Tu.local(at.base.velocity(at.p, at.pd))
        kinetic = turning_energy(leg.upper, W0) + point_kinetic(leg.upper_mass, v, cross(W0, leg.e))
    return Upper(
        load=Tu.world(load),
        moment=Tu.world(C + Vec(0.0, -L * load.z, L * load.y)),
        K=Tu.world(Vec(0.0, C.z / L + load.y, load.z - C.y / L)),
        drag=Tu.world(drag),
        pair=N,
        spin_acceleration=spun,
        kinetic=kinetic,
    )


def _lower_kinetic(leg: UCSData, base: Base, T: Frame, W: Vec, Ldot: Scalar) -> Scalar:
    """Energy of the lower part and the rotor in the world; W there, axes T."""
    foot = T.local(base.velocity(leg.base, STILL))
    return (
        turning_energy(leg.lower, W)
        + point_kinetic(leg.lower_mass, foot, cross(W, leg.d))
        + Ldot * (0.5 * leg.reflected * Ldot + dot(leg.gyro, W))
    )


def ucs_mass(leg: UCSData, at: JointPlace, spin: LegSpin, case: Case, rotor: bool) -> LegMass:
    """``Q`` of both parts, the upper one as of an SPS leg with its spin condensed out: ``Q_u - mu mu^T/I_a``."""
    pair = _strut(leg, at.p, spin, case)
    T, Tu, L, tan = pair.T, pair.Tu, pair.L, pair.kap / pair.sig
    under = Mat(STILL, Vec(tan / L, 0.0, 1.0 / L), Vec(0.0, -1.0 / L, 0.0))
    none = Mat(STILL, STILL, STILL)
    Q = swing_mass(under, none, leg.lower, STILL, 0.0) + Sym(leg.reflected, 0.0, 0.0, 0.0, 0.0, 0.0)
    if rotor:
        Q = Q + Sym(0.0, dot(leg.gyro, under.b), dot(leg.gyro, under.c), 0.0, 0.0, 0.0)
    unit = Mat(Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
    swings = Swings(Mat(STILL, Vec(0.0, 0.0, 1.0 / L), Vec(0.0, -1.0 / L, 0.0)), unit)
    above = swing_mass(swings.rates, unit, leg.upper, leg.e, leg.upper_mass)
    axial: Scalar = 0.0 if case == "still" else leg.upper.yy + leg.upper.zz
    mu = STILL
    if case == "spin":
        mu = swings.spin_coupling(leg.upper, leg.e)
        Q = Q.turned(T) + condensed(above, mu, axial).turned(Tu)
    else:
        Q = (Q + above).turned(T)
    held = leg.base * leg.lower_mass + at.p * leg.upper_mass
    potential, risk = -dot(at.g, held + T.world(leg.d) + Tu.world(leg.e)), pair.risk
    springs = ucs_springs(leg, pair, at.R)
    if springs is not None:
        potential, risk = potential + springs.energy, risk + springs.risk
    return LegMass(
        Q=Q,
        axial=axial,
        j=T.x,
        mu=Tu.world(mu) if case == "spin" else mu,
        potential=potential,
        risk=risk,
    )
