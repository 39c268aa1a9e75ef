"""What can be asked of the Newton-Euler formulation."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.formulations.arrays import (
    MotionArrays,
    UPSArrays,
    motion_arrays,
    ups_arrays,
    wrench_matrix,
)
from gough.formulations.linear import apply, solve_columns
from gough.formulations.newton_euler.balance import balance, joint_reactions
from gough.formulations.newton_euler.errata import ABOUT
from gough.formulations.newton_euler.kinematics import leg_kinematics
from gough.formulations.protocol import Keep
from gough.model import Platform
from gough.results import InverseDynamics, LegMotion, Reactions, condition_number
from gough.spatial import Motion, Pose

STILL = np.zeros(3)


def inverse_dynamics(
    platform: Platform, motion: Motion, external: ArrayLike | None = None, **keep: Unpack[Keep]
) -> InverseDynamics:
    """Actuator forces ``F = D - x`` with ``H x = c``, (..., 6) N.  [Dasgupta1998] (36), (37)

    external: (..., 6) force and moment on the platform at its reference point, platform axes.
    extra["massless"], extra["dynamic"]: F0 of eq 41 and F - F0 of eq 42.
    """
    slips, legs = ABOUT.kept(**keep), _legs(platform)
    system = balance(legs, platform.body, motion_arrays(motion), external, platform.gravity, slips)
    both = np.stack(np.broadcast_arrays(system.c, system.c0), axis=-1)
    solved = solve_columns(
        system.H, both, "singular pose: no leg forces hold the platform (H has no inverse)"
    )
    x, x0 = np.moveaxis(solved, -1, 0)
    F = system.D - x  # (37)
    return InverseDynamics(
        force=F,
        wrench_matrix=system.H,
        formulation=ABOUT.name,
        published=bool(slips),
        characteristic_length=platform.characteristic_length,
        extra={"massless": -x0, "dynamic": F + x0},  # (41), (42)
        compute_reactions=lambda: joint_reactions(legs, system, x, platform.gravity),
    )


def reactions(
    platform: Platform, motion: Motion, external: ArrayLike | None = None, **keep: Unpack[Keep]
) -> Reactions:
    """All joint reactions, world axes.  [Dasgupta1998] (17)-(18), (21), (25)-(29)"""
    return inverse_dynamics(platform, motion, external, **keep).reactions


def mass_matrix(platform: Platform, pose: Pose, **keep: Unpack[Keep]) -> Array:
    """Task-space mass matrix (..., 6, 6), world axes, at the reference point.

    Column j is the wrench ``H F`` that a unit acceleration j asks for at rest without gravity:
    ``H F = H D - c``, so no solve is needed and singular poses are allowed.
    """
    unit = np.eye(6).reshape(6, *(1,) * len(pose.shape), 6)
    x = MotionArrays(pose.position, pose.rotation, STILL, STILL, unit[..., :3], unit[..., 3:])
    return np.moveaxis(_required(platform, x, STILL, ABOUT.kept(**keep)), 0, -1)


def bias(platform: Platform, motion: Motion, **keep: Unpack[Keep]) -> Array:
    """``b`` of ``M xdd + b = H F + wrench``: the wrench asked for at zero acceleration, (..., 6)."""
    x = motion_arrays(motion)._replace(a=STILL, al=STILL)
    return _required(platform, x, platform.gravity, ABOUT.kept(**keep))


def dynamic_fraction(
    platform: Platform, motion: Motion, external: ArrayLike | None = None, **keep: Unpack[Keep]
) -> Array:
    """``F_d / F``, the share of leg inertia, leg weight and friction, (..., 6).  [Dasgupta1998] Sec. 4.4"""
    result = inverse_dynamics(platform, motion, external, **keep)
    with np.errstate(divide="ignore"):
        return result.extra["dynamic"] / result.force


def condition(platform: Platform, pose: Pose) -> Array:
    """Ratio of the extreme singular values of H, SI, mixed units as in the paper.  [Dasgupta1998] Sec. 4.2"""
    k = leg_kinematics(_legs(platform), motion_arrays(Motion.at_rest(pose)), frozenset())
    return condition_number(wrench_matrix(k.s, k.q))


def leg_motion(platform: Platform, motion: Motion, **keep: Unpack[Keep]) -> LegMotion:
    """Lengths, rates and angular motion of the legs.  [Dasgupta1998] (2)-(9)"""
    k = leg_kinematics(_legs(platform), motion_arrays(motion), ABOUT.kept(**keep))
    return LegMotion(k.L, k.Ld, k.Ldd, k.s, k.W, k.A)


def _required(platform: Platform, x: MotionArrays, g: Array, slips: frozenset[str]) -> Array:
    """``H F = H D - c``."""
    system = balance(_legs(platform), platform.body, x, None, g, slips)
    return apply(system.H, system.D) - system.c


def _legs(platform: Platform) -> UPSArrays:
    ABOUT.check(platform)
    return ups_arrays(platform)
