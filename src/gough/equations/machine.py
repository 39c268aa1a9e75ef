"""Whole-machine functions of flat numbers, for any six leg types: what the engines run and the tracer records.

``make(kinds)`` closes over six leg functions and returns straight-line functions ``f(x, par) -> tuple``.
    x    state, layout per function below;  par  parameters, packed by engines/pack.py:
    body (13), then per leg its platform joint (3) and its row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gough.equations.platform import (
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
from gough.equations.solve import Six, inner, solve_columns
from gough.equations.sps import sps, sps_mass, sps_spin, sps_spin_mass
from gough.equations.strut import LegReactions, LegState, Spin
from gough.equations.ups import strut_reactions, ups, ups_data, ups_mass, ups_rotor, ups_rotor_mass
from gough.equations.vec import Scalar, Vec, cross, dot, rate_matrix


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
BODY_SIZE = 13
LEG_RECORD = 31


def offsets(kinds: tuple[str, ...]) -> tuple[int, ...]:
    """Where each leg's block (joint, row) starts in the parameter vector; the seventh entry is its length."""
    at = [BODY_SIZE]
    for kind in kinds:
        at.append(at[-1] + 3 + KINDS[kind].size)
    return tuple(at)


class Machine(NamedTuple):
    """Functions of one combination of leg types.

    forces(x, par)   x: motion 24, external wrench 6 (platform axes), spin 18 (cos, sin, rate per leg)
                     -> six efforts, risk
    record(x, par)   same x -> per leg 31 numbers: coordinate, rate, acceleration, s, W, A, eta, effort, spin
                     acceleration, spherical, universal force, universal moment, prismatic force, moment, risk
    kinematics(x, par)  motion 24, spin 18 -> per leg coordinate, rate, acceleration, s, W, A (12)
    mass(x, par)     t, R (12), spin 18 -> 21 numbers of the symmetric 6x6 by rows
    forward(x, par)  t, R, v, w (18), effort 6, external wrench 6, spin 18 -> a, al, six spin accelerations, bias 6
    energy(x, par)   t, R, v, w (18), spin 18 -> kinetic, potential
    """

    forces: Callable[..., Any]
    record: Callable[..., Any]
    kinematics: Callable[..., Any]
    mass: Callable[..., Any]
    forward: Callable[..., Any]
    energy: Callable[..., Any]


def at_spin(x: Scalar, i: int) -> Spin:
    return Spin(x[i], x[i + 1], x[i + 2])


def at_vec(x: Scalar, i: int) -> Vec:
    return Vec(x[i], x[i + 1], x[i + 2])


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


def wrench_world(m: PlatformMotion, x: Scalar, i: int) -> Six:
    """External wrench, given in platform axes, in world axes."""
    return Six(m.R.world(at_vec(x, i)), m.R.world(at_vec(x, i + 3)))


def make(kinds: tuple[str, ...]) -> Machine:
    """The machine functions for six leg kinds (names of `KINDS`)."""
    o1, o2, o3, o4, o5, o6, _ = offsets(kinds)
    k1, k2, k3, k4, k5, k6 = (KINDS[k] for k in kinds)
    d1, d2, d3, d4, d5, d6 = k1.data, k2.data, k3.data, k4.data, k5.data, k6.data
    f1, f2, f3, f4, f5, f6 = k1.state, k2.state, k3.state, k4.state, k5.state, k6.state
    m1, m2, m3, m4, m5, m6 = k1.mass, k2.mass, k3.mass, k4.mass, k5.mass, k6.mass
    r1, r2, r3, r4, r5, r6 = k1.reactions, k2.reactions, k3.reactions, k4.reactions, k5.reactions, k6.reactions
    e1, e2, e3, e4, e5, e6 = o2, o3, o4, o5, o6, offsets(kinds)[6]

    def joints(m, par):
        return (m.R.world(at_vec(par, o1)), m.R.world(at_vec(par, o2)), m.R.world(at_vec(par, o3)),
                m.R.world(at_vec(par, o4)), m.R.world(at_vec(par, o5)), m.R.world(at_vec(par, o6)))

    def states(m, q, g, x, i, par):
        B = rate_matrix(m.w, m.al)
        return (f1(d1(par[o1 + 3:e1]), joint_motion(m, q[0], B, g), at_spin(x, i)),
                f2(d2(par[o2 + 3:e2]), joint_motion(m, q[1], B, g), at_spin(x, i + 3)),
                f3(d3(par[o3 + 3:e3]), joint_motion(m, q[2], B, g), at_spin(x, i + 6)),
                f4(d4(par[o4 + 3:e4]), joint_motion(m, q[3], B, g), at_spin(x, i + 9)),
                f5(d5(par[o5 + 3:e5]), joint_motion(m, q[4], B, g), at_spin(x, i + 12)),
                f6(d6(par[o6 + 3:e6]), joint_motion(m, q[5], B, g), at_spin(x, i + 15)))

    def loads(q, s):
        return (leg_load(q[0], s[0]) + leg_load(q[1], s[1]) + leg_load(q[2], s[2])
                + leg_load(q[3], s[3]) + leg_load(q[4], s[4]) + leg_load(q[5], s[5]))

    def balance(m, q, s, body, external):
        load = body_load(body, m) + loads(q, s) - external
        return solve_columns(column(q[0], s[0].s), column(q[1], s[1].s), column(q[2], s[2].s),
                             column(q[3], s[3].s), column(q[4], s[4].s), column(q[5], s[5].s), load)

    def forces(x, par):
        m, body = platform_motion(x), body_data(par)
        q = joints(m, par)
        s = states(m, q, body.g, x, 30, par)
        y = balance(m, q, s, body, wrench_world(m, x, 24))
        risk = y.risk + s[0].risk + s[1].risk + s[2].risk + s[3].risk + s[4].risk + s[5].risk
        return (y.y1 * s[0].eta, y.y2 * s[1].eta, y.y3 * s[2].eta, y.y4 * s[3].eta, y.y5 * s[4].eta,
                y.y6 * s[5].eta, risk)

    def record(x, par):
        m, body = platform_motion(x), body_data(par)
        q = joints(m, par)
        s = states(m, q, body.g, x, 30, par)
        y = balance(m, q, s, body, wrench_world(m, x, 24))
        return (leg_record(s[0], r1(d1(par[o1 + 3:e1]), s[0], dot(s[0].load, s[0].s) - y.y1), y.y1 * s[0].eta)
                + leg_record(s[1], r2(d2(par[o2 + 3:e2]), s[1], dot(s[1].load, s[1].s) - y.y2), y.y2 * s[1].eta)
                + leg_record(s[2], r3(d3(par[o3 + 3:e3]), s[2], dot(s[2].load, s[2].s) - y.y3), y.y3 * s[2].eta)
                + leg_record(s[3], r4(d4(par[o4 + 3:e4]), s[3], dot(s[3].load, s[3].s) - y.y4), y.y4 * s[3].eta)
                + leg_record(s[4], r5(d5(par[o5 + 3:e5]), s[4], dot(s[4].load, s[4].s) - y.y5), y.y5 * s[4].eta)
                + leg_record(s[5], r6(d6(par[o6 + 3:e6]), s[5], dot(s[5].load, s[5].s) - y.y6), y.y6 * s[5].eta))

    def kinematics(x, par):
        m, body = platform_motion(x), body_data(par)
        q = joints(m, par)
        s = states(m, q, body.g, x, 24, par)
        return (leg_kinematics(s[0]) + leg_kinematics(s[1]) + leg_kinematics(s[2]) + leg_kinematics(s[3])
                + leg_kinematics(s[4]) + leg_kinematics(s[5]))

    def masses(t, q, g, x, i, par):
        return (m1(d1(par[o1 + 3:e1]), t + q[0], g, at_spin(x, i)),
                m2(d2(par[o2 + 3:e2]), t + q[1], g, at_spin(x, i + 3)),
                m3(d3(par[o3 + 3:e3]), t + q[2], g, at_spin(x, i + 6)),
                m4(d4(par[o4 + 3:e4]), t + q[3], g, at_spin(x, i + 9)),
                m5(d5(par[o5 + 3:e5]), t + q[4], g, at_spin(x, i + 12)),
                m6(d6(par[o6 + 3:e6]), t + q[5], g, at_spin(x, i + 15)))

    def total_mass(body, R, q, n):
        return (body_mass(body, R) + leg_mass(q[0], n[0]) + leg_mass(q[1], n[1]) + leg_mass(q[2], n[2])
                + leg_mass(q[3], n[3]) + leg_mass(q[4], n[4]) + leg_mass(q[5], n[5]))

    def at_rest(x):
        return PlatformMotion(at_vec(x, 0), platform_frame(x, 3), at_vec(NONE, 0), at_vec(NONE, 0), at_vec(NONE, 0),
                              at_vec(NONE, 0))

    def mass(x, par):
        m, body = at_rest(x), body_data(par)
        q = joints(m, par)
        M = total_mass(body, m.R, q, masses(m.t, q, body.g, x, 12, par))
        A, B, C = M.A, M.B, M.C
        return (A.xx, A.xy, A.xz, B.a.x, B.a.y, B.a.z, A.yy, A.yz, B.b.x, B.b.y, B.b.z, A.zz, B.c.x, B.c.y, B.c.z,
                C.xx, C.xy, C.xz, C.yy, C.yz, C.zz)

    def coasting(x):
        return PlatformMotion(at_vec(x, 0), platform_frame(x, 3), at_vec(x, 12), at_vec(x, 15), at_vec(NONE, 0),
                              at_vec(NONE, 0))

    def push(q, n, x, i):
        return (column(q[0], n[0].j * x[i]) + column(q[1], n[1].j * x[i + 1]) + column(q[2], n[2].j * x[i + 2])
                + column(q[3], n[3].j * x[i + 3]) + column(q[4], n[4].j * x[i + 4])
                + column(q[5], n[5].j * x[i + 5]))

    def spin_response(n, q, s, acc):
        # a_t = -(mu.pdd + ...)/axial: the coasting answer plus the share of the added joint acceleration
        pdd = acc.lin + cross(acc.ang, q)
        return s.spin_acceleration - dot(n.mu, pdd) / (n.axial + TINY)

    def forward(x, par):
        m, body = coasting(x), body_data(par)
        q = joints(m, par)
        s = states(m, q, body.g, x, 30, par)
        n = masses(m.t, q, body.g, x, 30, par)
        bias = body_load(body, m) + loads(q, s)
        M = total_mass(body, m.R, q, n)
        acc = M.solve(push(q, n, x, 18) + wrench_world(m, x, 24) - bias)
        return (acc.lin.x, acc.lin.y, acc.lin.z, acc.ang.x, acc.ang.y, acc.ang.z,
                spin_response(n[0], q[0], s[0], acc), spin_response(n[1], q[1], s[1], acc),
                spin_response(n[2], q[2], s[2], acc), spin_response(n[3], q[3], s[3], acc),
                spin_response(n[4], q[4], s[4], acc), spin_response(n[5], q[5], s[5], acc),
                bias.lin.x, bias.lin.y, bias.lin.z, bias.ang.x, bias.ang.y, bias.ang.z)

    def energy(x, par):
        m, body = coasting(x), body_data(par)
        q = joints(m, par)
        n = masses(m.t, q, body.g, x, 18, par)
        twist = Six(m.v, m.w)
        kinetic = (0.5 * inner(twist, body_mass(body, m.R).times(twist))
                   + leg_kinetic(n[0], m.v + cross(m.w, q[0]), x[20]) + leg_kinetic(n[1], m.v + cross(m.w, q[1]), x[23])
                   + leg_kinetic(n[2], m.v + cross(m.w, q[2]), x[26]) + leg_kinetic(n[3], m.v + cross(m.w, q[3]), x[29])
                   + leg_kinetic(n[4], m.v + cross(m.w, q[4]), x[32]) + leg_kinetic(n[5], m.v + cross(m.w, q[5]), x[35]))
        potential = (n[0].potential + n[1].potential + n[2].potential + n[3].potential + n[4].potential
                     + n[5].potential - dot(body.g, m.t * body.mass + m.R.world(body.first)))
        return (kinetic, potential)

    return Machine(forces, record, kinematics, mass, forward, energy)


NONE = (0.0, 0.0, 0.0)
TINY = 1e-300
