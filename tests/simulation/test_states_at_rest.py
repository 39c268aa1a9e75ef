"""A state of which nothing else is said stands still at its place, upright."""

from __future__ import annotations

import numpy as np

import gough
from gough.simulation import State


def test_what_a_state_leaves_out_is_at_rest() -> None:
    at = State((0.1, 0.2, 0.3))
    np.testing.assert_array_equal(at.rotation, np.eye(3))
    home = gough.load("motion-base-1500").require_home()
    for state in (at, State(home), State(home.position, home.rotation)):
        np.testing.assert_array_equal(state.velocity, np.zeros(3))
        np.testing.assert_array_equal(state.angular_velocity, np.zeros(3))
        assert state.spin is None
        assert state.length is None
    np.testing.assert_array_equal(State(home).position, home.position)
