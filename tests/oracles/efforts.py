"""Efforts of a machine along a motion by Pinocchio: the closed machine of `oracles.projection`, state by state."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.model import Platform
from gough.spatial import Motion
from oracles.pinocchio_model import PinocchioEngine
from oracles.projection import Closed


def outside_efforts(machine: Platform, motion: Motion) -> Array:
    """(n, 6) efforts, no external wrench, no spin."""
    engine, still = PinocchioEngine(machine), np.zeros(6)
    return np.array(
        [
            Closed(engine, machine, motion[k], still, still, still).answer().force
            for k in range(motion.shape[0])
        ]
    )
