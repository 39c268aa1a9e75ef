"""The six leg conditions over traced complex numbers: values, derivatives and factors, shared by all programs.

In the chart q = (1, v), g = (-v.w, w) the Study condition is spent and six unknowns are left.  With

    d = b - p,  m = b + p,  c = d.v,  n = d + m x v,  h = 1 + v.v,  sigma = v.w,  rho = sigma^2 + w.w

a leg with K = L^2 (complex on the way) is ``Phi + 2 rho = 0``, half of the condition of forms.py,

    Phi = n.(n/2 - 2 w) + c (c/2 - 2 sigma) - K h/2,
    dPhi = ((n - 2 w) x m + (c - 2 sigma) d - 2 c w - K v).dv - 2 (n + c v).dw.

The large term 2 rho of far poses is the same in all legs: five rows are differences of Phi, in which it never
appears, the sixth holds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gough.equations.scalar import sqrt
from gough.layout import Layout

LEG = Layout(d=3, m=3, K=2)
POINT = Layout(v=6, w=6)


class Number:
    """A complex number of two traced ones."""

    __slots__ = ("im", "re")

    def __init__(self, re: Any, im: Any) -> None:
        self.re, self.im = re, im

    def __add__(self, o: Number) -> Number:
        return Number(self.re + o.re, self.im + o.im)

    def __sub__(self, o: Number) -> Number:
        return Number(self.re - o.re, self.im - o.im)

    def __mul__(self, o: Any) -> Number:
        if not isinstance(o, Number):
            return Number(self.re * o, self.im * o)
        return Number(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def __neg__(self) -> Number:
        return Number(-self.re, -self.im)

    def under(self, o: Number) -> Number:
        """``conj(self) o``."""
        return Number(self.re * o.re + self.im * o.im, self.re * o.im - self.im * o.re)

    @property
    def square(self) -> Any:
        """``|self|^2``."""
        return self.re * self.re + self.im * self.im


Numbers = list[Number]
ZERO = Number(0.0, 0.0)


def summed(terms: Sequence[Any]) -> Any:
    """Their sum, real or complex."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def dot(a: Numbers, b: Sequence[Any]) -> Number:
    return summed([x * y for x, y in zip(a, b, strict=True)])


def cross(a: Sequence[Any], b: Numbers) -> Numbers:
    """a x b, a real."""
    return [
        b[2] * a[1] - b[1] * a[2],
        b[0] * a[2] - b[2] * a[0],
        b[1] * a[0] - b[0] * a[1],
    ]


def plus(a: Numbers, b: Numbers) -> Numbers:
    return [x + y for x, y in zip(a, b, strict=True)]


def numbers(rows: Sequence[Any]) -> Numbers:
    return [Number(rows[2 * k], rows[2 * k + 1]) for k in range(len(rows) // 2)]


def flat(numbers: Numbers) -> list[Any]:
    return [part for z in numbers for part in (z.re, z.im)]


class Leg:
    """Joints and K of a leg at the point of expansion."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self.d, self.m = list(rows[LEG.d]), list(rows[LEG.m])
        self.K = numbers(rows[LEG.K])[0]

    def seen(self, v: Numbers, moved: bool = True) -> tuple[Number, Numbers]:
        """c and n, without their part that does not depend on v if not `moved`."""
        turned = cross(self.m, v)
        if moved:
            turned = [z + Number(d, 0.0) for z, d in zip(turned, self.d, strict=True)]
        return dot(v, self.d), turned

    def value(self, w: Numbers, sigma: Number, h: Number, c: Number, n: Numbers) -> Number:
        """Phi."""
        f = halfway(n, w)
        return dot(n, f) + c * (c * 0.5 - sigma * 2.0) - self.K * h * 0.5

    def gradient(self, v: Numbers, w: Numbers, sigma: Number, c: Number, n: Numbers) -> Numbers:
        """dPhi/d(v, w)."""
        turn = cross(self.m, [x - y * 2.0 for x, y in zip(n, w, strict=True)])
        level = c - sigma * 2.0
        along = [level * self.d[k] - turn[k] - c * w[k] * 2.0 - self.K * v[k] for k in range(3)]
        return along + [(n[k] + c * v[k]) * -2.0 for k in range(3)]


def halfway(n: Numbers, w: Numbers) -> Numbers:
    """n/2 - 2 w."""
    return [x * 0.5 - y * 2.0 for x, y in zip(n, w, strict=True)]


def differences(phi: Numbers, rho: Number) -> Numbers:
    """The six conditions: five differences, and the last leg with 2 rho."""
    return [x - phi[-1] for x in phi[:-1]] + [phi[-1] + rho * 2.0]


def jacobian(legs: list[Leg], v: Numbers, w: Numbers, sigma: Number) -> list[Numbers]:
    rows = [leg.gradient(v, w, sigma, *leg.seen(v)) for leg in legs]
    common = [sigma * z * 4.0 for z in w] + [
        (sigma * x + y) * 4.0 for x, y in zip(v, w, strict=True)
    ]
    last = rows[-1]
    return [[x - y for x, y in zip(row, last, strict=True)] for row in rows[:-1]] + [
        plus(last, common)
    ]


def six_legs(rows: Sequence[Any]) -> list[Leg]:
    return [Leg(rows[LEG.size * i : LEG.size * (i + 1)]) for i in range(6)]


class Factors:
    """Gram-Schmidt factors of six rows of six numbers."""

    def __init__(self, J: list[Numbers]) -> None:
        columns = [[row[k] for row in J] for k in range(6)]
        self.basis: list[Numbers] = []
        self.inverse: list[Any] = []
        self.upper: list[Numbers] = []
        while columns:
            first, *columns = columns
            length = sqrt(summed([z.square for z in first]))
            inverse = 1.0 / length
            unit = [z * inverse for z in first]
            share = [summed([u.under(z) for u, z in zip(unit, c, strict=True)]) for c in columns]
            columns = [
                [z - u * s for u, z in zip(unit, c, strict=True)]
                for c, s in zip(columns, share, strict=True)
            ]
            self.basis.append(unit)
            self.inverse.append(inverse)
            self.upper.append(share)

    def solve(self, right: Numbers) -> Numbers:
        """x with J x = -right."""
        y = [-summed([u.under(z) for u, z in zip(unit, right, strict=True)]) for unit in self.basis]
        x: Numbers = []
        for k in reversed(range(6)):
            rest = y[k]
            for share, known in zip(self.upper[k], x, strict=True):
                rest = rest - share * known
            x.insert(0, rest * self.inverse[k])
        return x

    def inverted(self) -> list[Numbers]:
        """The inverse, row by row."""
        one, zero = Number(1.0, 0.0), ZERO
        columns = [self.solve([-one if j == k else zero for j in range(6)]) for k in range(6)]
        return [[column[k] for column in columns] for k in range(6)]
