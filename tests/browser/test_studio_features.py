"""Volume, ranges, modes, comparison, measures and files in the page: their numbers against the library's."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

import gough
from gough.analysis.connected import reachable_volume
from gough.analysis.singularity import singularity
from gough.export.machine_meshes import machine_bytes
from gough.limits import check
from gough.model.json_document import from_document
from gough.spatial import Pose, rotation_from_quaternion
from gough.struts import struts


def on_screen(page: Any) -> tuple[gough.Platform, Pose]:
    """Machine and pose of the page, by the library."""
    platform, _ = from_document(page.js("goughStudio.machine.document"))
    pose = page.js("goughStudio.screen.pose")
    frames = platform.frames if pose["framed"] else gough.Frames()
    frames = frames.replace(pivot=pose["pivot"], convention=pose["convention"])
    return platform, frames.pose(pose["position"], pose["angles"])


def moved(page: Any) -> None:
    page.js("() => { goughStudio.panel.change(0, 40); goughStudio.panel.change(5, 6); }")
    page.at_rest()


def tool(page: Any, name: str) -> None:
    """Open one panel of the tools by its tab."""
    if page.js("goughStudio.drawerOpen") != "tools":
        page.page.keyboard.press("t")
    page.page.click(f".subtab[data-panel={name}]")


def test_the_volume_follows_the_platform_and_says_what_is_proved(page: Any) -> None:
    page.page.keyboard.press("v")
    page.until("goughStudio.features.volume.answer", 120)
    moved(page)
    page.until("goughStudio.features.volume.answer.depth > 4", 120)
    page.at_rest()
    shown = page.js("goughStudio.features.volume.answer")
    platform, pose = on_screen(page)
    part = reachable_volume(platform, pose, depth=shown["depth"])
    assert np.allclose(shown["volume"], [part.value, part.low, part.high], rtol=1e-12)
    drawn = page.js("goughStudio.viewer.volume.children[0].geometry.index.count / 6")
    assert drawn == len(shown["faces"])
    words = page.js("document.querySelector('.volume-legend').textContent")
    assert "sampled" in words
    assert "proved: at least" in words
    page.js("() => { goughStudio.panel.change(0, 41); }")
    assert page.js("goughStudio.features.volume.derived[0].stale")
    assert page.js("document.querySelector('.volume-legend').classList.contains('stale')")
    page.at_rest()
    assert not page.js("document.querySelector('.volume-legend').classList.contains('stale')")
    page.picture("volume-1280-dark")
    page.page.keyboard.press("v")
    assert page.js("document.querySelector('.volume-legend')") is None


def test_bars_under_the_sliders_are_the_ranges_of_travel(page: Any) -> None:
    moved(page)
    bars = page.js(
        "[...document.querySelectorAll('.reach-bar')].map(b => [b.dataset.low, b.dataset.high].map(Number))"
    )
    platform, pose = on_screen(page)
    frames = gough.Frames(
        pivot=page.js("goughStudio.panel.pose.pivot"),
        convention=page.js("goughStudio.panel.pose.convention"),
    )
    found = gough.travel(platform, pose, frames=frames)
    wanted = np.stack([found.entered + found.low, found.entered + found.high], axis=1)
    assert np.allclose(bars, wanted, rtol=0, atol=1e-9)
    said = page.js("goughStudio.panel.sliders.map(s => s.getAttribute('aria-description'))")
    assert all("reachable from" in text for text in said)
    assert "proved" in page.js("document.querySelector('.reach-note').textContent")
    page.js(
        "() => { goughStudio.panel.change(2, 3000); }"
    )  # out of every limit: no ranges, said so
    page.at_rest()
    assert page.js("document.querySelectorAll('.reach-bar').length") == 0
    assert "No ranges" in page.js("document.querySelector('.reach-note').textContent")


def test_a_mode_of_the_gallery_is_entered_and_the_way_there_marked(page: Any) -> None:
    tool(page, "modes")
    page.until("goughStudio.features.gallery.found", 240)
    platform, pose = on_screen(page)
    here = float(singularity(platform, pose).determinant)
    poses = page.js("goughStudio.features.gallery.found.modes.poses")
    signs = []
    for row in poses:
        mode = Pose(np.array(row[:3]), rotation_from_quaternion(np.array(row[3:])))
        signs.append(float(singularity(platform, mode).determinant) * here)
    other = int(np.argmin(signs))
    assert signs[other] < 0.0
    assert page.js("document.querySelectorAll('.mode-cards svg').length") == len(poses)
    page.page.focus(f".mode-cards [data-mode='{other}']")
    page.page.keyboard.press("Enter")
    page.until("document.querySelector('.way-plot')", 60)
    page.at_rest()
    crossings = page.js("goughStudio.features.gallery.answer.crossings")
    assert len(crossings) % 2 == 1
    assert page.js("document.querySelectorAll('.way-cross').length") == len(crossings)
    assert "actuators" in page.js("document.querySelector('.verdict-line').textContent")
    page.picture("modes-1280-dark")
    page.js("() => { document.querySelector('.way .primary').click(); }")
    page.at_rest()
    _, entered = on_screen(page)
    assert np.allclose(entered.position, poses[other][:3], atol=1e-9)
    lengths = [struts(platform, at).coordinate for at in (pose, entered)]
    assert np.allclose(lengths[0], lengths[1], atol=1e-9)


def test_two_machines_side_by_side_differ_by_what_python_says(page: Any) -> None:
    tool(page, "compare")
    page.page.select_option(".tool-body select", "preset:octahedral-33")
    page.until("goughStudio.features.compare.rows", 60)
    moved(page)
    rows = {row["name"]: row for row in page.js("goughStudio.features.compare.rows")}
    platform, pose = on_screen(page)
    other = gough.load("octahedral-33")
    shift = other.likely_home.position - platform.likely_home.position
    both = (platform, pose), (other, Pose(pose.position + shift, pose.rotation))
    a, b = (gough.inverse_dynamics(p, gough.Motion.at_rest(at)).force for p, at in both)
    c, d = (struts(p, at).coordinate for p, at in both)
    e, f = (
        check(p, gough.Motion.at_rest(at), force=x).leg_margin
        for (p, at), x in zip(both, (a, b), strict=True)
    )
    for i in range(6):
        for name, x, y in (("length", c, d), ("force", a, b), ("margin", e, f)):
            row = rows[f"L{i + 1} {name}"]
            assert np.allclose([row["a"], row["b"]], [x[i], y[i]], rtol=1e-8, atol=1e-8), name
            assert np.isclose(row["difference"], y[i] - x[i], rtol=1e-6, atol=1e-8)
            assert np.isclose(row["share"], (y[i] - x[i]) / abs(x[i]), rtol=1e-6, atol=1e-8)
    tags = page.js("[...document.querySelectorAll('.tag')].map(t => t.textContent)")
    assert sorted(tags) == ["A  motion-base-1500", "B  octahedral-33"]
    cameras = page.js(
        "[goughStudio.viewer, goughStudio.features.compare.second.viewer].map(v => v.camera.position.toArray())"
    )
    assert cameras[0] == cameras[1]
    page.picture("compare-1280-dark")
    page.page.select_option(".tool-body select", "")
    assert page.js("document.querySelector('.stage-b')") is None


def test_a_kept_run_is_compared_at_the_same_time(page: Any) -> None:
    tool(page, "compare")
    page.js("() => { goughStudio.features.compare.keepRun(); }")
    before = page.js("goughStudio.screen.run.data.force.exact")
    page.js(
        "() => { goughStudio.panel.payload = { ...goughStudio.panel.payload, mass: 200 };"
        " goughStudio.panel.emit('change'); }"
    )
    page.at_rest()
    page.js("() => goughStudio.timeline.seek(3.3)")
    page.at_rest()
    k = page.js("goughStudio.screen.index")
    after = page.js("goughStudio.screen.run.data.force.exact")
    rows = {row["name"]: row for row in page.js("goughStudio.features.compare.rows")}
    for i in range(6):
        row = rows[f"L{i + 1} force"]
        assert [row["a"], row["b"]] == [after[6 * k + i], before[6 * k + i]]
        assert abs(row["difference"]) > 1.0
    page.page.select_option(".tool-body select", "")


def test_distances_between_joints_and_the_written_file(page: Any) -> None:
    moved(page)
    tool(page, "view")
    page.page.select_option("[aria-label='Measure from']", "L1 base")
    page.page.select_option("[aria-label='Measure to']", "L4 platform")
    platform, pose = on_screen(page)
    g = struts(platform, pose)
    wanted = float(np.linalg.norm(g.end[3] - g.start[0]))
    assert abs(page.js("goughStudio.features.measure.distance") - wanted) < 1e-9
    page.page.keyboard.press("Escape")
    page.js("() => { document.activeElement?.blur(); }")
    page.page.keyboard.press("n")
    page.page.keyboard.press("d")
    labels = page.js("[...document.querySelectorAll('.labels span')].map(s => s.textContent)")
    assert labels.pop() == f"{1000 * wanted:.3f} mm"
    assert len(labels) == 6
    for i, text in enumerate(labels):
        assert text == f"L{i + 1}  {1000 * g.coordinate[i]:.1f} mm"
    words = page.js("document.querySelector('.dimension-legend').textContent")
    middle = platform.base_joints.mean(axis=0)
    radius = np.linalg.norm(platform.base_joints - middle, axis=1).max()
    height = (g.end.mean(axis=0) - middle) @ platform.up
    assert f"base joints {1000 * radius:.1f} mm" in words
    assert f"height {1000 * height:.1f} mm" in words
    page.page.keyboard.press("3")
    page.picture("dimensions-1280-dark")
    page.page.keyboard.press("n")
    page.page.keyboard.press("d")
    page.page.keyboard.press("f")
    tool(page, "files")
    for form in ("glb", "stl"):
        with page.page.expect_download() as caught:
            page.page.click(f"[data-form={form}]")
        data = open(caught.value.path(), "rb").read()  # noqa: SIM115
        assert data == machine_bytes(platform, pose, form)
    assert struct.unpack_from("<I", data, 80)[0] > 0


def test_the_first_minute_points_at_controls_and_is_offered_once(page: Any) -> None:
    page.page.keyboard.press("?")
    page.page.click("text=the first minute, in five steps")
    for n in range(5):
        card = page.js("document.querySelector('.tour').getAttribute('aria-label')")
        assert f"step {n + 1} of 5" in card
        assert page.js("document.querySelectorAll('.toured').length") == 1
        assert page.js("document.activeElement.closest('.tour') !== null")
        page.page.keyboard.press("Enter")
    assert page.js("document.querySelector('.tour, .toured, .tour-offer')") is None
    assert page.js("localStorage.getItem('gough-toured')") == "yes"
    page.js("() => { goughStudio.features.tour.start(); }")
    page.page.keyboard.press("Escape")
    assert page.js("document.querySelector('.tour')") is None
