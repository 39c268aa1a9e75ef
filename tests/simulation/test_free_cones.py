"""Joints without a cone may lean as they like, beside others that may not."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.layout import LEG_MOTION
from gough.limits import cone_axes
from gough.simulation.gym.ranges import CONE, FINE, Ranges
from gough.simulation.state import Rows
from gough.struts import struts

HALF = 0.6


def guarded(leg: int, side: str) -> gough.Platform:
    """One joint of one leg has a cone, no other."""
    machine = gough.load("motion-base-1500")
    legs = [
        x.replace(limits=gough.Limits(stroke=x.limits.stroke, **({side: HALF} if i == leg else {})))
        for i, x in enumerate(machine.legs)
    ]
    return machine.replace(legs=legs)


@pytest.mark.parametrize("side", ["base_cone", "platform_cone"])
@pytest.mark.parametrize("leg", [0, 4])
def test_one_cone_watches_its_own_joint_alone(side: str, leg: int) -> None:
    machine = guarded(leg, side)
    home = machine.require_home()
    ranges = Ranges(Rows(machine, False), None)
    g = struts(machine, home)
    legs = np.zeros((1, 6, LEG_MOTION.size))
    legs[0, :, LEG_MOTION.coordinate] = g.coordinate
    legs[0, :, LEG_MOTION.direction] = g.direction
    code, _ = ranges.outside(legs, home.rotation[None])
    assert code.tolist() == [FINE]
    base, plate = cone_axes(machine)
    axis = base[leg] if side == "base_cone" else -home.rotation @ plate[leg]
    across = np.cross(axis, [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    for other in range(6):
        leaning = legs.copy()
        leaning[0, other, LEG_MOTION.direction] = (
            np.cos(1.1 * HALF) * axis + np.sin(1.1 * HALF) * across
        )
        code, which = ranges.outside(leaning, home.rotation[None])
        assert (code.tolist(), which.tolist()) == (
            ([CONE], [leg]) if other == leg else ([FINE], [0])
        )
