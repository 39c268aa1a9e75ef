"""From a Platform to the flat numbers that every engine reads, once per platform object.

Bodies enter by mass, first moment ``m r`` and second moment ``int r r^T dm`` about their joint, so all equations
are linear in the inertial parameters.  Order of the numbers: gough.layout BODY, then per leg the row of its
kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.engines.crank_axes import turned_tensor, turning
from gough.equations.kinds import OFFSET
from gough.equations.machine import HELD, KINDS, MOVING, SPRUNG
from gough.equations.machine import spinning as any_spins
from gough.equations.vec import Frame, Vec
from gough.layout import (
    BALL_CRANK,
    BODY,
    CRANK,
    CYLINDER,
    FREE_CYLINDER,
    LINK,
    MOUNT,
    SLIDER,
    STRUT,
    Layout,
)
from gough.layout import OFFSET as OFFSETS
from gough.model import (
    CRANKS,
    PSU,
    PUS,
    RSS,
    RUS,
    SLIDERS,
    SPS,
    UCS,
    UCU,
    UPS,
    Body,
    Drive,
    JointOffset,
    Leg,
    Platform,
    Spinning,
)
from gough.model.offset import offset
from gough.spatial import Pose, rotation_exp
from gough.struts import crank_zeros

SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True, eq=False)
class Packed:
    """A machine as the engines see it: names of the six legs' equations, and all its numbers (read-only)."""

    kinds: tuple[str, ...]
    parameters: Array
    mounts: Array

    def numbers(self, function: str) -> Array:
        """What a machine function reads as parameters."""
        return self._moving if function.startswith(MOVING) else self.parameters

    @cached_property
    def _moving(self) -> Array:
        return np.concatenate([self.parameters, self.mounts])

    @cached_property
    def spins(self) -> bool:
        """Some leg carries its spin as state."""
        return any_spins(self.kinds)


def packed(platform: Platform, spinning: bool | None = False) -> Packed:
    """The packed machine, made at the first call and kept with this very object (a changed copy makes its own).

    spinning  True: all legs that spin freely carry their spin; False: those that must; None: all, if one must
    """
    kept = platform.__dict__.get("_packed")
    if kept is None:
        par, mounts = pack(platform), pack_mounts(platform)
        par.flags.writeable = mounts.flags.writeable = False
        own, every = (
            Packed(tuple(kind_of(leg, spin) for leg in platform.legs), par, mounts)
            for spin in (False, True)
        )
        kept = platform.__dict__["_packed"] = {
            False: own,
            True: every,
            None: every if own.spins else own,
        }
    return kept[spinning]


def kinds_of(platform: Platform, spinning: bool | None = False) -> tuple[str, ...]:
    """Equation names of the six legs."""
    return packed(platform, spinning).kinds


def parameters(platform: Platform) -> Array:
    """The whole machine as one read-only vector."""
    return packed(platform).parameters


def kind_of(leg: Leg, spinning: bool = False) -> str:
    """Name of the equations that serve this leg; legs that spin freely carry their spin only when they must or are
    told to."""
    held = HELD if getattr(leg, "fixed", None) is not None else ""
    return _unsprung_kind(leg, spinning) + (SPRUNG if leg.springs.any else "") + held


def _unsprung_kind(leg: Leg, spinning: bool) -> str:
    return _bare_kind(leg, spinning) + (OFFSET if offset(leg) else "")


def _bare_kind(leg: Leg, spinning: bool) -> str:
    if isinstance(leg, UPS):
        return "ups_rotor" if _gyro(leg.drive).any() else "ups"
    if isinstance(leg, UCU):
        return _cylinder_kind(leg)
    kind = type(leg).__name__.lower()
    if isinstance(leg, Spinning):
        if leg.spin_free and not spinning:
            return "ucs_rotor" if kind == "ucs" and _gyro(leg.drive).any() else kind
        return f"{kind}_spin" if leg.reads_reference else f"{kind}_axial"
    return kind


def _cylinder_kind(leg: UCU) -> str:
    if leg.screw is None and not leg.torsion and not _gyro(leg.drive).any():
        return "ucu"
    above = leg.screw is not None and leg.screw.mount == "upper"
    return f"ucu_{'spring' if leg.torsion else 'screw'}{'_upper' if above else ''}"


def pack(platform: Platform) -> Array:
    """The machine's numbers, made anew; `packed` keeps them."""
    rows = [body_row(platform.body, platform.gravity)]
    zeros = crank_zeros(platform)
    return np.concatenate(
        rows + [leg_row(*each, platform.home) for each in zip(platform.legs, zeros, strict=True)]
    )


def pack_mounts(platform: Platform) -> Array:
    """What the legs have on a base that moves: six rows of MOUNT."""
    rows = []
    for leg, zero in zip(platform.legs, crank_zeros(platform), strict=True):
        second = np.zeros((3, 3))
        if isinstance(leg, CRANKS):
            home = rotation_exp(zero * leg.shaft)
            second = home @ _moments(leg.crank)[1] @ home.T
        mount = _rotor(leg.drive, None if leg.drive is None else leg.drive.mount_axis)
        rows.append(_fill(MOUNT, drive_mount=mount, crank_second=_six(second)))
    return np.concatenate(rows)


def body_row(body: Body, gravity: ArrayLike) -> Array:
    """The platform's numbers."""
    first, second = _moments(body)
    return _fill(BODY, mass=body.mass, first=first, second=_six(second), gravity=gravity)


def _fill(layout: Layout, **blocks: ArrayLike) -> Array:
    """A row of numbers from its blocks by name; complex ones too (dynamics/parameters.py steps through here)."""
    if set(blocks) != set(layout.names):
        raise AssertionError("a parameter row and its layout disagree")
    row = np.empty(layout.size, np.result_type(*map(np.asarray, blocks.values())))
    for name, value in blocks.items():
        row[getattr(layout, name)] = value
    return row


def _moments(body: Body) -> tuple[Array, Array]:
    first = body.mass * body.center
    return first, body.second_moment() + np.outer(first, body.center)


def _six(S: Array) -> Array:
    return np.array([S[i, j] for i, j in SIX])


def _friction(leg: Leg) -> list[float]:
    return [leg.friction.universal, leg.friction.prismatic, leg.friction.spherical]


def _reflected(drive: Drive | None) -> float:
    return 0.0 if drive is None else drive.reflected_inertia


def _gyro(drive: Drive | None) -> Array:
    return _rotor(drive, None if drive is None else drive.rotor_axis)


def _rotor(drive: Drive | None, axis: Array | None) -> Array:
    """``gam d = nu I_r d``; nothing without an axis."""
    if drive is None or axis is None:
        return np.zeros(3)
    return drive.ratio * drive.rotor_inertia * axis


def rotors(leg: Leg) -> tuple[float, Array]:
    """``m_r`` and ``G`` (axes of their carrier) of all that turns with a leg's actuator: rotor, screw."""
    reflected, gyro = _reflected(leg.drive), _gyro(leg.drive)
    if isinstance(leg, UCU) and leg.screw is not None:
        turns = leg.screw.rotor_turns
        reflected = reflected + leg.screw.inertia * turns**2
        gyro = gyro + leg.screw.inertia * turns * np.array([1.0, 0.0, 0.0])
    return reflected, gyro


def leg_row(leg: Leg, zero: float, home: Pose | None) -> Array:
    """One leg's numbers; `zero` is the angle of its crank, or its twist, at home."""
    rows = [_bare_row(leg, zero), *_offset_rows(leg)]
    if leg.springs.any:
        rows.append(_spring_row(leg, zero, np.concatenate(rows), home))
    fixed = getattr(leg, "fixed", None)
    if fixed is not None:
        rows.append(_fill(LINK, fixed=fixed))
    return np.concatenate(rows)


def _spring_row(leg: Leg, zero: float, row: Array, home: Pose | None) -> Array:
    """Stiffness, and the strut's axes where the springs are relaxed, which the equations of the leg themselves give."""
    bare, springs, pose = _unsprung_kind(leg, True), leg.springs, leg.springs.home or home
    sprung = KINDS[bare + SPRUNG].springs
    assert sprung is not None
    assert pose is not None
    R = Frame(*(Vec(*column) for column in pose.rotation.T))
    joint = Vec(*pose.position) + R.world(Vec(*leg.joint))
    T, rest = sprung.axes(KINDS[bare].data(row, 0), joint, R)
    axes = {"rest": rest, "seat": R.sees(T)}
    given: dict[str, Any] = {
        f"springs_{side}_{i}": [*getattr(axes[side], i)] for side in axes for i in "xyz"
    }
    for name in sprung.row.names:
        if name not in given:
            value = getattr(springs, name.removeprefix("springs_"))
            if name == "springs_base_ball" and isinstance(leg, CRANKS):
                value = turned_tensor(leg.shaft, zero, value)
            given[name] = _six(value) if np.ndim(value) else value
    return _fill(sprung.row, **given)


def _bare_row(leg: Leg, zero: float) -> Array:
    if isinstance(leg, (UPS, SPS)):
        return _strut(leg)
    if isinstance(leg, UCU):
        return _cylinder(leg, zero)
    if isinstance(leg, UCS):
        return _free_cylinder(leg)
    return _slider(leg) if isinstance(leg, SLIDERS) else _crank(leg, zero)


def _offset_rows(leg: Leg) -> list[Array]:
    """Of universal joints whose axes do not meet, where a leg has one."""
    sides = [f"{side}_offset" for side in ("base", "platform") if offset(leg)]
    return [_offset(getattr(leg, side) or JointOffset()) for side in sides if hasattr(leg, side)]


def _offset(joint: JointOffset) -> Array:
    first, second = _moments(joint.cross)
    blocks = joint.e, joint.d, joint.f, joint.cross.mass, first, _six(second)
    return _fill(OFFSETS, **dict(zip(OFFSETS.names, blocks, strict=True)))


def _strut(leg: UPS | SPS) -> Array:
    d, lower = _moments(leg.lower)
    e, upper = _moments(leg.upper)
    return _fill(
        STRUT,
        joint=leg.joint,
        base=leg.base,
        axis=leg.axis if isinstance(leg, UPS) else leg.reference,
        lower_first=d,
        upper_first=e,
        second=_six(lower if offset(leg) else lower + upper),
        upper_second=_six(upper),
        lower_mass=leg.lower.mass,
        upper_mass=leg.upper.mass,
        friction=_friction(leg),
        drive_reflected=_reflected(leg.drive),
        drive_gyro=_gyro(leg.drive),
    )


def _cylinder(leg: UCU, zero: float) -> Array:
    d, lower = _moments(leg.lower)
    e, upper = _moments(leg.upper)
    (reflected, gyro), screw = rotors(leg), leg.screw
    return _fill(
        CYLINDER,
        joint=leg.joint,
        base=leg.base,
        axis=leg.axis,
        platform_axis=leg.platform_axis,
        lower_first=d,
        upper_first=e,
        lower_second=_six(lower),
        upper_second=_six(upper),
        lower_mass=leg.lower.mass,
        upper_mass=leg.upper.mass,
        friction=_friction(leg),
        friction_cylindrical=leg.friction.cylindrical,
        drive_reflected=reflected,
        drive_gyro=gyro,
        screw=0.0 if screw is None else screw.travel,
        screw_start=0.0 if screw is None else zero - screw.zero,
        torsion=leg.torsion,
        torsion_rest=leg.torsion_rest - zero,
        home_cosine=np.cos(zero),
        home_sine=np.sin(zero),
    )


def _free_cylinder(leg: UCS) -> Array:
    d, lower = _moments(leg.lower)
    e, upper = _moments(leg.upper)
    return _fill(
        FREE_CYLINDER,
        joint=leg.joint,
        base=leg.base,
        axis=leg.axis,
        reference=leg.reference,
        lower_first=d,
        upper_first=e,
        lower_second=_six(lower),
        upper_second=_six(upper),
        lower_mass=leg.lower.mass,
        upper_mass=leg.upper.mass,
        friction=_friction(leg),
        friction_cylindrical=leg.friction.cylindrical,
        drive_reflected=_reflected(leg.drive),
        drive_gyro=_gyro(leg.drive),
    )


def _slider(leg: PUS | PSU) -> Array:
    """Rows of both kinds differ by the name of their axis, which has the same place."""
    first, second = _moments(leg.link)
    return _fill(
        SLIDER,
        joint=leg.joint,
        base=leg.base,
        rail=leg.rail,
        axis=leg.axis if isinstance(leg, PUS) else leg.platform_axis,
        length=leg.length,
        assembly=leg.assembly,
        slider_mass=leg.slider_mass,
        slider_center=leg.slider_center,
        link_mass=leg.link.mass,
        link_first=first,
        link_second=_six(second),
        friction=_friction(leg),
        drive_reflected=_reflected(leg.drive),
    )


def _crank(leg: RUS | RSS, zero: float) -> Array:
    crank = leg.crank
    e, turn = leg.shaft, partial(turning, leg.shaft, zero)
    first, second = _moments(leg.link)
    shaft_inertia = e @ crank.inertia @ e + crank.mass * (np.cross(e, crank.center) ** 2).sum()
    held = {"axis": turn(leg.axis)} if isinstance(leg, RUS) else {"reference": leg.reference}
    return _fill(
        CRANK if isinstance(leg, RUS) else BALL_CRANK,
        joint=leg.joint,
        base=leg.base,
        shaft=e,
        arm=turn(leg.arm),
        **held,
        length=leg.length,
        elbow=leg.elbow,
        crank_mass=crank.mass,
        crank_first=turn(crank.mass * crank.center),
        crank_spin=turn(crank.inertia @ e),
        shaft_inertia=shaft_inertia,
        link_mass=leg.link.mass,
        link_first=first,
        link_second=_six(second),
        friction=_friction(leg),
        drive_reflected=_reflected(leg.drive),
        zero=zero,
    )
