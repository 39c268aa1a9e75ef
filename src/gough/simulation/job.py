"""A run as its routes take it over (`Job`) and as they hand it back (`Finished`)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.simulation.inputs import TimeSignal
from gough.simulation.loop import ControlLoop
from gough.simulation.options import Plant
from gough.simulation.state import Rows
from gough.status import Status

Steps = NDArray[np.int64]


@dataclass(eq=False)
class Job:
    """Everything a run needs; time is counted in steps of `step` seconds.

    X       (rows, n) at the start
    every   steps between records;  period  steps between control samples
    laws    [(first step, leg laws)], the laws in force from that step on
    tell_loop   records keep what the controller read
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
    plant: Plant = field(default_factory=Plant)
    batched: bool = False
    loop: ControlLoop | None = None
    period: int = 1
    tell_loop: bool = False

    @property
    def recorded(self) -> Steps:
        """The steps after which a state is kept: each `every`-th, the first and the last."""
        return np.append(np.arange(0, self.steps, self.every, dtype=np.int64), self.steps)

    def law_at(self, step: Steps) -> NDArray[np.intp]:
        """Index of the laws in force from these steps on."""
        return np.searchsorted([start for start, _ in self.laws], step, side="right") - 1


@dataclass(eq=False)
class Finished:
    """Outcome of any route: K recorded steps, states (K, rows, n), commands and wrenches (K, 6, n), and per run how it
    ended and the last step whose state stands; `measured` (K, 12 or 0, n): coordinates and rates as a controller read
    them."""

    job: Job
    index: Steps
    states: Array
    command: Array
    external: Array
    status: list[Status]
    end: Steps
    measured: Array | None = None

    @property
    def time(self) -> Array:
        """(K,) s."""
        return self.index.astype(np.float64) * self.job.step

    @property
    def end_time(self) -> Array:
        """(n,) s."""
        return self.end.astype(np.float64) * self.job.step
