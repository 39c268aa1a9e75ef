"""Splines through neighbors far apart: the quadratic term is let in little by little, or the poses are refused."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.trajectory import spline
from gough.trajectory.spline import knot_rates


@pytest.mark.parametrize("ends", [(None, None), (np.zeros(3), None), (None, np.ones(3))])
def test_rates_at_the_knots_solve_their_equations(
    ends: tuple[np.ndarray | None, np.ndarray | None],
) -> None:
    """Whatever way they were found, one more Newton step from them stays where it is."""
    solved = refused = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        phi = rng.normal(size=(6, 3))
        phi *= rng.uniform(2.0, 3.1, (6, 1)) / np.linalg.norm(phi, axis=1, keepdims=True)
        h = rng.uniform(0.02, 1.0, 6)
        try:
            w = knot_rates(h, phi, ends)
        except gough.InputError:
            refused += 1
            continue
        solved += 1
        equations = spline._knot_equations(h, phi, ends)
        again = spline._newton(phi, equations, len(h) + (ends[1] is None), w, 1.0)
        assert again is not None
        np.testing.assert_allclose(again, w, rtol=1e-6, atol=1e-6 * np.abs(w).max())
    assert solved
    assert solved + refused == 12
