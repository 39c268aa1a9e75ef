"""Forward dynamics, mass matrix, bias and energy of the exact model.

    M xdd + b = J^T F + (F_e, M_e)     task space: (v, w) of the reference point, world axes
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.engines.evaluate import as_motion, check_platform, motion_blocks, run, spin_block, vector_block
from gough.kinematics.feasibility import refuse
from gough.model import Platform
from gough.results import Energy, ForwardDynamics, Spin
from gough.spatial import Motion, Pose

_UPPER = np.triu_indices(6)


def forward_dynamics(platform: Platform, motion: Motion | Pose, force: ArrayLike, external: ArrayLike | None = None,
                     *, spin: Spin | None = None, engine: str = "native") -> ForwardDynamics:
    """Accelerations caused by actuator efforts (..., 6) and an external wrench (..., 6, platform axes).

    ``xdd = M^-1 (J^T F + wrench - b)``; the accelerations inside `motion` are not read.
    """
    out, motion = _forward(platform, motion, force, external, spin, engine)
    return ForwardDynamics(out[..., :3], out[..., 3:6], out[..., 6:12])


def bias(platform: Platform, motion: Motion | Pose, *, spin: Spin | None = None, engine: str = "native") -> Array:
    """``b`` (..., 6): gravity, velocity and friction terms, force then moment about the reference point."""
    out, _ = _forward(platform, motion, None, None, spin, engine)
    return out[..., 12:]


def _forward(platform: Platform, motion: Motion | Pose, force: ArrayLike | None, external: ArrayLike | None,
             spin: Spin | None, engine: str) -> tuple[Array, Motion]:
    check_platform(platform)
    motion = as_motion(motion)
    blocks = [*motion_blocks(motion, 4), vector_block("force", force, motion.shape),
              vector_block("external", external, motion.shape)]
    out = run("forward", platform, blocks, spin_block(platform, spin, motion.shape), engine)
    out = out.reshape(*motion.shape, 18)
    bad = ~np.isfinite(out).all(axis=-1)
    if bad.any():
        raise refuse(platform, motion, bad, "the mass matrix is singular: give the platform or its legs some mass")
    return out, motion


def mass_matrix(platform: Platform, pose: Pose | Motion, *, spin: Spin | None = None,
                engine: str = "native") -> Array:
    """``M`` (..., 6, 6), symmetric positive definite, drives included; free spins of SPS legs condensed out."""
    check_platform(platform)
    motion = as_motion(pose)
    spins = spin_block(platform, spin, motion.shape)
    out = run("mass", platform, motion_blocks(motion, 2), spins, engine).reshape(*motion.shape, 21)
    bad = ~np.isfinite(out).all(axis=-1)
    if bad.any():
        raise refuse(platform, motion, bad, "a leg has no finite mass here")
    M = np.empty((*motion.shape, 6, 6))
    M[..., _UPPER[0], _UPPER[1]] = out
    M[..., _UPPER[1], _UPPER[0]] = out
    return M


def energy(platform: Platform, motion: Motion | Pose, *, spin: Spin | None = None, engine: str = "native") -> Energy:
    """Kinetic and potential energy of platform, legs and drive rotors, J.  ``T = xd^T M xd/2``, ``V = -sum m g.r``"""
    check_platform(platform)
    motion = as_motion(motion)
    spins = spin_block(platform, spin, motion.shape)
    out = run("energy", platform, motion_blocks(motion, 4), spins, engine).reshape(*motion.shape, 2)
    bad = ~np.isfinite(out).all(axis=-1)
    if bad.any():
        raise refuse(platform, motion, bad, "a leg has no finite energy here")
    return Energy(kinetic=out[..., 0], potential=out[..., 1])
