"""Where a machine stands when nobody says so."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.model import Platform
from gough.spatial import Pose


def upwards(platform: Platform) -> Array:
    """Unit vector against gravity; +z where there is none."""
    g = platform.gravity
    n = float(np.linalg.norm(g))
    return -g / n if n > 0 else np.array([0.0, 0.0, 1.0])


def home_or_guess(platform: Platform) -> Pose:
    """The home pose, or one to start from: above the middle of the base by its size."""
    if platform.home is not None:
        return platform.home
    b = platform.base_joints
    size = float(np.ptp(b, axis=0).max()) or 1.0
    return Pose(b.mean(axis=0) + size * upwards(platform))
