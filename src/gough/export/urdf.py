"""URDF: the machine as a tree, with what closes its loops named beside it.

URDF describes trees only.  Every leg is an open chain from the base and the platform is a floating link, or hangs on
one leg (`attach`).  Each loop left open is a ball joint between the tip of a leg and the platform, or a universal
joint: a comment in the file names them, and `urdf_companion` (the .loops.json beside the file) gives their links,
points and axes for programs that can close them, with everything else that URDF has no words for: gravity, on which
joints an actuator acts, drive inertia, friction in open loops, springs of the joints, the pose.

Every joint reads zero at the pose at which the file was written; an actuator's coordinate is that reading plus its
`coordinate` in the companion, with a screw the sum of its readings over `acts_on`.  A universal joint is two revolute
joints, k then y (at the platform y then k), with a link without mass between them; a cylindrical pair is a prismatic
and a continuous one; a ball is three, x, y, z, with two such links, singular where the second has turned by 90
degrees.  Damping is the viscous friction of actuators and of the joints of the tree (exact but for a ball, there only
at the pose).  A rotor riding on a leg is a link without mass on a joint that mimics the actuator, of a screw two such
joints, one for length and one for twist; its carrier is written without it.  Every driven leg but one with a screw has
a transmission, whose effort is that of its joint.  No two links, joints, transmissions or motors share a name.
Masses and tensors are the machine's own numbers, also those that no body can have.  Programs that move no link without
mass need `cross_mass`, which adds to the machine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, InputError
from gough.checks import number as checked
from gough.export.dress import dress_urdf
from gough.export.leg_chains import chains
from gough.export.linkage import PLATFORM, WORLD, Chain, Freedom, Part, Rotor
from gough.export.looks import looks
from gough.export.ros2_control import put_ros2_control
from gough.export.split_bodies import bare, without_bare
from gough.export.xml_files import distinct_names, moments, put, written, xml_text
from gough.model import Body, Platform, Spinning
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
    visuals: bool = True,
    collisions: bool = False,
    ros2_control: bool = False,
) -> str:
    """The tree as XML at `pose` (default: the machine's home).

    attach      None: the platform is joined to the world by a floating joint, six loops are open;
                a leg's name: it is carried by that leg's platform joint, as revolute joints, and five are open
    cross_mass  of each link between the revolute joints of a universal or ball joint, kg: a sphere of 10 mm radius
    visuals, collisions  shapes for the eye and for contacts on the links (`gough.export.looks`)
    ros2_control  also a `<ros2_control>` element: command and state interfaces of the actuators, their limits
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
        for rotor in chain.rotors:
            _rotor(root, chain, rotor, cross)
    place = (pose.rotation, pose.position)
    _link(root, PLATFORM, platform.body)
    if attach is None:
        ends = (WORLD, PLATFORM)
        _joint(root, f"{PLATFORM}-floating", "floating", ends, _between(_GROUND, place))
    else:
        _hang(root, next(chain for chain in legs if chain.name == attach), place, cross)
    for chain in legs:
        _transmission(root, chain)
    shapes = looks(platform, pose, legs)
    dress_urdf(root, shapes, visuals=visuals, collisions=collisions)
    distinct_names(root, "URDF")
    if ros2_control:
        put_ros2_control(root, platform.name or PLATFORM, legs)
    return xml_text(root)


def urdf_companion(
    platform: Platform, pose: Pose | None = None, *, attach: str | None = None
) -> dict[str, Any]:
    """What the URDF cannot say, as plain data: open loops, actuators, gravity, friction, springs, the pose.

    A loop is closed while ``points[0]`` of ``links[0]`` and ``points[1]`` of ``links[1]`` coincide (link axes, m); with
    a universal joint also while ``axes[0]`` and ``axes[1]`` of these links are at right angles, with a revolute joint
    (behind the cross piece of an offset joint) while they are parallel.  Its `springs`, one for each of these axes,
    act on the angles by which the platform turns against the leg, about the first and then about the second, from
    the pose of the file.  `balls` are sets of three revolute joints that stand for one ball, `references` the
    directions from which legs count their spin.
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
        "loops": [_loop(chain, pose) for chain in legs if chain.name != attach],
        "actuators": [
            {"leg": chain.name, "joint": chain.drive_joint, "acts_on": _acts_on(chain)}
            | {key: getattr(chain, key) for key in ("coordinate", "reflected_inertia")}
            for chain in legs
            if chain.driven
        ],
        "ball_friction": {chain.name: chain.top[0].damping for chain in legs if chain.ball},
        "loop_friction": {chain.name: chain.top[0].damping for chain in legs if not chain.ball},
        "springs": {
            c.name: told for c in legs if (told := _springs(c, c.name == attach, platform.home))
        },
        "balls": [names for c in legs for names in _balls(c, c.name == attach)],
        "references": {
            c.name: c.leg.reference.tolist() for c in legs if isinstance(c.leg, Spinning)
        },
    }


def _balls(chain: Chain, attached: bool) -> list[list[str]]:
    """Revolute joints that are together one ball, whose friction is the damping of each."""
    rows = [part.freedoms for part in chain.parts] + [chain.top] * attached
    balls = [row for row in rows if [freedom.kind for freedom in row] == ["ball"]]
    return [[freedom.name for freedom in _single(chain, row)] for row in balls]


def _loop(chain: Chain, pose: Pose) -> dict[str, Any]:
    """What closes one loop: where and, for a universal joint, which axes stay at right angles."""
    loop: dict[str, Any] = {
        "leg": chain.name,
        "joint": _kind(chain),
        "links": [chain.end, PLATFORM],
        "points": [chain.tip.tolist(), chain.leg.joint.tolist()],
    }
    if not chain.ball:
        inner, outer = (np.asarray(chain.top[i].axis) for i in (0, -1))
        own = chain.parts[-1].rotation.T @ pose.rotation @ inner
        loop["axes"] = [own.tolist(), outer.tolist()]
        if any(freedom.stiffness for freedom in chain.top):
            loop["springs"] = [_spring(freedom) for freedom in chain.top]
    return loop


def _spring(freedom: Freedom) -> dict[str, float]:
    return {"stiffness": freedom.stiffness, "rest": freedom.rest}


def _kind(chain: Chain) -> str:
    """What the platform joint is to the last part of a leg."""
    return "ball" if chain.ball else ("revolute", "universal")[len(chain.top) - 1]


def _acts_on(chain: Chain) -> dict[str, float]:
    """Joints on which a unit effort acts, and how much."""
    return {chain.drive_joint: 1.0} | ({chain.twist_joint: chain.screw} if chain.screw else {})


def _springs(chain: Chain, attached: bool, home: Pose | None) -> dict[str, Any]:
    """Stiffness and reading at rest of single joints; stiffness of the balls, base (RSS: crank) and platform axes, and
    the pose in which they are relaxed."""
    own, freedoms = chain.leg.springs, [f for part in chain.parts for f in part.freedoms]
    freedoms += chain.top if attached else ()
    single = {f.name: _spring(f) for f in freedoms if f.stiffness}
    if not single and not own.any:
        return {}
    balls = {name: getattr(own, name).tolist() for name in ("base_ball", "platform_ball")}
    rest = own.home or home
    told = None if rest is None else [rest.position.tolist(), rest.rotation.tolist()]
    return {"universal": single, **balls, "home": told}


def save_urdf(
    platform: Platform,
    path: str | Path,
    pose: Pose | None = None,
    *,
    attach: str | None = None,
    cross_mass: float = 0.0,
    visuals: bool = True,
    collisions: bool = False,
    ros2_control: bool = False,
) -> tuple[Path, Path]:
    """Write the tree and, beside it with the ending .loops.json, its companion: their paths.

    Each appears complete or not at all, the companion first.
    """
    target = Path(path)
    if not target.name:
        raise InputError("path", str(path), "must be the name of a file")
    shown = {"visuals": visuals, "collisions": collisions, "ros2_control": ros2_control}
    text = urdf(platform, pose, attach=attach, cross_mass=cross_mass, **shown)
    facts = json.dumps(urdf_companion(platform, pose, attach=attach), indent=2, allow_nan=False)
    beside = write_whole(target.with_suffix(".loops.json"), facts + "\n")
    return write_whole(target, text), beside


def _check_attach(platform: Platform, attach: str | None) -> None:
    if attach is not None and attach not in platform.leg_names:
        raise InputError("attach", attach, f"must be a leg: {', '.join(platform.leg_names)}")


def _about(legs: tuple[Chain, ...], attach: str | None) -> str:
    lines = ["The machine as a tree.  Its loops close where these points coincide:"]
    for chain in legs:
        if chain.name != attach:
            tip, joint = written(chain.tip), written(chain.leg.joint)
            lines.append(f"  {chain.end} at {tip} = {PLATFORM} at {joint} ({_kind(chain)} joint)")
    lines.append("Every joint reads zero at the pose of this file; the loops are closed there.")
    text = "\n".join(lines)
    while "--" in text:  # not allowed inside a comment
        text = text.replace("--", "- -")
    return f" {text} "


def _part(root: Any, chain: Chain, part: Part, carrier: _Frame, cross: Body) -> None:
    """The joint that carries a body, as joints of one freedom, and the body."""
    place, ends = _between(carrier, (part.rotation, part.position)), (part.parent, part.name)
    _swivel(root, chain, part.freedoms, ends, place, cross)
    riding = tuple(rotor for rotor in chain.rotors if rotor.carrier == part.name)
    _link(root, part.name, without_bare(part.body, riding))


def _rotor(root: Any, chain: Chain, rotor: Rotor, cross: Body) -> None:
    """A link that turns with the actuator: as the leg's length, and then as its twist."""
    follows = {chain.drive_joint: rotor.along}
    if rotor.twisted:
        follows |= {chain.twist_joint: rotor.twisted}
    parent, last = rotor.carrier, len(follows) - 1
    for i, (leader, ratio) in enumerate(follows.items()):
        name = rotor.name if i == last else f"{rotor.name}-slide"
        to = f"{name}-disc"
        joint = _joint(root, name, "continuous", (parent, to), _GROUND, rotor.axis, 0.0)
        put(joint, "limit", effort=UNLIMITED, velocity=UNLIMITED)
        put(joint, "mimic", joint=leader, multiplier=ratio, offset=0.0)
        _link(root, to, bare(rotor) if i == last else cross)
        parent = to


def _hang(root: Any, chain: Chain, place: _Frame, cross: Body) -> None:
    """The platform on the platform joint of one leg.  URDF puts a child's origin on its joint, so the turning is done
    by a link at the joint with the platform's axes, and the platform is fixed to it."""
    hub, end = f"{PLATFORM}-{'ball' if chain.ball else 'joint'}", chain.parts[-1]
    at = (end.rotation.T @ place[0], chain.tip)
    _swivel(root, chain, chain.top, (end.name, hub), at, cross)
    _link(root, hub, Body(0.0))
    _joint(root, f"{PLATFORM}-fixed", "fixed", (hub, PLATFORM), (np.eye(3), -chain.leg.joint))


def _transmission(root: Any, chain: Chain) -> None:
    """The actuator in the words of ros_control: its effort is that of the joint.  A screw, whose effort acts on two
    joints, has no such words: it stands in the companion (`acts_on`)."""
    if not chain.driven or chain.screw:
        return
    element = put(root, "transmission", name=f"{chain.name}-transmission")
    put(element, "type", "transmission_interface/SimpleTransmission")
    interface = "hardware_interface/EffortJointInterface"
    put(put(element, "joint", name=chain.drive_joint), "hardwareInterface", interface)
    actuator = put(element, "actuator", name=f"{chain.name}-motor")
    put(actuator, "hardwareInterface", interface)
    put(actuator, "mechanicalReduction", 1.0)


def _swivel(
    root: Any,
    chain: Chain,
    freedoms: tuple[Freedom, ...],
    ends: tuple[str, str],
    place: _Frame,
    cross: Body,
) -> None:
    """Joints of one freedom in turn, all through one point, with links `cross` between them."""
    (parent, child), single = ends, _single(chain, freedoms)
    last = len(single) - 1
    for i, freedom in enumerate(single):
        aside = freedom.at is not None
        to = child if i == last and not aside else f"{freedom.name}-cross"
        kind, limit = _limits(chain, freedom)
        turn = (np.asarray(freedom.axis), freedom.damping)
        at = place if freedom.at is None else (place[0], place[1] + place[0] @ freedom.at)
        joint = _joint(root, freedom.name, kind, (parent, to), at, *turn)
        put(joint, "limit", **limit)
        if to != child:
            _link(root, to, cross)
        parent, place = to, (np.eye(3), np.zeros(3) if freedom.at is None else -freedom.at)
    if parent != child:
        name = f"{child}-fixed" if single else f"{chain.name}-fixed"
        _joint(root, name, "fixed", (parent, child), place)


def _single(chain: Chain, freedoms: tuple[Freedom, ...]) -> list[Freedom]:
    """A ball as three hinges, at the base named after the leg."""
    if [freedom.kind for freedom in freedoms] != ["ball"]:
        return list(freedoms)
    (ball,) = freedoms
    name = ball.name if ball is chain.top[0] else chain.name
    axes = zip("xyz", np.eye(3), strict=True)
    return [Freedom(f"{name}-{letter}", "hinge", axis, ball.damping) for letter, axis in axes]


def _limits(chain: Chain, freedom: Freedom) -> tuple[str, dict[str, float]]:
    """URDF's type of a joint, and its limits; those of a screw are of no single joint but the effort."""
    limits, slides = chain.leg.limits, freedom.kind == "slide"
    kind = "prismatic" if slides else "continuous"
    most = {"effort": UNLIMITED, "velocity": UNLIMITED}
    travel = (-UNLIMITED, UNLIMITED)
    if freedom.driven:
        most["effort"] = limits.force or UNLIMITED
        if not chain.screw:
            most["velocity"] = limits.speed or UNLIMITED
            travel = chain.travel or travel
            kind = kind if slides or limits.stroke is None else "revolute"
    ends = {} if kind == "continuous" else dict(zip(("lower", "upper"), travel, strict=True))
    return kind, ends | most


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
    put(inertial, "inertia", **moments(body.inertia))


def _between(carrier: _Frame, carried: _Frame) -> _Frame:
    """`carried` seen from `carrier`."""
    return carrier[0].T @ carried[0], carrier[0].T @ (carried[1] - carrier[1])
