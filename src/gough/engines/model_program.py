"""Traced programs on Taylor models (gough/taylor.py): one compiled interpreter runs those of every machine.

    models   (N, k, DEGREE + 2) float64, per interval and quantity: coefficients, lowest power first, then the remainder
    table    (n, 3) int64, per operation: its number in `CODES`, and what it reads
What is done with a model is what the functions of gough/taylor.py do, their bounds of rounding included; operations on
the machine's parameters alone are done once, as models that do not change.  The program is data: another combination
of leg kinds compiles nothing.  What has no bound here (angles, the smaller or larger of two): infinite remainder.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt

import numpy as np
from numba import float64, int64, uint8, void
from numpy.typing import NDArray

from gough.checks import Array
from gough.engines.cache import njit
from gough.engines.tracer import Program, trace
from gough.taylor import DEGREE, EPS, WIDER, Model

CODES = ("number", "x", "add", "sub", "mul", "neg", "restart", "inv", "sqrt", "unknown")
NUMBER, X, ADD, SUB, MUL, NEG, RESTART, INV, SQRT, UNKNOWN = range(len(CODES))
R = DEGREE + 1  # where the remainder lies
Table = tuple[NDArray[np.int64], NDArray[np.uint8], tuple[float, ...], tuple[int, ...]]


@njit(void(float64[::1], float64[::1], float64, float64[::1]), nogil=True, error_model="numpy")
def added(a, b, sign, out):
    """``a + sign b`` of models (DEGREE + 2,), as `Model.__add__`."""
    size = 0.0
    for k in range(R):
        out[k] = a[k] + sign * b[k]
        size += abs(out[k])
    out[R] = a[R] + b[R] + EPS * size


@njit(void(float64[::1], float64[::1], float64[::1]), nogil=True, error_model="numpy")
def multiplied(a, b, out):
    """``a b`` of models (DEGREE + 2,), as `Model.__mul__`."""
    sa, sb, over = 0.0, 0.0, 0.0
    for i in range(R):
        sa += abs(a[i])
        sb += abs(b[i])
        out[i] = 0.0
    for i in range(R):
        for j in range(R - i):
            out[i + j] += a[i] * b[j]
        for j in range(R - i, R):
            over += abs(a[i]) * abs(b[j])
    out[R] = over + sa * b[R] + sb * a[R] + a[R] * b[R] + (DEGREE + 3) * EPS * sa * sb


@njit(void(float64[::1], float64, float64[::1], float64[::1]), nogil=True, error_model="numpy")
def powered(a, p, work, out):
    """``a^p`` of a model, p -1 or 0.5, as `taylor.reciprocal` and `taylor.power`; work (2 DEGREE + 4,) is overwritten.

    Nothing is known where a is not proved to keep its sign, or its root to be real.
    """
    step, held = work[: R + 1], work[R + 1 :]
    sign = -1.0 if p == -1.0 and a[0] < 0.0 else 1.0
    d = a[R]
    for k in range(1, R):
        step[k] = sign * a[k]
        d += abs(a[k])
    step[0], step[R] = 0.0, a[R]
    middle, least = sign * a[0], sign * a[0] - d * WIDER
    out[:] = 0.0
    if not least > 0.0:
        out[R] = inf
        return
    value, smallest = 1.0 / middle, 1.0 / least
    if p == 0.5:
        value, smallest = sqrt(middle), sqrt(least)
    binomial, sizes, far = 1.0, 0.0, 1.0
    for k in range(R):
        sizes += abs(binomial) * value * far
        binomial *= (p - k) / (k + 1)
        value /= middle
        smallest /= least
        far *= d
    beyond = abs(binomial) * smallest
    for k in range(DEGREE, -1, -1):  # Horner's rule; binomial and value fall back to power k
        binomial *= (k + 1) / (p - k)
        value *= middle
        if k < DEGREE:
            multiplied(out, step, held)
            out[:] = held
        out[0] += binomial * value
        out[R] += EPS * abs(out[0])
    out[R] += beyond * far * WIDER + 32 * EPS * sizes
    for k in range(R):
        out[k] *= sign


@njit(
    void(
        int64[:, ::1], uint8[::1], int64[::1], float64[::1], float64[:, :, ::1], float64[:, :, ::1]
    ),
    nogil=True,
    error_model="numpy",
)
def interpret(table, fixed, outputs, numbers, x, out):
    """Run a program on models x (N, k, DEGREE + 2) and numbers; `fixed` (n,): operations on numbers alone."""
    v = np.empty((len(table), R + 1))
    work = np.empty(2 * R + 2)
    for n in range(len(x)):
        for at in range(len(table)):
            if n > 0 and fixed[at]:
                continue
            code, i, j = table[at, 0], table[at, 1], table[at, 2]
            here = v[at]
            if code == MUL:
                multiplied(v[i], v[j], here)
            elif code == ADD:
                added(v[i], v[j], 1.0, here)
            elif code == SUB:
                added(v[i], v[j], -1.0, here)
            elif code == NUMBER:
                here[:] = 0.0
                here[0] = numbers[i]
            elif code == X:
                here[:] = x[n, i]
            elif code == NEG:
                for k in range(R):
                    here[k] = -v[i, k]
                here[R] = v[i, R]
            elif code == RESTART:
                here[:] = v[i]
            elif code == INV:
                powered(v[i], -1.0, work, here)
            elif code == SQRT:
                powered(v[i], 0.5, work, here)
            else:
                here[:] = 0.0
                here[R] = inf
        for k in range(len(outputs)):
            out[n, k] = v[outputs[k]]


def tabled(program: Program) -> Table:
    """A program as `interpret` reads it: table, `fixed`, constants (numbers behind the parameters), outputs."""
    first = program.sizes["par"]
    constants: list[float] = []
    rows = []
    for code, a, b in program.operations:
        if code == "const":
            rows.append((NUMBER, first + len(constants), -1))
            constants.append(a)
        elif code == "par":
            rows.append((NUMBER, a, -1))
        elif code in CODES:
            rows.append((CODES.index(code), a, b))
        else:
            rows.append((UNKNOWN, -1, -1))
    table = np.array(rows, dtype=np.int64)
    fixed = np.frombuffer(program.constant_nodes(), dtype=np.uint8).copy()
    return table, fixed, tuple(constants), program.outputs


@lru_cache(maxsize=64)
def program_table(function: str, kinds: tuple[str, ...], outputs: tuple[int, ...]) -> Table:
    """Some outputs of a machine function of six leg kinds that do not spin."""
    return tabled(trace(function, kinds).select(outputs))


def run_on_models(table: Table, x: list[Model], par: Array) -> Model:
    """(N, outputs) of models (N,) each, or of () those that do not change, and the machine's parameters."""
    rows, fixed, constants, outputs = table
    count = max(m.r.size for m in x)
    given = np.empty((count, len(x), R + 1))
    for k, m in enumerate(x):
        given[:, k, :R], given[:, k, R] = m.c.T, m.r
    out = np.empty((count, len(outputs), R + 1))
    numbers = np.concatenate([par, constants])
    interpret(rows, fixed, np.array(outputs, dtype=np.int64), numbers, given, out)
    return Model(np.moveaxis(out[..., :R], -1, 0), out[..., R])
