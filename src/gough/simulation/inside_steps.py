"""Inside the steps of a fixed-step method: a step taken again with a part of its length, inputs and all.

At part 1 this is the step itself, so states inside are as good as the method: their error is of its order.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.simulation import driven
from gough.simulation.job import Job
from gough.simulation.lookout import Seen, Slots
from gough.simulation.programs import METHODS


class Between:
    """The steps from step k on, under one law.

    seen  all runs at these steps, for forces that depend on the motion; else None
    """

    def __init__(self, job: Job, k: int, law: Array, seen: Seen | None = None) -> None:
        self.job, self.k, self.seen = job, k, seen
        self.law = law if job.rows.laws else None

    def time(self, slots: Slots, part: Array) -> Array:
        """(E,) s."""
        return (self.k + slots.step + part) * self.job.step

    def states(self, slots: Slots, part: Array) -> Array:
        """(rows, E)."""
        if self.seen is not None:
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
        if self.seen is not None:
            return self._felt(slots, part)
        given = []
        for signal in (self.job.force, self.job.external):
            if signal is self.job.force and self.job.loop is not None:
                given.append(slots.command)  # held
                continue
            inside = zip(slots.run, slots.step, part, strict=True)
            each = ((run, signal.within(self.k + int(s), float(p))) for run, s, p in inside)
            values = [v[:, 0 if v.shape[1] == 1 else run] for run, v in each]
            given.append(np.stack(values, axis=1))
        return given[0], given[1]

    def _efforts(self, step: int) -> driven.Efforts:
        """Command and wrench on all runs in a step."""
        job, seen = self.job, self.seen
        given = driven.efforts(job.rows, job.force, job.external, job.batched)
        if job.loop is None or seen is None:
            return given
        return lambda t, X: (seen.command[step], given(t, X)[1])

    def _everyone(self, step: int, part: float) -> Array:
        """All runs inside a step."""
        assert self.seen is not None
        job, start = self.job, (self.k + step) * self.job.step
        given = start, self.seen.states[step], part * job.step, self._efforts(step), self.law
        with np.errstate(all="ignore"):
            return driven.step(job.rows, METHODS[job.method], *given)

    def _felt(self, slots: Slots, part: Array) -> tuple[Array, Array]:
        given = []
        for run, step, p in zip(slots.run, slots.step.tolist(), part.tolist(), strict=True):
            t = (self.k + step + p) * self.job.step
            both = self._efforts(step)(t, self._everyone(step, p))
            given.append([v[:, 0 if v.shape[1] == 1 else run] for v in both])
        return tuple(np.stack(values, axis=1) for values in zip(*given, strict=True))  # type: ignore[return-value]
