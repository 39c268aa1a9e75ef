"""The drive of one leg: rotor, gear, screw or pinion, losses and electrical limits."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, number, unit


@dataclass(frozen=True, eq=False)
class Drive(Frozen):
    """A motor acting on one actuator coordinate ``l`` through a fixed transmission.

    ratio            nu = rotor angle per actuator coordinate, rad/m (rad/rad for a crank)
    rotor_inertia    I_r of everything that turns with the rotor, about its spin axis, kg m^2
    rotor_axis       None: the rotor axis has a fixed direction (motor on the base, or on a slider);
                     (3,): spin axis in leg axes T, motor rides on the lower part (UPS, SPS), whose body
                     already contains the rotor (docs/derivations/exact.md, drives)
    efficiency       power out / power in when driving, 0..1; the loss acts as friction in proportion to the load
    viscous          rotor-side viscous friction, N m s
    coulomb          rotor-side Coulomb friction, N m
    static           rotor-side break-away friction, N m (Stribeck; not below coulomb)
    stribeck_rate    rotor rate at which half of the Stribeck excess is left, rad/s: static friction falls to
                     coulomb as ``1/(1 + (rate/stribeck_rate)^2)``
    torque_constant  N m/A (and V s), or None
    resistance       winding, ohm, or None
    max_current      A, or None;   max_voltage  V, or None
    backlash         play at the actuator coordinate, m (rad): what the motor's encoder does not see
    """

    ratio: float
    rotor_inertia: float = 0.0
    rotor_axis: Array | None = None
    efficiency: float = 1.0
    viscous: float = 0.0
    coulomb: float = 0.0
    static: float = 0.0
    stribeck_rate: float = 1.0
    torque_constant: float | None = None
    resistance: float | None = None
    max_current: float | None = None
    max_voltage: float | None = None
    backlash: float = 0.0

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("ratio", number("ratio", self.ratio))
        if self.ratio == 0.0:
            raise InputError("ratio", self.ratio, "must not be zero")
        for name in ("rotor_inertia", "viscous", "coulomb", "static", "backlash"):
            put(name, number(name, getattr(self, name), minimum=0.0))
        put("efficiency", number("efficiency", self.efficiency, above=0.0))
        if self.efficiency > 1.0:
            raise InputError("efficiency", self.efficiency, "must be at most 1")
        put("stribeck_rate", number("stribeck_rate", self.stribeck_rate, above=0.0))
        for name in ("torque_constant", "resistance", "max_current", "max_voltage"):
            if getattr(self, name) is not None:
                put(name, number(name, getattr(self, name), above=0.0))
        if self.rotor_axis is not None:
            put("rotor_axis", unit("rotor_axis", self.rotor_axis))

    @property
    def reflected_inertia(self) -> float:
        """``m_r = nu^2 I_r`` on the actuator coordinate, kg (kg m^2 for a crank)."""
        return self.ratio**2 * self.rotor_inertia

    @property
    def max_effort(self) -> float:
        """Effort at the current limit, ``nu k_t I_max``, N (N m); infinite where no limit is known."""
        if self.max_current is None or self.torque_constant is None:
            return inf
        return abs(self.ratio) * self.torque_constant * self.max_current

    def motor_torque(self, effort: ArrayLike) -> Array:
        """Torque in the motor's air gap for an effort at the actuator coordinate: ``T = F/nu``, N m.

        The effort of `inverse_dynamics` contains the rotor's inertia, so this is the whole motor torque.
        """
        return np.asarray(effort, dtype=float) / self.ratio

    def current(self, effort: ArrayLike) -> Array:
        """``I = T/k_t``, A."""
        return self.motor_torque(effort) / self._known("torque_constant")

    def voltage(self, effort: ArrayLike, rate: ArrayLike) -> Array:
        """``V = R I + k_t nu ldot``, V."""
        back = self._known("torque_constant") * self.ratio * np.asarray(rate, dtype=float)
        return self._known("resistance") * self.current(effort) + back

    def electric_power(self, effort: ArrayLike, rate: ArrayLike) -> Array:
        """``P = V I``: mechanical power plus copper loss, W; negative while braking."""
        return self.voltage(effort, rate) * self.current(effort)

    def friction(self, rate: ArrayLike) -> Array:
        """Dry and viscous friction at the actuator coordinate while sliding at `rate`, N (N m)."""
        turn = self.ratio * np.asarray(rate, dtype=float)
        excess = max(self.static - self.coulomb, 0.0) / (1.0 + (turn / self.stribeck_rate) ** 2)
        return self.ratio * ((self.coulomb + excess) * np.sign(turn) + self.viscous * turn)

    def _known(self, name: str) -> float:
        value = getattr(self, name)
        if value is None:
            raise InputError(name, None, "must be given for electrical quantities")
        return value

    @classmethod
    def rack_and_pinion(
        cls, *, gear: float, pinion_radius: float, rotor_inertia: float, **more: object
    ) -> Drive:
        """Gearbox of ratio `gear` on a pinion of `pinion_radius` (m): ``nu = gear / radius``.  004 eq 14"""
        radius = number("pinion_radius", pinion_radius, above=0.0)
        return cls(ratio=number("gear", gear) / radius, rotor_inertia=rotor_inertia, **more)  # type: ignore[arg-type]

    @classmethod
    def ball_screw(cls, *, lead: float, rotor_inertia: float, gear: float = 1.0, **more: object) -> Drive:
        """Screw of `lead` (m per turn) behind a gear: ``nu = 2 pi gear / lead``."""
        lead = number("lead", lead, above=0.0)
        return cls(ratio=2 * pi * number("gear", gear) / lead, rotor_inertia=rotor_inertia, **more)  # type: ignore[arg-type]

    @classmethod
    def belt(cls, *, pulley_radius: float, rotor_inertia: float, gear: float = 1.0, **more: object) -> Drive:
        """Belt over a pulley of `pulley_radius` (m): ``nu = gear / radius``."""
        radius = number("pulley_radius", pulley_radius, above=0.0)
        return cls(ratio=number("gear", gear) / radius, rotor_inertia=rotor_inertia, **more)  # type: ignore[arg-type]

    @classmethod
    def geared(cls, *, gear: float, rotor_inertia: float, **more: object) -> Drive:
        """Gear motor on a crank shaft (RUS): ``nu = gear``."""
        return cls(ratio=number("gear", gear), rotor_inertia=rotor_inertia, **more)  # type: ignore[arg-type]
