"""What acts along the actuator coordinates in a run: the laws of the legs (dynamics/laws/), springs, brakes, faults."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, Frozen, InputError, array, number
from gough.dynamics.laws import brake, hydraulic, motor
from gough.dynamics.laws import in_use as in_use
from gough.dynamics.laws.friction import unit_of as unit_of
from gough.dynamics.laws.machine import drive_laws, ideal_laws
from gough.layout import LEG_LAW
from gough.model import Platform

WINDINGS = ("open", "shorted")
CLIPPED = 1e-9  # of a command: a drive that gives another effort by more is saturated
motor_force = motor.clip


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
    """The motors of `legs` (indices; None: all) lose their power at `time` (s); friction and inertia stay.

    winding  "open": they give no force; "shorted": their back-EMF brakes, ``(nu k_t)^2/R ldot``
    A cylinder's valve closes: it rests on the oil that is in it, as far as that does not leak away.
    """

    time: float
    legs: tuple[int, ...] | None = None
    winding: str = "open"

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", number("power_loss.time", self.time, minimum=0.0))
        object.__setattr__(self, "legs", leg_indices("power_loss.legs", self.legs))
        if self.winding not in WINDINGS:
            raise InputError(
                "power_loss.winding", self.winding, f"must be one of {', '.join(WINDINGS)}"
            )


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


def leg_laws(platform: Platform, springs: Springs | None, drives: bool, runs: int) -> Array:
    """(rows of LEG_LAW, 6, runs or 1); without losses, limits and springs it changes nothing."""
    out = (drive_laws(platform) if drives else ideal_laws())[:, :, None]
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


def apply_fault(platform: Platform, law: Array, fault: Fault) -> Array:
    """The laws after a fault or brake."""
    law = law.copy()
    for i in fault.legs if fault.legs is not None else range(6):
        leg = platform.legs[i]
        if isinstance(fault, Brake):
            brake.close(law[:, i], leg, platform.body.mass / 6, fault.force)
            continue
        shorted, drive = fault.winding == "shorted", leg.drive
        if shorted and (drive is None or None in motor.electric(drive)[1:]):
            allowed = "needs torque_constant and resistance of the leg's drive"
            raise InputError("power_loss.winding", fault.winding, allowed)
        if drive is not None and drive.hydraulic is not None:
            hydraulic.cut(law[:, i])
        else:
            motor.cut(law[:, i], drive, shorted)
    return law


def is_plain(law: Array) -> bool:
    """The laws hand every command through unchanged: the bare kernel serves."""
    return not in_use(law)


def clipped(given: Array, command: Array) -> NDArray[np.bool_]:
    """Where the drive gives another force than commanded."""
    return np.abs(given - command) > CLIPPED * (1.0 + np.abs(command))


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
