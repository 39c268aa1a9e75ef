"""Inside the steps of a fixed-step method: a step taken again with a part of its length, inputs and all.

At part 1 this is the step itself, so states inside are as good as the method: their error is of its order.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.simulation import driven
from gough.simulation.job import Job
from gough.simulation.lookout import Slots
from gough.simulation.programs import METHODS


class Between:
    """The steps from step k on, under one law.

    command  (6, n) held by a control loop, or None: the job's own force
    states   (K + 1, rows, n) of all runs at the steps, for forces that depend on the motion; else None
    """

    def __init__(
        self, job: Job, k: int, law: Array, command: Array | None, states: Array | None
    ) -> None:
        self.job, self.k, self.held, self.all = job, k, command, states
        self.law = law if job.rows.laws else None

    def time(self, slots: Slots, part: Array) -> Array:
        """(E,) s."""
        return (self.k + slots.step + part) * self.job.step

    def command(self, slots: Slots) -> Array:
        """(6, E) at the start of the steps."""
        return self.inputs(slots, np.zeros(len(slots.run)), slots.before)[0]

    def states(self, slots: Slots, part: Array) -> Array:
        """(rows, E)."""
        if self.all is not None:
            each = [self._everyone(int(s), float(p)) for s, p in zip(slots.step, part, strict=True)]
            return np.stack([X[:, run] for X, run in zip(each, slots.run, strict=True)], axis=1)
        job, start = self.job, (self.k + slots.step) * self.job.step
        law = self.law if self.law is None or self.law.shape[2] == 1 else self.law[:, :, slots.run]

        def efforts(t: Array, X: Array) -> tuple[Array, Array]:  # type: ignore[override]
            return self.inputs(slots, t / job.step - (self.k + slots.step), X)

        with np.errstate(all="ignore"):
            h = part * job.step
            return driven.step(job.rows, METHODS[job.method], start, slots.before, h, efforts, law)  # type: ignore[arg-type]

    def inputs(self, slots: Slots, part: Array, X: Array) -> tuple[Array, Array]:
        """(6, E) command and wrench on the runs at parts of their steps, in states X (rows, E)."""
        if self.all is not None:
            return self._felt(slots, part)
        given = []
        for signal in (self.job.force, self.job.external):
            if signal is self.job.force and self.held is not None:
                values = [self.held[:, run] for run in slots.run]
            else:
                inside = zip(slots.run, slots.step, part, strict=True)
                each = ((run, signal.within(self.k + int(s), float(p))) for run, s, p in inside)
                values = [v[:, 0 if v.shape[1] == 1 else run] for run, v in each]
            given.append(np.stack(values, axis=1))
        return given[0], given[1]

    def _everyone(self, step: int, part: float) -> Array:
        """All runs inside a step."""
        job = self.job
        assert self.all is not None
        efforts = driven.efforts(job.rows, job.force, job.external, job.batched)
        start, h = (self.k + step) * job.step, part * job.step
        with np.errstate(all="ignore"):
            return driven.step(
                job.rows, METHODS[job.method], start, self.all[step], h, efforts, self.law
            )

    def _felt(self, slots: Slots, part: Array) -> tuple[Array, Array]:
        job = self.job
        efforts = driven.efforts(job.rows, job.force, job.external, job.batched)
        given = []
        for run, step, p in zip(slots.run, slots.step, part, strict=True):
            t = (self.k + int(step) + float(p)) * job.step
            both = efforts(t, self._everyone(int(step), float(p)))
            given.append([v[:, 0 if v.shape[1] == 1 else run] for v in both])
        return tuple(np.stack(values, axis=1) for values in zip(*given, strict=True))  # type: ignore[return-value]
