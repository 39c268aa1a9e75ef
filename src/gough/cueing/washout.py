"""The classical washout: high-passed translation and rotation, sustained force by tilting.

Structure of Reid and Nahon (UTIAS report 296, 1985): in the simulator's axes the deviation of the specific force from
rest is scaled and limited; turned into the world and freed of gravity it drives high-pass filters whose outputs are the
platform's acceleration, velocity and position; low-passed it becomes a tilt, at no more than `tilt_rate`, below what
the semicircular canals notice; the scaled angular rates are high-passed into angles, added to the tilt.

    translation   s^2/(s^2 + 2 z w s + w^2) s/(s + wb)      wb = 0: second order
    tilt          w^2/(s^2 + 2 z w s + w^2)
    rotation      s/(s + w)
The default numbers are starting values of the size that the literature on hexapod simulators uses, not a table of it.
`PUBLISHED` holds what was read in a source itself; the reports of Reid and Nahon, Grant and Reid were not at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, cos, radians
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, number
from gough.cueing.filters import Filter, polynomial, power, transfer
from gough.cueing.recording import GRAVITY, Telemetry
from gough.frozen import hinted
from gough.spatial import rotation_from_rpy

REST = np.array([0.0, 0.0, GRAVITY])
PUBLISHED: dict[str, tuple[dict[str, float], str]] = {
    "shoarai-2017": (
        {"translation": 2.5, "damping": 1.0, "third": 0.0, "tilt": 5.0, "rotation": 2.5},
        "github.com/shoarai/washout, jaxfilter/jaxfilter_factory.go, commit 287134d: filters; no scales, no rate limit",
    ),
}
"""Name -> parameters as their source gives them, and that source."""


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ClassicalWashout(Frozen):
    """Parameters of the classical washout; triples are surge, sway, heave or roll, pitch, yaw.

    force_scale, rate_scale   of specific force (deviation from rest) and angular rate
    force_limit, rate_limit   what goes in at most, m/s^2 and rad/s, after scaling
    translation               circular frequency of the high-pass filters, rad/s;  damping: their ratio
    third                     rad/s of the added first-order high-pass, 0: none (then a lasting force leaves an offset)
    tilt, tilt_rate           rad/s of the low-pass of the tilt; largest rate of tilting, rad/s
    rotation                  rad/s of the high-pass of the angular rates
    """

    force_scale: Array
    rate_scale: Array
    force_limit: float
    rate_limit: float
    translation: Array
    damping: float
    third: Array
    tilt: float
    tilt_rate: float
    rotation: Array

    def __init__(
        self,
        *,
        force_scale: ArrayLike = 0.5,
        rate_scale: ArrayLike = 0.5,
        force_limit: float = 10.0,
        rate_limit: float = 1.0,
        translation: ArrayLike = (2.5, 2.5, 3.5),
        damping: float = 1.0,
        third: ArrayLike = (0.2, 0.2, 0.3),
        tilt: float = 2.5,
        tilt_rate: float = radians(3.0),
        rotation: ArrayLike = (1.0, 1.0, 1.0),
    ) -> None:
        threes = {"force_scale": force_scale, "rate_scale": rate_scale, "third": third}
        for name, value in {**threes, "translation": translation, "rotation": rotation}.items():
            a = array(name, value)
            if a.shape not in ((), (3,)):
                raise InputError(name, f"shape {a.shape}", "must be one number or three")
            a = np.broadcast_to(a, (3,))
            low = 0.0 if name in threes else 1e-6
            for x in a:
                number(name, float(x), minimum=low)
            object.__setattr__(self, name, a)
        ones = {
            "force_limit": force_limit,
            "rate_limit": rate_limit,
            "damping": damping,
            "tilt": tilt,
        }
        for name, value in {**ones, "tilt_rate": tilt_rate}.items():
            object.__setattr__(self, name, number(name, value, above=0.0))

    @classmethod
    def published(cls, name: str, **more: Any) -> ClassicalWashout:
        """A set of `PUBLISHED`; what its source does not say are defaults, or `more`."""
        if name not in PUBLISHED:
            raise InputError("name", name, f"must be one of {', '.join(PUBLISHED)}")
        return cls(**{**PUBLISHED[name][0], **more})

    def scaled(self, factor: float) -> ClassicalWashout:
        """The same with both scales multiplied."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return ClassicalWashout(
            **{
                **fields,
                "force_scale": factor * self.force_scale,
                "rate_scale": factor * self.rate_scale,
            }
        )

    def translation_filter(self, axis: int) -> Filter:
        """Acceleration -> platform acceleration, velocity, position along one axis."""
        w, wb = float(self.translation[axis]), float(self.third[axis])
        second = [1.0, 2.0 * self.damping * w, w**2]
        factors = [second] if wb == 0.0 else [second, [1.0, wb]]
        order = len(polynomial(*factors)) - 1
        return transfer([power(order - k) for k in range(3)], polynomial(*factors))

    def tilt_filter(self) -> Filter:
        """Specific force -> its lasting part."""
        w = self.tilt
        return transfer([[w**2]], [1.0, 2.0 * self.damping * w, w**2])

    def rotation_filter(self, axis: int) -> Filter:
        """Rate of an angle -> the platform's angle."""
        return transfer([[1.0]], [1.0, float(self.rotation[axis])])

    def felt(self, given: Telemetry) -> tuple[Array, Array]:
        """Scaled and limited specific force and angular rate (n, 3)."""
        deviation = self.force_scale * (given.specific_force - REST)
        force = REST + np.clip(deviation, -self.force_limit, self.force_limit)
        return force, np.clip(
            self.rate_scale * given.angular_rate, -self.rate_limit, self.rate_limit
        )

    def drive(self, given: Telemetry) -> Way:
        """The platform's way from its neutral pose: position (m), RPY angles (rad), and rates of the position."""
        force, rate = self.felt(given)
        angles = self._angles(given.step, force, rate)
        pushed = (rotation_from_rpy(angles) @ force[..., None])[..., 0] - REST
        each = [self.translation_filter(i).respond(pushed[:, i], given.step) for i in range(3)]
        acceleration, velocity, position = (
            np.stack(parts, axis=-1) for parts in zip(*each, strict=True)
        )
        return Way(position, velocity, acceleration, angles)

    def _angles(self, h: float, force: Array, rate: Array) -> Array:
        """Tilt and high-passed rotation, added; the angles' own rates depend on the angles: one correction a step."""
        lasting = self.tilt_filter().respond(force - REST, h)[0] + REST
        stepping = [self.rotation_filter(i).stepping(h) for i in range(3)]
        F, G, H = (np.array([np.ravel(s[i])[0] for s in stepping]) for i in range(3))
        out = np.zeros_like(force)
        tilt, turned = np.zeros(2), np.zeros(3)
        before = euler_rates(out[0], rate[0])
        most = self.tilt_rate * h
        for k in range(1, len(force)):
            tilt = tilt + np.clip(tilt_of(lasting[k]) - tilt, -most, most)
            base = F * turned + G * before
            guess = out[k - 1]
            now, found = before, turned
            for _ in range(2):
                now = euler_rates(guess, rate[k])
                found = base + H * (now - before)
                guess = found + np.array([tilt[0], tilt[1], 0.0])
            turned, before, out[k] = found, now, guess
        return out


@dataclass(frozen=True, eq=False)
class Way(Frozen):
    """A way from the neutral pose: position, velocity, acceleration (n, 3) along world axes; RPY angles (n, 3)."""

    position: Array
    velocity: Array
    acceleration: Array
    angles: Array


def tilt_of(force: Array) -> Array:
    """Roll and pitch at which gravity alone has the direction of a lasting specific force (within 60 degrees)."""
    steep = 0.866
    pitch = -asin(min(max(force[0] / GRAVITY, -steep), steep))
    return np.array([asin(min(max(force[1] / (GRAVITY * cos(pitch)), -steep), steep)), pitch])


def euler_rates(angles: Array, rate: Array) -> Array:
    """Rates of the RPY angles of a body that turns with `rate` in its own axes."""
    (s, c), t = (np.sin(angles[0]), np.cos(angles[0])), np.tan(angles[1])
    across = s * rate[1] + c * rate[2]
    return np.array([rate[0] + t * across, c * rate[1] - s * rate[2], across / np.cos(angles[1])])
