"""What the slopes of a rollout cost beside the rollout itself, in the same run; and how long `jax.grad` of it compiles.

python -m benchmarks.rollout [--steps 1000] [--runs 256]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

import numpy as np

import gough
from benchmarks.simulation import best
from gough.engines.adjoint import pulled_back
from gough.engines.pack import packed
from gough.simulation.cuda_rollout import back_cut
from gough.simulation.programs import steps_programs
from gough.simulation.rollout_kernel import RolloutSteps
from gough.simulation.state import Rows

MACHINE = "motion-base-1500"


def kernels(machine: gough.Platform, steps: int, runs: int, every: int) -> tuple[float, ...]:
    """Processor times of a rollout, of its slopes, and of those over the machine's numbers too; us a step of a run."""
    rows, hold = Rows(machine, False), gough.inverse_dynamics(machine, machine.home).force
    start = np.repeat(rows.start(gough.Motion.at_rest(machine.home), None), runs, axis=1)
    noise = np.random.default_rng(0).normal(size=(steps, 6, runs))
    force = hold[:, None] * (1.0 + 0.02 * noise)
    made, wrench = RolloutSteps("rk4", rows.kinds, 1e-3, every), np.zeros((1, 6, 1))
    states, _ = made.roll(rows.par, start, force, wrench)
    weight = np.ones(states.shape)

    def pull(parameters: bool) -> Callable[[], object]:
        return lambda: made.pull(rows.par, states, force, wrench, weight, parameters)

    times = [
        best(lambda: made.roll(rows.par, start, force, wrench)),
        best(pull(False)),
        best(pull(True)),
    ]
    return tuple(1e6 * t / (steps * runs) for t in times)


def jax_compile(machine: gough.Platform, steps: int) -> tuple[float, float] | None:
    """Seconds until the first answer of jit(grad) through all steps, and of the next; kernels from the cache."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    roll = gough.simulation.jax_rollout(machine, step=1e-3)
    home, hold = machine.home, gough.inverse_dynamics(machine, machine.home).force
    force = np.tile(hold, (steps, 1))

    def loss(effort: object) -> object:
        return (roll(home.position, home.rotation, effort)["position"][-1] ** 2).sum()

    slope, times = jax.jit(jax.grad(loss)), []
    for _ in range(2):
        start = time.perf_counter()
        slope(force).block_until_ready()
        times.append(time.perf_counter() - start)
    return times[0], times[1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=256)
    given = parser.parse_args()
    os.environ["GOUGH_THREADS"] = "1"
    machine = gough.load(MACHINE)
    stage = steps_programs("rk4", packed(machine).kinds, ())[0].program
    back = pulled_back(stage)
    print(f"{MACHINE}, RK4, {given.steps} steps, one thread")
    flops = [each.counts().flops for each in (stage, back)]
    print(
        f"operations of a stage {flops[0]:,}, of its slopes {flops[1]:,} ({flops[1] / flops[0]:.2f} x)"
    )
    cut = back_cut("rk4", packed(machine).kinds)
    assert cut is not None
    parts = [each.counts().flops for each in (cut.common, cut.leg, cut.joint)]
    print(f"by legs: shared {parts[0]}, of a leg {parts[1]}, joining them {parts[2]}")
    for runs in (1, given.runs):
        for every in (1, 50):
            roll, back_time, all_time = kernels(machine, given.steps, runs, every)
            print(
                f"{runs:4d} runs, a record every {every:2d} steps: rollout {roll:5.2f} us a step,"
                f" slopes over efforts and start {back_time / roll:.2f} x, over the machine too {all_time / roll:.2f} x"
            )
    compiled = jax_compile(machine, given.steps)
    if compiled is not None:
        print(
            f"jax.jit(jax.grad) through {given.steps} steps: {compiled[0]:.2f} s to the first answer,"
            f" then {compiled[1]:.3f} s"
        )


if __name__ == "__main__":
    main()
