"""Values and answers as users meet them: printed in a line, and helpful where somebody assigns to a field."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import brief, lazy
from gough.analysis.natural_modes import modes
from gough.analysis.sizing import size
from gough.analysis.state_space import linearize
from gough.analysis.workspace import workspace_slice
from gough.frozen import hinted
from gough.limits import check
from gough.results import Result

ROOT = Path(gough.__file__).parent
LINE = 700  # characters: a few lines, never pages of numbers


def public_classes() -> Iterator[type]:
    """Frozen dataclasses that some package promises."""
    for index in sorted(ROOT.rglob("__init__.py")):
        if "lazy.attach" not in index.read_text("utf-8"):
            continue
        package = ".".join(index.parent.relative_to(ROOT.parent).parts)
        module = import_module(package)
        for name in lazy.promised(package):
            value = getattr(module, name)
            if isinstance(value, type) and dataclasses.is_dataclass(value):
                yield value


def frozen(cls: Any) -> bool:
    return cls.__dataclass_params__.frozen


def hints(cls: Any) -> bool:
    return cls.__setattr__.__module__ == "gough.frozen"


EXPECTED = {"CProject", "About"}  # handed out, not made by users


def test_every_public_value_says_what_to_do() -> None:
    found = {cls for cls in public_classes() if frozen(cls)}
    assert len(found) > 50
    assert {cls.__name__ for cls in found if not hints(cls)} == EXPECTED


def test_every_answer_says_what_to_do() -> None:
    def below(cls: type) -> Iterator[type]:
        for one in cls.__subclasses__():
            yield one
            yield from below(one)

    answers = [cls for cls in below(Result) if dataclasses.is_dataclass(cls)]
    assert len(answers) > 8
    assert [cls.__name__ for cls in answers if not hints(cls)] == []


@pytest.mark.parametrize(
    ("thing", "field"),
    [
        (gough.load("positioner-300"), "gravity"),
        (gough.load("positioner-300").legs[0], "joint"),
        (gough.Body(1.0), "mass"),
        (gough.Pose([0.0, 0.0, 1.0]), "position"),
        (gough.Motion([0.0, 0.0, 1.0]), "velocity"),
        (gough.Limits(), "force"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_assigning_points_to_replace(thing: Any, field: str) -> None:
    said = rf"{type(thing).__name__}\.{field} cannot be assigned.*\.replace\({field}=\.\.\.\)"
    with pytest.raises(dataclasses.FrozenInstanceError, match=said):
        setattr(thing, field, 3.0)
    with pytest.raises(AttributeError, match=said):
        delattr(thing, field)
    assert getattr(thing.replace(), field) is not None or field == "force"


def test_answers_and_unknown_fields_are_told_apart() -> None:
    platform = gough.load("positioner-300")
    result = gough.inverse_dynamics(platform, platform.home)
    with pytest.raises(AttributeError, match=r"InverseDynamics\.force .*\.force\.copy\(\)"):
        result.force = 3.0  # type: ignore[misc]
    with pytest.raises(
        AttributeError, match="no field graviti to assign; its fields are body, legs"
    ):
        platform.graviti = 3.0  # type: ignore[attr-defined]
    assert result.condition is result.condition  # what is computed later is still kept


def test_the_hint_is_the_decorator_s() -> None:
    @dataclasses.dataclass(frozen=True, repr=False)
    class Plain:
        mass: float = 1.0

    assert "0x" in repr(Plain())
    with pytest.raises(AttributeError) as bare:
        Plain().mass = 2.0  # type: ignore[misc]
    assert "replace" not in str(bare.value)
    assert repr(hinted(Plain)()) == "Plain(mass=1 kg)"
    with pytest.raises(AttributeError, match=r"dataclasses\.replace"):
        Plain().mass = 2.0  # type: ignore[misc]


def test_lines_have_numbers_and_units() -> None:
    pose = gough.Pose.from_rpy([0.1, -0.0, 0.4], [0.0, 0.0, -0.2])
    assert repr(pose) == "Pose(position=[0.1, 0, 0.4] m, rpy=[0, 0, -0.2] rad)"
    many = gough.Pose.from_rpy([[0.1, 0.0, 0.4], [0.2, -1.0, 0.4]], [[0, 0, 0], [0, 0, 0.5]])
    assert repr(many) == (
        "<Pose (2,): position [0.1, -1, 0.4] to [0.2, 0, 0.4] m, turned by up to 0.5 rad>"
    )
    lost = gough.Pose.trusted(np.full((2, 3), np.nan), np.full((2, 3, 3), np.nan))
    assert "nowhere" in repr(lost)
    assert repr(gough.Body(2.0, (0, 0, 0.1), (1, 1, 1))) == (
        "Body(mass=2 kg, center=[0, 0, 0.1] m, inertia=<(3, 3)> kg m^2)"
    )
    motion = gough.Motion(np.zeros((3, 3)), velocity=[0, 3, 4], time=[0, 1, 2.5])
    assert repr(motion) == (
        "<Motion (3,): 0 to 2.5 s, position [0, 0, 0] m, at most 5 m/s, 0 rad/s, 0 m/s^2, 0 rad/s^2>"
    )
    assert repr(gough.load("positioner-300")).startswith("<Platform positioner-300: 6-UPS, 7 kg")
    assert brief.numbers(np.arange(7)) == "<(7,)>"
    assert brief.field_text(list(range(100))) == "<list of 100>"


def answers() -> Iterator[Any]:
    """One of each kind, of a batch where they take one."""
    platform = gough.load("positioner-300")
    home = platform.require_home()
    t = np.linspace(0.0, 1.0, 200)
    end = gough.Pose.from_rpy(home.position + np.array([0.005, 0.0, 0.0]), [0.0, 0.0, 0.02])
    motion = gough.trajectory.quintic(home, end, 1.0)(t)
    yield from (platform, *platform.legs, motion, motion.pose, motion[0], home)
    result = gough.inverse_dynamics(platform, motion)
    legs = gough.inverse_kinematics(platform, motion)
    yield from (result, result.reactions, legs, gough.energy(platform, motion))
    yield gough.forward_dynamics(platform, motion, result.force)
    yield gough.forward_kinematics(platform, legs.length, guess=home)
    yield gough.forward_kinematics(platform, legs.length[0], guess=home)
    yield check(platform, motion)
    yield modes(platform, motion.pose, stiffness=1e7)
    yield linearize(platform, home)
    yield linearize(platform, motion)
    yield gough.reach(platform, end)
    yield gough.travel(platform)
    yield size(platform, {"way": motion})
    yield size(platform, {"way": motion}).legs[0]
    yield workspace_slice(platform, points=21)
    yield gough.pose_uncertainty(platform, legs.length[0], home, actuator=1e-6)
    yield gough.State(home)


def test_no_answer_prints_pages() -> None:
    threshold = np.get_printoptions()["threshold"]
    np.set_printoptions(
        threshold=sys.maxsize
    )  # as users do: arrays are not shortened by themselves
    try:
        shown = {type(answer).__name__: repr(answer) for answer in answers()}
    finally:
        np.set_printoptions(threshold=threshold)
    assert len(shown) > 15
    assert {name: len(text) for name, text in shown.items() if len(text) > LINE} == {}
    assert all(name in text for name, text in shown.items())
    assert all("array(" not in text and " object at 0x" not in text for text in shown.values())
