"""Compiled proofs over balls of positions at one orientation: within all limits, outside of one, regular or not.

The platform's reference point is anywhere in a ball of radius r about t; the orientation stays.  Then

    platform joint   P moves by at most r, and the arms q = R p do not change
    strut            S moves by at most `off` (kinematics/path_intervals.py: `strut_at`; all legs proved to reach)
    coordinate       |S| of a strut by at most off;  a slider by off, since  |lam'| <= |P'| L/sqrt(d), which
                     is the bound of |S'|;  a crank by (off - r)/rho, since  rho |lam'| <= |P'| rho L/sqrt(d)
    base-side end    0, off, off - r
    lean             the angle between S and a fixed axis by at most asin(off/|S|)
    distance         of two struts by at most the moves of their base-side ends plus r: the points at shares x and y of
                     the struts move by (1 - x) f and x h, (1 - y) g and y h with the same h
A limit holds in the whole ball, is broken in all of it, or is left open.  Rounding is part of r and off.
The proof of a regular determinant is that of a path (`sign_on`), which knows of its positions only how far they lie
from the middle.
"""

from math import asin, atan2, pi, sqrt

import numpy as np

from gough.analysis.cell_bits import OTHER, PROVED_IN, PROVED_OUT, SAME, SIGN_ALL, WITHIN
from gough.analysis.workspace_kernel import segments
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import BASE, KIND, LENGTH, RHO, ZERO, E, H, N, U
from gough.kinematics.path_intervals import EPS, sign_on, strut_at
from gough.struts import SLIDER, STRUT

ROUND = 64.0 * EPS
ANGLE_ROUND = 1e-12  # rad
PARALLEL = 2e-7  # of a strut: `segments` takes struts for parallel that lean so little


@kernel
def dot(a, b, k):
    """``a . b[k : k + 3]``."""
    return a[0] * b[k] + a[1] * b[k + 1] + a[2] * b[k + 2]


@kernel
def never_reaches(row, P, r):
    """A slider or crank cannot reach any platform joint within r of P: the joint's distance from the rail, from the
    nearest and the farthest point of the crank's circle, each changes no faster than the joint moves."""
    along, L = dot(P, row, E), row[LENGTH]
    across2 = 0.0
    for k in range(3):
        across2 += (P[k] - along * row[E + k]) ** 2
    across = sqrt(across2)
    if row[KIND] == SLIDER:
        return across > L + r
    height, rho = along - row[H], row[RHO]
    nearest = sqrt(height**2 + (across - rho) ** 2)
    farthest = sqrt(height**2 + (across + rho) ** 2)
    return nearest > L + r or farthest < L - r


@kernel
def coordinate_in(row, P, S, off, r):
    """Coordinate of a leg, how far it may be off in the ball, and how far its base-side end moves."""
    if row[KIND] == STRUT:
        return sqrt(S[0] ** 2 + S[1] ** 2 + S[2] ** 2), off + ROUND * off, 0.0
    foot = (P[0] - S[0], P[1] - S[1], P[2] - S[2])
    if row[KIND] == SLIDER:
        return dot(foot, row, E), off + ROUND * (abs(foot[0]) + abs(foot[1]) + abs(foot[2])), off
    angle = atan2(dot(foot, row, N), dot(foot, row, U)) - row[ZERO]
    angle -= 2.0 * pi * np.floor(angle / (2.0 * pi) + 0.5)  # as counted from home, -pi to pi
    spread = (off - r) / row[RHO] + ANGLE_ROUND
    if abs(angle) + spread >= pi:  # it may pass the cut of its count
        spread = np.inf
    return row[ZERO] + angle, spread, off - r


@kernel
def verdict(value, spread, low, high):
    """1: within [low, high] for certain, -1: outside of it, 0: neither."""
    if value + spread < low or value - spread > high:
        return -1
    return 1 if value - spread >= low and value + spread <= high else 0


@kernel
def lean_verdict(axis, half, S, off):
    """The same of the angle between S and an axis, which must not exceed `half`."""
    if half >= pi:
        return 1
    long = sqrt(S[0] ** 2 + S[1] ** 2 + S[2] ** 2)
    if not off < long:
        return 0
    x = axis[1] * S[2] - axis[2] * S[1]
    y = axis[2] * S[0] - axis[0] * S[2]
    z = axis[0] * S[1] - axis[1] * S[0]
    angle = atan2(sqrt(x * x + y * y + z * z), axis[0] * S[0] + axis[1] * S[1] + axis[2] * S[2])
    return verdict(angle, asin(off / long) + ANGLE_ROUND, -1.0, half)


@kernel
def leg_in(i, table, arms, low, high, axes, halves, t, radius, P, S, feet, moves):
    """Verdict on the limits of one leg; its base-side end and how far that moves (-1: not known)."""
    row = table[i]
    far = 0.0
    for k in range(3):
        P[k] = t[k] + arms[i, k] - row[BASE + k]
        far += abs(t[k]) + abs(arms[i, k]) + abs(row[BASE + k])
    r = radius + ROUND * far
    off = strut_at(row, P, 1.0, r, far, S)
    if off < 0.0:
        moves[i] = -1.0
        return -1 if never_reaches(row, P, r) else 0
    value, spread, moves[i] = coordinate_in(row, P, S, off, r)
    for k in range(3):
        feet[i, k] = row[BASE + k] + P[k] - S[k]
    found = verdict(value, spread, low[i], high[i])
    found = min(found, lean_verdict(axes[0, i], halves[0, i], S, off))
    found = min(found, lean_verdict(axes[1, i], halves[1, i], S, off))
    if found == 1 and not off < sqrt(S[0] ** 2 + S[1] ** 2 + S[2] ** 2):
        return 0  # a strut without length
    return found


@kernel
def limits_in(table, arms, low, high, axes, halves, pairs, need, t, radius, P, S, feet, moves):
    """1: every limit holds in the whole ball, -1: one is broken in all of it, 0: neither is proved."""
    found = 1
    for i in range(6):
        found = min(
            found, leg_in(i, table, arms, low, high, axes, halves, t, radius, P, S, feet, moves)
        )
        if found < 0:
            return -1
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        if moves[i] < 0.0 or moves[j] < 0.0:
            continue  # open already
        apart = sqrt(segments(feet, i, j, arms, t[0], t[1], t[2]))
        size = 0.0
        for m in range(3):
            size += abs(t[m]) + abs(arms[i, m]) + abs(arms[j, m])
            size += abs(feet[i, m]) + abs(feet[j, m])
        give = moves[i] + moves[j] + radius + (PARALLEL + ROUND) * size
        found = min(found, verdict(apart, give, need[k], np.inf))
        if found < 0:
            return -1
    return found


@kernel
def sign_in(table, middle, quaternion, size, t, radius, work):
    """Sign of the determinant in the whole ball, proved; 0 or -2: not proved."""
    way, still, M, A, W, arm, P, S = work
    way[0] = radius
    return sign_on(
        table, middle, t, way, quaternion, still, 0.0, 0.0, 1.0, size, M, A, W, arm, P, S
    )


@kernel
def judge_cells(
    table, arms, low, high, axes, halves, pairs, need, middle, quaternion, size,
    centers, radius, wanted, last, out,
):  # fmt: skip
    """Fill out (N,) with what is known of the balls about `centers` (cell_bits.py); 0: open, but on the last level.

    wanted  sign of the determinant at the start, +1 or -1
    """
    P, S, feet, moves = np.empty(3), np.empty(3), np.empty((6, 3)), np.empty(6)
    matrices = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 2))
    work = np.zeros(3), np.zeros(4), *matrices, np.empty(3), np.empty(3), np.empty(3)
    for n in range(centers.shape[0]):
        t = centers[n]
        found = limits_in(
            table, arms, low, high, axes, halves, pairs, need, t, radius, P, S, feet, moves
        )
        if found < 0:
            out[n] = PROVED_OUT
            continue
        code = 0
        sign = sign_in(table, middle, quaternion, size, t, radius, work)
        if abs(sign) == 1:
            code = SIGN_ALL
        if found == 1:
            code |= PROVED_IN
        if not last and (found != 1 or abs(sign) != 1):
            out[n] = 0
            continue
        if found != 1:
            found = limits_in(
                table, arms, low, high, axes, halves, pairs, need, t, 0.0, P, S, feet, moves
            )
        if abs(sign) != 1:
            sign = sign_in(table, middle, quaternion, size, t, 0.0, work)
        if found == 1:
            code |= WITHIN
        if abs(sign) == 1:
            code |= SAME if sign == wanted else OTHER
        out[n] = code
