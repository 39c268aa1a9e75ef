"""The legs of a machine at one pose as chains of bodies and joints, built from the fields that a leg has.

rail or shaft      a slider or crank carries the base-side joint, else the base does
axis               that joint is universal, else a ball;  platform_axis  the same of the platform joint
lower and upper    two parts that slide, and turn where both joints leave them to (UCU, UCS), else a rod `link`
fixed              a length that is held: no slide, no actuator
base_offset, platform_offset  a cross piece between axes that do not meet
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gough.checks import Array, InputError
from gough.export.linkage import WORLD, Chain, Freedom, Part, Rotor
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Body, Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from gough.twist import cylinders, twist

_X, _Y, _Z = np.eye(3)


class _Place(NamedTuple):
    """A leg at a pose: rotation of what carries its base-side joint, that joint, the ends of its strut (on its axis),
    axes of its lower part or rod and of its upper part, rotation of the platform; world axes."""

    carrier: Array
    foot: Array
    low: Array
    high: Array
    T: Array
    T_u: Array
    R: Array


def chains(platform: Platform, pose: Pose | None, language: str) -> tuple[Pose, tuple[Chain, ...]]:
    """The six legs at `pose` (default: the machine's home), and that pose; `language` is named in refusals."""
    pose = pose or platform.require_home()
    if pose.shape != ():
        raise InputError("pose", f"batch shape {pose.shape}", "must be a single pose")
    twice = [name for name, count in Counter(platform.leg_names).items() if count > 1]
    if twice:
        problem = f"two legs of this name: {language} needs names that differ"
        raise InputError("legs.name", twice[0], problem)
    coordinates = inverse_kinematics(platform, pose, engine="python").length.tolist()
    return pose, tuple(_chain(platform, i, pose, l) for i, l in enumerate(coordinates))


def _chain(platform: Platform, i: int, pose: Pose, coordinate: float) -> Chain:
    leg: Any = platform.legs[i]
    name, at = platform.leg_names[i], _placed(platform, i, pose, coordinate)
    parts: list[Part] = []
    if hasattr(leg, "rail"):
        slider = Body(leg.slider_mass, leg.slider_center)
        drive = _driven(leg, name, "slide", leg.rail, coordinate)
        parts.append(Part(f"{name}-slider", WORLD, slider, at.foot, np.eye(3), (drive,)))
    elif hasattr(leg, "shaft"):
        drive = _driven(leg, name, "hinge", leg.shaft, coordinate)
        parts.append(Part(f"{name}-crank", WORLD, leg.crank, leg.base, at.carrier, (drive,)))
    two = hasattr(leg, "lower")
    word, body = ("lower", leg.lower) if two else ("link", leg.link)
    swivel = _foot(platform, i, at)
    cross = getattr(leg, "base_offset", None)
    if cross is not None:
        parts.append(_cross_below(leg, name, at, swivel[0]))
        swivel = (replace(swivel[1], at=np.array([0.0, -cross.f, -cross.d])),)
    parent = parts[-1].name if parts else WORLD
    parts.append(Part(f"{name}-{word}", parent, body, at.low, at.T, swivel))
    rotors: tuple[Rotor, ...] = ()
    tip, screw = np.zeros(3), 0.0
    if two:
        thread = getattr(leg, "screw", None)
        screw = 0.0 if thread is None else thread.travel
        freedoms = _pair(platform, i, at)
        parts.append(Part(f"{name}-upper", parts[-1].name, leg.upper, at.high, at.T_u, freedoms))
        above = thread is not None and thread.mount == "upper"
        rotors = _rotors(leg, name, parts[-1 if above else -2].name, screw)
    else:
        tip = np.array([leg.length, 0.0, 0.0])
    top = _top(platform, i, at)
    if getattr(leg, "platform_offset", None) is not None:
        parts.append(_cross_above(leg, name, at, parts[-1], top[0]))
        top = top[1:]
    return Chain(name, leg, coordinate, tuple(parts), tip, top, rotors, screw)


def _placed(platform: Platform, i: int, pose: Pose, coordinate: float) -> _Place:
    leg: Any = platform.legs[i]
    name, g = platform.leg_names[i], struts(platform, pose)
    low, high = g.start[i], g.end[i]
    strut, R = high - low, pose.rotation
    carrier = rotation_exp(coordinate * leg.shaft) if hasattr(leg, "shaft") else np.eye(3)
    foot = leg.base if getattr(leg, "base_offset", None) is not None else low
    top = R @ leg.platform_axis if hasattr(leg, "platform_axis") else None
    free = _reference(leg, strut) if hasattr(leg, "reference") else None
    below = carrier @ leg.axis if hasattr(leg, "axis") else None
    own = next(k for k in (below, top, free) if k is not None)
    upper = next(k for k in (top, free, below) if k is not None)
    T = _frame(name, own, strut, "axis")
    T_u = _frame(name, upper, strut, "axis" if top is None else "platform_axis")
    return _Place(carrier, foot, low, high, T, T_u, R)


def _driven(leg: Any, name: str, kind: str, axis: Array, coordinate: float) -> Freedom:
    own = {"damping": leg.friction.prismatic, "reading": coordinate, "driven": True}
    return Freedom(f"{name}-drive", kind, axis, **own)


def _foot(platform: Platform, i: int, at: _Place) -> tuple[Freedom, ...]:
    """The base-side joint: universal, k then y, or a ball."""
    leg: Any = platform.legs[i]
    name, damping = platform.leg_names[i], leg.friction.universal
    if not hasattr(leg, "axis"):
        return (Freedom(f"{name}-ball-base", "ball", damping=damping),)
    own = leg.springs
    springs = _relaxed(platform, i, at, leg.axis, (own.first, own.second), above=False)
    axes = (at.T.T @ at.carrier @ leg.axis, _Y)
    return tuple(
        Freedom(f"{name}-{letter}", "hinge", axis, damping, *spring)
        for letter, axis, spring in zip("ky", axes, springs, strict=True)
    )


def _top(platform: Platform, i: int, at: _Place) -> tuple[Freedom, ...]:
    """The platform joint in the platform's axes: a ball, or universal, y (the leg's own axis) then k."""
    leg: Any = platform.legs[i]
    name, damping = platform.leg_names[i], leg.friction.spherical
    if not hasattr(leg, "platform_axis"):
        return (Freedom(f"{name}-ball", "ball", damping=damping),)
    stiffness = (
        getattr(leg.springs, "platform_first", 0.0),
        getattr(leg.springs, "platform_second", 0.0),
    )
    springs = _relaxed(platform, i, at, leg.platform_axis, stiffness, above=True)
    axes = (at.R.T @ at.T_u[:, 1], leg.platform_axis)
    return tuple(
        Freedom(f"{name}-{letter}p", "hinge", axis, damping, *spring)
        for letter, axis, spring in zip("yk", axes, springs[::-1], strict=True)
    )


def _relaxed(
    platform: Platform, i: int, now: _Place, k: Array, stiffness: tuple[float, float], above: bool
) -> list[tuple[float, float]]:
    """Stiffness of a universal joint about k and y, and where each spring is relaxed, counted from the pose; at the
    platform the joint turns the platform against the leg, so that its readings are the other way round."""
    if not any(stiffness):
        return [(0.0, 0.0), (0.0, 0.0)]
    pose = platform.legs[i].springs.home or platform.require_home()
    length = float(inverse_kinematics(platform, pose, engine="python").length[i])
    rest = _placed(platform, i, pose, length)
    T, T_0 = (p.R.T @ p.T_u if above else p.carrier.T @ p.T for p in (now, rest))
    first = np.arctan2(k @ np.cross(T_0[:, 1], T[:, 1]), T_0[:, 1] @ T[:, 1])
    second, second_0 = (np.arctan2(-k @ A[:, 0], k @ A[:, 2]) for A in (T, T_0))
    bent, sign = (first, second - second_0), 1.0 if above else -1.0
    return [(s, sign * float(angle)) for s, angle in zip(stiffness, bent, strict=True)]


def _pair(platform: Platform, i: int, at: _Place) -> tuple[Freedom, ...]:
    """How the upper part moves in the lower one: slides where it is driven, turns where nothing else holds it."""
    leg: Any = platform.legs[i]
    name, length = platform.leg_names[i], float(np.linalg.norm(at.high - at.low))
    slide = () if _held(leg) else (_driven(leg, name, "slide", _X, length),)
    turning, turned = (f"{name}-twist", "hinge", _X), leg.friction.cylindrical
    if not hasattr(leg, "platform_axis"):
        free = hasattr(leg, "axis") and hasattr(leg, "reference")
        return (*slide, Freedom(*turning, turned)) if free else slide
    pairs = cylinders(platform)
    assert pairs is not None
    home = float(pairs.zero[pairs.legs.index(i)])
    phi = float(twist(leg.axis, at.R @ leg.platform_axis, at.T_u[:, 0], home))
    start = 0.0 if leg.screw is None else leg.screw.zero
    spring = (leg.torsion, leg.torsion_rest - phi, phi - start)
    return (*slide, Freedom(*turning, turned, *spring))


def _held(leg: Any) -> bool:
    """A fixed link."""
    return getattr(leg, "fixed", None) is not None


def _cross_below(leg: Any, name: str, at: _Place, first: Freedom) -> Part:
    """The piece between the axes of the base joint: at that joint, axes [n, y, k]."""
    axes = _normal_frame(leg.axis, at.T[:, 1])
    turning = (replace(first, axis=_Z),)
    return Part(f"{name}-cross-base", WORLD, leg.base_offset.cross, at.foot, axes, turning)


def _cross_above(leg: Any, name: str, at: _Place, upper: Part, second: Freedom) -> Part:
    """The piece between the axes of the platform joint: at that joint, axes [n, y, k]; it turns about y on the leg."""
    axes, own = _normal_frame(at.R @ leg.platform_axis, at.T_u[:, 1]), leg.platform_offset
    pin = at.high - at.T_u @ np.array([0.0, own.f, own.d])
    joint = pin - own.e * axes[:, 0]
    turning = (replace(second, axis=_Y, at=axes.T @ (pin - joint)),)
    return Part(f"{name}-cross-platform", upper.name, own.cross, joint, axes, turning)


def _normal_frame(k: Array, y: Array) -> Array:
    return np.stack([np.cross(y, k), y, k], axis=1)


def _rotors(leg: Any, name: str, carrier: str, screw: float) -> tuple[Rotor, ...]:
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


def _reference(leg: Any, strut: Array) -> Array:
    """Direction that fixes the spin: the leg's own, or any other where the spin cannot be seen."""
    across = np.linalg.norm(np.cross(leg.reference, strut))
    if leg.axisymmetric and across < 0.1 * np.linalg.norm(strut):
        return np.eye(3)[int(np.argmin(np.abs(strut)))]
    return leg.reference


def _frame(name: str, k: Array, strut: Array, field: str) -> Array:
    """Leg axes ``[s, y, s x y]``, ``y = k x s/|k x s|``."""
    s = strut / np.linalg.norm(strut)
    y = np.cross(k, s)
    across = np.linalg.norm(y)
    if not across > 1e-9:
        problem = "lies along the leg at this pose: its joint is singular"
        raise InputError(f"legs.{name}.{field}", k.tolist(), problem)
    y /= across
    return np.stack([s, y, np.cross(s, y)], axis=1)
