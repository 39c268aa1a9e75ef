"""What can be asked of the multibody formulation.

published  003 as printed, SPS machines only
spin       (angle, rate) or a `Spin`, each (..., 6), for SPS legs whose spin is a state
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, array
from gough.formulations.arrays import apply, dot, transpose
from gough.formulations.multibody.assembly import Assembly, assemble
from gough.formulations.multibody.balance import external_wrench
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.elimination import center_acceleration, reduce, solve_inverse, to_center
from gough.formulations.multibody.errata import ABOUT
from gough.formulations.multibody.joint_reactions import joint_reactions
from gough.formulations.multibody.kinematics import SpinLike, body_motion, check_spin, configuration, spin_pair
from gough.formulations.multibody.published import (
    published_bias,
    published_dynamics,
    published_mass_matrix,
    strut_wrenches,
)
from gough.formulations.protocol import Keep
from gough.model import Platform
from gough.results import ForwardDynamics, InverseDynamics, Reactions
from gough.spatial import Motion, Pose

CHUNK = 512  # states solved at once: bounds the memory of a long batch


def inverse_dynamics(platform: Platform, motion: Motion, external: ArrayLike | None = None,
                     *, spin: SpinLike | None = None, **keep: Unpack[Keep]) -> InverseDynamics:
    """Actuator forces (driving multipliers with their sign turned) and all joint reactions.

    external   (..., 6) force then moment, platform axes, at the reference point
    extra      of the result: "acceleration" ``ud`` (..., 78), "multiplier" (..., rows), world axes
    """
    slips = ABOUT.kept(**keep)
    if slips:
        return published_dynamics(platform, motion, external, errata=slips, spin=spin)
    assembly, shape = assemble(platform), motion.shape
    solved = [solve_inverse(platform, *chunk) for chunk in _chunks(motion, _external(motion, external), spin)]
    force, ud, multiplier = (_join([getattr(part, name) for part in solved], shape)
                             for name in ("force", "acceleration", "multiplier"))
    H = _join([strut_wrenches(platform, part.state) for part in solved], shape)
    along = _join([_axial(assembly, part.state, part.acceleration) for part in solved], shape)

    def compute() -> Reactions:
        parts = [joint_reactions(assembly, part.state, part.acceleration, part.multiplier) for part in solved]
        return Reactions(*(_join([getattr(part, name) for part in parts], shape)
                           for name in Reactions.__dataclass_fields__))

    return InverseDynamics(force, H, ABOUT.name, False, platform.characteristic_length, along,
                           {"acceleration": ud, "multiplier": multiplier}, compute)


def _axial(assembly: Assembly, state: BodyState, ud: Array) -> Array:
    """Spin accelerations ``A . s`` (..., 6); zero for legs that are not SPS."""
    turning = ud.reshape(*state.shape, 13, 6)[..., 7:, 3:]
    spins = np.array([kind == "SPS" for kind in assembly.platform.kinds])
    return np.where(spins, dot(turning, state.A[..., 7:13, :, 0]), 0.0)


def mass_matrix(platform: Platform, pose: Pose, *, spin: SpinLike | None = None, **keep: Unpack[Keep]) -> Array:
    """``M_x`` (..., 6, 6), twist of the reference point, world axes: M on the constraints' null space."""
    slips = ABOUT.kept(**keep)
    if slips:
        return published_mass_matrix(platform, pose, slips, spin)
    state, _ = configuration(platform, pose, check_spin(platform, spin)[0])
    assembly = assemble(platform)
    X = to_center(assembly, state)
    return transpose(X) @ reduce(assembly, state).M @ X


def bias(platform: Platform, motion: Motion, *, spin: SpinLike | None = None, **keep: Unpack[Keep]) -> Array:
    """``b`` (..., 6) of ``M_x (a, al) + b = J^T F + wrench``: weight, velocity terms, friction."""
    slips = ABOUT.kept(**keep)
    if slips:
        return published_bias(platform, motion, slips, spin)
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    a_0 = center_acceleration(assembly, state, np.zeros(3), np.zeros(3))
    return apply(transpose(to_center(assembly, state)), apply(reduced.M, a_0) + reduced.bias)


def forward_dynamics(platform: Platform, motion: Motion, force: ArrayLike,
                     external: ArrayLike | None = None, *, spin: SpinLike | None = None) -> ForwardDynamics:
    """Accelerations of the reference point (and of free spins) that actuator forces (..., 6) cause."""
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    wrench = external_wrench(assembly, state, _external(motion, external))
    F = array("force", force, (6,))
    right = apply(reduced.Jt, F) - reduced.bias + wrench
    a_p = np.asarray(np.linalg.solve(reduced.M, right[..., None])[..., 0], dtype=np.float64)
    ud, _ = reduced.unknowns(a_p, np.broadcast_to(F, (*state.shape, 6)))
    shift = center_acceleration(assembly, state, np.zeros(3), a_p[..., 3:])[..., :3]  # mass center to reference point
    return ForwardDynamics(a_p[..., :3] - shift, a_p[..., 3:], _axial(assembly, state, ud))


def reactions(platform: Platform, motion: Motion, external: ArrayLike | None = None,
              *, spin: SpinLike | None = None, **keep: Unpack[Keep]) -> Reactions:
    """All joint reactions, from the multipliers."""
    return inverse_dynamics(platform, motion, external, spin=spin, **keep).reactions


def _external(motion: Motion, external: ArrayLike | None) -> Array | None:
    if external is None:
        return None
    return np.broadcast_to(array("external", external, (6,)), (*motion.shape, 6))


def _chunks(motion: Motion, wrench: Array | None,
            spin: SpinLike | None) -> list[tuple[Motion, Array | None, SpinLike | None]]:
    """The batch as flat pieces of at most CHUNK states."""
    n = int(np.prod(motion.shape, dtype=int))
    if n <= CHUNK and len(motion.shape) <= 1:
        return [(motion, wrench, spin)]

    def flat(a: Array, tail: int = 1) -> Array:
        return a.reshape(n, *a.shape[a.ndim - tail:])

    whole = Motion.trusted(flat(motion.position), flat(motion.rotation, 2), flat(motion.velocity),
                           flat(motion.angular_velocity), flat(motion.acceleration), flat(motion.angular_acceleration))
    w = None if wrench is None else flat(wrench)
    both = None if spin is None else tuple(
        flat(np.broadcast_to(np.asarray(a, dtype=float), (*motion.shape, 6))) for a in spin_pair(spin))
    pieces = [slice(k, k + CHUNK) for k in range(0, n, CHUNK)]
    return [(whole[at], None if w is None else w[at], None if both is None else (both[0][at], both[1][at]))
            for at in pieces]


def _join(parts: list[Array], shape: tuple[int, ...]) -> Array:
    """Pieces of `_chunks` back in the shape of the batch."""
    joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return joined if joined.shape[:len(shape)] == shape else joined.reshape(*shape, *joined.shape[1:])
