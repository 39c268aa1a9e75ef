"""The control loop: sampling, measurement errors, observers, delay, and the controller's memory between samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, GoughError, InputError
from gough.control.signals import Controller, Measurement, Memory, Reference, Sampling
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import MOTION, POSE, STATE, TWIST
from gough.model import Platform
from gough.results import LegMotion
from gough.simulation import leg_law
from gough.simulation.state import Rows
from gough.spatial import Motion, Pose

POSE_ROWS = slice(0, POSE.size)
OWN = "controller_"  # before the names of a stateful controller's memory
KINDS = (
    "must be a function (t, measurement, reference) -> command, or an object with init and update"
)
FAILURES = (
    GoughError,
    np.linalg.LinAlgError,
)  # what a controller may raise at a state it cannot serve


class ControlLoop:
    """Turns states at sample instants into held commands; its memory is a dict of arrays (see `memory`).

    lost  runs that got no command at the last sample, each with the reason
    """

    motion: Motion
    legs: LegMotion

    def __init__(
        self, rows: Rows, controller: Controller, sampling: Sampling, X: Array, period: float
    ) -> None:
        self._stateful = all(callable(getattr(controller, m, None)) for m in ("init", "update"))
        if not self._stateful and not callable(controller):
            raise InputError("controller", controller, KINDS)
        self.rows, self.controller, self.sampling, self.period = rows, controller, sampling, period
        self.model: Platform = getattr(controller, "model", rows.platform)
        n = X.shape[1]
        length, rate = (a.copy() for a in rows.legs(X))
        self.queue = round(sampling.delay / period)
        self.memory: dict[str, Array] = {
            "integral": np.zeros((n, 6)),
            "length": length,
            "rate": rate,
            "play": length.copy(),
            "pose": X[POSE_ROWS].T.copy(),
            "commands": np.zeros((self.queue, n, 6)),
            "saturated": np.zeros((n, 6)),
            **(self._init(n) if self._stateful else {}),
        }
        drives = [leg.drive for leg in rows.platform.legs]
        play = np.array([0.0 if drive is None else drive.backlash for drive in drives])
        self._backlash = play if sampling.backlash else None
        self.lost: dict[int, str] = {}
        struts = [kind in ("UPS", "SPS") for kind in self.model.kinds]
        self._shortest = np.where(struts, 0.0, -np.inf)
        self._law, self._free = np.zeros(0), leg_law.FreeRange(None)
        self._saturated = True  # some drive may have been clipped at the sample before

    def follow(self, reference: object, start: Motion, samples: int) -> None:
        """Reference motions and legs at all samples, (samples + 1, runs or 1), accelerations as means over a period."""
        if reference is None:
            reference = start
        if isinstance(reference, (Motion, Pose)):
            position, rotation = reference.position, reference.rotation
            self.motion = Motion(position.reshape(-1, 3), rotation.reshape(-1, 3, 3))[None]
            self.legs = inverse_kinematics(self.model, self.motion)
            return
        if not callable(reference):
            allowed = "must be a trajectory, a pose, or a function of time to a Motion"
            raise InputError("reference", reference, allowed)
        T = self.period
        given = _held_at_end(reference, T * np.arange(samples + 1, dtype=np.float64))
        v, w = given.velocity, given.angular_velocity
        motion = Motion(given.position, given.rotation, v, w, *(_means(a, T) for a in (v, w)))
        self.motion, legs = motion[:, None], inverse_kinematics(self.model, motion)
        parts = {f.name: getattr(legs, f.name)[:, None] for f in fields(LegMotion)}
        self.legs = LegMotion(**{**parts, "acceleration": _means(legs.rate, T)[:, None]})

    def reference(self, k: int) -> Reference:
        """The reference at sample k; the first axis is runs (or one for all)."""
        i, legs = min(k, len(self.legs.length) - 1), self.legs
        return Reference(self.motion, legs.length[i], legs.rate[i], legs.acceleration[i], i)

    def update(self, k: int, X: Array, law: Array, alive: NDArray[np.bool_] | None) -> Array:
        """The command (6, n) from sample k on; runs that are not `alive` (None: all are) are shown their reference."""
        reference = self.reference(k)
        self.lost, n = {}, X.shape[1]
        seen = self._measure(k, X, reference, alive)
        command, new = self._ask(k * self.period, seen, reference)
        self._keep(new, alive)
        if command.shape != (n, 6):
            if command.shape not in ((6,), (1, 6)):
                answered = f"answered shape {command.shape}"
                raise InputError("controller", answered, f"must answer (6,) or ({n}, 6)")
            command = np.array(np.broadcast_to(command, (n, 6)))
        if self.queue:
            queue = self.memory["commands"] if k else np.repeat(command[None], self.queue, axis=0)
            self.memory["commands"] = np.concatenate([queue[1:], command[None]])
            command = queue[0]
        u = command.T
        if law is not self._law:
            self._law, self._free = law, leg_law.FreeRange(law)
        rate = self.memory["rate"].T
        clips = not self._free.holds(u, rate)
        if clips:
            clipped = leg_law.clipped(leg_law.motor_force(law, u, rate), u)
            self.memory["saturated"] = clipped.T.astype(float)
        elif self._saturated:
            self.memory["saturated"] = np.zeros((n, 6))
        self._saturated = clips
        return u

    def _init(self, runs: int) -> Memory:
        """A stateful controller's memory at the start."""
        given = self.controller.init(runs)  # type: ignore[union-attr]
        memory = {f"{OWN}{name}": np.array(value) for name, value in given.items()}
        for name, value in memory.items():
            if value.shape[:1] != (runs,) or value.dtype.hasobject:
                told = f"{name.removeprefix(OWN)}: shape {value.shape}, {value.dtype}"
                raise InputError(
                    "controller.init", told, f"must be arrays of numbers of {runs} runs"
                )
        return memory

    def _own(self) -> Memory:
        return {k.removeprefix(OWN): v for k, v in self.memory.items() if k.startswith(OWN)}

    def _answer(
        self, t: float, seen: Measurement, reference: Reference
    ) -> tuple[Array, Memory | None]:
        """Command, and memory after it."""
        if not self._stateful:
            return np.array(self.controller(t, seen, reference), dtype=float), None  # type: ignore[operator]
        before = self._own()
        handed = {name: value.copy() for name, value in before.items()}
        command, after = self.controller.update(t, seen, reference, handed)  # type: ignore[union-attr]
        new = {name: np.array(value) for name, value in after.items()}
        for name in before.keys() | new.keys():
            was, now = (
                f"{m[name].shape} {m[name].dtype}" if name in m else "nothing"
                for m in (before, new)
            )
            if was != now:
                raise InputError("controller.update", f"{name}: {now}", f"must stay {was}")
        return np.array(command, dtype=float), new

    def _keep(self, new: Memory | None, alive: NDArray[np.bool_] | None) -> None:
        """Take over a controller's memory; runs that have ended or were lost keep theirs."""
        for name, value in (new or {}).items():
            if alive is not None or self.lost:
                going = np.ones(len(value), dtype=bool) if alive is None else alive.copy()
                going[list(self.lost)] = False
                value[~going] = self.memory[OWN + name][~going]
            self.memory[OWN + name] = value

    def _ask(
        self, t: float, seen: Measurement, reference: Reference
    ) -> tuple[Array, Memory | None]:
        """The controller's answer.  Runs at which it fails are lost, found by halves: the others see what they saw."""
        try:
            return self._answer(t, seen, reference)
        except FAILURES as error:
            failure = error

        def shown(runs: NDArray[np.intp]) -> tuple[Array, Memory | None] | Exception:
            good = np.zeros((len(seen.length), 1), dtype=bool)
            good[runs] = True
            length = np.where(good, seen.length, reference.length)
            rate = np.where(good, seen.rate, reference.rate)
            motion = _shown(seen.motion, reference, good)
            now = Measurement(length, rate, motion, seen.integral, seen.spin)
            try:
                return self._answer(t, now, reference)
            except FAILURES as error:
                return error

        every = np.arange(len(seen.length))
        parts = [every]
        if isinstance(shown(every[:0]), Exception):  # not even at the reference: no run is to blame
            raise failure
        while parts:
            runs = parts.pop()
            answer = shown(runs)
            if isinstance(answer, Exception) and len(runs) > 1:
                parts += np.array_split(runs, 2)
            elif isinstance(answer, Exception):
                self.lost[int(runs[0])] = str(answer)
        answer = shown(np.setdiff1d(every, list(self.lost)))
        if isinstance(answer, Exception):  # runs that only fail together
            raise answer
        return answer

    def _measure(
        self, k: int, X: Array, reference: Reference, alive: NDArray[np.bool_] | None
    ) -> Measurement:
        m, s = self.memory, self.sampling
        n = X.shape[1]
        length, rate = self.rows.legs(X)
        good = None  # all runs: nothing has to be masked
        if alive is not None or not isfinite(length.sum()):
            finite = np.isfinite(length).all(axis=1)
            good = np.reshape(finite if alive is None else alive & finite, (n, 1))
            length = np.where(good, length, reference.length)
            rate = np.where(good, rate, reference.rate)
        if self._backlash is not None:
            half = 0.5 * self._backlash
            length = m["play"] = np.clip(m["play"], length - half, length + half)
        if s.noise > 0.0:
            length = length + s.noise * np.random.default_rng([s.seed, k]).standard_normal((n, 6))
        if s.quantization > 0.0:
            length = s.quantization * np.round(length / s.quantization)
        if s.velocity == "observed":
            length, rate = self._observe(k, length, reference)
        error = reference.length - length
        free = self.period * (1.0 - m["saturated"]) if self._saturated else self.period
        m["integral"] = m["integral"] + free * error
        m["length"], m["rate"] = length, rate
        if s.pose != "measured":
            motion = self._estimated_pose(length, rate, reference, good)
            return Measurement(length, rate, motion, m["integral"], self.rows.spin(X))
        now = X.copy()  # the kernel advances X in place
        pose = partial(self._true_pose, now, reference, good)  # worked out when the controller asks
        return Measurement(length, rate, pose, m["integral"], self.rows.spin(X))

    def _observe(self, k: int, measured: Array, reference: Reference) -> tuple[Array, Array]:
        """Two poles at ``exp(-bandwidth T)``, driven by the reference acceleration."""
        m, T = self.memory, self.period
        if k == 0:
            return measured, m["rate"]
        a = self.reference(k - 1).acceleration
        z = np.exp(-self.sampling.bandwidth * T)
        guess = m["length"] + T * m["rate"] + 0.5 * T**2 * a
        error = measured - guess
        return guess + (1.0 - z * z) * error, m["rate"] + T * a + (1.0 - z) ** 2 / T * error

    def _true_pose(self, X: Array, reference: Reference, good: NDArray[np.bool_] | None) -> Motion:
        return _shown(self.rows.motion(X), reference, good)

    def _estimated_pose(
        self, length: Array, rate: Array, reference: Reference, good: NDArray[np.bool_] | None
    ) -> Motion:
        """Forward kinematics from the pose before; runs whose coordinates or rates no pose has are lost."""
        from gough.kinematics.forward import bare_pose, forward_kinematics, twists

        m = self.memory
        whole = (np.isfinite(length + rate) & (length > self._shortest)).all(axis=1)
        self._lose(whole, "the measured coordinates belong to no pose")
        length = np.where(np.reshape(whole, (-1, 1)), length, reference.length)
        rate = np.where(np.reshape(whole, (-1, 1)), rate, reference.rate)
        fk = forward_kinematics(self.model, length, bare_pose(m["pose"]), certify=False)
        found = np.isfinite(fk.flat).all(axis=-1, keepdims=True)
        m["pose"] = np.where(found, fk.flat, m["pose"])
        R = m["pose"][:, POSE.rotation].reshape(-1, 3, 3)
        pose = Pose.trusted(m["pose"][:, POSE.position], R)
        twist, regular = twists(self.model, pose, rate)
        self._lose(regular, "no twist follows from the legs' rates: the pose is singular")
        now = Motion.trusted(pose.position, R, twist[:, TWIST.linear], twist[:, TWIST.angular])
        if self.lost:
            seen = np.array([run not in self.lost for run in range(len(length))])[:, None]
            good = seen if good is None else good & seen
        return _shown(now, reference, good)

    def _lose(self, kept: Any, why: str) -> None:
        self.lost |= {int(run): why for run in np.flatnonzero(~kept) if run not in self.lost}


def _shown(now: Motion, reference: Reference, good: NDArray[np.bool_] | None) -> Motion:
    """The motion, where runs have ended their reference."""
    if good is None:
        return now
    both = [(getattr(now, name), getattr(reference.motion, name)) for name in STATE.names]
    masks = (good[..., None] if a.ndim == 3 else good for a, _ in both)
    return Motion.trusted(*(np.where(m, a, b) for m, (a, b) in zip(masks, both, strict=True)))


def _means(rate: Array, period: float) -> Array:
    """Mean change of a rate over the coming period; none after the last sample."""
    mean = np.zeros_like(rate)
    mean[:-1] = np.diff(rate, axis=0) / period
    return mean


def _held_at_end(reference: Callable[..., Any], t: Array) -> Motion:
    """A trajectory at times t; after its end the last pose is held at rest."""
    duration = getattr(reference, "duration", None)
    if duration is None:
        each = [reference(float(x)) for x in t]
        return Motion(*(np.stack([getattr(m, name) for m in each]) for name in MOTION.names))
    motion = reference(np.minimum(t, duration))
    moving = (t < duration * (1 + 1e-12))[:, None]
    rest = [name for name in MOTION.names if name not in POSE.names]
    held = (np.where(moving, getattr(motion, name), 0.0) for name in rest)
    return Motion(motion.position, motion.rotation, *held)
