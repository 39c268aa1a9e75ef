"""What can be asked of Kane's formulation."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.formulations.arrays import columns, effort_wrenches
from gough.formulations.kane.balance import Equations, assemble
from gough.formulations.kane.errata import ABOUT, BodyOptions, model
from gough.formulations.linear import apply, solve, transpose
from gough.model import Platform
from gough.results import InverseDynamics
from gough.spatial import Motion, Pose


def inverse_dynamics(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    **counted: Unpack[BodyOptions],
) -> InverseDynamics:
    """Actuator forces ``sigma`` (..., 6), N.  004 eqs 11, 12

    external  (..., 6) force and moment on the platform at its reference point, platform axes
    extra     "transmitted_force" behind the rotor and, if every leg has a drive, "motor_torque" (N m)
    """
    chosen = model(platform, **counted)
    eq = assemble(platform, motion, chosen, external)
    now = eq.speeds
    total = apply(eq.m, now.accel) + eq.b + eq.gravity + eq.friction + eq.external
    projected = solve(
        transpose(now.J),
        total,  # G^T total with the platform's partial velocities G = J^-1
        "the actuator Jacobian is singular: actuator rates are no independent speeds here, "
        "so Kane's equations in leg space do not exist",
    )
    sigma = -projected + chosen.drive_sign * apply(eq.drive, now.acceleration)  # eq 12, [a] = 1
    return InverseDynamics(
        sigma,
        effort_wrenches(platform, now.s, now.q, now.J),
        formulation=ABOUT.name,
        published=bool(chosen.errata),
        characteristic_length=platform.characteristic_length,
        extra=_motor(platform, eq, sigma) if chosen.drive else {},
    )


def mass_matrix(platform: Platform, pose: Pose, **counted: Unpack[BodyOptions]) -> Array:
    """Mass matrix (..., 6, 6) at the reference point, world axes: ``J^T (-[m] + [m_d]) J`` of leg space."""
    chosen = model(platform, **counted)
    eq = assemble(platform, Motion.at_rest(pose), chosen)
    J = eq.speeds.J
    return -eq.m + chosen.drive_sign * transpose(J) @ eq.drive @ J


def bias(platform: Platform, motion: Motion, **counted: Unpack[BodyOptions]) -> Array:
    """``b`` (..., 6) of ``M (a, al) + b = J^T sigma + external``: velocity, gravity, friction; world axes."""
    chosen = model(platform, **counted)
    eq = assemble(platform, motion, chosen)
    now = eq.speeds
    rotor = apply(transpose(now.J), apply(eq.drive, apply(now.Jdot, now.twist)))
    return -(eq.b + eq.gravity + eq.friction) + chosen.drive_sign * rotor


def equations(platform: Platform, motion: Motion, **counted: Unpack[BodyOptions]) -> Equations:
    """The terms of Kane's equations."""
    return assemble(platform, motion, model(platform, **counted))


def _motor(platform: Platform, eq: Equations, sigma: Array) -> dict[str, Array]:
    """Force behind the rotor and torque at the motor, with gear loss and rotor friction.

    ``tau = I_r nu ldd + F_t / (nu eta^±1) + c_v nu ldot + c_0 sign(nu ldot)``; the loss opposes the power.
    """
    if not all(leg.drive for leg in platform.legs):
        return {}
    nu, I_r, eta, viscous, coulomb = columns(
        platform.legs,
        "drive.ratio drive.rotor_inertia drive.efficiency drive.viscous drive.coulomb",
    )
    ldot, ldd = eq.speeds.rate, eq.speeds.acceleration
    through = sigma - nu**2 * I_r * ldd
    loss = np.where(through * ldot >= 0, 1 / eta, eta)
    torque = (
        I_r * nu * ldd + through * loss / nu + viscous * nu * ldot + coulomb * np.sign(nu * ldot)
    )
    return {"transmitted_force": through, "motor_torque": torque}
