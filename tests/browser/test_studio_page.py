"""The studio as a user meets it: what the page shows is what Python computes."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest_studio import SLOW

import gough
from gough.model.files import load, loads

EXACT = 1e-9


def set_mass(page: Any, mass: float) -> None:
    """Edit the platform's mass as the editor does."""
    page.js(
        "mass => { const d = goughStudio.machine.document;"
        " goughStudio.edit({ ...d, body: { ...d.body, mass } }); }",
        mass,
    )


def set_slider(page: Any, index: int, value: float) -> None:
    """Drag a slider with the mouse to about `value`."""
    slider = page.page.locator(".pose-row input[type=range]").nth(index)
    box = slider.bounding_box()
    low, high = (float(slider.get_attribute(name)) for name in ("min", "max"))
    now = float(slider.input_value())
    where = [box["x"] + 8 + (box["width"] - 16) * (x - low) / (high - low) for x in (now, value)]
    y = box["y"] + box["height"] / 2
    page.page.mouse.move(where[0], y)
    page.page.mouse.down()
    for k in range(1, 9):
        page.page.mouse.move(where[0] + (where[1] - where[0]) * k / 8, y)
    page.page.mouse.up()
    page.settle()


def test_dragging_a_slider_shows_the_force_of_python(page: Any) -> None:
    before = page.force()
    set_slider(page, 0, 60.0)
    set_slider(page, 3, 4.0)
    after = page.force()
    assert after != before
    assert page.js("goughStudio.panel.pose.position[0]") == pytest.approx(0.06, abs=0.01)
    assert np.array(after) == pytest.approx(page.python_force(), rel=EXACT)
    shown = page.page.locator("td[data-key=force]").first.inner_text()
    assert float(shown.replace("−", "-")) == pytest.approx(after[0], abs=0.6)


def test_a_number_box_is_exact(page: Any) -> None:
    box = page.page.locator(".pose-row input.number").nth(2)
    box.fill("1187.25")
    box.press("Enter")
    page.settle()
    assert page.js("goughStudio.panel.pose.position[2]") == 1.18725
    assert np.array(page.force()) == pytest.approx(page.python_force(), rel=EXACT)


def test_payload_and_outer_load(page: Any) -> None:
    page.settle()
    before = np.array(page.js("goughStudio.state.spherical_force"))[2::3].sum()
    page.js(
        "() => { goughStudio.panel.payload = { mass: 50, center: [0, 0, 0.1], inertia: [0, 0, 0] };"
        " goughStudio.panel.external = [0, 0, -100, 0, 0, 0]; goughStudio.ask(); }"
    )
    page.settle()
    after = np.array(page.js("goughStudio.state.spherical_force"))[2::3].sum()
    weight = 50 * -page.js("goughStudio.machine.document.gravity[2]")
    assert after - before == pytest.approx(weight + 100.0, rel=1e-9)


def test_bound_elsewhere_the_token_opens_the_page(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    from conftest_studio import StudioProcess

    process = StudioProcess(tmp_path, "--host", "0.0.0.0", "--token", "s3cret")
    try:
        shut = open_page(address=process.address)
        assert "token" in shut.page.locator("body").inner_text()
        page = open_page(address=process.address + "?token=s3cret")
        page.until("Boolean(window.goughStudio?.state)", 240)
        assert page.page.url == process.address, "the token does not stay in the address"
        page.page.reload(timeout=240_000)
        page.until("Boolean(window.goughStudio?.state)", 240)
        assert page.errors == []
    finally:
        process.stop()


def test_scrubbing_moves_everything_together(page: Any) -> None:
    slider = page.page.get_by_label("Time", exact=True)
    box = slider.bounding_box()
    page.page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2)
    page.until("goughStudio.mode === 'time'")
    page.settle()
    time_ = page.js("goughStudio.timeline.time")
    assert 3.5 < time_ < 4.5
    data = page.js("goughStudio.timeline.data")
    k = int(np.abs(np.array(data["t"]) - time_).argmin())
    assert page.force() == data["force"]["exact"][6 * k : 6 * k + 6]
    position = data["position"][3 * k : 3 * k + 3]
    from gough.studio.motions import demo

    motion = gough.trajectory.trajectory_from(demo(load("motion-base-1500")))(data["t"][k])
    assert position == pytest.approx(motion.position.tolist(), abs=1e-12)
    expected = gough.inverse_dynamics(load("motion-base-1500"), motion).force
    assert np.array(page.force()) == pytest.approx(expected, rel=EXACT)
    assert page.js("goughStudio.panel.pose.position") == pytest.approx(position, abs=5e-3)
    assert page.js("goughStudio.timeline.plots.map(p => p.time)") == [time_, time_]


TWO_FRAMES = """() => new Promise(done => {
    const timeline = goughStudio.timeline;
    timeline.seek(0);
    requestAnimationFrame(() => requestAnimationFrame(a => {
        const first = [a, timeline.time];
        requestAnimationFrame(b => done([first, [b, timeline.time]]));
    }));
})"""  # time of the clock (ms) and of the motion, in two frames one after the other


def test_playing_and_speed(page: Any) -> None:
    page.page.get_by_label("Speed", exact=True).select_option("4")
    page.page.get_by_label("Play", exact=True).click()
    (first, early), (last, late) = page.js(TWO_FRAMES)
    whole = page.js("goughStudio.timeline.data.t.at(-1)")  # it starts again at the end
    passed = (4e-3 * (last - first) - (late - early)) / whole
    assert passed == pytest.approx(round(passed), abs=1e-9)
    assert last > first
    page.page.get_by_label("Pause", exact=True).click()
    reached = page.js("goughStudio.timeline.time")
    assert reached > 0.0
    page.page.wait_for_timeout(200)
    assert page.js("goughStudio.timeline.time") == reached


def test_loading_a_preset(page: Any) -> None:
    page.page.get_by_role("button", name="Open", exact=True).click()
    page.picture("gallery")
    page.page.locator("[data-preset=hexaglide]").click()
    page.until("goughStudio.machine.label === 'hexaglide'", 240)
    page.until("goughStudio.state?.coordinate && goughStudio.machine.drawing.kinds[0] === 'PUS'")
    page.settle()
    assert np.array(page.force()) == pytest.approx(page.python_force(), rel=EXACT)
    assert page.page.locator(".legs thead").inner_text().startswith("leg")
    page.until("Boolean(goughStudio.timeline.data)", 240)
    page.picture("hexaglide")


def test_edit_a_mass_undo_redo(page: Any) -> None:
    before = page.force()
    page.page.get_by_role("button", name="Edit", exact=True).click()
    box = page.page.locator('[data-path="body.mass"]')
    old = float(box.input_value())
    box.fill(str(old * 2))
    box.press("Enter")
    page.until(f"goughStudio.machine.document.body.mass === {old * 2}")
    page.settle()
    heavy = page.force()
    assert min(np.array(heavy) / np.array(before)) > 1.2
    assert np.array(heavy) == pytest.approx(page.python_force(), rel=EXACT)
    page.page.get_by_label("Undo").click()
    page.until(f"goughStudio.machine.document.body.mass === {old}")
    page.settle()
    assert page.force() == pytest.approx(before, rel=EXACT)
    page.page.get_by_label("Redo").click()
    page.until(f"goughStudio.machine.document.body.mass === {old * 2}")
    page.settle()
    assert page.force() == pytest.approx(heavy, rel=EXACT)


def test_a_bad_edit_is_explained_and_not_kept(page: Any) -> None:
    page.page.get_by_role("button", name="Edit", exact=True).click()
    box = page.page.locator('[data-path="body.mass"]')
    old = page.js("goughStudio.machine.document.body.mass")
    box.fill("-3")
    box.press("Enter")
    page.until("!document.querySelector('.editor .error-text').hidden")
    assert "must be at least 0" in page.page.locator(".editor .error-text").inner_text()
    assert "invalid" in box.get_attribute("class")
    assert page.js("goughStudio.machine.document.body.mass") == old


def test_a_refused_pose_explains_itself(page: Any) -> None:
    box = page.page.locator(".pose-row input.number").nth(2)
    box.fill("1600")
    box.press("Enter")
    page.settle()
    text = page.page.locator(".refused").inner_text()
    assert "refused" in text
    assert "beyond its maximum" in text
    assert page.page.locator(".legs tr.bad").count() == 6
    page.picture("refused")
    page.page.get_by_role("button", name="home").click()
    page.until("goughStudio.state.refused.length === 0")
    assert not page.page.locator(".refused").is_visible()


def test_two_clients_do_not_disturb_each_other(open_page: Callable[..., Any]) -> None:
    one, two = open_page().ready(), open_page().ready()
    before = one.force()
    set_mass(two, 99)
    two.until("goughStudio.machine.document.body.mass === 99")
    two.settle()
    set_slider(two, 1, 50.0)
    assert two.force() != before
    one.js("goughStudio.ask()")
    one.settle()
    assert one.force() == pytest.approx(before, rel=EXACT)
    assert one.js("goughStudio.machine.document.body.mass") != 99
    assert one.errors == two.errors == []


def test_a_restart_of_the_server_loses_no_edit(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    from conftest_studio import StudioProcess

    process = StudioProcess(tmp_path)
    try:
        page = open_page(address=process.address).ready()
        set_mass(page, 1234)
        page.until("goughStudio.machine.document.body.mass === 1234")
        page.settle()
        heavy = page.force()
        process.stop()
        page.until("goughStudio.status.dataset.state === 'reconnecting'")
        page.js("goughStudio.panel.change(0, 33)")  # moved while nobody answers
        process.start()
        page.until("goughStudio.status.dataset.state === 'live'", 30)
        page.until("goughStudio.state.position[0] === 0.033", 30)
        page.settle()
        assert page.js("goughStudio.machine.document.body.mass") == 1234
        assert np.array(page.force()) == pytest.approx(page.python_force(), rel=EXACT)
        assert page.force() != heavy
    finally:
        process.stop()


def test_malformed_messages_do_no_harm(page: Any) -> None:
    page.js("""() => { const s = goughStudio.connection.socket;
        for (const text of ["", "{", "null", "[]", '{"type":"Eval"}', "x".repeat(5000), '{"type":"SolvePose","id":1}'])
            for (let i = 0; i < 40; i++) s.send(text); s.send(new Uint8Array([1, 2, 3])); }""")
    set_slider(page, 0, 40.0)
    assert np.array(page.force()) == pytest.approx(page.python_force(), rel=EXACT)
    assert page.js("goughStudio.status.dataset.state") == "live"


def test_the_gizmo_drags_the_platform(page: Any) -> None:
    """Every step waits for the state that the next one needs, however long that takes; none for a time."""
    page.at_rest()  # no answer under way that would put the handle elsewhere
    page.page.keyboard.press("g")
    page.until("goughStudio.viewer.gizmo.object === goughStudio.viewer.handle", SLOW)
    # the handle can be hit once it was drawn where it is: a frame after all that asked for one
    drawn = page.js("goughStudio.viewer.frames ?? 0")
    page.js("goughStudio.viewer.draw()")
    page.until(f"goughStudio.viewer.frames > {drawn} && !goughStudio.viewer.scheduled", SLOW)
    where = page.js("""() => { const v = goughStudio.viewer, p = v.handle.position.clone();
        const arm = v.camera.position.distanceTo(p) * 0.055;
        const at = (d) => { const q = p.clone(); q.z += d; q.project(v.camera);
            const r = v.renderer.domElement.getBoundingClientRect();
            return [r.left + (q.x + 1) / 2 * r.width, r.top + (1 - q.y) / 2 * r.height]; };
        return [at(arm * 0.8), at(arm * 2)]; }""")
    before = page.js("goughStudio.state.position")
    page.page.mouse.move(*where[0])
    page.until("goughStudio.viewer.gizmo.axis === 'Z'", SLOW)  # the handle is under the pointer
    page.page.mouse.down()
    page.until("goughStudio.viewer.gizmo.dragging", SLOW)
    for k in range(1, 6):
        z = page.js("goughStudio.viewer.handle.position.z")
        page.page.mouse.move(where[0][0], where[0][1] + (where[1][1] - where[0][1]) * k / 5)
        page.until(f"goughStudio.viewer.handle.position.z > {z!r}", SLOW)
    page.page.mouse.up()
    page.until("!goughStudio.viewer.gizmo.dragging", SLOW)
    height = page.js("goughStudio.viewer.handle.position.z")
    page.until(f"Math.abs(goughStudio.state.position[2] - {height!r}) < 1e-9", SLOW)
    page.at_rest()
    after = page.js("goughStudio.state.position")
    assert after[2] > before[2] + 1e-3
    assert after[:2] == pytest.approx(before[:2], abs=1e-9)
    assert page.js("goughStudio.panel.pose.position[2]") == pytest.approx(after[2], abs=1e-12)
    assert np.array(page.force()) == pytest.approx(page.python_force(), rel=EXACT)
    page.picture("gizmo")


def test_plots_zoom_and_export(page: Any) -> None:
    with page.page.expect_download() as info:
        page.page.get_by_role("button", name="CSV").nth(1).click()
    rows = list(csv.reader(io.StringIO(Path(info.value.path()).read_text())))
    assert rows[0][0] == "t [s]"
    assert len(rows) == 502
    data = page.js("goughStudio.timeline.data.force.exact.slice(0, 6)")
    assert [float(x) for x in rows[1][1:]] == data
    with page.page.expect_download() as info:
        page.page.get_by_role("button", name="SVG").first.click()
    text = Path(info.value.path()).read_text()
    assert text.startswith("<svg")
    assert text.count("<path") > 6
    with page.page.expect_download() as info:
        page.page.get_by_role("button", name="PNG").first.click()
    assert Path(info.value.path()).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    area = page.page.locator(".plot-area").first.bounding_box()
    y = area["y"] + area["height"] / 2
    page.page.mouse.move(area["x"] + area["width"] * 0.4, y)
    page.page.mouse.down()
    page.page.mouse.move(area["x"] + area["width"] * 0.7, y, steps=5)
    page.page.mouse.up()
    low, high = page.until("goughStudio.timeline.plots[1].range")
    assert 1.0 < low < high < 9.0
    page.page.get_by_label("Reset zoom").first.click()
    page.until("goughStudio.timeline.plots[0].range === null")


def test_waypoints_and_formulations(page: Any) -> None:
    page.page.get_by_role("button", name="Motion", exact=True).click()
    page.page.get_by_role("radio", name="waypoints").click()
    add = page.page.get_by_role("button", name="+ add the pose on screen")
    add.click()
    set_slider(page, 0, 80.0)
    add.click()
    set_slider(page, 4, 5.0)
    add.click()
    page.page.get_by_label("kane", exact=True).check()
    page.page.get_by_role("button", name="Compute motion").click()
    page.until("goughStudio.timeline.label.textContent.includes('3 waypoints')", 240)
    force = page.js("goughStudio.timeline.data.force")
    assert np.abs(np.array(force["kane"]) - np.array(force["exact"])).max() < 1e-7
    page.page.get_by_label("What to plot").nth(1).select_option("difference")
    page.picture("motion-panel")


def test_a_simulation_runs_and_shows_its_error(page: Any) -> None:
    page.page.get_by_role("button", name="Motion", exact=True).click()
    page.page.get_by_label("duration").fill("1")
    page.page.get_by_label("duration").press("Tab")
    page.page.get_by_role("button", name="Run simulation").click()
    page.until("goughStudio.timelineKind === 'simulation'", 240)
    error = page.js("goughStudio.timeline.data.error.position")
    assert 0 < max(error) < 0.02
    page.page.get_by_label("What to plot").first.select_option("error")
    page.picture("simulation")


def test_shown_code_runs_and_agrees(page: Any) -> None:
    set_slider(page, 0, 50.0)
    page.page.get_by_role("button", name="Code", exact=True).click()
    page.until("document.querySelectorAll('.drawer pre').length === 2")
    scope: dict[str, Any] = {}
    exec(compile(page.page.locator(".drawer pre").first.inner_text(), "shown", "exec"), scope)
    assert np.array(page.force()) == pytest.approx(scope["result"].force, rel=EXACT)
    assert "gough forces" in page.page.locator(".drawer pre").nth(1).inner_text()
    page.picture("code")


def test_saving_writes_the_edited_machine(page: Any, studio: Any) -> None:
    set_mass(page, 321.5)
    page.until("goughStudio.machine.document.body.mass === 321.5")
    page.page.get_by_role("button", name="Save", exact=True).click()
    page.page.get_by_label("File name").fill("mine.toml")
    page.page.get_by_role("button", name="Save in the work folder").click()
    page.until("goughStudio.machine.label === 'mine.toml'")
    assert loads((studio.folder / "mine.toml").read_text()).body.mass == 321.5


def test_workspace_slice_and_assembly_modes(page: Any) -> None:
    page.js("goughStudio.slice(true)")
    page.until("Boolean(document.querySelector('.slice-legend'))")
    assert "inside all limits" in page.page.locator(".slice-legend").inner_text()
    page.picture("slice")
    page.js("goughStudio.slice(false)")
    page.js("goughStudio.ghosts(true)")
    page.until("goughStudio.viewer.ghosts.children.length > 0", 240)
    count = page.js("goughStudio.viewer.ghosts.children.length")
    assert count >= 2
    page.picture("modes")


def test_renders_only_when_something_changed(page: Any) -> None:
    seen: list[int] = []
    idle = "!goughStudio.viewer.scheduled && !goughStudio.connection.waiting.size"
    while (
        len(seen) < 200 and seen[-8:] != [seen[-1]] * 8 if seen else True
    ):  # a software renderer lags behind
        page.page.wait_for_timeout(250)
        page.until(idle)
        seen.append(page.js("goughStudio.viewer.frames"))
    before = seen[-1]
    time.sleep(1.5)
    assert page.js("goughStudio.viewer.frames") == before
    page.js("goughStudio.panel.change(0, 10)")
    page.settle()
    page.until(f"goughStudio.viewer.frames > {before}")
