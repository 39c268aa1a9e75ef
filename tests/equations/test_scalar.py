"""Roots, angles and comparisons on every kind of number that the equations run on."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from gough.equations.scalar import angle, larger, smaller, sqrt

STEP = 1e-30
POINTS = [(0.3, 0.7), (-0.4, 1.9), (2.0, -0.6), (-1.2, -0.1)]  # sine, cosine of some length


@pytest.mark.parametrize(("sine", "cosine"), POINTS)
def test_an_angle_carries_its_derivatives(sine: float, cosine: float) -> None:
    """d atan2 against differences, for each argument alone and for both; floats, arrays and mpmath agree."""
    plain = np.arctan2(sine, cosine)
    assert angle(sine, cosine) == plain
    assert float(angle(mpmath.mpf(sine), mpmath.mpf(cosine))) == pytest.approx(plain, rel=1e-15)
    h = 1e-6
    for ds, dc in ((1.0, 0.0), (0.0, 1.0), (0.6, -1.7)):
        found = angle(sine + 1j * STEP * ds, cosine + 1j * STEP * dc)
        ahead, behind = (np.arctan2(sine + s * ds, cosine + s * dc) for s in (h, -h))
        assert found.real == plain
        assert found.imag / STEP == pytest.approx((ahead - behind) / (2 * h), rel=1e-8)
        rows = angle(np.array([sine + 1j * STEP * ds]), np.array([cosine + 1j * STEP * dc]))
        assert rows[0] == found


def test_roots() -> None:
    assert sqrt(2.25) == 1.5
    assert np.isnan(sqrt(-1.0))
    assert sqrt(mpmath.mpf("6.25")) == mpmath.mpf("2.5")
    np.testing.assert_array_equal(sqrt(np.array([4.0, np.nan])), [2.0, np.nan])
    assert sqrt(4.0 + 1j * STEP).imag == pytest.approx(STEP / 4.0)


@pytest.mark.parametrize("x", [-2.0, 0.5])
@pytest.mark.parametrize("bound", [-1.0, 0.0, 3.0])
def test_comparisons(x: float, bound: float) -> None:
    """The bound where it is beyond x; a NaN stays."""
    assert smaller(x, bound) == min(x, bound)
    assert larger(x, bound) == max(x, bound)
    assert smaller(np.array([x]), np.array([bound]))[0] == min(x, bound)
    assert larger(np.array([x]), np.array([bound]))[0] == max(x, bound)
    assert np.isnan(smaller(np.nan, bound))
    assert np.isnan(larger(np.nan, bound))
