"""Rollouts as plain functions of arrays with any leading axes: what automatic differentiation calls.

A run without a trustworthy answer is NaN from its first untrusted record on, and so are its slopes: inside compiled
programs nothing can be raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError, number
from gough.engines import native
from gough.engines.evaluate import check_platform
from gough.engines.pack import packed
from gough.guard import risk_limit
from gough.layout import FORWARD, SPIN, SPINNING, STATE
from gough.model import Platform
from gough.simulation.card_rollout import CardSteps, steps_of
from gough.simulation.device import check_engine
from gough.simulation.differentiable import whole
from gough.simulation.programs import METHODS, SPINS, state_layout
from gough.simulation.rollout_kernel import RolloutSteps

SHAPES: dict[str, tuple[int | None, ...]] = {
    "position": (3,),
    "rotation": (3, 3),
    "effort": (None, 6),
    "velocity": (3,),
    "angular_velocity": (3,),
    "external": (6,),
    "spin": (6, 3),
    "parameters": (None,),
}
"""Last axes of what a rollout takes; None: any."""


class ArrayRollout(NamedTuple):
    """Forwards and backwards over arrays (..., n): rows of a state, loads (..., steps, 6), parameters (..., P)."""

    platform: Platform
    steps: RolloutSteps | CardSteps
    parameters: Array

    @classmethod
    def of(
        cls, platform: Platform, step: float, every: int, integrator: str, engine: str = "native"
    ) -> ArrayRollout:
        """The arguments of `rollout` checked."""
        check_platform(platform)
        if integrator not in METHODS:
            raise InputError("integrator", integrator, f"must be one of {', '.join(METHODS)}")
        found, h = packed(platform, None), number("step", step, above=0.0)
        steps = steps_of(check_engine(engine), integrator, found.kinds, h, whole(every))
        return cls(platform, steps, found.parameters)

    @property
    def rows(self) -> int:
        """Numbers of a state."""
        return state_layout(self.steps.kinds, ()).size

    @property
    def spins(self) -> bool:
        """Some leg carries its spin as part of the state."""
        return self.rows > STATE.size

    def records(self, steps: int) -> int:
        """States that are told of so many steps."""
        if not steps or steps % self.steps.every:
            raise InputError("every", self.steps.every, f"must divide the {steps} steps")
        return steps // self.steps.every + 1

    def forwards(self, start: Array, effort: Array, external: Array, par: Array) -> Array:
        """(..., records, rows) from (..., rows), (..., steps, 6), (..., steps or 1, 6), (..., P)."""
        lead, effort = start.shape[:-1], np.asarray(effort)
        out = np.empty((int(np.prod(lead)), self.records(effort.shape[-2]), self.rows))
        for numbers, runs, given in self._machines(par, lead, start, effort, external):
            x, push, wrench = (np.moveaxis(a, 0, -1) for a in given)
            rows, bad = self.steps.roll(
                numbers,
                np.ascontiguousarray(x),
                np.ascontiguousarray(push),
                np.ascontiguousarray(wrench),
            )
            told = np.moveaxis(rows, -1, 0)
            doubtful = self._doubtful(numbers, told, given[1], given[2])
            first = np.where(bad < 0, len(rows), -(-bad // self.steps.every))
            doubtful |= np.arange(len(rows)) >= first[:, None]
            out[runs] = np.where(np.maximum.accumulate(doubtful, axis=1)[..., None], np.nan, told)
        return out.reshape(*lead, *out.shape[1:])

    def backwards(
        self, states: Array, effort: Array, external: Array, par: Array, weight: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Slopes over start, efforts, wrenches and parameters, each as it was given."""
        lead = states.shape[:-2]
        n, steps = int(np.prod(lead)), effort.shape[-2]
        out = np.empty((n, self.rows)), np.empty((n, steps, 6)), np.empty((n, steps, 6))
        to_par = np.empty((n, self.parameters.size))
        for numbers, runs, given in self._machines(par, lead, states, effort, external, weight):
            rows, push, wrench, share = (np.moveaxis(a, 0, -1) for a in given)
            loads = np.ascontiguousarray(push), np.ascontiguousarray(wrench)
            found = self.steps.pull(
                numbers, np.ascontiguousarray(rows), *loads, np.ascontiguousarray(share), True
            )
            for into, each in zip((*out, to_par), (found[2], *found[:2], found[3]), strict=True):
                into[runs] = np.moveaxis(each, -1, 0)
        start, push, wrench = out
        if external.shape[-2] == 1:
            wrench = wrench.sum(axis=1, keepdims=True)
        answers = start, push, wrench, to_par
        return tuple(a.reshape(*lead, *a.shape[1:]) for a in answers)  # type: ignore[return-value]

    def laid_out(
        self, library: Any, tensor: Callable[[Any], Any], given: dict[str, Any]
    ) -> tuple[Any, ...]:
        """What `forwards` takes, of the array library that calls: arrays, None where nothing was given, by the names of
        `SHAPES`; `tensor` makes arrays of that library."""
        own: dict[str, Any] = {"parameters": self.parameters}
        own |= dict.fromkeys(("velocity", "angular_velocity"), np.zeros(3))
        own["external"] = np.zeros(6)
        if self.spins and given["spin"] is None:
            allowed = "legs of this machine carry their spin: give (..., 6, 3)"
            raise InputError("spin", None, allowed)
        a = {
            name: tensor(own.get(name) if v is None else v)
            for name, v in given.items()
            if v is not None or name in own
        }
        for name, value in a.items():
            _check_shape(name, tuple(value.shape))
        a["rotation"] = a["rotation"].reshape(*a["rotation"].shape[:-2], 9)
        wrench = a["external"]
        wrench = wrench[..., None, :] if wrench.ndim < 2 else wrench
        parts = [a[name] for name in STATE.names]
        if self.spins:
            turns = a["spin"]
            parts += [turns[..., k] for k in range(3)]
            parts.append(library.arctan2(turns[..., 1], turns[..., 0]))
        loads = ((a["effort"], 2), (wrench, 2), (a["parameters"], 1))
        ends = [x.shape[:-1] for x in parts] + [x.shape[:-k] for x, k in loads]
        lead = library.broadcast_shapes(*ends)
        rows = [library.broadcast_to(x, (*lead, x.shape[-1])) for x in parts]
        wide = (library.broadcast_to(x, (*lead, *x.shape[-k:])) for x, k in loads)
        return library.concatenate(rows, axis=-1), *wide

    def named(self, library: Any, states: Any) -> dict[str, Any]:
        """States (..., records, rows) by their names."""
        found = {name: states[..., getattr(STATE, name)] for name in STATE.names}
        found["rotation"] = found["rotation"].reshape(*states.shape[:-1], 3, 3)
        if self.spins:
            turns = [states[..., getattr(SPINNING, name)] for name in SPINS[:3]]
            found["spin"] = library.stack(turns, -1)
        return found

    def _machines(
        self, par: Array, lead: tuple[int, ...], *given: Array
    ) -> Iterator[tuple[Array, NDArray[np.intp], list[Array]]]:
        """The runs of each machine: its numbers, their places, their arrays (runs, ...)."""
        n = int(np.prod(lead))
        flat = [np.asarray(a, dtype=float).reshape(n, *a.shape[len(lead) :]) for a in given]
        numbers = np.asarray(par, dtype=float).reshape(n, -1)
        if (numbers == numbers[:1]).all():
            yield np.ascontiguousarray(numbers[0]), np.arange(n), flat
            return
        each, which = np.unique(numbers, axis=0, return_inverse=True)
        for k, own in enumerate(each):
            runs = np.flatnonzero(which.ravel() == k)
            yield own, runs, [a[runs] for a in flat]

    def _doubtful(
        self, par: Array, told: Array, effort: Array, external: Array
    ) -> NDArray[np.bool_]:
        """(runs, records) where accelerations have no trustworthy digits, as guard.py says without a closer look."""
        runs, records, _ = told.shape
        last = np.minimum(np.arange(records) * self.steps.every, effort.shape[1] - 1)
        loads = [a[:, np.minimum(last, a.shape[1] - 1)].reshape(-1, 6) for a in (effort, external)]
        rows = told.reshape(runs * records, -1)
        blocks = [rows[:, getattr(STATE, name)] for name in STATE.names] + loads
        if self.spins:
            turns = np.stack([rows[:, getattr(SPINNING, name)] for name in SPINS[:3]], axis=-1)
            blocks.append(turns.reshape(len(rows), 6 * SPIN.size))
        out = native.run("forward", self.steps.kinds, blocks, par)
        good = np.isfinite(out).all(axis=1) & (out[:, FORWARD.risk] <= risk_limit(self.platform))
        return ~good.reshape(runs, records)


def _check_shape(name: str, shape: tuple[int, ...]) -> None:
    wanted = SHAPES[name]
    there = shape[-len(wanted) :]
    if len(there) != len(wanted) or any(
        w not in (None, h) for w, h in zip(wanted, there, strict=True)
    ):
        words = ", ".join("steps" if n is None else str(n) for n in wanted)
        raise InputError(name, f"shape {shape}", f"must have shape (..., {words})")
