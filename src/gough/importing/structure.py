"""From bodies and joints to a platform on six legs: what is fixed together is one body, rotors are set aside, and the
one body where more than two ways meet is the platform; every other way leads to the ground."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

import numpy as np

from gough.checks import Array
from gough.importing.file_model import FileBody, FileEdge, FileJoint, FileModel
from gough.importing.notes import ImportNotes

GROUND = 0


@dataclass(frozen=True, eq=False)
class FileRotor:
    """A disc that couplings turn: axis (world), moment about it, its angle per reading of other joints."""

    name: str
    axis: Array
    inertia: float
    shares: dict[str, float]


@dataclass(frozen=True, eq=False)
class LegPath:
    """One leg from the ground to the platform: joints, the body behind each (None: none, and behind the last one the
    platform), the rotors on each body, the place of its first body in the file."""

    joints: tuple[FileJoint, ...]
    after: tuple[FileBody | None, ...]
    rotors: tuple[tuple[FileRotor, ...], ...]
    place: int


@dataclass(eq=False)
class _Graph:
    bodies: dict[int, FileBody]
    edges: list[FileEdge]
    rotors: dict[int, list[FileRotor]] = field(default_factory=lambda: defaultdict(list))

    def at(self, node: int) -> list[FileEdge]:
        return [edge for edge in self.edges if node in (edge.a, edge.b)]

    def names(self, nodes: object) -> str:
        return ", ".join(repr(self.bodies[n].name) for n in sorted(nodes))  # type: ignore[call-overload]


def six_legs(
    model: FileModel, notes: ImportNotes, platform: str | None
) -> tuple[FileBody, list[LegPath]]:
    """The platform, in the frame of `platform` or else of the heaviest body that is fixed to it, and its six legs."""
    graph = _joined(model, platform)
    _set_rotors_aside(graph, model, notes)
    top = _top(graph, notes, platform)
    paths = [_leg(graph, nodes, edges, top, notes) for nodes, edges in _ways(graph, top, notes)]
    if len(paths) != 6:
        why = f"{len(paths)} legs lead from the ground to it: a platform here has six"
        raise notes.refuse(f"body {graph.bodies[top].name!r}", why)
    return graph.bodies[top], paths


def _joined(model: FileModel, platform: str | None) -> _Graph:
    """Bodies that are fixed together as one: the ground's, the one asked for, or the heaviest gives the frame."""
    group = list(range(len(model.bodies)))

    def root(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    for edge in model.edges:
        if not edge.joints:
            a, b = sorted((root(edge.a), root(edge.b)))
            group[b] = a
    members: dict[int, list[int]] = defaultdict(list)
    for i in range(len(model.bodies)):
        members[root(i)].append(i)
    bodies = {}
    for node, own in members.items():
        asked = [i for i in own if platform in model.bodies[i].names]
        lead = asked[0] if asked else max(own, key=lambda i: (model.bodies[i].mass, -i))
        whole = model.bodies[GROUND if node == root(GROUND) else lead]
        for i in own:
            if i not in (lead, GROUND):
                whole = whole.with_(model.bodies[i])
        bodies[node] = whole
    edges = [replace(e, a=root(e.a), b=root(e.b)) for e in model.edges if e.joints]
    return _Graph(
        bodies, [e for e in edges if e.a != e.b]
    )  # a joint between what is fixed together is held


def _set_rotors_aside(graph: _Graph, model: FileModel, notes: ImportNotes) -> None:
    """Take off bodies that hang on one coupled hinge; their carriers hold them as if they were locked."""
    used: set[int] = set()
    while True:
        leaf = next((n for n in graph.bodies if _coupled(graph, model, n) is not None), None)
        if leaf is None:
            break
        (edge,) = graph.at(leaf)
        (joint,), number = edge.joints, _coupled(graph, model, leaf)
        assert number is not None
        used.add(number)
        rule = model.couplings[number]
        shares = {k: -c / rule[joint.name] for k, c in rule.items() if k != joint.name}
        carrier = edge.a if edge.b == leaf else edge.b
        axis = joint.axis if edge.b == leaf else -joint.axis
        graph.rotors[carrier] += _rotor(graph, leaf, joint, axis, shares, notes)
        graph.bodies[carrier] = graph.bodies[carrier].with_(graph.bodies.pop(leaf))
        graph.edges.remove(edge)
    for number, rule in enumerate(model.couplings):
        if number not in used:
            what = ", ".join(rule)
            raise notes.refuse(f"coupling of {what}", "couples joints that are not a rotor's")


def _coupled(graph: _Graph, model: FileModel, node: int) -> int | None:
    """Number of the coupling that turns this body, where it is one that hangs on a single hinge."""
    edges = graph.at(node)
    if node == GROUND or len(edges) != 1 or len(edges[0].joints) != 1:
        return None
    joint = edges[0].joints[0]
    if joint.kind != "hinge":
        return None
    found = [i for i, rule in enumerate(model.couplings) if rule.get(joint.name)]
    return found[0] if found else None


def _rotor(
    graph: _Graph,
    leaf: int,
    joint: FileJoint,
    axis: Array,
    shares: dict[str, float],
    notes: ImportNotes,
) -> list[FileRotor]:
    """The rotors that a body becomes: itself, or those on it, which then turn with it too."""
    body, riding = graph.bodies[leaf], graph.rotors.pop(leaf, [])
    if riding:
        if not all(np.linalg.norm(np.cross(r.axis, axis)) < 1e-9 for r in riding):
            raise notes.refuse(
                f"body {body.name!r}", "carries a rotor and is one about another axis"
            )
        total = sum(r.inertia for r in riding)
        if abs(axis @ body.inertia @ axis - total) > 1e-9 * total:
            raise notes.refuse(f"body {body.name!r}", "carries a rotor and turns with a weight")
        return [_turning_too(rotor, axis, shares) for rotor in riding]
    if joint.damping or joint.stiffness or joint.armature or joint.dry:
        notes.changed(
            f"joint {joint.name!r} of a rotor: its damping, spring or inertia has no place"
        )
    arm = body.center - joint.at
    I = body.inertia
    spin = float(axis @ I @ axis)
    across = I - spin * np.outer(axis, axis)
    other = (np.trace(I) - spin) / 2 * (np.eye(3) - np.outer(axis, axis))
    size = max(float(np.abs(I).max()), 1e-300)
    beside = np.linalg.norm(np.cross(arm, axis)) if body.mass else 0.0
    if np.abs(across - other).max() > 1e-9 * size or beside > 1e-9:
        notes.changed(f"rotor {body.name!r} is not round about its axis; it is taken as if it were")
    return [FileRotor(body.name, axis, spin, shares)]


def _turning_too(rotor: FileRotor, axis: Array, shares: dict[str, float]) -> FileRotor:
    sign = float(np.sign(rotor.axis @ axis))
    both = dict(rotor.shares)
    for name, share in shares.items():
        both[name] = both.get(name, 0.0) + sign * share
    return replace(rotor, shares=both)


def _top(graph: _Graph, notes: ImportNotes, platform: str | None) -> int:
    """The one body, not the ground, where more than two ways meet."""
    many = [n for n in graph.bodies if n != GROUND and len(graph.at(n)) > 2]
    if platform is not None:
        own = [n for n, body in graph.bodies.items() if platform in body.names]
        if not own:
            raise notes.refuse(f"platform {platform!r}", "is no body of the file")
        if own[0] == GROUND:
            raise notes.refuse(f"platform {platform!r}", "is fixed to the ground")
        other = [n for n in many if n != own[0]]
        if not other and len(graph.at(own[0])) > 2:
            return own[0]
        many = other or many
    if len(many) == 1 and platform is None:
        return many[0]
    if not many:
        why = (
            "no body is held by more than two joints: nothing closes a loop (constraints that do so are "
            "`equality` elements of MJCF, the `.loops.json` beside a URDF)"
        )
        raise notes.refuse("structure", why)
    count = ", ".join(f"{graph.bodies[n].name!r} ({len(graph.at(n))} joints)" for n in many)
    why = f"one body alone, the platform, may carry more than two joints; these do: {count}"
    raise notes.refuse("structure", why)


def _ways(graph: _Graph, top: int, notes: ImportNotes) -> list[tuple[set[int], list[FileEdge]]]:
    """Bodies and joints of each piece that falls apart where ground and platform are taken away; pieces that do not
    touch the platform are no part of the machine."""
    left = set(graph.bodies) - {GROUND, top}
    found = [(set(), [e]) for e in graph.edges if {e.a, e.b} == {GROUND, top}]
    while left:
        piece, front = set(), {min(left)}
        while front:
            piece |= front
            ends = {n for e in graph.edges for n in (e.a, e.b) if {e.a, e.b} & front}
            front = (ends & left) - piece
        left -= piece
        edges = [e for e in graph.edges if {e.a, e.b} & piece]
        touched = Counter(n for e in edges for n in (e.a, e.b) if n in (GROUND, top))
        if not touched[top]:
            notes.outside(graph.names(piece), "not tied to the platform, left out")
        elif not touched[GROUND]:
            why = "hangs on the platform by a joint and does not lead to the ground"
            raise notes.refuse(f"body {graph.names(piece)}", why)
        else:
            found.append((piece, edges))
    return found


def _leg(
    graph: _Graph, nodes: set[int], edges: list[FileEdge], top: int, notes: ImportNotes
) -> LegPath:
    """One piece in order from the ground; refuse what branches or closes on itself."""
    left, here = list(edges), GROUND
    joints: list[FileJoint] = []
    after: list[FileBody | None] = []
    rotors: list[tuple[FileRotor, ...]] = []
    while here != top:
        ways = [e for e in left if here in (e.a, e.b)]
        if len(ways) != 1:
            break
        (edge,) = ways
        left.remove(edge)
        ahead = edge.b if edge.a == here else edge.a
        row = edge.joints if edge.a == here else [j.turned() for j in reversed(edge.joints)]
        joints += row
        after += [None] * (len(row) - 1) + [None if ahead == top else graph.bodies[ahead]]
        rotors += [()] * (len(row) - 1) + [tuple(graph.rotors.get(ahead, ()))]
        here = ahead
    if here != top or left:
        why = "these bodies branch or close a loop of their own: a leg is one chain from ground to platform"
        raise notes.refuse(f"leg of {graph.names(nodes)}", why)
    if graph.rotors.get(top):
        raise notes.refuse("platform", "carries a rotor: no machine here does")
    return LegPath(tuple(joints), tuple(after), tuple(rotors), min(nodes, default=top))
