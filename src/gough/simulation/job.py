"""A run as its routes take it over (`Job`) and as they hand it back (`Finished`)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.simulation.inputs import TimeSignal
from gough.simulation.lookout import Lookout
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
    tell_loop   records keep what the controller read;  engine  that takes the steps
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
    engine: str = "native"

    @property
    def recorded(self) -> Steps:
        """The steps after which a state is kept: each `every`-th, the first and the last."""
        return np.append(np.arange(0, self.steps, self.every, dtype=np.int64), self.steps)

    @property
    def samples(self) -> int:
        """Control samples until the end."""
        return -(-self.steps // self.period)

    @property
    def several(self) -> bool:
        """Every run has its own numbers: of its machine, or of its leg laws."""
        own = any(law.shape[2] > 1 for _, law in self.laws)
        return self.rows.several or (own and bool(self.rows.laws))

    def law_at(self, step: Steps) -> NDArray[np.intp]:
        """Index of the laws in force from these steps on."""
        return np.searchsorted([start for start, _ in self.laws], step, side="right") - 1


@dataclass(eq=False)
class Finished:
    """Outcome of any route: K recorded instants, states (K, rows, n), commands and wrenches (K, 6, n), and per run how
    and when it ended.

    index     (K,) the step in which an instant lies;  time  (K,) s
    end_time  (n,) s, the last instant whose state stands;  final  (rows, n) the states at stopping events, else NaN
    lookout   what was seen on the way
    measured  (K, 12 or 0, n) coordinates and rates as a controller read them
    """

    job: Job
    index: Steps
    time: Array
    states: Array
    command: Array
    external: Array
    status: list[Status]
    end_time: Array
    final: Array
    lookout: Lookout
    measured: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))
