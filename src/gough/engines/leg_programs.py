"""The machine functions cut at the legs: programs of one leg, of the body and of the two solves.

For engines that run all legs of a kind at once along an array axis (JAX); a sixth of the operations to compile.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gough.engines.tracer import Program, record
from gough.equations.machine import KINDS, wrench_world
from gough.equations.platform import (
    body_data,
    body_load,
    body_mass,
    column,
    joint_motion,
    leg_kinetic,
    leg_load,
    leg_mass,
    platform_motion,
)
from gough.equations.solve import Mass, Six, inner, solve_columns
from gough.equations.strut import Spin
from gough.equations.vec import Mat, Sym, Vec, cross, dot, rate_matrix, vec_at
from gough.layout import BODY

LEG_X = 27  # motion 24, spin 3
BODY_X = 30  # motion 24, external wrench 6


def _six(f: Six) -> list[Any]:
    return [f.lin.x, f.lin.y, f.lin.z, f.ang.x, f.ang.y, f.ang.z]


def _mass(M: Mass) -> list[Any]:
    A, B, C = M.A, M.B, M.C
    return [A.xx, A.xy, A.xz, B.a.x, B.a.y, B.a.z, A.yy, A.yz, B.b.x, B.b.y, B.b.z, A.zz, B.c.x, B.c.y, B.c.z,
            C.xx, C.xy, C.xz, C.yy, C.yz, C.zz]


@lru_cache(maxsize=8)
def leg(kind: str) -> Program:
    """x: motion 24, spin 3;  par: gravity 3, joint 3, row  ->  load 6, column ``(s, q x s)`` 6, eta, coordinate"""
    def f(x: Any, par: Any) -> list[Any]:
        m = platform_motion(x)
        q = m.R.world(vec_at(par, 3))
        at = joint_motion(m, q, rate_matrix(m.w, m.al), vec_at(par, 0))
        s = KINDS[kind].state(KINDS[kind].data(par, 6), at, Spin(x[24], x[25], x[26]))
        return [*_six(leg_load(q, s)), *_six(column(q, s.s)), s.eta, s.coordinate]

    return record(f, {"x": LEG_X, "par": 6 + KINDS[kind].size})


@lru_cache(maxsize=8)
def leg_inertia(kind: str) -> Program:
    """The same inputs  ->  mass 21, column of the transmission 6, kinetic, potential energy"""
    def f(x: Any, par: Any) -> list[Any]:
        m = platform_motion(x)
        q = m.R.world(vec_at(par, 3))
        n = KINDS[kind].mass(KINDS[kind].data(par, 6), m.t + q, vec_at(par, 0), Spin(x[24], x[25], x[26]))
        return [*_mass(leg_mass(q, n)), *_six(column(q, n.j)), leg_kinetic(n, m.v + cross(m.w, q), x[26]),
                n.potential]

    return record(f, {"x": LEG_X, "par": 6 + KINDS[kind].size})


@lru_cache(maxsize=1)
def body() -> Program:
    """x: motion 24, external 6;  par: body and gravity 13  ->  load 6, mass 21, kinetic, potential energy"""
    def f(x: Any, par: Any) -> list[Any]:
        m, data = platform_motion(x), body_data(par)
        M, twist = body_mass(data, m.R), Six(m.v, m.w)
        potential = -dot(data.g, m.t * data.mass + m.R.world(data.first))
        return [*_six(body_load(data, m) - wrench_world(m.R, x)), *_mass(M), 0.5 * inner(twist, M.times(twist)),
                potential]

    return record(f, {"x": BODY_X, "par": BODY.size})


@lru_cache(maxsize=1)
def solve_wrench() -> Program:
    """x: six columns of H, then the load  ->  y"""
    def f(x: Any) -> list[Any]:
        h = [Six(vec_at(x, 6 * i), vec_at(x, 6 * i + 3)) for i in range(7)]
        y = solve_columns(h[0], h[1], h[2], h[3], h[4], h[5], h[6])
        return [y.y1, y.y2, y.y3, y.y4, y.y5, y.y6]

    return record(f, {"x": 42})


@lru_cache(maxsize=1)
def solve_mass() -> Program:
    """x: 21 numbers of the mass matrix, then the force  ->  accelerations"""
    def f(x: Any) -> list[Any]:
        M = Mass(Sym(x[0], x[1], x[2], x[6], x[7], x[11]),
                 Mat(Vec(x[3], x[4], x[5]), Vec(x[8], x[9], x[10]), Vec(x[12], x[13], x[14])),
                 Sym(x[15], x[16], x[17], x[18], x[19], x[20]))
        return _six(M.solve(Six(vec_at(x, 21), vec_at(x, 24))))

    return record(f, {"x": 27})
