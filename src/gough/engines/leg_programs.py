"""The machine functions cut at the legs: programs of one leg, of the body and of the two solves.

For engines that run all legs of a kind at once along an array axis (JAX); a sixth of the operations to compile.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gough.engines.plain import machine
from gough.engines.tracer import Program, record
from gough.equations.machine import (
    FUNCTIONS,
    KINDS,
    MOVING,
    body_data,
    joint_arms,
    leg_loads,
    leg_record,
    leg_spins,
    mass_of,
    parameter_count,
    upper_triangle,
)
from gough.equations.platform import (
    body_load,
    body_mass,
    column,
    joint_motion,
    joint_place,
    leg_kinetic,
    leg_load,
    leg_mass,
    platform_motion,
    transmission,
    wrench_world,
)
from gough.equations.solve import Six, components, inner, six_at, solve_columns
from gough.equations.strut import LegSpin
from gough.equations.vec import cross, dot, rate_matrix, vec_at
from gough.layout import (
    BODY,
    GRAVITY,
    LEG_RECORD,
    LOADED_MOTION,
    MASS_SYSTEM,
    PUSHED_MOTION,
    SPIN,
    SPINNING_MOTION,
    WRENCH_SYSTEM,
)


def leg_spin(x: Any) -> LegSpin:
    """The leg's spin behind a motion."""
    return LegSpin(x[SPINNING_MOTION.cosine], x[SPINNING_MOTION.sine], x[SPINNING_MOTION.rate])


@lru_cache(maxsize=8)
def leg(kind: str) -> Program:
    """x: SPINNING_MOTION;  par: GRAVITY, the leg's row  ->  LEG_ANSWER (column ``(s, q x s)``)"""
    equations = KINDS[kind]

    def f(x: Any, par: Any) -> list[Any]:
        m, data, g = platform_motion(x), equations.data(par, GRAVITY.size), vec_at(par, 0)
        q = m.R.world(data.joint)
        s = equations.state(data, joint_motion(m, q, rate_matrix(m.w, m.al), g), leg_spin(x))
        wrenches = (*components(leg_load(q, s)), *components(column(q, s)))
        return [*wrenches, s.eta, s.coordinate, s.risk]

    return record(f, {"x": SPINNING_MOTION.size, "par": GRAVITY.size + equations.row.size})


@lru_cache(maxsize=8)
def leg_inertia(kind: str) -> Program:
    """The same inputs  ->  LEG_INERTIA"""
    equations = KINDS[kind]

    def f(x: Any, par: Any) -> list[Any]:
        m, data, spin = platform_motion(x), equations.data(par, GRAVITY.size), leg_spin(x)
        q = m.R.world(data.joint)
        n = equations.mass(data, joint_place(m, q, vec_at(par, 0)), spin)
        return [
            *upper_triangle(leg_mass(q, n)),
            *components(transmission(q, n)),
            leg_kinetic(n, m.v + cross(m.w, q), m.w, spin.rate),
            n.potential,
            n.risk,
        ]

    return record(f, {"x": SPINNING_MOTION.size, "par": GRAVITY.size + equations.row.size})


@lru_cache(maxsize=8)
def record_of_leg(kind: str) -> Program:
    """x: PUSHED_MOTION, ``push`` what the wrench system answers for this leg;  par as above  ->  LEG_RECORD, no risk"""
    equations = KINDS[kind]

    def f(x: Any, par: Any) -> tuple[Any, ...]:
        m, data, g = platform_motion(x), equations.data(par, GRAVITY.size), vec_at(par, 0)
        q, y = m.R.world(data.joint), x[PUSHED_MOTION.push]
        s = equations.state(data, joint_motion(m, q, rate_matrix(m.w, m.al), g), leg_spin(x))
        return leg_record(s, equations.reactions(data, s, y), y * s.eta, 0.0)

    return record(f, {"x": PUSHED_MOTION.size, "par": GRAVITY.size + equations.row.size})


@lru_cache(maxsize=8)
def spin_of_leg(kind: str) -> Program:
    """The same inputs  ->  its spin acceleration"""
    return record_of_leg(kind).select([LEG_RECORD.spin_acceleration])


@lru_cache(maxsize=8)
def acceleration_of_leg(kind: str) -> Program:
    """The same inputs  ->  acceleration of its coordinate"""
    return record_of_leg(kind).select([LEG_RECORD.acceleration])


@lru_cache(maxsize=1)
def body() -> Program:
    """x: LOADED_MOTION;  par: BODY  ->  BODY_ANSWER"""

    def f(x: Any, par: Any) -> list[Any]:
        m, data = platform_motion(x), body_data(par)
        M, twist = body_mass(data, m.R), Six(m.v, m.w)
        potential = -dot(data.g, m.t * data.mass + m.R.world(data.first))
        return [
            *components(body_load(data, m) - wrench_world(m.R, x)),
            *upper_triangle(M),
            0.5 * inner(twist, M.times(twist)),
            potential,
        ]

    return record(f, {"x": LOADED_MOTION.size, "par": BODY.size})


@lru_cache(maxsize=16)
def moving_wrench(kinds: tuple[str, ...]) -> Program:
    """Six legs on a base that moves, inputs of `moving_forces`  ->  MOVING_SYSTEM: H by rows, load, eta"""
    equations, function = machine(kinds), MOVING + "forces"

    def f(x: Any, spin: Any, par: Any) -> list[Any]:
        data = equations.unpack(par)
        m = equations.motion(x, data)
        q = joint_arms(m.R, data.legs)
        s = equations.states(data, m, q, rate_matrix(m.w, m.al), leg_spins(spin))
        load = body_load(data.body, m) + leg_loads(q, s) - wrench_world(m.R, x)
        h = [components(column(qi, si)) for qi, si in zip(q, s, strict=True)]
        rows = (h[j][k] for k in range(6) for j in range(6))
        return [*rows, *components(load), *(si.eta for si in s)]

    n_x, n_par = FUNCTIONS[function].inputs.size, parameter_count(function, kinds)
    return record(f, {"x": n_x, "spin": 6 * SPIN.size, "par": n_par})


@lru_cache(maxsize=1)
def solve_wrench() -> Program:
    """x: WRENCH_SYSTEM, the columns of H and the load  ->  y, risk"""

    def f(x: Any) -> list[Any]:
        columns = [six_at(x, 6 * i) for i in range(6)]
        found = solve_columns(columns, six_at(x, WRENCH_SYSTEM.at("load")))
        return [*found.y, found.risk]

    return record(f, {"x": WRENCH_SYSTEM.size})


@lru_cache(maxsize=1)
def solve_mass() -> Program:
    """x: MASS_SYSTEM, the mass matrix and the force  ->  accelerations, risk"""

    def f(x: Any) -> tuple[Any, ...]:
        M, force = mass_of(x[MASS_SYSTEM.mass]), six_at(x, MASS_SYSTEM.at("force"))
        found, risk = M.solved(force)
        return (*components(found), risk * risk)

    return record(f, {"x": MASS_SYSTEM.size})
