"""Slopes of rollouts and single precision on the GPU, checked and measured: part of `gpu.py --simulation`."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from benchmarks.gpu_modes import device_seconds
from gough.engines import cuda
from gough.simulation import rollout
from gough.simulation.card_rollout import CardSteps, pull_arguments
from gough.simulation.cuda_kernel import whole
from gough.simulation.device_runs import DeviceRuns
from gough.simulation.state import Rows
from oracles.device_cases import CASES

MACHINE = "motion-base-1500"
STEP = 1e-3


def start(n: int) -> gough.Motion:
    """Runs at home, each with another small twist."""
    home, rng = gough.load(MACHINE).require_home(), np.random.default_rng(1)
    several = (np.repeat(a[None], n, axis=0) for a in (home.position, home.rotation))
    return gough.Motion(*several, *(0.02 * rng.normal(size=(2, n, 3))))


def check(say: Any, steps: int) -> dict[str, float]:
    """Largest difference of states and slopes of rollouts from the CPU's, relative to the largest of a kind."""
    machine, n = gough.load(MACHINE), 16
    hold = gough.inverse_dynamics(machine, machine.require_home()).force
    push = hold * (1.0 + 0.02 * np.random.default_rng(0).normal(size=(steps, n, 6)))
    made = [
        rollout(machine, start(n), push, every=steps // 20, engine=engine)
        for engine in ("native", "cuda")
    ]
    weight = np.random.default_rng(2).normal(size=made[0].position.shape)
    slopes = [run.slopes(position=weight, velocity=weight, parameters=True) for run in made]
    found = {"states": relative(*(run.rows for run in made))}
    for name in ("effort", "external", "rows", "parameters"):
        found[f"slopes over {name}"] = relative(*(getattr(each, name) for each in slopes))
    say(f"rollouts of {steps} steps", found)
    return found


def relative(wanted: np.ndarray, found: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def single(say: Any, steps: int) -> dict[str, float]:
    """Largest difference of runs in single precision from those in double: m, rad (of R), m/s, rad/s; and their way."""
    given, ends = CASES["falling rk4"](steps), {}
    for number in ("float64", "float32"):
        runs = DeviceRuns(given["platform"], given["state"], drives=False, number=number)
        begun, layout = cuda.cupy().asnumpy(runs.state), runs.layout
        runs.advance(steps, given["force"])
        ends[number] = cuda.cupy().asnumpy(runs.state)
    found = {}
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        rows = getattr(layout, name)
        a, b = ends["float64"][rows], ends["float32"][rows]
        found[name] = float(np.abs(a - b).max())
        found[f"change of {name}"] = float(np.abs(a - begun[rows]).max())
    say(f"single precision over {steps} steps", found)
    return found


def measure(say: Any, n: int, steps: int, every: int, parameters: bool) -> dict[str, float]:
    """Steps per second of rollouts and of their slopes, n runs of so many steps, arrays on the device."""
    cp, machine = cuda.cupy(), gough.load(MACHINE)
    rows, hold = Rows(machine, False), gough.inverse_dynamics(machine, machine.require_home()).force
    made, records = CardSteps("rk4", rows.kinds, STEP, every), steps // every + 1
    push = cp.random.default_rng(0).standard_normal((steps, 6, n))
    push = cp.asarray(hold)[None, :, None] * (1.0 + 0.02 * push)
    begun, wrench = cp.asarray(rows.start(start(n), None)), cp.zeros((1, 6, 1))
    told, lost = cp.empty((records, rows.size, n)), cp.empty(n, dtype=np.int64)
    told[0] = begun
    kernel = made.kernel(rows.par, n)

    def ahead() -> None:
        head = (*whole(n, 0, steps, every), np.float64(STEP), begun.copy(), wrench, *whole(1, 1))
        kernel.launch(n, (*head, cp.zeros(1), told[1:], lost, push, *whole(steps, n)))

    forward = device_seconds(ahead, 3)
    assert int((lost >= 0).sum()) == 0
    weight = cp.random.default_rng(3).standard_normal(told.shape)
    between = cp.empty((every if every > 1 else 0, rows.size, n))
    sizes = (steps, 6), (steps, 6), (rows.size,), (rows.par.size if parameters else 0,)
    out = [cp.empty((*size, n)) for size in sizes]
    back, given = made.kernel(rows.par, n, parameters), (told, push, wrench, weight)

    def backwards() -> None:
        back.launch(n, pull_arguments(made, given, (between, *out)))

    backward = device_seconds(backwards, 3)
    assert all(bool(cp.isfinite(a).all()) for a in out)
    found = {
        "rollout_steps_per_second": n * steps / forward,
        "slopes_steps_per_second": n * steps / backward,
        "gradients_per_second": n / backward,
        "slopes_over_rollout": backward / forward,
    }
    say(f"{n} runs of {steps} steps, a record every {every}, machine too: {parameters}", found)
    return found


def measures(say: Any) -> dict[str, Any]:
    """The sizes of docs/performance.md."""
    sizes = {
        "100,000 runs of 100 steps, all recorded": (100_000, 100, 1, False),
        "100,000 runs of 100 steps, all recorded, over the machine too": (100_000, 100, 1, True),
        "100,000 runs of 1,000 steps, every 50th recorded": (100_000, 1000, 50, False),
    }
    return {name: measure(say, *size) for name, size in sizes.items()}
