"""What every export of a linkage needs: the bodies and joints of the legs, placed at one pose, and XML that reads back.

Every leg is a chain from the base.  A part is one body with the joint that carries it; the joint sits at the origin of
the part's frame, which is the frame of the machine's data for that body (`gough.model.legs`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.model import PUS, RUS, SPS, UCU, UPS, Body, Leg, Platform
from gough.spatial import Pose, rotation_exp

WORLD = "world"  # parent of the first part of a chain
PLATFORM = "platform"


@dataclass(frozen=True, eq=False)
class Part:
    """One body of a leg, where it is at the pose, and its joint.

    kind      slide, hinge, universal or ball
    axes      directions of the joint's axes at the pose, in the axes of this part: none for a ball, k then y for a
              universal joint (the first is fixed to the parent, the second to this part)
    driven    the actuator acts here
    """

    name: str
    parent: str
    body: Body
    position: Array
    rotation: Array
    kind: str
    axes: tuple[Array, ...]
    driven: bool = False


@dataclass(frozen=True, eq=False)
class Chain:
    """One leg at the pose: its parts from the base outwards, the actuator coordinate, where the last part meets the
    platform joint (`tip`, in the axes of that part), and angles of its universal joint from where its springs rest."""

    name: str
    leg: Leg
    coordinate: float
    parts: tuple[Part, ...]
    tip: Array
    bent: tuple[float, float] = (0.0, 0.0)

    @property
    def springs(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Stiffness (N m/rad) of the universal joint about k and y, and its reading at rest (rad)."""
        own = self.leg.springs
        return (own.first, -self.bent[0]), (own.second, -self.bent[1])

    @property
    def end(self) -> str:
        """Name of the part that carries the platform joint."""
        return self.parts[-1].name

    @property
    def drive_joint(self) -> str:
        """Name of the joint on which the actuator acts."""
        return f"{self.name}-drive"

    @property
    def reflected_inertia(self) -> float:
        """Drive inertia on the actuator coordinate, kg (kg m^2 for a crank)."""
        return 0.0 if self.leg.drive is None else self.leg.drive.reflected_inertia

    @property
    def travel(self) -> tuple[float, float] | None:
        """Stroke measured from the pose, or None where the leg has no such limit."""
        stroke = self.leg.limits.stroke
        if stroke is None:
            return None
        return float(stroke[0]) - self.coordinate, float(stroke[1]) - self.coordinate


def chains(platform: Platform, pose: Pose | None, language: str) -> tuple[Pose, tuple[Chain, ...]]:
    """The six legs at `pose` (default: the machine's home), and that pose; `language` is named in refusals."""
    pose = pose or platform.require_home()
    if pose.shape != ():
        raise InputError("pose", f"batch shape {pose.shape}", "must be a single pose")
    twice = [name for name, count in Counter(platform.leg_names).items() if count > 1]
    if twice:
        problem = f"two legs of this name: {language} needs names that differ"
        raise InputError("legs.name", twice[0], problem)
    found = []
    lengths = inverse_kinematics(platform, pose).length
    for leg, name, coordinate in zip(platform.legs, platform.leg_names, lengths, strict=True):
        drive = leg.drive
        if isinstance(leg, UCU):
            problem = f"{language} is not written for legs with a cylindrical pair and two universal joints"
            raise InputError(f"legs.{name}", "UCU", problem)
        if not isinstance(leg, (UPS, SPS, PUS, RUS)):
            raise InputError(f"legs.{name}", type(leg).__name__, f"{language} has no such leg here")
        if drive is not None and drive.rotor_axis is not None and drive.rotor_inertia > 0:
            at, problem = (
                f"legs.{name}.drive.rotor_axis",
                f"{language} has no rotor riding on a leg",
            )
            raise InputError(at, drive.rotor_axis.tolist(), problem)
        joint = pose.position + pose.rotation @ leg.joint
        chain = _strut if isinstance(leg, (UPS, SPS)) else _carried
        made = chain(leg, name, joint, float(coordinate))  # type: ignore[arg-type]
        found.append(replace(made, bent=_bent(platform, leg, name, made)))
    return pose, tuple(found)


def no_ball_springs(legs: tuple[Chain, ...], language: str) -> None:
    """Refuse what only the equations know."""
    for chain in legs:
        for ball in ("base_ball", "platform_ball"):
            K = getattr(chain.leg.springs, ball)
            if K.any():
                at, problem = f"legs.{chain.name}.springs.{ball}", "has no springs in ball joints"
                raise InputError(at, K.tolist(), f"{language} {problem}")


def _bent(platform: Platform, leg: Leg, name: str, now: Chain) -> tuple[float, float]:
    """Angles of the universal joint about k and y from rest."""
    if isinstance(leg, SPS) or not leg.springs.any:
        return 0.0, 0.0
    pose = leg.springs.home or platform.require_home()
    length = float(inverse_kinematics(platform, pose).length[platform.legs.index(leg)])
    joint = pose.position + pose.rotation @ leg.joint
    rest = (_strut if isinstance(leg, UPS) else _carried)(leg, name, joint, length)  # type: ignore[arg-type]
    k, (T, T_0) = leg.axis, (_held(chain) for chain in (now, rest))
    first = np.arctan2(k @ np.cross(T_0[:, 1], T[:, 1]), T_0[:, 1] @ T[:, 1])
    second, second_0 = (np.arctan2(-k @ A[:, 0], k @ A[:, 2]) for A in (T, T_0))
    return float(first), float(second - second_0)


def _held(chain: Chain) -> Array:
    """Axes of the strut as what carries its universal joint holds them."""
    (strut,) = (part for part in chain.parts if part.kind == "universal")
    carriers = [part.rotation for part in chain.parts if part.name == strut.parent]
    return carriers[0].T @ strut.rotation if carriers else strut.rotation


_X, _Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def _strut(leg: UPS | SPS, name: str, joint: Array, length: float) -> Chain:
    k = leg.axis if isinstance(leg, UPS) else _reference(leg, joint)
    T = _frame(name, k, joint - leg.base)
    swivel = ("universal", (T.T @ k, _Y)) if isinstance(leg, UPS) else ("ball", ())
    lower = Part(f"{name}-lower", WORLD, leg.lower, leg.base, T, *swivel)
    top = leg.base + length * T[:, 0]
    upper = Part(f"{name}-upper", lower.name, leg.upper, top, T, "slide", (_X,), driven=True)
    return Chain(name, leg, length, (lower, upper), np.zeros(3))


def _carried(leg: PUS | RUS, name: str, joint: Array, coordinate: float) -> Chain:
    if isinstance(leg, PUS):
        tail = leg.base + coordinate * leg.rail
        slider, place = Body(leg.slider_mass, leg.slider_center), (tail, np.eye(3))
        carrier = Part(f"{name}-slider", WORLD, slider, *place, "slide", (leg.rail,), driven=True)
    else:
        turned = rotation_exp(coordinate * leg.shaft)
        tail, place = leg.base + turned @ leg.arm, (leg.base, turned)
        carrier = Part(f"{name}-crank", WORLD, leg.crank, *place, "hinge", (leg.shaft,), True)
    k = carrier.rotation @ leg.axis
    T = _frame(name, k, joint - tail)
    axes = (T.T @ k, _Y)
    link = Part(f"{name}-link", carrier.name, leg.link, tail, T, "universal", axes)
    return Chain(name, leg, coordinate, (carrier, link), np.array([leg.length, 0.0, 0.0]))


def _reference(leg: SPS, joint: Array) -> Array:
    """Direction that fixes the spin: the leg's own, or any other where the spin cannot be seen."""
    strut = joint - leg.base
    across = np.linalg.norm(np.cross(leg.reference, strut))
    if leg.axisymmetric and across < 0.1 * np.linalg.norm(strut):
        return np.eye(3)[int(np.argmin(np.abs(strut)))]
    return leg.reference


def _frame(name: str, k: Array, strut: Array) -> Array:
    """Leg axes ``[s, y, s x y]``, ``y = k x s/|k x s|``."""
    s = strut / np.linalg.norm(strut)
    y = np.cross(k, s)
    across = np.linalg.norm(y)
    if not across > 1e-9:
        problem = "lies along the leg at this pose: its joint is singular"
        raise InputError(f"legs.{name}.axis", k.tolist(), problem)
    y /= across
    return np.stack([s, y, np.cross(s, y)], axis=1)


def solid(body: Body, what: str, program: str) -> Array:
    """The tensor of a body that must have mass and a physical tensor; a point mass becomes a grain of 0.03 mm."""
    if body.mass <= 0.0:
        raise InputError(f"{what}.mass", body.mass, f"{program} moves no body without mass")
    I = body.inertia
    if not I.any():
        return 1e-9 * body.mass * np.eye(3)
    moments = np.linalg.eigvalsh(I)
    if moments[0] <= 0.0 or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
        problem = f"no body can have it: {program} refuses such a tensor"
        raise InputError(f"{what}.inertia", I.tolist(), problem)
    return I


def moments(I: Array) -> dict[str, float]:
    """The six moments of a tensor by their names, ixx ixy ixz iyy iyz izz."""
    return {f"i{'xyz'[i]}{'xyz'[j]}": I[i, j] for i in range(3) for j in range(i, 3)}


def put(parent: Any, tag: str, text: Any = None, **attributes: Any) -> Any:
    """A new element under `parent`; numbers and vectors are written with all digits."""
    given = {name: written(value) for name, value in attributes.items()}
    element = ElementTree.SubElement(parent, tag, given)
    element.text = None if text is None else written(text)
    return element


def written(value: Any) -> str:
    """Text as it is, a number with all its digits, several of them apart by spaces."""
    if isinstance(value, str):
        return value
    return repr(float(value)) if np.ndim(value) == 0 else " ".join(map(written, value))


def xml_text(root: Any) -> str:
    """The document as text; names that XML cannot hold are refused."""
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode") + "\n"
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        name = str(root.attrib.get("name", ""))
        raise InputError("name", name, f"a name holds what XML cannot: {error}") from error
    return text
