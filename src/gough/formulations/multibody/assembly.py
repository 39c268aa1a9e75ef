"""The thirteen bodies and their joints: what does not change with the state.

Body order as in 003: 0 platform, 1..6 upper parts, 7..12 lower parts, 13 ground.  "Upper" is the body at the
platform joint (upper leg part, link, rod), "lower" the other one (lower leg part, slider, crank).
Rows, in this order (n legs each, 003 eq 11):

    spherical  3  platform - upper                                                all legs
    base       3  strut - its base-side joint (ground, slider or crank)           all legs
    lock       3  no relative rotation: lower - upper (UPS, SPS), ground - slider (PUS)
    lateral    2  no sideways motion in the prismatic joint                       UPS, SPS, PUS
    shaft      5  crank on its shaft: 3 for the point, 2 for the axis             RUS
    universal  1  the cross of the universal joint                                UPS, PUS, RUS
    driver     1  actuator coordinate                                             all legs

so that a leg has 12 + 1 rows on its 12 coordinates (UPS, PUS, RUS) or 11 + 1 (SPS: free to spin).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gough.checks import Array
from gough.formulations.arrays import column, frictions, rotors
from gough.formulations.linear import cross
from gough.formulations.multibody.constraints import (
    Angle,
    BodyState,
    Coincide,
    Index,
    Joint,
    Lock,
    Perpendicular,
    Slide,
)
from gough.model import PUS, RUS, SPS, UPS, Body, Platform

GROUND = 13
COORDINATES = 78
X, Y, Z = np.eye(3)
Entry = tuple[str, Joint, list[int]]


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of one kind: `name`, the `legs` they belong to, and where they stand among all rows (n, k)."""

    name: str
    joint: Joint
    legs: Index
    rows: Index


@dataclass(frozen=True, eq=False)
class Assembly:
    """Constants of a machine.

    mass (13,), inertia (13, 3, 3) about the mass center in body axes, gravity (3,);
    blocks       kinematic rows first, drivers last;  kinematic: their number
    driver_rows  (6,) the driving row of each leg
    leg_rows     per leg, its kinematic rows;  leg_columns (6, 12) its coordinates, upper then lower
    strut        (6,) body that turns in the base-side joint;  support (6,) what it turns in
    friction     (6, 3) universal, prismatic, spherical;  reflected (6,) m_r of the drives
    rotor        (6,) I_r nu of motors that ride on the leg, rotor_axis (6, 3) in leg axes
    """

    platform: Platform
    mass: Array
    inertia: Array
    gravity: Array
    blocks: tuple[Block, ...]
    kinematic: int
    driver_rows: Index
    leg_rows: tuple[Index, ...]
    leg_columns: Index
    strut: Index
    support: Index
    friction: Array
    reflected: Array
    rotor: Array
    rotor_axis: Array

    @property
    def size(self) -> int:
        """Number of rows, drivers included."""
        return self.kinematic + 6

    @property
    def leg_unknowns(self) -> list[Index]:
        """Per leg, the places of its speeds and multipliers in ``(u, lambda)``; legs couple elsewhere."""
        return [
            np.concatenate([columns, COORDINATES + rows])
            for columns, rows in zip(self.leg_columns, self.leg_rows, strict=True)
        ]

    def block(self, name: str) -> list[Block]:
        """Blocks of that name."""
        return [block for block in self.blocks if block.name == name]

    def value(self, state: BodyState) -> Array:
        """``Phi`` (..., rows); the drivers give the actuator coordinates themselves (c = 0)."""
        out = np.empty((*state.shape, self.size), dtype=state.A.dtype)
        for block in self.blocks:
            out[..., block.rows] = block.joint.value(state)
        return out

    def jacobian(self, state: BodyState) -> Array:
        """``Phi_q`` (..., rows, 78) for the speeds u."""
        out = np.zeros((*state.shape, self.size, COORDINATES + 6), dtype=state.A.dtype)
        six = np.arange(6)
        for block in self.blocks:
            rows = block.rows[:, :, None]
            for body, values in zip(
                (block.joint.i, block.joint.j), block.joint.jacobian(state), strict=True
            ):
                out[..., rows, (6 * body[:, None] + six)[:, None, :]] = values
        return out[..., :COORDINATES]

    def gamma(self, state: BodyState) -> Array:
        """Right side of ``Phi_q ud = gamma`` (..., rows), without the drivers' second derivative."""
        out = np.empty((*state.shape, self.size), dtype=state.A.dtype)
        for block in self.blocks:
            out[..., block.rows] = block.joint.gamma(state)
        return out


def counts(platform: Platform) -> dict[str, int]:
    """Bodies, coordinates, kinematic and driving rows, and the freedoms left when driven."""
    assembly = assemble(platform)
    return {
        "bodies": 13,
        "coordinates": COORDINATES,
        "kinematic": assembly.kinematic,
        "driving": 6,
        "free": COORDINATES - assembly.size,
    }


@lru_cache(maxsize=32)
def assemble(platform: Platform) -> Assembly:
    """Bodies, joints and index tables of `platform`."""
    bodies = [
        platform.body,
        *(_upper(leg) for leg in platform.legs),
        *(_lower(leg) for leg in platform.legs),
    ]
    blocks = _number(_joints(platform))
    kinematic = sum(block.rows.size for block in blocks if block.name != "driver")
    leg_rows = tuple(
        np.concatenate(
            [block.rows[block.legs == i].ravel() for block in blocks if block.name != "driver"]
        )
        for i in range(6)
    )
    driver_rows = np.empty(6, dtype=np.intp)
    for block in blocks:
        if block.name == "driver":
            driver_rows[block.legs] = block.rows[:, 0]
    columns = np.array(
        [np.r_[6 * (1 + i) : 6 * (2 + i), 6 * (7 + i) : 6 * (8 + i)] for i in range(6)]
    )
    two_part = np.array([isinstance(leg, (UPS, SPS)) for leg in platform.legs])
    legs = np.arange(6)
    reflected, rotor, rotor_axis = rotors(platform.legs)
    return Assembly(
        platform=platform,
        mass=column(bodies, "mass"),
        inertia=column(bodies, "inertia"),
        gravity=np.asarray(platform.gravity),
        blocks=blocks,
        kinematic=kinematic,
        driver_rows=driver_rows,
        leg_rows=leg_rows,
        leg_columns=columns,
        strut=np.where(two_part, 7 + legs, 1 + legs),
        support=np.where(two_part, GROUND, 7 + legs),
        friction=np.stack(frictions(platform.legs), axis=-1),
        reflected=reflected,
        rotor=rotor,
        rotor_axis=rotor_axis,
    )


def _upper(leg: object) -> Body:
    return leg.upper if isinstance(leg, (UPS, SPS)) else leg.link  # type: ignore[attr-defined]


def _lower(leg: object) -> Body:
    if isinstance(leg, (UPS, SPS)):
        return leg.lower
    if isinstance(leg, RUS):
        return leg.crank
    assert isinstance(leg, PUS)
    return Body(leg.slider_mass, leg.slider_center)


def _joints(platform: Platform) -> list[Entry]:
    """Every kind of row with its legs, in the order of the module's table; drivers last."""
    legs, every = platform.legs, list(range(6))
    prismatic = [i for i in every if not isinstance(legs[i], RUS)]
    cranks = [i for i in every if isinstance(legs[i], RUS)]
    universal = [i for i in every if not isinstance(legs[i], SPS)]
    out: list[Entry] = [
        ("spherical", _spherical(platform), every),
        ("base", _base(platform), every),
    ]
    drivers: list[Entry] = []
    if prismatic:
        guides = [_guide(platform, i) for i in prismatic]
        a, b = (np.array([g[k] for g in guides]) for k in (0, 1))
        p_a, p_b, n = (np.array([g[k] for g in guides]) for k in (2, 3, 4))
        out.append(("lock", Lock(a, b), prismatic))
        for k in (1, 2):
            out.append(("lateral", Slide(a, n[:, :, k], p_a, b, p_b), prismatic))
        drivers.append(("driver", Slide(a, n[:, :, 0], p_a, b, p_b), prismatic))
    if cranks:
        out += _shafts(platform, cranks)
        drivers.append(("driver", _angles(platform, cranks), cranks))
    if universal:
        out.append(("universal", _universal(platform, universal), universal))
    return out + drivers


def _number(joints: list[Entry]) -> tuple[Block, ...]:
    blocks, start = [], 0
    for name, joint, legs in joints:
        n, k = len(legs), joint.rows
        blocks.append(Block(name, joint, np.array(legs), start + np.arange(n * k).reshape(n, k)))
        start += n * k
    return tuple(blocks)


def _spherical(platform: Platform) -> Coincide:
    """Platform joint of the platform and of the upper body (003 eq 2)."""
    p = np.array([leg.joint - platform.body.center for leg in platform.legs])
    upper = np.array(
        [
            -leg.upper.center if isinstance(leg, (UPS, SPS)) else leg.length * X - leg.link.center
            for leg in platform.legs
        ]
    )
    return Coincide(np.zeros(6, dtype=np.intp), p, np.arange(1, 7), upper)


def _base(platform: Platform) -> Coincide:
    """Base-side joint: of the strut, and of what carries it (003 eq 3)."""
    entries = []
    for n, leg in enumerate(platform.legs):
        if isinstance(leg, (UPS, SPS)):
            entry = 7 + n, -leg.lower.center, GROUND, leg.base
        elif isinstance(leg, PUS):
            entry = 1 + n, -leg.link.center, 7 + n, -leg.slider_center
        else:
            entry = 1 + n, -leg.link.center, 7 + n, leg.arm - leg.crank.center
        entries.append(entry)
    i, p_i, j, p_j = (np.array(values) for values in zip(*entries, strict=True))
    return Coincide(i, p_i, j, p_j)


def _guide(platform: Platform, i: int) -> tuple[int, int, Array, Array, Array]:
    """Prismatic joint of a leg: bodies a, b, a point of each on the axis, and axes of a (first: sliding)."""
    leg = platform.legs[i]
    if isinstance(leg, PUS):
        y = cross(leg.rail, np.eye(3)[np.argmin(np.abs(leg.rail))])
        y = y / np.linalg.norm(y)
        axes = np.stack([leg.rail, y, cross(leg.rail, y)], axis=-1)
        return GROUND, 7 + i, leg.base, -leg.slider_center, axes
    assert isinstance(leg, (UPS, SPS))
    return 7 + i, 1 + i, -leg.lower.center, -leg.upper.center, np.eye(3)


def _universal(platform: Platform, legs: list[int]) -> Perpendicular:
    """First axis k (ground, slider or crank) and second axis y of the strut stay square."""
    i, k, j = [], [], []
    for n in legs:
        leg = platform.legs[n]
        i.append(GROUND if isinstance(leg, UPS) else 7 + n)
        j.append(7 + n if isinstance(leg, UPS) else 1 + n)
        k.append(leg.axis)  # type: ignore[union-attr]
    return Perpendicular(np.array(i), np.array(k), np.array(j), np.tile(Y, (len(legs), 1)))


def _radial(leg: RUS) -> tuple[Array, Array]:
    """Two unit directions square to the shaft; the first lies in the plane of shaft and arm."""
    x = leg.arm - leg.shaft * (leg.shaft @ leg.arm)
    x = x / np.linalg.norm(x)
    return x, cross(leg.shaft, x)


def _shafts(platform: Platform, legs: list[int]) -> list[Entry]:
    """A crank turns about its shaft only: 3 rows for the point, 2 for the direction."""
    cranks: list[RUS] = [platform.legs[n] for n in legs]  # type: ignore[misc]
    body, ground = 7 + np.array(legs), np.full(len(legs), GROUND)
    shaft = np.array([leg.shaft for leg in cranks])
    out: list[Entry] = [
        (
            "shaft",
            Coincide(
                body,
                np.array([-leg.crank.center for leg in cranks]),
                ground,
                np.array([leg.base for leg in cranks]),
            ),
            legs,
        )
    ]
    for k in (0, 1):
        across = np.array([_radial(leg)[k] for leg in cranks])
        out.append(("bearing", Perpendicular(ground, across, body, shaft), legs))
    return out


def _angles(platform: Platform, legs: list[int]) -> Angle:
    cranks: list[RUS] = [platform.legs[n] for n in legs]  # type: ignore[misc]
    return Angle(
        np.full(len(legs), GROUND),
        np.array([leg.shaft for leg in cranks]),
        np.array([_radial(leg)[0] for leg in cranks]),
        7 + np.array(legs),
    )
