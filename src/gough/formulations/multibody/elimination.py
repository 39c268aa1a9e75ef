"""Structured solution of the bordered system, leg by leg.

The full system (003 eq 12 with the Jacobian in its place)

    [ M      Phi_q^T ] [ ud     ]   [ f     ]
    [ Phi_q  0       ] [ lambda ] = [ gamma ]

is an arrow: legs meet only in the platform and in the driving rows.  For each leg, with the platform's
acceleration ``a_p`` and the actuator force F as parameters,

    [ M_leg   Phi_leg^T ] [ ud_leg     ]   [ f_leg + phi^T F           ]
    [ Phi_leg 0         ] [ lambda_leg ] = [ gamma_leg - Phi_plat a_p  ]

is solved once for eight right sides, so every unknown of the leg is affine in (1, a_p, F).  Put into the
platform's balance this leaves six equations: solved for F (inverse dynamics) or for a_p (forward dynamics).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.formulations.linear import (
    apply,
    centripetal,
    cross,
    join,
    skew,
    solve,
    solve_columns,
    transpose,
)
from gough.formulations.multibody.assembly import COORDINATES, Assembly, assemble
from gough.formulations.multibody.balance import external_wrench, forces, mass
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.kinematics import SpinLike, body_motion
from gough.model import SPS, Platform
from gough.spatial import Motion


@dataclass(frozen=True, eq=False)
class Reduced:
    """The machine with its legs eliminated.

    At the platform's mass center: ``M a_p + bias = J^T F + external`` ``bias`` without the external wrench.
    legs       per leg the solution (..., 12 + rows, 8): columns 1, a_p (6), F
    """

    assembly: Assembly
    state: BodyState
    Phi: Array
    M: Array
    bias: Array
    Jt: Array
    legs: tuple[Array, ...]

    def unknowns(self, acceleration: Array, force: Array) -> tuple[Array, Array]:
        """Accelerations ``ud`` (..., 78) and multipliers (..., rows) for ``a_p`` (..., 6) and F (..., 6)."""
        shape = self.state.shape
        ud, multiplier = np.empty((*shape, COORDINATES)), np.empty((*shape, self.assembly.size))
        ud[..., :6] = acceleration
        multiplier[..., self.assembly.driver_rows] = -force
        one = np.ones((*shape, 1))
        for i, table in enumerate(self.legs):
            x = apply(table, np.concatenate([one, acceleration, force[..., i : i + 1]], axis=-1))
            ud[..., self.assembly.leg_columns[i]] = x[..., :12]
            multiplier[..., self.assembly.leg_rows[i]] = x[..., 12:]
        return ud, multiplier


def reduce(assembly: Assembly, state: BodyState) -> Reduced:
    """Eliminate the legs at `state`."""
    Phi, gamma = assembly.jacobian(state), assembly.gamma(state)
    f, M = forces(assembly, state, Phi, gamma), mass(assembly, state, Phi)
    shape = state.shape
    M_p = M[..., :6, :6].copy()
    bias, Jt, legs = -f[..., :6], np.empty((*shape, 6, 6)), []
    for i in range(6):
        rows, columns = assembly.leg_rows[i], assembly.leg_columns[i]
        n = 12 + len(rows)
        left, right = np.zeros((*shape, n, n)), np.zeros((*shape, n, 8))
        leg = Phi[..., rows, :]
        left[..., :12, :12] = M[..., columns[:, None], columns]
        left[..., 12:, :12] = leg[..., columns]
        left[..., :12, 12:] = transpose(leg[..., columns])
        _hold_spin(assembly, state, left, i)
        right[..., :12, 0], right[..., 12:, 0] = f[..., columns], gamma[..., rows]
        right[..., 12:, 1:7] = -leg[..., :6]
        right[..., :12, 7] = Phi[..., assembly.driver_rows[i], :][..., columns]
        refusal = f"{assembly.platform.leg_names[i]}: singular configuration"
        table = solve_columns(left, right, refusal)
        pull = transpose(leg[..., :6]) @ table[..., 12:, :]
        bias += pull[..., 0]
        M_p += pull[..., 1:7]
        Jt[..., i] = -pull[..., 7]
        legs.append(table)
    return Reduced(assembly, state, Phi, M_p, bias, Jt, tuple(legs))


def _hold_spin(assembly: Assembly, state: BodyState, left: Array, i: int) -> None:
    """Give a leg without axial inertia one where its size is irrelevant (spin-free); refuse it elsewhere."""
    leg = assembly.platform.legs[i]
    if not isinstance(leg, SPS):
        return
    axial = sum(
        body.inertia[0, 0] + body.mass * float(body.center[1:] @ body.center[1:])
        for body in (leg.lower, leg.upper)
    )
    if axial > 0:
        return
    if not leg.spin_free:
        raise InfeasibleError(
            f"{assembly.platform.leg_names[i]}: no inertia about the leg axis, its spin is undetermined"
        )
    s = state.A[..., 7 + i, :, 0]
    left[..., 9:12, 9:12] += s[..., :, None] * s[..., None, :]


def to_center(assembly: Assembly, state: BodyState) -> Array:
    """X (..., 6, 6): twist of the reference point -> twist of the platform's mass center."""
    arm = apply(state.A[..., 0, :, :], assembly.platform.body.center)
    X = np.zeros((*arm.shape[:-1], 6, 6))
    X[...] = np.eye(6)
    X[..., :3, 3:] = -skew(arm)
    return X


def center_acceleration(
    assembly: Assembly, state: BodyState, acceleration: Array, angular: Array
) -> Array:
    """Acceleration of the platform's mass center and angular acceleration, (..., 6)."""
    arm = apply(state.A[..., 0, :, :], assembly.platform.body.center)
    moved = acceleration + cross(angular, arm) + centripetal(state.w[..., 0, :], arm)
    return join(moved, angular)


@dataclass(frozen=True, eq=False)
class Solved:
    """Inverse dynamics of all bodies: actuator forces (..., 6), ``ud`` (..., 78) and multipliers (..., rows).

    Jt  (..., 6, 6) wrenches of unit actuator forces at the reference point
    """

    state: BodyState
    force: Array
    acceleration: Array
    multiplier: Array
    Jt: Array


def solve_inverse(
    platform: Platform, motion: Motion, wrench: Array | None, spin: SpinLike | None
) -> Solved:
    """Everything that a motion of the platform asks for; `wrench` (..., 6) in platform axes."""
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    a_p = center_acceleration(assembly, state, motion.acceleration, motion.angular_acceleration)
    right = apply(reduced.M, a_p) + reduced.bias - external_wrench(assembly, state, wrench)
    force = solve(reduced.Jt, right, "singular pose: the actuators cannot hold every load")
    Jt = transpose(to_center(assembly, state)) @ reduced.Jt
    return Solved(state, force, *reduced.unknowns(a_p, force), Jt)
