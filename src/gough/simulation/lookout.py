"""The lookout of a run: keeps what the kernels saw after each step, and finds the instants inside the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.simulation import compiled, watch
from gough.simulation.events import FORCE, MARGINS, NAME, Events, Passed, crossing, deepest, judged
from gough.simulation.state import Rows
from gough.simulation.watch import MARKS, SLOTS

Whole = NDArray[np.int64]


class Slots(NamedTuple):
    """First times, E of them: run, step from the start of the call, margin, whether it is only suspected to lie within
    the step, and the state (rows, E) before the step."""

    run: Whole
    step: Whole
    margin: Whole
    dip: NDArray[np.bool_]
    before: Array

    def where(self, pick: NDArray[np.bool_] | slice) -> Slots:
        """Some of them."""
        return Slots(*(a[..., pick] for a in self))


class Steps(Protocol):
    """The steps of a call, inside of which events are located; parts (E,) run from 0 to 1."""

    def states(self, slots: Slots, part: Array) -> Array:
        """(rows, E)."""
        ...

    def time(self, slots: Slots, part: Array) -> Array:
        """(E,) s."""
        ...

    def command(self, slots: Slots) -> Array:
        """(6, E) at the start of the steps."""
        ...


class Located(NamedTuple):
    """An event, the slot it comes from, the part of the step at which it lies, and the state (rows, 1) there."""

    event: Passed
    slot: Slots
    part: Array
    state: Array


class Lookout:
    """What was seen of n runs: `marks` (rows of MARKS, n), and the events `found` so far."""

    def __init__(self, rows: Rows, X: Array, events: Events) -> None:
        self.rows, self.events, n = rows, events, X.shape[1]
        self.marks = np.zeros((MARKS.size, n), dtype=np.int64)
        self.before = np.zeros((SLOTS, *X.shape))
        self.numbers = np.append(rows.par, watch.numbers(rows.platform, events))
        self.found: list[Passed] = []
        margin, value = judged(rows, X, events)
        for run, at in np.argwhere(margin < 0.0).tolist():
            self.found.append(Passed(run, at, 0.0, float(value[run, at])))
            self.marks[MARKS.now, run] |= 1 << at
            self.count[at, run] += 1
        self.marks[MARKS.ever] = self.marks[MARKS.now]

    @property
    def watched(self) -> compiled.Watched:
        """What the kernels take."""
        return self.numbers, self.marks, self.before

    @property
    def count(self) -> Whole:
        """(MARGINS, n) how often each margin was passed, seen at steps."""
        return self.marks[MARKS.count]

    @property
    def saw(self) -> bool:
        """Something happened for the first time, or may have."""
        used = self.marks[MARKS.used]
        return bool(used[0] if len(used) == 1 else used.any())

    def look(self, states: Array, excess: Array, spacing: Array, run: int | None = None) -> None:
        """At states (K + 1, rows, n) that follow each other after `spacing` (K,), s; excess (K, 6, n) of commands; of
        all runs, or of one."""
        kernel = compiled.load("watch", self.rows.kinds, self.rows.laws)
        own = slice(None) if run is None else slice(run, run + 1)
        given = self.numbers, self.marks[:, own], self.before[:, :, own]
        kernel(states[:, :, own], excess[:, :, own], spacing, *given)

    def look_after(self, states: Array, excess: Array, spacing: Array, run: int, step: int) -> None:
        """At a run once more, from after a step on."""
        self.look(states[step + 1 :], excess[step + 1 :], spacing[step + 1 :], run)

    def restore(self, marks: Array, found: Array) -> None:
        """What an interrupted run had seen."""
        self.marks = marks.astype(np.int64)
        self.found = [Passed(int(run), int(at), *rest) for run, at, *rest in found.tolist()]

    def drain(self, steps: Steps, again: Callable[[int, int], None]) -> list[Located]:
        """What was passed for the first time since the last call, in order of time.

        again(run, step)  looks at a run once more from after that step on: it had more first times than slots
        """
        out: list[Located] = []
        first = np.zeros(self.marks.shape[1], dtype=np.int64)  # step at which a look began
        while self.saw:
            crowded = np.flatnonzero(self.marks[MARKS.used] > SLOTS).tolist()
            out += self._located(self._slots(first), steps)
            for run in crowded:
                last = int(self.marks[MARKS.at("step") + SLOTS - 1, run])
                self.marks[MARKS.now, run] = self.marks[MARKS.at("held") + SLOTS - 1, run]
                counted = self.count[:, run].copy()
                again(run, int(first[run]) + last)
                self.count[:, run], first[run] = counted, first[run] + last + 1
        out.sort(key=lambda found: (found.event.time, found.event.run, found.event.margin))
        first_of = {found.event[:2]: found for found in reversed(out)}
        return [found for found in out if first_of[found.event[:2]] is found]

    def _slots(self, first: Whole) -> Slots:
        """The slots, emptied."""
        used, each = np.minimum(self.marks[MARKS.used], SLOTS), list[tuple[int, ...]]()
        self.marks[MARKS.used] = 0
        for run in np.flatnonzero(used).tolist():
            for slot in range(int(used[run])):
                kept = (self.marks[MARKS.at(name) + slot, run] for name in ("step", "bits", "dips"))
                step, bits, dips = (int(x) for x in kept)
                for margin in range(MARGINS):
                    if (bits | dips) >> margin & 1 and NAME[margin] not in self.events.off:
                        dip = dips >> margin & 1
                        each.append((run, step + int(first[run]), margin, dip, slot))
        run, step, margin, dip, slot = np.array(each, dtype=np.int64).reshape(-1, 5).T
        return Slots(run, step, margin, dip == 1, self.before[slot, :, run].T.copy())

    def _located(self, slots: Slots, steps: Steps) -> list[Located]:
        top = np.ones(len(slots.run))
        if slots.dip.any():
            some = slots.where(slots.dip)
            top[slots.dip] = deepest(self._margin(some, steps), top[slots.dip])
            true = ~slots.dip | (self._margin(slots, steps)(top) < 0.0)
            slots, top = slots.where(true), top[true]
        part, state = np.zeros(len(top)), ~np.isin(slots.margin, range(FORCE, FORCE + 6))
        if state.any():
            part[state] = crossing(self._margin(slots.where(state), steps), top[state])
        if not len(part):
            return []
        X, when = steps.states(slots, part), steps.time(slots, part)
        each = np.arange(len(part))
        value = judged(self.rows, X, self.events)[1][each, slots.margin]
        value = np.where(state, value, steps.command(slots)[slots.margin % 6, each])
        for run, margin in zip(slots.run[slots.dip], slots.margin[slots.dip], strict=True):
            self.marks[MARKS.ever, run] |= 1 << int(margin)
            self.count[margin, run] += 1
        told = zip(slots.run, slots.margin, when, value, strict=True)
        found = [Passed(int(run), int(at), float(t), float(x)) for run, at, t, x in told]
        one = (slice(i, i + 1) for i in range(len(part)))
        return [
            Located(e, slots.where(i), part[i], X[:, i]) for e, i in zip(found, one, strict=True)
        ]

    def _margin(self, slots: Slots, steps: Steps) -> Callable[[Array], Array]:
        each = np.arange(len(slots.run))

        def at(part: Array) -> Array:
            return judged(self.rows, steps.states(slots, part), self.events)[0][each, slots.margin]

        return at
