"""Inside a step forces go on as they were given: an event is found where finer steps find it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gough

STEP, STEPS = 0.02, 20
PUSH = np.array([4e3, -3e3, 2.5e3, -1e3, 2e3, 3.5e3])


def machine() -> gough.Platform:
    made = gough.load("motion-base-1500")
    return made.replace(legs=[leg.replace(drive=None) for leg in made.legs])


def instants(plant: gough.Platform, force: Any, step: float) -> dict[tuple[str, str], float]:
    run = gough.simulate(
        plant, plant.home, duration=STEP * STEPS, step=step, force=force, drives=False
    )
    told = json.loads(run.attrs["events"])
    return {(e["name"], e["leg"]): e["time"] for e in told if e["name"] in ("stroke", "speed")}


@pytest.mark.parametrize("form", ["function", "samples", "table"])
def test_a_force_that_grows_within_the_step(form: str) -> None:
    """Steps of 20 ms, the force several times its first value at the end of each: the instants of steps of 1 ms."""
    plant = machine()
    hold = gough.inverse_dynamics(plant, plant.require_home()).force

    def force(t: float) -> np.ndarray:
        return hold + PUSH * (t / 0.1)

    grid = STEP * np.arange(STEPS + 1)
    rows = np.array([force(t) for t in grid])
    given = {"function": force, "samples": rows, "table": (grid, rows)}[form]
    coarse, fine = instants(plant, given, STEP), instants(plant, force, STEP / 20)
    assert len(fine) >= 4
    assert any(abs(t / STEP - round(t / STEP)) > 0.2 for t in fine.values())
    first = min(fine.values())
    for event, when in fine.items():
        if when < first + 0.1:
            assert coarse[event] == pytest.approx(when, abs=2e-5)
