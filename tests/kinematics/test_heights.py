"""How far a point is from infinity, with 31 digits: what decides whether a solution is proved to be finite."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.doubled_tracker import height


def pairs(v: list[mpmath.mpc]) -> Array:
    """(6, 2) real and imaginary parts in turn, each as a pair of doubles."""
    parts = [part for z in v for part in (z.real, z.imag)]
    high = [float(x) for x in parts]
    low = [float(x - mpmath.mpf(h)) for x, h in zip(parts, high, strict=True)]
    return np.array([high, low]).T


def exact(Q: Array) -> mpmath.mpf:
    x = [mpmath.mpf(high) + mpmath.mpf(low) for high, low in Q.tolist()]
    return abs(1 + sum(mpmath.mpc(x[2 * c], x[2 * c + 1]) ** 2 for c in range(3)))


@pytest.mark.parametrize("wanted", [0.0, 1e-28, 1e-20, 1e-9, 0.3])
def test_the_height_of_a_point_is_right_to_thirty_one_digits(wanted: float) -> None:
    """Points at infinity have none, whichever way their three numbers lie."""
    rng = np.random.default_rng(8)
    with mpmath.workdps(60):
        for k in range(60):
            v = [mpmath.mpc(*rng.normal(size=2)) for _ in range(2)]
            h = mpmath.mpf(wanted) * mpmath.expjpi(rng.uniform(0.0, 2.0))
            v.insert(k % 3, mpmath.sqrt(h - 1 - v[0] ** 2 - v[1] ** 2))
            Q = pairs(v)
            size = 1 + sum(abs(z) ** 2 for z in v)
            assert abs(mpmath.mpf(float(height(Q))) - exact(Q)) <= 1e-30 * size + 1e-15 * wanted
