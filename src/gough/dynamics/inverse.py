"""Inverse dynamics: the actuator efforts that a motion needs, by the exact model or a published formulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough import formulations
from gough.checks import Array, InputError
from gough.engines.evaluate import as_motion, check_platform, motion_blocks, run, spin_block, vector_block
from gough.kinematics.feasibility import pose_problem, refuse
from gough.kinematics.jacobian import wrench_matrix
from gough.model import Platform
from gough.results import InverseDynamics, Reactions, Spin, condition_number
from gough.spatial import Motion, Pose

FORMULATIONS = ("exact", *formulations.FORMULATIONS)
MAX_CONDITION = 1e8  # of H with the characteristic length; beyond it at most half of the digits are left


def inverse_dynamics(platform: Platform, motion: Motion | Pose, external: ArrayLike | None = None,
                     formulation: str = "exact", published: bool = False, *, spin: Spin | None = None,
                     engine: str = "native", max_condition: float = MAX_CONDITION) -> InverseDynamics:
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
    if formulation != "exact":
        solve = formulations.verb(formulation, "inverse_dynamics")
        given = {} if spin is None else {"spin": _only_multibody(formulation, spin)}
        return solve(platform, motion, external, published=published, **given)
    if published:
        raise InputError("published", True, "the exact model was not published with errors; choose a formulation")
    blocks = [*motion_blocks(motion), vector_block("external", external, motion.shape)]
    spins = spin_block(platform, spin, motion.shape)
    out = run("forces", platform, blocks, spins, engine).reshape(*motion.shape, 7)
    _refuse_singular(platform, motion, out[..., 6], max_condition)

    def record() -> Array:
        return run("record", platform, blocks, spins, engine).reshape(*motion.shape, 6, 31)

    def reactions() -> Reactions:
        r = record()
        return Reactions(spherical_force=r[..., 15:18], universal_force=r[..., 18:21], universal_moment=r[..., 21:24],
                         prismatic_force=r[..., 24:27], prismatic_moment=r[..., 27:30])

    return InverseDynamics(
        force=out[..., :6], characteristic_length=platform.characteristic_length, compute_reactions=reactions,
        compute_wrench_matrix=lambda: wrench_matrix(platform, motion),
        spin_acceleration=None if spins is None else record()[..., 14] * [kind == "SPS" for kind in platform.kinds])


def _only_multibody(formulation: str, spin: Spin) -> Spin:
    if "spin" not in formulations.FORMULATIONS[formulation].ABOUT.gives:
        raise InputError("spin", spin, f"{formulation} has no spinning legs; exact and multibody have")
    return spin


def _refuse_singular(platform: Platform, motion: Motion, risk: Array, max_condition: float) -> None:
    """The kernel's risk sum is a cheap lower bound; only suspicious states pay for singular values."""
    with np.errstate(invalid="ignore"):
        broken = ~np.isfinite(risk)
        suspect = np.asarray(risk > (max_condition / 1e3) ** 2)
    if broken.any():
        raise refuse(platform, motion, broken, "the legs' directions are dependent (platform singularity)")
    if suspect.any():
        H = wrench_matrix(platform, motion[suspect] if motion.shape else motion)
        cond = condition_number(H, platform.characteristic_length)
        bad = np.zeros(risk.shape, dtype=bool)
        states = zip(motion.position[suspect], motion.rotation[suspect], strict=True)
        bad[suspect] = [pose_problem(platform, t, R) is not None for t, R in states]
        bad[suspect] |= ~(cond <= max_condition)
        if bad.any():
            raise refuse(platform, motion, bad, (
                f"singular: condition number {float(np.max(cond)):.3g} exceeds {max_condition:.3g}; "
                "pass a larger max_condition to compute the forces all the same"))
