"""Runs on the GPU (``engine="cuda"``): the steps of fixed_run.py by the kernels of cuda_kernel.py.

Everything else is the same: records, events located inside their steps, faults, checkpoints, status, Dataset.  What the
kernels do not serve is refused here, before anything runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.control.signals import Sampling
from gough.engines.cuda import cupy
from gough.simulation import closed_laws
from gough.simulation.cuda_kernel import Kernel, advance, drive
from gough.simulation.cuda_legs import fitted
from gough.simulation.cuda_writer import Form
from gough.simulation.fixed_run import FixedRun
from gough.simulation.job import Job
from gough.simulation.loop import ControlLoop
from gough.simulation.programs import METHODS
from gough.simulation.side_by_side import FleetRun

ENGINES = ("native", "cuda")
NO_GAINS = np.zeros(0)


def check_engine(engine: str) -> str:
    """An engine of simulations; the GPU's asks for a GPU at once."""
    if engine not in ENGINES:
        raise InputError("engine", engine, f"must be one of {', '.join(ENGINES)}")
    if engine == "cuda":
        cupy()
    return engine


def refuse_on_device(job: Job) -> None:
    """An error for what the kernels on the GPU do not serve."""
    if job.method not in METHODS:
        allowed = f"is not served by engine='cuda'; {', '.join(METHODS)} are"
        raise InputError("integrator", job.method, allowed)
    for signal in (job.force, job.external):
        if signal.feedback:
            allowed = "asks Python at every stage: engine='cuda' does not serve f(t, motion)"
            raise InputError(signal.field, "f(t, motion)", allowed)
    if job.rows.carried is not None:
        raise InputError("base", "given", "is not served by engine='cuda'; native does")


def refuse_loop_on_device(controller: Any, sampling: Sampling, spins: bool) -> None:
    """The same of a control loop."""
    name = closed_laws.name_of(controller)
    model = name is not None and (closed_laws.LAWS[name].model or name == "feed_forward")
    if name is None or (model and spins):
        built_in = ", ".join(sorted(known.__name__ for known in closed_laws.CLASSES))
        allowed = f"is asked in Python; engine='cuda' serves {built_in} without integral of its own"
        raise InputError("controller", type(controller).__name__, allowed)
    if not sampling.ideal or sampling.delay:
        allowed = "engine='cuda' serves ideal sampling alone (rate, encoder): no delay, noise, quantization, backlash"
        raise InputError("sampling", "not ideal", f"{allowed}, observer or sensor errors")


class OnDevice(FixedRun):
    """Steps by the kernels on the GPU."""

    _kernel: Kernel | None = None
    _held: Array | None = None

    def _kernel_under(self, law: Array) -> Kernel:
        """The kernel, holding the numbers of this law."""
        if self._kernel is None:
            self._kernel = Kernel(self._form())
        if self._held is not law:
            loop, limits = self.job.loop, self.watched[0]
            gains = NO_GAINS if loop is None else _gains(self.job, loop)[1]
            self._kernel.hold(self.job.rows.par, law, limits, gains)
            self._held = law
        return self._kernel

    def _form(self) -> Form:
        job, loop = self.job, self.job.loop
        law = None if loop is None or loop.law is None else (loop.law, _gains(job, loop)[0])
        series = "series" in job.rows.laws
        encoder = series and loop is not None and loop.sampling.encoder != "leg"
        form = Form(job.method, job.rows.kinds, job.rows.laws, law, encoder, job.several)
        return fitted(form, self.X.shape[1])

    def _step(self, stop: int, every: int) -> None:
        job, count, law = self.job, stop - self.k, self._law()
        both = {
            "effort": job.force.chunk(self.k, count),
            "external": job.external.chunk(self.k, count),
        }
        span = self.X, count, every or count, job.step
        out, bad = advance(self._kernel_under(law), *span, **both, watch=self.watched)
        if every:
            self._record_block(out[:-1])
        self._digest(law, bad)
        self.k = stop

    def _samples(self, loop: ControlLoop, stop: int, law: Array) -> None:
        job, first = self.job, self.k
        low, high = self.count, self.count - (-stop // job.every) + (-first // job.every)
        external = self.still if self.still is not None else job.external.chunk(first, stop - first)
        bad, refused = drive(
            self._kernel_under(law),
            (first, stop),
            job.every,
            job.period,
            job.step,
            state=self.X,
            sensed=loop.memory["sensed"],
            command=self.command,
            alive=self.alive,
            reference=loop.table.rows,
            external=external,
            kept=tuple(a[low:high] for a in self.loop_kept),  # type: ignore[arg-type]
            watch=self.watched,
        )
        while self.count < high:
            self.kept["external"][self.count] = job.external.at(self.due[self.count])
            self.count += 1
        self._digest(law, bad, refused)
        self.k = stop


class DeviceFleet(OnDevice, FleetRun):
    """Runs that each have their own machine."""


def _gains(job: Job, loop: ControlLoop) -> tuple[tuple[str, ...], Array]:
    """Leg kinds of the controller's model, its parameters and gains."""
    assert loop.law is not None
    model = loop.model if closed_laws.LAWS[loop.law].model else job.rows.platform
    return closed_laws.parameters(loop.law, loop.controller, model)
