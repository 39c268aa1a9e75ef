"""Frozen dataclasses as users meet them: they print in a line, and say what to do where a field is assigned."""

from __future__ import annotations

import dataclasses
from dataclasses import FrozenInstanceError
from typing import Any, TypeVar

from gough import brief

T = TypeVar("T")


def hinted(cls: type[T]) -> type[T]:
    """Class decorator for frozen dataclasses: assigning or deleting a field says how to get a changed copy.

    The error stays a `dataclasses.FrozenInstanceError`, which is an AttributeError.  A class that is made with
    ``repr=False`` and has no repr of its own prints in a line (gough/brief.py; its `UNITS` before the usual ones).
    """
    if cls.__repr__ is object.__repr__:
        cls.__repr__ = brief.line  # type: ignore[method-assign]
    assign, delete = cls.__setattr__, cls.__delattr__

    def set_field(self: Any, name: str, value: Any) -> None:
        try:
            assign(self, name, value)
        except FrozenInstanceError:
            raise FrozenInstanceError(_advice(self, name)) from None

    def delete_field(self: Any, name: str) -> None:
        try:
            delete(self, name)
        except FrozenInstanceError:
            raise FrozenInstanceError(_advice(self, name)) from None

    cls.__setattr__, cls.__delattr__ = set_field, delete_field  # type: ignore[method-assign]
    return cls


def _advice(thing: Any, name: str) -> str:
    kind = type(thing).__name__
    fields = [field.name for field in dataclasses.fields(thing) if field.init]
    if name not in fields:
        return f"{kind} has no field {name} to assign; its fields are {', '.join(fields)}"
    if hasattr(thing, "replace"):
        return f"{kind}.{name} cannot be assigned: make a changed copy, as by .replace({name}=...)"
    return (
        f"{kind}.{name} cannot be assigned: answers do not change; make a changed copy by "
        f"dataclasses.replace(..., {name}=...), or copy its numbers: .{name}.copy()"
    )
