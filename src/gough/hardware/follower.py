"""A reference that goes after a target with limited speed and acceleration, and can always stop.

In every period h the velocity changes by at most ``a h`` (norm), towards ``d/|d| min(v, sqrt(2 a s |d|), |d|/h)``, d
being what is missing to the target, s = BRAKING; the rotation vector to the target's orientation likewise.  A velocity
that is to become zero falls by a h in every period: that is the stop.  Before a step is taken the place is judged where
the reference would rest if it braked from then on; where the machine cannot take that one, it brakes now.  Those
places, and not the ways between them, are judged.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.hardware.planning import MoveLimits
from gough.hardware.setpoints import outside
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_exp, rotation_log

BRAKING = 0.8  # of the acceleration is used to come to rest at the target


class PoseFollower:
    """The reference of a machine that follows set-points.

    limits  speed, acceleration, rate and angular_acceleration are kept in every period; jerks are not
    """

    def __init__(self, platform: Platform, start: Pose, limits: MoveLimits) -> None:
        self.platform, self.limits = platform, limits
        self.pose = start
        self.velocity, self.turning = np.zeros(3), np.zeros(3)
        self._acceleration, self._spun = np.zeros(3), np.zeros(3)
        self.blocked = ""

    @property
    def still(self) -> bool:
        """It rests."""
        return not self.velocity.any() and not self.turning.any()

    @property
    def motion(self) -> Motion:
        """Pose, twist, and the mean acceleration of the period that led here."""
        own = self.velocity, self.turning, self._acceleration, self._spun
        return Motion.trusted(self.pose.position, self.pose.rotation, *own)

    def advance(self, target: Pose | None, h: float) -> Motion:
        """One period of h seconds after a target; None: to rest."""
        self.blocked = ""
        v, w = self._wanted(target, h)
        if target is not None:
            self.blocked = outside(self.platform, self._rests(v, w, h)) or ""
            if self.blocked:
                v, w = self._wanted(None, h)
        self._acceleration, self._spun = (v - self.velocity) / h, (w - self.turning) / h
        self.velocity, self.turning = v, w
        R = rotation_exp(h * w) @ self.pose.rotation
        self.pose = Pose.nearest(self.pose.position + h * v, R)
        return self.motion

    def _wanted(self, target: Pose | None, h: float) -> tuple[Array, Array]:
        """Velocities after a period."""
        own, far, turn = self.limits, np.zeros(3), np.zeros(3)
        if target is not None:
            far = target.position - self.pose.position
            turn = rotation_log(target.rotation @ self.pose.rotation.T)
        v = _after(self.velocity, far, own.speed, own.acceleration, h)
        return v, _after(self.turning, turn, own.rate, own.angular_acceleration, h)

    def _rests(self, v: Array, w: Array, h: float) -> Pose:
        """Where it comes to rest if it brakes after this period: ``x + h v + v |v|/(2 a)`` and half a period more."""
        own = self.limits
        far = (1.5 * h + 0.5 * np.linalg.norm(v) / own.acceleration) * v
        turn = (1.5 * h + 0.5 * np.linalg.norm(w) / own.angular_acceleration) * w
        return Pose.nearest(self.pose.position + far, rotation_exp(turn) @ self.pose.rotation)


def _after(v: Array, far: Array, fastest: float, a: float, h: float) -> Array:
    """The velocity after a period: towards what is missing, changed by at most ``a h``."""
    d = float(np.linalg.norm(far))
    wanted = np.zeros(3)
    if d > 0.0:
        wanted = far / d * min(fastest, float(np.sqrt(2.0 * BRAKING * a * d)), d / h)
    change = wanted - v
    size = float(np.linalg.norm(change))
    return wanted if size <= a * h else v + change * (a * h / size)
