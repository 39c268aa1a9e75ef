"""What this formulation is, the printed errors of [Syed] it can keep, and which bodies it counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from gough.checks import InputError, number
from gough.formulations.protocol import Keep, about
from gough.model import Platform

ABOUT = about("kane")
ERRATA, PRINTED = ABOUT.errata, ABOUT.printed
LEGS = ("massless", "lower", "upper", "full")
PINION_RADIUS = 0.01  # m, only for eq 14 as printed, which needs it apart from the ratio


class BodyOptions(Keep, total=False):
    """`Keep`, and which bodies count.

    legs           "massless", "lower", "upper" (PUS: slider, link; RUS: crank, rod) or "full"
    drive          count the rotors of legs that have a `Drive`
    pinion_radius  of eq 14 as printed, m
    """

    legs: str
    drive: bool
    pinion_radius: float


@dataclass(frozen=True)
class KaneModel:
    """Which leg bodies and rotors count, and which errata are kept."""

    legs: str
    drive: bool
    errata: frozenset[str]
    pinion_radius: float

    @property
    def drive_sign(self) -> float:
        """Sign of ``[m_d]`` beside the mass matrix: eq 12 prints the wrong one."""
        return -1.0 if "E004-2" in self.errata else 1.0


def model(
    platform: Platform,
    legs: str = "full",
    drive: bool = True,
    pinion_radius: float = PINION_RADIUS,
    **keep: Unpack[Keep],
) -> KaneModel:
    """The model asked for, checked against the legs of `platform`."""
    kept = ABOUT.kept(**keep)
    if legs not in LEGS:
        raise InputError("legs", legs, f"must be one of {', '.join(LEGS)}")
    ABOUT.check(platform, kept)
    return KaneModel(legs, drive, kept, number("pinion_radius", pinion_radius, above=0.0))
