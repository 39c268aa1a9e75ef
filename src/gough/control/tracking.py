"""Errors and the machine's equations as model-based controllers ask for them.

M a + b = J^T u + d         a, b, d in task space, world axes: accelerations; gravity, friction and velocity terms;
                            outside forces.  Orientation errors are rotation vectors of ``R_ref R^T``
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, InputError, number
from gough.control.signals import Measurement
from gough.dynamics import bias, mass_matrix
from gough.kinematics.jacobian import jacobian
from gough.model import Platform
from gough.spatial import Motion, rotation_log


@dataclass(frozen=True, eq=False)
class EquationsOfMotion:
    """M (n, 6, 6), b (n, 6), J (n, 6, 6) of a model at a measured motion."""

    M: Array
    b: Array
    J: Array

    @classmethod
    def at(cls, model: Platform, measurement: Measurement) -> EquationsOfMotion:
        now, spin = measurement.motion, measurement.spin
        M = mass_matrix(model, now.pose, spin=spin)
        return cls(M, bias(model, now, spin=spin), jacobian(model, now))

    def wrench(self, acceleration: Array) -> Array:
        """``M a + b`` (n, 6)."""
        return along(self.M, acceleration) + self.b

    def efforts(self, wrench: Array) -> Array:
        """``J^-T wrench`` (n, 6)."""
        return solved(np.swapaxes(self.J, -1, -2), wrench)

    def acceleration(self, efforts: Array) -> Array:
        """Of the model alone, ``M^-1 (J^T u - b)`` (n, 6)."""
        return solved(self.M, along(np.swapaxes(self.J, -1, -2), efforts) - self.b)


def along(A: Array, x: Array) -> Array:
    """``A x`` (..., 6)."""
    return np.asarray((A @ x[..., None])[..., 0], dtype=np.float64)


def solved(A: Array, x: Array) -> Array:
    """``A^-1 x`` (..., 6)."""
    return np.asarray(np.linalg.solve(A, x[..., None])[..., 0], dtype=np.float64)


def task_error(now: Motion, wanted: Motion) -> tuple[Array, Array]:
    """Position and rotation vector, and twist, from `now` to `wanted`: (..., 6) each."""
    turn = rotation_log(wanted.rotation @ np.swapaxes(now.rotation, -1, -2))
    position = np.concatenate([wanted.position - now.position, turn], axis=-1)
    return position, twist(wanted) - twist(now)


def twist(motion: Motion) -> Array:
    """(..., 6) velocity and angular velocity."""
    return np.concatenate([motion.velocity, motion.angular_velocity], axis=-1)


def ahead(motion: Motion) -> Array:
    """(..., 6) acceleration and angular acceleration."""
    return np.concatenate([motion.acceleration, motion.angular_acceleration], axis=-1)


def check(controller: Any, *names: str) -> None:
    """The model of a controller, and numbers that must be above zero."""
    if not isinstance(controller.model, Platform):
        raise InputError("model", controller.model, "must be a gough.Platform")
    for name in names:
        object.__setattr__(controller, name, number(name, getattr(controller, name), above=0.0))
