"""What this formulation is, the printed errors of [Lopes] it can keep, and its models of the links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from gough.checks import InputError, array
from gough.formulations.protocol import Keep, about
from gough.model import PUS, Leg, Platform

ABOUT = about("lagrange")
ERRATA, PRINTED = ABOUT.errata, ABOUT.printed
_PRINTED_IN_COMPONENTS = frozenset({"E002-2", "E002-3", "E002-5"})
LINKS = ("complete", "two-mass", "three-mass")


class LinkOptions(Keep, total=False):
    """`Keep`, and the model of fixed-length links (PUS).

    links       "complete", "two-mass" (the paper's simplified model, eqs 80-91), "three-mass" (inertia matched too)
    end_masses  (m_L1, m_L2) of the two-mass model, at the platform and at the slider, kg
    """

    links: str
    end_masses: tuple[float, float] | None


@dataclass(frozen=True)
class Variant:
    """Which model: `links` complete, two-mass or three-mass; `errata` kept; `end_masses` (m_L1, m_L2)."""

    links: str = "complete"
    errata: frozenset[str] = frozenset()
    end_masses: tuple[float, float] | None = None


def variant(
    platform: Platform,
    links: str = "complete",
    end_masses: tuple[float, float] | None = None,
    **keep: Unpack[Keep],
) -> Variant:
    """The model asked for, checked against the legs of `platform`."""
    kept = ABOUT.kept(**keep)
    if links not in LINKS:
        raise InputError("links", links, f"must be one of {', '.join(LINKS)}")
    ABOUT.check(platform, kept)
    for i, leg in enumerate(platform.legs):
        _check_model(f"legs[{i}]", leg, kept, links)
    if end_masses is not None:
        if links != "two-mass":
            problem = 'only the model links="two-mass" has two end masses'
            raise InputError("end_masses", end_masses, problem)
        first, second = (float(m) for m in array("end_masses", end_masses, (2,)))
        end_masses = (first, second)
    return Variant(links, kept, end_masses)


def _check_model(field: str, leg: Leg, kept: frozenset[str], links: str) -> None:
    if links != "complete" and not isinstance(leg, PUS):
        problem = f"point masses replace links of fixed length, {field} has none"
        raise InputError("links", links, problem)
    if kept & _PRINTED_IN_COMPONENTS and not (
        isinstance(leg, PUS) and np.array_equal(leg.rail, [0, 0, 1])
    ):
        problem = "are printed in components for vertical rails; use PUS legs along +z"
        raise InputError("errata", sorted(kept), problem)
