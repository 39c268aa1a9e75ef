"""Microseconds per step of `gough.Simulator` from Python, processor time: ``python -m benchmarks.simulator``."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import gough
from gough.control import Decentralized

STEPS = 20_000


def cost(call: Callable[[], object]) -> float:
    """Least of five means, us."""
    found = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(STEPS // 5):
            call()
        found.append((time.process_time() - start) / (STEPS // 5))
    return 1e6 * min(found)


def main() -> None:
    """Print the figures that docs/simulation.md shows."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    hold = np.array(gough.inverse_dynamics(machine, home).force)
    law = Decentralized.from_bandwidth(machine, bandwidth=20.0)
    driven, closed = gough.Simulator(machine), gough.Simulator(machine, controller=law)
    bare = gough.Simulator(machine, drives=False)
    start = bare.snapshot()

    def held() -> None:
        bare.step(hold)
        if bare.time > 0.05:  # ideal drives hold nothing: it would fall away
            bare.restore(start)

    goals = [
        gough.Pose(home.position + np.array([0.0, 0.0, 1e-5 * i]), home.rotation) for i in range(2)
    ]

    def moved() -> None:
        goals.reverse()
        closed.step(goals[0])

    lines = {
        "step, ideal drives": held,
        "step, drives and stops": lambda: driven.step(hold),
        "step, compiled PD, reference held": lambda: closed.step(),
        "step, compiled PD, a new reference": moved,
        "observe": driven.observe,
    }
    for name, call in lines.items():
        print(f"{name:<36}{cost(call):8.1f} us")


if __name__ == "__main__":
    main()
