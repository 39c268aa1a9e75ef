"""The reference of a control loop at all its samples: rows that the compiled loop reads, views that Python reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.control.signals import Reference
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import MOTION, POSE
from gough.links import links
from gough.model import Platform
from gough.simulation.closed_laws import REFERENCE
from gough.spatial import Motion, Pose

LEGS = {"leg_length": "length", "leg_rate": "rate", "leg_acceleration": "acceleration"}


class ReferenceTable:
    """Rows of `REFERENCE` at all samples, (samples + 1 or 1, rows, runs or 1); accelerations as means over a period."""

    def __init__(
        self, model: Platform, reference: object, start: Motion, samples: int, period: float
    ) -> None:
        if reference is None:
            reference = start
        legs: dict[str, Array]
        if isinstance(reference, (Motion, Pose)):
            position, rotation = reference.position, reference.rotation
            motion = Motion(position.reshape(-1, 3), rotation.reshape(-1, 3, 3))
            found = inverse_kinematics(model, motion)
            legs = {row: getattr(found, name) for row, name in LEGS.items()}
            shape = (1, len(motion.position))
        elif callable(reference):
            motion, legs = _moving(model, reference, samples, period)
            shape = (samples + 1, 1)
        else:
            allowed = "must be a trajectory, a pose, or a function of time to a Motion"
            raise InputError("reference", reference, allowed)
        self.rows = np.zeros((shape[0], REFERENCE.size, shape[1]))
        for name in MOTION.names:
            self._put(name, getattr(motion, name), shape)
        for name, value in legs.items():
            self._put(name, value, shape)
        views = (self._view(name) for name in MOTION.names)
        self.motion = Motion.trusted(
            *(v.reshape(*v.shape[:2], 3, 3) if v.shape[2] == 9 else v for v in views)
        )
        self._legs = [self._view(name) for name in LEGS]
        self._at, self._now = 0, [legs[0] for legs in self._legs]

    def _put(self, name: str, value: Array, shape: tuple[int, int]) -> None:
        self.rows[:, getattr(REFERENCE, name)] = np.moveaxis(value.reshape(*shape, -1), 2, 1)

    def _view(self, name: str) -> Array:
        """(samples, runs, width)."""
        return np.moveaxis(self.rows[:, getattr(REFERENCE, name)], 1, 2)

    def at(self, k: int) -> Reference:
        """At sample k; the last one is held."""
        i = min(k, len(self.rows) - 1)
        if i != self._at:
            self._at, self._now = i, [legs[i] for legs in self._legs]
        length, rate, acceleration = self._now
        return Reference(self.motion, length, rate, acceleration, i)

    def put_ahead(self, efforts: Array) -> None:
        """Efforts (samples, runs, 6) that a law computed before the run."""
        self._put("ahead", efforts, efforts.shape[:2])


def _moving(
    model: Platform, reference: Callable[..., Any], samples: int, period: float
) -> tuple[Motion, dict[str, Array]]:
    given = _held_at_end(reference, period * np.arange(samples + 1, dtype=np.float64))
    v, w = given.velocity, given.angular_velocity
    time: Any = period * np.arange(samples + 1)
    accelerations: Any = (_means(a, period) for a in (v, w))
    if len(links(model).legs):  # they allow the acceleration that was given, not its mean
        accelerations = given.acceleration, given.angular_acceleration
    motion = Motion(given.position, given.rotation, v, w, *accelerations, time=time)
    legs = inverse_kinematics(model, motion, continuous=True)
    each = legs.length, legs.rate, _means(legs.rate, period)
    return motion, dict(zip(LEGS, each, strict=True))


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
