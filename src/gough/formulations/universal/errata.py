"""What this formulation is, and the printed errors of [Pedrammehr2012] it can keep."""

from __future__ import annotations

from typing import Unpack

from gough.checks import InputError
from gough.formulations.protocol import Keep, about

ABOUT = about("universal")
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
