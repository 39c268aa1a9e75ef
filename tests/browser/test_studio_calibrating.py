"""The calibration panel: numbers as Python gives them, taken over and undone, marked after a change, by keyboard."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_studio_layout import CUT, SMALL

import gough
from gough.metrology import calibrate, plan_poses, reachable_poses
from gough.metrology.document import load_readings
from gough.metrology.sensors import PoseSensor
from gough.metrology.trials import synthetic_readings
from gough.model.json_document import from_document
from gough.model.numbers import places
from support.reading_tables import write_readings

WIDTHS = {390: 844, 768: 1024, 1280: 720, 1920: 1080}
SIDEWAYS = """() => [...document.querySelectorAll('.drawer-body, .drawer-body *')].filter((e) =>
  e instanceof HTMLElement && e.scrollWidth > e.clientWidth + 1 && e.clientWidth
  && getComputedStyle(e).display !== 'inline')
  .map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`)"""
PANEL = "goughStudio.features.calibration"
ANSWERED = f"{PANEL}.answer && !{PANEL}.busy"
EDIT = """() => { const { base } = goughStudio.machine.document.legs[0];
  goughStudio.editor.commit(['legs', 0, 'base'], [base[0] + 0.001, base[1], base[2]]); }"""
TRACKER = {"tracker": PoseSensor(2e-5, 2e-5)}


def opened(page: Any) -> None:
    """The panel, by its tab."""
    if page.js("goughStudio.drawerOpen") != "tools":
        page.page.keyboard.press("t")
    page.page.click(".subtab[data-panel=calibration]")
    page.until(f"{PANEL}.form.unknowns")


def put(page: Any, field: str, value: float) -> None:
    page.page.fill(f"[data-field={field}]", str(value))
    page.page.keyboard.press("Tab")


def calibrated(page: Any) -> dict[str, Any]:
    page.page.click("text=Calibrate")
    page.until(ANSWERED, 120)
    return page.js(f"{PANEL}.answer")


def trial(platform: gough.Platform, count: int, seed: int) -> Any:
    poses = reachable_poses(platform, count, seed)
    made = synthetic_readings(platform, poses, TRACKER, sigma=5e-6, error=5e-4, seed=seed)
    return calibrate(platform, made.length, made.readings, sigma=made.sigma)


def test_a_trial_is_shown_as_python_finds_it_taken_over_and_undone(page: Any) -> None:
    opened(page)
    put(page, "count", 20)
    put(page, "seed", 7)
    shown = calibrated(page)
    nominal = gough.load("motion-base-1500")
    found = trial(nominal, 20, 7)
    assert shown["settled"]
    assert [row["value"] for row in shown["numbers"]] == pytest.approx(found.value, rel=1e-9)
    texts = page.js(
        "[...document.querySelectorAll('.found-numbers tbody tr')].map(r => [r.firstChild.textContent,"
        " ...[...r.querySelector('[data-key=found]').children].map(c => c.textContent)])"
    )
    assert len(texts) == 42
    for text, row in zip(texts, found.table(), strict=True):
        assert text[0] == f"{row['name']} mm"
        value, sigma = (float(x.removeprefix("σ ").replace("−", "-")) for x in text[1:])
        assert abs(value - 1e3 * row["value"]) <= 0.05 * 1e3 * row["sigma"]
        assert sigma == pytest.approx(1e3 * row["sigma"], rel=0.05)
    words = page.js("document.querySelector('.calibrated').textContent")
    assert words.lower().count("synthetic") >= 4
    assert "no proof" in words
    cells = page.js(
        "[...document.querySelectorAll('.residuals [data-source=encoders] td')].map(c => c.textContent)"
    )
    rms, largest = ([float(x) for x in cell.split(" → ")] for cell in cells[1:])
    after = found.residual["actuator"]
    assert rms[1] == pytest.approx(1e6 * np.sqrt(np.mean(after**2)), rel=1e-2)
    assert largest[1] == pytest.approx(1e6 * np.abs(after).max(), rel=1e-2)
    assert rms[0] > 3 * rms[1]

    before = page.js("JSON.stringify(goughStudio.machine.document)")
    page.page.click("[data-act=take]")
    page.until("goughStudio.history.past.length === 1 && !goughStudio.changes", 60)
    page.at_rest()
    taken, _ = from_document(page.js("goughStudio.machine.document"))
    now = places(taken)
    for row in found.table():
        assert now[row["name"]].value == pytest.approx(row["value"], rel=1e-9, abs=1e-12)
    assert "synthetic calibration" in taken.name
    assert page.js(f"{PANEL}.found.stale"), "it belongs to the machine before"
    assert page.js("document.querySelector('[data-act=take]').disabled")
    assert not page.js("document.querySelector('.stale-note').hidden")
    assert page.force() == pytest.approx(page.python_force().tolist(), rel=1e-9)
    assert "Taken over, from synthetic" in page.js(f"{PANEL}.told.textContent")

    page.js("() => { goughStudio.step('undo'); }")
    page.until("goughStudio.history.past.length === 0 && !goughStudio.changes", 60)
    page.at_rest()
    assert page.js("JSON.stringify(goughStudio.machine.document)") == before
    assert not page.js(f"{PANEL}.found.stale"), "the same machine again"
    assert page.js(f"{PANEL}.told.textContent") == "", "it is taken over no more"
    assert not page.js("document.querySelector('[data-act=take]').disabled")
    page.js("() => { goughStudio.step('redo'); }")
    page.until("goughStudio.history.past.length === 1 && !goughStudio.changes", 60)
    page.at_rest()
    saved = page.js("goughStudio.connection.request((id) => ({ type: 'GetToml', id }))")["text"]
    assert "synthetic calibration" in saved


def test_an_edit_other_inputs_and_another_machine_mark_it_until_it_is_computed_again(
    page: Any,
) -> None:
    opened(page)
    put(page, "count", 8)
    put(page, "seed", 1)
    calibrated(page)
    assert not page.js(f"{PANEL}.found.stale")
    put(page, "seed", 5)
    assert page.js("document.querySelector('.calibrated').classList.contains('outdated')")
    put(page, "seed", 1)
    assert not page.js(f"{PANEL}.found.stale")
    page.js(EDIT)
    page.at_rest()
    assert page.js(f"{PANEL}.found.stale")
    page.js(f"() => {{ {PANEL}.takeOver(); }}")
    page.page.wait_for_timeout(300)
    assert page.js("goughStudio.history.past.length") == 1, "a marked result is not taken over"
    page.page.click("text=Calibrate")
    page.until(f"{ANSWERED} && !{PANEL}.found.stale", 120)
    first = page.js(f"{PANEL}.answer.numbers[0]")
    base = gough.load("motion-base-1500").legs[0].base[0]
    assert (first["name"], first["nominal"]) == ("L1.base.x", pytest.approx(base + 1e-3))
    page.js("goughStudio.open('preset', 'octahedral-33')")
    page.until("goughStudio.machine.label === 'octahedral-33'", 120)
    page.at_rest()
    assert page.js(f"{PANEL}.found.stale")
    assert page.js("document.querySelector('[data-act=take]').disabled")


def test_too_few_poses_show_no_found_number(page: Any) -> None:
    opened(page)
    put(page, "count", 3)
    calibrated(page)
    rows = page.js(
        "[...document.querySelectorAll('.found-numbers tbody tr')].map(r =>"
        " [r.dataset.status, r.querySelector('[data-key=found]').textContent])"
    )
    assert rows == [["unseen", "not seen alone"]] * 42
    assert page.js("document.querySelectorAll('.unseen li').length") == 24
    words = page.js("document.querySelector('.calibrated').textContent")
    assert "they are not found" in words
    assert "intervals hold" not in words


def test_a_readings_file_is_chosen_refused_and_shown_with_its_code(
    page: Any, studio: Any, tmp_path: Path
) -> None:
    write_readings(studio.folder)
    try:
        opened(page)
        page.until(f"{PANEL}.form.files.length")
        page.page.select_option("[aria-label=Measurements]", "readings.toml")
        shown = calibrated(page)
        nominal = gough.load("motion-base-1500")
        found = calibrate(nominal, **load_readings(nominal, studio.folder / "readings.toml"))
        assert [row["value"] for row in shown["numbers"]] == pytest.approx(found.value, rel=1e-9)
        head = page.js("document.querySelector('.calibrated').textContent")
        assert "synthetic" not in head.lower()
        page.picture("calibration-file-1280-dark")
        page.js("() => { goughStudio.drawer('code'); }")
        page.at_rest()
        blocks = page.page.locator(".drawer pre").all_inner_texts()
        assert len(blocks) == 4
        assert blocks[3] == "gough calibrate motion-base-1500 readings.toml --out calibrated\n"
        scope: dict[str, Any] = {}
        here = Path.cwd()
        os.chdir(studio.folder)
        try:
            exec(compile(blocks[2], "shown", "exec"), scope)
        finally:
            os.chdir(here)
        assert scope["found"].value == pytest.approx(found.value, rel=1e-12)
        (studio.folder / "readings.toml").write_text(
            (studio.folder / "readings.toml").read_text().replace("readings.csv", "../other.csv")
        )
        opened(page)
        page.page.click("text=Calibrate")
        page.until("document.querySelector('.calibrated .error-text')", 60)
        said = page.js("document.querySelector('.calibrated .error-text').textContent")
        assert "must be a file of the work folder" in said
        assert page.js(f"{PANEL}.answer") is None
    finally:
        for name in ("readings.toml", "readings.csv"):
            (studio.folder / name).unlink()
        page.page.select_option("[aria-label=Measurements]", "")


def test_a_plan_is_drawn_exported_and_entered(page: Any) -> None:
    opened(page)
    put(page, "count", 9)
    put(page, "seed", 2)
    page.page.click("text=plan poses")
    page.until(f"{PANEL}.planned && !{PANEL}.busy", 120)
    nominal = gough.load("motion-base-1500")
    plan = plan_poses(nominal, 9, TRACKER, sigma=5e-6, seed=2)
    words = page.js(f"{PANEL}.planOut.textContent")
    assert f"{plan.by_chance / plan.spread:.3g} times as accurate" in words
    assert page.js("goughStudio.viewer.plan.children.length") == 9
    with page.page.expect_download() as caught:
        page.page.click("[data-act=csv]")
    rows = list(csv.reader(io.StringIO(Path(caught.value.path()).read_text())))
    assert rows[0][:2] == ["x [m]", "y [m]"]
    table = np.array(rows[1:], dtype=float)
    assert np.allclose(table[:, :3], plan.pose.position, atol=1e-12)
    assert np.allclose(
        table[:, 6:], gough.inverse_kinematics(nominal, plan.pose).length, atol=1e-12
    )
    page.page.focus("[aria-label='Planned pose']")
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    page.picture("plan-1280-dark")
    page.page.click("[data-act=go]")
    page.at_rest()
    assert page.js("goughStudio.state.position") == pytest.approx(plan.pose.position[3], abs=1e-9)
    page.js(EDIT)
    page.at_rest()
    assert page.js("document.querySelector('[data-act=csv]').disabled"), "of another machine"
    assert page.js("goughStudio.viewer.plan.children.length") == 0
    page.page.keyboard.press("Escape")


def test_it_can_be_stopped(page: Any) -> None:
    opened(page)
    put(page, "count", 100)
    page.page.click("text=plan poses")
    page.until(f"{PANEL}.busy && !{PANEL}.stop.hidden")
    assert page.js(f"{PANEL}.go.disabled")
    assert page.js(f"{PANEL}.el.getAttribute('aria-busy')") == "true"
    page.page.click(".calibration >> text=stop")
    page.until(f"!{PANEL}.busy", 60)
    assert "stopped" in page.js(f"{PANEL}.planOut.textContent")
    assert page.js(f"{PANEL}.planned") is None
    assert not page.js(f"{PANEL}.go.disabled")
    page.settle()


def test_by_keyboard_alone_and_nothing_beside_a_phone(page: Any) -> None:
    page.page.keyboard.press("t")
    page.page.focus(".subtab[data-panel=calibration]")
    page.page.keyboard.press("Enter")
    page.until(f"{PANEL}.form.unknowns")
    put(page, "count", 12)
    page.page.focus(".calibration .primary")
    page.page.keyboard.press("Enter")
    page.until(ANSWERED, 120)
    page.page.focus("[data-act=take]")
    page.page.keyboard.press("Enter")
    page.until("goughStudio.history.past.length === 1 && !goughStudio.changes", 60)
    page.js("() => { goughStudio.step('undo'); }")
    page.until("goughStudio.history.past.length === 0 && !goughStudio.changes", 60)
    page.at_rest()
    page.page.select_option("[aria-label='Looked for']", "own")
    for group in ("base", "zero"):
        page.page.click(f"[data-unfold={group}]")
    for width, height in WIDTHS.items():
        page.page.set_viewport_size({"width": width, "height": height})
        try:
            for theme in ("dark", "light"):
                page.js("name => goughStudio.setTheme(name)", theme)
                page.at_rest()
                assert page.js("document.documentElement.scrollWidth") <= width
                assert page.js(SIDEWAYS) == [], "nothing scrolls sideways, no table either"
                assert page.js(CUT) == []
                if width < 640:
                    assert page.js(SMALL) == []
                page.js("document.querySelector('.drawer-body').scrollTo(0, 0)")
                page.picture(f"calibration-form-{width}-{theme}")
                page.js("document.querySelector('.calibrated').scrollIntoView()")
                page.picture(f"calibration-{width}-{theme}")
        finally:
            page.page.set_viewport_size({"width": 1280, "height": 720})
