"""Paper 004 recomputed: leg and drive inertia in the actuator forces, and when decentralized control is good.

python examples/drive_inertia.py [curve.png]     prints both tables, draws the curve
"""

from __future__ import annotations

import sys

import numpy as np

import gough
from gough.checks import Array
from gough.control import Decentralized, leg_mass_matrix

COORDINATES = ("x", "y", "z", "rx", "ry", "rz")


def forces(coordinate: str) -> tuple[Array, Array, Array]:
    """Actuator forces (t, 6) without leg masses, with them, and with the drives."""
    legs, driven = gough.load("syed-6sps"), gough.load("syed-6sps-drive")
    nothing = gough.Body(0.0)
    massless = legs.replace(legs=[leg.replace(lower=nothing, upper=nothing) for leg in legs.legs])
    path = gough.trajectory.paper(f"004-{coordinate}")
    motion = path.sample(201)
    none, with_legs, with_drives = (
        gough.inverse_dynamics(m, motion).force for m in (massless, legs, driven)
    )
    return none, with_legs, with_drives


def decentralized_error(reflected: float, bandwidth: float = 60.0) -> tuple[float, float]:
    """Coupling of the legs (largest off-diagonal over diagonal of M_l) and rms leg error (m) of 004's controller."""
    base = gough.load("syed-6sps")
    drive = gough.Drive(ratio=1000.0, rotor_inertia=reflected * 1e-6)
    machine = base.replace(legs=[leg.replace(drive=drive) for leg in base.legs])
    path = gough.trajectory.harmonic(
        ((0, 0, 0.30), (0, 0, 0)), [0.02, 0.015, 0.02, 0.1, 0.1, 0.15], 2.0, duration=1.0
    )
    controller = Decentralized.from_bandwidth(machine, bandwidth=bandwidth)
    run = gough.simulate(
        machine,
        path(0.0),
        duration=1.0,
        controller=controller,
        reference=path,
        output=5e-3,
        reactions=False,
    )
    wanted = gough.inverse_kinematics(machine, path(run.time.values)).length
    M = leg_mass_matrix(machine, machine.home)
    off = np.abs(M - np.diag(np.diagonal(M))).max() / np.diagonal(M).max()
    return float(off), float(np.sqrt(((run.length.values - wanted) ** 2).mean()))


def main() -> None:
    """Print the tables; draw the curve if a file is named."""
    print("Peak actuator force (N) of 004's six trajectories\n")
    print("| trajectory | massless legs | legs | legs and drives | drives' share of the peak |")
    print("|---|---|---|---|---|")
    for coordinate in COORDINATES:
        none, legs, drives = forces(coordinate)
        share = np.abs(drives - legs).max() / np.abs(drives).max()
        print(
            f"| {coordinate} | {np.abs(none).max():.2f} | {np.abs(legs).max():.2f} | {np.abs(drives).max():.2f} | "
            f"{100 * share:.0f} % |"
        )
    print(
        "\nDecentralized control, bandwidth 60 rad/s: rms leg error against reflected drive inertia\n"
    )
    print("| reflected inertia, kg | coupling of the legs | rms error, mm |")
    print("|---|---|---|")
    masses = np.array([0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0])
    found = [decentralized_error(float(m)) for m in masses]
    for m, (coupling, error) in zip(masses, found, strict=True):
        print(f"| {m:g} | {coupling:.3f} | {1e3 * error:.4f} |")
    if len(sys.argv) > 1:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
        axes.loglog(masses, [1e3 * e for _, e in found], "o-", label="rms leg error, mm")
        axes.loglog(masses, [c for c, _ in found], "s--", label="coupling of the legs")
        axes.set_xlabel("reflected drive inertia, kg")
        axes.legend()
        axes.grid(True, which="both", alpha=0.3)
        figure.savefig(sys.argv[1], dpi=150)


if __name__ == "__main__":
    main()
