"""003 as printed, for a given motion: eqs 12-16 solved in Euler coordinates."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, array
from gough.formulations.multibody.constraints import State, turn
from gough.formulations.multibody.euler import KEPT as KEPT
from gough.formulations.multibody.euler import EulerSystem
from gough.formulations.multibody.kinematics import Spin, body_motion, configuration
from gough.formulations.multibody.reactions import joint_reactions
from gough.formulations.multibody.verbs import inverse_dynamics, wrench_matrix
from gough.model import Platform
from gough.results import InverseDynamics, Reactions
from gough.spatial import Motion, Pose


def published_dynamics(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
                       errata: Collection[str] = KEPT, spin: Spin | None = None) -> InverseDynamics:
    """Inverse dynamics with the printed errors in `errata`; an empty set gives the exact answer again.

    The drivers' accelerations are those of the exact motion.  Leg angles follow from the leg axes T, since a
    state alone does not say how far a leg has spun; the platform, which carries most of E003-1, has no such
    freedom.
    """
    zero = np.zeros(6)
    system = EulerSystem(platform, lambda t: (zero, zero, zero), errata)
    exact = inverse_dynamics(platform, motion, external, spin=spin)
    state, _ = body_motion(platform, motion, spin)
    wrench = None
    if external is not None:
        wrench = np.broadcast_to(array("external", external, (6,)), (*motion.shape, 6))
    ud, multiplier = solve_printed(system, state, exact.extra["acceleration"], wrench)
    assembly = system.assembly

    def compute() -> Reactions:
        return joint_reactions(assembly, state, ud, multiplier)

    lower = ud.reshape(*motion.shape, 13, 6)[..., 7:, 3:]
    return InverseDynamics(-multiplier[..., assembly.driver_rows], wrench_matrix(platform, state), "multibody", True,
                           platform.characteristic_length, (lower * state.A[..., 7:13, :, 0]).sum(axis=-1),
                           {"acceleration": ud, "multiplier": multiplier}, compute)


def solve_printed(system: EulerSystem, state: State, acceleration: Array,
                  external: Array | None = None) -> tuple[Array, Array]:
    """``ud`` (..., 78) and multipliers (..., 72; couples in world axes) of the printed eq 12 at `state`.

    acceleration  ``ud`` of the true motion: only its actuator accelerations enter, as the drivers' own
    """
    assembly, n = system.assembly, 78
    q = system.coordinates(state)
    qd = system.rates(q, state.speeds)
    Phi, gamma = system.jacobian(q, 0.0), system.gamma(q, qd, 0.0)
    drivers = assembly.driver_rows
    gamma[..., drivers] = turn(assembly.jacobian(state)[..., drivers, :], acceleration - system.drift(q, qd))
    K = np.zeros((*state.shape, n + assembly.size, n + assembly.size))
    K[..., :n, :n], K[..., n:, :n], K[..., :n, n:] = system.mass(q), Phi, np.swapaxes(Phi, -1, -2)
    right = np.concatenate([system.force(q, qd, 0.0, external), gamma], axis=-1)
    if "E003-6" in system.errata:
        raise InfeasibleError("eq 4 as printed leaves six empty rows: rank 66 of 72, no solution (E003-6)")
    try:
        x = np.asarray(np.linalg.solve(K, right[..., None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InfeasibleError("the system of 003 is singular in this state") from None
    return system.speeds(q, x[..., :n]) + system.drift(q, qd), system.physical(q, x[..., n:])


def _errata(published: bool | Collection[str]) -> Collection[str]:
    return KEPT if isinstance(published, bool) else published


def published_mass_matrix(platform: Platform, pose: Pose, published: bool | Collection[str] = True) -> Array:
    """Task-space mass matrix of the printed model: ``J^T`` times the forces per unit acceleration."""
    rest = published_dynamics(platform, Motion.at_rest(pose), errata=_errata(published))
    H, columns = wrench_matrix(platform, configuration(platform, pose)[0]), []
    for k in range(6):
        unit = np.zeros((2, 3))
        unit[k // 3, k % 3] = 1.0
        moved = Motion(pose.position, pose.rotation, acceleration=unit[0], angular_acceleration=unit[1])
        force = published_dynamics(platform, moved, errata=_errata(published)).force
        columns.append(turn(H, force - rest.force))
    return np.stack(columns, axis=-1)


def published_bias(platform: Platform, motion: Motion, published: bool | Collection[str] = True) -> Array:
    """Bias of the printed model: ``J^T F`` at zero acceleration."""
    still = Motion(motion.position, motion.rotation, motion.velocity, motion.angular_velocity)
    found = published_dynamics(platform, still, errata=_errata(published))
    return turn(wrench_matrix(platform, configuration(platform, motion)[0]), found.force)
