"""Forward dynamics, mass matrix, bias and energy of the exact model; the papers' mass matrices and biases.

M xdd + b = J^T F + (F_e, M_e)     task space: (v, w) of the reference point, world axes
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough import guard
from gough.checks import Array
from gough.dynamics.formulation import published_verb
from gough.engines.evaluate import Evaluation, as_motion, check_platform
from gough.layout import ENERGY, FORWARD, FULL, MASS
from gough.model import Platform
from gough.results import Energy, ForwardDynamics, Spin
from gough.spatial import Motion, Pose

ACCELERATION = slice(FORWARD.at("acceleration"), FORWARD.at("spin_acceleration"))
SINGULAR_MASS = "the mass matrix is singular: give the platform or its legs some mass"
ENERGIES = slice(ENERGY.kinetic, ENERGY.risk)


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
    drive = Evaluation("forward", platform, motion, spin, engine, force=force, external=external)
    out = drive.judged(ACCELERATION, SINGULAR_MASS)
    found = out[..., ACCELERATION]
    return ForwardDynamics(
        out[..., FORWARD.acceleration],
        out[..., FORWARD.angular_acceleration],
        out[..., FORWARD.spin_acceleration],
        compute_error=lambda: drive.error(found, ACCELERATION),
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
        motion = as_motion(motion)
        guard.inspect(platform, motion, spinning=spin is not None)
        return guard.finite(platform, motion, verb(platform, motion))
    still = Evaluation("forward", platform, motion, spin, engine, force=None, external=None)
    return still.judged(FORWARD.bias, SINGULAR_MASS)[..., FORWARD.bias]


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
    verb = published_verb("mass_matrix", formulation, published, spin)
    if verb is not None:
        check_platform(platform)
        motion = as_motion(pose)
        guard.inspect(platform, motion, spinning=spin is not None)
        M = verb(platform, motion.pose)
        guard.finite(platform, motion, M.reshape(*motion.shape, -1))
        return M
    still = Evaluation("mass", platform, pose, spin, engine)
    upper = still.judged(MASS.upper, "a leg has no finite mass here")
    return np.take(upper, FULL, axis=-1)


def energy(
    platform: Platform, motion: Motion | Pose, *, spin: Spin | None = None, engine: str = "native"
) -> Energy:
    """Kinetic and potential energy of platform, legs and drive rotors, J.  ``T = xd^T M xd/2``, ``V = -sum m g.r``"""
    moving = Evaluation("energy", platform, motion, spin, engine)
    out = moving.judged(ENERGIES, "a leg has no finite energy here")
    return Energy(
        kinetic=out[..., ENERGY.kinetic],
        potential=out[..., ENERGY.potential],
        compute_error=lambda: moving.error(out[..., ENERGIES], ENERGIES),
    )
