"""The screw of a leg whose upper part turns against the lower one (UCU): length and twist come together."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

from gough.checks import Checked, InputError, not_negative, number, positive
from gough.frozen import hinted

HANDS = {"right": 1.0, "left": -1.0}
MOUNTS = ("lower", "upper")


def _hand(field: str, value: Any) -> str:
    if not isinstance(value, str) or value not in HANDS:
        raise InputError(field, value, "must be right or left")
    return value


def _mount(field: str, value: Any) -> str:
    if not isinstance(value, str) or value not in MOUNTS:
        raise InputError(field, value, "must be lower or upper")
    return value


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Screw(Checked):
    """Screw and nut between the two parts of a leg.

    lead     travel per turn, m, positive; the hand gives the sign
    hand     "right" or "left" of the thread
    mount    part on which the motor sits and its rotors ride: "lower" or "upper"
    zero     twist phi of the leg at which the screw's travel equals the leg's length, rad
    inertia  of what turns with the screw (or the turning nut) about the leg axis, kg m^2; like every rotor on a leg it
             is counted in the body of that part too, as if it were locked there

    The actuator coordinate of the leg is the screw's travel, ``lead/(2 pi)`` times its angle against its part, positive
    when it extends the leg: ``lam = L - hand lead/(2 pi) (phi - zero)``, hand +1 or -1, in meters; its effort is in
    newtons, ``torque = effort lead/(2 pi)``.
    """

    lead: float
    hand: str = "right"
    mount: str = "lower"
    inertia: float = 0.0
    zero: float = 0.0

    CHECKS: ClassVar = {
        "lead": positive,
        "hand": _hand,
        "mount": _mount,
        "inertia": not_negative,
        "zero": number,
    }

    @property
    def travel(self) -> float:
        """``h = -hand lead/(2 pi)``, m/rad: travel of the screw per twist of the upper part about +s."""
        return -HANDS[self.hand] * self.lead / (2 * pi)

    @property
    def rotor_turns(self) -> float:
        """Turns about +s per travel of what `inertia` belongs to, rad/m."""
        return (1.0 if self.mount == "lower" else -1.0) / self.travel
