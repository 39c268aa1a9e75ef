"""Springs in the machine file and in the model."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import InputError
from gough.model import files
from gough.model.json_document import from_document, to_document
from gough.model.numbers import places, with_numbers
from oracles.machines import cases

UPS = "motion-base-1500"


def sprung(name: str = UPS, **given: object) -> gough.Platform:
    platform = gough.load(name)
    springs = gough.JointSprings(**given)  # type: ignore[arg-type]
    return platform.replace(legs=[leg.replace(springs=springs) for leg in platform.legs])


@pytest.mark.parametrize(
    "kind", ["UPS", "SPS-general", "PUS", "RUS", "mixed", "UCU-screw", "rods-mixed"]
)
def test_files_and_documents_give_the_same_springs_back(kind: str) -> None:
    for case in cases(kind, 3, states=1, seed=31, springs=True):
        platform = case.platform
        again = files.loads(files.dumps(platform))
        assert again == platform
        assert again.legs[0].springs.any
        assert from_document(to_document(platform))[0] == platform
    assert any(leg.springs.home is not None for leg in platform.legs)


def test_the_file_takes_units_one_number_three_or_nine() -> None:
    text = files.dumps(gough.load(UPS)).replace("[leg_defaults]\n", "[leg_defaults]\n{}\n", 1)
    for written, wanted in (
        ('"5 N m/rad"', 5.0 * np.eye(3)),
        ("5.0", 5.0 * np.eye(3)),
        ('"1 2 3 N m/deg"', np.degrees(np.diag([1.0, 2.0, 3.0]))),
        ("[1.0, 2.0, 3.0]", np.diag([1.0, 2.0, 3.0])),
        ("[[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]", [[2, 1, 0], [1, 2, 0], [0, 0, 3]]),
    ):
        line = f'springs = {{ first = "2 kN m/rad", second = 3, platform_ball = {written} }}'
        springs = files.loads(text.replace("{}", line)).legs[4].springs
        assert (springs.first, springs.second) == (2000.0, 3.0)
        assert springs.platform_ball == pytest.approx(np.array(wanted), rel=1e-15)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("springs = { first = -1.0 }", "at least 0"),
        ("springs = { base_ball = 1.0 }", "base_ball"),
        ('springs = { platform_ball = "3 N/m" }', "N m/rad"),
        (
            "springs = { platform_ball = [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] }",
            "sym",
        ),
        ("springs = { platform_ball = [1.0, -2.0, 3.0] }", "must not be negative about any axis"),
        ("springs = { first = 1.0, home = { position = [0.0, 0.0, 1.0, 2.0] } }", "three"),
    ],
)
def test_bad_springs_are_refused_with_their_key(line: str, problem: str) -> None:
    text = files.dumps(gough.load(UPS)).replace("[leg_defaults]\n", f"[leg_defaults]\n{line}\n", 1)
    with pytest.raises(files.MachineFileError, match="springs") as found:
        files.loads(text)
    assert problem in str(found.value)


def test_springs_need_a_joint_and_a_home() -> None:
    leg = gough.load(UPS).legs[0]
    with pytest.raises(InputError, match=r"springs\.base_ball.*the joint there is universal"):
        leg.replace(springs=gough.JointSprings(base_ball=1.0))
    ball = gough.load("syed-6sps").legs[0]
    with pytest.raises(InputError, match=r"springs\.second.*the joint there is a ball"):
        ball.replace(springs=gough.JointSprings(second=1.0))
    for name in ("platform_first", "platform_second"):
        for either in (leg, ball):
            with pytest.raises(
                InputError, match=rf"springs\.{name}.*is a ball: give platform_ball"
            ):
                either.replace(springs=gough.JointSprings(**{name: 1.0}))
    both = gough.load("motion-base-ucu").legs[0]
    for name in ("base_ball", "platform_ball"):
        with pytest.raises(InputError, match=rf"springs\.{name}.*the joint there is universal"):
            both.replace(springs=gough.JointSprings(**{name: 1.0}))
    with pytest.raises(InputError, match="springs"):
        leg.replace(springs=3.0)
    with pytest.raises(InputError, match=r"springs\.home.*relaxed at the machine's home"):
        sprung(first=1.0).replace(home=None)
    own = gough.load(UPS).require_home()
    assert sprung(first=1.0, home=own).replace(home=None).legs[0].springs.any
    with pytest.raises(InputError, match=r"single gough.Pose"):
        gough.JointSprings(home=gough.Pose(np.zeros((2, 3))))
    assert sprung().replace(home=None).home is None  # no springs, no question


def test_springs_must_be_relaxed_in_a_pose_that_the_leg_can_take() -> None:
    far = gough.Pose([0.0, 0.0, 100.0])
    with pytest.raises(InputError, match=r"legs\[0\].springs.home.*the leg cannot be there"):
        sprung("hexaglide", first=1.0, home=far)
    platform = gough.load("syed-6sps")
    s = gough.inverse_kinematics(platform, platform.require_home()).direction[2]
    legs = list(platform.legs)
    legs[2] = legs[2].replace(reference=s, springs=gough.JointSprings(base_ball=1.0))
    with pytest.raises(InputError, match=r"legs\[2\].springs.home.*along its `reference`"):
        platform.replace(legs=legs)


def test_springs_are_numbers_of_the_machine() -> None:
    platform = sprung(first=2.0, platform_ball=[1.0, 2.0, 3.0])
    known = places(platform)
    assert known["L3.springs.first"].value == 2.0
    assert known["L3.springs.platform_ball.yy"].value == 2.0
    changed = with_numbers(platform, {"L3.springs.first": 5.0, "L3.springs.platform_ball.xy": 0.5})
    assert changed.legs[2].springs.first == 5.0
    assert changed.legs[2].springs.platform_ball[1, 0] == 0.5
    with pytest.raises(InputError, match="springs"):
        with_numbers(platform, {"L3.springs.second": -1.0})


def test_the_schema_knows_the_springs() -> None:
    keys = files.json_schema()["$defs"]["JointSprings"]["properties"]
    hinges = {"first", "second", "platform_first", "platform_second"}
    assert set(keys) == hinges | {"base_ball", "platform_ball", "home"}
