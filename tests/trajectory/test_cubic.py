"""Rows that know their neighbors, and slopes of cubic splines, against dense solutions and SciPy's splines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from gough.trajectory.cubic import knot_slopes, solve_neighbors


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("n", range(1, 18))
def test_rows_that_know_their_neighbors(n: int, k: int) -> None:
    rng = np.random.default_rng([n, k])
    lower, diagonal, upper = rng.normal(size=(3, n, k, k))
    diagonal += 6.0 * np.eye(k)
    right = rng.normal(size=(n, k, 2))
    dense = np.zeros((n, k, n, k))
    for i in range(n):
        dense[i, :, i] = diagonal[i]
        if i > 0:
            dense[i, :, i - 1] = lower[i]
        if i + 1 < n:
            dense[i, :, i + 1] = upper[i]
    wanted = np.linalg.solve(dense.reshape(n * k, n * k), right.reshape(n * k, 2))
    found = solve_neighbors(lower, diagonal, upper, right)
    np.testing.assert_allclose(found.reshape(n * k, 2), wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 33, 1001])
def test_slopes_are_those_of_the_spline(n: int) -> None:
    """Uneven knots, every kind of end."""
    rng = np.random.default_rng(n)
    t, y = np.cumsum(rng.uniform(0.05, 2.0, n)), rng.normal(size=(n, 3))
    a, b = rng.normal(size=(2, 3))
    ends: list[tuple[Any, Any, Any]] = [
        ("natural", "natural", "natural"),
        (a, b, ((1, a), (1, b))),
        ("natural", b, ((2, np.zeros(3)), (1, b))),
    ]
    if n > 3:
        ends.append(("not-a-knot", "not-a-knot", "not-a-knot"))
    for first, last, scipys in ends:
        wanted = CubicSpline(t, y, bc_type=scipys)(t, 1)
        found = knot_slopes(t, y, first, last)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())
