"""What acts along an actuator coordinate besides the command: springs, drive limits and losses, brakes.

    delivered = u - k (l - l0) - c ldot - f
    u  command clipped to the force the drive can give: ``|u| <= nu k_t I_max``, the leg's own force limit and
       ``+-(nu k_t/R)(V_max -+ nu k_t ldot)`` (voltage)
    f  dry friction as an elastic-slip element: ``f = clip(grip (l - anchor) + damping ldot, +-level)``, the anchor
       slides along when the element slips, so a leg can stick without creeping
    level = coulomb + (static - coulomb)/(1 + (ldot/stribeck)^2) + (1 - efficiency) |u|
The gear's loss is friction in proportion to the load: driving it gives exactly ``efficiency x u``, held still it
helps to hold (self-locking comes out by itself).  Rotor-side data are multiplied by the transmission ratio nu.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, number
from gough.model import RUS, Drive, Leg, Platform
from gough.simulation.kernel import LAW

PRESLIDING = {"m": 2e-5, "rad": 1e-3}  # travel at which dry friction is fully up
BRAKE_TRAVEL = {"m": 1e-4, "rad": 2e-3}
GRIP_DAMPING = 0.5  # damping ratio of the sticking element on the leg's own share of mass
ROW = {name: i for i, name in enumerate(LAW)}


@dataclass(frozen=True, eq=False)
class Springs(Frozen):
    """Passive springs and dampers along the legs: ``-k (l - rest) - c ldot``, (6,) or (n, 6) each, SI."""

    stiffness: Array
    rest: Array
    damping: Array

    def __init__(self, stiffness: ArrayLike, rest: ArrayLike, damping: ArrayLike = 0.0) -> None:
        for name, value in (("stiffness", stiffness), ("rest", rest), ("damping", damping)):
            a = array(name, value)
            if a.shape[-1:] not in ((), (6,)):
                raise InputError(name, f"shape {a.shape}", "must be one number, six, or (runs, 6)")
            if name != "rest" and (a < 0).any():
                raise InputError(name, value, "must not be negative")
            object.__setattr__(self, name, np.broadcast_to(a, (*a.shape[:-1], 6)) if a.ndim else np.full(6, a))

    def energy(self, length: Array) -> Array:
        """``sum k (l - rest)^2/2``, J."""
        return 0.5 * (self.stiffness * (length - self.rest) ** 2).sum(axis=-1)


@dataclass(frozen=True, eq=False)
class Brake(Frozen):
    """A brake on each of `legs` (indices; None: all) that closes at `time` (s) and holds up to `force` (N, N m)."""

    time: float
    force: float
    legs: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", number("brake.time", self.time, minimum=0.0))
        object.__setattr__(self, "force", number("brake.force", self.force, above=0.0))
        object.__setattr__(self, "legs", leg_indices("brake.legs", self.legs))


@dataclass(frozen=True, eq=False)
class PowerLoss(Frozen):
    """The motors of `legs` (indices; None: all) give no force from `time` (s) on; friction and inertia stay."""

    time: float
    legs: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", number("power_loss.time", self.time, minimum=0.0))
        object.__setattr__(self, "legs", leg_indices("power_loss.legs", self.legs))


Fault = Brake | PowerLoss


def leg_indices(field: str, legs: object) -> tuple[int, ...] | None:
    """Leg indices 0..5, checked."""
    if legs is None:
        return None
    try:
        out = tuple(int(i) for i in legs)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InputError(field, legs, "must be a list of leg indices 0..5") from None
    if not out or any(i not in range(6) for i in out):
        raise InputError(field, legs, "must be a list of leg indices 0..5")
    return out


def unit_of(leg: Leg) -> str:
    """Unit of a leg's actuator coordinate."""
    return "rad" if isinstance(leg, RUS) else "m"


def leg_laws(platform: Platform, springs: Springs | None, drives: bool, runs: int) -> Array:
    """(rows of LAW, 6, runs or 1); without losses, limits and springs it changes nothing."""
    law = np.zeros((len(LAW), 6))
    law[ROW["limit"]] = law[ROW["voltage_force"]] = np.inf
    law[ROW["stribeck"]] = law[ROW["grip"]] = 1.0
    if drives:
        for i, leg in enumerate(platform.legs):
            if leg.limits.force is not None:
                law[ROW["limit"], i] = leg.limits.force
            if leg.drive is not None:
                _drive(law[:, i], leg, leg.drive, platform.body.mass / 6)
    out = law[:, :, None]
    if springs is None:
        return out
    shape = np.broadcast_shapes(springs.stiffness.shape, springs.rest.shape, springs.damping.shape)
    if len(shape) > 2 or (len(shape) == 2 and shape[0] != runs):
        raise InputError("springs", f"shape {shape}", f"must be (6,) or ({runs}, 6)")
    out = np.repeat(out, 1 if len(shape) == 1 else runs, axis=2)
    out[ROW["stiffness"]] += np.atleast_2d(springs.stiffness).T
    out[ROW["rest"]] += np.atleast_2d(springs.rest).T
    out[ROW["damping"]] += np.atleast_2d(springs.damping).T
    return out


def _drive(law: Array, leg: Leg, drive: Drive, share: float) -> None:
    nu = abs(drive.ratio)
    law[ROW["damping"]] += nu**2 * drive.viscous
    law[ROW["coulomb"]] = nu * drive.coulomb
    law[ROW["excess"]] = nu * max(drive.static - drive.coulomb, 0.0)
    law[ROW["stribeck"]] = drive.stribeck_rate / nu
    law[ROW["loss"]] = 1.0 - drive.efficiency
    law[ROW["limit"]] = min(law[ROW["limit"]], drive.max_force)
    if drive.max_voltage is not None and drive.torque_constant is not None and drive.resistance is not None:
        law[ROW["voltage_force"]] = nu * drive.torque_constant * drive.max_voltage / drive.resistance
        law[ROW["voltage_slope"]] = (nu * drive.torque_constant) ** 2 / drive.resistance
    limit = law[ROW["limit"]] if np.isfinite(law[ROW["limit"]]) else share * 9.81
    level = nu * max(drive.static, drive.coulomb) + law[ROW["loss"]] * limit
    if level > 0.0:
        _grip(law, level / PRESLIDING[unit_of(leg)], leg, drive, share)


def _grip(law: Array, grip: float, leg: Leg, drive: Drive | None, share: float) -> None:
    if isinstance(leg, RUS):
        share *= float(leg.arm @ leg.arm)
    mass = max(share, drive.reflected_inertia if drive is not None else 0.0)
    law[ROW["grip"]] = grip
    law[ROW["grip_damping"]] = 2 * GRIP_DAMPING * np.sqrt(grip * mass)


def apply_fault(platform: Platform, law: Array, fault: Fault) -> Array:
    """The laws after a fault or brake."""
    law = law.copy()
    for i in fault.legs if fault.legs is not None else range(6):
        leg = platform.legs[i]
        if isinstance(fault, PowerLoss):
            law[ROW["limit"], i] = 0.0
            law[ROW["voltage_force"], i] = np.inf
            law[ROW["voltage_slope"], i] = 0.0
        else:
            law[ROW["coulomb"], i] += fault.force
            for run in range(law.shape[2]):
                grip = max(law[ROW["grip"], i, run], fault.force / BRAKE_TRAVEL[unit_of(leg)])
                _grip(law[:, i, run], grip, leg, leg.drive, platform.body.mass / 6)
    return law


def is_plain(law: Array) -> bool:
    """The laws hand every command through unchanged: the bare kernel serves."""
    zero = all(not law[ROW[name]].any() for name in ("stiffness", "damping", "coulomb", "excess", "loss"))
    return zero and bool(np.isinf(law[ROW["limit"]]).all() and np.isinf(law[ROW["voltage_force"]]).all())


def motor_force(law: Array, command: Array, rate: Array) -> Array:
    """The command clipped to what the drive can give, (6, n)."""
    u = np.clip(command, -law[ROW["limit"]], law[ROW["limit"]])
    ceiling, slope = law[ROW["voltage_force"]], law[ROW["voltage_slope"]] * rate
    return np.maximum(np.minimum(u, ceiling - slope), -ceiling - slope)


def delivered(law: Array, command: Array, length: Array, rate: Array, anchor: Array) -> tuple[Array, Array, Array]:
    """Force on the actuator coordinate, motor's share of it, and the anchor after slipping, (6, n) each.

    The same formulas as the compiled leg law (kernel.LEG_LAW).
    """
    u = motor_force(law, command, rate)
    ratio = rate / law[ROW["stribeck"]]
    level = law[ROW["coulomb"]] + law[ROW["excess"]] / (1.0 + ratio * ratio) + law[ROW["loss"]] * np.abs(u)
    grip = law[ROW["grip"]]
    z = np.clip(length - anchor, -level / grip, level / grip)
    slip = np.clip(grip * z + law[ROW["grip_damping"]] * rate, -level, level)
    force = u - law[ROW["stiffness"]] * (length - law[ROW["rest"]]) - law[ROW["damping"]] * rate - slip
    return force, u, length - z
