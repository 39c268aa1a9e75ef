"""Sign of a polynomial on [0, 1] from its Bernstein coefficients (compiled).

The coefficients enclose the polynomial; where they do not decide, the interval is halved (de Casteljau).
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.compiled import kernel

EPS = 2.3e-16
DEPTH = 40  # halvings before an interval is given up
ROUND = 200.0  # 6 rows of some 12 operations each, and the elimination with its growth


@kernel
def decide(coefficients, rounding, out):
    """out (N, 3): proved free of zeros, proved change of sign, first zero (NaN: none), for each row.

    rounding (N,): bound of the error of every coefficient of the row; halving adds its own.
    """
    N, n = coefficients.shape
    C, low, width = np.empty((DEPTH + 3, n)), np.empty(DEPTH + 3), np.empty(DEPTH + 3)
    row = np.empty(n)
    for k in range(N):
        out[k, 0], out[k, 1], out[k, 2] = 1.0, 0.0, np.nan
        slack = rounding[k] + 4.0 * DEPTH * EPS * np.abs(coefficients[k]).max()
        if not (np.isfinite(slack) and slack > 0.0):
            out[k, 0] = 0.0
            continue
        first = coefficients[k, 0]
        sign = np.sign(first) if abs(first) > slack else 0.0
        C[0], low[0], width[0] = coefficients[k], 0.0, 1.0
        top = 1
        while top > 0:
            top -= 1
            smallest, largest = C[top].min(), C[top].max()
            if smallest > slack or largest < -slack:
                continue  # its ends have the sign of their neighbors
            if width[top] < 2.0**-DEPTH:
                out[k, 0], out[k, 2] = 0.0, low[top]
                for j in range(top):
                    if sign * C[j, n - 1] < -slack:
                        out[k, 1] = 1.0
                break
            row[:] = C[top]
            width[top] *= 0.5  # the left half is looked at first: it goes on top
            width[top + 1], low[top + 1] = width[top], low[top]
            low[top] += width[top]
            for j in range(n):
                C[top + 1, j] = row[0]
                C[top, n - 1 - j] = row[n - 1 - j]
                for i in range(n - 1 - j):
                    row[i] = 0.5 * (row[i] + row[i + 1])
            top += 2


@kernel
def determinants(t, q, joints, base, size, out, rounding):
    """``h^3 det [S, p x S/size]/size^6`` at positions t (N, 3) and quaternions q (N, 4), not normalized.

    rounding (N,): bound of its error.  Each row is formed with an error of a few EPS of the size of its terms
    ``|t| + |b| + |p|`` (times |p| for the moment), and so is the elimination, so that by Hadamard the determinant is
    wrong by at most ROUND EPS times the product of these sizes, however small it is itself.
    """
    M = np.empty((6, 6))
    for n in range(t.shape[0]):
        w, x, y, z = q[n, 0], q[n, 1], q[n, 2], q[n, 3]
        h = w * w + x * x + y * y + z * z
        d = 1.0 / (h * size)
        far = np.sqrt(t[n, 0] ** 2 + t[n, 1] ** 2 + t[n, 2] ** 2)
        bound = ROUND * EPS * h * h * h
        for i in range(6):
            p0, p1, p2 = joints[i, 0], joints[i, 1], joints[i, 2]
            arm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2) / size
            foot = np.sqrt(base[i, 0] ** 2 + base[i, 1] ** 2 + base[i, 2] ** 2)
            bound *= ((far + foot) / size + arm) * np.sqrt(1.0 + arm * arm)
            a0, a1, a2 = (
                w * p0 + y * p2 - z * p1,
                w * p1 + z * p0 - x * p2,
                w * p2 + x * p1 - y * p0,
            )
            e = x * p0 + y * p1 + z * p2
            r0 = d * (
                w * a0 + y * a2 - z * a1 + e * x
            )  # R p/size = (w a + v x a + (v.p) v)/(h size), a = w p + v x p
            r1 = d * (w * a1 + z * a0 - x * a2 + e * y)
            r2 = d * (w * a2 + x * a1 - y * a0 + e * z)
            s0 = (t[n, 0] - base[i, 0]) / size + r0
            s1 = (t[n, 1] - base[i, 1]) / size + r1
            s2 = (t[n, 2] - base[i, 2]) / size + r2
            M[i, 0], M[i, 1], M[i, 2] = s0, s1, s2
            M[i, 3], M[i, 4], M[i, 5] = r1 * s2 - r2 * s1, r2 * s0 - r0 * s2, r0 * s1 - r1 * s0
        out[n], rounding[n] = h * h * h * determinant6(M), bound


@kernel
def determinant6(M):
    """Determinant of a 6x6 matrix by elimination with partial pivoting; M is overwritten."""
    value = 1.0
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(M[i, k]) > abs(M[pivot, k]):
                pivot = i
        if M[pivot, k] == 0.0:
            return 0.0
        if pivot != k:
            value = -value
            for j in range(k, 6):
                M[k, j], M[pivot, j] = M[pivot, j], M[k, j]
        value *= M[k, k]
        d = 1.0 / M[k, k]
        for i in range(k + 1, 6):
            f = M[i, k] * d
            for j in range(k + 1, 6):
                M[i, j] -= f * M[k, j]
    return value
