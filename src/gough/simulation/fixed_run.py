"""A run at fixed steps: kernel calls between control samples, faults and records, cut into pieces for checkpoints."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError
from gough.engines import native
from gough.simulation import compiled, driven, events
from gough.simulation.checkpoint import Checkpoints
from gough.simulation.events import Events
from gough.simulation.inputs import TimeSignal
from gough.simulation.leg_law import Fault, apply_fault
from gough.simulation.loop import ControlLoop
from gough.simulation.programs import METHODS
from gough.simulation.state import BODY, Rows
from gough.status import OK, Status

CHUNK = 512  # steps between looks at events, progress and checkpoints
MEMORY = 64e6  # bytes of sampled inputs held at once
LOST = Status("unreachable", "unreachable: a leg left its reach or met a dead point")
DIVERGED = Status("diverged", "diverged: the state grew beyond any bound")


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
    force: TimeSignal
    external: TimeSignal
    laws: list[tuple[int, Array]]
    events: Events
    loop: ControlLoop | None = None
    period: int = 1
    batched: bool = False


class Records:
    """What was recorded: step numbers, states (K, rows, n), commands and wrenches (K, 6, n), which laws held."""

    def __init__(self, count: int, rows: int, n: int) -> None:
        self.count = 0
        self._kept = {
            "index": np.empty(count),
            "state": np.empty((count, rows, n)),
            "command": np.empty((count, 6, n)),
            "external": np.empty((count, 6, n)),
            "law": np.empty(count),
        }
        self.last = -1  # step of the newest record

    def add(self, index: int, *values: Array | int) -> None:
        """One instant: state (rows, n), command and wrench (6, n or 1), law."""
        for kept, value in zip(self._kept.values(), (index, *values), strict=True):
            kept[self.count] = value
        self.count, self.last = self.count + 1, index

    def add_block(
        self, index: range, states: Array, command: TimeSignal, external: TimeSignal, law: int
    ) -> None:
        """Instants that a kernel recorded by itself, (len(index), rows, n)."""
        if not len(index):
            return
        new = slice(self.count, self.count + len(index))
        kept = self._kept
        kept["index"][new], kept["state"][new], kept["law"][new] = index, states, law
        for name, signal in (("command", command), ("external", external)):
            if signal.held:
                kept[name][new] = signal.constant
            else:
                for at, k in zip(range(new.start, new.stop), index, strict=True):
                    kept[name][at] = signal.at(k)
        self.count, self.last = new.stop, index[-1]

    def arrays(self, start: int = 0) -> dict[str, Array]:
        """From record `start` on."""
        return {name: kept[start : self.count] for name, kept in self._kept.items()}

    def extend(self, piece: dict[str, Array]) -> None:
        """Records of a finished piece."""
        new = slice(self.count, self.count + len(piece["index"]))
        for name, kept in self._kept.items():
            kept[new] = piece[name]
        self.count = new.stop
        self.last = int(self._kept["index"][new.stop - 1]) if new.stop else -1


@dataclass(eq=False)
class Outcome:
    """Records, and per run the step at which it ended early (-1: it did not) and how it ended."""

    records: Records
    ended: NDArray[np.int64]
    status: list[Status]


class FixedRun:
    """The running simulation; `pieces` of CHUNK steps can be saved and continued."""

    def __init__(self, job: Job) -> None:
        self.job, self.k, self.X = job, 0, job.X.copy()
        n = self.X.shape[1]
        self.records = Records(job.steps // job.every + 1, *self.X.shape)
        self.ended, self.alive = np.full(n, -1, dtype=np.int64), np.ones(n, dtype=bool)
        self.status, self.some_ended = [OK] * n, False
        self.command = np.zeros((6, n))
        self.feedback = job.force.feedback or job.external.feedback
        self.compiled = (
            None if self.feedback else compiled.load(job.method, job.rows.kinds, job.rows.laws)
        )
        self.starts = [start for start, _ in job.laws]
        self.workers = native.threads()

    def run(
        self, checkpoints: Checkpoints | None, progress: Callable[[float], None] | None
    ) -> Outcome:
        """To the end, or until every run has ended."""
        job, piece = self.job, 0
        if checkpoints is not None:
            for saved in checkpoints.pieces():
                self._restore(saved)
                piece += 1
        while self.k < job.steps and self.alive.any():
            first = self.records.count
            self._advance(min(job.steps, self.k + self._chunk()))
            if job.events.stops:
                self._check(first)
            if checkpoints is not None:
                checkpoints.save(piece, self._saved(first))
                piece += 1
            if progress is not None:
                progress(self.k / job.steps)
        return Outcome(self.records, self.ended, self.status)

    def _chunk(self) -> int:
        job = self.job
        wide = max(
            (p.runs if p.samples is None or p.samples.shape[2] > 1 else 1)
            for p in (job.force, job.external)
        )
        held = job.force.held and job.external.held
        room = CHUNK if held else max(1, int(MEMORY / (3 * 6 * 8 * wide)))
        unit = int(np.lcm(job.every, job.period if job.loop is not None else 1))
        return unit * max(1, min(CHUNK, room) // unit)

    def _law(self) -> int:
        return bisect_right(self.starts, self.k) - 1

    def _advance(self, end: int) -> None:
        """To step `end`, recording on the way; the record at a step holds the command from there on."""
        job = self.job
        while self.k < end:
            law = self._law()
            if job.loop is not None and self.k % job.period == 0:
                self._control(law)
            if self.k % job.every == 0 and self.records.last < self.k:
                self._record(law)
            self._step(*self._call(end), law)
        if self.k == job.steps and self.k % job.every == 0:
            self._record(self._law())

    def _record(self, law: int) -> None:
        job = self.job
        motion = driven.motion_of(job.rows, self.X, job.batched) if self.feedback else None
        command = self.command if job.loop is not None else job.force.at(self.k, motion)
        self.records.add(self.k, self.X, command, job.external.at(self.k, motion), law)

    def _call(self, end: int) -> tuple[int, int]:
        """The next kernel call: where it stops and how often it records by itself (0: not)."""
        job, k = self.job, self.k
        for start in self.starts:
            if k < start < end:
                end = start
        if job.loop is not None:
            end = min(end, (k // job.period + 1) * job.period)
        following = (k // job.every + 1) * job.every
        if job.loop is not None or self.feedback or k % job.every or end < following:
            return min(end, following), 0
        return k + (end - k) // job.every * job.every, job.every

    def _step(self, stop: int, every: int, law: int) -> None:
        job, count = self.job, stop - self.k
        if self.compiled is None:
            self._stages(stop, law)
            return
        effort = self.command[None] if job.loop is not None else job.force.chunk(self.k, count)
        out, bad = compiled.advance(
            self.compiled,
            self.X,
            steps=count,
            every=every or count,
            step=job.step,
            effort=effort,
            external=job.external.chunk(self.k, count),
            law=job.laws[law][1],
            par=job.rows.par,
            workers=self.workers,
        )
        if every:
            self.records.add_block(
                range(self.k + every, stop, every), out[:-1], job.force, job.external, law
            )
        self._mark(bad, self.k)
        self.k = stop

    def _stages(self, stop: int, law: int) -> None:
        job = self.job
        numbers = job.laws[law][1] if job.rows.laws else None

        def efforts(t: float, X: Array) -> tuple[Array, Array]:
            motion = driven.motion_of(job.rows, X, job.batched)
            return job.force.stage(t, motion), job.external.stage(t, motion)

        while self.k < stop:
            with np.errstate(all="ignore"):
                self.X = driven.step(
                    job.rows,
                    METHODS[job.method],
                    self.k * job.step,
                    self.X,
                    job.step,
                    efforts,
                    numbers,
                )
                size = (self.X[BODY] ** 2).sum(axis=0)
            self._mark(np.where(size < compiled.LARGEST, -1, 1), self.k)
            self.k += 1

    def _end(self, run: int | np.intp, step: int, code: str, sentence: str) -> None:
        """A run ends early."""
        self.ended[run], self.alive[run], self.some_ended = step, False, True
        self.status[run] = Status(code, sentence)

    def _mark(self, bad: NDArray[np.int64], base: int) -> None:
        """Runs whose state is no number, or beyond any machine, end here."""
        if bad[0] < 0 and (len(bad) == 1 or bad.max() < 0):
            return
        for run in np.nonzero((bad >= 0) & self.alive)[0]:
            why, step = self._why(int(run)), base + int(bad[run])
            self._end(run, step, why.code, why.at(step * self.job.step))

    def _why(self, run: int) -> Status:
        states = self.records.arrays()["state"][:, BODY, run]
        finite = np.nonzero(np.isfinite(states).all(axis=1))[0]
        last = states[finite[-1]] if len(finite) else self.job.X[BODY, run]
        reach = any(kind in ("pus", "rus") for kind in self.job.rows.kinds)
        return LOST if reach and np.abs(last).max() < 1e3 else DIVERGED

    def _control(self, law: int) -> None:
        assert self.job.loop is not None
        try:
            k = self.k // self.job.period
            alive = None if not self.some_ended else self.alive
            self.command = self.job.loop.update(k, self.X, self.job.laws[law][1], alive)
        except InfeasibleError as error:
            at = self.k * self.job.step
            for run in np.nonzero(self.alive)[0]:
                self._end(
                    run,
                    self.k,
                    "controller",
                    f"the controller could not go on at t = {at:.6g} s: {error}",
                )

    def _check(self, first: int) -> None:
        """End runs at the first record of a stopping event."""
        if self.records.count == first:
            return
        new = self.records.arrays(first)
        found = events.kinematics(self.job.rows, new["state"])
        for law in sorted({int(i) for i in new["law"]}):
            pick = new["law"] == law
            part = events.Kinematics(
                *(a[pick] for a in (found.length, found.rate, found.direction, found.condition))
            )
            flags = events.passed(
                self.job.rows,
                part,
                new["state"][pick],
                new["command"][pick],
                self.job.laws[law][1],
                self.job.events.condition,
            )
            stops = events.first_stop(self.job.events, flags, self.X.shape[1])
            for run in np.nonzero((stops >= 0) & self.alive)[0]:
                at = int(new["index"][pick][stops[run]])
                names = [
                    name
                    for name, flag in flags.items()
                    if getattr(self.job.events, name) == "stop" and flag[stops[run], run].any()
                ]
                self._end(
                    run,
                    at,
                    "stopped",
                    f"stopped by {', '.join(names)} at t = {at * self.job.step:.6g} s",
                )

    def _saved(self, first: int) -> dict[str, Any]:
        memory = (
            {}
            if self.job.loop is None
            else {f"memory_{k}": v for k, v in self.job.loop.memory.items()}
        )
        return {
            **self.records.arrays(first),
            "k": np.array(self.k),
            "X": self.X,
            "held": self.command,
            "ended": self.ended,
            "code": np.array([s.code for s in self.status]),
            "status": np.array([str(s) for s in self.status]),
            **memory,
        }

    def _restore(self, piece: dict[str, Array]) -> None:
        self.records.extend(piece)
        self.k, self.X, self.command = int(piece["k"]), piece["X"].copy(), piece["held"]
        self.ended, self.alive = piece["ended"].astype(np.int64), piece["ended"] < 0
        self.some_ended = not self.alive.all()
        self.status = [
            Status(str(c), str(s)) for c, s in zip(piece["code"], piece["status"], strict=True)
        ]
        if self.job.loop is not None:
            self.job.loop.memory = {k[7:]: v for k, v in piece.items() if k.startswith("memory_")}


def law_timeline(
    job_laws: Array, faults: Sequence[Fault], rows: Rows, step: float
) -> list[tuple[int, Array]]:
    """Leg laws from step 0 on and after each fault."""
    out = [(0, job_laws)]
    for fault in sorted(faults, key=lambda f: f.time):
        at = round(fault.time / step)
        changed = apply_fault(rows.platform, out[-1][1], fault)
        if at == out[-1][0]:
            out[-1] = (at, changed)
        else:
            out.append((at, changed))
    return out
