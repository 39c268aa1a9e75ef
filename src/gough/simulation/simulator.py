"""`Simulator`: the machine of `simulate`, one step at a time, for hardware loops and notebooks.

The steps are those of a run (fixed_run.py): same kernels, leg laws, control loop and lookout, so n steps give the bits
of a run of n steps.  Only what a step changes is touched: nothing is recorded and no buffer is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from gough.border import checked
from gough.checks import Array, InputError, array
from gough.control.signals import Controller, Sampling
from gough.engines import native
from gough.layout import LEG_MOTION, SPIN, SPINNING, STATE
from gough.model import Platform
from gough.results import Spin
from gough.simulation import compiled, events
from gough.simulation.events import MARGINS, NAME, Events, Passed
from gough.simulation.fixed_run import FixedRun
from gough.simulation.fleet import Prepared
from gough.simulation.followed import Followed
from gough.simulation.leg_law import Fault, Springs
from gough.simulation.observation import Observation, Snapshot
from gough.simulation.options import Plant
from gough.simulation.programs import METHODS, SPINS
from gough.simulation.run import attach, prepared
from gough.simulation.state import BODY, State
from gough.simulation.watch import MARKS
from gough.spatial import Motion, Pose
from gough.status import OK, Status

MOST = 10**9  # steps of one simulator: 11 days at 1 ms
LARGEST = 1e12  # of an effort, N or N m
NOW, USED = MARKS.at("now"), MARKS.at("used")
CODES = {
    "singularity": "singular",
    "force": "saturated",
}  # of events that are no limit of the machine
SEEN = STATE.then(length=6, rate=6)


class PlantFields(TypedDict, total=False):
    """Fields of `Plant` that a simulator also takes directly."""

    springs: Springs | None
    drives: bool
    faults: Sequence[Fault]
    events: Events | None


@checked
def _laid_out(
    platform: Platform,
    state: State | Motion | Pose | None,
    step: float,
    integrator: str,
    controller: Controller | None,
    sampling: Sampling | None,
    spin: Spin | None,
    plant: Plant | None,
    fields: Any,
) -> Prepared:
    """A run of MOST steps that records nothing on its way."""
    if integrator not in METHODS:
        allowed = f"must be one of {', '.join(METHODS)}: the others do not go step by step"
        raise InputError("integrator", integrator, allowed)
    base = (plant.base if plant is not None else None) or fields.get("base")
    if base is not None:
        raise InputError("base", "given", "a simulator's base stands still: use gough.simulate")
    for name in set(fields) - {"springs", "drives", "faults", "events", "base"}:
        raise InputError(name, fields[name], "is no option of a simulator")
    state = platform.require_home() if state is None else state
    return prepared(
        platform,
        state,
        duration=MOST * step,
        step=step,
        spin=spin,
        integrator=integrator,
        plant=plant,
        record=None,
        output=MOST * step,
        reactions=False,
        force=None if controller is not None else np.zeros(6),
        external=np.zeros(6),
        controller=controller,
        sampling=sampling,
        reference=None,
        engine="native",
        **fields,
    )


class Simulator:
    """One machine that is advanced by a step at a time.

    platform    the machine
    state       where `reset` puts it: State, Motion or Pose; None: home
    step        s, of the integrator and of `step`
    integrator  "rk4", "lie" or "semi-implicit"
    controller  then `step` takes references, and this turns them into efforts, sampled as `sampling` says
    spin        of legs that carry it as state
    plant       springs, drives, faults and events as in `simulate`, or as keywords: ``drives=False``

    n steps under the same efforts, or under a reference held from `reset` on, give the states of `simulate` bit for
    bit.  Events that are to "stop" a run end it here at the same instant; states outside the reach, or that diverge,
    are never taken: the state before stands.  A refused input (`InputError`, `InfeasibleError`) leaves all as it was.
    Not for several threads at once.

    >>> base = gough.load("motion-base-1500")
    >>> simulator = gough.Simulator(base, step=1e-3)
    >>> weight = gough.inverse_dynamics(base, base.home).force
    >>> for _ in range(100):
    ...     status = simulator.step(weight)
    >>> print(status.code, simulator.observe().position.round(6)[2])
    ok 1.15
    """

    def __init__(
        self,
        platform: Platform,
        *,
        state: State | Motion | Pose | None = None,
        step: float = 1e-3,
        integrator: str = "rk4",
        controller: Controller | None = None,
        sampling: Sampling | None = None,
        spin: Spin | None = None,
        plant: Plant | None = None,
        **fields: Unpack[PlantFields],
    ) -> None:
        self._given = platform, step, integrator, controller, sampling, spin, plant, fields
        self._start = state
        self.reset()

    def reset(
        self, state: State | Motion | Pose | None = None, reference: Pose | None = None
    ) -> Observation:
        """Back to the start, at time zero, with the laws of the legs loaded by what holds the pose; a `state` becomes
        the new start.  Faults count from here again.

        reference  of a controller's first reading (default: the start)
        """
        platform, step, integrator, controller, sampling, spin, plant, fields = self._given
        start = self._start if state is None else state
        more = integrator, controller, sampling, spin, plant, dict(fields)
        given = _laid_out(platform, start, step, *more)
        job = given.job
        if job.batched:
            raise InputError("state", f"shape {given.start.shape}", "must be a single state")
        if reference is not None and (not isinstance(reference, Pose) or reference.shape != ()):
            raise InputError("reference", reference, "must be a single gough.Pose")
        if controller is not None:
            attach(job, controller, sampling or Sampling(), reference, given.start)
        elif reference is not None:
            raise InputError("reference", "given", "needs a controller")
        self._start, self._job = start, job
        self.platform, self.step_size = platform, job.step
        for signal in (job.force, job.external):
            signal.constant = np.zeros((6, 1))  # written into by every step
        self._effort, self._external = job.force.constant, job.external.constant
        self._held = self._effort[None], self._external[None]
        self._run = run = FixedRun(job)
        self._before, self._buffer = run.X.copy(), np.empty(SEEN.size)
        self._bad = np.full(1, -1, dtype=np.int64)
        self._alone = np.empty((0, *run.X.shape))
        form = {"machines": job.several, "lanes": 1}
        self._kernel = compiled.load(job.method, job.rows.kinds, job.rows.laws, **form)
        self._par, self._marks = np.atleast_2d(job.rows.par), run.lookout.marks
        self._followed = None if job.loop is None else Followed(job.loop)
        self._prepare_look()
        self._beyond: dict[int, Status] = {}
        run._begin()
        self.status = self._judged(0)
        return self.observe()

    def _prepare_look(self) -> None:
        """Buffers of `observe`."""
        rows = self._job.rows
        self._look: Any = native.kernel("kinematics", rows.kinds, "single")
        self._x = np.zeros(STATE.size + 6 + (6 * SPIN.size if rows.spins else 0))
        self._legs = np.empty(6 * LEG_MOTION.size)
        self._each = self._legs.reshape(6, LEG_MOTION.size)

    @property
    def time(self) -> float:
        """s since the reset."""
        run = self._run
        return float(run.k * self.step_size if run.alive[0] else run.end_time[0])

    @property
    def ended(self) -> bool:
        """An event stopped it, or there is no state to go on from; `status` says why."""
        return not self._run.alive[0]

    @property
    def controlled(self) -> bool:
        """`step` takes references."""
        return self._followed is not None

    @property
    def outcome(self) -> Status:
        """What `simulate` would say of a run up to here: "ok", the first limit passed, or why it ended.

        Cranks and screws are seen within half a turn of home here; whether one went on beyond it only `simulate` says.
        """
        run = self._run
        if not run.alive[0]:
            return run.status[0]
        return events.limits_status(self.platform, run.lookout.found)

    @property
    def events(self) -> tuple[str, ...]:
        """What was passed for the first time so far, and when: a sentence each."""
        return tuple(found.sentence(self.platform) for found in self._run.lookout.found)

    @property
    def state(self) -> Array:
        """(rows,) the state as the kernels hold it: STATE of gough.layout, then spins and states of the leg laws."""
        return self._run.X[:, 0].copy()

    def step(self, u: Any = None, external: Any = None) -> Status:
        """One step: six efforts (N, N m) held over it; with a controller the reference, a Pose or a Motion (default:
        that of the step before), read at the next control sample.

        external  wrench on the platform at its reference point, platform axes (default: none)
        The status is of this step: "ok"; "limits", "singular" or "saturated" where something is passed or still
        beyond; how it ended.  Accelerations of references are taken as they are given (`simulate` takes the means of
        a trajectory over its sample periods); what a sensor reads when a state is reached, a controller's integral of
        the error among it, belongs to the reference in force at that instant, which is that of the step before.
        """
        run = self._run
        if not run.alive[0]:
            raise InputError("u", "given", f"the simulation has ended ({self.status}): reset it")
        push = None if external is None else _six("external", external)
        if self._followed is not None:
            if u is not None:
                self._followed.take(u)
        else:
            self._effort[:, 0] = _six("u", u)
        self._external[:, 0] = 0.0 if push is None else push
        X, marks, told = run.X, self._marks, len(run.lookout.found)
        self._before[:] = X
        if self._followed is not None:
            if run.count:  # how a state that is none is judged
                run.kept["state"][0] = self._before
            run._closed(self._followed.loop, run.k + 1)
        else:
            bad, law = self._bad, self._job.laws[0][1] if len(run.starts) == 1 else run._law()
            bad[0] = -1
            given = X, *self._held, law, self._par, self._alone, bad, 0
            self._kernel(1, 2, self.step_size, *given, *run.watched)
            if bad[0] >= 0 or marks[USED, 0]:
                self._digest(law)
            run.k += 1
        if not run.alive[0]:
            self._rest()
        elif len(run.lookout.found) == told and not marks[NOW, 0]:
            self.status = OK
            return OK
        self.status = self._judged(told)
        return self.status

    def _digest(self, law: Array) -> None:
        """What the kernel saw."""
        run = self._run
        run.kept["state"][0], run.count = self._before, 1
        run._digest(law, self._bad)

    def _rest(self) -> None:
        """The state of a simulation that has ended: the last that stands."""
        run = self._run
        stopped = run.status[0].code == "stopped"
        run.X[:] = run.last[: len(run.X)] if stopped else self._before

    def _judged(self, told: int) -> Status:
        """Of the step in which events from number `told` on were found."""
        run, bits = self._run, int(self._marks[NOW, 0])
        if not run.alive[0]:
            return run.status[0]
        new = run.lookout.found[told:]
        if new:
            first = min(new, key=lambda e: (e.name not in events.LIMITED, e.time, e.margin))
            more = f", and {len(new) - 1} more: see events" if len(new) > 1 else ""
            return Status(_code(first.name), first.sentence(self.platform) + more)
        if bits not in self._beyond:
            self._beyond[bits] = self._still(bits)
        return self._beyond[bits]

    def _still(self, bits: int) -> Status:
        """What it is beyond without having passed it just now."""
        still = [at for at in range(MARGINS) if bits >> at & 1]
        if not still:
            return OK
        first = min(still, key=lambda at: (NAME[at] not in events.LIMITED, at))
        leg = Passed(0, first, 0.0, 0.0).leg(self.platform)
        who = f"leg {leg} is" if leg else "the platform is"
        return Status(_code(NAME[first]), f"{who} still beyond its {NAME[first]} limit")

    def observe(self) -> Observation:
        """The state reached."""
        run, x, out = self._run, self._x, self._buffer.copy()
        X = run.X[:, 0]
        out[BODY] = x[BODY] = X[BODY]
        if self._job.rows.spins:
            each = [X[getattr(SPINNING, name)] for name in SPINS[:3]]
            x[STATE.size + 6 :] = np.stack(each, axis=-1).ravel()
        self._look(x, self._par[0], self._legs)
        out[SEEN.length] = self._each[:, LEG_MOTION.coordinate].ravel()
        out[SEEN.rate] = self._each[:, LEG_MOTION.rate].ravel()
        out.flags.writeable = False
        R = out[STATE.rotation].reshape(3, 3)
        v, w = out[STATE.velocity], out[STATE.angular_velocity]
        legs = out[SEEN.length], out[SEEN.rate]
        return Observation(self.time, out[STATE.position], R, v, w, *legs)

    def snapshot(self) -> Snapshot:
        """Everything that the steps to come depend on, the controller's memory in the loop included; what an object of
        your own keeps in itself is not."""
        run = self._run
        parts = {"X": run.X.copy(), "command": run.command.copy(), "last": run.last.copy()}
        parts |= {"marks": self._marks.copy(), "found": list(run.lookout.found)}
        parts |= {"end": run.end_time.copy(), "ended": list(run.status), "status": self.status}
        parts |= {"alive": run.alive.copy(), "memory": {}, "reference": None}
        if self._followed is not None:
            loop = self._followed.loop
            parts["memory"] = {name: value.copy() for name, value in loop.memory.items()}
            parts["reference"] = self._followed.saved()
        return Snapshot(id(self), run.k, parts)

    def restore(self, snapshot: Snapshot) -> Observation:
        """Back to an instant of this simulator; a `reset` between makes no difference."""
        if not isinstance(snapshot, Snapshot) or snapshot.owner != id(self):
            raise InputError("snapshot", snapshot, "must be a snapshot of this simulator")
        run, parts = self._run, snapshot.parts
        run.k, run.status, run.count = snapshot.step, list(parts["ended"]), 0
        run.X[:], run.command[:], run.last[:] = parts["X"], parts["command"], parts["last"]
        run.end_time[:], run.alive[:] = parts["end"], parts["alive"]
        run.some_ended = not run.alive[0]
        self._marks[:], run.lookout.found = parts["marks"], list(parts["found"])
        if self._followed is not None:
            for name, value in parts["memory"].items():
                self._followed.loop.memory[name][...] = value
            self._followed.restore(parts["reference"])
        self.status = parts["status"]
        return self.observe()

    def __repr__(self) -> str:
        told = f"t = {self.time:.6g} s, step {self.step_size:g} s, {self.status.code}"
        return f"<Simulator of {self.platform.name}: {told}>"


def _code(name: str) -> str:
    return CODES.get(name, "limits")


def _six(field: str, value: Any) -> Array:
    """Six finite numbers."""
    plain = type(value) is np.ndarray and value.shape == (6,) and value.dtype == np.float64
    if plain and value.min() > -LARGEST and value.max() < LARGEST:
        return value
    found = array(field, value, largest=LARGEST)
    if found.shape != (6,):
        raise InputError(field, f"shape {found.shape}", "must be six numbers")
    return found
