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
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, Frozen, InputError, array, number
from gough.equations.scalar import larger, smaller
from gough.layout import LEG_LAW
from gough.model import RUS, Drive, Leg, Platform
from gough.simulation.integrators.fixed_step import RowList

LOSSES = (LEG_LAW.stiffness, LEG_LAW.damping, LEG_LAW.coulomb, LEG_LAW.excess, LEG_LAW.loss)
PRESLIDING = {"m": 2e-5, "rad": 1e-3}  # travel at which dry friction is fully up
BRAKE_TRAVEL = {"m": 1e-4, "rad": 2e-3}
GRIP_DAMPING = 0.5  # damping ratio of the sticking element on the leg's own share of mass


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
            six = np.broadcast_to(a, (*a.shape[:-1], 6)) if a.ndim else np.full(6, a)
            object.__setattr__(self, name, six)

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
    """(rows of LEG_LAW, 6, runs or 1); without losses, limits and springs it changes nothing."""
    law = np.zeros((LEG_LAW.size, 6))
    law[LEG_LAW.limit] = law[LEG_LAW.voltage_force] = np.inf
    law[LEG_LAW.stribeck] = law[LEG_LAW.grip] = 1.0
    if drives:
        for i, leg in enumerate(platform.legs):
            if leg.limits.force is not None:
                law[LEG_LAW.limit, i] = leg.limits.force
            if leg.drive is not None:
                _drive(law[:, i], leg, leg.drive, platform.body.mass / 6)
    out = law[:, :, None]
    if springs is None:
        return out
    shape = np.broadcast_shapes(springs.stiffness.shape, springs.rest.shape, springs.damping.shape)
    if len(shape) > 2 or (len(shape) == 2 and shape[0] != runs):
        raise InputError("springs", f"shape {shape}", f"must be (6,) or ({runs}, 6)")
    out = np.repeat(out, 1 if len(shape) == 1 else runs, axis=2)
    out[LEG_LAW.stiffness] += np.atleast_2d(springs.stiffness).T
    out[LEG_LAW.rest] += np.atleast_2d(springs.rest).T
    out[LEG_LAW.damping] += np.atleast_2d(springs.damping).T
    return out


def _drive(law: Array, leg: Leg, drive: Drive, share: float) -> None:
    nu = abs(drive.ratio)
    law[LEG_LAW.damping] += nu**2 * drive.viscous
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
        _grip(law, float(level / PRESLIDING[unit_of(leg)]), leg, drive, share)


def _grip(law: Array, grip: float, leg: Leg, drive: Drive | None, share: float) -> None:
    if isinstance(leg, RUS):
        share *= float(leg.arm @ leg.arm)
    mass = max(share, drive.reflected_inertia if drive is not None else 0.0)
    law[LEG_LAW.grip] = grip
    law[LEG_LAW.grip_damping] = 2 * GRIP_DAMPING * np.sqrt(grip * mass)


def apply_fault(platform: Platform, law: Array, fault: Fault) -> Array:
    """The laws after a fault or brake."""
    law = law.copy()
    for i in fault.legs if fault.legs is not None else range(6):
        leg = platform.legs[i]
        if isinstance(fault, PowerLoss):
            law[LEG_LAW.limit, i] = 0.0
            law[LEG_LAW.voltage_force, i] = np.inf
            law[LEG_LAW.voltage_slope, i] = 0.0
        else:
            law[LEG_LAW.coulomb, i] += fault.force
            held = fault.force / BRAKE_TRAVEL[unit_of(leg)]
            for run in range(law.shape[2]):
                grip = max(float(law[LEG_LAW.grip, i, run]), held)
                _grip(law[:, i, run], grip, leg, leg.drive, platform.body.mass / 6)
    return law


def is_plain(law: Array) -> bool:
    """The laws hand every command through unchanged: the bare kernel serves."""
    zero = all(not law[row].any() for row in LOSSES)
    return zero and FreeRange(law).always


def motor_force(law: RowList, command: Any, rate: Any) -> Any:
    """The command clipped to what the drive can give."""
    u = smaller(larger(command, -law[LEG_LAW.limit]), law[LEG_LAW.limit])
    ceiling, slope = law[LEG_LAW.voltage_force], law[LEG_LAW.voltage_slope] * rate
    return larger(smaller(u, ceiling - slope), -ceiling - slope)


def delivered(
    law: RowList, command: Any, length: Any, rate: Any, anchor: Any
) -> tuple[Any, Any, Any]:
    """Force on the actuator coordinate, motor's share of it, and the anchor after slipping.

    `law` holds the rows of `LEG_LAW`.  For numbers of any kind: NumPy calls it with (6, n) arrays, the compiled
    kernels trace it leg by leg.
    """
    u = motor_force(law, command, rate)
    ratio = rate / law[LEG_LAW.stribeck]
    stribeck = law[LEG_LAW.excess] / (1.0 + ratio * ratio)
    level = law[LEG_LAW.coulomb] + stribeck + law[LEG_LAW.loss] * larger(u, -u)
    grip = law[LEG_LAW.grip]
    reach = level / grip
    z = smaller(larger(length - anchor, -reach), reach)
    slip = smaller(larger(grip * z + law[LEG_LAW.grip_damping] * rate, -level), level)
    spring = law[LEG_LAW.stiffness] * (length - law[LEG_LAW.rest]) + law[LEG_LAW.damping] * rate
    return u - spring - slip, u, length - z


def clipped(given: Array, command: Array) -> NDArray[np.bool_]:
    """Where the drive gives another force than commanded."""
    return np.abs(given - command) > 1e-9 * (1.0 + np.abs(command))


class FreeRange:
    """A force that no drive clips, known ahead: spares the loops the whole law at most samples."""

    def __init__(self, law: Array | None) -> None:
        self.limit = self.ceiling = self.slope = 0.0
        if law is not None:
            self.limit = float(law[LEG_LAW.limit].min())
            self.ceiling = float(law[LEG_LAW.voltage_force].min())
            self.slope = float(law[LEG_LAW.voltage_slope].max())
        self.always = self.limit == self.ceiling == np.inf

    def holds(self, command: Array, rate: Array) -> bool:
        """No command is clipped at these rates, judged by their norms: True is sure, False only likely."""
        if self.always:
            return True
        top = self.ceiling
        if self.slope != 0.0:
            top -= self.slope * sqrt(np.vdot(rate, rate))
        return sqrt(np.vdot(command, command)) <= min(self.limit, top)
