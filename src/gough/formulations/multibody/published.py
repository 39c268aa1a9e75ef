"""003 as printed, for a given motion: eqs 12-16 solved in Euler coordinates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, array, fitting
from gough.formulations.arrays import effort_wrenches
from gough.formulations.linear import apply, dot, solve, transpose
from gough.formulations.multibody.assembly import COORDINATES
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.elimination import solve_inverse
from gough.formulations.multibody.errata import ABOUT, PRINTED
from gough.formulations.multibody.euler import EulerSystem
from gough.formulations.multibody.joint_reactions import joint_reactions
from gough.formulations.multibody.kinematics import SpinLike
from gough.model import Platform
from gough.results import InverseDynamics
from gough.spatial import Motion, Pose


def published_dynamics(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    errata: Iterable[str] = PRINTED,
    spin: SpinLike | None = None,
) -> InverseDynamics:
    """Inverse dynamics with the printed errors in `errata`; an empty set gives the exact answer again.

    The drivers' accelerations are those of the exact motion.  Leg angles follow from the leg axes T, since a
    state alone does not say how far a leg has spun; the platform, which carries most of E003-1, has no such
    freedom.
    """
    zero = np.zeros(6)
    system = EulerSystem(platform, lambda t: (zero, zero, zero), errata)
    wrench = None
    if external is not None:
        wrench = fitting("external", array("external", external, (6,)), (*motion.shape, 6))
    exact = solve_inverse(platform, motion, wrench, spin)
    state, assembly = exact.state, system.assembly
    ud, multiplier = solve_printed(system, state, exact.acceleration, wrench)
    lower = ud.reshape(*motion.shape, 13, 6)[..., 7:, 3:]
    return InverseDynamics(
        -multiplier[..., assembly.driver_rows],
        strut_wrenches(platform, state, exact.Jt),
        ABOUT.name,
        True,
        platform.characteristic_length,
        dot(lower, state.A[..., 7:13, :, 0]),
        {"acceleration": ud, "multiplier": multiplier},
        lambda: joint_reactions(assembly, state, ud, multiplier),
    )


def strut_wrenches(platform: Platform, state: BodyState, Jt: Array) -> Array:
    """``H`` (..., 6, 6) of the struts' directions; of screws, the wrenches Jt of efforts at the reference point."""
    q = apply(state.A[..., :1, :, :], platform.platform_joints)
    return effort_wrenches(platform, state.A[..., 1:7, :, 0], q, transpose(Jt))


def solve_printed(
    system: EulerSystem, state: BodyState, acceleration: Array, external: Array | None = None
) -> tuple[Array, Array]:
    """``ud`` (..., 78) and multipliers (..., 72; couples in world axes) of the printed eq 12 at `state`.

    acceleration  ``ud`` of the true motion: only its actuator accelerations enter, as the drivers' own
    """
    assembly, n = system.assembly, COORDINATES
    q = system.coordinates(state)
    qd = system.rates(q, state.speeds)
    Phi, gamma = system.jacobian(q, 0.0), system.gamma(q, qd, 0.0)
    drivers = assembly.driver_rows
    gamma[..., drivers] = apply(
        assembly.jacobian(state)[..., drivers, :], acceleration - system.drift(q, qd)
    )
    K = np.zeros((*state.shape, n + assembly.size, n + assembly.size))
    K[..., :n, :n], K[..., n:, :n], K[..., :n, n:] = system.mass(q), Phi, transpose(Phi)
    right = np.concatenate([system.force(q, qd, 0.0, external), gamma], axis=-1)
    if "E003-6" in system.errata:
        raise InfeasibleError(
            "eq 4 as printed leaves six empty rows: rank 66 of 72, no solution (E003-6)"
        )
    x = solve(K, right, "the system of 003 is singular in this state")
    return system.speeds(q, x[..., :n]) + system.drift(q, qd), system.physical(q, x[..., n:])


def published_mass_matrix(
    platform: Platform, pose: Pose, errata: Iterable[str] = PRINTED, spin: SpinLike | None = None
) -> Array:
    """Task-space mass matrix of the printed model: ``J^T`` times the forces per unit acceleration."""
    rest = published_dynamics(platform, Motion.at_rest(pose), errata=errata, spin=spin)
    forces = []
    for linear, angular in np.eye(6).reshape(6, 2, 3):
        still = np.zeros_like(pose.position)
        moved = Motion.trusted(
            pose.position,
            pose.rotation,
            acceleration=still + linear,
            angular_acceleration=still + angular,
        )
        forces.append(
            published_dynamics(platform, moved, errata=errata, spin=spin).force - rest.force
        )
    return np.stack([apply(rest.H, force) for force in forces], axis=-1)


def published_bias(
    platform: Platform,
    motion: Motion,
    errata: Iterable[str] = PRINTED,
    spin: SpinLike | None = None,
) -> Array:
    """Bias of the printed model: ``J^T F`` at zero acceleration."""
    still = Motion.trusted(
        motion.position, motion.rotation, motion.velocity, motion.angular_velocity
    )
    found = published_dynamics(platform, still, errata=errata, spin=spin)
    return apply(found.H, found.force)
