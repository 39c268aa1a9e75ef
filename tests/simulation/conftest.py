"""The machine of 001 and forces that lift it, for runs of every kind."""

from __future__ import annotations

import warnings

import pytest

import gough
from gough.checks import Array


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return gough.load("dasgupta-1998")


@pytest.fixture(scope="module")
def lift(machine: gough.Platform) -> Array:
    assert machine.home is not None
    return 1.02 * gough.inverse_dynamics(machine, machine.home).force
