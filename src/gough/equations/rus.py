"""Crank on a fixed shaft, universal joint at its tip, rod, spherical joint at the platform (RUS).

docs/derivations/exact.md, RUS.  The universal joint's first axis k turns with the crank, so the spin follows
from ``(W - Omega).c = 0``.  A vector fixed to the crank is stored as three parts (axial, cosine, sine) with
``v(th) = axial + cosine cos th + sine sin th``.
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.base import point_kinetic
from gough.equations.scalar import angle, sqrt
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
    carried_spin,
    carried_spin_rate,
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
    Turning,
    Vec,
    cross,
    dot,
    inertia_moment,
    leg_frame,
    rate_matrix,
)


@dataclass(slots=True, eq=False)
class Crank:
    """Crank position: cosine, sine of its angle from home; u arm; n = e x u tip velocity per rate."""

    cosine: Scalar
    sine: Scalar
    u: Vec
    n: Vec

    def held(self, v: Turning) -> Vec:
        """A vector fixed to the crank, where it is now."""
        return v.at(self.cosine, self.sine)


@dataclass(slots=True, eq=False)
class RUSData:
    """One leg's constants, in the order of gough.layout.CRANK.

    joint  platform joint, platform axes;  elbow  +-1
    arm, k, crank_first (m_c d_c), crank_spin (I_c e, about the mass center)  fixed to the crank
    shaft_inertia  e.I_c e + m_c |e x d_c|^2 of the crank;  reflected  J_r of the drive's rotor
    mass, first, second  of the rod about the crank tip, leg axes
    zero   crank angle at home (rad): the vectors above are those of the crank at home, so that the angle reported,
           ``zero + (-pi, pi]``, is continuous wherever the machine goes, whatever position the user calls zero
    of a rod with balls at both ends (RSS) k is the spin's reference: it does not turn, its axial part is all of it
    """

    joint: Vec
    base: Vec
    shaft: Vec
    arm: Turning
    k: Turning
    length: Scalar
    elbow: Scalar
    crank_mass: Scalar
    crank_first: Turning
    crank_spin: Turning
    shaft_inertia: Scalar
    mass: Scalar
    first: Vec
    second: Sym
    friction: Vec
    reflected: Scalar
    zero: Scalar
    springs: LegSprings | None = None

    @property
    def moving_mass(self) -> Scalar:
        """Mass of all its bodies."""
        return self.crank_mass + self.mass


def crank_position(leg: RUSData, p: Vec) -> Crank:
    """Crank angle from home that reaches p: ``cos th = (A D - B X)/N^2``, ``sin th = (B D + A X)/N^2``,
    ``X = elbow sqrt(N^2 - D^2)``; NaN when out of reach."""
    P = p - leg.base
    up, np = leg.arm.cosine, leg.arm.sine
    A, B = dot(P, up), dot(P, np)
    N2 = A * A + B * B
    h2 = dot(leg.arm.axial, leg.arm.axial)
    D = 0.5 * (dot(P, P) + h2 + dot(up, up) - leg.length * leg.length) - dot(leg.arm.axial, P)
    X = leg.elbow * sqrt(N2 - D * D)
    cosine = (A * D - B * X) / N2
    sine = (B * D + A * X) / N2
    return Crank(cosine, sine, leg.arm.at(cosine, sine), np * cosine - up * sine)


def lever_risk(leg: RUSData, eta: Scalar) -> Scalar:
    """``radius^2/eta^2``"""
    return dot(leg.arm.cosine, leg.arm.cosine) / (eta * eta)


def crank_risk(leg: RUSData, sig: Scalar, eta: Scalar) -> Scalar:
    """``1/sig^2 + radius^2/eta^2`` and the strut's share."""
    own = 1.0 / (sig * sig) + lever_risk(leg, eta)
    return own + strut_risk(leg.base, leg.joint, leg.length)


def rus_axes(leg: RUSData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """Leg axes with the platform joint at p, in the world and as the crank holds them, in its axes at home."""
    crank = crank_position(leg, p)
    T = leg_frame(crank.held(leg.k), (p - leg.base - crank.u) / leg.length)
    held = (_turned(leg.shaft, v, crank.cosine, -crank.sine) for v in (T.x, T.y, T.z))
    return T, Frame(*held)


def rus_springs(leg: RUSData, crank: Crank, T: Frame, R: Frame) -> SpringLoad | None:
    """What the springs in the joints do, if there are any."""
    if leg.springs is None:
        return None
    y_rest = _turned(leg.shaft, leg.springs.rest.y, crank.cosine, crank.sine)
    return universal_load(leg.springs, crank.held(leg.k), leg.k.axial + leg.k.cosine, y_rest, T, R)


def crank_axes(leg: RUSData, crank: Crank) -> Frame:
    """Axes fixed to the crank, those of the base while it is at home."""
    unit = Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0)
    return Frame(*(_turned(leg.shaft, v, crank.cosine, crank.sine) for v in unit))


@dataclass(slots=True, eq=False)
class CrankMotion:
    """Motion of the crank: its position and rates, rod direction s, ``eta = s.n``; acceleration of its tip; n1, n2
    velocity and acceleration of the platform joint against the tip."""

    crank: Crank
    s: Vec
    eta: Scalar
    thd: Scalar
    thdd: Scalar
    tip: Vec
    n1: Vec
    n2: Vec


def turn_motion(leg: RUSData, at: JointMotion) -> CrankMotion:
    """The crank that follows its platform joint."""
    Lf, crank = leg.length, crank_position(leg, at.p)
    s = (at.p - leg.base - crank.u) / Lf
    eta = dot(s, crank.n)
    thd = dot(s, at.pd) / eta
    inward = leg.arm.axial - crank.u  # e x n
    n1 = at.pd - crank.n * thd
    thd2 = thd * thd
    thdd = (dot(s, at.pdd) + dot(n1, n1) / Lf - thd2 * dot(s, inward)) / eta
    tip = crank.n * thdd + inward * thd2
    return CrankMotion(crank, s, eta, thd, thdd, tip, n1, at.pdd - tip)


def rus(leg: RUSData, at: JointMotion, spin: LegSpin) -> LegState:
    """The leg's answer to a motion of its platform joint."""
    Lf, m = leg.length, turn_motion(leg, at)
    k = m.crank.held(leg.k)
    T = leg_frame(k, m.s)
    kap, sig = dot(k, m.s), dot(k, T.z)
    el, w = T.local(leg.shaft), T.local(at.w)
    Om, Omd = el * m.thd, el * m.thdd
    Wn = across(T.local(m.n1), Lf)
    ws = carried_spin(kap, sig, Wn, Om)
    W = Vec(ws, Wn.y, Wn.z)
    Wr = W - Om
    An = across(T.local(m.n2), Lf) - Vec(0.0, -ws * Wn.z, ws * Wn.y)
    A = Vec(carried_spin_rate(kap, sig, W, Wr, An, Om, Omd), An.y, An.z)
    grip, drag, risk = Wr * leg.friction.x, (W - w) * leg.friction.z, crank_risk(leg, sig, m.eta)
    springs = rus_springs(leg, m.crank, T, at.R)
    if springs is not None:
        grip, drag, risk = grip + springs.base, drag + springs.platform, risk + springs.risk
    grip, drag = at.rubbed(T, grip, drag)
    return rod_state(leg, at, m, T, W, A, grip, drag, universal=(kap, sig), risk=risk)


def rod_state(
    leg: RUSData,
    at: JointMotion,
    m: CrankMotion,
    T: Frame,
    W: Vec,
    A: Vec,
    grip: Vec,
    drag: Vec,
    *,
    universal: tuple[Scalar, Scalar] | None,
    risk: Scalar,
) -> LegState:
    """The answer of a rod that turns with W and A on a crank that moves with m; leg axes T.

    grip, drag  moments in its joints at the crank tip and at the platform, against its motion
    universal   kap and sig of the joint at the tip, which carries ``C.s``; None: a ball, A is such that there is none
    """
    e, Lf, crank, thd = leg.shaft, leg.length, m.crank, m.thd
    place = leg.base + crank.u
    W0, A0 = at.turning(T, W, A)
    B = rate_matrix(W0, A0)
    fall = T.local(m.tip) - T.local(at.felt(place, crank.n * thd))
    rod_load = fall * leg.mass + B.times(leg.first)
    C = inertia_moment(B, leg.second) + cross(leg.first, fall) + grip + drag
    if universal is None:
        K, moment = Vec(0.0, C.z / Lf, -C.y / Lf), -grip
    else:
        K, moment = end_force(C, *universal, Lf), constraint_moment(C, *universal) - grip
    own = crank_load(leg, at, crank, thd, m.thdd)
    effort = own.effort + dot(T.local(crank.n), rod_load - K) + dot(T.local(e), moment)
    kinetic = own.kinetic
    if at.base is not None:
        v_tip = T.local(at.base.velocity(place, crank.n * thd))
        kinetic = kinetic + turning_energy(leg.second, W0)
        kinetic = kinetic + point_kinetic(leg.mass, v_tip, cross(W0, leg.first))
    return LegState(
        A=T.world(A),
        K=T.world(K),
        W=T.world(W),
        acceleration=m.thdd,
        arm=crank.u,
        coordinate=leg.zero + angle(crank.sine, crank.cosine),
        couple=T.world(drag),
        eta=m.eta,
        load=T.world(Vec(effort / m.eta, K.y, K.z)),
        part_load=own.load,
        part_moment=own.moment,
        rate=thd,
        risk=risk,
        s=m.s,
        spin_acceleration=A.x if universal is None else 0.0,
        strut_load=T.world(rod_load),
        universal_moment=T.world(moment),
        kinetic=kinetic,
    )


@dataclass(slots=True, eq=False)
class CrankLoad:
    """Inertia and weight of the crank: force, moment about its base point, effort with rotor and friction."""

    load: Vec
    moment: Vec
    effort: Scalar
    kinetic: Scalar = 0.0


def crank_load(leg: RUSData, at: JointMotion, crank: Crank, thd: Scalar, thdd: Scalar) -> CrankLoad:
    """What the crank alone takes, with its rotor and its friction."""
    own = _fixed_crank if at.base is None else _carried_crank
    return own(leg, at, crank, thd, thdd)


def _fixed_crank(
    leg: RUSData, at: JointMotion, crank: Crank, thd: Scalar, thdd: Scalar
) -> CrankLoad:
    """On a base at rest."""
    e, thd2 = leg.shaft, thd * thd
    center_turn = (
        leg.crank_first.sine * crank.cosine - leg.crank_first.cosine * crank.sine
    )  # e x m_c d_c
    effort = (
        (leg.shaft_inertia + leg.reflected) * thdd + leg.friction.y * thd - dot(center_turn, at.g)
    )
    center = leg.crank_first.at(crank.cosine, crank.sine)
    center_out = leg.crank_first.axial - center  # e x (e x m_c d_c)
    Ie = leg.crank_spin.at(crank.cosine, crank.sine)
    load = center_turn * thdd + center_out * thd2 - at.g * leg.crank_mass
    moment = (
        _crank_moment(leg, center, center_turn, center_out, thdd, thd2, at.g)
        + Ie * thdd
        + cross(e, Ie) * thd2
    )
    return CrankLoad(load, moment, effort)


def _carried_crank(
    leg: RUSData, at: JointMotion, crank: Crank, thd: Scalar, thdd: Scalar
) -> CrankLoad:
    """On a base that moves: a body that turns about its base point with ``Om + thd e``, in its axes at home."""
    base, mount, e = at.base, at.mount, leg.shaft
    assert base is not None
    assert mount is not None
    W, A = (_turned(e, v, crank.cosine, -crank.sine) for v in base.turning(e * thd, e * thdd))
    B, first = rate_matrix(W, A), leg.crank_first.axial + leg.crank_first.cosine
    fall = -base.gravity(leg.base, STILL)
    center = leg.crank_first.at(crank.cosine, crank.sine)
    load = _turned(e, B.times(first), crank.cosine, crank.sine) + fall * leg.crank_mass
    turn = _turned(e, inertia_moment(B, mount.crank), crank.cosine, crank.sine)
    moment = turn + cross(center, fall)
    effort = at.rotor(leg.reflected, thdd) + leg.friction.y * thd + dot(e, moment)
    v = _turned(e, base.velocity(leg.base, STILL), crank.cosine, -crank.sine)
    kinetic = point_kinetic(leg.crank_mass, v, cross(W, first)) + turning_energy(mount.crank, W)
    return CrankLoad(load, moment, effort, kinetic + 0.5 * leg.reflected * thd * thd)


def _turned(e: Vec, v: Vec, cosine: Scalar, sine: Scalar) -> Vec:
    """v turned about the unit vector e."""
    axial = e * dot(e, v)
    return axial + (v - axial) * cosine + cross(e, v) * sine


def _crank_moment(
    leg: RUSData, center: Vec, turn: Vec, out: Vec, thdd: Scalar, thd2: Scalar, g: Vec
) -> Vec:
    """``m_c d_c x (a_c - g)`` from first moments; a massless crank has none."""
    spinning = cross(center, turn * thdd + out * thd2) / (leg.crank_mass + TINY)
    return spinning - cross(center, g)


TINY = 1e-300  # keeps 0/0 of a massless crank at zero without a branch


def rus_mass(leg: RUSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """Reflected mass: only joint motion along s turns the crank, by 1/eta."""
    p, g = at.p, at.g
    Lf = leg.length
    crank = crank_position(leg, p)
    s = (p - leg.base - crank.u) / Lf
    k = crank.held(leg.k)
    T = leg_frame(k, s)
    sig = dot(k, T.z)
    tan = dot(k, s) / sig
    nl, el = T.local(crank.n), T.local(leg.shaft)
    eta = nl.x
    travel = nl / eta
    Om = el / eta
    Wx = Vec(Om.x + tan * (-travel.y / Lf - Om.z), travel.z / Lf, -travel.y / Lf)
    rates = Mat(Wx, Vec(tan / Lf, 0.0, 1.0 / Lf), Vec(0.0, -1.0 / Lf, 0.0))
    slides = Mat(travel, Vec(0.0, 0.0, 0.0), Vec(0.0, 0.0, 0.0))
    Q = swing_mass(rates, slides, leg.second, leg.first, leg.mass)
    Q = Q + Sym((leg.shaft_inertia + leg.reflected) / (eta * eta), 0.0, 0.0, 0.0, 0.0, 0.0)
    center = leg.crank_first.at(crank.cosine, crank.sine)
    potential = -dot(
        g, leg.base * (leg.mass + leg.crank_mass) + crank.u * leg.mass + T.world(leg.first) + center
    )
    risk, springs = crank_risk(leg, sig, eta), rus_springs(leg, crank, T, at.R)
    if springs is not None:
        potential, risk = potential + springs.energy, risk + springs.risk
    return LegMass(
        Q=Q.turned(T),
        axial=0.0,
        j=s / eta,
        mu=Vec(0.0, 0.0, 0.0),
        potential=potential,
        risk=risk,
    )


def crank_reactions(leg: RUSData, state: LegState, y: Scalar) -> LegReactions:
    """``F_u = m_L(a_L-g) - F_s``; shaft ``F_b = m_c(a_c-g) + F_u``, ``M_b = M_crank + u x F_u + M_u``."""
    F = state.end_force(y)
    universal = state.strut_load - F
    force = state.part_load + universal
    moment = state.part_moment + cross(state.arm, universal) + state.universal_moment
    return LegReactions(
        ground_force=force,
        ground_moment=moment + cross(leg.base, force),
        prismatic_force=force,
        prismatic_moment=moment,
        spherical_force=-F,
        universal_force=universal,
        universal_moment=state.universal_moment,
    )
