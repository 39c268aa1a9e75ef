"""How far the sliders of a page go, and struts of assembly modes: numbers of the machine, whatever its size."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.drawing import pose_range


def of(machine: gough.Platform) -> dict[str, object]:
    home = machine.likely_home
    return pose_range(machine, home, gough.inverse_kinematics(machine, home).length)


def with_strokes(spans: list[float]) -> gough.Platform:
    machine = gough.load("motion-base-1500")
    length = gough.inverse_kinematics(machine, machine.likely_home).length
    legs = [
        leg.replace(limits=gough.Limits(stroke=(l - s / 2, l + s / 2)))
        for leg, l, s in zip(machine.legs, length, spans, strict=True)
    ]
    return machine.replace(legs=legs)


@pytest.mark.parametrize(("span", "travel"), [(0.5, 0.4), (0.05, 0.04), (1.1, 0.9), (0.0125, 0.01)])
def test_sliders_go_about_as_far_as_the_legs(span: float, travel: float) -> None:
    """0.8 of the longest stroke, to one digit."""
    found = of(with_strokes([span, span / 2, span / 4, span, span / 3, span]))
    assert found["travel"] == pytest.approx(travel, rel=1e-12)
    assert found["turn"] == pytest.approx(np.radians(40.0))
    assert found["middle"] == gough.load("motion-base-1500").likely_home.position.tolist()


def test_without_strokes_the_struts_themselves_say_how_far() -> None:
    """0.3 of the longest one; the range of a crank is an angle and says nothing about lengths."""
    machine = gough.load("motion-base-1500")
    bare = machine.replace(legs=[leg.replace(limits=gough.Limits()) for leg in machine.legs])
    longest = gough.inverse_kinematics(bare, bare.likely_home).length.max()
    assert of(bare)["travel"] == float(f"{0.3 * longest:.1g}")
    cranks = gough.load("servo-hexapod")
    rods = max(leg.length for leg in cranks.legs if isinstance(leg, gough.RUS))
    assert of(cranks)["travel"] == float(f"{0.3 * rods:.1g}")
