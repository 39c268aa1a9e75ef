"""The platform as a spring and damper about its reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, number
from gough.control.decentralized import home
from gough.control.signals import Measurement, Reference
from gough.control.tracking import solved, task_error
from gough.dynamics import bias, mass_matrix
from gough.frozen import hinted
from gough.kinematics.jacobian import jacobian
from gough.model import Platform
from gough.spatial import Pose


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Impedance(Frozen):
    """The platform as a spring and damper about its reference, in task space, world axes:
    ``J^T u = b + K error + D (xd_ref - xd)``; outside forces meet the stiffness K (6,), N/m and N m/rad.

    damping  (6,) N s/m and N m s; gravity, friction and velocity terms b come from the model
    """

    model: Platform
    stiffness: Array
    damping: Array

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, six_of(name, getattr(self, name)))

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        now = measurement.motion
        position, velocity = task_error(now, reference.motion)
        known = bias(self.model, now, spin=measurement.spin)
        wrench = known + self.stiffness * position + self.damping * velocity
        return solved(np.swapaxes(jacobian(self.model, now), -1, -2), wrench)

    @classmethod
    def critically_damped(
        cls,
        model: Platform,
        stiffness: ArrayLike,
        *,
        damping: float = 1.0,
        pose: Pose | None = None,
    ) -> Impedance:
        """Damping from the mass matrix at `pose` (default: home): ``D_i = 2 z sqrt(K_i M_ii)``."""
        K, z = array("stiffness", stiffness, (6,)), number("damping", damping, minimum=0.0)
        return cls(model, K, 2 * z * np.sqrt(K * task_masses(model, pose)))

    @classmethod
    def from_bandwidth(
        cls, model: Platform, bandwidth: float, *, damping: float = 1.0, pose: Pose | None = None
    ) -> Impedance:
        """``K_i = w^2 M_ii`` with the mass matrix at `pose` (default: home), w in rad/s."""
        w = number("bandwidth", bandwidth, above=0.0)
        stiffness = w**2 * task_masses(model, pose)
        return cls.critically_damped(model, stiffness, damping=damping, pose=pose)


def task_masses(model: Platform, pose: Pose | None) -> Array:
    """(6,) diagonal of the mass matrix at `pose` (default: home), kg and kg m^2."""
    return np.diagonal(mass_matrix(model, home(model, pose))).copy()


def six_of(name: str, value: ArrayLike) -> Array:
    """Six numbers, none negative."""
    a = array(name, value, (6,))
    if a.shape != (6,) or (a < 0).any():
        raise InputError(name, value, "must be six numbers, none negative")
    return a
