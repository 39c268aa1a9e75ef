"""Elbows and assemblies that are not given are those of the machine as it stands at home."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np
import pytest

import gough
from gough.model import files
from gough.model.home_relative import open_sign
from gough.struts import struts

CRANKED = ("servo-hexapod", "robot-head-rss")
RAILED = ("hexaglide", "glide-psu", "lopes-6pus")


def text_of(preset: str) -> str:
    return (resources.files("gough.model") / "presets" / f"{preset}.toml").read_text("utf-8")


def without(text: str, key: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(f"{key} ="))


@pytest.mark.parametrize("preset", CRANKED)
def test_a_file_need_not_say_its_elbows(preset: str) -> None:
    text = text_of(preset)
    assert "elbow = -1" in text
    assert files.loads(without(text, "elbow")) == gough.load(preset)


@pytest.mark.parametrize("preset", RAILED)
def test_a_file_need_not_say_its_assembly(preset: str) -> None:
    assert files.loads(without(text_of(preset), "assembly")) == gough.load(preset)


def test_signs_that_are_given_are_kept() -> None:
    other = files.loads(text_of("servo-hexapod").replace("elbow = -1", "elbow = 1"))
    assert {leg.elbow for leg in other.legs} == {1}  # type: ignore[union-attr]
    at = struts(other, other.require_home()).coordinate
    assert np.abs(at).min() > 1.0


def mirrored(sign: int) -> gough.Platform:
    """A servo machine made with one sign: its home angles are those of that sign."""
    made = gough.load("servo-hexapod")
    return made.replace(legs=[leg.replace(elbow=sign) for leg in made.legs])


@pytest.mark.parametrize("sign", [1, -1])
def test_the_stroke_decides_before_the_angle(sign: int) -> None:
    """A stroke about the angles of one sign makes it the chosen one, also where its angles are far from zero."""
    machine = mirrored(sign)
    angles = struts(machine, machine.require_home()).coordinate
    legs = [bare(leg, (x - 0.3, x + 0.4)) for leg, x in zip(machine.legs, angles, strict=True)]
    chosen = gough.Platform(machine.body, legs, home=machine.home)
    assert [leg.elbow for leg in chosen.legs] == [sign] * 6  # type: ignore[union-attr]
    found = struts(chosen, chosen.require_home()).coordinate
    np.testing.assert_allclose(found, angles, atol=1e-12)


def bare(leg: Any, stroke: tuple[float, float] | None, **changes: Any) -> gough.RUS:
    """The leg without a sign."""
    limits = gough.Limits(stroke=stroke)
    ends = leg.base, leg.shaft, leg.arm, leg.joint, leg.axis, leg.length
    return gough.RUS(*ends, leg.crank, leg.link, limits=limits, **changes)


def test_without_a_home_signs_stay_open_until_there_is_one() -> None:
    machine = gough.load("servo-hexapod")
    legs = [bare(leg, None) for leg in machine.legs]
    homeless = gough.Platform(machine.body, legs)
    assert [leg.elbow for leg in homeless.legs] == [1] * 6  # type: ignore[union-attr]
    assert all(open_sign(leg) == "elbow" for leg in homeless.legs)
    there = homeless.replace(home=machine.home)
    assert [leg.elbow for leg in there.legs] == [-1] * 6  # type: ignore[union-attr]
    assert all(open_sign(leg) is None for leg in there.legs)
    assert [leg.elbow for leg in there.replace(home=None).legs] == [-1] * 6  # type: ignore[union-attr]


def test_one_leg_may_be_given_and_the_others_chosen() -> None:
    machine = gough.load("servo-hexapod")
    legs = [
        bare(leg, None, **({"elbow": 1} if i == 2 else {})) for i, leg in enumerate(machine.legs)
    ]
    made = gough.Platform(machine.body, legs, home=machine.home)
    assert [leg.elbow for leg in made.legs] == [-1, -1, 1, -1, -1, -1]  # type: ignore[union-attr]
    assert files.loads(files.dumps(made)) == made


def test_a_slider_within_its_stroke_is_chosen() -> None:
    machine = gough.load("lopes-6pus")
    backward = machine.replace(legs=[leg.replace(assembly=-1) for leg in machine.legs])
    at = struts(backward, backward.require_home()).coordinate
    legs = []
    for leg, x in zip(machine.legs, at, strict=True):
        ends = leg.base, leg.rail, leg.joint, leg.axis, leg.length  # type: ignore[union-attr]
        legs.append(gough.PUS(*ends, limits=gough.Limits(stroke=(x - 0.01, x + 0.01))))
    chosen = gough.Platform(machine.body, legs, home=machine.home)
    assert [leg.assembly for leg in chosen.legs] == [-1] * 6  # type: ignore[union-attr]


def test_a_home_out_of_reach_keeps_the_first_sign() -> None:
    machine = gough.load("servo-hexapod")
    legs = [bare(leg, None) for leg in machine.legs]
    far = gough.Platform(machine.body, legs, home=gough.Pose([0.0, 0.0, 5.0]))
    assert [leg.elbow for leg in far.legs] == [1] * 6  # type: ignore[union-attr]
