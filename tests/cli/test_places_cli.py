"""gough ik, gough travel, readings of fk, and the warning about a home that breaks a limit."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.analysis
import gough.cli.fk
import gough.cli.machine
import gough.cli.places
from gough.checks import InfeasibleError, InputError
from gough.cli import console
from gough.cli.app import app
from gough.status import Status

assert gough.cli.places
assert gough.cli.fk
assert gough.cli.machine
assert gough.cli.analysis


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_ik_says_coordinates_and_that_it_is_reachable() -> None:
    found = json.loads(run("ik", "positioner-300", "0 0 0.225 0 0 0.02", "--json"))
    assert found["reachable"] is True
    machine = gough.load("positioner-300")
    pose = gough.Pose.from_rpy([0, 0, 0.225], [0, 0, 0.02])
    wanted = gough.inverse_kinematics(machine, pose, engine="python").length
    np.testing.assert_allclose([leg["coordinate"] for leg in found["legs"]], wanted, atol=1e-15)
    assert found["way"]["whole"]
    text = run("ik", "positioner-300", "0 0 225 0 0 1", "--mm")
    assert "reachable, proved" in text
    assert "0.225" in text


def test_ik_of_a_pose_that_cannot_be_taken() -> None:
    with pytest.raises(InfeasibleError, match="beyond its maximum 254"):
        run("ik", "positioner-300", "0 0 0.3 0 0 0")


def offset_machine(folder: Path) -> str:
    """positioner-300 with base joints whose axes do not meet."""
    one = gough.load("positioner-300")
    legs = [leg.replace(base_offset=gough.JointOffset(e=1e-3)) for leg in one.legs]
    return str(gough.save(one.replace(legs=legs), folder / "offset.toml"))


def test_ik_of_a_way_that_is_not_proved(tmp_path: Path) -> None:
    text = run("ik", offset_machine(tmp_path), _home("positioner-300"))
    assert "not proved that it can be moved to" in text
    assert "no proof between them" in text


def _home(name: str) -> str:
    home = gough.load(name).home
    assert home is not None
    return " ".join(map(repr, [*home.position.tolist(), *home.rpy.tolist()]))


def test_ik_in_other_frames() -> None:
    frames = gough.Frames(
        work=gough.Pose([0.0, 0.0, 0.1]),
        tool=gough.Pose([0.0, 0.0, 0.05]),
        pivot=[0.0, 0.0, 0.02],
        convention="ZXZ",
    )
    options = ("--work", "0 0 100 0 0 0", "--tool", "0 0 50 0 0 0", "--pivot", "0 0 20")
    pose = ("ik", "positioner-300", "0 0 175 10 2 -10", "--mm", "--convention", "ZXZ")
    found = json.loads(run(*pose, *options, "--json"))
    wanted = frames.pose([0, 0, 0.175], np.radians([10.0, 2.0, -10.0]))
    np.testing.assert_allclose(found["position"], wanted.position, atol=1e-15)
    np.testing.assert_allclose(found["quaternion"], wanted.quaternion, atol=1e-15)
    np.testing.assert_allclose(found["entered"][:3], [0, 0, 0.175], atol=1e-15)
    four = json.loads(
        run("ik", "positioner-300", "0 0 0.22 1 0 0 0", "--convention", "quaternion", "--json")
    )
    assert four["rpy"] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("0 0 0.2",), "pose"),
        (("0 0 0.2 0 0 0", "--convention", "zyx"), "convention"),
        (("0 0 0.2 0 0 0", "--pivot", "1 2"), "pivot"),
        (("0 0 0.2 0 0 720",), "pose"),
        (("0 0 0.2 0 0 0", "--start", "1"), "start"),
    ],
)
def test_ik_refuses(arguments: tuple[str, ...], field: str) -> None:
    with pytest.raises(InputError, match=field):
        run("ik", "positioner-300", *arguments)


def test_travel_as_table_json_and_figure(tmp_path: Path) -> None:
    picture = tmp_path / "travel.svg"
    text = run("travel", "positioner-300", "--figure", str(picture))
    assert "every end is proved" in text
    assert "stroke at its maximum, 254 mm" in text
    assert "pitch" in picture.read_text()
    found = json.loads(run("travel", "positioner-300", "--json", "--pivot", "0 0 0.1"))
    ranges = gough.travel(gough.load("positioner-300"), pivot=[0, 0, 0.1])
    ups = [axis["up"]["travel"] for axis in found["axes"]]
    np.testing.assert_allclose(ups, ranges.high, atol=1e-15)
    assert found["proved"] is True
    assert found["axes"][0]["down"]["kinds"] == ["stroke", "stroke"]
    other = run("travel", offset_machine(tmp_path), "--figure", str(picture))
    assert "not proved: x, y, z, roll, pitch, yaw" in other
    assert "not proved" in picture.read_text()


def test_fk_of_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They become coordinates before the solver sees them; the answer is also given as it is entered."""
    one = gough.load("positioner-300")
    home, asked = one.home, list[object]()
    assert home is not None
    encoder = gough.Encoder(scale=1e3, offset=3.0, about_home=True)
    file = tmp_path / "read.toml"
    gough.save(one.replace(legs=[leg.replace(encoder=encoder) for leg in one.legs]), file)

    def solved(
        platform: gough.Platform, values: list[float], start: object, engine: str
    ) -> SimpleNamespace:
        asked.extend(values)
        good = {"success": True, "status": Status("ok"), "certified": True, "straight": True}
        return SimpleNamespace(**good, iterations=1, residual=0.0, pose=home)

    monkeypatch.setattr("gough.kinematics.forward.forward_kinematics", solved)
    found = json.loads(run("fk", str(file), "3 3 3 3 3 4", "--readings", "--json"))
    at = gough.inverse_kinematics(one, home, engine="python").length
    np.testing.assert_allclose(asked, at + np.array([0, 0, 0, 0, 0, 1e-3]), atol=1e-12)
    np.testing.assert_allclose(found["entered"][:3], home.position, atol=1e-15)
    told = json.loads(run("ik", str(file), _home("positioner-300"), "--json"))
    np.testing.assert_allclose([leg["reading"] for leg in told["legs"]], 3.0, atol=1e-9)


def test_every_command_warns_of_a_home_that_breaks_a_limit(tmp_path: Path) -> None:
    """All read machines by one function; planted: with its limits kept nothing is said."""
    one = gough.load("positioner-300")
    short = [leg.replace(limits=gough.Limits(stroke=(0.1, 0.2))) for leg in one.legs]
    file = tmp_path / "short.toml"
    gough.save(one.replace(legs=short), file)
    notes = console.load_with_notes(str(file))[1]
    assert any("the home pose breaks a limit: L1: length" in note for note in notes)
    assert console.load_with_notes("positioner-300")[1] == []
    shown = json.loads(run("show", str(file), "--json"))
    assert any("breaks a limit" in said for said in shown["warnings"])
