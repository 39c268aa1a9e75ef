"""Sweeps: metrics over machines x motions x parameters, on this process, local processes or Dask.

The cases are numbered; a chunk is a run of consecutive cases and a pure function of the sweep's file, so it may be
computed anywhere, twice, or again after a kill.  Finished chunks go to a journal (journal.py); the result tables are
written from it when all are done, so they are the same to the last byte however often the work was interrupted.
A case that cannot be built or cannot do its task has NaN metrics and the reason in its `status`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import GoughError, InputError
from gough.design.executors import EXECUTORS, SweepStoppedError, computed
from gough.design.journal import Journal, JournalFullError
from gough.design.metrics import METRICS, Task, evaluate, need_motion
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
from gough.documents.kinds import listed, scalar, whole
from gough.documents.reader import Either, Keyed, Named, Value, need
from gough.model.body import collected_warnings
from gough.spatial import Motion

MOST_CASES = 10_000_000
Row = list[Any]


@dataclass(frozen=True)
class Sweep:
    """A sweep read from its file.

    machines  name -> machine;  motions  name -> motion (one without name: none)
    axes      parameter -> values, SI;  metrics: names;  chunk: cases computed and recorded together
    path      the file;  identity: hash of everything that decides the result
    """

    machines: dict[str, MachineSpec]
    motions: dict[str, Motion | None]
    axes: dict[str, tuple[float, ...]]
    task: Task
    metrics: tuple[str, ...]
    chunk: int
    path: str
    identity: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Cases along machines, motions and axes."""
        return (len(self.machines), len(self.motions), *(len(v) for v in self.axes.values()))

    @property
    def cases(self) -> int:
        """Number of all cases."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.cases // self.chunk)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of a row's entries."""
        return ("machine", "motion", *self.axes, *self.metrics, "status")


def read_sweep(path: str | os.PathLike[str]) -> Sweep:
    """A sweep from a TOML file; the format: docs/design.md."""
    return read_design(path, _FIELDS, partial(_sweep, os.path.abspath(path)))


def _sweep(
    path: str,
    metrics: list[str],
    task: TaskSpec | None = None,
    machine: MachineSpec | None = None,
    machines: dict[str, MachineSpec] | None = None,
    motions: dict[str, Any] | None = None,
    axes: dict[str, tuple[float, ...]] | None = None,
    chunk: int = 16,
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
        need_motion(metrics, motion or goal.motion)
    for name in axes or {}:
        for label, item in machines.items():
            if name not in item.parameters and name not in MOTION_CHANGES:
                known = ", ".join(item.parameters)
                raise InputError(f"axes.{name}", label, f"this machine has {known}")
    wanted = tuple(dict.fromkeys(metrics))
    made = Sweep(machines, sampled, axes or {}, goal, wanted, chunk, path, "")
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


def _metrics(value: Any) -> list[str]:
    known = isinstance(value, list) and all(isinstance(m, str) and m in METRICS for m in value)
    if not known or not value:
        raise InputError("", value, f"must be a list of names among {', '.join(METRICS)}")
    return value


_FIELDS: dict[str, Any] = {
    "machine": MACHINE,
    "machines": Named(MACHINE),
    "motions": Named(MOTION),
    "task": TASK,
    "axes": Named({name: _axis(dimension) for name, dimension in DIMENSIONS.items()}),
    "metrics": need(Value(_metrics, {"type": "array", "items": {"enum": list(METRICS)}})),
    "chunk": whole(1),
}


def _identity(sweep: Sweep) -> str:
    """Hash of machines, motions, axes, task, metrics and version: not of the file's comments or place."""
    import gough
    from gough.model.writing import dumps

    digest = hashlib.sha256(f"gough {gough.__version__}".encode())

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
    task = (t.box.tolist(), t.tilt.tolist(), t.relative, load)
    add(sorted(axes.items()), list(axes), sweep.metrics, sweep.chunk, *task)
    return digest.hexdigest()


def run_case(sweep: Sweep, number: int) -> Row:
    """One row: machine, motion, parameters, metrics, status."""
    place = np.unravel_index(number, sweep.shape)
    machine_name, motion_name = list(sweep.machines)[place[0]], list(sweep.motions)[place[1]]
    values = {name: axis[i] for (name, axis), i in zip(sweep.axes.items(), place[2:], strict=True)}
    own = {k: v for k, v in values.items() if k not in MOTION_CHANGES}
    motion = sweep.motions[motion_name] or sweep.task.motion
    try:
        if motion is not None and "time_scale" in values:
            motion = slowed(motion, values["time_scale"])
        with collected_warnings():
            platform = sweep.machines[machine_name].build(own)
            metrics = evaluate(platform, sweep.task.replace(motion=motion), sweep.metrics)
        found, status = metrics.values(), "ok"
    except GoughError as error:
        found, status = [float("nan")] * len(sweep.metrics), str(error)
    return [machine_name, motion_name, *values.values(), *found, status]


def slowed(motion: Motion, factor: float) -> Motion:
    """The same path in `factor` times the time: rates over factor, accelerations over its square."""
    if not factor > 0:
        raise InputError("time_scale", factor, "must be greater than 0")
    time = None if motion.time is None else factor * motion.time
    v, w, a, al = motion.rates
    twist, change = (v / factor, w / factor), (a / factor**2, al / factor**2)
    return Motion(motion.position, motion.rotation, *twist, *change, time)


_loaded: dict[tuple[str, str], Sweep] = {}


def run_chunk(path: str, identity: str, number: int) -> tuple[int, list[Row]]:
    """A chunk from the sweep's file: what workers run.  The file must not have changed."""
    sweep = _loaded.get((path, identity))
    if sweep is None:
        sweep = read_sweep(path)
        if sweep.identity != identity:
            raise InputError("spec", path, "was changed while the sweep was running")
        _loaded[path, identity] = sweep
    return _chunk(sweep, number)


def _chunk(sweep: Sweep, number: int) -> tuple[int, list[Row]]:
    return number, rows_of(sweep, number)


def rows_of(sweep: Sweep, number: int) -> list[Row]:
    """The rows of one chunk."""
    first = number * sweep.chunk
    return [run_case(sweep, k) for k in range(first, min(first + sweep.chunk, sweep.cases))]


def sweep(
    plan: Sweep,
    out: str | os.PathLike[str],
    *,
    resume: bool = False,
    executor: str = "serial",
    workers: int | None = None,
    client: Any = None,
    formats: tuple[str, ...] = ("csv", "nc"),
    progress: Callable[[int, int], Any] | None = None,
) -> list[Path]:
    """Run what is not done yet and write the result tables into the folder `out`; answers their paths.

    resume    go on with the journal in `out`; without it a journal there is refused
    executor  "serial", "processes" (`workers` of them) or "dask" (`client`: a distributed.Client, or an address)
    formats   among "csv", "nc", "parquet"
    """
    from gough.design.tables import FORMATS, write_tables

    if executor not in EXECUTORS:
        raise InputError("executor", executor, f"must be one of {', '.join(EXECUTORS)}")
    unknown = [f for f in formats if f not in FORMATS]
    if unknown or not formats:
        raise InputError("formats", list(formats), f"must be among {', '.join(FORMATS)}")
    folder = Path(out)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError("out", str(out), "is a file; give the name of a folder")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "journal"
    if os.path.exists(path) and path.stat().st_size and not resume:
        allowed = "holds a sweep already: resume it, or choose another folder"
        raise InputError("out", str(out), allowed)
    work = {"identity": plan.identity, "cases": plan.cases, "chunk": plan.chunk}
    try:
        with Journal(path, work) as journal:
            left = [k for k in range(plan.chunks) if k not in journal.chunks]
            if progress is not None:
                progress(plan.chunks - len(left), plan.chunks)
            apart = partial(run_chunk, plan.path, plan.identity)
            piece = partial(_chunk, plan) if executor == "serial" else apart
            for number, rows in computed(piece, left, executor, workers, client):
                journal.append(number, rows)
                if progress is not None:
                    progress(len(journal.chunks), plan.chunks)
            rows = [row for k in range(plan.chunks) for row in journal.chunks[k]]
            return write_tables(plan, rows, folder, formats)
    except OSError as error:
        what = "the journal" if isinstance(error, JournalFullError) else "a file"
        why = f"{what} cannot be written ({error.strerror})"
        raise SweepStoppedError(_stopped(plan, path, why)) from error


def _stopped(plan: Sweep, path: Path, why: str) -> str:
    """A sentence: why, how much is safe, what to do."""
    try:
        kept = max(path.read_bytes().count(b"\n") - 1, 0)
    except OSError:
        kept = 0
    return f"{why}; {kept} of {plan.chunks} chunks are kept in {path}: free some space and resume"
