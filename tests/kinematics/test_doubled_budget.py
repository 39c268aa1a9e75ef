"""Paths in doubled precision share a number of steps: what they took is gone for those after them."""

from __future__ import annotations

import numpy as np
import pytest

from gough.kinematics.assembly import paths
from gough.kinematics.assembly.generic import generic_start, random_legs
from gough.kinematics.assembly.lanes import LONG


def test_paths_in_doubled_precision_share_their_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps a path at most, five of all: two paths begin, the second gets what is left."""
    monkeypatch.setattr(paths, "DOUBLED_STEPS", (3, 5))
    start, X = generic_start()
    ends = paths.track_doubled(start, random_legs(np.random.default_rng(2)), X[[0, 0, 1]])
    assert (ends.status == LONG).all()
    assert ends.left[0] < ends.left[1] < 1.0 == ends.left[2]
    assert (ends.radius < 0.0).all()
