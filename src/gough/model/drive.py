"""The drive of one leg: rotor, gear, screw or pinion, losses and electrical limits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf, pi
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import (
    Array,
    Checked,
    InputError,
    batch_shape,
    not_negative,
    number,
    optional,
    positive,
    unit,
)
from gough.frozen import hinted
from gough.model.hydraulic import Hydraulic

_LOSSES = ("rotor_inertia", "viscous", "coulomb", "static", "backlash", "damping")
_GIVEN = ("torque_constant", "resistance", "max_current", "max_voltage", "current_bandwidth")
_GIVEN += ("inductance", "presliding", "stiffness")


def _not_zero(field: str, value: Any) -> float:
    x = number(field, value)
    if x == 0.0:
        raise InputError(field, value, "must not be zero")
    return x


def _share(field: str, value: Any) -> float:
    x = positive(field, value)
    if x > 1.0:
        raise InputError(field, value, "must be at most 1")
    return x


def _at_most_one(field: str, value: Any) -> float:
    x = number(field, value)
    if x > 1.0:
        raise InputError(field, value, "must be at most 1: a gear creates no power")
    return x


def _hydraulic(field: str, value: Any) -> Hydraulic:
    if not isinstance(value, Hydraulic):
        raise InputError(field, value, "must be a gough.Hydraulic or None")
    return value


def dry_friction(coulomb: Any, excess: Any, stribeck: Any, rate: Any) -> Any:
    """Level of dry friction at a rate: ``coulomb + excess/(1 + (rate/stribeck)^2)``, for numbers of any kind."""
    ratio = rate / stribeck
    return coulomb + excess / (1.0 + ratio * ratio)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Drive(Checked):
    """A motor acting on one actuator coordinate ``l`` through a fixed transmission.

    ratio            nu = rotor angle per actuator coordinate, rad/m (rad/rad for a crank)
    rotor_inertia    I_r of everything that turns with the rotor, about its spin axis, kg m^2
    rotor_axis       None: the rotor axis has a fixed direction (motor on the base, or on a slider);
                     (3,): spin axis in leg axes T, motor rides on the lower part (UPS, SPS, UCS), whose body
                     already contains the rotor (docs/derivations/exact.md, drives)
    mount_axis       (3,): spin axis in base axes of a rotor whose axis is fixed to the base (rotor_axis None); felt
                     where the base turns.  None there: its share ``nu I_r d.al`` of the effort is left out
    efficiency       power out / power in when the motor drives the leg, 0..1: friction in proportion to the load that
                     the gear transmits (dynamics/laws/gear.py)
    back_efficiency  the same when the leg drives the motor; None: ``2 - 1/efficiency``, as of a thread.  Below zero
                     (efficiency < 0.5) the gear holds any load by itself
    viscous          rotor-side viscous friction, N m s
    coulomb          rotor-side Coulomb friction, N m
    static           rotor-side break-away friction, N m (Stribeck; not below coulomb)
    stribeck_rate    rotor rate at which half of the Stribeck excess is left, rad/s: static friction falls to
                     coulomb as ``1/(1 + (rate/stribeck_rate)^2)``
    torque_constant  N m/A (and V s), or None
    resistance       winding, ohm, or None
    max_current      A, or None;   max_voltage  V, or None
    current_bandwidth  of the current loop, rad/s; None: the current is there at once
    inductance       winding, H, or None; needs resistance and current_bandwidth
    presliding       travel at which dry friction is fully up, m (rad) of the actuator; None: 20 um (1 mrad)
    stiffness        between rotor (and screw) and leg, at the actuator coordinate, N/m (N m/rad); None: rigid
    damping          beside it, N s/m (N m s/rad)
    backlash         play at the actuator coordinate, m (rad): what the motor's encoder does not see; with a stiffness
                     the leg is free within it
    hydraulic        a cylinder in place of the motor: the ratio is 1, and nothing of a motor or gear may be given
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
    mount_axis: Array | None = None
    back_efficiency: float | None = None
    current_bandwidth: float | None = None
    inductance: float | None = None
    presliding: float | None = None
    stiffness: float | None = None
    damping: float = 0.0
    hydraulic: Hydraulic | None = None

    CHECKS: ClassVar = {
        "ratio": _not_zero,
        "efficiency": _share,
        "back_efficiency": optional(_at_most_one),
        "stribeck_rate": positive,
        **dict.fromkeys(("rotor_axis", "mount_axis"), optional(unit)),
        **dict.fromkeys(_LOSSES, not_negative),
        **dict.fromkeys(_GIVEN, optional(positive)),
        "hydraulic": optional(_hydraulic),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rotor_axis is not None and self.mount_axis is not None:
            raise InputError(
                "mount_axis", self.mount_axis, "the rotor rides on its leg: rotor_axis"
            )
        if self.inductance is not None:
            for name in ("resistance", "torque_constant", "current_bandwidth"):
                self._known(name, "beside inductance")
        if self.damping > 0.0 and self.stiffness is None:
            raise InputError("damping", self.damping, "needs a stiffness beside it")
        if self.hydraulic is not None:
            self._without_motor()

    @property
    def losses(self) -> tuple[float, float]:
        """Friction over transmitted load, against motion along it ``1/eta_f - 1`` and opposite to it ``1 - eta_b``."""
        along = 1.0 / self.efficiency - 1.0
        return along, along if self.back_efficiency is None else 1.0 - self.back_efficiency

    @property
    def reflected_inertia(self) -> float:
        """``m_r = nu^2 I_r`` on the actuator coordinate, kg (kg m^2 for a crank)."""
        return self.ratio**2 * self.rotor_inertia

    @property
    def max_force(self) -> float:
        """Motor force at the current limit, ``nu k_t I_max``, before losses, N (N m); infinite where none is known.
        Of a cylinder what its supply can give at most (`Hydraulic.max_force`)."""
        if self.hydraulic is not None:
            return self.hydraulic.max_force
        if self.max_current is None or self.torque_constant is None:
            return inf
        return abs(self.ratio) * self.torque_constant * self.max_current

    def motor_force(
        self, force: ArrayLike, rate: ArrayLike = 0.0, acceleration: ArrayLike = 0.0
    ) -> Array:
        """Effort of the motor at the actuator coordinate that leaves `force` behind all losses, N (N m).

        ``u = force + friction(ldot) + loss |F| sign(ldot)`` while sliding steadily at `rate`, F = ``force - m_r lddot``
        what the gear transmits (`force` of `inverse_dynamics` contains the rotor's inertia; that a motor riding on its
        leg turns with it is left out here) and the loss that of its
        power's direction; standing still (0) no loss is counted: friction then carries anything up to its level,
        either way.  With ``drives=True`` `inverse_dynamics` answers this u itself.
        """
        F, v, a = (np.asarray(x, dtype=float) for x in (force, rate, acceleration))
        batch_shape("acceleration", batch_shape("rate", F.shape, v.shape), a.shape)
        through, (along, against) = F - self.reflected_inertia * a, self.losses
        loss = np.where(through * v > 0, along, against) * np.abs(through) * np.sign(v)
        return F + self.friction(v) + loss

    def motor_torque(
        self, force: ArrayLike, rate: ArrayLike = 0.0, acceleration: ArrayLike = 0.0
    ) -> Array:
        """Torque in the motor's air gap, ``T = u/nu`` with u of `motor_force`, friction and gear loss included, N m."""
        if self.hydraulic is not None:
            raise InputError(
                "hydraulic", "given", "a cylinder has no motor, hence no torque of one"
            )
        return self.motor_force(force, rate, acceleration) / self.ratio

    def current(
        self, force: ArrayLike, rate: ArrayLike = 0.0, acceleration: ArrayLike = 0.0
    ) -> Array:
        """``I = T/k_t``, A."""
        return self.motor_torque(force, rate, acceleration) / self._known("torque_constant")

    def voltage(self, force: ArrayLike, rate: ArrayLike, acceleration: ArrayLike = 0.0) -> Array:
        """``V = R I + k_t nu ldot``, V (steady current)."""
        back = self._known("torque_constant") * self.ratio * np.asarray(rate, dtype=float)
        return self._known("resistance") * self.current(force, rate, acceleration) + back

    def electric_power(
        self, force: ArrayLike, rate: ArrayLike, acceleration: ArrayLike = 0.0
    ) -> Array:
        """``P = V I``: mechanical power, friction and copper loss, W; negative while braking."""
        given = force, rate, acceleration
        return self.voltage(*given) * self.current(*given)

    def friction(self, rate: ArrayLike) -> Array:
        """Dry and viscous friction at the actuator coordinate while sliding at `rate`, N (N m)."""
        turn = self.ratio * np.asarray(rate, dtype=float)
        own = self.hydraulic or self
        excess = max(own.static - own.coulomb, 0.0)
        dry = dry_friction(own.coulomb, excess, own.stribeck_rate, turn)
        return self.ratio * (dry * np.sign(turn) + own.viscous * turn)

    def _without_motor(self) -> None:
        """A cylinder stands alone: nothing of a motor or its gear beside it."""
        usual = {"ratio": 1.0, **{f.name: f.default for f in fields(self)[1:]}}
        for name, default in usual.items():
            value = getattr(self, name)
            given = value is not None if default is None else value != default
            if given and name not in ("hydraulic", "presliding"):
                raise InputError(
                    name, value, "belongs to a motor or its gear: absent of a cylinder"
                )

    def _known(self, name: str, where: str = "for electrical quantities") -> float:
        value = getattr(self, name)
        if value is None:
            raise InputError(name, None, f"must be given {where}")
        return value

    @classmethod
    def rack_and_pinion(
        cls, *, gear: float, pinion_radius: float, rotor_inertia: float, **more: Any
    ) -> Drive:
        """Gearbox of ratio `gear` on a pinion of `pinion_radius` (m): ``nu = gear / radius``.  004 eq 14"""
        radius = positive("pinion_radius", pinion_radius)
        return cls(ratio=number("gear", gear) / radius, rotor_inertia=rotor_inertia, **more)

    @classmethod
    def ball_screw(
        cls, *, lead: float, rotor_inertia: float, gear: float = 1.0, **more: Any
    ) -> Drive:
        """Screw of `lead` (m per turn) behind a gear: ``nu = 2 pi gear / lead``."""
        lead = positive("lead", lead)
        return cls(ratio=2 * pi * number("gear", gear) / lead, rotor_inertia=rotor_inertia, **more)

    @classmethod
    def belt(
        cls, *, pulley_radius: float, rotor_inertia: float, gear: float = 1.0, **more: Any
    ) -> Drive:
        """Belt over a pulley of `pulley_radius` (m): ``nu = gear / radius``."""
        radius = positive("pulley_radius", pulley_radius)
        return cls(ratio=number("gear", gear) / radius, rotor_inertia=rotor_inertia, **more)

    @classmethod
    def geared(cls, *, gear: float, rotor_inertia: float, **more: Any) -> Drive:
        """Gear motor on a crank shaft (RUS): ``nu = gear``."""
        return cls(ratio=number("gear", gear), rotor_inertia=rotor_inertia, **more)
