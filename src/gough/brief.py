"""Objects in a line: short arrays as six-digit numbers with their unit, long ones by their shape."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

FEW = 6  # numbers that are still written out
LONGEST = 80  # characters of what is neither a number nor an array


_USUAL = {  # units of fields that mean the same in every class; a class says others in its `UNITS`
    "m": "position center base joint arm slider_center",
    "kg": "mass slider_mass",
    "kg m^2": "inertia rotor_inertia",
    "m/s^2": "gravity",
}
UNITS = {name: unit for unit, names in _USUAL.items() for name in names.split()}


def line(thing: Any) -> str:
    """``Name(field=value unit, ...)`` of a dataclass; what is absent, or empty by default, is left out."""
    units: Mapping[str, str] = {**UNITS, **getattr(thing, "UNITS", {})}
    told = (
        f"{f.name}={field_text(getattr(thing, f.name), units.get(f.name, ''))}"
        for f in dataclasses.fields(thing)
        if f.repr and not _says_nothing(getattr(thing, f.name), f)
    )
    return f"{type(thing).__name__}({', '.join(told)})"


def field_text(value: object, unit: str = "") -> str:
    """A value as it stands in a line."""
    if isinstance(value, np.ndarray):
        return numbers(value, unit)
    if isinstance(value, float):
        return with_unit(f"{value + 0.0:.6g}", unit)
    text = repr(value)
    if len(text) <= LONGEST:
        return with_unit(text, unit)
    size = f" of {len(value)}" if isinstance(value, (tuple, list, dict)) else ""
    return f"<{type(value).__name__}{size}>"


def numbers(values: Any, unit: str = "") -> str:
    """A few numbers as ``[1, 2.5] m``; more of them as ``<(500, 6)> m``."""
    a = np.asarray(values)
    if a.ndim > 1 or a.size > FEW:
        return with_unit(f"<{a.shape}>", unit)
    if a.dtype.kind not in "fiub":
        return field_text(a.tolist(), unit)
    if a.ndim == 0:
        return with_unit(f"{a[()] + 0.0:.6g}", unit)
    return with_unit("[" + ", ".join(f"{x + 0.0:.6g}" for x in a.tolist()) + "]", unit)


def span(values: Any, unit: str = "") -> str:
    """The smallest and the largest row (..., k) number by number: ``[0, 0, 1] to [0, 0, 2] m``; NaN is left out."""
    rows = np.asarray(values, dtype=float)
    rows = rows.reshape(-1, rows.shape[-1])
    rows = rows[~np.isnan(rows).any(axis=1)]
    if not len(rows):
        return "nowhere"
    low, high = rows.min(axis=0), rows.max(axis=0)
    if np.array_equal(low, high):
        return numbers(low, unit)
    return f"{numbers(low)} to {numbers(high, unit)}"


def largest(values: Any, unit: str) -> str:
    """The largest length of the rows (..., k)."""
    sizes = np.linalg.norm(np.asarray(values, dtype=float), axis=-1)
    return with_unit(f"{np.nanmax(sizes, initial=0.0):.6g}", unit)


def with_unit(text: str, unit: str) -> str:
    """`text` and its unit, if it has one."""
    return f"{text} {unit}" if unit else text


def _says_nothing(value: object, field: dataclasses.Field[Any]) -> bool:
    """Absent; or empty, False or an object of this library, and so where it is not given."""
    if value is None:
        return True
    empty = value is False or (isinstance(value, (tuple, dict, str)) and not value)
    if not empty and not dataclasses.is_dataclass(value):
        return False
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    return default is not dataclasses.MISSING and bool(value == default)
