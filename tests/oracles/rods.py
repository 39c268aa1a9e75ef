"""Random UCS, PSU and RSS legs, and their chains of explicit joints for an outside engine."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from gough.checks import Array
from gough.model import PSU, PUS, RSS, RUS, UCS, UPS, Body, Drive, Leg
from gough.spatial import rotation_exp, rotation_x
from oracles.closure import Closure, cross
from oracles.machines import _away, _leg_rotor, _pus, _rus, _ups, rod
from oracles.tree import (
    LegNodes,
    Node,
    X,
    Y,
    Z,
    _Raw,
    universal_angles,
    universal_frame,
)

ROUND = ("free", "axisymmetric")


def _cut(leg: Leg, kind: type[UCS | PSU | RSS], *names: str) -> dict[str, Any]:
    """Its fields that such a leg has too, but some."""
    shared = {f.name for f in fields(leg)} & {f.name for f in fields(kind)} - {*names}
    return {name: getattr(leg, name) for name in shared}


def ucs(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    """free: round upper part that nothing rubs; axisymmetric; general; rotor: a motor rides on the lower part."""
    friction = common["friction"]
    if friction.universal:
        friction = friction.replace(cylindrical=rng.uniform(0.1, 2))
    if variant in ("free", "still"):
        friction = friction.replace(spherical=0.0, cylindrical=0.0)
    common = {**common, "friction": friction.replace(cylindrical=0.0)}
    if variant in ("rotor", "still"):
        common = _leg_rotor(rng, common)
    leg = _ups(rng, b, P, "general", common)
    assert isinstance(leg, UPS)
    given = _cut(leg, UCS, "friction")
    L = float(np.linalg.norm(P - b))
    if variant in (*ROUND, "still"):
        given["upper"] = rod(rng, (1, 5), -0.3 * L, 0.12)
    return UCS(**given, friction=friction, reference=_away(rng, (P - b) / L))


def psu(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    """The link leans as that of a PUS leg."""
    turned = common.pop("turned")
    leg = _pus(rng, b, P, variant, common)
    assert isinstance(leg, PUS)
    s = (P - b) / np.linalg.norm(P - b)
    return PSU(**_cut(leg, PSU), platform_axis=turned.T @ _away(rng, s))


def rss(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    """free: round rod that nothing rubs; axisymmetric; general."""
    if variant == "free":
        common = {**common, "friction": common["friction"].replace(universal=0.0, spherical=0.0)}
    leg = _rus(rng, b, P, variant, common)
    assert isinstance(leg, RUS)
    given = _cut(leg, RSS)
    if variant in ROUND:
        given["link"] = rod(rng, (1, 4), 0.45 * leg.length, 0.15)
    return RSS(**given, reference=_away(rng, (P - b) / np.linalg.norm(P - b)))


MAKERS = {"UCS": ucs, "PSU": psu, "RSS": rss}


def chain(nodes: list[Node], leg: UCS | PSU | RSS) -> LegNodes:
    """The leg's joints, added depth first; a drive's rotor is a body of its own."""
    first = len(nodes)
    twist, plate = None, ()
    if isinstance(leg, UCS):
        nodes.append(Node(-1, "hinge", Z, universal_frame(leg.axis), leg.base))
        nodes.append(Node(first, "hinge", Y, body=_less_rotor(leg.lower, leg.drive)))
        nodes.append(Node(first + 1, "slide", X))
        nodes.append(Node(first + 2, "hinge", X, body=leg.upper))
        actuator, universal, end, tip = first + 2, (first, first + 1), first + 3, np.zeros(3)
        twist = end
    elif isinstance(leg, PSU):
        slider = Body(leg.slider_mass, leg.slider_center)
        nodes.append(Node(-1, "slide", leg.rail, p=leg.base, body=slider))
        nodes.append(Node(first, "ball", body=leg.link))
        nodes.append(Node(first + 1, "hinge", Y, p=leg.length * X))
        nodes.append(Node(first + 2, "hinge", Z))
        actuator, universal, end, tip = first, (first + 1,), first + 3, np.zeros(3)
        plate = (first + 2, first + 3)
    else:
        nodes.append(Node(-1, "hinge", leg.shaft, p=leg.base, body=leg.crank))
        nodes.append(Node(first, "ball", p=leg.arm, body=leg.link))
        actuator, universal, end, tip = first, (first + 1,), first + 1, leg.length * X
    rotors = _rotor(nodes, leg.drive, universal[-1])
    every = tuple(range(first, len(nodes)))
    return LegNodes(every, actuator, universal, end, tip, rotors, twist, plate)


def _less_rotor(body: Body, drive: Drive | None) -> Body:
    if drive is None or drive.rotor_axis is None:
        return body
    own = drive.rotor_inertia * np.outer(drive.rotor_axis, drive.rotor_axis)
    return _Raw(body.mass, body.center, body.inertia - own)


def _rotor(
    nodes: list[Node], drive: Drive | None, carrier: int
) -> tuple[tuple[int, float, float], ...]:
    if drive is None or not drive.rotor_inertia:
        return ()
    axis = X if drive.rotor_axis is None else drive.rotor_axis
    body = _Raw(0.0, np.zeros(3), drive.rotor_inertia * np.outer(axis, axis))
    nodes.append(Node(-1 if drive.rotor_axis is None else carrier, "hinge", axis, body=body))
    return ((len(nodes) - 1, drive.ratio, 0.0),)


def coordinates(
    leg: UCS | PSU | RSS, nodes: LegNodes, c: Closure, spin: float, R: Array
) -> list[object]:
    """By node: hinges and slides in rad and m, a ball's rotation from its parent."""
    motors = {n: along * c.coordinate for n, along, _ in nodes.rotors}
    by_node: dict[int, object] = {nodes.actuator: c.coordinate, **motors}
    if isinstance(leg, PSU):
        k = R @ leg.platform_axis
        by_node[nodes.universal[0]] = _axes(k, c.s)
        above, over = universal_angles(R @ universal_frame(leg.platform_axis), c.s)
        by_node |= dict(zip(nodes.plate, (-over, -above), strict=True))
    elif isinstance(leg, RSS):
        back = rotation_exp(-c.coordinate * leg.shaft)
        by_node[nodes.universal[0]] = back @ _axes(leg.reference, c.s) @ rotation_x(spin)
    else:
        y = _axes(leg.axis, c.s)[:, 1]
        y_u = (_axes(leg.reference, c.s) @ rotation_x(spin))[:, 1]
        by_node |= dict(
            zip(nodes.universal, universal_angles(universal_frame(leg.axis), c.s), strict=True)
        )
        by_node[nodes.end] = float(np.arctan2(c.s @ cross(y, y_u), y @ y_u))
    return [by_node[n] for n in nodes.all]


def _axes(k: Array, s: Array) -> Array:
    y = cross(k, s)
    y = y / np.linalg.norm(y)
    return np.stack([s, y, cross(s, y)], axis=1)
