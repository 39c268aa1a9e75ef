"""What this formulation is, and the printed errors of 003 it can keep."""

from __future__ import annotations

from collections.abc import Iterable

from gough.checks import InputError
from gough.formulations.protocol import EVERY_LEG, About
from gough.model import SPS, Platform

ABOUT = About(
    name="multibody",
    paper="003",
    legs=EVERY_LEG,
    gives=frozenset({"reactions", "mass_matrix", "bias", "forward_dynamics", "spin"}),
    errata={
        "E003-1": "Sec. 3.1: constant diagonal mass matrix in Euler coordinates, no gyroscopic couples",
        "E003-6": "eq 4: third row is gamma_L - gamma_L, six empty rows: rank 66 of 72",
    },
    printed=frozenset({"E003-1"}),  # with E003-6 as well the equations have no solution
)
ERRATA, PRINTED = ABOUT.errata, ABOUT.printed


def kept(platform: Platform, errata: Iterable[str]) -> frozenset[str]:
    """The errata to keep in the printed equations, which are for six SPS legs."""
    slips = ABOUT.kept(False, errata)
    if not all(isinstance(leg, SPS) for leg in platform.legs):
        raise InputError(
            "published", platform.kinds, "003 prints equations for 6-SPS machines only"
        )
    return slips
