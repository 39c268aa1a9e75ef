"""Where the joints of a leg are and how its axes lie, from single joints in world axes.

A universal joint has a first axis k (base side: fixed to the carrier; platform side: to the platform) and a second one
y on the leg.  Leg axes are ``T = [s, y, s x y], y = k x s/|k x s|`` (`gough.model.legs`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.checks import Array
from gough.importing.file_model import ROUNDING, FileJoint
from gough.importing.notes import ImportNotes
from gough.importing.patterns import Group, meeting
from gough.model import JointOffset
from gough.rotations import rotation_exp
from gough.spatial import Pose

SKEW = 1e-9  # sine of the angle between an axis and where it should be: what digits leave


class Hook(NamedTuple):
    """A universal joint: center (on its first axis), first axis k, second axis as the file has it, where the leg's
    axis passes, leg axes T, offsets (e, d, f)."""

    center: Array
    k: Array
    y: Array
    end: Array
    T: Array
    offsets: tuple[float, float, float]


def leg_axes(k: Array, s: Array) -> Array:
    """``T = [s, y, s x y]``."""
    y = np.cross(k, s)
    y = y / np.linalg.norm(y)
    return np.stack([s, y, np.cross(s, y)], axis=1)


def across(s: Array) -> Array:
    """A direction at right angles to s, for what spins without a sign of where it stands."""
    k = np.eye(3)[int(np.argmin(np.abs(s)))]
    k = k - s * (s @ k)
    return k / np.linalg.norm(k)


def axes_of(group: Group, top: bool) -> tuple[FileJoint, FileJoint]:
    """First and second axis of a universal joint."""
    one, other = group.joints
    return (other, one) if top else (one, other)


def center(group: Group, what: str, rounding: float, notes: ImportNotes) -> Array:
    """Of a joint whose axes must meet."""
    point, off = meeting(group.joints)
    said = f"the axes of {_named(group)} pass each other at {{}}"
    if not notes.near(2.0 * off, rounding, what, said):
        why = f"the axes of {_named(group)} pass each other at {2.0 * off:.4g} m: only UPS and UCU legs may"
        raise notes.refuse(what, why)
    return point


def hook(
    group: Group,
    top: bool,
    through: Array,
    s: Array,
    what: str,
    rounding: float,
    notes: ImportNotes,
) -> Hook:
    """A universal joint of a leg whose axis goes through a point along s; its axes need not meet, nor meet that."""
    first, second = axes_of(group, top)
    k = first.axis
    if np.linalg.norm(np.cross(k, s)) < 1e-6:
        raise notes.refuse(what, f"the first axis of {_named(group)} lies along the leg")
    T = leg_axes(k, s)
    s, y, z = T.T
    skew = float(np.linalg.norm(np.cross(second.axis, y)))
    if skew > SKEW:
        lean = np.degrees(np.arccos(min(abs(float(second.axis @ s)), 1.0)))
        apart = np.degrees(np.arccos(min(abs(float(second.axis @ k)), 1.0)))
        notes.changed(
            f"{what}: the second axis {second.name!r} is at {apart:.4g} deg to the first one and at {lean:.4g} deg to "
            f"the leg, where a universal joint here has 90 deg; with right angles the leg spins otherwise"
        )
    n = np.cross(y, k)
    A, B = _nearest(first, second)
    e = float((B - A) @ n)
    apart = f"the axes of {_named(group)} pass each other at {{}}"
    if notes.near(abs(e), rounding, what, apart):
        e = 0.0
    pin = A + e * n
    r = through - pin
    d, f = float(r @ z), float(r @ y)
    beside = f"its axis passes the joint {_named(group)} at {{}}"
    if notes.near(float(np.hypot(d, f)), rounding, what, beside):
        d = f = 0.0
    return Hook(A, k, second.axis, pin + f * y + d * z, T, (e, d, f))


def joint_offset(hooked: Hook, group: Group) -> JointOffset | None:
    """Offsets and cross piece of a universal joint, or None where it has neither."""
    if not any(hooked.offsets) and not group.inside:
        return None
    e, d, f = hooked.offsets
    y = hooked.T[:, 1]
    axes = np.stack([np.cross(y, hooked.k), y, hooked.k], axis=1)
    if not group.inside:
        return JointOffset(e, d, f)
    return JointOffset(e, d, f, group.inside[0].seen(hooked.center, axes))


def _nearest(a: FileJoint, b: FileJoint) -> tuple[Array, Array]:
    """Points of two axes where they are nearest to each other."""
    n = np.cross(a.axis, b.axis)
    M = np.stack([a.axis, -b.axis, n], axis=1)
    u, v, _ = np.linalg.solve(M, b.at - a.at)
    return a.at + u * a.axis, b.at + v * b.axis


def _named(group: Group) -> str:
    return " and ".join(repr(joint.name) for joint in group.joints)


def relaxed_pose(groups: tuple[Group, ...], pose: Pose) -> Pose | None:
    """The platform where this leg's chain has every sprung universal joint at rest and all others as they are; None:
    that is where it stands."""
    rotation, position, moved = np.eye(3), np.zeros(3), False
    for joint in (joint for group in groups for joint in group.joints):
        sprung = joint.kind == "hinge" and joint.stiffness and abs(joint.rest) > ROUNDING
        if sprung and not any(joint in g.joints for g in groups if g.letter in "CT"):
            turn = rotation_exp(joint.rest * joint.axis)
            position = position + rotation @ (joint.at - turn @ joint.at)
            rotation, moved = rotation @ turn, True
    if not moved:
        return None
    return Pose(position + rotation @ pose.position, rotation @ pose.rotation)
