"""Six independent leg controllers, each seeing its drive as a constant load (004's trajectory controller).

    u_i = m_i (ldd_ref + w^2 e + 2 z w edot) + ki_i integral(e) + g_i      e = l_ref - l

With the coupled, varying rest of the machine as disturbance, this works well exactly when the reflected drive
inertia dominates the constant load m_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, number, six
from gough.control.signals import Measurement, Reference, Sampling
from gough.dynamics import inverse_dynamics, mass_matrix
from gough.frozen import hinted
from gough.kinematics.jacobian import jacobian
from gough.model import Platform
from gough.results import Spin
from gough.spatial import Pose


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Decentralized(Frozen):
    """PID on each actuator coordinate with feed-forward of a constant load.

    mass         (6,) constant load of each drive, kg (kg m^2)
    kp, ki, kd   (6,) N/m, N/(m s), N s/m
    offset       (6,) constant force, such as the static one at home, N
    feed_forward use ``mass x acceleration`` of the reference
    """

    mass: Array
    kp: Array
    ki: Array
    kd: Array
    offset: Array
    feed_forward: bool = True

    def __post_init__(self) -> None:
        for name in ("mass", "kp", "ki", "kd", "offset"):
            value = array(name, getattr(self, name))
            if value.shape not in ((), (6,)):
                raise InputError(name, f"shape {value.shape}", "must be one number or six")
            if name != "offset" and (value < 0).any():
                raise InputError(name, getattr(self, name), "must not be negative")
            object.__setattr__(self, name, np.broadcast_to(value, (6,)))

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        error, rate = reference.length - measurement.length, reference.rate - measurement.rate
        u = self.kp * error + self.kd * rate + self.ki * measurement.integral + self.offset
        return u + self.mass * reference.acceleration if self.feed_forward else u

    @classmethod
    def from_bandwidth(
        cls,
        model: Platform,
        *,
        bandwidth: float,
        damping: float = 0.7,
        integral: float = 0.0,
        pose: Pose | None = None,
        load: ArrayLike | None = None,
        gravity: bool = True,
        feed_forward: bool = True,
        spin: Spin | None = None,
    ) -> Decentralized:
        """Gains from the closed loop's natural frequency (rad/s) and damping ratio.

        ``kp = m w^2``, ``kd = 2 z w m``, ``ki = integral w kp``; unsampled, weightless and without friction stable for
        ``integral < 2 z r``, r the least eigenvalue of ``M_l^-1 diag(m)`` (1: uncoupled legs); else ask
        `gough.control.margins`.
        load     constant load of each drive; default: the diagonal of the leg-space mass matrix at `pose`
                 (default: home)
        gravity  add the static forces at `pose`
        """
        w, z = number("bandwidth", bandwidth, above=0.0), number("damping", damping, above=0.0)
        share = number("integral", integral, minimum=0.0)
        pose = home(model, pose)
        if load is None:
            load = leg_loads(model, pose, spin)
        m = six("load", load)
        offset = inverse_dynamics(model, pose, spin=spin).force if gravity else np.zeros(6)
        return cls(m, m * w**2, share * w**3 * m, 2 * z * w * m, offset, feed_forward)

    @classmethod
    def tuned(
        cls,
        model: Platform,
        *,
        rate: float | None = None,
        delay: float = 0.0,
        damping: float = 0.7,
        integral: float = 0.3,
        poses: Pose | None = None,
        margin: float = 2.0,
        spin: Spin | None = None,
        sampling: Sampling | None = None,
    ) -> Decentralized:
        """Auto-tuning: the largest bandwidth at which the loop, as it would run, keeps its gain margin; see `tune`.

        sampling  of the loop, or only its `rate` (1/s) and `delay` (s): velocities then are measured
        poses     at which the margin must hold (default: home); loads and static forces are those of the first
        """
        from gough.control.tuning import largest_bandwidth

        if (rate is None) == (sampling is None):
            raise InputError("rate", rate, "must be given, or sampling, one of both")
        where = home(model, poses)
        center = where if not where.shape else where[(0,) * len(where.shape)]

        def law(bandwidth: float) -> Decentralized:
            shape = {"damping": damping, "integral": integral, "pose": center, "spin": spin}
            return cls.from_bandwidth(model, bandwidth=bandwidth, **shape)

        seen = sampling or Sampling(rate=rate, delay=delay)  # type: ignore[arg-type]
        return law(largest_bandwidth(model, law, sampling=seen, margin=margin, poses=where))


def home(model: Platform, pose: Pose | None) -> Pose:
    """The given pose, or the model's home."""
    return model.require_home() if pose is None else pose


def leg_mass_matrix(model: Platform, pose: Pose, spin: Spin | None = None) -> Array:
    """``M_l = J^-T M J^-1`` (..., 6, 6): the machine as the six actuators see it."""
    J = jacobian(model, pose)
    inverse = np.linalg.inv(J)
    return np.swapaxes(inverse, -1, -2) @ mass_matrix(model, pose, spin=spin) @ inverse


def leg_loads(model: Platform, pose: Pose, spin: Spin | None = None) -> Array:
    """(6,) diagonal of the leg-space mass matrix."""
    return np.diagonal(leg_mass_matrix(model, pose, spin), axis1=-2, axis2=-1).copy()
