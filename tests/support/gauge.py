"""Arbitrary choices made otherwise on the machine itself, and every verb's answers brought back to the first choice.

A choice (`CHOICES`) gives a `Turned` machine.  `answers` asks every verb and tells of each answer what it is: its unit
(powers of meter, kilogram, second), whether it belongs to legs, which of its axes are vectors of the world.  `back`
undoes order, frame and units by that alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np

import gough
from gough.checks import Array
from gough.results import Reactions
from gough.spatial import Motion, rotation_exp


class Unit(NamedTuple):
    """Powers of length, mass and time."""

    length: float = 0.0
    mass: float = 0.0
    time: float = 0.0

    def factor(self, scale: Unit) -> float:
        """What a number of this unit is multiplied by when the units of length, mass, time become 1/scale."""
        return float(scale.length**self.length * scale.mass**self.mass * scale.time**self.time)

    def per(self, other: Unit) -> Unit:
        """A quotient."""
        return Unit(*(a - b for a, b in zip(self, other, strict=True)))


SI = Unit(1.0, 1.0, 1.0)  # as a scale: nothing changes
ONE, LENGTH, MASS, TIME = Unit(), Unit(1), Unit(0, 1), Unit(0, 0, 1)
SPEED, RATE, ACCELERATION, ANGULAR = Unit(1, 0, -1), Unit(0, 0, -1), Unit(1, 0, -2), Unit(0, 0, -2)
FORCE, MOMENT, INERTIA = Unit(1, 1, -2), Unit(2, 1, -2), Unit(2, 1)
MOTION = (LENGTH, ONE, SPEED, RATE, ACCELERATION, ANGULAR)  # of a motion's variation


@dataclass(frozen=True)
class Turned:
    """A machine with another choice; coordinates of the first one are ``order(new) + shift``."""

    platform: gough.Platform
    shift: Array = field(default_factory=lambda: np.zeros(6))
    order: Array = field(default_factory=lambda: np.arange(6))
    rotation: Array = field(default_factory=lambda: np.eye(3))
    origin: Array = field(default_factory=lambda: np.zeros(3))
    scale: Unit = SI


def crank_zero(platform: gough.Platform, angle: float) -> Turned:
    """Another crank position is called zero, a different one for each leg."""
    legs, shift = [], np.zeros(6)
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, gough.RUS):
            shift[i] = angle + 0.01 * i
            T = rotation_exp(shift[i] * leg.shaft)
            body = leg.crank
            stroke = leg.limits.stroke
            leg = leg.replace(
                arm=T @ leg.arm,
                axis=T @ leg.axis,
                crank=gough.Body(body.mass, T @ body.center, T @ body.inertia @ T.T),
                limits=leg.limits.replace(stroke=None if stroke is None else stroke - shift[i]),
            )
        legs.append(leg)
    return Turned(platform.replace(legs=legs), shift=shift)


def slider_origin(platform: gough.Platform, far: float) -> Turned:
    """Another point of the rail is its origin."""
    legs, shift = [], np.zeros(6)
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, gough.PUS):
            shift[i] = far + 0.1 * i
            leg = leg.replace(base=leg.base + shift[i] * leg.rail)
        legs.append(leg)
    return Turned(platform.replace(legs=legs), shift=shift)


def spin_reference(platform: gough.Platform, angle: float) -> Turned:
    """Another direction from which the spin of SPS legs counts, a different one for each leg."""
    legs = []
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, gough.SPS):
            turn = rotation_exp((angle + 0.2 * i) * np.array([0.3, -0.5, 0.8]))
            leg = leg.replace(reference=turn @ leg.reference)
        legs.append(leg)
    return Turned(platform.replace(legs=legs))


def leg_order(platform: gough.Platform, seed: float) -> Turned:
    """The legs in another order."""
    order = np.random.default_rng(int(abs(seed) * 10)).permutation(6)
    legs = [leg.replace(name=f"leg {i}") for i, leg in enumerate(platform.legs)]
    return Turned(platform.replace(legs=[legs[i] for i in order]), order=np.argsort(order))


def world_frame(platform: gough.Platform, angle: float) -> Turned:
    """The whole machine, gravity included, turned and moved."""
    R, t = rotation_exp(angle * np.array([0.3, -0.5, 0.8])), np.array([0.7, -0.2, 0.4])
    turn = {"rail", "axis", "shaft", "arm", "reference", "slider_center"}
    legs = []
    for leg in platform.legs:
        change = {name: R @ getattr(leg, name) for name in turn if hasattr(leg, name)}
        if isinstance(leg, gough.RUS):
            body = leg.crank
            change["crank"] = gough.Body(body.mass, R @ body.center, R @ body.inertia @ R.T)
        axis = leg.limits.base_axis
        limits = leg.limits.replace(base_axis=None if axis is None else R @ axis)
        legs.append(leg.replace(base=t + R @ leg.base, limits=limits, **change))
    home = platform.home
    moved = None if home is None else gough.Pose(t + R @ home.position, R @ home.rotation)
    changed = platform.replace(legs=legs, gravity=R @ platform.gravity, home=moved)
    return Turned(changed, rotation=R, origin=t)


SYSTEMS = {  # how many new units of length, mass, time are a meter, a kilogram, a second
    0.3: Unit(1000.0, 1.0, 1.0),
    2.0: Unit(39.37, 2.2046, 1.0),
    np.pi - 1e-3: Unit(1000.0, 1000.0, 1000.0),
    -3.0: Unit(0.01, 0.001, 1 / 60),
}
LEG_UNITS: dict[str, Unit] = {
    "base": LENGTH,
    "joint": LENGTH,
    "arm": LENGTH,
    "length": LENGTH,
    "slider_center": LENGTH,
    "slider_mass": MASS,
}


def units(platform: gough.Platform, angle: float) -> Turned:
    """The same machine measured in other units."""
    scale = SYSTEMS[angle]

    def body(b: gough.Body) -> gough.Body:
        factors = (MASS.factor(scale), LENGTH.factor(scale), INERTIA.factor(scale))
        return gough.Body(
            *(f * v for f, v in zip(factors, (b.mass, b.center, b.inertia), strict=True))
        )

    legs = []
    for leg in platform.legs:
        travel, effort = coordinate_unit(leg), effort_unit(leg)
        change = {
            n: u.factor(scale) * getattr(leg, n) for n, u in LEG_UNITS.items() if hasattr(leg, n)
        }
        for name in ("lower", "upper", "link", "crank"):
            if hasattr(leg, name):
                change[name] = body(getattr(leg, name))
        swing, slide = MOMENT.per(RATE).factor(scale), effort.per(travel.per(TIME)).factor(scale)
        f = leg.friction
        change["friction"] = gough.Friction(
            swing * f.universal, slide * f.prismatic, swing * f.spherical
        )
        if leg.drive is not None:
            change["drive"] = leg.drive.replace(
                ratio=leg.drive.ratio / travel.factor(scale),
                rotor_inertia=leg.drive.rotor_inertia * INERTIA.factor(scale),
            )
        legs.append(leg.replace(limits=gough.Limits(), **change))
    home, m = platform.home, LENGTH.factor(scale)
    changed = platform.replace(
        body=body(platform.body),
        legs=legs,
        gravity=ACCELERATION.factor(scale) * platform.gravity,
        home=None if home is None else gough.Pose(m * home.position, home.rotation),
    )
    return Turned(changed, scale=scale)


CHOICES: dict[str, Callable[[gough.Platform, float], Turned]] = {
    "crank zero": crank_zero,
    "slider origin": slider_origin,
    "spin reference": spin_reference,
    "leg order": leg_order,
    "world frame": world_frame,
    "units": units,
}


def coordinate_unit(leg: Any) -> Unit:
    """Of the leg's actuator."""
    return ONE if isinstance(leg, gough.RUS) else LENGTH


def effort_unit(leg: Any) -> Unit:
    """Force, or torque of a crank."""
    return MOMENT.per(coordinate_unit(leg))


def seen(motion: Motion, g: Turned) -> Motion:
    """The same motion in the other world frame and units."""
    R = g.rotation
    vectors = (motion.velocity, motion.angular_velocity)
    vectors += (motion.acceleration, motion.angular_acceleration)
    moved = (u.factor(g.scale) * v @ R.T for u, v in zip(MOTION[2:], vectors, strict=True))
    position = LENGTH.factor(g.scale) * (g.origin + motion.position @ R.T)
    return Motion(position, R @ motion.rotation, *moved)


def loaded(external: Array, g: Turned) -> Array:
    """A wrench in platform axes in the other units."""
    return external * np.repeat([FORCE.factor(g.scale), MOMENT.factor(g.scale)], 3)


def spun(c: Any, g: Turned) -> gough.Spin | None:
    """The same spins counted from the other references."""
    if not c.needs_spin:
        return None
    direction = gough.inverse_kinematics(c.platform, c.motion).direction
    angle = c.spin_angle.copy()
    for i, leg in enumerate(c.platform.legs):
        other = g.platform.legs[g.order[i]]
        if isinstance(leg, gough.SPS) and isinstance(other, gough.SPS):
            s = direction[:, i]
            y, new = (np.cross(k, s) for k in (leg.reference, other.reference @ g.rotation))
            angle[:, i] -= np.arctan2((new * np.cross(s, y)).sum(-1), (new * y).sum(-1))
    place = np.argsort(g.order)
    return gough.Spin(angle[:, place], c.spin_rate[:, place] * RATE.factor(g.scale))


class Answer(NamedTuple):
    """Numbers (N, ...); `unit` of all or of each leg; `legs`, `world`: axes that count legs, that are world vectors."""

    value: Array
    unit: Any = ONE
    legs: tuple[int, ...] = ()
    world: tuple[int, ...] = ()


def back(found: Answer, g: Turned) -> Array:
    """As the first choice has it."""
    value = found.value
    for axis in found.world:
        value = np.moveaxis(np.moveaxis(value, axis, -1) @ g.rotation, -1, axis)
    if isinstance(found.unit, list):  # one for each leg, which are the first axis behind the states
        factors = np.array([u.factor(g.scale) for u in found.unit])
        value = value / factors.reshape(1, 6, *[1] * (value.ndim - 2))
    else:
        value = value / found.unit.factor(g.scale)
    for axis in found.legs:
        value = np.take(value, g.order, axis=axis)
    return value


def answers(
    platform: gough.Platform,
    motion: Motion,
    external: Array,
    spin: gough.Spin | None,
    **options: Any,
) -> dict[str, Answer]:
    """Every verb at these states."""
    travel = [coordinate_unit(leg) for leg in platform.legs]
    effort = [effort_unit(leg) for leg in platform.legs]
    id_ = gough.inverse_dynamics(platform, motion, external, spin=spin, **options)
    out = {"force": Answer(id_.force, effort, (1,)), "condition": Answer(id_.condition_scaled)}
    for f in fields(Reactions):
        unit = FORCE if f.name.endswith("force") else MOMENT
        out[f.name] = Answer(getattr(id_.reactions, f.name), unit, (1,), (2,))
    if id_.spin_acceleration is not None:
        out["spin acceleration"] = Answer(id_.spin_acceleration, ANGULAR, (1,))
    k = gough.inverse_kinematics(platform, motion, spin=spin)
    out |= {
        "rate": Answer(k.rate, [u.per(TIME) for u in travel], (1,)),
        "leg acceleration": Answer(k.acceleration, [u.per(Unit(0, 0, 2)) for u in travel], (1,)),
        "direction": Answer(k.direction, ONE, (1,), (2,)),
        "strut rate": Answer(k.angular_velocity, RATE, (1,), (2,)),
        "strut acceleration": Answer(k.angular_acceleration, ANGULAR, (1,), (2,)),
    }
    fd = gough.forward_dynamics(platform, motion, id_.force, external, spin=spin, **options)
    out |= {
        "acceleration": Answer(fd.acceleration, ACCELERATION, (), (1,)),
        "angular acceleration": Answer(fd.angular_acceleration, ANGULAR, (), (1,)),
        "free spins": Answer(fd.spin_acceleration, ANGULAR, (1,)),
    }
    b = gough.dynamics.bias(platform, motion, spin=spin, **options)
    M = gough.mass_matrix(platform, motion.pose, spin=spin, **options)
    e = gough.energy(platform, motion, spin=spin, **options)
    out |= {
        "bias force": Answer(b[:, :3], FORCE, (), (1,)),
        "bias moment": Answer(b[:, 3:], MOMENT, (), (1,)),
        "mass": Answer(M[:, :3, :3], MASS, (), (1, 2)),
        "first moment": Answer(M[:, :3, 3:], Unit(1, 1), (), (1, 2)),
        "inertia": Answer(M[:, 3:, 3:], INERTIA, (), (1, 2)),
        "kinetic": Answer(e.kinetic, MOMENT),
        "potential": Answer(e.potential - e.potential[0], MOMENT),
    }
    if "engine" not in options:
        out |= slopes(platform, motion, external, spin, id_.force)
    return out


def slopes(
    platform: gough.Platform,
    motion: Motion,
    external: Array,
    spin: gough.Spin | None,
    force: Array,
) -> dict[str, Answer]:
    """The derivatives over motion and loads, block by block."""
    inverse = gough.dynamics.inverse_dynamics_derivatives(platform, motion, external, spin=spin)
    forward = gough.dynamics.forward_dynamics_derivatives(
        platform, motion, force, external, spin=spin
    )
    effort = [effort_unit(leg) for leg in platform.legs]
    out = {}
    for i, over in enumerate(MOTION):
        block = inverse.motion[..., 3 * i : 3 * i + 3]
        out[f"force over {i}"] = Answer(block, [u.per(over) for u in effort], (1,), (2,))
        if i < 4:
            block = forward.motion[:, :3, 3 * i : 3 * i + 3]
            out[f"acceleration over {i}"] = Answer(block, ACCELERATION.per(over), (), (1, 2))
    for name, part, unit in (("force", slice(0, 3), FORCE), ("moment", slice(3, 6), MOMENT)):
        block = inverse.external[..., part]
        out[f"force over {name}"] = Answer(block, [u.per(unit) for u in effort], (1,))
        out[f"acceleration over {name}"] = Answer(
            forward.external[:, :3, part], ACCELERATION.per(unit), (), (1,)
        )
    return out
