"""The open tree an outside engine sees: every leg as a chain from the base, the platform as a free body.

Built from the public Platform only.  Node frames: slider and crank keep world axes at zero; a universal joint
is a hinge about k (local z) followed by a hinge about y, so that the strut's frame is T = [s, y, s x y].
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gough.checks import Array
from gough.model import PUS, RUS, SPS, Body, Leg, Platform
from gough.spatial import rotation_exp, rotation_x
from oracles.closure import Closure, closure, cross

X, Y, Z = np.eye(3)
NOTHING = Body(0.0)


@dataclass(frozen=True)
class Node:
    """One joint and the body it carries; `joint` is hinge, slide, ball or free, `axis` in the node's axes."""

    parent: int
    joint: str
    axis: Array = field(default_factory=lambda: X)
    R: Array = field(default_factory=lambda: np.eye(3))
    p: Array = field(default_factory=lambda: np.zeros(3))
    body: Body = NOTHING
    armature: float = 0.0


@dataclass(frozen=True)
class LegNodes:
    """Indices of the nodes that matter of one leg; `tip` is the platform joint in the frame of node `end`."""

    all: tuple[int, ...]
    actuator: int
    universal: tuple[int, ...]
    end: int
    tip: Array
    rotor: int | None
    ratio: float


@dataclass(frozen=True)
class Tree:
    """Nodes in depth-first order, the six legs, and the platform's node."""

    nodes: tuple[Node, ...]
    legs: tuple[LegNodes, ...]
    platform: int
    gravity: Array


def universal_frame(k: Array) -> Array:
    """[s0, k x s0, k] with any s0 across k: the frame of a universal joint at zero angles."""
    s0 = cross(k, np.eye(3)[np.argmin(np.abs(k))])
    s0 /= np.linalg.norm(s0)
    return np.stack([s0, cross(k, s0), k], axis=1)


def build(machine: Platform, *, real_rotors: bool) -> Tree:
    """The tree; drives become bodies that turn with the actuator, or armature on its coordinate."""
    nodes: list[Node] = []
    legs = tuple(_leg(nodes, leg, real_rotors) for leg in machine.legs)
    nodes.append(Node(-1, "free", body=machine.body))
    return Tree(tuple(nodes), legs, len(nodes) - 1, machine.gravity)


def _leg(nodes: list[Node], leg: Leg, real_rotors: bool) -> LegNodes:
    first = len(nodes)
    drive = leg.drive
    turns = drive is not None and drive.rotor_inertia > 0
    armature = drive.reflected_inertia if drive is not None and turns and not real_rotors else 0.0
    if isinstance(leg, (PUS, RUS)):
        carrier, tip = first, leg.length * X
        if isinstance(leg, PUS):
            slider = Body(leg.slider_mass, leg.slider_center)
            nodes.append(Node(-1, "slide", leg.rail, p=leg.base, body=slider, armature=armature))
            foot = np.zeros(3)
        else:
            nodes.append(
                Node(-1, "hinge", leg.shaft, p=leg.base, body=leg.crank, armature=armature)
            )
            foot = leg.arm
        nodes.append(Node(carrier, "hinge", Z, universal_frame(leg.axis), foot))
        nodes.append(Node(first + 1, "hinge", Y, body=leg.link))
        actuator, universal, end = first, (first + 1, first + 2), first + 2
    else:
        lower, tip = leg.lower, np.zeros(3)
        if turns and drive is not None and drive.rotor_axis is not None:
            if not real_rotors:
                raise NotImplementedError("a rotor riding on the leg needs real_rotors=True")
            d = drive.rotor_axis
            lower = _Raw(
                lower.mass, lower.center, lower.inertia - drive.rotor_inertia * np.outer(d, d)
            )
        if isinstance(leg, SPS):
            nodes.append(Node(-1, "ball", p=leg.base, body=lower))
            universal = (first,)
        else:
            nodes.append(Node(-1, "hinge", Z, universal_frame(leg.axis), leg.base))
            nodes.append(Node(first, "hinge", Y, body=lower))
            universal = (first, first + 1)
        nodes.append(Node(len(nodes) - 1, "slide", X, body=leg.upper, armature=armature))
        actuator = end = len(nodes) - 1
    rotor = None
    if turns and real_rotors and drive is not None:
        on_leg = drive.rotor_axis is not None
        axis = drive.rotor_axis if drive.rotor_axis is not None else X
        spinning = _Raw(0.0, np.zeros(3), drive.rotor_inertia * np.outer(axis, axis))
        nodes.append(Node(universal[-1] if on_leg else -1, "hinge", axis, body=spinning))
        rotor = len(nodes) - 1
    return LegNodes(
        tuple(range(first, len(nodes))),
        actuator,
        universal,
        end,
        tip,
        rotor,
        drive.ratio if drive is not None else 0.0,
    )


def _Raw(mass: float, center: Array, inertia: Array) -> Body:
    """A body that skips the admissibility warning: half of a split body need not be physical alone."""
    raw = object.__new__(Body)
    for name, value in {"mass": mass, "center": center, "inertia": inertia}.items():
        object.__setattr__(raw, name, value)
    return raw


def leg_coordinates(
    leg: Leg, nodes: LegNodes, P: Array, spin: float
) -> tuple[list[object], Closure]:
    """Joint coordinate of each node of a leg (a rotation matrix for a ball) with its platform joint at P."""
    c = closure(leg, P)
    assert c is not None
    if isinstance(leg, SPS):
        y = cross(c.k, c.s)
        y /= np.linalg.norm(y)
        T = np.stack([c.s, y, cross(c.s, y)], axis=1) @ rotation_x(spin)
        values: list[object] = [T, c.coordinate]
    else:
        s, k = c.s, c.k
        if isinstance(leg, RUS):
            back = rotation_exp(-c.coordinate * leg.shaft)
            s, k = back @ s, leg.axis
        values = [*_universal_angles(k, s)]
        values.insert(0 if isinstance(leg, (PUS, RUS)) else 2, c.coordinate)
    if nodes.rotor is not None:
        values.append(nodes.ratio * c.coordinate)
    return values, c


def _universal_angles(k: Array, s: Array) -> tuple[float, float]:
    s0, y0, _ = universal_frame(k).T
    y = cross(k, s)
    first = float(np.arctan2(y @ cross(k, y0), y @ y0))
    s1 = np.cos(first) * s0 + np.sin(first) * y0  # s0 turned about k
    return first, float(np.arctan2(-(s @ k), s @ s1))
