"""A user's own law as compiled code: the whole loop then runs without Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, Frozen, InputError
from gough.control.signals import Measurement, Memory, Reference
from gough.frozen import hinted
from gough.layout import MOTION, STATE
from gough.spatial import Motion


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class CompiledLaw(Frozen):
    """A law compiled by ``numba.njit``, called for each run at each sample:

        law(t, length, rate, integral, pose, ref_length, ref_rate, ref_acceleration, ref_motion, memory, out)

    t                                      s
    length, rate, integral                 (6,) as of `Measurement`
    pose                                   (18,) position, rotation by rows, velocity, angular velocity, as measured
    ref_length, ref_rate, ref_acceleration (6,) as of `Reference`
    ref_motion                             (24,) as the pose, then acceleration and angular acceleration
    memory                                 (`memory`,) numbers of the run's own, zero at the start; saved and resumed
    out                                    (6,) efforts, to be written; N (N m)
    All arrays are float64; what the law writes into others than memory and out is lost.
    """

    law: Callable[..., Any]
    memory: int = 0

    def __post_init__(self) -> None:
        if not hasattr(self.law, "py_func"):
            raise InputError("law", self.law, "must be a function compiled by numba.njit")
        if not isinstance(self.memory, int) or not 0 <= self.memory <= 10_000:
            raise InputError("memory", self.memory, "must be a whole number from 0 to 10000")

    def init(self, runs: int) -> Memory:
        """The memory of so many runs."""
        return {"memory": np.zeros((runs, self.memory))}

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """The law asked from Python, run by run: where the loop cannot be compiled as a whole."""
        n = len(measurement.length)
        out, read = np.zeros((n, 6)), [measurement.length, measurement.rate, measurement.integral]
        wanted = [reference.length, reference.rate, reference.acceleration]
        now, then = _rows(measurement.motion, STATE.names), _rows(reference.motion, MOTION.names)
        columns = [*read, now, *wanted, then, memory["memory"], out]
        whole = [np.ascontiguousarray(np.broadcast_to(a, (n, a.shape[1]))) for a in columns[:-2]]
        for given in zip(*whole, *columns[-2:], strict=True):
            self.law(t, *given)
        return out, memory


def _rows(motion: Motion, names: tuple[str, ...]) -> Array:
    """(n, numbers) of a motion's blocks."""
    n = len(motion.position)
    return np.concatenate([getattr(motion, name).reshape(n, -1) for name in names], axis=1)
