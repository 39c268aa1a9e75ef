"""Inverse dynamics in the loop, with or without the integral of the error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, Frozen, InputError, number
from gough.control.signals import Measurement, Reference
from gough.control.tracking import ahead, along, check, solved, task_error, twist
from gough.dynamics import inverse_dynamics
from gough.frozen import hinted
from gough.kinematics.jacobian import jacobian, jacobian_dot
from gough.layout import TWIST
from gough.model import Platform
from gough.spatial import Motion, Pose


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ComputedForce(Frozen):
    """Inverse dynamics in the loop: every error decays like ``e'' + 2 z w e' + w^2 e = 0`` if the model is exact.

    space      "task": ``xdd = xdd_ref + 2 z w (xd_ref - xd) + w^2 error``; "leg": the same on the six coordinates,
               then ``xdd = J^-1 (ldd - Jdot xd)``
    bandwidth  w, rad/s;  damping  z
    integral   share c of integral action: ``+ c w^3`` times the integral of the coordinates' error (in task space
               through J^-1), which removes what stays constant; stable for ``c < 2 z`` with an exact model, unsampled
               and without delay
    The model may differ from the machine (parameter error).
    """

    model: Platform
    bandwidth: float
    damping: float = 1.0
    space: str = "task"
    integral: float = 0.0

    def __post_init__(self) -> None:
        check(self, "bandwidth", "damping")
        object.__setattr__(self, "integral", number("integral", self.integral, minimum=0.0))
        if self.space not in ("task", "leg"):
            raise InputError("space", self.space, "must be task or leg")

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        return efforts(self.model, self.motion(measurement, reference), measurement)

    def motion(self, measurement: Measurement, reference: Reference) -> Motion:
        """The measured motion with the accelerations that the law wants."""
        kp, kd, ki = (
            self.bandwidth**2,
            2 * self.damping * self.bandwidth,
            self.integral * self.bandwidth**3,
        )
        now = measurement.motion
        if self.space == "task":
            position, velocity = task_error(now, reference.motion)
            wanted = kp * position + kd * velocity + ahead(reference.motion)
            if ki:
                wanted = wanted + solved(jacobian(self.model, now), ki * measurement.integral)
        else:
            error = reference.length - measurement.length
            legs = reference.acceleration + kp * error + kd * (reference.rate - measurement.rate)
            legs = (
                legs + ki * measurement.integral - along(jacobian_dot(self.model, now), twist(now))
            )
            wanted = solved(jacobian(self.model, now), legs)
        moving = now.position, now.rotation, now.velocity, now.angular_velocity
        return Motion(*moving, wanted[..., TWIST.linear], wanted[..., TWIST.angular])


def efforts(model: Platform, motion: Motion | Pose, measurement: Measurement) -> Array:
    """Inverse dynamics (n, 6) of the model, near singularities too."""
    return inverse_dynamics(model, motion, spin=measurement.spin, max_condition=np.inf).force
