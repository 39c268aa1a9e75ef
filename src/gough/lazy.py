"""Names of a package that load their module when first asked for: listed once, seen by ``dir()``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazy(package: str, names: Mapping[str, Sequence[str]],
         rooms: Sequence[str] = ()) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of `package`: `names` by the module that holds them, `rooms` are submodules.

    A name may not be a submodule's too: which of the two is meant would depend on what was imported before.
    """
    home = {name: module for module, held in names.items() for name in held}
    if both := home.keys() & set(rooms):
        raise ImportError(f"{package}: {', '.join(sorted(both))} would be both a name and a submodule")

    def get(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(home[name]), name)
            setattr(sys.modules[package], name, value)
            return value
        if name in rooms:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names_of() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home, *rooms})

    return get, names_of
