"""Legs in figures of a machine: joints, parts and twist are where the machine has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.report.leg_drawing import draw_leg
from gough.spatial import rotation_from_rpy
from gough.struts import struts
from gough.twist import twist
from oracles.offset_machines import offset_case


class Lines:
    """Stands for the axes of a figure: keeps what is drawn."""

    def __init__(self) -> None:
        self.drawn: list[tuple[Array, dict[str, Any]]] = []

    def plot(self, *xyz: Array, **style: Any) -> None:
        self.drawn.append((np.stack(xyz, axis=1), style))

    def of(self, zorder: int) -> list[Array]:
        return [points for points, style in self.drawn if style["zorder"] == zorder]


def drawn(name: str, i: int = 0) -> tuple[Any, gough.Pose, tuple[Array, Array], Lines]:
    platform = gough.load(name)
    pose = gough.Pose(platform.require_home().position, rotation_from_rpy([0.05, -0.04, 0.2]))
    where, lines = struts(platform, pose), Lines()
    ends = where.start[i], where.end[i]
    draw_leg(lines, platform.legs[i], pose, ends, float(where.coordinate[i]), "red")
    return platform.legs[i], pose, ends, lines


@pytest.mark.parametrize("name", ["motion-base-ucu", "screw-hexapod"])
def test_bars_show_the_twist(name: str) -> None:
    leg, pose, (low, high), lines = drawn(name)
    s = (high - low) / np.linalg.norm(high - low)
    sides = []
    for bar in lines.of(5):
        r = bar[0] - low
        sides.append(r - (r @ s) * s)
    a, b = sides
    phi = np.arctan2(s @ np.cross(a, b), a @ b)
    wanted = float(twist(leg.axis, pose.rotation @ leg.platform_axis, s))
    assert abs(wanted) > 0.05
    assert abs(phi - wanted) < 1e-12
    assert len(lines.of(4)) == 2  # two parts


@pytest.mark.parametrize(
    ("name", "joints", "parts"),
    [("motion-base-1500", 1, 2), ("elbadawy-6sps", 0, 2), ("servo-hexapod", 1, 1), ("hexaglide", 1, 1)],
)  # fmt: skip
def test_axes_are_those_of_the_joints(name: str, joints: int, parts: int) -> None:
    leg, _, (low, high), lines = drawn(name)
    pins, s = lines.of(6), (high - low) / np.linalg.norm(high - low)
    assert (len(pins), len(lines.of(4)), lines.of(5)) == (2 * joints, parts, [])
    assert len(lines.of(3)) == hasattr(leg, "shaft")
    assert len(lines.of(2)) == hasattr(leg, "rail")
    for first, second in zip(pins[::2], pins[1::2], strict=True):
        k, y = (pin[1] - pin[0] for pin in (first, second))
        assert abs(k @ y) < 1e-15
        assert abs(y @ s) < 1e-15
        np.testing.assert_allclose(first.mean(axis=0), low, atol=1e-12)
        if hasattr(leg, "shaft"):  # the axis has turned with its crank
            assert abs(leg.shaft @ k / np.linalg.norm(k) - leg.shaft @ leg.axis) < 1e-12


def test_offset_joints_are_drawn_where_they_are() -> None:
    """The first axis goes through the joint, the second beside it, the strut where the leg's axis ends."""
    c = offset_case("UCU-offset", seed=3, states=1)
    pose, where = c.motion[0].pose, struts(c.platform, c.motion[0].pose)
    seen = 0
    for i, leg in enumerate(c.platform.legs):
        assert isinstance(leg, gough.UCU)
        lines, ends = Lines(), (where.start[i], where.end[i])
        draw_leg(lines, leg, pose, ends, float(where.coordinate[i]), "red")
        pins = lines.of(6)
        centers = [pin.mean(axis=0) for pin in pins]
        joints = (leg.base, pose.position + pose.rotation @ leg.joint)
        for center, joint in zip(centers[::2], joints, strict=True):
            np.testing.assert_allclose(center, joint, atol=1e-12)
        for j, offset in enumerate((leg.base_offset, leg.platform_offset)):
            if offset is not None:
                between = np.linalg.norm(centers[2 * j + 1] - joints[j])
                assert abs(between - abs(offset.e)) < 1e-12
                seen += 1
    assert seen > 4
