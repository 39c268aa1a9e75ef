"""Runs whose states stay on the GPU: arrays of CuPy, PyTorch or JAX in, CuPy arrays out, nothing passes the host.

    runs = DeviceRuns(platform, state, step=1e-3)
    records, lost = runs.advance(100, effort, every=10)
    torch.from_dlpack(runs.state)

Limits are not looked at here (`simulate` does); a state that is no number, or beyond any machine, is told in `lost`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import InputError, positive
from gough.engines.cuda import NUMBERS, cupy
from gough.engines.native import check_precision
from gough.model import Platform
from gough.simulation import leg_law
from gough.simulation.cuda_kernel import Kernel, whole
from gough.simulation.cuda_legs import fitted
from gough.simulation.cuda_writer import Form
from gough.simulation.demand import check_step
from gough.simulation.programs import METHODS
from gough.simulation.state import Rows, State, initial
from gough.spatial import Motion, Pose


def on_card(value: Any) -> Any:
    """A float64 CuPy array of the same memory where that is possible: ``__cuda_array_interface__`` or DLPack; NumPy's
    are copied."""
    cp = cupy()
    if hasattr(value, "__dlpack__") and not hasattr(value, "__cuda_array_interface__"):
        value = value if isinstance(value, np.ndarray) else cp.from_dlpack(value)
    return cp.asarray(value, dtype=np.float64)


class DeviceRuns:
    """n runs of a machine under held efforts.

    state   (rows, n) float64 on the device, rows of `layout` (position, rotation by rows, velocity, angular velocity,
            then what spins and laws add), SI, world axes; it may be written to
    layout  where each block of a state stands
    number  "float64"; "float32": accelerations in single precision, summed up in double, about twice as fast.  How far
            that is from float64 was measured for one machine and motion (docs/performance.md) and is proved for
            none; near singular poses it is far.  Without drives and springs alone: stops and friction turn the last
            digits of a length into forces
    """

    def __init__(
        self,
        platform: Platform,
        state: State | Motion | Pose,
        *,
        step: float = 1e-3,
        integrator: str = "rk4",
        drives: bool = True,
        number: str = "float64",
    ) -> None:
        cp = cupy()
        if integrator not in METHODS:
            raise InputError("integrator", integrator, f"must be one of {', '.join(METHODS)}")
        self.step = positive("step", step)
        motion, spin = initial(platform, state, None)
        law = leg_law.leg_laws(platform, None, drives, 1)
        rows = Rows(platform, spin is not None, leg_law.in_use(law))
        if rows.laws:
            check_step(platform, METHODS[integrator], self.step, [(0, law)])
        _check_number(number, rows)
        self.layout = rows.layout
        self.state = cp.asarray(rows.start(motion, spin))
        form = Form(integrator, rows.kinds, rows.laws, watched=False, single=number == "float32")
        self._kernel = Kernel(fitted(form, self.state.shape[1]))
        self._kernel.hold(rows.par, law)

    def advance(
        self, steps: int, effort: Any, external: Any = None, every: int = 0
    ) -> tuple[Any, Any]:
        """Take all runs `steps` further in place.

        effort    (6,) or (n, 6) on the actuator coordinates, N (N m), held
        external  the same of the wrench on the platform, platform axes, N and N m; None: none
        every     steps between records; 0: none
        Answers the records (steps/every, rows, n), and (n,) the step after which a state was no number or beyond any
        machine (-1: none); states from there on mean nothing.
        """
        cp = cupy()
        rows, n = self.state.shape
        if steps < 1 or every < 0 or (every and steps % every):
            raise InputError("every", every, f"must divide the {steps} steps (0: no records)")
        given = [self._six("effort", effort), self._six("external", external)]
        records = cp.empty((steps // every if every else 0, rows, n))
        lost = cp.empty(n, dtype=np.int64)
        state = cp.ascontiguousarray(self.state)
        head = (*whole(n, 0, steps, every or steps + 1), np.float64(self.step), state)
        u, w = ((a, *whole(1, a.shape[1])) for a in given)
        self._kernel.launch(n, (*head, *w, cp.zeros(1), records, lost, *u))
        self.state = state
        return records, lost

    def _six(self, name: str, value: Any) -> Any:
        """(6, 1 or n) on the device."""
        cp, n = cupy(), self.state.shape[1]
        found = cp.zeros(6) if value is None else on_card(value)
        if found.shape not in ((6,), (n, 6)):
            raise InputError(name, f"shape {found.shape}", f"must be (6,) or ({n}, 6)")
        return cp.ascontiguousarray(found.reshape(-1, 6).T)


def _check_number(number: str, rows: Rows) -> None:
    if number not in NUMBERS:
        raise InputError("number", number, f"must be one of {', '.join(NUMBERS)}")
    check_precision(rows.kinds, number)
    if number == "float32" and rows.laws:
        allowed = "must be float64 where laws act along the legs: drives=False"
        raise InputError("number", number, allowed)
