"""Sign of a polynomial on [0, 1] from its Bernstein coefficients (compiled).

The coefficients enclose the polynomial; where they do not decide, the interval is halved (de Casteljau).
"""

from __future__ import annotations

import numpy as np

from gough.kinematics.compiled import kernel

SLACK = 1e-12  # of the largest coefficient: rounding of the values and of their interpolation
DEPTH = 40  # halvings before an interval is given up


@kernel
def decide(coefficients, out):
    """out (N, 3): proved free of zeros, proved change of sign, first zero (NaN: none), for each row."""
    N, n = coefficients.shape
    C, low, width = np.empty((DEPTH + 3, n)), np.empty(DEPTH + 3), np.empty(DEPTH + 3)
    row = np.empty(n)
    for k in range(N):
        out[k, 0], out[k, 1], out[k, 2] = 1.0, 0.0, np.nan
        slack = SLACK * np.abs(coefficients[k]).max()
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
                here = np.sign(C[top, 0])
                if sign != 0.0 and here != sign:
                    out[k, 0], out[k, 1], out[k, 2] = 0.0, 1.0, low[top]
                    break
                sign = here
            elif width[top] < 2.0**-DEPTH:
                out[k, 0], out[k, 2] = 0.0, low[top]
                for j in range(top):
                    if sign * C[j, n - 1] < -slack:
                        out[k, 1] = 1.0
                break
            else:  # the left half is looked at first: it goes on top
                row[:] = C[top]
                width[top] *= 0.5
                width[top + 1], low[top + 1] = width[top], low[top]
                low[top] += width[top]
                for j in range(n):
                    C[top + 1, j] = row[0]
                    C[top, n - 1 - j] = row[n - 1 - j]
                    for i in range(n - 1 - j):
                        row[i] = 0.5 * (row[i] + row[i + 1])
                top += 2
