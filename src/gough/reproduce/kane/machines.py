"""Machines that [Syed] (004) may have had: it gives leg masses and accelerations, and no geometry.

A search over base and platform radius, the angles of the joint pairs, height, platform mass and the direction of x
(1,500 samples, seed 0) found two machines with the stated pattern of the x trajectory; `pattern_machine` is the first,
rounded.
"""

from __future__ import annotations

import numpy as np

from gough.model import SPS, Body, Platform
from gough.spatial import Pose

HALF_MASS = 0.065  # kg, given by the paper
MASSES = (0.5, 2.0, 8.0)  # kg, platforms tried on the geometry of the example
REFLECTED = (0.04, 0.4, 4.0, 40.0)  # kg, drives tried


def _rod(length: float, radius: float = 0.005) -> tuple[float, float, float]:
    across = HALF_MASS * (3 * radius**2 + length**2) / 12
    return HALF_MASS * radius**2 / 2, across, across


def pattern_machine() -> Platform:
    """Legs 1, 3, 4, 6 up and 2, 5 down on the x trajectory: base 0.35 m, platform 0.17 m, height 0.118 m, 3.2 kg."""
    side, center, x = np.array([-1.0, 1.0] * 3), np.array([0, 0, 120, 120, 240, 240]), 240.0
    base, joint = np.radians(center + side * 48.0 + x), np.radians(center + side * (60 - 46.0) + x)
    b, p = (
        r * np.stack([np.cos(a), np.sin(a), 0 * a], axis=-1)
        for r, a in ((0.35, base), (0.17, joint))
    )
    height, mass, radius = 0.118, 3.2, 0.17
    home = Pose(np.array([0.0, 0.0, height]))
    length = 0.6 * float(np.linalg.norm(p + home.position - b, axis=1).mean())
    lower = Body(HALF_MASS, (length / 2, 0, 0), _rod(length))
    upper = Body(HALF_MASS, (-length / 2, 0, 0), _rod(length))
    legs = [SPS(base=b[i], joint=p[i], lower=lower, upper=upper) for i in range(6)]
    turning = mass * radius**2 / 4
    body = Body(mass, inertia=(turning, turning, 2 * turning))
    return Platform(body=body, legs=legs, gravity=(0, 0, -9.81), home=home)


def readings(machine: Platform) -> dict[str, Platform]:
    """The example with other platform masses, and the machine with the stated pattern."""
    found = {}
    for mass in MASSES:
        scale = mass / machine.body.mass
        body = Body(mass, machine.body.center, scale * machine.body.inertia)
        found[f"{mass:g} kg"] = machine.replace(body=body)
    return found | {"pattern": pattern_machine()}
