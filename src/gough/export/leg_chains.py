"""The legs of a machine at one pose as chains of bodies and joints, for every leg type."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from gough.checks import Array, InputError
from gough.export.linkage import WORLD, Chain, Freedom, Part, Rotor
from gough.kinematics.inverse import inverse_kinematics
from gough.model import PUS, RUS, SPS, UCU, UPS, Body, Leg, Platform
from gough.spatial import Pose, rotation_exp
from gough.twist import cylinders, twist

_X, _Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def chains(platform: Platform, pose: Pose | None, language: str) -> tuple[Pose, tuple[Chain, ...]]:
    """The six legs at `pose` (default: the machine's home), and that pose; `language` is named in refusals."""
    pose = pose or platform.require_home()
    if pose.shape != ():
        raise InputError("pose", f"batch shape {pose.shape}", "must be a single pose")
    twice = [name for name, count in Counter(platform.leg_names).items() if count > 1]
    if twice:
        problem = f"two legs of this name: {language} needs names that differ"
        raise InputError("legs.name", twice[0], problem)
    for leg, name in zip(platform.legs, platform.leg_names, strict=True):
        if not isinstance(leg, (UPS, SPS, PUS, RUS, UCU)):
            raise InputError(f"legs.{name}", type(leg).__name__, f"{language} has no such leg here")
    return pose, tuple(_sprung(platform, i, made) for i, made in enumerate(_made(platform, pose)))


def _made(platform: Platform, pose: Pose) -> list[Chain]:
    """The legs without the springs of their joints."""
    coordinates = inverse_kinematics(platform, pose, engine="python").length.tolist()
    found = []
    for i, (leg, coordinate) in enumerate(zip(platform.legs, coordinates, strict=True)):
        name = platform.leg_names[i]
        if isinstance(leg, UCU):
            found.append(_cylinder(platform, i, pose, coordinate))
        elif isinstance(leg, (UPS, SPS)):
            found.append(_strut(leg, name, pose, coordinate))
        else:
            found.append(_carried(leg, name, pose, coordinate))
    return found


def _strut(leg: UPS | SPS, name: str, pose: Pose, length: float) -> Chain:
    joint = _joint(leg, pose)
    k = leg.axis if isinstance(leg, UPS) else _reference(leg, joint)
    lower = _lower(leg, name, _frame(name, k, joint - leg.base))
    top = leg.base + length * lower.rotation[:, 0]
    drive = _sliding(leg, name, length)
    upper = Part(f"{name}-upper", lower.name, leg.upper, top, lower.rotation, drive)
    rotors = _rotors(leg, name, lower.name)
    return Chain(name, leg, length, (lower, upper), np.zeros(3), _ball(leg, name), rotors)


def _cylinder(platform: Platform, i: int, pose: Pose, coordinate: float) -> Chain:
    """Lower part, upper part that slides and turns in it, universal joint the other way round."""
    leg, name, turned = platform.legs[i], platform.leg_names[i], cylinders(platform)
    assert isinstance(leg, UCU)
    assert turned is not None
    joint, k_p = _joint(leg, pose), pose.rotation @ leg.platform_axis
    lower = _lower(leg, name, _frame(name, leg.axis, joint - leg.base))
    T_u = _frame(name, k_p, joint - leg.base, "platform_axis")
    home = float(turned.zero[turned.legs.index(i)])
    phi = float(twist(leg.axis, k_p, T_u[:, 0], home))
    length = float(np.linalg.norm(joint - leg.base))
    screw, start = (0.0, 0.0) if leg.screw is None else (leg.screw.travel, leg.screw.zero)
    turn = Freedom(
        f"{name}-twist",
        "hinge",
        _X,
        damping=leg.friction.cylindrical,
        stiffness=leg.torsion,
        rest=leg.torsion_rest - phi,
        reading=phi - start,
    )
    slide = _sliding(leg, name, length)
    upper = Part(f"{name}-upper", lower.name, leg.upper, joint, T_u, (*slide, turn))
    above = leg.screw is not None and leg.screw.mount == "upper"
    rotors = _rotors(leg, name, (upper if above else lower).name, screw)
    top = _universal(name, "p", (pose.rotation.T @ T_u[:, 1], leg.platform_axis))
    top = tuple(replace(freedom, damping=leg.friction.spherical) for freedom in top)
    return Chain(name, leg, coordinate, (lower, upper), np.zeros(3), top, rotors, screw)


def _carried(leg: PUS | RUS, name: str, pose: Pose, coordinate: float) -> Chain:
    if isinstance(leg, PUS):
        tail = leg.base + coordinate * leg.rail
        slider, place = Body(leg.slider_mass, leg.slider_center), (tail, np.eye(3))
        drive = _driven(leg, name, "slide", leg.rail, coordinate)
        carrier = Part(f"{name}-slider", WORLD, slider, *place, (drive,))
    else:
        turned = rotation_exp(coordinate * leg.shaft)
        tail, place = leg.base + turned @ leg.arm, (leg.base, turned)
        drive = _driven(leg, name, "hinge", leg.shaft, coordinate)
        carrier = Part(f"{name}-crank", WORLD, leg.crank, *place, (drive,))
    k = carrier.rotation @ leg.axis
    T = _frame(name, k, _joint(leg, pose) - tail)
    swivel = _rubbing(_universal(name, "", (T.T @ k, _Y)), leg.friction.universal)
    link = Part(f"{name}-link", carrier.name, leg.link, tail, T, swivel)
    tip = np.array([leg.length, 0.0, 0.0])
    return Chain(name, leg, coordinate, (carrier, link), tip, _ball(leg, name))


def _joint(leg: Leg, pose: Pose) -> Array:
    """The platform joint in the world."""
    return pose.position + pose.rotation @ leg.joint


def _lower(leg: UPS | SPS | UCU, name: str, T: Array) -> Part:
    """The part at the base joint: universal, first axis fixed to the base, or a ball."""
    swivel = (Freedom(f"{name}-ball-base", "ball"),)
    if not isinstance(leg, SPS):
        swivel = _universal(name, "", (T.T @ leg.axis, _Y))
    swivel = _rubbing(swivel, leg.friction.universal)
    return Part(f"{name}-lower", WORLD, leg.lower, leg.base, T, swivel)


def _universal(name: str, mark: str, axes: tuple[Array, Array]) -> tuple[Freedom, ...]:
    """Two hinges, k then y at the base side; at the platform (mark p) y then k: the leg's own axis is the inner one."""
    letters = "ky" if not mark else "yk"
    pairs = zip(letters, axes, strict=True)
    return tuple(Freedom(f"{name}-{letter}{mark}", "hinge", axis) for letter, axis in pairs)


def _rubbing(freedoms: tuple[Freedom, ...], damping: float) -> tuple[Freedom, ...]:
    return tuple(replace(freedom, damping=damping) for freedom in freedoms)


def _ball(leg: Leg, name: str) -> tuple[Freedom, ...]:
    return (Freedom(f"{name}-ball", "ball", damping=leg.friction.spherical),)


def _sliding(leg: UPS | SPS | UCU, name: str, length: float) -> tuple[Freedom, ...]:
    """Of the upper part in the lower one; none in a fixed link."""
    return () if leg.fixed is not None else (_driven(leg, name, "slide", _X, length),)


def _driven(leg: Leg, name: str, kind: str, axis: Array, coordinate: float) -> Freedom:
    own = {"damping": leg.friction.prismatic, "reading": coordinate, "driven": True}
    return Freedom(f"{name}-drive", kind, axis, **own)


def _rotors(leg: UPS | SPS | UCU, name: str, carrier: str, screw: float = 0.0) -> tuple[Rotor, ...]:
    """Motor and screw: both turn with the travel ``length + screw twist`` of the actuator."""
    found, thread = [], getattr(leg, "screw", None)
    if thread is not None and thread.inertia > 0.0:
        turns = thread.rotor_turns
        found.append(Rotor(f"{name}-screw", carrier, _X, thread.inertia, turns, turns * screw))
    drive = leg.drive
    if drive is not None and drive.rotor_axis is not None and drive.rotor_inertia > 0.0:
        spin, nu = (drive.rotor_axis, drive.rotor_inertia), drive.ratio
        found.append(Rotor(f"{name}-rotor", carrier, *spin, nu, nu * screw))
    return tuple(found)


def _sprung(platform: Platform, i: int, now: Chain) -> Chain:
    """The chain with the springs of its base-side universal joint."""
    leg = now.leg
    if isinstance(leg, SPS) or not leg.springs.any:
        return now
    k = leg.axis
    rest = _made(platform, leg.springs.home or platform.require_home())[i]
    T, T_0 = (_held(chain) for chain in (now, rest))
    first = np.arctan2(k @ np.cross(T_0[:, 1], T[:, 1]), T_0[:, 1] @ T[:, 1])
    second, second_0 = (np.arctan2(-k @ A[:, 0], k @ A[:, 2]) for A in (T, T_0))
    bent = (leg.springs.first, first), (leg.springs.second, second - second_0)
    parts = [
        part
        if part.kinds != ("hinge", "hinge")
        else replace(
            part,
            freedoms=tuple(
                replace(freedom, stiffness=stiffness, rest=-float(angle))
                for freedom, (stiffness, angle) in zip(part.freedoms, bent, strict=True)
            ),
        )
        for part in now.parts
    ]
    return replace(now, parts=tuple(parts))


def _held(chain: Chain) -> Array:
    """Axes of the strut as what carries its universal joint holds them."""
    (strut,) = (part for part in chain.parts if part.kinds == ("hinge", "hinge"))
    carriers = [part.rotation for part in chain.parts if part.name == strut.parent]
    return carriers[0].T @ strut.rotation if carriers else strut.rotation


def _reference(leg: SPS, joint: Array) -> Array:
    """Direction that fixes the spin: the leg's own, or any other where the spin cannot be seen."""
    strut = joint - leg.base
    across = np.linalg.norm(np.cross(leg.reference, strut))
    if leg.axisymmetric and across < 0.1 * np.linalg.norm(strut):
        return np.eye(3)[int(np.argmin(np.abs(strut)))]
    return leg.reference


def _frame(name: str, k: Array, strut: Array, field: str = "axis") -> Array:
    """Leg axes ``[s, y, s x y]``, ``y = k x s/|k x s|``."""
    s = strut / np.linalg.norm(strut)
    y = np.cross(k, s)
    across = np.linalg.norm(y)
    if not across > 1e-9:
        problem = "lies along the leg at this pose: its joint is singular"
        raise InputError(f"legs.{name}.{field}", k.tolist(), problem)
    y /= across
    return np.stack([s, y, np.cross(s, y)], axis=1)
