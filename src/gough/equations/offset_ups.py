"""UPS leg whose base joint has offsets: axes that do not meet, a cross piece with mass; closed form.

    P = p - b, P_k = k.P, P_p = P - P_k k;  rp = sqrt(P_p.P_p - f^2),  n = (rp P_p - f k x P_p)/P_p.P_p,  y = k x n
    u = rp - e,  L = sqrt(u^2 + P_k^2 - d^2),  s = cos n - sin k,  z = sin n + cos k,
    cos = (L u + d P_k)/(L^2 + d^2) = sig,  sin = (d u - L P_k)/(L^2 + d^2) = -kap
The actuator's force goes along ``j = G^-T (1, 0, 0)``, not along s.  Both parts turn with T, the lower one about E, the
upper one about the platform joint.  ``cos <= 0``, the strut at or beyond the first axis, is another assembly: not a
number here.  docs/derivations/offset.md
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.offset_joint import (
    Closure,
    Inertia,
    Offset,
    OffsetJoint,
    PartLoad,
    part_energy,
    part_load,
    part_momentum,
)
from gough.equations.scalar import sqrt
from gough.equations.solve import Six
from gough.equations.springs import LegSprings, SpringLoad, universal_load
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegSpin,
    LegState,
    strut_risk,
)
from gough.equations.vec import Frame, Scalar, Sym, Vec, cross, dot
from gough.layout import OFFSET, OFFSET_STRUT

UNITS = (Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))


@dataclass(slots=True, eq=False)
class OffsetUPSData:
    """One leg's constants, in the order of gough.layout.OFFSET_STRUT.

    joint, base, k, friction, reflected, gyro  as of a UPS leg
    d, lower   first and second moment of the lower part about E;  e, upper  of the upper one about the platform joint
    offset     of the base joint;  springs  of both joints
    """

    joint: Vec
    base: Vec
    k: Vec
    d: Vec
    e: Vec
    lower: Sym
    upper: Sym
    lower_mass: Scalar
    upper_mass: Scalar
    friction: Vec
    reflected: Scalar
    gyro: Vec
    offset: Offset
    springs: LegSprings | None = None

    @classmethod
    def of(cls, *blocks: Scalar, springs: LegSprings | None = None) -> OffsetUPSData:
        """From the blocks of a row, and springs in its joints."""
        own = len(OFFSET_STRUT.names) - len(OFFSET.names)
        return cls(*blocks[:own], offset=Offset(*blocks[own:]), springs=springs)

    @property
    def lower_part(self) -> Inertia:
        """About E, T."""
        return self.lower_mass, self.d, self.lower

    @property
    def upper_part(self) -> Inertia:
        """About the platform joint, T."""
        return self.upper_mass, self.e, self.upper

    @property
    def moving_mass(self) -> Scalar:
        """Mass of all its bodies."""
        return self.lower_mass + self.upper_mass + self.offset.mass


@dataclass(slots=True, eq=False)
class OffsetStrut:
    """The leg in a pose: P from the base joint to the platform joint, its length, its base joint."""

    P: Vec
    L: Scalar
    joint: OffsetJoint
    closure: Closure

    def risk(self, leg: OffsetUPSData) -> Scalar:
        """``1/sig^2``, ``(L^2/det G)^2`` and the strut's share."""
        lever = self.L * self.L / self.closure.determinant
        own = 1.0 / (self.joint.sig * self.joint.sig) + lever * lever
        return own + strut_risk(leg.base, leg.joint, self.L)


def offset_strut(leg: OffsetUPSData, p: Vec) -> OffsetStrut:
    """Closed form for a platform joint at p."""
    k, e, d, f = leg.k, leg.offset.e, leg.offset.d, leg.offset.f
    P = p - leg.base
    Pk = dot(k, P)
    Pp = P - k * Pk
    square = dot(Pp, Pp)
    rp = sqrt(square - f * f)
    n = (Pp * rp - cross(k, Pp) * f) / square
    u = rp - e
    L = sqrt(u * u + Pk * Pk - d * d)
    both = L * L + d * d
    root = sqrt((L * u + d * Pk) / both)
    cosine, sine = root * root, (d * u - L * Pk) / both
    T = Frame(n * cosine - k * sine, cross(k, n), n * sine + k * cosine)
    joint = OffsetJoint(T, -sine, cosine, leg.offset)
    closure = Closure(
        joint.shift(UNITS[1]) - Vec(0.0, 0.0, L), joint.shift(UNITS[2]) + Vec(0.0, L, 0.0)
    )
    return OffsetStrut(P, L, joint, closure)


def offset_ups_axes(leg: OffsetUPSData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """Leg axes with the platform joint at p, in the world and on the base."""
    T = offset_strut(leg, p).joint.T
    return T, T


def _springs(leg: OffsetUPSData, T: Frame, R: Frame) -> SpringLoad | None:
    """What the springs in the joints do, if there are any."""
    if leg.springs is None:
        return None
    return universal_load(leg.springs, leg.k, leg.k, leg.springs.rest.y, T, R)


@dataclass(slots=True, eq=False)
class StrutLoads:
    """Of cross piece (X axes), lower and upper part (T): forces, and moments about base joint, E and platform joint."""

    cross: PartLoad
    lower: PartLoad
    upper: PartLoad


def _share(at: OffsetStrut, loads: StrutLoads, extra: Vec) -> Vec:
    """What the loads and a further moment on the strut do per swing."""
    joint = at.joint
    first = loads.cross.moment.z + dot(joint.k, cross(joint.r, loads.lower.force))
    moment = loads.lower.moment + loads.upper.moment + cross(joint.o, loads.lower.force)
    return joint.swing_share(moment + extra, first)


def offset_ups(leg: OffsetUPSData, at: JointMotion, spin: LegSpin, rotor: bool = False) -> LegState:
    """The leg's answer to a motion of its platform joint; rotor: one rides on the lower part."""
    strut = offset_strut(leg, at.p)
    joint, closure, L = strut.joint, strut.closure, strut.L
    T, X = joint.T, joint.X
    Ldot, Wn = closure.rates(T.local(at.pd))
    rates = joint.rates(Wn, STILL)
    drift = joint.drift(rates, STILL)
    acc = T.local(at.pdd)
    slide, centripetal = 2.0 * Ldot, L * (Wn.y * Wn.y + Wn.z * Wn.z)
    Ldd, an = closure.rates(acc - drift.E + Vec(centripetal, -slide * Wn.z, slide * Wn.y))
    now = joint.swung(drift, an)

    E, Ed = leg.base + joint.reach, T.world(rates.velocity)
    Wc, Ac = joint.across(rates.Wc), joint.across(now.Ac)
    loads = StrutLoads(
        part_load(at, X, leg.offset.cross, (leg.base, STILL, STILL), Wc, Ac),
        part_load(at, T, leg.lower_part, (E, Ed, now.E), rates.W, now.A),
        part_load(at, T, leg.upper_part, (at.p, at.pd, acc), rates.W, now.A),
    )
    W, A = loads.upper.W, loads.upper.A
    effort, gain = at.rotor(leg.reflected, Ldd), STILL
    if rotor:
        gain = leg.gyro * Ldd + cross(W, leg.gyro) * Ldot
        effort = effort + dot(leg.gyro, A)
    grip, drag = rates.W * leg.friction.x, (rates.W - T.local(at.w)) * leg.friction.z
    grip, drag = at.rubbed(T, grip, drag)
    risk, springs = strut.risk(leg), _springs(leg, T, at.R)
    if springs is not None:
        grip, drag, risk = grip + springs.base, drag + springs.platform, risk + springs.risk
    share = _share(strut, loads, grip + drag + gain)
    F = closure.force(leg.friction.y * Ldot + effort, share) + loads.upper.force
    load, couple = T.world(F), T.world(drag)
    arms = (joint.o + joint.r, T.local(strut.P))
    inner = loads.lower.moment + cross(arms[0], loads.lower.force) + gain
    upper = loads.upper.moment + cross(arms[1], loads.upper.force)
    whole = T.world(inner + upper) + X.world(loads.cross.moment)
    return LegState(
        A=T.world(now.A),
        K=load,
        W=T.world(rates.W),
        acceleration=Ldd,
        arm=strut.P,
        coordinate=L,
        couple=couple,
        eta=1.0,
        load=load,
        part_load=T.world(loads.upper.force) + T.x * (leg.friction.y * Ldot),
        part_moment=T.world(upper),
        rate=Ldot,
        risk=risk,
        s=T.x,
        spin_acceleration=0.0,
        strut_load=T.world(loads.upper.force + loads.lower.force) + X.world(loads.cross.force),
        universal_moment=whole - cross(strut.P, load) + couple,
        kinetic=0.0 if at.base is None else _kinetic(leg, at, strut, loads, Ed, Ldot),
        pull=Six(T.world(closure.force(1.0, STILL)), STILL),
        crosses=(joint.cross_load(loads.cross),),
    )


def _kinetic(
    leg: OffsetUPSData,
    at: JointMotion,
    strut: OffsetStrut,
    loads: StrutLoads,
    Ed: Vec,
    Ldot: Scalar,
) -> Scalar:
    """Energy of cross piece, both parts and rotor in the world."""
    assert at.base is not None
    joint, W = strut.joint, loads.upper.W
    E, T = leg.base + joint.reach, joint.T
    return (
        part_energy(at.base, joint.X, leg.offset.cross, leg.base, STILL, loads.cross.W)
        + part_energy(at.base, T, leg.lower_part, E, Ed, W)
        + part_energy(at.base, T, leg.upper_part, at.p, at.pd, W)
        + Ldot * (0.5 * leg.reflected * Ldot + dot(leg.gyro, W))
    )


def offset_ups_mass(
    leg: OffsetUPSData, at: JointPlace, spin: LegSpin, rotor: bool = False
) -> LegMass:
    """Reflected mass, a column of loads per unit velocity of the joint along an axis of T; potential."""
    strut = offset_strut(leg, at.p)
    joint, closure = strut.joint, strut.closure
    T, columns = joint.T, []
    for pd in UNITS:
        Ldot, Wn = closure.rates(pd)
        now = joint.rates(Wn, STILL)
        loads = StrutLoads(
            part_momentum(leg.offset.cross, STILL, joint.across(now.Wc)),
            part_momentum(leg.lower_part, now.velocity, now.W),
            part_momentum(leg.upper_part, pd, now.W),
        )
        effort, gain = leg.reflected * Ldot, STILL
        if rotor:
            effort, gain = effort + dot(leg.gyro, now.W), leg.gyro * Ldot
        columns.append(closure.force(effort, _share(strut, loads, gain)) + loads.upper.force)
    x, y, z = columns
    held = leg.base * (leg.offset.mass + leg.lower_mass) + at.p * leg.upper_mass
    held = held + joint.reach * leg.lower_mass + joint.X.world(leg.offset.first)
    potential, risk = -dot(at.g, held + T.world(leg.d + leg.e)), strut.risk(leg)
    springs = _springs(leg, T, at.R)
    if springs is not None:
        potential, risk = potential + springs.energy, risk + springs.risk
    return LegMass(
        Q=Sym(x.x, x.y, x.z, y.y, y.z, z.z).turned(T),
        axial=0.0,
        j=T.world(closure.force(1.0, STILL)),
        mu=STILL,
        potential=potential,
        risk=risk,
    )
