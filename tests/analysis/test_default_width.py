"""How wide a slice is drawn where nobody says: strokes, else the base, else a meter."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.workspace import default_width
from gough.model import Limits
from oracles.machines import platform


def with_strokes(kind: str, strokes: list[tuple[float, float] | None]) -> gough.Platform:
    machine = platform(kind, seed=2)
    legs = [
        leg.replace(limits=Limits(stroke=stroke))
        for leg, stroke in zip(machine.legs, strokes, strict=True)
    ]
    return machine.replace(legs=legs)


def test_the_longest_stroke_of_a_strut_decides() -> None:
    strokes = [(0.5, 0.7), None, (0.4, 0.9), (0.6, 0.7), None, (0.5, 0.6)]
    assert default_width(with_strokes("UPS", strokes)) == pytest.approx(2.6 * 0.5)


@pytest.mark.parametrize("kind", ["UPS", "PUS"])
def test_without_struts_that_have_one_it_is_the_base(kind: str) -> None:
    """The stroke of a slider says nothing of the width."""
    strokes = [None if kind == "UPS" else (-0.1, 0.2)] * 6
    machine = with_strokes(kind, strokes)
    assert default_width(machine) == np.ptp(machine.base_joints, axis=0).max() > 0.0


def test_a_base_without_size_gets_a_meter() -> None:
    point: Any = SimpleNamespace(legs=(), base_joints=np.full((6, 3), 0.3))
    assert default_width(point) == 1.0
