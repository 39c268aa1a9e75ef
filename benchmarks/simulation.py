"""Speed of forward dynamics, of the compiled integrators and of control loops, against Pinocchio and MuJoCo in the
same run.

python benchmarks/simulation.py [--runs 10000] [--duration 0.2] [--threads 1]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import gough
from gough.control import Decentralized
from gough.engines import native
from gough.engines.pack import kinds_of, parameters
from gough.layout import FORWARD, STATE
from gough.simulation import Evenly, leg_law, varied
from gough.simulation import compiled as kernels
from gough.simulation.state import Rows

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))


def best(function, repeats: int = 7) -> float:  # type: ignore[no-untyped-def]
    """Shortest of several processor times, s: the machine may be shared."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def forward_single(machine: gough.Platform) -> float:
    """One evaluation of forward dynamics in the compiled single-state kernel, s, called in a compiled loop."""
    from numba import njit

    compiled = native.kernel("forward", kinds_of(machine), "single")
    par = parameters(machine).copy()
    x, y = np.zeros(STATE.size + 12), np.zeros(FORWARD.size)
    x[STATE.position], x[STATE.rotation] = machine.home.position, machine.home.rotation.ravel()
    x[STATE.velocity] = x[STATE.angular_velocity] = 0.1
    x[STATE.size : STATE.size + 6] = gough.inverse_dynamics(machine, machine.home).force

    @njit
    def loop(n: int, x: np.ndarray, par: np.ndarray, y: np.ndarray) -> float:
        total = 0.0
        for _ in range(n):
            compiled(x, par, y)
            for k in range(
                18
            ):  # the whole state depends on the call before: nothing can be hoisted
                x[k] = x[k] + 1e-17 * y[k % 6]
            total += y[0]
        return total

    loop(1, x, par, y)
    n = 20_000
    return best(lambda: loop(n, x, par, y)) / n


def forward_pinocchio(machine: gough.Platform) -> float | None:
    """One call of pinocchio.constraintDynamics through its Python binding, s."""
    try:
        import pinocchio as pin

        from oracles.pinocchio_forward import PinocchioMotion
    except ImportError:
        return None
    m = PinocchioMotion(machine.replace(legs=[leg.replace(drive=None) for leg in machine.legs]))
    q = m.start()
    v, tau = np.zeros(m.engine.nv), np.zeros(m.engine.nv)
    model, data, loops, loop_data, settings = (
        m.engine.model,
        m.data,
        m.loops,
        m.loop_data,
        m.settings,
    )

    def run() -> None:
        for _ in range(500):
            pin.constraintDynamics(model, data, q, v, tau, loops, loop_data, settings)

    return best(run) / 500


def steps_per_second(
    machine: gough.Platform, runs: int, steps: int, threads: int, laws: bool
) -> float:
    """RK4 steps per second of many runs."""
    law = leg_law.leg_laws(machine, None, laws, runs)
    rows = Rows(machine, False, leg_law.in_use(law))
    rng = np.random.default_rng(0)
    motion = gough.Motion(
        machine.home.position + 1e-3 * rng.normal(size=(runs, 3)), machine.home.rotation
    )
    X = rows.start(motion, None)
    effort = gough.inverse_dynamics(machine, machine.home).force[None, :, None]
    still = np.zeros((1, 6, 1))
    compiled = kernels.load("rk4", rows.kinds, rows.laws)

    def run() -> None:
        kernels.advance(
            compiled,
            X.copy(),
            steps=steps,
            every=steps,
            step=1e-3,
            effort=effort,
            external=still,
            law=law,
            par=rows.par,
            workers=threads,
        )

    return runs * steps / best(run, 3)


def python_pd(machine: gough.Platform):  # type: ignore[no-untyped-def]
    """PD on each leg as a user writes it, and the same as a built-in controller."""
    built = Decentralized.from_bandwidth(machine, bandwidth=20.0, feed_forward=False)
    kp, kd, offset = built.kp, built.kd, built.offset

    def law(t, seen, wanted):  # type: ignore[no-untyped-def]
        return kp * (wanted.length - seen.length) + kd * (wanted.rate - seen.rate) + offset

    return law, built


def control_sample(
    machine: gough.Platform, controller, runs: int = 0, spread: float = 0.0
) -> float:  # type: ignore[no-untyped-def]
    """A sample at 1 kHz with its RK4 step, processor seconds per run: long run minus short run; `spread`: of the masses
    of machines that each run for themselves."""
    given: object = machine
    if spread:
        near = Evenly(1.0 - spread, 1.0 + spread, relative=True)
        given = varied(machine, {"body.mass": near}, runs)
    home, few, many = machine.home, (10, 110) if runs else (200, 2200), 5
    if spread:  # making 64 answers costs more than 1000 samples
        few = 200, 6200
    start = home
    if runs:
        shift = 1e-3 * np.random.default_rng(0).normal(size=(runs, 3))
        start = gough.Motion(home.position + shift, home.rotation)

    def cost(samples: int) -> float:
        begin = time.process_time()
        gough.simulate(
            given,
            start,
            duration=samples * 1e-3,
            controller=controller,
            reference=home,
            output=samples * 1e-3,
            reactions=False,
        )
        return time.process_time() - begin

    cost(10)
    spent = [min(cost(samples) for _ in range(many)) for samples in few]
    return (spent[1] - spent[0]) / (few[1] - few[0]) / max(runs, 1)


def mujoco_sample(machine: gough.Platform) -> float | None:
    """The same loop in MuJoCo's Python binding: PD on the six slides in NumPy, one step of its implicit method, s."""
    try:
        import mujoco
    except ImportError:
        return None
    from gough.export.mjcf import mjcf

    model = mujoco.MjModel.from_xml_string(mjcf(machine))
    model.opt.timestep = 1e-3
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    _, built = python_pd(machine)
    kp, kd, offset, wanted = built.kp, built.kd, built.offset, data.actuator_length.copy()

    def cost(samples: int) -> float:
        begin = time.process_time()
        for _ in range(samples):
            data.ctrl[:] = (
                kp * (wanted - data.actuator_length) - kd * data.actuator_velocity + offset
            )
            mujoco.mj_step(model, data)
        return time.process_time() - begin

    cost(10)
    return min(cost(500) for _ in range(5)) / 500


def first_simulation(name: str) -> float:
    """Processor seconds of the first `gough.simulate` of a process whose kernel cache is empty."""
    code = f"""import time, warnings; warnings.simplefilter("ignore"); import gough, numpy as np
p = gough.load({name!r}); gough.inverse_dynamics(p, p.home); start = time.process_time()
gough.simulate(p, p.home, duration=0.01, force=np.zeros(6)); print(time.process_time() - start)"""
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "GOUGH_CACHE": folder},
            check=True,
            capture_output=True,
            text=True,
        )
    return float(told.stdout)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--duration", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore", gough.ModelWarning)
    machine = gough.load("dasgupta-1998")
    own = forward_single(machine)
    print(f"forward dynamics, one state, compiled loop      {1e6 * own:8.2f} us")
    other = forward_pinocchio(machine)
    if other is not None:
        print(
            f"pinocchio.constraintDynamics, from Python       {1e6 * other:8.2f} us   ({other / own:.1f} x)"
        )
    steps = round(options.duration / 1e-3)
    for name, laws in (("dasgupta-1998", False), ("motion-base-1500", True)):
        speed = steps_per_second(gough.load(name), options.runs, steps, options.threads, laws)
        what = "with drives" if laws else "bare"
        print(
            f"RK4 steps/s per core, {options.runs} runs, {options.threads} thread(s), {name} {what}: {speed:,.0f}"
        )
    single = steps_per_second(machine, 1, 20_000, 1, False)
    print(f"RK4 step of one run {1e6 / single:.2f} us")
    base = gough.load("motion-base-1500")
    law, built = python_pd(base)
    peer = mujoco_sample(base)
    if peer is not None:
        print(f"closed loop, PD at 1 kHz, MuJoCo from Python      {1e6 * peer:8.1f} us a sample")
    for name, controller in (("PD in Python", law), ("compiled PD", built)):
        own = control_sample(base, controller)
        ratio = "" if peer is None else f"   ({peer / own:.1f} x)"
        print(f"closed loop, PD at 1 kHz, one run, {name:12}   {1e6 * own:8.1f} us a sample{ratio}")
    own = control_sample(base, built, options.runs)
    print(
        f"controlled RK4 steps/s, {options.runs} runs, drives and events: {1 / own:,.0f} per core"
    )
    own = control_sample(base, built, 64, spread=0.01)
    print(f"controlled RK4 steps/s, 64 machines side by side: {1 / own:,.0f} per core")
    print(
        f"first gough.simulate on an empty cache {first_simulation('dasgupta-1998'):.1f} CPU s (19.3 s before)"
    )


if __name__ == "__main__":
    main()
