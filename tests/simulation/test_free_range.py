"""Forces known ahead not to be clipped: what is said to be free is free on every leg, however unlike the drives are."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.dynamics.laws.machine import ideal_laws
from gough.layout import LEG_LAW
from gough.simulation.leg_law import FreeRange, clipped, motor_force


def drives(rng: np.random.Generator, limited: bool, electric: bool) -> Array:
    """Laws of six legs, each with its own limit and its own falling line of force over rate."""
    law = np.tile(ideal_laws()[:, :1].reshape(LEG_LAW.size, -1)[:, :1], 6)
    if limited:
        law[LEG_LAW.limit] = rng.uniform(100.0, 900.0, 6)
    if electric:
        law[LEG_LAW.voltage_force] = rng.uniform(200.0, 1500.0, 6)
        law[LEG_LAW.voltage_slope] = rng.uniform(1.0, 3e3, 6)
    return law


@pytest.mark.parametrize(("limited", "electric"), [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_free_is_clipped_on_no_leg(seed: int, limited: bool, electric: bool) -> None:
    rng, said = np.random.default_rng(seed), 0
    law = drives(rng, limited, electric)
    free = FreeRange(law)
    assert not free.always
    for _ in range(400):
        rate = rng.normal(size=6) * 10.0 ** rng.uniform(-3, 0)
        command = rng.normal(size=6) * 10.0 ** rng.uniform(0, 3)
        if rng.random() < 0.5:  # one leg alone: the sharpest case of a bound by norms
            only = np.arange(6) == rng.integers(6)
            rate, command = rate * only, command * only
        if free.holds(command, rate):
            said += 1
            assert not clipped(motor_force(law, command, rate), command).any()
    assert said > 40


def test_the_weakest_leg_alone_decides_and_its_edge_is_reached() -> None:
    """A force on the leg with the lowest line: free up to the line, not above it."""
    law = drives(np.random.default_rng(1), False, True)
    law[LEG_LAW.voltage_force], law[LEG_LAW.voltage_slope] = 1000.0, 100.0
    law[LEG_LAW.voltage_slope, 2] = 4000.0
    free, rate = FreeRange(law), 0.1 * (np.arange(6) == 2)
    for force, answer in ((599.0, True), (601.0, False)):
        command = force * (np.arange(6) == 2)
        assert free.holds(command, rate) == answer
        assert clipped(motor_force(law, command, rate), command).any() != answer


def test_drives_without_limits_are_always_free() -> None:
    law = drives(np.random.default_rng(0), False, False)
    assert FreeRange(law).always
    assert FreeRange(law).holds(np.full(6, 1e12), np.full(6, 9.0))
    assert not FreeRange(None).holds(np.full(6, 1.0), np.zeros(6))
