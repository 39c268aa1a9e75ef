"""Every number of a machine by name, as its file names it, and machines with some of them changed.

``body.mass``, ``L3.arm.x``, ``L1.crank.inertia.xy``, ``L2.drive.coulomb``, ``L2.limits.stroke.max``, ``gravity.z``; SI.
``inertia.xy`` is the entry on both sides of the diagonal, ``inertia.across`` yy and zz of a body that is round about x.
All names of `gough.dynamics.parameter_names` are among them, and what the equations do not read (losses, limits) too;
shapes of bodies (`gough.Plate`) are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from gough.checks import Array, GoughError, InputError
from gough.documents.source import did_you_mean
from gough.model.body import Body, Friction
from gough.model.drive import Drive
from gough.model.encoder import Encoder
from gough.model.hydraulic import Hydraulic
from gough.model.limits import Limits
from gough.model.offset import JointOffset
from gough.model.platform import Platform
from gough.model.screw import Screw
from gough.model.springs import JointSprings

XYZ = "xyz"
TENSOR = {XYZ[i] + XYZ[j]: ((i, j), (j, i)) for i in range(3) for j in range(i, 3)}
ENTRIES: dict[tuple[int, ...], dict[str, tuple[tuple[int, ...], ...]]] = {
    (): {"": ((),)},
    (2,): {".min": ((0,),), ".max": ((1,),)},
    (3,): {f".{letter}": ((i,),) for i, letter in enumerate(XYZ)},
    (3, 3): {f".{pair}": places for pair, places in TENSOR.items()},
}
ACROSS = TENSOR["yy"] + TENSOR["zz"]


class NumberPlace(NamedTuple):
    """Where a number stands: attributes (and the leg's index) from the platform on, entries of the array, its value."""

    path: tuple[str | int, ...]
    entries: tuple[tuple[int, ...], ...]
    value: float


def places(platform: Platform) -> dict[str, NumberPlace]:
    """All numbers of the machine by name."""
    out = dict(_inside(platform.body, ("body",), "body"))
    out |= _entries(platform.gravity, ("gravity",), "gravity")
    for i, (leg, name) in enumerate(zip(platform.legs, platform.leg_names, strict=True)):
        out |= _inside(leg, ("legs", i), name)
    return out


def _inside(item: Any, path: tuple[str | int, ...], name: str) -> Iterator[tuple[str, NumberPlace]]:
    for field in fields(item):
        value, own = getattr(item, field.name), (*path, field.name)
        label = f"{name}.{field.name}"
        parts = (
            Body,
            Friction,
            Drive,
            Encoder,
            Hydraulic,
            Limits,
            JointOffset,
            JointSprings,
            Screw,
        )
        if isinstance(value, parts):
            yield from _inside(value, own, label)
        elif isinstance(value, (float, np.ndarray)):
            yield from _entries(value, own, label)


def _entries(
    value: float | Array, path: tuple[str | int, ...], name: str
) -> Iterator[tuple[str, NumberPlace]]:
    a = np.asarray(value)
    for suffix, entries in ENTRIES[a.shape].items():
        yield name + suffix, NumberPlace(path, entries, float(a[entries[0]]))
    if a.shape == (3, 3) and a[1, 1] == a[2, 2]:
        yield f"{name}.across", NumberPlace(path, ACROSS, float(a[1, 1]))


def with_numbers(platform: Platform, values: Mapping[str, float]) -> Platform:
    """The machine with other numbers, checked as any machine is."""
    known, tree = places(platform), dict[Any, Any]()
    for name, value in values.items():
        place = known.get(name)
        if place is None:
            hint = f"{did_you_mean(name, known)}is no number of this machine"
            raise InputError(name, value, hint)
        inner = tree
        for part in place.path[:-1]:
            inner = inner.setdefault(part, {})
        inner.setdefault(place.path[-1], []).append((place.entries, value))
    return _rebuilt(platform, tree)


def _rebuilt(item: Any, tree: dict[Any, Any]) -> Any:
    """A copy with the values of `tree` in place."""
    if isinstance(item, tuple):
        return tuple(_rebuilt(each, tree[i]) if i in tree else each for i, each in enumerate(item))
    new: dict[str, Any] = {}
    for name, inner in tree.items():
        old = getattr(item, name)
        try:
            new[name] = _rebuilt(old, inner) if isinstance(inner, dict) else _filled(old, inner)
        except GoughError as error:
            raise error.within(name) from None
    return item.replace(**new)


def _filled(old: float | Array, given: list[tuple[tuple[tuple[int, ...], ...], float]]) -> Array:
    a = np.array(old, dtype=float)
    for entries, value in given:
        for entry in entries:
            a[entry] = value
    return a
