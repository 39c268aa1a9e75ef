"""One call, a machine for each run: all of them in one Dataset."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import GoughError, InputError
from gough.control.signals import Sampling
from gough.extras import package
from gough.results import Spin
from gough.simulation import side_by_side
from gough.simulation.job import Finished, Job
from gough.simulation.machines import Machines
from gough.simulation.options import Settings
from gough.simulation.state import State
from gough.spatial import Motion, Pose

if TYPE_CHECKING:
    from xarray import Dataset

SHARED = ("title", "source", "conventions", "record_interval", "integrator", "step", "duration")
SHARED += ("drives", "controller", "limits_checked")


@dataclass(eq=False)
class Prepared:
    """A run that is checked and laid out, and not begun; `inputs`: force, external, controller, sampling, reference as
    they were given."""

    job: Job
    settings: Settings
    start: Motion
    spin: Spin | None
    inputs: dict[str, Any]
    reactions: bool
    about: dict[str, Any]


def simulate_each(
    prepare: Callable[..., Prepared],
    conclude: Callable[..., Dataset],
    machines: Machines,
    state: State | Motion | Pose,
    options: dict[str, Any],
) -> Dataset:
    """Run i is ``simulate(machines[i], state i, **options)``; checkpoints in folders of their own.

    Side by side where nothing keeps them apart (side_by_side.py) and nothing is saved for a resumption; else one after
    another: the same bits.
    """
    if isinstance(state, (Motion, Pose)):
        state = State(state)
    if not isinstance(state, State):
        allowed = "must be a gough.simulation.State, gough.Motion or gough.Pose"
        raise InputError("state", state, allowed)
    shape, n = state.motion.shape, len(machines)
    if shape not in ((), (n,)):
        allowed = f"must be one for all of the {n} machines, or one for each"
        raise InputError("state", f"shape {shape}", allowed)
    if options.get("record") is not None and options["record"].checkpoint is not None:
        raise InputError("record", "checkpoint", "give it directly where the machines are several")
    runs = list[Prepared]()
    for i, machine in enumerate(machines):
        own = dict(options)
        if own.get("checkpoint") is not None:
            own["checkpoint"] = Path(own["checkpoint"]) / f"machine-{i}"
        if own.get("spin") is not None:
            own["spin"] = _of_run(own["spin"], i)
        if own.get("progress") is not None:
            own["progress"] = _part(own["progress"], i, n)
        with _named(i):
            runs.append(prepare(machine, state if not shape else _start(state, i), **own))
    jobs, given, keep = [run.job for run in runs], runs[0].inputs, runs[0].settings.record
    found: Sequence[Finished | None] = [None] * n
    if keep.checkpoint is None and side_by_side.possible(jobs):
        loop = given["controller"], given["sampling"] or Sampling(), given["reference"]
        fleet = side_by_side.fleet(jobs, *loop, [run.start for run in runs])
        if fleet is not None:
            told = options.get("progress") or getattr(options["record"], "progress", None)
            found = fleet.answers(told)
    answers = list[Any]()
    for i, (run, result) in enumerate(zip(runs, found, strict=True)):
        with _named(i):
            answers.append(conclude(run, result))
    return stacked(answers)


@contextmanager
def _named(run: int) -> Iterator[None]:
    try:
        yield
    except GoughError as error:
        raise error.within(f"run {run}") from None


def _start(state: State, i: int) -> State:
    spin, length = state.spin, state.length
    own = None if spin is None else _of_run(spin, i)
    return State(
        state.motion[i],
        spin=own,
        length=length if length is None or length.ndim == 1 else length[i],
    )


def _of_run(spin: Spin, i: int) -> Spin:
    return Spin(*(a if np.ndim(a) < 2 else a[i] for a in (spin.angle, spin.rate)))


def _part(progress: Callable[[float], None], i: int, n: int) -> Callable[[float], None]:
    return lambda share: progress((i + share) / n)


def stacked(runs: list[Dataset]) -> Dataset:
    """Single runs on one grid of times as a batch: (run, time, ...), NaN after a run's end; status per run."""
    xarray = package("xarray")

    longest = max(runs, key=lambda run: run.sizes["time"])
    names = {str(name): run[name] for run in runs for name in run.data_vars}
    out: dict[str, Any] = {}
    for name, about in names.items():
        shape = tuple(longest.sizes[d] if d == "time" else about.sizes[d] for d in about.dims)
        values = np.full((len(runs), *shape), np.nan)
        for i, run in enumerate(runs):
            if name in run:
                values[i, : run.sizes["time"]] = run[name].values
        out[name] = (("run", *about.dims), values, about.attrs)
    texts = [str(run.attrs["status"]) for run in runs]
    out["status"] = (
        "run",
        np.array(texts),
        {"long_name": "ok, limits passed, not known, or why it ended early"},
    )
    ends = np.array([run.attrs["end_time"] for run in runs])
    out["end_time"] = ("run", ends, {"units": "s", "long_name": "end of the run"})
    ds = xarray.Dataset(out, coords={**longest.coords, "run": np.arange(len(runs))})
    told = [{**e, "run": i} for i, run in enumerate(runs) for e in json.loads(run.attrs["events"])]
    other = [text for text in texts if text != "ok"]
    ds.attrs = {name: runs[0].attrs[name] for name in SHARED if name in runs[0].attrs}
    ds.attrs |= {
        "machine": runs[0].attrs["machine"],
        "events": json.dumps(sorted(told, key=lambda e: (e["time"], e["run"]))),
        "status": f"{len(other)} of {len(runs)} runs: {other[0]}" if other else "ok",
    }
    return ds
