"""What a drive makes of its motor's effort, once: the simulation runs it, `motor_efforts` is its inverse.

    delivered = u - c ldot - f                     at the actuator coordinate l
    u  command clipped to the force the drive can give: ``|u| <= nu k_t I_max``, the leg's own force limit and
       ``+-(nu k_t/R)(V_max -+ nu k_t ldot)`` (voltage)
    f  dry friction as an elastic-slip element: ``f = clip(grip (l - anchor) + damping ldot, +-level)``, the anchor
       slides along when the element slips, so a leg can stick without creeping
    level = coulomb + (static - coulomb)/(1 + (ldot/stribeck)^2) + (1 - efficiency) |u|
The gear's loss is friction in proportion to the load: driving it gives exactly ``efficiency x u``, held still it
helps to hold (self-locking comes out by itself).  Rotor-side data are multiplied by the transmission ratio nu.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.equations.scalar import larger, smaller
from gough.layout import LEG_LAW
from gough.model import RUS, Drive, Leg, Platform
from gough.model.drive import dry_friction
from gough.results import LegMotion
from gough.spatial import Motion

PRESLIDING = {"m": 2e-5, "rad": 1e-3}  # travel at which dry friction is fully up
GRIP_DAMPING = 0.5  # damping ratio of the sticking element on the leg's own share of mass
# pieces of ``f = clip(clip(x, +-level) + y, +-level)``, x = grip (l - anchor), y = damping ldot: how much of x, of y
# and of the level (of +-u's share in it: the last column) each is
PIECES = np.array(
    [
        (1, 1, 0, 1),
        *((0, of_rate, side, sign) for of_rate in (0, 1) for side in (1, -1) for sign in (1, -1)),
    ]
).T


def unit_of(leg: Leg) -> str:
    """Unit of a leg's actuator coordinate."""
    return "rad" if isinstance(leg, RUS) else "m"


def ideal_laws() -> Array:
    """(rows of LEG_LAW, 6): every effort is handed through unchanged."""
    law = np.zeros((LEG_LAW.size, 6))
    law[LEG_LAW.limit] = law[LEG_LAW.voltage_force] = np.inf
    law[LEG_LAW.stribeck] = law[LEG_LAW.grip] = 1.0
    return law


def drive_laws(platform: Platform) -> Array:
    """(rows of LEG_LAW, 6): friction, losses and limits of the legs' drives, and the legs' own force limits."""
    law = ideal_laws()
    for i, leg in enumerate(platform.legs):
        if leg.limits.force is not None:
            law[LEG_LAW.limit, i] = leg.limits.force
        if leg.drive is not None:
            _drive(law[:, i], leg, leg.drive, platform.body.mass / 6)
    return law


def _drive(law: Array, leg: Leg, drive: Drive, share: float) -> None:
    nu = abs(drive.ratio)
    law[LEG_LAW.damping] = nu**2 * drive.viscous
    law[LEG_LAW.coulomb] = nu * drive.coulomb
    law[LEG_LAW.excess] = nu * max(drive.static - drive.coulomb, 0.0)
    law[LEG_LAW.stribeck] = drive.stribeck_rate / nu
    law[LEG_LAW.loss] = 1.0 - drive.efficiency
    law[LEG_LAW.limit] = min(law[LEG_LAW.limit], drive.max_force)
    volts, k, ohms = drive.max_voltage, drive.torque_constant, drive.resistance
    if volts is not None and k is not None and ohms is not None:
        law[LEG_LAW.voltage_force] = nu * k * volts / ohms
        law[LEG_LAW.voltage_slope] = (nu * k) ** 2 / ohms
    limit = law[LEG_LAW.limit] if np.isfinite(law[LEG_LAW.limit]) else share * 9.81
    level = nu * max(drive.static, drive.coulomb) + law[LEG_LAW.loss] * limit
    if level > 0.0:
        set_grip(law, float(level / PRESLIDING[unit_of(leg)]), leg, share)


def set_grip(law: Array, grip: float, leg: Leg, share: float) -> None:
    """Stiffness (N/m, N m/rad) of the sticking element and the damping that suits the mass it holds."""
    if isinstance(leg, RUS):
        share *= float(leg.arm @ leg.arm)
    mass = max(share, leg.drive.reflected_inertia if leg.drive is not None else 0.0)
    law[LEG_LAW.grip] = grip
    law[LEG_LAW.grip_damping] = 2 * GRIP_DAMPING * np.sqrt(grip * mass)


def motor_force(law: Any, command: Any, rate: Any) -> Any:
    """The command clipped to what the drive can give."""
    u = smaller(larger(command, -law[LEG_LAW.limit]), law[LEG_LAW.limit])
    ceiling, slope = law[LEG_LAW.voltage_force], law[LEG_LAW.voltage_slope] * rate
    return larger(smaller(u, ceiling - slope), -ceiling - slope)


def delivered(law: Any, command: Any, length: Any, rate: Any, anchor: Any) -> tuple[Any, Any, Any]:
    """Force on the actuator coordinate, motor's share of it, and the anchor after slipping.

    `law` holds the rows of `LEG_LAW`, springs beside the drive included.  For numbers of any kind: NumPy calls it with
    (6, n) arrays, the compiled kernels trace it leg by leg.
    """
    u = motor_force(law, command, rate)
    dry = dry_friction(law[LEG_LAW.coulomb], law[LEG_LAW.excess], law[LEG_LAW.stribeck], rate)
    level = dry + law[LEG_LAW.loss] * larger(u, -u)
    grip = law[LEG_LAW.grip]
    reach = level / grip
    z = smaller(larger(length - anchor, -reach), reach)
    slip = smaller(larger(grip * z + law[LEG_LAW.grip_damping] * rate, -level), level)
    spring = law[LEG_LAW.stiffness] * (length - law[LEG_LAW.rest]) + law[LEG_LAW.damping] * rate
    return u - spring - slip, u, length - z


def motor_efforts(platform: Platform, motion: Motion, legs: LegMotion, force: Array) -> Array:
    """Motor efforts (..., 6) under which the drives deliver `force` (..., 6), no limit applied.

    A motion with times is followed along its last axis, the friction elements at ease at its first sample, as in a
    simulation that starts there; each state of a motion without times slides steadily (`Drive.motor_force`).
    """
    if motion.time is None or not motion.shape:
        each = [
            force[..., i]
            if leg.drive is None
            else leg.drive.motor_force(force[..., i], legs.rate[..., i])
            for i, leg in enumerate(platform.legs)
        ]
        return np.stack(each, axis=-1)
    if not (np.diff(motion.time, axis=-1) > 0.0).all():
        allowed = "must increase along the last axis, along which the drives' friction is followed"
        raise InputError("motion.time", "times that do not increase", allowed)
    law = drive_laws(platform)
    law[LEG_LAW.limit] = law[LEG_LAW.voltage_force] = np.inf
    law[LEG_LAW.voltage_slope] = 0.0
    given = [np.moveaxis(a, -2, 0) for a in (force, legs.length, legs.rate)]
    anchor, out = given[1][0], np.empty(given[0].shape)
    for k, (wanted, length, rate) in enumerate(zip(*given, strict=True)):
        out[k], anchor = _undone(law, wanted, length, rate, anchor)
    return np.moveaxis(out, 0, -2)


def _undone(
    law: Array, force: Array, length: Array, rate: Array, anchor: Array
) -> tuple[Array, Array]:
    """The motor effort that `delivered` turns into `force`, and the anchor after slipping, (..., 6).

    ``u - f(u)`` grows with u by at least ``efficiency``, and is straight on each of the PIECES of f: the effort that
    is right on its own piece is the only one, and `delivered` says which it is.
    """
    stick, slide, side, sign = PIECES.reshape(4, -1, *(1,) * force.ndim)
    dry = dry_friction(law[LEG_LAW.coulomb], law[LEG_LAW.excess], law[LEG_LAW.stribeck], rate)
    held = stick * law[LEG_LAW.grip] * (length - anchor) + slide * law[LEG_LAW.grip_damping] * rate
    need = force + law[LEG_LAW.damping] * rate
    tried = (need + held + side * dry) / (1.0 - side * sign * law[LEG_LAW.loss])
    given, _, slipped = delivered(law, tried, length, rate, anchor)
    best = np.abs(given - force).argmin(axis=0)[None]
    return np.take_along_axis(tried, best, 0)[0], np.take_along_axis(slipped, best, 0)[0]
