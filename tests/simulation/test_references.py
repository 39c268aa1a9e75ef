"""References at all samples: the motion, the legs and what was computed ahead, sample by sample, run by run."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.layout import MOTION
from gough.simulation.closed_laws import REFERENCE
from gough.simulation.reference import ReferenceTable
from gough.trajectory import harmonic

PERIOD, SAMPLES = 0.01, 25


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def test_a_trajectory_at_every_sample_and_held_behind_the_last(machine: gough.Platform) -> None:
    home = machine.likely_home
    way = harmonic(home, [[0.03, 0.02, 0.01, 0.02, 0.01, 0.03]], [0.7], duration=0.2)
    found = ReferenceTable(
        machine, way, gough.Motion(home.position, home.rotation), SAMPLES, PERIOD
    )
    assert found.rows.shape == (SAMPLES + 1, REFERENCE.size, 1)
    for k in (0, 7, 19, 20, SAMPLES):
        there, now = way(min(k * PERIOD, 0.2)), found.at(k)
        np.testing.assert_allclose(found.motion.position[k, 0], there.position, atol=1e-14)
        np.testing.assert_allclose(found.motion.rotation[k, 0], there.rotation, atol=1e-14)
        legs = gough.inverse_kinematics(machine, there)
        np.testing.assert_allclose(now.length[0], legs.length, atol=1e-13)
        moving = k * PERIOD < 0.2 * (1 + 1e-9)
        np.testing.assert_allclose(now.rate[0], legs.rate if moving else 0.0, atol=1e-12)
    np.testing.assert_array_equal(found.at(SAMPLES + 9).length, found.at(SAMPLES).length)
    # the mean acceleration of a period brings one rate to the next
    for k in (0, 5, 12):
        now, later = found.at(k), found.at(k + 1)
        step = now.rate[0] + PERIOD * now.acceleration[0]
        np.testing.assert_allclose(step, later.rate[0], atol=1e-12)


@pytest.mark.parametrize("runs", [1, 4])
def test_efforts_computed_ahead_stand_at_their_sample_run_and_leg(
    machine: gough.Platform, runs: int
) -> None:
    home = machine.likely_home
    poses = gough.Pose(np.tile(home.position, (runs, 1)), np.tile(home.rotation, (runs, 1, 1)))
    found = ReferenceTable(
        machine, poses, gough.Motion(home.position, home.rotation), SAMPLES, PERIOD
    )
    before = found.rows.copy()
    efforts = np.random.default_rng(0).normal(size=(1, runs, 6))
    found.put_ahead(efforts)
    for run in range(runs):
        np.testing.assert_array_equal(found.rows[0, REFERENCE.ahead, run], efforts[0, run])
    for name in MOTION.names:
        at = getattr(REFERENCE, name)
        np.testing.assert_array_equal(found.rows[:, at], before[:, at])
