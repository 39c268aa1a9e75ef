"""A recognized chain as a leg of the machine: geometry, bodies, friction, springs, drive, limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gough.checks import Array
from gough.importing.file_model import FileBody, FileJoint, FileModel
from gough.importing.joint_frames import (
    Hook,
    across,
    center,
    hook,
    joint_offset,
    leg_axes,
    relaxed_pose,
)
from gough.importing.leg_drives import LegDrive, leg_drive
from gough.importing.notes import ImportNotes
from gough.importing.patterns import CROSSES, FoundLeg, Group, meeting
from gough.model import PSU, PUS, RSS, RUS, SPS, UCS, UCU, UPS, Body, Friction, JointSprings, Leg
from gough.rotations import rotation_exp
from gough.spatial import Pose
from gough.twist import twist

_NOTHING = FileBody(("nothing",), np.eye(3), np.zeros(3))


class Making(NamedTuple):
    """What all legs of a file share, and the one that is made."""

    model: FileModel
    platform: FileBody
    what: str
    name: str
    rounding: float
    notes: ImportNotes

    @property
    def pose(self) -> Pose:
        """Of the platform."""
        return self.platform.pose

    def on_platform(self, point: Array) -> Array:
        """A point in platform axes."""
        return self.platform.rotation.T @ (point - self.platform.position)


def make_leg(found: FoundLeg, making: Making) -> Leg:
    """The leg; what it cannot carry over is noted."""
    found = _lumped(found, making)
    kind = found.kind.removesuffix(" link")
    make = {"PUS": _slider, "PSU": _slider, "RUS": _crank, "RSS": _crank, "SPU": _turned_over}
    return make.get(kind, _two_parts)(found, making)


def _lumped(found: FoundLeg, making: Making) -> FoundLeg:
    """Bodies inside joints that have no place for them go to the next body; this is noted."""
    groups = []
    for i, group in enumerate(found.groups):
        if group.inside and i not in CROSSES.get(found.kind, ()):
            mass = sum(body.mass for body in group.inside)
            behind = (
                "the platform, and left out" if group.behind is None else repr(group.behind.name)
            )
            making.notes.changed(
                f"{making.what}: {', '.join(repr(b.name) for b in group.inside)} of {mass:.4g} kg inside a joint of a "
                f"{found.kind} leg, which has no body there: counted to {behind}"
            )
            body = group.behind
            for piece in group.inside if body is not None else ():
                body = body.with_(piece)  # type: ignore[union-attr]
            group = group._replace(inside=(), behind=body)
        groups.append(group)
    return found._replace(groups=tuple(groups))


def _two_parts(found: FoundLeg, making: Making) -> Leg:
    """UPS, SPS, UCU, UCS and fixed links of the first three: a lower and an upper part."""
    kind, notes = found.kind.removesuffix(" link"), making.notes
    held = found.kind.endswith(" link")
    below, above = found.groups[0], found.groups[-1]
    pair = found.groups[1] if len(found.groups) == 3 else None
    along = None if pair is None else _guide(pair)
    foot, head = meeting(below.joints)[0], meeting(above.joints)[0]
    s = head - foot if along is None else along.axis
    s = s / np.linalg.norm(s)
    s = s if s @ (head - foot) > 0.0 else -s
    through = head if kind != "UCU" or along is None else along.at
    seen = (making.what, making.rounding, notes)
    own: dict[str, Any] = {}
    k = s
    if below.letter == "U":
        hooked = hook(below, False, through, s, *seen)
        if kind == "UCS" and any(hooked.offsets):
            raise notes.refuse(
                making.what, f"offsets {hooked.offsets} m in the base joint of a UCS leg"
            )
        start, T, k = hooked.end, hooked.T, hooked.k
        own |= {"base": hooked.center, "axis": hooked.k}
        if kind != "UCS" and (offset := joint_offset(hooked, below)):
            own["base_offset"] = offset
    else:
        start = center(below, *seen)
        T = leg_axes(across(s), s)
        own["base"] = start
    T_u = T
    if above.letter == "U":
        above, T_u, topmost = _above(above, k, through, s, making)
        own |= {"platform_axis": making.platform.rotation.T @ topmost.k}
        end, joint = topmost.end, topmost.center
        if offset := joint_offset(topmost, above):
            own["platform_offset"] = offset
    else:
        end = joint = center(above, *seen)
    own["joint"] = making.on_platform(joint)
    if below.letter == "S" or kind == "UCS":
        body = below.behind if kind == "SPS" else pair and pair.behind
        own["reference"] = reference = _reference(making, body, s)
        T_u = leg_axes(reference, s)
        T = T_u if kind == "SPS" else T
        _beside(making, start, end, s)
    _beside_pair(making, kind, pair, start, s)
    length = float((end - start) @ s)
    drive = leg_drive(
        found, making, T, T_u, s, length, _phi(own, making, s) if kind == "UCU" else 0.0
    )
    own |= drive.fields | ({"fixed": length} if held else {})
    lower, upper = below.behind or _NOTHING, (pair and pair.behind) or _NOTHING
    if held and kind != "UCU":
        upper = _NOTHING
    own |= {"lower": lower.seen(start, T), "upper": upper.seen(end, T_u)}
    if kind == "UCU":
        own |= _torsion(pair, making, own, s)
    own |= _joints(found._replace(groups=(below, *found.groups[1:-1], above)), making, drive)
    return {"UPS": UPS, "SPS": SPS, "UCU": UCU, "UCS": UCS}[kind](**own, name=making.name)


def _guide(pair: Group) -> FileJoint | None:
    """The axis of a leg: of the hinge along it, which has a place, or of the slide."""
    slides = [j for j in pair.joints if j.kind == "slide"]
    hinges = [j for j in pair.joints if j.kind == "hinge"]
    if not slides:
        return hinges[0]
    return slides[0] if not hinges else replace(slides[0], at=hinges[0].at)


def _above(
    group: Group, k: Array, through: Array, s: Array, making: Making
) -> tuple[Group, Array, Hook]:
    """A universal joint at the platform, its first axis turned so that the twist is within a quarter turn."""
    y, first = group.joints
    if abs(float(twist(k, first.axis, s))) > np.pi / 2:
        group = group._replace(joints=(y, replace(first.turned(), rest=-first.rest)))
    made = hook(group, True, through, s, making.what, making.rounding, making.notes)
    return group, made.T, made


def _phi(own: dict[str, Any], making: Making, s: Array) -> float:
    return float(twist(own["axis"], making.platform.rotation @ own["platform_axis"], s))


def _torsion(pair: Group | None, making: Making, own: dict[str, Any], s: Array) -> dict[str, float]:
    """The spring of a twist and where it is relaxed."""
    assert pair is not None
    turning = next(joint for joint in pair.joints if joint.kind == "hinge")
    if not turning.stiffness:
        return {}
    rest = _phi(own, making, s) + float(np.sign(turning.axis @ s)) * turning.rest
    return {"torsion": turning.stiffness, "torsion_rest": rest}


def _beside(making: Making, start: Array, end: Array, s: Array) -> None:
    """Refuse a slide that does not point from joint to joint."""
    r = end - start
    off = float(np.linalg.norm(r - s * (r @ s)))
    said = "its slide passes the joint at the platform at {}"
    if not making.notes.near(off, making.rounding, making.what, said):
        why = (
            f"its slide passes the joint at the platform at {off:.4g} m: only UPS and UCU legs may"
        )
        raise making.notes.refuse(making.what, why)


def _beside_pair(making: Making, kind: str, pair: Group | None, start: Array, s: Array) -> None:
    """Refuse a hinge along a leg that is not on the leg's axis."""
    if kind == "UCS" and pair is not None:
        for joint in pair.joints:
            if joint.kind == "hinge":
                _beside(making, start, joint.at, s)


def _reference(making: Making, body: FileBody | None, s: Array) -> Array:
    """Direction that fixes the spin of what turns freely: of the file, of the body's own z axis, or any other."""
    told = making.model.references.get(making.name)
    if told is not None:
        return told / np.linalg.norm(told)
    if body is not None and np.linalg.norm(np.cross(body.rotation[:, 0], s)) < 1e-9:
        return body.rotation[:, 2]
    return across(s)


def _rod(found: FoundLeg, making: Making) -> tuple[dict[str, Any], Array, Array, Group]:
    """What legs with a rod share: fields but for what carries the rod, its start, its axes, the platform joint."""
    below, above = found.groups[1:]
    seen = (making.what, making.rounding, making.notes)
    start, end = center(below, *seen), center(above, *seen)
    length = float(np.linalg.norm(end - start))
    s = (end - start) / length
    own: dict[str, Any] = {"joint": making.on_platform(end), "length": length}
    if below.letter == "U":
        hooked = hook(below, False, end, s, *seen)
        own["axis"], T = hooked.k, hooked.T
    elif above.letter == "U":
        hooked = hook(above, True, start, s, *seen)
        own["platform_axis"], T = making.platform.rotation.T @ hooked.k, hooked.T
    else:
        own["reference"] = _reference(making, below.behind, s)
        T = leg_axes(own["reference"], s)
    own["link"] = (below.behind or _NOTHING).seen(start, T)
    return own, start, T, above


def _slider(found: FoundLeg, making: Making) -> Leg:
    """PUS, PSU: the slider does not turn, so that its tensor does not matter."""
    own, foot, T, _ = _rod(found, making)
    (rail,), body = found.groups[0].joints, found.groups[0].behind or _NOTHING
    drive = leg_drive(found, making, T, T, rail.axis, rail.reading)
    own |= drive.fields | _joints(found, making, drive)
    kind = {"PUS": PUS, "PSU": PSU}[found.kind]
    return kind(
        base=foot - rail.reading * rail.axis,
        rail=rail.axis,
        slider_mass=body.mass,
        slider_center=body.center - foot if body.mass else np.zeros(3),
        assembly=1 if T[:, 0] @ rail.axis > 0.0 else -1,
        name=making.name,
        **own,
    )


def _crank(found: FoundLeg, making: Making) -> Leg:
    """RUS, RSS: the crank back at the angle zero of its own reading."""
    own, tip, T, _ = _rod(found, making)
    (shaft,), body = found.groups[0].joints, found.groups[0].behind or _NOTHING
    turned = rotation_exp(shaft.reading * shaft.axis)
    drive = leg_drive(found, making, T, T, shaft.axis, shaft.reading)
    own |= drive.fields | _joints(found, making, drive)
    if "axis" in own:
        own["axis"] = turned.T @ own["axis"]
    kind = {"RUS": RUS, "RSS": RSS}[found.kind]
    return kind(
        base=shaft.at,
        shaft=shaft.axis,
        arm=turned.T @ (tip - shaft.at),
        crank=body.seen(shaft.at, turned),
        elbow=-1 if T[:, 0] @ np.cross(shaft.axis, tip - shaft.at) > 0.0 else 1,
        name=making.name,
        **own,
    )


def _turned_over(found: FoundLeg, making: Making) -> Leg:
    """A ball at the base and a universal joint at the platform, whose two parts spin together: the same as a UCU leg
    whose lower part is a line without an axial moment, where the lower part is round and the ball neither rubs nor
    springs.  The upper part takes the axial moment of both."""
    below, pair, above = found.groups
    notes, ball = making.notes, center(below, making.what, making.rounding, making.notes)
    head = meeting(above.joints)[0]
    s = (head - ball) / np.linalg.norm(head - ball)
    k = above.joints[1].axis
    lower = (below.behind or _NOTHING).seen(ball, leg_axes(k, s))
    I, axial = lower.inertia, float(lower.inertia[0, 0])
    round_ = np.diag([axial, I[1, 1], I[1, 1]])
    size = max(float(np.abs(I).max()), 1e-300)
    reach = max(float(np.abs(lower.center).max()), 1e-300)
    if np.abs(I - round_).max() > 1e-9 * size or np.abs(lower.center[1:]).max() > 1e-9 * reach:
        notes.changed(
            f"{making.what}: ball at the base, universal joint at the platform, and a lower part not round"
        )
    if any(below.damping) or any(joint.stiffness for joint in below.joints):
        notes.changed(
            f"{making.what}: friction or springs of the ball at the base of a leg made a UCU leg"
        )
    still = (
        FileJoint("first", "hinge", k, ball),
        FileJoint("second", "hinge", leg_axes(k, s)[:, 1], ball),
    )
    turning = FileJoint("twist", "hinge", s, head)
    groups = (
        below._replace(letter="U", joints=still),
        pair._replace(letter="C", joints=(*pair.joints, turning)),
        above,
    )
    leg = _two_parts(FoundLeg("UCU", groups), making)
    assert isinstance(leg, UCU)
    shift = np.diag([axial, 0.0, 0.0])
    upper = Body(leg.upper.mass, leg.upper.center, leg.upper.inertia + shift)
    return leg.replace(lower=Body(lower.mass, lower.center, leg.lower.inertia - shift), upper=upper)


def _joints(found: FoundLeg, making: Making, drive: LegDrive) -> dict[str, Any]:
    """Friction and springs of the passive joints."""
    ends = [group for group in found.groups if group.letter in "US"]
    rubs = {"universal": _damping(ends[0], making), "spherical": _damping(ends[-1], making)}
    own = {}
    for side, group in zip(("", "platform_"), (ends[0], ends[-1]), strict=True):
        for joint in group.joints:
            _said(joint, making)
        stiffness = [joint.stiffness for joint in group.joints]
        if not any(stiffness):
            continue
        if group.letter == "U":
            first, second = stiffness if not side else stiffness[::-1]
            own |= {f"{side}first": first, f"{side}second": second}
        elif len(stiffness) == 1:
            own[f"{side or 'base_'}ball"] = stiffness[0] * np.eye(3)
        else:
            making.notes.changed(f"{making.what}: springs of three hinges that are taken as a ball")
    told = making.model.springs.get(making.name)
    home = relaxed_pose(found.groups, making.pose)
    if told is not None:
        balls = {"base_ball": told.base_ball, "platform_ball": told.platform_ball}
        own |= {key: K for key, K in balls.items() if K.any()}
        home = told.home or home
    springs = JointSprings(**own, home=home if own else None)
    friction = Friction(**rubs, prismatic=drive.damping, cylindrical=_twist_damping(found, making))
    return {"friction": friction, "springs": springs}


def _damping(group: Group, making: Making) -> float:
    """Of a joint whose friction here is one number."""
    low, high = min(group.damping), max(group.damping)
    names = ", ".join(repr(joint.name) for joint in group.joints)
    if high - low > 1e-12 * high:
        making.notes.changed(
            f"{making.what}: dampings {group.damping} of {names} differ, where a joint here has one: their mean"
        )
        return sum(group.damping) / len(group.damping)
    balls = making.model.balls
    if high and len(group.joints) == 3 and frozenset(j.name for j in group.joints) not in balls:
        making.notes.changed(
            f"{making.what}: damping {high:g} N m s of the hinges {names} is taken as that of a ball, which it is only "
            "while they stand at right angles"
        )
    return high


def _twist_damping(found: FoundLeg, making: Making) -> float:
    """Of a hinge along the leg."""
    total = 0.0
    for group in found.groups:
        if group.letter in "CT":
            turning = next(joint for joint in group.joints if joint.kind == "hinge")
            _said(turning, making)
            total += turning.damping
    return total


def _said(joint: FileJoint, making: Making) -> None:
    """What a passive joint has that no leg here has."""
    if joint.armature:
        making.notes.changed(
            f"{making.what}: armature {joint.armature:g} of the passive joint {joint.name!r}"
        )
    if joint.dry:
        making.notes.changed(
            f"{making.what}: dry friction {joint.dry:g} N m of {joint.name!r}; that of a joint here grows with its load"
        )
    if joint.span is not None:
        making.notes.outside(
            f"joint {joint.name!r}", "the range of a passive joint is not carried over"
        )
