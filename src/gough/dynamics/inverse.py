"""Inverse dynamics: the actuator efforts that a motion needs, by the exact model or a published formulation."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.dynamics.formulation import FORMULATIONS as FORMULATIONS
from gough.dynamics.formulation import guarded, published_verb
from gough.engines.evaluate import (
    as_motion,
    check_platform,
    motion_blocks,
    run,
    spin_block,
    vector_block,
)
from gough.kinematics.feasibility import ill_conditioned, pose_problem, refuse
from gough.kinematics.jacobian import wrench_matrix
from gough.layout import FORCES, LEG_RECORD
from gough.model import Platform
from gough.results import InverseDynamics, Reactions, Spin, condition_number
from gough.spatial import Motion, Pose

MAX_CONDITION = (
    1e8  # of H with the characteristic length; beyond it at most half of the digits are left
)


def inverse_dynamics(
    platform: Platform,
    motion: Motion | Pose,
    external: ArrayLike | None = None,
    formulation: str = "exact",
    published: bool = False,
    *,
    spin: Spin | None = None,
    engine: str = "native",
    max_condition: float = MAX_CONDITION,
) -> InverseDynamics:
    """Actuator efforts, and on request joint reactions and condition number.

    motion         pose, twist and acceleration, (...) batch axes; a bare pose is at rest
    external       (..., 6) force and moment on the platform at its reference point, **platform axes**, N and N m
    formulation    "exact", or one of the papers': "newton-euler", "universal", "lagrange", "kane", "multibody"
    published      with a paper's formulation: what the paper prints, its errors included
    spin           state of SPS legs that are not axisymmetric
    max_condition  poses beyond this condition number (characteristic length) are refused; ``inf`` computes all
    """
    check_platform(platform)
    motion = as_motion(motion)
    verb = published_verb("inverse_dynamics", formulation, published, spin)
    if verb is not None:
        return guarded(platform, motion, lambda: verb(platform, motion, external), max_condition)
    shape = motion.shape
    blocks = [*motion_blocks(motion), vector_block("external", external, shape)]
    spins = spin_block(platform, spin, shape)
    out = run("forces", platform, blocks, spins, engine).reshape(*shape, FORCES.size)
    _refuse_singular(platform, motion, out[..., FORCES.risk], max_condition)

    def record() -> Array:
        return run("record", platform, blocks, spins, engine).reshape(*shape, 6, LEG_RECORD.size)

    def reactions() -> Reactions:
        legs = record()
        return Reactions(
            **{f.name: legs[..., getattr(LEG_RECORD, f.name)] for f in fields(Reactions)}
        )

    spun = (
        None
        if spins is None
        else (
            record()[..., LEG_RECORD.spin_acceleration] * [kind == "SPS" for kind in platform.kinds]
        )
    )
    return InverseDynamics(
        force=out[..., FORCES.effort],
        characteristic_length=platform.characteristic_length,
        spin_acceleration=spun,
        compute_reactions=reactions,
        compute_wrench_matrix=lambda: wrench_matrix(platform, motion),
    )


def _refuse_singular(platform: Platform, motion: Motion, risk: Array, max_condition: float) -> None:
    """The kernel's risk sum is a cheap lower bound; only suspicious states pay for singular values."""
    limit = (max_condition / 1e3) ** 2
    if not motion.shape and math.isfinite(risk) and risk <= limit:
        return
    with np.errstate(invalid="ignore"):
        broken = ~np.isfinite(risk)
        suspect = np.asarray(risk > limit)
    if broken.any():
        raise refuse(
            platform, motion, broken, "the legs' directions are dependent (platform singularity)"
        )
    if suspect.any():
        H = wrench_matrix(platform, motion[suspect] if motion.shape else motion)
        cond = condition_number(H, platform.characteristic_length)
        bad = np.zeros(risk.shape, dtype=bool)
        states = zip(motion.position[suspect], motion.rotation[suspect], strict=True)
        bad[suspect] = [pose_problem(platform, t, R) is not None for t, R in states]
        bad[suspect] |= ~(cond <= max_condition)
        if bad.any():
            sentence = ill_conditioned(float(np.max(cond)), max_condition)
            raise refuse(platform, motion, bad, sentence)
