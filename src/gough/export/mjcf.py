"""MJCF for MuJoCo: the machine with its loops closed by constraints, joints by leg, actuators on the drives.

Every leg is a chain from the base.  Where the platform joint is a ball, its tip is tied to the platform (connect);
where it is a universal joint (with friction="all" also a ball that rubs), the chain ends in a plate beyond that joint,
which is welded to the platform and is a twentieth of it.  MuJoCo's constraints are soft, here made nearly hard:
accelerations agree with the exact model to about a thousandth of gravity.  Damping is the friction of the actuator,
universal and cylindrical joints (that of a ball joint at the platform, and of the drives, where asked for), stiffness
that of universal joints and of the twist.  Strokes are ranges of the drives, largest efforts those of the motors.
Shapes that touch nothing and weigh nothing show the machine.  Screws act on a tendon, `<leg>-travel`, which is length
and twist together and reads the actuator coordinate.  Drives are armature; rotors riding on a leg and screws with
inertia are bodies that equalities turn with the actuator.  Springs in ball joints and a body without mass are refused;
of a tensor that no body can have the nearest possible one is written, with a warning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from gough.checks import Array, InputError
from gough.export.dress import dress_mjcf
from gough.export.drive_friction import FRICTIONS, drive_friction
from gough.export.leg_chains import chains
from gough.export.linkage import PLATFORM, WORLD, Chain, Freedom, Part, Rotor, no_ball_springs
from gough.export.looks import looks
from gough.export.split_bodies import disc, plates, without_discs, without_massless
from gough.export.xml_files import put, solid, xml_text
from gough.model import Body, Platform
from gough.model.body import collected_warnings
from gough.spatial import Pose, quaternion_from_rotation
from gough.storage import write_whole

_STEPS = {"timestep": "0.0005", "integrator": "implicitfast"}
_SOLVER = {"iterations": "200", "tolerance": "1e-12"}
_STIFF = {"solref": "0.002 1", "solimp": "0.9999 0.99999 0.001 0.5 2"}


def mjcf(
    platform: Platform,
    pose: Pose | None = None,
    *,
    friction: str = "joints",
    visuals: bool = True,
    collisions: bool = False,
) -> str:
    """The model as XML; all bodies are placed at `pose` (default: the machine's home), where every joint reads zero
    except actuators, which read their coordinate, and twists, which read theirs (of a screw: from its zero).

    friction  "joints": that of the joints but for balls at the platform, as in `forward_dynamics` without these;
              "all": also of these balls, beyond which there is then a plate too, and of the drives themselves, viscous
              and dry (`frictionloss`), as in ``inverse_dynamics(drives=True)``; what MJCF has no word for is refused
    visuals, collisions  shapes for the eye, and such that touch what is not of the machine (`gough.export.looks`)
    """
    if friction not in FRICTIONS:
        raise InputError("friction", friction, f"must be one of {', '.join(FRICTIONS)}")
    pose, legs = chains(platform, pose, "MJCF")
    no_ball_springs(legs, "MJCF")
    root = ElementTree.Element("mujoco", model=platform.name or "platform")
    put(root, "compiler", angle="radian", inertiafromgeom="false")
    put(root, "option", gravity=platform.gravity, **_STEPS, **_SOLVER)
    world = put(root, "worldbody")
    top = put(world, "body", name=PLATFORM, **_place(pose.position, pose.rotation))
    put(top, "freejoint", name=PLATFORM)
    left, plate = plates(platform.body, sum(not chain.tied(friction) for chain in legs))
    _inertial(top, left, "body")
    tendons, equality, actuators = (put(root, tag) for tag in ("tendon", "equality", "actuator"))
    shown = tuple(without_massless(whole, pose) for whole in legs)
    for chain in shown:
        rubs = drive_friction(chain, "MJCF") if friction == "all" else (0.0, 0.0)
        end = _leg(world, chain, _rubbed(rubs))
        if chain.tied(friction):
            ends = {"body1": chain.end, "body2": PLATFORM, "anchor": chain.tip}
            put(equality, "connect", name=f"{chain.name}-ball", **ends, **_STIFF)
        else:
            beyond = _plate(end, chain, pose, plate)
            ends = {"body1": beyond, "body2": PLATFORM, "anchor": chain.leg.joint}
            put(equality, "weld", name=f"{chain.name}-weld", **ends, **_STIFF)
        for rotor in chain.rotors:
            _couple(tendons, equality, chain, rotor)
        if not chain.driven:
            continue
        acts = {"joint": chain.drive_joint}
        if chain.screw:
            acts = {"tendon": f"{chain.name}-travel"}
            own = {"armature": chain.reflected_inertia} | _range(chain) | _rubbed(rubs)
            _sum(tendons, acts["tendon"], _travel(chain, 1.0, chain.screw), **own)
        put(actuators, "motor", name=chain.name, gear="1", **acts, **_most(chain))
    shapes = looks(platform, pose, shown)
    dress_mjcf(root, shapes, visuals=visuals, collisions=collisions)
    return xml_text(root)


def save_mjcf(
    platform: Platform,
    path: str | Path,
    pose: Pose | None = None,
    *,
    friction: str = "joints",
    visuals: bool = True,
    collisions: bool = False,
) -> Path:
    """Write the model (`mjcf`) to a file, which appears complete or not at all."""
    shown = {"visuals": visuals, "collisions": collisions}
    return write_whole(path, mjcf(platform, pose, friction=friction, **shown))


def _rubbed(rubs: tuple[float, float]) -> dict[str, float]:
    """Viscous and dry friction of a drive, where there is some."""
    named = zip(("damping", "frictionloss"), rubs, strict=True)
    return {name: value for name, value in named if value}


def _range(chain: Chain) -> dict[str, Any]:
    """The stroke: a drive, or a screw's tendon, reads its coordinate."""
    stroke = chain.leg.limits.stroke
    return {} if stroke is None else {"limited": "true", "range": stroke}


def _most(chain: Chain) -> dict[str, Any]:
    """The largest effort of a motor."""
    force = chain.leg.limits.force
    if force is None:
        return {}
    ends = (-force, force)
    names = (("forcelimited", "forcerange"), ("ctrllimited", "ctrlrange"))
    return {key: value for pair in names for key, value in zip(pair, ("true", ends), strict=True)}


def _leg(world: Any, chain: Chain, rubs: dict[str, float]) -> Any:
    """Bodies and joints of one leg, each inside the one that carries it, and the rotors on them: the last part."""
    made, carriers = {WORLD: world}, {part.name: part for part in chain.parts}
    for part in chain.parts:
        element = _body(made[part.parent], part, carriers.get(part.parent))
        for freedom in part.freedoms:
            shared = {"armature": chain.reflected_inertia} | _range(chain) | rubs
            if "damping" in rubs:
                shared["damping"] = freedom.damping + rubs["damping"]
            _joint(element, freedom, **(shared if freedom.driven and not chain.screw else {}))
        riding = tuple(rotor for rotor in chain.rotors if rotor.carrier == part.name)
        _inertial(element, without_discs(part.body, riding, f"legs.{part.name}"), part.name)
        for rotor in riding:
            turning = put(element, "body", name=rotor.name, pos=part.body.center)
            put(turning, "joint", name=rotor.name, type="hinge", axis=rotor.axis)
            _inertial(turning, disc(rotor, part.body), rotor.name)
        made[part.name] = element
    return made[chain.end]


def _body(parent: Any, part: Part, carrier: Part | None) -> Any:
    position, rotation = part.position, part.rotation
    if carrier is not None:
        position = carrier.rotation.T @ (position - carrier.position)
        rotation = carrier.rotation.T @ rotation
    return put(parent, "body", name=part.name, **_place(position, rotation))


def _plate(end: Any, chain: Chain, pose: Pose, plate: Body) -> str:
    """Beyond the platform joint: a body in the platform's axes, at the joint."""
    name, turned = f"{chain.name}-plate", chain.parts[-1].rotation.T @ pose.rotation
    element = put(end, "body", name=name, **_place(chain.tip, turned))
    for freedom in chain.top:
        _joint(element, freedom)
    with collected_warnings():
        piece = Body(plate.mass, plate.center - chain.leg.joint, plate.inertia)
    _inertial(element, piece, "body")
    return name


def _joint(element: Any, freedom: Freedom, **given: Any) -> None:
    """A freedom; MuJoCo takes several in one body, in their order from the parent."""
    own = {"damping": freedom.damping} | given
    if freedom.axis is not None:
        own |= {"axis": freedom.axis}
    if freedom.at is not None:
        own |= {"pos": freedom.at}
    if freedom.reading:
        own |= {"ref": freedom.reading}
    if freedom.stiffness:
        own |= {"stiffness": freedom.stiffness, "springref": freedom.reading + freedom.rest}
    put(element, "joint", name=freedom.name, type=freedom.kind, **own)


def _couple(tendons: Any, equality: Any, chain: Chain, rotor: Rotor) -> None:
    """The rotor turns with length and twist: a tendon that is their difference keeps its length."""
    name = f"{rotor.name}-gear"
    _sum(tendons, name, {rotor.name: 1.0} | _travel(chain, -rotor.along, -rotor.twisted))
    put(equality, "tendon", name=name, tendon1=name, polycoef="0 0 0 0 0", **_STIFF)


def _travel(chain: Chain, along: float, twisted: float) -> dict[str, float]:
    share = {chain.drive_joint: along}
    return share | ({chain.twist_joint: twisted} if twisted else {})


def _sum(tendons: Any, name: str, shares: dict[str, float], **given: Any) -> None:
    fixed = put(tendons, "fixed", name=name, **given)
    for joint, share in shares.items():
        put(fixed, "joint", joint=joint, coef=share)


def _inertial(element: Any, body: Body, what: str) -> None:
    I = solid(body, what, "MuJoCo")
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    put(element, "inertial", pos=body.center, mass=body.mass, fullinertia=six)


def _place(position: Array, rotation: Array) -> dict[str, Array]:
    return {"pos": position, "quat": quaternion_from_rotation(rotation)}
