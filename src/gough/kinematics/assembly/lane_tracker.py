"""Compiled driver of paths and proofs in double precision: eight at a time, each lane refilled when its path has ended.

A problem is a set of joints b, p (6, 3) and K = L^2 (6,); paths lead from a start (b0, p0, K0) with known solutions to
each problem, ``start + s (problem - start)``.  Lanes know nothing of each other: results do not depend on batches,
their order or the number of threads.
"""

from __future__ import annotations

import numpy as np

from gough.engines.llvm_program import Lowered
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
    take_lane,
    take_point,
    take_rows,
)
from gough.kinematics.assembly.leg_equations import POINT
from gough.kinematics.assembly.proof_program import PROOF, QUESTION, proof
from gough.kinematics.assembly.step_programs import (
    ADVANCE,
    ADVANCED,
    COEFFICIENTS,
    SERIES,
    advance,
    series,
)
from gough.kinematics.compiled import kernel

LANES = 8
EPS = 2.3e-16
DATA = 8.0 * EPS  # rounding of the six conditions themselves: joints, lengths and their products
NOTHING = ()
TURNS, SETTLED = 4, 1e-26  # of two corrections each, before a proof; squared size of the last one
expand = Lowered(series(), LANES, LANES).evaluate
expand_fixed = Lowered(series(moving=False), LANES, LANES).evaluate
take_step = Lowered(advance(), LANES, LANES).evaluate
examine = Lowered(proof(), LANES, LANES).evaluate
POINTS, LEGS, SLOPES = POINT.size, SERIES.at("legs"), SERIES.at("slopes")
A_LEGS, A_START, A_TERMS = ADVANCE.at("legs"), ADVANCE.at("start"), ADVANCE.at("terms")
POLE, REST, STEP = COEFFICIENTS.at("pole"), COEFFICIENTS.rest, ADVANCE.step
FIRST, SECOND = ADVANCED.first, ADVANCED.second
IN, OUT, IN_STEP, OUT_STEP = SERIES.size, COEFFICIENTS.size, ADVANCE.size, ADVANCED.size
ASKED, ANSWERED, Q_LEGS, UNIT = QUESTION.size, PROOF.size, QUESTION.at("legs"), QUESTION.unit
ETA, KAPPA, DELTA, TOTAL = PROOF.eta, PROOF.kappa, PROOF.delta, PROOF.total
SPREAD, WV, WG = PROOF.spread, PROOF.wv, PROOF.wg


@kernel
def begin(S, E, lane, X, b0, p0, K0, b1, p1, K1):
    """Put a point of a path into a lane: chart, the joints' way, their end; returns the chart."""
    k = put_point(S, lane, X)
    put_legs(S[SLOPES:], lane, k, b1 - b0, p1 - p0, K1 - K0)
    put_legs(E, lane, k, b1, p1, K1)
    return k


@kernel
def settle(E, slopes, left, legs):
    """Joints and K of all lanes where `left` (LANES,) of their paths is left."""
    for row in range(6 * WIDTH):
        for lane in range(LANES):
            legs[row, lane] = E[row, lane] - left[lane] * slopes[row, lane]


@kernel
def taylor(S, fixed, C):
    """Coefficients of all lanes; `fixed`: the joints do not move."""
    if fixed:
        expand_fixed(S, 0, NOTHING, C)
    else:
        expand(S, 0, NOTHING, C)


@kernel
def lane_paths(
    b0, p0, K0, b1, p1, K1, X, tolerance, fraction, most, smallest, out, status, reach, steps
):
    """Track the solutions X (n, 8) of the start to every problem: b1, p1 (P or 1, 6, 3), K1 (P, 6) complex.

    out (P, n, 8);  status, reach (what is left of the way), steps (P, n).  A path that has come to `smallest` is
    given up as one that leaves for infinity.
    """
    problems, n = K1.shape[0], X.shape[0]
    S, E, C = np.zeros((IN, LANES)), np.zeros((6 * WIDTH, LANES)), np.zeros((OUT, LANES))
    T, Y = np.zeros((IN_STEP, LANES)), np.zeros((OUT_STEP, LANES))
    left, ahead, shrink = np.zeros(LANES), np.zeros(LANES), np.ones(LANES)
    path, chart, count = np.full(LANES, -1), np.full(LANES, -1), np.full(LANES, -1)
    waiting, active = 0, 0
    here = np.empty(8, dtype=np.complex128)
    fixed = np.all(b1 == b0) and np.all(p1 == p0)
    while True:
        for lane in range(LANES):
            if path[lane] < 0 and waiting < problems * n:
                path[lane] = waiting
                waiting += 1
                active += 1
                left[lane], shrink[lane], count[lane] = 1.0, 1.0, 0
                j, i = path[lane] // n, path[lane] % n
                g = j if b1.shape[0] > 1 else 0
                chart[lane] = begin(S, E, lane, X[i], b0, p0, K0, b1[g], p1[g], K1[j])
        if active == 0:
            return
        settle(E, S[SLOPES:], left, S[LEGS:SLOPES])
        taylor(S, fixed, C)
        for lane in range(LANES):
            step = shrink[lane] * stride(
                left[lane] / shrink[lane],
                C[REST, lane],
                C[POLE, lane],
                C[POLE + 1, lane],
                tolerance,
                fraction,
            )
            T[STEP, lane] = step
            ahead[lane] = left[lane] - step if step < left[lane] else 0.0
        settle(E, S[SLOPES:], ahead, T[A_LEGS : A_LEGS + 6 * WIDTH])
        take_rows(T, A_START, S, 0, LEGS)
        take_rows(T, A_TERMS, C, 0, OUT)
        take_step(T, 0, NOTHING, Y)
        for lane in range(LANES):
            if path[lane] < 0:
                continue
            count[lane] += 1
            state = -1
            j, i = path[lane] // n, path[lane] % n
            if accepted(Y[FIRST, lane], Y[SECOND, lane], tolerance):
                left[lane] = ahead[lane]
                shrink[lane] = min(1.0, 2.0 * shrink[lane])
                take_lane(S, 0, Y, POINTS, lane)
                if left[lane] == 0.0:
                    state = REACHED
                elif left[lane] < smallest:
                    state = INFINITE
                elif outside(S, lane):
                    g = j if b1.shape[0] > 1 else 0
                    take_point(S, lane, chart[lane], here)
                    chart[lane] = begin(S, E, lane, here, b0, p0, K0, b1[g], p1[g], K1[j])
            else:
                shrink[lane] *= 0.5
                if not shrink[lane] > 1e-6:
                    state = STUCK
            if state < 0 and count[lane] >= most:
                state = LONG
            if state >= 0:
                take_point(S, lane, chart[lane], out[j, i])
                status[j, i], reach[j, i], steps[j, i] = state, left[lane], count[lane]
                path[lane] = -1
                active -= 1


@kernel
def lane_proofs(b, p, K, X, asked, radius, unique, real, charts, finite):
    """Polish and prove the rows X (P, n, 8) with `asked`, in place; the rest as Roots of roots.py."""
    problems, n = X.shape[0], X.shape[1]
    T, Y = np.zeros((IN_STEP, LANES)), np.zeros((OUT_STEP, LANES))
    Q, A = np.zeros((ASKED, LANES)), np.zeros((ANSWERED, LANES))
    Q[UNIT] = EPS
    place, total, at = np.full(LANES, -1), problems * n, 0
    while at < total:
        place[:] = -1
        for lane in range(LANES):
            while at < total and not asked[at // n, at % n]:
                at += 1
            if at < total:
                place[lane] = at
                j, i = at // n, at % n
                g = j if b.shape[0] > 1 else 0
                charts[j, i] = put_point(T[A_START:], lane, X[j, i])
                put_legs(T[A_LEGS:], lane, charts[j, i], b[g], p[g], K[j])
                at += 1
        open_lanes = place >= 0
        for _ in range(TURNS):  # each lane stops for itself
            take_step(T, 0, NOTHING, Y)
            for lane in range(LANES):
                if open_lanes[lane]:
                    take_lane(T, A_START, Y, POINTS, lane)
                    first, second = Y[FIRST, lane], Y[SECOND, lane]
                    open_lanes[lane] = second > SETTLED and first * second > 1e-3 * SETTLED
            if not open_lanes.any():
                break
        take_rows(Q, 0, T, A_START, POINTS)
        take_rows(Q, Q_LEGS, T, A_LEGS, 6 * WIDTH)
        examine(Q, 0, NOTHING, A)
        for lane in range(LANES):
            if place[lane] < 0:
                continue
            j, i = place[lane] // n, place[lane] % n
            wv = A[WV, lane]
            r, u = ball(A[ETA, lane], A[KAPPA, lane], A[DELTA, lane], A[TOTAL, lane], wv)
            radius[j, i], unique[j, i], real[j, i], finite[j, i] = r, u, -1, False
            if r >= 0.0:
                take_point(Q, lane, charts[j, i], X[j, i])
                real[j, i] = realness(Q, lane, wv, A[WG, lane], r + 2.0 * DATA * A[SPREAD, lane], u)
                hr, hi = 1.0, 0.0
                for c in range(3):
                    x, y = Q[2 * c, lane], Q[2 * c + 1, lane]
                    hr += x * x - y * y
                    hi += 2.0 * x * y
                finite[j, i] = np.sqrt(hr * hr + hi * hi) > 10.0 * wv * wv * (r + EPS)
