"""A motion base on hydraulic cylinders loses power: its valves close, and it rests on the oil that is trapped.

python examples/power_loss_hydraulic.py
The cylinders' numbers are illustrative, those of a small one.
"""

from __future__ import annotations

import numpy as np

import gough
from gough.simulation import PowerLoss

SMALL = gough.Hydraulic(
    bore=0.05,
    rod=0.036,
    dead_cap=2e-4,
    dead_rod=2e-4,
    supply_pressure=140e5,
    rated_flow=40 / 60e3,
)


def sunk(leakage: float, drain: float) -> tuple[float, float]:
    """How far the platform is down after 10 s, mm, and how fast it sinks then, mm/s."""
    machine = gough.load("motion-base-1500")
    drive = gough.Drive(1.0, hydraulic=SMALL.replace(leakage=leakage, drain=drain))
    machine = machine.replace(legs=[leg.replace(drive=drive) for leg in machine.legs])
    run = gough.simulate(
        machine,
        machine.home,
        duration=10.0,
        step=5e-4,
        output=0.5,
        force=gough.inverse_dynamics(machine, machine.home).force,
        faults=[PowerLoss(0.0)],
        reactions=False,
    )
    z = 1e3 * run.position.values[:, 2]
    return float(z[0] - z[-1]), float(-np.diff(z)[-1] / 0.5)


def main() -> None:
    """Print a table over the leaks."""
    print("| across the piston | to the tank | down after 10 s | sinking then |")
    print("|---|---|---|---|")
    for leakage, drain in ((0.0, 0.0), (6.0, 0.0), (0.0, 3.0), (6.0, 3.0), (60.0, 30.0)):
        down, speed = sunk(leakage / 6e12, drain / 6e12)
        print(
            f"| {leakage:g} ml/min/bar | {drain:g} ml/min/bar | {down:.2f} mm | {speed:.2f} mm/s |"
        )


if __name__ == "__main__":
    main()
