"""MJCF for MuJoCo: the machine with its loops closed by connect constraints, joints by leg, actuators on the drives.

Every leg is a chain from the base; its tip is tied to the platform.  MuJoCo's constraints are soft, here made nearly
hard: accelerations agree with the exact model to about a thousandth of gravity.  Damping is the friction of the
actuator and universal joints (a ball joint's friction has no place here), stiffness that of universal joints; drives
are armature.  Springs in ball joints, a rotor riding on a leg (`Drive.rotor_axis`), a body without mass or a tensor
that no body can have are refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from gough.checks import Array
from gough.export.linkage import (
    PLATFORM,
    Chain,
    Part,
    chains,
    no_ball_springs,
    put,
    solid,
    xml_text,
)
from gough.model import Body, Platform
from gough.spatial import Pose, quaternion_from_rotation
from gough.storage import write_whole

_STEPS = {"timestep": "0.0005", "integrator": "implicitfast"}
_SOLVER = {"iterations": "200", "tolerance": "1e-12"}
_STIFF = {"solref": "0.002 1", "solimp": "0.9999 0.99999 0.001 0.5 2"}


def mjcf(platform: Platform, pose: Pose | None = None) -> str:
    """The model as XML; all bodies are placed at `pose` (default: the machine's home), where every joint reads zero
    except actuators, which read their coordinate."""
    pose, legs = chains(platform, pose, "MJCF")
    no_ball_springs(legs, "MJCF")
    root = ElementTree.Element("mujoco", model=platform.name or "platform")
    put(root, "compiler", angle="radian", inertiafromgeom="false")
    put(root, "option", gravity=platform.gravity, **_STEPS, **_SOLVER)
    world = put(root, "worldbody")
    top = put(world, "body", name=PLATFORM, **_place(pose.position, pose.rotation))
    put(top, "freejoint", name=PLATFORM)
    _inertial(top, platform.body, "body")
    equality = put(root, "equality")
    actuators = put(root, "actuator")
    for chain in legs:
        _leg(world, chain)
        ends = {"body1": chain.end, "body2": PLATFORM, "anchor": chain.tip}
        put(equality, "connect", name=f"{chain.name}-ball", **ends, **_STIFF)
        put(actuators, "motor", name=chain.name, joint=chain.drive_joint, gear="1")
    return xml_text(root)


def save_mjcf(platform: Platform, path: str | Path, pose: Pose | None = None) -> Path:
    """Write the model to a file, which appears complete or not at all."""
    return write_whole(path, mjcf(platform, pose))


def _leg(world: Any, chain: Chain) -> None:
    """Bodies and joints of one leg, each inside the one that carries it."""
    element, carrier = world, None
    for part in chain.parts:
        position, rotation = part.position, part.rotation
        if carrier is not None:
            position = carrier.rotation.T @ (position - carrier.position)
            rotation = carrier.rotation.T @ rotation
        element = put(element, "body", name=part.name, **_place(position, rotation))
        _joints(element, chain, part)
        _inertial(element, part.body, f"legs.{part.name}")
        carrier = part


def _joints(element: Any, chain: Chain, part: Part) -> None:
    """The actuator; the universal joint as two hinges, k then y; a ball for SPS."""
    friction = chain.leg.friction
    if part.driven:
        read = {"ref": chain.coordinate, "armature": chain.reflected_inertia}
        axis = {"type": part.kind, "axis": part.axes[0]}
        put(element, "joint", name=chain.drive_joint, **axis, **read, damping=friction.prismatic)
        return
    shared = {"damping": friction.universal}
    if part.kind == "ball":
        put(element, "joint", name=f"{chain.name}-ball-base", type="ball", **shared)
    for axis, letter, (stiffness, rest) in zip(part.axes, "ky", chain.springs, strict=False):
        spring = {"stiffness": stiffness, "springref": rest} if stiffness else {}
        name = f"{chain.name}-{letter}"
        put(element, "joint", name=name, type="hinge", axis=axis, **shared, **spring)


def _inertial(element: Any, body: Body, what: str) -> None:
    I = solid(body, what, "MuJoCo")
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    put(element, "inertial", pos=body.center, mass=body.mass, fullinertia=six)


def _place(position: Array, rotation: Array) -> dict[str, Array]:
    return {"pos": position, "quat": quaternion_from_rotation(rotation)}
