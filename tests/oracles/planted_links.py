"""Planted errors in fixed links: what is easily left out of a constraint."""

from __future__ import annotations

from gough.equations import links, machine
from oracles.planted import Error

ALL = ("UPS", "UCU", "SPS-general")

LINKS = [
    Error(
        "velocity term of the constraint left out",
        machine.MachineEquations.driven,
        "inner(g, acc) + d",
        "inner(g, acc)",
        ALL,
    ),
    Error(
        "commanded effort of a link acts on the platform",
        machine.MachineEquations.driven,
        "if i not in held",
        "if i not in []",
        ALL,
    ),
    Error("links pull where they push", links.HeldLinks.forces, "-x for x", "x for x", ALL),
    Error(
        "links that do not feel each other",
        links.factored,
        "rest[k][i] * u",
        "rest[k][i] * u * 0.0",
        ALL,
    ),
    Error(
        "links moved without the mass",
        links.hold,
        "M.solve(row)",
        "row",
        ALL,
    ),
]
