"""Planted errors in the platform's equations and in the machine's data, and the whole list."""

from __future__ import annotations

from gough.engines import crank_axes, pack
from gough.equations import machine, platform, solve
from oracles.planted import Error
from oracles.planted_kinds import ALL, P, R, S, U
from oracles.planted_legs import LEGS
from oracles.planted_rods import RODS
from oracles.planted_ucu import CYLINDERS

PLATFORM = [
    Error(
        "velocity of the joint q x w", platform.joint_motion, "cross(m.w, q)", "cross(q, m.w)", ALL
    ),
    Error(
        "joint acceleration without rotation", platform.joint_motion, "m.a + B.times(q)", "m.a", ALL
    ),
    Error(
        "platform's gyroscopic moment forgotten",
        platform.body_load,
        "m.R.local(w)",
        "m.R.local(w * 0.0)",
        U,
    ),
    Error(
        "platform tensor left in its own axes",
        platform.body_load,
        "m.R.world(inertia_moment(B, body.second))",
        "inertia_moment(B, body.second)",
        U,
    ),
    Error(
        "platform's mass center at the reference point",
        platform.body_load,
        " + m.R.world(B.times(body.first))",
        "",
        U,
    ),
    Error("platform weightless", platform.body_load, "fall = m.a - g", "fall = m.a", U),
    Error(
        "ball friction's reaction of the wrong sign",
        platform.leg_load,
        "- leg.couple",
        "+ leg.couple",
        ALL,
    ),
    Error("ball friction not felt by the platform", platform.leg_load, " - leg.couple", "", ALL),
    Error(
        "moment of a leg s x q", platform.joint_wrench, "cross(q, force)", "cross(force, q)", ALL
    ),
    Error(
        "mixed block of the mass matrix transposed",
        platform.body_mass,
        "Vec(0.0, r.z, -r.y)",
        "Vec(0.0, -r.z, r.y)",
        U,
    ),
    Error(
        "rotation matrix read by columns",
        platform.platform_frame,
        "x[i + j], x[i + 3 + j], x[i + 6 + j]",
        "x[i + 3 * j], x[i + 3 * j + 1], x[i + 3 * j + 2]",
        U,
    ),
    Error("spin energy forgotten", platform.leg_kinetic, " + leg.axial * spin * spin", "", S),
    Error(
        "external wrench taken in world axes",
        platform.wrench_world,
        "R.world(f.lin)",
        "f.lin",
        U,
    ),
    Error(
        "external wrench of the wrong sign",
        machine.balance,
        "leg_loads(q, s) - external",
        "leg_loads(q, s) + external",
        U,
    ),
    Error(
        "second leg given the first leg's spin",
        machine.leg_spins,
        "range(0, 6 * size, size)",
        "(0, 0, *range(2 * size, 6 * size, size))",
        S,
    ),
    Error(
        "efforts permuted",
        machine.MachineEquations.forces,
        "zip(found.y, s, strict=True)",
        "zip([found.y[1], found.y[0], *found.y[2:]], s, strict=True)",
        U,
    ),
    Error(
        "fifth leg's mass counted twice",
        machine.total_mass,
        "zip(q, n, strict=True)",
        "zip([*q[:5], q[4]], [*n[:5], n[4]], strict=True)",
        U,
    ),
    Error(
        "forward dynamics without bias",
        machine.MachineEquations.driven,
        "+ wrench_world(m.R, x) - bias",
        "+ wrench_world(m.R, x)",
        U,
    ),
    Error(
        "potential energy of the platform reversed",
        machine.MachineEquations.energy,
        "- dot(g, m.t",
        "+ dot(g, m.t",
        U,
    ),
    Error(
        "elimination leaves one projection out",
        solve.solve_columns,
        "value - share * known",
        "value - (0.0 if i == 4 else share) * known",
        U,
    ),
    Error("Schur complement without its off-diagonal", solve.Mass.solved, "C.yz - By.z", "C.yz", U),
]

DATA = [
    Error(
        "parallel-axis term counted twice",
        pack._moments,
        "np.outer(first, body.center)",
        "2 * np.outer(first, body.center)",
        ALL,
    ),
    Error(
        "parallel-axis term forgotten (tensor taken about the joint)",
        pack._moments,
        " + np.outer(first, body.center)",
        "",
        ALL,
    ),
    Error(
        "leg inertia missing",
        pack._moments,
        "body.second_moment() + np.outer(first, body.center)",
        "0.0 * body.inertia",
        ALL,
    ),
    Error(
        "legs massless",
        pack._strut,
        "lower_mass=leg.lower.mass, upper_mass=leg.upper.mass",
        "lower_mass=0.0, upper_mass=0.0",
        U,
    ),
    Error(
        "gravity of the wrong sign",
        pack.body_row,
        "gravity=gravity",
        "gravity=-gravity",
        ALL,
    ),
    Error("base and platform joints swapped", pack._strut, "base=leg.base", "base=leg.joint", U),
    Error(
        "lower and upper parts swapped",
        pack._strut,
        "lower_first=d, upper_first=e",
        "lower_first=e, upper_first=d",
        U,
    ),
    Error(
        "reflected inertia with the ratio not squared",
        pack._reflected,
        "drive.reflected_inertia",
        "drive.ratio * drive.rotor_inertia",
        U + P + R,
    ),
    Error(
        "crank's shaft inertia about its mass center",
        pack._crank,
        " + crank.mass * (np.cross(e, crank.center) ** 2).sum()",
        "",
        R,
    ),
    Error(
        "crank's vectors turn the wrong way",
        crank_axes.turning,
        "np.cross(axis, v)",
        "np.cross(v, axis)",
        R,
    ),
    Error(
        "frictions in the wrong order",
        pack._friction,
        "leg.friction.universal, leg.friction.prismatic",
        "leg.friction.prismatic, leg.friction.universal",
        ALL,
    ),
]

ERRORS = [*LEGS, *CYLINDERS, *RODS, *PLATFORM, *DATA]
