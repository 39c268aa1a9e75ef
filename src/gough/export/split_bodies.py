"""Bodies in pieces: simulators move no body without mass, so links that the machine does not have get a piece of a body
that moves with them.  The pieces together are the body: mass, mass center and tensor, whatever the joint between them
does.  A cross piece without mass is left out, and both its joints are those of the next body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.checks import Array, InputError
from gough.export.linkage import Chain, Freedom, Part, Rotor
from gough.export.xml_files import physical
from gough.model import Body
from gough.model.body import collected_warnings
from gough.spatial import Pose

PLATE = 0.05  # of the platform: what is fixed to it beyond one leg's universal joint
GRAIN = 1e-3  # of the body that gives it
_THICK = 0.51  # moment of a rotor across its axis per moment about it: no body has less than half


def plates(body: Body, count: int) -> tuple[Body, Body]:
    """What is left of the platform, and one of `count` plates fixed to it: smaller images of the whole."""
    return tuple(_scaled(body, share) for share in (1.0 - PLATE * count, PLATE))  # type: ignore[return-value]


def _scaled(body: Body, share: float) -> Body:
    with collected_warnings():
        return Body(share * body.mass, body.center, share * body.inertia)


def disc(rotor: Rotor, carrier: Body) -> Body:
    """The rotor: round about its axis, which goes through the mass center of its carrier (its own origin)."""
    along = np.outer(rotor.axis, rotor.axis)
    tensor = rotor.inertia * (along + _THICK * (np.eye(3) - along))
    return Body(GRAIN * carrier.mass, inertia=tensor)


def without_discs(body: Body, rotors: tuple[Rotor, ...], what: str) -> Body:
    """What is left of a part when its rotors are bodies of their own."""
    if not rotors:
        return body
    discs = [disc(rotor, body) for rotor in rotors]
    mass = body.mass - sum(piece.mass for piece in discs)
    with collected_warnings():
        left = Body(mass, body.center, body.inertia - sum(piece.inertia for piece in discs))
    if not physical(left.inertia):
        problem = "cannot hold the rotors that ride on it: no body is left without them"
        raise InputError(f"{what}.inertia", body.inertia.tolist(), problem)
    return left


def bare(rotor: Rotor) -> Body:
    """The moment of a rotor about its axis and nothing else, which no body alone can have."""
    with collected_warnings():
        return Body(0.0, inertia=rotor.inertia * np.outer(rotor.axis, rotor.axis))


def without_bare(body: Body, rotors: tuple[Rotor, ...]) -> Body:
    """What is left of a part when its rotors are bare moments of their own."""
    with collected_warnings():
        taken = sum((bare(rotor).inertia for rotor in rotors), np.zeros((3, 3)))
        return Body(body.mass, body.center, body.inertia - taken)


def sleeve(body: Body, what: str, program: str) -> tuple[Body, Body]:
    """What is left of an upper part, and a grain at its origin, which is on the axis about which it turns."""
    m, mass = GRAIN * body.mass, (1.0 - GRAIN) * body.mass
    if mass <= 0.0:
        raise InputError(f"{what}.mass", body.mass, f"{program} moves no body without mass")
    center = body.center / (1.0 - GRAIN)
    tensor = body.inertia + body.mass * _about(body.center) - mass * _about(center)
    if not physical(tensor):
        problem = f"{program} needs a link between slide and twist, and this tensor leaves none"
        raise InputError(f"{what}.inertia", body.inertia.tolist(), problem)
    return Body(mass, center, tensor), Body(m)


def _about(r: Array) -> Array:
    """Tensor of a unit mass at r about the origin."""
    return r @ r * np.eye(3) - np.outer(r, r)


def without_massless(chain: Chain, pose: Pose) -> Chain:
    """The chain without cross pieces that weigh nothing; the joints of such a one go to the body that it carries."""
    parts: list[Part] = []
    gone: list[Part] = []
    for part in chain.parts:
        if part.name.startswith(f"{chain.name}-cross") and not part.body.mass:
            gone.append(part)
            continue
        moved = [f for cross in gone for f in _moved(cross, part.rotation, part.position)]
        parent = gone[0].parent if gone else part.parent
        parts.append(replace(part, parent=parent, freedoms=(*moved, *part.freedoms)))
        gone = []
    if not gone:
        return replace(chain, parts=tuple(parts))
    joint = pose.position + pose.rotation @ chain.leg.joint
    top = [f for cross in gone for f in _moved(cross, pose.rotation, joint)]
    tip = parts[-1].rotation.T @ (joint - parts[-1].position)
    return replace(chain, parts=tuple(parts), tip=tip, top=(*top, *chain.top))


def _moved(part: Part, rotation: Array, position: Array) -> list[Freedom]:
    """The freedoms of a part in other axes from another origin."""
    found, turn = [], rotation.T @ part.rotation
    for freedom in part.freedoms:
        at = np.zeros(3) if freedom.at is None else freedom.at
        there = turn @ at + rotation.T @ (part.position - position)
        found.append(replace(freedom, axis=turn @ np.asarray(freedom.axis), at=there))
    return found
