"""`simulate`: the machine in time, under forces or a controller, by any integrator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gough.checks import InputError, number
from gough.control.signals import Controller, Sampling
from gough.layout import STATE
from gough.model import Platform
from gough.results import Spin
from gough.simulation import driven, leg_law, moving_base
from gough.simulation.checkpoint import Checkpoints
from gough.simulation.dae import simulate_dae
from gough.simulation.dataset import dataset
from gough.simulation.fixed_run import FixedRun, law_timeline
from gough.simulation.identity import identity
from gough.simulation.inputs import Input, TimeSignal
from gough.simulation.integrators import adaptive
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.job import Finished, Job
from gough.simulation.loop import ControlLoop
from gough.simulation.machines import laws_of, machines_of
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
    platform: Platform | Sequence[Platform],
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

    platform    the machine, or one for each run (`simulation.varied` makes some): legs of the same kinds.  What a
                controller knows is its own ``model``, else the first machine: its legs' references are of that one
    state       State, Motion or Pose; leading axes are runs that advance side by side
    force       efforts (6,), rows per step, (times, values), ``f(t)`` or ``f(t, motion)``; see `inputs.TimeSignal`
    controller  ``(t, measurement, reference) -> command``, sampled as `sampling` says, with `reference` a
                trajectory, a pose (default: the start) or a function of time
    external    wrench on the platform at its reference point, platform axes; given like `force`
    integrator  "rk4", "lie", "semi-implicit" (compiled, `step`); "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"
                (SciPy, one run; `Adaptive` holds its tolerances); "hht", "generalized-alpha" (thirteen bodies, one run)
    plant       springs, drives, faults, events and a base that moves: see `Plant`
    record      output interval, reactions, checkpoint and progress: see `Record`
    fields      fields of plant, record and `Adaptive` given directly: ``drives=False``, ``output=0.01``, ``rtol=1e-9``
    What an integrator does not serve is refused: options.py holds the table.
    The answer's attribute ``status`` is "ok" or says why and when the run ended early; nothing is invented after.
    ``record_interval`` (s) says how far apart the records lie at which events are seen; see `Events`.
    """
    machines = machines_of(platform)
    settings = Settings.of(integrator, plant, record, dict(fields))
    plant = settings.plant
    if force is not None and controller is not None:
        raise InputError("force", "given", "give either force or controller")
    steps, step = grid(duration, step)
    motion, spin = initial(platform, state, spin)
    runs, batched = int(np.prod(motion.shape, dtype=int)), bool(motion.shape)
    drives = laws_of(machines, None, plant.drives, runs)
    settings.check(drives, controller=controller is not None, spin=spin is not None, runs=batched)
    law = laws_of(machines, plant.springs, plant.drives, runs)
    rows = Rows(platform, spin is not None, bool(plant.faults) or not leg_law.is_plain(law))
    rows.carried = moving_base.carrier(plant.base, runs)
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
        plant,
        batched,
    )
    if controller is not None:
        _attach(job, controller, sampling or Sampling(), reference, motion)
    elif sampling is not None or reference is not None:
        given = "sampling" if sampling is not None else "reference"
        raise InputError(given, "given", "needs a controller")
    if settings.integrator in METHODS:
        inputs = {"force": force, "external": external, "controller": controller}
        result = _fixed(job, settings, {**inputs, "sampling": sampling, "reference": reference})
    elif settings.tolerance is not None:
        result = _adaptive(job, settings)
    else:
        result = _bodies(job, settings, motion, spin)
    about = {"integrator": settings.integrator, "step": step, "duration": float(duration)}
    about["drives"] = str(plant.drives).lower()
    if plant.base is not None:
        about["base"] = "moves: motion and forces against it, in its axes; energies in the world"
    if controller is not None:
        about["controller"] = type(controller).__name__
    wanted = settings.record.reactions
    return dataset(result, reactions=runs == 1 if wanted is None else wanted, attributes=about)


def grid(duration: float, step: float) -> tuple[int, float]:
    """Number of steps and their exact length: `duration` must be a whole number of steps."""
    T, h = number("duration", duration, above=0.0), number("step", step, above=0.0)
    steps = round(T / h)
    if steps < 1 or abs(steps * h - T) > 1e-9 * T:
        raise InputError("step", step, f"must divide the duration {T:g} s into whole steps")
    return steps, h


def _every(output: float | None, step: float, steps: int, runs: int) -> int:
    """Steps between records; by default as few as RECORDS allow, whether or not they divide the run."""
    if output is None:
        return min(steps, -(-steps * runs // RECORDS))
    every = round(number("output", output, above=0.0) / step)
    if every < 1 or abs(every * step - output) > 1e-9 * output or steps % every:
        allowed = f"must be a multiple of the step {step:g} s that divides the duration"
        raise InputError("output", output, allowed)
    return every


def _attach(
    job: Job, controller: Controller, sampling: Sampling, reference: Any, start: Motion
) -> None:
    """Lay the control loop onto the job's steps."""
    period = round(1.0 / (sampling.rate * job.step))
    if period < 1 or abs(period * job.step * sampling.rate - 1.0) > 1e-9:
        allowed = f"its period must be a multiple of the step {job.step:g} s"
        raise InputError("sampling.rate", sampling.rate, allowed)
    play = job.rows.of_legs(lambda leg: 0.0 if leg.drive is None else leg.drive.backlash)
    if sampling.backlash and (play != play[:1]).any():
        allowed = "is served for machines with the same play only"
        raise InputError("sampling.backlash", True, allowed)
    job.period, count, T = period, -(-job.steps // period), period * job.step
    job.loop = ControlLoop(job.rows, controller, sampling, job.X, T)
    job.loop.follow(reference, start, count)


def _fixed(job: Job, settings: Settings, inputs: dict[str, Any]) -> Finished:
    """Compiled steps."""
    keep, saved = settings.record, None
    if keep.checkpoint is not None:
        numbers = (job.X, job.method, job.step, job.steps, job.every, job.laws)
        own = {"platform": job.rows.machines, "plant": job.plant, "run": numbers}
        saved = Checkpoints(keep.checkpoint, identity({**own, **inputs}, keep.version), keep.resume)
    return FixedRun(job).run(saved, keep.progress)


def _adaptive(job: Job, settings: Settings) -> Finished:
    """One run by SciPy, recorded on the grid; steps are not longer than the records' interval."""
    assert settings.tolerance is not None
    efforts = driven.efforts(job.rows, job.force, job.external, False)
    progress = settings.record.progress
    states, status = adaptive.integrate(job, settings.tolerance, efforts, progress)
    times = job.step * job.recorded
    given = [efforts(float(t), X) for t, X in zip(times, states, strict=True)]
    command, external = (np.stack([g[i] for g in given]) for i in range(2))
    end = job.recorded[np.isfinite(states).all(axis=(1, 2))][-1:]
    return Finished(job, job.recorded, states, command, external, [status], end)


def _bodies(job: Job, settings: Settings, motion: Motion, spin: Spin | None) -> Finished:
    """One run as a DAE of thirteen bodies; the legs' spins are part of its bodies and are not reported."""
    job = replace(job, rows=Rows(job.rows.platform, False, False))
    if job.rows.spins:
        allowed = "machines whose legs carry spin as state: use simulation.simulate_dae"
        raise InputError("integrator", settings.integrator, allowed)

    def of_motion(signal: TimeSignal) -> Any:
        return signal.constant[:, 0] if signal.held else lambda t, now: signal.stage(t, now)[:, 0]

    found = simulate_dae(
        job.rows.platform,
        motion,
        job.steps * job.step,
        job.step,
        force=of_motion(job.force),
        external=of_motion(job.external),
        spin=spin,
        method=settings.integrator,
        progress=settings.record.progress,
    )
    end = len(found.time) - 1
    index = job.recorded[job.recorded <= end]
    m = found.motion[index]
    states = np.empty((len(index), STATE.size, 1))
    for name in STATE.names:
        states[:, getattr(STATE, name), 0] = getattr(m, name).reshape(len(index), -1)
    wrench = [job.external.stage(k * job.step, m[i]) for i, k in enumerate(index.tolist())]
    status = OK if found.ok else found.status.at(end * job.step)
    command = found.force[index][..., None]
    return Finished(job, index, states, command, np.stack(wrench), [status], np.array([end]))
