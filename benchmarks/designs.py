"""What one design costs by batch and one by one, and how far the numbers differ: processor time, in one run.

python -m benchmarks.designs [--designs 2000]
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from benchmarks.timing import best
from gough.design.evaluation import evaluate_many
from gough.design.metrics import METRICS, Task
from gough.design.spec import MachineSpec

ALONE = 20  # designs of the slow road
LENGTHS = ("stroke", "extension", "longest", "shortest", "footprint")
GEOMETRIC = (*LENGTHS, "base_tilt", "platform_tilt", "clearance")
CASES = {
    "lengths": LENGTHS,
    "lengths, tilts, clearance": GEOMETRIC,
    "dexterity": ("dexterity",),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.designs", description=__doc__)
    parser.add_argument("--designs", type=int, default=2000)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    fixed = {"platform_radius": 0.25, "platform_pair_angle": 0.5}
    machine = MachineSpec("hexapod", "hexapod", fixed, {})
    ranges = {"base_radius": (0.3, 0.6), "base_pair_angle": (0.1, 0.4), "height": (0.3, 0.6)}
    values = {name: rng.uniform(*ends, given.designs) for name, ends in ranges.items()}
    few = {name: x[:ALONE] for name, x in values.items()}
    box = np.full(3, 0.03)
    write = sys.stdout.write
    write("| metrics | poses | by batch | one by one | times | largest relative difference |\n")
    write("|---|---|---|---|---|---|\n")
    for task in (Task(box), Task(box, np.full(3, 0.1))):
        poses = len(
            task.poses(machine.build({k: float(x[0]) for k, x in values.items()}).require_home())
        )
        for name, wanted in CASES.items():
            metrics = {metric: METRICS[metric] for metric in wanted}
            whole = evaluate_many(machine, values, task, metrics)
            alone = evaluate_many(machine, few, task, metrics, batch=False)
            off = np.abs(whole.numbers[:ALONE] / alone.numbers - 1.0).max()
            fast = best(
                lambda task=task, metrics=metrics: evaluate_many(machine, values, task, metrics),
                given.designs,
            )
            slow = best(
                lambda task=task, metrics=metrics: evaluate_many(
                    machine, few, task, metrics, batch=False
                ),
                ALONE,
            )
            told = f"{1e6 * fast:.1f} us | {1e3 * slow:.2f} ms | {slow / fast:.0f}"
            write(f"| {name} | {poses} | {told} | {off:.1e} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
