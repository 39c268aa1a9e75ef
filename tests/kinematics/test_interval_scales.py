"""How far a strut may move in an interval: the same share of it in every size of the machine."""

from __future__ import annotations

import numpy as np
import pytest

from gough.kinematics.path_intervals import strut_at
from gough.struts import joints, leg_table
from support.forward_machines import HOME, machine
from support.scaled import scaled


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
@pytest.mark.parametrize("factor", [1e-3, 30.0, 1e4])
def test_struts_and_their_bounds_grow_with_the_machine(kind: str, factor: float) -> None:
    small = machine(kind)
    large = scaled(small, factor)
    P = joints(small, HOME)[1] - small.base_joints
    for leg in range(6):
        here, there = np.empty(3), np.empty(3)
        for reach in (0.0, 1e-5, 3e-3):
            off = strut_at(leg_table(small)[leg], P[leg], reach, 1.0, 2.0, here)
            grown = strut_at(
                leg_table(large)[leg], factor * P[leg], reach, factor, 2.0 * factor, there
            )
            assert off >= 0.0
            assert grown == pytest.approx(factor * off, rel=1e-6)
            assert there == pytest.approx(factor * here, rel=1e-9, abs=1e-9 * factor)
