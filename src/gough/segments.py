"""How far two straight segments are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array


def segment_distance(a0: ArrayLike, a1: ArrayLike, b0: ArrayLike, b1: ArrayLike) -> Array:
    """Shortest distance of the segments a0-a1 and b0-b1, (...), m.

    The closest points lie inside both segments, or one of them is an end point: the smallest of the inner
    solution (where it falls inside both) and the four end-point distances is exact, parallel ones included.
    """
    a0, a1, b0, b1 = (np.asarray(x, dtype=float) for x in (a0, a1, b0, b1))
    if not a0.shape == a1.shape == b0.shape == b1.shape:
        a0, a1, b0, b1 = np.broadcast_arrays(a0, a1, b0, b1)
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    uu, uv, vv, uw, vw = (np.array([u, u, v, u, v]) * np.array([u, v, v, w, w])).sum(-1)
    det = uu * vv - uv * uv
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
        inside = (det > 1e-14 * uu * vv) & (x > 0) & (x < 1) & (y > 0) & (y < 1)
        apart = w + x[..., None] * u - y[..., None] * v
        gap = np.sqrt((apart * apart).sum(-1))
    # the end points a0, a1 from the segment b, and b0, b1 from the segment a
    offset, d = np.array([w, a1 - b0, -w, b1 - a0]), np.array([v, v, u, u])
    length2 = np.array([vv, vv, uu, uu])
    along = (offset * d).sum(-1) / np.where(length2 > 0, length2, 1.0)
    short = offset - np.minimum(np.maximum(along, 0.0), 1.0)[..., None] * d
    ends = np.sqrt((short * short).sum(-1)).min(axis=0)
    return np.where(inside, np.minimum(gap, ends), ends)
