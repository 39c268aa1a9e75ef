"""`simulate`: the machine in time, under forces or a controller, by any integrator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gough.checks import Array, InputError, number
from gough.control.signals import Controller, Sampling
from gough.engines.evaluate import check_platform
from gough.layout import STATE
from gough.model import Platform
from gough.results import Spin
from gough.simulation import driven, leg_law
from gough.simulation.checkpoint import Checkpoints, fingerprint
from gough.simulation.dae import simulate_dae
from gough.simulation.dataset import Result, dataset
from gough.simulation.fixed_run import FixedRun, Job, law_timeline
from gough.simulation.inputs import Input, TimeSignal
from gough.simulation.integrators import adaptive
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.loop import ControlLoop
from gough.simulation.options import INTEGRATORS as INTEGRATORS
from gough.simulation.options import Fields, Plant, Record, Settings
from gough.simulation.programs import METHODS
from gough.simulation.state import Rows, State, initial
from gough.spatial import Motion, Pose
from gough.status import OK

if TYPE_CHECKING:
    from xarray import Dataset

RECORDS = 200_000  # default number of recorded states of all runs together


def simulate(
    platform: Platform,
    state: State | Motion | Pose,
    *,
    duration: float,
    force: Input = None,
    controller: Controller | None = None,
    reference: Any = None,
    sampling: Sampling | None = None,
    external: Input = None,
    integrator: str | Adaptive = "rk4",
    step: float = 1e-3,
    spin: Spin | None = None,
    plant: Plant | None = None,
    record: Record | None = None,
    **fields: Unpack[Fields],
) -> Dataset:
    """Simulate the machine from `state` for `duration` seconds.

    state       State, Motion or Pose; leading axes are runs that advance side by side
    force       efforts (6,), rows per step, (times, values), ``f(t)`` or ``f(t, motion)``; see `inputs.TimeSignal`
    controller  ``(t, measurement, reference) -> command``, sampled as `sampling` says, with `reference` a
                trajectory, a pose (default: the start) or a function of time
    external    wrench on the platform at its reference point, platform axes; given like `force`
    integrator  "rk4", "lie", "semi-implicit" (compiled, `step`); "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"
                (SciPy, one run; `Adaptive` holds its tolerances); "hht", "generalized-alpha" (thirteen bodies, one run)
    plant       springs, drives, faults and events: see `Plant`
    record      output interval, reactions, checkpoint and progress: see `Record`
    fields      fields of plant, record and `Adaptive` given directly: ``drives=False``, ``output=0.01``, ``rtol=1e-9``
    What an integrator does not serve is refused: options.py holds the table.
    The answer's attribute ``status`` is "ok" or says why and when the run ended early; nothing is invented after.
    """
    check_platform(platform)
    settings = Settings.of(integrator, plant, record, dict(fields))
    plant = settings.plant
    if force is not None and controller is not None:
        raise InputError("force", "given", "give either force or controller")
    steps, step = grid(duration, step)
    motion, spin = initial(platform, state, spin)
    runs, batched = int(np.prod(motion.shape, dtype=int)), bool(motion.shape)
    drives = leg_law.leg_laws(platform, None, plant.drives, runs)
    settings.check(drives, controller=controller is not None, spin=spin is not None, runs=batched)
    law = leg_law.leg_laws(platform, plant.springs, plant.drives, runs)
    rows = Rows(platform, spin is not None, bool(plant.faults) or not leg_law.is_plain(law))
    make = {"steps": steps, "step": step, "runs": runs, "batched": batched}
    job = Job(
        rows,
        rows.start(motion, spin),
        settings.integrator,
        step,
        steps,
        _every(settings.record.output, step, steps, runs),
        TimeSignal("force", force, **make),
        TimeSignal("external", external, **make),
        law_timeline(law, plant.faults, rows, step),
        plant.events,
        batched=batched,
    )
    if controller is not None:
        _attach(job, controller, sampling or Sampling(), reference, motion)
    elif sampling is not None or reference is not None:
        raise InputError(
            "sampling" if sampling is not None else "reference", "given", "needs a controller"
        )
    if settings.integrator in METHODS:
        mark = fingerprint(
            platform,
            job.X,
            settings.integrator,
            step,
            steps,
            job.every,
            force,
            external,
            controller,
            sampling,
            reference,
            law,
            list(plant.faults),
            job.events,
        )
        result = _fixed(job, settings, mark)
    elif settings.tolerance is not None:
        result = _adaptive(job, settings)
    else:
        result = _bodies(job, settings, motion, spin)
    about = {
        "integrator": settings.integrator,
        "step": step,
        "duration": float(duration),
        "drives": str(plant.drives).lower(),
    }
    if controller is not None:
        about["controller"] = type(controller).__name__
    reactions = settings.record.reactions
    return dataset(
        result, reactions=runs == 1 if reactions is None else reactions, attributes=about
    )


def grid(duration: float, step: float) -> tuple[int, float]:
    """Number of steps and their exact length: `duration` must be a whole number of steps."""
    T, h = number("duration", duration, above=0.0), number("step", step, above=0.0)
    steps = round(T / h)
    if steps < 1 or abs(steps * h - T) > 1e-9 * T:
        raise InputError("step", step, f"must divide the duration {T:g} s into whole steps")
    return steps, h


def _every(output: float | None, step: float, steps: int, runs: int) -> int:
    if output is None:
        every = -(-steps * runs // RECORDS)
        while every < steps and steps % every:
            every += 1
        return max(1, min(every, steps))
    every = round(number("output", output, above=0.0) / step)
    if every < 1 or abs(every * step - output) > 1e-9 * output or steps % every:
        raise InputError(
            "output", output, f"must be a multiple of the step {step:g} s that divides the duration"
        )
    return every


def _attach(
    job: Job, controller: Controller, sampling: Sampling, reference: Any, start: Motion
) -> None:
    period = round(1.0 / (sampling.rate * job.step))
    if period < 1 or abs(period * job.step * sampling.rate - 1.0) > 1e-9:
        raise InputError(
            "sampling.rate",
            sampling.rate,
            f"its period must be a multiple of the step {job.step:g} s",
        )
    samples = -(-job.steps // period)
    job.period = period
    job.loop = ControlLoop(
        job.rows,
        controller,
        sampling,
        reference,
        start,
        job.X,
        samples=samples,
        period=period * job.step,
    )


def _fixed(job: Job, settings: Settings, mark: str) -> Result:
    """Compiled steps."""
    keep = settings.record
    saved = None if keep.checkpoint is None else Checkpoints(keep.checkpoint, mark, keep.resume)
    outcome = FixedRun(job).run(saved, keep.progress)
    data: dict[str, Array] = outcome.records.arrays()
    end = np.where(outcome.ended < 0, job.steps, outcome.ended) * job.step
    return Result(
        job.rows,
        data["index"] * job.step,
        data["state"],
        data["command"],
        data["external"],
        data["law"].astype(np.int64),
        [law for _, law in job.laws],
        outcome.status,
        end,
        settings.plant.springs,
        job.events,
        job.batched,
    )


def _adaptive(job: Job, settings: Settings) -> Result:
    """One run by SciPy, recorded on the grid; steps are not longer than the records' interval."""
    assert settings.tolerance is not None
    time = job.step * np.arange(0, job.steps + 1, job.every, dtype=np.float64)

    def efforts(t: float, X: Array) -> tuple[Array, Array]:
        motion = driven.motion_of(job.rows, X, False)
        return job.force.stage(t, motion), job.external.stage(t, motion)

    states, status = adaptive.integrate(
        job.rows,
        settings.tolerance,
        job.X,
        time,
        efforts,
        job.laws[0][1] if job.rows.laws else None,
        job.every * job.step,
        settings.record.progress,
    )
    given = [efforts(float(t), X) for t, X in zip(time, states, strict=True)]
    command, external = (np.stack([g[i] for g in given]) for i in range(2))
    end = float(time[np.isfinite(states).all(axis=(1, 2))][-1])
    return Result(
        job.rows,
        time,
        states,
        command,
        external,
        np.zeros(len(time), dtype=np.int64),
        [job.laws[0][1]],
        [status],
        np.array([end]),
        settings.plant.springs,
        job.events,
        False,
    )


def _bodies(job: Job, settings: Settings, motion: Motion, spin: Spin | None) -> Result:
    """One run as a DAE of thirteen bodies; the legs' spins are part of its bodies and are not reported."""
    if Rows(job.rows.platform, False, False).spins:
        raise InputError(
            "integrator",
            settings.integrator,
            "machines whose legs carry spin as state: use simulation.simulate_dae",
        )
    rows = Rows(job.rows.platform, False, False)

    def of_motion(signal: TimeSignal) -> Any:
        return signal.constant[:, 0] if signal.held else lambda t, now: signal.stage(t, now)[:, 0]

    found = simulate_dae(
        rows.platform,
        motion,
        job.steps * job.step,
        job.step,
        force=of_motion(job.force),
        external=of_motion(job.external),
        spin=spin,
        method=settings.integrator,
        progress=settings.record.progress,
    )
    time, m = found.time[:: job.every], found.motion[:: job.every]
    states = np.empty((len(time), STATE.size, 1))
    for name in STATE.names:
        states[:, getattr(STATE, name), 0] = getattr(m, name).reshape(len(time), -1)
    wrench = np.stack([job.external.stage(float(t), m[k]) for k, t in enumerate(time)])
    end = float(found.time[-1])
    status = OK if found.ok else found.status.at(end)
    return Result(
        rows,
        time,
        states,
        found.force[:: job.every][..., None],
        wrench,
        np.zeros(len(time), dtype=np.int64),
        [job.laws[0][1]],
        [status],
        np.array([end]),
        None,
        job.events,
        False,
    )
