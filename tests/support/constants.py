"""Numbers that the rooms are built with: named constants, defaults of all functions, methods and tables, private ones
too.

Tolerances, guards, shares and counts are decided once and measured with (docs/trust.md, the campaigns); one that
changes unnoticed changes what these measurements are worth.  ``python -m support.constants`` writes all of them into
data/constants.json after such a decision, so that it shows; names that are newer than the file, or gone, are free.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

FILE = Path(__file__).parents[1] / "data" / "constants.json"
ROOMS = ("analysis", "dynamics", "equations", "formulations", "kinematics", "simulation")
ROOT = Path(str(import_module("gough").__file__)).parent
PLAIN = (bool, int, float, complex, str, type(None))


def constants(room: str) -> dict[str, dict[str, str]]:
    """Module -> name, or function(argument) -> its value as text."""
    found = {}
    for path in sorted((ROOT / room).rglob("*.py")):
        dotted = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        try:
            module = import_module(dotted.removesuffix(".__init__"))
        except ImportError:  # needs a package that is not here
            continue
        found[dotted] = dict([*_named(module, path), *_defaults(module)])
    return {name: values for name, values in found.items() if values}


def _named(module: ModuleType, path: Path) -> Iterator[tuple[str, str]]:
    """Of what is assigned at the top of a module, all that is made of numbers and texts."""
    for statement in ast.parse(path.read_text()).body:
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            for name in (n.id for n in ast.walk(target) if isinstance(n, ast.Name)):
                text = written(getattr(module, name, None))
                if text is not None and text != "None":
                    yield name, text


def _defaults(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Of the functions and classes that are written in a module."""
    for name, thing in vars(module).items():
        inside = inspect.unwrap(thing) if callable(thing) else thing
        if getattr(inside, "__module__", None) != module.__name__:
            continue
        own = {name: inside}
        if inspect.isclass(inside):
            own |= {f"{name}.{key}": value for key, value in vars(inside).items()}
        for called, function in own.items():
            if isinstance(function, FunctionType) or inspect.isclass(function):
                yield from _arguments(called, function)


def _arguments(called: str, function: Any) -> Iterator[tuple[str, str]]:
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # enumerations, protocols
        return
    for argument in given:
        text = written(argument.default)
        if text is not None:
            yield f"{called}({argument.name})", text


def written(value: Any) -> str | None:
    """A value made of numbers and texts as text; None for any other."""
    if isinstance(value, np.ndarray):
        return written(value.tolist())
    if isinstance(value, slice):
        return repr(value)
    if isinstance(value, str) and value.startswith("/"):  # a folder of this machine
        return None
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.12g}"  # some are computed: their last digits are those of a library
    if type(value) in PLAIN or isinstance(value, np.generic):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, dict):
        parts = [written(part) for pair in value.items() for part in pair]
    elif type(value) in (tuple, list, set, frozenset):
        parts = [written(part) for part in value]
        parts = sorted(map(str, parts)) if isinstance(value, (set, frozenset)) else parts
    else:
        return None
    return None if None in parts or not parts else f"({', '.join(map(str, parts))})"


def changed(room: str) -> list[str]:
    """Recorded numbers that are others now."""
    now, recorded = constants(room), json.loads(FILE.read_text())[room]
    return [
        f"{module}: {name} = {now[module][name]}, was {value}"
        for module, values in recorded.items()
        for name, value in values.items()
        if name in now.get(module, {}) and now[module][name] != value
    ]


if __name__ == "__main__":
    table = {room: constants(room) for room in ROOMS}
    FILE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")
