"""The identity of a run: a hash of everything that decides its numbers, by content.

Numbers, texts and containers count by their values; objects by their class and by what they would hand to pickle;
functions by their code, defaults, what they close over and the globals they name; the user's own modules by their
files and those that they import.  This library, NumPy, compiler and processor enter by `cache.kernel_key`, other
installed packages by name and version.  What has no content to read (a lock, a file, a pointer) is refused unless the
caller gives a `version`, which then stands for it.  Not seen: what code fetches by itself when it runs, such as a file
it opens.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from gough.checks import Frozen, InputError
from gough.engines.cache import kernel_key

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
CODE = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars")
METHODS = (FunctionType, staticmethod, classmethod, property)
INSTALLED = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
OWN = str(Path(__file__).resolve().parents[1])
REFUSED = """has no content that tells this run from another: give version="...", and change it with every change"""


def identity(parts: dict[str, Any], version: str | None = None) -> str:
    """Hash of the named parts of a run, of this library and of what compiles it."""
    digest = hashlib.sha256(
        kernel_key(f"# numpy {np.__version__}", "gough.simulation.run").encode()
    )
    for name, part in parts.items():
        for piece in (name.encode(), *_Reader(name, version).read(part)):
            digest.update(len(piece).to_bytes(8, "little") + piece)
    return digest.hexdigest()


class _Reader:
    """Reads one part of a run; an object met again counts by its number."""

    def __init__(self, field: str, version: str | None) -> None:
        self.field, self.version, self.seen = field, version, dict[int, int]()
        self.alive: list[Any] = []  # an id is one only as long as its object lives

    def read(self, part: Any) -> Iterator[bytes]:
        """The content of `part`, in pieces."""
        yield f"{type(part).__module__}.{type(part).__qualname__}".encode()
        if isinstance(part, PLAIN):
            yield repr(part).encode()
        elif id(part) in self.seen:
            yield f"number {self.seen[id(part)]}".encode()
        elif isinstance(part, (np.ndarray, np.generic)) and not part.dtype.hasobject:
            yield f"{part.dtype.str} {part.shape}".encode()
            yield np.ascontiguousarray(part).tobytes()
        else:
            self.seen[id(part)] = len(self.seen)
            self.alive.append(part)
            for inner in self._inside(part):
                yield from self.read(inner)
            yield b"end"

    def _inside(self, part: Any) -> Iterator[Any]:
        """What an object consists of."""
        if isinstance(part, (list, tuple)):
            yield from part
        elif isinstance(part, (dict, MappingProxyType)):
            yield from part.items()
        elif isinstance(part, (set, frozenset)):
            yield from sorted(part, key=repr)
        elif isinstance(part, Frozen):  # its fields, not what was computed from them
            yield from ((f.name, getattr(part, f.name)) for f in fields(part))  # type: ignore[arg-type]
        elif isinstance(part, ModuleType):
            yield from _module(part.__name__, set())
        elif isinstance(part, CodeType):
            yield from (getattr(part, name) for name in CODE)
        elif isinstance(part, FunctionType):
            yield from _function(part)
        elif isinstance(part, (MethodType, staticmethod, classmethod)):
            yield from (part.__func__, getattr(part, "__self__", None))
        elif isinstance(part, property):
            yield from (part.fget, part.fset)
        elif isinstance(part, (np.ufunc, BuiltinFunctionType)):
            yield from (part.__name__, getattr(part, "__self__", None))
        elif isinstance(part, type):
            yield from _class(part)
        elif hasattr(part, "py_func"):  # compiled by numba
            yield from (part.py_func, getattr(part, "targetoptions", None))
        elif hasattr(
            part, "__wrapped__"
        ):  # a cache around a function would hand its name to pickle
            yield part.__wrapped__
        else:
            yield from self._object(part)

    def _object(self, part: Any) -> Iterator[Any]:
        try:
            parts = part.__reduce_ex__(2)
        except Exception:  # whatever a class raises that cannot be copied
            if self.version is None:
                raise InputError(self.field, part, REFUSED) from None
            parts = self.version
        for inner in (parts,) if isinstance(parts, str) else parts:
            yield list(inner) if isinstance(inner, Iterator) else inner


def _installed(file: str | None) -> bool:
    """Part of this library, of Python or of an installed package: its name and version stand for it."""
    return file is None or file.startswith((OWN, *INSTALLED))


def _function(function: FunctionType) -> Iterator[Any]:
    code, names = function.__code__, function.__globals__
    yield from (function.__module__, function.__qualname__, code)
    yield from (function.__defaults__, function.__kwdefaults__)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            yield "empty"
    if not _installed(code.co_filename):
        inside = list(_codes(code))
        used = {name for inner in inside for name in inner.co_names if name in names}
        yield [(name, names[name]) for name in sorted(used)]
        steps = (step for inner in inside for step in dis.get_instructions(inner))
        imported = {step.argval for step in steps if step.opname == "IMPORT_NAME"}
        yield [text for name in sorted(imported) for text in _module(name, set())]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code and all that is defined inside it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


def _class(kind: type) -> Iterator[Any]:
    yield f"{kind.__module__}.{kind.__qualname__}"
    if not _installed(getattr(sys.modules.get(kind.__module__), "__file__", "")):
        yield kind.__bases__
        for name, value in vars(kind).items():
            if isinstance(value, METHODS) or not name.startswith(("__", "_abc_")):
                yield from (name, value)


def _module(name: str, seen: set[str]) -> Iterator[str]:
    """Name and version of an installed module; the text of another, and those that it imports."""
    yield name
    seen.add(name)
    module, spec = sys.modules.get(name), None
    if module is None:
        with suppress(ImportError, ValueError):
            spec = find_spec(name)
    file = getattr(module, "__file__", None) if spec is None else spec.origin
    yield str(getattr(module, "__version__", ""))
    if _installed(file) or not str(file).endswith(".py"):
        return
    text = Path(str(file)).read_text(encoding="utf-8")
    yield text
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for other in names:
            if other not in seen:
                yield from _module(other, seen)
