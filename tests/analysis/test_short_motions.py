"""The shortest motion that can be sized: two samples, which is one interval of time."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import trajectory as tr
from gough.analysis import size


def test_two_samples_are_enough_and_one_is_not() -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    path = tr.quintic(home, (home.position + np.array([0.0, 0.0, 0.05]), home.rpy), 1.0)
    samples = path(np.array([0.2, 0.4]))
    found = size(machine, [samples])
    force = np.abs(gough.inverse_dynamics(machine, samples).force)
    for leg, both in zip(found.legs, force.T, strict=True):
        assert abs(leg.peak_force) == pytest.approx(both.max(), rel=1e-9)
        assert leg.rms_force == pytest.approx(np.sqrt((both**2).mean()), rel=1e-9)
    with pytest.raises(gough.InputError, match="two samples at least"):
        size(machine, [path(np.array([0.2]))])
