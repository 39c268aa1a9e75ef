"""The numbers that efforts are linear in: masses, first and second moments of all bodies, friction, rotors.

At a given motion ``F = Y phi + F0``: every body enters by its mass m, first moment ``h = m c`` and second moment
``S = int r r^T dm`` about its own origin (ten numbers), viscous friction of the joints and inertia of the rotors by
themselves; F0 is what has no part of them (springs, external wrench).  The engines' packed vector is linear in the
same numbers, ``packed = G phi + const``, so ``Y = dF/dpacked G`` with the exact slopes of
`inverse_dynamics_derivatives`.  Dry friction of the actuators adds ``coulomb sign(rate)``.

A body can exist if its pseudo-inertia ``[[S, h], [h^T, m]]`` has no negative eigenvalue (Wensing, Kim, Slotine 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.documents.source import did_you_mean
from gough.engines.pack import SIX, body_row, leg_row, packed
from gough.equations.machine import offsets
from gough.model import CRANKS, Body, Drive, Friction, Leg, Platform
from gough.struts import crank_zeros

XYZ = "xyz"
PAIRS = tuple(XYZ[i] + XYZ[j] for i, j in SIX)
TEN = ("mass", *(f"first.{c}" for c in XYZ), *(f"second.{pair}" for pair in PAIRS))
TEN_UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
SCALARS = {"slider_mass": "kg"}  # of a leg
COULOMB = "coulomb"


@dataclass(frozen=True, eq=False)
class NumbersPlace:
    """Where unknowns stand: a body (ten numbers in a row), or one number; path of attributes from the machine on."""

    name: str
    leg: int | None
    path: tuple[str, ...]
    first: int
    width: int


@dataclass(frozen=True, eq=False)
class Inertial:
    """All numbers that efforts are linear in, those of the machine as it is, and their way into the packed vector.

    names, units, value  (p,);   packing  (packed, p);   places  what they belong to
    """

    platform: Platform
    names: tuple[str, ...]
    units: tuple[str, ...]
    value: Array
    packing: Array
    places: tuple[NumbersPlace, ...]


def inertial(platform: Platform) -> Inertial:
    """Names, values and packing of a machine's inertial numbers."""
    kinds = packed(platform).kinds
    at = offsets(kinds)
    found = _Collected(at[-1])
    found.body("body", None, ("body",), platform.body, lambda b: (0, body_row(b, platform.gravity)))
    zeros = crank_zeros(platform)
    for i, (leg, name) in enumerate(zip(platform.legs, platform.leg_names, strict=True)):
        first, zero = at[i], zeros[i]

        def row(changed: Leg, first: int = first, zero: float = zero) -> tuple[int, Array]:
            return first, leg_row(changed, zero, platform.home)

        for path, value in _parts(leg):
            label = f"{name}.{'.'.join(path)}"
            if isinstance(value, Body):
                found.body(label, i, path, value, lambda b, p=path, o=leg, r=row: r(_put(o, p, b)))
            else:
                unit = _unit(path[-1], leg)
                found.number(
                    label, i, path, value, unit, lambda x, p=path, o=leg, r=row: r(_put(o, p, x))
                )
    names, units = zip(*found.listed, strict=True)
    return Inertial(
        platform,
        names,
        units,
        np.array(found.values),
        np.stack(found.columns, axis=1),
        tuple(found.places),
    )


def _parts(leg: Leg) -> list[tuple[tuple[str, ...], Any]]:
    """Bodies with a mass, slider masses, viscous friction of the joints, rotors; what is absent is not listed."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for field in fields(leg):
        value = getattr(leg, field.name)
        if isinstance(value, Body) or field.name in SCALARS:
            if (value.mass if isinstance(value, Body) else value) > 0.0:
                found.append(((field.name,), value))
        elif isinstance(value, Friction):
            found += [((field.name, f.name), getattr(value, f.name)) for f in fields(value)]
        elif isinstance(value, Drive):
            found.append(((field.name, "rotor_inertia"), value.rotor_inertia))
    return found


def _unit(name: str, leg: Leg) -> str:
    if name == "rotor_inertia":
        return "kg m^2"
    if name in SCALARS:
        return SCALARS[name]
    return "N s/m" if name == "prismatic" and not isinstance(leg, CRANKS) else "N m s"


def _put(item: Any, path: tuple[str, ...], value: Any) -> Any:
    """A copy with one attribute changed, unchecked: only rows of numbers are made from it."""
    new = copy(item)
    inner = value if not path[1:] else _put(getattr(item, path[0]), path[1:], value)
    object.__setattr__(new, path[0], inner)
    return new


def moments(body: Body) -> Array:
    """(10,) mass, first and second moments of a body about its origin."""
    h = body.mass * body.center
    S = body.second_moment() + np.outer(h, body.center)
    return np.array([body.mass, *h, *(S[i, j] for i, j in SIX)])


def pseudo_inertia(ten: Array) -> Array:
    """(..., 4, 4) ``[[S, h], [h^T, m]]`` of (..., 10) moments."""
    P = np.zeros((*ten.shape[:-1], 4, 4))
    P[..., 3, 3] = ten[..., 0]
    P[..., :3, 3] = P[..., 3, :3] = ten[..., 1:4]
    for k, (i, j) in enumerate(SIX):
        P[..., i, j] = P[..., j, i] = ten[..., 4 + k]
    return P


def moments_of(P: Array) -> Array:
    """(..., 10) of a pseudo-inertia."""
    return np.concatenate(
        [P[..., 3, 3:], P[..., :3, 3], np.stack([P[..., i, j] for i, j in SIX], axis=-1)], axis=-1
    )


def body_of(ten: Array) -> Body:
    """The body of these moments."""
    m, h = float(ten[0]), ten[1:4]
    S = pseudo_inertia(ten)[:3, :3]
    c = h / m
    about = S - m * np.outer(c, c)
    tensor = np.trace(about) * np.eye(3) - about
    return Body(m, c, (tensor + tensor.T) / 2)


def _raw(like: Body, mass: float, center: Array, second: Array) -> Body:
    """A body of these numbers, unchecked: ``second`` about its center."""
    new = copy(like)
    object.__setattr__(new, "mass", mass)
    object.__setattr__(new, "center", center)
    object.__setattr__(new, "inertia", np.trace(second) * np.eye(3) - second)
    return new


class _Collected:
    """Columns of the packing, one per number; rows are affine in the numbers, so differences of rows are exact."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.listed: list[tuple[str, str]] = []
        self.values: list[float] = []
        self.columns: list[Array] = []
        self.places: list[NumbersPlace] = []

    def _column(self, first: int, row: Array) -> None:
        column = np.zeros(self.size)
        column[first : first + row.size] = row
        self.columns.append(column)

    def body(self, name: str, leg: int | None, path: tuple[str, ...], body: Body, row: Any) -> None:
        """Ten columns: rows of bodies of unit mass, and what a first or second moment adds to them."""
        self.places.append(NumbersPlace(name, leg, path, len(self.values), 10))
        zero, still = np.zeros((3, 3)), np.zeros(3)
        first, none = row(_raw(body, 0.0, still, zero))
        unit = row(_raw(body, 1.0, still, zero))[1]
        self._column(first, unit - none)
        for e in np.eye(3):
            self._column(first, row(_raw(body, 1.0, e, -np.outer(e, e)))[1] - unit)
        for i, j in SIX:
            S = np.zeros((3, 3))
            S[i, j] = S[j, i] = 1.0
            self._column(first, row(_raw(body, 1.0, still, S))[1] - unit)
        self.values += moments(body).tolist()
        self.listed += [(f"{name}.{n}", u) for n, u in zip(TEN, TEN_UNITS, strict=True)]

    def number(
        self, name: str, leg: int, path: tuple[str, ...], value: float, unit: str, row: Any
    ) -> None:
        """One column, if the equations know the number."""
        first, one = row(1.0)
        column = one - row(0.0)[1]
        if (
            not column.any()
        ):  # this leg has no such joint, or efforts at speed are not all it does (dry friction)
            return
        self.places.append(NumbersPlace(name, leg, path, len(self.values), 1))
        self._column(first, column)
        self.values.append(float(value))
        self.listed.append((name, unit))


def chosen(names: Sequence[str], find: Sequence[str] | str | None) -> list[int]:
    """Places of the unknowns of these names or groups (``body``, ``L3``, ``friction``, ``mass``); None: all."""
    if find is None:
        return list(range(len(names)))
    wanted = [find] if isinstance(find, str) else list(find)
    kept: dict[int, None] = {}
    for word in wanted:
        some = [
            k
            for k, n in enumerate(names)
            if n == word or n.startswith(f"{word}.") or word in n.split(".")
        ]
        if not some:
            hint = did_you_mean(str(word), names)
            allowed = f"{hint}is no inertial number of this machine, nor a group of them"
            raise InputError("find", word, allowed)
        kept |= dict.fromkeys(some)
    return sorted(kept)
