"""What this formulation is, and the printed errors of 003 it can keep."""

from __future__ import annotations

from collections.abc import Iterable

from gough.checks import InputError
from gough.formulations.protocol import about
from gough.model import SPS, Platform

ABOUT = about("multibody")
ERRATA, PRINTED = ABOUT.errata, ABOUT.printed


def kept(platform: Platform, errata: Iterable[str]) -> frozenset[str]:
    """The errata to keep in the printed equations, which are for six SPS legs."""
    slips = ABOUT.kept(False, errata)
    if not all(isinstance(leg, SPS) for leg in platform.legs):
        raise InputError(
            "published", platform.kinds, "003 prints equations for 6-SPS machines only"
        )
    return slips
