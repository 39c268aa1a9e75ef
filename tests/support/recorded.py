"""Numbers of recorded runs."""

from __future__ import annotations

import numpy as np
from xarray import Dataset

from gough.checks import Array


def rows(run: Dataset) -> Array:
    """All recorded numbers of the motion, (..., 17)."""
    names = ("position", "quaternion", "velocity", "angular_velocity")
    return np.concatenate([run[n].values for n in names], axis=-1)
