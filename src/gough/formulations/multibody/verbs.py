"""What can be asked of the multibody formulation.

published  003 as printed, SPS machines only
spin       (angle, rate) or a `Spin`, each (..., 6), for SPS legs whose spin is a state
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, array, batch_shape
from gough.formulations.arrays import motion_arrays
from gough.formulations.linear import apply, dot, transpose
from gough.formulations.multibody.assembly import Assembly, assemble
from gough.formulations.multibody.balance import external_wrench
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.elimination import (
    center_acceleration,
    reduce,
    solve_inverse,
    to_center,
)
from gough.formulations.multibody.errata import ABOUT
from gough.formulations.multibody.joint_reactions import joint_reactions
from gough.formulations.multibody.kinematics import (
    SpinLike,
    body_motion,
    check_spin,
    configuration,
    spin_pair,
)
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


def inverse_dynamics(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    spin: SpinLike | None = None,
    **keep: Unpack[Keep],
) -> InverseDynamics:
    """Actuator forces (driving multipliers with their sign turned) and all joint reactions.

    external   (..., 6) force then moment, platform axes, at the reference point
    extra      of the result: "acceleration" ``ud`` (..., 78), "multiplier" (..., rows), world axes
    """
    slips = ABOUT.kept(**keep)
    if slips:
        return published_dynamics(platform, motion, external, errata=slips, spin=spin)
    wrench, n = _external(motion, external), int(np.prod(motion.shape, dtype=int))
    if n <= CHUNK and len(motion.shape) <= 1:
        return _inverse(platform, motion, wrench, spin)
    given = [*motion_arrays(motion), *([] if wrench is None else [wrench])]
    if spin is not None:
        given += [
            np.broadcast_to(np.asarray(a, float), (*motion.shape, 6)) for a in spin_pair(spin)
        ]
    flat = [a.reshape(n, *a.shape[len(motion.shape) :]) for a in given]
    parts = []
    for at in (slice(k, k + CHUNK) for k in range(0, n, CHUNK)):
        piece = [a[at] for a in flat]
        load = None if wrench is None else piece[6]
        turned = None if spin is None else (piece[-2], piece[-1])
        parts.append(_inverse(platform, Motion.trusted(*piece[:6]), load, turned))

    def joined(field: Callable[[InverseDynamics], Any]) -> Array:
        whole = np.concatenate([field(part) for part in parts])
        return whole.reshape(*motion.shape, *whole.shape[1:])

    return replace(
        parts[0],
        force=joined(lambda p: p.force),
        wrench_matrix=joined(lambda p: p.wrench_matrix),
        spin_acceleration=joined(lambda p: p.spin_acceleration),
        extra={name: joined(lambda p, name=name: p.extra[name]) for name in parts[0].extra},
        compute_reactions=lambda: Reactions(
            *(joined(lambda p, name=f.name: getattr(p.reactions, name)) for f in fields(Reactions))
        ),
    )


def _inverse(
    platform: Platform, motion: Motion, wrench: Array | None, spin: SpinLike | None
) -> InverseDynamics:
    assembly, solved = assemble(platform), solve_inverse(platform, motion, wrench, spin)
    state, ud, multiplier = solved.state, solved.acceleration, solved.multiplier
    return InverseDynamics(
        solved.force,
        strut_wrenches(platform, state, solved.Jt),
        ABOUT.name,
        characteristic_length=platform.characteristic_length,
        spin_acceleration=_axial(assembly, state, ud),
        extra={"acceleration": ud, "multiplier": multiplier},
        compute_reactions=lambda: joint_reactions(assembly, state, ud, multiplier),
    )


def _axial(assembly: Assembly, state: BodyState, ud: Array) -> Array:
    """Spin accelerations ``A . s`` (..., 6); zero for legs that are not SPS."""
    turning = ud.reshape(*state.shape, 13, 6)[..., 7:, 3:]
    spins = np.array([kind == "SPS" for kind in assembly.platform.kinds])
    return np.where(spins, dot(turning, state.A[..., 7:13, :, 0]), 0.0)


def mass_matrix(
    platform: Platform, pose: Pose, *, spin: SpinLike | None = None, **keep: Unpack[Keep]
) -> Array:
    """``M_x`` (..., 6, 6), twist of the reference point, world axes: M on the constraints' null space."""
    slips = ABOUT.kept(**keep)
    if slips:
        return published_mass_matrix(platform, pose, slips, spin)
    state, _ = configuration(platform, pose, check_spin(platform, spin)[0])
    assembly = assemble(platform)
    X = to_center(assembly, state)
    return transpose(X) @ reduce(assembly, state).M @ X


def bias(
    platform: Platform, motion: Motion, *, spin: SpinLike | None = None, **keep: Unpack[Keep]
) -> Array:
    """``b`` (..., 6) of ``M_x (a, al) + b = J^T F + wrench``: weight, velocity terms, friction."""
    slips = ABOUT.kept(**keep)
    if slips:
        return published_bias(platform, motion, slips, spin)
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    a_0 = center_acceleration(assembly, state, np.zeros(3), np.zeros(3))
    return apply(transpose(to_center(assembly, state)), apply(reduced.M, a_0) + reduced.bias)


def forward_dynamics(
    platform: Platform,
    motion: Motion,
    force: ArrayLike,
    external: ArrayLike | None = None,
    *,
    spin: SpinLike | None = None,
) -> ForwardDynamics:
    """Accelerations of the reference point (and of free spins) that actuator forces (..., 6) cause."""
    refuse_links(platform)
    assembly = assemble(platform)
    state, _ = body_motion(platform, motion, spin)
    reduced = reduce(assembly, state)
    wrench = external_wrench(assembly, state, _external(motion, external))
    F = array("force", force, (6,))
    _fit("force", F, state.shape)
    right = apply(reduced.Jt, F) - reduced.bias + wrench
    a_p = np.asarray(np.linalg.solve(reduced.M, right[..., None])[..., 0], dtype=np.float64)
    ud, _ = reduced.unknowns(a_p, np.broadcast_to(F, (*state.shape, 6)))
    a, al = a_p[..., :3], a_p[..., 3:]
    shift = center_acceleration(assembly, state, np.zeros(3), al)[..., :3]  # to the mass center
    return ForwardDynamics(a - shift, al, _axial(assembly, state, ud))


def refuse_links(platform: Platform) -> None:
    """Legs without a drive: their forces are not given but found, which the exact model does."""
    for i, leg in enumerate(platform.legs):
        if getattr(leg, "fixed", None) is not None:
            problem = "multibody moves legs by given forces; use formulation 'exact'"
            raise InputError(f"legs[{i}]", "a fixed link", problem)


def reactions(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    spin: SpinLike | None = None,
    **keep: Unpack[Keep],
) -> Reactions:
    """All joint reactions, from the multipliers."""
    return inverse_dynamics(platform, motion, external, spin=spin, **keep).reactions


def _external(motion: Motion, external: ArrayLike | None) -> Array | None:
    if external is None:
        return None
    wrench = array("external", external, (6,))
    _fit("external", wrench, motion.shape)
    return np.broadcast_to(wrench, (*motion.shape, 6))


def _fit(field: str, values: Array, shape: tuple[int, ...]) -> None:
    """Refuse batch axes that the motion does not have."""
    if batch_shape(field, shape, values.shape[:-1]) != shape:
        raise InputError(field, f"batch shape {values.shape[:-1]}", f"must fit {shape}")
