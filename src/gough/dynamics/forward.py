"""Forward dynamics, mass matrix, bias and energy of the exact model; the papers' mass matrices and biases.

M xdd + b = J^T F + (F_e, M_e)     task space: (v, w) of the reference point, world axes
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.dynamics.formulation import guarded, published_verb
from gough.engines.evaluate import (
    as_motion,
    check_platform,
    motion_blocks,
    run,
    spin_block,
    vector_block,
)
from gough.kinematics.feasibility import refuse
from gough.layout import ENERGY, FORWARD, POSE, STATE
from gough.model import Platform
from gough.results import Energy, ForwardDynamics, Spin
from gough.spatial import Motion, Pose

_UPPER = np.triu_indices(6)
_FULL = np.empty((6, 6), dtype=int)  # where each entry of the matrix stands in its upper triangle
_FULL[_UPPER] = _FULL.T[_UPPER] = np.arange(21)


def forward_dynamics(
    platform: Platform,
    motion: Motion | Pose,
    force: ArrayLike,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
    engine: str = "native",
) -> ForwardDynamics:
    """Accelerations caused by actuator efforts (..., 6) and an external wrench (..., 6, platform axes).

    ``xdd = M^-1 (J^T F + wrench - b)``; the accelerations inside `motion` are not read.
    """
    out = _forward(platform, motion, force, external, spin, engine)
    return ForwardDynamics(
        out[..., FORWARD.acceleration],
        out[..., FORWARD.angular_acceleration],
        out[..., FORWARD.spin_acceleration],
    )


def bias(
    platform: Platform,
    motion: Motion | Pose,
    formulation: str = "exact",
    published: bool = False,
    *,
    spin: Spin | None = None,
    engine: str = "native",
) -> Array:
    """``b`` (..., 6): gravity, velocity and friction terms, force then moment about the reference point.

    formulation, published  as in `inverse_dynamics`
    """
    verb = published_verb("bias", formulation, published, spin)
    if verb is not None:
        check_platform(platform)
        state = as_motion(motion)
        return guarded(platform, state, lambda: verb(platform, state))
    return _forward(platform, motion, None, None, spin, engine)[..., FORWARD.bias]


def _forward(
    platform: Platform,
    motion: Motion | Pose,
    force: ArrayLike | None,
    external: ArrayLike | None,
    spin: Spin | None,
    engine: str,
) -> Array:
    check_platform(platform)
    motion = as_motion(motion)
    loads = [
        vector_block("force", force, motion.shape),
        vector_block("external", external, motion.shape),
    ]
    return _evaluate(
        "forward",
        platform,
        motion,
        loads,
        spin,
        engine,
        "the mass matrix is singular: give the platform or its legs some mass",
    )


def _evaluate(
    function: str,
    platform: Platform,
    motion: Motion,
    loads: list[Array],
    spin: Spin | None,
    engine: str,
    otherwise: str,
) -> Array:
    """(..., outputs) of a machine function; an answer that is not finite is refused with its reason."""
    given = POSE if function == "mass" else STATE
    blocks = [*motion_blocks(motion, len(given.names)), *loads]
    out = run(function, platform, blocks, spin_block(platform, spin, motion.shape), engine)
    out = out.reshape(*motion.shape, out.shape[-1])
    finite = np.isfinite(out)
    if not finite.all():
        raise refuse(platform, motion, ~finite.all(axis=-1), otherwise)
    return out


def mass_matrix(
    platform: Platform,
    pose: Pose | Motion,
    formulation: str = "exact",
    published: bool = False,
    *,
    spin: Spin | None = None,
    engine: str = "native",
) -> Array:
    """``M`` (..., 6, 6), symmetric positive definite, drives included; free spins of SPS legs condensed out.

    formulation, published  as in `inverse_dynamics`
    """
    check_platform(platform)
    motion = as_motion(pose)
    verb = published_verb("mass_matrix", formulation, published, spin)
    if verb is not None:
        return guarded(platform, motion, lambda: verb(platform, motion.pose))
    upper = _evaluate("mass", platform, motion, [], spin, engine, "a leg has no finite mass here")
    return np.take(upper, _FULL, axis=-1)


def energy(
    platform: Platform, motion: Motion | Pose, *, spin: Spin | None = None, engine: str = "native"
) -> Energy:
    """Kinetic and potential energy of platform, legs and drive rotors, J.  ``T = xd^T M xd/2``, ``V = -sum m g.r``"""
    check_platform(platform)
    motion = as_motion(motion)
    out = _evaluate("energy", platform, motion, [], spin, engine, "a leg has no finite energy here")
    return Energy(kinetic=out[..., ENERGY.kinetic], potential=out[..., ENERGY.potential])
