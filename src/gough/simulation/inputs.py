"""Forces and wrenches over time: constant, sampled, or functions of time or of time and motion."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import Array, InputError, array
from gough.spatial import Motion

Input = Any
"""None, (6,), (steps, 6), (steps + 1, 6), (runs, 1 | steps | steps + 1, 6), (times, values), f(t) or f(t, motion)."""


class TimeSignal:
    """Six numbers over time for n runs.

    constant          (6,), or (runs, 1, 6)
    samples           one row per step, held over it; or steps + 1 rows, linear in between; with (runs, ...) in front
    (times, values)   linear interpolation; constant outside
    f(t)              taken at the start, middle and end of each step: (6,) or (runs, 6)
    f(t, motion)      feedback: evaluated at every stage of the integrator, in Python
    """

    def __init__(
        self, field: str, value: Input, *, steps: int, step: float, runs: int, batched: bool
    ) -> None:
        self.field, self.steps, self.step, self.runs = field, steps, step, runs
        self.function: Callable[..., Any] | None = None
        self.samples: Array | None = None
        self.feedback = False
        self.constant = np.zeros((6, 1))
        if callable(value):
            self.function, self.feedback = value, _arguments(field, value) == 2
        elif _is_table(value):
            self.function = _interpolation(field, *value)
        elif value is not None:
            self._numbers(array(field, value, (6,)), batched)

    def _numbers(self, a: Array, batched: bool) -> None:
        if a.ndim == 1:
            self.constant = a[:, None]
            return
        if a.ndim == 2:
            a = a[None]
        lengths = (1, self.steps, self.steps + 1)
        if a.ndim != 3 or a.shape[0] not in (1, self.runs) or a.shape[1] not in lengths:
            runs = f" or ({self.runs}, rows, 6)" if batched else ""
            rows = f"{self.steps} (one per step) or {self.steps + 1} (linear between)"
            shape = f"shape {a.shape[0 if batched else 1 :]}"
            raise InputError(self.field, shape, f"must be (6,), or rows of six: {rows}{runs}")
        if a.shape[1] == 1 and self.steps != 1:
            self.constant = a[:, 0].T
        else:
            self.samples = np.ascontiguousarray(a.transpose(1, 2, 0))  # (rows, 6, runs)

    @property
    def held(self) -> bool:
        """Constant in time."""
        return self.function is None and self.samples is None

    def _call(self, *arguments: Any) -> Array:
        out = array(self.field, self.function(*arguments), largest=np.inf)  # type: ignore[misc]
        if out.shape == (6,):
            return out[:, None]
        if out.shape == (self.runs, 6):
            return out.T
        allowed = f"must answer six numbers, or ({self.runs}, 6)"
        raise InputError(self.field, f"shape {out.shape}", allowed)

    def at(self, index: int, motion: Motion | None = None) -> Array:
        """(6, runs or 1) at a grid point; held samples answer the row that starts there."""
        if self.function is not None:
            t = index * self.step
            return self._call(t, motion) if self.feedback else self._call(t)
        if self.samples is None:
            return self.constant
        return self.samples[min(index, self.samples.shape[0] - 1)]

    def stage(self, t: float, motion: Motion) -> Array:
        """(6, runs or 1) at any time; the way of integrators that choose their own times."""
        if self.function is not None:
            return self._call(t, motion) if self.feedback else self._call(t)
        if self.samples is None:
            return self.constant
        where = min(max(t / self.step, 0.0), float(self.steps))
        index = min(int(where + 1e-9), self.steps - 1)
        return self.within(index, where - index)

    def within(self, index: int, part: float) -> Array:
        """(6, runs or 1) in a step, `part` of it after its start; no feedback."""
        if self.function is not None:
            return self._call((index + part) * self.step)
        if self.samples is None:
            return self.constant
        if self.samples.shape[0] == self.steps:
            return self.samples[index]
        return self.samples[index] * (1.0 - part) + self.samples[index + 1] * part

    def chunk(self, first: int, count: int) -> Array:
        """(3 count, 6, runs or 1): start, middle and end of each step; (1, 6, .) when constant."""
        if self.held:
            return self.constant[None]
        if self.samples is not None:
            if self.samples.shape[0] == self.steps:
                return np.repeat(self.samples[first : first + count], 3, axis=0)
            low = self.samples[first : first + count]
            high = self.samples[first + 1 : first + count + 1]
            both = np.stack([low, 0.5 * (low + high), high], axis=1)
            return both.reshape(3 * count, *low.shape[1:])
        ends = [self._call((first + i) * self.step) for i in range(count + 1)]
        middles = [self._call((first + i + 0.5) * self.step) for i in range(count)]
        rows = [row for i in range(count) for row in (ends[i], middles[i], ends[i + 1])]
        width = max(row.shape[1] for row in rows)
        return np.stack([np.broadcast_to(row, (6, width)) for row in rows])


def _is_table(value: Any) -> bool:
    """(times, values)."""
    pair = isinstance(value, tuple) and len(value) == 2
    return pair and np.ndim(value[0]) == 1 and np.ndim(value[1]) >= 2


def _arguments(field: str, function: Callable[..., Any]) -> int:
    """One (time) or two (time, motion) positional arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in positional if p.default is p.empty]
    if len(needed) not in (1, 2):
        raise InputError(field, function, "must be a function of (t) or of (t, motion)")
    return len(needed)


def _interpolation(field: str, times: Any, values: Any) -> Callable[[float], Array]:
    t, v = array(f"{field} times", times), array(field, values, (len(times), 6))
    if (np.diff(t) <= 0).any():
        raise InputError(f"{field} times", times, "must increase")

    def at(time: float) -> Array:
        k = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, max(len(t) - 2, 0)))
        if len(t) == 1:
            return v[..., 0, :]
        part = float(np.clip((time - t[k]) / (t[k + 1] - t[k]), 0.0, 1.0))
        return v[..., k, :] * (1.0 - part) + v[..., k + 1, :] * part

    return at
