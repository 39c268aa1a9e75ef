"""SciPy's integrators with error control (RK45, RK23, DOP853, Radau, BDF, LSODA): `rtol`, `atol` instead of an order.

They choose their own steps on the rows of `rk4`, no longer than the interval of the records.  One run, smooth forces:
no controller, no dry friction, no faults, no stopping events, no checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array, InputError, number
from gough.layout import STATE
from gough.simulation.driven import Efforts, rates
from gough.simulation.integrators import rk4
from gough.simulation.programs import named
from gough.status import OK, Status

if TYPE_CHECKING:
    from gough.simulation.job import Job

NAMES = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
SERVES = frozenset({"springs", "drives", "progress", "rtol", "atol", "spin", "base"})


@dataclass(frozen=True)
class Adaptive:
    """One of SciPy's integrators and its tolerances, for ``simulate(integrator=...)``."""

    name: str = "DOP853"
    rtol: float = 1e-10
    atol: float = 1e-12

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise InputError("integrator", self.name, f"must be one of {', '.join(NAMES)}")
        for field in ("rtol", "atol"):
            object.__setattr__(self, field, number(field, getattr(self, field), above=0.0))


def integrate(
    job: Job, method: Adaptive, efforts: Efforts, progress: Callable[[float], None] | None
) -> tuple[Array, Status]:
    """(records, rows, 1) of one run, and how it ended."""
    from scipy.integrate import solve_ivp

    rows, times, told = job.rows, job.step * job.recorded, 0.0
    law = job.laws[0][1] if rows.laws else None

    def rhs(t: float, x: Any) -> Array:
        nonlocal told
        if progress is not None and t > told:
            told = t
            progress(t / times[-1])
        z, still = named(rows.layout, x[:, None]), np.zeros((rows.size, 1))
        anchor = z.pop("anchor", still[:0])
        with np.errstate(all="ignore"):
            moving, _ = rates(rows, rk4.METHOD, z, np.asarray(anchor), t, efforts, law)
        still[: len(moving)] = moving
        return still[:, 0]

    found = solve_ivp(
        rhs,
        (times[0], times[-1]),
        job.X[:, 0],
        method=method.name,
        t_eval=times,
        rtol=method.rtol,
        atol=method.atol,
        max_step=job.every * job.step,
    )
    out = np.full((len(times), rows.size, 1), np.nan)
    values = np.asarray(found.y)
    if values.ndim == 2:
        out[: values.shape[1], :, 0] = values.T
    if found.success and np.isfinite(out).all():
        return out, OK
    end = float(times[np.isfinite(out[:, : STATE.size]).all(axis=(1, 2))][-1])
    return out, Status("no-convergence", f"{found.message} after t = {end:.6g} s")
