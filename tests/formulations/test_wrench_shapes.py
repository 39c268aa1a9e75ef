"""Wrenches that do not fit the states are named as such by every formulation."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.formulations.arrays import world_wrench


def test_wrenches_of_other_states_are_refused() -> None:
    R = np.broadcast_to(np.eye(3), (3, 3, 3))
    assert world_wrench(R, np.ones(6)).shape == (3, 6)
    assert world_wrench(R, np.ones((3, 6))).shape == (3, 6)
    with pytest.raises(gough.InputError) as e:
        world_wrench(R, np.ones((2, 6)))
    assert e.value.field == "external"
