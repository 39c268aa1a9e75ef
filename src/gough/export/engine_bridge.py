"""What the bridges to other engines share: which of their numbers belongs to what, and the way there and back.

A bridge holds the engine's own model and data of the closed machine, and for every joint, leg and part the places of
its numbers in their q and v.  Joints bear the names of the MJCF file and read what they read there
(`gough.export.joint_readings`): drives their coordinate, balls and the free platform quaternions.

    v = P (pd; w)        P (nv, 6), the rates of all joints per twist of the platform (world axes, reference point)
solves the engine's own loop constraints ``J v = 0`` with the platform's part of v given.  Legs that spin freely do not
turn about their struts (``s . W = 0``), as in `gough.inverse_kinematics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, InputError, array
from gough.export.joint_readings import joint_columns
from gough.export.linkage import PLATFORM, Chain
from gough.layout import TWIST
from gough.model import Platform, Spinning
from gough.spatial import Motion, Pose, rotation_from_quaternion


@dataclass(frozen=True)
class JointIndex:
    """A joint of the engine: its number, and where its coordinates and rates stand in q and v."""

    index: int
    q: slice
    v: slice


@dataclass(frozen=True)
class LegIndex:
    """A leg in the engine.

    joints      names of its joints from the base outwards;  drive  that of its actuator (None: a fixed link)
    bodies      numbers of what carries its parts, by their names
    actuator    number of its actuator (None: a fixed link);  constraint  number of what ties it to the platform
    """

    joints: tuple[str, ...]
    drive: str | None
    bodies: dict[str, int]
    actuator: int | None
    constraint: int


class Bridge(ABC):
    """A machine in another engine: its `model`, `data`, and the index maps `joints` and `legs` by name.

    pose           at which the model was built;  platform_body  number of the platform's body
    """

    def __init__(
        self,
        platform: Platform,
        pose: Pose,
        model: Any,
        data: Any,
        joints: dict[str, JointIndex],
        legs: dict[str, LegIndex],
        platform_body: int,
    ) -> None:
        self.platform, self.pose, self.model, self.data = platform, pose, model, data
        self.joints, self.legs, self.platform_body = joints, legs, platform_body

    def __repr__(self) -> str:
        sizes = f"nq = {self.model.nq}, nv = {self.model.nv}, {len(self.legs)} loops"
        return f"<{type(self).__name__} of {self.platform.name}: {sizes}>"

    def q(self, pose: Pose) -> Array:
        """(nq,) configuration of the engine with all loops closed at a pose of the platform."""
        single("pose", pose, Pose)
        one = Pose.trusted(pose.position[None], pose.rotation[None])
        columns = {c.name: float(c.values[0]) for c in self._columns(one)}
        q = np.zeros(self.model.nq)
        for name, joint in self.joints.items():
            own = [columns[column] for column in self._column_names(name, joint)]
            q[joint.q] = own
        return q

    def _columns(self, poses: Pose) -> Any:
        return joint_columns(self.platform, poses, "mjcf", self.pose)

    def _column_names(self, name: str, joint: JointIndex) -> list[str]:
        width = joint.q.stop - joint.q.start
        turned = [f"{name}_q{x}" for x in self.QUATERNION]
        if width == 1:
            return [name]
        return turned if width == 4 else [*(f"{name}_{x}" for x in "xyz"), *turned]

    QUATERNION = "wxyz"

    def projection(self, pose: Pose) -> Array:
        """(nv, 6) rates of all joints per twist of the platform at a pose."""
        q = self.q(pose)
        J, own = np.concatenate([self.loop_jacobian(q), self._spins(q)]), self.joints[PLATFORM].v
        moved = self._platform_rates(pose)
        rest = np.ones(self.model.nv, dtype=bool)
        rest[own] = False
        P = np.zeros((self.model.nv, TWIST.size))
        P[own] = moved
        P[rest] = -np.linalg.lstsq(J[:, rest], J[:, own] @ moved, rcond=None)[0]
        return P

    def v(self, motion: Motion) -> Array:
        """(nv,) rates of the engine at a motion of the platform."""
        single("motion", motion, Motion)
        twist = np.concatenate([motion.velocity, motion.angular_velocity])
        return self.projection(motion.pose) @ twist

    def motion_of(self, q: Any, v: Any) -> Motion:
        """The platform's motion (no acceleration) of a configuration and its rates; the legs are not asked."""
        pose, own = self.pose_of(q), self.joints[PLATFORM].v
        rates = numbers("v", v, self.model.nv)[own]
        twist: Array = np.linalg.solve(self._platform_rates(pose), rates).astype(np.float64)
        return Motion(pose.position, pose.rotation, twist[TWIST.linear], twist[TWIST.angular])

    def pose_of(self, q: Any) -> Pose:
        """The platform's pose of a configuration; the legs are not asked."""
        own = numbers("q", q, self.model.nq)[self.joints[PLATFORM].q]
        wxyz = own[3:][[self.QUATERNION.index(x) for x in "wxyz"]]
        return Pose(own[:3], rotation_from_quaternion(wxyz / np.linalg.norm(wxyz)))

    @property
    def effort_matrix(self) -> Array:
        """(nv, 6) generalized forces per unit effort of the legs; a fixed link's column is zero."""
        B = np.zeros((self.model.nv, len(self.legs)))
        for i, leg in enumerate(self.legs.values()):
            for name, share in self._acts_on(leg).items():
                B[self.joints[name].v, i] = share
        return B

    def _acts_on(self, leg: LegIndex) -> dict[str, float]:
        return {} if leg.drive is None else {leg.drive: 1.0} | self.screws.get(leg.drive, {})

    screws: dict[str, dict[str, float]]

    def closure(self, pose: Pose) -> float:
        """By how much the engine's loops are open at ``q(pose)``, m (rad of turned plates): rounding, where every
        index is right."""
        return self.open_loops(self.q(pose))

    def _spins(self, q: Array) -> Array:
        """(legs that spin freely, nv): how fast their last part turns about its strut."""
        both = zip(self.legs.values(), self.platform.legs, strict=True)
        rows = [self._along_strut(q, at) for at, leg in both if isinstance(leg, Spinning)]
        return np.array(rows).reshape(-1, self.model.nv)

    @abstractmethod
    def _along_strut(self, q: Array, leg: LegIndex) -> Array:
        """(nv,) rate at which the leg's last part turns about its own x axis."""

    @abstractmethod
    def _platform_rates(self, pose: Pose) -> Array:
        """(6, 6) the platform's part of v per twist."""

    @abstractmethod
    def loop_jacobian(self, q: Any) -> Array:
        """(rows, nv) of the loops at a configuration."""

    @abstractmethod
    def open_loops(self, q: Any) -> float:
        """The largest gap of the loops at a configuration, m (rad)."""


def screws_of(legs: tuple[Chain, ...]) -> dict[str, dict[str, float]]:
    """What else a unit effort of a drive acts on: the twist of a leg with a screw."""
    return {c.drive_joint: {c.twist_joint: c.screw} for c in legs if c.screw}


def single(field: str, value: Any, kind: type) -> None:
    """One pose or motion."""
    if not isinstance(value, kind) or value.shape != ():
        raise InputError(field, value, f"must be a single gough.{kind.__name__}")


def numbers(field: str, value: Any, size: int) -> Array:
    """A vector of the engine."""
    found = array(field, value, (size,))
    if found.shape != (size,):
        raise InputError(field, f"shape {found.shape}", f"must be {size} numbers")
    return found
