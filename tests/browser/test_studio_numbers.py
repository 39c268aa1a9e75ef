"""In which numbers the page says where the platform is: what is entered, shown and kept is one pose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.orientations import to_rotation
from gough.spatial import Pose

EXACT = 1e-9
FRAMES = gough.Frames(
    work=Pose.from_rpy([0.3, -0.2, 0.9], [0.1, -0.2, 0.7]),
    tool=Pose.from_rpy([0.05, 0.02, 0.25], [-0.3, 0.2, 0.4]),
)


def shown(page: Any) -> Pose:
    """The platform as drawn."""
    x = page.js("goughStudio.viewer.machine.platform.position.toArray()")
    q = np.roll(page.js("goughStudio.viewer.machine.platform.quaternion.toArray()"), 1)
    return Pose.from_quaternion(x, q)


def numbers(page: Any) -> tuple[Pose, gough.Frames]:
    """The platform's pose that the panel's numbers mean, by the library, and the frames they are in."""
    pose = page.js("goughStudio.panel.pose")
    frames = FRAMES if pose["framed"] else gough.Frames()
    frames = frames.replace(pivot=pose["pivot"], convention=pose["convention"])
    return frames.pose(pose["position"], pose["angles"]), frames


def same(a: Pose, b: Pose, within: float = 1e-12) -> bool:
    return (
        np.abs(a.position - b.position).max() < within
        and np.abs(a.rotation - b.rotation).max() < within
    )


def test_conventions_can_be_switched(page: Any) -> None:
    page.js("() => [[3, 5], [4, -3], [5, 10]].forEach(([i, x]) => goughStudio.panel.change(i, x))")
    page.settle()
    before, quaternion = page.force(), page.js("goughStudio.state.quaternion")
    for name in ("ZXZ", "vector", "XYZ", "YZX extrinsic", "rpy"):
        page.page.get_by_label("Rotation convention").select_option(name)
        page.until(f"goughStudio.panel.pose.convention === '{name}'")
        page.settle()
        R = to_rotation(name, page.js("goughStudio.panel.pose.angles"))
        assert Pose(np.zeros(3), R).quaternion == pytest.approx(quaternion, abs=1e-12)
        assert page.force() == pytest.approx(before, rel=EXACT)


def test_turning_about_a_pivot(page: Any) -> None:
    page.page.get_by_text("Pivot and payload").click()
    box = page.page.get_by_label("pivot z mm")
    box.fill("300")
    box.press("Enter")
    page.settle()
    straight = page.js("goughStudio.state.position")
    roll = page.page.locator(".pose-row input.number").nth(3)
    roll.fill("5")
    roll.press("Enter")
    page.settle()
    position = page.js("goughStudio.state.position")
    assert position[1] == pytest.approx(straight[1] + 0.3 * np.sin(np.deg2rad(5)), abs=1e-12)
    assert np.array(page.force()) == pytest.approx(page.python_force(), rel=EXACT)
    page.page.get_by_role("button", name="home").click()
    page.until("Math.abs(goughStudio.state.position[1]) < 1e-12")
    assert page.js("goughStudio.panel.pose.pivot") == [0, 0, 0.3]
    page.js("goughStudio.timeline.seek(2)")
    page.settle()
    entered = page.js("goughStudio.panel.pose.position")
    shown = page.js("goughStudio.viewer.machine.platform.position.toArray()")
    R = to_rotation("rpy", page.js("goughStudio.panel.pose.angles"))
    c = np.array([0, 0, 0.3])
    assert np.array(entered) + c - R @ c == pytest.approx(np.array(shown), abs=1e-4)
    box.fill("0")
    box.press("Enter")


def test_work_and_tool_frame_of_a_file(page: Any) -> None:
    """Panel, picture, waypoints, timeline and forces agree in the file's frames; nothing moves when they are left."""
    machine = gough.load("motion-base-1500").replace(frames=FRAMES)
    page.js("text => goughStudio.open('text', 'framed', text)", gough.dumps(machine))
    page.settle()
    box = page.page.get_by_label("tool seen from the work frame")
    assert box.is_checked()
    assert page.js("goughStudio.panel.pose.pivot") == pytest.approx(FRAMES.tool.position)
    assert same(numbers(page)[0], machine.require_home())
    low = page.js("goughStudio.panel.sliders.map(s => [+s.min, +s.value, +s.max])")
    assert all(a < b < c for a, b, c in low)
    page.js("() => [[0, 40], [3, 12], [5, 30]].forEach(([i, x]) => goughStudio.panel.nudge(i, x))")
    page.settle()
    before = shown(page)
    assert same(numbers(page)[0], before)
    assert np.array(page.force()) == pytest.approx(page.python_force(), rel=EXACT)
    page.js("goughStudio.builder.addPoint(goughStudio.panel.pose)")
    for change in ({"framed": False}, {"pivot": [0.1, 0.2, 0.3]}, {"convention": "ZYZ extrinsic"}):
        page.js("change => goughStudio.panel.renumber(change)", change)
        page.settle()
        assert same(numbers(page)[0], before), change
        assert same(shown(page), before), change
        row = page.js("goughStudio.builder.points[0]")
        assert same(numbers(page)[1].pose(row[:3], row[3:]), before), change
    page.js("goughStudio.panel.renumber({ framed: true })")
    page.settle()
    assert page.page.get_by_label("tool seen from the work frame").is_checked()
    page.js("goughStudio.makeMotion()")
    page.settle()
    page.js("goughStudio.timeline.seek(3.21)")
    page.settle()
    assert same(numbers(page)[0], shown(page))
    before = shown(page)
    page.js(
        "() => { const h = goughStudio.viewer.handle, q = h.quaternion;"
        " goughStudio.dragged(h.position.toArray(), [q.w, q.x, q.y, q.z]); }"
    )
    page.settle()
    assert same(shown(page), before)
    assert same(numbers(page)[0], before)
    page.picture("studio-frames")
