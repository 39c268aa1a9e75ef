"""Simulations on the GPU, checked against the CPU and measured: `python benchmarks/gpu.py --simulation --out FILE`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import gough
from gough.control import Decentralized
from gough.engines import cuda
from gough.layout import STATE
from gough.simulation import leg_law, watch
from gough.simulation.closed_laws import REFERENCE, SENSED, parameters
from gough.simulation.cuda_kernel import Kernel
from gough.simulation.cuda_legs import fitted
from gough.simulation.cuda_writer import Form
from gough.simulation.events import Events
from gough.simulation.state import Rows
from gough.spatial import Motion
from oracles.device_cases import CASES, difference

STEP = 1e-3
MACHINE = "motion-base-1500"


def check(say: Any, steps: int) -> dict[str, Any]:
    """Largest relative difference of any variable of a run's Dataset on the GPU from the CPU's, by case."""
    worst: dict[str, Any] = {}
    for name, made in CASES.items():
        given, start = made(steps), time.perf_counter()
        try:
            wanted, found = (gough.simulate(**given, engine=e) for e in ("native", "cuda"))
            worst[name] = difference(found, wanted)
        except gough.InputError as error:
            worst[name] = f"{type(error).__name__}: {error}"
        say("checked", name, worst[name], f"{time.perf_counter() - start:.1f} s")
    return worst


class Measured:
    """A kernel with the machine's numbers, and arrays on the device for n runs near home."""

    def __init__(self, n: int, drives: bool, controlled: bool, watched: bool, **form: Any) -> None:
        cp, machine = cuda.cupy(), gough.load(MACHINE)
        law = leg_law.leg_laws(machine, None, drives, 1)
        rows = Rows(machine, False, leg_law.in_use(law))
        gains, of_law = None, None
        if controlled:
            controller = Decentralized.from_bandwidth(machine, bandwidth=30.0)
            kinds, gains = parameters("decentralized", controller, machine)
            of_law = "decentralized", kinds
        made = Form("rk4", rows.kinds, rows.laws, of_law, watched=watched, **form)
        self.kernel = Kernel(made if "lanes" in form else fitted(made, n))
        limits = np.append(rows.par, watch.numbers(machine, Events()))[None]
        self.kernel.hold(rows.par, law, limits, gains)
        home = machine.require_home()
        start = cp.asarray(rows.start(Motion.at_rest(home)[None], None))
        self.start = cp.repeat(start, n, axis=1)
        self.start[STATE.at("velocity") : STATE.size] += 0.02 * cp.random.default_rng(
            1
        ).standard_normal((6, n))
        self.n, self.rows, self.wanted = n, rows, np.zeros(REFERENCE.size)
        self.wanted[: STATE.size] = cp.asnumpy(start)[: STATE.size, 0]
        length = gough.inverse_kinematics(machine, home).length
        self.wanted[REFERENCE.leg_length] = length
        self.effort = gough.inverse_dynamics(machine, home).force
        self.controlled, self.watched = controlled, watched

    def arguments(self, steps: int) -> tuple[Any, ...]:
        """Of a launch from the start; nothing is recorded."""
        cp, n, rows = cuda.cupy(), self.n, self.rows
        self.X, self.bad = self.start.copy(), cp.zeros(n, dtype=np.int64)
        i, nothing, wrench = np.int64, cp.zeros(1), cp.zeros(6)
        every = steps + 1
        if self.controlled:
            every, out = steps, cp.empty((1, rows.size, n))
            more: list[Any] = [i(1), cp.asarray(self.wanted), i(0), i(1), i(1)]
            more += [cp.ones(n, dtype=bool), cp.zeros((SENSED.size, n)), cp.zeros((6, n))]
            more += [cp.empty((3, n)), cp.empty((1, 6, n)), nothing, i(0)]
        else:
            out, more = nothing, [cp.asarray(self.effort), i(1), i(1)]
        head = [i(n), i(0), i(steps), i(every), np.float64(STEP), self.X, wrench, i(1), i(1)]
        if self.watched:
            more += [cp.zeros((watch.MARKS.size, n), dtype=np.int64)]
            more += [cp.empty((watch.SLOTS, rows.size + 6, n))]
        return (*head, nothing, out, self.bad, *more)

    def seconds(self, steps: int, repeats: int = 5) -> float:
        """Of a launch, by device events; every run must still stand at its end."""
        cp, times = cuda.cupy(), []
        for _ in range(repeats):
            arguments = self.arguments(steps)
            begun, ended = cp.cuda.Event(), cp.cuda.Event()
            begun.record()
            self.kernel.launch(self.n, arguments)
            ended.record()
            ended.synchronize()
            times.append(cp.cuda.get_elapsed_time(begun, ended) * 1e-3)
        assert int((self.bad >= 0).sum()) == 0
        assert bool(cp.isfinite(self.X).all())
        return min(times)


def measure(say: Any, runs: int) -> dict[str, Any]:
    """Steps per second of all runs together; milliseconds of 4,096 environments over 1,000 controlled steps."""
    out: dict[str, Any] = {"machine": MACHINE, "runs": runs, "rk4_steps_per_second": {}}
    forms = {
        "drives off": (False, False, False),
        "drives off, limits watched": (False, False, True),
        "drives and stops": (True, False, False),
        "drives, stops, PD at every step": (True, True, False),
        "drives, stops, PD at every step, limits watched": (True, True, True),
    }
    for name, (drives, controlled, watched) in forms.items():
        n = min(runs, 200_000) if watched else runs
        rate = n * 100 / Measured(n, drives, controlled, watched).seconds(100)
        out["rk4_steps_per_second"][name] = rate
        say(f"{name}: {rate:.3e} steps/s of {n} runs")
    rate = runs * 100 / Measured(runs, False, False, False, single=True).seconds(100)
    out["rk4_steps_per_second"]["drives off, single precision"] = rate
    say(f"drives off, single precision: {rate:.3e} steps/s of {runs} runs")
    few: dict[str, float] = {}
    for name, drives in {"drives off": False, "drives and stops": True}.items():
        few[name] = 1e3 * Measured(4096, drives, True, False).seconds(1000)
        say(f"4096 runs, 1000 steps with PD at every step, {name}: {few[name]:.2f} ms")
    out["milliseconds_4096_runs_1000_controlled_steps"] = few
    return out
