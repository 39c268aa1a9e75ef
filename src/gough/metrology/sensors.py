"""What a machine can be measured with: each sensor says what it should read at a pose, and how that changes.

Poses are unknown too (the platform stands somewhere near where its actuators say), so a sensor gives three things:

    expected(legs, pose)    (n, m) readings of a perfect sensor
    by_pose                 (n, m, 6) slopes over translation (m) and rotation vector (rad), world axes
    by_machine              (n, m, p) slopes over the machine's unknowns; zero for sensors that only see the platform
    by_constants            slopes over the sensor's own constants, such as where a wire is fastened
Constants named in `free` are found with the machine's unknowns.  `sigma` is the standard deviation of one reading.
The world axes are those of the machine file: a tracker's readings are brought there first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gough.checks import Array, Checked, InputError, number, positive, unit, vector
from gough.frozen import hinted
from gough.metrology.legs_seen import LegsSeen
from gough.spatial import Pose, rotation_log, skew

RIM = 1e-9  # of the sine at which an inclination has no slope


def _free(field: str, value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise InputError(field, value, "must be names of the sensor's constants")
    return tuple(names)


@dataclass(frozen=True, eq=False)
class MeasuringSensor(Checked):
    """What all sensors share."""

    CONSTANTS: ClassVar[Mapping[str, str]] = {}  # name and unit of what may be free
    UNIT: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in getattr(self, "free", ()):
            if name not in self.CONSTANTS:
                known = ", ".join(self.CONSTANTS) or "none"
                raise InputError("free", name, f"is no constant of this sensor; there are: {known}")

    def spread(self) -> Array:
        """(m,) standard deviations of one set of readings."""
        return np.array([getattr(self, "sigma", 0.0)])

    def expected(self, legs: LegsSeen, pose: Pose) -> Array:
        """(n, m) readings of a perfect sensor."""
        raise NotImplementedError

    def misread(self, legs: LegsSeen, pose: Pose, reading: Any) -> Array:
        """(n, m) what was read less what is expected."""
        return np.asarray(reading) - self.expected(legs, pose)

    def by_pose(self, legs: LegsSeen, pose: Pose) -> Array:
        """(n, m, 6) slopes over translation and rotation vector."""
        raise NotImplementedError

    def by_machine(self, legs: LegsSeen, pose: Pose) -> Array | None:
        """(n, m, p) slopes over the machine's unknowns; None: there are none."""
        return None

    def by_constants(self, legs: LegsSeen, pose: Pose) -> dict[str, Array]:
        """(n, m, k) slopes over each constant of k numbers."""
        return {}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PoseSensor(MeasuringSensor):
    """Reads whole poses: a laser tracker with a 6D target, cameras, a measuring machine.

    position_sigma  m, per axis;   rotation_sigma  rad, per axis
    """

    position_sigma: float
    rotation_sigma: float

    CHECKS: ClassVar = {"position_sigma": positive, "rotation_sigma": positive}

    def spread(self) -> Array:
        return np.repeat([self.position_sigma, self.rotation_sigma], 3)

    def misread(self, legs: LegsSeen, pose: Pose, reading: Any) -> Array:
        turn = rotation_log(reading.rotation @ np.swapaxes(pose.rotation, -1, -2))
        return np.concatenate([reading.position - pose.position, turn], axis=-1)

    def by_pose(self, legs: LegsSeen, pose: Pose) -> Array:
        return np.broadcast_to(np.eye(6), (*pose.shape, 6, 6))


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PointSensor(MeasuringSensor):
    """Reads where a target on the platform is: a tracker's ball, a probe.

    point  of the target, platform axes, m;   sigma  m, per axis
    """

    point: Array
    sigma: float
    free: tuple[str, ...] = ()

    CONSTANTS: ClassVar = {"point": "m"}
    CHECKS: ClassVar = {"point": vector, "sigma": positive, "free": _free}

    def spread(self) -> Array:
        return np.full(3, self.sigma)

    def expected(self, legs: LegsSeen, pose: Pose) -> Array:
        return pose.position + pose.rotation @ self.point

    def by_pose(self, legs: LegsSeen, pose: Pose) -> Array:
        eye = np.broadcast_to(np.eye(3), (*pose.shape, 3, 3))
        return np.concatenate([eye, -skew(pose.rotation @ self.point)], axis=-1)

    def by_constants(self, legs: LegsSeen, pose: Pose) -> dict[str, Array]:
        return {"point": pose.rotation}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class DistanceSensor(MeasuringSensor):
    """Reads the distance of a point of the world and one of the platform: a ball bar, a wire, one more leg.

    anchor  world axes, m;   point  platform axes, m;   offset  what it reads at no distance, m;   sigma  m
    """

    anchor: Array
    point: Array
    sigma: float
    offset: float = 0.0
    free: tuple[str, ...] = ()

    CONSTANTS: ClassVar = {"anchor": "m", "point": "m", "offset": "m"}
    CHECKS: ClassVar = {
        "anchor": vector,
        "point": vector,
        "sigma": positive,
        "offset": number,
        "free": _free,
    }

    def _span(self, pose: Pose) -> tuple[Array, Array, Array]:
        arm = pose.rotation @ self.point
        span = pose.position + arm - self.anchor
        length = np.linalg.norm(span, axis=-1, keepdims=True)
        if (length == 0.0).any():
            raise InputError("anchor", self.anchor, "coincides with the platform's point")
        return arm, span / length, length

    def expected(self, legs: LegsSeen, pose: Pose) -> Array:
        return self._span(pose)[2] + self.offset

    def by_pose(self, legs: LegsSeen, pose: Pose) -> Array:
        arm, along, _ = self._span(pose)
        return np.concatenate([along, np.cross(arm, along)], axis=-1)[..., None, :]

    def by_constants(self, legs: LegsSeen, pose: Pose) -> dict[str, Array]:
        along = self._span(pose)[1][..., None, :]
        one = np.ones((*pose.shape, 1, 1))
        return {"anchor": -along, "point": along @ pose.rotation, "offset": one}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class TiltSensor(MeasuringSensor):
    """Reads how far an axis of the platform rises above the horizontal: one axis of an inclinometer, rad.

    axis  platform axes;   zero  what it reads when the axis is level, rad;   up  world axes;   sigma  rad
    """

    axis: Array
    sigma: float
    zero: float = 0.0
    up: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    free: tuple[str, ...] = ()

    UNIT: ClassVar = "rad"
    CONSTANTS: ClassVar = {"zero": "rad"}
    CHECKS: ClassVar = {
        "axis": unit,
        "sigma": positive,
        "zero": number,
        "up": unit,
        "free": _free,
    }

    def _sine(self, pose: Pose) -> tuple[Array, Array]:
        turned = pose.rotation @ self.axis
        sine = turned @ self.up
        if (np.abs(sine) > 1.0 - RIM).any():
            raise InputError("axis", self.axis, "stands upright: its inclination has no slope")
        return turned, sine[..., None]

    def expected(self, legs: LegsSeen, pose: Pose) -> Array:
        return np.arcsin(self._sine(pose)[1]) + self.zero

    def by_pose(self, legs: LegsSeen, pose: Pose) -> Array:
        turned, sine = self._sine(pose)
        turning = np.cross(turned, self.up) / np.sqrt(1.0 - sine * sine)
        return np.concatenate([np.zeros_like(turning), turning], axis=-1)[..., None, :]

    def by_constants(self, legs: LegsSeen, pose: Pose) -> dict[str, Array]:
        return {"zero": np.ones((*pose.shape, 1, 1))}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class SwingSensor(MeasuringSensor):
    """Reads the angle of a strut about an axis of the base, as an encoder on a universal joint's first axis does, rad.

    ``angle = atan2(s.(axis x level), s.level) + zero``, s the strut's direction, `level` made perpendicular to `axis`
    leg  1 to 6;   axis, level  world axes;   zero  rad;   sigma  rad
    """

    leg: int
    axis: Array
    level: Array
    sigma: float
    zero: float = 0.0
    free: tuple[str, ...] = ()

    UNIT: ClassVar = "rad"
    CONSTANTS: ClassVar = {"zero": "rad"}
    CHECKS: ClassVar = {
        "axis": unit,
        "level": unit,
        "sigma": positive,
        "zero": number,
        "free": _free,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.leg) is not int or self.leg not in range(1, 7):
            raise InputError("leg", self.leg, "must be 1 to 6")
        across = self.level - (self.level @ self.axis) * self.axis
        object.__setattr__(self, "level", unit("level", across))

    def _parts(self, legs: LegsSeen) -> tuple[Array, Array, Array]:
        """Components of the strut along `level` and across it, and the slopes of the angle over the direction."""
        s = legs.direction[:, self.leg - 1]
        across = np.cross(self.axis, self.level)
        a, b = s @ self.level, s @ across
        square = a * a + b * b
        if (square < RIM).any():
            raise InputError("axis", self.axis, "lies along the strut: its angle has no meaning")
        slope = (a[:, None] * across - b[:, None] * self.level) / square[:, None]
        return a, b, slope[:, None, :]

    def expected(self, legs: LegsSeen, pose: Pose) -> Array:
        a, b, _ = self._parts(legs)
        return np.arctan2(b, a)[:, None] + self.zero

    def misread(self, legs: LegsSeen, pose: Pose, reading: Any) -> Array:
        return wrapped(np.asarray(reading) - self.expected(legs, pose))

    def by_pose(self, legs: LegsSeen, pose: Pose) -> Array:
        return self._parts(legs)[2] @ legs.direction_by_pose[:, self.leg - 1]

    def by_machine(self, legs: LegsSeen, pose: Pose) -> Array | None:
        return self._parts(legs)[2] @ legs.direction_by_machine[:, self.leg - 1]

    def by_constants(self, legs: LegsSeen, pose: Pose) -> dict[str, Array]:
        return {"zero": np.ones((*pose.shape, 1, 1))}


def wrapped(angle: Array) -> Array:
    """Differences of angles within half a turn."""
    return np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi
