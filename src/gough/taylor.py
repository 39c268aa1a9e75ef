"""Taylor models: functions of time as polynomials with a proved remainder, many intervals at once.

On the interval ``t = middle + half tau``, ``-1 <= tau <= 1``, a model (c, r) states

    |f(t) - sum_k c_k tau^k| <= r        for every t of the interval            c (n + 1, ...), r (...), n = DEGREE
and every operation below keeps that true (Berz and Makino, Reliable Computing 4, 1998):

    product      terms above tau^n and all that the remainders touch go into r
    g(f)         Taylor's series of g about f's value c_0 in the middle; Lagrange's remainder |g^(n+1)|/(n+1)! d^(n+1),
                 d = sum_(k>0) |c_k| + r >= |f - c_0|
    range        a polynomial lies in the hull of its Bernstein coefficients on [-1, 1]
Rounding: each operation adds a bound of its own rounding of the coefficients to r (`EPS` of the sum of the sizes it
adds).  r is a sum of terms that are not negative, so that its own rounding is a share of it: `WIDER` at the end covers
some 1e5 operations in a row.  A remainder that is infinite or not a number proves nothing, and no comparison with it is
true.  sin, cos and powers of the C library are taken to be right to 4 EPS.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb, factorial
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array

DEGREE = 4
EPS = 2.3e-16
WIDER = 1.0 + 1e-10
TERMS = 34  # of the power series of the rotation vector's functions
LARGEST = 45.0  # rad^2: |phi|^2 up to which they are summed, a little over a turn: term 35 is below 1e-30 there
Key = int | slice | None | EllipsisType | Array | list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """c (DEGREE + 1, ...) coefficients, lowest power first; r (...) bound of what they leave out."""

    c: Array
    r: Array

    __array_ufunc__ = None  # array + model asks the model

    def __getitem__(self, key: Key | tuple[Key, ...]) -> Model:
        """Of the axes behind the powers."""
        key = key if isinstance(key, tuple) else (key,)
        return type(self)(self.c[(slice(None), *key)], self.r[key])  # type: ignore[index]

    def __neg__(self) -> Model:
        return type(self)(-self.c, self.r)

    def __add__(self, other: Model | Array | float) -> Model:
        if isinstance(other, Model):
            c = self.c + other.c
            return type(self)(c, self.r + other.r + EPS * np.abs(c).sum(axis=0))
        c = np.array(np.broadcast_to(self.c, (len(self.c), *_shape(self.r, other))))
        c[0] += other
        return type(self)(c, self.r + EPS * np.abs(c[0]))

    __radd__ = __add__

    def __sub__(self, other: Model | Array | float) -> Model:
        return self + (-other)

    def __rsub__(self, other: Array | float) -> Model:
        return -self + other

    def __mul__(self, other: Model | Array | float) -> Model:
        if not isinstance(other, Model):
            c = self.c * other
            return type(self)(c, self.r * np.abs(other) + EPS * np.abs(c).sum(axis=0))
        a, b = self.c, other.c
        n = DEGREE + 1
        c = a[0] * b
        for i in range(1, n):
            c[i:] += a[i] * b[: n - i]
        A, B = np.abs(a), np.abs(b)
        tails = np.cumsum(B[::-1], axis=0)  # the i + 1 highest powers of b
        over = (A[1:] * tails[:-1]).sum(axis=0)  # a_i b_j with i + j > DEGREE
        sa, sb = A.sum(axis=0), tails[-1]
        r = over + sa * other.r + sb * self.r + self.r * other.r + (n + 2) * EPS * sa * sb
        return type(self)(c, r)

    __rmul__ = __mul__

    def __truediv__(self, other: Model | Array | float) -> Model:
        if isinstance(other, Model):
            return self * reciprocal(other)
        c = self.c / other
        return type(self)(c, self.r / np.abs(other) + EPS * np.abs(c).sum(axis=0))

    def __rtruediv__(self, other: Array | float) -> Model:
        return reciprocal(self) * other

    def sum(self) -> Model:
        """Over the last axis."""
        sizes = np.abs(self.c).sum(axis=(0, -1))
        return type(self)(self.c.sum(axis=-1), self.r.sum(axis=-1) + self.c.shape[-1] * EPS * sizes)

    def deviation(self) -> Array:
        """(...) how far f may be from c_0 anywhere in the interval."""
        return np.abs(self.c[1:]).sum(axis=0) + self.r

    def lower(self) -> Array:
        """(...) bound from below over the interval."""
        hull = np.tensordot(_bernstein(), self.c, 1)
        return hull.min(axis=0) - self._doubt()

    def at(self, tau: Array) -> tuple[Array, Array]:
        """Values at times `tau` of the interval, a new axis in front, and how far they may be off."""
        powers = tau[:, None] ** np.arange(DEGREE + 1)
        return np.tensordot(powers, self.c, 1), self._doubt()

    def _doubt(self) -> Array:
        return self.r * WIDER + 32 * EPS * np.abs(self.c).sum(axis=0)


def _shape(r: Array, other: Array | float) -> tuple[int, ...]:
    return np.broadcast_shapes(r.shape, np.shape(other))


@cache
def _bernstein() -> Array:
    """(n + 1, n + 1) from powers of tau to Bernstein coefficients on [-1, 1]."""
    n = DEGREE
    to_unit = np.zeros((n + 1, n + 1))  # tau = 2 u - 1
    for k in range(n + 1):
        for j in range(k + 1):
            to_unit[j, k] = comb(k, j) * 2.0**j * (-1.0) ** (k - j)
    lift = np.array([[comb(i, k) / comb(n, k) for k in range(n + 1)] for i in range(n + 1)])
    return lift @ to_unit


def constant(value: Array, like: Model | None = None) -> Model:
    """A function that does not change."""
    value = np.asarray(value, dtype=float)
    shape = value.shape if like is None else np.broadcast_shapes(value.shape, like.r.shape)
    c = np.zeros((DEGREE + 1, *shape))
    c[0] = value
    return Model(c, np.zeros(shape))


def from_series(series: Array, half: Array, beyond: Array) -> Model:
    """From Taylor coefficients in time, series (>= n + 1, N, ...), s^-k, of intervals of half length `half` (N,).

    beyond (N, ...): what else belongs into r; coefficients above tau^n are added to it here.
    """
    steps = half.reshape(-1, *(1,) * (series.ndim - 2))
    c = series * steps ** np.arange(len(series)).reshape(-1, *(1,) * (series.ndim - 1))
    kept, more = c[: DEGREE + 1], np.abs(c[DEGREE + 1 :]).sum(axis=0)
    return Model(kept, more + beyond + 8 * EPS * np.abs(c).sum(axis=0))


def stack(models: list[Model]) -> Model:
    """Along a new last axis."""
    c, r = (np.stack([getattr(m, part) for m in models], axis=-1) for part in ("c", "r"))
    return type(models[0])(c, r)


def chosen(which: NDArray[np.bool_], a: Model, b: Model) -> Model:
    """a where `which` (...), else b."""
    return type(a)(np.where(which, a.c, b.c), np.where(which, a.r, b.r))


def dot(a: Model, b: Model | Array) -> Model:
    """Over the last axis."""
    return (a * b).sum()


def cross(a: Model, b: Model) -> Model:
    """a x b over the last axis."""
    i, j = [1, 2, 0], [2, 0, 1]
    return a[..., i] * b[..., j] - a[..., j] * b[..., i]


def turned(R: Model, points: Array) -> Model:
    """(N, m, 3) points (m, 3) turned by rotations (N, 3, 3)."""
    wrong = R.r + 4 * EPS * np.abs(R.c).sum(axis=0)
    return Model(points @ R.c.swapaxes(-1, -2), np.abs(points) @ wrong.swapaxes(-1, -2))


def composed(f: Model, series: Array, beyond: Array) -> Model:
    """``g(f)`` from the Taylor coefficients of g at f's c_0, series (n + 1, ...).

    beyond (...): at least |g^(n+1)|/(n+1)! over f's range
    """
    d = f.deviation()
    step = Model(f.c.copy(), f.r)
    step.c[0] = 0.0
    out = constant(series[DEGREE], f)
    for k in range(DEGREE - 1, -1, -1):
        out = out * step + series[k]
    sizes = (np.abs(series) * d ** np.arange(DEGREE + 1).reshape(-1, *(1,) * d.ndim)).sum(axis=0)
    return Model(out.c, out.r + beyond * d ** (DEGREE + 1) + 16 * EPS * sizes)


def power(f: Model, p: float) -> Model:
    """``f^p`` of a positive f, p < n + 1; where f is not proved positive, nothing is known (r infinite)."""
    d, x = f.deviation() * WIDER, f.c[0]
    good = x - d > 0.0
    x, least = np.where(good, x, 1.0), np.where(good, x - d, 1.0)
    binomial = np.cumprod([1.0, *((p - k) / (k + 1) for k in range(DEGREE + 1))])
    powers = p - np.arange(DEGREE + 2)
    column = (-1, *(1,) * x.ndim)
    series = binomial[:-1].reshape(column) * x ** powers[:-1].reshape(column)
    beyond = np.abs(binomial[-1]) * least ** powers[-1]
    found = composed(f, series, beyond)
    return Model(found.c, np.where(good, found.r, np.inf))


def reciprocal(f: Model) -> Model:
    """``1/f`` of an f that keeps its sign."""
    sign = np.where(f.c[0] < 0.0, -1.0, 1.0)
    return power(f * sign, -1.0) * sign


def sin_cos(f: Model) -> tuple[Model, Model]:
    """Of an angle, rad."""
    over = np.array([factorial(k) for k in range(DEGREE + 1)]).reshape(-1, *(1,) * f.r.ndim)
    s, c = np.sin(f.c[0]), np.cos(f.c[0])
    cycle = [s, c, -s, -c]
    sines = np.stack([cycle[k % 4] for k in range(DEGREE + 1)]) / over
    cosines = np.stack([cycle[(k + 1) % 4] for k in range(DEGREE + 1)]) / over
    beyond = np.full(f.r.shape, 1.0 / factorial(DEGREE + 1))
    return composed(f, sines, beyond), composed(f, cosines, beyond)


def exponential(f: Model) -> Model:
    """``e^f``"""
    over = np.array([factorial(k) for k in range(DEGREE + 1)]).reshape(-1, *(1,) * f.r.ndim)
    series = np.exp(f.c[0]) / over
    beyond = np.exp(f.c[0] + f.deviation() * WIDER) * WIDER / factorial(DEGREE + 1)
    return composed(f, series, beyond)


def arcsine(f: Model) -> Model:
    """Of an f about 0 that is smaller than 0.9 in size: ``y + y^3/6 + 3 y^5/40 + ...``, coefficients that fall."""
    d = np.abs(f.c[0]) + f.deviation() * WIDER
    good = d < 0.9
    y2 = f * f
    # y + y^3/6 + 3 y^5/40, and the rest is at most 15/336 |y|^7 / (1 - y^2)
    out = f * (y2 * (y2 * 0.075 + 1.0 / 6.0) + 1.0)
    room = np.where(good, d, 0.0)
    rest = 15.0 / 336.0 * room**7 / (1.0 - room * room)
    return Model(out.c, np.where(good, out.r + rest, np.inf))


@cache
def _family(first: int, slopes: int) -> Array:
    """Coefficients of ``2^slopes d^slopes/dx^slopes sum_k (-x)^k / (2 k + first)!``."""
    c = np.array([(-1.0) ** k / factorial(2 * k + first) for k in range(TERMS + slopes + 1)])
    for _ in range(slopes):
        c = 2.0 * c[1:] * np.arange(1, len(c))
    return c


def rotation_function(x: Model, first: int, slopes: int) -> Model:
    """a, b, c, d of gough/trajectory/so3.py at ``x = |phi|^2``: (first, slopes) = (2, 0), (3, 0), (2, 1), (3, 1).

    cos(sqrt x) and sin(sqrt x)/sqrt x are Bessel functions over their powers, and so are their derivatives by x: no
    derivative is larger in size than at x = 0 (DLMF 10.14.4), and a, b are averages of such functions.
    """
    family = _family(first, slopes)
    good = x.c[0] <= LARGEST
    at = np.where(good, x.c[0], 0.0)
    k = np.arange(len(family))
    powers = at[None] ** k.reshape(-1, *(1,) * at.ndim)
    series, sizes = [], np.zeros_like(at)
    for m in range(DEGREE + 1):
        each = family[m:] * [comb(j, m) for j in range(m, len(family))]
        series.append(np.tensordot(each, powers[: len(each)], 1))
        sizes = sizes + np.tensordot(np.abs(each), powers[: len(each)], 1) * x.deviation() ** m
    found = composed(x, np.stack(series), np.full(at.shape, abs(family[DEGREE + 1])))
    return Model(found.c, np.where(good, found.r + 40 * EPS * sizes, np.inf))
