"""Distances in the 3D view: joints, origins, mass centers, typed and clicked points, against the library's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.model.json_document import from_document
from gough.spatial import Pose, rotation_from_quaternion
from gough.struts import struts

EXACT = 1e-9
MEASURED = """() => { const { ruler } = goughStudio.features.measure;
  return { distance: ruler.distance, parts: ruler.parts, told: ruler.told.textContent,
    notes: ruler.notes.textContent, chosen: ruler.ends.map((e) => e.chosen), clicked: ruler.ends.map((e) => e.clicked),
    lines: goughStudio.viewer.rule.children.length,
    labels: [...document.querySelectorAll('.labels span')].map((s) => s.textContent) }; }"""
# where a surface of this body is seen, nothing else in front of it; px from the corner of the window
SEEN = """([name, point]) => { const { viewer, stage } = goughStudio;
  const box = stage.getBoundingClientRect(), at = viewer.seen(point);
  for (let reach = 0; reach < 40; reach += 2)
    for (const [dx, dy] of [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]) {
      const [x, y] = [Math.round(at[0] + reach * dx), Math.round(at[1] + reach * dy)];
      const hit = viewer.surface(x - (box.left % 1), y - (box.top % 1));
      const free = document.elementFromPoint(box.left + x, box.top + y)?.tagName === 'CANVAS';
      if (free && hit && `${hit.body.leg ?? ''} ${hit.body.name}`.trim() === name)
        return [box.left + x, box.top + y];
    }
  return null; }"""


def open_view(page: Any) -> None:
    if page.js("goughStudio.drawerOpen") != "tools":
        page.page.keyboard.press("t")
    page.page.click(".subtab[data-panel=view]")
    # the view beside the drawer has its size, and was drawn with it
    page.until("""(() => { const { viewer, stage } = goughStudio;
      const { width } = viewer.renderer.getSize(viewer.camera.position.clone());
      return !viewer.scheduled && Math.abs(viewer.camera.aspect - stage.clientWidth / stage.clientHeight) < 1e-9
        && stage.clientWidth === viewer.renderer.domElement.clientWidth && width !== 0; })()""")


def choose(page: Any, start: str, end: str) -> dict[str, Any]:
    page.page.select_option("[aria-label='Measure from']", start)
    page.page.select_option("[aria-label='Measure to']", end)
    return page.js(MEASURED)


def machine(page: Any) -> gough.Platform:
    return from_document(page.js("goughStudio.machine.document"))[0]


def shown_pose(page: Any) -> Pose:
    """What Python answered for what is on screen."""
    state = page.js("({ p: goughStudio.state.position, q: goughStudio.state.quaternion })")
    return Pose(np.array(state["p"]), rotation_from_quaternion(np.array(state["q"])))


def points(platform: gough.Platform, pose: Pose) -> dict[str, Array]:
    """Every named point of a machine of UPS legs, by the library."""
    g = struts(platform, pose)
    found = {"world origin": np.zeros(3), "reference point": pose.position}
    found["work origin"] = platform.frames.work.position
    found["tool origin"] = pose @ platform.frames.tool.position
    found["platform mass center, without payload"] = pose @ platform.body.center
    for i, leg in enumerate(platform.legs):
        assert isinstance(leg, gough.UPS)
        found[f"L{i + 1} base"], found[f"L{i + 1} platform"] = g.start[i], g.end[i]
        s = g.direction[i]
        y = np.cross(leg.axis, s)
        y /= np.linalg.norm(y)
        T = np.stack([s, y, np.cross(s, y)], axis=1)
        found[f"L{i + 1} lower mass center"] = g.start[i] + T @ leg.lower.center
        found[f"L{i + 1} upper mass center"] = g.end[i] + T @ leg.upper.center
    return found


def agree(measured: dict[str, Any], a: Array, b: Array) -> None:
    """The numbers, and the words made of them."""
    assert np.allclose(measured["parts"], b - a, rtol=0, atol=EXACT)
    assert measured["distance"] == pytest.approx(float(np.linalg.norm(b - a)), abs=EXACT)
    text = f"{1000 * np.linalg.norm(b - a):.3f} mm"
    assert measured["told"].startswith(text)
    for name, x in zip(("dx", "dy", "dz"), b - a, strict=True):
        assert f"{name} {1000 * x:.3f}".replace("-", "−").replace("−0.000", "0.000") in measured[
            "told"
        ].replace("−0.000", "0.000")
    assert text in measured["labels"]
    assert measured["lines"] == 6, "the line, its parts along three axes, two tips"


def move(page: Any, rng: np.random.Generator) -> None:
    for i in range(6):
        size = 40.0 if i < 3 else 5.0
        page.js(
            "([i, x]) => goughStudio.panel.change(i, 1000 * (goughStudio.panel.range.middle[i] ?? 0) * (i < 3) + x)",
            [i, float(rng.uniform(-size, size))],
        )
    page.at_rest()


def test_named_points_are_those_of_python_at_random_poses(page: Any) -> None:
    page.js("""() => { const d = goughStudio.machine.document, { frames } = d;
      const tool = { ...frames.tool, position: [0.05, -0.02, 0.3] };
      const work = { ...frames.work, position: [0.4, 0.1, -0.2] };
      return goughStudio.edit({ ...d, frames: { ...frames, tool, work } }); }""")
    page.at_rest()
    open_view(page)
    rng = np.random.default_rng(3)
    platform = machine(page)
    assert np.allclose(platform.frames.tool.position, [0.05, -0.02, 0.3])
    names = list(points(platform, platform.likely_home))
    listed = page.js(
        "[...document.querySelectorAll('[aria-label=\"Measure to\"] optgroup option')].map((o) => o.value)"
    )
    assert set(names) == set(listed)
    seen = []
    for _ in range(6):
        move(page, rng)
        where = points(platform, shown_pose(page))
        for _ in range(4):
            a, b = rng.choice(names, 2, replace=False)
            agree(choose(page, str(a), str(b)), where[a], where[b])
        fixed = choose(page, "L2 base", "L5 platform")
        agree(fixed, where["L2 base"], where["L5 platform"])
        seen.append(fixed["distance"])
    assert np.ptp(seen) > 1e-3, "it follows the platform"


def test_it_follows_the_timeline_and_is_never_left_at_an_old_pose(page: Any) -> None:
    open_view(page)
    choose(page, "L1 base", "L4 platform")
    platform = machine(page)
    data = page.js(
        "({ p: goughStudio.timeline.data.position, q: goughStudio.timeline.data.quaternion })"
    )
    for time in (0.0, 2.31, 7.7):
        page.js("t => goughStudio.timeline.seek(t)", time)
        page.at_rest()
        k = page.js("goughStudio.screen.index")
        pose = Pose(
            np.array(data["p"][3 * k : 3 * k + 3]),
            rotation_from_quaternion(np.array(data["q"][4 * k : 4 * k + 4])),
        )
        where = points(platform, pose)
        agree(page.js(MEASURED), where["L1 base"], where["L4 platform"])
    choose(page, "world origin", "reference point")
    frames = page.js("""async () => { const g = goughStudio, rows = [];
      g.timeline.play();
      for (let n = 0; n < 12; n += 1) {
        await new Promise((go) => requestAnimationFrame(() => go()));
        rows.push([g.features.measure.distance, g.viewer.machine.platform.position.length(), g.screen.moving,
          g.features.measure.ruler.notes.textContent.includes('between samples')]);
      }
      g.timeline.pause();
      return rows; }""")
    assert len({row[1] for row in frames}) > 3, "it moved"
    for distance, drawn, moving, said in frames:
        assert distance == pytest.approx(drawn, abs=1e-12)
        assert moving == said
    page.at_rest()
    assert "between samples" not in page.js(MEASURED)["notes"]
    # another theme builds the view anew: at the pose on screen, not at home
    page.js("goughStudio.setTheme('light')")
    now = page.js(MEASURED)
    assert now["distance"] == pytest.approx(
        page.js("goughStudio.viewer.machine.platform.position.length()"), abs=1e-12
    )
    page.js("goughStudio.setTheme('dark')")


def test_a_clicked_ball_is_as_far_from_its_joint_as_it_is_drawn(page: Any) -> None:
    """The triangles of a sphere of 24 by 16 parts lie between its radius and that of the sphere inside them."""
    open_view(page)
    platform, pose = machine(page), shown_pose(page)
    where = points(platform, pose)
    joint = "L5 platform"
    spot = page.js(SEEN, ["4 upper", where[joint].tolist()])
    assert spot is not None
    page.page.mouse.click(*spot)
    assert page.js(MEASURED)["chosen"][0] == joint, "a click at a joint means the joint"
    page.page.get_by_role("button", name="clear", exact=True).click()
    page.page.keyboard.down("Shift")
    page.page.mouse.click(*spot)
    page.page.keyboard.up("Shift")
    page.page.select_option("[aria-label='Measure to']", joint)
    now = page.js(MEASURED)
    assert now["chosen"] == ["clicked", joint]
    radius = page.js(
        "goughStudio.viewer.machine.getObjectByName('L5 platform ball')?.geometry.parameters.radius"
    )
    inside = radius * np.cos(np.pi / 24) * np.cos(np.pi / 32)
    assert inside - 1e-6 <= now["distance"] <= radius + 1e-6
    assert "only as exact as the drawing" in now["notes"]
    option = page.js("document.querySelector('[aria-label=\"Measure from\"] :checked').textContent")
    assert option == "point on the drawn upper part of L5"
    page.picture("distance-clicked-1280-dark")


def test_clicked_points_stick_to_their_bodies(page: Any) -> None:
    """Two on the platform keep their distance; one on the base and one on the platform part as Python says."""
    open_view(page)
    page.page.keyboard.press("4")
    page.until("!goughStudio.viewer.scheduled")
    platform, pose = machine(page), shown_pose(page)
    top = [pose @ np.array([0.1, 0.05, 0.0]), pose @ np.array([-0.12, -0.1, 0.0])]
    spots = [page.js(SEEN, ["platform", p.tolist()]) for p in top]
    page.page.keyboard.down("Shift")
    for spot in spots:
        page.page.mouse.click(*spot)
    page.page.keyboard.up("Shift")
    rng = np.random.default_rng(5)
    before = page.js(MEASURED)
    assert before["chosen"] == ["clicked", "clicked"]
    assert before["distance"] > 0.05
    turned = []
    for _ in range(4):
        move(page, rng)
        now = page.js(MEASURED)
        assert now["distance"] == pytest.approx(before["distance"], abs=EXACT)
        turned.append(now["parts"])
    assert np.ptp(turned, axis=0).max() > 1e-3, "it turned with the platform"
    low = 0.6 * platform.base_joints[0] + 0.4 * platform.base_joints[1]
    spot = page.js(SEEN, ["base", low.tolist()])
    page.page.keyboard.down("Shift")
    page.page.mouse.click(*spot)
    page.page.keyboard.up("Shift")
    seen = []
    for _ in range(4):
        move(page, rng)
        now = page.js(MEASURED)
        (base, carried), pose = now["clicked"], shown_pose(page)
        assert (base["body"]["name"], carried["body"]["name"]) == ("base", "platform")
        agree(now, np.array(base["local"]), pose @ np.array(carried["local"]))
        seen.append(now["distance"])
    assert np.ptp(seen) > 1e-3
    page.js(
        "() => { const d = goughStudio.machine.document;"
        " return goughStudio.edit({ ...d, body: { ...d.body, mass: d.body.mass + 1 } }); }"
    )
    page.at_rest()
    assert page.js(MEASURED)["chosen"] == ["", ""], (
        "another drawing: its points are no longer those"
    )


def test_turning_the_view_chooses_nothing(page: Any) -> None:
    open_view(page)
    box = page.page.locator(".stage").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.js("goughStudio.viewer.camera.position.toArray()")
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 60, y + 10, steps=4)
    page.page.mouse.up()
    page.until("!goughStudio.viewer.scheduled")
    assert page.js("goughStudio.viewer.camera.position.toArray()") != before
    assert page.js(MEASURED)["chosen"] == ["", ""]


def test_by_keyboard_alone_and_typed_in_platform_axes(page: Any) -> None:
    rng = np.random.default_rng(9)
    move(page, rng)
    open_view(page)
    keyboard = page.page.keyboard
    page.page.focus("[aria-label='Measure from']")
    keyboard.type("typed")
    page.until("goughStudio.features.measure.ruler.ends[0].chosen === 'typed'")
    for number in ("120.5", "-30", "44"):
        keyboard.press("Tab")
        keyboard.press("Control+a")
        keyboard.type(number)
    keyboard.press("Tab")
    keyboard.type("mm, platform")
    keyboard.press("Tab")
    keyboard.type("L3 base")
    page.until("goughStudio.features.measure.ruler.ends[1].chosen === 'L3 base'")
    platform, pose = machine(page), shown_pose(page)
    typed = np.array([0.1205, -0.03, 0.044])
    base = struts(platform, pose).start[2]
    agree(page.js(MEASURED), pose @ typed, base)
    page.page.select_option("[aria-label='Measure from, axes of these numbers']", "world")
    agree(page.js(MEASURED), typed, base)
    page.page.get_by_role("button", name="swap", exact=True).click()
    agree(page.js(MEASURED), base, typed)
    page.page.get_by_label("Measure to, x in millimeters").fill("")
    now = page.js(MEASURED)
    assert (now["distance"], now["lines"]) == (None, 0)
    assert "type three numbers" in now["told"]


def test_what_is_not_known_is_not_measured(page: Any) -> None:
    """A slider that cannot reach has no place; the distance says so instead of a number."""
    page.js("goughStudio.open('preset', 'hexaglide')")
    page.until("goughStudio.machine.label === 'hexaglide'", 240)
    page.at_rest()
    open_view(page)
    leg: Any = machine(page).legs[0]
    rod = choose(page, "L1 base", "L1 platform")["distance"]
    assert rod == pytest.approx(leg.length, abs=1e-9)
    page.js("goughStudio.panel.change(2, 9000)")
    page.at_rest()
    assert page.js("goughStudio.state.coordinate[0]") is None
    now = page.js(MEASURED)
    assert (now["distance"], now["lines"], now["labels"]) == (None, 0, [])
    assert "L1 does not reach this pose" in now["told"]
    page.js("goughStudio.goHome()")
    page.at_rest()
    assert page.js(MEASURED)["distance"] is not None
