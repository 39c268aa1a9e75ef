"""Verbs of the multibody formulation: inverse dynamics, mass matrix, bias, reactions, forward dynamics."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, array
from gough.formulations.multibody.assembly import Assembly, assemble
from gough.formulations.multibody.constraints import State, cross, turn
from gough.formulations.multibody.equations_of_motion import external_wrench
from gough.formulations.multibody.kinematics import Spin, body_motion, check_spin, configuration, spin_pair
from gough.formulations.multibody.reactions import joint_reactions
from gough.formulations.multibody.solve import center_acceleration, reduce, to_center
from gough.model import Platform
from gough.results import ForwardDynamics, InverseDynamics, Reactions
from gough.spatial import Motion, Pose

CHUNK = 512  # states solved at once: bounds the memory of a long batch


def inverse_dynamics(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
                     published: bool | Collection[str] = False,
                     spin: Spin | None = None) -> InverseDynamics:
    """Actuator forces (driving multipliers with their sign turned) and all joint reactions.

    external   (..., 6) force then moment, platform axes, at the reference point
    published  True: 003 as printed (constant diagonal mass matrix in Euler angles), SPS machines only; or the
               keys of the errata to keep, see `published_dynamics`
    spin       (angle, rate) or an object with these two, each (..., 6), for SPS legs whose spin is a state
    extra      of the result: "acceleration" ``ud`` (..., 78), "multiplier" (..., rows), world axes
    """
    if published is not False:
        from gough.formulations.multibody.published import KEPT, published_dynamics

        keys = KEPT if published is True else published
        return published_dynamics(platform, motion, external, errata=keys, spin=spin)
    wrench = _external(motion, external)
    parts = [_inverse(platform, m, w, s) for m, w, s in _chunks(motion, wrench, spin)]
    force, H, ud, multiplier, at = (_join([p[k] for p in parts], motion.shape) for k in range(5))
    states = [p[5] for p in parts]

    def compute() -> Reactions:
        reactions = [joint_reactions(assemble(platform), s, p[2], p[3])
                     for s, p in zip(states, parts, strict=True)]
        return Reactions(*(_join([getattr(r, name) for r in reactions], motion.shape)
                           for name in Reactions.__dataclass_fields__))

    return InverseDynamics(force, H, "multibody", False, platform.characteristic_length, at,
                           {"acceleration": ud, "multiplier": multiplier}, compute)


def _inverse(platform: Platform, motion: Motion, wrench: Array | None, spin: Spin | None) -> tuple:
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    a_p = center_acceleration(assembly, state, motion.acceleration, motion.angular_acceleration)
    right = turn(reduced.M, a_p) + reduced.bias - external_wrench(assembly, state, wrench)
    try:
        force = np.asarray(np.linalg.solve(reduced.Jt, right[..., None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InfeasibleError("singular pose: the actuators cannot hold every load") from None
    ud, multiplier = reduced.unknowns(a_p, force)
    return force, wrench_matrix(platform, state), ud, multiplier, _axial(assembly, state, ud), state


def _axial(assembly: Assembly, state: State, ud: Array) -> Array:
    """Spin accelerations ``A . s`` (..., 6); zero for legs that are not SPS."""
    turning = ud.reshape(*state.shape, 13, 6)[..., 7:, 3:]
    spins = np.array([kind == "SPS" for kind in assembly.platform.kinds])
    return np.where(spins, (turning * state.A[..., 7:13, :, 0]).sum(axis=-1), 0.0)


def wrench_matrix(platform: Platform, state: State) -> Array:
    """``H`` (..., 6, 6), columns ``(s_i, q_i x s_i)`` about the reference point, world axes."""
    R = state.A[..., 0, :, :]
    q = R[..., None, :, :] @ platform.platform_joints[:, :, None]
    s = state.A[..., 1:7, :, 0]
    return np.swapaxes(np.concatenate([s, cross(q[..., 0], s)], axis=-1), -1, -2)


def mass_matrix(platform: Platform, pose: Pose, *, published: bool | Collection[str] = False,
                spin: Spin | None = None) -> Array:
    """``M_x`` (..., 6, 6), twist of the reference point, world axes: M on the constraints' null space."""
    if published is not False:
        from gough.formulations.multibody.published import published_mass_matrix

        return published_mass_matrix(platform, pose, published)
    state, _ = configuration(platform, pose, check_spin(platform, spin)[0])
    assembly = assemble(platform)
    X = to_center(assembly, state)
    return np.swapaxes(X, -1, -2) @ reduce(assembly, state).M @ X


def bias(platform: Platform, motion: Motion, *, published: bool | Collection[str] = False,
         spin: Spin | None = None) -> Array:
    """``b`` (..., 6) of ``M_x (a, al) + b = J^T F + wrench``: weight, velocity terms, friction."""
    if published is not False:
        from gough.formulations.multibody.published import published_bias

        return published_bias(platform, motion, published)
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    still = np.zeros(3)
    a_0 = center_acceleration(assembly, state, still, np.zeros_like(motion.angular_velocity))
    X = to_center(assembly, state)
    return turn(np.swapaxes(X, -1, -2), turn(reduced.M, a_0) + reduced.bias)


def forward_dynamics(platform: Platform, motion: Motion, force: ArrayLike,
                     external: ArrayLike | None = None, *, spin: Spin | None = None) -> ForwardDynamics:
    """Accelerations of the reference point (and of free spins) that actuator forces (..., 6) cause."""
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    wrench = external_wrench(assembly, state, _external(motion, external))
    F = array("force", force, (6,))
    right = turn(reduced.Jt, F) - reduced.bias + wrench
    a_p = np.asarray(np.linalg.solve(reduced.M, right[..., None])[..., 0], dtype=np.float64)
    ud, _ = reduced.unknowns(a_p, np.broadcast_to(F, (*state.shape, 6)))
    return ForwardDynamics(*from_center(assembly, state, a_p), _axial(assembly, state, ud))


def from_center(assembly: Assembly, state: State, a_p: Array) -> tuple[Array, Array]:
    """Acceleration of the reference point from that of the mass center."""
    zero = np.zeros_like(a_p[..., :3])
    shift = center_acceleration(assembly, state, zero, a_p[..., 3:])[..., :3]
    return a_p[..., :3] - shift, a_p[..., 3:]


def reactions(platform: Platform, motion: Motion, external: ArrayLike | None = None, *,
              published: bool | Collection[str] = False, spin: Spin | None = None) -> Reactions:
    """All joint reactions, from the multipliers."""
    return inverse_dynamics(platform, motion, external, published=published, spin=spin).reactions


def _external(motion: Motion, external: ArrayLike | None) -> Array | None:
    if external is None:
        return None
    return np.broadcast_to(array("external", external, (6,)), (*motion.shape, 6))


def _chunks(motion: Motion, wrench: Array | None,
            spin: Spin | None) -> list[tuple[Motion, Array | None, Spin | None]]:
    """The batch as flat pieces of at most CHUNK states."""
    n = int(np.prod(motion.shape, dtype=int))
    if n <= CHUNK and len(motion.shape) <= 1:
        return [(motion, wrench, spin)]

    def flat(a: Array, tail: int) -> Array:
        return a.reshape(n, *a.shape[a.ndim - tail:])

    whole = Motion(flat(motion.position, 1), flat(motion.rotation, 2), flat(motion.velocity, 1),
                   flat(motion.angular_velocity, 1), flat(motion.acceleration, 1),
                   flat(motion.angular_acceleration, 1))
    w = None if wrench is None else flat(wrench, 1)
    both = None if spin is None else tuple(
        flat(np.broadcast_to(np.asarray(a, dtype=float), (*motion.shape, 6)), 1) for a in spin_pair(spin))
    pieces = [slice(k, k + CHUNK) for k in range(0, n, CHUNK)]
    return [(whole[at], None if w is None else w[at], None if both is None else (both[0][at], both[1][at]))
            for at in pieces]


def _join(parts: list[Array], shape: tuple[int, ...]) -> Array:
    """Pieces of `_chunks` back in the shape of the batch."""
    joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return joined if joined.shape[:len(shape)] == shape else joined.reshape(*shape, *joined.shape[1:])
