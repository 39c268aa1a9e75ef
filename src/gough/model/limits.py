"""What a leg may do: stroke, effort, speed, joint cones, thickness."""

from __future__ import annotations

from dataclasses import dataclass

from gough.checks import Array, Frozen, InputError, array, number, unit


@dataclass(frozen=True, eq=False)
class Limits(Frozen):
    """Limits of one leg; None means not limited.

    stroke         (min, max) of the actuator coordinate, m (rad for a crank)
    force          largest effort, N (N m)
    speed          largest actuator rate, m/s (rad/s)
    base_cone      half angle of the cone the strut may make at the base-side joint, rad
    base_axis      cone axis there, world axes, for every leg type (default: the strut's direction at home)
    platform_cone  half angle at the platform joint, rad
    platform_axis  cone axis there, platform axes, from the joint towards the base (default: likewise)
    radius         outer radius of the leg, for leg-leg distance, m
    """

    stroke: Array | None = None
    force: float | None = None
    speed: float | None = None
    base_cone: float | None = None
    base_axis: Array | None = None
    platform_cone: float | None = None
    platform_axis: Array | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        if self.stroke is not None:
            stroke = array("stroke", self.stroke)
            if stroke.shape != (2,) or not stroke[0] < stroke[1]:
                raise InputError("stroke", self.stroke, "must be (min, max) with min < max")
            object.__setattr__(self, "stroke", stroke)
        for name in ("force", "speed", "base_cone", "platform_cone", "radius"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, number(name, value, above=0.0))
        for name in ("base_axis", "platform_axis"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, unit(name, value))
