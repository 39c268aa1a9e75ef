"""Machines whose geometry is off, for tests of calibrations."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.metrology import reachable_poses
from gough.metrology.unknowns import unknowns
from gough.model import Platform
from gough.model.numbers import places, with_numbers
from gough.spatial import Pose
from gough.struts import struts


def disturbed(
    nominal: Platform, seed: int, *, count: int, size: float
) -> tuple[Platform, Array, Pose]:
    """A machine off by `size` (m, rad) in every unknown, zeros of its encoders, and poses that it reaches well."""
    rng = np.random.default_rng(seed)
    now = places(nominal)
    off = {n: now[n].value + size * rng.normal() for n in unknowns(nominal).machine}
    many = reachable_poses(nominal, 6 * count, seed)
    lever = np.abs(struts(nominal, many).lever).min(axis=-1)
    best = np.sort(np.argsort(-lever, kind="stable")[: 3 * count])[:count]
    return with_numbers(nominal, off), size * rng.normal(size=6), many[best]
