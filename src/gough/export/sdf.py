"""SDF 1.7: a world with the machine's gravity and the whole closed linkage, six ball joints on the platform.

All links are placed at the pose, where every joint reads zero; an actuator's coordinate is its reading plus
`gough:coordinate` of its joint.  Drive inertia has no word in SDF and stands in `gough:reflected_inertia`: programs
pass over both.  Damping is the viscous friction of actuators and universal joints (a ball joint has none in SDF),
springs are those of universal joints (those of ball joints are refused).  The physics engine that reads the file must
allow loops.  A rotor riding on a leg (`Drive.rotor_axis`), a body without mass
or a tensor that no body can have is refused: SDF's readers do not take them.  A point mass becomes a grain of 0.03 mm.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, InputError
from gough.export.linkage import (
    PLATFORM,
    Chain,
    Part,
    chains,
    moments,
    no_ball_springs,
    put,
    solid,
    xml_text,
)
from gough.model import Body, Platform
from gough.spatial import Pose, rpy_from_rotation
from gough.storage import write_whole

NAMESPACE = "urn:gough"
_TYPES = {"slide": "prismatic", "hinge": "revolute", "universal": "universal", "ball": "ball"}


def sdf(platform: Platform, pose: Pose | None = None) -> str:
    """The closed machine as XML at `pose` (default: the machine's home)."""
    pose, legs = chains(platform, pose, "SDF")
    no_ball_springs(legs, "SDF")
    for name in (platform.name, *platform.leg_names):
        if "::" in name or (name.startswith("__") and name.endswith("__")):
            raise InputError("name", name, "SDF keeps '::' and names between '__' for itself")
    root = ElementTree.Element("sdf", {"version": "1.7", "xmlns:gough": NAMESPACE})
    world = put(root, "world", name="gough")
    put(world, "gravity", platform.gravity)
    model = put(world, "model", name=platform.name or PLATFORM)
    _link(model, PLATFORM, platform.body, "body", pose.rotation, pose.position)
    for chain in legs:
        for part in chain.parts:
            _link(model, part.name, part.body, f"legs.{part.name}", part.rotation, part.position)
    for chain in legs:
        for part in chain.parts:
            _carry(model, chain, part)
        _joint(model, f"{chain.name}-ball", "ball", chain.end, PLATFORM, chain.leg.joint)
    return xml_text(root)


def save_sdf(platform: Platform, path: str | Path, pose: Pose | None = None) -> Path:
    """Write the model to a file, which appears complete or not at all."""
    return write_whole(path, sdf(platform, pose))


def _link(model: Any, name: str, body: Body, what: str, rotation: Array, position: Array) -> None:
    tensor = solid(body, what, "SDF")
    link = put(model, "link", name=name)
    put(link, "pose", _pose(rotation, position))
    inertial = put(link, "inertial")
    put(inertial, "pose", _pose(np.eye(3), body.center))
    put(inertial, "mass", body.mass)
    inertia = put(inertial, "inertia")
    for moment, value in moments(tensor).items():
        put(inertia, moment, value)


def _carry(model: Any, chain: Chain, part: Part) -> None:
    """The joint of a part, at the origin and in the axes of that part."""
    friction = chain.leg.friction
    name = chain.drive_joint if part.driven else f"{chain.name}-{part.kind}-base"
    joint = _joint(model, name, _TYPES[part.kind], part.parent, part.name, np.zeros(3))
    springs = ((0.0, 0.0),) if part.driven else chain.springs
    for tag, direction, (k, rest) in zip(("axis", "axis2"), part.axes, springs, strict=False):
        axis = put(joint, tag)
        put(axis, "xyz", direction)
        damping = friction.prismatic if part.driven else friction.universal
        dynamics = put(axis, "dynamics")
        put(dynamics, "damping", damping)
        if k:
            put(dynamics, "spring_reference", rest)
            put(dynamics, "spring_stiffness", k)
        if part.driven:
            _limit(axis, chain)
    if part.driven:
        put(joint, "gough:coordinate", chain.coordinate)
        put(joint, "gough:reflected_inertia", chain.reflected_inertia)


def _limit(axis: Any, chain: Chain) -> None:
    """What the leg's limits say; SDF takes a missing number as no limit."""
    limits, travel = chain.leg.limits, chain.travel
    limit = put(axis, "limit")
    given = (*(travel or (None, None)), limits.force, limits.speed)
    for tag, value in zip(("lower", "upper", "effort", "velocity"), given, strict=True):
        if value is not None:
            put(limit, tag, value)


def _joint(model: Any, name: str, kind: str, parent: str, child: str, at: Array) -> Any:
    joint = put(model, "joint", name=name, type=kind)
    put(joint, "pose", _pose(np.eye(3), at), relative_to=child)
    put(joint, "parent", parent)
    put(joint, "child", child)
    return joint


def _pose(rotation: Array, position: Array) -> list[float]:
    return [*position, *rpy_from_rotation(rotation)]
