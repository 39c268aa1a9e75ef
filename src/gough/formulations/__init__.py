"""The five published formulations: independent derivations with the same function names, see `protocol`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gough.formulations.protocol import FORMULATIONS as FORMULATIONS
from gough.formulations.protocol import About as About
from gough.formulations.protocol import Formulation as Formulation
from gough.formulations.protocol import verb as verb

if TYPE_CHECKING:
    from gough.formulations import kane, lagrange, multibody, newton_euler, universal

    _checked: tuple[Formulation, ...] = (newton_euler, universal, lagrange, kane, multibody)


def __getattr__(name: str) -> Any:
    if name.replace("_", "-") in FORMULATIONS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(name.replace("-", "_") for name in FORMULATIONS)})
