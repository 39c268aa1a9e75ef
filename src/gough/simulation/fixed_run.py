"""A run at fixed steps: kernel calls between control samples, faults and records, cut into pieces for checkpoints."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError
from gough.engines import native
from gough.guard import OVERTURNED, sprung
from gough.model import Platform
from gough.simulation import compiled, driven, events
from gough.simulation.checkpoint import Checkpoints
from gough.simulation.events import Passed
from gough.simulation.inside_steps import Between
from gough.simulation.job import Finished, Job
from gough.simulation.leg_law import Fault, apply_fault
from gough.simulation.lookout import Lookout, Seen
from gough.simulation.loop import TOLD, ControlLoop
from gough.simulation.programs import METHODS
from gough.simulation.state import BODY
from gough.status import OK, Status
from gough.struts import CARRIED

CHUNK = 512  # steps between looks at events, progress and checkpoints
MEMORY = 64e6  # bytes of sampled inputs held at once
LOOP_KEEPS = ("state", "command", "measured")  # records that the compiled loop makes by itself
LOST = "unreachable", "unreachable: a leg left its reach or met a dead point"
DIVERGED = "diverged", "diverged: the state grew beyond any bound"


class FixedRun:
    """The running simulation; pieces of about CHUNK steps can be saved and continued.

    k, X, command  step reached, its state (rows, n) and the command (1, 6, n) that a controller's drives hold
    kept, count    records: states, commands and wrenches (K, ., n), and how many of them are filled
    end_time       per run the last instant whose state stands, s (infinite: still running); `status` says how it ended
    last           state, command and wrench at a stopping event, (rows + 12, n); else NaN
    """

    def __init__(self, job: Job, watched: compiled.Watched | None = None) -> None:
        """`watched`: what the kernels look at, where others look after it."""
        self.job, self.k, self.X, self.count = job, 0, job.X.copy(), 0
        rows, n = self.X.shape
        self.recorded = job.recorded
        self.due = [*self.recorded.tolist(), -1]  # the step of record `count`; -1: no more
        widths = {"state": rows, "command": 6, "external": 6, "measured": TOLD * job.tell_loop}
        self.kept = {name: np.empty((len(self.recorded), w, n)) for name, w in widths.items()}
        self.end_time, self.status = np.full(n, np.inf), [OK] * n
        self.last = np.full((rows + 12, n), np.nan)
        if watched is None:
            self.lookout = Lookout(job.rows, self.X, job.plant.events)
        self.watched = watched or self.lookout.watched
        self.alive, self.some_ended = np.ones(n, dtype=bool), False
        self.command = np.zeros((1, 6, n))  # as the kernels take it: held
        self.feedback = job.force.feedback or job.external.feedback or bool(job.rows.carried)
        self.still = job.external.chunk(0, 1) if job.external.held else None
        self.loop_kept = [self.kept[name] for name in LOOP_KEEPS]
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
        if not piece:
            self._begin()
        while self.k < job.steps and self.alive.any():
            first = self.count
            self._advance(min(job.steps, self.k + self._chunk()))
            if checkpoints is not None:
                checkpoints.save(piece, self._saved(first))
                piece += 1
            if progress is not None:
                progress(self.k / job.steps)
        return self._finished()

    def _chunk(self) -> int:
        job = self.job
        signals = (job.force, job.external)
        wide = max(p.runs if p.samples is None or p.samples.shape[2] > 1 else 1 for p in signals)
        held = job.force.held and job.external.held
        each = 8 * self.X.size if self.feedback else 0 if held else 3 * 6 * 8 * wide
        return CHUNK if not each else max(1, min(CHUNK, int(MEMORY / each)))

    def _law(self) -> Array:
        """The leg laws in force from this step on."""
        return self.job.laws[bisect_right(self.starts, self.k) - 1][1]

    def _advance(self, end: int) -> None:
        """To step `end`, recording on the way; the record at a step holds the command from there on."""
        job = self.job
        while self.k < end:
            if job.loop is not None:
                self._closed(job.loop, min([s for s in self.starts if s > self.k] + [end]))
                continue
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
        self.kept["command"][at] = self.command[0] if held else job.force.at(self.k, motion)
        self.kept["external"][at] = job.external.at(self.k, motion)
        if job.loop is not None and job.tell_loop:
            self.kept["measured"][at] = job.loop.memory["sensed"][:TOLD]
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
        following = (k // job.every + 1) * job.every
        if self.feedback or k % job.every or end < following:
            return min(end, following), 0
        return k + (end - k) // job.every * job.every, job.every

    def _step(self, stop: int, every: int) -> None:
        job, count, law = self.job, stop - self.k, self._law()
        if self.feedback:
            self._stages(stop, law)
            return
        both = job.force.chunk(self.k, count), job.external.chunk(self.k, count)
        given = {"effort": both[0], "external": both[1], "law": law}
        more: dict[str, Any] = {"workers": self.workers, "watch": self.watched}
        span = self.X, count, every or count, job.step
        kernel = compiled.load(job.method, job.rows.kinds, job.rows.laws, machines=job.several)
        out, bad = compiled.advance(kernel, *span, par=job.rows.par, **given, **more)
        if every:
            self._record_block(out[:-1])
        self._digest(law, bad)
        self.k = stop

    def _digest(self, law: Array, bad: NDArray[np.int64], refused: Array | None = None) -> None:
        """What a call of the kernels from step k on answered: commands that are no number, states that are none, and
        what was seen."""
        for run in () if refused is None else np.nonzero((refused[0] >= 0) & self.alive)[0]:
            step, leg, value = refused[:, run]  # type: ignore[index]
            if bad[run] < 0 or self.k + bad[run] > step:
                self._refuse(run, int(step), int(leg), float(value))
        self._mark(bad, self.k)
        if self.lookout.saw:
            self._see(Between(self.job, self.k, law))

    def _stages(self, stop: int, law: Array) -> None:
        job, first = self.job, self.k
        given = driven.efforts(job.rows, job.force, job.external, job.batched)
        inputs = given if job.loop is None else lambda t, X: (self.command[0], given(t, X)[1])
        numbers, method = law if job.rows.laws else None, METHODS[job.method]
        states, commands = [self.X], list[Array]()

        def told(t: float, X: Array) -> tuple[Array, Array]:
            both = inputs(t, X)
            if len(commands) < len(states):  # that of the step's first stage
                commands.append(both[0])
            return both

        while self.k < stop:
            now = self.k * job.step
            with np.errstate(all="ignore"):
                self.X = driven.step(job.rows, method, now, self.X, job.step, told, numbers)
                size = (self.X[BODY] ** 2).sum(axis=0)
            self._mark(np.where(size < compiled.LARGEST, -1, 1), self.k)
            self.k += 1
            states.append(self.X)
        commands = [np.broadcast_to(u, (6, self.X.shape[1])) for u in commands]
        seen = Seen.of(
            job.rows, np.stack(states), np.stack(commands), np.full(len(commands), job.step), law
        )
        self.lookout.look(seen)
        if self.lookout.saw:
            self._see(Between(job, first, law, seen))

    def _see(self, between: Between) -> None:
        """Events of the steps just taken; those that stop end their runs."""
        for event, slot, part, state in self.lookout.drain(between):
            if event.time <= self.end_time[event.run]:  # it may have ended before
                self.lookout.found.append(event)
                if event.action(self.job.plant.events) == "stop":
                    self._stop(event, [state, *between.inputs(slot, part, state)])

    def _begin(self) -> None:
        """Runs that start beyond a limit whose event stops them."""
        for event in self.lookout.found:
            if event.action(self.job.plant.events) == "stop" and self.alive[event.run]:
                self._stop(event, [self.X[:, event.run, None]])
        if not self.alive.any():
            self._record()

    def _stop(self, event: Passed, last: list[Array]) -> None:
        rows, run = np.concatenate(last)[:, 0], event.run
        self._end(run, event.time, event.stopped(self.job.rows.platform))
        self.last[: len(rows), run] = rows

    def _end(self, run: int | np.intp, time: float, status: Status) -> None:
        """A run ends early: its state at `time` is the last that stands."""
        self.end_time[run], self.alive[run], self.some_ended = time, False, True
        self.status[run] = status

    def _finished(self) -> Finished:
        """The records; of a single run that an event stopped those up to the event, and the event's."""
        job, keep = self.job, slice(self.count)
        index, (*kept, measured) = self.recorded[keep], [kept[keep] for kept in self.kept.values()]
        time, end = (
            index.astype(np.float64) * job.step,
            np.minimum(self.end_time, job.steps * job.step),
        )
        if not job.batched and self.status[0].code == "stopped" and end[0] > 0.0:
            before = time < end[0]
            last = np.split(self.last[None], np.cumsum([a.shape[1] for a in kept])[:-1], axis=1)
            kept = [np.concatenate([a[before], b]) for a, b in zip(kept, last, strict=True)]
            unread = np.full((1, *measured.shape[1:]), np.nan)
            measured = np.concatenate([measured[before], unread])
            index = np.append(index[before], int(end[0] / job.step))
            time = np.append(time[before], end)
        last = self.last[: len(self.X)]
        for run in np.flatnonzero(self.alive):
            told = [event for event in self.lookout.found if event.run == run]
            self.status[run] = events.limits_status(job.rows.platform, told)
        X, command, wrench = kept
        ended = self.status, end, last, self.lookout
        return Finished(job, index, time, X, command, wrench, *ended, measured)

    def _mark(self, bad: NDArray[np.int64], base: int) -> None:
        """Runs whose state is no number, or beyond any machine, end a step before."""
        if bad[0] < 0 and (len(bad) == 1 or bad.max() < 0):
            return
        for run in np.nonzero((bad >= 0) & self.alive)[0]:
            code, sentence = self._why(run)
            end = (base + int(bad[run]) - 1) * self.job.step
            self._end(run, end, Status(code, f"{sentence} after t = {end:.6g} s"))

    def _why(self, run: int | np.intp) -> tuple[str, str]:
        states = self.kept["state"][: self.count, BODY, run]
        finite = np.nonzero(np.isfinite(states).all(axis=1))[0]
        last = states[finite[-1]] if len(finite) else self.job.X[BODY, run]
        reach = any(kind.split("_")[0].upper() in CARRIED for kind in self.job.rows.kinds)
        code, why = LOST if reach and np.abs(last).max() < 1e3 else DIVERGED
        return code, f"{why}, or {OVERTURNED}" if sprung(self.job.rows.platform) else why

    def _closed(self, loop: ControlLoop, end: int) -> None:
        """Under a controller to step `end` with one set of leg laws; asked in Python it goes sample by sample."""
        law, period = self._law(), self.job.period
        while self.k < end:
            stop = end
            if not loop.compiled:
                if self.k % period == 0:
                    self._ask(loop, law)
                stop = min(end, (self.k // period + 1) * period)
            if self.feedback:
                self._closed_stages(loop, stop, law)
            else:
                self._samples(loop, stop, law)

    def _samples(self, loop: ControlLoop, stop: int, law: Array) -> None:
        """One call of the compiled loop."""
        job, first = self.job, self.k
        low, high = self.count, self.count - (-stop // job.every) + (-first // job.every)
        external = self.still if self.still is not None else job.external.chunk(first, stop - first)
        given = self.X, self.command, self.alive, law, external, self.loop_kept, low, job.every
        bad, refused = loop.run(first, stop, *given, self.workers, self.watched)
        while self.count < high:
            self.kept["external"][self.count] = job.external.at(self.due[self.count])
            self.count += 1
        if not loop.quiet:
            self._digest(law, bad, refused)
        self.k = stop

    def _closed_stages(self, loop: ControlLoop, end: int, law: Array) -> None:
        """The same where the outside wrench depends on the motion."""
        while self.k < end:
            loop.before(self.k, self.command, law)
            if self.k == self.due[self.count]:
                self._record()
            self._stages(self.k + 1, law)
            loop.after(self.k, self.X, self.command, self.alive)

    def _ask(self, loop: ControlLoop, law: Array) -> None:
        """A new command; runs whose controller gives up, or answers no number, end here."""
        job, now = self.job, self.k * self.job.step
        try:
            alive = self.alive if self.some_ended else None
            command = loop.ask(self.k // job.period, law, job.external, alive)
            lost = loop.lost
        except InfeasibleError as error:
            command = loop.memory["asked"]
            lost = dict.fromkeys(np.flatnonzero(self.alive).tolist(), str(error))
        for run, why in lost.items():
            if self.alive[run]:
                what = f"the controller could not go on at t = {now:.6g} s: {why}"
                self._end(run, now, Status("controller", what))
        if not self.feedback:  # the compiled loop looks at commands
            return
        for run in np.nonzero(~np.isfinite(command).all(axis=0) & self.alive)[0]:
            leg = int(np.nonzero(~np.isfinite(command[:, run]))[0][0])
            self._refuse(run, self.k, leg, command[leg, run])

    def _refuse(self, run: int | np.intp, step: int, leg: int, value: float) -> None:
        """A command that is no number."""
        name, time = self.job.rows.platform.leg_names[leg], step * self.job.step
        what = f"the controller asked leg {name} for {value}, which is no effort"
        self._end(run, time, Status("controller", f"{what}, at t = {time:.6g} s"))

    def _saved(self, first: int) -> dict[str, Any]:
        """A piece: its records from `first` on, and where it stopped."""
        records = {name: kept[first : self.count] for name, kept in self.kept.items()}
        memory = {} if self.job.loop is None else self.job.loop.memory
        return {
            **records,
            "k": np.array(self.k),
            "X": self.X,
            "held": self.command,
            "end_time": self.end_time,
            "last": self.last,
            **self.lookout.saved,
            "code": np.array([s.code for s in self.status]),
            "status": np.array([str(s) for s in self.status]),
            **{f"memory_{name}": value for name, value in memory.items()},
        }

    def _restore(self, piece: dict[str, Array]) -> None:
        new = slice(self.count, self.count + len(piece["state"]))
        for name, kept in self.kept.items():
            kept[new] = piece[name]
        self.count = new.stop
        self.k, self.X, self.command = int(piece["k"]), piece["X"].copy(), piece["held"].copy()
        self.end_time, self.last = piece["end_time"].copy(), piece["last"].copy()
        self.alive = np.isinf(self.end_time)
        self.lookout.restore(piece)
        self.some_ended = not self.alive.all()
        told = zip(piece["code"], piece["status"], strict=True)
        self.status = [Status(str(code), str(sentence)) for code, sentence in told]
        if self.job.loop is not None:
            self.job.loop.memory = {k[7:]: v for k, v in piece.items() if k.startswith("memory_")}


def law_timeline(
    law: Array, faults: Sequence[Fault], platform: Platform, step: float
) -> list[tuple[int, Array]]:
    """Leg laws from step 0 on and after each fault."""
    out = {0: law}
    for fault in sorted(faults, key=lambda f: f.time):
        law = apply_fault(platform, law, fault)
        out[round(fault.time / step)] = law
    return list(out.items())
