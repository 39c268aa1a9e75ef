"""The bridge of examples/ros2_bridge.py, as far as it goes without ROS."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.export.urdf import urdf

FILE = Path(__file__).parents[2] / "examples" / "ros2_bridge.py"


@pytest.fixture(scope="module")
def bridge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ros2_bridge", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_targets_go_out_and_joint_readings_come_back(bridge: ModuleType) -> None:
    """Names are joints of the ros2_control element; readings are coordinates less those of the file's pose."""
    machine = gough.load("motion-base-1500")
    with bridge.simulated(machine, 0) as server:
        own, home = bridge.Bridge(machine, server.host, server.port), machine.require_home()
        assert own.newest() is None
        own.send(1.5, home.position + np.array([0.0, 0.0, 0.002]), [1.0, 0.0, 0.0, 0.0])
        state = None
        while state is None:
            server.tick()
            state = own.newest()
        told = own.joints(state)
        seen = server.simulator.observe()
        own.close()
    assert server.receiver.sender_time == 1.5
    assert state.phase == "following"
    root = ElementTree.fromstring(urdf(machine, ros2_control=True))
    assert told["name"] == [joint.get("name") for joint in root.findall("ros2_control/joint")]
    zero = gough.inverse_kinematics(machine, machine.require_home()).length
    np.testing.assert_allclose(told["position"], seen.length - zero, atol=1e-15)
    np.testing.assert_allclose(told["velocity"], seen.rate, atol=0.0)


def test_without_ros_it_says_so(bridge: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rclpy", None)
    with pytest.raises(SystemExit, match="rclpy is not here"):
        bridge.main(["--ros"])
