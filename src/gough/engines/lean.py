"""The lean entry point: one state, flat arrays, no checks beyond shape and type; for loops that count microseconds."""

from __future__ import annotations

import numpy as np

from gough.checks import Array, InputError
from gough.engines import native
from gough.engines.evaluate import check_platform
from gough.engines.pack import kinds_of, parameters
from gough.model import SPS, Platform


class Lean:
    """A machine function of one state as a plain call.

    ``y = call(x)``: x is a contiguous float64 vector of `call.size` numbers (`call.inputs` names its parts in
    order); y is `call.answer`, the same array every time: copy what must last.  Bad states give NaN, never an
    error.  Not for several threads at once: make one per thread.
    """

    def __init__(self, function: str, platform: Platform) -> None:
        check_platform(platform)
        if function not in native.LAYOUTS:
            raise InputError("function", function, f"must be one of {', '.join(native.LAYOUTS)}")
        spinning = any(isinstance(leg, SPS) and not leg.spin_free for leg in platform.legs)
        kinds = kinds_of(platform, spinning)
        self.inputs = native.inputs_of(function, kinds)
        self.size = sum(width for _, width in self.inputs)
        self.x = np.zeros(self.size)
        self.answer = np.empty(native.LAYOUTS[function].n_out)
        self._kernel, self._par = native.kernel(function, kinds, "single"), parameters(platform).copy()

    def __call__(self, x: Array) -> Array:
        self._kernel(x, self._par, self.answer)
        return self.answer


def lean(platform: Platform, function: str = "forces") -> Lean:
    """Inverse dynamics (or `record`, `kinematics`, `mass`, `forward`, `energy`) of one state at a time.

    Inverse dynamics: x is position 3, rotation 9 by rows, velocity 3, angular velocity 3, acceleration 3, angular
    acceleration 3, external wrench 6; the answer is six efforts and a singularity measure (infinite or NaN: none).
    """
    return Lean(function, platform)
