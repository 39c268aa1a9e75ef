"""The lean entry point: one state, flat arrays, no checks beyond shape and type; for loops that count microseconds."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines import native
from gough.engines.evaluate import check_function, check_platform
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS
from gough.model import Platform


class Lean:
    """A machine function of one state as a plain call.

    ``y = call(x)``: x is a contiguous float64 vector of `call.size` numbers (`call.inputs` names its parts in
    order); y is `call.answer`, the same array every time: copy what must last.  Bad states give NaN, never an
    error.  Not for several threads at once: make one per thread.
    """

    def __init__(self, function: str, platform: Platform) -> None:
        check_platform(platform)
        check_function(function)
        machine = packed(platform, None)
        self.inputs = native.inputs_of(function, machine.kinds)
        self.size = sum(width for _, width in self.inputs)
        self.x = np.zeros(self.size)
        self.answer = np.empty(FUNCTIONS[function].n_out)
        self._kernel, self._par = (
            native.kernel(function, machine.kinds, "single"),
            machine.parameters.copy(),
        )

    def __call__(self, x: Array) -> Array:
        self._kernel(x, self._par, self.answer)
        return self.answer


def lean(platform: Platform, function: str = "forces") -> Lean:
    """Inverse dynamics (or `record`, `kinematics`, `mass`, `forward`, `energy`) of one state at a time.

    Inverse dynamics: x is position 3, rotation 9 by rows, velocity 3, angular velocity 3, acceleration 3, angular
    acceleration 3, external wrench 6; the answer is six efforts and a singularity measure (infinite or NaN: none).
    """
    return Lean(function, platform)
