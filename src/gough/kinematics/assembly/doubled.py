"""Traced programs in doubled precision (pairs of doubles, about 31 digits), by error-free transformations.

A compiled loop walks through a program's operations: some hundred times slower than its vector code, and the last
resort for paths and roots that double precision cannot tell apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.engines.tracer import Program
from gough.kinematics.compiled import strict_kernel

SPLIT = 134217729.0  # 2^27 + 1
UNIT = 2e-31  # rounding of one operation, relative: 16 * 2^-106
CODES = ("const", "x", "add", "sub", "mul", "neg", "inv", "sqrt", "larger", "smaller")
CONST, INPUT, ADD, SUB, MUL, NEG, INV, SQRT, LARGER, SMALLER = range(len(CODES))


@strict_kernel
def two_product(a, b):
    """a b = p + e exactly (Dekker)."""
    p = a * b
    t = SPLIT * a
    ah = t - (t - a)
    al = a - ah
    t = SPLIT * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@strict_kernel
def add(a, ae, b, be):
    """(a + ae) + (b + be) as a pair."""
    s = a + b
    v = s - a
    e = (a - (s - v)) + (b - v)
    t = ae + be
    v = t - ae
    f = (ae - (t - v)) + (be - v)
    e += t
    h = s + e
    e = e - (h - s) + f
    g = h + e
    return g, e - (g - h)


@strict_kernel
def multiply(a, ae, b, be):
    """(a + ae)(b + be) as a pair."""
    p, e = two_product(a, b)
    e += a * be + ae * b
    h = p + e
    return h, e - (h - p)


@strict_kernel
def invert(a, ae):
    """1 / (a + ae) as a pair: two Newton steps."""
    x, y = 1.0 / a, 0.0
    for _ in range(2):
        p, e = multiply(a, ae, x, y)
        p, e = add(1.0, 0.0, -p, -e)
        p, e = multiply(x, y, p, e)
        x, y = add(x, y, p, e)
    return x, y


@strict_kernel
def root(a, ae):
    """Square root of a pair."""
    if not a > 0.0:
        return 0.0, 0.0
    x, y = np.sqrt(a), 0.0
    for _ in range(2):
        p, e = multiply(x, y, x, y)
        p, e = add(a, ae, -p, -e)
        half = 0.5 / x
        x, y = add(x, y, p * half, e * half)
    return x, y


@strict_kernel
def walk(program, x, v, y):
    """Run a Walk on x (inputs, 2); v is room for all values, y (outputs, 2) the answer."""
    code, first, second, const = program.code, program.first, program.second, program.const
    outputs = program.outputs
    for at in range(code.size):
        what, i, j = code[at], first[at], second[at]
        if what == MUL:
            v[at, 0], v[at, 1] = multiply(v[i, 0], v[i, 1], v[j, 0], v[j, 1])
        elif what == ADD:
            v[at, 0], v[at, 1] = add(v[i, 0], v[i, 1], v[j, 0], v[j, 1])
        elif what == SUB:
            v[at, 0], v[at, 1] = add(v[i, 0], v[i, 1], -v[j, 0], -v[j, 1])
        elif what == NEG:
            v[at, 0], v[at, 1] = -v[i, 0], -v[i, 1]
        elif what == INPUT:
            v[at, 0], v[at, 1] = x[i, 0], x[i, 1]
        elif what == CONST:
            v[at, 0], v[at, 1] = const[at], 0.0
        elif what == INV:
            v[at, 0], v[at, 1] = invert(v[i, 0], v[i, 1])
        elif what == SQRT:
            v[at, 0], v[at, 1] = root(v[i, 0], v[i, 1])
        else:
            more = v[i, 0] > v[j, 0] or (v[i, 0] == v[j, 0] and v[i, 1] > v[j, 1])
            k = i if more == (what == LARGER) else j
            v[at, 0], v[at, 1] = v[k, 0], v[k, 1]
    for k in range(outputs.size):
        y[k, 0], y[k, 1] = v[outputs[k], 0], v[outputs[k], 1]


class Walk(NamedTuple):
    """A program as arrays: what `walk` reads first."""

    code: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    const: Array
    outputs: NDArray[np.int64]


def walkable(program: Program) -> Walk:
    """A program of the operations CODES."""
    operations = program.operations
    fixed = [o.code == "const" for o in operations]
    return Walk(
        np.array([CODES.index(o.code) for o in operations]),
        np.array([0 if c else o.a for o, c in zip(operations, fixed, strict=True)]),
        np.array([o.b for o in operations]),
        np.array([o.a if c else 0.0 for o, c in zip(operations, fixed, strict=True)]),
        np.array(program.outputs),
    )
