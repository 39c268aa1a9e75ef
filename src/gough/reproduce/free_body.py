"""Free-body diagrams from computed numbers: every force and moment on one body at one instant, which must balance.

Inertia is drawn as a load too (-m a at the mass center, -(I A + W x I W) as a moment), so the sums are zero.  It is
computed here from the motion alone; joint reactions come from the formulation whose paper draws the diagram.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gough.checks import Array
from gough.formulations.linear import cross
from gough.model import UPS, Body, Platform
from gough.reproduce.builders import line
from gough.reproduce.page import Curve, Mark, Panel, mark
from gough.spatial import Motion

KINDS = ("joint", "weight", "inertia", "friction")
"""What loads come from."""
LONGEST = 0.5  # of the body's size: length of the longest arrow
SHORTEST = 0.012  # what is shorter cannot be seen
BALANCED = 1e-9


@dataclass(frozen=True, eq=False)
class Load:
    """A force (N) at a point, or a moment (N m) drawn there; world axes, m.  kind: one of KINDS."""

    label: str
    kind: str
    point: Array
    vector: Array
    moment: bool = False


class Symbols(NamedTuple):
    """A paper's letters: joints, masses, gravity, forces at both ends, moment and friction of the joints."""

    base: str
    end: str
    masses: tuple[str, str, str]
    gravity: str
    base_force: str
    end_force: str
    moment: str
    friction: str


@dataclass(frozen=True, eq=False)
class FreeBody:
    """A body cut free: its loads, its outline as pairs of points, its joints and centers by name."""

    loads: tuple[Load, ...]
    outline: tuple[tuple[str, Array, Array], ...]
    points: dict[str, Array]

    def resultant(self) -> tuple[Array, Array]:
        """Sum of the forces (N) and of the moments about the origin (N m); zero if nothing is missing."""
        force, moment = np.zeros(3), np.zeros(3)
        for load in self.loads:
            if load.moment:
                moment = moment + load.vector
            else:
                force, moment = force + load.vector, moment + cross(load.point, load.vector)
        return force, moment

    @property
    def rest(self) -> float:
        """Largest component of both sums (N, N m), not below what is looked at as rounding."""
        return max(BALANCED, *(float(np.abs(total).max()) for total in self.resultant()))

    def rows(self) -> list[tuple[str, ...]]:
        """The loads and their sum as text."""
        found = [
            (load.label, "N m" if load.moment else "N", *(f"{x:.3f}" for x in load.vector))
            for load in self.loads
            if np.abs(load.vector).max() > 0
        ]
        for name, unit, total in zip(
            ("sum of the forces", "sum of the moments"), ("N", "N m"), self.resultant(), strict=True
        ):
            found.append((name, unit, *(_small(x) for x in total)))
        return found


def _small(x: float) -> str:
    return f"below {BALANCED:.0e}" if abs(x) < BALANCED else f"{x:.2e}"


def _inertia(body: Body, rotation: Array, turning: tuple[Array, Array]) -> Array:
    """``-(I A + W x I W)`` of a body turning with W, A = `turning`."""
    W, A = turning
    I = rotation @ body.inertia @ rotation.T
    return -(I @ A + cross(W, I @ W))


def leg(
    machine: Platform, motion: Motion, index: int, theory: ModuleType, names: Symbols
) -> FreeBody:
    """One leg, both parts together, at one instant."""
    part = machine.legs[index]
    assert isinstance(part, UPS)
    moves, joints = theory.leg_motion(machine, motion), theory.reactions(machine, motion)
    s, L = moves.direction[index], moves.length[index]
    W, A = moves.angular_velocity[index], moves.angular_acceleration[index]
    y = cross(part.axis, s) / np.linalg.norm(cross(part.axis, s))
    T = np.stack([s, y, cross(s, y)], axis=-1)
    base, end = part.base, part.base + L * s
    low, high = T @ part.lower.center, L * s + T @ part.upper.center
    a_low = cross(A, low) + cross(W, cross(W, low))
    slide = moves.acceleration[index] * s + 2 * moves.rate[index] * cross(W, s)
    a_high = slide + cross(A, high) + cross(W, cross(W, high))
    turned = _inertia(part.lower, T, (W, A)) + _inertia(part.upper, T, (W, A))
    rubs = -part.friction.spherical * (W - motion.angular_velocity)
    g, m_d, m_u = machine.gravity, part.lower.mass, part.upper.mass
    m_low, m_high, _ = names.masses
    loads = (
        Load(names.base_force, "joint", base, joints.universal_force[index]),
        Load(names.end_force, "joint", end, -joints.spherical_force[index]),
        Load(names.moment, "joint", base, joints.universal_moment[index], True),
        Load(f"{m_low} {names.gravity}", "weight", base + low, m_d * g),
        Load(f"{m_high} {names.gravity}", "weight", base + high, m_u * g),
        Load(f"-{m_low} a_d", "inertia", base + low, -m_d * a_low),
        Load(f"-{m_high} a_u", "inertia", base + high, -m_u * a_high),
        Load("turning inertia", "inertia", base + low, turned, True),
        Load(names.friction, "friction", end, rubs, True),
    )
    outline = (("lower part", base, base + 0.5 * L * s), ("upper part", base + 0.5 * L * s, end))
    points = {names.base: base, names.end: end, "G_d": base + low, "G_u": base + high}
    return FreeBody(loads, outline, points)


def platform(machine: Platform, motion: Motion, theory: ModuleType, names: Symbols) -> FreeBody:
    """The moving platform with its payload, at one instant; the legs' forces on it are minus those on the legs."""
    moves, joints = theory.leg_motion(machine, motion), theory.reactions(machine, motion)
    R, w, al = motion.rotation, motion.angular_velocity, motion.angular_acceleration
    ends = motion.position + machine.platform_joints @ R.T
    arm = R @ machine.body.center
    a = motion.acceleration + cross(al, arm) + cross(w, cross(w, arm))
    mass, center = machine.body.mass, motion.position + arm
    rubs = sum(
        leg.friction.spherical * (moves.angular_velocity[i] - w)
        for i, leg in enumerate(machine.legs)
    )
    loads = (
        *(
            Load(f"-{names.end_force}{i + 1}", "joint", ends[i], joints.spherical_force[i])
            for i in range(6)
        ),
        Load(f"{names.masses[2]} {names.gravity}", "weight", center, mass * machine.gravity),
        Load(f"-{names.masses[2]} a", "inertia", center, -mass * a),
        Load("turning inertia", "inertia", center, _inertia(machine.body, R, (w, al)), True),
        Load("friction of the ball joints", "friction", motion.position, np.asarray(rubs), True),
    )
    ring = [*range(6), 0]
    outline = tuple(("platform", ends[i], ends[j]) for i, j in pairwise(ring))
    return FreeBody(loads, outline, {"G": center, "P": motion.position})


def panels(body: FreeBody, along: Array) -> list[Panel]:
    """Two views, both with z upwards: across the vertical plane through `along`, and along it."""
    side = np.array([along[0], along[1], 0.0]) / np.hypot(along[0], along[1])
    views = {
        "seen across its vertical plane": (side, "horizontal (m)"),
        "seen along it": (cross(np.eye(3)[2], side), "across (m)"),
    }
    size = float(np.ptp(np.array([p for _, *ends in body.outline for p in ends]), axis=0).max())
    return [
        _view(title, label, body, np.stack([x, [0.0, 0.0, 1.0]]), size)
        for title, (x, label) in views.items()
    ]


def _view(title: str, label: str, body: FreeBody, axes: Array, size: float) -> Panel:
    curves = _once(
        line(name, axes @ a, axes @ b, "difference", 1 if name == "upper part" else 0)
        for name, a, b in body.outline
    )
    marks: list[Mark] = [mark(name, axes @ point) for name, point in body.points.items()]
    for moment in (False, True):
        chosen = [x for x in body.loads if x.moment == moment and np.abs(x.vector).max() > 0]
        largest = max((float(np.linalg.norm(x.vector)) for x in chosen), default=1.0)
        found, words = _arrows(chosen, axes, LONGEST * size / largest, size)
        curves, marks = [*curves, *found], [*marks, *words]
    return Panel(title, label, "z (m)", tuple(_once(curves)), equal=True, marks=tuple(marks))


def _arrows(
    loads: Sequence[Load], axes: Array, scale: float, size: float
) -> tuple[list[Curve], list[Mark]]:
    """Arrows of loads from their points, labelled beyond their tips; those too short to be seen are left out."""
    curves, marks = [], []
    for load in loads:
        start, tip = axes @ load.point, axes @ (load.point + scale * load.vector)
        length = float(np.linalg.norm(tip - start))
        if length < SHORTEST * size:
            continue
        what = "moment" if load.moment else "force"
        x, y = np.stack([start, tip]).T
        name = f"{load.kind}, {what}"
        curves.append(Curve(name, x, y, "exact", KINDS.index(load.kind), what))
        marks.append(mark(load.label, tip + 0.03 * size * (tip - start) / length))
    return curves, marks


def _once(curves: Iterable[Curve]) -> list[Curve]:
    """Every name only at its first curve, so that a legend holds it once."""
    seen: set[str] = set()
    found: list[Curve] = []
    for curve in curves:
        label = "" if curve.label in seen else curve.label
        seen.add(curve.label)
        found.append(curve if label else _unnamed(curve))
    return found


def _unnamed(curve: Curve) -> Curve:
    fields: dict[str, Any] = {"style": curve.style, "group": curve.group, "arrow": curve.arrow}
    return Curve("", curve.x, curve.y, **fields)
