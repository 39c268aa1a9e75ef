"""Which unknowns a calibration looks for: ticked one by one, as Python is asked and the code shows; refusals."""

from __future__ import annotations

from typing import Any

import pytest
from test_studio_calibrating import ANSWERED, EDIT, PANEL, calibrated, opened, put

from gough.metrology import calibrate, reachable_poses
from gough.metrology.sensors import PoseSensor
from gough.metrology.trials import synthetic_readings
from gough.model.json_document import from_document

TICKS = f"{PANEL}.form.ticks"


def choose_own(page: Any, *unfolded: str) -> None:
    """Unknowns chosen by ticks, the numbers of these groups seen."""
    opened(page)
    page.page.select_option("[aria-label='Looked for']", "own")
    for group in unfolded:
        page.page.click(f"[data-unfold={group}]")


def test_single_numbers_are_found_as_python_finds_them_and_the_code_says_so(page: Any) -> None:
    choose_own(page, "joint")
    assert page.js(f"{TICKS}.names.length") == 42, "the usual ones to begin with"
    put(page, "count", 12)
    put(page, "seed", 3)
    page.page.uncheck("[data-group=base]")
    page.page.uncheck("[data-group=joint]")
    page.page.check("[data-unknown='L2.joint.z']")
    page.page.check("[data-unknown='L5.joint.x']")
    state = page.js(
        "(({ checked, indeterminate }) => [checked, indeterminate])(document.querySelector('[data-group=joint]'))"
    )
    assert state == [False, True]
    find = ["L2.joint.z", "L5.joint.x", "zero"]
    shown = calibrated(page)
    platform, _ = from_document(page.js("goughStudio.machine.document"))
    poses = reachable_poses(platform, 12, 3)
    trial = synthetic_readings(
        platform,
        poses,
        {"tracker": PoseSensor(2e-5, 2e-5)},
        sigma=5e-6,
        error=page.js(f"{PANEL}.form.given.trial.error"),
        find=find,
        seed=3,
    )
    found = calibrate(platform, trial.length, trial.readings, sigma=trial.sigma, find=find)
    assert [row["name"] for row in shown["numbers"]] == list(found.names)
    assert [row["value"] for row in shown["numbers"]] == pytest.approx(found.value, rel=1e-9)
    seen = page.js(
        "[...document.querySelectorAll('.found-numbers tbody tr')].map((r) => r.dataset.number)"
    )
    assert seen == list(found.names)
    page.js("() => { goughStudio.drawer('code'); }")
    page.at_rest()
    code = page.page.locator(".drawer pre").all_inner_texts()[2]
    assert f"find={find!r}" in code
    scope: dict[str, Any] = {}
    exec(compile(code, "shown", "exec"), scope)
    assert scope["found"].value == pytest.approx(found.value, rel=1e-9)


def test_a_tick_marks_what_was_found_and_an_edit_keeps_the_ticks(page: Any) -> None:
    choose_own(page, "base")
    put(page, "count", 8)
    calibrated(page)
    page.page.uncheck("[data-unknown='L4.base.y']")
    assert page.js(f"{PANEL}.found.stale")
    assert page.js("document.querySelector('[data-act=take]').disabled")
    assert "41 of 48 numbers" in page.js(f"{TICKS}.told.textContent")
    page.page.check("[data-unknown='L4.base.y']")
    assert not page.js(f"{PANEL}.found.stale")
    page.page.uncheck("[data-unknown='L4.base.y']")
    page.js(EDIT)
    page.at_rest()
    assert not page.page.is_checked("[data-unknown='L4.base.y']")
    assert page.js(f"{TICKS}.names.length") == 41
    page.js("goughStudio.open('preset', 'hexaglide')")
    page.until("goughStudio.machine.label === 'hexaglide'", 240)
    page.until(f"{PANEL}.form.unknowns.groups.includes('rail')", 60)
    page.at_rest()
    assert page.js(f"{TICKS}.names.length") == 41, "what this machine has of them"
    assert not page.js(f"{TICKS}.names.some((name) => name.includes('rail'))")


def test_nothing_ticked_and_what_readings_cannot_tell_apart_are_refused_with_a_sentence(
    page: Any,
) -> None:
    choose_own(page)
    put(page, "count", 3)
    for group in ("base", "joint", "zero"):
        page.page.uncheck(f"[data-group={group}]")
    assert "Nothing is ticked" in page.js(f"{TICKS}.told.textContent")
    page.page.click("text=Calibrate")
    page.until(f"{PANEL}.told.textContent.startsWith('Nothing is ticked')")
    assert page.js(f"{PANEL}.answer") is None
    for group in ("base", "joint", "zero"):
        page.page.check(f"[data-group={group}]")
    page.page.click("text=Calibrate")
    page.until("document.querySelector('.calibrated .error-text')", 120)
    said = page.js("document.querySelector('.calibrated .error-text').textContent")
    assert said.startswith("The readings do not tell the 42 chosen unknowns apart: 24 combinations")
    assert "L1." in said
    assert page.js(f"{PANEL}.answer") is None
    for group in ("base", "joint"):
        page.page.uncheck(f"[data-group={group}]")
    page.page.click("text=Calibrate")
    page.until(ANSWERED, 120)
    assert page.js("document.querySelectorAll('.found-numbers tr[data-status=found]').length") == 6
