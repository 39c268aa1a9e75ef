"""The `<ros2_control>` element: the actuators' joints, their interfaces, the machine's own limits."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.export
from gough.cli.app import app
from gough.export.ros2_control import INTERFACES, PLUGIN
from gough.export.urdf import urdf, urdf_companion
from oracles.links import linked
from oracles.machines import case

assert gough.cli.export


def system(platform: gough.Platform) -> ElementTree.Element:
    found = ElementTree.fromstring(urdf(platform, ros2_control=True)).findall("ros2_control")
    assert len(found) == 1
    return found[0]


def ends(joint: ElementTree.Element, word: str) -> list[float]:
    params = joint.findall(f"command_interface[@name='{word}']/param")
    assert [p.get("name") for p in params] in ([], ["min", "max"])
    return [float(p.text or "") for p in params]


@pytest.mark.parametrize("name", ["motion-base-1500", "servo-hexapod", "hexaglide"])
def test_interfaces_and_limits_are_the_machines(name: str) -> None:
    platform = gough.load(name)
    element = system(platform)
    assert element.get("type") == "system"
    assert element.findtext("hardware/plugin") == PLUGIN
    joints = {joint.get("name"): joint for joint in element.findall("joint")}
    told = urdf_companion(platform)["actuators"]
    assert list(joints) == [actuator["joint"] for actuator in told]
    for actuator, leg in zip(told, platform.legs, strict=True):
        joint, limits = joints[actuator["joint"]], leg.limits
        for tag in ("command_interface", "state_interface"):
            assert [i.get("name") for i in joint.findall(tag)] == list(INTERFACES)
        stroke = [] if limits.stroke is None else limits.stroke - actuator["coordinate"]
        assert np.array_equal(ends(joint, "position"), stroke)
        for word, most in (("velocity", limits.speed), ("effort", limits.force)):
            assert ends(joint, word) == ([] if most is None else [-most, most])


def test_the_rest_of_the_file_is_the_same() -> None:
    platform = gough.load("motion-base-1500")
    plain, more = (
        ElementTree.fromstring(urdf(platform, ros2_control=ros)) for ros in (False, True)
    )
    assert plain.find("ros2_control") is None
    more.remove(more.findall("ros2_control")[0])
    both = (
        ElementTree.canonicalize(ElementTree.tostring(x), strip_text=True) for x in (plain, more)
    )
    assert len(set(both)) == 1


def test_fixed_links_are_no_actuators_and_screws_are_refused() -> None:
    held = linked("UPS", seed=3, count=2, states=1)
    assert held is not None
    assert len(system(held.platform).findall("joint")) == 4
    with pytest.raises(gough.InputError, match="length and twist"):
        urdf(case("UCU-screw", seed=3, states=1).platform, ros2_control=True)


def test_the_command_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "m.urdf"
    given = ["export", "urdf", "motion-base-1500", "--out", str(file), "--ros2-control"]
    assert CliRunner().invoke(app, given).exit_code == 0
    assert ElementTree.parse(file).getroot().find("ros2_control") is not None
