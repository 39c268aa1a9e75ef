"""Functions of many variables over boxes: middle value, slopes, bends, and a proved remainder; many boxes at once.

On the box ``x = middle + half e``, ``-1 <= e_k <= 1``, a model (c, r) states

    |f(x) - c_0 - sum_k c_k e_k - sum_(k<=l) c_kl e_k e_l| <= r        for every x of the box
    c (1 + n + n (n + 1)/2, ...) in this order, pairs by rows; r (...)
These are Taylor models (gough/taylor.py) of degree two in n variables: sums, shares and rounding are the same, and

    product      what is of third degree goes into r
    g(f)         Taylor's series of g about f's value in the middle; ``|g'''|/6 d^3`` beside it, d >= |f - c_0|
    range        each variable's own parabola exactly, mixed terms by their size
so that r falls with the third power of the box.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.taylor import EPS, WIDER, Model

Numbers = NDArray[np.intp]


@cache
def pairs(terms: int) -> tuple[int, Numbers, Numbers]:
    """Of models with so many terms: how many variables, and the two of each bend."""
    n = int((np.sqrt(8.0 * terms + 1.0) - 3.0) / 2.0 + 0.5)
    i, j = np.triu_indices(n)
    return n, i, j


class Quadratic(Model):
    """c (terms, ...): value in the middle, slopes, bends; r (...) bound of what they leave out."""

    __slots__ = ()

    def __mul__(self, other: Model | Array | float) -> Model:
        if not isinstance(other, Model):
            return super().__mul__(other)
        a, b = self.c, other.c
        n, i, j = pairs(len(a))
        c = a[0] * b + a * b[0]
        c[0] = a[0] * b[0]
        A, B = a[1 : n + 1], b[1 : n + 1]
        c[n + 1 :] += crossed(A, B, i, j)
        (sa, la, qa), (sb, lb, qb) = sizes(a), sizes(b)
        over = la * qb + qa * lb + qa * qb
        r = over + sa * other.r + sb * self.r + self.r * other.r
        return Quadratic(c, r + (n + 6) * EPS * sa * sb)

    __rmul__ = __mul__

    def __truediv__(self, other: Model | Array | float) -> Model:
        return self * reciprocal(other) if isinstance(other, Model) else super().__truediv__(other)

    def __rtruediv__(self, other: Array | float) -> Model:
        return reciprocal(self) * other


def crossed(A: Array, B: Array, i: Numbers, j: Numbers) -> Array:
    """Bends of a product from the slopes of both."""
    mixed = A[i] * B[j]
    apart = i != j
    mixed[apart] += A[j[apart]] * B[i[apart]]
    return mixed


def sizes(c: Array) -> tuple[Array, Array, Array]:
    """Largest sizes over the box: of all terms, of slopes alone, of bends alone."""
    n = pairs(len(c))[0]
    a = np.abs(c)
    slopes, bends = a[1 : n + 1].sum(axis=0), a[n + 1 :].sum(axis=0)
    return a[0] + slopes + bends, slopes, bends


def upper(f: Model) -> Array:
    """(...) bound from above over the box; infinite where nothing is known."""
    n, i, j = pairs(len(f.c))
    slope, bends = np.abs(f.c[1 : n + 1]), f.c[n + 1 :]
    own, mixed = bends[i == j], np.abs(bends[i != j]).sum(axis=0)
    inside = (own < 0.0) & (slope < -2.0 * own)
    top = np.where(inside, slope * slope / np.where(inside, -4.0 * own, 1.0), slope + own)
    found = f.c[0] + top.sum(axis=0) + mixed + f.r * WIDER + 64 * EPS * np.abs(f.c).sum(axis=0)
    return np.where(np.isnan(found), np.inf, found)


def variable(middle: Array, half: Array, k: int, count: int) -> Quadratic:
    """Variable k of `count` over boxes of middles and half widths (N,)."""
    c = np.zeros((terms(count), *middle.shape))
    c[0], c[k + 1] = middle, half
    return Quadratic(c, EPS * (np.abs(middle) + half))


def fixed(value: Array, count: int) -> Quadratic:
    """A function that does not change, of `count` variables."""
    c = np.zeros((terms(count), *value.shape))
    c[0] = value
    return Quadratic(c, np.zeros(value.shape))


def terms(count: int) -> int:
    """How many coefficients a model of `count` variables has."""
    return 1 + count + count * (count + 1) // 2


def sine_and_cosine(f: Model) -> tuple[Model, Model]:
    """Of an angle, rad."""
    s, c = np.sin(f.c[0]), np.cos(f.c[0])
    beyond = np.full(s.shape, 1.0 / 6.0)
    return _composed(f, s, c, -s / 2.0, beyond), _composed(f, c, -s, -c / 2.0, beyond)


def root(f: Model) -> Quadratic:
    """Square root of an f that is proved positive; else nothing is known (r infinite)."""
    least, good = _least(f)
    x = np.where(good, f.c[0], 1.0)
    y = np.sqrt(x)
    return _known(good, _composed(f, y, 0.5 / y, -0.125 / (x * y), 0.0625 * least**-2.5))


def reciprocal(f: Model) -> Model:
    """``1/f`` of an f that keeps its sign."""
    sign = np.where(f.c[0] < 0.0, -1.0, 1.0)
    f = f * sign
    least, good = _least(f)
    x = 1.0 / np.where(good, f.c[0], 1.0)
    return _known(good, _composed(f, x, -x * x, x**3, least**-4.0)) * sign


def angle_of(sine: Model, cosine: Model) -> Quadratic:
    """``atan2(sine, cosine)``, rad, where it is proved not to jump at half a turn; else nothing is known."""
    middle = np.arctan2(sine.c[0], cosine.c[0])
    s, c = np.sin(middle), np.cos(middle)
    u = (sine * c - cosine * s) / (sine * s + cosine * c)  # of what it turns from there
    u0 = u.c[0]
    slope = 1.0 / (1.0 + u0 * u0)
    # no third derivative of the arc tangent is over 2
    turn = _composed(u, np.arctan(u0), slope, -u0 * slope * slope, np.full(u0.shape, 1.0 / 3.0))
    out = turn + middle
    good = np.isfinite(out.r) & (np.abs(out.c[0]) + out.deviation() * WIDER < np.pi * (1.0 - 1e-12))
    return _known(good, out)


def _least(f: Model) -> tuple[Array, NDArray[np.bool_]]:
    least = f.c[0] - f.deviation() * WIDER
    good = least > 0.0
    return np.where(good, least, 1.0), good


def _known(good: NDArray[np.bool_], f: Model) -> Quadratic:
    return Quadratic(np.where(good, f.c, 0.0), np.where(good, f.r, np.inf))


def _composed(f: Model, value: Array, slope: Array, bend: Array, beyond: Array) -> Model:
    """``value + slope u + bend u^2``, u = f - c_0; beyond: at least ``|g'''|/6`` over f's range."""
    step = Quadratic(f.c.copy(), f.r)
    step.c[0] = 0.0
    out = (step * bend + slope) * step + value
    d = f.deviation()
    size = np.abs(value) + np.abs(slope) * d + np.abs(bend) * d * d
    return Quadratic(out.c, out.r + beyond * WIDER * d**3 + 16 * EPS * size)
