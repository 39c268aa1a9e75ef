"""Defaults of public verbs and tables of a room: whoever leaves an argument out relies on them.

``python -m support.defaults`` writes those of all rooms into data/defaults.json, which is what was promised; arguments
that are newer than it are free.
"""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "data" / "defaults.json"
PACKAGES = ("gough", "gough.analysis", "gough.dynamics", "gough.kinematics", "gough.simulation")
ROOMS = ("analysis", "dynamics", "kinematics", "simulation")
PLAIN = (bool, int, float, str, tuple, type(None))


def defaults(room: str) -> dict[str, dict[str, str]]:
    """Name -> argument -> its default as text, of everything callable that the packages offer of a room."""
    found = {}
    for module in map(import_module, (*PACKAGES, "gough.simulation.gym")):
        for name in dir(module):
            thing: Any = None if name.startswith("_") else getattr(module, name)
            if callable(thing) and _home(thing).startswith(f"gough.{room}"):
                fields = inspect.signature(thing).parameters.values()
                found[name] = {f.name: repr(f.default) for f in fields if type(f.default) in PLAIN}
    return {name: given for name, given in found.items() if given}


def _home(thing: Any) -> str:
    """The module that a verb or class is written in, whatever package it is offered by."""
    inside = inspect.unwrap(thing)
    return str(getattr(inside, "__globals__", {}).get("__name__", inside.__module__))


def broken(room: str) -> list[str]:
    """Promised defaults that are others now."""
    now, promised = defaults(room), json.loads(FILE.read_text())[room]
    return [
        f"{name}({field}={value})"
        for name, given in promised.items()
        for field, value in given.items()
        if now[name].get(field) != value
    ]


if __name__ == "__main__":
    table = {room: defaults(room) for room in ROOMS}
    FILE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")
