"""Which formulation answers: the exact model of this room, or a published one from the register."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gough import formulations
from gough.checks import InputError
from gough.results import Spin

FORMULATIONS = ("exact", *formulations.FORMULATIONS)


def published_verb(
    verb: str, formulation: str, published: bool, spin: Spin | None, base: object = None
) -> Callable[..., Any] | None:
    """The function of that name in a published formulation, its options filled in; None: the exact model answers."""
    if formulation == "exact":
        if published:
            raise InputError(
                "published",
                True,
                "the exact model was not published with errors; choose a formulation",
            )
        return None
    if base is not None:
        moves = f"{formulation} has a base at rest; the exact model serves one that moves"
        raise InputError("base", "given", moves)
    function = formulations.verb(formulation, verb)
    if spin is None:
        return partial(function, published=published)
    if "spin" not in formulations.FORMULATIONS[formulation].ABOUT.gives:
        raise InputError(
            "spin", spin, f"{formulation} has no spinning legs; exact and multibody have"
        )
    return partial(function, published=published, spin=spin)
