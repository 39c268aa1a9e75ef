"""How metrics change with the parameters of a design: differences of machines beside it, all of them in one call.

    D(h) = (f(x + h) - f(x - h)) / 2h,   slope = (4 D(h/2) - D(h)) / 3      error O(h^4) where f is smooth
Most metrics are the largest or smallest over poses and legs, so they have kinks: where two of these change places, the
slopes on both sides differ.  Such a place is recognized by their difference, which shrinks with h where f is smooth and
stays where it has a kink; what is given there is the mean of both sides, and no gradient.  A kink that lies beside x
within h shows as a large `error`.  None of this proves a metric smooth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.design.evaluation import evaluate_many
from gough.design.metrics import Metric, Task
from gough.design.spec import MachineSpec

STEP = 1e-3  # of a parameter's scale
_STEPS = np.array([-1.0, -0.5, 0.5, 1.0])
LASTING = 0.75  # of the difference of both sides that is left with half the step: 0.5 where smooth, 1 at a kink
NOTICED = 1e-6  # difference of both sides, relative to the metric's size over the scale, that is more than rounding


@dataclass(frozen=True, eq=False)
class MetricSlopes:
    """At one design; NaN where it or a machine beside it cannot be built or cannot do the task.

    values   (metrics,)
    slopes   (metrics, parameters) per unit of the parameter, SI
    errors   (metrics, parameters) how far the slopes of two steps differ: an estimate of the error, not a bound
    kinks    (metrics, parameters) the slopes on both sides differ; False proves nothing
    tried    machines computed;  road: as of `Evaluated`
    """

    values: Array
    slopes: Array
    errors: Array
    kinks: NDArray[np.bool_]
    tried: int
    road: str


def metric_slopes(
    machine: MachineSpec,
    at: Mapping[str, float],
    scales: Mapping[str, float],
    task: Task,
    metrics: Mapping[str, Metric],
) -> MetricSlopes:
    """Slopes of metrics with respect to the parameters `at` a design, by 4 machines for each parameter.

    scales  size of each parameter, SI: steps are `STEP` of it
    """
    x, scale = (np.array([given[name] for name in at], dtype=float) for given in (at, scales))
    h = STEP * scale
    beside = (np.eye(len(x))[:, None, :] * _STEPS[:, None] * h).reshape(-1, len(x))
    designs = np.vstack([x, x + beside])
    found = evaluate_many(machine, dict(zip(at, designs.T, strict=True)), task, metrics)
    f = found.numbers[0]
    low, near_low, near_high, high = (
        found.numbers[1:].reshape(len(x), len(_STEPS), -1).T.swapaxes(0, 1)
    )
    coarse, fine = (high - low) / (2 * h), (near_high - near_low) / h
    wide = np.abs(high - 2 * f[:, None] + low) / h  # of the slopes on both sides
    narrow = np.abs(near_high - 2 * f[:, None] + near_low) / (0.5 * h)
    size = np.abs(f)[:, None] / scale + np.abs(fine)
    kinks = (narrow > LASTING * wide) & (narrow > NOTICED * size)
    slopes = (4 * fine - coarse) / 3
    return MetricSlopes(f, slopes, np.abs(slopes - fine), kinks, len(designs), found.road)
