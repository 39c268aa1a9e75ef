"""Leg types with a rod that a ball joint lets spin, or that the platform turns: UCS, PSU, RSS.

Fields as in `gough.model.legs`.  Derivation: docs/derivations/rods.md
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gough.checks import Array, Checked, instance
from gough.frozen import hinted
from gough.model.body import Body, Friction
from gough.model.drive import Drive
from gough.model.encoder import Encoder
from gough.model.legs import PUS, RUS, UPS, FromHome, check_arm
from gough.model.limits import Limits
from gough.model.spinning import Spinning
from gough.model.springs import JointSprings, ball_springs, slider_springs

_NO_BODY = Body(0.0)


def _x() -> Array:
    return np.array([1.0, 0.0, 0.0])


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class UCS(Spinning):
    """Universal joint at the base, cylindrical pair (slides and turns), ball joint at the platform.

    axis       first axis of the base joint, fixed to the base
    lower      body with its origin at the base joint, axes T
    upper      body with its origin at the platform joint; it spins freely about the leg: in axes [s, y, s x y] turned
               by its spin angle about s, y = k x s/|k x s| of the `reference` k
    reference  direction k, world axes, as of SPS legs: only an upper part that is not axisymmetric reads it
    drive      pushes along the leg; a rotor_axis is one of the lower part, in axes T
    Actuator coordinate: the distance L between the joints, m.
    """

    base: Array
    joint: Array
    axis: Array
    lower: Body = _NO_BODY
    upper: Body = _NO_BODY
    friction: Friction = field(default_factory=Friction)
    reference: Array = field(default_factory=_x)
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    name: str = ""
    springs: JointSprings = field(default_factory=JointSprings)
    encoder: Encoder = field(default_factory=Encoder)

    SPUN: ClassVar = ("upper",)
    RUBBED: ClassVar = ("spherical", "cylindrical")
    CHECKS: ClassVar = {**UPS.CHECKS, "friction": instance(Friction)}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PSU(Checked):
    """Slider on a rail, ball joint on the slider, link of fixed length, universal joint at the platform.

    rail           unit direction of positive slider travel, world axes
    platform_axis  first axis of the platform joint, fixed to the platform, platform axes
    length         link length between joint centers, m
    slider_mass    kg;  slider_center  (3,) slider mass center from the ball joint, world axes, m
    link           body with its origin at the slider joint, in axes T_u = [s, y, s x y] with y = k x s/|k x s| of the
                   platform joint's axis k = R platform_axis
    assembly       sign of s.rail: +1 the link leans forward along the rail, -1 backward; as of PUS legs where not given
    Actuator coordinate: slider position l along the rail from `base`, m.
    """

    base: Array
    rail: Array
    joint: Array
    platform_axis: Array
    length: float
    slider_mass: float = 0.0
    link: Body = _NO_BODY
    friction: Friction = field(default_factory=Friction)
    slider_center: Array = field(default_factory=lambda: np.zeros(3))
    assembly: int = FromHome(1)
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    name: str = ""
    springs: JointSprings = field(default_factory=JointSprings)
    encoder: Encoder = field(default_factory=Encoder)

    CHECKS: ClassVar = {**PUS.CHECKS, "springs": slider_springs}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class RSS(Spinning):
    """Crank on a shaft fixed to the base, ball joints at both ends of its rod, which spins freely.

    shaft      unit shaft axis, world axes; the crank angle turns about it
    arm        (3,) from `base` to the crank tip at zero crank angle, world axes, m
    length     rod length, m
    crank      body in world axes at zero crank angle, origin at `base`
    link       rod body with its origin at the crank tip, in axes [s, y, s x y] turned by its spin angle about s,
               y = k x s/|k x s| of the `reference` k
    elbow      which of the two crank angles reaches the platform joint: +1 or -1; as of RUS legs where not given
    reference  direction k, world axes, as of SPS legs: only a rod that is not axisymmetric reads it
    Actuator coordinate: crank angle, rad.
    """

    base: Array
    shaft: Array
    arm: Array
    joint: Array
    length: float
    crank: Body = _NO_BODY
    link: Body = _NO_BODY
    elbow: int = FromHome(1)
    friction: Friction = field(default_factory=Friction)
    reference: Array = field(default_factory=_x)
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    name: str = ""
    springs: JointSprings = field(default_factory=JointSprings)
    encoder: Encoder = field(default_factory=Encoder)

    SPUN: ClassVar = ("link",)
    CHECKS: ClassVar = {**RUS.CHECKS, "springs": ball_springs}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_arm(self.shaft, self.arm)
