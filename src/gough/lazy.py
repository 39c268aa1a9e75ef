"""Packages that load their modules when a name is first asked for.

A package lists its public names once, as imports for the type checker, and attaches the loader:

    if TYPE_CHECKING:
        from gough.export import mjcf as mjcf                      # a module of the package
        from gough.report.html import report_html as report_html   # a name

    __getattr__, __dir__ = lazy.attach(__name__)

The loader reads that list from the package's own source: there is no second one to keep in step.  Functions are handed
out behind the checks of their contract (`gough.border`).  A module must not
bear the name of a verb of its package: once imported it would stand in the verb's place.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from gough import border
from gough.extras import missing

OLD_NAMES = {  # of versions before 0.2: still answered, no longer listed; "module:name" where it has moved
    "gough": {
        "parameter_names": "gough.dynamics.parameters:parameter_names",
        "stream": "gough.engines.stream:stream",
        "stream_into": "gough.engines.stream:stream_into",
    },
    "gough.analysis": {"linearise": "linearize"},
    "gough.control": {"Decentralised": "Decentralized"},
    "gough.design": {"Problem": "DesignProblem", "optimise": "optimize"},
}
OLD_MODULES = {  # where they live now; the old names can still be imported
    "gough.analysis.aspects": "gough.kinematics.aspects",
    "gough.gym": "gough.simulation.gym",
    "gough.jax": "gough.dynamics.jax",
    "gough.scenario": "gough.simulation.scenario",
    "gough.signals": "gough.control.signals",
}
_PLUMBING = {"TYPE_CHECKING", "annotations", "lazy"}


@cache
def promised(package: str) -> dict[str, str]:
    """Every name that a package imports as itself (``import x as x``), with the module it comes from."""
    source = sys.modules[package].__spec__.loader.get_source(package)  # type: ignore[union-attr]
    body = ast.parse(source).body
    typing = [
        line
        for node in body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for line in node.body
    ]
    return {
        name.name: str(line.module)
        for line in (*body, *typing)
        if isinstance(line, ast.ImportFrom)
        for name in line.names
        if name.asname == name.name
    }


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package: names are imported when first used, and listed before."""
    module = sys.modules[package]
    border.guard(package)

    def get(name: str) -> Any:
        if name == "__all__":  # what ``from package import *`` asks for
            return sorted(promised(package))
        if name in OLD_NAMES.get(package, ()):
            owner, _, new = OLD_NAMES[package][name].rpartition(":")
            return getattr(importlib.import_module(owner or package), new)
        if f"{package}.{name}" in OLD_MODULES:
            return importlib.import_module(f"{package}.{name}")
        home = promised(package).get(name)
        if home is None:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}", name=name, obj=module
            )
        try:
            owner = importlib.import_module(home)
            submodule = owner is module or not hasattr(owner, name)
            value = importlib.import_module(f"{home}.{name}") if submodule else getattr(owner, name)
        except ImportError as error:
            told = missing(error)
            if told is None:
                raise
            raise told from error
        value = border.guarded_value(value, name, package)
        setattr(module, name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(module), *promised(package)} - _PLUMBING)

    return get, names


class OldModules(MetaPathFinder, Loader):
    """``import gough.gym``: the module of today under its older name too."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A specification for the old names only."""
        return ModuleSpec(fullname, self) if fullname in OLD_MODULES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(OLD_MODULES[spec.name])
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own  # the import machinery has put the alias there


sys.meta_path.append(OldModules())
