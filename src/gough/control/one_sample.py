"""One sample of a running loop as a map, linearized: by the very functions that run it, whatever the controller.

    z' = A z + B u + E f + S q  z  state of the machine and memory of loop and controller, from an equilibrium
    c  = C z                    c  what the controller asks for;  u  what is sent instead (closed: u = c)
    y  = P z                    f  wrench on the platform, platform axes;  y  displacement of the platform, world axes
                                q  errors of the sensors (`signals.CHANNELS`) at the sample that follows
All runs of one batch differ by one number each (central differences); pose by a rotation vector, everything else as it
lies in a checkpoint, so that nothing a run remembers is left out: observer, delay line, states of the drives.
The machine is taken without dry friction, gear loss, backlash and limits (at rest these hold it still): what is said
about the loop holds for small motions about the pose.  Noise and quantization are errors q; see rest_motion.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError, InputError
from gough.control.signals import (
    CHANNELS,
    Controller,
    Measurement,
    Memory,
    Reference,
    Sampling,
    Sensor,
)
from gough.layout import LINEAR, STATE, VARIATION
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_exp, rotation_log

if TYPE_CHECKING:
    from gough.analysis.state_space import StateSpace
    from gough.simulation.fixed_run import FixedRun

LATEST = 200  # samples of delay
MOST_STEPS = 100_000  # of the integrator in one sample
WARM = (
    3  # samples, beside those of delays, after which the loop's memory is no longer that of a start
)
RINGS = ("queue", "past")  # memory that is written round and round, a place further each sample
CHART = sum(VARIATION.widths[: len(STATE.names)])  # numbers by which pose and twist are varied
SMALL = {"state": 1e-6, "memory": 1e-6, "controller": 1e-4, "effort": 1e-3}  # steps, of 1 + size
READ = 1e-6  # by which a sensor is off, in its unit
AT_REST = 1e-4  # of the steps above: the equilibrium is found
NEUTRAL = 1e-8  # of the steps above: a direction that neither moves nor is seen by the controller
SMOOTH = {
    "coulomb": 0.0,
    "static": 0.0,
    "efficiency": 1.0,
    "backlash": 0.0,
    "max_current": None,
    "max_voltage": None,
}


def smooth(platform: Platform) -> Platform:
    """The machine without what cannot be linearized: dry friction, gear loss, backlash, limits of force."""
    legs = []
    for leg in platform.legs:
        drive = None if leg.drive is None else leg.drive.replace(**SMOOTH)
        legs.append(leg.replace(drive=drive, limits=leg.limits.replace(force=None)))
    return platform.replace(legs=legs)


class Opened:
    """A controller whose command is led out (`asked`); the machine gets `given` instead, where that is set."""

    def __init__(self, controller: Controller) -> None:
        self.inner: Any = controller
        self.stateful = hasattr(controller, "init") and hasattr(controller, "update")
        self.asked, self.given = np.zeros((1, 6)), np.zeros((0, 6))
        if hasattr(controller, "model"):
            self.model = self.inner.model

    def init(self, runs: int) -> Memory:
        return self.inner.init(runs) if self.stateful else {}

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        if self.stateful:
            command, memory = self.inner.update(t, measurement, reference, memory)
        else:
            command = self.inner(t, measurement, reference)
        self.asked = np.array(np.broadcast_to(command, measurement.length.shape), dtype=float)
        return (self.given if len(self.given) else self.asked), memory


@dataclass(frozen=True, eq=False)
class LinearSample:
    """The matrices of the map (see the module), directions that nothing sees left out; efforts at the equilibrium."""

    A: Array
    B: Array
    C: Array
    E: Array
    P: Array
    S: Array
    period: float
    effort: Array

    def state_space(self, closed: bool = False) -> StateSpace:
        """As a sampled `gough.analysis.StateSpace`: inputs the efforts sent (closed: added) and the wrench, outputs the
        efforts asked for and the platform's displacement; its `to_control` and `to_scipy` lead on."""
        from gough.analysis.state_space import FORCES, STATES, WRENCH, StateSpace

        names = tuple(f"state_{i}" for i in range(1, len(self.A) + 1))
        A, outputs = self.A + self.B @ self.C if closed else self.A, (*FORCES, *STATES[LINEAR.pose])
        B, C, D = np.hstack([self.B, self.E]), np.vstack([self.C, self.P]), np.zeros((12, 12))
        return StateSpace(A, B, C, D, FORCES + WRENCH, outputs, names, self.period, self.effort)


class OneSample:
    """The map at a pose; `linear` finds the equilibrium near it and linearizes there."""

    def __init__(
        self,
        platform: Platform,
        controller: Controller,
        sampling: Sampling,
        pose: Pose,
        step: float | None = None,
    ) -> None:
        refuse_links(platform, "loops are not linearized")
        self.platform, self.pose = smooth(platform), pose
        self.wrong = _channels_in_error(sampling)
        exact = {name: Sensor() for name in sampling.sensors if name in CHANNELS.names}
        self.sampling = replace(
            sampling, quantization=0.0, noise=0.0, backlash=False, sensors=exact
        )
        self.opened, self.period = Opened(controller), 1.0 / sampling.rate
        self.every = self._steps_per_sample(step or 1e-3)
        self.step = self.period / self.every
        late = sampling.rate * max(sampling.delay, sampling.measurement_delay)
        if late > LATEST:
            allowed = f"must be at most {LATEST} samples together with its rate: each is a state of the loop"
            raise InputError("sampling.delay", f"{late:.4g} samples", allowed)
        self.warm = WARM + int(np.ceil(late - 1e-9))
        runs = [self._run(n) for n in (1, 2)]
        if runs[0].job.rows.spins:
            allowed = "legs whose spin is part of the state are not linearized"
            raise InputError("platform", platform.name, allowed)
        shapes = [{k: v.shape for k, v in self._memory(run).items()} for run in runs]
        self.axes = {
            name: next(
                i for i, (a, b) in enumerate(zip(shape, shapes[1][name], strict=True)) if a != b
            )
            for name, shape in shapes[0].items()
        }
        self.shapes = shapes[0]
        runs[0]._advance(self.warm * self.every)
        self.X, self.memory = runs[0].X[:, 0].copy(), self._flat(runs[0])[0]
        self.effort = self.opened.asked[0].copy()
        if not np.isfinite(np.concatenate([self.X, self.memory])).all():
            raise InfeasibleError("the loop does not get through its first samples at this pose")

    def _steps_per_sample(self, step: float) -> int:
        """So many that a step is at most `step` and delays are whole steps, where that can be."""
        if not self.period / step < MOST_STEPS:
            why = f"makes {MOST_STEPS} steps or more of one sample of {self.period:g} s"
            raise InputError("step", step, why)
        least, s = max(1, int(np.ceil(self.period / step - 1e-9))), self.sampling
        late = self.sampling.rate * np.array([s.delay, s.measurement_delay])

        def whole(count: int) -> bool:
            return bool(np.abs(count * late - np.round(count * late)).max() < 1e-9)

        return next((count for count in range(least, 20 * least) if whole(count)), least)

    def _run(self, n: int, wrench: Array | None = None) -> FixedRun:
        """A run of n copies, nothing yet done."""
        from gough.simulation import leg_law
        from gough.simulation.fixed_run import FixedRun
        from gough.simulation.inputs import TimeSignal
        from gough.simulation.job import Job
        from gough.simulation.run import attach
        from gough.simulation.state import Rows

        steps = (self.warm + 2) * self.every
        law = leg_law.leg_laws(self.platform, None, True, n)
        rows = Rows(self.platform, False, leg_law.in_use(law))
        same = (np.repeat(a[None], n, axis=0) for a in (self.pose.position, self.pose.rotation))
        motion = Motion(*same)
        grid = {"steps": steps, "step": self.step, "runs": n, "batched": True}
        signals = TimeSignal("force", None, **grid), TimeSignal("external", None, **grid)
        if wrench is not None:
            signals[1].constant = np.ascontiguousarray(wrench.T)
        at = self.step, steps, steps, *signals, [(0, law)]
        job = Job(rows, rows.start(motion, None), "rk4", *at, batched=True)
        attach(job, self.opened, self.sampling, self.pose, motion)
        self.opened.given = np.zeros((0, 6))
        return FixedRun(job)

    def _memory(self, run: FixedRun) -> dict[str, Array]:
        """What a run carries from sample to sample beside its state."""
        assert run.job.loop is not None
        return {"held": run.command, **run.job.loop.memory}

    def _flat(self, run: FixedRun) -> Array:
        """The memory (n, numbers), rings turned so that each place means the same at any sample."""
        n, parts = run.X.shape[1], []
        for name, array in self._memory(run).items():
            turned = np.roll(array, -(run.k // self.every), axis=0) if name in RINGS else array
            parts.append(np.moveaxis(turned, self.axes[name], 0).reshape(n, -1))
        return np.concatenate(parts, axis=1).astype(float)

    def __call__(
        self, Z: Array, u: Array, wrench: Array, q: Array | None = None
    ) -> tuple[Array, Array]:
        """Deviations after one sample (n, states) and what the controller asked for (n, 6).

        Z (n, states) deviations; u (n, 6) efforts sent, none: as asked; wrench (n, 6); q (n, CHANNELS) of the sensors
        """
        n = len(Z)
        run = self._run(n, wrench)
        assert run.job.loop is not None
        if q is not None:
            errors = np.ascontiguousarray(q.T[None])
            run.job.loop._noisy, run.job.loop._noise = True, lambda first, last: errors  # type: ignore[method-assign]
        run.X, run.k = moved(self.X, Z[:, : self.charted]), self.warm * self.every
        flat, at = self.memory + Z[:, self.charted :], 0
        for name, array in self._memory(run).items():
            size, axis = int(np.prod(self.shapes[name])), self.axes[name]
            rest = [s for i, s in enumerate(self.shapes[name]) if i != axis]
            part = np.moveaxis(flat[:, at : at + size].reshape(n, *rest), 0, axis)
            part = np.roll(part, self.warm, axis=0) if name in RINGS else part
            at += size
            if name == "held":
                run.command = np.ascontiguousarray(part)
            else:
                run.job.loop.memory[name] = np.ascontiguousarray(part).astype(array.dtype)
        self.opened.given = u
        run._advance((self.warm + 1) * self.every)
        if not run.alive.all():
            raise InfeasibleError("the loop does not stay near this pose for a sample")
        return np.concatenate(
            [apart(run.X, self.X), self._flat(run) - self.memory], axis=1
        ), self.opened.asked

    @property
    def charted(self) -> int:
        """Numbers that vary the machine's state."""
        return CHART + len(self.X) - STATE.size

    def linear(self) -> LinearSample:
        """The linear map at the equilibrium that the closed loop has near the pose."""
        for _ in range(12):
            h = self._steps()
            A, B, C, E, S = self._differences(h)
            kept = Reduction(A, np.hstack([B, E]), C)
            A, B, C, E, S = kept.T @ A @ kept.Q, kept.T @ B, C @ kept.Q, kept.T @ E, kept.T @ S
            none = np.zeros((1, len(h)))
            drift = kept.T @ (self(none, np.zeros((0, 6)), np.zeros((1, 6)))[0][0] / h)
            if np.abs(drift).max(initial=0.0) < AT_REST:
                P = (kept.Q * h[:, None])[LINEAR.pose]
                return LinearSample(A, B, C, E, P, S, self.period, self.effort)
            shift = kept.Q @ np.linalg.lstsq(np.eye(len(A)) - A - B @ C, drift, rcond=None)[0]
            Z = (h * shift)[None]
            self.X = moved(self.X, Z[:, : self.charted])[:, 0]
            self.memory = self.memory + Z[0, self.charted :]
            self(none, np.zeros((0, 6)), np.zeros((1, 6)))
            self.effort = self.opened.asked[0].copy()
        raise InfeasibleError("the loop has no equilibrium near this pose")

    def _steps(self) -> Array:
        """How far each number is varied."""
        sizes = np.concatenate([self.X[STATE.size :], self.memory])
        own, at = np.full(len(sizes), SMALL["memory"]), len(self.X) - STATE.size
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            kind = "effort" if name in ("held", "queue", "asked") else name.partition("_")[0]
            own[at : at + size] = SMALL.get(kind, SMALL["memory"])
            at += size
        return np.concatenate([np.full(CHART, SMALL["state"]), own * (1.0 + np.abs(sizes))])

    def _differences(self, h: Array) -> tuple[Array, ...]:
        """A, B, C, E, S by central differences, deviations in units of `h`; efforts in N, N m, q in its own units."""
        n, effort = len(h), SMALL["effort"] * (1.0 + np.abs(self.effort).max())
        m = n + 12
        sizes = np.concatenate([h, np.full(12, effort), np.full(len(self.wrong), READ)])
        D = np.concatenate([np.diag(sizes), -np.diag(sizes)])
        q = np.zeros((len(D), CHANNELS.size))
        q[:, self.wrong] = D[:, m:]
        given = [D[:, n : n + 6] + self.effort, D[:, n + 6 : m], q if len(self.wrong) else None]
        after, asked = self(D[:, :n], *given)
        total = len(sizes)
        J = (after[:total] - after[total:]).T / (2 * h[:, None])
        C, S = (asked[:n] - asked[total : total + n]).T / 2, np.zeros((n, CHANNELS.size))
        S[:, self.wrong] = J[:, m:] / READ
        return J[:, :n], J[:, n : n + 6] / effort, C, J[:, n + 6 : m] / effort, S


def _channels_in_error(sampling: Sampling) -> NDArray[np.intp]:
    """Columns of CHANNELS that a sensor with noise or steps reads."""
    sensors = {name: sampling.sensor(name) for name in CHANNELS.names}
    off = [
        np.full(w, s.noise + s.quantization > 0.0)
        for s, w in zip(sensors.values(), CHANNELS.widths, strict=True)
    ]
    return np.flatnonzero(np.concatenate(off))


class Reduction:
    """The states that matter: ``z = Q x``, ``x = T z``.

    Left out: numbers that nothing changes (clocks, flags), numbers that change nothing, and neutral directions: they
    stay as they are and no command depends on them (the integral of an error that no law uses).
    """

    def __init__(self, A: Array, inputs: Array, C: Array) -> None:
        keep = np.arange(len(A))
        while True:
            inside = A[np.ix_(keep, keep)]
            changed = inside.any(axis=1) | inputs[keep].any(axis=1)
            felt = inside.any(axis=0) | C[:, keep].any(axis=0)
            if (changed & felt).all():
                break
            keep = keep[changed & felt]
        Q = np.eye(len(A))[:, keep]
        size = max(float(np.abs(C).max(initial=0.0)), 1.0)
        while True:
            inside = Q.T @ A @ Q
            seen = np.vstack([inside - np.eye(len(inside)), C @ Q / size])
            _, values, V = np.linalg.svd(seen, full_matrices=False)  # tall: V is whole
            free = int((values < NEUTRAL).sum())
            if not free:
                break
            Q = Q @ V[: len(V) - free].T
        self.Q, self.T = Q, Q.T


def moved(x: Array, Z: Array) -> Array:
    """State rows (rows, n) at the deviations Z (n, charted) from x (rows,)."""
    parts = VARIATION.named(Z.T)
    X = np.repeat(x[:, None], len(Z), axis=1)
    for name in ("position", "velocity", "angular_velocity"):
        X[getattr(STATE, name)] += parts[name]
    R = rotation_exp(parts["rotation_vector"].T) @ x[STATE.rotation].reshape(3, 3)
    X[STATE.rotation] = R.reshape(-1, 9).T
    X[STATE.size :] += Z.T[CHART:]
    return X


def apart(X: Array, x: Array) -> Array:
    """Deviations (n, charted) of state rows (rows, n) from x (rows,)."""
    R = X[STATE.rotation].T.reshape(-1, 3, 3)
    turn = rotation_log(R @ x[STATE.rotation].reshape(3, 3).T)
    linear = (X - x[:, None]).T
    parts = (
        linear[:, STATE.position],
        turn,
        linear[:, STATE.velocity],
        linear[:, STATE.angular_velocity],
    )
    return np.concatenate([*parts, linear[:, STATE.size :]], axis=1)
