"""Launches of the CUDA kernels of a run (cuda_text.py): host arrays in and out, many runs in parts.

Every run's numbers lie by component, ``a[row, run]``; a part is what the card's memory and its multiprocessors like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.engines.constant_memory import ConstantMemory
from gough.engines.cuda import cupy
from gough.simulation.compiled import Watched
from gough.simulation.cuda_legs import numbers_of_legs
from gough.simulation.cuda_rollout import pull_module
from gough.simulation.cuda_text import module
from gough.simulation.cuda_writer import Form, Module
from gough.simulation.watch import LIMITS, MARKS, NUMBERS, SLOTS

PART = 1 << 17  # runs of a launch
HOST_MARKS = slice(
    0, MARKS.at("step")
)  # rows that are kept between calls; the slots behind them are not
Whole = NDArray[np.int64]


@lru_cache(maxsize=64)
def _compiled(form: Form, device: int) -> tuple[ConstantMemory, Any, Module]:
    made = module(form) if form.back is None else pull_module(form)
    found = cupy().RawModule(code=made.text, options=("--std=c++14",))
    return ConstantMemory(cupy(), found), found.get_function("kernel"), made


class Kernel:
    """The kernel of a form on the current device, with the numbers of its machine, laws and limits."""

    def __init__(self, form: Form) -> None:
        cp = cupy()
        self.form = form
        self.memory, self.function, self.made = _compiled(form, int(cp.cuda.Device().id))
        self.own = np.zeros((1, 1))
        self._shared: Mapping[str, NDArray[Any]] = {}
        self._owner = object()  # of these numbers: others may use the same kernel with their own

    def hold(
        self, par: Array, law: Array, limits: Array | None = None, gains: Array | None = None
    ) -> None:
        """Numbers for the launches to come.

        par (P,) or (n, P); law (rows of LEG_LAW, 6, 1 or n); limits (1 or n, P + NUMBERS); gains (G,)"""
        machine = np.atleast_2d(par).T
        watch = np.zeros((len(machine) + NUMBERS, 1)) if limits is None else limits.T
        flat = law.reshape(-1, law.shape[2])
        n = max(machine.shape[1], flat.shape[1], watch.shape[1])
        given = {
            "machine": machine,
            "stage": np.concatenate([_wide(a, n) for a in (machine, flat)]),
            "watch": watch,
            "limits": watch[-NUMBERS:][: LIMITS.size],
            "law": flat,
            "gains": np.zeros((0, 1)) if gains is None else gains[:, None],
        }
        if self.form.lanes:
            given |= numbers_of_legs(self.form.kinds, machine, flat if self.form.laws else flat[:0])
        with np.errstate(all="ignore"):  # laws that a leg does not have divide by their zeros
            found = self.made.constants(given)
        self.own = found.reshape(len(found), -1)
        names = {"par": np.float64} | ({"single": np.float32} if self.form.single else {})
        if not self.form.machines:
            self._shared = {name: self.own[:, 0].astype(kind) for name, kind in names.items()}
        self._owner = object()

    def launch(self, n: int, arguments: tuple[Any, ...]) -> None:
        """One run per thread, or per its lanes."""
        threads, all_threads = self.form.threads, n * max(self.form.lanes, 1)
        with self.memory.holding(self._owner, self._shared):
            self.function(((all_threads + threads - 1) // threads,), (threads,), arguments)

    def numbers(self, runs: slice) -> Any:
        """Of these runs' machines, on the device."""
        if not self.form.machines:
            return there(np.zeros(1))
        return there(_wide(some(self.own, runs), runs.stop - runs.start))


def _wide(a: Array, n: int) -> Array:
    return np.broadcast_to(a, (a.shape[0], n))


def there(a: Any) -> Any:
    """On the device, contiguous."""
    return cupy().asarray(np.ascontiguousarray(a))


def some(a: Array, runs: slice) -> Array:
    """Some runs of numbers that may be the same for all."""
    return a if a.shape[-1] == 1 else a[..., runs]


def _parts(n: int) -> Iterator[slice]:
    for low in range(0, n, PART):
        yield slice(low, min(n, low + PART))


class _Marks:
    """The marks of some runs on the device for one launch, and back."""

    def __init__(self, marks: Whole, before: Array, runs: slice) -> None:
        cp = cupy()
        self.marks, self.before, self.runs = marks, before, runs
        n = runs.stop - runs.start
        self.there = cp.zeros((MARKS.size, n), dtype=np.int64)
        self.there[HOST_MARKS] = there(marks[HOST_MARKS, runs])
        self.passed = cp.empty((SLOTS, before.shape[1], n))

    def fetch(self) -> None:
        """What was seen: of all runs the marks, of those that used slots these and the states before."""
        cp, runs = cupy(), self.runs
        self.marks[HOST_MARKS, runs] = cp.asnumpy(self.there[HOST_MARKS])
        some = np.flatnonzero(self.marks[MARKS.used, runs])
        if not len(some):
            return
        used = int(self.marks[MARKS.used, runs].max())
        at = cp.asarray(some)
        self.marks[:, runs.start + some] = cp.asnumpy(self.there[:, at])
        self.before[:used, :, runs.start + some] = cp.asnumpy(self.passed[:used][:, :, at])


def advance(
    kernel: Kernel,
    state: Array,
    steps: int,
    every: int,
    step: float,
    *,
    effort: Array,
    external: Array,
    watch: Watched | None = None,
) -> tuple[Array, Whole]:
    """As `compiled.advance`, with the numbers that the kernel holds."""
    cp, n = cupy(), state.shape[1]
    out, bad = np.empty((steps // every, state.shape[0], n)), np.empty(n, dtype=np.int64)
    for runs in _parts(n):
        m = runs.stop - runs.start
        X, lost = there(state[:, runs]), cp.empty(m, dtype=np.int64)
        records = cp.empty((steps // every, state.shape[0], m))
        push, u = (some(a, runs) for a in (external, effort))
        head = (*whole(m, 0, steps, every), np.float64(step), X, there(push))
        more = (*whole(len(push), push.shape[2]), kernel.numbers(runs), records, lost)
        marks = None if watch is None else _Marks(watch[1], watch[2], runs)
        seen = () if marks is None else (marks.there, marks.passed)
        kernel.launch(m, (*head, *more, there(u), *whole(len(u), u.shape[2]), *seen))
        state[:, runs], out[:, :, runs] = cp.asnumpy(X), cp.asnumpy(records)
        bad[runs] = cp.asnumpy(lost)
        if marks is not None:
            marks.fetch()
    return out, bad


def drive(
    kernel: Kernel,
    span: tuple[int, int],
    every: int,
    period: int,
    step: float,
    *,
    state: Array,
    sensed: Array,
    command: Array,
    alive: NDArray[np.bool_],
    reference: Array,
    external: Array,
    kept: tuple[Array, Array, Array],
    watch: Watched | None,
) -> tuple[Whole, Array]:
    """Steps of a closed loop, all in place, as the compiled `drive`: from step span[0] to span[1].

    sensed    rows of SENSED;  command (1, 6, n) that the drives hold;  reference (samples, REFERENCE, 1 or n)
    kept      states, commands and readings (K, ., n) of the records that fall into the span
    Answers per run the first step after which a state was none (-1: none), and step, leg and value of the first command
    that is none (step -1: none)."""
    cp, n, (first, last) = cupy(), state.shape[1], span
    bad, refused = np.empty(n, dtype=np.int64), np.empty((3, n))
    low, high = first // period, min(last // period, len(reference) - 1)
    wanted = reference[min(low, len(reference) - 1) : high + 1]
    for runs in _parts(n):
        m = runs.stop - runs.start
        push, due = (some(a, runs) for a in (external, wanted))
        X, M, U = (there(a[:, runs]) for a in (state, sensed, command[0]))
        lost, none = cp.empty(m, dtype=np.int64), cp.empty((3, m))
        records = [cp.empty((*a.shape[:2], m)) for a in kept]
        head = (*whole(m, first, last - first, every), np.float64(step), X, there(push))
        more = (*whole(len(push), push.shape[2]), kernel.numbers(runs), records[0], lost)
        table = (there(due), *whole(min(low, len(reference) - 1), len(due), due.shape[2]))
        memory = (there(alive[runs]), M, U, none, records[1], records[2])
        marks = None if watch is None else _Marks(watch[1], watch[2], runs)
        seen = () if marks is None else (marks.there, marks.passed)
        told = whole(kept[2].shape[1])
        kernel.launch(m, (*head, *more, *whole(period), *table, *memory, *told, *seen))
        state[:, runs], sensed[:, runs] = cp.asnumpy(X), cp.asnumpy(M)
        command[0][:, runs], bad[runs] = cp.asnumpy(U), cp.asnumpy(lost)
        refused[:, runs] = cp.asnumpy(none)
        for to, found in zip(kept, records, strict=True):
            to[:, :, runs] = cp.asnumpy(found)
        if marks is not None:
            marks.fetch()
    return bad, refused


def whole(*numbers: int) -> tuple[np.int64, ...]:
    """Whole numbers as the kernels take them."""
    return tuple(np.int64(x) for x in numbers)
