"""Compiled reductions over designs x poses, for struts between fixed joints.

Design d has its home at ``home[d]`` and its joints at ``base[d]`` and, seen from the platform's reference point in
world axes, ``arm[d, turn[k]]`` in pose k, whose position is ``share[k] home[d] + shift[k]``.  Every design and pose by
itself and in the order of gough/struts.py, without contraction: what stands beside a design does not change its bits.
"""

from math import inf, sqrt

import numpy as np

from gough.analysis.workspace_kernel import segments
from gough.engines.cache import njit


@njit(nogil=True, error_model="numpy")
def coordinates(home, shift, share, turn, arm, base, axis, low, high, lean):
    """Smallest and largest length (n, 6) of each leg; lean (n,): the smallest squared sine of the angle between a
    strut and its universal joint's first axis, of those that have one (zero axis: none)."""
    for d in range(home.shape[0]):
        least = inf
        for i in range(6):
            low[d, i], high[d, i] = inf, -inf
            a, b, c = axis[d, i, 0], axis[d, i, 1], axis[d, i, 2]
            none = a == 0.0 and b == 0.0 and c == 0.0
            for k in range(shift.shape[0]):
                o, w = turn[k], share[k]
                x = w * home[d, 0] + shift[k, 0] + arm[d, o, i, 0] - base[d, i, 0]
                y = w * home[d, 1] + shift[k, 1] + arm[d, o, i, 1] - base[d, i, 1]
                z = w * home[d, 2] + shift[k, 2] + arm[d, o, i, 2] - base[d, i, 2]
                square = x * x + y * y + z * z
                length = sqrt(square)
                low[d, i], high[d, i] = min(low[d, i], length), max(high[d, i], length)
                p, q, r = b * z - c * y, c * x - a * z, a * y - b * x
                sine = inf if none else (p * p + q * q + r * r) / square
                least = min(least, sine)
        lean[d] = least


@njit(nogil=True, error_model="numpy")
def tilts(home, shift, share, turn, rotation, arm, base, direction, seen, less, more):
    """Squares of |s - h| and |s + h| where a strut s turns farthest from its home direction h: (n, 2), in world axes
    (h: `direction`) and as the platform sees it (h: `seen`), (n, 6, 3) each; rotation (m, 3, 3)."""
    for d in range(home.shape[0]):
        for side in range(2):
            less[d, side], more[d, side] = -1.0, 1.0
        for k in range(shift.shape[0]):
            o, w = turn[k], share[k]
            for i in range(6):
                x = w * home[d, 0] + shift[k, 0] + arm[d, o, i, 0] - base[d, i, 0]
                y = w * home[d, 1] + shift[k, 1] + arm[d, o, i, 1] - base[d, i, 1]
                z = w * home[d, 2] + shift[k, 2] + arm[d, o, i, 2] - base[d, i, 2]
                length = sqrt(x * x + y * y + z * z)
                x, y, z = x / length, y / length, z / length
                _farther(x, y, z, direction, d, i, less, more, 0)
                R = rotation[o]
                p = x * R[0, 0] + y * R[1, 0] + z * R[2, 0]
                q = x * R[0, 1] + y * R[1, 1] + z * R[2, 1]
                r = x * R[0, 2] + y * R[1, 2] + z * R[2, 2]
                _farther(p, q, r, seen, d, i, less, more, 1)


@njit(nogil=True, error_model="numpy")
def _farther(x, y, z, home, d, i, less, more, side):
    """Keep the direction (x, y, z) if it is the farthest from home so far: by the tangent of half the angle."""
    a, b, c = x - home[d, i, 0], y - home[d, i, 1], z - home[d, i, 2]
    short = a * a + b * b + c * c
    a, b, c = x + home[d, i, 0], y + home[d, i, 1], z + home[d, i, 2]
    long = a * a + b * b + c * c
    if short * more[d, side] > less[d, side] * long:
        less[d, side], more[d, side] = short, long


@njit(nogil=True, error_model="numpy")
def clearances(home, shift, share, turn, arm, base, first, second, apart, gap):
    """Smallest squared distance (n,) of two struts among the pairs (first, second) that are `apart` (n, pairs)."""
    for d in range(home.shape[0]):
        least = inf
        for k in range(shift.shape[0]):
            w, q = share[k], arm[d, turn[k]]
            x = w * home[d, 0] + shift[k, 0]
            y = w * home[d, 1] + shift[k, 1]
            z = w * home[d, 2] + shift[k, 2]
            for pair in range(first.shape[0]):
                if apart[d, pair]:
                    least = min(least, segments(base[d], first[pair], second[pair], q, x, y, z))
        gap[d] = least


@njit(nogil=True, error_model="numpy")
def condition_bounds(matrices, out):
    """(n,) upper bounds ``2/|det A| (|A|_F / sqrt(6))^6`` on the condition numbers of 6x6 matrices A (n, 6, 6).

    Source: Guggenheimer, Edelman and Johnson, A simple estimate of the condition number of a linear system, College
    Mathematics Journal 26 (1995).  The determinant comes from elimination with partial pivoting.
    """
    A = np.empty((6, 6))
    for n in range(matrices.shape[0]):
        norm, det = 0.0, 1.0
        for i in range(6):
            for j in range(6):
                A[i, j] = matrices[n, i, j]
                norm += A[i, j] * A[i, j]
        for j in range(6):
            pivot = j
            for i in range(j + 1, 6):
                if abs(A[i, j]) > abs(A[pivot, j]):
                    pivot = i
            det *= A[pivot, j]
            for c in range(j, 6):
                A[j, c], A[pivot, c] = A[pivot, c], A[j, c]
            for i in range(j + 1, 6):
                share = A[i, j] / A[j, j]
                for c in range(j + 1, 6):
                    A[i, c] -= share * A[j, c]
        mean = norm / 6.0
        out[n] = 2.0 * mean * mean * mean / abs(det)
