"""The parameters of a machine as its file names them, and their way into the engines' packed vector.

A parameter is a number of the machine file: ``body.mass``, ``L3.arm.x``, ``L1.crank.inertia.xy``,
``L2.drive.rotor_inertia``, each in the SI unit that `parameter_units` says.  Derivatives over the packed numbers become
derivatives over what a user writes by the chain rule, ``dF/dparameter = dF/dpacked G``; G is a complex step through
the packing itself (engines/pack.py).
    directions (axis, rail, shaft, reference, rotor_axis) are normalized when a machine is made: only changes across
    them count;  ``inertia.xy`` is the entry on both sides of the diagonal
Signs (assembly, elbow) have no derivative, and limits and the losses of drives no part in the equations.  What spins
freely (SPS, UCS, RSS) and is axisymmetric must stay so: its bodies' centers move along the leg only and
``inertia.across`` is yy and zz together; where its spin is not part of the state, what would set it spinning (friction,
a rotor on it) is not listed either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gough.checks import Array, kept
from gough.dynamics.complex_step import STEP
from gough.engines.pack import SIX, body_row, leg_row, packed
from gough.equations.kinds import OFFSET
from gough.equations.machine import HELD, KINDS, SPRUNG, offsets
from gough.layout import BODY, Layout
from gough.model import (
    CRANKS,
    UCS,
    UCU,
    UPS,
    Body,
    Drive,
    Friction,
    JointOffset,
    JointSprings,
    Leg,
    Platform,
    Screw,
    Spinning,
)
from gough.model.springs import HINGES
from gough.struts import crank_zeros

UNITS = {
    **dict.fromkeys(("mass", "slider_mass"), "kg"),
    **dict.fromkeys(("base", "joint", "arm", "length", "center", "slider_center", "lead"), "m"),
    **dict.fromkeys(("e", "d", "f"), "m"),
    **dict.fromkeys(("axis", "platform_axis", "reference", "rail", "shaft", "rotor_axis"), "1"),
    **dict.fromkeys(("inertia", "rotor_inertia"), "kg m^2"),
    **dict.fromkeys(("universal", "spherical", "cylindrical"), "N m s"),
    **dict.fromkeys((*HINGES, "base_ball", "platform_ball", "torsion"), "N m/rad"),
    **dict.fromkeys(("torsion_rest", "zero"), "rad"),
    "prismatic": "N s/m",
    "ratio": "rad/m",
    "gravity": "m/s^2",
}
ROTARY = {"prismatic": "N m s", "ratio": "1"}  # of a crank
DIRECTIONS = ("axis", "platform_axis", "reference", "rail", "shaft", "rotor_axis")
ROUND = (
    "reference",
    "rotor_axis",
)  # what a round leg does not feel, or only if it is round no more
BALLS = ("universal", "spherical")
LEFT_OUT = {  # by the leg's equations
    **dict.fromkeys(("sps", "rss"), (*ROUND, *BALLS)),
    **dict.fromkeys(("sps_axial", "rss_axial"), ROUND),
    **dict.fromkeys(("ucs", "ucs_rotor"), ("reference", "spherical", "cylindrical")),
    "ucs_axial": ("reference",),
}
ABSENT = ("torsion", "torsion_rest")  # a spring that is not there has no derivative
XYZ = ("x", "y", "z")
PAIRS = tuple(XYZ[i] + XYZ[j] for i, j in SIX)


@dataclass(frozen=True, eq=False)
class Parameters:
    """Names and units of a machine's parameters, and ``d packed/d parameter`` (packed, parameters)."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    packing: Array


def parameter_names(platform: Platform, spin: bool = False) -> tuple[str, ...]:
    """Names of the machine's parameters, the columns of `Derivatives.parameters`: ``body.mass``, ``L3.upper.center.x``.

    spin  True: all legs that spin freely carry their spin, as where a verb is given one
    """
    return machine_parameters(platform, spin).names


def parameter_units(platform: Platform, spin: bool = False) -> tuple[str, ...]:
    """SI units of the parameters, in the order of `parameter_names`."""
    return machine_parameters(platform, spin).units


def machine_parameters(platform: Platform, spin: bool = False) -> Parameters:
    """Names, units and packing, made once per platform object."""
    made = _made(platform)
    if spin not in made:
        made[spin] = _machine_parameters(platform, spin)
    return made[spin]


@kept
def _made(platform: Platform) -> dict[bool, Parameters]:
    return {}


def derivative_kinds(platform: Platform, spin: bool) -> tuple[str, ...]:
    """Equations of the six legs; those that feel a riding rotor also where its inertia is zero."""
    kinds = packed(platform, spin).kinds
    return tuple(_felt(leg, kind) for leg, kind in zip(platform.legs, kinds, strict=True))


def _felt(leg: Leg, kind: str) -> str:
    if not isinstance(leg, (UPS, UCU, UCS)) or leg.drive is None or leg.drive.rotor_axis is None:
        return kind
    if isinstance(leg, UPS):
        return kind.replace("ups_rotor", "ups").replace("ups", "ups_rotor")
    if kind.removesuffix(SPRUNG).removesuffix(OFFSET) == "ucu":
        return kind.replace("ucu", "ucu_screw")
    return "ucs_rotor" if kind == "ucs" else kind


def packing_of(platform: Platform, names: Sequence[str]) -> Array:
    """``d packed/d parameter`` (packed, n) of the parameters of these names alone, of a machine without spins."""
    found = _machine_parameters(platform, False, frozenset(names))
    place = {name: k for k, name in enumerate(found.names)}
    return found.packing[:, [place[name] for name in names]]


def _machine_parameters(
    platform: Platform, spin: bool, only: frozenset[str] | None = None
) -> Parameters:
    kinds = packed(platform, spin).kinds
    at, columns, listed = offsets(kinds), list[Array](), list[tuple[str, str]]()

    def add(label: str, unit: str, first: int, make: Callable[[], Array]) -> None:
        if only is not None and label not in only:
            return
        column, row = np.zeros(at[-1]), make()
        column[first : first + row.size] = np.imag(row) / STEP
        columns.append(column)
        listed.append((label, unit))

    for path, suffix, change in _changes(platform.body, ""):
        name, unit = f"body.{path[0]}{suffix}", UNITS[path[0]]
        body = platform.body, path, change
        add(name, unit, 0, lambda b=body: body_row(_changed(*b), platform.gravity))
    for component, change in zip(XYZ, np.eye(3), strict=True):
        pull = platform.gravity + 1j * STEP * change
        label, unit = f"gravity.{component}", UNITS["gravity"]
        add(label, unit, 0, lambda g=pull: body_row(platform.body, g))
    for leg, name, kind, first, zero in zip(
        platform.legs, platform.leg_names, kinds, at[:-1], crank_zeros(platform), strict=True
    ):
        units = {**UNITS, **ROTARY} if isinstance(leg, CRANKS) else UNITS
        for path, suffix, change in _changes(leg, kind.removesuffix(HELD)):
            label, step = f"{name}.{'.'.join(path)}{suffix}", (leg, path, change)
            add(
                label,
                units[path[-1]],
                first,
                lambda s=step, z=zero: leg_row(_changed(*s), z, platform.home),
            )
    names = tuple(name for name, _ in listed)
    units_of = tuple(unit for _, unit in listed)
    packing = np.stack(columns, axis=1) if columns else np.zeros((at[-1], 0))
    packing.flags.writeable = False
    return Parameters(names, units_of, packing)


def _changes(item: Any, kind: str) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """(path of attributes, component, its change) of all parameters that equations of this kind can follow."""
    untwisted = kind.removesuffix(SPRUNG).removesuffix(OFFSET)
    unsprung = untwisted in ("ucu", "ucu_screw", "ucu_screw_upper")
    left_out = ABSENT if unsprung else LEFT_OUT.get(kind, ())
    if isinstance(item, JointSprings):
        left_out = [n for n in UNITS if f"springs_{n}" not in KINDS[kind].row.names]
    left_out = left_out if kind.startswith("uc") else (*left_out, "cylindrical")
    axis = item.rotor_axis if isinstance(item, Drive) else None
    if kind in ("sps", "sps_axial") and axis is not None and (kind == "sps" or axis[1:].any()):
        left_out = (*left_out, "rotor_inertia")
    for field in fields(item):
        name, value = field.name, getattr(item, field.name)
        if isinstance(value, JointSprings) and not value.any:
            continue
        if isinstance(value, (Body, Friction, Drive, JointOffset, JointSprings, Screw)):
            still = isinstance(item, Spinning) and isinstance(value, Body) and name not in item.SPUN
            for path, suffix, change in _changes(value, "" if still else kind):
                yield (name, *path), suffix, change
        elif name in UNITS and value is not None and name not in left_out:
            for suffix, change in _components(name, np.shape(value), kind in LEFT_OUT):
                yield (name,), suffix, change


def _components(name: str, shape: tuple[int, ...], axisymmetric: bool) -> list[tuple[str, Any]]:
    """Components of a field with their changes."""
    if shape == ():
        return [("", 1.0)]
    if shape == (3,):
        along = 1 if axisymmetric and name == "center" else 3
        return [(f".{c}", e) for c, e in zip(XYZ[:along], np.eye(3), strict=False)]
    if axisymmetric:
        return [(".xx", np.diag([1.0, 0.0, 0.0])), (".across", np.diag([0.0, 1.0, 1.0]))]
    each = []
    for pair, (i, j) in zip(PAIRS, SIX, strict=True):
        change = np.zeros((3, 3))
        change[i, j] = change[j, i] = 1.0
        each.append((f".{pair}", change))
    return each


def _changed(item: Any, path: tuple[str, ...], change: Any) -> Any:
    """A copy with one field a complex step away, normalized as the model does."""
    name, value, new = path[0], getattr(item, path[0]), copy(item)
    if path[1:]:
        value = _changed(value, path[1:], change)
    else:
        value = value + 1j * STEP * change
        value = value / np.sqrt(value @ value) if name in DIRECTIONS else value
    object.__setattr__(new, name, value)
    return new


COMPONENTS = {
    1: ("",),
    3: tuple(f".{c}" for c in XYZ),
    6: tuple(f".{pair}" for pair in PAIRS),
    9: tuple(f".{part}.{c}" for part in ("axial", "cosine", "sine") for c in XYZ),
}
FRICTION = (".universal", ".prismatic", ".spherical")
PARTS = ("lower", "upper", "link", "crank", "drive", "springs", "friction", "screw", "home")


def _row_names(layout: Layout) -> list[str]:
    """One name per number of a parameter row; ``lower_mass`` is ``lower.mass``."""
    names = []
    for block, width in layout.blocks():
        part, _, rest = block.partition("_")
        label = f"{part}.{rest}" if rest and part in PARTS else block
        label = label.replace("offset_cross_", "offset.cross.").replace("offset_", "offset.")
        names += [label + c for c in (FRICTION if block == "friction" else COMPONENTS[width])]
    return names


def packed_names(platform: Platform) -> tuple[str, ...]:
    """Names of the numbers in the engines' vector (C export, JAX): ``body.first.x``, ``L1.drive.reflected``.

    Bodies by mass, first and second moments about their joint, drives by reflected inertia; vectors that turn with a
    crank have three parts, ``L1.arm.cosine.x``.  ``body.mass`` here is the mass at fixed moments.
    """
    names = [name if name.startswith("gravity") else f"body.{name}" for name in _row_names(BODY)]
    for leg, kind in zip(platform.leg_names, packed(platform).kinds, strict=True):
        names += [f"{leg}.{name}" for name in _row_names(KINDS[kind].row)]
    return tuple(names)
