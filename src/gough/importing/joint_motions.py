"""A motion of the platform from a table of joint coordinates, under the names that the joints have in an exported file.

The drives' columns (of screws the twists' too) give the pose, by forward kinematics along the branch of the file's
pose.  What else the table says must agree: each leg whose joints are all there is placed joint by joint, and its tip
must meet the platform; where it does not, the table is refused with the distance.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from gough.checks import Array, InfeasibleError, InputError, number
from gough.export.joint_readings import joint_columns
from gough.export.leg_chains import chains
from gough.export.linkage import PLATFORM, Chain, Freedom, Part
from gough.kinematics.forward import forward_kinematics, track
from gough.model import Platform
from gough.model.offset import offset
from gough.rotations import rotation_exp, rotation_x, rotation_y, rotation_z
from gough.spatial import Pose, rotation_from_quaternion, rotation_log
from gough.trajectory.recorded import check_file, read_columns
from gough.trajectory.spline import PoseSpline
from gough.trajectory.waypoints import through_motion
from gough.twist import screwed

_UNITS = {"m": "length", "rad": "angle", "1": ""}
Columns = dict[str, Array]


def joint_motion(
    platform: Platform,
    path: str | os.PathLike[str],
    *,
    form: str = "urdf",
    pose: Pose | None = None,
    attach: str | None = None,
    tolerance: float = 1e-6,
) -> PoseSpline:
    """The motion in a CSV file of joint coordinates (`gough.export.joint_table`), a C2 spline through its samples.

    form, pose, attach  of the file whose joints these are, as of `joint_table`
    tolerance           by how much loops may be open, m (and what a joint at the platform may be turned, rad)
    Columns are ``time [s]`` and joint names with their units, m and rad where none is said; the drives' must be there.
    """
    file = Path(path)
    check_file("path", file, "a CSV file of joint coordinates")
    limit = number("tolerance", tolerance, minimum=0.0)
    start, legs = chains(platform, pose, form.upper())
    first = Pose(start.position[None], start.rotation[None])
    known = joint_columns(platform, first, form, pose, attach)
    groups = {c.name.lower(): ((c.name.lower(),), _UNITS[c.unit]) for c in known}
    data = {name: x[..., 0] if x.ndim == 2 else x for name, x in read_columns(file, groups).items()}
    if "time" not in data:
        raise InputError(f"{file.name}: time", "missing", "must be there: a motion needs its time")
    zero = {c.name.lower(): float(c.values[0]) for c in known}
    moved = {name: x - zero[name] for name, x in data.items() if name in zero}
    coordinates = np.stack([_coordinate(file.name, chain, moved) for chain in legs], axis=-1)
    if len(coordinates) != len(data["time"]):
        raise InputError(file.name, "no drives", "must have samples of driven joints")
    poses = _followed(platform, coordinates, start, data["time"])
    wrong = _Checked(file.name, data["time"], poses, start, limit)
    for chain in legs:
        wrong.leg(chain, data, moved, form)
    wrong.platform(data, form)
    return through_motion(data["time"] - data["time"][0], poses.position, poses.rotation)


def _coordinate(label: str, chain: Chain, moved: Columns) -> Array:
    """Actuator coordinate of a leg from its columns: what a screw travels is slide and twist."""
    if not chain.driven:
        length = np.full(len(next(iter(moved.values()))), chain.leg.fixed)  # type: ignore[union-attr]
        return length
    needed = [chain.drive_joint] + ([chain.twist_joint] if chain.screw else [])
    for name in needed:
        if name.lower() not in moved:
            raise InputError(
                f"{label}: {name}", "missing", "must be there: it says where the leg is"
            )
    travel = moved[chain.drive_joint.lower()]
    if chain.screw:
        travel = travel + chain.screw * moved[chain.twist_joint.lower()]
    return chain.coordinate + travel


def _followed(platform: Platform, lam: Array, start: Pose, time: Array) -> Pose:
    """Poses along one branch."""
    if not screwed(platform) and not any(map(offset, platform.legs)):
        fk: Any = track(platform, lam, start, time=time if len(time) > 1 else None)
        bad = ~np.asarray(fk.success)
        if bad.any():
            i = int(np.argmax(bad))
            raise InfeasibleError(f"joint coordinates at t = {time[i]:.6g} s: {fk.status[i].value}")
        return fk.pose
    found = []
    for t, row in zip(time, lam, strict=True):
        one = forward_kinematics(platform, row, guess=start)
        if not bool(one.success):
            raise InfeasibleError(f"joint coordinates at t = {t:.6g} s: {one.status.value}")  # type: ignore[union-attr]
        start = one.pose
        found.append(start)
    return Pose(np.array([p.position for p in found]), np.array([p.rotation for p in found]))


class _Checked:
    """What a table says beside its drives, against the poses that these give."""

    def __init__(self, label: str, time: Array, poses: Pose, start: Pose, limit: float) -> None:
        self.label, self.time, self.poses, self.start, self.limit = label, time, poses, start, limit

    def _small(self, what: str, off: Array, unit: str) -> None:
        n = int(np.argmax(off))
        if not off[n] <= self.limit:
            at = f"t = {self.time[n]:.6g} s"
            why = f"{what} by {off[n]:.4g} {unit} against what the drives say, more than {self.limit:g}"
            raise InputError(self.label, at, why)

    def _turned(self, what: str, rotation: Array) -> None:
        between = np.swapaxes(rotation, -1, -2) @ self.poses.rotation
        self._small(what, np.linalg.norm(rotation_log(between), axis=-1), "rad")

    def leg(self, chain: Chain, data: Columns, moved: Columns, form: str) -> None:
        """Place a leg joint by joint, if all of its joints are in the table."""
        count = len(self.time)
        R, p = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
        for part in chain.parts:
            for freedom in part.freedoms:
                step = _step(chain, part, freedom, data, moved, form)
                if step is None:
                    return
                R, p = R @ step[0], p + (R @ step[1][..., None])[..., 0]
        end = chain.parts[-1]
        tip = R @ (end.position + end.rotation @ chain.tip) + p
        joint = self.poses.position + self.poses.rotation @ chain.leg.joint
        off = np.linalg.norm(tip - joint, axis=-1)
        self._small(f"the loop of leg {chain.name} is open", off, "m")
        if chain.ball or any(f.name.lower() not in moved for f in chain.top):
            return
        for freedom in chain.top:
            axis = self.start.rotation @ np.asarray(freedom.axis)
            R = R @ rotation_exp(moved[freedom.name.lower()][:, None] * axis)
        self._turned(f"leg {chain.name} turns the platform", R @ self.start.rotation)

    def platform(self, data: Columns, form: str) -> None:
        """Compare the columns of a free platform, if they are there."""
        name = PLATFORM if form == "mjcf" else f"{PLATFORM}-floating"
        names = [f"{name}_{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz")]
        if any(n not in data for n in names):
            return
        place = np.stack([data[n] for n in names], axis=-1)
        position, rotation = place[:, :3], rotation_from_quaternion(place[:, 3:])
        if form == "urdf":
            position = self.start.position + position @ self.start.rotation.T
            rotation = self.start.rotation @ rotation
        off = np.linalg.norm(position - self.poses.position, axis=-1)
        self._small("the platform is elsewhere", off, "m")
        self._turned("the platform is turned", rotation)


def _step(
    chain: Chain, part: Part, freedom: Freedom, data: Columns, moved: Columns, form: str
) -> tuple[Array, Array] | None:
    """Rotation and shift (world axes at the file's pose) that a joint's readings are; None: they are not there."""
    R, at = part.rotation, part.position
    if freedom.kind == "ball":
        turn = _ball(chain, freedom, data, form)
        if turn is None:
            return None
        Q = R @ turn @ R.T
    else:
        value = moved.get(freedom.name.lower())
        if value is None:
            return None
        axis = R @ np.asarray(freedom.axis)
        if freedom.kind == "slide":
            shift = value[:, None] * axis
            return np.broadcast_to(np.eye(3), (len(value), 3, 3)), shift
        at = at if freedom.at is None else at + R @ freedom.at
        Q = rotation_exp(value[:, None] * axis)
    return Q, at - Q @ at


def _ball(chain: Chain, freedom: Freedom, data: Columns, form: str) -> Array | None:
    ends = [f"_q{x}" for x in "wxyz"] if form == "mjcf" else [f"-{x}" for x in "xyz"]
    name = freedom.name if form == "mjcf" else chain.name
    values = [data.get(f"{name}{end}".lower()) for end in ends]
    if any(value is None for value in values):
        return None
    if form == "mjcf":
        return rotation_from_quaternion(np.stack(values, axis=-1))  # type: ignore[arg-type]
    x, y, z = values
    return rotation_x(x) @ rotation_y(y) @ rotation_z(z)  # type: ignore[arg-type]
