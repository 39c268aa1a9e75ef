"""SDF 1.7: a world with the machine's gravity and the whole closed linkage, ball or universal joints on the platform.

All links are placed at the pose, where every joint reads zero; an actuator's coordinate is its reading plus
`gough:coordinate` of its joint.  Drive inertia has no word in SDF and stands in `gough:reflected_inertia`: programs
pass over both.  Damping is the viscous friction of actuators, universal and cylindrical joints (a ball joint has none
in SDF), springs are those of universal joints and of the twist (those of ball joints are refused).  A cylindrical pair
is a prismatic joint, a sleeve and a revolute joint; the sleeve is a grain of a thousandth of the upper part, taken out
of it where the two axes meet, so that together they are that part.  The physics engine that reads the file must allow
loops.  A screw, a rotor riding on a leg (`Drive.rotor_axis`) or a body without mass is refused: SDF's readers do not
take them.  Of a tensor that no body can have the nearest possible one is written, with a warning.  A point mass
becomes a grain of 0.03 mm.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, InputError
from gough.export.dress import dress_sdf
from gough.export.leg_chains import chains
from gough.export.linkage import PLATFORM, Chain, Freedom, Part, no_ball_springs, no_rotors
from gough.export.looks import looks
from gough.export.split_bodies import sleeve
from gough.export.xml_files import moments, put, solid, xml_text
from gough.model import Body, Platform
from gough.spatial import Pose, rpy_from_rotation
from gough.storage import write_whole

NAMESPACE = "urn:gough"
_TYPES = {
    ("slide",): "prismatic",
    ("hinge",): "revolute",
    ("hinge", "hinge"): "universal",
    ("ball",): "ball",
    (): "fixed",
}


def sdf(
    platform: Platform,
    pose: Pose | None = None,
    *,
    visuals: bool = True,
    collisions: bool = False,
) -> str:
    """The closed machine as XML at `pose` (default: the machine's home).

    visuals, collisions  shapes for the eye and for contacts on the links, those of the base on a model that stands
                         still beside the machine (`gough.export.looks`)
    """
    pose, legs = chains(platform, pose, "SDF")
    no_ball_springs(legs, "SDF")
    no_rotors(legs, "SDF")
    for name in (platform.name, *platform.leg_names):
        if "::" in name or (name.startswith("__") and name.endswith("__")):
            raise InputError("name", name, "SDF keeps '::' and names between '__' for itself")
    root = ElementTree.Element("sdf", {"version": "1.7", "xmlns:gough": NAMESPACE})
    world = put(root, "world", name="gough")
    put(world, "gravity", platform.gravity)
    model = put(world, "model", name=platform.name or PLATFORM)
    _link(model, PLATFORM, platform.body, "body", pose.rotation, pose.position)
    linked = [(chain, [p for part in chain.parts for p in _sleeved(part)]) for chain in legs]
    for _, parts in linked:
        for part in parts:
            _link(model, part.name, part.body, f"legs.{part.name}", part.rotation, part.position)
    for chain, parts in linked:
        for part in parts:
            _joint(model, chain, part.freedoms, (part.parent, part.name), _anchor(part))
        _joint(model, chain, chain.top, (chain.end, PLATFORM), chain.leg.joint)
    shapes = looks(platform, pose, legs)
    dress_sdf(world, model, shapes, visuals=visuals, collisions=collisions)
    return xml_text(root)


def save_sdf(
    platform: Platform,
    path: str | Path,
    pose: Pose | None = None,
    *,
    visuals: bool = True,
    collisions: bool = False,
) -> Path:
    """Write the model to a file, which appears complete or not at all."""
    return write_whole(path, sdf(platform, pose, visuals=visuals, collisions=collisions))


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


def _sleeved(part: Part) -> tuple[Part, ...]:
    """The part, or two where it slides and turns: SDF has one freedom in such a joint."""
    if part.kinds != ("slide", "hinge"):
        return (part,)
    (slide, turn), name = part.freedoms, part.name.replace("-upper", "-sleeve")
    left, grain = sleeve(part.body, f"legs.{part.name}", "SDF")
    between = replace(part, name=name, body=grain, freedoms=(slide,))
    return between, replace(part, parent=name, body=left, freedoms=(turn,))


def _anchor(part: Part) -> Array:
    """Where the joint of a part is, in its axes."""
    at = part.freedoms[0].at if part.freedoms else None
    return np.zeros(3) if at is None else at


def _joint(
    model: Any, chain: Chain, freedoms: tuple[Freedom, ...], ends: tuple[str, str], at: Array
) -> None:
    """A joint in the axes of its child."""
    kind = _TYPES[tuple(freedom.kind for freedom in freedoms)]
    own = {"universal": f"{chain.name}-universal-base", "ball": f"{chain.name}-ball-base"}
    name = own[kind] if kind in own else f"{chain.name}-fixed" if not freedoms else freedoms[0].name
    if freedoms is chain.top and kind in own:
        name = f"{chain.name}-ball" if chain.ball else f"{chain.name}-universal-platform"
    joint = put(model, "joint", name=name, type=kind)
    put(joint, "pose", _pose(np.eye(3), at), relative_to=ends[1])
    put(joint, "parent", ends[0])
    put(joint, "child", ends[1])
    for tag, freedom in zip(("axis", "axis2"), freedoms, strict=False):
        if freedom.axis is None:
            continue
        axis = put(joint, tag)
        put(axis, "xyz", freedom.axis)
        dynamics = put(axis, "dynamics")
        put(dynamics, "damping", freedom.damping)
        if freedom.stiffness:
            put(dynamics, "spring_reference", freedom.rest)
            put(dynamics, "spring_stiffness", freedom.stiffness)
        if freedom.driven:
            _limit(axis, chain)
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


def _pose(rotation: Array, position: Array) -> list[float]:
    return [*position, *rpy_from_rotation(rotation)]
