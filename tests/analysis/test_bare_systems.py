"""Linear systems made by hand: what is left out says nothing."""

from __future__ import annotations

import numpy as np

from gough.analysis.state_space import STATES, StateSpace


def test_a_system_of_which_nothing_else_is_said_is_continuous_and_free_of_load() -> None:
    A, B, C, D = np.zeros((12, 12)), np.ones((12, 6)), np.eye(12)[:3], np.zeros((3, 6))
    system = StateSpace(A, B, C, D, tuple("abcdef"), tuple("xyz"))
    assert system.dt is None
    assert system.states == STATES
    np.testing.assert_array_equal(system.force, np.zeros(6))
    for found, given in zip(system, (A, B, C, D), strict=True):
        np.testing.assert_array_equal(found, given)
