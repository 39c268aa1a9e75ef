"""Built-in laws hand over as many gains as their programs name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gough
from gough.control import ComputedForce, Decentralized, FeedForward, GravityCompensation, Impedance
from gough.engines.pack import packed
from gough.simulation.closed_laws import LAWS, name_of, parameters

MAKE: dict[str, Callable[[gough.Platform], Any]] = {
    "decentralized": lambda m: Decentralized.from_bandwidth(m, bandwidth=30.0),
    "computed_force": lambda m: ComputedForce(m, 40.0),
    "computed_leg_force": lambda m: ComputedForce(m, 40.0, space="leg"),
    "feed_forward": lambda m: FeedForward(m, 30.0),
    "gravity": lambda m: GravityCompensation(m, 30.0),
    "impedance": lambda m: Impedance.critically_damped(m, [7e6] * 3 + [4e6] * 3),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_has_the_gains_that_its_program_names(name: str) -> None:
    machine = gough.load("motion-base-1500")
    controller = MAKE[name](machine)
    assert name_of(controller) == name
    _, numbers = parameters(name, controller, machine)
    assert len(numbers) == len(packed(machine, False).parameters) + LAWS[name].gains.size
