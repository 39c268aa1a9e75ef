"""Forces of the link models of [Lopes] (002) along P1 - P2 - P1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import lagrange
from gough.model import PUS, Platform
from gough.reproduce.builders import Forces
from gough.spatial import Motion
from gough.trajectory import there_and_back

P1 = (np.array([0.0, 0.0, 2.0]), np.zeros(3))
P2 = (np.array([-0.1, -0.2, 2.5]), np.radians([15.0, -15.0, 15.0]))
HALF = 1.0  # s from P1 to P2, chosen
SAMPLES = 201
TABLE_2_ENDS = (0.194, 0.194)  # m_L1, m_L2 as printed, kg
LAYOUT_B = (-15.0, 15.0, 105.0, 135.0, 225.0, 255.0)  # base angles, deg
DURATIONS = (4.0, 2.0, 1.0, 0.5)


@dataclass(frozen=True, eq=False)
class LinkModelForces(Forces):
    """One layout and duration: the complete model exact and as printed, two masses (simplified), three masses."""

    simplified: Array
    three: Array
    length: Array


Durations = dict[tuple[str, float], LinkModelForces]
"""By layout and the seconds from P1 to P2."""


def link_models(machine: Platform, half: float, samples: int = SAMPLES) -> LinkModelForces:
    """All link models along the trajectory with `half` seconds each way."""
    motion = there_and_back(P1, P2, half, profile="trigonometric").sample(samples)
    return LinkModelForces(
        motion,
        lagrange.inverse_dynamics(machine, motion).force,
        lagrange.inverse_dynamics(machine, motion, published=True).force,
        lagrange.inverse_dynamics(machine, motion, links="two-mass", end_masses=TABLE_2_ENDS).force,
        lagrange.inverse_dynamics(machine, motion, links="three-mass").force,
        slider_positions(machine, motion),
    )


def slider_positions(machine: Platform, motion: Motion) -> Array:
    """``l_i = c_z - sqrt(L^2 - c_x^2 - c_y^2)``, (..., 6), m; vertical rails."""
    p = motion.position[..., None, :] + machine.platform_joints @ np.swapaxes(
        motion.rotation, -1, -2
    )
    c = p - machine.base_joints
    L = np.array([leg.length for leg in machine.legs if isinstance(leg, PUS)])
    return c[..., 2] - np.sqrt(L**2 - c[..., 0] ** 2 - c[..., 1] ** 2)


def layout_b(machine: Platform) -> Platform:
    """The other reading of phi_B: base joints 15 deg to either side of the platform pairs."""
    angles = np.radians(LAYOUT_B)
    bases = 1.5 * np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=-1)
    return machine.replace(
        legs=[leg.replace(base=b) for leg, b in zip(machine.legs, bases, strict=True)]
    )
