"""`simulate`: the machine in time, under forces or a controller, by any integrator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gough.checks import InputError, number
from gough.control.signals import Controller, Sampling
from gough.dynamics.laws import stops
from gough.engines.background import settled
from gough.extras import need
from gough.links import links
from gough.model import Platform
from gough.results import Spin
from gough.simulation import driven, leg_law, moving_base
from gough.simulation.adaptive_run import integrate
from gough.simulation.checkpoint import Checkpoints
from gough.simulation.dae import MEMBERS, simulate_dae
from gough.simulation.dataset import dataset
from gough.simulation.demand import BODIES, check_memory, check_step
from gough.simulation.demand import grid as grid
from gough.simulation.device import (
    OnDevice,
    check_engine,
    refuse_loop_on_device,
    refuse_on_device,
)
from gough.simulation.fixed_run import FixedRun, law_timeline
from gough.simulation.fleet import Prepared, simulate_each
from gough.simulation.identity import identity
from gough.simulation.inputs import Input, TimeSignal
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.job import Finished, Job
from gough.simulation.linked import check_controller
from gough.simulation.lookout import Lookout
from gough.simulation.loop import ControlLoop, sampled
from gough.simulation.machines import machines_of
from gough.simulation.options import INTEGRATORS as INTEGRATORS
from gough.simulation.options import Fields, Plant, Record, Settings
from gough.simulation.paths import Path, conclude, hermite, states_and_rates
from gough.simulation.programs import METHODS
from gough.simulation.state import Rows, State, initial
from gough.spatial import Motion, Pose
from gough.status import OK

if TYPE_CHECKING:
    from xarray import Dataset

RECORDS = 200_000  # default number of recorded states of all runs together


@settled()
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
    engine: str = "native",
    **fields: Unpack[Fields],
) -> Dataset:
    """Simulate the machine from `state` for `duration` seconds.

    platform    the machine, or one for each run (`simulation.varied` makes some; legs of the same kinds), each with its
                own limits and drives; the other arguments are those of a single run
    state       State, Motion or Pose; leading axes are runs that advance side by side
    force       efforts (6,), rows per step, (times, values), ``f(t)`` or ``f(t, motion)``; see `inputs.TimeSignal`
    controller  ``(t, measurement, reference) -> command``, sampled as `sampling` says, with `reference` a
                trajectory, a pose (default: the start) or a function of time
    external    wrench on the platform at its reference point, platform axes; given like `force`
    integrator  "rk4", "lie", "semi-implicit" (compiled, `step`); "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"
                (SciPy, one run; `Adaptive` holds its tolerances); "hht", "generalized-alpha" (thirteen bodies, one run)
    plant       springs, drives, faults, events and a base that moves: see `Plant`
    record      output interval, reactions, checkpoint and progress: see `Record`
    engine      "native", or "cuda": the steps of the compiled integrators on an NVIDIA GPU, a run per thread, with leg
                laws, faults, events and the built-in controllers; what it does not serve is refused (device.py)
    fields      fields of plant, record and `Adaptive` given directly: ``drives=False``, ``output=0.01``, ``rtol=1e-9``
    What an integrator does not serve is refused: options.py holds the table.
    A machine with fixed links starts on them and is put back onto them after every step; their entries of `force`, and
    of commands, are not read, and the answer's `force` holds the forces in them.
    The answer's attribute ``status`` is "ok" where the run reached its end and passed none of the ``limits_checked``
    at any step, whatever was recorded; else it says which limit it passed first, or why and when it ended early.
    Nothing is invented after the end.  ``events`` lists what was passed, and when: see `Events`.
    """
    options = {k: v for k, v in locals().items() if k not in ("platform", "state", "fields")}
    options |= fields
    need("xarray")
    if isinstance(platform, Platform):
        return _concluded(prepared(platform, state, **options))
    return simulate_each(prepared, _concluded, machines_of(platform), state, options)


def prepared(
    platform: Platform,
    state: State | Motion | Pose,
    *,
    duration: float,
    step: float,
    spin: Spin | None,
    integrator: str | Adaptive,
    plant: Plant | None,
    record: Record | None,
    force: Input,
    external: Input,
    controller: Controller | None,
    sampling: Sampling | None,
    reference: Any,
    engine: str,
    **fields: Any,
) -> Prepared:
    """The arguments of `simulate` checked, and the run laid out."""
    check_engine(engine)
    settings = Settings.of(integrator, plant, record, dict(fields))
    plant = settings.plant
    if force is not None and controller is not None:
        raise InputError("force", "given", "give either force or controller")
    steps, step = grid(duration, step)
    motion, spin = initial(platform, state, spin)
    runs, batched = int(np.prod(motion.shape, dtype=int)), bool(motion.shape)
    drives = leg_law.leg_laws(platform, None, plant.drives, runs)
    held = bool(len(links(platform).legs))
    asked = {"controller": controller is not None, "spin": spin is not None, "links": held}
    settings.check(drives, runs=batched, **asked)
    law = leg_law.leg_laws(platform, plant.springs, plant.drives, runs)
    timeline = law_timeline(law, plant.faults, platform, step)
    laws = leg_law.in_use(*(law for _, law in timeline))
    if plant.base is not None and "series" in laws:
        allowed = (
            "is not known beside elastic drives (drive.stiffness): drives=False, or rigid ones"
        )
        raise InputError("base", "given", allowed)
    rows = Rows(platform, spin is not None, laws)
    rows.carried = moving_base.carrier(plant.base, runs)
    every, told = _every(settings.record.output, step, steps, runs), settings.record.reactions
    reactions, samples = runs == 1 if told is None else told, steps if callable(reference) else 0
    if settings.integrator in MEMBERS:  # keeps all bodies at all steps
        check_memory(steps, 1, BODIES, 0, reactions)
    check_memory(-(-steps // every) + 1, runs, rows.size, samples, reactions)
    if laws and settings.integrator in METHODS:
        check_step(platform, METHODS[settings.integrator], step, timeline)
    make = {"steps": steps, "step": step, "runs": runs, "batched": batched}
    job = Job(
        rows,
        rows.start(motion, spin),
        settings.integrator,
        step,
        steps,
        every,
        TimeSignal("force", force, **make),
        TimeSignal("external", external, **make),
        timeline,
        plant,
        batched,
        engine=engine,
    )
    if engine == "cuda":
        refuse_on_device(job)
        if controller is not None:
            refuse_loop_on_device(controller, sampling or Sampling(), rows.spins)
    alone = {"sampling": sampling, "reference": reference, "loop": settings.record.loop}
    for name, given in alone.items() if controller is None else ():
        if given is not None:
            raise InputError(name, "given", "needs a controller")
    if controller is not None:
        told = settings.record.loop
        job.tell_loop = not batched if told is None else told
    inputs = {"force": force, "external": external, "controller": controller}
    inputs |= {"sampling": sampling, "reference": reference}
    about = {"integrator": settings.integrator, "step": step, "duration": float(duration)}
    return Prepared(job, settings, motion, spin, inputs, reactions, about)


def _concluded(given: Prepared, result: Finished | None = None) -> Dataset:
    """The answer; without a result the run is taken to its end first."""
    job, settings, plant = given.job, given.settings, given.settings.plant
    controller = given.inputs["controller"]
    if result is None:
        if controller is not None:
            sampling = given.inputs["sampling"] or Sampling()
            attach(job, controller, sampling, given.inputs["reference"], given.start)
        if settings.integrator in METHODS:
            result = _fixed(job, settings, given.inputs)
        elif settings.tolerance is not None:
            result = integrate(job, settings.tolerance, _efforts(job), settings.record.progress)
        else:
            result = _bodies(job, settings, given.start, given.spin)
    about = {**given.about, "drives": str(plant.drives).lower()}
    if plant.base is not None:
        about["base"] = "moves: motion and forces against it, in its axes; energies in the world"
    about["laws"] = ", ".join(job.rows.laws) or "none"
    if "stops" in job.rows.laws:
        about["stops"] = stops.words(job.rows.platform)
    if controller is not None:
        about["controller"] = type(controller).__name__
    return dataset(result, reactions=given.reactions, attributes=about)


def _every(output: float | None, step: float, steps: int, runs: int) -> int:
    """Steps between records; by default as few as RECORDS allow, whether or not they divide the run."""
    if output is None:
        return min(steps, -(-steps * runs // RECORDS))
    every = round(number("output", output, above=0.0) / step)
    if every < 1 or abs(every * step - output) > 1e-9 * output or steps % every:
        allowed = f"must be a multiple of the step {step:g} s that divides the duration"
        raise InputError("output", output, allowed)
    return every


def attach(
    job: Job, controller: Controller, sampling: Sampling, reference: Any, start: Motion
) -> None:
    """Lay the control loop onto the job's steps."""
    check_controller(job.rows.platform, controller, sampling)
    job.period = sampled(sampling, job.step)
    made = job.rows, controller, sampling, job.X, job.step, job.period
    asked = job.external.feedback or job.rows.carried is not None  # steps are taken in Python there
    loop = job.loop = ControlLoop(*made, python=asked)
    loop.follow(loop.reference(reference, start, job.samples))
    if job.engine == "native":
        loop.load(job.method, job.several)


def _fixed(job: Job, settings: Settings, inputs: dict[str, Any]) -> Finished:
    """Compiled steps."""
    keep, saved = settings.record, None
    if keep.checkpoint is not None:
        numbers = (job.X, job.method, job.step, job.steps, job.every, job.laws)
        own = {"platform": job.rows.platform, "plant": job.plant, "run": numbers}
        saved = Checkpoints(keep.checkpoint, identity({**own, **inputs}, keep.version), keep.resume)
    try:
        run = FixedRun(job) if job.engine == "native" else OnDevice(job)
        return run.run(saved, keep.progress)
    finally:
        if saved is not None:
            saved.close()


def _bodies(job: Job, settings: Settings, motion: Motion, spin: Spin | None) -> Finished:
    """One run as a DAE of thirteen bodies; the legs' spins are part of its bodies and are not reported."""
    job = replace(job, rows=Rows(job.rows.platform, False))
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
    X, rate = states_and_rates(found.motion)
    path = Path(job, found.time, partial(hermite, X, rate, job.step), _efforts(job))
    lookout, end = Lookout(job.rows, job.X, job.plant.events), len(X) - 1
    located = path.seen(lookout) if end else []
    status = OK if found.ok else found.status.at(end * job.step)
    kept = X[job.recorded[job.recorded <= end]][..., None]
    return conclude(job, kept, path.efforts, status, lookout, located)


def _efforts(job: Job) -> driven.Efforts:
    return driven.efforts(job.rows, job.force, job.external, False)
