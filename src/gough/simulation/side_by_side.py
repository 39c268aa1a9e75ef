"""Runs of machines that differ, in the lanes of the same kernels; what follows a call of them is each run's own.

Where Python has to be asked on the way (feedback forces, controllers in Python, a base that moves), where the machines
differ in the laws of their legs or, behind encoders on the motors, in their backlash, and where all records together
would not fit, they go one after another: the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from gough.checks import Array
from gough.control.signals import Sampling
from gough.simulation import compiled
from gough.simulation.closed_laws import REFERENCE
from gough.simulation.demand import TOLD
from gough.simulation.fixed_run import FixedRun
from gough.simulation.job import Finished, Job
from gough.simulation.lookout import Lookout
from gough.simulation.loop import ControlLoop, sampled
from gough.simulation.programs import METHODS
from gough.simulation.state import Rows
from gough.spatial import Motion
from gough.system import memory

SHARE = 0.25  # of this machine's memory that all records, and all references, may need


class FleetRun(FixedRun):
    """All runs at once; `alone`: the same runs, whose arrays are columns of those here, each with its own machine."""

    def __init__(self, job: Job, jobs: Sequence[Job]) -> None:
        self.alone = [FixedRun(one) for one in jobs]
        super().__init__(job, _joined([run.lookout for run in self.alone]))
        for i, run in enumerate(self.alone):
            own = slice(i, i + 1)
            run.X, run.command, run.last = (
                self.X[:, own],
                self.command[:, :, own],
                self.last[:, own],
            )
            run.end_time, run.alive = self.end_time[own], self.alive[own]
            run.kept = {name: kept[:, :, own] for name, kept in self.kept.items()}

    def answers(self, progress: Callable[[float], None] | None) -> list[Finished]:
        """Of each run."""
        for run in self.alone:
            run._begin()
            if not run.alive[0]:  # its only record
                run.kept = {name: kept[:1].copy() for name, kept in run.kept.items()}
        while self.k < self.job.steps and self.alive.any():
            living = [run for run in self.alone if run.alive[0]]
            self._advance(min(self.job.steps, self.k + self._chunk()))
            for run in living:
                run.k, run.count = self.k, self.count
            if progress is not None:
                progress(self.k / self.job.steps)
        return [run._finished() for run in self.alone]

    def _digest(self, law: Array, bad: Any, refused: Array | None = None) -> None:
        for i, run in enumerate(self.alone):
            if not run.alive[0]:
                continue
            own = slice(i, i + 1)
            run.k, run.count = self.k, self.count
            mine = law if law.shape[2] == 1 else law[:, :, own]
            run._digest(mine, bad[own], None if refused is None else refused[:, own])


def _joined(each: Sequence[Lookout]) -> compiled.Watched:
    """What the kernels look at; the lookouts keep columns of it."""
    numbers = np.concatenate([one.numbers for one in each])
    marks = np.concatenate([one.marks for one in each], axis=1)
    before = np.concatenate([one.before for one in each], axis=2)
    for i, one in enumerate(each):
        one.marks, one.before = marks[:, i : i + 1], before[:, :, i : i + 1]
    return numbers, marks, before


def possible(jobs: Sequence[Job]) -> bool:
    """Nothing but a controller could keep them apart."""
    job = jobs[0]
    asked = job.force.feedback or job.external.feedback or job.rows.carried is not None
    kernels = {(one.rows.kinds, one.rows.laws) for one in jobs}
    need = 8.0 * len(jobs) * len(job.recorded) * (job.rows.size + TOLD)
    fixed = job.method in METHODS and not asked
    return len(jobs) > 1 and fixed and len(kernels) == 1 and need < SHARE * memory()


def fleet(
    jobs: Sequence[Job],
    controller: Any,
    sampling: Sampling,
    reference: Any,
    starts: Sequence[Motion],
) -> FleetRun | None:
    """The runs, not begun; None where their controller keeps them apart."""
    first = jobs[0]
    rows = Rows([job.rows.platform for job in jobs], first.rows.spins, first.rows.laws)
    X = np.concatenate([job.X for job in jobs], axis=1)
    laws = [
        np.concatenate(law, axis=2)
        for law in zip(*([a for _, a in j.laws] for j in jobs), strict=True)
    ]
    when = [start for start, _ in first.laws]
    whole = replace(first, rows=rows, X=X, laws=list(zip(when, laws, strict=True)), batched=True)
    if controller is None:
        return _run(whole, jobs)
    for job in (whole, *jobs):
        job.period = sampled(sampling, first.step)
        made = job.rows, controller, sampling, job.X, job.step, job.period
        job.loop = ControlLoop(*made)
    if not _followed(whole, jobs, reference, starts):
        for job in jobs:
            job.loop = None
        return None
    return _run(whole, jobs)


def _run(whole: Job, jobs: Sequence[Job]) -> FleetRun:
    """On the engine of the job."""
    if whole.engine == "native":
        return FleetRun(whole, jobs)
    from gough.simulation.device import DeviceFleet  # which imports this module

    return DeviceFleet(whole, jobs)


def _followed(whole: Job, jobs: Sequence[Job], reference: Any, starts: Sequence[Motion]) -> bool:
    """Lay the references out; False where they, or the controller, keep the runs apart."""
    loop = whole.loop
    assert loop is not None
    loops = [job.loop for job in jobs if job.loop is not None]
    plays = {tuple(one.play) for one in loops}
    samples = whole.samples if callable(reference) else 0
    need = 8.0 * len(jobs) * (samples + 1) * REFERENCE.size
    if not loop.compiled or len(plays) > 1 or need > SHARE * memory():
        return False
    shared = hasattr(loop.controller, "model") and reference is not None
    table = loops[0].reference(reference, starts[0], whole.samples)
    for one, start in zip(loops, starts, strict=True):
        same = shared or one is loops[0]
        one.follow(table if same else one.reference(reference, start, whole.samples))
    if not shared:
        table = copy(table)
        table.rows = np.concatenate([one.table.rows for one in loops], axis=2)
    loop.follow(table)
    if whole.engine == "native":
        loop.load(whole.method, whole.several)
    return True
