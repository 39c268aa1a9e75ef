"""Coordinates in time as Taylor models (gough/taylor.py): polynomials, sines and the progress profiles made of them."""

from __future__ import annotations

from math import factorial

import numpy as np

from gough import taylor
from gough.checks import Array
from gough.taylor import DEGREE, EPS, Model
from gough.trajectory.jerk_limited import ConstantJerk
from gough.trajectory.optimal import Eased, Stepped
from gough.trajectory.profile import Blend, Profile, Quintic, Still, Trigonometric, Uniform
from gough.trajectory.sweeps import VibrationSweep

Three = tuple[Model, Model, Model]
"""A quantity with its first two derivatives by time."""


def polynomial(c: Array, u: Array, half: Array) -> Three:
    """Of ``sum_k c_k u^k``: c (N, degree + 1, m), u (N,) the middles, half (N,) the half lengths, s."""
    x, v, a = polynomial_derivatives(c, u, half, 3)
    return x, v, a


def polynomial_derivatives(c: Array, u: Array, half: Array, count: int) -> list[Model]:
    """As `polynomial`: itself and its next derivatives, `count` models in all."""
    degree = c.shape[1] - 1
    at = np.moveaxis(c, 1, 0).copy()
    sizes, x = np.abs(at), u[:, None]
    for k in range(degree):  # Horner's rule again and again: the coefficients about u
        for j in range(degree - 1, k - 1, -1):
            at[j] += x * at[j + 1]
            sizes[j] += np.abs(x) * sizes[j + 1]
    wrong = 4 * (degree + 1) * EPS * sizes
    out = []
    for _ in range(count):
        short = DEGREE + 1 - len(at)
        if short > 0:
            pad = np.zeros((short, *at.shape[1:]))
            at, wrong = np.concatenate([at, pad]), np.concatenate([wrong, pad])
        steps = half[:, None] ** np.arange(len(at))[:, None, None]
        out.append(taylor.from_series(at, half, (wrong * steps).sum(axis=0)))
        by = np.arange(1, len(at))[:, None, None]
        at, wrong = at[1:] * by, wrong[1:] * by
    return out


def sines(A: Array, w: Array, phase: Array, t: Array, half: Array) -> Three:
    """Of ``sum_k A_kj sin(w_k t + phase_kj)``, A and phase (K, m), w (K,) rad/s, at middles t (N,)."""
    x, v, a = sine_derivatives(A, w, phase, t, half, 3)
    return x, v, a


def sine_derivatives(
    A: Array, w: Array, phase: Array, t: Array, half: Array, count: int
) -> list[Model]:
    """As `sines`: itself and its next derivatives, `count` models in all."""
    angle = w[:, None] * t[:, None, None] + phase
    s, c = np.sin(angle), np.cos(angle)
    cycle = [s, c, -s, -c]
    size = np.abs(A)
    slip = 4 * EPS * (len(w) + w[:, None] * np.abs(t).max() + np.abs(phase))  # angles, and the sum
    terms = []
    for k in range(DEGREE + count):
        terms.append(np.einsum("nkj,kj->nj", cycle[k % 4], A * w[:, None] ** k))
    out = []
    for order in range(count):
        series = np.stack([terms[order + k] / factorial(k) for k in range(DEGREE + 1)])
        x = w[:, None] * half[:, None, None]  # (N, K, 1)
        rest = x ** (DEGREE + 1) / factorial(DEGREE + 1) + slip * np.exp(np.minimum(x, 500.0))
        beyond = np.einsum("nkj,kj->nj", rest, size * w[:, None] ** order)
        out.append(taylor.from_series(series, half, beyond))
    return out


def times(three: Three, by: Array) -> Three:
    """A scalar quantity (N, 1) along a vector (3,)."""
    a, b, c = (x * by for x in three)
    return a, b, c


def shifted(three: Three, by: Array) -> Three:
    """By something that does not change."""
    return three[0] + by, three[1], three[2]


def segments(knots: Array, c: Array, t: Array, half: Array) -> Three:
    """Piecewise polynomials: knots (n + 1,), c (n, degree + 1, m) in each piece's own time."""
    i = np.searchsorted(knots[1:-1], t, side="right")
    return polynomial(c[i], t - knots[i], half)


def product(a: Three, b: Three) -> Three:
    """Of two scalar quantities, with its derivatives."""
    return (
        a[0] * b[0],
        a[1] * b[0] + a[0] * b[1],
        a[2] * b[0] + a[1] * b[1] * 2.0 + a[0] * b[2],
    )


def vibration(path: VibrationSweep, t: Array, half: Array) -> Three:
    """The coordinate (N, 1) of a vibration sweep: the formulas of `VibrationSweep.shake`."""
    w0, w1, T = 2.0 * np.pi * path.low, 2.0 * np.pi * path.high, path.duration
    whole = np.array([0.0, T])
    time = segments(whole, np.array([[[0.0], [1.0]]]), t, half)[0]
    if path.logarithmic and w1 != w0:
        k = float(np.log(w1 / w0)) / T
        w = taylor.exponential(time * k) * w0
        phi, wd, wdd = (w - w0) * (1.0 / k), w * k, w * (k * k)
    else:
        slope = (w1 - w0) / T
        c = np.array([[[0.0], [w0], [0.5 * slope]]])
        phi, w, wd = segments(whole, c, t, half)
        wdd = wd * 0.0
    sin, cos = taylor.sin_cos(phi)
    wave = sin * path.size, w * cos * path.size, (wd * cos - w * w * sin) * path.size
    if path.controlled == "acceleration":
        over = taylor.reciprocal(w)
        square = over * over
        cube = square * over
        bend = wd * wd * (square * square) * 6.0 - wdd * cube * 2.0
        wave = product((square, wd * cube * -2.0, bend), wave)
    if path.fade > 0.0:
        rise = np.array([0.0, 0.0, 0.0, 10.0, -15.0, 6.0]) / path.fade ** np.arange(6.0)
        full, fall = np.eye(6)[0], np.eye(6)[0] - rise
        knots = np.array([0.0, path.fade, T - path.fade, T])
        wave = product(segments(knots, np.stack([rise, full, fall])[..., None], t, half), wave)
    return -wave[0], -wave[1], -wave[2]


def profile(pace: Profile, t: Array, half: Array) -> Three | None:
    """Progress (N, 1) with its derivatives; None: no bounds are known."""
    found = profile_derivatives(pace, t, half, 3)
    return None if found is None else (found[0], found[1], found[2])


def profile_derivatives(pace: Profile, t: Array, half: Array, count: int) -> list[Model] | None:
    """As `profile`: progress and its next derivatives, `count` models in all."""
    if isinstance(pace, Trigonometric):
        w = np.pi / pace.duration * np.array([1.0, 3.0])
        A, phase = np.array([[-9.0], [1.0]]) / 16.0, np.full((2, 1), 0.5 * np.pi)
        x, *more = sine_derivatives(A, w, phase, t, half, count)
        return [x + np.array([0.5]), *more]
    found = _segments_of(pace)
    if found is None:
        return None
    knots, c = found
    i = np.searchsorted(knots[1:-1], t, side="right")
    return polynomial_derivatives(c[i], t - knots[i], half, count)


def _segments_of(pace: Profile) -> tuple[Array, Array] | None:
    """Knots (n + 1,) and coefficients (n, degree + 1, 1) of a progress in piecewise polynomials; None: it is none."""
    T = pace.duration
    whole = np.array([0.0, T])
    if isinstance(pace, Still):
        return whole, np.zeros((1, 1, 1))
    if isinstance(pace, Uniform):
        return whole, np.array([[[0.0], [1.0 / T]]])
    if isinstance(pace, Quintic):
        c = np.array([0.0, 0.0, 0.0, 10.0, -15.0, 6.0]) / T ** np.arange(6.0)
        return whole, c[None, :, None]
    if isinstance(pace, Blend):
        b, v = pace.blend, 1.0 / (T - pace.blend)
        a = v / b
        rows = [[0.0, 0.0, 0.5 * a], [0.5 * v * b, v, 0.0], [1.0 - 0.5 * v * b, v, -0.5 * a]]
        return np.array([0.0, b, T - b, T]), np.array(rows)[..., None]
    if isinstance(pace, Stepped):
        columns = [pace.progress, pace.speed, pace.acceleration / 2.0]
        if isinstance(pace, ConstantJerk):
            columns.append(pace.jerk / 6.0)
        if isinstance(pace, Eased):
            columns += [pace.jerk / 6.0, pace.snap / 24.0]
        n = len(pace.knots) - 1
        return pace.knots, np.stack([x[:n] for x in columns], axis=1)[..., None]
    return None
