"""What the joints of an exported tree read at poses of the machine: columns by the joints' names in the file.

Readings count from the pose at which the file was written, where every joint reads zero but, in MJCF, drives and
twists, which read their coordinate (`gough.export.mjcf`).  A universal joint with first axis k, leg axes [s, y, z] seen
from what carries it and [s_0, y_0, z_0] those at the pose of the file:
    k   atan2(k.(y_0 x y), y_0.y)            y   atan2(-k.s, k.z) - atan2(-k.s_0, k.z_0)
(at the platform both with the other sign); a ball the rotation from its axes then to its axes now.  Legs that spin
freely are placed without spin, counted from their `reference`.  Angles are continuous over the poses given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.checks import Array, InputError
from gough.export.drive_friction import FRICTIONS
from gough.export.leg_chains import chains
from gough.export.linkage import PLATFORM, Chain
from gough.extras import package
from gough.model import Platform
from gough.spatial import Motion, Pose, quaternion_from_rotation, rotation_exp
from gough.struts import cross, struts
from gough.twist import cylinders, twist

if TYPE_CHECKING:
    from xarray import Dataset

FORMS = ("mjcf", "urdf")


class JointColumn(NamedTuple):
    """One column of a table: its name, unit, values (n,)."""

    name: str
    unit: str
    values: Array


class _Placed(NamedTuple):
    """A leg at poses (n, ...): what carries its base-side joint, its own axes, those of its upper part (one axes for a
    rod), the platform; actuator coordinate, length."""

    carrier: Array
    T: Array
    T_u: Array
    R: Array
    coordinate: Array
    length: Array


def joint_columns(
    platform: Platform,
    poses: Pose | Motion,
    form: str,
    pose: Pose | None = None,
    attach: str | None = None,
    friction: str = "joints",
) -> list[JointColumn]:
    """Readings of all joints of the `form` (mjcf or urdf) written at `pose` (default: home), at `poses` (n,)."""
    if friction not in FRICTIONS:
        raise InputError("friction", friction, f"must be one of {', '.join(FRICTIONS)}")
    if form not in FORMS:
        raise InputError("form", form, "must be mjcf or urdf")
    if attach is not None and (form != "urdf" or attach not in platform.leg_names):
        raise InputError("attach", attach, "must be a leg that carries the platform of a URDF")
    if len(poses.shape) != 1:
        raise InputError("motion", f"batch shape {poses.shape}", "must have one axis")
    start, legs = chains(platform, pose, form.upper())
    first = Pose(start.position[None], start.rotation[None])
    found: list[JointColumn] = []
    for i, chain in enumerate(legs):
        spin = _spin_reference(chain)
        now, then = (_placed(platform, i, where, spin) for where in (poses, first))
        plate = form == "mjcf" and not chain.tied(friction)
        found += _leg(platform, i, chain, now, then, form, plate or chain.name == attach)
    if attach is None:
        found += _free(poses, start, form)
    return found


def _free(poses: Pose | Motion, start: Pose, form: str) -> list[JointColumn]:
    """The platform: in MJCF where it is, in URDF from the origin of its joint."""
    position, rotation = poses.position, poses.rotation
    name = PLATFORM
    if form == "urdf":
        name, back = f"{PLATFORM}-floating", start.rotation.T
        position, rotation = (position - start.position) @ back.T, back @ rotation
    move = [JointColumn(f"{name}_{x}", "m", position[:, j]) for j, x in enumerate("xyz")]
    return move + _quaternion(name, rotation)


def _quaternion(name: str, rotation: Array) -> list[JointColumn]:
    q = quaternion_from_rotation(rotation)
    for n in range(1, len(q)):  # the nearer one of the two
        if q[n] @ q[n - 1] < 0.0:
            q[n] = -q[n]
    return [JointColumn(f"{name}_q{x}", "1", q[:, j]) for j, x in enumerate("wxyz")]


def _leg(
    platform: Platform, i: int, chain: Chain, now: _Placed, then: _Placed, form: str, carries: bool
) -> list[JointColumn]:
    leg: Any = chain.leg
    seen = form == "mjcf"
    found: list[JointColumn] = []
    if chain.driven:
        turns = hasattr(leg, "shaft")
        own = "coordinate" if hasattr(leg, "shaft") or hasattr(leg, "rail") else "length"
        value = getattr(now, own) - (0.0 if seen else getattr(then, own))
        found.append(JointColumn(chain.drive_joint, "rad" if turns else "m", value))
    A, A_0 = (np.swapaxes(x.carrier, -1, -2) @ x.T for x in (now, then))
    if hasattr(leg, "axis"):
        found += _universal(chain.name, "", leg.axis, A, A_0, 1.0)
    else:
        base = chain.name if form == "urdf" else f"{chain.name}-ball-base"
        found += _ball(base, np.swapaxes(A_0, -1, -2) @ A, form)
    turned, turned_0 = (_twisted(platform, i, x) for x in (now, then))
    if turned is not None and turned_0 is not None:
        zero = turned_0[0]
        if seen and hasattr(leg, "platform_axis"):
            zero = 0.0 if leg.screw is None else leg.screw.zero
        found.append(JointColumn(chain.twist_joint, "rad", turned - zero))
    if seen:
        for rotor in chain.rotors:
            spun = rotor.along * (now.length - then.length)
            if rotor.twisted and turned is not None and turned_0 is not None:
                spun = spun + rotor.twisted * (turned - turned_0)
            found.append(JointColumn(rotor.name, "rad", spun))
    B, B_0 = (np.swapaxes(x.R, -1, -2) @ x.T_u for x in (now, then))
    if hasattr(leg, "platform_axis"):
        both = _universal(chain.name, "p", leg.platform_axis, B, B_0, -1.0)
        cross = getattr(leg, "platform_offset", None) is not None  # carried by the leg
        found += both if carries else both[1:] if cross else []
    elif carries:
        found += _ball(f"{chain.name}-ball", B_0 @ np.swapaxes(B, -1, -2), form)
    return found


def _universal(
    name: str, end: str, k: Array, A: Array, A_0: Array, sign: float
) -> list[JointColumn]:
    s, y, z = (A[..., j] for j in range(3))
    s_0, y_0, z_0 = (A_0[..., j] for j in range(3))
    first = np.arctan2(np.cross(y_0, y) @ k, (y_0 * y).sum(axis=-1))
    second = np.arctan2(-s @ k, z @ k) - np.arctan2(-s_0 @ k, z_0 @ k)
    pairs = (("k", first), ("y", second))
    return [JointColumn(f"{name}-{x}{end}", "rad", sign * np.unwrap(a)) for x, a in pairs]


def _ball(name: str, turn: Array, form: str) -> list[JointColumn]:
    """A quaternion, or the angles of three hinges, ``turn = Rx Ry Rz``."""
    if form == "mjcf":
        return _quaternion(name, turn)
    x = np.arctan2(-turn[:, 1, 2], turn[:, 2, 2])
    y = np.arcsin(np.clip(turn[:, 0, 2], -1.0, 1.0))
    z = np.arctan2(-turn[:, 0, 1], turn[:, 0, 0])
    return [
        JointColumn(f"{name}-{letter}", "rad", np.unwrap(a))
        for letter, a in zip("xyz", (x, y, z), strict=True)
    ]


def _twisted(platform: Platform, i: int, at: _Placed) -> Array | None:
    """Angle of the upper part against the lower one; None where it cannot turn."""
    leg: Any = platform.legs[i]
    if not hasattr(leg, "lower") or not hasattr(leg, "axis"):
        return None
    s = at.T[..., 0]
    if hasattr(leg, "platform_axis"):
        pairs = cylinders(platform)
        assert pairs is not None
        home = float(pairs.zero[pairs.legs.index(i)])
        return np.unwrap(twist(leg.axis, at.R @ leg.platform_axis, s, home))
    if not hasattr(leg, "reference"):
        return None
    y, y_u = at.T[..., 1], at.T_u[..., 1]
    return np.unwrap(np.arctan2((s * np.cross(y, y_u)).sum(axis=-1), (y * y_u).sum(axis=-1)))


def _spin_reference(chain: Chain) -> Array | None:
    """From where a spin counts in this file: of a round leg not always its own reference."""
    if not hasattr(chain.leg, "reference"):
        return None
    return chain.parts[-1].rotation[:, 2] if chain.leg.axisymmetric else chain.leg.reference  # type: ignore[union-attr]


def _placed(platform: Platform, i: int, poses: Pose | Motion, spin: Array | None) -> _Placed:
    leg: Any = platform.legs[i]
    g, R = struts(platform, poses), poses.rotation
    s, lam = g.direction[:, i], g.coordinate[:, i]
    carrier = np.broadcast_to(np.eye(3), R.shape)
    if hasattr(leg, "shaft"):
        carrier = rotation_exp(lam[:, None] * leg.shaft)
    top = R @ leg.platform_axis if hasattr(leg, "platform_axis") else None
    below = carrier @ leg.axis if hasattr(leg, "axis") else None
    own = next(k for k in (below, top, spin) if k is not None)
    upper = next(k for k in (top, spin, below) if k is not None)
    length = np.linalg.norm(g.end[:, i] - g.start[:, i], axis=-1)
    return _Placed(carrier, _axes(own, s), _axes(upper, s), R, lam, length)


def _axes(k: Array, s: Array) -> Array:
    y: Array = cross(k, s)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.stack([s, y, cross(s, y)], axis=-1)


def joint_table(
    platform: Platform,
    motion: Motion,
    *,
    form: str = "urdf",
    pose: Pose | None = None,
    attach: str | None = None,
    friction: str = "joints",
) -> Dataset:
    """Readings of all joints of an exported tree over time, a variable per column, for `write_csv` and the others.

    form    urdf or mjcf: whose joints (mimic joints of a URDF are left to its reader)
    pose    at which the file was written (default: home);  attach  the leg that carries the platform of a URDF
    friction  with which the MJCF was written: "all" has joints at the platform where balls rub
    Units m and rad; balls of MJCF and free platforms are quaternions, columns ending in qw, qx, qy, qz.
    """
    xarray = package("xarray")

    if motion.time is None:
        raise InputError("motion", "no time", "must have `time` set")
    columns = joint_columns(platform, motion, form, pose, attach, friction)
    about = {"units": "s", "long_name": "time"}
    variables = {c.name: ("time", c.values, {"units": c.unit}) for c in columns}
    return xarray.Dataset(variables, coords={"time": ("time", motion.time, about)})
