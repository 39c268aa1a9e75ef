"""Leg types; more in `gough.model.rods`.  Every leg of a platform may differ in type and data.

Common fields
    base      (3,) base joint (UPS, SPS, UCU), rail point of slider coordinate 0 (PUS), shaft point (RUS),
              world axes, m
    joint     (3,) platform joint in platform axes, from the platform reference point, m
    axis      first axis of the universal joint: fixed to the base (UPS, UCU), slider (PUS) or crank (RUS)
    friction, limits, drive, name, springs (in its joints), encoder (what a controller reads)
    fixed     of UPS, SPS and UCU: the length that is held, m; such a leg has no drive and is a fixed link
              (gough/links.py).  The parts of a UCU link still turn against each other
Leg axes T = [s, y, s x y]: s along the strut towards the platform, y = axis x s / |axis x s|.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gough.checks import (
    Array,
    Checked,
    InputError,
    instance,
    not_negative,
    number,
    optional,
    positive,
    text,
    unit,
    vector,
)
from gough.frozen import hinted
from gough.model.body import Body, Friction
from gough.model.drive import Drive
from gough.model.encoder import Encoder
from gough.model.limits import Limits
from gough.model.links import Holdable
from gough.model.offset import JointOffset, check_offset, refuse_with_offsets
from gough.model.screw import Screw
from gough.model.spinning import Spinning
from gough.model.springs import JointSprings, ball_springs, pair_springs, universal_springs

_NO_BODY = Body(0.0)


class FromHome(int):
    """A sign that was not given: a `gough.Platform` with a home chooses it, once (model/home_relative.py)."""


def _sign(field: str, value: Any) -> int:
    if isinstance(value, FromHome):
        return value
    if not isinstance(value, (int, float, np.number)) or value not in (1, -1):
        raise InputError(field, value, "must be 1 or -1")
    return int(value)


def _drive(field: str, value: Any) -> Drive | None:
    if not (value is None or isinstance(value, Drive)):
        raise InputError(field, value, "must be a gough.Drive or None")
    return value


def _base_drive(field: str, value: Any) -> Drive | None:
    drive = _drive(field, value)
    if drive is not None and drive.rotor_axis is not None:
        raise InputError(
            f"{field}.rotor_axis",
            drive.rotor_axis,
            "only UPS, SPS, UCU and UCS legs carry their motor",
        )
    return drive


def _no_twist(field: str, value: Any) -> Friction:
    friction = instance(Friction)(field, value)
    if friction.cylindrical:
        raise InputError(
            f"{field}.cylindrical",
            friction.cylindrical,
            "only UCU and UCS legs have a cylindrical pair",
        )
    return friction


def check_arm(shaft: Array, arm: Array) -> None:
    """Refuse a crank without a radius."""
    if np.linalg.norm(np.cross(shaft, arm)) < 1e-12:
        raise InputError("arm", arm, "must not lie along the shaft: the crank would have no radius")


def _screw(field: str, value: Any) -> Screw | None:
    if not (value is None or isinstance(value, Screw)):
        raise InputError(field, value, "must be a gough.Screw or None")
    return value


_CHECKS = {
    **dict.fromkeys(("base", "joint", "arm", "slider_center"), vector),
    **dict.fromkeys(("axis", "platform_axis", "reference", "rail", "shaft"), unit),
    **dict.fromkeys(("lower", "upper", "link", "crank"), instance(Body)),
    **dict.fromkeys(("assembly", "elbow"), _sign),
    "length": positive,
    "slider_mass": not_negative,
    "friction": _no_twist,
    "limits": instance(Limits),
    "encoder": instance(Encoder),
    "name": text,
    "springs": universal_springs,
    "fixed": optional(positive),
}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class UPS(Holdable):
    """Universal joint at the base, prismatic actuator, spherical joint at the platform.

    lower   body with its origin at the base joint, axes T
    upper   body with its origin at the platform joint, axes T
    base_offset  None: the axes of the base joint meet; else how they do not: `lower` then has its origin where the
            leg's axis passes them, E, and L is counted from there
    Actuator coordinate: the distance L between the joints, m.
    """

    base: Array
    joint: Array
    axis: Array
    lower: Body = _NO_BODY
    upper: Body = _NO_BODY
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    name: str = ""
    springs: JointSprings = field(default_factory=JointSprings)
    fixed: float | None = None
    base_offset: JointOffset | None = None
    encoder: Encoder = field(default_factory=Encoder)

    CHECKS: ClassVar = {**_CHECKS, "drive": _drive, "base_offset": check_offset}

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_with_offsets(self)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class SPS(Spinning, Holdable):
    """Ball joints at both ends: like UPS, but free to spin about its own axis.

    reference  direction k from which the spin angle is counted: T = [s, y, s x y] turned by it about s,
               y = k x s/|k x s|.  Only legs that are not axisymmetric read it (`reads_reference`); along it their
               angle has no zero, as longitude has none at a pole, and such poses are refused: choose it across the leg
    """

    base: Array
    joint: Array
    lower: Body = _NO_BODY
    upper: Body = _NO_BODY
    friction: Friction = field(default_factory=Friction)
    reference: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    name: str = ""
    springs: JointSprings = field(default_factory=JointSprings)
    fixed: float | None = None
    encoder: Encoder = field(default_factory=Encoder)

    CHECKS: ClassVar = {**_CHECKS, "drive": _drive, "springs": ball_springs}

    SPUN: ClassVar = ("lower", "upper")

    @property
    def spinning_rotor(self) -> Array:
        """(3,) inertia of a motor that rides on the leg, times its axis."""
        d = self.drive
        return np.zeros(3) if d is None or d.rotor_axis is None else d.rotor_axis * d.rotor_inertia


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class UCU(Holdable):
    """Universal joint at the base, cylindrical pair (slides and turns), universal joint at the platform.

    axis           first axis of the base joint, fixed to the base
    platform_axis  first axis of the platform joint, fixed to the platform, platform axes
    lower          body with its origin at the base joint, axes T
    upper          body with its origin at the platform joint, in its OWN axes T_u = [s, y, s x y] with
                   y = k x s/|k x s| of the platform joint's axis k = R platform_axis
    screw          None: driven directly along the leg (cylinder, linear motor, screw whose nut does not turn with the
                   platform); else a `Screw`: its travel is the actuator coordinate
    drive          a rotor_axis is one of the screw's mount (without a screw: of the lower part), in that part's axes
    torsion        stiffness of the cylindrical pair's twist, N m/rad (a U-P-U leg is one with much of it)
    torsion_rest   twist at which it is at rest, rad
    base_offset, platform_offset  None: the axes of that joint meet; else how they do not: `lower` and `upper` then have
                   their origins where the leg's axis passes them, between which L is counted
    The upper part is turned against the lower one about s by the twist phi: from y to y_u, within half a turn of the
    twist at home.  Choose platform_axis so that it is near zero there.
    Actuator coordinate: the distance L between the joints, m; with a screw its travel, m.
    """

    base: Array
    joint: Array
    axis: Array
    platform_axis: Array
    lower: Body = _NO_BODY
    upper: Body = _NO_BODY
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    screw: Screw | None = None
    torsion: float = 0.0
    torsion_rest: float = 0.0
    name: str = ""
    springs: JointSprings = field(default_factory=JointSprings)
    fixed: float | None = None
    base_offset: JointOffset | None = None
    platform_offset: JointOffset | None = None
    encoder: Encoder = field(default_factory=Encoder)

    CHECKS: ClassVar = {
        **_CHECKS,
        **dict.fromkeys(("base_offset", "platform_offset"), check_offset),
        "drive": _drive,
        "friction": instance(Friction),
        "screw": _screw,
        "springs": pair_springs,
        "torsion": not_negative,
        "torsion_rest": number,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_with_offsets(self)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PUS(Checked):
    """Slider on a rail, universal joint on the slider, link of fixed length, spherical joint at the platform.

    rail           unit direction of positive slider travel, world axes
    length         link length between joint centers, m
    slider_mass    kg;  slider_center  (3,) slider mass center from the universal joint, world axes, m
    link           body with its origin at the slider joint, axes T
    assembly       sign of s.rail: +1 the link leans forward along the rail, -1 backward; not given, the one whose
                   slider is nearest to the middle of its stroke when the machine is at home; without a stroke +1
    Actuator coordinate: slider position l along the rail from `base`, m.
    """

    base: Array
    rail: Array
    joint: Array
    axis: Array
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

    CHECKS: ClassVar = {**_CHECKS, "drive": _base_drive}


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class RUS(Checked):
    """Crank on a shaft fixed to the base, universal joint at its tip, rod, spherical joint at the platform.

    shaft    unit shaft axis, world axes; the crank angle turns about it
    arm      (3,) from `base` to the crank tip at zero crank angle, world axes, m
    axis     first universal axis, fixed to the crank, world axes at zero crank angle
    length   rod length, m
    crank    body in world axes at zero crank angle, origin at `base`
    link     rod body with its origin at the crank tip, axes T
    elbow    which of the two crank angles reaches the platform joint: +1 or -1; not given, the one that at the
             machine's home is nearest to the middle of the stroke, without a stroke nearest to zero (the arm as given)
    Actuator coordinate: crank angle, rad.
    """

    base: Array
    shaft: Array
    arm: Array
    joint: Array
    axis: Array
    length: float
    crank: Body = _NO_BODY
    link: Body = _NO_BODY
    elbow: int = FromHome(1)
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    name: str = ""
    springs: JointSprings = field(default_factory=JointSprings)
    encoder: Encoder = field(default_factory=Encoder)

    CHECKS: ClassVar = {**_CHECKS, "drive": _base_drive}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_arm(self.shaft, self.arm)
