"""Set-points in packets: their bytes, and a receiver that takes what is newer and sound, and nothing else.

All numbers little-endian; a packet has exactly its size.

set-point, 80 bytes   "GSP1", kind (1 byte: 1 pose, 2 coordinates), 3 bytes zero, sequence (4), 4 bytes zero, time (8),
                      seven numbers (56): pose: position m, quaternion w x y z; coordinates: six in m (rad), then zero
state, 232 bytes      "GSS1", phase (1 byte, see PHASES), 3 bytes zero, sequence of the set-point taken last (4), 4
                      bytes zero, time of the machine (8), 26 numbers (208): position 3, quaternion 4, velocity 3,
                      angular velocity 3 (world axes), coordinates 6, rates 6, age of the last set-point s (-1: none)

Sequence numbers count modulo 2^32; one is newer if it lies less than half a turn ahead.  Times are the sender's
(`SetpointReceiver.sender_time`); nothing is decided by them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gough.checks import Array, InfeasibleError, InputError
from gough.kinematics.forward import forward_kinematics
from gough.limits import ROUNDING, check
from gough.model import Platform
from gough.spatial import Pose, rotation_from_quaternion

SETPOINT = struct.Struct("<4sB3xI4xd7d")
STATE = struct.Struct("<4sB3xI4xd26d")
MAGIC, BACK = b"GSP1", b"GSS1"
POSE, LEGS = 1, 2
TURN = 2**32
UNIT = 1e-6  # by how much the norm of a quaternion may differ from one
PHASES = ("waiting", "following", "holding", "stopping", "stopped", "ended")


class Setpoint(NamedTuple):
    """What a packet says: pose or coordinates, its number and its sender's time, s."""

    kind: int
    sequence: int
    time: float
    values: Array


def pack_pose(sequence: int, time: float, pose: Pose) -> bytes:
    """A set-point packet of a pose."""
    from gough.spatial import quaternion_from_rotation

    seven = (*pose.position, *quaternion_from_rotation(pose.rotation))
    return SETPOINT.pack(MAGIC, POSE, sequence % TURN, time, *seven)


def pack_legs(sequence: int, time: float, coordinates: Any) -> bytes:
    """A set-point packet of six actuator coordinates, m (rad)."""
    six = np.asarray(coordinates, dtype=float)
    if six.shape != (6,):
        raise InputError("coordinates", f"shape {six.shape}", "must be six numbers")
    return SETPOINT.pack(MAGIC, LEGS, sequence % TURN, time, *six, 0.0)


def unpack(data: bytes) -> Setpoint | str:
    """The set-point of a packet, or what is wrong with it."""
    if len(data) != SETPOINT.size:
        return f"{len(data)} bytes, not {SETPOINT.size}"
    magic, kind, sequence, time, *seven = SETPOINT.unpack(data)
    if magic != MAGIC:
        return "not a set-point packet"
    if kind not in (POSE, LEGS):
        return f"kind {kind}"
    values = np.array(seven)
    if not np.isfinite(values).all() or not np.isfinite(time):
        return "a number that is none"
    if np.abs(values).max() > 1e6:
        return "a number beyond any machine"
    if kind == POSE and not abs(np.linalg.norm(values[3:]) - 1.0) <= UNIT:
        return "a quaternion that is no rotation"
    return Setpoint(kind, sequence, float(time), values)


def newer(sequence: int, than: int | None) -> bool:
    """Serial numbers modulo 2^32: ahead by less than half a turn."""
    return than is None or 0 < (sequence - than) % TURN < TURN // 2


@dataclass(eq=False)
class SetpointReceiver:
    """Keeps the newest set-point that the machine can take, and counts the rest; its memory does not grow.

    accepted   taken;  old  late, out of order or twice;  malformed  not a packet;  refused  no place for this machine
    foreign    from another sender than the one that is followed
    reason     why the last one was not taken
    """

    platform: Platform
    accepted: int = 0
    old: int = 0
    malformed: int = 0
    refused: int = 0
    foreign: int = 0
    reason: str = ""
    sequence: int | None = None
    sender_time: float = 0.0
    target: Pose | None = None
    received: float | None = None
    peer: Any = field(default=None)

    def receive(self, data: bytes, now: float, peer: Any = None, near: Pose | None = None) -> bool:
        """One packet at time `now` (s) from `peer`; True: it is the new target.

        near  where coordinates are looked for (forward kinematics starts there); default: the last target, or home
        """
        found = unpack(data)
        if isinstance(found, str):
            self.malformed += 1
            self.reason = f"malformed: {found}"
            return False
        if self.peer is not None and peer != self.peer:
            self.foreign += 1
            self.reason = "another sender is followed"
            return False
        if not newer(found.sequence, self.sequence):
            self.old += 1
            self.reason = f"old: number {found.sequence} after {self.sequence}"
            return False
        pose = self._place(found, near)
        if isinstance(pose, str):
            self.refused += 1
            self.reason = f"refused: {pose}"
            return False
        self.peer, self.sequence, self.sender_time = peer, found.sequence, found.time
        self.target, self.received = pose, now
        self.accepted += 1
        return True

    def age(self, now: float) -> float:
        """s since the last set-point that was taken; infinite: none."""
        return np.inf if self.received is None else now - self.received

    def forget(self) -> None:
        """As before the first packet, but for the counts: any sender and any number may come next."""
        self.sequence = self.target = self.received = self.peer = None

    def _place(self, found: Setpoint, near: Pose | None) -> Pose | str:
        """The pose, or why the machine cannot take it."""
        if found.kind == POSE:
            wxyz = found.values[3:] / np.linalg.norm(found.values[3:])
            pose = Pose(found.values[:3], rotation_from_quaternion(wxyz))
        else:
            guess = near or self.target or self.platform.require_home()
            try:
                fk = forward_kinematics(self.platform, found.values[:6], guess, certify=False)
            except (InputError, InfeasibleError) as error:
                return str(error)
            if fk.status.code != "converged":
                return str(fk.status)
            pose = fk.pose
        return outside(self.platform, pose) or pose


def outside(platform: Platform, pose: Pose) -> str | None:
    """Why a pose is none for the machine: reach, strokes, cones, distances; None: it is one."""
    found = check(platform, pose)
    if found.worst < -ROUNDING or not np.isfinite(found.geometry.coordinate).all():
        return next(iter(found.sentences()), "a leg cannot reach it")
    return None


def pack_state(phase: str, sequence: int | None, time: float, values: Array) -> bytes:
    """A state packet; `values`: its 26 numbers."""
    return STATE.pack(BACK, PHASES.index(phase), sequence or 0, time, *values)


class StatePacket(NamedTuple):
    """What a state packet says."""

    phase: str
    sequence: int
    time: float
    pose: Pose
    velocity: Array
    angular_velocity: Array
    length: Array
    rate: Array
    age: float


def unpack_state(data: bytes) -> StatePacket | str:
    """A state packet read, or what is wrong with it."""
    if len(data) != STATE.size:
        return f"{len(data)} bytes, not {STATE.size}"
    magic, phase, sequence, time, *rest = STATE.unpack(data)
    if magic != BACK or phase >= len(PHASES):
        return "not a state packet"
    x = np.array(rest)
    if not np.isfinite(x).all() or not abs(np.linalg.norm(x[3:7]) - 1.0) <= UNIT:
        return "a number that is none"
    pose = Pose(x[:3], rotation_from_quaternion(x[3:7] / np.linalg.norm(x[3:7])))
    parts = (x[7:10], x[10:13], x[13:19], x[19:25], float(x[25]))
    return StatePacket(PHASES[phase], sequence, float(time), pose, *parts)
