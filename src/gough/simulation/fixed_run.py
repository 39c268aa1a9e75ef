"""A run at fixed steps: kernel calls between control samples, faults and records, cut into pieces for checkpoints."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError
from gough.engines import native
from gough.simulation import compiled, driven, events
from gough.simulation.checkpoint import Checkpoints
from gough.simulation.job import Finished, Job
from gough.simulation.leg_law import Fault
from gough.simulation.machines import faulty
from gough.simulation.programs import METHODS
from gough.simulation.state import BODY, Rows
from gough.status import OK, Status

CHUNK = 512  # steps between looks at events, progress and checkpoints
MEMORY = 64e6  # bytes of sampled inputs held at once
LOST = "unreachable", "unreachable: a leg left its reach or met a dead point"
DIVERGED = "diverged", "diverged: the state grew beyond any bound"


class FixedRun:
    """The running simulation; pieces of about CHUNK steps can be saved and continued.

    k, X, command  step reached, its state (rows, n) and the command (6, n) held since the last control sample
    kept, count    records: states, commands and wrenches (K, ., n), and how many of them are filled
    ended, status  per run the last step whose state stands (-1: still running) and how it ended
    """

    def __init__(self, job: Job) -> None:
        self.job, self.k, self.X, self.count = job, 0, job.X.copy(), 0
        rows, n = self.X.shape
        self.recorded = job.recorded
        self.due = [*self.recorded.tolist(), -1]  # the step of record `count`; -1: no more
        widths = {"state": rows, "command": 6, "external": 6}
        self.kept = {name: np.empty((len(self.recorded), w, n)) for name, w in widths.items()}
        self.ended, self.status = np.full(n, -1, dtype=np.int64), [OK] * n
        self.alive, self.some_ended = np.ones(n, dtype=bool), False
        self.command = np.zeros((6, n))
        self.feedback = job.force.feedback or job.external.feedback or bool(job.rows.carried)
        kernel = job.method, job.rows.kinds, job.rows.laws
        self.compiled = None if self.feedback else compiled.load(*kernel, machines=job.rows.several)
        self.starts = [start for start, _ in job.laws]
        self.workers = native.threads()

    def run(
        self, checkpoints: Checkpoints | None, progress: Callable[[float], None] | None
    ) -> Finished:
        """To the end, or until every run has ended."""
        job, piece = self.job, 0
        for saved in checkpoints.pieces() if checkpoints is not None else ():
            self._restore(saved)
            piece += 1
        while self.k < job.steps and self.alive.any():
            first = self.count
            self._advance(min(job.steps, self.k + self._chunk()))
            if job.plant.events.stops and self.count > first:
                self._stop(first)
            if checkpoints is not None:
                checkpoints.save(piece, self._saved(first))
                piece += 1
            if progress is not None:
                progress(self.k / job.steps)
        X, command, wrench = (kept[: self.count] for kept in self.kept.values())
        end = np.where(self.ended < 0, job.steps, self.ended)
        return Finished(job, self.recorded[: self.count], X, command, wrench, self.status, end)

    def _chunk(self) -> int:
        job = self.job
        signals = (job.force, job.external)
        wide = max(p.runs if p.samples is None or p.samples.shape[2] > 1 else 1 for p in signals)
        held = job.force.held and job.external.held
        room = CHUNK if held else max(1, int(MEMORY / (3 * 6 * 8 * wide)))
        unit = int(np.lcm(job.every, job.period if job.loop is not None else 1))
        return unit * max(1, min(CHUNK, room) // unit)

    def _law(self) -> Array:
        """The leg laws in force from this step on."""
        return self.job.laws[bisect_right(self.starts, self.k) - 1][1]

    def _advance(self, end: int) -> None:
        """To step `end`, recording on the way; the record at a step holds the command from there on."""
        job = self.job
        while self.k < end:
            if job.loop is not None and self.k % job.period == 0:
                self._control()
            if self.k == self.due[self.count]:
                self._record()
            self._step(*self._call(end))
        if self.k == job.steps:
            self._record()

    def _record(self) -> None:
        """One instant."""
        job, at = self.job, self.count
        motion = driven.motion_of(job.rows, self.X, job.batched) if self.feedback else None
        self.kept["state"][at] = self.X
        held = job.loop is not None
        self.kept["command"][at] = self.command if held else job.force.at(self.k, motion)
        self.kept["external"][at] = job.external.at(self.k, motion)
        self.count += 1

    def _record_block(self, states: Array) -> None:
        """Instants that a kernel recorded by itself, (K, rows, n)."""
        new = slice(self.count, self.count + len(states))
        self.kept["state"][new] = states
        for name, signal in (("command", self.job.force), ("external", self.job.external)):
            if signal.held:
                self.kept[name][new] = signal.constant
            else:
                for at in range(new.start, new.stop):
                    self.kept[name][at] = signal.at(self.due[at])
        self.count = new.stop

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

    def _step(self, stop: int, every: int) -> None:
        job, count, law = self.job, stop - self.k, self._law()
        if self.compiled is None:
            self._stages(stop, law)
            return
        effort = self.command[None] if job.loop is not None else job.force.chunk(self.k, count)
        out, bad = compiled.advance(
            self.compiled,
            self.X,
            count,
            every or count,
            job.step,
            effort=effort,
            external=job.external.chunk(self.k, count),
            law=law,
            par=job.rows.par,
            workers=self.workers,
        )
        if every:
            self._record_block(out[:-1])
        self._mark(bad, self.k)
        self.k = stop

    def _stages(self, stop: int, law: Array) -> None:
        job = self.job
        given = driven.efforts(job.rows, job.force, job.external, job.batched)
        inputs = given if job.loop is None else lambda t, X: (self.command, given(t, X)[1])
        numbers, method = law if job.rows.laws else None, METHODS[job.method]
        while self.k < stop:
            now = self.k * job.step
            with np.errstate(all="ignore"):
                self.X = driven.step(job.rows, method, now, self.X, job.step, inputs, numbers)
                size = (self.X[BODY] ** 2).sum(axis=0)
            self._mark(np.where(size < compiled.LARGEST, -1, 1), self.k)
            self.k += 1

    def _end(self, run: int | np.intp, step: int, code: str, what: str, why: str = "") -> None:
        """A run ends early: its state at `step` is the last that stands."""
        self.ended[run], self.alive[run], self.some_ended = step, False, True
        self.status[run] = Status(code, f"{what} t = {step * self.job.step:.6g} s{why}")

    def _mark(self, bad: NDArray[np.int64], base: int) -> None:
        """Runs whose state is no number, or beyond any machine, end a step before."""
        if bad[0] < 0 and (len(bad) == 1 or bad.max() < 0):
            return
        for run in np.nonzero((bad >= 0) & self.alive)[0]:
            code, sentence = self._why(run)
            self._end(run, base + int(bad[run]) - 1, code, f"{sentence} after")

    def _why(self, run: int | np.intp) -> tuple[str, str]:
        states = self.kept["state"][: self.count, BODY, run]
        finite = np.nonzero(np.isfinite(states).all(axis=1))[0]
        last = states[finite[-1]] if len(finite) else self.job.X[BODY, run]
        reach = any(kind in ("pus", "rus") for kind in self.job.rows.kinds)
        return LOST if reach and np.abs(last).max() < 1e3 else DIVERGED

    def _control(self) -> None:
        """A new command; runs whose controller gives up, or answers no number, end here."""
        assert self.job.loop is not None
        k, alive = self.k // self.job.period, self.alive if self.some_ended else None
        try:
            self.command = self.job.loop.update(k, self.X, self._law(), alive)
            lost = self.job.loop.lost
        except InfeasibleError as error:
            lost = dict.fromkeys(np.flatnonzero(self.alive).tolist(), str(error))
        for run, why in lost.items():
            if self.alive[run]:
                self._end(
                    run, self.k, "controller", "the controller could not go on at", f": {why}"
                )
        if isfinite(np.vdot(self.command, self.command)):
            return
        names = self.job.rows.platform.leg_names
        for run in np.nonzero(~np.isfinite(self.command).all(axis=0) & self.alive)[0]:
            leg = int(np.nonzero(~np.isfinite(self.command[:, run]))[0][0])
            what = f"the controller asked leg {names[leg]} for {self.command[leg, run]}"
            self._end(run, self.k, "controller", f"{what}, which is no effort, at")

    def _stop(self, first: int) -> None:
        """End runs at the first record, from `first` on, of a stopping event."""
        job, new = self.job, slice(first, self.count)
        state, index = self.kept["state"][new], self.recorded[new]
        found = events.kinematics(job.rows, state)
        flags = events.passed(job, found, index, state, self.kept["command"][new])
        flags = {k: flag for k, flag in flags.items() if getattr(job.plant.events, k) == "stop"}
        stops = events.first_stop(flags, self.X.shape[1])
        earlier = self.alive | (
            index[stops] <= self.ended
        )  # a run may have diverged after its event
        for run in np.nonzero((stops >= 0) & earlier)[0]:
            names = [name for name, flag in flags.items() if flag[stops[run], run].any()]
            self._end(run, int(index[stops[run]]), "stopped", f"stopped by {', '.join(names)} at")

    def _saved(self, first: int) -> dict[str, Any]:
        """A piece: its records from `first` on, and where it stopped."""
        records = {name: kept[first : self.count] for name, kept in self.kept.items()}
        memory = {} if self.job.loop is None else self.job.loop.memory
        return {
            **records,
            "k": np.array(self.k),
            "X": self.X,
            "held": self.command,
            "ended": self.ended,
            "code": np.array([s.code for s in self.status]),
            "status": np.array([str(s) for s in self.status]),
            **{f"memory_{name}": value for name, value in memory.items()},
        }

    def _restore(self, piece: dict[str, Array]) -> None:
        new = slice(self.count, self.count + len(piece["state"]))
        for name, kept in self.kept.items():
            kept[new] = piece[name]
        self.count = new.stop
        self.k, self.X, self.command = int(piece["k"]), piece["X"].copy(), piece["held"]
        self.ended, self.alive = piece["ended"].astype(np.int64), piece["ended"] < 0
        self.some_ended = not self.alive.all()
        told = zip(piece["code"], piece["status"], strict=True)
        self.status = [Status(str(code), str(sentence)) for code, sentence in told]
        if self.job.loop is not None:
            self.job.loop.memory = {k[7:]: v for k, v in piece.items() if k.startswith("memory_")}


def law_timeline(
    law: Array, faults: Sequence[Fault], rows: Rows, step: float
) -> list[tuple[int, Array]]:
    """Leg laws from step 0 on and after each fault."""
    out = {0: law}
    for fault in sorted(faults, key=lambda f: f.time):
        law = faulty(rows.machines, law, fault)
        out[round(fault.time / step)] = law
    return list(out.items())
