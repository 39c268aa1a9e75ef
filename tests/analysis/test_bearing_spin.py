"""How far the bearings of legs between balls turn: as the leg swings, whatever its spin."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis import bearing_life
from gough.checks import Array
from gough.model import CRANKS
from gough.rotations import rotation_exp
from gough.struts import struts
from oracles.machines import platform

FINE = 4001


def swept(direction: Array) -> Array:
    """(6,) rad: way of the unit vectors (n, 6, 3) on the sphere."""
    return np.linalg.norm(np.diff(direction, axis=0), axis=-1).sum(axis=0)


@pytest.mark.parametrize("kind", ["SPS-free", "RSS-axisymmetric"])
def test_bearings_between_balls_turn_as_their_leg_swings(kind: str) -> None:
    """Seen from the base or the crank, and from the platform, the leg's axis draws a curve: its length is the turn."""
    machine = platform(kind, seed=3, friction=False, drive=False)
    motion = gough.trajectory.harmonic(
        machine.require_home(), [0.01, 0.02, 0.015, 0.06, -0.04, 0.09], [1.0], duration=1.0
    )
    found = bearing_life(machine, motion, base_rating=2e4, platform_rating=1e4)
    samples = motion(np.linspace(0.0, 1.0, FINE))
    g = struts(machine, samples.pose)
    above = np.einsum("nji,nlj->nli", samples.rotation, g.direction)
    below = g.direction.copy()
    for i, leg in enumerate(machine.legs):
        if isinstance(leg, CRANKS):
            back = rotation_exp(-g.coordinate[:, i, None] * leg.shaft)
            below[:, i] = np.einsum("nij,nj->ni", back, g.direction[:, i])
    np.testing.assert_allclose(found.turn[0], swept(below), rtol=1e-3)
    np.testing.assert_allclose(found.turn[1], swept(above), rtol=1e-3)
