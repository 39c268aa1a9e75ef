"""The platform gives way to what pushes it, as asked: a virtual mass, damper and spring move its reference.

    m x'' + D x' + K x = d + f      x  displacement of the reference (position, rotation vector), world axes
                                    d  wrench on the platform as observed (disturbance_observer.py)
                                    f  wrench asked for
The inner loop (computed force, d taken off) follows reference and x.  With K = 0 in a direction the platform moves
until the surroundings push back with ``-f``: force control.  Fails: against surroundings stiffer than ``m w^2`` the
loop of contact and inner loop may chatter; free directions without K drift under any error of the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, number
from gough.control.disturbance_observer import nothing_observed, observed, remembered
from gough.control.impedance import six_of, task_masses
from gough.control.signals import Measurement, Memory, Reference
from gough.control.tracking import EquationsOfMotion, ahead, check, task_error, twist
from gough.frozen import hinted
from gough.layout import TWIST
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_exp


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Admittance(Frozen):
    """Admittance about the reference, six directions in world axes (m, N; rad, N m).

    mass, damping, stiffness  (6,) m, D, K of the virtual body;  wrench  (6,) f
    bandwidth  rad/s of the inner loop (critically damped);  observer  rad/s, default: twice that
    """

    model: Platform
    mass: Array
    damping: Array
    stiffness: Array
    bandwidth: float
    wrench: Array = field(default_factory=lambda: np.zeros(6))
    observer: float | None = None

    def __post_init__(self) -> None:
        check(self, "bandwidth")
        for name in ("mass", "damping", "stiffness"):
            object.__setattr__(self, name, six_of(name, getattr(self, name)))
        if not (self.mass > 0.0).all():
            raise InputError("mass", self.mass, "must be above zero")
        f = array("wrench", self.wrench, (6,))
        if f.shape != (6,):
            raise InputError("wrench", f"shape {f.shape}", "must be six numbers")
        object.__setattr__(self, "wrench", f)
        if self.observer is None:
            object.__setattr__(self, "observer", 2.0 * self.bandwidth)
        check(self, "observer")

    @classmethod
    def from_bandwidth(
        cls,
        model: Platform,
        bandwidth: float,
        *,
        stiffness: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        damping: float = 1.0,
        pose: Pose | None = None,
    ) -> Admittance:
        """Virtual masses from the mass matrix at `pose` (default: home), ``D_i = 2 z sqrt(K_i m_i)``.

        stiffness  (6,) default: ``m_i (w/4)^2``; where it is zero, ``D_i = z m_i w/2``
        """
        w, z = number("bandwidth", bandwidth, above=0.0), number("damping", damping, above=0.0)
        m = task_masses(model, pose)
        K = m * (w / 4) ** 2 if stiffness is None else six_of("stiffness", stiffness)
        D = np.where(K > 0.0, 2 * z * np.sqrt(K * m), 0.5 * z * w * m)
        return cls(model, m, D, K, w, np.zeros(6) if wrench is None else array("wrench", wrench))

    def init(self, runs: int) -> Memory:
        """At the reference, nothing observed."""
        still = {name: np.zeros((runs, 6)) for name in ("offset", "offset_rate")}
        return {**nothing_observed(runs), **still}

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """Actuator efforts (n, 6)."""
        machine = EquationsOfMotion.at(self.model, measurement)
        d = observed(machine, self.observer, t, measurement, memory)
        x, rate, push = self._moved(t, memory, d)
        wish = reference.motion
        turned = rotation_exp(x[:, TWIST.angular]) @ wish.rotation
        moving = twist(wish) + rate
        target = Motion.trusted(
            wish.position + x[:, TWIST.linear],
            turned,
            moving[:, TWIST.linear],
            moving[:, TWIST.angular],
        )
        position, velocity = task_error(measurement.motion, target)
        w = self.bandwidth
        wanted = ahead(wish) + push + 2 * w * velocity + w**2 * position
        command = machine.efforts(machine.wrench(wanted) - d)
        seen = remembered(machine, t, measurement, command, d)
        return command, {**seen, "offset": x, "offset_rate": rate}

    def _moved(self, t: float, memory: Memory, d: Array) -> tuple[Array, Array, Array]:
        """Displacement, its rate and acceleration after the time since the last sample, by implicit Euler."""
        T = np.where(np.isfinite(memory["time"]), t - memory["time"], 0.0)
        x, old = memory["offset"], memory["offset_rate"]
        push = (
            d + self.wrench - self.stiffness * x - (self.damping + T * self.stiffness) * old
        ) / (self.mass + T * self.damping + T**2 * self.stiffness)
        rate = old + T * push
        return x + T * rate, rate, push
