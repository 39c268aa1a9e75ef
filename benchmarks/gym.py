"""Speed of the Gymnasium environments: simulation steps per second, resets, machines of their own; processor time.

python benchmarks/gym.py [--envs 1024] [--platform motion-base-1500] [--task hold]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

os.environ.setdefault("GOUGH_THREADS", "1")

import numpy as np

import gough
from gough.simulation import Evenly, varied
from gough.simulation.gym import PlatformVectorEnv


def best(function: Callable[[], object], repeats: int = 15) -> float:
    """Shortest processor time of several calls, s."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def measured(env: PlatformVectorEnv) -> tuple[float, float]:
    """Simulation steps per second of whole environment steps, and seconds of a reset per environment."""
    env.reset(seed=0)
    idle = np.zeros((env.num_envs, 6))
    step = best(lambda: (env.step(idle), setattr(env, "age", 0 * env.age)))
    return env.num_envs * env.substeps / step, best(lambda: env.reset(seed=1)) / env.num_envs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--envs", type=int, default=1024)
    parser.add_argument("--platform", default="motion-base-1500")
    parser.add_argument("--task", default="hold")
    given = parser.parse_args()
    machine = gough.load(given.platform)
    own = varied(machine, {"body.mass": Evenly(0.9, 1.1, relative=True)}, given.envs)
    found = {}
    for name, platform in (("one machine", machine), ("a machine each", own)):
        env = PlatformVectorEnv(platform, given.envs, task=given.task)
        found[name] = steps, reset = measured(env)
        sys.stdout.write(
            f"{given.envs} environments, {given.task}, {given.platform}, {name}, one core: "
            f"{steps:,.0f} simulation steps/s, reset {1e6 * reset:.2f} us per environment\n"
        )
    ratio = found["one machine"][0] / found["a machine each"][0]
    sys.stdout.write(f"a machine each against one machine: {ratio:.3f} x the time of a step\n")


if __name__ == "__main__":
    main()
