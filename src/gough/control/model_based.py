"""Controllers that carry a model of the machine; it may differ from the machine they drive (parameter error).

Orientation errors are rotation vectors of ``R_ref R^T``, world axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, number
from gough.control.decentralized import home, leg_loads
from gough.control.signals import Measurement, Reference
from gough.dynamics import bias, inverse_dynamics
from gough.kinematics.jacobian import jacobian, jacobian_dot
from gough.layout import TWIST
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_log


@dataclass(frozen=True, eq=False)
class ComputedForce(Frozen):
    """Inverse dynamics in the loop: every error decays like ``e'' + 2 z w e' + w^2 e = 0`` if the model is exact.

    space      "task": ``xdd = xdd_ref + 2 z w (xd_ref - xd) + w^2 error``; "leg": the same on the six coordinates,
               then ``xdd = J^-1 (ldd - Jdot xd)``
    bandwidth  w, rad/s;  damping  z
    """

    model: Platform
    bandwidth: float
    damping: float = 1.0
    space: str = "task"

    def __post_init__(self) -> None:
        _check(self)
        if self.space not in ("task", "leg"):
            raise InputError("space", self.space, "must be task or leg")

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        kp, kd = self.bandwidth**2, 2 * self.damping * self.bandwidth
        now = measurement.motion
        if self.space == "task":
            position, velocity = task_error(now, reference.motion)
            wish = reference.motion
            ahead = np.concatenate([wish.acceleration, wish.angular_acceleration], axis=-1)
            wanted = kp * position + kd * velocity + ahead
        else:
            error, rate = reference.length - measurement.length, reference.rate - measurement.rate
            legs = reference.acceleration + kp * error + kd * rate
            drift = (jacobian_dot(self.model, now) @ twist(now)[..., None])[..., 0]
            wanted = np.linalg.solve(jacobian(self.model, now), (legs - drift)[..., None])[..., 0]
        wanted = np.asarray(wanted, dtype=np.float64)
        moving = now.position, now.rotation, now.velocity, now.angular_velocity
        motion = Motion(*moving, wanted[..., TWIST.linear], wanted[..., TWIST.angular])
        return _efforts(self.model, motion, measurement)


@dataclass(frozen=True, eq=False)
class _WithFeedback(Frozen):
    """PD on each leg, ``m_i (w^2 e + 2 z w edot)`` with the loads m_i at `pose` (default: home)."""

    model: Platform
    bandwidth: float
    damping: float = 0.7
    pose: Pose | None = None

    def __post_init__(self) -> None:
        _check(self)
        where = home(self.model, self.pose)
        object.__setattr__(self, "pose", where)
        object.__setattr__(self, "_load", leg_loads(self.model, where))

    def _feedback(self, measurement: Measurement, reference: Reference) -> Array:
        w, z = self.bandwidth, self.damping
        error, rate = reference.length - measurement.length, reference.rate - measurement.rate
        return self._load * (w**2 * error + 2 * z * w * rate)  # type: ignore[attr-defined]


class FeedForward(_WithFeedback):
    """Inverse dynamics of the reference, computed ahead, plus PD on each leg:
    ``u = ID(reference) + m_i (w^2 e + 2 z w edot)``."""

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        force = _efforts(self.model, reference.motion, measurement)
        return force + self._feedback(measurement, reference)


class GravityCompensation(_WithFeedback):
    """Static forces at the measured pose plus PD on each leg; no inertia is compensated."""

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        static = _efforts(self.model, measurement.motion.pose, measurement)
        return static + self._feedback(measurement, reference)


@dataclass(frozen=True, eq=False)
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
            value = array(name, getattr(self, name), (6,))
            if value.shape != (6,) or (value < 0).any():
                raise InputError(name, getattr(self, name), "must be six numbers, none negative")
            object.__setattr__(self, name, value)

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        now = measurement.motion
        position, velocity = task_error(now, reference.motion)
        known = bias(self.model, now, spin=measurement.spin)
        wrench = known + self.stiffness * position + self.damping * velocity
        J = np.swapaxes(jacobian(self.model, now), -1, -2)
        return np.asarray(np.linalg.solve(J, wrench[..., None])[..., 0], dtype=np.float64)

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
        from gough.dynamics import mass_matrix

        K = array("stiffness", stiffness, (6,))
        M = np.diagonal(mass_matrix(model, home(model, pose)))
        return cls(model, K, 2 * damping * np.sqrt(K * M))


def _efforts(model: Platform, motion: Motion | Pose, measurement: Measurement) -> Array:
    """Inverse dynamics (n, 6) of the model, near singularities too."""
    return inverse_dynamics(model, motion, spin=measurement.spin, max_condition=np.inf).force


def task_error(now: Motion, wanted: Motion) -> tuple[Array, Array]:
    """Position and rotation vector, and twist, from `now` to `wanted`: (..., 6) each."""
    turn = rotation_log(wanted.rotation @ np.swapaxes(now.rotation, -1, -2))
    position = np.concatenate([wanted.position - now.position, turn], axis=-1)
    return position, twist(wanted) - twist(now)


def twist(motion: Motion) -> Array:
    """(..., 6) velocity and angular velocity."""
    return np.concatenate([motion.velocity, motion.angular_velocity], axis=-1)


def _check(controller: ComputedForce | _WithFeedback) -> None:
    if not isinstance(controller.model, Platform):
        raise InputError("model", controller.model, "must be a gough.Platform")
    for name in ("bandwidth", "damping"):
        object.__setattr__(controller, name, number(name, getattr(controller, name), above=0.0))
