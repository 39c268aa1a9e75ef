"""The thirteen bodies and their joints: what does not change with the state.

Body order as in 003: 0 platform, 1..6 upper parts, 7..12 lower parts, 13 ground.  "Upper" is the body at the
platform joint (upper leg part, link, rod), "lower" the other one (lower leg part, slider, crank).
Rows, in this order (n legs each, 003 eq 11):

    spherical  3  platform - upper                                                all legs
    base       3  strut - its base-side joint (ground, slider or crank)           all legs
    lock       3  no relative rotation: lower - upper (UPS, SPS), ground - slider (PUS)
    coaxial    2  both parts along the leg, free to turn about it                 UCU
    lateral    2  no sideways motion in the prismatic or cylindrical joint        UPS, SPS, PUS, UCU
    shaft      5  crank on its shaft: 3 for the point, 2 for the axis             RUS
    universal  1  the cross of the universal joint at the base side               UPS, PUS, RUS, UCU
    platform   1  the cross of the universal joint at the platform                UCU
    driver     1  actuator coordinate: length, slider, crank angle, screw travel  all legs

so that a leg has 12 + 1 rows on its 12 coordinates (UPS, PUS, RUS, UCU) or 11 + 1 (SPS: free to spin).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gough.checks import Array
from gough.formulations.arrays import column, frictions, rotors
from gough.formulations.linear import cross
from gough.formulations.multibody import constraints as joints
from gough.formulations.multibody.constraints import BodyState, Index, Joint
from gough.formulations.multibody.errata import ABOUT
from gough.formulations.multibody.pairs import Helix, Pairs, home_twist, pairs
from gough.model import PUS, RUS, SPS, UCU, UPS, Body, Leg, Platform

GROUND = 13
COORDINATES = 78
X, Y, Z = np.eye(3)
ORDER = (
    *("spherical", "base", "lock", "coaxial 1", "coaxial 2", "lateral 1", "lateral 2"),
    *(
        "shaft",
        "bearing 1",
        "bearing 2",
        "universal",
        "platform",
        "driver 1",
        "driver 2",
        "driver 3",
    ),
)  # of the rows; those of a name's numbers stand together
Row = tuple[type[Joint], tuple[int | Array, ...]]


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
    rotor        (6,) I_r nu of motors that ride on the leg, rotor_axis (6, 3) in leg axes;  carrier (6,) bodies they
                 ride on;  pairs: the cylindrical pairs of UCU legs
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
    carrier: Index
    pairs: Pairs | None

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

    def value(self, state: BodyState) -> Array:
        """``Phi`` (..., rows); the drivers give the actuator coordinates themselves (c = 0)."""
        return self._rowwise(state, lambda joint: joint.value(state))

    def gamma(self, state: BodyState) -> Array:
        """Right side of ``Phi_q ud = gamma`` (..., rows), without the drivers' second derivative."""
        return self._rowwise(state, lambda joint: joint.gamma(state))

    def _rowwise(self, state: BodyState, of: Callable[[Joint], Array]) -> Array:
        out = np.empty((*state.shape, self.size), dtype=state.A.dtype)
        for block in self.blocks:
            out[..., block.rows] = of(block.joint)
        return out

    def jacobian(self, state: BodyState) -> Array:
        """``Phi_q`` (..., rows, 78) for the speeds u."""
        out = np.zeros((*state.shape, self.size, COORDINATES + 6), dtype=state.A.dtype)
        for block in self.blocks:
            rows, joint = block.rows[:, :, None], block.joint
            for body, values in zip((joint.i, joint.j), joint.jacobian(state), strict=True):
                out[..., rows, (6 * body[:, None] + np.arange(6))[:, None, :]] = values
        return out[..., :COORDINATES]


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
    ABOUT.check(platform)
    legs = np.arange(6)
    upper, lower = zip(*map(_bodies, platform.legs), strict=True)
    bodies = [platform.body, *upper, *lower]
    home = platform.likely_home
    twists = {n: home_twist(g, home) for n, g in enumerate(platform.legs) if isinstance(g, UCU)}
    blocks = _blocks([_rows(platform, n, twists.get(n, 0.0)) for n in range(6)])
    kinematic = [block for block in blocks if block.name != "driver"]
    driver_rows = np.empty(6, dtype=np.intp)
    for block in blocks[len(kinematic) :]:
        driver_rows[block.legs] = block.rows[:, 0]
    two_part = np.array([isinstance(leg, (UPS, SPS, UCU)) for leg in platform.legs])
    screws = [leg.screw if isinstance(leg, UCU) else None for leg in platform.legs]
    above = np.array([screw is not None and screw.mount == "upper" for screw in screws])
    friction = np.stack(frictions(platform.legs), axis=-1)
    friction[[screw is not None for screw in screws], 1] = 0.0  # acts along the leg: see Pairs
    reflected, rotor, rotor_axis = rotors(platform.legs)
    return Assembly(
        platform=platform,
        mass=column(bodies, "mass"),
        inertia=column(bodies, "inertia"),
        gravity=np.asarray(platform.gravity),
        blocks=blocks,
        kinematic=sum(block.rows.size for block in kinematic),
        driver_rows=driver_rows,
        leg_rows=tuple(
            np.concatenate([b.rows[b.legs == n].ravel() for b in kinematic]) for n in legs
        ),
        leg_columns=np.add.outer(6 * legs, np.r_[6:12, 42:48]),
        strut=np.where(two_part, 7 + legs, 1 + legs),
        support=np.where(two_part, GROUND, 7 + legs),
        friction=friction,
        reflected=reflected,
        rotor=rotor,
        rotor_axis=rotor_axis,
        carrier=np.where(above, 1 + legs, 7 + legs),
        pairs=pairs(platform, twists),
    )


def _bodies(leg: Leg) -> tuple[Body, Body]:
    """Upper and lower body of a leg."""
    if isinstance(leg, (UPS, SPS, UCU)):
        return leg.upper, leg.lower
    assert isinstance(leg, (PUS, RUS))  # others were refused
    return leg.link, leg.crank if isinstance(leg, RUS) else Body(leg.slider_mass, leg.slider_center)


def _rows(platform: Platform, n: int, twist: float) -> dict[str, Row]:
    """The rows of leg n by their place in `ORDER`: kind of joint, bodies, local points and directions.

    spherical (003 eq 2), base (eq 3); universal: first axis k (ground, slider or crank) and second axis y of the strut.
    twist: of a UCU leg at home, rad
    """
    leg, up, low = platform.legs[n], 1 + n, 7 + n
    p = leg.joint - platform.body.center
    upper, lower = (-body.center for body in _bodies(leg))
    if isinstance(leg, (UPS, SPS, UCU)):
        rows: dict[str, Row] = {
            "spherical": (joints.Coincide, (0, up, p, upper)),
            "base": (joints.Coincide, (low, GROUND, lower, leg.base)),
            **_guide((low, up), lower, upper, np.eye(3)),
        }
        if not isinstance(leg, SPS):
            rows["universal"] = joints.Perpendicular, (GROUND, low, leg.axis, Y)
        return _turning(leg, rows, (low, up), twist) if isinstance(leg, UCU) else rows
    assert isinstance(leg, (PUS, RUS))
    arm = leg.arm if isinstance(leg, RUS) else np.zeros(3)
    rows = {
        "spherical": (joints.Coincide, (0, up, p, leg.length * X + upper)),
        "base": (joints.Coincide, (up, low, upper, arm + lower)),
        "universal": (joints.Perpendicular, (low, up, leg.axis, Y)),
    }
    if isinstance(leg, PUS):
        y = cross(leg.rail, np.eye(3)[np.argmin(np.abs(leg.rail))])
        y = y / np.linalg.norm(y)
        axes = np.stack([leg.rail, y, cross(leg.rail, y)], axis=-1)
        return rows | _guide((GROUND, low), leg.base, lower, axes)
    x = leg.arm - leg.shaft * (leg.shaft @ leg.arm)  # square to the shaft, in the plane of the arm
    x = x / np.linalg.norm(x)
    return rows | {
        "shaft": (joints.Coincide, (low, GROUND, lower, leg.base)),
        "bearing 1": (joints.Perpendicular, (GROUND, low, x, leg.shaft)),
        "bearing 2": (joints.Perpendicular, (GROUND, low, cross(leg.shaft, x), leg.shaft)),
        "driver 2": (joints.Angle, (GROUND, low, leg.shaft, x)),
    }


def _turning(
    leg: UCU, rows: dict[str, Row], bodies: tuple[int, int], twist: float
) -> dict[str, Row]:
    """Rows of a leg whose guide turns too, driven along the leg or by a screw."""
    del rows["lock"]
    rows["coaxial 1"] = joints.Perpendicular, (*bodies, Y, X)
    rows["coaxial 2"] = joints.Perpendicular, (*bodies, Z, X)
    rows["platform"] = joints.Perpendicular, (0, bodies[1], leg.platform_axis, Y)
    if leg.screw is not None:
        _, slide = rows.pop("driver 1")
        rows["driver 3"] = (
            Helix,
            (*slide, *map(np.asarray, (leg.screw.travel, twist, leg.screw.zero))),
        )
    return rows


def _guide(bodies: tuple[int, int], p_i: Array, p_j: Array, axes: Array) -> dict[str, Row]:
    """Prismatic joint: two bodies, a point of each on the axis, and axes of the first (first: sliding)."""
    names = ("driver 1", "lateral 1", "lateral 2")
    slides: dict[str, Row] = {
        name: (joints.Slide, (*bodies, axes[:, k], p_i, p_j)) for k, name in enumerate(names)
    }
    return slides | {"lock": (joints.Lock, bodies)}


def _blocks(legs: list[dict[str, Row]]) -> tuple[Block, ...]:
    """Rows of all legs by kind, numbered in the order of the module's table."""
    blocks: list[Block] = []
    start = 0
    for place in ORDER:
        rows = {n: leg[place] for n, leg in enumerate(legs) if place in leg}
        if rows:
            kind = next(iter(rows.values()))[0]
            joint = kind(*map(np.array, zip(*(data for _, data in rows.values()), strict=True)))
            number = start + np.arange(len(rows) * joint.rows).reshape(len(rows), joint.rows)
            blocks.append(Block(place.split()[0], joint, np.array(list(rows)), number))
            start += number.size
    return tuple(blocks)
