"""Which numbers of a machine a calibration may find: geometry by the names of its file, and what its encoders add.

    L1.base.x, L3.joint.z, L2.length, L4.rail.y, L5.arm.x ...   as in the machine file, m; directions without a unit
    L1.encoder.zero    coordinate where the actuator's own count begins, m or rad
    L1.encoder.scale   encoder's reading per coordinate;   reading = scale (coordinate - zero) + offset
A change of one unit matters more or less by its unit: `size` is a change of equal weight (1e-3 of the machine's size
for lengths, 1e-3 for directions, angles and scales), by which columns are scaled before ranks are judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InputError, positive
from gough.documents.source import did_you_mean
from gough.dynamics.parameters import machine_parameters
from gough.layout import LEG_GEOMETRY as LEG
from gough.model import CRANKS, Platform
from gough.struts import OFFSET, SCREW, leg_table

GEOMETRY = ("base", "joint", "arm", "length", "rail", "shaft", "lead", "e", "d", "f")
AXES = ("axis", "platform_axis")  # felt by coordinates of screws and offset joints only
WEAK = (*AXES, "lead")  # so little felt by coordinates that they are found only when asked for
NO_GEOMETRY = ("drive", "friction", "springs")
ENCODER = ("zero", "scale")
FINE = 1e-3


@dataclass(frozen=True, eq=False)
class Unknowns:
    """What is looked for, in one order: numbers of the machine, zeros, scales, constants of sensors.

    machine   names in the machine file
    zeros, scales   leg numbers 0..5 whose encoder's zero or scale is unknown
    """

    platform: Platform
    machine: tuple[str, ...]
    zeros: tuple[int, ...]
    scales: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the machine's numbers, zeros and scales."""
        legs = self.platform.leg_names
        zeros, scales = ([f"{legs[i]}.encoder.{what}" for i in of] for what, of in self._encoders())
        return (*self.machine, *zeros, *scales)

    def _encoders(self) -> tuple[tuple[str, tuple[int, ...]], tuple[str, tuple[int, ...]]]:
        return ("zero", self.zeros), ("scale", self.scales)

    @property
    def units(self) -> tuple[str, ...]:
        """SI units in the order of the names."""
        known = machine_parameters(self.platform)
        unit = dict(zip(known.names, known.units, strict=True))
        return (
            *(unit[name] for name in self.machine),
            *(coordinate_unit(self.platform, i) for i in self.zeros),
            *("1" for _ in self.scales),
        )

    @property
    def sizes(self) -> Array:
        """Changes of equal weight, in the order of the names."""
        count = len(self.units) - len(self.scales)
        legs = self.platform.legs
        scales = [FINE * abs(legs[i].encoder.scale) for i in self.scales]
        return np.array([*(size_of(unit, self.platform) for unit in self.units[:count]), *scales])


def coordinate_unit(platform: Platform, leg: int) -> str:
    """Of a leg's actuator coordinate."""
    return "rad" if isinstance(platform.legs[leg], CRANKS) else "m"


def size_of(unit: str, platform: Platform) -> float:
    """A change that matters as much as others."""
    return FINE * (platform.characteristic_length if unit == "m" else 1.0)


def unknowns(platform: Platform, find: Sequence[str] | str | None = None) -> Unknowns:
    """The unknowns of these names; `find` may hold whole groups: "base", "L3", "L3.joint", "zero".

    None: positions of joints, lengths, rails, shafts and arms, offsets, and the encoders' zeros; leads of screws, axes
    of universal joints and scales of encoders only if they are named.
    """
    every = _every(platform)
    if find is None:
        aside = {"scale", *WEAK}
        return _sorted(platform, [name for name in every if not aside & set(name.split("."))])
    wanted = [find] if isinstance(find, str) else list(find)
    chosen: dict[str, None] = {}
    for word in wanted:
        some = [name for name in every if _fits(name, word)]
        if not some:
            groups = {part for name in every for part in name.split(".")}
            hint = did_you_mean(word, [*every, *groups])
            raise InputError(
                "find",
                word,
                f"{hint}is no geometric number of this machine; there are L1.base.x, L2.encoder.zero, and groups: "
                f'"base" or "L3.joint"',
            )
        chosen |= dict.fromkeys(some)
    return _sorted(platform, chosen)


def _every(platform: Platform) -> list[str]:
    table = leg_table(platform)
    felt = {
        name: kind in (SCREW, OFFSET)
        for name, kind in zip(platform.leg_names, table[:, LEG.kind], strict=True)
    }
    found = []
    for name in machine_parameters(platform).names:
        parts = name.split(".")
        fields = [part for part in parts[1:] if part not in "xyz"]
        if not fields or parts[0] not in felt:
            continue
        last = fields[-1]
        if (last in GEOMETRY and fields[0] not in NO_GEOMETRY) or (last in AXES and felt[parts[0]]):
            found.append(name)
    return [*found, *(f"{leg}.encoder.{what}" for what in ENCODER for leg in platform.leg_names)]


def _fits(name: str, word: str) -> bool:
    """The name itself, what it begins with (``L3``, ``L3.joint``), or a part of it (``base``)."""
    return name == word or name.startswith(f"{word}.") or word in name.split(".")[1:]


def _sorted(platform: Platform, names: Iterable[str]) -> Unknowns:
    kept = list(names)
    legs = {name: i for i, name in enumerate(platform.leg_names)}
    encoders = {
        what: tuple(
            legs[name.removesuffix(f".encoder.{what}")]
            for name in kept
            if name.endswith(f".encoder.{what}")
        )
        for what in ENCODER
    }
    added = {f"{leg}.encoder.{what}" for what in ENCODER for leg in platform.leg_names}
    machine = tuple(name for name in kept if name not in added)
    return Unknowns(platform, machine, encoders["zero"], encoders["scale"])


def known_beforehand(
    names: Sequence[str], units: Sequence[str], tolerance: float | Mapping[str, float] | None
) -> Array:
    """(p,) one over the standard deviation that each unknown has beforehand; 0 where nothing is known."""
    if tolerance is None:
        return np.zeros(len(names))
    if not isinstance(tolerance, Mapping):
        one = positive("tolerance", tolerance)
        return np.array([1.0 / one if unit == "m" else 0.0 for unit in units])
    out = np.zeros(len(names))
    for word, value in tolerance.items():
        fits = [_fits(name, str(word)) for name in names]
        if not any(fits):
            hint = did_you_mean(str(word), names)
            raise InputError(
                "tolerance", word, f"{hint}is none of the unknowns, nor a group of them"
            )
        out[fits] = 1.0 / positive(f"tolerance.{word}", value)
    return out


@dataclass(frozen=True)
class UnknownGroup:
    """Numbers that `find` takes by one word; `usual`: looked for unless something else is named."""

    name: str
    names: tuple[str, ...]
    usual: bool

    @property
    def count(self) -> int:
        """How many."""
        return len(self.names)


def unknown_groups(platform: Platform) -> tuple[UnknownGroup, ...]:
    """The groups that this machine has: "base", "joint", "zero", ..., every number in one of them."""
    usual = set(unknowns(platform).names)
    members: dict[str, list[str]] = {}
    for name in _every(platform):
        parts = name.split(".")
        members.setdefault(parts[2] if parts[1] == "encoder" else parts[1], []).append(name)
    return tuple(
        UnknownGroup(word, tuple(names), usual.issuperset(names)) for word, names in members.items()
    )


def short_words(platform: Platform, find: Sequence[str]) -> list[str]:
    """Words that `unknowns` takes for the same numbers in the same order: whole groups, and parts of legs, by one."""
    names = unknowns(platform, find).names
    words: list[str] = []
    at = 0
    while at < len(names):
        leg, *parts = names[at].split(".")
        group = parts[1] if parts[0] == "encoder" else parts[0]
        for word in (group, f"{leg}.{parts[0]}", names[at]):
            meant = _meant(platform, word)
            if meant == names[at : at + len(meant)]:
                words.append(word)
                at += len(meant)
                break
    return words


def _meant(platform: Platform, word: str) -> tuple[str, ...]:
    return _sorted(platform, [name for name in _every(platform) if _fits(name, word)]).names
