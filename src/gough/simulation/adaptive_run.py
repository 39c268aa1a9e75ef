"""A run by one of SciPy's integrators (integrators/adaptive.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gough.checks import Array
from gough.extras import package
from gough.simulation.driven import Efforts, rates
from gough.simulation.integrators import rk4
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.job import Finished, Job
from gough.simulation.lookout import Located, Lookout, Whole
from gough.simulation.paths import Path, conclude
from gough.simulation.programs import named
from gough.status import OK, Status

WINDOW = 256  # steps that are looked at together


def integrate(
    job: Job, method: Adaptive, efforts: Efforts, progress: Callable[[float], None] | None
) -> Finished:
    """One run, recorded on the grid; the solver's own steps are looked at, WINDOW of them at a time."""
    integrators = package("scipy.integrate")

    times, record, filled = job.step * job.recorded, list[Array](), 0
    lookout, found, status = Lookout(job.rows, job.X, job.plant.events), list[Located](), OK
    limits = {"rtol": method.rtol, "atol": method.atol, "max_step": job.every * job.step}
    kind: Any = getattr(integrators, method.name)
    solver = kind(_rhs(job, efforts), times[0], job.X[:, 0], times[-1], **limits)
    pieces, ends = list[Any](), [0.0]
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            why = message or "the state is not a number any more"
            end = float(times[max(filled - 1, 0)])
            status = Status("no-convergence", f"{why} after t = {end:.6g} s")
        else:
            pieces.append(solver.dense_output())
            ends.append(solver.t)
            upto = int(np.searchsorted(times, solver.t, side="right"))
            record += [pieces[-1](t)[:, None] for t in times[filled:upto]]
            filled = upto
        if progress is not None:
            progress(solver.t / times[-1])
        if pieces and (len(pieces) == WINDOW or solver.status != "running" or not status.ok):
            inside = partial(_inside, pieces, np.array(ends))
            found += Path(job, np.array(ends), inside, efforts).seen(lookout)
            pieces, ends = [], ends[-1:]
        if not status.ok or any(x.event.action(job.plant.events) == "stop" for x in found):
            break
    return conclude(job, np.stack(record or [job.X]), efforts, status, lookout, found)


def _rhs(job: Job, efforts: Efforts) -> Callable[[float, Any], Array]:
    rows, law = job.rows, job.laws[0][1] if job.rows.laws else None

    def rhs(t: float, x: Any) -> Array:
        z, still = named(rows.layout, x[:, None]), np.zeros((rows.size, 1))
        anchor = z.pop("anchor", still[:0])
        with np.errstate(all="ignore"):
            moving, _ = rates(rows, rk4.METHOD, z, np.asarray(anchor), t, efforts, law)
        still[: len(moving)] = moving
        return still[:, 0]

    return rhs


def _inside(pieces: list[Any], ends: Array, step: Whole, part: Array) -> Array:
    """(rows, E) of the solver's own interpolants."""
    at = ends[step] + part * (ends[step + 1] - ends[step])
    return np.stack([pieces[k](t) for k, t in zip(step, at, strict=True)], axis=1)
