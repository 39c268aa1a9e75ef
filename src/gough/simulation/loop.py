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
from gough.control.signals import CHANNELS, MORE, Controller, Measurement, Sampling
from gough.control.user_law import CompiledLaw
from gough.engines.pointer_call import address
from gough.layout import POSE, STATE, TWIST
from gough.model import Platform
from gough.simulation import closed_kernels, closed_laws, compiled
from gough.simulation.asking import Alive, Asker, shown_motion
from gough.simulation.closed_kernels import NUMBERS, PLAN
from gough.simulation.closed_laws import REFERENCE, SENSED
from gough.simulation.inputs import TimeSignal
from gough.simulation.reference import ReferenceTable
from gough.simulation.state import Rows, orthogonal
from gough.spatial import Motion, Pose

POSE_ROWS = slice(0, POSE.size)
TOLD = SENSED.at(
    "integral"
)  # rows of the memory that a record keeps: coordinates and rates as read
LEG_ROWS = slice(REFERENCE.at("leg_length"), REFERENCE.at("leg_length") + TOLD)  # their references
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
        self.memory: dict[str, Array] = {
            "sensed": sensed,
            "past": np.repeat(now[None], self.seen_late // period + 1, axis=0),
            "queue": np.zeros((self.sent_late // period + 1, 6, n)),
            "asked": np.zeros((6, n)),
            "law": np.zeros((own, n)),
            "pose": X[POSE_ROWS].T.copy(),
            **(self.asker.start() if self.asker is not None else {}),
        }
        struts = [kind in ("UPS", "SPS", "UCU") for kind in self.model.kinds]
        self._shortest = np.where(struts, 0.0, -np.inf)
        self._sensors(sampling)
        self.sample = 0
        self._plans = np.zeros(PLAN.size, dtype=np.int64)
        self._plans[PLAN.p_period] = period
        self._plans[PLAN.p_seen], self._plans[PLAN.p_sent] = self.seen_late, self.sent_late
        self._outcome = np.empty(n, dtype=np.int64), np.empty((3, n))
        self._last: tuple[Any, ...] | None = (
            None  # arguments of the last call: most calls have the same
        )
        self._arguments: tuple[tuple[Any, ...], ...] = ()

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
        self._play = play if s.backlash and not on_motor else np.zeros(6)
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

    def follow(self, reference: object, start: Motion, samples: int, method: str) -> None:
        """Take the reference at all samples, and read the first of them."""
        rows = self.rows
        self.table = ReferenceTable(self.model, reference, start, samples, self.period)
        self._gains, law = np.zeros(0), None
        if self.asker is None and isinstance(self.controller, CompiledLaw):
            law = self.controller.law
        elif self.law is not None:
            model = self.model if closed_laws.LAWS[self.law].model else rows.platform
            kinds, self._gains = closed_laws.parameters(self.law, self.controller, model)
            law = self.law, kinds
            if self.law == "feed_forward":
                self.table.put_ahead(closed_laws.ahead(self.model, self.table.motion))
        self._kernels, sense, control = closed_kernels.load(rows.kinds, law)
        steps: Any = compiled.load(method, rows.kinds, rows.laws)
        self._steps = steps  # kept: its address is in use
        self._tableau, plan = steps.args, self._plans
        plan[PLAN.p_laws], plan[PLAN.p_steps] = bool(rows.laws), address(steps.func)
        plan[PLAN.p_sense], plan[PLAN.p_control] = sense, control
        n = self.memory["sensed"].shape[1]
        self.after(0, self.memory["past"][0][: rows.size], np.zeros((1, 6, n)), np.ones(n, bool))

    def _plan(self, first: int, last: int, every: int) -> NDArray[np.int64]:
        """A call's plan; its noise begins at the first sample after `first`."""
        plan = self._plans
        plan[PLAN.p_from], plan[PLAN.p_to], plan[PLAN.p_every] = first, last, every
        plan[PLAN.p_noise] = first // self.steps + 1
        return plan

    def _noise(self, first: int, last: int) -> Array:
        """(samples, CHANNELS, n) of samples `first` to `last`; the same for a run in any batch, cut or resumption."""
        n, seed = self.memory["sensed"].shape[1], self.sampling.seed
        out = np.zeros((max(last - first + 1, 1), CHANNELS.size, n))
        for i, (name, width) in enumerate(CHANNELS.blocks()):
            at = getattr(CHANNELS, name)
            if self._amplitude[at].any():
                for k in range(first, last + 1):
                    drawn = _draw(seed, k, i, (n, width))
                    out[k - first, at] = (self._amplitude[at] * drawn).T
        return out

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
        self.asker.lost, self.sample = {}, k
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
        seen = m["sensed"], m["past"], effort, alive, self._numbers, self._play, self._errors
        self._kernels.after(k, plan, X, *seen, noise, self.table.rows, self.rows.par)

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
        every: int,
        workers: int,
        watch: compiled.Watched,
    ) -> tuple[NDArray[np.int64], Array]:
        """From step `first` to `last`, all in place; `kept`: where states, efforts and readings of the records go;
        `watch`: as `compiled.advance` takes it.

        Answers per run the first step, counted from `first`, after which a state was not finite or beyond any machine
        (-1: none), and the step, leg and value of its first command that is no number (step -1: none).
        """
        n, plan = X.shape[1], self._plan(first, last, every)
        bad, refused = self._outcome
        bad.fill(-1)
        refused.fill(-1.0)
        sample = first // self.steps + 1
        noise = self._noise(sample, last // self.steps) if self._noisy else NO_NOISE
        given = X, effort, alive, law, external, noise, *kept, *watch
        if self._last is None or any(a is not b for a, b in zip(given, self._last, strict=True)):
            self._last, self._arguments = given, self._gathered(*given)
        rows, fixed, wide, tail, out, more = self._arguments
        head = plan, self.step
        if workers == 1 or n < 4 * compiled.BLOCK:
            self._kernels.drive(*head, *rows, *fixed, *wide, *tail, *out, *more)
            return bad, refused

        def part(low: int, high: int) -> None:
            mine = [a[..., low:high] for a in rows]
            cut = [a if a.shape[2] == 1 else a[:, :, low:high] for a in wide]
            own = [a[..., low:high] for a in out]
            self._kernels.drive(*head, *mine, *fixed, *cut, *tail, *own, *more)

        compiled.in_parts(n, workers, part)
        return bad, refused

    def _gathered(
        self,
        X: Array,
        effort: Array,
        alive: NDArray[np.bool_],
        law: Array,
        external: Array,
        noise: Array,
        *kept: Any,
    ) -> tuple[tuple[Any, ...], ...]:
        """Arguments of `drive`: of runs, of all runs, of runs or one for all, and so on."""
        m, (*records, limits, marks, passed) = self.memory, kept
        rows = X, m["sensed"], m["past"], m["queue"], effort, m["asked"], m["law"], alive
        fixed = self._numbers, self._play, self._errors
        wide = noise, self.table.rows, external, law
        out = *records, *self._outcome, marks, passed
        return rows, fixed, wide, (self.rows.par, self._gains), out, (limits, *self._tableau)

    def _measurement(
        self, k: int, law: Array, external: TimeSignal, reference: Any, alive: Alive
    ) -> Measurement:
        """What the controller is shown: copies, it may keep them."""
        read = self.memory["sensed"].T.copy()
        length, rate = read[:, SENSED.length], read[:, SENSED.rate]
        spin, more = None, partial(self._more, k, law, external)
        if self.rows.spins:
            spin = self.rows.spin(self._late(k).copy())
        if self.sampling.pose == "measured":
            motion: Any = partial(_motion, read)
        else:
            motion = self._estimated_pose(length, rate, reference, alive)
        return Measurement(length, rate, motion, read[:, SENSED.integral], spin, more)

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
        sensor, width = self.sampling.sensor(name), dict(MORE.blocks())[name]
        R = X[STATE.rotation].T.reshape(n, 3, 3)
        if name == "angular_rate":
            true = np.einsum("nji,nj->ni", R, X[STATE.angular_velocity].T)
        else:
            motion = self.rows.motion(X) if external.feedback else None
            wrench = np.broadcast_to(external.at(at, motion), (6, n))
            plant = self.rows.kinds, self.rows.laws, False
            told = compiled.tell(*plant, X, effort, wrench, law, self.rows.par)
            if name == "acceleration":
                free = told["acceleration"].T - self.rows.platform.gravity
                true = np.einsum("nji,nj->ni", R, free)
            elif name == "force":
                true = told["force"].T
            else:
                true = told["motor"].T / self._force_per_ampere()
        read = true + sensor.bias
        if sensor.noise:
            index = CHANNELS.names.index("angular_velocity") + 1 + MORE.names.index(name)
            read = read + sensor.noise * _draw(self.sampling.seed, k, index, (n, width))
        step = sensor.quantization
        return step * np.rint(read / step) if step else read

    def _force_per_ampere(self) -> Array:
        """(6,) effort per current of the motors; NaN where a drive does not say."""
        drives = [leg.drive for leg in self.rows.platform.legs]
        return np.array(
            [
                np.nan if d is None or d.torque_constant is None else d.ratio * d.torque_constant
                for d in drives
            ]
        )

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


def _motion(read: Array) -> Motion:
    """The measured pose and twist (n,)."""
    read = read[:, SENSED.pose]
    R = orthogonal(read[:, STATE.rotation].reshape(-1, 3, 3))
    return Motion.trusted(
        read[:, STATE.position], R, read[:, STATE.velocity], read[:, STATE.angular_velocity]
    )


def _draw(seed: int, sample: int, channel: int, shape: tuple[int, int]) -> Array:
    """Standard normal numbers of a sensor at a sample; runs first, so that a run's are its own in any batch."""
    key = [seed, sample] if channel == 0 else [seed, sample, channel]
    return np.random.default_rng(key).standard_normal(shape)
