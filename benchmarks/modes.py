"""`python -m benchmarks.modes [--old COMMIT]`: all modes in an older version and in this one, measured in one run.

Each version in a process of its own, from a temporary checkout; processor time after compilation, medians.  The batch
is measured by the clock, on one thread and on two.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.before_after import FIRST_STOREY, ROOT, both_versions, table

MEASURE = r"""
import json, sys, time, warnings
warnings.simplefilter("ignore")
sys.path[:0] = [sys.argv[1] + "/benchmarks", sys.argv[1] + "/tests"]
import numpy as np
import gough
import fk
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose, rotation_exp
from support.forward_machines import HOME, machine

out = fk.every_mode(60)
rng = np.random.default_rng(0)
lopes = gough.load("lopes-6pus")
rest = [("PUS", machine("PUS"), HOME), ("RUS", machine("RUS"), HOME), ("6-PUS (Lopes)", lopes, lopes.home)]
for name, platform, home in rest:
    size, times = platform.characteristic_length, []
    for _ in range(14):
        turn = rotation_exp(rng.uniform(-0.1, 0.1, 3)) @ home.rotation
        pose = Pose(home.position + size * rng.uniform(-0.05, 0.05, 3), turn)
        length = actuator_coordinates(platform, pose)
        began = time.process_time()
        gough.assembly_modes(platform, length, disk_cache=False)
        times.append(time.process_time() - began)
    out[f"all modes, {name} (ms)"] = 1e3 * float(np.median(times[2:]))
platform = fk.hexapod()
pose = Pose(fk.HOME.position + rng.uniform(-0.1, 0.1, (BATCH, 3)), rotation_exp(rng.uniform(-0.3, 0.3, (BATCH, 3))))
lengths = actuator_coordinates(platform, pose)
if hasattr(gough.kinematics.assembly, "AssemblyModesBatch"):
    for threads in (1, 2):
        gough.assembly_modes(platform, lengths[:64], threads=threads)
        began, clock = time.process_time(), time.perf_counter()
        gough.assembly_modes(platform, lengths, threads=threads)
        out[f"batch, {threads} threads (ms per set, processor)"] = 1e3 * (time.process_time() - began) / BATCH
        out[f"batch, {threads} threads (ms per set, clock)"] = 1e3 * (time.perf_counter() - clock) / BATCH
print(json.dumps(out))
"""


def measure(source: Path, batch: int) -> dict[str, float]:
    """The figures of the version whose sources lie in `source`."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE.replace("BATCH", str(batch)), str(ROOT)],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print a table: before, after, ratio."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.modes", description=__doc__)
    parser.add_argument("--old", default=FIRST_STOREY, help="commit to compare with")
    parser.add_argument("--batch", type=int, default=10_000, help="sets of lengths in the batch")
    options = parser.parse_args()
    found = both_versions(partial(measure, batch=options.batch), options.old)
    print(table(*found, options.old))


if __name__ == "__main__":
    main()
