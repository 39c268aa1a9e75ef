"""Inverse dynamics: the actuator efforts that a motion needs, by the exact model or a published formulation."""

from __future__ import annotations

from dataclasses import fields, replace

from numpy.typing import ArrayLike

from gough import guard
from gough.checks import Array
from gough.dynamics.formulation import FORMULATIONS as FORMULATIONS
from gough.dynamics.formulation import published_verb
from gough.engines.evaluate import Evaluation, as_motion, check_platform, evaluation
from gough.guard import MAX_CONDITION
from gough.kinematics.jacobian import wrench_matrix
from gough.layout import FORCES, LEG_RECORD
from gough.model import Platform
from gough.results import InverseDynamics, Reactions, Spin
from gough.spatial import Motion, Pose

RECORD = ("record", slice(0, 6 * LEG_RECORD.size))


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
    """Actuator efforts, and on request joint reactions, condition number, and how many digits are right.

    motion         pose, twist and acceleration, (...) batch axes; a bare pose is at rest
    external       (..., 6) force and moment on the platform at its reference point, **platform axes**, N and N m
    formulation    "exact", or one of the papers': "newton-euler", "universal", "lagrange", "kane", "multibody"
    published      with a paper's formulation: what the paper prints, its errors included
    spin           state of SPS legs that are not axisymmetric
    max_condition  poses beyond this condition number (characteristic length) are refused, and legs at singularities
                   of their own; ``inf`` computes whatever is finite, `InverseDynamics.digits` says what it is worth
    """
    limit = guard.checked_condition(max_condition)
    verb = published_verb("inverse_dynamics", formulation, published, spin)
    if verb is not None:
        check_platform(platform)
        motion = as_motion(motion)
        question = guard.Question(limit, spinning=spin is not None)
        guard.judge_pose(platform, motion, question)
        found = verb(platform, motion, external)
        guard.judge_finite(platform, motion, found.force, question)
        return found if published else _marked(found, platform, motion, spin, external)
    exact = evaluation("forces", platform, motion, spin, engine, external=external)
    shape, force = exact.motion.shape, exact.judged(limit)[..., FORCES.effort]

    def record() -> Array:
        return exact.run("record").reshape(*shape, 6, LEG_RECORD.size)

    def reactions() -> Reactions:
        legs = record()
        return Reactions(
            **{f.name: legs[..., getattr(LEG_RECORD, f.name)] for f in fields(Reactions)}
        )

    return InverseDynamics(
        force=force,
        characteristic_length=platform.characteristic_length,
        spin_acceleration=None
        if exact.spins is None
        else record()[..., LEG_RECORD.spin_acceleration],
        compute_reactions=reactions,
        compute_wrench_matrix=lambda: wrench_matrix(platform, exact.motion),
        compute_error=lambda: exact.error(force),
        compute_leg_errors=lambda: exact.error(record(), RECORD),
    )


def _marked(
    found: InverseDynamics,
    platform: Platform,
    motion: Motion,
    spin: Spin | None,
    external: ArrayLike | None,
) -> InverseDynamics:
    """A formulation's answer with its errors: the distance to the exact one, plus the bound of that."""

    def exact() -> Evaluation:
        return evaluation("forces", platform, motion, spin, external=external)

    def leg_errors() -> Array:
        e = exact()
        record = e.run("record").reshape(*motion.shape, 6, LEG_RECORD.size)
        for f in fields(Reactions):
            record[..., getattr(LEG_RECORD, f.name)] = getattr(found.reactions, f.name)
        if found.spin_acceleration is not None:
            record[..., LEG_RECORD.spin_acceleration] = found.spin_acceleration
        return e.error(record, RECORD)

    return replace(
        found,
        compute_error=lambda: exact().error(found.force),
        compute_leg_errors=leg_errors if found.has_reactions else None,
    )
