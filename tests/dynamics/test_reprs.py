"""What an answer of the dynamics shows of itself: shapes of its numbers, nothing of its making."""

from __future__ import annotations

import re

import numpy as np

import gough
from gough.dynamics import forward_dynamics_derivatives, inverse_dynamics_derivatives


def shown(answer: object) -> set[str]:
    return set(re.findall(r"(\w+)=", repr(answer)))


def test_slopes_show_their_numbers_alone() -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    inverse = inverse_dynamics_derivatives(machine, home)
    forward = forward_dynamics_derivatives(machine, home, np.zeros(6))
    for found in (inverse, forward):
        assert shown(found) == {"value", "jacobian", "direction", "angular_velocity"}
    assert shown(inverse.spin_acceleration) == {"value", "jacobian", "direction"}
    assert len(repr(inverse)) < 400
