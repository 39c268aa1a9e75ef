"""What can be asked of the Lagrange formulation."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from gough.checks import Array
from gough.formulations.arrays import effort_wrenches, world_wrench
from gough.formulations.lagrange.balance import Terms, energies_at, terms_at, to_base
from gough.formulations.lagrange.errata import ABOUT, LinkOptions, variant
from gough.formulations.linear import apply, dot, join, solve, transpose
from gough.model import Platform
from gough.results import InverseDynamics
from gough.spatial import Motion, Pose


def inverse_dynamics(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    chart: str = "local",
    **model: Unpack[LinkOptions],
) -> InverseDynamics:
    """Actuator forces (..., 6), N: ``tau = J^-T (f - friction - external)``.  002 eqs 2, 14

    external  (..., 6) force and moment on the platform at its reference point, platform axes
    chart     "local" (good in every orientation) or "euler" (the paper's angles)
    """
    chosen = variant(platform, **model)
    found = terms_at(platform, motion, chosen, chart)
    here = found.energies
    f = (
        found.base_force
        - to_base(found.map, found.friction)
        - world_wrench(motion.rotation, external)
    )
    tau = solve(
        transpose(here.J_C),
        f,  # (14)
        "the actuator Jacobian is singular: no set of actuator forces balances the platform",
    )
    return InverseDynamics(
        tau,
        effort_wrenches(platform, here.s, here.q, here.J_C),
        formulation=ABOUT.name,
        published=bool(chosen.errata),
        characteristic_length=platform.characteristic_length,
        extra={"generalized_force": found.generalized_force, "base_force": found.base_force},
    )


def mass_matrix(platform: Platform, pose: Pose, **model: Unpack[LinkOptions]) -> Array:
    """Inertia matrix (..., 6, 6) at the reference point, world axes.  002 eq 73 in the base frame"""
    return energies_at(platform, pose.position, pose.rotation, variant(platform, **model)).inertia


def bias(platform: Platform, motion: Motion, **model: Unpack[LinkOptions]) -> Array:
    """``b`` (..., 6) of ``M (a, al) + b = J^T tau + external``: velocity, gravity, friction; world axes."""
    still = Motion.trusted(
        motion.position, motion.rotation, motion.velocity, motion.angular_velocity
    )
    found = terms_at(platform, still, variant(platform, **model), "local")
    return to_base(found.map, found.generalized_force - found.friction)


def terms(
    platform: Platform, motion: Motion, *, chart: str = "euler", **model: Unpack[LinkOptions]
) -> Terms:
    """Inertia, Coriolis and gravity terms in the paper's Euler coordinates, or in the local chart."""
    return terms_at(platform, motion, variant(platform, **model), chart)


def energy(platform: Platform, motion: Motion, **model: Unpack[LinkOptions]) -> tuple[Array, Array]:
    """Kinetic and potential energy (...), J.  002 eqs 15, 66"""
    found = energies_at(platform, motion.position, motion.rotation, variant(platform, **model))
    twist = join(motion.velocity, motion.angular_velocity)
    return dot(twist, apply(found.inertia, twist)) / 2, found.potential


def parts(platform: Platform, pose: Pose, **model: Unpack[LinkOptions]) -> dict[str, Array]:
    """Equivalent inertia matrices (..., 6, 6) of platform, actuators and links, base frame.  002 eq 73"""
    return energies_at(platform, pose.position, pose.rotation, variant(platform, **model)).parts
