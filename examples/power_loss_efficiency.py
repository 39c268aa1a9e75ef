"""A motion base loses power: does its gear hold it?  Drop after 0.4 s against the gear's efficiency.

python examples/power_loss_efficiency.py
"""

from __future__ import annotations

import gough
from gough.simulation import PowerLoss


def drop(efficiency: float, dry: bool) -> float:
    """How far the platform comes down, mm; `dry`: with the drives' own dry friction."""
    machine = gough.load("motion-base-1500")
    changes = {"efficiency": efficiency} | ({} if dry else {"coulomb": 0.0, "static": 0.0})
    legs = [leg.replace(drive=leg.drive.replace(**changes)) for leg in machine.legs]
    machine = machine.replace(legs=legs)
    run = gough.simulate(
        machine,
        machine.home,
        duration=0.4,
        step=2e-4,
        output=0.4,
        force=gough.inverse_dynamics(machine, machine.home).force,
        faults=[PowerLoss(0.0)],
    )
    z = run.position.values[:, 2]
    return 1e3 * float(z[0] - z[-1])


def main() -> None:
    """Print a table over the efficiency."""
    print("| efficiency | drop, gear alone | drop, with dry friction |")
    print("|---|---|---|")
    for efficiency in (0.9, 0.7, 0.55, 0.5, 0.49, 0.3, 0.1):
        found = (drop(efficiency, dry) for dry in (False, True))
        print(f"| {efficiency} | " + " | ".join(f"{mm:.2f} mm" for mm in found) + " |")


if __name__ == "__main__":
    main()
