"""Newton-Kantorovich proof of one root as a straight-line program: eight roots at a time, or one with 31 digits.

The leg conditions are quadratic in (v, g0, w) together with the Study condition ``g0 + v.w = 0``, so their second
derivative is constant and no estimate is needed.  With B close to the inverse of the 6x6 Jacobian, A the 7x7 inverse
that B makes (the Study condition, which the point fulfills exactly, is solved for g0), and the norm
max(|dv|/wv, |dg0|/wg, |dw|/wg), wv and wg the largest coordinates of q and g,

    eta = |A F|,   kappa = |A F''|,   delta = |E - A J|                           rounding included
    eta + delta r + kappa r^2/2 <= r  and  delta + kappa r < 1

prove exactly one root within r of the point, and no other within (1 - delta)/kappa.  `unit` is the rounding of one
operation; no quantity here takes more than ROUNDINGS of them relative to the sizes it is bounded by.  A comparison may
drop what is no number; `total` is the sum of all that is compared, and finite only if all of it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gough.engines.tracer import Program, record
from gough.equations.scalar import larger, sqrt
from gough.kinematics.assembly.leg_equations import (
    LEG,
    POINT,
    Factors,
    Leg,
    Number,
    Numbers,
    differences,
    dot,
    jacobian,
    numbers,
    six_legs,
    summed,
)
from gough.layout import Layout

ROUNDINGS = 32.0
QUESTION = POINT.then(legs=6 * LEG.size, unit=1)
PROOF = Layout(eta=1, kappa=1, delta=1, spread=1, wv=1, wg=1, total=1)


def size(z: Number) -> Any:
    """|z|."""
    return sqrt(z.square)


def norm(z: Numbers) -> Any:
    """Euclidean."""
    return sqrt(summed([x.square for x in z]))


def largest(values: Sequence[Any]) -> Any:
    """Of real numbers."""
    found = values[0]
    for value in values[1:]:
        found = larger(found, value)
    return found


class _Sizes:
    """Bounds of the terms of one leg, by norms: value, gradient, second derivative."""

    def __init__(self, leg: Leg, v: Any, w: Any, wv: Any, wg: Any) -> None:
        d, m = (sqrt(summed([x * x for x in a])) for a in (leg.d, leg.m))
        K, n, c, sigma = size(leg.K), d + m * v, d * v, v * w
        self.value = c * (sigma * 2.0 + c * 0.5) + n * (w * 2.0 + n * 0.5) + K * (v * v * 0.5 + 0.5)
        along = (n + w * 2.0) * m + (c + sigma * 2.0) * d + c * w * 2.0 + K * v
        self.gradient = (along * wv + (n + c * v) * wg * 2.0) * 3.0
        self.bend = ((d * d + m * m + K) * wv * 3.0 + (d + m) * wg * 12.0) * wv


class _FarSizes:
    """The same of ``2 rho``, which the last condition holds."""

    def __init__(self, v: Any, w: Any, wv: Any, wg: Any) -> None:
        sigma = v * w
        self.value = (sigma * sigma + w * w) * 2.0
        self.gradient = (sigma * w * wv + (sigma * v + w) * wg) * 12.0
        self.bend = wg * wg * 16.0


def _proof(x: Sequence[Any]) -> list[Any]:
    v, w, unit = numbers(x[QUESTION.v]), numbers(x[QUESTION.w]), x[QUESTION.unit]
    legs = six_legs(x[QUESTION.legs])
    sigma, h = dot(v, w), dot(v, v) + Number(1.0, 0.0)
    J = jacobian(legs, v, w, sigma)
    inverse = Factors(J).inverted()
    F = differences(
        [leg.value(w, sigma, h, *leg.seen(v)) for leg in legs], sigma * sigma + dot(w, w)
    )
    wv = largest([1.0 + 0.0 * v[0].re, *(size(z) for z in v)])
    wg = largest([size(z) for z in (sigma, *w)]) + wv * 1e-8
    weights = [wv] * 3 + [wg] * 3
    absolute = [[size(z) for z in row] for row in inverse]
    vn, wn = norm(v), norm(w)
    sizes = [_Sizes(leg, vn, wn, wv, wg) for leg in legs]
    last, far = sizes[-1], _FarSizes(vn, wn, wv, wg)
    slope = [(leg.seen(v)[0] - legs[-1].seen(v)[0]) * 2.0 for leg in legs[:-1]]
    slope.append(legs[-1].seen(v)[0] * 2.0 - sigma * 4.0)  # dF/dg0
    values = [s.value + last.value for s in sizes[:-1]] + [last.value + far.value]
    gradients = [s.gradient + last.gradient for s in sizes[:-1]] + [last.gradient + far.gradient]
    bends = [s.bend + last.bend for s in sizes[:-1]] + [last.bend + far.bend]
    rows = [
        *inverse,
        [
            -(dot(w, [r[k] for r in inverse[:3]]) + dot(v, [r[k] for r in inverse[3:]]))
            for k in range(6)
        ],
    ]
    absolute.append(
        [
            summed([size(a) * r[k] for a, r in zip((*w, *v), absolute, strict=True)])
            for k in range(6)
        ]
    )
    back = [1.0 / z for z in (*weights, wg)]
    spread = [_weighed(a, values) * b for a, b in zip(absolute, back, strict=True)]
    shift = [size(dot(row, F)) * b for row, b in zip(rows, back, strict=True)]
    eta = largest(shift) + largest(spread) * (unit * ROUNDINGS)
    bent = [
        _bend(row, legs, slope, k, wv, wg) * b
        for k, (row, b) in enumerate(zip(rows, back, strict=True))
    ]
    rough = [_weighed(a, bends) * b for a, b in zip(absolute, back, strict=True)]
    kappa = largest(bent) + largest(rough) * (unit * ROUNDINGS)
    off = []
    for k, row in enumerate(inverse):
        miss = [dot(row, [J[j][b] for j in range(6)]) for b in range(6)]
        miss[k] = miss[k] - Number(1.0, 0.0)
        off.append(
            summed([size(z) * wb for z, wb in zip(miss, weights, strict=True)])
            + _weighed(absolute[k], gradients) * (unit * ROUNDINGS)
        )
    off.append(summed([size(a) * o for a, o in zip((*w, *v), off, strict=True)]))
    off = [o * b for o, b in zip(off, back, strict=True)]
    total = summed([*shift, *spread, *bent, *rough, *off])
    return [eta, kappa, largest(off), largest(spread), wv, wg, total]


def _weighed(row: Sequence[Any], values: Sequence[Any]) -> Any:
    return summed([a * b for a, b in zip(row, values, strict=True)])


def _bend(row: Numbers, legs: list[Leg], slope: Numbers, k: int, wv: Any, wg: Any) -> Any:
    """Bound of ``|row of A . F''(dy, dy)|`` over the unit ball; k = 6: the row of g0."""
    study = -dot(row, slope)
    if k == 6:
        study = study + Number(1.0, 0.0)
    share = [*row[:-1], row[-1] - summed(row[:-1])]  # of the legs
    D = [summed([z * leg.d[a] for z, leg in zip(share, legs, strict=True)]) for a in range(3)]
    M = [summed([z * leg.m[a] for z, leg in zip(share, legs, strict=True)]) for a in range(3)]
    mixed = (
        summed([size(z) for z in D]) * 2.0 + summed([size(z) for z in M]) * 4.0 + size(study) * 3.0
    )
    square: Any = 0.0
    for a in range(3):
        for b in range(a, 3):
            terms = []
            for z, leg in zip(share, legs, strict=True):
                entry = leg.d[a] * leg.d[b] - leg.m[a] * leg.m[b]
                if a == b:
                    entry = entry + summed([x * x for x in leg.m])
                    terms.append(z * (Number(entry, 0.0) - leg.K))
                else:
                    terms.append(z * entry)
            square = square + size(summed(terms)) * (0.5 if a == b else 1.0)
    return (size(row[-1]) * 8.0 * wg * wg + mixed * wv * wg + square * wv * wv) * 2.0


def proof() -> Program:
    """Rows QUESTION to PROOF."""
    return record(_proof, {"x": QUESTION.size})
