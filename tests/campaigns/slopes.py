"""The derivatives in the guard's campaign: every slope and what it claims, against 32 and 50 digits.

PYTHONPATH=src:tests python -m campaigns.guard_campaign --slopes --states 2000 --each 64
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics import (
    derivatives_error,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from gough.engines.derivative_bound import EFFORTS, slopes
from gough.engines.derivative_programs import forward_stage, inverse_stage
from gough.engines.pack import Packed
from gough.layout import DRIVEN_STATE, JACOBIAN, LOADED_MOTION, MOTION, STAGE, STATE
from support.double_double import Doubled


def inverse_slopes(b: Any) -> tuple[Array, Array]:
    """Of the efforts."""
    d = inverse_dynamics_derivatives(b.machine, b.motion, b.external, spin=b.spin)
    error = derivatives_error(b.machine, b.motion, d, external=b.external, spin=b.spin)
    return d.jacobian.reshape(len(error), -1), error.reshape(len(error), -1)


def forward_slopes(b: Any) -> tuple[Array, Array]:
    """Of the accelerations."""
    d = forward_dynamics_derivatives(b.machine, b.motion, b.force, b.external, spin=b.spin)
    error = derivatives_error(b.machine, b.motion, d, b.force, b.external, spin=b.spin)
    return d.jacobian.reshape(len(error), -1), error.reshape(len(error), -1)


def jacobian(direction: str, machine: Packed, x: list[Any], par: list[Any]) -> list[Any]:
    """All slopes of one direction, row by row, in any kind of number."""
    kinds = machine.kinds
    stage = (inverse_stage if direction == "inverse" else forward_stage)(kinds)
    n = stage.sizes["x"]
    found = STAGE.named(stage.run(x[:n], par, x[n:]))
    inverse, answer = direction == "inverse", found["answer"]
    motion = x[: MOTION.size] if inverse else [*x[: STATE.size], *answer]
    efforts = answer if inverse else x[DRIVEN_STATE.effort]
    out: list[Any] = []
    for k in range(6):
        share = found["shares"][6 * k : 6 * k + 6]
        given = (motion, x[LOADED_MOTION.external], efforts, x[n:], share, par)
        row: list[Any] = [0.0] * (JACOBIAN.size + len(par))
        for at, values in slopes(kinds, *given).items():
            if not (inverse and at in EFFORTS):
                row[at : at + len(values)] = values
        out += row
    return out


def doubled(direction: str, machine: Packed, inputs: Array) -> tuple[Array, Array]:
    """High and low parts (N, 6 n)."""
    x, par = [Doubled(c) for c in inputs.T], [Doubled(float(v)) for v in machine.parameters]
    with np.errstate(all="ignore"):
        found = jacobian(direction, machine, x, par)
    high, low = np.zeros((2, len(inputs), len(found)))
    for k, one in enumerate(found):
        if isinstance(one, Doubled):
            high[:, k], low[:, k] = one.high, one.low
        else:
            high[:, k] = one
    return high, low
