"""Tables 1-4 of 003 as printed (the paper's axes, Y up), and the start they describe."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations.multibody.euler import PAPER
from gough.model import Platform

BASE_RADIUS, PLATFORM_RADIUS = 0.27, 0.105  # printed as cm, E003-5
AMPLITUDES = np.array([0.02, -0.06, 0.02, -0.02, 0.08, -0.02])  # Table 2, times sin t, m
HEIGHT = 0.3466575  # Table 3, m
TEXT_HEIGHT = 0.3452  # Sec. 5, m
DISTANCE = 0.2000201529  # between the mass centers of a leg's two parts in Table 4, m

# of the thirteen bodies; the first is the platform
UPPER_PARTS, LOWER_PARTS = slice(1, 7), slice(7, 13)
JOINTS = {
    "upper ball": "spherical_force",
    "lower ball": "universal_force",
    "slide": "prismatic_force",
    "slide (moment)": "prismatic_moment",
}
"""Joints of a leg, and their names among the reactions."""


# Table 4: mass center (m) and angles theta, beta, gamma (rad)
UPPER = np.array(
    [
        [0.1175087707, 0.2600018568, -7.2183639516e-2, -1.5707963268, -1.4941313803, 2.0881940044],
        [3.758480215e-3, 0.2600018568, -0.1378574003, 0.3993292334, 0.0, -0.346527884],
        [-0.1212672509, 0.2600018568, -6.5673760824e-2, 0.4840755318, 0.0, -0.2050881987],
        [-0.1212672509, 0.2600018568, 6.5673760824e-2, -1.5707963268, 1.086720795, -1.7758845255],
        [3.758480215e-3, 0.2600018568, 0.1378574003, -2.7422634202, 0.0, 2.7950647696],
        [0.1175087707, 0.2600018568, 7.2183639516e-2, 1.5707963268, -1.4941313803, -1.0533986492],
    ]
)
LOWER = np.array(
    [
        [0.2161521607, 8.667310682e-2, -5.6864122264e-2],
        [-5.8830305891e-2, 8.667310682e-2, -0.2156253234],
        [-0.1573218548, 8.667310682e-2, -0.1587612011],
        [-0.1573218548, 8.667310682e-2, 0.1587612011],
        [-5.8830305891e-2, 8.667310682e-2, 0.2156253234],
        [0.2161521607, 8.667310682e-2, 5.6864122264e-2],
    ]
)


def initial_coordinates(platform: Platform) -> Array:
    """q (78,) of `EulerSystem` as Tables 3 and 4 print it: the lower joints miss their base points (E003-4)."""
    q = np.zeros((13, 6))
    q[0, 2] = HEIGHT
    q[UPPER_PARTS, :3], q[LOWER_PARTS, :3] = UPPER[:, :3] @ PAPER, LOWER @ PAPER
    q[UPPER_PARTS, 3:] = q[LOWER_PARTS, 3:] = UPPER[:, 3:]
    return q.ravel()
