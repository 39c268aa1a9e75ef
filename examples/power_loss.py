"""A motion base loses power; brakes that close after a delay catch it.  How far does it fall?

python examples/power_loss.py
"""

from __future__ import annotations

import numpy as np

import gough
from gough.simulation import Brake, PowerLoss


def fall(delay: float | None, holding: float = 12e3) -> tuple[float, float, float, str]:
    """Drop (mm), largest leg speed (m/s), largest joint force on the platform (N), status."""
    machine = gough.load("motion-base-1500")
    hold = gough.inverse_dynamics(machine, machine.home).force
    faults: list[PowerLoss | Brake] = [PowerLoss(0.1)]
    if delay is not None:
        faults.append(Brake(0.1 + delay, holding))
    run = gough.simulate(
        machine,
        machine.home,
        duration=1.0,
        step=2e-4,
        output=2e-3,
        force=hold,
        faults=faults,
        events=gough.simulation.Events(stroke="stop"),
    )
    z = run.position.values[:, 2]
    joint = np.linalg.norm(run.spherical_force.values, axis=-1)
    return (
        1e3 * float(z[0] - np.nanmin(z)),
        float(np.nanmax(np.abs(run.rate.values))),
        float(np.nanmax(joint)),
        run.attrs["status"],
    )


def main() -> None:
    """Print a table over the brakes' delay."""
    print("| brakes close after | drop | largest leg speed | largest joint force | status |")
    print("|---|---|---|---|---|")
    for delay in (0.02, 0.04, 0.06, 0.1, 0.15, None):
        drop, speed, force, status = fall(delay)
        name = "never" if delay is None else f"{1e3 * delay:.0f} ms"
        print(f"| {name} | {drop:.1f} mm | {speed:.3f} m/s | {1e-3 * force:.2f} kN | {status} |")


if __name__ == "__main__":
    main()
