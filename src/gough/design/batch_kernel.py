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
            for k in range(shift.shape[0]):
                x, y, z = _strut(home, shift, share, turn, arm, base, d, k, i)
                square = x * x + y * y + z * z
                length = sqrt(square)
                low[d, i], high[d, i] = min(low[d, i], length), max(high[d, i], length)
                p, q, r = b * z - c * y, c * x - a * z, a * y - b * x
                sine = p * p + q * q + r * r
                if sine < least * square and (a != 0.0 or b != 0.0 or c != 0.0):
                    least = sine / square
        lean[d] = least


@njit(nogil=True, error_model="numpy", inline="always")
def _place(home, shift, share, d, k):
    """Position of pose k."""
    w = share[k]
    return (
        w * home[d, 0] + shift[k, 0],
        w * home[d, 1] + shift[k, 1],
        w * home[d, 2] + shift[k, 2],
    )


@njit(nogil=True, error_model="numpy", inline="always")
def _strut(home, shift, share, turn, arm, base, d, k, i):
    """From base joint to platform joint."""
    o, (x, y, z) = turn[k], _place(home, shift, share, d, k)
    return (
        x + arm[d, o, i, 0] - base[d, i, 0],
        y + arm[d, o, i, 1] - base[d, i, 1],
        z + arm[d, o, i, 2] - base[d, i, 2],
    )


@njit(nogil=True, error_model="numpy")
def tilts(home, shift, share, turn, arm, base, toward, home_direction, side, rotation, less, more):
    """Squares of |s - h| and |s + h| (n,) where a strut s turns farthest from its home direction h.

    side 0: in world axes;  1: as the platform sees it, by its orientations, rotation (m, 3, 3)
    home_direction  (n, 6, 3) h;  toward (n, 1 or m, 6, 3): h in world axes, carried along by the platform on side 1
    """
    for d in range(home.shape[0]):
        short, long, farthest, leg = -1.0, 1.0, 0, 0
        for k in range(shift.shape[0]):
            o = side * turn[k]
            for i in range(6):
                x, y, z = _strut(home, shift, share, turn, arm, base, d, k, i)
                length = sqrt(x * x + y * y + z * z)
                p, q = length * toward[d, o, i, 0], length * toward[d, o, i, 1]
                r = length * toward[d, o, i, 2]
                near, far = _square(x - p, y - q, z - r), _square(x + p, y + q, z + r)
                if near * long > short * far:  # by the tangent of half the angle
                    short, long, farthest, leg = near, far, k, i
        x, y, z = _strut(home, shift, share, turn, arm, base, d, farthest, leg)
        length = sqrt(x * x + y * y + z * z)
        x, y, z = x / length, y / length, z / length
        h = home_direction[d, leg]
        if side == 1:
            R = rotation[turn[farthest]]
            x, y, z = (
                x * R[0, 0] + y * R[1, 0] + z * R[2, 0],
                x * R[0, 1] + y * R[1, 1] + z * R[2, 1],
                x * R[0, 2] + y * R[1, 2] + z * R[2, 2],
            )
        less[d] = _square(x - h[0], y - h[1], z - h[2])
        more[d] = _square(x + h[0], y + h[1], z + h[2])


@njit(nogil=True, error_model="numpy", inline="always")
def _square(x, y, z):
    return x * x + y * y + z * z


@njit(nogil=True, error_model="numpy")
def clearances(home, shift, share, turn, arm, base, first, second, apart, gap):
    """Smallest squared distance (n,) of two struts among the pairs (first, second) that are `apart` (n, pairs).

    No point of a strut moves farther than its end does: a pair that is farther apart in the middle pose than the
    nearest pair and the ways of both ends together, with room for rounding, is nowhere the nearest.
    """
    middle = shift.shape[0] // 2
    there, way = np.empty(first.shape[0]), np.empty(6)
    for d in range(home.shape[0]):
        least, room = inf, _ways(home, shift, share, turn, arm, d, middle, way)
        x, y, z = _place(home, shift, share, d, middle)
        for pair in range(first.shape[0]):
            if apart[d, pair]:
                q = arm[d, turn[middle]]
                there[pair] = segments(base[d], first[pair], second[pair], q, x, y, z)
                least = min(least, there[pair])
        for pair in range(first.shape[0]):
            i, j = first[pair], second[pair]
            if apart[d, pair] and sqrt(there[pair]) <= sqrt(least) + way[i] + way[j] + room:
                for k in range(shift.shape[0]):
                    q = arm[d, turn[k]]
                    x, y, z = _place(home, shift, share, d, k)
                    if not _lines_apart(base[d], i, j, q, x, y, z, least):
                        least = min(least, segments(base[d], i, j, q, x, y, z))
        gap[d] = least


@njit(nogil=True, error_model="numpy")
def _ways(home, shift, share, turn, arm, d, middle, way):
    """How far each strut's end is from its place in the middle pose, at most (6,); answers more than any rounding."""
    size = 0.0
    for i in range(6):
        way[i] = 0.0
        q = arm[d, turn[middle], i]
        x, y, z = _place(home, shift, share, d, middle)
        a, b, c = x + q[0], y + q[1], z + q[2]
        for k in range(shift.shape[0]):
            q = arm[d, turn[k], i]
            x, y, z = _place(home, shift, share, d, k)
            way[i] = max(way[i], _square(x + q[0] - a, y + q[1] - b, z + q[2] - c))
            size = max(size, abs(x) + abs(y) + abs(z) + abs(q[0]) + abs(q[1]) + abs(q[2]))
        way[i] = sqrt(way[i])
    return 1e-9 * size


@njit(nogil=True, error_model="numpy", inline="always")
def _lines_apart(a, i, j, q, x, y, z, least):
    """The lines through two struts are farther apart than sqrt(least), with room for rounding: so are the struts.

    ``(w.n)^2 > least n.n``, n = u x v; not asked of lines within 1e-4 of parallel, whose n is mostly rounding.
    """
    ux, uy, uz = x + q[i, 0] - a[i, 0], y + q[i, 1] - a[i, 1], z + q[i, 2] - a[i, 2]
    vx, vy, vz = x + q[j, 0] - a[j, 0], y + q[j, 1] - a[j, 1], z + q[j, 2] - a[j, 2]
    wx, wy, wz = a[i, 0] - a[j, 0], a[i, 1] - a[j, 1], a[i, 2] - a[j, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    across, along = nx * nx + ny * ny + nz * nz, wx * nx + wy * ny + wz * nz
    room = (1.0 + 1e-6) * least + 1e-12 * (wx * wx + wy * wy + wz * wz)
    slant = 1e-8 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
    return across > slant and along * along > room * across


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
