"""Rotations of the pods and forces along the three paths of [Pedrammehr2012] (000)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler, universal
from gough.model import Platform
from gough.reproduce.builders import Forces, as_motion
from gough.spatial import Motion

SAMPLES = 61  # chosen: 60 steps on each path


@dataclass(frozen=True, eq=False)
class PodRotation:
    """Norms of the pods' angular velocity and acceleration along a path: complete, across the pod."""

    time: Array
    rate: Array
    rate_across: Array
    acceleration: Array
    acceleration_across: Array


@dataclass(frozen=True, eq=False)
class ImprovedForces(Forces):
    """Exact, 000 as printed, and the simplified model (001 as printed)."""

    simplified: Array


def pod_rotation(machine: Platform, key: str, samples: int = SAMPLES) -> PodRotation:
    """Rotation of the pods along a path, with and without its part along the pod."""
    motion = as_motion(key).sample(samples)
    legs = universal.leg_motion(machine, motion)
    n = legs.direction

    def norms(v: Array) -> tuple[Array, Array]:
        across = v - (v * n).sum(axis=-1, keepdims=True) * n
        return np.linalg.norm(v, axis=-1), np.linalg.norm(across, axis=-1)

    assert motion.time is not None
    return PodRotation(
        motion.time, *norms(legs.angular_velocity), *norms(legs.angular_acceleration)
    )


def improved_forces(machine: Platform, key: str, samples: int = SAMPLES) -> ImprovedForces:
    """Forces of the three models along a path."""
    return forces_on(machine, as_motion(key).sample(samples))


def forces_on(machine: Platform, motion: Motion) -> ImprovedForces:
    """Forces of the three models along any motion."""
    return ImprovedForces(
        motion,
        universal.inverse_dynamics(machine, motion).force,
        universal.inverse_dynamics(machine, motion, published=True).force,
        newton_euler.inverse_dynamics(machine, motion, published=True).force,
    )
