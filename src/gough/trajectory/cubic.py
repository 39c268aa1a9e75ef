"""Rows that know their neighbors only, solved at once, and the slopes of cubic splines that follow from such rows."""

from __future__ import annotations

from typing import Literal

import numpy as np

from gough.checks import Array

End = Array | Literal["natural", "not-a-knot"]
"""What is known at an end: the slope (d,); no second derivative; or the same cubic in the first two segments."""


def solve_neighbors(lower: Array, diagonal: Array, upper: Array, right: Array) -> Array:
    """x (n, k, m) of ``lower_i x_(i-1) + diagonal_i x_i + upper_i x_(i+1) = right_i``; blocks (n, k, k).

    Cyclic reduction: every second row is eliminated, all of them in one step, until one row is left.  No rows are
    exchanged: diagonal blocks must outweigh the others, as those of splines do.
    """
    if len(diagonal) == 1:
        return _over(diagonal, right)
    D = diagonal[1::2]
    before, after, known = (_over(D, rows[1::2]) for rows in (lower, upper, right))
    low, up, odd = lower[::2], upper[::2], len(D)
    left, later = low[1:], up[:odd]  # of even rows with an odd one before, and behind them
    n = len(left)  # as many as odd rows, or one less
    diagonal, right, down, on = diagonal[::2].copy(), right[::2].copy(), 0.0 * low, 0.0 * up
    diagonal[1:] -= left @ after[:n]
    diagonal[:odd] -= later @ before
    right[1:] -= left @ known[:n]
    right[:odd] -= later @ known
    down[1:], on[:odd] = -left @ before[:n], -later @ after
    even = solve_neighbors(down, diagonal, on, right)
    x = np.empty((len(even) + odd, *even.shape[1:]))
    x[::2] = even
    x[1::2] = known - before @ even[:odd]
    x[1 : 2 * n : 2] -= after[:n] @ even[1:]
    return x


def _over(diagonal: Array, rows: Array) -> Array:
    """``diagonal^-1 rows`` of all blocks; single numbers without the detour."""
    if diagonal.shape[-1] == 1:
        return rows / diagonal
    return np.asarray(np.linalg.solve(diagonal, rows), dtype=np.float64)


def knot_slopes(t: Array, y: Array, first: End, last: End) -> Array:
    """Slopes (n, d) at the knots t (n,) of the C2 cubic spline through y (n, d).

    At an inner knot, h the segments and D the mean slopes before and behind it:
    ``h' s_(i-1) + 2 (h + h') s_i + h s_(i+1) = 3 (h' D + h D')``
    """
    h, n = np.diff(t), len(t)
    mean = np.diff(y, axis=0) / h[:, None]
    lower, diagonal, upper, right = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros_like(y)
    lower[1:-1], upper[1:-1], diagonal[1:-1] = h[1:], h[:-1], 2.0 * (h[:-1] + h[1:])
    right[1:-1] = 3.0 * (h[1:, None] * mean[:-1] + h[:-1, None] * mean[1:])
    diagonal[0], upper[0], right[0] = _end(first, h, mean)
    diagonal[-1], lower[-1], right[-1] = _end(last, h[::-1], mean[::-1])
    a, b, c = (row[:, None, None] for row in (lower, diagonal, upper))
    return solve_neighbors(a, b, c, right[:, None, :])[:, 0, :]


def _end(end: End, h: Array, mean: Array) -> tuple[float, float, Array]:
    """The row of the first knot: its own factor, that of its neighbor, the right side."""
    if not isinstance(end, str):
        return 1.0, 0.0, end
    if end == "natural":
        return 2.0, 1.0, 3.0 * mean[0]
    both = h[0] + h[1]
    right = ((h[0] + 2.0 * both) * h[1] * mean[0] + h[0] ** 2 * mean[1]) / both
    return float(h[1]), float(both), right
