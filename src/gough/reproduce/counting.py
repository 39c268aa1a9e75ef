"""Arithmetic operations of a formulation, counted by running its own code on numbers that count.

Additions, subtractions, multiplications, divisions, powers and roots count one each; operations with a
constant 0 or 1 (absent friction, absent drives) and between constants count nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass
class Tally:
    """Operations so far."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    roots: int = 0

    @property
    def total(self) -> int:
        """All operations."""
        return self.additions + self.multiplications + self.divisions + self.roots

    def __sub__(self, other: Tally) -> Tally:
        return Tally(self.additions - other.additions, self.multiplications - other.multiplications,
                     self.divisions - other.divisions, self.roots - other.roots)


class Counted:
    """A float that reports every operation to its tally."""

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def _sum(self, other: object, sign: float, reverse: bool = False) -> Counted:
        value = _value(other)
        if not isinstance(other, Counted) and value == 0.0:
            return Counted(-self.value if reverse and sign < 0 else self.value, self.tally)
        self.tally.additions += 1
        return Counted(value + sign * self.value if reverse else self.value + sign * value, self.tally)

    def __add__(self, other: object) -> Counted:
        return self._sum(other, 1.0)

    __radd__ = __add__

    def __sub__(self, other: object) -> Counted:
        return self._sum(other, -1.0)

    def __rsub__(self, other: object) -> Counted:
        return self._sum(other, -1.0, reverse=True)

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally)

    def __mul__(self, other: object) -> Counted | float:
        value = _value(other)
        if not isinstance(other, Counted):
            if value == 0.0:
                return 0.0
            if abs(value) == 1.0:
                return Counted(value * self.value, self.tally)
        self.tally.multiplications += 1
        return Counted(self.value * value, self.tally)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Counted:
        self.tally.divisions += 1
        return Counted(self.value / _value(other), self.tally)

    def __rtruediv__(self, other: object) -> Counted | float:
        if _value(other) == 0.0:
            return 0.0
        self.tally.divisions += 1
        return Counted(_value(other) / self.value, self.tally)

    def __pow__(self, power: object) -> Counted:
        self.tally.multiplications += 1
        return Counted(self.value ** _value(power), self.tally)

    def sqrt(self) -> Counted:
        """Square root, as NumPy asks for it."""
        self.tally.roots += 1
        return Counted(float(np.sqrt(self.value)), self.tally)

    def __lt__(self, other: object) -> bool:
        return self.value < _value(other)

    def __gt__(self, other: object) -> bool:
        return self.value > _value(other)


def _value(x: object) -> float:
    return x.value if isinstance(x, Counted) else float(x)  # type: ignore[arg-type]


Number = Callable[[ArrayLike], Any]
"""Turns an array into one of counting numbers (typed Any: it stands in for a float array)."""


def counted(values: ArrayLike, tally: Tally) -> Any:
    """An array of counting numbers."""
    return np.frompyfunc(lambda v: Counted(float(v), tally), 1, 1)(np.asarray(values, dtype=float))


def count(run: Callable[[Number], object]) -> Tally:
    """The tally of ``run(number)``, where `number` turns arrays into counting arrays."""
    tally = Tally()
    run(lambda values: counted(values, tally))
    return tally


def elimination(n: int) -> Tally:
    """Gaussian elimination with one right-hand side: ``n^3/3 + n^2 - n/3`` multiplications and divisions."""
    tally = Tally()
    for k in range(n):
        rows = n - k - 1
        tally.divisions += rows
        tally.multiplications += rows * (rows + 1)
        tally.additions += rows * (rows + 1)
        tally.divisions += 1
        tally.multiplications += rows
        tally.additions += rows
    return tally
