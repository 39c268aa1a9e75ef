"""Universal joint at the base, two-part extensible strut, spherical joint at the platform (UPS).

Leg axes T = [s, y, s x y]; both parts turn with T.  ``S`` collects both parts: second moment of the lower one
about the base joint plus that of the upper one about the platform joint, so that all products of inertia with
accelerations ``B r`` are one term.  docs/derivations/exact.md, UPS
    d   first moment of the lower part about the base joint, m_d r_d   kg m
    e   first moment of the upper part about the platform joint, m_u rho
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.base import Base, point_kinetic
from gough.equations.springs import LegSprings, SpringLoad, universal_load
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegReactions,
    LegSpin,
    LegState,
    across,
    constraint_moment,
    end_force,
    strut_risk,
    swing_mass,
    turning_energy,
)
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


@dataclass(slots=True, eq=False)
class UPSData:
    """One leg's constants, in the order of gough.layout.STRUT.

    joint   platform joint, platform axes;  base  base joint, world axes;  k  first universal axis
    second  of both parts;  upper  of the upper part alone, about the platform joint (reactions only)
    reflected  m_r = nu^2 I_r;  gyro  gam d0 = nu I_r d0 of a rotor riding on the lower part, leg axes
    """

    joint: Vec
    base: Vec
    k: Vec
    d: Vec
    e: Vec
    second: Sym
    upper: Sym
    lower_mass: Scalar
    upper_mass: Scalar
    friction: Vec
    reflected: Scalar
    gyro: Vec
    springs: LegSprings | None = None

    @property
    def moving_mass(self) -> Scalar:
        """Mass of all its bodies."""
        return self.lower_mass + self.upper_mass


def universal_spin(kap: Scalar, sig: Scalar, Wn: Vec) -> Scalar:
    """``w_s = kap (k.W_n)/(1 - kap^2)``: the spin that keeps W in the plane of the two joint axes, W.c = 0."""
    return kap / sig * Wn.z


def universal_spin_rate(kap: Scalar, sig: Scalar, W: Vec, An: Vec) -> Scalar:
    """``a_t = [kap (k.A_n) + (W.k)(W.y)(c.s)]/(1 - kap^2)``"""
    Wk = kap * W.x + sig * W.z
    return (kap * An.z - Wk * W.y) / sig


def ups(leg: UPSData, at: JointMotion, spin: LegSpin) -> LegState:
    """The leg's answer to a motion of its platform joint, without a rotor riding on it."""
    return _ups(leg, at, False)


def ups_rotor(leg: UPSData, at: JointMotion, spin: LegSpin) -> LegState:
    """The same with a rotor riding on the lower part: ``C += gam (Ldd d + Ldot W x d)``, ``D += gam d.A``."""
    return _ups(leg, at, True)


def _ups(leg: UPSData, at: JointMotion, rotor: bool) -> LegState:
    strut = at.p - leg.base
    L = norm(strut)
    s = strut / L
    T = leg_frame(leg.k, s)
    kap, sig = dot(leg.k, s), dot(leg.k, T.z)

    v, u = T.local(at.pd), T.local(at.pdd)
    Ldot = v.x
    Wn = across(v, L)
    ws = universal_spin(kap, sig, Wn)
    W = Vec(ws, Wn.y, Wn.z)
    Ldd = u.x + L * (Wn.y * Wn.y + Wn.z * Wn.z)
    slide = 2.0 * Ldot / L
    An = across(u, L) - Vec(0.0, -ws * Wn.z, ws * Wn.y) - Wn * slide
    at_ = universal_spin_rate(kap, sig, W, An)
    A = Vec(at_, An.y, An.z)

    risk = 1.0 / (sig * sig) + strut_risk(leg.base, leg.joint, L)
    springs = ups_springs(leg, T, at.R)
    return strut_state(
        leg, at, T, L, W, A, Ldd, rotor=rotor, universal=(kap, sig), risk=risk, springs=springs
    )


def ups_axes(leg: UPSData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """Leg axes with the platform joint at p, in the world and on the base; of SPS legs without spin."""
    strut = p - leg.base
    T = leg_frame(leg.k, strut / norm(strut))
    return T, T


def ups_springs(leg: UPSData, T: Frame, R: Frame) -> SpringLoad | None:
    """What the springs in the joints do, if there are any."""
    if leg.springs is None:
        return None
    return universal_load(leg.springs, leg.k, leg.k, leg.springs.rest.y, T, R)


def strut_state(
    leg: UPSData,
    at: JointMotion,
    T: Frame,
    L: Scalar,
    W: Vec,
    A: Vec,
    Ldd: Scalar,
    *,
    rotor: bool,
    universal: tuple[Scalar, Scalar] | None,
    risk: Scalar,
    springs: SpringLoad | None,
) -> LegState:
    """UPS and SPS: the answer of a strut that turns with W and A (leg axes T) while its joint moves with `at`.

    universal  kap and sig of the joint that carries ``C.s``; None: two ball joints, A is such that there is none
    """
    s, u, foot = T.x, T.local(at.pdd), T.local(at.felt(leg.base, STILL))
    tip, w = T.local(at.felt(at.p, at.pd)), T.local(at.w)
    Ldot = dot(s, at.pd)
    W0, A0 = at.turning(T, W, A)
    B = rate_matrix(W0, A0)
    fall = u - tip
    upper_load = fall * leg.upper_mass + B.times(leg.e)
    grip, drag = W * leg.friction.x, (W - w) * leg.friction.z
    if springs is not None:
        grip, drag, risk = grip + springs.base, drag + springs.platform, risk + springs.risk
    grip, drag = at.rubbed(T, grip, drag)
    lever = Vec(0.0, -L * upper_load.z, L * upper_load.y)
    C = (
        inertia_moment(B, leg.second)
        + cross(leg.e, fall)
        - cross(leg.d, foot)
        + lever
        + grip
        + drag
    )
    D = upper_load.x + leg.friction.y * Ldot + at.rotor(leg.reflected, Ldd)
    if rotor:
        C = C + leg.gyro * Ldd + cross(W0, leg.gyro) * Ldot
        D = D + dot(leg.gyro, A0)
    hold = -grip
    if universal is None:
        K = Vec(0.0, C.z / L, -C.y / L)
    else:
        K = end_force(C, *universal, L)
        hold = constraint_moment(C, *universal) + hold
    upper_moment = inertia_moment(B, leg.upper) + cross(leg.e, fall) + lever + drag
    return LegState(
        A=T.world(A),
        K=T.world(K),
        W=T.world(W),
        acceleration=Ldd,
        arm=at.p - leg.base,
        coordinate=L,
        couple=T.world(drag),
        eta=1.0,
        load=T.world(Vec(D, K.y, K.z)),
        part_load=T.world(upper_load) + s * (leg.friction.y * Ldot),
        part_moment=T.world(upper_moment),
        rate=Ldot,
        risk=risk,
        s=s,
        spin_acceleration=A.x if universal is None else 0.0,
        strut_load=T.world(upper_load + B.times(leg.d) - foot * leg.lower_mass),
        universal_moment=T.world(hold),
        kinetic=0.0 if at.base is None else strut_kinetic(leg, at.base, at, T, W0, Ldot),
    )


def strut_kinetic(
    leg: UPSData, base: Base, at: JointMotion, T: Frame, W: Vec, Ldot: Scalar
) -> Scalar:
    """Energy of both parts and the rotor in the world; W in the world, leg axes."""
    foot, tip = T.local(base.velocity(leg.base, STILL)), T.local(base.velocity(at.p, at.pd))
    return (
        turning_energy(leg.second, W)
        + point_kinetic(leg.lower_mass, foot, cross(W, leg.d))
        + point_kinetic(leg.upper_mass, tip, cross(W, leg.e))
        + Ldot * (0.5 * leg.reflected * Ldot + dot(leg.gyro, W))
    )


def ups_mass(leg: UPSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """Reflected mass and potential energy without a rotor riding on the leg."""
    return _ups_mass(leg, at, False)


def ups_rotor_mass(leg: UPSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """The same with the rotor: ``Q += gam (s d^T Aw + Aw^T d s^T)``."""
    return _ups_mass(leg, at, True)


def _ups_mass(leg: UPSData, at: JointPlace, rotor: bool) -> LegMass:
    p, g = at.p, at.g
    strut = p - leg.base
    L = norm(strut)
    s = strut / L
    T = leg_frame(leg.k, s)
    sig = dot(leg.k, T.z)
    tan = dot(leg.k, s) / sig
    rates = Mat(Vec(0.0, 0.0, 0.0), Vec(tan / L, 0.0, 1.0 / L), Vec(0.0, -1.0 / L, 0.0))
    slides = Mat(Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
    Q = swing_mass(rates, slides, leg.second, leg.e, leg.upper_mass)
    Q = Q + Sym(leg.reflected, 0.0, 0.0, 0.0, 0.0, 0.0)
    if rotor:
        Q = Q + Sym(0.0, dot(leg.gyro, rates.b), dot(leg.gyro, rates.c), 0.0, 0.0, 0.0)
    potential = -dot(g, leg.base * leg.lower_mass + p * leg.upper_mass + T.world(leg.d + leg.e))
    risk = 1.0 / (sig * sig) + strut_risk(leg.base, leg.joint, L)
    springs = ups_springs(leg, T, at.R)
    if springs is not None:
        potential, risk = potential + springs.energy, risk + springs.risk
    return LegMass(
        Q=Q.turned(T), axial=0.0, j=s, mu=Vec(0.0, 0.0, 0.0), potential=potential, risk=risk
    )


def strut_reactions(leg: UPSData, state: LegState, y: Scalar) -> LegReactions:
    """UPS and SPS.  ``F_s = x s + K``; universal ``sum m(a-g) - F_s``; prismatic ``m_u(a_u-g) + C_p Ldot s - F_s``
    and its moment about the base joint ``M_upper - S x F_s``."""
    F = state.end_force(y)
    driven = state.part_load - F
    ground = state.strut_load - F
    return LegReactions(
        ground_force=ground,
        ground_moment=state.universal_moment + cross(leg.base, ground),
        prismatic_force=driven,
        prismatic_moment=state.part_moment - cross(state.arm, F),
        spherical_force=-F,
        universal_force=ground,
        universal_moment=state.universal_moment,
    )
