"""Processor time of the paths of [Pedrammehr2012] (000), beside its 1.58 s (Sec. 9).

    python -m gough.reproduce.universal.timing

prints the seconds on this computer.  The page shows those recorded in claims.toml: it must be the same when repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from gough.dynamics import inverse_dynamics
from gough.formulations import universal
from gough.reproduce.builders import as_motion, quiet_load
from gough.reproduce.universal.forces import SAMPLES

PATHS = ("000-1", "000-2", "000-3")
REPEATS = 21


def seconds(run: Callable[[], object]) -> float:
    """Least processor time of several runs, s; the first one, which may compile, is not counted."""
    run()
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def measured() -> dict[str, float]:
    """Seconds for all three paths: the paper's equations in NumPy, and the exact model's compiled kernel."""
    machine = quiet_load("pedrammehr-2012")
    motions = [as_motion(path).sample(SAMPLES) for path in PATHS]
    return {
        "paper": seconds(lambda: [universal.inverse_dynamics(machine, m).force for m in motions]),
        "exact": seconds(lambda: [inverse_dynamics(machine, m).force for m in motions]),
    }


if __name__ == "__main__":
    for model, time_taken in measured().items():
        print(f"{model} {time_taken:.6f} s")
