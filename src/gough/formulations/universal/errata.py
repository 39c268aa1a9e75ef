"""What this formulation is, and the printed errors of [Pedrammehr2012] it can keep."""

from __future__ import annotations

from typing import Unpack

from gough.checks import InputError
from gough.formulations.protocol import About, Keep

ABOUT = About(
    name="universal",
    paper="000",
    legs=("UPS",),
    gives=frozenset({"reactions", "mass_matrix", "bias", "leg_motion"}),
    errata={
        "E000-1": "eq 25: the last term lacks 1/sqrt(1 - (u.n)^2); acts through eqs 22-25 only",
        "E000-2": "eq 21: 'wu wv x l n' needs c; here the term is left out; acts through eqs 18-21 only",
        "E000-3": "eqs 32, 33, 50: parallel-axis part added to the tensors and counted again in m r x a",
        "E000-3:32": "the same in eq 32 only (lower parts)",
        "E000-3:33": "the same in eq 33 only (upper parts)",
        "E000-3:50": "the same in eq 50 only (platform)",
        "E000-4": "eqs 32, 33, 50: world components inside brackets that expect local ones (needs E000-3)",
        "E000-5": "eqs 42, 43: terms missing in Q and V; acts through the closed form",
        "E000-5:S": "Appendix 1: S with the length l where its rate belongs (needs E000-5)",
    },
    # the recursive model: eqs 31-40 with 32, 33, 50 and the angular motion of eqs 12-14, 18-21
    printed=frozenset({"E000-3", "E000-4"}),
)
ERRATA, PRINTED = ABOUT.errata, ABOUT.printed
ROUTES = ("axes", "components", "closed")


def kept(**keep: Unpack[Keep]) -> frozenset[str]:
    """The errata to keep; those of different routes exclude each other."""
    slips = ABOUT.kept(**keep)
    if {"E000-1", "E000-2"} <= slips or {"E000-2", "E000-5"} <= slips:
        raise InputError(
            "errata", sorted(slips), "E000-2 belongs to eqs 18-21, the others to eqs 22-43"
        )
    return slips


def checked_route(route: str | None, slips: frozenset[str], simplified: bool) -> str:
    """The requested route, checked against the errata it must pass through."""
    needed = {"E000-1": "components", "E000-2": "axes", "E000-5": "closed"}
    forced = next((needed[key] for key in ("E000-5", "E000-2", "E000-1") if key in slips), None)
    if route is None:
        return forced or "axes"
    if route not in ROUTES:
        raise InputError("route", route, f"must be one of {', '.join(ROUTES)}")
    if (
        forced is not None
        and route != forced
        and not (forced == "components" and route == "closed")
    ):
        raise InputError("route", route, f"must be {forced!r} for the errata {sorted(slips)}")
    if simplified and route == "closed":
        raise InputError("route", route, "must be 'axes' or 'components' for simplified pods")
    return route
