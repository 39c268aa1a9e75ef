"""MJCF for MuJoCo: the machine with its loops closed by connect constraints, joints by leg, actuators on the drives.

Every leg is a chain from the base; its tip is tied to the platform.  MuJoCo's constraints are soft, here made nearly
hard: accelerations agree with the exact model to about a thousandth of gravity.  Damping is the friction of the
actuator and universal joints (a ball joint's friction has no place here); drives are armature.  A rotor riding on a
leg (`Drive.rotor_axis`), a body without mass or a tensor that no body can have is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.model import PUS, RUS, SPS, UPS, Body, Leg, Platform
from gough.spatial import Pose, quaternion_from_rotation, rotation_exp


def mjcf(platform: Platform, pose: Pose | None = None) -> str:
    """The model as XML; all bodies are placed at `pose` (default: the machine's home), where every joint reads zero
    except actuators, which read their coordinate."""
    pose = pose or platform.home
    if pose is None:
        raise InputError("pose", None, "the machine has no home pose: give one")
    coordinates = inverse_kinematics(platform, pose).length
    root = ElementTree.Element("mujoco", model=platform.name or "platform")
    _put(root, "compiler", angle="radian", inertiafromgeom="false")
    _put(root, "option", gravity=_numbers(platform.gravity), timestep="0.0005",
                           integrator="implicitfast", iterations="200", tolerance="1e-12")
    world = _put(root, "worldbody")
    top = _put(world, "body", name="platform", **_place(pose.position, pose.rotation))
    _put(top, "freejoint", name="platform")
    _inertial(top, platform.body)
    equality = _put(root, "equality")
    actuators = _put(root, "actuator")
    for leg, name, coordinate in zip(platform.legs, platform.leg_names, coordinates, strict=True):
        tip = _leg(world, leg, name, pose.position + pose.rotation @ leg.joint, float(coordinate))
        _put(equality, "connect", name=f"{name}-ball", body1=tip, body2="platform",
                               anchor=_numbers(_tip_anchor(leg)), solref="0.002 1", solimp="0.9999 0.99999 0.001 0.5 2")
        _put(actuators, "motor", name=name, joint=f"{name}-drive", gear="1")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def save_mjcf(platform: Platform, path: str | Path, pose: Pose | None = None) -> Path:
    """Write the model to a file."""
    path = Path(path)
    path.write_text(mjcf(platform, pose))
    return path


def _tip_anchor(leg: Leg) -> Array:
    """The platform joint in the frame of the leg's last body."""
    return np.array([leg.length, 0.0, 0.0]) if isinstance(leg, (PUS, RUS)) else np.zeros(3)


def _leg(world: Any, leg: Leg, name: str, joint: Array, coordinate: float) -> str:
    """Bodies and joints of one leg; the name of the body that carries the tip."""
    drive = leg.drive
    if drive is not None and drive.rotor_axis is not None and drive.rotor_inertia > 0:
        raise InputError(f"legs.{name}.drive.rotor_axis", drive.rotor_axis, "MJCF has no rotor riding on a leg")
    armature = 0.0 if drive is None else drive.reflected_inertia
    driven = {"name": f"{name}-drive", "ref": _number(coordinate), "armature": _number(armature),
              "damping": _number(leg.friction.prismatic)}
    if isinstance(leg, (UPS, SPS)):
        k = leg.axis if isinstance(leg, UPS) else leg.reference
        T = _frame(k, joint - leg.base)
        lower = _put(world, "body", name=f"{name}-lower", **_place(leg.base, T))
        _swivel(lower, leg, name, T.T @ k)
        _inertial(lower, leg.lower)
        upper = _put(lower, "body", name=f"{name}-upper",
                                       **_place(np.array([coordinate, 0.0, 0.0]), np.eye(3)))
        _put(upper, "joint", type="slide", axis="1 0 0", **driven)
        _inertial(upper, leg.upper)
        return f"{name}-upper"
    if isinstance(leg, PUS):
        carrier = _put(world, "body", name=f"{name}-slider",
                                         **_place(leg.base + coordinate * leg.rail, np.eye(3)))
        _put(carrier, "joint", type="slide", axis=_numbers(leg.rail), **driven)
        _inertial(carrier, Body(leg.slider_mass, leg.slider_center))
        foot, turned = np.zeros(3), np.eye(3)
        tail = leg.base + coordinate * leg.rail
    else:
        turned = rotation_exp(coordinate * leg.shaft)
        carrier = _put(world, "body", name=f"{name}-crank", **_place(leg.base, turned))
        _put(carrier, "joint", type="hinge", axis=_numbers(leg.shaft), **driven)
        _inertial(carrier, leg.crank)
        foot = leg.arm
        tail = leg.base + turned @ leg.arm
    k = turned @ leg.axis
    T = _frame(k, joint - tail)
    link = _put(carrier, "body", name=f"{name}-link", **_place(foot, turned.T @ T))
    _swivel(link, leg, name, T.T @ k)
    _inertial(link, leg.link)
    return f"{name}-link"


def _swivel(body: Any, leg: Leg, name: str, k: Array) -> None:
    """The universal joint as two hinges, k then y; a ball for SPS."""
    damping = _number(leg.friction.universal)
    if isinstance(leg, SPS):
        _put(body, "joint", name=f"{name}-ball-base", type="ball", damping=damping)
        return
    _put(body, "joint", name=f"{name}-k", type="hinge", axis=_numbers(k), damping=damping)
    _put(body, "joint", name=f"{name}-y", type="hinge", axis="0 1 0", damping=damping)


def _frame(k: Array, strut: Array) -> Array:
    """Leg axes ``[s, y, s x y]``, ``y = k x s/|k x s|``."""
    s = strut / np.linalg.norm(strut)
    y = np.cross(k, s)
    y /= np.linalg.norm(y)
    return np.stack([s, y, np.cross(s, y)], axis=1)


def _inertial(element: Any, body: Body) -> None:
    if body.mass <= 0.0:
        raise InputError("body.mass", body.mass, "MuJoCo moves no body without mass")
    I = body.inertia
    full = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    if not I.any():  # a point mass; MuJoCo wants a positive tensor, that of a grain of 0.03 mm
        full = tuple(1e-9 * body.mass if i < 3 else 0.0 for i in range(6))
    else:
        moments = np.linalg.eigvalsh(I)
        if moments[0] <= 0.0 or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
            raise InputError("body.inertia", I.tolist(), "no body can have it: MuJoCo refuses such a tensor")
    _put(element, "inertial", pos=_numbers(body.center), mass=_number(body.mass),
                           fullinertia=_numbers(full))


def _put(parent: Any, tag: str, **attributes: str) -> Any:
    return ElementTree.SubElement(parent, tag, dict(attributes))


def _place(position: Array, rotation: Array) -> dict[str, str]:
    return {"pos": _numbers(position), "quat": _numbers(quaternion_from_rotation(rotation))}


def _number(value: float) -> str:
    return repr(float(value))


def _numbers(values: Any) -> str:
    return " ".join(_number(v) for v in values)
