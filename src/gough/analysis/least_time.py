"""How fast a leg could be alone: no motion of the whole machine between the same ends is faster."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.trajectory.jerk_limited import constant_jerk


def least_time(way: Array, V: Array, A: Array, J: Array) -> float:
    """s: the longest of the shortest times in which coordinates change by `way` (6,) from rest to rest, one by one."""
    return max(
        fastest_alone(*one)
        for one in zip(way.tolist(), V.tolist(), A.tolist(), J.tolist(), strict=True)
    )


def fastest_alone(D: float, V: float, A: float, J: float) -> float:
    """s: one coordinate over D from rest to rest within rate, acceleration and jerk; infinite: not limited."""
    if D == 0.0:
        return 0.0
    if np.isfinite(
        J
    ):  # what is not limited, or beyond what D leads to, is taken so large that it is never reached
        return constant_jerk(
            D, min(V, 10.0 * np.cbrt(J * D * D)), min(A, 10.0 * np.cbrt(J * J * D)), J
        ).duration
    if not np.isfinite(A):
        return D / V
    return D / V + V / A if V * V <= A * D else 2.0 * float(np.sqrt(D / A))
