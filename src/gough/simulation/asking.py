"""A controller in Python: asked at a sample, its memory kept, runs that it cannot serve found and left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, GoughError, InputError
from gough.control.signals import Controller, Measurement, Memory, Reference
from gough.layout import STATE
from gough.spatial import Motion

OWN = "controller_"  # before the names of a stateful controller's memory
KINDS = (
    "must be a function (t, measurement, reference) -> command, or an object with init and update"
)
FAILURES = (
    GoughError,
    np.linalg.LinAlgError,
)  # what a controller may raise at a state it cannot serve
NOTHING: Memory = {}
Alive = NDArray[np.bool_] | None
"""Runs that go on; None: all."""


class Asker:
    """Asks a controller; `memory`: that of the loop, in which a stateful controller's lies under `OWN`.

    lost  runs that got no command at the last sample, each with the reason
    """

    def __init__(self, controller: Controller, runs: int) -> None:
        self.stateful = all(callable(getattr(controller, m, None)) for m in ("init", "update"))
        if not self.stateful and not callable(controller):
            raise InputError("controller", controller, KINDS)
        self.controller: Any = controller
        self.runs, self.lost = runs, dict[int, str]()

    def start(self) -> Memory:
        """A stateful controller's memory at the start."""
        if not self.stateful:
            return {}
        given = self.controller.init(self.runs)
        memory = {f"{OWN}{name}": np.array(value) for name, value in given.items()}
        for name, value in memory.items():
            if value.shape[:1] != (self.runs,) or value.dtype.hasobject:
                told = f"{name.removeprefix(OWN)}: shape {value.shape}, {value.dtype}"
                allowed = f"must be arrays of numbers of {self.runs} runs"
                raise InputError("controller.init", told, allowed)
        return memory

    def ask(
        self, t: float, seen: Measurement, reference: Reference, memory: Memory, alive: Alive
    ) -> Array:
        """The command (n, 6); the memory is taken over for runs that go on."""
        command, new = self._served(t, seen, reference, memory)
        if command.shape != (self.runs, 6):
            if command.shape not in ((6,), (1, 6)):
                answered = f"answered shape {command.shape}"
                raise InputError("controller", answered, f"must answer (6,) or ({self.runs}, 6)")
            command = np.broadcast_to(command, (self.runs, 6))
        for name, value in new.items():
            if alive is not None or self.lost:
                going = np.ones(self.runs, dtype=bool) if alive is None else alive.copy()
                going[list(self.lost)] = False
                value[~going] = memory[OWN + name][~going]
            memory[OWN + name] = value
        return command

    def _answer(
        self, t: float, seen: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """Command, and a stateful controller's memory after it."""
        if not self.stateful:
            return np.asarray(self.controller(t, seen, reference), dtype=float), NOTHING
        before = {k.removeprefix(OWN): v for k, v in memory.items() if k.startswith(OWN)}
        handed = {name: value.copy() for name, value in before.items()}
        command, after = self.controller.update(t, seen, reference, handed)
        new = {name: np.array(value) for name, value in after.items()}
        for name in before.keys() | new.keys():
            was, now = (
                f"{m[name].shape} {m[name].dtype}" if name in m else "nothing"
                for m in (before, new)
            )
            if was != now:
                raise InputError("controller.update", f"{name}: {now}", f"must stay {was}")
        return np.asarray(command, dtype=float), new

    def _served(
        self, t: float, seen: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """The controller's answer.  Runs at which it fails are lost, found by halves: the others see what they saw."""
        try:
            return self._answer(t, seen, reference, memory)
        except FAILURES as error:
            failure = error

        def shown(runs: NDArray[np.intp]) -> tuple[Array, Memory] | Exception:
            good = np.zeros((self.runs, 1), dtype=bool)
            good[runs] = True
            length = np.where(good, seen.length, reference.length)
            rate = np.where(good, seen.rate, reference.rate)
            motion = shown_motion(seen.motion, reference, good)
            now = Measurement(length, rate, motion, seen.integral, seen.spin, seen._more)
            try:
                return self._answer(t, now, reference, memory)
            except FAILURES as error:
                return error

        every = np.arange(self.runs)
        parts = [every]
        if isinstance(shown(every[:0]), Exception):  # not even at the reference: no run is to blame
            raise failure
        while parts:
            runs = parts.pop()
            answer = shown(runs)
            if isinstance(answer, Exception) and len(runs) > 1:
                parts += np.array_split(runs, 2)
            elif isinstance(answer, Exception):
                self.lost[int(runs[0])] = str(answer)
        answer = shown(np.setdiff1d(every, list(self.lost)))
        if isinstance(answer, Exception):  # runs that only fail together
            raise answer
        return answer

    def lose(self, kept: Any, why: str) -> None:
        """Runs that are not `kept` get no command at this sample."""
        self.lost |= {int(run): why for run in np.flatnonzero(~kept) if run not in self.lost}


def shown_motion(now: Motion, reference: Reference, good: NDArray[np.bool_] | None) -> Motion:
    """The motion, where runs have ended their reference."""
    if good is None:
        return now
    both = [(getattr(now, name), getattr(reference.motion, name)) for name in STATE.names]
    masks = (good[..., None] if a.ndim == 3 else good for a, _ in both)
    return Motion.trusted(*(np.where(m, a, b) for m, (a, b) in zip(masks, both, strict=True)))
