"""What environments of different ages shall do: the table of goals is the trajectory at the ends of the periods."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.simulation.gym.goals import at_age, table
from gough.trajectory import harmonic

PERIOD, COUNT = 0.05, 12


def test_goals_of_every_age_and_the_last_pose_is_held() -> None:
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    way = harmonic(machine.home, [[0.03, 0.02, 0.01, 0.02, 0.01, 0.03]], [0.7], duration=0.4)
    goals = table([machine, machine], way, PERIOD, COUNT)
    ages = np.array([0, 1, 6, 7, 8, COUNT - 2, COUNT - 1, COUNT, 5 * COUNT])
    found = at_age(goals, ages)
    for k, age in enumerate(ages):
        t = PERIOD * (min(int(age), COUNT - 1) + 1)
        there = way(min(t, 0.4))
        np.testing.assert_allclose(found.position[k], there.position, atol=1e-14)
        np.testing.assert_allclose(found.rotation[k], there.rotation, atol=1e-14)
        moving = 1.0 if t < 0.4 * (1 + 1e-9) else 0.0
        np.testing.assert_allclose(found.velocity[k], moving * there.velocity, atol=1e-13)
        legs = gough.inverse_kinematics(machine, there)
        np.testing.assert_allclose(found.coordinate[k], legs.length, atol=1e-13)
        np.testing.assert_allclose(found.rate[k], moving * legs.rate, atol=1e-12)


def test_the_last_goal_is_that_of_the_last_period() -> None:
    """A trajectory that never ends: the last two rows of the table differ, and the last one is used."""
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    way = harmonic(machine.home, [[0.03, 0.02, 0.01, 0.02, 0.01, 0.03]], [0.7], duration=9.0)
    goals = table([machine], way, PERIOD, COUNT)
    last = at_age(goals, np.array([COUNT - 1, COUNT, 99]))
    for k in range(3):
        np.testing.assert_allclose(last.position[k], way(PERIOD * COUNT).position, atol=1e-14)
    before = at_age(goals, np.array([COUNT - 2])).position[0]
    assert np.abs(before - last.position[0]).max() > 1e-4
    assert goals.position.shape[0] == COUNT + 1


def test_what_is_no_trajectory_is_refused() -> None:
    machine = gough.load("motion-base-1500")
    with pytest.raises(gough.InputError, match="trajectory"):
        table([machine], 3.0, PERIOD, COUNT)
