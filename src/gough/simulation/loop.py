"""The control loop: sampling, sensors, observers, delays, and the controller's memory between samples.

What happens at a sample and between two of them is compiled (closed.toml).  A built-in controller, or a `CompiledLaw`,
is part of that code and many samples are one call; any other is asked in Python at each of them (asking.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError
from gough.control.signals import CHANNELS, Controller, Measurement, Sampling
from gough.control.user_law import CompiledLaw
from gough.engines.pointer_call import Described, address
from gough.layout import POSE, STATE, TWIST
from gough.model import Platform
from gough.simulation import closed_kernels, closed_laws, compiled, winding
from gough.simulation.asking import Alive, Asker, shown_motion
from gough.simulation.closed_kernels import NUMBERS, PLAN
from gough.simulation.closed_laws import REFERENCE, SENSED
from gough.simulation.inputs import TimeSignal
from gough.simulation.programs import LANES
from gough.simulation.readings import draw, reading
from gough.simulation.reference import ReferenceTable
from gough.simulation.state import Rows, orthogonal
from gough.spatial import Motion, Pose
from gough.struts import CARRIED

POSE_ROWS = slice(0, POSE.size)
TOLD = SENSED.at(
    "integral"
)  # rows of the memory that a record keeps: coordinates and rates as read
LEG_ROWS = slice(REFERENCE.at("leg_length"), REFERENCE.at("leg_length") + TOLD)  # their references
VARYING = 12, 14, 15  # noise, wrench and law among the arrays of `drive`
NO_NOISE = np.zeros((1, CHANNELS.size, 1))


class ControlLoop:
    """Turns states at sample instants into commands; its memory is a dict of arrays, the last axis runs.

    sensed   rows of SENSED: what was read at the sample reached, play and saturation
    past     states and efforts that samples to come will see;  queue  commands on their way;  asked  the last one
    lost     runs that got no command at the last sample, each with the reason
    """

    def __init__(
        self,
        rows: Rows,
        controller: Controller,
        sampling: Sampling,
        X: Array,
        step: float,
        period: int,
        python: bool = False,
    ) -> None:
        """`python`: the controller is asked in Python even if it could be compiled."""
        self.rows, self.controller, self.sampling = rows, controller, sampling
        self.step, self.steps, self.period = step, period, period * step
        self.model: Platform = getattr(controller, "model", rows.platform)
        n = X.shape[1]
        self.seen_late = self._whole_steps("measurement_delay")
        self.sent_late = self._whole_steps("delay")
        own = controller.memory if isinstance(controller, CompiledLaw) else 0
        self.law = None if python else self._law_name()
        python = python or (self.law is None and not isinstance(controller, CompiledLaw))
        self.asker = Asker(controller, n) if python else None
        now = np.concatenate([X, np.zeros((6, n))])
        sensed = np.zeros((SENSED.size, n))
        length, rate = rows.legs(X)
        sensed[SENSED.play], sensed[SENSED.rate] = length.T, rate.T
        sensed[SENSED.wound] = winding.shares(rows, X)
        self.memory: dict[str, Array] = {
            "sensed": sensed,
            "past": np.repeat(now[None], self.seen_late // period + 1, axis=0),
            "queue": np.zeros((self.sent_late // period + 1, 6, n)),
            "asked": np.zeros((6, n)),
            "law": np.zeros((own, n)),
            "pose": X[POSE_ROWS].T.copy(),
            **(self.asker.start() if self.asker is not None else {}),
        }
        self._par = np.atleast_2d(rows.par)
        self._shortest = np.array([-np.inf if k in CARRIED else 0.0 for k in self.model.kinds])
        self._sensors(sampling)
        self.sample = 0
        self._plans = np.zeros(PLAN.size, dtype=np.int64)
        self._written = memoryview(self._plans)  # type: ignore[arg-type]
        self._plans[PLAN.p_period] = period
        self._plans[PLAN.p_seen], self._plans[PLAN.p_sent] = self.seen_late, self.sent_late
        self._outcome = np.empty(n, dtype=np.int64), np.empty((3, n))
        self._parts: dict[Described, slice] = {}  # arrays of all calls, by their runs
        self._calls: list[partial[None]] = []
        self._given: tuple[Array, ...] = ()

    def _whole_steps(self, name: str) -> int:
        delay = getattr(self.sampling, name)
        steps = round(delay / self.step)
        if abs(steps * self.step - delay) > 1e-9 * max(delay, self.step):
            allowed = f"must be a whole number of steps of {self.step:g} s (take a smaller step)"
            raise InputError(f"sampling.{name}", delay, allowed)
        return steps

    def _law_name(self) -> str | None:
        """The compiled law of a built-in controller; None where it has to be asked in Python."""
        name = closed_laws.name_of(self.controller)
        if name is None:
            return None
        needs_pose = closed_laws.LAWS[name].model
        if needs_pose and (self.sampling.pose != "measured" or self.rows.spins):
            return None
        return None if name == "feed_forward" and self.rows.spins else name

    def _sensors(self, s: Sampling) -> None:
        """Numbers of the sensors as the compiled measurement takes them."""
        drives = [leg.drive for leg in self.rows.platform.legs]
        play = np.array([0.0 if drive is None else drive.backlash for drive in drives])
        on_motor = "series" in self.rows.laws and s.encoder != "leg"
        self.play = play if s.backlash and not on_motor else np.zeros(6)
        self._errors, self._amplitude = np.zeros((2, CHANNELS.size)), np.zeros(CHANNELS.size)
        for name in CHANNELS.names:
            sensor, at = s.sensor(name), getattr(CHANNELS, name)
            self._errors[0, at], self._errors[1, at] = sensor.bias, sensor.quantization
            self._amplitude[at] = sensor.noise
        self._numbers = np.zeros(NUMBERS.size)
        self._numbers[NUMBERS.period] = self.period
        if on_motor:
            self._numbers[NUMBERS.encoder] = self.rows.layout.at("drive_coordinate")
        self._numbers[NUMBERS.observed] = s.velocity == "observed"
        self._numbers[NUMBERS.pole] = np.exp(-s.bandwidth * self.period)
        on_pose = ("position", "rotation", "velocity", "angular_velocity")
        self._numbers[NUMBERS.on_pose] = any(name in s.sensors for name in on_pose)
        self._noisy = bool(self._amplitude.any())

    def reference(self, given: object, start: Motion, samples: int) -> ReferenceTable:
        """The reference at so many samples as the controller's machine has to follow it."""
        table = ReferenceTable(self.model, given, start, samples, self.period)
        if self.law == "feed_forward":
            table.put_ahead(closed_laws.ahead(self.model, table.motion))
        return table

    def follow(self, table: ReferenceTable) -> None:
        """Take the reference at all samples."""
        self.table = table
        first, start = table.rows[0], table.motion[0]
        winding.begin(self.rows, self.model, first, start, self.memory["sensed"])

    def load(self, method: str, machines: bool) -> None:
        """The kernels, and the first reading; `machines`: every run has its own numbers, of its machine or of its leg
        laws."""
        rows, law = self.rows, None
        self._gains = np.zeros(0)
        if self.asker is None and isinstance(self.controller, CompiledLaw):
            law = self.controller.law
        elif self.law is not None:
            model = self.model if closed_laws.LAWS[self.law].model else rows.platform
            kinds, self._gains = closed_laws.parameters(self.law, self.controller, model)
            law = self.law, kinds
        n = self.memory["sensed"].shape[1]
        form = {"machines": machines, "lanes": 1 if n == 1 else LANES}
        self._kernels, sense, control = closed_kernels.load(rows.kinds, law, **form)
        steps: Any = compiled.load(method, rows.kinds, rows.laws, **form)
        self._steps = steps  # kept: its address is in use
        self._tableau, plan = steps.args, self._plans
        plan[PLAN.p_laws], plan[PLAN.p_steps] = bool(rows.laws), address(steps.func)
        plan[PLAN.p_sense], plan[PLAN.p_control] = sense, control
        self.after(0, self.memory["past"][0][: rows.size], np.zeros((1, 6, n)), np.ones(n, bool))

    def _plan(self, first: int, last: int, every: int) -> NDArray[np.int64]:
        """A call's plan; its noise begins at the first sample after `first`."""
        plan = self._written  # quicker for single numbers
        plan[PLAN.p_from], plan[PLAN.p_to], plan[PLAN.p_every] = first, last, every
        plan[PLAN.p_noise], plan[PLAN.p_loud] = first // self.steps + 1, 0
        return self._plans

    def _noise(self, first: int, last: int) -> Array:
        """(samples, CHANNELS, n) of samples `first` to `last`; the same for a run in any batch, cut or resumption.

        Machines of their own each have the noise of a run alone, (., ., 1)."""
        n, seed = 1 if self.rows.several else self.memory["sensed"].shape[1], self.sampling.seed
        out = np.zeros((max(last - first + 1, 1), CHANNELS.size, n))
        for i, (name, width) in enumerate(CHANNELS.blocks()):
            at = getattr(CHANNELS, name)
            if self._amplitude[at].any():
                for k in range(first, last + 1):
                    drawn = draw(seed, k, i, (n, width))
                    out[k - first, at] = (self._amplitude[at] * drawn).T
        return out

    @property
    def quiet(self) -> bool:
        """In the last call of `run` nothing was seen, no command was refused and no state was beyond any machine."""
        return not self._written[PLAN.p_loud]

    @property
    def compiled(self) -> bool:
        """The controller is part of the compiled code."""
        return self.asker is None

    @property
    def lost(self) -> dict[int, str]:
        return {} if self.asker is None else self.asker.lost

    def ask(self, k: int, law: Array, external: TimeSignal, alive: Alive) -> Array:
        """The command (6, n) of the controller at sample k, from what was read there."""
        assert self.asker is not None
        self.sample = k
        if self.asker.lost:
            self.asker.lost = {}
        reference = self.table.at(k)
        seen = self._measurement(k, law, external, reference, alive)
        command = self.asker.ask(k * self.period, seen, reference, self.memory, alive)
        self.memory["asked"][:] = command.T
        return self.memory["asked"]

    def told(self, index: NDArray[np.int64], measured: Array) -> dict[str, Array]:
        """What the controller was to reach and what it read at recorded steps, (K, n, 6) each."""
        K, _, n = measured.shape
        sample = np.minimum(index // self.steps, len(self.table.rows) - 1)
        wanted = np.broadcast_to(self.table.rows[sample][:, LEG_ROWS], (K, TOLD, n))
        both = {"reference": wanted, "measured": measured}
        out = {
            f"{word}_{name}": np.moveaxis(a[:, part], 1, 2)
            for word, a in both.items()
            for name, part in (("length", SENSED.length), ("rate", SENSED.rate))
        }
        return {**out, "error": out["reference_length"] - out["measured_length"]}

    def before(self, k: int, effort: Array, law: Array) -> None:
        """What is due before step k where steps are taken in Python: commands on their way."""
        m = self.memory
        given = m["sensed"], m["queue"], effort, m["asked"], law
        self._kernels.before(k, self._plan(k, k, 1), *given)

    def after(self, k: int, X: Array, effort: Array, alive: NDArray[np.bool_]) -> None:
        """What is due once step k is reached: measurements."""
        m, sample = self.memory, k // self.steps
        plan, noise = self._plan(k, k, 1), NO_NOISE
        plan[PLAN.p_noise] = sample
        if k % self.steps == 0 and self._noisy:
            noise = self._noise(sample, sample)
        seen = m["sensed"], m["past"], effort, alive, self._numbers, self.play, self._errors
        self._kernels.after(k, plan, X, *seen, noise, self.table.rows, self._par)

    def run(
        self,
        first: int,
        last: int,
        X: Array,
        effort: Array,
        alive: NDArray[np.bool_],
        law: Array,
        external: Array,
        kept: Sequence[Array],
        count: int,
        every: int,
        workers: int,
        watch: compiled.Watched,
    ) -> tuple[NDArray[np.int64], Array]:
        """From step `first` to `last`, all in place; `kept`: where states, efforts and readings of the records go, from
        record `count` on; `watch`: as `compiled.advance` takes it.  Law and wrench may be others from call to call, the
        other arrays are those of the first.

        Answers per run the first step, counted from `first`, after which a state was not finite or beyond any machine
        (-1: none), and the step, leg and value of its first command that is no number (step -1: none).
        """
        self._plan(first, last, every)
        self._written[PLAN.p_kept] = count
        noise = NO_NOISE
        if self._noisy:
            noise = self._noise(first // self.steps + 1, last // self.steps)
        given, had = (noise, external, law), self._given
        if not self._parts:
            fixed = X, effort, alive, *given, kept, watch
            for runs in compiled.parts_of(X.shape[1], workers):
                part = Described(self._arrays(runs, *fixed))
                self._parts[part] = runs
                self._calls.append(partial(self._kernels.run, self.step, part.numbers))
        elif noise is not had[0] or external is not had[1] or law is not had[2]:
            for part, runs in self._parts.items():
                for at, array in zip(VARYING, given, strict=True):
                    part.put(at, _wide(array, runs))
        self._given = given
        if len(self._calls) == 1:
            self._calls[0]()
        else:
            compiled.at_once(workers, self._calls)
        return self._outcome

    def _arrays(
        self,
        runs: slice,
        X: Array,
        effort: Array,
        alive: NDArray[np.bool_],
        noise: Array,
        external: Array,
        law: Array,
        kept: Sequence[Array],
        watch: compiled.Watched,
    ) -> list[Any]:
        """What `drive` takes, of some runs."""
        m, (limits, marks, passed) = self.memory, watch
        own = X, m["sensed"], m["past"], m["queue"], effort, m["asked"], m["law"], alive
        out = *kept, *self._outcome, marks, passed
        par, limits = (a if len(a) == 1 else a[runs] for a in (self._par, limits))
        return [
            self._plans,
            *(a[..., runs] for a in own),
            *(self._numbers, self.play, self._errors),
            *(_wide(a, runs) for a in (noise, self.table.rows, external, law)),
            *(par, self._gains),
            *(a[..., runs] for a in out),
            *(limits, *self._tableau),
        ]

    def _measurement(
        self, k: int, law: Array, external: TimeSignal, reference: Any, alive: Alive
    ) -> Measurement:
        """What the controller is shown: copies, it may keep them."""
        read = self.memory["sensed"].T.copy()
        length, rate, integral = (
            read[:, SENSED.length],
            read[:, SENSED.rate],
            read[:, SENSED.integral],
        )
        if self.sampling.pose == "measured":
            motion: Any = partial(_motion, read)
        else:
            turned = winding.in_home_turn(self.model, self.memory["sensed"], length)
            motion = self._estimated_pose(turned, rate, reference, alive)
        spin = self.rows.spin(self._late(k).copy()) if self.rows.spins else None
        return Measurement(
            length, rate, motion, integral, spin, partial(self._more, k, law, external)
        )

    def _late(self, k: int) -> Array:
        """State, then effort, that sample k shows."""
        past = self.memory["past"]
        return past[k % len(past)]

    def _more(self, k: int, law: Array, external: TimeSignal, name: str) -> Array:
        """A sensor that is read when asked: at the state and the effort that sample k shows."""
        if k != self.sample:
            raise InputError("measurement", name, "must be asked for at its own sample")
        late = self._late(k)
        X, effort = late[: self.rows.size], late[self.rows.size :]
        n, at = X.shape[1], max(k * self.steps - self.seen_late, 0)
        motion = self.rows.motion(X) if external.feedback else None
        wrench = np.broadcast_to(external.at(at, motion), (6, n))
        return reading(name, self.sampling, k, self.rows, X, effort, wrench, law)

    def _estimated_pose(self, length: Array, rate: Array, reference: Any, alive: Alive) -> Motion:
        """Forward kinematics from the pose before; runs whose coordinates or rates no pose has are lost."""
        from gough.kinematics.forward import bare_pose, forward_kinematics, twists

        assert self.asker is not None
        m = self.memory
        whole = (np.isfinite(length + rate) & (length > self._shortest)).all(axis=1)
        self.asker.lose(whole, "the measured coordinates belong to no pose")
        length = np.where(np.reshape(whole, (-1, 1)), length, reference.length)
        rate = np.where(np.reshape(whole, (-1, 1)), rate, reference.rate)
        fk = forward_kinematics(self.model, length, bare_pose(m["pose"]), certify=False)
        found = np.isfinite(fk.flat).all(axis=-1, keepdims=True)
        m["pose"] = np.where(found, fk.flat, m["pose"])
        R = m["pose"][:, POSE.rotation].reshape(-1, 3, 3)
        pose = Pose.trusted(m["pose"][:, POSE.position], R)
        twist, regular = twists(self.model, pose, rate)
        self.asker.lose(regular, "no twist follows from the legs' rates: the pose is singular")
        now = Motion.trusted(pose.position, R, twist[:, TWIST.linear], twist[:, TWIST.angular])
        good = None if alive is None else alive[:, None]
        if self.asker.lost:
            seen = np.array([run not in self.asker.lost for run in range(len(length))])[:, None]
            good = seen if good is None else good & seen
        return shown_motion(now, reference, good)


def sampled(sampling: Sampling, step: float) -> int:
    """Steps between samples."""
    period = round(1.0 / (sampling.rate * step))
    if abs(period * step * sampling.rate - 1.0) > 1e-9:
        allowed = f"its period must be a multiple of the step {step:g} s"
        raise InputError("sampling.rate", sampling.rate, allowed)
    return period


def _wide(array: Array, runs: slice) -> Array:
    """Some runs of numbers that may be the same for all."""
    return array if array.shape[-1] == 1 else array[..., runs]


def _motion(read: Array) -> Motion:
    """The measured pose and twist (n,)."""
    read = read[:, SENSED.pose]
    R = orthogonal(read[:, STATE.rotation].reshape(-1, 3, 3))
    turning = read[:, STATE.angular_velocity]
    return Motion.trusted(read[:, STATE.position], R, read[:, STATE.velocity], turning)
