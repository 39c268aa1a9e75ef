"""What a leg may do: stroke, effort, speed, joint cones, thickness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gough.checks import Array, Checked, InputError, array, not_negative, optional, positive, unit
from gough.frozen import hinted
from gough.model.encoder import flag

LIMITED = ("stroke", "force", "speed", "base_cone", "platform_cone", "radius")


def _stroke(field: str, value: Any) -> Array:
    stroke = array(field, value)
    if stroke.shape != (2,) or not stroke[0] < stroke[1]:
        raise InputError(field, value, "must be (min, max) with min < max")
    return stroke


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Limits(Checked):
    """Limits of one leg; None means not limited.

    stroke         (min, max) of the actuator coordinate, m (rad for a crank)
    force          largest effort, N (N m)
    speed          largest actuator rate, m/s (rad/s)
    base_cone      half angle of the cone the strut may make at the base-side joint, rad
    base_axis      cone axis there, world axes, for every leg type (default: the strut's direction at home)
    platform_cone  half angle at the platform joint, rad
    platform_axis  cone axis there, platform axes, from the joint towards the base (default: likewise)
    radius         outer radius of the leg, for leg-leg distance and the clearance of bodies (`gough.Plate`), m
    stop_stiffness of the stops at the stroke's ends, N/m (N m/rad); None: stiff ones, 0: no stops
                   (dynamics/laws/stops.py)
    stop_loss      factor of the stops' damping, s/m (s/rad): ``N = k d (1 + loss ddot)``; None: a third of the leg's
                   largest speed comes back
    stop_gap       of the stops behind the stroke's ends, m (rad)
    about_home     `stroke` is counted from the coordinate at the machine's home (-14 mm, 14 mm): a `gough.Platform`
                   makes it absolute, once; it does not follow a home that is changed later
    """

    stroke: Array | None = None
    force: float | None = None
    speed: float | None = None
    base_cone: float | None = None
    base_axis: Array | None = None
    platform_cone: float | None = None
    platform_axis: Array | None = None
    radius: float | None = None
    stop_stiffness: float | None = None
    stop_loss: float | None = None
    stop_gap: float = 0.0
    about_home: bool = False

    @property
    def given(self) -> bool:
        """Something is limited."""
        return any(getattr(self, name) is not None for name in LIMITED)

    CHECKS: ClassVar = {
        "stroke": optional(_stroke),
        **dict.fromkeys(
            ("force", "speed", "base_cone", "platform_cone", "radius"), optional(positive)
        ),
        **dict.fromkeys(("stop_stiffness", "stop_loss"), optional(not_negative)),
        "stop_gap": not_negative,
        "about_home": flag,
        **dict.fromkeys(("base_axis", "platform_axis"), optional(unit)),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.about_home and self.stroke is None:
            raise InputError("about_home", True, "belongs to a stroke")
