"""Numbers with units in arguments and options: one reader, judged by the quantity."""

from __future__ import annotations

import json
from math import pi, radians
from typing import Any

import pytest
from typer.testing import CliRunner

import gough
import gough.cli.control
import gough.cli.fk
import gough.cli.places
import gough.cli.worst
from gough.cli import quantities as q
from gough.cli.app import app

assert gough.cli.control
assert gough.cli.worst
POSE = ("length",) * 3 + ("angle",) * 3


def read(text: str, **more: Any) -> list[float]:
    return q.read_numbers("pose", text, (6,), "must be six numbers", POSE, **more)


@pytest.mark.parametrize(
    "text",
    [
        "0.1 -0.02 0.6 0 0 0.5",
        "100mm -20mm 600mm 0 0 0.5rad",
        "100 -20 600 mm 0 0 0.5 rad",
        "100 mm, -20 mm, 600 mm, 0, 0, 500 mrad",
        "10 -2 60 cm 0 0 500mrad",
        "100mm -2cm 0.6 m 0 0deg 0.5rad",
        ".1 -2e-2 6e-1 0 0 .5",
    ],
)
def test_poses_with_and_without_units(text: str) -> None:
    assert read(text) == pytest.approx([0.1, -0.02, 0.6, 0.0, 0.0, 0.5], rel=1e-15)


def test_bare_numbers_have_the_unit_of_the_option() -> None:
    given = "100 0 600 0 0 15"
    assert read(given, bare=q.MILLIMETERS) == [0.1, 0.0, 0.6, 0.0, 0.0, radians(15)]
    assert read("0.1 m 0 600 mm 0 0 15", bare=q.MILLIMETERS) == [0.1, 0.0, 0.6, 0, 0, radians(15)]
    assert q.read_degrees("rpy", "0.1 0 0.5 rad") == (0.1, 0.0, 0.5)
    assert q.read_degrees("rpy", "90 0 -45") == (pi / 2, 0.0, -pi / 4)
    assert q.read_wrench("1 2 3 kN 0 0 5 N m") == [1000.0, 2000.0, 3000.0, 0.0, 0.0, 5.0]
    assert q.read_wrench("0 0 -9 0 0 500 N mm") == [0.0, 0.0, -9.0, 0.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0 0 600 mm 0 0 15 mm", "mm is a unit of length, this is an? angle"),
        ("0 0 600 kg 0 0 0", "kg is a unit of mass, this is a length"),
        ("0 0 600 mmm 0 0 0", "unknown unit 'mmm'"),
        ("100 mm 0 0.6 0 0 0", "has no unit behind 100 mm"),
        ("mm 0 0 0.6 0 0 0", "must be six numbers"),
        ("0 0 600 mm", "must be six numbers"),
        ("0 0 inf 0 0 0", "must be finite"),
        ("", "must be six numbers"),
    ],
)
def test_what_does_not_fit_is_one_sentence_with_the_field(text: str, why: str) -> None:
    with pytest.raises(gough.InputError, match=why) as caught:
        read(text)
    assert caught.value.field == "pose"
    assert "\n" not in str(caught.value)


def test_options_with_one_number() -> None:
    time = q.option_parser("dt", "time")
    assert time("5 ms") == time("5ms") == 0.005
    assert (time("0.25"), time(0.25)) == (0.25, 0.25)
    assert (time("5ms").dimension, time("3").dimension) == ("time", None)
    assert q.option_parser("bandwidth", "bandwidth")("10 Hz") == pytest.approx(20 * pi)
    assert q.option_parser("life", "hours")("90 min") == 1.5
    assert q.option_parser("life", "hours")("20000") == 20000.0
    either = q.option_parser("max_rate", "speed|rate")
    assert (either("20 mm/s"), either("20 mm/s").dimension) == (0.02, "speed")
    assert either("60 rpm").dimension == "rate"


@pytest.mark.parametrize("text", ["3 kg", "3 s 4", "fast", "", "nan", "3 sss"])
def test_options_refuse_what_does_not_fit(text: str) -> None:
    import typer

    with pytest.raises(typer.BadParameter, match="got"):
        q.option_parser("dt", "time")(text)


def test_units_fit_the_actuators_of_the_machine() -> None:
    slides, turns = gough.load("positioner-300"), gough.load("servo-hexapod")
    speed, rate = q.Entered(0.1, "speed"), q.Entered(0.1, "rate")
    for machine, right, wrong in ((slides, speed, rate), (turns, rate, speed)):
        q.check_actuators(machine, max_rate=right, other=None, bare=q.Entered(1.0, None), zero=0.0)
        with pytest.raises(gough.InputError, match=r"max_rate.*the actuators (turn|slide)"):
            q.check_actuators(machine, max_rate=wrong)
    mixed = slides.replace(legs=[*slides.legs[:5], turns.legs[5]])
    q.check_actuators(mixed, a=speed, b=rate)
    assert q.actuator_dimensions(mixed, "length", "angle") == ("length",) * 5 + ("angle",)


def run(*arguments: str, code: int = 0) -> Any:
    found = CliRunner().invoke(app, list(arguments))
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return json.loads(found.stdout) if code == 0 else found.stderr


def test_commands_take_units_beside_si() -> None:
    si = run("ik", "positioner-300", "-0.004 0 0.22 0 0 0.02", "--json")
    units = run("ik", "positioner-300", "-4mm 0 220mm 0 0 20 mrad", "--json")
    mm = run("ik", "positioner-300", "-4 0 220 0 0 0.02rad", "--mm", "--json")
    for other in (units, mm):
        assert [leg["coordinate"] for leg in other["legs"]] == pytest.approx(
            [leg["coordinate"] for leg in si["legs"]], abs=1e-15
        )
    bare = run("fk", "servo-hexapod", " ".join([str(radians(10))] * 6), "--json")
    degrees = run("fk", "servo-hexapod", "10 10 10 10 10 10 deg", "--json")
    assert degrees["position"] == pytest.approx(bare["position"], abs=1e-15)
    with pytest.raises(gough.InputError, match=r"mm is a unit of length, this is an? angle"):
        run("fk", "servo-hexapod", "10 10 10 10 10 10 mm", "--json")
    assert "kg is a unit of mass" in " ".join(
        run("worst", "positioner-300", "--box", "1 1 1 mm", "--force", "3 kg", code=2).split()
    )


def test_help_says_so() -> None:
    said = CliRunner().invoke(app, ["--help"]).output
    assert "100mm" in said
    assert "15 deg" in said
