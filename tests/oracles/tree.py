"""The open tree an outside engine sees: every leg as a chain from the base, the platform as a free body.

Built from the public Platform only.  Node frames: slider and crank keep world axes at zero; a universal joint
is a hinge about k (local z) followed by a hinge about y, so that the strut's frame is T = [s, y, s x y].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.checks import Array
from gough.model import PSU, PUS, RSS, RUS, SPS, UCS, UCU, Body, Leg, Platform
from gough.model.offset import offset
from gough.spatial import Motion, Pose, rotation_exp, rotation_x
from oracles.closure import Closure, closure, cross
from oracles.offset_chain import (
    angles,
    chain_closure,
    displace,
    universal_angles,
    universal_frame,
)

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
    """Indices of the nodes that matter of one leg; `tip` is the platform joint in the frame of node `end`.

    rotors  node, and its angle per coordinate of the actuator's node and of the twist's
    twist, plate, travel  UCU: the pair's rotation (UCS too), the platform joint's two hinges, the last one of which
            carries a massless plate fixed to the platform (PSU too), and travel of the actuator per twist
    """

    all: tuple[int, ...]
    actuator: int
    universal: tuple[int, ...]
    end: int
    tip: Array
    rotors: tuple[tuple[int, float, float], ...]
    twist: int | None = None
    plate: tuple[int, ...] = ()
    travel: float = 0.0

    @property
    def spin(self) -> int:
        """The node whose first coordinate's rate is free where the leg spins: a ball, or the pair's rotation (UCS)."""
        return self.universal[0] if self.twist is None else self.twist

    @property
    def rotor(self) -> int | None:
        """The drive's only rotor."""
        return self.rotors[0][0] if self.rotors else None

    @property
    def ratio(self) -> float:
        """Its angle per actuator coordinate."""
        return self.rotors[0][1] if self.rotors else 0.0


@dataclass(frozen=True)
class Tree:
    """Nodes in depth-first order, the six legs, and the platform's node."""

    nodes: tuple[Node, ...]
    legs: tuple[LegNodes, ...]
    platform: int
    gravity: Array


def build(machine: Platform, *, real_rotors: bool) -> Tree:
    """The tree; drives become bodies that turn with the actuator, or armature on its coordinate."""
    nodes: list[Node] = []
    legs = tuple(_leg(nodes, leg, real_rotors) for leg in machine.legs)
    for leg, n in zip(machine.legs, legs, strict=True):
        if offset(leg):
            displace(nodes, leg, n)  # type: ignore[arg-type]
    nodes.append(Node(-1, "free", body=machine.body))
    return Tree(tuple(nodes), legs, len(nodes) - 1, machine.gravity)


def _leg(nodes: list[Node], leg: Leg, real_rotors: bool) -> LegNodes:
    if isinstance(leg, UCU):
        return _cylinder(nodes, leg)
    if isinstance(leg, (UCS, PSU, RSS)):
        from oracles import rods  # which builds on what is here

        return rods.chain(nodes, leg)
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
    rotors: tuple[tuple[int, float, float], ...] = ()
    if turns and real_rotors and drive is not None:
        on_leg = drive.rotor_axis is not None
        axis = drive.rotor_axis if drive.rotor_axis is not None else X
        spinning = _Raw(0.0, np.zeros(3), drive.rotor_inertia * np.outer(axis, axis))
        nodes.append(Node(universal[-1] if on_leg else -1, "hinge", axis, body=spinning))
        rotors = ((len(nodes) - 1, drive.ratio, 0.0),)
    return LegNodes(tuple(range(first, len(nodes))), actuator, universal, end, tip, rotors)


def _cylinder(nodes: list[Node], leg: UCU) -> LegNodes:
    """Universal joint, slide and hinge along the leg, universal joint the other way round, plate; rotors at once."""
    first, drive, screw = len(nodes), leg.drive, leg.screw
    above = screw is not None and screw.mount == "upper"
    turn = 0.0 if screw is None else (1 if screw.hand == "right" else -1) * 2 * np.pi / screw.lead
    rotors: list[
        tuple[bool, Array, float, float, float]
    ] = []  # rides, axis, inertia, turns per L, phi
    if screw is not None and screw.inertia:
        # of a right-hand thread (screw against nut: + turns, + travel) with screw below, nut above, and so on
        turns = (turn, -1.0) if above else (-turn, 1.0)
        rotors.append((True, X, screw.inertia, *turns))
    if drive is not None and drive.rotor_inertia:
        axis = X if drive.rotor_axis is None else drive.rotor_axis
        twisted = 0.0 if screw is None else -drive.ratio / turn
        rides = drive.rotor_axis is not None
        rotors.append((rides, axis, drive.rotor_inertia, drive.ratio, twisted))
    carried = sum((I * np.outer(d, d) for rides, d, I, *_ in rotors if rides), np.zeros((3, 3)))
    parts = [
        _Raw(b.mass, b.center, b.inertia - (carried if here else 0.0))
        for b, here in ((leg.lower, not above), (leg.upper, above))
    ]
    made: list[tuple[int, float, float]] = []

    def add_rotors(carrier: int) -> None:
        for rides, axis, inertia, along, twisted in rotors:
            body = _Raw(0.0, np.zeros(3), inertia * np.outer(axis, axis))
            nodes.append(Node(carrier if rides else -1, "hinge", axis, body=body))
            made.append((len(nodes) - 1, along, twisted))

    nodes.append(Node(-1, "hinge", Z, universal_frame(leg.axis), leg.base))
    nodes.append(Node(first, "hinge", Y, body=parts[0]))
    if not above:
        add_rotors(first + 1)
    slide = len(nodes)
    nodes.append(Node(first + 1, "slide", X))
    nodes.append(Node(slide, "hinge", X, body=parts[1]))
    if above:
        add_rotors(slide + 1)
    plate = len(nodes)
    nodes.append(Node(slide + 1, "hinge", Y))
    nodes.append(Node(plate, "hinge", Z))
    travel = 0.0 if screw is None else -1.0 / turn
    return LegNodes(
        tuple(range(first, len(nodes))),
        slide,
        (first, first + 1),
        plate + 1,
        np.zeros(3),
        tuple(made),
        slide + 1,
        (plate, plate + 1),
        travel,
    )


def _Raw(mass: float, center: Array, inertia: Array) -> Body:
    """A body that skips the admissibility warning: half of a split body need not be physical alone."""
    raw = object.__new__(Body)
    for name, value in {"mass": mass, "center": center, "inertia": inertia}.items():
        object.__setattr__(raw, name, value)
    return raw


def leg_coordinates(
    leg: Leg, nodes: LegNodes, P: Array, spin: float, R: Array | None = None
) -> tuple[list[object], Closure]:
    """Joint coordinate of each node of a leg (a rotation matrix for a ball) with its platform joint at P."""
    c = chain_closure(leg, angles(leg, P, R)) if offset(leg) else closure(leg, P)  # type: ignore[arg-type]
    assert c is not None
    if isinstance(leg, UCU):
        assert R is not None
        return _cylinder_coordinates(leg, nodes, c, R), c
    if isinstance(leg, (UCS, PSU, RSS)):
        from oracles import rods

        return rods.coordinates(leg, nodes, c, spin, np.eye(3) if R is None else R), c
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
        values = [*universal_angles(universal_frame(k), s)]
        values.insert(0 if isinstance(leg, (PUS, RUS)) else 2, c.coordinate)
    values += [ratio * c.coordinate for _, ratio, _ in nodes.rotors]
    return values, c


def _cylinder_coordinates(leg: UCU, nodes: LegNodes, c: Closure, R: Array) -> list[object]:
    """By node: both universal joints' angles; the twist is what turns the lower part's y into the upper one's."""
    first, second = universal_angles(universal_frame(leg.axis), c.s)
    above, over = universal_angles(R @ universal_frame(leg.platform_axis), c.s)
    y, y_p = (cross(k, c.s) for k in (leg.axis, R @ leg.platform_axis))
    phi = float(np.arctan2(c.s @ cross(y, y_p), y @ y_p))
    by_node = dict(zip(nodes.universal, (first, second), strict=True))
    by_node |= {nodes.actuator: c.coordinate, nodes.twist: phi}
    by_node |= dict(zip(nodes.plate, (-over, -above), strict=True))
    by_node |= {n: along * c.coordinate + twisted * phi for n, along, twisted in nodes.rotors}
    return [by_node[n] for n in nodes.all]


def twist_of(machine: Platform, tree: Tree, i: int, motion: Motion | Pose) -> float:
    """Twist of a UCU leg: angle of its hinge, within half a turn of that at home."""
    home, leg, n = machine.likely_home, machine.legs[i], tree.legs[i]
    assert n.twist is not None
    now, then = (
        leg_coordinates(leg, n, t + R @ leg.joint, 0.0, R)[0][n.all.index(n.twist)]
        for t, R in ((motion.position, motion.rotation), (home.position, home.rotation))
    )
    return float(then + np.angle(np.exp(1j * (now - then))))  # type: ignore[operator]


def actuators(tree: Tree, dofs: Sequence[slice], nv: int) -> Array:
    """(6, nv): actuator rates from joint rates."""
    pick = np.zeros((6, nv))
    for row, n in zip(pick, tree.legs, strict=True):
        row[dofs[n.actuator]] = 1.0
        if n.twist is not None:
            row[dofs[n.twist]] = n.travel
    return pick
