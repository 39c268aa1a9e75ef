"""`simulate`: the machine in time, under forces or a controller, by any integrator."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array, InputError, number
from gough.engines.evaluate import check_platform
from gough.model import Platform
from gough.results import Spin
from gough.signals import Controller, Sampling
from gough.simulation import kernel, laws, routes
from gough.simulation.checkpoint import Checkpoints, fingerprint
from gough.simulation.dataset import Result, dataset
from gough.simulation.events import Events
from gough.simulation.fixed import FixedRun, Job, law_timeline
from gough.simulation.inputs import Input, Profile
from gough.simulation.laws import Fault, Springs
from gough.simulation.loop import ControlLoop
from gough.simulation.stages import ADAPTIVE
from gough.simulation.state import Rows, State, initial
from gough.spatial import Motion, Pose

if TYPE_CHECKING:
    from xarray import Dataset

DAE = ("hht", "generalized-alpha")
INTEGRATORS = (*kernel.METHODS, *ADAPTIVE, *DAE)
RECORDS = 200_000  # default number of recorded states of all runs together


def simulate(platform: Platform, state: State | Motion | Pose, *, duration: float, force: Input = None,
             controller: Controller | None = None, reference: Any = None, sampling: Sampling | None = None,
             external: Input = None, integrator: str = "rk4", step: float = 1e-3, output: float | None = None,
             spin: Spin | None = None, springs: Springs | None = None, drives: bool = True,
             faults: Sequence[Fault] = (), events: Events | None = None, reactions: bool | None = None,
             checkpoint: str | os.PathLike[str] | None = None, resume: bool = False,
             progress: Callable[[float], None] | None = None, rtol: float = 1e-10, atol: float = 1e-12) -> Dataset:
    """Simulate the machine from `state` for `duration` seconds.

    state       State, Motion or Pose; leading axes are runs that advance side by side
    force       efforts (6,), rows per step, (times, values), ``f(t)`` or ``f(t, motion)``; see `inputs.Profile`
    controller  ``(t, measurement, reference) -> command``, sampled as `sampling` says, with `reference` a
                trajectory, a pose (default: the start) or a function of time
    external    wrench on the platform at its reference point, platform axes; given like `force`
    integrator  "rk4", "lie", "semi-implicit" (compiled, `step`); "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"
                (SciPy, `rtol`, `atol`, one run); "hht", "generalized-alpha" (thirteen bodies, one run)
    output      interval of the records, s, a multiple of `step`; default: every step unless the runs are many
    springs     passive springs and dampers along the legs
    drives      friction, losses and limits of the legs' drives act; False: ideal force sources
    faults      `PowerLoss` and `Brake` at given times;  events  what to do when limits are passed
    reactions   joint reactions too (default: for a single run)
    checkpoint  folder in which finished pieces are kept; with ``resume=True`` a killed run goes on from there
    progress    called with the finished share, 0..1
    The answer's attribute ``status`` is "ok" or says why and when the run ended early; nothing is invented after.
    """
    check_platform(platform)
    _check_choice(integrator, force, controller)
    steps, step = grid(duration, step)
    motion, spin = initial(platform, state, spin)
    runs, batched = int(np.prod(motion.shape, dtype=int)), bool(motion.shape)
    every = _every(output, step, steps, runs)
    if integrator in DAE:
        return routes.dae(platform, motion, spin, force, external, duration=duration, step=step, method=integrator,
                          every=every, progress=progress, events=events or Events(),
                          extras=(springs, controller, tuple(faults), checkpoint, batched))
    law = laws.leg_laws(platform, springs, drives, runs)
    rows = Rows.of(platform, spin is not None, bool(faults) or not laws.is_plain(law))
    make = {"steps": steps, "step": step, "runs": runs, "batched": batched}
    job = Job(rows, rows.start(motion, spin), integrator, step, steps, every, Profile("force", force, **make),
              Profile("external", external, **make), law_timeline(law, tuple(faults), rows, step), events or Events(),
              batched=batched)
    if controller is not None:
        _attach(job, controller, sampling or Sampling(), reference, motion)
    elif sampling is not None or reference is not None:
        raise InputError("sampling" if sampling is not None else "reference", "given", "needs a controller")
    if integrator in ADAPTIVE:
        result = routes.adaptive(job, springs, rtol=rtol, atol=atol, checkpoint=checkpoint)
    else:
        mark = fingerprint(platform, job.X, integrator, step, steps, every, force, external, controller, sampling,
                           reference, law, list(faults), job.events)
        saved = None if checkpoint is None else Checkpoints(checkpoint, mark, resume)
        result = _fixed(job, springs, saved, progress)
    about = {"integrator": integrator, "step": step, "duration": float(duration), "drives": str(drives).lower()}
    if controller is not None:
        about["controller"] = type(controller).__name__
    return dataset(result, reactions=runs == 1 if reactions is None else reactions, attributes=about)


def grid(duration: float, step: float) -> tuple[int, float]:
    """Number of steps and their exact length: `duration` must be a whole number of steps."""
    T, h = number("duration", duration, above=0.0), number("step", step, above=0.0)
    steps = round(T / h)
    if steps < 1 or abs(steps * h - T) > 1e-9 * T:
        raise InputError("step", step, f"must divide the duration {T:g} s into whole steps")
    return steps, h


def _check_choice(integrator: str, force: Input, controller: Controller | None) -> None:
    if integrator not in INTEGRATORS:
        raise InputError("integrator", integrator, f"must be one of {', '.join(INTEGRATORS)}")
    if force is not None and controller is not None:
        raise InputError("force", "given", "give either force or controller")
    if controller is not None and integrator not in kernel.METHODS:
        raise InputError("integrator", integrator, f"controllers need one of {', '.join(kernel.METHODS)}")


def _every(output: float | None, step: float, steps: int, runs: int) -> int:
    if output is None:
        every = -(-steps * runs // RECORDS)
        while every < steps and steps % every:
            every += 1
        return max(1, min(every, steps))
    every = round(number("output", output, above=0.0) / step)
    if every < 1 or abs(every * step - output) > 1e-9 * output or steps % every:
        raise InputError("output", output, f"must be a multiple of the step {step:g} s that divides the duration")
    return every


def _attach(job: Job, controller: Controller, sampling: Sampling, reference: Any, start: Motion) -> None:
    period = round(1.0 / (sampling.rate * job.step))
    if period < 1 or abs(period * job.step * sampling.rate - 1.0) > 1e-9:
        raise InputError("sampling.rate", sampling.rate, f"its period must be a multiple of the step {job.step:g} s")
    samples = -(-job.steps // period)
    job.period = period
    job.loop = ControlLoop(job.rows, controller, sampling, reference, start, job.X, samples=samples,
                           period=period * job.step)


def _fixed(job: Job, springs: Springs | None, saved: Checkpoints | None,
           progress: Callable[[float], None] | None) -> Result:
    outcome = FixedRun(job).run(saved, progress)
    data: dict[str, Array] = outcome.records.arrays()
    time = data["index"] * job.step
    end = np.where(outcome.ended < 0, job.steps, outcome.ended) * job.step
    return Result(job.rows, time, data["state"], data["command"], data["external"], data["law"].astype(np.int64),
                  [law for _, law in job.laws], [r or "ok" for r in outcome.reason], end, springs, job.events,
                  job.batched)
