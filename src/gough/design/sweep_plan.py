"""What a sweep shall compute, read from its file: machines x motions x axes x samples, and the metrics of each case."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import InputError
from gough.design.code_state import running_code
from gough.design.drawing import METHODS, Draw
from gough.design.metric_units import metric_names
from gough.design.metrics import METRICS, Metric, Task, need_given
from gough.design.own_metrics import NONE, OwnMetrics, load_metrics
from gough.design.spec import (
    DIMENSIONS,
    MACHINE,
    MOTION,
    MOTION_CHANGES,
    TASK,
    MachineSpec,
    TaskSpec,
    read_design,
)
from gough.documents.kinds import choice, interval, listed, scalar, whole
from gough.documents.reader import Either, Keyed, Named, Value, need
from gough.extras import package
from gough.spatial import Motion

MOST_CASES = 10_000_000
Row = list[Any]


@dataclass(frozen=True)
class Sweep:
    """A sweep read from its file.

    machines  name -> machine;  motions  name -> motion (one without name: none)
    axes      parameter -> values, SI;  draw: samples of further parameters, or None;  metrics: by name
    chunk     cases computed and recorded together, None: by their measured cost; it does not change the results
    path      the file;  own: metrics of the user;  identity: hash of everything that decides the result
    """

    machines: dict[str, MachineSpec]
    motions: dict[str, Motion | None]
    axes: dict[str, tuple[float, ...]]
    draw: Draw | None
    task: Task
    metrics: dict[str, Metric]
    chunk: int | None
    path: str
    own: OwnMetrics
    identity: str

    @property
    def title(self) -> str:
        """What its tables are called."""
        return "Parameter sweep"

    @property
    def shape(self) -> tuple[int, ...]:
        """Cases along machines, motions, axes, and samples if any are drawn."""
        drawn = () if self.draw is None else (self.draw.count,)
        axes = (len(values) for values in self.axes.values())
        return (len(self.machines), len(self.motions), *axes, *drawn)

    @property
    def cases(self) -> int:
        """Number of all cases."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def parameters(self) -> tuple[str, ...]:
        """What is varied."""
        return (*self.axes, *(() if self.draw is None else self.draw.ranges))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of a row's entries."""
        return ("machine", "motion", *self.parameters, *self.metrics, "status")


def read_sweep(
    path: str | os.PathLike[str], functions: str | os.PathLike[str] | None = None
) -> Sweep:
    """A sweep from a TOML file; the format: docs/design.md.

    functions  Python file with metrics of one's own (`gough.design.metric`); it is run, here and on all workers
    """
    own = NONE if functions is None else load_metrics(functions)
    known = {**METRICS, **own.metrics}
    fields = {**_FIELDS, "metrics": need(metric_names(known))}
    return read_design(path, fields, partial(_sweep, os.path.abspath(path), own, known))


def _sweep(
    path: str,
    own: OwnMetrics,
    known: dict[str, Metric],
    metrics: list[str],
    task: TaskSpec | None = None,
    machine: MachineSpec | None = None,
    machines: dict[str, MachineSpec] | None = None,
    motions: dict[str, Any] | None = None,
    axes: dict[str, tuple[float, ...]] | None = None,
    draw: Draw | None = None,
    chunk: int | None = None,
) -> Sweep:
    goal, samples = task or TaskSpec(Task(), 101)
    if (machine is None) == (machines is None):
        allowed = "give one table [machine], or [machines.NAME] for each of several"
        raise InputError("machine", "both" if machine else "nothing", allowed)
    if machine is not None:
        name = Path(machine.source).stem if machine.family is None else machine.source
        machines = {name: machine}
    if not machines:
        raise InputError("machines", "none", "must hold at least one machine")
    if motions and goal.motion is not None:
        raise InputError("task.motion", "a motion", "give it here or in [motions], not both")
    sampled = {name: motion.sample(samples) for name, motion in (motions or {}).items()}
    sampled = sampled or {"": None}
    for motion in sampled.values():
        need_given(metrics, goal.replace(motion=motion or goal.motion))
    drawn = {} if draw is None else draw.ranges
    for key, name in (*(("axes", n) for n in axes or {}), *(("draw.ranges", n) for n in drawn)):
        for label, item in machines.items():
            if name not in item.parameters and name not in MOTION_CHANGES:
                has = ", ".join(item.parameters)
                raise InputError(f"{key}.{name}", label, f"this machine has {has}")
    for name in drawn:
        if name in (axes or {}):
            raise InputError(f"draw.ranges.{name}", name, "stands in [axes] already")
    wanted = {name: known[name] for name in metrics}
    made = Sweep(machines, sampled, axes or {}, draw, goal, wanted, chunk, path, own, "")
    if made.cases > MOST_CASES:
        raise InputError("axes", f"{made.cases} cases", f"must give at most {MOST_CASES}")
    return Sweep(**{**made.__dict__, "identity": _identity(made)})


def _axis(dimension: str) -> Either:
    """A list of values, or ``{from, to, count}``."""

    def spaced(**given: Any) -> tuple[float, ...]:
        return tuple(np.linspace(given["from"], given["to"], given["count"]).tolist())

    def values(value: Any) -> tuple[float, ...]:
        if not isinstance(value, list) or not value:
            raise InputError("", value, "must be a list of values, or { from, to, count }")
        return tuple(listed(dimension).convert(value))

    end = need(scalar(dimension))
    table = Keyed("axis", {"from": end, "to": end, "count": need(whole(2, 1_000_000))}, spaced)
    return Either(table, Value(values, {"type": "array"}))


def _drawn(count: int, ranges: dict[str, Any], method: str = "sobol", seed: int = 0) -> Draw:
    """Samples of parameters, quasi-random (sobol, halton) or random."""
    if not ranges:
        raise InputError("ranges", "none", "must name at least one parameter with its range")
    return Draw(method, count, seed, {name: (low, high) for name, (low, high) in ranges.items()})


_FIELDS: dict[str, Any] = {
    "machine": MACHINE,
    "machines": Named(MACHINE),
    "motions": Named(MOTION),
    "task": TASK,
    "axes": Named({name: _axis(dimension) for name, dimension in DIMENSIONS.items()}),
    "draw": Keyed(
        "draw",
        {
            "method": choice(list(METHODS)),
            "count": need(whole(1, MOST_CASES)),
            "seed": whole(0),
            "ranges": need(Named({n: interval(d, "low", "high") for n, d in DIMENSIONS.items()})),
        },
        _drawn,
    ),
    "chunk": whole(1),
}


def _identity(sweep: Sweep) -> str:
    """Hash of all that decides the rows: machines, motions, axes, samples, task, metrics and the code itself.

    Not of the file's comments or place, nor of the size of its chunks.
    """
    from gough.model.writing import dumps

    digest = hashlib.sha256(repr(sorted(running_code().items())).encode())

    def add(*parts: object) -> None:
        digest.update(repr(parts).encode())

    for name, machine in sweep.machines.items():
        built = machine.family is None
        content = dumps(machine.build({})) if built else repr(sorted(machine.options))
        limits, leg = machine.options.get("limits"), machine.options.get("leg")
        known = {} if limits is None else {k: v for k, v in vars(limits).items() if v is not None}
        shown = {k: np.asarray(v).tolist() for k, v in known.items() if not k.startswith("_")}
        told = "" if limits is None else repr(shown)
        add(name, machine.family, sorted(machine.fixed.items()), content, told, leg)
    for name, motion in (*sweep.motions.items(), ("task", sweep.task.motion)):
        digest.update(name.encode())
        if motion is not None:
            for part in (motion.time, motion.position, motion.rotation, *motion.rates):
                digest.update(np.ascontiguousarray(part).tobytes())
    t, axes = sweep.task, sweep.axes
    load = None if t.payload is None else (t.payload.mass, t.payload.center.tolist())
    task = (t.box.tolist(), t.tilt.tolist(), t.relative, load, t.hardware.as_tuple())
    drawn = None
    if sweep.draw is not None:
        drawn = (sweep.draw, package("scipy").__version__)  # it makes the points
    add(sorted(axes.items()), list(axes), drawn, list(sweep.metrics), sweep.own.digest, *task)
    return digest.hexdigest()
