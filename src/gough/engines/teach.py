"""Teaches numba the operator classes and functions of ``equations/`` from their own source.

A class becomes a structure of its constructor's fields; each operator and method is an overload that returns the
class's own function, so nothing is written twice.  Import this module only after all equations are defined.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from numba.core import cgutils, types
from numba.core.typing.templates import CallableTemplate, infer_global
from numba.extending import (
    lower_builtin,
    make_attribute_wrapper,
    models,
    overload,
    overload_method,
    register_model,
)

from gough.equations import machine, platform, pus, rus, scalar, solve, sps, strut, ups, vec

INLINE: Any = {"forceinline": True, "error_model": "numpy", "fastmath": {"contract"}}
METHOD: Any = {"jit_options": INLINE, "strict": False}
OPERATORS = {"__add__": operator.add, "__sub__": operator.sub, "__truediv__": operator.truediv}
MODULES: tuple[ModuleType, ...] = (vec, strut, ups, sps, pus, rus, solve, platform, machine)

_taught: set[object] = set()
_struct_types: dict[type, type] = {}


def teach() -> None:
    """Register every class and function of the equations, once per process."""
    if _taught:
        return
    for module in MODULES:
        for value in list(vars(module).values()):
            if inspect.isclass(value) and value.__module__ == module.__name__ and "__slots__" in vars(value):
                _teach_class(value)
    _teach_products()
    for module in MODULES:
        for value in list(vars(module).values()):
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                teach_function(value)
    overload(scalar.sqrt, jit_options=INLINE)(lambda x: lambda x: math.sqrt(x))
    overload(scalar.angle, jit_options=INLINE)(lambda sine, cosine: lambda sine, cosine: math.atan2(sine, cosine))


def teach_function(f: Callable[..., Any]) -> None:
    """Let compiled code call `f`, always inlined."""
    if f in _taught:
        return
    _taught.add(f)
    overload(f, jit_options=INLINE, strict=False)(_returning(f))


def teach_machine(functions: machine.Machine) -> None:
    """The functions of one leg combination and the closures they call."""
    for f in functions:
        for cell in f.__closure__ or ():
            if isinstance(cell.cell_contents, FunctionType):
                teach_function(cell.cell_contents)
        teach_function(f)


def _returning(f: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*args: Any) -> Callable[..., Any]:
        return f

    choose.__signature__ = inspect.signature(f)  # type: ignore[attr-defined]
    return choose


def _fields(cls: type) -> list[str]:
    return list(inspect.signature(cls.__init__).parameters)[1:]


def _teach_class(cls: type) -> None:
    fields = _fields(cls)
    _taught.add(cls)

    class StructType(types.Type):
        def __init__(self, members: tuple[types.Type, ...]) -> None:
            self.members = members
            super().__init__(name=f"{cls.__module__}.{cls.__name__}{members}")

    StructType.__name__ = StructType.__qualname__ = f"{cls.__name__}Type"
    _struct_types[cls] = StructType

    @register_model(StructType)
    class StructModel(models.StructModel):
        def __init__(self, dmm: Any, fe_type: Any) -> None:
            super().__init__(dmm, fe_type, list(zip(fields, fe_type.members, strict=True)))

    for name in fields:
        make_attribute_wrapper(StructType, name, name)

    class Constructor(CallableTemplate):
        key = cls

        def generic(self) -> Any:
            def typer(*args: Any, **kwargs: Any) -> Any:
                bound = inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                                           for n in fields]).bind(*args, **kwargs)
                return StructType(tuple(_plain(bound.arguments[n]) for n in fields))

            typer.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
                [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in fields])
            return typer

    infer_global(cls)(Constructor)  # type: ignore[misc]

    @lower_builtin(cls, types.VarArg(types.Any))
    def construct(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        result = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        for name, value, given, wanted in zip(fields, args, sig.args, sig.return_type.members, strict=True):
            setattr(result, name, context.cast(builder, value, given, wanted))
        return result._getvalue()

    _teach_methods(cls, StructType)


def _plain(t: types.Type) -> types.Type:
    """Literal and integer constants become plain floating-point fields."""
    t = types.unliteral(t)
    return types.float64 if isinstance(t, (types.Integer, types.Boolean)) else t


def _teach_methods(cls: type, struct: type) -> None:
    for name, f in vars(cls).items():
        if isinstance(f, FunctionType) and not name.startswith("__"):
            overload_method(struct, name, **METHOD)(_returning(f))
        elif name in OPERATORS and isinstance(f, FunctionType):
            _teach_operator(OPERATORS[name], struct, f)
        elif name == "__neg__" and isinstance(f, FunctionType):
            _teach_negation(struct, f)


def _teach_operator(symbol: Any, struct: type, f: FunctionType) -> None:
    def choose(self: Any, other: Any) -> Any:
        if isinstance(self, struct):
            return f
        return None

    overload(symbol, jit_options=INLINE, strict=False)(choose)


def _teach_negation(struct: type, f: FunctionType) -> None:
    def choose(self: Any) -> Any:
        return f if isinstance(self, struct) else None

    overload(operator.neg, jit_options=INLINE, strict=False)(choose)


def _teach_products() -> None:
    """``v * scalar`` and ``scalar * v``: the left operand decides which dunder serves."""
    for cls, struct in list(_struct_types.items()):
        left, right = vars(cls).get("__mul__"), vars(cls).get("__rmul__")
        if left is not None:
            _teach_operator(operator.mul, struct, left)
        if right is not None:
            _teach_right_product(struct)


def _teach_right_product(struct: type) -> None:
    def choose(self: Any, other: Any) -> Any:
        if isinstance(other, struct) and isinstance(self, types.Number):
            def product(self: Any, other: Any) -> Any:
                return other * self

            return product
        return None

    overload(operator.mul, jit_options=INLINE, strict=False)(choose)
