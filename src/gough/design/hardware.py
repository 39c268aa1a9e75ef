"""What a machine's file does not say of its legs and a design must know: stiffness, errors, rods."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import pi
from typing import ClassVar

import numpy as np

from gough.checks import Array, Checked, InputError, not_negative, optional, positive
from gough.dynamics.elastic import drive_stiffness
from gough.frozen import hinted
from gough.model import CRANKS, Platform


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Hardware(Checked):
    """Numbers of the legs, the same for all; None: not given.

    leg_stiffness, crank_stiffness  of a held actuator with its leg, N/m, N m/rad (None: those of the drives)
    actuator_error, crank_error     standard deviation of an actuator's coordinate, m, rad
    joint_error                     standard deviation of each coordinate of every joint, base and platform, m
    rod_diameter, rod_modulus       of a round rod from joint to joint, m, and of its material (Young), Pa
    """

    leg_stiffness: float | None = None
    crank_stiffness: float | None = None
    actuator_error: float | None = None
    crank_error: float | None = None
    joint_error: float | None = None
    rod_diameter: float | None = None
    rod_modulus: float | None = None

    CHECKS: ClassVar = {
        **dict.fromkeys(
            ("leg_stiffness", "crank_stiffness", "rod_diameter", "rod_modulus"), optional(positive)
        ),
        **dict.fromkeys(("actuator_error", "crank_error", "joint_error"), optional(not_negative)),
    }

    def as_tuple(self) -> tuple[float | None, ...]:
        """All numbers, in order."""
        return tuple(getattr(self, f.name) for f in fields(self))

    def stiffness(self, platform: Platform) -> Array:
        """(6,) of the legs, N/m (N m/rad): given here, or that of their drives."""
        if self.leg_stiffness is None and self.crank_stiffness is None:
            return drive_stiffness(platform)
        return self._six(platform, "leg_stiffness", "crank_stiffness")

    def spread(self, platform: Platform) -> Array:
        """(6,) standard deviations of the actuators, m (rad); zero where only joints have errors."""
        if self.actuator_error is None and self.crank_error is None:
            return np.zeros(6)
        return self._six(platform, "actuator_error", "crank_error")

    def bending(self) -> float:
        """``E I`` of the rod, ``I = pi d^4/64``, N m^2."""
        need_hardware(("buckling",), self)
        assert self.rod_diameter is not None
        assert self.rod_modulus is not None
        return self.rod_modulus * pi * self.rod_diameter**4 / 64

    def _six(self, platform: Platform, linear: str, rotary: str) -> Array:
        found = []
        for leg in platform.legs:
            name = rotary if isinstance(leg, CRANKS) else linear
            if getattr(self, name) is None:
                raise InputError(f"task.hardware.{name}", None, "must be given for these legs")
            found.append(getattr(self, name))
        return np.array(found)


NEEDED = {
    "buckling": "must give rod_diameter and rod_modulus: buckling is that of a rod",
    **dict.fromkeys(
        ("position_error", "angle_error"),
        "must give joint_error, actuator_error or crank_error: errors of the pose come from those",
    ),
}


def need_hardware(names: tuple[str, ...], hardware: Hardware) -> None:
    """Refuse metrics whose numbers are missing: at the border, not design by design."""
    errors = (hardware.joint_error, hardware.actuator_error, hardware.crank_error)
    rod = (hardware.rod_diameter, hardware.rod_modulus)
    for name in names:
        given = None not in rod if name == "buckling" else any(e is not None for e in errors)
        if name in NEEDED and not given:
            raise InputError("task.hardware", None, NEEDED[name])
