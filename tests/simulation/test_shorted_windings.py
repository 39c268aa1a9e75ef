"""Shorted windings brake by what the motor is made of: without either number there is no run."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import gough
from gough.dynamics.laws.machine import drive_laws
from gough.layout import LEG_LAW
from gough.simulation import PowerLoss
from gough.simulation.leg_law import apply_fault


def without(**missing: None) -> gough.Platform:
    machine = gough.load("motion-base-1500")
    legs = [
        leg.replace(drive=dataclasses.replace(leg.drive, max_voltage=None, **missing))
        for leg in machine.legs
    ]
    return machine.replace(legs=legs)


@pytest.mark.parametrize("name", ["torque_constant", "resistance"])
def test_both_numbers_of_the_motor_are_needed(name: str) -> None:
    machine = without(**{name: None})
    law = drive_laws(machine)[:, :, None]
    with pytest.raises(gough.InputError, match="needs torque_constant and resistance"):
        apply_fault(machine, law, PowerLoss(0.0, winding="shorted"))
    open_ = apply_fault(machine, law, PowerLoss(0.0, winding="open"))
    assert (open_[LEG_LAW.limit] == 0.0).all()


def test_shorted_windings_carry_what_the_rate_induces_and_nothing_else() -> None:
    """No command passes (``voltage_force = 0``) but the back-EMF does; open windings give no force at all."""
    machine = without()
    law = drive_laws(machine)[:, :, None]
    shorted = apply_fault(machine, law, PowerLoss(0.0, winding="shorted", legs=(1, 4)))
    drive = machine.legs[0].drive
    assert drive is not None
    slope = (drive.ratio * drive.torque_constant) ** 2 / drive.resistance
    for i in range(6):
        if i not in (1, 4):
            np.testing.assert_array_equal(shorted[:, i], law[:, i])
            continue
        assert shorted[LEG_LAW.voltage_force, i] == 0.0
        assert shorted[LEG_LAW.voltage_slope, i] == pytest.approx(slope)
        assert shorted[LEG_LAW.limit, i] == np.inf
