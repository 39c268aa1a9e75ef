"""The coordinated adaptive washout: gains that steepest descent turns down when the cue costs more than it gives.

After Parrish, Dieudonne, Bowles and Martin (J. Aircraft 12, 1975), with a leak on the angle.  For surge with pitch (and
sway with roll, mirrored), a: scaled deviation of the specific force, q: scaled rate:

    x'' = p1 a - d x' - e x                 theta' = p2 a + p3 q - m theta        (|p2 a| <= tilt rate)
    J = w1 (a - x'' + g theta)^2/2 + w2 (q - theta')^2/2 + w3 x^2/2 + w4 x'^2/2 + w5 theta^2/2
    pi' = -K dJ/dpi + k (pi0 - pi)
The derivatives of x and theta by the gains follow their own differential equations and run along.  Heave and yaw have
one gain each.  Everything is advanced by the midpoint rule at the telemetry's step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np

from gough.checks import Array, Frozen, number
from gough.cueing.recording import GRAVITY, Telemetry
from gough.cueing.washout import REST, ClassicalWashout, Way
from gough.frozen import hinted


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveWashout(Frozen):
    """Parameters of the adaptive washout.

    scale           of specific force and angular rate
    damping, spring d (1/s) and e (1/s^2) of the translation;  leak: m of the angles, 1/s
    force, rate, place, speed, angle   weights w1..w5
    adapt, restore  K and k: how fast the gains fall, and come back to their starting values
    tilt            p2 at the start, rad/s per m/s^2;  tilt_rate: largest rate of tilting, rad/s
    """

    scale: float = 0.5
    damping: float = 4.9
    spring: float = 6.0
    leak: float = 0.6
    force: float = 0.02
    rate: float = 0.5
    place: float = 1.0
    speed: float = 0.5
    angle: float = 0.5
    adapt: float = 0.2
    restore: float = 0.5
    tilt: float = 0.06
    tilt_rate: float = radians(3.0)

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, number(name, getattr(self, name), minimum=0.0))

    def scaled(self, factor: float) -> AdaptiveWashout:
        """The same with another scale."""
        return AdaptiveWashout(
            **{name: getattr(self, name) * (factor if name == "scale" else 1.0) for name in FIELDS}
        )

    def drive(self, given: Telemetry) -> Way:
        """The platform's way from its neutral pose."""
        limits = {"force_limit": 10.0, "rate_limit": 1.0}
        force, rate = ClassicalWashout(
            force_scale=self.scale, rate_scale=self.scale, **limits
        ).felt(given)
        pushed, h, n = force - REST, given.step, len(given.time)
        surge = self._pair(pushed[:, 0], rate[:, 1], h, -1.0)
        sway = self._pair(pushed[:, 1], rate[:, 0], h, 1.0)
        heave = self._pair(pushed[:, 2], np.zeros(n), h, 0.0)
        yaw = self._pair(np.zeros(n), rate[:, 2], h, 0.0)
        position, velocity, acceleration = (
            np.stack([part[i] for part in (surge, sway, heave)], axis=-1) for i in range(3)
        )
        return Way(position, velocity, acceleration, np.stack([sway[3], surge[3], yaw[3]], axis=-1))

    def _pair(self, a: Array, q: Array, h: float, lean: float) -> tuple[Array, Array, Array, Array]:
        """Position, velocity, acceleration and angle of a coupled pair.  `lean`: sign of the angle that gives a > 0."""
        gains = np.array([1.0, lean * self.tilt, 1.0])
        start = np.concatenate(
            [np.zeros(3 + 2 + 2), gains]
        )  # x, v, angle; x1, v1; angle by p2, p3; gains
        out = np.zeros((4, len(a)))
        z = start
        for k in range(len(a)):
            if k:
                middle = 0.5 * (a[k - 1] + a[k]), 0.5 * (q[k - 1] + q[k])
                half = z + 0.5 * h * self._rates(z, a[k - 1], q[k - 1], lean, gains)
                z = z + h * self._rates(half, *middle, lean, gains)
                z[7:] = np.clip(z[7:], np.minimum(0.0, gains), np.maximum(0.0, gains))
            out[:, k] = z[0], z[1], z[7] * a[k] - self.damping * z[1] - self.spring * z[0], z[2]
        return out[0], out[1], out[2], out[3]

    def _rates(self, z: Array, a: float, q: float, lean: float, start: Array) -> Array:
        x, v, angle, x1, v1, by2, by3, p1, p2, p3 = z
        push = p1 * a - self.damping * v - self.spring * x
        push1 = a - self.damping * v1 - self.spring * x1
        tilting = min(max(p2 * a, -self.tilt_rate), self.tilt_rate)
        free = float(abs(p2 * a) < self.tilt_rate)
        turn = tilting + p3 * q - self.leak * angle
        missed = a - push - lean * GRAVITY * angle
        slip = q - turn
        slope = np.array(
            [
                -self.force * missed * push1 + self.place * x * x1 + self.speed * v * v1,
                -self.force * missed * lean * GRAVITY * by2
                - self.rate * slip * (free * a - self.leak * by2)
                + self.angle * angle * by2,
                -self.force * missed * lean * GRAVITY * by3
                - self.rate * slip * (q - self.leak * by3)
                + self.angle * angle * by3,
            ]
        )
        gains = -self.adapt * slope + self.restore * (start - z[7:])
        return np.array(
            [v, push, turn, v1, push1, free * a - self.leak * by2, q - self.leak * by3, *gains]
        )


FIELDS = tuple(AdaptiveWashout.__dataclass_fields__)
