"""Contents that make a run what it is, and starts, laws and scenarios that cannot be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation import Springs, State, scenario
from gough.simulation.identity import identity

MACHINE = gough.load("motion-base-1500")


class Sized:
    """Something with a property and a set."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    @property
    def count(self) -> int:
        return len(self.names)


class Named:
    """The same class of another content."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    @property
    def count(self) -> int:
        return len(self.names) + 1


def content(part: Any) -> str:
    return identity({"part": part})


def test_sets_properties_modules_and_nested_functions_are_content() -> None:
    assert content({"b", "a"}) == content({"a", "b"})
    assert content({"a"}) != content({"a", "b"})
    assert content(Sized.count) != content(Named.count)
    assert content(Sized({"a"})) == content(Sized({"a"}))
    assert content(math) != content(np)
    assert content(np.sin) != content(np.cos)

    def outer(k: float) -> Callable[[float], float]:
        return lambda x: k * (lambda y: y + 1.0)(x)

    assert content(outer(1.0)) == content(outer(1.0))
    assert content(outer(1.0)) != content(outer(2.0))


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: gough.simulate(MACHINE, 3, duration=0.01), "State"),
    (lambda: scenario._force(static=False), "constant"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    ask, word = REFUSED[number]
    with pytest.raises(gough.InputError, match=word):
        ask()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"step": 0.0}, "step"),
        ({"duration": -1.0}, "duration"),
        ({"duration": 0.0105}, "step"),
        ({"force": np.zeros((7, 6))}, "force"),
        ({"force": np.zeros(5)}, "force"),
        ({"force": [np.nan] * 6}, "force"),
        ({"integrator": "euler"}, "integrator"),
        ({"output": 0.003}, "output"),
        ({"reference": "x"}, "reference"),
        ({"springs": Springs(np.ones((3, 6)), 0.0)}, "springs"),
        ({"force": np.zeros(6), "controller": lambda *a: np.zeros(6)}, "force"),
        ({"force": lambda a, b, c: a}, "force"),
    ],
)
def test_bad_input_is_refused_by_name(machine: gough.Platform, options: dict, field: str) -> None:
    with pytest.raises(gough.InputError) as caught:
        gough.simulate(machine, machine.home, **{"duration": 0.01, **options})
    assert caught.value.field == field


def test_an_inconsistent_start_is_refused(machine: gough.Platform) -> None:
    length = gough.inverse_kinematics(machine, machine.home).length
    gough.simulate(machine, State(machine.home, length=length), duration=0.001)
    with pytest.raises(gough.InputError, match="inconsistent"):
        gough.simulate(machine, State(machine.home, length=length + 1e-6), duration=0.001)
    with pytest.raises(gough.InputError, match="rotation"):
        State([0, 0, 1], np.diag([1.0, 1.0, 1.1]))
    with pytest.raises(gough.InputError, match="state"):
        gough.simulate(machine, "home", duration=0.001)
    crank = gough.load("servo-hexapod")
    with pytest.raises(gough.InfeasibleError, match="reach"):
        gough.simulate(crank, gough.Pose([0, 0, 1.0]), duration=0.001)
