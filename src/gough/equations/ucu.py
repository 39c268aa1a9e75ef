"""Universal joint at the base, cylindrical pair, universal joint at the platform (UCU), driven directly or by a screw.

Lower axes ``T_d = [s, y_d, s x y_d]`` as of a UPS leg, upper axes ``T_u = [s, y_p, s x y_p]`` with the platform joint's
first axis ``k_p = R k_p0``: the upper part turns by phi against the lower one about s.  docs/derivations/ucu.md
    kap, sig      k.s and |k x s| of either universal joint;  tan = kap/sig
    phid = j_s.pd + j_w.w,  j_s = (tan_p y_p - tan_d y_d)/L,  j_w = s - tan_p (s x y_p)
    lam = L + h (phi - phi_s)   actuator coordinate: travel of the screw; h = 0: driven directly
    y                     force through the thread: y along s and the torque ``h y`` about s on the upper part
    N = C_c phid + k_phi (phi - phi_0)                    of the cylindrical pair about s
    C_d, C_t      moments of inertia, weight and friction, lower part about b, upper one about p
    m c_d, n_m c_p  what the universal joints transmit: ``s.C_d - N + h y`` and ``s.C_t + N - h y`` about s
    F_s = (D - y) s + K,  M_s = n_m c_p - C_s W_r         of the platform on the leg
    effort = y + m_r lamdd + G.A_c                        with rotors of angular momentum ``G lamd`` on either part
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.base import Base, point_kinetic
from gough.equations.pair_springs import PairSprings, pair_load
from gough.equations.scalar import angle
from gough.equations.solve import Six
from gough.equations.springs import SpringLoad
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegReactions,
    LegSpin,
    LegState,
    TurnedMass,
    across,
    carried_spin,
    carried_spin_rate,
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
    inertia_tensor,
    leg_frame,
    norm,
    outer,
    rate_matrix,
)


@dataclass(slots=True, eq=False)
class UCUData:
    """One leg's constants, in the order of gough.layout.CYLINDER.

    joint, kp  platform joint and its first axis, platform axes;  base, k  base joint and its first axis, world axes
    d, lower   first and second moment of the lower part about the base joint, T_d
    e, upper   of the upper part about the platform joint, T_u;  turning  C_c
    reflected  m_r;  gyro  G, axes of the part that carries the rotors;  screw  h, m/rad;  torsion  k_phi
    springs  of the universal joints
    home_cosine, home_sine  of the twist at home, from which phi is counted here, within half a turn
    start, rest  of screw (less phi_s) and torsion spring (phi_0), counted so: ``lam = L + h (phi + start)``
    """

    joint: Vec
    base: Vec
    k: Vec
    kp: Vec
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
    screw: Scalar
    start: Scalar
    torsion: Scalar
    rest: Scalar
    home_cosine: Scalar
    home_sine: Scalar
    springs: PairSprings | None = None

    @property
    def moving_mass(self) -> Scalar:
        """Mass of all its bodies."""
        return self.lower_mass + self.upper_mass


@dataclass(slots=True, eq=False)
class UniversalJoint:
    """One universal joint: leg axes T on its side, kap, sig."""

    T: Frame
    kap: Scalar
    sig: Scalar

    @property
    def tan(self) -> Scalar:
        """``kap/sig``"""
        return self.kap / self.sig


@dataclass(slots=True, eq=False)
class Pair:
    """The leg in a pose: strut S = L s, base joint d, platform joint u, cosine and sine of the twist phi, springs."""

    strut: Vec
    L: Scalar
    d: UniversalJoint
    u: UniversalJoint
    cosine: Scalar
    sine: Scalar
    springs: SpringLoad | None = None

    def upper(self, v: Vec) -> Vec:
        """From axes T_d to T_u."""
        return Vec(v.x, v.y * self.cosine + v.z * self.sine, v.z * self.cosine - v.y * self.sine)

    def lower(self, v: Vec) -> Vec:
        """From axes T_u to T_d."""
        return Vec(v.x, v.y * self.cosine - v.z * self.sine, v.z * self.cosine + v.y * self.sine)

    def twist(self, leg: UCUData) -> Scalar:
        """phi from home."""
        c, s = leg.home_cosine, leg.home_sine
        return angle(self.sine * c - self.cosine * s, self.cosine * c + self.sine * s)

    def risk(self, leg: UCUData) -> Scalar:
        """``1/sig^2`` of both joints and the strut's share."""
        own = 1.0 / (self.d.sig * self.d.sig) + 1.0 / (self.u.sig * self.u.sig)
        own = own + strut_risk(leg.base, leg.joint, self.L)
        return own if self.springs is None else own + self.springs.risk


def _joint(k: Vec, s: Vec) -> UniversalJoint:
    T = leg_frame(k, s)
    return UniversalJoint(T, dot(k, s), dot(k, T.z))


def pair_at(leg: UCUData, p: Vec, R: Frame) -> Pair:
    """Both joints for a platform joint at p and platform axes R."""
    strut = p - leg.base
    L = norm(strut)
    s = strut / L
    d, u = _joint(leg.k, s), _joint(R.world(leg.kp), s)
    springs = None
    if leg.springs is not None:
        springs = pair_load(leg.springs, leg.k, leg.kp, d.T, u.T, R)
    return Pair(strut, L, d, u, dot(d.T.y, u.T.y), dot(d.T.z, u.T.y), springs)


def ucu_axes(leg: UCUData, p: Vec, R: Frame) -> tuple[Frame, Frame]:
    """Axes T_u of the upper and T_d of the lower part with the platform joint at p."""
    pair = pair_at(leg, p, R)
    return pair.u.T, pair.d.T


def ucu_state(
    leg: UCUData, at: JointMotion, spin: LegSpin, above: bool | None = None, spring: bool = False
) -> LegState:
    """The leg's answer to a motion of its platform joint.

    above   the part on which screw and rotors ride: upper (True) or lower; None: neither a screw nor a rotor is there
    spring  there is a torsion spring: only then the twist itself (an atan2) enters the forces
    """
    pair = pair_at(leg, at.p, at.R)
    d, u, L = pair.d, pair.u, pair.L
    v, acc = d.T.local(at.pd), d.T.local(at.pdd)
    Ldot, Wn = v.x, across(v, L)
    Ldd = acc.x + L * (Wn.y * Wn.y + Wn.z * Wn.z)
    swing = across(acc, L) - Wn * (2.0 * Ldot / L)
    ws = universal_spin(d.kap, d.sig, Wn)
    Wd = Vec(ws, Wn.y, Wn.z)
    An = swing - Vec(0.0, -ws * Wn.z, ws * Wn.y)
    Ad = Vec(universal_spin_rate(d.kap, d.sig, Wd, An), An.y, An.z)

    Wn, w, al = pair.upper(Wn), u.T.local(at.w), u.T.local(at.al)
    wu = carried_spin(u.kap, u.sig, Wn, w)
    Wu = Vec(wu, Wn.y, Wn.z)
    Wr = Wu - w
    An = pair.upper(swing) - Vec(0.0, -wu * Wn.z, wu * Wn.y)
    Au = Vec(carried_spin_rate(u.kap, u.sig, Wu, Wr, An, w, al), An.y, An.z)
    turn, turning = wu - ws, Au.x - Ad.x

    foot = d.T.local(at.felt(leg.base, STILL))
    fall = pair.upper(acc - d.T.local(at.felt(at.p, at.pd)))
    Wd0, Ad0 = at.turning(d.T, Wd, Ad)
    Wu0, Au0 = at.turning(u.T, Wu, Au)
    B = rate_matrix(Wd0, Ad0)
    Cd = inertia_moment(B, leg.lower) - cross(leg.d, foot)
    lower_load = B.times(leg.d) - foot * leg.lower_mass
    B = rate_matrix(Wu0, Au0)
    Ct = inertia_moment(B, leg.upper) + cross(leg.e, fall)
    load = fall * leg.upper_mass + B.times(leg.e)

    coordinate, rate, acceleration, twist = L, Ldot, Ldd, 0.0
    N = leg.turning * turn
    if above is not None:
        twist = pair.twist(leg)
        coordinate, rate = L + leg.screw * (twist + leg.start), Ldot + leg.screw * turn
        acceleration = Ldd + leg.screw * turning
    if spring:
        N = N + leg.torsion * (twist - leg.rest)
    rotor = at.rotor(leg.reflected, acceleration)
    if above is not None:
        W, A = (Wu0, Au0) if above else (Wd0, Ad0)
        gain = leg.gyro * acceleration + cross(W, leg.gyro) * rate
        Cd, Ct = (Cd, Ct + gain) if above else (Cd + gain, Ct)
        rotor = rotor + dot(leg.gyro, A)
        N = N + leg.screw * rotor  # h y of the thread at zero effort, with y = -rotor
    hold, drag = at.rubbed(d.T, Wd * leg.friction.x, Wr * leg.friction.z, u.T)
    if pair.springs is not None:
        hold, drag = hold + pair.springs.base, drag + pair.springs.platform
    part_moment = u.T.world(Ct + Vec(0.0, -L * load.z, L * load.y))
    Cd = Cd + hold - Vec(N, 0.0, 0.0)
    Ct = Ct + drag + Vec(N, 0.0, 0.0)
    D = load.x + leg.friction.y * Ldot + rotor
    K = pair.lower(end_force(Ct, u.kap, u.sig, L) + Vec(0.0, load.y, load.z))
    K = K + end_force(Cd, d.kap, d.sig, L)
    upper_load = u.T.world(load)
    return LegState(
        A=d.T.world(Ad),
        K=d.T.world(K),
        W=d.T.world(Wd),
        acceleration=acceleration,
        arm=pair.strut,
        coordinate=coordinate,
        couple=u.T.world(drag - constraint_moment(Ct, u.kap, u.sig)),
        eta=1.0,
        load=d.T.world(Vec(D, K.y, K.z)),
        part_load=upper_load + d.T.x * (leg.friction.y * Ldot),
        part_moment=part_moment,
        rate=rate,
        risk=pair.risk(leg),
        s=d.T.x,
        spin_acceleration=0.0,
        strut_load=upper_load + d.T.world(lower_load),
        universal_moment=d.T.world(constraint_moment(Cd, d.kap, d.sig) - hold),
        kinetic=0.0
        if at.base is None
        else _kinetic(leg, at.base, at, pair, (Wd0, Wu0), rate, above),
        pull=None if above is None else _pull(leg, pair),
    )


def _twist_rows(pair: Pair) -> Six:
    """``(j_s ; j_w)``: rate of the twist per velocity of the joint and angular velocity of the platform."""
    d, u = pair.d, pair.u
    return Six((u.T.y * u.tan - d.T.y * d.tan) / pair.L, u.T.x - u.T.z * u.tan)


def _pull(leg: UCUData, pair: Pair) -> Six:
    """``(s + h j_s ; h j_w)``"""
    row = _twist_rows(pair) * leg.screw
    return Six(pair.d.T.x + row.lin, row.ang)


def _kinetic(
    leg: UCUData,
    base: Base,
    at: JointMotion,
    pair: Pair,
    W: tuple[Vec, Vec],
    rate: Scalar,
    above: bool | None,
) -> Scalar:
    """Energy of both parts and the rotors in the world; W of the lower and the upper part there, own axes."""
    foot = pair.d.T.local(base.velocity(leg.base, STILL))
    tip = pair.u.T.local(base.velocity(at.p, at.pd))
    rotor = 0.5 * leg.reflected * rate
    if above is not None:
        rotor = rotor + dot(leg.gyro, W[1] if above else W[0])
    return (
        turning_energy(leg.lower, W[0])
        + point_kinetic(leg.lower_mass, foot, cross(W[0], leg.d))
        + turning_energy(leg.upper, W[1])
        + point_kinetic(leg.upper_mass, tip, cross(W[1], leg.e))
        + rate * rotor
    )


def ucu_mass(
    leg: UCUData, at: JointPlace, spin: LegSpin, above: bool | None = None, spring: bool = False
) -> LegMass:
    """Reflected mass and potential; the leg sees pd and the one scalar ``j_w.w``, T_u axes:
    ``Q6 = [[Q, X j_w^T], [j_w X^T, Y j_w j_w^T]]``, rotors ``+= m_r j6 j6^T + j6 g6^T + g6 j6^T`` with
    ``g6 = (Aw_d^T G ; 0)`` on the lower and ``(Aw_p^T G ; (G.s) j_w)`` on the upper part."""
    pair = pair_at(leg, at.p, at.R)
    d, u, L = pair.d, pair.u, pair.L
    lower = Mat(STILL, *(pair.lower(v) for v in (Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))))
    # row a of `under` and `over`: angular velocity of the lower (T_d) and upper part (T_u) for a unit pd along T_u's a
    under = Mat(STILL, _swung(lower.b, d, L), _swung(lower.c, d, L))
    over = Mat(STILL, _swung(Vec(0.0, 1.0, 0.0), u, L), _swung(Vec(0.0, 0.0, 1.0), u, L))
    slides = Mat(Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
    Q = swing_mass(over, slides, leg.upper, leg.e, leg.upper_mass)
    Q = Q + _turning_mass(under, inertia_tensor(leg.lower))
    I = inertia_tensor(leg.upper)
    X = over.times(Vec(I.xx, I.xy, I.xz)) + Vec(0.0, -leg.e.z, leg.e.y)
    Y = I.xx
    potential = _weight(leg, at, pair)
    if spring:
        twist = pair.twist(leg) - leg.rest
        potential = potential + 0.5 * leg.torsion * twist * twist
    if pair.springs is not None:
        potential = potential + pair.springs.energy
    j, rows = Vec(1.0, 0.0, 0.0), _twist_rows(pair)
    if above is not None:
        h = leg.screw
        j = j + u.T.local(rows.lin) * h
        g = (over if above else under).times(leg.gyro)
        X = X + (j * leg.reflected + g) * h
        Y = Y + leg.reflected * h * h
        if above:
            X, Y = X + j * leg.gyro.x, Y + 2.0 * h * leg.gyro.x
        Q = Q + added(j, j * (0.5 * leg.reflected) + g)
    else:
        Q = Q + Sym(leg.reflected, 0.0, 0.0, 0.0, 0.0, 0.0)
    X, angular = u.T.world(X), outer(rows.ang)
    return LegMass(
        Q=Q.turned(u.T),
        axial=0.0,
        j=u.T.x if above is None else u.T.world(j),
        mu=STILL,
        potential=potential,
        risk=pair.risk(leg),
        turned=TurnedMass(
            rows.ang * (0.0 if above is None else leg.screw),
            Mat(rows.ang * X.x, rows.ang * X.y, rows.ang * X.z),
            Sym(*(Y * a for a in angular)),
        ),
    )


def _weight(leg: UCUData, at: JointPlace, pair: Pair) -> Scalar:
    """Potential of both parts."""
    held = leg.base * leg.lower_mass + at.p * leg.upper_mass
    return -dot(at.g, held + pair.d.T.world(leg.d) + pair.u.T.world(leg.e))


def _swung(v: Vec, joint: UniversalJoint, L: Scalar) -> Vec:
    """Angular velocity of a part whose strut end moves with v across s while its carrier does not turn, own axes."""
    rate = across(v, L)
    return Vec(joint.tan * rate.z, rate.y, rate.z)


def _turning_mass(rates: Mat, I: Sym) -> Sym:
    """``Q_ab = W_a.I W_b`` of a part that turns about a fixed point and stands still for the first."""
    y, z = I.times(rates.b), I.times(rates.c)
    return Sym(0.0, 0.0, 0.0, dot(rates.b, y), dot(rates.b, z), dot(rates.c, z))


def added(a: Vec, b: Vec) -> Sym:
    """``a b^T + b a^T``"""
    return Sym(
        2.0 * a.x * b.x,
        a.x * b.y + a.y * b.x,
        a.x * b.z + a.z * b.x,
        2.0 * a.y * b.y,
        a.y * b.z + a.z * b.y,
        2.0 * a.z * b.z,
    )


def ucu_reactions(leg: UCUData, state: LegState, y: Scalar) -> LegReactions:
    """At the platform ``F_s = load - y pull``, ``M_s``; base ``sum m(a-g) - F_s``, ``m c_d - C_u W_d``; of the lower on
    the upper part ``m_u(a_u-g) + C_p Ldot s - F_s`` and its moment about the base joint, about s ``h y - N``."""
    pull = Six(state.s, STILL) if state.pull is None else state.pull
    F, turn = state.load - pull.lin * y, pull.ang * y
    ground, moment = state.strut_load - F, state.universal_moment
    if state.pull is not None:
        moment = moment + turn + cross(state.arm, pull.lin) * y
    couple = state.couple + turn
    return LegReactions(
        ground_force=ground,
        ground_moment=moment + cross(leg.base, ground),
        prismatic_force=state.part_load - F,
        prismatic_moment=state.part_moment + couple - cross(state.arm, F),
        spherical_force=-F,
        universal_force=ground,
        universal_moment=moment,
        platform_moment=couple,
    )
