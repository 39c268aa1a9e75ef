"""Paths and proofs in doubled precision, one at a time: the last resort, some hundred times slower than the lanes."""

from __future__ import annotations

import numpy as np

from gough.kinematics.assembly.doubled import UNIT as ROUNDING
from gough.kinematics.assembly.doubled import add, two_product, walk, walkable
from gough.kinematics.assembly.lane_tracker import (
    A_LEGS,
    A_START,
    A_TERMS,
    ANSWERED,
    ASKED,
    DATA,
    DELTA,
    EPS,
    ETA,
    FIRST,
    IN,
    IN_STEP,
    KAPPA,
    LEGS,
    OUT,
    OUT_STEP,
    POINTS,
    POLE,
    Q_LEGS,
    REST,
    SECOND,
    SLOPES,
    SPREAD,
    STEP,
    TOTAL,
    UNIT,
    WG,
    WV,
)
from gough.kinematics.assembly.lanes import (
    INFINITE,
    LONG,
    REACHED,
    STUCK,
    WIDTH,
    accepted,
    ball,
    outside,
    put_legs,
    put_point,
    realness,
    stride,
    take_point,
    take_rows,
)
from gough.kinematics.assembly.proof_program import proof
from gough.kinematics.assembly.step_programs import advance, series
from gough.kinematics.compiled import strict_kernel

EXPAND, TAKE_STEP, EXAMINE = walkable(series()), walkable(advance()), walkable(proof())
ROOM = max(len(w.code) for w in (EXPAND, TAKE_STEP, EXAMINE))


@strict_kernel
def settle(E, slopes, left, legs):
    """Joints and K where `left` of the path is left, as pairs."""
    for row in range(6 * WIDTH):
        p, e = two_product(-left, slopes[row, 0])
        legs[row, 0], legs[row, 1] = add(E[row, 0], 0.0, p, e)


@strict_kernel
def polish(T, program, v, Y, turns):
    """Newton and chord steps at rows A_START, in place."""
    T[A_TERMS:] = 0.0
    for _ in range(turns):
        walk(program, T, v, Y)
        take_rows(T, A_START, Y, 0, POINTS)


@strict_kernel
def doubled_path(b0, p0, K0, b1, p1, K1, X, expand, take_step, tolerance, fraction, most, smallest):
    """Track one solution X (8,) in place; status, what is left of the way, steps, the point as pairs, its chart."""
    S, E, C = np.zeros((IN, 2)), np.zeros((6 * WIDTH, 2)), np.zeros((OUT, 2))
    T, Y, v = np.zeros((IN_STEP, 2)), np.zeros((OUT_STEP, 2)), np.zeros((ROOM, 2))
    left, shrink, state, chart, count = 1.0, 1.0, LONG, -1, 0
    while count < most:
        count += 1
        if chart < 0:  # a new chart is entered with the high parts, and polished
            chart = put_point(S, 0, X)
            S[:, 1] = 0.0
            put_legs(S[SLOPES:], 0, chart, b1 - b0, p1 - p0, K1 - K0)
            put_legs(E, 0, chart, b1, p1, K1)
            settle(E, S[SLOPES:], left, T[A_LEGS:])
            take_rows(T, A_START, S, 0, LEGS)
            polish(T, take_step, v, Y, 2)
            take_rows(S, 0, T, A_START, LEGS)
        settle(E, S[SLOPES:], left, S[LEGS:SLOPES])
        walk(expand, S, v, C)
        step = shrink * stride(
            left / shrink, C[REST, 0], C[POLE, 0], C[POLE + 1, 0], tolerance, fraction
        )
        ahead = left - step if step < left else 0.0
        T[STEP, 0], T[STEP, 1] = step, 0.0
        if ahead > 0.0:
            T[STEP, 0] = left - ahead
        settle(E, S[SLOPES:], ahead, T[A_LEGS:])
        take_rows(T, A_START, S, 0, LEGS)
        take_rows(T, A_TERMS, C, 0, OUT)
        walk(take_step, T, v, Y)
        if accepted(Y[FIRST, 0], Y[SECOND, 0], tolerance):
            left, shrink = ahead, min(1.0, 2.0 * shrink)
            take_rows(S, 0, Y, 0, POINTS)
            take_point(S, 0, chart, X)
            if left == 0.0 or left < smallest:
                state = REACHED if left == 0.0 else INFINITE
                break
            if outside(S, 0):
                chart = -1
        else:
            shrink *= 0.5
            if not shrink > 1e-6:
                state = STUCK
                break
    return state, left, count, S[:LEGS], chart


@strict_kernel
def height(Q):
    """``|h|``, ``h = 1 + v.v``, of the point in the first rows of Q; zero at infinity.  Right to some EPS^2."""
    hr, hi = (1.0, 0.0), (0.0, 0.0)
    for c in range(3):
        (x, xe), (y, ye) = (Q[2 * c, 0], Q[2 * c, 1]), (Q[2 * c + 1, 0], Q[2 * c + 1, 1])
        for z, low, sign in ((x, xe, 1.0), (y, ye, -1.0)):
            square, rest = two_product(z, sign * z)
            hr = add(hr[0], hr[1], square, rest + 2.0 * sign * z * low)
        both, rest = two_product(2.0 * x, y)
        hi = add(hi[0], hi[1], both, rest + 2.0 * (x * ye + y * xe))
    return np.sqrt(hr[0] * hr[0] + hi[0] * hi[0])


@strict_kernel
def doubled_proof(b, p, K, X, point, chart, take_step, examine):
    """Polish and prove one root X (8,) in place; (radius, unique, real, chart, finite).

    point: rows of `doubled_path` in its chart; with chart = -1 there are none, and X is taken.
    """
    T, Y, v = np.zeros((IN_STEP, 2)), np.zeros((OUT_STEP, 2)), np.zeros((ROOM, 2))
    Q, A = np.zeros((ASKED, 2)), np.zeros((ANSWERED, 2))
    if chart < 0:
        chart = put_point(T[A_START:], 0, X)
    else:
        take_rows(T, A_START, point, 0, POINTS)
    put_legs(T[A_LEGS:], 0, chart, b, p, K)
    polish(T, take_step, v, Y, 4)
    take_rows(Q, 0, T, A_START, POINTS)
    take_rows(Q, Q_LEGS, T, A_LEGS, 6 * WIDTH)
    Q[UNIT, 0] = ROUNDING
    walk(examine, Q, v, A)
    wv, total = A[WV, 0], A[TOTAL, 0] + A[TOTAL, 1]
    radius, unique = ball(A[ETA, 0], A[KAPPA, 0], A[DELTA, 0], total, wv)
    if radius < 0.0:
        return radius, unique, -1, chart, False
    take_point(Q, 0, chart, X)
    finite = height(Q) > 10.0 * wv * wv * (radius + EPS * EPS)
    real = realness(Q, 0, wv, A[WG, 0], radius + 2.0 * DATA * A[SPREAD, 0], unique)
    return radius + 2.0 * EPS, unique - 2.0 * EPS, real, chart, finite
