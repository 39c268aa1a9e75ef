"""UCU leg with offsets at either universal joint or at both, driven directly or by a screw: its answer to a motion.

Constants and closure: equations/offset_pair.py; docs/derivations/offset.md
    lower side    cross piece about b, lower part about E_d = b + r_d + o_d, axes T_d
    upper side    cross piece about p, upper part about E_u = p + r_u + o_u, axes T_u
    G (Ldot, W_n) = pd + velocity of E_u against p at W_n = 0
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.offset_joint import (
    JointRates,
    PartLoad,
    part_energy,
    part_load,
    part_momentum,
)
from gough.equations.offset_pair import OffsetPair, OffsetUCUData, closed_pair
from gough.equations.solve import Six
from gough.equations.strut import (
    STILL,
    JointMotion,
    JointPlace,
    LegMass,
    LegSpin,
    LegState,
    TurnedMass,
)
from gough.equations.ucu import added
from gough.equations.vec import Mat, Scalar, Sym, Vec, cross, dot

X, Y, Z = Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0)


@dataclass(slots=True, eq=False)
class PairLoads:
    """Of cross piece and lower part (X and T axes of the base joint), upper part and cross piece (of the platform
    joint): forces, and moments about b, E_d, E_u, p."""

    below: PartLoad
    lower: PartLoad
    upper: PartLoad
    above: PartLoad


@dataclass(slots=True, eq=False)
class Efforts:
    """Inside the leg: axial, about s of the lower on the upper part (N), and moments on lower (T_d) and upper part and
    from the platform joint (T_u)."""

    axial: Scalar
    twist: Scalar
    lower: Vec
    upper: Vec
    drag: Vec


def _answer(at: OffsetPair, loads: PairLoads, inside: Efforts) -> tuple[Vec, Vec]:
    """Force and moment at the platform joint that hold the leg, T_u: D'Alembert with the rows of all rates."""
    d, u = at.d, at.u
    Cd = loads.lower.moment + cross(d.o, loads.lower.force) + inside.lower
    Cu = loads.upper.moment + cross(u.o, loads.upper.force) + inside.upper + inside.drag
    Cd, Cu = Cd - X * inside.twist, Cu + X * inside.twist
    C2 = u.along(loads.above.moment) + cross(u.r, loads.upper.force)
    below = loads.below.moment.z + dot(d.k, cross(d.r, loads.lower.force))
    share = d.swing_share(Cd, below) + at.lower(u.swing_share(Cu, dot(u.k, C2)))
    force = at.upper(at.closure.force(inside.axial, share))
    moment = u.carrier_share(Cu + cross(u.o, force), C2 + cross(u.r, force)) - inside.drag
    return force + loads.upper.force + u.along(loads.above.force), moment


def _pull(at: OffsetPair, screw: Scalar) -> Six:
    """``j6`` of ``lam = L + h phi``: wrench on the platform of a unit effort, T_u."""
    share = at.d.swing_share(X * -screw, 0.0) + at.lower(at.u.swing_share(X * screw, 0.0))
    force = at.upper(at.closure.force(1.0, share))
    u = at.u
    return Six(force, u.carrier_share(X * screw + cross(u.o, force), cross(u.r, force)))


def _swing(at: OffsetPair, pd: Vec, w: Vec) -> tuple[Scalar, JointRates, JointRates]:
    """Ldot and the rates at both joints; pd in T_d, w in T_u."""
    carried = at.u.rates(STILL, w).velocity
    Ldot, Wn = at.closure.rates(pd + at.lower(carried))
    return Ldot, at.d.rates(Wn, STILL), at.u.rates(at.upper(Wn), w)


def offset_ucu(
    leg: OffsetUCUData,
    at: JointMotion,
    spin: LegSpin,
    above: bool | None = None,
    spring: bool = False,
) -> LegState:
    """The leg's answer to a motion of its platform joint; `above`, `spring` as of a UCU leg."""
    own, pair = leg.pair, closed_pair(leg, at.p, at.R)
    d, u, L = pair.d, pair.u, pair.L
    acc = d.T.local(at.pdd)
    Ldot, down, up = _swing(pair, d.T.local(at.pd), u.T.local(at.w))
    drift = d.drift(down, STILL), u.drift(up, u.T.local(at.al))
    W, slide = down.W, 2.0 * Ldot
    rest = acc - drift[0].E + pair.lower(drift[1].E)
    rest = rest + Vec(L * (W.y * W.y + W.z * W.z), -slide * W.z, slide * W.y)
    Ldd, an = pair.closure.rates(rest)
    low, high = d.swung(drift[0], an), u.swung(drift[1], pair.upper(an))
    turn, turning = up.W.x - down.W.x, high.A.x - low.A.x

    tip, Xd, Xu = pair.upper(acc), d.X, u.X
    ends = own.base + d.reach, at.p + u.reach
    speeds = d.T.world(down.velocity), at.pd + u.T.world(up.velocity)
    loads = PairLoads(
        part_load(
            at, Xd, leg.below.cross, (own.base, STILL, STILL), d.across(down.Wc), d.across(low.Ac)
        ),
        part_load(at, d.T, leg.lower_part, (ends[0], speeds[0], low.E), down.W, low.A),
        part_load(at, u.T, leg.upper_part, (ends[1], speeds[1], tip + high.E), up.W, high.A),
        part_load(
            at,
            Xu,
            leg.above.cross,
            (at.p, at.pd, u.across(tip)),
            u.across(up.Wc),
            u.across(high.Ac),
        ),
    )

    coordinate, rate, acceleration, twist = L, Ldot, Ldd, 0.0
    N = own.turning * turn
    if above is not None:
        twist = pair.twist(own)
        coordinate, rate = L + own.screw * (twist + own.start), Ldot + own.screw * turn
        acceleration = Ldd + own.screw * turning
    if spring:
        N = N + own.torsion * (twist - own.rest)
    rotor, gain = at.rotor(own.reflected, acceleration), STILL
    if above is not None:
        carrier = loads.upper if above else loads.lower
        gain = own.gyro * acceleration + cross(carrier.W, own.gyro) * rate
        rotor = rotor + dot(own.gyro, carrier.A)
        N = N + own.screw * rotor
    gains = (STILL, gain) if above else (gain, STILL)
    grip, drag = down.W * own.friction.x, (up.W - up.Om) * own.friction.z
    grip, drag = at.rubbed(d.T, grip, drag, u.T)
    if pair.springs is not None:
        grip, drag = grip + pair.springs.base, drag + pair.springs.platform
    inside = Efforts(own.friction.y * Ldot + rotor, N, gains[0] + grip, gains[1], drag)
    force, moment = _answer(pair, loads, inside)
    load, couple = u.T.world(force), -u.T.world(moment)
    upper_force = u.T.world(loads.upper.force) + Xu.world(loads.above.force)
    upper = loads.upper.moment + cross(u.o + u.r, loads.upper.force) + gains[1]
    part_moment = u.T.world(upper + u.along(loads.above.moment)) + cross(pair.strut, upper_force)
    lower = loads.lower.moment + cross(d.o + d.r, loads.lower.force) + gains[0]
    whole = d.T.world(lower + d.along(loads.below.moment)) + part_moment
    pull = _pull(pair, 0.0 if above is None else own.screw)
    lower_force = d.T.world(loads.lower.force) + Xd.world(loads.below.force)
    return LegState(
        A=d.T.world(low.A),
        K=load,
        W=d.T.world(down.W),
        acceleration=acceleration,
        arm=pair.strut,
        coordinate=coordinate * pair.closed,
        couple=couple,
        eta=1.0,
        load=load,
        part_load=upper_force + d.T.x * (own.friction.y * Ldot),
        part_moment=part_moment,
        rate=rate,
        risk=pair.risk(own),
        s=d.T.x,
        spin_acceleration=0.0,
        strut_load=upper_force + lower_force,
        universal_moment=whole - cross(pair.strut, load) + couple,
        kinetic=0.0
        if at.base is None
        else _kinetic(leg, at, pair, loads, ends, speeds, rate, above),
        pull=Six(u.T.world(pull.lin), u.T.world(pull.ang)),
        crosses=(d.cross_load(loads.below), u.cross_load(loads.above)),
    )


def _kinetic(
    leg: OffsetUCUData,
    at: JointMotion,
    pair: OffsetPair,
    loads: PairLoads,
    ends: tuple[Vec, Vec],
    speeds: tuple[Vec, Vec],
    rate: Scalar,
    above: bool | None,
) -> Scalar:
    """Energy of the four bodies and the rotors in the world."""
    base, own = at.base, leg.pair
    assert base is not None
    rotor = 0.5 * own.reflected * rate
    if above is not None:
        rotor = rotor + dot(own.gyro, loads.upper.W if above else loads.lower.W)
    return (
        part_energy(base, pair.d.X, leg.below.cross, own.base, STILL, loads.below.W)
        + part_energy(base, pair.d.T, leg.lower_part, ends[0], speeds[0], loads.lower.W)
        + part_energy(base, pair.u.T, leg.upper_part, ends[1], speeds[1], loads.upper.W)
        + part_energy(base, pair.u.X, leg.above.cross, at.p, at.pd, loads.above.W)
        + rate * rotor
    )


def offset_ucu_mass(
    leg: OffsetUCUData,
    at: JointPlace,
    spin: LegSpin,
    above: bool | None = None,
    spring: bool = False,
) -> LegMass:
    """Reflected mass, a column of loads per unit of pd (T_u) and of w along n and y of the platform joint (a turn about
    its first axis moves nothing); potential."""
    own, pair = leg.pair, closed_pair(leg, at.p, at.R)
    T, N, V = pair.u.T, pair.u.X.x, pair.u.X.y
    pushed = [_column(leg, pair, pair.lower(pd), STILL, above)[0] for pd in (X, Y, Z)]
    (x, y, z), turned = pushed, [_column(leg, pair, STILL, w, above) for w in (pair.u.along(X), Y)]
    n, v = (T.world(force) for force, _ in turned)
    (nn, vn, _), (_, vv, _) = (pair.u.across(moment) for _, moment in turned)
    pull = _pull(pair, 0.0 if above is None else own.screw)
    potential = _weight(leg, at, pair)
    if spring:
        twist = pair.twist(own) - own.rest
        potential = potential + 0.5 * own.torsion * twist * twist
    if pair.springs is not None:
        potential = potential + pair.springs.energy
    return LegMass(
        Q=Sym(x.x, x.y, x.z, y.y, y.z, z.z).turned(T),
        axial=0.0,
        j=T.world(pull.lin),
        mu=STILL,
        potential=potential,
        risk=pair.risk(own),
        turned=TurnedMass(
            T.world(pull.ang),
            Mat(N * n.x + V * v.x, N * n.y + V * v.y, N * n.z + V * v.z),
            added(N, N * (0.5 * nn) + V * vn) + added(V, V * (0.5 * vv)),
        ),
    )


def _column(
    leg: OffsetUCUData, pair: OffsetPair, pd: Vec, w: Vec, above: bool | None
) -> tuple[Vec, Vec]:
    """Momenta of a motion (pd in T_d, w in T_u) as the platform joint feels them, T_u."""
    own, d, u = leg.pair, pair.d, pair.u
    Ldot, down, up = _swing(pair, pd, w)
    tip = pair.upper(pd)
    loads = PairLoads(
        part_momentum(leg.below.cross, STILL, d.across(down.Wc)),
        part_momentum(leg.lower_part, down.velocity, down.W),
        part_momentum(leg.upper_part, tip + up.velocity, up.W),
        part_momentum(leg.above.cross, u.across(tip), u.across(up.Wc)),
    )
    if above is None:
        return _answer(pair, loads, Efforts(own.reflected * Ldot, 0.0, STILL, STILL, STILL))
    rate = Ldot + own.screw * (up.W.x - down.W.x)
    rotor = own.reflected * rate + dot(own.gyro, up.W if above else down.W)
    gain = own.gyro * rate
    gains = (STILL, gain) if above else (gain, STILL)
    return _answer(pair, loads, Efforts(rotor, own.screw * rotor, *gains, STILL))


def _weight(leg: OffsetUCUData, at: JointPlace, pair: OffsetPair) -> Scalar:
    """Potential of the four bodies."""
    own, d, u = leg.pair, pair.d, pair.u
    held = own.base * (own.lower_mass + leg.below.mass) + at.p * (own.upper_mass + leg.above.mass)
    held = held + d.reach * own.lower_mass + u.reach * own.upper_mass
    crosses = d.X.world(leg.below.first) + u.X.world(leg.above.first)
    return -dot(at.g, held + crosses + d.T.world(own.d) + u.T.world(own.e))
