"""Which formulation answers: the exact model of this room, or the module of a published one."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from gough.checks import InputError
from gough.results import Spin

FORMULATIONS = {
    "exact": "",
    "newton-euler": "gough.formulations.newton_euler",
    "universal": "gough.formulations.universal",
    "lagrange": "gough.formulations.lagrange",
    "kane": "gough.formulations.kane",
    "multibody": "gough.formulations.multibody",
}
SPINNING = ("exact", "multibody")  # have legs whose spin is part of the state


def formulation_module(name: str) -> Any:
    """The module of a published formulation."""
    if name not in FORMULATIONS or name == "exact":
        raise InputError("formulation", name, f"must be one of {', '.join(FORMULATIONS)}")
    return importlib.import_module(FORMULATIONS[name])


def published_verb(verb: str, formulation: str, published: bool, spin: Spin | None) -> Callable[..., Any] | None:
    """The function of that name in a published formulation, its options filled in; None: the exact model answers."""
    if formulation == "exact":
        if published:
            raise InputError("published", True, "the exact model was not published with errors; choose a formulation")
        return None
    module = formulation_module(formulation)
    if not hasattr(module, verb):
        raise InputError("formulation", formulation, f"offers no {verb}; the exact model does")
    if spin is not None and formulation not in SPINNING:
        raise InputError("spin", spin, f"{formulation} has no spinning legs; exact and multibody have")
    given = {} if spin is None else {"spin": spin}
    return partial(getattr(module, verb), published=published, **given)
