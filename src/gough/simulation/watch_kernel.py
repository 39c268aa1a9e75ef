"""The compiled look at a run after each step: which limits it is beyond, since when, and how often.

Runs well inside all limits, by more than they move in a step, cost one comparison each.  For the others every margin
is a bit (events.MARGINS); the first step at which a bit comes up is kept with the state before it, so that the
instant can be found inside that step, and how often it came up is counted.  Where a leg comes back to its limit fast
enough to have been beyond it within the last step, the step is kept too: as a suspicion, to be looked into.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, types, void

from gough.engines.cache import njit
from gough.simulation.events import BASE, FORCE, HIGH, LOW, MARGINS, PLATFORM, SINGULAR, SPEED
from gough.simulation.watch import LIMITS, MARKS, SUSPICIONS, WATCH

COORDINATE, RATE, WRENCH, BOUND = (WATCH.at(n) for n in ("coordinate", "rate", "wrench", "bound"))
BASE_ROW, PLATFORM_ROW, BASE_SLOPE, PLATFORM_SLOPE = (
    WATCH.at(n) for n in ("base", "platform", "base_slope", "platform_slope")
)
AT_LOW, AT_HIGH, AT_SPEED, AT_BASE, AT_PLATFORM, SCREEN, CONDITION = (
    LIMITS.at(n) for n in LIMITS.names
)
NOW, EVER, MISSED, COUNT, USED, STEP, BITS, DIPS = (MARKS.at(n) for n in MARKS.names)
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
SWEEPS = 30  # of rotations: six rows need about five


@njit(float64(float64[:, ::1], int64, float64[:, ::1]), **OPTIONS)
def condition(W, i, A):
    """Condition number of the wrench rows of column i, by one-sided Jacobi rotations in the scratch rows A."""
    for j in range(6):
        for k in range(6):
            A[j, k] = W[WRENCH + 6 * j + k, i]
    for _ in range(SWEEPS):
        turned = False
        for j in range(5):
            for l in range(j + 1, 6):
                a, b, c = 0.0, 0.0, 0.0
                for k in range(6):
                    a += A[j, k] * A[j, k]
                    b += A[l, k] * A[l, k]
                    c += A[j, k] * A[l, k]
                if not c * c > 1e-31 * a * b:
                    continue
                turned = True
                zeta = 0.5 * (b - a) / c
                t = (1.0 if zeta >= 0.0 else -1.0) / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / np.sqrt(1.0 + t * t)
                sine = cosine * t
                for k in range(6):
                    x, y = A[j, k], A[l, k]
                    A[j, k], A[l, k] = cosine * x - sine * y, sine * x + cosine * y
        if not turned:
            break
    least, most = np.inf, 0.0
    for j in range(6):
        a = 0.0
        for k in range(6):
            a += A[j, k] * A[j, k]
        least, most = min(least, a), max(most, a)
    return np.sqrt(most / least)


@njit(
    types.UniTuple(int64, 2)(
        float64[:, ::1], float64[:, ::1], int64, float64, float64[:, ::1], float64[:, ::1]
    ),
    **OPTIONS,
)
def bits_of(W, C, i, h, limits, A):
    """Bits of the margins that column i is beyond, and of those that it may have been beyond within the last step."""
    bits, dips = 0, 0
    for k in range(6):
        c, r = W[COORDINATE + k, i], W[RATE + k, i]
        if c < limits[AT_LOW + k, i]:
            bits |= 1 << (LOW + k)
        elif c - limits[AT_LOW + k, i] < h * r:
            dips |= 1 << (LOW + k)
        if c > limits[AT_HIGH + k, i]:
            bits |= 1 << (HIGH + k)
        elif limits[AT_HIGH + k, i] - c < -h * r:
            dips |= 1 << (HIGH + k)
        if abs(r) > limits[AT_SPEED + k, i]:
            bits |= 1 << (SPEED + k)
        cosine, slope = W[BASE_ROW + k, i] - limits[AT_BASE + k, i], W[BASE_SLOPE + k, i]
        if cosine < 0.0:
            bits |= 1 << (BASE + k)
        elif cosine < h * slope:
            dips |= 1 << (BASE + k)
        cosine, slope = (
            W[PLATFORM_ROW + k, i] - limits[AT_PLATFORM + k, i],
            W[PLATFORM_SLOPE + k, i],
        )
        if cosine < 0.0:
            bits |= 1 << (PLATFORM + k)
        elif cosine < h * slope:
            dips |= 1 << (PLATFORM + k)
        if C[k, i] > 0.0:
            bits |= 1 << (FORCE + k)
    if not W[BOUND, i] <= limits[SCREEN, i] and condition(W, i, A) > limits[CONDITION, i]:
        bits |= 1 << SINGULAR
    return bits, dips


@njit(
    void(
        float64[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
        int64,
        int64,
        int64,
        float64,
        float64[:, ::1],
        float64[:, ::1],
        int64[:, :],
        float64[:, :, :],
    ),
    **OPTIONS,
)
def look(W, C, P, step, low, m, h, limits, A, marks, before):
    """The first m columns of W after a step from the states P; C: excess of commands at its start; limits: rows of
    LIMITS.  The last row of W is scratch, as is A."""
    near = W.shape[0] - 1
    for i in range(m):
        W[near, i] = limits[SCREEN, i] - W[BOUND, i]
    for k in range(6):
        for i in range(m):
            c, r, least = W[COORDINATE + k, i], abs(W[RATE + k, i]), W[near, i]
            a = c - limits[AT_LOW + k, i] - h * r
            least = a if a < least else least
            a = limits[AT_HIGH + k, i] - c - h * r
            least = a if a < least else least
            a = limits[AT_SPEED + k, i] - r
            least = a if a < least else least
            a = W[BASE_ROW + k, i] - limits[AT_BASE + k, i] - h * abs(W[BASE_SLOPE + k, i])
            least = a if a < least else least
            a = W[PLATFORM_ROW + k, i] - limits[AT_PLATFORM + k, i]
            a -= h * abs(W[PLATFORM_SLOPE + k, i])
            least = a if a < least else least
            a = -C[k, i]
            W[near, i] = a if a < least else least
    for i in range(m):
        run = low + i
        was = marks[NOW, run]
        if W[near, i] >= 0.0 and was == 0:
            continue
        bits, dips = bits_of(W, C, i, h, limits, A)
        marks[NOW, run] = bits
        begun = bits & ~was
        for b in range(MARGINS):
            marks[COUNT + b, run] += (begun >> b) & 1
        begun &= ~marks[EVER, run]
        dips &= ~(marks[EVER, run] | bits | was)
        if begun | dips == 0:
            continue
        slot = marks[USED, run]
        if begun == 0 and slot >= SUSPICIONS:
            marks[MISSED, run] += 1
            continue
        marks[EVER, run] |= begun
        marks[USED, run], marks[STEP + slot, run] = slot + 1, step
        marks[BITS + slot, run], marks[DIPS + slot, run] = begun, dips
        for k in range(P.shape[0]):
            before[slot, k, run] = P[k, i]
