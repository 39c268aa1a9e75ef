"""Inverse dynamics: the actuator efforts that a motion needs, by the exact model or a published formulation."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from numpy.typing import ArrayLike

from gough import border, guard
from gough.base_motion import base_twist
from gough.checks import Array, InputError
from gough.dynamics.dry_joints import with_dry_joints
from gough.dynamics.formulation import FORMULATIONS as FORMULATIONS
from gough.dynamics.formulation import published_verb
from gough.dynamics.laws.inverse import motor_efforts
from gough.engines.evaluate import Evaluation, as_motion, check_platform, evaluation
from gough.equations.machine import MOVING
from gough.guard import MAX_CONDITION
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.jacobian import wrench_matrix
from gough.layout import FORCES, LEG_RECORD, MOVING_RECORD
from gough.links import ACCELERATION, links, refuse_off_links
from gough.model import Platform
from gough.results import InverseDynamics, Reactions, Spin
from gough.spatial import Motion, Pose

NO_SPIN = np.zeros(6)
NO_SPIN.flags.writeable = False


@border.outside(engine="auto")
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
    drives: bool = False,
    base: Motion | None = None,
    dry: bool = False,
) -> InverseDynamics:
    """Actuator efforts, and on request joint reactions, condition number, and how many digits are right.

    Of a fixed link the force in it stands in the place of an effort (`InverseDynamics.link_force`).

    motion         pose, twist and acceleration, (...) batch axes; a bare pose is at rest
    external       (..., 6) force and moment on the platform at its reference point, **platform axes**, N and N m
    formulation    "exact", or one of the papers': "newton-euler", "universal", "lagrange", "kane", "multibody"
    published      with a paper's formulation: what the paper prints, its errors included
    spin           state of legs that spin freely (SPS, UCS, RSS) where it matters: not axisymmetric, or rubbing
    engine         "native" compiled, "python" plain, "cuda" on an NVIDIA GPU; by default native, but where its kernel
                   is still to be compiled, a small batch is answered by python meanwhile (docs/performance.md)
    max_condition  poses beyond this condition number (characteristic length) are refused, and legs at singularities
                   of their own; ``inf`` computes whatever is finite, `InverseDynamics.digits` says what it is worth
    drives         True: efforts of the motors, at the actuator coordinates, that are left with these efforts behind
                   friction and gear loss: what `gough.simulate` takes as `force`, whose drives then give the motion.
                   A motion with times is followed along its last axis from friction at ease, gears loaded by what
                   holds the first pose, as a simulation that starts there; states without times slide steadily.
                   Limits are not applied; drives with a stiffness are refused.
    base           motion of the base in the world (`gough.BaseMotion`): `motion`, `external` and all answers are then
                   against the base, in its axes; so are spins of legs (those that need none have none in the world)
    dry            True: with dry friction of the joints that grows with their loads (`Friction.universal_dry`,
                   `spherical_dry`): `InverseDynamics.dry` says the loads, how sure the answer is the only one, and the
                   band where joints stick.  Without it dry friction is left out, as by every other verb
    """
    limit = guard.checked_condition(max_condition)
    if dry and (formulation != "exact" or base is not None or engine == "cuda"):
        why = (
            "is served by the exact formulation on a base at rest, by the native and python engines"
        )
        raise InputError("dry", dry, why)
    verb = published_verb("inverse_dynamics", formulation, published, spin, base)
    if verb is None:
        exact = evaluation("forces", platform, motion, spin, engine, base, external=external)
        motion, found = exact.motion, _exact(exact, limit, base)
        if dry:
            found = _rubbed(exact, found)
    else:
        check_platform(platform)
        motion = as_motion(motion)
        refuse_off_links(platform, motion, ACCELERATION)
        question = guard.Question(limit, spinning=spin is not None)
        guard.judge_pose(platform, motion, question)
        with np.errstate(invalid="ignore", over="ignore"):
            found = verb(platform, motion, external)
        guard.judge_finite(platform, motion, found.force, question)
        if not published:
            found = _marked(found, platform, motion, spin, external)
    held = links(platform).legs
    if len(held):
        found = replace(found, links=tuple(held.tolist()))
    return _at_motors(platform, motion, found, spin) if drives else found


def _exact(exact: Evaluation, max_condition: float, base: Motion | None) -> InverseDynamics:
    platform, motion = exact.platform, exact.motion
    force = exact.judged(max_condition)[..., FORCES.effort]
    name, layout = ("record", LEG_RECORD) if base is None else (MOVING + "record", MOVING_RECORD)

    def record() -> Array:
        return exact.run(name).reshape(*motion.shape, 6, layout.size)

    spun = NO_SPIN if not motion.shape else np.zeros(force.shape)
    return InverseDynamics(
        force=force,
        characteristic_length=platform.characteristic_length,
        spin_acceleration=spun
        if exact.spins is None
        else record()[..., LEG_RECORD.spin_acceleration],
        compute_reactions=lambda: _reactions(record()),
        compute_wrench_matrix=lambda: wrench_matrix(platform, motion),
        compute_error=lambda: exact.error(force),
        compute_leg_errors=lambda: exact.error(record(), (name, slice(0, 6 * layout.size))),
        compute_base_wrench=None
        if base is None
        else lambda: record()[..., MOVING_RECORD.ground].sum(axis=-2),
        base_twist=None if base is None else base_twist(base),
    )


def _rubbed(exact: Evaluation, found: InverseDynamics) -> InverseDynamics:
    """The answer with dry friction of the joints; it carries no error bound."""
    record, joints = with_dry_joints(exact)
    force = np.ascontiguousarray(record[..., LEG_RECORD.effort])
    return replace(
        found,
        force=force,
        spin_acceleration=record[..., LEG_RECORD.spin_acceleration],
        compute_reactions=lambda: _reactions(record),
        compute_error=None,
        compute_leg_errors=None,
        dry=joints,
    )


def _reactions(record: Array) -> Reactions:
    return Reactions(
        **{f.name: record[..., getattr(LEG_RECORD, f.name)] for f in fields(Reactions)}
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
        return e.error(record, ("record", slice(0, 6 * LEG_RECORD.size)))

    return replace(
        found,
        compute_error=lambda: exact().error(found.force),
        compute_leg_errors=leg_errors if found.has_reactions else None,
    )


def _at_motors(
    platform: Platform, motion: Motion, found: InverseDynamics, spin: Spin | None
) -> InverseDynamics:
    """The same answer with the motors' efforts; it carries no error bound."""
    legs, drives = inverse_kinematics(platform, motion), [leg.drive for leg in platform.legs]
    force, torque = (
        motor_efforts(platform, motion, legs, found.force, spin, found.spin_acceleration),
        None,
    )
    if all(drive is not None and drive.hydraulic is None for drive in drives):
        torque = force / np.array([drive.ratio for drive in drives if drive is not None])
        torque.flags.writeable = False
    return replace(
        found, force=force, actuator_force=found.force, motor_torque=torque, compute_error=None
    )
