"""`python -m benchmarks.before_after [--old COMMIT]`: what users wait for, in an older version and in this one.

Both versions are measured in one run, by the same public calls, each in a process of its own with an empty kernel
cache: the older one from a temporary checkout.  Processor time, best of repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIRST_STOREY = "04af08c"  # the last commit before the house was rebuilt

MEASURE = r"""
import json, sys, tempfile, time, warnings

warnings.simplefilter("ignore")
import numpy as np

import gough
import gough.control as control
from gough.studio import messages, wire
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder

try:
    from gough.studio import warm  # older versions compile while others answer
except ImportError:
    warm = None


def cost(call, count, repeats=7):
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - began) / count)
    return best


def once(call):
    began = time.process_time()
    call()
    return time.process_time() - began


out = {}
machine = gough.load("dasgupta-1998")
still = gough.Motion.at_rest(machine.home)
hold = lambda **more: gough.simulate(machine, machine.home, duration=0.01, force=np.zeros(6), **more)
out["first simulate, empty cache, s"] = once(hold)
out["first inverse_dynamics after it, s"] = once(lambda: gough.inverse_dynamics(machine, still))
out["inverse_dynamics of one state, us"] = 1e6 * cost(lambda: gough.inverse_dynamics(machine, still), 500)
out["inverse_kinematics of one state, us"] = 1e6 * cost(lambda: gough.inverse_kinematics(machine, still), 300)
length = gough.inverse_kinematics(machine, still).length
out["forward_kinematics of one state, us"] = 1e6 * cost(lambda: gough.forward_kinematics(machine, length), 300)


def pd(t, measurement, reference):
    return 2e4 * (reference.length - measurement.length) + 500.0 * (reference.rate - measurement.rate)


def loop(duration):
    gough.simulate(machine, machine.home, duration=duration, controller=pd, reactions=False)


loop(0.1)
long, short = (min(once(lambda: loop(T)) for _ in range(3)) for T in (2.1, 0.1))
out["closed-loop PD sample at 1 kHz, us"] = 1e6 * (long - short) / 2000


def studio_pose():
    session = Session(WorkFolder(tempfile.gettempdir()))
    session.handle(messages.OpenMachine(1, "preset", "motion-base-1500"))
    home = session.platform.home
    text = json.dumps({"type": "SolvePose", "id": 1, "pose": {"position": home.position.tolist(),
                       "convention": "quaternion", "angles": home.quaternion.tolist()}})
    while warm and warm.engine(session.platform) != "native":
        time.sleep(0.1)
    if not warm:
        gough.inverse_dynamics(session.platform, home, engine="native").reactions
    return 1e6 * cost(lambda: wire.encode(session.handle(wire.decode(text))), 200)


out["studio pose, one machine open, us"] = studio_pose()
for name in gough.presets():  # equal machines, other objects: what a gallery leaves in memory
    other = gough.load(name)
    if other.home is not None:
        gough.inverse_dynamics(other, other.home)
out["studio pose, gallery loaded before, us"] = studio_pose()
print(json.dumps(out))
"""


def measure(source: Path) -> dict[str, float]:
    """The figures of the version whose sources lie in `source`."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": str(source), "GOUGH_CACHE": cache}
        done = subprocess.run(
            [sys.executable, "-c", MEASURE], env=environment, capture_output=True, text=True
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def both_versions(
    measure: Callable[[Path], dict[str, float]], commit: str
) -> tuple[dict[str, float], dict[str, float]]:
    """What `measure` says of an older commit, checked out for a while, and of this version."""
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "old"
        subprocess.run([*git, "add", "--quiet", "--detach", str(old), commit], check=True)
        try:
            before = measure(old / "src")
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)
    return before, measure(ROOT / "src")


def table(before: dict[str, float], after: dict[str, float], commit: str) -> str:
    """Before, after, ratio; what the older version cannot do has no past."""
    lines = [f"| processor time | {commit} | this version | ratio |", "|---|---|---|---|"]
    for name, value in after.items():
        past = before.get(name)
        told = ("", "") if past is None else (f"{past:.3g}", f"{past / value:.2f}")
        lines.append(f"| {name} | {told[0]} | {value:.3g} | {told[1]} |")
    return "\n".join(lines)


def main() -> None:
    """Print a table: before, after, ratio."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.before_after", description=__doc__)
    parser.add_argument("--old", default=FIRST_STOREY, help="commit to compare with")
    options = parser.parse_args()
    print(table(*both_versions(measure, options.old), options.old))


if __name__ == "__main__":
    main()
