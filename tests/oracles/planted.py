"""Planted errors: one physical mistake each, put into the equations' own source for the length of a check.

``planted(Error(...))`` recompiles one function with a piece of its text replaced and swaps its code object:
every caller sees the wrong equation.  The text is the function's canonical form (`ast.unparse`: no comments,
no line breaks inside a statement).  The piece must occur exactly `times` times: an error which no longer fits
its source fails loudly instead of planting nothing.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from gough.engines import plain


@dataclass(frozen=True)
class Error:
    """A named mistake: in `function`, text `old` becomes `new`; `kinds` are the machines that must notice."""

    name: str
    function: Callable[..., Any]
    old: str
    new: str
    kinds: tuple[str, ...]
    times: int = 1


@contextmanager
def planted(error: Error) -> Iterator[None]:
    """The equations with one error in them."""
    function = inspect.unwrap(error.function)
    assert isinstance(function, FunctionType)
    source = ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
    found = source.count(error.old)
    assert found == error.times, (
        f"{error.name}: {error.old!r} occurs {found} times in {function.__name__}"
    )
    namespace = dict(function.__globals__)
    text = "from __future__ import annotations\n" + source.replace(error.old, error.new)
    exec(compile(text, f"<{error.name}>", "exec"), namespace)
    right, wrong = function.__code__, inspect.unwrap(namespace[function.__name__]).__code__
    function.__code__ = wrong
    plain.machine.cache_clear()
    try:
        yield
    finally:
        function.__code__ = right
        plain.machine.cache_clear()
