"""One step of a solution path as two straight-line programs, traced once and run on eight paths at a time.

Joints and K move linearly in s, so every Taylor coefficient of a path costs one
back-substitution.  `series`: coefficients to ORDER, their common pole, the first neglected term.  `advance`: Pade
[ORDER-1/1] with that pole, then one Newton and one chord step.  The 6x6 factors are orthogonal ones (no pivots to
choose: all lanes take the same instructions).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gough.engines.tracer import Program, record
from gough.kinematics.assembly.leg_equations import (
    LEG,
    POINT,
    ZERO,
    Factors,
    Leg,
    Number,
    Numbers,
    differences,
    dot,
    flat,
    halfway,
    jacobian,
    numbers,
    plus,
    six_legs,
    summed,
)
from gough.layout import Layout

ORDER = 5
HERE = POINT.then(legs=6 * LEG.size)
SERIES = HERE.then(slopes=6 * LEG.size)
COEFFICIENTS = Layout(terms=ORDER * POINT.size, pole=2, rest=1)
ADVANCE = Layout(legs=6 * LEG.size, start=POINT.size).then(**dict(COEFFICIENTS.blocks()), step=1)
ADVANCED = POINT.then(first=1, second=1)
SMALL_SHIFT = 0.01  # |g|^2 below this share of |q|^2 is measured by q


def _weights(v: Numbers, w: Numbers) -> tuple[Any, Any]:
    """Inverse squares of the sizes of q and g."""
    q = summed([z.square for z in v]) + 1.0
    return 1.0 / q, 1.0 / (summed([z.square for z in w]) + q * SMALL_SHIFT)


def _size(x: Numbers, weights: tuple[Any, Any]) -> Any:
    v, w = (summed([z.square for z in x[half]]) for half in (slice(0, 3), slice(3, 6)))
    return v * weights[0] + w * weights[1]


def _series(x: Sequence[Any]) -> list[Any]:
    v, w = [numbers(x[SERIES.v])], [numbers(x[SERIES.w])]
    legs, slopes = six_legs(x[SERIES.legs]), six_legs(x[SERIES.slopes])
    sigma, h = [dot(v[0], w[0])], [dot(v[0], v[0]) + Number(1.0, 0.0)]
    factors = Factors(jacobian(legs, v[0], w[0], sigma[0]))
    seen = [leg.seen(v[0]) for leg in legs]
    c, n = [[s[0]] for s in seen], [[s[1]] for s in seen]
    f = [[halfway(s[1], w[0])] for s in seen]
    g = [[s[0] * 0.5 - sigma[0] * 2.0] for s in seen]
    for k in range(1, ORDER + 1):
        h_k = _inner(v, v, k)
        sigma_k = _inner(v, w, k)
        rho_k = _inner(w, w, k) + sigma[0] * sigma_k * 2.0 + _product(sigma, sigma, k)
        phi: Numbers = []
        for i, (leg, slope) in enumerate(zip(legs, slopes, strict=True)):
            c_k, n_k = slope.seen(v[k - 1], moved=k == 1)
            f_k, g_k = halfway(n_k, [ZERO] * 3), c_k * 0.5 - sigma_k * 2.0
            value = dot(n[i][0], f_k) + dot(n_k, f[i][0]) + c[i][0] * g_k + c_k * g[i][0]
            value = value + _inner(n[i], f[i], k) + _product(c[i], g[i], k)
            phi.append(value - (leg.K * h_k + slope.K * h[k - 1]) * 0.5)
            c[i].append(c_k)
            n[i].append(n_k)
            f[i].append(f_k)
            g[i].append(g_k)
        more = _grow(v, w, factors.solve(differences(phi, rho_k)))
        h.append(h_k + dot(v[0], v[k]) * 2.0)
        sigma.append(sigma_k + more)
        for i, leg in enumerate(legs):
            c_k, n_k = leg.seen(v[k], moved=False)
            c[i][k], n[i][k] = c[i][k] + c_k, plus(n[i][k], n_k)
            f[i][k] = plus(f[i][k], halfway(n_k, w[k]))
            g[i][k] = g[i][k] + c_k * 0.5 - more * 2.0
    return _told(v, w)


def _series_of_fixed_joints(x: Sequence[Any]) -> list[Any]:
    """With joints that stay ``n_j = m x v_j`` and ``c_j = d.v_j``: what the legs share is summed once,

        A = sum v_j v_(k-j)^T,  B = sum v_j x w_(k-j),  G = v_0 sigma_k + sum v_j sigma_(k-j),           0 < j < k
        Phi_k = (d.A d - m.A m + (|m|^2 - K) tr A)/2 - 2 m.B - 2 d.G - K' h_(k-1)/2,

    where the sums are without the terms of v_k, w_k, for which the back-substitution solves."""
    v, w = [numbers(x[SERIES.v])], [numbers(x[SERIES.w])]
    legs, slopes = six_legs(x[SERIES.legs]), six_legs(x[SERIES.slopes])
    sigma, h = [dot(v[0], w[0])], [dot(v[0], v[0]) + Number(1.0, 0.0)]
    factors = Factors(jacobian(legs, v[0], w[0], sigma[0]))
    for k in range(1, ORDER + 1):
        sigma_k = _inner(v, w, k)
        rho_k = _inner(w, w, k) + sigma[0] * sigma_k * 2.0 + _product(sigma, sigma, k)
        A = {(a, b): _pairs(v, k, a, b) for a in range(3) for b in range(a, 3)}
        h_k = A[0, 0] + A[1, 1] + A[2, 2]
        B, G = [ZERO] * 3, [z * sigma_k for z in v[0]]
        for j in range(1, k):
            B = plus(B, _complex_cross(v[j], w[k - j]))
            G = plus(G, [z * sigma[k - j] for z in v[j]])
        phi: Numbers = []
        for leg, slope in zip(legs, slopes, strict=True):
            value = slope.K * h[k - 1] * -0.5
            if k > 1:
                bend = summed([z * _bend(leg, *at) for at, z in A.items()])
                lever = Number(summed([z * z for z in leg.m]), 0.0) - leg.K
                value = value + (bend + lever * h_k) * 0.5
                value = value - (dot(B, leg.m) + dot(G, leg.d)) * 2.0
            phi.append(value)
        more = _grow(v, w, factors.solve(differences(phi, rho_k)))
        h.append(h_k + dot(v[0], v[k]) * 2.0)
        sigma.append(sigma_k + more)
    return _told(v, w)


def _grow(v: list[Numbers], w: list[Numbers], step: Numbers) -> Number:
    """The next coefficients; answers what they add to sigma."""
    v.append(step[:3])
    w.append(step[3:])
    return dot(v[0], w[-1]) + dot(v[-1], w[0])


def _told(v: list[Numbers], w: list[Numbers]) -> list[Any]:
    """COEFFICIENTS of a series."""
    terms = [[*v[k], *w[k]] for k in range(ORDER + 1)]
    weights = _weights(v[0], w[0])
    last, before = terms[ORDER], terms[ORDER - 1]
    scale = [weights[0]] * 3 + [weights[1]] * 3
    common = summed([y.under(x) * s for x, y, s in zip(last, before, scale, strict=True)])
    pole = common * (1.0 / (_size(before, weights) + 1e-300))
    rest = _size([x - pole * y for x, y in zip(last, before, strict=True)], weights)
    return [*(row for t in terms[1:] for row in flat(t)), pole.re, pole.im, rest]


def _pairs(v: list[Numbers], k: int, a: int, b: int) -> Number:
    """``sum v_j[a] v_(k-j)[b]``, j = 1..k-1."""
    left = [[z[a]] for z in v]
    return _inner(left, left if a == b else [[z[b]] for z in v], k)


def _bend(leg: Leg, a: int, b: int) -> Any:
    """What ``d.A d - m.A m`` has of A[a, b], and of A[b, a] where that is another."""
    return (leg.d[a] * leg.d[b] - leg.m[a] * leg.m[b]) * (1.0 if a == b else 2.0)


def _complex_cross(a: Numbers, b: Numbers) -> Numbers:
    return [a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3)]


def _inner(x: list[Numbers], y: list[Numbers], k: int) -> Number:
    """``sum x_j.y_(k-j)``, j = 1..k-1."""
    if x is y:
        terms = [dot(x[j], x[k - j]) * (1.0 if 2 * j == k else 2.0) for j in range(1, k // 2 + 1)]
    else:
        terms = [dot(x[j], y[k - j]) for j in range(1, k)]
    return summed(terms) if terms else ZERO


def _product(x: Numbers, y: Numbers, k: int) -> Number:
    """``sum x_j y_(k-j)``, j = 1..k-1."""
    return _inner([[z] for z in x], [[z] for z in y], k)


def _advance(x: Sequence[Any]) -> list[Any]:
    legs = six_legs(x[ADVANCE.legs])
    pole, step = numbers(x[ADVANCE.pole])[0], x[ADVANCE.step]
    rows = [*x[ADVANCE.start], *x[ADVANCE.terms]]
    terms = [numbers(rows[POINT.size * k : POINT.size * (k + 1)]) for k in range(ORDER + 1)]
    below = Number(1.0 - pole.re * step, -(pole.im * step))
    inverse = Number(below.re, -below.im) * (1.0 / below.square)
    point: Numbers = []
    for b in range(6):
        value = ZERO
        for k in reversed(range(ORDER)):
            c = terms[k][b] - pole * terms[k - 1][b] if k else terms[0][b]
            value = value * step + c
        point.append(value * inverse)
    v, w = point[:3], point[3:]
    factors = Factors(jacobian(legs, v, w, dot(v, w)))
    weights = _weights(v, w)
    sizes = []
    for _ in range(2):
        h, sigma = dot(v, v) + Number(1.0, 0.0), dot(v, w)
        phi = [leg.value(w, sigma, h, *leg.seen(v)) for leg in legs]
        move = factors.solve(differences(phi, sigma * sigma + dot(w, w)))
        sizes.append(_size(move, weights))
        v, w = plus(v, move[:3]), plus(w, move[3:])
    return [*flat(v), *flat(w), *sizes]


def series(moving: bool = True) -> Program:
    """Rows SERIES to COEFFICIENTS; not `moving`: the joints stay, only K moves, at two thirds of the operations."""
    return record(_series if moving else _series_of_fixed_joints, {"x": SERIES.size})


def advance() -> Program:
    """Rows ADVANCE to ADVANCED: the point after the step and the squared sizes of two corrections."""
    return record(_advance, {"x": ADVANCE.size})


def corrections() -> Program:
    """Rows HERE to ADVANCED: the same corrections of a point that stays where it is."""

    def traced(x: Sequence[Any]) -> list[Any]:
        y: list[Any] = [0.0] * ADVANCE.size
        y[ADVANCE.legs], y[ADVANCE.start] = x[HERE.legs], [*x[HERE.v], *x[HERE.w]]
        return _advance(y)

    return record(traced, {"x": HERE.size})
