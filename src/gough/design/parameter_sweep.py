"""Sweeps: metrics over machines x motions x parameters, on this process, local processes or Dask.

The cases are numbered, and each is a pure function of the sweep's file, so it may be computed anywhere, in spans of any
size, twice, or again after a kill.  Finished spans go to a journal (journal.py); the result tables are written from it
when all are done, so they are the same to the last byte however often the work was interrupted.  A case that cannot be
built or cannot do its task has NaN metrics and the reason in its `status`; so has one whose worker dies of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, GoughError, InputError
from gough.design.evaluation import evaluate_many, road_of
from gough.design.executors import (
    EXECUTORS,
    Crew,
    Done,
    Failed,
    Here,
    SweepStoppedError,
    computed,
)
from gough.design.journal import Journal, JournalFullError, WrittenRows, written
from gough.design.metrics import ALONG_MOTION, judged
from gough.design.spans import Span, Supply, gaps
from gough.design.spec import MOTION_CHANGES
from gough.design.sweep_plan import Row, Sweep, read_sweep
from gough.model.body import collected_warnings
from gough.spatial import Motion

NOTHING = Span(0, 0)
SLOWEST = 1e-6  # factors of time within it and its inverse leave finite rates
TRIES = 3  # workers that may die while they read the plan
GIVEN_UP = (
    "the process that computed this case alone died, each time (killed, out of memory, or crashed)"
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")


def run_case(sweep: Sweep, number: int) -> Row:
    """One row: machine, motion, parameters, metrics, status."""
    machine_name, motion_name, values = _case(sweep, number)
    own = {k: v for k, v in values.items() if k not in MOTION_CHANGES}
    motion = sweep.motions[motion_name] or sweep.task.motion
    try:
        if motion is not None and "time_scale" in values:
            motion = slowed(motion, values["time_scale"])
        with collected_warnings():
            platform = sweep.machines[machine_name].build(own)
            metrics = judged(platform, sweep.task.replace(motion=motion), sweep.metrics)
        found, status = metrics.values(), "ok"
    except GoughError as error:
        found, status = _nothing(sweep), str(error)
    except MemoryError:
        raise  # a matter of the worker: the case is tried again
    except Exception as error:  # one case must not end the others
        said = _ADDRESS.sub("0x", str(error))  # the same words in every process
        found, status = _nothing(sweep), f"{type(error).__name__}: {said}"
    return [machine_name, motion_name, *values.values(), *found, status]


def _case(sweep: Sweep, number: int) -> tuple[str, str, dict[str, float]]:
    """Machine, motion and parameters of a case."""
    place = [int(i) for i in np.unravel_index(number, sweep.shape)]
    machine, motion = list(sweep.machines)[place[0]], list(sweep.motions)[place[1]]
    axes = zip(sweep.axes.items(), place[2:], strict=False)  # the samples' number comes last
    values = {name: axis[i] for (name, axis), i in axes}
    if sweep.draw is not None:
        values |= sweep.draw.values(place[-1])
    return machine, motion, values


def _nothing(sweep: Sweep) -> list[float]:
    return [float("nan")] * len(sweep.metrics)


def given_up(sweep: Sweep, number: int) -> Row:
    """The row of a case whose worker died of it."""
    machine, motion, values = _case(sweep, number)
    return [machine, motion, *values.values(), *_nothing(sweep), GIVEN_UP]


def slowed(motion: Motion, factor: float) -> Motion:
    """The same path in `factor` times the time: rates over factor, accelerations over its square."""
    if not factor > 0:
        raise InputError("time_scale", factor, "must be greater than 0")
    time = None if motion.time is None else factor * motion.time
    v, w, a, al = motion.rates
    twist, change = (v / factor, w / factor), (a / factor**2, al / factor**2)
    return Motion(motion.position, motion.rotation, *twist, *change, time)


_loaded: dict[tuple[str, str], Sweep] = {}


def run_span(path: str, functions: str, identity: str, span: Span) -> list[Row]:
    """The rows of a span, by the sweep's file: what workers run.  File and code must be those of the sweep."""
    plan = _loaded.get((path, identity))
    if plan is None:
        plan = read_sweep(path, functions or None)
        if plan.identity != identity:
            allowed = "was changed while the sweep was running, or this worker has other code"
            raise InputError("spec", path, allowed)
        _loaded.clear()
        _loaded[path, identity] = plan
    return rows_of(plan, span)


def rows_of(plan: Sweep, span: Span) -> list[Row]:
    """The rows of a span; cases of one machine and motion together, by batch where they can be packed."""
    rows: list[Row] = []
    inner = int(np.prod(plan.shape[2:], dtype=np.int64))  # cases of one machine and motion
    first = span.first
    while first < span.stop:
        stop = min(span.stop, first - first % inner + inner)
        rows += _rows_together(plan, np.arange(first, stop))
        first = stop
    return rows


def _rows_together(plan: Sweep, numbers: NDArray[np.integer]) -> list[Row]:
    """The rows of cases that have machine and motion in common."""
    place = np.unravel_index(numbers, plan.shape)
    machine, motion = list(plan.machines)[place[0][0]], list(plan.motions)[place[1][0]]
    axes = zip(plan.axes.items(), place[2:], strict=False)  # the samples' number comes last
    values = {name: np.array(axis)[i] for (name, axis), i in axes}
    if plan.draw is not None:
        values |= plan.draw.columns(place[-1])
    task = plan.task.replace(motion=plan.motions[motion] or plan.task.motion)
    own = {name: x for name, x in values.items() if name not in MOTION_CHANGES}

    def alone(i: int) -> tuple[list[float], str]:
        *row, status = run_case(plan, int(numbers[i]))
        return row[-len(plan.metrics) :], "" if status == "ok" else status

    found = evaluate_many(
        plan.machines[machine],
        own,
        task,
        plan.metrics,
        count=len(numbers),
        alone=alone,
        batch=_poses_alone(plan, values),
    )
    parts = np.stack([*values.values(), *found.numbers.T], axis=-1).tolist()
    return [
        [machine, motion, *part, why or "ok"]
        for part, why in zip(parts, found.reasons, strict=True)
    ]


def roads(plan: Sweep) -> dict[str, str]:
    """How cases of each machine are computed: "by batch" (one by one where not surely fine), or why one by one."""
    motions = [motion or plan.task.motion for motion in plan.motions.values()]
    task = plan.task.replace(motion=next((m for m in motions if m is not None), None))
    return {name: road_of(item, task, plan.metrics) for name, item in plan.machines.items()}


def _poses_alone(plan: Sweep, values: dict[str, Array]) -> NDArray[np.bool_] | bool:
    """Cases whose motion is passed as it stands; where only its poses count, any sensible pace is as good."""
    pace = values.get("time_scale")
    if pace is None:
        return True
    if any(name in ALONG_MOTION for name in plan.metrics):
        return False
    return (pace > SLOWEST) & (pace < 1.0 / SLOWEST)


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
    chunk: int | None = None,
) -> list[Path]:
    """Run what is not done yet and write the result tables into the folder `out`; answers their paths.

    resume    go on with the journal in `out`; without it a journal there is refused
    executor  "serial", "processes" (`workers` of them) or "dask" (`client`: a distributed.Client, or an address;
              None: a new cluster of `workers` processes on this machine)
    formats   among "csv", "nc", "parquet", each written in memory that does not grow with the table
    progress  called with the cases that are done and all cases
    chunk     cases computed and recorded together; None: as the plan says.  It may differ from run to run
    """
    from gough.design.tables import check_formats

    if executor not in EXECUTORS:
        raise InputError("executor", executor, f"must be one of {', '.join(EXECUTORS)}")
    for field, value in (("chunk", chunk), ("workers", workers)):
        if value is not None and value < 1:
            raise InputError(field, value, "must be at least 1")
    check_formats(formats)
    folder = Path(out)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError("out", str(out), "is a file; give the name of a folder")
    path = folder / "journal"
    if os.path.exists(path) and path.stat().st_size and not resume:
        allowed = "holds a sweep already: resume it, or choose another folder"
        raise InputError("out", str(out), allowed)
    with closing(_crew(plan, executor, workers, client)) as crew:
        if executor != "serial":
            _try(crew, plan)
        folder.mkdir(parents=True, exist_ok=True)
        beside = executor != "serial"  # this process has nothing else to do
        return _run(plan, crew, folder, formats, progress, chunk or plan.chunk, beside)


def _crew(plan: Sweep, executor: str, workers: int | None, client: Any) -> Crew:
    work = partial(_sent, partial(run_span, plan.path, plan.own.path, plan.identity))
    if executor == "processes":
        from gough.design.worker_processes import Processes
        from gough.system import processors

        return Processes(work, workers or processors())
    if executor == "dask":
        from gough.design.dask_cluster import DaskCluster

        return DaskCluster(work, workers, client)
    return Here(partial(_sent, partial(rows_of, plan)))


def _sent(work: Callable[[Span], list[Row]], span: Span) -> WrittenRows:
    """The rows of a span as they will stand in the journal: written where they were computed."""
    return written(work(span))


def _try(crew: Crew, plan: Sweep) -> None:
    """Let a worker read the plan, before anything is written."""
    for _ in range(TRIES):
        crew.start(NOTHING)
        while crew.under_way:
            for end in crew.wait():
                if isinstance(end, Done):
                    return
                if isinstance(end, Failed):
                    raise InputError(
                        "spec", plan.path, f"is of no use to the workers: {end.reason}"
                    )
    raise SweepStoppedError(f"{TRIES} workers died while they read the plan; nothing was begun")


def _run(
    plan: Sweep,
    crew: Crew,
    folder: Path,
    formats: tuple[str, ...],
    progress: Callable[[int, int], Any] | None,
    chunk: int | None,
    beside: bool,
) -> list[Path]:
    """`beside`: the tables are written while cases are computed elsewhere, not after the last one."""
    kept = 0
    path = folder / "journal"
    try:
        with Journal(path, {"identity": plan.identity, "cases": plan.cases}) as journal:
            supply = Supply(gaps(journal.spans, plan.cases), chunk)
            kept = journal.cases
            if progress is not None:
                progress(kept, plan.cases)
            with _tables(plan, journal, folder, formats, beside) as finished:
                for end in computed(crew, supply):
                    rows = end.rows if isinstance(end, Done) else [given_up(plan, end.span.first)]
                    journal.append(end.span.first, rows)
                    kept = journal.cases
                    if progress is not None:
                        progress(kept, plan.cases)
                return finished()
    except OSError as error:
        what = "the journal" if isinstance(error, JournalFullError) else "a file"
        raise SweepStoppedError(
            f"{what} cannot be written ({error.strerror}); {kept} of {plan.cases} cases are kept in {path}: "
            "free some space and resume"
        ) from error


@contextmanager
def _tables(
    plan: Sweep, journal: Journal, folder: Path, formats: tuple[str, ...], beside: bool
) -> Iterator[Callable[[], list[Path]]]:
    """A function that finishes the result tables when all cases are in the journal, and answers their paths.

    `beside`: they are begun at once, a thread for each; what they have written vanishes if the cases do not all come.
    """
    from gough.design.tables import FORMATS, write_tables

    def write(kinds: tuple[str, ...]) -> list[Path]:
        rows, digits = (partial(journal.rows, plan.cases, text) for text in (False, True))
        return write_tables(plan, rows, folder, kinds, digits=digits)

    if not beside:
        yield partial(write, formats)
        return
    with ThreadPoolExecutor(len(formats)) as threads:
        begun = [threads.submit(write, (kind,)) for kind in FORMATS if kind in formats]
        try:
            yield lambda: [path for table in begun for path in table.result()]
        finally:
            journal.abandon()
