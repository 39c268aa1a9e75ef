"""Whole-machine functions of flat numbers, for any six leg types: what the engines run and the tracer records.

``make(kinds)`` closes over six leg functions and returns straight-line functions ``f(x, spin, data) -> tuple``.
    x     state, layout per function below
    spin  18 numbers: cosine, sine of the spin angle and spin rate of each leg (only `sps_spin` legs read theirs)
    data  ``unpack(par)`` of the parameter vector that engines/pack.py makes: body (13), then per leg its platform
          joint (3) and its row
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gough.equations.platform import (
    BodyData,
    PlatformMotion,
    body_data,
    body_load,
    body_mass,
    column,
    joint_motion,
    leg_kinetic,
    leg_load,
    leg_mass,
    platform_frame,
    platform_motion,
)
from gough.equations.pus import pus, pus_data, pus_mass, slider_reactions
from gough.equations.rus import crank_reactions, rus, rus_data, rus_mass
from gough.equations.solve import Mass, Six, Solution, inner, solve_columns
from gough.equations.sps import sps, sps_mass, sps_spin, sps_spin_mass
from gough.equations.strut import LegMass, LegReactions, LegState, Spin
from gough.equations.ups import strut_reactions, ups, ups_data, ups_mass, ups_rotor, ups_rotor_mass
from gough.equations.vec import Frame, Scalar, Vec, cross, dot, rate_matrix, vec_at
from gough.layout import (
    BODY,
    ENERGY,
    FORCES,
    FORWARD,
    LEG_MOTION,
    LEG_RECORD,
    MASS,
    MOTION,
    POSE,
    STATE,
    Layout,
)


class Kind(NamedTuple):
    """Equations of one leg type and the length of its parameter row."""

    data: Callable[..., Any]
    state: Callable[..., Any]
    mass: Callable[..., Any]
    reactions: Callable[..., Any]
    size: int


KINDS = {
    "ups": Kind(ups_data, ups, ups_mass, strut_reactions, 33),
    "ups_rotor": Kind(ups_data, ups_rotor, ups_rotor_mass, strut_reactions, 33),
    "sps": Kind(ups_data, sps, sps_mass, strut_reactions, 33),
    "sps_spin": Kind(ups_data, sps_spin, sps_spin_mass, strut_reactions, 33),
    "pus": Kind(pus_data, pus, pus_mass, slider_reactions, 29),
    "rus": Kind(rus_data, rus, rus_mass, crank_reactions, 60),
}


class Function(NamedTuple):
    """Inputs of a machine function (the spins of SPS legs follow), its outputs, and whether these are per leg."""

    inputs: Layout
    outputs: Layout
    per_leg: bool = False

    @property
    def n_out(self) -> int:
        """How many numbers it answers."""
        return self.outputs.size * (6 if self.per_leg else 1)


FUNCTIONS = {
    "forces": Function(MOTION.then(external=6), FORCES),
    "record": Function(MOTION.then(external=6), LEG_RECORD, per_leg=True),
    "kinematics": Function(MOTION, LEG_MOTION, per_leg=True),
    "mass": Function(POSE, MASS),
    "forward": Function(STATE.then(effort=6, external=6), FORWARD),
    "energy": Function(STATE, ENERGY),
}


def offsets(kinds: tuple[str, ...]) -> tuple[int, ...]:
    """Where each leg's block (joint, row) starts in the parameter vector; the seventh entry is its length."""
    at = [BODY.size]
    for kind in kinds:
        at.append(at[-1] + 3 + KINDS[kind].size)
    return tuple(at)


class MachineData:
    """All constants of a machine: body, six platform joints (platform axes), six leg structures."""

    __slots__ = ("body", "joints", "legs")

    def __init__(self, body: BodyData, joints: Scalar, legs: Scalar) -> None:
        self.body = body
        self.joints = joints
        self.legs = legs


class Machine(NamedTuple):
    """Functions of one combination of leg types.

    unpack(par)   -> data
    forces        x: motion 24, external wrench 6 (platform axes) -> six efforts, risk
    record        same x -> per leg 31 numbers: coordinate, rate, acceleration, s, W, A, eta, effort, spin
                  acceleration, spherical, universal force, universal moment, prismatic force, moment, risk
    kinematics    x: motion 24 -> per leg coordinate, rate, acceleration, s, W, A (12)
    mass          x: t, R (12) -> 21 numbers of the symmetric 6x6 by rows
    forward       x: t, R, v, w (18), effort 6, external wrench 6 -> a, al, six spin accelerations, bias 6
    energy        x: t, R, v, w (18) -> kinetic, potential
    """

    unpack: Callable[..., Any]
    forces: Callable[..., Any]
    record: Callable[..., Any]
    kinematics: Callable[..., Any]
    mass: Callable[..., Any]
    forward: Callable[..., Any]
    energy: Callable[..., Any]


def six_spins(c: Scalar) -> tuple[Spin, Spin, Spin, Spin, Spin, Spin]:
    """Spin states of the six legs from 18 numbers."""
    return (Spin(c[0], c[1], c[2]), Spin(c[3], c[4], c[5]), Spin(c[6], c[7], c[8]), Spin(c[9], c[10], c[11]),
            Spin(c[12], c[13], c[14]), Spin(c[15], c[16], c[17]))


def leg_kinematics(s: LegState) -> tuple[Scalar, ...]:
    """Coordinate, rate, acceleration, s, W, A."""
    return (s.coordinate, s.rate, s.acceleration, s.s.x, s.s.y, s.s.z, s.W.x, s.W.y, s.W.z, s.A.x, s.A.y, s.A.z)


def leg_record(s: LegState, r: LegReactions, effort: Scalar) -> tuple[Scalar, ...]:
    """Everything about one leg as 31 numbers."""
    f, u, m = r.spherical_force, r.universal_force, r.universal_moment
    p, n = r.prismatic_force, r.prismatic_moment
    return (s.coordinate, s.rate, s.acceleration, s.s.x, s.s.y, s.s.z, s.W.x, s.W.y, s.W.z, s.A.x, s.A.y, s.A.z,
            s.eta, effort, s.spin_acceleration, f.x, f.y, f.z, u.x, u.y, u.z, m.x, m.y, m.z, p.x, p.y, p.z,
            n.x, n.y, n.z, s.risk)


def strut_axial(s: LegState, y: Scalar) -> Scalar:
    """``x = s.F_s``: from ``F_s = load - j tau`` and ``tau = eta y``."""
    return dot(s.load, s.s) - y


def wrench_world(R: Frame, x: Scalar) -> Six:
    """External wrench x[24:30], given in platform axes, in world axes."""
    return Six(R.world(Vec(x[24], x[25], x[26])), R.world(Vec(x[27], x[28], x[29])))


def at_rest(x: Scalar) -> PlatformMotion:
    """Position and rotation only."""
    none = Vec(0.0, 0.0, 0.0)
    return PlatformMotion(Vec(x[0], x[1], x[2]), platform_frame(x), none, none, none, none)


def coasting(x: Scalar) -> PlatformMotion:
    """Pose and twist, no acceleration."""
    none = Vec(0.0, 0.0, 0.0)
    return PlatformMotion(Vec(x[0], x[1], x[2]), platform_frame(x), Vec(x[12], x[13], x[14]),
                          Vec(x[15], x[16], x[17]), none, none)


def six_joints(R: Frame, p: Scalar) -> tuple[Vec, Vec, Vec, Vec, Vec, Vec]:
    """``q_i = R p_i``"""
    return (R.world(p[0]), R.world(p[1]), R.world(p[2]), R.world(p[3]), R.world(p[4]), R.world(p[5]))


def six_loads(q: Scalar, s: Scalar) -> Six:
    """Sum of what the legs take from the platform at zero effort."""
    return (leg_load(q[0], s[0]) + leg_load(q[1], s[1]) + leg_load(q[2], s[2])
            + leg_load(q[3], s[3]) + leg_load(q[4], s[4]) + leg_load(q[5], s[5]))


def balance(m: PlatformMotion, q: Scalar, s: Scalar, body: BodyData, external: Six) -> Solution:
    """``H y = M (a_G - g), ... + sum loads - external``"""
    load = body_load(body, m) + six_loads(q, s) - external
    return solve_columns(column(q[0], s[0].s), column(q[1], s[1].s), column(q[2], s[2].s),
                         column(q[3], s[3].s), column(q[4], s[4].s), column(q[5], s[5].s), load)


def total_mass(body: BodyData, R: Frame, q: Scalar, n: Scalar) -> Mass:
    """Task-space mass matrix of platform and legs."""
    return (body_mass(body, R) + leg_mass(q[0], n[0]) + leg_mass(q[1], n[1]) + leg_mass(q[2], n[2])
            + leg_mass(q[3], n[3]) + leg_mass(q[4], n[4]) + leg_mass(q[5], n[5]))


def six_pushes(q: Scalar, n: Scalar, x: Scalar) -> Six:
    """``J^T tau`` with the efforts x[18:24]."""
    return (column(q[0], n[0].j * x[18]) + column(q[1], n[1].j * x[19]) + column(q[2], n[2].j * x[20])
            + column(q[3], n[3].j * x[21]) + column(q[4], n[4].j * x[22]) + column(q[5], n[5].j * x[23]))


def spin_response(n: LegMass, q: Vec, s: LegState, acc: Six) -> Scalar:
    """Spin acceleration: the coasting answer plus the share ``-mu.pdd/I_a`` of the joint's acceleration."""
    return s.spin_acceleration - dot(n.mu, acc.lin + cross(acc.ang, q)) / (n.axial + TINY)


def kinetic_of(n: LegMass, m: PlatformMotion, q: Vec, spin: Spin) -> Scalar:
    """Kinetic energy of one leg."""
    return leg_kinetic(n, m.v + cross(m.w, q), spin.rate)


def make(kinds: tuple[str, ...]) -> Machine:
    """The machine functions for six leg kinds (names of `KINDS`)."""
    o1, o2, o3, o4, o5, o6, _ = offsets(kinds)
    k1, k2, k3, k4, k5, k6 = (KINDS[k] for k in kinds)
    d1, d2, d3, d4, d5, d6 = k1.data, k2.data, k3.data, k4.data, k5.data, k6.data
    f1, f2, f3, f4, f5, f6 = k1.state, k2.state, k3.state, k4.state, k5.state, k6.state
    m1, m2, m3, m4, m5, m6 = k1.mass, k2.mass, k3.mass, k4.mass, k5.mass, k6.mass
    r1, r2, r3, r4, r5, r6 = k1.reactions, k2.reactions, k3.reactions, k4.reactions, k5.reactions, k6.reactions

    def unpack(par):
        joints = (vec_at(par, o1), vec_at(par, o2), vec_at(par, o3), vec_at(par, o4), vec_at(par, o5),
                  vec_at(par, o6))
        legs = (d1(par, o1 + 3), d2(par, o2 + 3), d3(par, o3 + 3), d4(par, o4 + 3), d5(par, o5 + 3),
                d6(par, o6 + 3))
        return MachineData(body_data(par), joints, legs)

    def states(m, q, data, c):
        B, g, d = rate_matrix(m.w, m.al), data.body.g, data.legs
        return (f1(d[0], joint_motion(m, q[0], B, g), c[0]), f2(d[1], joint_motion(m, q[1], B, g), c[1]),
                f3(d[2], joint_motion(m, q[2], B, g), c[2]), f4(d[3], joint_motion(m, q[3], B, g), c[3]),
                f5(d[4], joint_motion(m, q[4], B, g), c[4]), f6(d[5], joint_motion(m, q[5], B, g), c[5]))

    def masses(t, q, data, c):
        g, d = data.body.g, data.legs
        return (m1(d[0], t + q[0], g, c[0]), m2(d[1], t + q[1], g, c[1]), m3(d[2], t + q[2], g, c[2]),
                m4(d[3], t + q[3], g, c[3]), m5(d[4], t + q[4], g, c[4]), m6(d[5], t + q[5], g, c[5]))

    def forces(x, spin, data):
        m = platform_motion(x)
        q = six_joints(m.R, data.joints)
        s = states(m, q, data, six_spins(spin))
        y = balance(m, q, s, data.body, wrench_world(m.R, x))
        risk = y.risk + s[0].risk + s[1].risk + s[2].risk + s[3].risk + s[4].risk + s[5].risk
        return (y.y1 * s[0].eta, y.y2 * s[1].eta, y.y3 * s[2].eta, y.y4 * s[3].eta, y.y5 * s[4].eta,
                y.y6 * s[5].eta, risk)

    def record(x, spin, data):
        m, d = platform_motion(x), data.legs
        q = six_joints(m.R, data.joints)
        s = states(m, q, data, six_spins(spin))
        y = balance(m, q, s, data.body, wrench_world(m.R, x))
        return (leg_record(s[0], r1(d[0], s[0], strut_axial(s[0], y.y1)), y.y1 * s[0].eta)
                + leg_record(s[1], r2(d[1], s[1], strut_axial(s[1], y.y2)), y.y2 * s[1].eta)
                + leg_record(s[2], r3(d[2], s[2], strut_axial(s[2], y.y3)), y.y3 * s[2].eta)
                + leg_record(s[3], r4(d[3], s[3], strut_axial(s[3], y.y4)), y.y4 * s[3].eta)
                + leg_record(s[4], r5(d[4], s[4], strut_axial(s[4], y.y5)), y.y5 * s[4].eta)
                + leg_record(s[5], r6(d[5], s[5], strut_axial(s[5], y.y6)), y.y6 * s[5].eta))

    def kinematics(x, spin, data):
        m = platform_motion(x)
        s = states(m, six_joints(m.R, data.joints), data, six_spins(spin))
        return (leg_kinematics(s[0]) + leg_kinematics(s[1]) + leg_kinematics(s[2]) + leg_kinematics(s[3])
                + leg_kinematics(s[4]) + leg_kinematics(s[5]))

    def mass(x, spin, data):
        m = at_rest(x)
        q = six_joints(m.R, data.joints)
        M = total_mass(data.body, m.R, q, masses(m.t, q, data, six_spins(spin)))
        A, B, C = M.A, M.B, M.C
        return (A.xx, A.xy, A.xz, B.a.x, B.a.y, B.a.z, A.yy, A.yz, B.b.x, B.b.y, B.b.z, A.zz, B.c.x, B.c.y, B.c.z,
                C.xx, C.xy, C.xz, C.yy, C.yz, C.zz)

    def forward(x, spin, data):
        m, c = coasting(x), six_spins(spin)
        q = six_joints(m.R, data.joints)
        s = states(m, q, data, c)
        n = masses(m.t, q, data, c)
        bias = body_load(data.body, m) + six_loads(q, s)
        M = total_mass(data.body, m.R, q, n)
        acc = M.solve(six_pushes(q, n, x) + wrench_world(m.R, x) - bias)
        return (acc.lin.x, acc.lin.y, acc.lin.z, acc.ang.x, acc.ang.y, acc.ang.z,
                spin_response(n[0], q[0], s[0], acc), spin_response(n[1], q[1], s[1], acc),
                spin_response(n[2], q[2], s[2], acc), spin_response(n[3], q[3], s[3], acc),
                spin_response(n[4], q[4], s[4], acc), spin_response(n[5], q[5], s[5], acc),
                bias.lin.x, bias.lin.y, bias.lin.z, bias.ang.x, bias.ang.y, bias.ang.z)

    def energy(x, spin, data):
        m, c = coasting(x), six_spins(spin)
        q = six_joints(m.R, data.joints)
        n = masses(m.t, q, data, c)
        twist = Six(m.v, m.w)
        kinetic = (0.5 * inner(twist, body_mass(data.body, m.R).times(twist))
                   + kinetic_of(n[0], m, q[0], c[0]) + kinetic_of(n[1], m, q[1], c[1])
                   + kinetic_of(n[2], m, q[2], c[2]) + kinetic_of(n[3], m, q[3], c[3])
                   + kinetic_of(n[4], m, q[4], c[4]) + kinetic_of(n[5], m, q[5], c[5]))
        potential = (n[0].potential + n[1].potential + n[2].potential + n[3].potential + n[4].potential
                     + n[5].potential - dot(data.body.g, m.t * data.body.mass + m.R.world(data.body.first)))
        return (kinetic, potential)

    return Machine(unpack, forces, record, kinematics, mass, forward, energy)


TINY = 1e-300  # keeps 0/0 of a leg without free spin at zero, without a branch
