"""Arithmetic operations of a formulation, counted by running its own code on numbers that count.

Additions, subtractions, multiplications, divisions, powers and roots count one each; operations with a
constant 0 or 1 (absent friction, absent drives) and between constants count nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

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
        return self + -1 * other

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.divisions + other.divisions,
            self.roots + other.roots,
        )

    def __rmul__(self, factor: int) -> Tally:
        return Tally(
            factor * self.additions,
            factor * self.multiplications,
            factor * self.divisions,
            factor * self.roots,
        )

    def count(
        self, additions: int, multiplications: int = 0, divisions: int = 0, roots: int = 0
    ) -> None:
        """Add some operations."""
        self.additions += additions
        self.multiplications += multiplications
        self.divisions += divisions
        self.roots += roots


FREE = (0,)


class Counted:
    """A real number that reports every operation to its tally; what each costs stands in the class.

    Operations with a constant 0 or factor of 1 are free.  Costs: additions, multiplications, divisions, roots.
    """

    __slots__ = ("tally", "value")
    ADD, ADD_CONSTANT = (1,), (1,)
    MULTIPLY, MULTIPLY_CONSTANT = (0, 1), (0, 1)
    DIVIDE, DIVIDE_BY_CONSTANT, DIVIDE_CONSTANT = (0, 0, 1), (0, 0, 1), (0, 0, 1)
    ROOT: tuple[int, ...] = (0, 0, 0, 1)
    number: type = float

    def __init__(self, value: Any, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def _made(self, value: Any, cost: tuple[int, ...]) -> Self:
        self.tally.count(*cost)
        return type(self)(value, self.tally)

    def _value(self, x: object) -> Any:
        return x.value if isinstance(x, Counted) else self.number(x)

    def __add__(self, other: object) -> Self:
        value = self._value(other)
        if isinstance(other, Counted):
            return self._made(self.value + value, self.ADD)
        return self._made(self.value + value, FREE if value == 0.0 else self.ADD_CONSTANT)

    __radd__ = __add__

    def __neg__(self) -> Self:
        return type(self)(-self.value, self.tally)

    def __sub__(self, other: Any) -> Self:
        return self + -other

    def __rsub__(self, other: object) -> Self:
        return -self + other

    def __mul__(self, other: object) -> Self | float:
        value = self._value(other)
        if isinstance(other, Counted):
            return self._made(self.value * value, self.MULTIPLY)
        if value == 0.0:
            return 0.0
        return self._made(self.value * value, FREE if abs(value) == 1.0 else self.MULTIPLY_CONSTANT)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Self:
        cost = self.DIVIDE if isinstance(other, Counted) else self.DIVIDE_BY_CONSTANT
        return self._made(self.value / self._value(other), cost)

    def __rtruediv__(self, other: object) -> Self | float:
        value = self._value(other)
        return 0.0 if value == 0.0 else self._made(value / self.value, self.DIVIDE_CONSTANT)

    def __pow__(self, power: object) -> Self:
        return self._made(self.value ** self._value(power), self.MULTIPLY)

    def sqrt(self) -> Self:
        """Principal square root, as NumPy asks for it."""
        return self._made(self.number(np.sqrt(self.value)), self.ROOT)

    def __lt__(self, other: object) -> bool:
        return self.value.real < self._value(other).real

    def __gt__(self, other: object) -> bool:
        return self.value.real > self._value(other).real


class CountedEvery(Counted):
    """A real number whose operations with zeros and ones count too, as MATLAB's counter does."""

    __slots__ = ()

    def __add__(self, other: object) -> Self:
        return self._made(self.value + self._value(other), self.ADD)

    def __mul__(self, other: object) -> Self:
        return self._made(self.value * self._value(other), self.MULTIPLY)

    __radd__, __rmul__ = __add__, __mul__


class CountedComplex(Counted):
    """A complex number that counts the real operations of its arithmetic; its root takes two real ones."""

    __slots__ = ()
    ADD, ADD_CONSTANT = (2,), (1,)
    MULTIPLY, MULTIPLY_CONSTANT = (2, 4), (0, 2)
    DIVIDE, DIVIDE_BY_CONSTANT, DIVIDE_CONSTANT = (3, 6, 2), (0, 0, 2), (1, 4, 2)
    ROOT = (2, 4, 1, 2)
    number = complex


Number = Callable[[ArrayLike], Any]
"""Turns an array into one of counting numbers (typed Any: it stands in for a float array)."""


def counted(values: ArrayLike, tally: Tally, kind: type[Counted] = Counted) -> Any:
    """An array of counting numbers."""
    return np.frompyfunc(lambda v: kind(kind.number(v), tally), 1, 1)(
        np.asarray(values, dtype=float)
    )


def count(run: Callable[[Number], object], kind: type[Counted] = Counted) -> Tally:
    """The tally of ``run(number)``, where `number` turns arrays into counting arrays."""
    tally = Tally()
    run(lambda values: counted(values, tally, kind))
    return tally


def elimination(n: int) -> Tally:
    """Gaussian elimination with one right-hand side: ``n^3/3 + n^2 - n/3`` multiplications and divisions."""
    tally = Tally()
    for k in range(n):
        rows = n - k - 1
        tally.count(rows * (rows + 2), rows * (rows + 2), rows + 1)
    return tally
