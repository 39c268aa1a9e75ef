"""Machines drawn from distributions of their parameters: Monte Carlo and domain randomization.

machines = gough.simulation.varied(platform, {"body.mass": Evenly(0.9, 1.1, relative=True),
                                              "legs.*.drive.coulomb": Normal(0.02)}, 1000, seed=7)
run = gough.simulate(machines, state, duration=1.0, controller=...)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from zlib import crc32

import numpy as np

from gough.checks import Array, Frozen, GoughError, InputError, not_negative, number
from gough.documents.source import did_you_mean
from gough.model import Platform
from gough.model.body import collected_warnings, model_warning
from gough.model.numbers import places, with_numbers

LEGS = "legs."


@dataclass(frozen=True, eq=False)
class Evenly(Frozen):
    """Evenly between `low` and `high`, SI; relative: these times the machine's own number."""

    low: float
    high: float
    relative: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number("evenly.low", self.low))
        object.__setattr__(self, "high", number("evenly.high", self.high, minimum=self.low))

    def draw(self, rng: np.random.Generator, nominal: float, size: int) -> Array:
        """(size,) values."""
        values = self.low + (self.high - self.low) * rng.random(size)
        return nominal * values if self.relative else values


@dataclass(frozen=True, eq=False)
class Normal(Frozen):
    """Normal about the machine's own number with standard `deviation`, SI; relative: times that number."""

    deviation: float
    relative: bool = False

    def __post_init__(self) -> None:
        deviation = not_negative("normal.deviation", self.deviation)
        object.__setattr__(self, "deviation", deviation)

    def draw(self, rng: np.random.Generator, nominal: float, size: int) -> Array:
        """(size,) values."""
        spread = self.deviation * (nominal if self.relative else 1.0)
        return nominal + spread * rng.standard_normal(size)


Spread = Evenly | Normal | Callable[[np.random.Generator, float], float]
"""A distribution, or a function of (random generator, the machine's own number) to one value."""


def varied(
    platform: Platform, spread: Mapping[str, Any], count: int, seed: int = 0
) -> tuple[Platform, ...]:
    """`count` machines whose numbers are drawn independently.

    spread  distribution by name: `gough.dynamics.parameter_names` and all else that `model.numbers` lists, as
            ``body.mass``, ``L1.drive.coulomb``; ``*`` and ``?`` stand for parts of names, ``legs.*.`` for every leg
    seed    machine i is the same whatever the count and whatever else varies
    """
    if count < 1:
        raise InputError("count", count, "must be at least 1")
    known = places(platform)
    drawn = {
        name: _draw(name, law, known[name].value, count, seed)
        for name, law in _matched(known, spread, [f"{n}." for n in platform.leg_names]).items()
    }
    machines = list[Platform]()
    with collected_warnings() as told:
        for i in range(count):
            try:
                machines.append(with_numbers(platform, {n: float(v[i]) for n, v in drawn.items()}))
            except GoughError as error:
                raise error.within(f"machine {i} drawn from spread") from None
    for sentence in dict.fromkeys(told):
        model_warning(sentence)
    return tuple(machines)


def _matched(
    known: Mapping[str, Any], spread: Mapping[str, Any], legs: list[str]
) -> dict[str, Any]:
    """The distribution of each number that varies."""
    out: dict[str, Any] = {}
    for pattern, law in spread.items():
        names = [pattern] if pattern in known else []
        if not names and pattern.startswith(LEGS):
            part = pattern.removeprefix(LEGS)
            names = [n for n in known if n.startswith(tuple(legs)) and fnmatchcase(n, part)]
        elif not names:
            names = [n for n in known if fnmatchcase(n, pattern)]
        if not names:
            hint = f"{did_you_mean(pattern, known)}is no number of this machine"
            raise InputError("spread", pattern, hint)
        for name in names:
            if name in out:
                raise InputError("spread", pattern, f"{name} has a distribution already")
            out[name] = law
    return out


def _draw(name: str, law: Any, nominal: float, count: int, seed: int) -> Array:
    rng = np.random.default_rng([seed, crc32(name.encode())])
    if isinstance(law, (Evenly, Normal)):
        return law.draw(rng, nominal, count)
    if not callable(law):
        allowed = "must be an Evenly, a Normal, or a function (rng, value) -> value"
        raise InputError(f"spread[{name!r}]", law, allowed)
    return np.array([number(f"spread[{name!r}]", law(rng, nominal)) for _ in range(count)])
