"""Compiled proofs over balls of positions at one orientation: within all limits, outside of one, regular or not.

The platform's reference point is anywhere in a ball of radius r about t; the orientation stays.  Then

    platform joint   P moves by at most r, and the arms q = R p do not change
    strut            S moves by at most `off` (kinematics/path_intervals.py: `strut_at`; all legs proved to reach)
    coordinate       |S| of a strut by at most off;  a slider by off, since  |lam'| <= |P'| L/sqrt(d), which
                     is the bound of |S'|;  a crank by (off - r)/rho, since  rho |lam'| <= |P'| rho L/sqrt(d)
    base-side end    0, off, off - r
    lean             the angle between S and a fixed axis by at most asin(off/|S|)
    distance         of two struts by at most max(f + g, f + r, g + r), f and g the moves of their base-side ends: the
                     points at shares x and y of the struts move apart by at most (1 - x) f + (1 - y) g + |x - y| r,
                     which is convex in x and y, and 0 at both platform joints
A limit holds in the whole ball, is broken in all of it, or is left open.  Rounding is part of r and off.

With the rows M = (S, q x S) in the middle and A close to their inverse, a strut that is off by dS changes M A by
``dS_i . (a_j + b_j x q_i)``, (a_j, b_j) column j of A.  The entries ``off_i |a_j + b_j x q_i|`` bound it: where their
norm (of Frobenius, or the largest row sum) is below 1, with what M A is off E, every matrix of the ball is regular.
"""

from math import asin, atan2, pi, sqrt

import numpy as np

from gough.analysis.cell_bits import OTHER, PROVED_IN, PROVED_OUT, SAME, SIGN_ALL, WITHIN
from gough.analysis.workspace_kernel import segments
from gough.kinematics.bernstein import determinant6
from gough.kinematics.certificate import invert6
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import BASE, KIND, LENGTH, RHO, ZERO, E, H, N, U
from gough.kinematics.path_intervals import EPS, strut_at
from gough.kinematics.path_intervals import ROUND as MATRIX_ROUND
from gough.struts import SLIDER, STRUT

ROUND = 64.0 * EPS
ANGLE_ROUND = 1e-12  # rad
PARALLEL = 2e-7  # of a strut: `segments` takes struts for parallel that lean so little


@kernel
def dot(a, b, k):
    """``a . b[k : k + 3]``."""
    return a[0] * b[k] + a[1] * b[k + 1] + a[2] * b[k + 2]


@kernel
def never_reaches(row, P, r, low, high):
    """A slider or crank cannot reach any platform joint within r of P: the joint is farther than the strut is long
    from all of its rail's stroke (of the crank's circle), or nearer; both change no faster than the joint moves."""
    along, L = dot(P, row, E), row[LENGTH]
    across2 = 0.0
    for k in range(3):
        across2 += (P[k] - along * row[E + k]) ** 2
    if row[KIND] == SLIDER:
        beside = along - min(max(along, low), high)
        ahead = max(abs(along - low), abs(along - high))
        return sqrt(across2 + beside**2) > L + r or sqrt(across2 + ahead**2) < L - r
    across, height, rho = sqrt(across2), along - row[H], row[RHO]
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
def leg_in(i, table, arms, low, high, axes, halves, t, radius, P, S, offs, feet, moves):
    """Verdict on the limits of one leg; its strut S and how far that is off (-1: not known), its base-side end and how
    far that moves."""
    row = table[i]
    far = 0.0
    for k in range(3):
        P[k] = t[k] + arms[i, k] - row[BASE + k]
        far += abs(t[k]) + abs(arms[i, k]) + abs(row[BASE + k])
    r = radius + ROUND * far
    if row[KIND] != STRUT and never_reaches(row, P, r, low[i], high[i]):
        return -1
    off = strut_at(row, P, 1.0, r, far, S)
    offs[i] = off
    if off < 0.0:
        return 0
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
def limits_in(table, arms, low, high, axes, halves, pairs, need, t, radius, work):
    """1: every limit holds in the whole ball, -1: one is broken in all of it, 0: neither is proved.

    work  gets the struts, how far they are off, the base-side ends and how far these move
    """
    P, S, offs, feet, moves = work
    found = 1
    for i in range(6):
        one = leg_in(i, table, arms, low, high, axes, halves, t, radius, P, S[i], offs, feet, moves)
        found = min(found, one)
        if found < 0:
            return -1
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        if offs[i] < 0.0 or offs[j] < 0.0:
            continue  # open already
        apart = sqrt(segments(feet, i, j, arms, t[0], t[1], t[2]))
        size = 0.0
        for m in range(3):
            size += abs(t[m]) + abs(arms[i, m]) + abs(arms[j, m])
            size += abs(feet[i, m]) + abs(feet[j, m])
        give = max(moves[i] + moves[j], max(moves[i], moves[j]) + radius)
        give += (PARALLEL + ROUND) * size
        found = min(found, verdict(apart, give, need[k], np.inf))
        if found < 0:
            return -1
    return found


@kernel
def sign_in(arms, middle, size, S, offs, M, A, keep):
    """Sign of the determinant with every strut i within offs[i] of S[i], proved; 0: not proved.

    middle (3,) where moments are taken, from the reference point, world axes; size makes them forces
    """
    force = moment = 0.0
    for i in range(6):
        if offs[i] < 0.0:
            return 0
        x, y, z = arms[i, 0] - middle[0], arms[i, 1] - middle[1], arms[i, 2] - middle[2]
        for k in range(3):
            M[i, k] = S[i, k] / size
        M[i, 3] = (y * M[i, 2] - z * M[i, 1]) / size
        M[i, 4] = (z * M[i, 0] - x * M[i, 2]) / size
        M[i, 5] = (x * M[i, 1] - y * M[i, 0]) / size
        for k in range(3):
            force, moment = max(force, abs(M[i, k])), max(moment, abs(M[i, 3 + k]))
    keep[:] = M
    if not invert6(M, force, moment, A):
        return 0
    if not change(arms, middle, size, offs, keep, A) < 1.0:
        return 0
    return 1 if determinant6(keep) > 0.0 else -1


@kernel
def change(arms, middle, size, offs, M, A):
    """Bound on ``|M' A - E|`` of all matrices M' whose struts are within `offs` of those of M."""
    error = whole = inverse = squares = largest = 0.0
    for i in range(6):
        x, y, z = arms[i, 0] - middle[0], arms[i, 1] - middle[1], arms[i, 2] - middle[2]
        row = 0.0
        for j in range(6):
            value = -1.0 if i == j else 0.0
            for k in range(6):
                value += M[i, k] * A[k, j]
            error += value * value
            whole += M[i, j] ** 2
            inverse += A[i, j] ** 2
            gx = A[0, j] + (A[4, j] * z - A[5, j] * y) / size
            gy = A[1, j] + (A[5, j] * x - A[3, j] * z) / size
            gz = A[2, j] + (A[3, j] * y - A[4, j] * x) / size
            entry = offs[i] / size * sqrt(gx * gx + gy * gy + gz * gz)
            squares += entry * entry
            row += entry
        largest = max(largest, row)
    slip = sqrt(error) + MATRIX_ROUND * sqrt(whole * inverse)
    return 2.5 * slip + min(sqrt(squares), largest) * (
        1.0 + 1e-12
    )  # a row sum is below sqrt(6) |.|


@kernel
def judge_cells(
    table, arms, low, high, axes, halves, pairs, need, middle, size,
    centers, radius, wanted, last, out,
):  # fmt: skip
    """Fill out (N,) with what is known of the balls about `centers` (cell_bits.py); 0: open, but on the last level.

    wanted  sign of the determinant at the start, +1 or -1
    """
    S, offs = np.empty((6, 3)), np.empty(6)
    work = np.empty(3), S, offs, np.empty((6, 3)), np.empty(6)
    M, A, keep = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6))
    for n in range(centers.shape[0]):
        t = centers[n]
        found = limits_in(table, arms, low, high, axes, halves, pairs, need, t, radius, work)
        if found < 0:
            out[n] = PROVED_OUT
            continue
        code = PROVED_IN if found == 1 else 0
        sign = sign_in(arms, middle, size, S, offs, M, A, keep)
        if sign != 0:
            code |= SIGN_ALL
        if found != 1 or sign == 0:
            if not last:
                out[n] = 0
                continue
            found = limits_in(table, arms, low, high, axes, halves, pairs, need, t, 0.0, work)
            if sign == 0 and found == 1:
                sign = sign_in(arms, middle, size, S, offs, M, A, keep)
        if found == 1:
            code |= WITHIN
        if sign != 0:
            code |= SAME if sign == wanted else OTHER
        out[n] = code
