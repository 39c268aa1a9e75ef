"""The reach of the classical Runge-Kutta method that steps under stiff laws are judged by."""

from __future__ import annotations

import numpy as np

from gough.dynamics.laws.stiffness import REACH


def growth(z: np.ndarray) -> np.ndarray:
    """|R(z)| of a step of the classical method on ``y' = lambda y``, z = h lambda."""
    return np.abs(1.0 + z + z**2 / 2.0 + z**3 / 6.0 + z**4 / 24.0)


def test_no_mode_within_reach_grows_and_not_much_is_given_away() -> None:
    """Decaying or steady modes: the left half plane, edge included."""
    turn = np.exp(1j * np.linspace(0.5 * np.pi, 1.5 * np.pi, 2001))
    for size in np.linspace(0.0, REACH, 101):
        assert growth(size * turn).max() <= 1.0 + 1e-12
    assert growth(1.15 * REACH * turn).max() > 1.0
