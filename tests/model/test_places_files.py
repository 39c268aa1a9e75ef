"""Machine files that say where things are: poses in any convention, frames, encoders, strokes about home."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.model.files import loads
from gough.model.json_document import from_document, to_document
from gough.simulation.scenario import load_scenario
from gough.struts import struts
from gough.trajectory import trajectory_from
from oracles.machines import platform
from oracles.offset_machines import offset_case

HEAD = gough.dumps(gough.load("positioner-300")).partition("[home]")
BODY = "[body]" + HEAD[2].partition("[body]")[2]
HOME = '[home]\nposition = "0 0 220 mm"\n'
EVERY = ("UPS", "SPS-free", "PUS", "RUS", "PSU", "UCS-free", "RSS-free", "UCU", "UCU-screw")


def machine(home: str = "", rest: str = "") -> gough.Platform:
    """positioner-300 with another home, and more tables."""
    return loads(f"{HEAD[0]}{HOME}{home}{rest}{BODY}")


def refused(key: str, home: str = "", rest: str = "") -> str:
    with pytest.raises(gough.MachineFileError) as error:
        machine(home, rest)
    assert any(p.path.startswith(key) and p.line for p in error.value.problems), str(error.value)
    return str(error.value)


def test_a_home_in_any_convention() -> None:
    a, b, c = np.radians([10.0, 20.0, -5.0])
    said = 'angles = "10 20 -5 deg"\nconvention = "{}"\n'
    for name in ("ZXZ", "XYZ extrinsic", "rpy", "vector"):
        given = machine(said.format(name)).home
        frames = gough.Frames(convention=name)
        assert given == frames.pose([0.0, 0.0, 0.22], [a, b, c])
    four = machine('angles = [1.0, 0.1, 0.2, 0.3]\nconvention = "quaternion"\n')
    assert four == machine("quaternion = [1.0, 0.1, 0.2, 0.3]\n")


def test_a_matrix_with_few_digits_needs_to_be_told_so() -> None:
    rows = "rotation = [[0.985, -0.174, 0.0], [0.174, 0.985, 0.0], [0.0, 0.0, 1.0]]\n"
    assert "proper rotation" in refused("home.rotation", rows)
    home = machine(rows + "nearest = true\n").home
    assert home is not None
    assert home.rpy[2] == pytest.approx(np.arctan2(0.174, 0.985))
    far = rows.replace("0.985", "0.9")
    assert "no rotation is within" in refused("home.rotation", far + "nearest = true\n")


@pytest.mark.parametrize(
    ("key", "home"),
    [
        ("home.convention", 'angles = "1 2 3 deg"\n'),
        ("home.convention", 'rpy = "1 2 3 deg"\nconvention = "ZXZ"\n'),
        ("home.convention", 'angles = "1 2 3 deg"\nconvention = "zxz"\n'),
        ("home.angles", 'rpy = "1 2 3 deg"\nangles = "1 2 3 deg"\nconvention = "ZXZ"\n'),
        ("home.angles", 'angles = "1 2 deg"\nconvention = "ZXZ"\n'),
        ("home.angles", 'angles = "1 2 3 mm"\nconvention = "ZXZ"\n'),
        ("home.nearest", "nearest = true\n"),
    ],
)
def test_poses_that_say_too_little_or_too_much(key: str, home: str) -> None:
    refused(key, home)


def test_frames_are_read_and_written() -> None:
    text = (
        '[frames]\nwork = { position = "1 2 3 mm", angles = "0 90 0 deg", convention = "XYZ" }\n'
        'tool = { position = "0 0 120 mm" }\npivot = "0 0 150 mm"\nconvention = "ZYX"\n'
    )
    one = machine(rest=text)
    assert one.frames.convention == "ZYX"
    assert one.frames.tool == gough.Pose([0.0, 0.0, 0.12])
    assert one.frames.work == gough.Pose.from_euler([1e-3, 2e-3, 3e-3], [0, np.pi / 2, 0], "XYZ")
    assert loads(gough.dumps(one)) == one
    assert from_document(to_document(one))[0] == one
    assert one != one.replace(frames=gough.Frames())
    turned = machine(rest='[frames]\nwork = { rpy = "0 0 90 deg" }\n')
    assert turned.frames.work.position == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("frames.convention", '[frames]\nconvention = "xyz"\n'),
        ("frames.pivot", '[frames]\npivot = "1 2 deg"\n'),
        ("frames.tol", "[frames]\ntol = 1\n"),
        ("frames.work", "[frames]\nwork = 3\n"),
    ],
)
def test_frames_that_are_none(key: str, text: str) -> None:
    refused(key, rest=text)


def with_limits(text: str) -> str:
    """The machine's text with another stroke."""
    whole = f"{HEAD[0]}{HOME}{BODY}"
    return whole.replace("stroke = [0.223, 0.254]", text)


@pytest.mark.parametrize("said", ["±14 mm", "+-14 mm", "+/- 14 mm", "± 0.014 m"])
def test_a_stroke_about_home_as_vendors_write_it(said: str) -> None:
    one = loads(with_limits(f'stroke = "{said}"'))
    at = struts(one, one.require_home()).coordinate
    for x, leg in zip(at.tolist(), one.legs, strict=True):
        assert leg.limits.stroke is not None
        assert leg.limits.stroke.tolist() == [x - 0.014, x + 0.014]
        assert leg.limits.about_home is False
    assert loads(gough.dumps(one)) == one
    assert loads(with_limits('stroke = ["-14 mm", "14 mm"], about_home = true')) == one


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('stroke = "14 mm"', "about home"),
        ('stroke = "±14 deg"', "unit of angle"),
        ('stroke = "±14"', "no unit"),
        ('stroke = "±0 mm"', "greater than 0"),
        ('stroke = "±-3 mm"', "greater than 0"),
        ('stroke = "±14 mm", about_home = false', "is about home"),
        ("about_home = true", "belongs to a stroke"),
    ],
)
def test_strokes_about_home_that_are_none(said: str, why: str) -> None:
    with pytest.raises(gough.MachineFileError, match=why):
        loads(with_limits(said))


def test_without_a_home_there_is_nothing_to_count_from() -> None:
    text = with_limits('stroke = "±14 mm"').replace(HOME, "")
    with pytest.raises(gough.MachineFileError, match=r"\[0\].limits.stroke.*needs a home"):
        loads(text)
    far = with_limits('stroke = "±14 mm"').replace("220 mm", "220 m")
    assert loads(far).legs[0].limits.stroke is not None  # a strut reaches everywhere


@pytest.mark.parametrize("kind", [*EVERY, "offset"])
def test_about_home_for_every_leg_type(kind: str) -> None:
    """Strokes and zeros, cranks in rad: the coordinate at home is in the middle, and reads zero."""
    bare = (
        offset_case("UCU-offset", seed=1, states=1).platform
        if kind == "offset"
        else platform(kind, seed=1)
    )
    given = {
        "limits": gough.Limits(stroke=(-0.02, 0.03), about_home=True),
        "encoder": gough.Encoder(scale=1e3, about_home=True),
    }
    one = bare.replace(legs=[leg.replace(**given) for leg in bare.legs])
    at = struts(one, one.require_home()).coordinate
    strokes = np.array([leg.limits.stroke for leg in one.legs])
    np.testing.assert_allclose(strokes, at[:, None] + [-0.02, 0.03], atol=1e-12)
    np.testing.assert_allclose(gough.readings(one, at), 0.0, atol=1e-9)
    np.testing.assert_allclose(gough.readings(one, at + 0.01), 10.0, atol=1e-9)
    assert loads(gough.dumps(one)) == one
    moved = one.replace(home=gough.Pose(one.require_home().position + 1e-3))
    assert moved.legs[0].limits == one.legs[0].limits  # made absolute once


def test_a_leg_that_does_not_reach_home_has_nothing_to_count_from() -> None:
    servo = gough.load("servo-hexapod")
    legs = [leg.replace(limits=gough.Limits(stroke=(-1, 1), about_home=True)) for leg in servo.legs]
    with pytest.raises(gough.InputError, match=r"legs\[0\].limits.stroke.*does not reach"):
        servo.replace(legs=legs, home=gough.Pose([0.0, 0.0, 9.0]))


def test_encoders_are_read_and_written() -> None:
    text = 'encoder = { zero = "home", scale = -2000, offset = 7, unit = "counts" }\n[[legs]]'
    one = loads(f"{HEAD[0]}{HOME}{BODY}".replace("[[legs]]", text, 1))
    at = struts(one, one.require_home()).coordinate
    assert all(leg.encoder.unit == "counts" for leg in one.legs)
    np.testing.assert_allclose(gough.readings(one, at), 7.0, atol=1e-9)
    np.testing.assert_allclose(gough.readings(one, at + 1e-3), 5.0, atol=1e-9)
    assert loads(gough.dumps(one)) == one
    for wrong, why in (
        ("scale = 0", "must not be zero"),
        ('zero = "3 deg"', "unit of angle"),
        ('zero = "home", about_home = false', "is about home"),
        ("unit = 3", "must be text"),
    ):
        bad = text.partition("{")[0] + "{ " + wrong + " }\n[[legs]]"
        with pytest.raises(gough.MachineFileError, match=why):
            loads(f"{HEAD[0]}{HOME}{BODY}".replace("[[legs]]", bad, 1))


def test_fixed_links_have_no_encoder() -> None:
    leg = gough.load("positioner-300").legs[0]
    bare = {"limits": gough.Limits(), "drive": None, "friction": gough.Friction(), "fixed": 0.24}
    assert leg.replace(**bare).fixed == 0.24
    with pytest.raises(gough.InputError, match="encoder"):
        leg.replace(**bare, encoder=gough.Encoder(scale=2.0))


def test_trajectories_and_scenarios_take_every_convention(tmp_path: object) -> None:
    pose = {"position": [0, 0, 1], "angles": ["10 deg", "20 deg", "30 deg"], "convention": "ZXZ"}
    path = trajectory_from({"kind": "hold", "pose": pose, "duration": 1.0})
    assert isinstance(path, gough.trajectory.Trajectory)
    wanted = gough.Pose.from_euler([0, 0, 1], np.radians([10, 20, 30]), "ZXZ")
    np.testing.assert_allclose(path(0.5).rotation, wanted.rotation, atol=1e-15)
    with pytest.raises(gough.InputError, match="convention"):
        trajectory_from({"kind": "hold", "pose": pose | {"convention": "zxz"}, "duration": 1.0})
    file = tmp_path / "start.toml"  # type: ignore[operator]
    file.write_text(
        'duration = 1\n[start]\nposition = [0, 0, 1]\nangles = "10 20 30 deg"\nconvention = "ZXZ"\n'
    )
    start = load_scenario(file).arguments(gough.load("motion-base-1500"))["state"]
    np.testing.assert_allclose(start.motion.rotation, wanted.rotation, atol=1e-15)


def test_numbers_of_a_machine_name_its_encoders() -> None:
    from gough.model.numbers import places, with_numbers

    one = gough.load("positioner-300")
    assert places(one)["L1.encoder.scale"].value == 1.0
    assert with_numbers(one, {"L1.encoder.scale": 5.0}).legs[0].encoder.scale == 5.0
