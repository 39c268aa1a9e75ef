"""Slider on a rail, universal joint, link of fixed length, spherical joint at the platform (PUS).

docs/derivations/exact.md, PUS.  The link's moments are taken about the slider joint.
    l   slider coordinate, ``l = P.e - a sqrt((P.e)^2 - P.P + Lf^2)``, P = p - base, a = +-1 the assembly
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.base import Base, point_kinetic
from gough.equations.scalar import sqrt
from gough.equations.slider_springs import SliderSprings
from gough.equations.springs import LegSprings, SpringLoad, universal_load
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegReactions,
    LegSpin,
    LegState,
    Swings,
    across,
    constraint_moment,
    end_force,
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
    rate_matrix,
)


@dataclass(slots=True, eq=False)
class PUSData:
    """One leg's constants, in the order of gough.layout.SLIDER.

    joint  platform joint, platform axes;  mass, first, second  of the link about the slider joint, leg axes
    """

    joint: Vec
    base: Vec
    rail: Vec
    k: Vec
    length: Scalar
    assembly: Scalar
    slider_mass: Scalar
    slider_center: Vec
    mass: Scalar
    first: Vec
    second: Sym
    friction: Vec
    reflected: Scalar
    springs: LegSprings | SliderSprings | None = None

    @property
    def moving_mass(self) -> Scalar:
        """Mass of all its bodies."""
        return self.slider_mass + self.mass


def slider(leg: PUSData, p: Vec) -> Scalar:
    """Slider coordinate that reaches the platform joint p; NaN when the link is too short."""
    P = p - leg.base
    Pe = dot(P, leg.rail)
    return Pe - leg.assembly * sqrt(Pe * Pe - dot(P, P) + leg.length * leg.length)


def slider_risk(leg: PUSData, sig: Scalar, se: Scalar) -> Scalar:
    """``1/sig^2 + 1/(s.e)^2`` and the strut's share."""
    return 1.0 / (sig * sig) + 1.0 / (se * se) + strut_risk(leg.base, leg.joint, leg.length)


def pus_axes(leg: PUSData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """Leg axes with the platform joint at p, in the world and on the slider."""
    T = leg_frame(leg.k, (p - leg.base - leg.rail * slider(leg, p)) / leg.length)
    return T, T


def pus_springs(leg: PUSData, T: Frame, R: Frame) -> SpringLoad | None:
    """What the springs in the joints do, if there are any."""
    if not isinstance(leg.springs, LegSprings):
        return None
    return universal_load(leg.springs, leg.k, leg.k, leg.springs.rest.y, T, R)


@dataclass(slots=True, eq=False)
class SliderMotion:
    """Motion of the slider: its coordinate l and rates, strut direction s, ``se = s.e``; n1, n2 velocity and
    acceleration of the platform joint against the slider."""

    s: Vec
    se: Scalar
    l: Scalar
    ldot: Scalar
    ldd: Scalar
    n1: Vec
    n2: Vec


def slide_motion(leg: PUSData, at: JointMotion) -> SliderMotion:
    """The slider that follows its platform joint."""
    e, Lf = leg.rail, leg.length
    l = slider(leg, at.p)
    s = (at.p - leg.base - e * l) / Lf
    se = dot(s, e)
    ldot = dot(s, at.pd) / se
    n1 = at.pd - e * ldot
    ldd = (dot(s, at.pdd) + dot(n1, n1) / Lf) / se
    return SliderMotion(s, se, l, ldot, ldd, n1, at.pdd - e * ldd)


def pus(leg: PUSData, at: JointMotion, spin: LegSpin) -> LegState:
    """The leg's answer to a motion of its platform joint."""
    m, Lf = slide_motion(leg, at), leg.length
    T = leg_frame(leg.k, m.s)
    kap, sig = dot(leg.k, m.s), dot(leg.k, T.z)
    Wn = across(T.local(m.n1), Lf)
    ws = universal_spin(kap, sig, Wn)
    W = Vec(ws, Wn.y, Wn.z)
    An = across(T.local(m.n2), Lf) - Vec(0.0, -ws * Wn.z, ws * Wn.y)
    A = Vec(universal_spin_rate(kap, sig, W, An), An.y, An.z)
    springs = pus_springs(leg, T, at.R)
    return link_state(leg, at, m, T, W, A, (kap, sig), above=False, springs=springs)


def link_state(
    leg: PUSData,
    at: JointMotion,
    m: SliderMotion,
    T: Frame,
    W: Vec,
    A: Vec,
    universal: tuple[Scalar, Scalar],
    *,
    above: bool,
    springs: SpringLoad | None = None,
) -> LegState:
    """The answer of a link that turns with W and A (leg axes T) on a slider that moves with m.

    universal  kap and sig of its universal joint, which carries ``C.s``: at the platform (`above`) or on the slider
    """
    e, el, Lf, l, ldot, ldd = leg.rail, T.local(leg.rail), leg.length, m.l, m.ldot, m.ldd
    joint, slide = leg.base + e * l, e * ldot
    g, w = T.local(at.felt(joint, slide)), T.local(at.w)
    felt = at.felt(joint + leg.slider_center, slide)
    W0, A0 = at.turning(T, W, A)
    B = rate_matrix(W0, A0)
    fall = el * ldd - g
    link_load = fall * leg.mass + B.times(leg.first)
    grip, drag = W * leg.friction.x, (W - w) * leg.friction.z
    risk = slider_risk(leg, universal[1], m.se)
    if springs is not None:
        grip, drag, risk = grip + springs.base, drag + springs.platform, risk + springs.risk
    grip, drag = at.rubbed(T, grip, drag)
    C = inertia_moment(B, leg.second) + cross(leg.first, fall) + grip + drag
    K = end_force(C, *universal, Lf)
    effort = (
        leg.slider_mass * dot(el, el * ldd - T.local(felt))
        + dot(el, link_load - K)
        + leg.friction.y * ldot
        + at.rotor(leg.reflected, ldd)
    )
    slider_fall = e * ldd - felt
    held, hold = constraint_moment(C, *universal), -grip
    couple, hold = (drag - held, hold) if above else (drag, held - grip)
    return LegState(
        A=T.world(A),
        K=T.world(K),
        W=T.world(W),
        acceleration=ldd,
        arm=e,
        coordinate=l,
        couple=T.world(couple),
        eta=m.se,
        load=T.world(Vec(effort / m.se, K.y, K.z)),
        part_load=felt * (-leg.slider_mass),
        part_moment=cross(leg.slider_center, slider_fall) * leg.slider_mass,
        rate=ldot,
        risk=risk,
        s=m.s,
        spin_acceleration=0.0,
        strut_load=T.world(link_load),
        universal_moment=T.world(hold),
        kinetic=0.0
        if at.base is None
        else _kinetic(leg, at.base, joint, ldot, T.local(at.base.velocity(joint, slide)), W0),
    )


def _kinetic(leg: PUSData, base: Base, joint: Vec, ldot: Scalar, v: Vec, W: Vec) -> Scalar:
    """Energy of link, slider (a point mass at its center) and rotor in the world; v of the joint and W leg axes."""
    center = base.velocity(joint + leg.slider_center, leg.rail * ldot)
    return (
        turning_energy(leg.second, W)
        + point_kinetic(leg.mass, v, cross(W, leg.first))
        + 0.5 * (leg.slider_mass * dot(center, center) + leg.reflected * ldot * ldot)
    )


def pus_mass(leg: PUSData, at: JointPlace, spin: LegSpin) -> LegMass:
    """Reflected mass and potential."""
    found, _, T = link_mass(leg, at, leg.k)
    springs = pus_springs(leg, T, at.R)
    if springs is not None:
        found.potential, found.risk = (
            found.potential + springs.energy,
            found.risk + springs.risk,
        )
    return found


def link_mass(leg: PUSData, at: JointPlace, k: Vec) -> tuple[LegMass, Swings, Frame]:
    """Reflected mass with the universal joint's first axis along k: only joint motion along s moves the slider, by
    1/(s.e); how the link swings, and its axes."""
    p, g = at.p, at.g
    e, Lf = leg.rail, leg.length
    l = slider(leg, p)
    joint = leg.base + e * l
    s = (p - joint) / Lf
    T = leg_frame(k, s)
    sig = dot(k, T.z)
    tan = dot(k, s) / sig
    el = T.local(e)
    travel = el / el.x
    rates = Mat(
        Vec(-tan * travel.y / Lf, travel.z / Lf, -travel.y / Lf),
        Vec(tan / Lf, 0.0, 1.0 / Lf),
        Vec(0.0, -1.0 / Lf, 0.0),
    )
    swings = Swings(rates, Mat(travel, STILL, STILL), tan)
    Q = swing_mass(rates, swings.slides, leg.second, leg.first, leg.mass)
    Q = Q + Sym((leg.slider_mass + leg.reflected) / (el.x * el.x), 0.0, 0.0, 0.0, 0.0, 0.0)
    potential = -dot(
        g,
        joint * (leg.mass + leg.slider_mass)
        + T.world(leg.first)
        + leg.slider_center * leg.slider_mass,
    )
    mass = LegMass(
        Q=Q.turned(T),
        axial=0.0,
        j=s / el.x,
        mu=STILL,
        potential=potential,
        risk=slider_risk(leg, sig, el.x),
    )
    return mass, swings, T


def slider_reactions(leg: PUSData, state: LegState, y: Scalar) -> LegReactions:
    """``F_u = m_L(a_L-g) - F_s``; guide ``N = (E - e e^T)(F_u - m_A g)``, ``M_N = M_u + m_A r_A x (ldd e - g)``."""
    F = state.end_force(y)
    universal = state.strut_load - F
    push = universal + state.part_load
    moment = state.part_moment + state.universal_moment
    ground = push + leg.rail * (leg.slider_mass * state.acceleration)
    return LegReactions(
        ground_force=ground,
        ground_moment=moment + cross(leg.base + leg.rail * state.coordinate, ground),
        prismatic_force=push - leg.rail * dot(leg.rail, push),
        prismatic_moment=moment,
        spherical_force=-F,
        universal_force=universal,
        universal_moment=state.universal_moment,
    )
