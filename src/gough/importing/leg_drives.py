"""The drive of a leg in a model file: which joint is driven, its motor, rotors, a screw, stroke and largest effort."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array
from gough.importing.file_model import FileJoint, FileMotor
from gough.importing.patterns import FoundLeg
from gough.importing.structure import FileRotor
from gough.model import Drive, Limits, Screw

if TYPE_CHECKING:
    from gough.importing.making_legs import Making

SAME = 1e-9  # relative: two numbers of a file that are meant to be one


@dataclass(frozen=True, eq=False)
class LegDrive:
    """Fields of the leg (limits, drive, screw) and the viscous friction of its drive."""

    fields: dict[str, Any] = field(default_factory=dict)
    damping: float = 0.0


@dataclass(frozen=True, eq=False)
class _Riding:
    """A rotor on a leg: axis in the axes of its part, moment, angle per actuator coordinate, whether on the upper."""

    axis: Array
    inertia: float
    ratio: float
    above: bool


def leg_drive(
    found: FoundLeg,
    making: Making,
    T: Array,
    T_u: Array,
    s: Array,
    coordinate: float,
    phi: float = 0.0,
) -> LegDrive:
    """Of a leg whose actuator coordinate is `coordinate` now, increasing along s (for a slider or crank its axis);
    phi is the twist of a UCU leg now."""
    motor, notes = _motor(found, making), making.notes
    if found.kind.endswith(" link"):
        if motor is not None:
            raise notes.refuse(
                making.what, f"actuator {motor.name!r} acts on a leg that nothing drives"
            )
        _no_rotors(found, making)
        return LegDrive()
    joint = _driven(found)
    if motor is None:
        notes.outside(making.what, f"no actuator acts on it; {joint.name!r} is taken as its drive")
    if joint.stiffness:
        notes.changed(
            f"{making.what}: a spring of {joint.stiffness:g} along the drive {joint.name!r}"
        )
    sign = 1.0 if joint.axis @ s > 0.0 else -1.0
    share, twisted = _shares(found, making, motor, joint)
    fields: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    thread = sign * _twist_sign(found, s) * twisted / share
    if thread:
        given = _screw(thread, phi, coordinate, motor, share * sign)
        fields["screw"] = given
    span = _span(joint, motor, share * sign, sign, coordinate, bool(thread))
    if span is not None:
        limits["stroke"] = span
    if motor is not None and motor.force:
        limits["force"] = motor.force * abs(share)
    if motor is not None and motor.speed and not thread:
        limits["speed"] = motor.speed
    riding = _riding(found, making, T, T_u, joint, sign, thread)
    if thread:
        fields["screw"], riding = _with_inertia(fields["screw"], riding)
    drive = _drive(making, joint, motor, share, riding, bool(thread))
    fields |= {"drive": drive, "limits": Limits(**limits)}
    return LegDrive(fields, joint.damping)


def _driven(found: FoundLeg) -> FileJoint:
    """The slide, or the crank's hinge."""
    group = next(g for g in found.groups if g.letter in "PCR")
    return next(j for j in group.joints if j.kind == "slide" or group.letter == "R")


def _turning(found: FoundLeg) -> FileJoint | None:
    """The hinge along the leg."""
    pairs = [j for g in found.groups if g.letter == "C" for j in g.joints if j.kind == "hinge"]
    return pairs[0] if pairs else None


def _motor(found: FoundLeg, making: Making) -> FileMotor | None:
    own = {joint.name for group in found.groups for joint in group.joints}
    acting = [motor for motor in making.model.motors if own & set(motor.shares)]
    if len(acting) > 1:
        names = ", ".join(repr(motor.name) for motor in acting)
        raise making.notes.refuse(making.what, f"{names} act on it: a leg here has one actuator")
    return acting[0] if acting else None


def _shares(
    found: FoundLeg, making: Making, motor: FileMotor | None, joint: FileJoint
) -> tuple[float, float]:
    """What a unit effort does on the drive and on the twist; refuse other joints."""
    if motor is None:
        return 1.0, 0.0
    turning = _turning(found)
    allowed = {joint.name} | ({turning.name} if turning and found.kind == "UCU" else set())
    others = sorted(set(motor.shares) - allowed)
    if others or not motor.shares.get(joint.name):
        acts = ", ".join(repr(name) for name in motor.shares)
        why = f"actuator {motor.name!r} acts on {acts}, where a {found.kind} leg is driven at {joint.name!r}"
        raise making.notes.refuse(making.what, why)
    return motor.shares[joint.name], 0.0 if turning is None else motor.shares.get(turning.name, 0.0)


def _twist_sign(found: FoundLeg, s: Array) -> float:
    turning = _turning(found)
    return 0.0 if turning is None else float(np.sign(turning.axis @ s))


def _screw(
    travel: float, phi: float, length: float, motor: FileMotor | None, share: float
) -> Screw:
    """``coordinate = length + travel (phi - zero)``."""
    at = length if motor is None or motor.coordinate is None else motor.coordinate / share
    hand = "right" if travel < 0.0 else "left"
    return Screw(lead=2 * np.pi * abs(travel), hand=hand, zero=phi - (at - length) / travel)


def _span(
    joint: FileJoint,
    motor: FileMotor | None,
    share: float,
    sign: float,
    coordinate: float,
    screw: bool,
) -> tuple[float, float] | None:
    """Least and largest coordinate; `sign` that of the joint's reading, `share` of the motor on the coordinate."""
    if motor is not None and motor.span is not None and motor.coordinate is not None:
        now = motor.coordinate / share if screw else coordinate
        ends = sorted(now + (end - motor.coordinate) / share for end in motor.span)
    elif screw or joint.span is None:
        return None
    else:
        ends = sorted(coordinate + sign * (end - joint.reading) for end in joint.span)
    return ends[0], ends[1]


def _riding(
    found: FoundLeg,
    making: Making,
    T: Array,
    T_u: Array,
    joint: FileJoint,
    sign: float,
    thread: float,
) -> list[_Riding]:
    """Rotors on the parts of a leg, in the axes of these."""
    riding, turning = [], _turning(found)
    for i, group in enumerate(found.groups):
        for rotor in group.rotors:
            if found.groups[0].letter in "PR":
                raise making.notes.refuse(
                    making.what, f"rotor {rotor.name!r} on a {found.kind} leg"
                )
            shares = dict(rotor.shares)
            ratio = sign * shares.pop(joint.name, 0.0)
            other = 0.0 if turning is None else shares.pop(turning.name, 0.0)
            if turning is not None:
                other *= float(np.sign(turning.axis @ T[:, 0]))
            off = abs(other - ratio * thread) > SAME * (abs(other) + abs(ratio * thread))
            if shares or not ratio or off:
                why = f"rotor {rotor.name!r} does not turn with the actuator's coordinate"
                raise making.notes.refuse(making.what, why)
            axes = T_u if i else T
            riding.append(_Riding(axes.T @ rotor.axis, rotor.inertia, ratio, bool(i)))
    return riding


def _no_rotors(found: FoundLeg, making: Making) -> None:
    rotors: list[FileRotor] = [rotor for group in found.groups for rotor in group.rotors]
    if rotors:
        raise making.notes.refuse(
            making.what, f"rotor {rotors[0].name!r} on a leg that is not driven"
        )


def _with_inertia(screw: Screw, riding: list[_Riding]) -> tuple[Screw, list[_Riding]]:
    """The screw with the rotor that turns as it does, and the others."""
    if any(rotor.above for rotor in riding):
        screw = screw.replace(mount="upper")
    left = list(riding)
    for rotor in riding:
        sign = float(np.sign(rotor.axis[0]))
        along = np.abs(rotor.axis[1:]).max() < SAME
        if along and abs(sign * rotor.ratio - screw.rotor_turns) < SAME * abs(screw.rotor_turns):
            left.remove(rotor)
            return screw.replace(inertia=rotor.inertia), left
    return screw, left


def _drive(
    making: Making,
    joint: FileJoint,
    motor: FileMotor | None,
    share: float,
    riding: list[_Riding],
    screw: bool,
) -> Drive | None:
    """Inertia and dry friction of the actuator: of a motor that turns once per unit of travel, or of the rotor."""
    armature = joint.armature + (0.0 if motor is None else motor.armature * share**2)
    dry = joint.dry + (0.0 if motor is None else motor.dry * abs(share))
    if screw and (joint.armature or joint.dry):
        making.notes.changed(
            f"{making.what}: inertia or dry friction of {joint.name!r}, not of its screw"
        )
    if len(riding) > 1 or (riding and armature):
        why = "more than one rotor, or one beside an armature: a drive here has one"
        raise making.notes.refuse(making.what, why)
    if riding:
        (rotor,) = riding
        own = {"ratio": rotor.ratio, "rotor_inertia": rotor.inertia, "rotor_axis": rotor.axis}
        return Drive(**own, coulomb=dry / abs(rotor.ratio))
    if not armature and not dry:
        return None
    return Drive(ratio=1.0, rotor_inertia=armature, coulomb=dry)
