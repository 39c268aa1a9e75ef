"""Metrics of many designs: by batch where machine and metrics can be packed, else one by one, design by design.

Which road a design takes depends on the design, the machine, the task and the metrics alone, never on the designs
beside it: so a sweep gives the same table however it is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, GoughError
from gough.design.batch_forces import MovedDesigns
from gough.design.batch_metrics import BATCHED, BatchTrial, PoseTable, batch_numbers
from gough.design.design_arrays import UNPACKED, design_arrays, why_unpacked
from gough.design.design_parameters import design_parameters, why_unmoved
from gough.design.metrics import ALONG_MOTION, METRICS, Metric, Task, judged
from gough.design.spec import MachineSpec
from gough.engines.background import settled
from gough.engines.pack import kinds_of
from gough.model import Platform
from gough.model.body import collected_warnings
from gough.spatial import Pose

BY_BATCH = "by batch"
Alone = Callable[[int], tuple[Sequence[float], str]]
"""Number of a design -> its metrics in order, and why it has none (empty: it has)."""


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Metrics of n designs.

    numbers  (n, metrics), NaN where a design cannot be built or cannot do the task;  reasons: why, empty where it can
    batched  (n,) computed by batch;  road: "by batch" (designs that are not surely fine go one by one all the same),
             or why all went one by one
    """

    numbers: Array
    reasons: tuple[str, ...]
    batched: NDArray[np.bool_]
    road: str


def road_of(machine: MachineSpec, task: Task, metrics: Mapping[str, Metric]) -> str:
    """`BY_BATCH`, or why designs of this machine go one by one."""
    for name, metric in metrics.items():
        if name not in BATCHED or METRICS.get(name) is not metric:
            return UNPACKED + f"{name} is not computed by batch"
    if task.motion is not None and task.motion.position.ndim != 2:
        return UNPACKED + "the motion is a batch of motions"
    why = why_unpacked(machine)
    if why is None and any(name in ALONG_MOTION for name in metrics):
        if task.motion is None or task.motion.time is None:
            return UNPACKED + "a metric is taken along a motion in time, and there is none"
        why = None if machine.family is not None else why_unmoved(machine.loaded)
    return why or BY_BATCH


@settled()
def evaluate_many(
    machine: MachineSpec,
    values: Mapping[str, Array],
    task: Task,
    metrics: Mapping[str, Metric],
    *,
    count: int | None = None,
    alone: Alone | None = None,
    batch: bool | NDArray[np.bool_] = True,
) -> Evaluated:
    """The metrics of n designs, ``machine.build`` of each row of `values` (name -> (n,), SI).

    count  n, where `values` names nothing
    alone  how one design is computed, if it is not ``judged(machine.build(...), task, metrics)``
    batch  (n,) which designs may go by batch; False: none of them
    """
    columns = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    count = len(next(iter(columns.values()))) if columns else count or 1
    asked = np.broadcast_to(np.asarray(batch), (count,))
    road = road_of(machine, task, metrics) if asked.any() else UNPACKED + "so it was asked for"
    numbers, done = np.full((count, len(metrics)), np.nan), np.zeros(count, dtype=bool)
    if road == BY_BATCH:
        found, sure = batch_numbers(_trial(machine, columns, count, task, metrics), tuple(metrics))
        done = sure & asked
        numbers[done] = found[done]
    reasons = [""] * count
    alone = alone or _alone(machine, columns, task, metrics)
    for i in np.nonzero(~done)[0].tolist():
        row, reasons[i] = alone(i)
        if not reasons[i]:
            numbers[i] = row
    return Evaluated(numbers, tuple(reasons), done, road)


def _trial(
    machine: MachineSpec,
    columns: dict[str, Array],
    count: int,
    task: Task,
    metrics: Mapping[str, Metric],
) -> BatchTrial:
    machines = design_arrays(machine, columns, count)
    poses, moved = PoseTable(task, machines.rotation), None
    motion = task.motion_of(Pose(np.zeros(3), machines.rotation))
    if motion is not None and machines.sure.any() and any(n in ALONG_MOTION for n in metrics):
        template = _template(machine, columns, int(np.argmax(machines.sure)))
        par = design_parameters(machine, template, machines, columns, task.payload)
        kinds = kinds_of(template)
        moved = MovedDesigns(machines, kinds, par, motion, float(task.relative))
    return BatchTrial(machines, poses, moved)


def _template(machine: MachineSpec, columns: dict[str, Array], which: int) -> Platform:
    """The machine that is changed, or of a family a design that is certainly built."""
    if machine.family is None:
        return machine.loaded
    with collected_warnings():
        return machine.build({name: float(x[which]) for name, x in columns.items()})


def _alone(
    machine: MachineSpec, columns: dict[str, Array], task: Task, metrics: Mapping[str, Metric]
) -> Alone:
    def alone(i: int) -> tuple[Sequence[float], str]:
        try:
            with collected_warnings():
                platform = machine.build({name: float(x[i]) for name, x in columns.items()})
                return tuple(judged(platform, task, metrics).values()), ""
        except GoughError as error:
            return (), str(error)

    return alone
