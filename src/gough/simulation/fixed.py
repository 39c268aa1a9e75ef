"""A run at fixed steps: kernel calls between control samples, faults and records, cut into pieces for checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError
from gough.engines import native
from gough.engines.pack import parameters
from gough.simulation import events, kernel, laws, stages
from gough.simulation.checkpoint import Checkpoints
from gough.simulation.events import Events
from gough.simulation.inputs import Profile
from gough.simulation.loop import ControlLoop
from gough.simulation.state import Rows

CHUNK = 512  # steps between looks at events, progress and checkpoints
MEMORY = 64e6  # bytes of sampled inputs held at once


@dataclass(eq=False)
class Job:
    """Everything a run at fixed steps needs.

    laws    [(first step, leg laws)], the laws in force from that step on
    period  steps between control samples;  every  steps between records
    """

    rows: Rows
    X: Array
    method: str
    step: float
    steps: int
    every: int
    force: Profile
    external: Profile
    laws: list[tuple[int, Array]]
    events: Events
    loop: ControlLoop | None = None
    period: int = 1
    batched: bool = False


@dataclass(eq=False)
class Records:
    """What was recorded: step numbers, states (rows, n), commands and wrenches (6, n or 1), which laws held."""

    index: list[int] = field(default_factory=list)
    state: list[Array] = field(default_factory=list)
    command: list[Array] = field(default_factory=list)
    external: list[Array] = field(default_factory=list)
    law: list[int] = field(default_factory=list)

    def add(self, index: int, state: Array, command: Array, external: Array, law: int) -> None:
        """One instant."""
        n = state.shape[1]
        self.index.append(index)
        self.state.append(state.copy())
        self.command.append(np.array(np.broadcast_to(command, (6, n))))
        self.external.append(np.array(np.broadcast_to(external, (6, n))))
        self.law.append(law)

    def add_block(self, index: range, states: Array, command: Profile, external: Profile, law: int) -> None:
        """Instants that a kernel recorded by itself, (len(index), rows, n)."""
        n = states.shape[2]
        self.index += list(index)
        self.state += list(states)
        for kept, profile in ((self.command, command), (self.external, external)):
            if profile.held:
                kept += [np.broadcast_to(profile.constant, (6, n))] * len(index)
            else:
                kept += [np.broadcast_to(profile.at(k), (6, n)) for k in index]
        self.law += [law] * len(index)

    def arrays(self, start: int = 0) -> dict[str, Array]:
        """Stacked from record `start` on."""
        return {"index": np.array(self.index[start:], dtype=float), "state": np.array(self.state[start:]),
                "command": np.array(self.command[start:]), "external": np.array(self.external[start:]),
                "law": np.array(self.law[start:], dtype=float)}

    def extend(self, piece: dict[str, Array]) -> None:
        """Records of a finished piece."""
        self.index += [int(i) for i in piece["index"]]
        self.law += [int(i) for i in piece["law"]]
        self.state += list(piece["state"])
        self.command += list(piece["command"])
        self.external += list(piece["external"])


@dataclass(eq=False)
class Outcome:
    """Records, and per run the step at which it ended early (-1: it did not) and a sentence ("": it did not)."""

    records: Records
    ended: NDArray[np.int64]
    reason: list[str]


class FixedRun:
    """The running simulation; `pieces` of CHUNK steps can be saved and continued."""

    def __init__(self, job: Job) -> None:
        self.job, self.k, self.X = job, 0, job.X.copy()
        n = self.X.shape[1]
        self.records = Records()
        self.ended = np.full(n, -1, dtype=np.int64)
        self.reason = [""] * n
        self.command = np.zeros((6, n))
        self.compiled = None if self._feedback else kernel.load(job.rows.kinds, job.rows.laws)

    @property
    def _feedback(self) -> bool:
        return self.job.force.feedback or self.job.external.feedback

    def run(self, checkpoints: Checkpoints | None, progress: Callable[[float], None] | None) -> Outcome:
        """To the end, or until every run has ended."""
        job, piece = self.job, 0
        if checkpoints is not None:
            for saved in checkpoints.pieces():
                self._restore(saved)
                piece += 1
        while self.k < job.steps and (self.ended < 0).any():
            first = len(self.records.index)
            self._advance(min(job.steps, self.k + self._chunk()))
            if job.events.stops:
                self._check(first)
            if checkpoints is not None:
                checkpoints.save(piece, self._saved(first))
                piece += 1
            if progress is not None:
                progress(self.k / job.steps)
        return Outcome(self.records, self.ended, self.reason)

    def _chunk(self) -> int:
        job = self.job
        wide = max((p.runs if p.samples is None or p.samples.shape[2] > 1 else 1)
                   for p in (job.force, job.external))
        held = job.force.held and job.external.held
        room = CHUNK if held else max(1, int(MEMORY / (3 * 6 * 8 * wide)))
        unit = int(np.lcm(job.every, job.period if job.loop is not None else 1))
        return unit * max(1, min(CHUNK, room) // unit)

    def _law(self) -> int:
        return max(i for i, (start, _) in enumerate(self.job.laws) if start <= self.k)

    def _advance(self, end: int) -> None:
        """To step `end`, recording on the way; the record at a step holds the command from there on."""
        while self.k < end:
            job, law = self.job, self._law()
            if job.loop is not None and self.k % job.period == 0:
                self._control(law)
            if self.k % job.every == 0 and (not self.records.index or self.records.index[-1] < self.k):
                self._record(law)
            for stop, every in self._calls(end):
                self._step(stop, every, law)
        if self.k == self.job.steps and self.k % self.job.every == 0:
            self._record(self._law())

    def _record(self, law: int) -> None:
        job = self.job
        motion = stages.motion_of(job.rows, self.X, job.batched) if self._feedback else None
        command = self.command if job.loop is not None else job.force.at(self.k, motion)
        self.records.add(self.k, self.X, command, job.external.at(self.k, motion), law)

    def _calls(self, end: int) -> Iterator[tuple[int, int]]:
        """The next kernel call: where it stops and how often it records by itself (0: not)."""
        job, k = self.job, self.k
        for start, _ in job.laws:
            if k < start < end:
                end = start
        if job.loop is not None:
            end = min(end, (k // job.period + 1) * job.period)
        next_record = (k // job.every + 1) * job.every
        if job.loop is not None or self._feedback or k % job.every or end < next_record:
            yield min(end, next_record), 0
        else:
            yield k + (end - k) // job.every * job.every, job.every

    def _step(self, stop: int, every: int, law: int) -> None:
        job, count = self.job, stop - self.k
        if self.compiled is None:
            self._stages(stop, law)
            return
        effort = self.command[None] if job.loop is not None else job.force.chunk(self.k, count)
        out, bad = kernel.advance(
            self.compiled, job.method, self.X, steps=count, every=every or count, step=job.step, effort=effort,
            external=job.external.chunk(self.k, count), law=job.laws[law][1], par=parameters(job.rows.platform),
            workers=native.threads())
        if every:
            self.records.add_block(range(self.k + every, stop, every), out[:-1], job.force, job.external, law)
        self._mark(bad, self.k)
        self.k = stop

    def _stages(self, stop: int, law: int) -> None:
        job = self.job
        numbers = job.laws[law][1] if job.rows.laws else None

        def efforts(t: float, X: Array) -> tuple[Array, Array]:
            motion = stages.motion_of(job.rows, X, job.batched)
            return job.force.stage(t, motion), job.external.stage(t, motion)

        while self.k < stop:
            with np.errstate(all="ignore"):
                self.X = stages.step(job.rows, job.method, self.k * job.step, self.X, job.step, efforts, numbers)
            size = (self.X[:18] ** 2).sum(axis=0)
            self._mark(np.where(size < 1e12, -1, 1), self.k)
            self.k += 1

    def _mark(self, bad: NDArray[np.int64], base: int) -> None:
        """Runs whose state is no number, or beyond any machine, end here."""
        for run in np.nonzero((bad >= 0) & (self.ended < 0))[0]:
            self.ended[run] = base + bad[run]
            at = (base + int(bad[run])) * self.job.step
            self.reason[run] = f"{self._why(int(run))} at t = {at:.6g} s"

    def _why(self, run: int) -> str:
        states = (s[:18, run] for s in reversed(self.records.state))
        last = next((s for s in states if np.isfinite(s).all()), self.job.X[:18, run])
        reach = any(kind in ("pus", "rus") for kind in self.job.rows.kinds)
        if reach and np.abs(last).max() < 1e3:
            return "unreachable: a leg left its reach or met a dead point"
        return "diverged: the state grew beyond any bound"

    def _control(self, law: int) -> None:
        assert self.job.loop is not None
        try:
            k = self.k // self.job.period
            self.command = self.job.loop.update(k, self.X, self.job.laws[law][1], self.ended < 0)
        except InfeasibleError as error:
            for run in np.nonzero(self.ended < 0)[0]:
                self.ended[run] = self.k
                self.reason[run] = f"the controller could not go on at t = {self.k * self.job.step:.6g} s: {error}"

    def _check(self, first: int) -> None:
        """End runs at the first record of a stopping event."""
        if len(self.records.index) == first:
            return
        new = self.records.arrays(first)
        found = events.kinematics(self.job.rows, new["state"])
        for law in sorted({int(i) for i in new["law"]}):
            pick = new["law"] == law
            part = events.Kinematics(*(a[pick] for a in (found.length, found.rate, found.direction, found.condition)))
            flags = events.passed(self.job.rows, part, new["state"][pick], new["command"][pick],
                                  self.job.laws[law][1], self.job.events.condition)
            stops = events.first_stop(self.job.events, flags, self.X.shape[1])
            for run in np.nonzero((stops >= 0) & (self.ended < 0))[0]:
                at = int(new["index"][pick][stops[run]])
                names = [name for name, flag in flags.items()
                         if getattr(self.job.events, name) == "stop" and flag[stops[run], run].any()]
                self.ended[run] = at
                self.reason[run] = f"stopped by {', '.join(names)} at t = {at * self.job.step:.6g} s"

    def _saved(self, first: int) -> dict[str, Any]:
        memory = {} if self.job.loop is None else {f"memory_{k}": v for k, v in self.job.loop.memory.items()}
        return {**self.records.arrays(first), "k": np.array(self.k), "X": self.X, "held": self.command,
                "ended": self.ended, "reason": np.array(self.reason), **memory}

    def _restore(self, piece: dict[str, Array]) -> None:
        self.records.extend(piece)
        self.k, self.X, self.command = int(piece["k"]), piece["X"].copy(), piece["held"]
        self.ended, self.reason = piece["ended"].astype(np.int64), [str(r) for r in piece["reason"]]
        if self.job.loop is not None:
            self.job.loop.memory = {k[7:]: v for k, v in piece.items() if k.startswith("memory_")}


def law_timeline(job_laws: Array, faults: tuple[laws.Fault, ...], rows: Rows, step: float) -> list[tuple[int, Array]]:
    """Leg laws from step 0 on and after each fault."""
    out = [(0, job_laws)]
    for fault in sorted(faults, key=lambda f: f.time):
        at = round(fault.time / step)
        changed = laws.apply_fault(rows.platform, out[-1][1], fault)
        if at == out[-1][0]:
            out[-1] = (at, changed)
        else:
            out.append((at, changed))
    return out
