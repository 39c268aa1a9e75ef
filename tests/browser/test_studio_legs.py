"""Legs as the page draws them: where their parts are, which joints they have, how far they are twisted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.drawing import drawing
from gough.checks import Array
from gough.model.json_document import to_document
from gough.spatial import rotation_from_rpy
from gough.struts import struts
from gough.twist import twist

ANGLES = (0.1, -0.08, 0.35)
LEGS = """
  const out = (v) => v.toArray();
  return goughStudio.viewer.machine.legs.map((leg) => ({
    low: out(leg.axis.low), high: out(leg.axis.high), s: out(leg.axis.s),
    marks: (leg.marks ?? []).map((m) => out(m.position)),
    crosses: [leg.foot, leg.ball].map((j) => j.type === "Group"),
    cylinder: Boolean(leg.cylinder), thread: Boolean(leg.thread), crank: Boolean(leg.crank),
    centers: Object.fromEntries(["lower", "upper"].filter((n) => n in leg.data)
      .map((n) => [n, out(leg.center(n, leg.data[n]))])),
  }));
}"""
DRAWN = f"""async (angles) => {{
  const g = goughStudio;
  const turned = () => g.state.angles.every((a, i) => Math.abs(a - angles[i]) < 1e-9);
  for (let tries = 0; !turned(); tries += 1) {{
    // an answer that was under way may put the panel back: ask again
    if (tries > 120) throw new Error(`still at ${{g.state.angles}}`);
    g.panel.pose.convention = "rpy"; g.panel.pose.angles = angles; g.ask();
    for (let waits = 0; !turned() && waits < 100; waits += 1) await new Promise((r) => setTimeout(r, 20));
  }}
{LEGS}"""
ALONE = f"""({{ document, drawing, position, quaternion, coordinate }}) => {{
  goughStudio.viewer.setMachine(document, drawing, true);
  goughStudio.table.setMachine({{ document, drawing }});
  goughStudio.viewer.machine.place(position, quaternion, coordinate);
{LEGS}"""


def placed(page: Any, platform: gough.Platform, pose: gough.Pose) -> list[dict[str, Any]]:
    """The legs as the page draws them without asking its server, which would compile this machine's kernels."""
    where = {"position": pose.position.tolist(), "quaternion": pose.quaternion.tolist()}
    where["coordinate"] = struts(platform, pose).coordinate.tolist()
    return page.js(
        ALONE, {"document": to_document(platform), "drawing": drawing(platform), **where}
    )


def mixed() -> gough.Platform:
    """A motion base with a free rod (UCS), a fixed link and a crank with balls (RSS) among its legs."""
    machine = gough.load("motion-base-ucu")
    home, legs = machine.require_home(), list(machine.legs)
    ends = [home.position + home.rotation @ leg.joint for leg in legs]
    one: Any = legs[0]
    shared = {"base": one.base, "joint": one.joint, "lower": one.lower, "upper": one.upper}
    legs[0] = gough.UCS(**shared, axis=one.axis, reference=one.axis)
    held: Any = legs[1]
    length = float(np.linalg.norm(ends[1] - held.base))
    loss = held.friction.replace(prismatic=0.0)
    legs[1] = held.replace(fixed=length, limits=gough.Limits(), friction=loss)
    base, arm = legs[2].base, np.array([0.0, 0.0, 0.2])
    rod = float(np.linalg.norm(ends[2] - base - arm))
    shaft = np.cross(arm, ends[2] - base)
    legs[2] = gough.RSS(base, shaft / np.linalg.norm(shaft), arm, legs[2].joint, rod)
    return machine.replace(legs=legs, name="mixed")


def drawn(page: Any, name: str) -> tuple[gough.Platform, gough.Pose, list[dict[str, Any]]]:
    """The machine, a turned pose, and its legs as the page has drawn them there."""
    page.js("name => goughStudio.open('preset', name)", name)
    page.until(f"goughStudio.machine.label === {name!r}")
    page.settle()
    platform = gough.load(name)
    pose = gough.Pose(platform.require_home().position, rotation_from_rpy(ANGLES))
    return platform, pose, page.js(DRAWN, list(ANGLES))


def across(leg: dict[str, Any], point: list[float]) -> Array:
    """Unit vector from the leg's axis to a point."""
    s, r = np.array(leg["s"]), np.array(point) - np.array(leg["low"])
    out = r - (r @ s) * s
    return out / np.linalg.norm(out)


@pytest.mark.parametrize(("name", "screw"), [("motion-base-ucu", False), ("screw-hexapod", True)])
def test_marks_show_the_twist(page: Any, name: str, screw: bool) -> None:
    """The angle between the marks on the two parts is the twist; bodies lie in the axes of their own part."""
    platform, pose, legs = drawn(page, name)
    seen = []
    for leg, shown in zip(platform.legs, legs, strict=True):
        assert isinstance(leg, gough.UCU)
        assert shown["crosses"] == [True, True]
        assert (shown["cylinder"], shown["thread"], shown["crank"]) == (True, screw, False)
        end = pose.position + pose.rotation @ leg.joint
        np.testing.assert_allclose(shown["low"], leg.base, atol=1e-9)
        np.testing.assert_allclose(shown["high"], end, atol=1e-9)
        a, b = (across(shown, mark) for mark in shown["marks"])
        s = np.array(shown["s"])
        phi = np.arctan2(s @ np.cross(a, b), a @ b)
        wanted = float(twist(leg.axis, pose.rotation @ leg.platform_axis, s))
        assert abs(phi - wanted) < 1e-6
        seen.append(abs(wanted))
        y = np.cross(pose.rotation @ leg.platform_axis, s)
        y /= np.linalg.norm(y)
        T = np.stack([s, y, np.cross(s, y)], axis=1)
        center = end + T @ leg.upper.center
        np.testing.assert_allclose(shown["centers"]["upper"], center, atol=1e-9)
    assert max(seen) > 0.1  # marks that do not turn would not pass


def test_other_legs_have_what_they_have(page: Any) -> None:
    """UPS: cross below, ball above; RUS: crank, cross at its tip; no marks where nothing twists."""
    platform, _, legs = drawn(page, "servo-hexapod")
    for leg, shown in zip(platform.legs, legs, strict=True):
        assert isinstance(leg, gough.RUS)
        assert shown["crosses"] == [True, False]
        assert (shown["cylinder"], shown["crank"], shown["marks"]) == (False, True, [])
        span = np.array(shown["high"]) - np.array(shown["low"])
        assert abs(np.linalg.norm(span) - leg.length) < 1e-9
    _, _, legs = drawn(page, "motion-base-1500")
    assert all(leg["crosses"] == [True, False] and leg["cylinder"] for leg in legs)
    assert all(leg["marks"] == [] for leg in legs)


def test_free_rods_fixed_links_and_cranks(page: Any) -> None:
    """No mark where the spin is not known; no actuator in a link that is held; a ball at the crank's tip."""
    machine = mixed()
    home = placed(page, machine, machine.require_home())
    free, held, crank = home[:3]
    assert (free["cylinder"], free["marks"], free["crosses"]) == (True, [], [True, False])
    assert (held["cylinder"], held["marks"], held["crosses"]) == (False, [], [True, True])
    assert (crank["crank"], crank["cylinder"], crank["crosses"]) == (True, False, [False, False])
    titles = page.js("[...document.querySelectorAll('.legs tbody tr')].map(r => r.title)")
    assert "fixed link" in titles[1]


def test_offset_joints_end_the_axis_of_the_leg(page: Any) -> None:
    """The page closes offset joints by itself: the ends of the strut are those of the library."""
    machine = gough.load("motion-base-ucu")
    legs = [
        leg.replace(
            base_offset=gough.JointOffset(0.05, 0.02, -0.03),
            platform_offset=gough.JointOffset(-0.04, -0.01, 0.02),
        )
        for leg in machine.legs
    ]
    machine = machine.replace(legs=legs)
    pose = gough.Pose(machine.require_home().position, rotation_from_rpy(ANGLES))
    where = struts(machine, pose)
    for i, shown in enumerate(placed(page, machine, pose)):
        np.testing.assert_allclose(shown["low"], where.start[i], atol=1e-8)
        np.testing.assert_allclose(shown["high"], where.end[i], atol=1e-8)
        assert np.linalg.norm(where.start[i] - machine.legs[i].base) > 0.04


def test_the_page_fits_a_phone(open_page: Any) -> None:
    """390 pixels wide: nothing beside the screen, the machine above its numbers."""
    page = open_page(390, 800).ready()
    assert page.js("document.documentElement.scrollWidth") == 390
    stage, side = (page.page.locator(name).first.bounding_box() for name in (".stage", ".side"))
    for box in (stage, side):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 391
    assert stage["height"] > 200
    assert stage["y"] + stage["height"] <= side["y"] + 1
    page.picture("studio-390x800")
    assert page.errors == []
