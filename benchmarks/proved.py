"""What a proof of all limits of a motion of 10 s costs: `gough.analysis.proved_limits`, processor time.

python -m benchmarks.proved [--machine motion-base-1500]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np

import gough
from benchmarks.timing import best
from gough import trajectory as tr
from gough.analysis import proved_limits
from gough.model import Platform

SECONDS = 10.0


def motions(machine: Platform) -> dict[str, Callable[[], tr.Trajectory]]:
    """Motions of ten seconds about home, a twentieth of the machine's size."""
    home, size = machine.require_home(), 0.05 * machine.characteristic_length
    step = np.array([size, -0.6 * size, 0.5 * size, 0.05, -0.04, 0.06])

    def pose(share: float) -> gough.Pose:
        return gough.Pose.from_rpy(home.position + share * step[:3], home.rpy + share * step[3:])

    waves = np.array([[1.0, 0.6, 0.5, 0.5, 0.5, 0.5], [0.3, 0.2, 0.2, 0.2, 0.2, 0.2]]) * np.abs(
        step
    )
    stops = [pose(share) for share in (-1.0, 0.5, -0.3, 1.0, 0.0, -0.6)]
    return {
        "quintic, one piece": lambda: tr.quintic(pose(-1.0), pose(1.0), SECONDS),
        "line with blends": lambda: tr.line(pose(-1.0), pose(1.0), SECONDS),
        "spline through six poses": lambda: tr.waypoints(stops, np.linspace(0.0, SECONDS, 6)),
        "harmonics of 0.2 and 0.5 Hz": lambda: tr.harmonic(
            home, waves, [0.2, 0.5], duration=SECONDS
        ),
        "sea of 4 s waves": lambda: tr.sea_state(home, 0.5 * size, 4.0, duration=SECONDS),
    }


def without_forces(machine: Platform) -> Platform:
    """The machine without limits on its efforts."""
    return machine.replace(
        legs=[leg.replace(limits=leg.limits.replace(force=None)) for leg in machine.legs]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proved", description=__doc__)
    parser.add_argument("--machine", default="motion-base-1500")
    given = parser.parse_args()
    machine = gough.load(given.machine)
    bare = without_forces(machine)
    write = sys.stdout.write
    write(
        f"{given.machine}, motions of {SECONDS:g} s, best of repeats, processor time; verdicts\n\n"
    )
    write(
        "| motion | strokes, speeds, cones, clearances, determinant | efforts too |\n|---|---|---|\n"
    )
    for name, make in motions(machine).items():
        cells = []
        for own in (bare, machine):
            words = Counter(v.status for v in proved_limits(own, make()).verdicts)
            cost = best(lambda own=own, make=make: proved_limits(own, make()), seconds=1.0)
            told = ", ".join(f"{n} {word}" for word, n in words.items())
            cells.append(f"{1e3 * cost:.1f} ms ({told})")
        write(f"| {name} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
