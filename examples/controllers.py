"""All controllers on the same task while they believe a payload 20 % too heavy: the table of docs/control.md.

python examples/controllers.py            prints the table
"""

from __future__ import annotations

import warnings

import numpy as np

import gough
from gough.control import (
    ComputedForce,
    Controller,
    Decentralized,
    FeedForward,
    GravityCompensation,
    Impedance,
    Sampling,
    with_payload_error,
)
from gough.control.tuning import largest_bandwidth

BANDWIDTH = 60.0  # rad/s, the same for all
ERROR = 0.2
RATE = 2000.0  # samples per second


def leg_bandwidth(model: gough.Platform) -> float:
    """The largest bandwidth (rad/s) that leaves independent leg controllers a gain margin of two at this rate; where
    none does (they cannot hold the machine at all) the one asked for."""

    def legs(bandwidth: float) -> Decentralized:
        return Decentralized.from_bandwidth(model, bandwidth=bandwidth, integral=0.3)

    try:
        return largest_bandwidth(model, legs, sampling=Sampling(rate=RATE))
    except gough.InputError:
        return BANDWIDTH


def controllers(model: gough.Platform, w: float) -> dict[str, Controller]:
    """One of each kind, gains from the same bandwidth."""
    M = np.diagonal(gough.mass_matrix(model, model.home))
    legs = min(w, leg_bandwidth(model))
    return {
        "decentralized PID": Decentralized.from_bandwidth(model, bandwidth=legs, integral=0.3),
        "gravity compensation": GravityCompensation(model, legs),
        "impedance": Impedance.critically_damped(model, w**2 * M),
        "feed-forward": FeedForward(model, legs),
        "computed force, legs": ComputedForce(model, w, space="leg"),
        "computed force, task": ComputedForce(model, w, space="task"),
    }


def tracking(
    machine: gough.Platform,
    controller: Controller,
    path: gough.trajectory.Trajectory,
    sampling: Sampling,
    drives: bool,
) -> tuple[float, float, str]:
    """Largest position error (m), largest rotation error (rad), status."""
    run = gough.simulate(
        machine,
        path(0.0),
        duration=path.duration,
        step=5e-4,
        controller=controller,
        reference=path,
        sampling=sampling,
        drives=drives,
        reactions=False,
    )
    wanted = path(run.time.values)
    good = np.isfinite(run.position.values).all(axis=1)
    R = gough.Pose.from_quaternion(run.position.values[good], run.quaternion.values[good]).rotation
    turn = gough.spatial.rotation_log(wanted.rotation[good] @ np.swapaxes(R, -1, -2))
    far = np.linalg.norm(run.position.values[good] - wanted.position[good], axis=1)
    return float(far.max()), float(np.linalg.norm(turn, axis=1).max()), run.attrs["status"]


def table(name: str, path: gough.trajectory.Trajectory, drives: bool) -> list[str]:
    """Rows of the table for one machine: exact model, and 20 % payload error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        machine = gough.load(name)
        wrong = with_payload_error(machine, ERROR)
    print(f"\nindependent legs: {min(BANDWIDTH, leg_bandwidth(machine)):.3g} rad/s\n")
    rows = ["| controller | exact model | payload 20 % wrong |", "|---|---|---|"]
    sampling = Sampling(rate=RATE)
    good, bad = controllers(machine, BANDWIDTH), controllers(wrong, BANDWIDTH)
    for key in good:
        cells = []
        for controller in (good[key], bad[key]):
            far, turn, status = tracking(machine, controller, path, sampling, drives)
            cells.append(f"{1e3 * far:.3g} mm, {1e3 * turn:.3g} mrad" if status == "ok" else status)
        rows.append(f"| {key} | {cells[0]} | {cells[1]} |")
    return rows


def main() -> None:
    """Print both tables."""
    path = gough.trajectory.paper("001-II")
    sine = gough.trajectory.harmonic(((0, 0, 1.15), (0, 0, 0)), [0.03] * 6, 1.0, duration=1.0)
    print(f"Largest tracking errors; bandwidth {BANDWIDTH:g} rad/s, {RATE:g} samples/s\n")
    print("dasgupta-1998, Path II of 001, ideal drives")
    print("\n".join(table("dasgupta-1998", path, False)))
    print("\nmotion-base-1500, 30 mm and 30 mrad at 1 Hz in all directions, ideal drives")
    print("\n".join(table("motion-base-1500", sine, False)))
    print("\nthe same with the drives' friction, losses and limits")
    print("\n".join(table("motion-base-1500", sine, True)))


if __name__ == "__main__":
    main()
