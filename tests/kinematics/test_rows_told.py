"""Forward kinematics of several rows: what is wrong with a later one is said as of one alone."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics.forward import actuator_coordinates, forward_kinematics


@pytest.mark.parametrize("row", [0, 2])
def test_a_strut_of_negative_length_is_refused_in_every_row(row: int) -> None:
    machine = gough.load("motion-base-1500")
    length = np.tile(actuator_coordinates(machine, machine.require_home()), (3, 1))
    length[row, 4] *= -1.0
    with pytest.raises(gough.InputError, match="must be positive, m") as e:
        forward_kinematics(machine, length)
    assert e.value.field == "length[4]"


@pytest.mark.parametrize("row", [0, 2])
def test_millimeters_are_seen_in_every_row(row: int) -> None:
    machine = gough.load("motion-base-1500")
    length = np.tile(actuator_coordinates(machine, machine.require_home()), (3, 1))
    length[row] *= 1000.0 * np.linspace(0.9, 1.1, 6)  # differences that no pose has
    found = forward_kinematics(machine, length)
    alone = forward_kinematics(machine, length[row])
    assert "look like millimeters" in str(alone.status)
    assert [s == alone.status for s in found.status] == list(np.arange(3) == row)
