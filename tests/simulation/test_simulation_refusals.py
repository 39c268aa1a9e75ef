"""Contents that make a run what it is, and starts, laws and scenarios that cannot be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation import scenario
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
