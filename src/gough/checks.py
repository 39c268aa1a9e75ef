"""Checks at the border: every public input is converted once, here, and refused with its field's name."""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Check = Callable[[str, Any], Any]
"""(field, value) -> the value as it is kept, or `InputError`."""


LARGEST = 1e30  # beyond it products of a few numbers overflow; no machine comes near
SMALLEST = (
    1e-30  # of a number that must be above zero: below it, dividing by a few of them overflows
)
_KINDS = {"c": "complex ones", "b": "truth values", "M": "dates", "m": "times", "U": "text"}


class GoughError(ValueError):
    """What this library raises on purpose: bad input (`InputError`) or an impossible wish (`InfeasibleError`)."""

    field: str
    value: object
    allowed: str

    def within(self, prefix: str) -> GoughError:
        """The same error, with where it happened."""
        raise NotImplementedError


class InputError(GoughError):
    """Bad input: names the field, the value given and what is allowed."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        try:
            shown = " ".join(repr(value).split())
        except Exception:  # a foreign object that cannot even be shown
            shown = f"an object of {type(value).__name__}"
        if len(shown) > 120:
            shown = shown[:117] + "..."
        super().__init__(f"{field}: got {shown}; {allowed}")

    def within(self, prefix: str) -> InputError:
        """The same error, its field seen from an outer object: ``legs[2]`` + ``axis``."""
        return InputError(f"{prefix}.{self.field}", self.value, self.allowed)


class InfeasibleError(GoughError):
    """A well-formed request that the machine cannot fulfil: unreachable, singular, outside its limits."""

    def __init__(self, message: str) -> None:
        self.field, self.value, self.allowed = "pose", None, message
        ValueError.__init__(self, message)

    def within(self, prefix: str) -> InfeasibleError:
        """The same sentence, with where it happened."""
        return InfeasibleError(f"{prefix}: {self.allowed}")


def array(
    field: str,
    value: Any,
    shape: tuple[int | None, ...] | None = None,
    largest: float = LARGEST,
    unit: str = "",
) -> Array:
    """`value` as a read-only finite float64 array; `shape` gives the trailing axes (None: any size)."""
    a = np.array(real(field, value, shape))
    if not within(a, largest):
        if not np.isfinite(a).all():
            raise InputError(field, value, "must be finite (no NaN, no infinity)")
        raise InputError(field, value, f"must not exceed {largest:g} {unit}".rstrip())
    a.flags.writeable = False
    return a


def within(a: Array, largest: float) -> bool:
    """No element is NaN, infinite or larger than `largest`; most often the sum of squares says so."""
    flat = a.ravel()
    with np.errstate(over="ignore"):
        return bool(flat.dot(flat) <= largest * largest) or bool((np.abs(flat) <= largest).all())


def real(field: str, value: Any, shape: tuple[int | None, ...] | None = None) -> Array:
    """`value` as float64, not copied if it is; text, truth values, dates, complex and masked numbers are refused.

    `shape` gives the trailing axes (None: any size).  NaN and infinity pass: `array` refuses them.
    """
    a = (
        value
        if type(value) is np.ndarray and value.dtype == np.float64
        else _converted(field, value)
    )
    axes = 0 if shape is None else len(shape)
    if axes and shape != (tail := a.shape[max(a.ndim - axes, 0) :]):
        fits = len(tail) == axes and all(
            n in (None, m) for n, m in zip(shape or (), tail, strict=True)
        )
        if not fits:
            want = "(..., " + ", ".join("any" if n is None else str(n) for n in shape or ()) + ")"
            raise InputError(field, f"shape {a.shape}", f"must have shape {want}")
    return a


def _converted(field: str, value: Any) -> Array:
    """As float64, or the sentence that says what the numbers are instead."""
    try:
        a = np.asanyarray(value)
        if isinstance(a, np.ma.MaskedArray) and np.ma.is_masked(a):
            raise InputError(field, "an array with masked places", "must hold a number everywhere")
        kind = a.dtype.kind
        if (
            kind == "O"
        ):  # integers beyond 64 bits, fractions, decimals; not what merely turns into a float
            if any(x is None or isinstance(x, (str, bytes, bool, np.bool_)) for x in a.flat):
                raise InputError(field, value, "must be numbers")
        elif kind not in "iuf":
            raise InputError(field, value, f"must be real numbers, not {_KINDS.get(kind, a.dtype)}")
        with np.errstate(over="ignore"):  # infinity is refused by `array`
            return np.asarray(a, dtype=np.float64)
    except InputError:
        raise
    except Exception:  # whatever a foreign object does when it is asked for its numbers
        raise InputError(field, value, "must be numbers") from None


def vector(field: str, value: Any) -> Array:
    """A finite 3-vector."""
    a = array(field, value)
    if a.shape != (3,):
        raise InputError(field, value, "must be three numbers")
    return a


def six(field: str, value: Any) -> Array:
    """Six finite numbers; one stands for all."""
    a = array(field, value)
    if a.shape not in ((), (1,), (6,)):
        raise InputError(field, f"shape {a.shape}", "must be one number or six")
    return np.broadcast_to(a, (6,))


def text(field: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise InputError(field, value, "must be text")
    return value


def unit(field: str, value: Any) -> Array:
    """A 3-vector normalized to length one; zero length is refused."""
    a = vector(field, value)
    with np.errstate(over="ignore"):
        n = float(np.linalg.norm(a))
    if n < 1e-12:
        raise InputError(field, value, "must not have zero length")
    if not np.isfinite(n):  # the squares overflow: dividing by it would give a zero vector
        raise InputError(field, value, "must have a finite length")
    if (
        abs(n - 1.0) > 4e-16
    ):  # an already normalized axis keeps its digits: files round-trip exactly
        a = a / n
        a.flags.writeable = False
    return a


def number(
    field: str,
    value: Any,
    *,
    minimum: float | None = None,
    above: float | None = None,
    largest: float = LARGEST,
) -> float:
    """A finite number, optionally ``>= minimum`` or ``> above``; its size at most `largest`."""
    x = value
    if type(value) is not float:
        a = real(field, value)
        if a.size != 1:
            raise InputError(field, value, "must be a number")
        x = float(a.reshape(()))
    if not math.isfinite(x):
        raise InputError(field, value, "must be finite (no NaN, no infinity)")
    if abs(x) > largest:
        raise InputError(field, value, f"must not exceed {largest:g}")
    if minimum is not None and x < minimum:
        raise InputError(field, value, f"must be at least {minimum:g}")
    if above is not None and x <= above:
        raise InputError(field, value, f"must be greater than {above:g}")
    if above == 0.0 and x < SMALLEST:
        raise InputError(field, value, f"must be at least {SMALLEST:g}")
    return x


def positive(field: str, value: Any) -> float:
    """A finite number above zero."""
    return number(field, value, above=0.0)


def not_negative(field: str, value: Any) -> float:
    """A finite number, zero or more."""
    return number(field, value, minimum=0.0)


def optional(check: Check) -> Check:
    """`check`, with None let through."""
    return lambda field, value: None if value is None else check(field, value)


def instance(kind: type) -> Check:
    """One of this library's own types."""

    def check(field: str, value: Any) -> Any:
        if not isinstance(value, kind):
            raise InputError(field, value, f"must be a gough.{kind.__name__}")
        return value

    return check


def batch_shape(name: str, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The batch axes of two arguments together; `name` is blamed where they do not fit."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise InputError(name, f"batch shape {b}", f"must broadcast with {a}") from None


def fitting(name: str, a: Array, shape: tuple[int, ...]) -> Array:
    """`a` broadcast to `shape`; one that does not fit, or is a larger batch, is refused."""
    if batch_shape(name, shape, a.shape) != shape:
        raise InputError(name, f"shape {a.shape}", f"must fit {shape}")
    return np.broadcast_to(a, shape)


def pick(a: Array, index: NDArray[np.intp]) -> Array:
    """(..., k) the entries of `a` (..., n) that `index` (..., k) names, state by state."""
    return a[index] if index.ndim == 1 else np.take_along_axis(a, index, axis=-1)


def rich(function: str, value: object) -> str:
    """HTML of `value` for notebooks, by ``gough.report.notebook.<function>``; loaded only when a notebook asks."""
    return getattr(importlib.import_module("gough.report.notebook"), function)(value)


class Frozen:
    """Equality and hash by content for frozen dataclasses that hold arrays; `replace` to change one."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields)

    def __hash__(self) -> int:
        known = self.__dict__.get("_hash")
        if known is None:  # content never changes: computed once (0.2 ms for a platform)
            fields = dataclasses.fields(self)  # type: ignore[arg-type]
            known = hash((type(self).__name__, *(_key(getattr(self, f.name)) for f in fields)))
            object.__setattr__(self, "_hash", known)
        return known

    def __getstate__(self) -> dict[str, Any]:
        """Fields and what follows from them; not what was only kept at hand (`_hash` differs between processes)."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def replace(self, **changes: Any) -> Any:
        """A copy with some fields changed; everything is validated again."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


class Checked(Frozen):
    """A frozen dataclass whose fields each pass their check when it is made."""

    CHECKS: ClassVar[Mapping[str, Check]] = {}

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            check = self.CHECKS.get(field.name)
            if check is not None:
                object.__setattr__(self, field.name, check(field.name, getattr(self, field.name)))


T = TypeVar("T")


def kept(make: Callable[[Any], T]) -> Callable[[Any], T]:
    """Decorator: ``make(thing)`` is made once and kept in the object itself: identity, not value, is the key."""
    key = f"_kept {make.__module__}.{make.__qualname__}"

    @wraps(make)
    def of(thing: Any) -> T:
        found = thing.__dict__.get(key)
        if found is None:
            found = thing.__dict__[key] = make(thing)
        return found

    return of


def _same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    return bool(a == b)


def _key(value: object) -> object:
    if isinstance(value, np.ndarray):
        return (value + 0.0).tobytes()  # -0.0 equals 0.0, so it must hash alike
    if isinstance(value, dict):
        return repr(sorted(value.items()))
    return value
