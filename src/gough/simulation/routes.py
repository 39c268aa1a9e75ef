"""The other routes of `simulate`: SciPy's adaptive integrators, and the DAE of thirteen bodies."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array, InputError
from gough.model import Platform
from gough.results import Spin
from gough.simulation import laws, stages
from gough.simulation.dae import simulate_dae
from gough.simulation.dataset import Result, dataset
from gough.simulation.events import Events
from gough.simulation.fixed import Job
from gough.simulation.state import Rows
from gough.spatial import Motion

if TYPE_CHECKING:
    from xarray import Dataset


def adaptive(job: Job, springs: laws.Springs | None, *, rtol: float, atol: float, checkpoint: Any) -> Result:
    """One run by SciPy, recorded on the grid; steps are not longer than the records' interval."""
    if job.batched:
        raise InputError("integrator", job.method, "SciPy's integrators take one run at a time")
    if checkpoint is not None:
        raise InputError("checkpoint", checkpoint, "is kept only by the fixed-step integrators")
    if len(job.laws) > 1 or (job.rows.laws and job.laws[0][1][laws.ROW["grip"]].max() > 1.0):
        raise InputError("integrator", job.method, "dry friction, brakes and faults need a fixed-step integrator")
    time = job.step * np.arange(0, job.steps + 1, job.every, dtype=np.float64)
    law = job.laws[0][1] if job.rows.laws else None

    def efforts(t: float, X: Array) -> tuple[Array, Array]:
        motion = stages.motion_of(job.rows, X, False)
        return job.force.stage(t, motion), job.external.stage(t, motion)

    states, status = stages.adaptive(job.rows, job.method, job.X, time, efforts, law, rtol=rtol, atol=atol,
                                     max_step=job.every * job.step)
    given = [efforts(float(t), X) for t, X in zip(time, states, strict=True)]
    command, external = (np.stack([g[i] for g in given]) for i in range(2))
    good = np.isfinite(states).all(axis=(1, 2))
    end = float(time[good][-1])
    return Result(job.rows, time, states, command, external, np.zeros(len(time), dtype=np.int64),
                  [job.laws[0][1]], [status if status == "ok" else f"{status} after t = {end:.6g} s"],
                  np.array([end]), springs, job.events, False)


def dae(platform: Platform, motion: Motion, spin: Spin | None, force: Any, external: Any, *, duration: float,
        step: float, method: str, every: int, progress: Callable[[float], None] | None, events: Events,
        extras: tuple[Any, ...]) -> Dataset:
    """One run as a DAE; the legs' spins are part of its bodies and are not reported."""
    names = ("springs", "controller", "faults", "checkpoint")
    for name, value in zip(names, extras, strict=False):
        if value not in (None, ()):
            raise InputError(name, "given", f'is not served by the integrator "{method}"; use a fixed-step one')
    if extras[4]:
        raise InputError("integrator", method, "takes one run at a time")
    found = simulate_dae(platform, motion, duration, step, force=_two("force", force),
                         external=_two("external", external), spin=spin, method=method,
                         progress=progress)
    pick = np.arange(0, len(found.time), every)
    m = found.motion[pick]
    rows = Rows.of(platform, False, False)
    if rows.spins:
        raise InputError("integrator", method, "machines whose legs carry spin as state: use simulation.simulate_dae")
    K = len(pick)
    states = np.concatenate([m.position, m.rotation.reshape(K, 9), m.velocity, m.angular_velocity], axis=1)[..., None]
    wrench = np.zeros((K, 6, 1)) if external is None else np.stack([
        np.asarray(_two("external", external)(float(t), m[k]) if callable(external) else external, float)
        for k, t in enumerate(found.time[pick])])[..., None]
    law = laws.leg_laws(platform, None, False, 1)
    end = float(found.time[-1])
    status = "ok" if found.ok else f"{found.status} at t = {end:.6g} s"
    result = Result(rows, found.time[pick], states, found.force[pick][..., None], wrench,
                    np.zeros(K, dtype=np.int64), [law], [status], np.array([end]), None, events, False)
    about = {"integrator": method, "step": step, "duration": float(duration), "drives": "false"}
    return dataset(result, reactions=True, attributes=about)


def _two(field: str, given: Any) -> Any:
    """A function of time alone as one of (time, motion)."""
    if callable(given):
        if len(inspect.signature(given).parameters) == 1:
            return lambda t, motion: given(t)
        return given
    if given is not None and np.ndim(given) != 1:
        raise InputError(field, f"shape {np.shape(given)}", "the DAE route takes (6,) or a function")
    return given

