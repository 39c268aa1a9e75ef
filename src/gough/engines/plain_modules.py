"""Modules of compiled kernels run as plain Python: the same functions without the compiler, for a few questions.

A copy of a module is made from its own source: decorators of kernels leave functions as they are, traced programs
(`Lowered`) run operation by operation on NumPy, and what it imports from other kernel modules are copies too.
Nothing loads numba.  The numbers are those of the compiled kernels but for fused multiply-adds.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines.tracer import Program

COMPILER = "gough.engines.llvm_program"
DECORATORS = "gough.kinematics.compiled"


class PlainProgram:
    """What kernels use of `Lowered`, on the columns of NumPy arrays."""

    def __init__(self, program: Program, width: int = 0, lanes: int = 1) -> None:
        self.program, self.lanes = program, lanes

    def prepare(self, par: Array) -> Array:
        """The parameters, as they are."""
        return par

    def evaluate(self, X: Array, i: int, par: Array, Y: Array) -> None:
        """Y of `lanes` columns of X from i on."""
        columns = slice(i, i + self.lanes)
        for k, value in enumerate(self.program.run(list(X[:, columns]), list(par))):
            Y[k, columns] = value


def _unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


STANDING_IN: dict[str, Any] = {
    COMPILER: SimpleNamespace(Lowered=PlainProgram),
    DECORATORS: SimpleNamespace(kernel=_unchanged, strict_kernel=_unchanged),
}


@lru_cache(maxsize=32)
def plain_module(name: str) -> ModuleType:
    """A copy of a module of this package whose kernels are plain functions."""
    spec = find_spec(name)
    if spec is None or spec.origin is None or not name.startswith("gough."):
        raise ImportError(f"{name} is no module of this package", name=name)
    with open(spec.origin, encoding="utf-8") as file:
        text = file.read()
    module = ModuleType(name)
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _imported}
    exec(compile(text, spec.origin, "exec"), module.__dict__)
    return module


def _imported(name: str, *rest: Any) -> Any:
    """An import inside a copy: other kernel modules as copies, everything else as it is."""
    if name in STANDING_IN:
        return STANDING_IN[name]
    return plain_module(name) if _has_kernels(name) else builtins.__import__(name, *rest)


@lru_cache(maxsize=64)
def _has_kernels(name: str) -> bool:
    """Whether a module takes the decorators or the compiler from where copies get theirs."""
    spec = find_spec(name) if name.startswith("gough.") else None
    if spec is None or spec.origin is None:
        return False
    with open(spec.origin, encoding="utf-8") as file:
        text = file.read()
    return any(f"from {used} import" in text for used in STANDING_IN)


def plain_kernel(module: str, name: str) -> Callable[..., None]:
    """A kernel of a module as a plain function; divisions by zero give what IEEE says, in silence, as when compiled."""
    function = getattr(plain_module(module), name)

    def call(*arguments: Any) -> None:
        with np.errstate(all="ignore"):
            function(*arguments)

    return call
