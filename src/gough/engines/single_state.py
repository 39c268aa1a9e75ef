"""The lean entry point: one state, flat arrays, for loops that count microseconds, and still guarded."""

from __future__ import annotations

import numpy as np

from gough.checks import Array, array
from gough.engines import native
from gough.engines.evaluate import check_function, check_platform, judge_rows
from gough.engines.native import SPIN_WIDTH
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS
from gough.guard import refuse, risk_limit
from gough.layout import POSE
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose


class Lean:
    """A machine function of one state as a plain call.

    ``y = call(x)``: x is a contiguous float64 vector of `call.size` numbers (`call.inputs` names its parts in
    order); y is `call.answer`, the same array every time: copy what must last.  States without a trustworthy
    answer raise `InfeasibleError`, as in the verbs.  Not for several threads at once: make one per thread.
    """

    def __init__(self, function: str, platform: Platform) -> None:
        check_platform(platform)
        check_function(function)
        refuse_links(platform, "lean calls do not serve machines")
        machine = packed(platform, None)
        self.inputs = native.inputs_of(function, machine.kinds)
        self.size = sum(width for _, width in self.inputs)
        self.x = np.zeros(self.size)
        self.answer = np.empty(FUNCTIONS[function].n_out)
        outputs = FUNCTIONS[function].outputs
        self._function, self._platform, self._limit = function, platform, risk_limit(platform)
        self._risk = outputs.at("risk") if "risk" in outputs.names else None
        self._kernel, self._par = (
            native.kernel(function, machine.kinds, "single"),
            machine.parameters.copy(),
        )

    def __call__(self, x: Array) -> Array:
        if type(x) is not np.ndarray or x.shape != self.x.shape:
            x = array("x", x, self.x.shape)
        try:
            self._kernel(x, self._par, self.answer)
        except (TypeError, ValueError):  # other numbers, or not one after the other
            self._kernel(array("x", x, self.x.shape), self._par, self.answer)
        risk = abs(self.answer.sum()) if self._risk is None else self.answer[self._risk]
        if not risk <= self._limit:
            self._look(x)
        return self.answer

    def _look(self, x: Array) -> None:
        """The guard's closer look."""
        found = judge_rows(self._function, self._platform, x[None], self.answer[None])
        if found:
            why = next(why for bad, why in found if bad.all())
            pose = Pose.trusted(x[POSE.position], x[POSE.rotation].reshape(3, 3))
            raise refuse(
                self._platform, pose, True, why, spinning=("spin", SPIN_WIDTH) in self.inputs
            )


def lean(platform: Platform, function: str = "forces") -> Lean:
    """Inverse dynamics (or `record`, `kinematics`, `mass`, `forward`, `energy`) of one state at a time.

    Inverse dynamics: x is position 3, rotation 9 by rows, velocity 3, angular velocity 3, acceleration 3, angular
    acceleration 3, external wrench 6; the answer is six efforts and the risk (gough/guard.py).
    """
    return Lean(function, platform)
