"""URDF with what closes its loops: the tree is read here, loops and all that URDF has no words for from the companion
(`.loops.json` as `gough.export.save_urdf` writes it, or the same keys as TOML), or from `loop_joint` elements.

A joint stands at its `positions` entry of the companion, else at zero; mimic joints follow.  A link without `inertial`
weighs nothing.  The root link is the ground.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, GoughError, InputError, number, vector
from gough.documents.source import parse_json, parse_toml, read_text
from gough.importing.file_model import (
    ROUNDING,
    BallSprings,
    FileBody,
    FileEdge,
    FileJoint,
    FileModel,
    FileMotor,
)
from gough.importing.notes import ImportNotes
from gough.spatial import Pose, rotation_exp, rotation_from_rpy

LARGEST = 20_000_000  # bytes
UNLIMITED = 1e9  # a number where none is known
KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}
KEYS = {
    *("robot", "gravity", "pose", "attached_to", "loops", "actuators", "ball_friction"),
    *("loop_friction", "springs", "balls", "references", "positions"),
}
_Frame = tuple[Array, Array]


def urdf_model(path: str, companion: str | None, notes: ImportNotes) -> FileModel:
    """The file and its companion (default: the one beside it)."""
    try:
        root = ElementTree.fromstring(read_text(path, "path", LARGEST))
    except ElementTree.ParseError as error:
        raise InputError("path", path, f"is no XML: {error}") from None
    if root.tag != "robot":
        raise InputError("path", path, f"is no URDF: its root is <{root.tag}>, not <robot>")
    try:
        return UrdfReading(root, _companion(path, companion), notes).model()
    except GoughError:
        raise
    except (KeyError, IndexError, AttributeError, TypeError, ValueError) as error:
        why = f"a part that URDF or its companion must have is missing or of another kind: {error}"
        raise InputError("path", path, why) from None


def _companion(path: str, given: str | None) -> dict[str, Any]:
    """The companion as data; none beside the file: nothing."""
    beside = [Path(path).with_suffix(f".loops.{end}") for end in ("json", "toml")]
    file = Path(given) if given is not None else next((p for p in beside if p.is_file()), None)
    if file is None:
        return {}
    text = read_text(str(file), "loops", LARGEST)
    data = (parse_toml if file.suffix == ".toml" else parse_json)(text, str(file))
    if not isinstance(data, dict):
        raise InputError("loops", str(file), "must hold one table")
    foreign = sorted(set(data) - KEYS)
    if foreign:
        why = f"unknown key {foreign[0]!r}; known: {', '.join(sorted(KEYS))}"
        raise InputError("loops", str(file), why)
    return data


def _vector(text: str | None, default: str = "0 0 0") -> Array:
    words = (default if text is None else text).split()
    try:
        return vector("three numbers", [float(word) for word in words])
    except ValueError:
        raise InputError("three numbers", text, "must be three numbers, apart by spaces") from None


def _frame(element: Any) -> _Frame:
    """An `origin` (or what has its attributes): rotation, position."""
    if element is None:
        return np.eye(3), np.zeros(3)
    return rotation_from_rpy(_vector(element.get("rpy"))), _vector(element.get("xyz"))


def _after(one: _Frame, other: _Frame) -> _Frame:
    return one[0] @ other[0], one[1] + one[0] @ other[1]


class UrdfReading:
    """One tree at one configuration."""

    def __init__(self, root: Any, beside: dict[str, Any], notes: ImportNotes) -> None:
        self.root, self.beside, self.notes = root, beside, notes
        self.joints = {str(joint.get("name")): joint for joint in root.findall("joint")}
        self.children = {joint.find("child").get("link"): joint for joint in self.joints.values()}
        self.links = {str(link.get("name")): link for link in root.findall("link")}
        for joint in self.joints.values():
            for end in ("parent", "child"):
                link = joint.find(end).get("link")
                if link not in self.links:
                    why = f"its {end} {link!r} is no link of the file"
                    raise notes.refuse(f"joint {joint.get('name')!r}", why)
        roots = [name for name in self.links if name not in self.children]
        if len(roots) != 1 or len(self.children) != len(self.joints):
            raise notes.refuse(
                "links", f"a tree has one root and one joint per link; roots: {roots}"
            )
        self.ground = roots[0]
        self.springs = self._springs()
        self.coordinates = self._coordinates()
        self.frames: dict[str, _Frame] = {self.ground: (np.eye(3), np.zeros(3))}
        self.made: dict[str, FileJoint] = {}
        for name in self.links:
            self._place(name)

    def model(self) -> FileModel:
        """Everything that is read."""
        order = [self.ground, *(name for name in self.links if name != self.ground)]
        self.numbers = {name: i for i, name in enumerate(order)}
        gravity = vector("gravity", self.beside.get("gravity", (0.0, 0.0, -9.81)))
        found = FileModel(
            self.root.get("name") or "", [self._body(name) for name in order], [], gravity
        )
        for child, joint in self.children.items():
            if joint.get("type") == "floating":
                continue
            ends = (self.numbers[joint.find("parent").get("link")], self.numbers[child])
            own = self.made.get(joint.get("name"))
            found.edges.append(FileEdge(*ends, () if own is None else (own,)))
        size = max(found.size, 1e-3)
        found.edges += [self._loop(loop, size) for loop in self.beside.get("loops", ())]
        found.edges += [self._loop_joint(e, size) for e in self.root.findall("loop_joint")]
        found.couplings = self._mimics()
        found.motors = self._motors()
        found.balls = {frozenset(names) for names in self.beside.get("balls", ())}
        for leg, told in self.beside.get("springs", {}).items():
            rest = told.get("home")
            home = None if rest is None else Pose(rest[0], rest[1])
            base, top = (np.array(told[key], dtype=float) for key in ("base_ball", "platform_ball"))
            found.springs[leg] = BallSprings(base, top, home)
        references = self.beside.get("references", {})
        found.references = {k: vector(f"references.{k}", v) for k, v in references.items()}
        return found

    def _springs(self) -> dict[str, dict[str, float]]:
        """Springs of single joints, by joint."""
        told = self.beside.get("springs", {}).values()
        return {joint: spring for leg in told for joint, spring in leg["universal"].items()}

    def _coordinates(self) -> dict[str, float]:
        """What a driven joint reads in the file's own configuration, where the companion says so."""
        return {
            actuator["joint"]: float(actuator["coordinate"])
            for actuator in self.beside.get("actuators", ())
            if "coordinate" in actuator and len(actuator["acts_on"]) == 1
        }

    def _reading(self, name: str) -> float:
        """Where a joint stands, from its zero."""
        mimic = self.joints[name].find("mimic")
        if mimic is None:
            return number(f"positions.{name}", self.beside.get("positions", {}).get(name, 0.0))
        ratio, shift = (float(mimic.get(k, d)) for k, d in (("multiplier", "1"), ("offset", "0")))
        return ratio * self._reading(mimic.get("joint")) + shift

    def _place(self, link: str, depth: int = 0) -> _Frame:
        """Frame of a link, and of all that carry it."""
        if link in self.frames:
            return self.frames[link]
        if depth > len(self.links):
            raise self.notes.refuse(f"link {link!r}", "carries itself")
        joint = self.children[link]
        name, kind = str(joint.get("name")), joint.get("type")
        before = self._place(joint.find("parent").get("link"), depth + 1)
        here = _after(before, _frame(joint.find("origin")))
        if kind in KINDS:
            own = self._joint(name, joint, KINDS[kind], here)
            value, axis = self._reading(name), here[0].T @ own.axis
            turn = rotation_exp(value * axis) if own.kind == "hinge" else np.eye(3)
            step = value * axis if own.kind == "slide" else np.zeros(3)
            here = _after(here, (turn, step))
            self.made[name] = own
        elif kind not in ("fixed", "floating"):
            raise self.notes.refuse(f"joint {name!r}", f"a {kind} joint has no place in a machine")
        self.frames[link] = here
        return here

    def _joint(self, name: str, joint: Any, kind: str, here: _Frame) -> FileJoint:
        element = joint.find("axis")
        axis = _vector(None if element is None else element.get("xyz"), "1 0 0")
        length = float(np.linalg.norm(axis))
        if not length > 0.0:
            raise self.notes.refuse(f"joint {name!r}", "has an axis of length zero")
        dynamics, limit = joint.find("dynamics"), joint.find("limit")
        told = {} if dynamics is None else dynamics.attrib
        spring, value = self.springs.get(name, {}), self._reading(name)
        start = self.coordinates.get(name, 0.0)
        span = None
        if limit is not None and joint.get("type") != "continuous":
            ends = [float(limit.get(k, "0")) for k in ("lower", "upper")]
            if ends[0] < ends[1] and max(map(abs, ends)) < UNLIMITED:
                span = (ends[0] + start, ends[1] + start)
        return FileJoint(
            name,
            kind,
            here[0] @ axis / length,
            here[1],
            damping=float(told.get("damping", "0")),
            dry=float(told.get("friction", "0")),
            stiffness=float(spring.get("stiffness", 0.0)),
            rest=float(spring.get("rest", 0.0)) - value,
            reading=value + start,
            span=span,
        )

    def _body(self, name: str) -> FileBody:
        R, p = self.frames[name]
        inertial = self.links[name].find("inertial")
        if inertial is None or name == self.ground:
            return FileBody((name,), R, p)
        turn, center = _after((R, p), _frame(inertial.find("origin")))
        told = inertial.find("inertia")
        I = [[float(told.get("i" + "".join(sorted(a + b)), "0")) for b in "xyz"] for a in "xyz"]
        mass = number(f"{name}.mass", float(inertial.find("mass").get("value")), minimum=0.0)
        return FileBody((name,), R, p, mass, center, turn @ np.array(I) @ turn.T)

    def _close(self, name: str, points: list[Array], size: float) -> None:
        off = float(np.linalg.norm(points[1] - points[0]))
        said = "is open by {} in this configuration"
        if not self.notes.near(off, ROUNDING * size, f"loop {name!r}", said):
            why = (
                f"is open by {off:.4g} m in this configuration; give `positions` of joints in the companion at which "
                "the loops are closed, or a tolerance"
            )
            raise self.notes.refuse(f"loop {name!r}", why)

    def _loop(self, loop: dict[str, Any], size: float) -> FileEdge:
        """What closes a loop, as joints from its first link to its second one."""
        leg, kind = str(loop.get("leg", "loop")), loop["joint"]
        for link in loop["links"]:
            if link not in self.frames:
                raise self.notes.refuse(f"loop {leg!r}", f"{link!r} is no link of the file")
        frames = [self.frames[link] for link in loop["links"]]
        points = [
            p + R @ vector("points", x) for (R, p), x in zip(frames, loop["points"], strict=True)
        ]
        self._close(leg, points, size)
        ends = (self.numbers[loop["links"][0]], self.numbers[loop["links"][1]])
        if kind == "fixed":
            return FileEdge(*ends)
        friction = self.beside.get("ball_friction" if kind == "ball" else "loop_friction", {})
        damping = float(friction.get(leg, 0.0))
        if kind == "ball":
            ball = FileJoint(f"{leg}-ball", "ball", np.zeros(3), points[0], damping)
            return FileEdge(*ends, (ball,))
        if kind not in ("universal", "revolute"):
            raise self.notes.refuse(
                f"loop {leg!r}", f"{kind!r} is none of ball, universal, revolute, fixed"
            )
        pairs = zip(frames, loop["axes"], strict=True)
        axes = [R @ vector("axes", x) / np.linalg.norm(x) for (R, _), x in pairs]
        springs = loop.get("springs", ({}, {}))
        if kind == "revolute":
            axes, springs = axes[1:], springs[-1:]
        hinges = [
            FileJoint(f"{leg}-loop{i + 1}", "hinge", axis, point, damping, **spring)
            for i, (axis, point, spring) in enumerate(
                zip(axes, points[-len(axes) :], springs, strict=True)
            )
        ]
        return FileEdge(*ends, tuple(hinges))

    def _loop_joint(self, element: Any, size: float) -> FileEdge:
        """The element of some readers of URDF: two links, each with the place of the joint in it."""
        name, kind = str(element.get("name")), element.get("type")
        ends = [element.find(f"link{i}") for i in (1, 2)]
        frames = [_after(self.frames[end.get("link")], _frame(end)) for end in ends]
        self._close(name, [p for _, p in frames], size)
        one, other = (self.numbers[end.get("link")] for end in ends)
        R, point = frames[0]
        if kind in ("ball", "spherical"):
            return FileEdge(one, other, (FileJoint(name, "ball", np.zeros(3), point),))
        if kind == "fixed":
            return FileEdge(one, other)
        if kind not in ("revolute", "continuous"):
            raise self.notes.refuse(f"loop_joint {name!r}", f"type {kind!r} is not known")
        axis = element.find("axis")
        along = R @ _vector(None if axis is None else axis.get("xyz"), "1 0 0")
        hinge = FileJoint(name, "hinge", along / np.linalg.norm(along), point)
        return FileEdge(one, other, (hinge,))

    def _mimics(self) -> list[dict[str, float]]:
        found = []
        for name, joint in self.joints.items():
            mimic = joint.find("mimic")
            if mimic is not None:
                ratio = float(mimic.get("multiplier", "1"))
                found.append({name: 1.0, mimic.get("joint"): -ratio})
        return found

    def _motors(self) -> list[FileMotor]:
        """Actuators of the companion, or transmissions of the file."""
        told = self.beside.get("actuators")
        if told is None:
            elements = [t.find("joint") for t in self.root.findall("transmission")]
            names = [e.get("name") for e in elements if e is not None]
            return [FileMotor(name, {name: 1.0}, *self._most(name)) for name in names]
        found = []
        for motor in told:
            shares = {joint: float(share) for joint, share in motor["acts_on"].items()}
            for joint in shares:
                if joint not in self.joints:
                    raise self.notes.refuse(f"actuator {motor['leg']!r}", f"{joint!r} is no joint")
            coordinate = motor.get("coordinate")
            own = FileMotor(motor["leg"], shares, *self._most(motor["joint"]))
            own = replace(own, armature=float(motor.get("reflected_inertia", 0.0)))
            found.append(own if coordinate is None else replace(own, coordinate=float(coordinate)))
        return found

    def _most(self, joint: str) -> tuple[float | None, float | None]:
        """Largest effort and speed of a joint, where the file says some."""
        limit = self.joints[joint].find("limit")
        told = {} if limit is None else limit.attrib
        most = [float(told.get(key, "0")) for key in ("effort", "velocity")]
        effort, speed = (x if 0.0 < x < UNLIMITED else None for x in most)
        return effort, speed
