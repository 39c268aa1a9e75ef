"""Arrays of double-double numbers (about 32 digits): truth for millions of states, by the traced programs themselves.

``a = high + low`` exactly, ``|low| <= ulp(high)/2``; sums by two_sum, products by Dekker's split ([Dekker1971]), each
operation right to a few units of 2^-104.  mpmath checks it on a sample (campaigns/guard_campaign.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines.tracer import Program
from gough.equations import scalar

SPLIT = 2.0**27 + 1.0


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """``a + b = s + e`` exactly."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def fast_two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The same for ``|a| >= |b|``."""
    s = a + b
    return s, b - (s - a)


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """``a b = p + e`` exactly."""
    p = a * b
    c, d = SPLIT * a, SPLIT * b
    ah, bh = c - (c - a), d - (d - b)
    al, bl = a - ah, b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


class Doubled:
    """Numbers of twice the length."""

    __slots__ = ("high", "low")
    __array_ufunc__ = None

    def __init__(self, high: Any, low: Any = 0.0) -> None:
        self.high, self.low = high, low

    def __add__(self, other: Any) -> Doubled:
        o = _doubled(other)
        s, e = two_sum(self.high, o.high)
        t, f = two_sum(self.low, o.low)
        s, e = fast_two_sum(s, e + t)
        return Doubled(*fast_two_sum(s, e + f))

    def __sub__(self, other: Any) -> Doubled:
        return self + -_doubled(other)

    def __rsub__(self, other: Any) -> Doubled:
        return -self + other

    def __mul__(self, other: Any) -> Doubled:
        o = _doubled(other)
        p, e = two_product(self.high, o.high)
        return Doubled(*fast_two_sum(p, e + (self.high * o.low + self.low * o.high)))

    def __rtruediv__(self, other: Any) -> Doubled:
        first = Doubled(1.0 / self.high)
        second = first + first * (1.0 - self * first)
        return (second + second * (1.0 - self * second)) * other

    def __neg__(self) -> Doubled:
        return Doubled(-self.high, -self.low)

    def sqrt(self) -> Doubled:
        """Square root: two Newton steps from the double one; zero stays zero."""
        root = np.sqrt(self.high)
        first = Doubled(root) + (self - Doubled(root) * root) * (0.5 / np.where(root == 0, 1, root))
        return first + (self - first * first) * (0.5 / np.where(root == 0, 1, root))

    __radd__, __rmul__ = __add__, __mul__


def _doubled(value: Any) -> Doubled:
    return value if isinstance(value, Doubled) else Doubled(value)


@scalar.angle.register
def _(sine: Doubled, cosine: Any) -> Doubled:
    """Only to double precision: no check reads it."""
    return Doubled(np.arctan2(sine.high, _doubled(cosine).high))


def evaluated(program: Program, inputs: Array, par: Array) -> tuple[Array, Array]:
    """High and low parts (N, outputs) of a program over N states (N, x and spin columns)."""
    n = program.sizes["x"]
    columns = [Doubled(c) for c in inputs.T]
    with np.errstate(all="ignore"):
        found = program.run(columns[:n], [Doubled(float(v)) for v in par], columns[n:])
    out = np.empty((2, len(inputs), len(found)))
    for k, one in enumerate(map(_doubled, found)):
        out[0, :, k], out[1, :, k] = one.high, one.low
    return out[0], out[1]
