"""Rollouts and their slopes on the GPU (``engine="cuda"``): launches over host arrays, many runs in parts.

A run is advanced by one thread or two (cuda_text.py, cuda_legs.py), its slopes go back by one (cuda_rollout.py); the
answers are those of `rollout_kernel.RolloutSteps` to rounding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.engines.cuda import cupy
from gough.layout import LEG_LAW
from gough.simulation.cuda_kernel import PART, Kernel, advance, some, there, whole
from gough.simulation.cuda_legs import fitted
from gough.simulation.cuda_rollout import back_cut
from gough.simulation.cuda_writer import Form
from gough.simulation.rollout_kernel import RolloutSteps

MEMORY = 1.6e10  # bytes on the card of the runs whose slopes go back together
NO_LAW = np.zeros((LEG_LAW.size, 6, 1))


class CardSteps(NamedTuple):
    """How rollouts advance on the card: as `RolloutSteps`."""

    integrator: str
    kinds: tuple[str, ...]
    step: float
    every: int

    def kernel(self, par: Array, runs: int, back: bool | None = None) -> Kernel:
        """Ahead, or (`back` not None) backwards, with this machine's numbers."""
        form = Form(self.integrator, self.kinds, watched=False, held=True, back=back)
        if back is None:
            form = fitted(form, runs)
        elif back_cut(self.integrator, self.kinds) is not None:
            form = replace(form, lanes=1)
        found = Kernel(form)
        found.hold(par, NO_LAW)
        return found

    def roll(
        self, par: Array, start: Array, effort: Array, external: Array
    ) -> tuple[Array, NDArray[np.int64]]:
        """As `RolloutSteps.roll`."""
        state = np.array(start)
        kernel = self.kernel(par, start.shape[1])
        span = state, len(effort), self.every, self.step
        out, bad = advance(kernel, *span, effort=effort, external=external)
        return np.concatenate([start[None], out]), bad

    def pull(
        self,
        par: Array,
        rows: Array,
        effort: Array,
        external: Array,
        weight: Array,
        parameters: bool,
    ) -> tuple[Array, Array, Array, Array]:
        """As `RolloutSteps.pull`."""
        cp, (records, size, n), steps = cupy(), rows.shape, len(effort)
        shapes = (steps, 6), (steps, 6), (size,), (par.size if parameters else 0,)
        out = tuple(np.empty((*shape, n)) for shape in shapes)
        kernel, between = self.kernel(par, n, parameters), self.every if self.every > 1 else 0
        numbers = 2 * records * size + 3 * 6 * steps + between * size + par.size
        part = int(min(PART, max(1.0, MEMORY / (8 * numbers))))
        for low in range(0, n, part):
            runs = slice(low, min(n, low + part))
            m = runs.stop - runs.start
            found = [cp.empty((*shape, m)) for shape in shapes]
            push, wrench = (there(some(a, runs)) for a in (effort, external))
            kernel.launch(
                m,
                pull_arguments(
                    self,
                    (there(rows[:, :, runs]), push, wrench, there(weight[:, :, runs])),
                    (cp.empty((between, size, m)), *found),
                ),
            )
            for to, each in zip(out, found, strict=True):
                to[..., runs] = cp.asnumpy(each)
        return out  # type: ignore[return-value]


def pull_arguments(
    steps: CardSteps, given: tuple[Any, Any, Any, Any], out: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Of a launch: states (records, rows, n), loads (steps or 1, 6, n or 1) and weights on the device; then room for
    the states between records, and the answers."""
    rows, effort, external, weight = given
    head = (*whole(rows.shape[2], len(rows), steps.every), np.float64(steps.step), rows)
    loads = ((a, *whole(len(a), a.shape[2])) for a in (external, effort))
    return (*head, *next(loads), *next(loads), weight, *out)


def steps_of(
    engine: str, integrator: str, kinds: tuple[str, ...], step: float, every: int
) -> RolloutSteps | CardSteps:
    """The steps on an engine."""
    made = CardSteps if engine == "cuda" else RolloutSteps
    return made(integrator, kinds, step, every)
