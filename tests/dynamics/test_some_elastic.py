"""One elastic drive among stiff ones is enough: its effort needs more of the motion than is given."""

from __future__ import annotations

import dataclasses

import pytest

import gough


@pytest.mark.parametrize("elastic", [(2,), range(6)])
def test_efforts_of_elastic_drives_are_refused_be_it_one(elastic: tuple[int, ...]) -> None:
    machine = gough.load("motion-base-1500")
    legs = [
        leg.replace(drive=dataclasses.replace(leg.drive, stiffness=1e7)) if i in elastic else leg
        for i, leg in enumerate(machine.legs)
    ]
    with pytest.raises(gough.InputError, match="fourth derivative"):
        gough.inverse_dynamics(machine.replace(legs=legs), machine.require_home(), drives=True)
