"""Nothing is lost and nothing stale is taken for fresh: reload, a server that is away, other machines, simulations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gough

MASS = "goughStudio.machine.document.body.mass"
COMMIT = "x => goughStudio.editor.commit(['body', 'mass'], x)"


def test_edits_survive_a_reload_with_their_history(open_page: Callable[..., Any]) -> None:
    page = open_page().ready()
    first = page.js(MASS)
    page.js(COMMIT, 77.0)
    page.js(COMMIT, 88.0)
    page.at_rest()
    page.page.reload(timeout=240_000)
    page.until("Boolean(window.goughStudio?.state)", 240)
    page.at_rest()
    assert page.js(MASS) == 88.0
    page.js("() => { goughStudio.step('undo'); goughStudio.step('undo'); }")
    page.until(f"{MASS} === {first} && !goughStudio.changes")
    assert page.errors == []


def test_edits_and_undo_without_a_server_stay_in_step(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    from conftest_studio import StudioProcess

    process = StudioProcess(tmp_path)
    try:
        page = open_page(address=process.address).ready()
        page.js(COMMIT, 500.0)
        page.at_rest()
        process.stop()
        page.until("goughStudio.status.dataset.state === 'reconnecting'")
        page.js(COMMIT, 600.0)
        page.js(COMMIT, 700.0)
        page.js("() => { goughStudio.step('undo'); }")
        assert page.js(MASS) == 500.0, "not taken by anybody yet"
        assert page.js("goughStudio.stale"), "and said so"
        process.start()
        page.until(f"{MASS} === 600 && !goughStudio.changes", 60)
        page.at_rest()
        assert page.js("goughStudio.history.past.length") == 2
        assert (
            page.force() == page.python_force().tolist()
            or max(abs(a / b - 1) for a, b in zip(page.force(), page.python_force(), strict=True))
            < 1e-9
        )
    finally:
        process.stop()


def test_an_edit_made_without_a_server_survives_a_reload(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    from conftest_studio import StudioProcess

    process = StudioProcess(tmp_path)
    try:
        page = open_page(address=process.address).ready()
        process.stop()
        page.until("goughStudio.status.dataset.state === 'reconnecting'")
        page.js(COMMIT, 910.0)
        process.start()
        page.page.reload(timeout=240_000)
        page.until("Boolean(window.goughStudio?.state)", 240)
        page.at_rest()
        assert page.js(MASS) == 910.0
        assert page.force() == pytest.approx(page.python_force().tolist(), rel=1e-9)
    finally:
        process.stop()


def test_a_closed_tab_offers_its_edits_to_the_next(open_page: Callable[..., Any]) -> None:
    from conftest_studio import Page

    page = open_page().ready()
    page.js(COMMIT, 555.0)
    page.at_rest()
    address = page.page.url
    page.page.close()
    other = Page(page.context, address).ready()
    assert other.js(MASS) != 555.0, "asked first"
    other.page.get_by_role("button", name="open them").click()
    other.until(f"{MASS} === 555 && !goughStudio.changes", 240)
    other.at_rest()
    assert other.force() == pytest.approx(other.python_force().tolist(), rel=1e-9)
    assert other.errors == []


def test_another_convention_keeps_the_waypoints(page: Any) -> None:
    """Rows of the builder are the same poses in the new numbers, there and back."""
    rows = [
        [0.0, 0.02, 1.15, 0.1, -0.2, 0.3],
        [0.05, 0.0, 1.1, -0.3, 0.1, 0.05],
        [0, 0, 1.2, 0, 0, 0],
    ]
    page.js("rows => goughStudio.builder.setPoints(rows)", rows)
    poses = [gough.Frames().pose(row[:3], row[3:]) for row in rows]
    for name in ("ZYZ extrinsic", "XYZ", "vector", "rpy"):
        page.js("name => goughStudio.panel.renumber({ convention: name })", name)
        page.until(f"goughStudio.panel.numbering.convention === '{name}'")
        page.settle()
        found = page.js("goughStudio.builder.points")
        assert len(found) == len(rows)
        for row, pose in zip(found, poses, strict=True):
            at = gough.Frames(convention=name).pose(row[:3], row[3:])
            assert at.position == pytest.approx(pose.position, abs=1e-12)
            assert at.rotation == pytest.approx(pose.rotation, abs=1e-9)


def test_opening_another_machine_asks_and_takes_nothing_along(page: Any) -> None:
    page.js(
        "() => { goughStudio.panel.payload = { mass: 50, center: [0, 0, 0], inertia: [0, 0, 0] }; }"
    )
    page.js(COMMIT, 444.0)
    page.at_rest()
    page.page.get_by_role("button", name="Open", exact=True).click()
    page.page.locator("[data-preset=octahedral-33]").click()
    page.page.get_by_role("button", name="Keep editing").click()
    assert page.js(MASS) == 444.0
    page.page.locator("[data-preset=octahedral-33]").click()
    page.page.get_by_role("button", name="Open without saving").click()
    page.until("goughStudio.machine.label === 'octahedral-33'", 240)
    page.at_rest()
    assert page.js("goughStudio.screen.solve.payload.mass") == 0
    boxes = page.js(
        "[...goughStudio.panel.more.querySelectorAll('input')].map(b => Number(b.value))"
    )
    assert not any(boxes)


def test_a_simulation_is_stale_after_an_edit_and_fresh_after_undo(page: Any) -> None:
    page.js("() => { goughStudio.builder.values.duration = 0.5; }")
    page.js("() => goughStudio.simulate()")
    page.until("goughStudio.screen.run?.kind === 'simulation'", 240)
    page.js("goughStudio.timeline.seek(0.2)")
    page.js("() => goughStudio.drawer('code')")
    page.at_rest()
    assert "gough.simulate(" in page.page.locator(".drawer pre").first.inner_text()
    page.js(COMMIT, 333.0)
    page.until(f"{MASS} === 333 && !goughStudio.changes")
    assert "run it again" in page.page.locator(".timeline-label").inner_text()
    assert page.page.locator(".plots.stale").count() == 1
    assert page.js("goughStudio.screen.mode") == "pose"
    assert page.js("goughStudio.timeline.slider.disabled")
    page.until("!goughStudio.code.stale")
    assert "gough.simulate(" not in page.page.locator(".drawer pre").first.inner_text()
    page.js("() => { goughStudio.step('undo'); }")
    page.until("!goughStudio.timeline.stale && !goughStudio.changes")
    assert page.page.locator(".plots.stale").count() == 0


def test_arrows_have_one_scale_for_one_pose(page: Any) -> None:
    """Whatever was on screen before: a heavy payload and back leaves the same arrows and legend."""
    page.at_rest()
    before = page.js("goughStudio.viewer.arrows")
    page.js(
        "() => { goughStudio.panel.payload = { mass: 9000, center: [0, 0, 0], inertia: [0, 0, 0] };"
        " goughStudio.panel.emit('change'); }"
    )
    page.at_rest()
    assert page.js("goughStudio.viewer.arrows.force") > before["force"]
    page.js(
        "() => { goughStudio.panel.payload = { mass: 0, center: [0, 0, 0], inertia: [0, 0, 0] };"
        " goughStudio.panel.emit('change'); }"
    )
    page.at_rest()
    assert page.js("goughStudio.viewer.arrows") == before
