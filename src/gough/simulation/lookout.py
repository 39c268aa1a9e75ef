"""The lookout of a run: keeps what the kernels saw after each step, and finds the instants inside the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.simulation import compiled, leg_law, watch
from gough.simulation.events import FORCE, MARGINS, NAME, Events, Passed, crossing, deepest, judged
from gough.simulation.state import Rows
from gough.simulation.watch import MARKS, SLOTS

Whole = NDArray[np.int64]


class Slots(NamedTuple):
    """First times, E of them: run, step from the start of the call, margin, whether it is only suspected to lie within
    the step; state (rows, E) and command (6, E) at the start of the step."""

    run: Whole
    step: Whole
    margin: Whole
    dip: NDArray[np.bool_]
    before: Array
    command: Array

    def where(self, pick: NDArray[np.bool_] | slice) -> Slots:
        """Some of them."""
        return Slots(*(a[..., pick] for a in self))  # type: ignore[arg-type]


class Steps(Protocol):
    """The steps of a call, inside of which events are located; parts (E,) run from 0 to 1."""

    def states(self, slots: Slots, part: Array) -> Array:
        """(rows, E)."""
        ...

    def time(self, slots: Slots, part: Array) -> Array:
        """(E,) s."""
        ...


class Located(NamedTuple):
    """An event, the slot it comes from, the part of the step at which it lies, and the state (rows, 1) there."""

    event: Passed
    slot: Slots
    part: Array
    state: Array


class Seen(NamedTuple):
    """States (K + 1, rows, n) that follow each other after `spacing` (K,), s; commands (K, 6, n) at the starts of these
    steps, and their excess: positive where a drive gives another effort."""

    states: Array
    command: Array
    excess: Array
    spacing: Array

    @classmethod
    def of(cls, rows: Rows, states: Array, command: Array, spacing: Array, law: Array) -> Seen:
        """Commands (K, 6, n or 1) under a law."""
        wide = np.broadcast_to(command, (len(spacing), 6, states.shape[2]))
        excess = np.full(wide.shape, -1.0)
        series = "drive_rate" in rows.layout.names
        for k, (X, u) in enumerate(zip(states, wide, strict=False)) if rows.laws else ():
            rate = X[rows.layout.drive_rate] if series else rows.legs(X)[1].T
            given = leg_law.motor_force(law, u, rate)
            excess[k] = np.where(leg_law.clipped(given, u), 1.0, -1.0)
        return cls(states, wide, excess, spacing)


class Lookout:
    """What was seen of n runs: `marks` (rows of MARKS, n), and the events `found` so far."""

    def __init__(self, rows: Rows, X: Array, events: Events) -> None:
        self.rows, self.events, n = rows, events, X.shape[1]
        self.marks = np.zeros((MARKS.size, n), dtype=np.int64)
        self.before = np.zeros((SLOTS, len(X) + 6, n))
        self.numbers = np.append(rows.par, watch.numbers(rows.platform, events))[None]
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

    @property
    def missed(self) -> int:
        """Suspicions that were not looked into."""
        return int(self.marks[MARKS.missed].sum())

    def look(self, seen: Seen) -> None:
        """At states that are there already."""
        compiled.load("watch", self.rows.kinds, self.rows.laws)(*seen, *self.watched)

    @property
    def saved(self) -> dict[str, Any]:
        """What an interrupted run needs to go on, no slot being in use."""
        found = np.array(self.found, dtype=float).reshape(-1, len(Passed._fields))
        return {"marks": self.marks[: MARKS.used], "found": found}

    def restore(self, piece: dict[str, Array]) -> None:
        """What an interrupted run had seen."""
        self.marks[: MARKS.used], found = piece["marks"], piece["found"]
        self.found = [Passed(int(run), int(at), *rest) for run, at, *rest in found.tolist()]

    def drain(self, steps: Steps) -> list[Located]:
        """What was passed for the first time since the last call, in order of time."""
        out = self._located(self._slots(), steps)
        out.sort(key=lambda found: (found.event.time, found.event.run, found.event.margin))
        first = {found.event[:2]: found for found in reversed(out)}
        return [found for found in out if first[found.event[:2]] is found]

    def _slots(self) -> Slots:
        """The slots, emptied."""
        used, each = self.marks[MARKS.used].copy(), list[tuple[int, ...]]()
        self.marks[MARKS.used] = 0
        for run in np.flatnonzero(used).tolist():
            for slot in range(int(used[run])):
                kept = (self.marks[MARKS.at(name) + slot, run] for name in ("step", "bits", "dips"))
                step, bits, dips = (int(x) for x in kept)
                for margin in range(MARGINS):
                    if (bits | dips) >> margin & 1 and NAME[margin] not in self.events.off:
                        dip = dips >> margin & 1
                        each.append((run, step, margin, dip, slot))
        run, step, margin, dip, slot = np.array(each, dtype=np.int64).reshape(-1, 5).T
        both = self.before[slot, :, run].T
        return Slots(run, step, margin, dip == 1, both[:-6].copy(), both[-6:].copy())

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
        value = np.where(state, value, slots.command[slots.margin % 6, each])
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
