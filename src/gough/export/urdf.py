"""URDF: the machine as a tree, with what closes its loops named beside it.

URDF describes trees only.  Every leg is an open chain from the base and the platform is a floating link, or hangs on
one leg (`attach`).  Each loop left open is a ball joint between the tip of a leg and the platform: a comment in the
file names them, and `urdf_companion` (the .loops.json beside the file) gives their links and points for programs that
can close them, with everything else that URDF has no words for: gravity, drive inertia, ball friction, springs of
the joints, the pose.

Every joint reads zero at the pose at which the file was written; an actuator's coordinate is that reading plus its
`coordinate` in the companion.  A universal joint is two revolute joints, k then y, with a link without mass between
them; a ball is three, x, y, z, with two such links, singular where the second has turned by 90 degrees.  Damping
is the viscous friction of actuators and base-side joints (exact for a universal joint; for a ball only at the pose).
Masses and tensors are the machine's own numbers, also those that no body can have.  Programs that move no link without
mass need `cross_mass`, which adds to the machine.  A rotor riding on a leg (`Drive.rotor_axis`) is refused.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, InputError
from gough.checks import number as checked
from gough.export import linkage
from gough.export.linkage import PLATFORM, WORLD, Chain, Part, chains, put, written
from gough.model import SPS, Body, Platform
from gough.spatial import Pose, quaternion_from_rotation, rpy_from_rotation
from gough.storage import write_whole

UNLIMITED = 1e9  # URDF wants an effort, a rate and the travel of a slide, also where none is known
_Frame = tuple[Array, Array]  # rotation and position in the world, at the pose
_GROUND: _Frame = (np.eye(3), np.zeros(3))


def urdf(
    platform: Platform,
    pose: Pose | None = None,
    *,
    attach: str | None = None,
    cross_mass: float = 0.0,
) -> str:
    """The tree as XML at `pose` (default: the machine's home).

    attach      None: the platform is joined to the world by a floating joint, six loops are open;
                a leg's name: it is carried by that leg's ball joint, as three revolute joints, and five are open
    cross_mass  of each link between the revolute joints of a universal or ball joint, kg: a sphere of 10 mm radius
    """
    pose, legs = chains(platform, pose, "URDF")
    _check_attach(platform, attach)
    weight = checked("cross_mass", cross_mass, minimum=0.0)
    cross = Body(weight, inertia=0.4 * weight * 0.010**2 * np.ones(3))
    root = ElementTree.Element("robot", name=platform.name or PLATFORM)
    root.append(ElementTree.Comment(_about(legs, attach)))
    put(root, "link", name=WORLD)
    for chain in legs:
        frames: dict[str, _Frame] = {WORLD: _GROUND}
        for part in chain.parts:
            _part(root, chain, part, frames[part.parent], cross)
            frames[part.name] = (part.rotation, part.position)
    place = (pose.rotation, pose.position)
    _link(root, PLATFORM, platform.body)
    if attach is None:
        _joint(root, PLATFORM, "floating", (WORLD, PLATFORM), _between(_GROUND, place))
    else:
        _hang(root, next(chain for chain in legs if chain.name == attach), place, cross)
    return linkage.xml_text(root)


def urdf_companion(
    platform: Platform, pose: Pose | None = None, *, attach: str | None = None
) -> dict[str, Any]:
    """What the URDF cannot say, as plain data: open loops, actuators, gravity, ball friction, springs, the pose.

    A loop is closed while ``points[0]`` of ``links[0]`` and ``points[1]`` of ``links[1]`` coincide (link axes, m).
    """
    pose, legs = chains(platform, pose, "URDF")
    _check_attach(platform, attach)
    return {
        "robot": platform.name or PLATFORM,
        "gravity": platform.gravity.tolist(),
        "pose": {
            "position": pose.position.tolist(),
            "quaternion_wxyz": quaternion_from_rotation(pose.rotation).tolist(),
        },
        "attached_to": attach,
        "loops": [
            {
                "leg": chain.name,
                "joint": "ball",
                "links": [chain.end, PLATFORM],
                "points": [chain.tip.tolist(), chain.leg.joint.tolist()],
            }
            for chain in legs
            if chain.name != attach
        ],
        "actuators": [
            {"leg": chain.name, "joint": chain.drive_joint}
            | {key: getattr(chain, key) for key in ("coordinate", "reflected_inertia")}
            for chain in legs
        ],
        "ball_friction": {chain.name: chain.leg.friction.spherical for chain in legs},
        "springs": {chain.name: _springs(chain) for chain in legs if chain.leg.springs.any},
    }


def _springs(chain: Chain) -> dict[str, Any]:
    """Stiffness and reading at rest of the joints k and y; stiffness of the balls, base and platform axes."""
    own = chain.leg.springs
    pairs = () if isinstance(chain.leg, SPS) else zip("ky", chain.springs, strict=True)
    universal = {f"{chain.name}-{letter}": {"stiffness": k, "rest": r} for letter, (k, r) in pairs}
    balls = {name: getattr(own, name).tolist() for name in ("base_ball", "platform_ball")}
    rest = own.home
    home = None if rest is None else [rest.position.tolist(), rest.rotation.tolist()]
    return {"universal": universal, **balls, "home": home}


def save_urdf(
    platform: Platform,
    path: str | Path,
    pose: Pose | None = None,
    *,
    attach: str | None = None,
    cross_mass: float = 0.0,
) -> tuple[Path, Path]:
    """Write the tree and, beside it with the ending .loops.json, its companion: their paths.

    Each appears complete or not at all, the companion first.
    """
    target = Path(path)
    if not target.name:
        raise InputError("path", str(path), "must be the name of a file")
    text = urdf(platform, pose, attach=attach, cross_mass=cross_mass)
    facts = json.dumps(urdf_companion(platform, pose, attach=attach), indent=2, allow_nan=False)
    beside = write_whole(target.with_suffix(".loops.json"), facts + "\n")
    return write_whole(target, text), beside


def _check_attach(platform: Platform, attach: str | None) -> None:
    if attach is not None and attach not in platform.leg_names:
        raise InputError("attach", attach, f"must be a leg: {', '.join(platform.leg_names)}")


def _about(legs: tuple[Chain, ...], attach: str | None) -> str:
    lines = ["The machine as a tree.  Its loops close where these points coincide (ball joints):"]
    for chain in legs:
        if chain.name != attach:
            tip, joint = written(chain.tip), written(chain.leg.joint)
            lines.append(f"  {chain.end} at {tip} = {PLATFORM} at {joint}")
    lines.append("Every joint reads zero at the pose of this file; the loops are closed there.")
    text = "\n".join(lines)
    while "--" in text:  # not allowed inside a comment
        text = text.replace("--", "- -")
    return f" {text} "


def _part(root: Any, chain: Chain, part: Part, carrier: _Frame, cross: Body) -> None:
    """The joint that carries a body, as joints of one freedom, and the body."""
    place, ends = _between(carrier, (part.rotation, part.position)), (part.parent, part.name)
    friction, limits = chain.leg.friction, chain.leg.limits
    if part.driven:
        turning = "continuous" if limits.stroke is None else "revolute"
        kind = "prismatic" if part.kind == "slide" else turning
        drive = (part.axes[0], friction.prismatic)
        joint = _joint(root, chain.drive_joint, kind, ends, place, *drive)
        lower, upper = chain.travel or (-UNLIMITED, UNLIMITED)
        travel = {} if kind == "continuous" else {"lower": lower, "upper": upper}
        most = {"effort": limits.force or UNLIMITED, "velocity": limits.speed or UNLIMITED}
        put(joint, "limit", **travel, **most)
    else:
        axes = dict(zip("ky" if part.axes else "xyz", part.axes or np.eye(3), strict=True))
        _swivel(root, chain.name, axes, ends, place, friction.universal, cross)
    _link(root, part.name, part.body)


def _hang(root: Any, chain: Chain, place: _Frame, cross: Body) -> None:
    """The platform on the ball joint of one leg.  URDF puts a child's origin on its joint, so the turning is done by a
    link at the ball with the platform's axes, and the platform is fixed to it."""
    hub, end = f"{PLATFORM}-ball", chain.parts[-1]
    at = (end.rotation.T @ place[0], chain.tip)
    axes, damping = dict(zip("xyz", np.eye(3), strict=True)), chain.leg.friction.spherical
    _swivel(root, f"{chain.name}-ball", axes, (end.name, hub), at, damping, cross)
    _link(root, hub, Body(0.0))
    _joint(root, PLATFORM, "fixed", (hub, PLATFORM), (np.eye(3), -chain.leg.joint))


def _swivel(
    root: Any,
    name: str,
    axes: dict[str, Array],
    ends: tuple[str, str],
    place: _Frame,
    damping: float,
    cross: Body,
) -> None:
    """Revolute joints about `axes` in turn, all through one point, with links `cross` between them."""
    (parent, child), last = ends, len(axes) - 1
    for i, (letter, axis) in enumerate(axes.items()):
        to = child if i == last else f"{name}-{letter}-cross"
        turn = (axis, damping)
        joint = _joint(root, f"{name}-{letter}", "continuous", (parent, to), place, *turn)
        put(joint, "limit", effort=UNLIMITED, velocity=UNLIMITED)
        if i < last:
            _link(root, to, cross)
        parent, place = to, _GROUND


def _joint(
    root: Any,
    name: str,
    kind: str,
    ends: tuple[str, str],
    place: _Frame,
    axis: Array | None = None,
    damping: float | None = None,
) -> Any:
    joint = put(root, "joint", name=name, type=kind)
    put(joint, "origin", xyz=place[1], rpy=rpy_from_rotation(place[0]))
    put(joint, "parent", link=ends[0])
    put(joint, "child", link=ends[1])
    if axis is not None:
        put(joint, "axis", xyz=axis)
    if damping is not None:
        put(joint, "dynamics", damping=damping)
    return joint


def _link(root: Any, name: str, body: Body) -> None:
    """A link; zero mass is written too, as some readers put one kilogram where nothing is said."""
    inertial = put(put(root, "link", name=name), "inertial")
    put(inertial, "origin", xyz=body.center, rpy="0 0 0")
    put(inertial, "mass", value=body.mass)
    put(inertial, "inertia", **linkage.moments(body.inertia))


def _between(carrier: _Frame, carried: _Frame) -> _Frame:
    """`carried` seen from `carrier`."""
    return carrier[0].T @ carried[0], carrier[0].T @ (carried[1] - carrier[1])
