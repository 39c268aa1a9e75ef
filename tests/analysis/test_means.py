"""Means over time of a power: constant, straight and uneven samples in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from gough.analysis.timeline import mean_power


@pytest.mark.parametrize("p", [1, 2, 3])
def test_means_of_powers(p: int) -> None:
    t = np.array([1.0, 1.5, 3.5, 4.0])
    assert mean_power(t, np.full(4, -7.0), p) == pytest.approx(7.0)
    x = np.array([2.0, -4.0, 1.0, 3.0])
    y = np.abs(x) ** p
    whole = 0.25 * (y[0] + y[1]) + 1.0 * (y[1] + y[2]) + 0.25 * (y[2] + y[3])
    assert mean_power(t, x, p) == pytest.approx((whole / 3.0) ** (1 / p))
    assert mean_power(t[:1], x[1:2], p) == pytest.approx(4.0)
    still = np.full(2, 5.0)
    assert mean_power(still, np.array([3.0, 3.0]), p) == pytest.approx(3.0)


def test_the_square_mean_of_a_sine() -> None:
    t = np.linspace(0.0, 2.0, 4001)
    assert mean_power(t, 5.0 * np.sin(2 * np.pi * t), 2) == pytest.approx(
        5.0 / np.sqrt(2.0), rel=1e-6
    )
