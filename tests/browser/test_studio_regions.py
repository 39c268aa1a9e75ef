"""Where the main parts of the page lie, looked at once and kept: a changed layout is noticed, whatever the fonts.

`assets/regions.json` holds x, y, width and height of each part at five widths, in px; null where text gives the length.
After a change that was looked at: GOUGH_WRITE_REGIONS=1 python -m pytest tests/browser/test_studio_regions.py
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gough
from gough.report.html import write_report
from gough.studio.motions import demo

KEPT = Path(__file__).parent / "assets" / "regions.json"
WIDTHS = {390: 844, 768: 1024, 1280: 720, 1920: 1080, 2560: 1440}
PARTS = (".top", ".side", ".stage", ".stage-b", ".plots", ".timeline", ".drawer")
REPORT = (".report-head", ".card-section", ".stage", ".plots")
PANEL = (
    ".calibration-form",
    ".ticks",
    ".residuals .data",
    ".found-numbers .data",
)  # text gives their height
STATES = ("first", "edit", "motion", "code", "tools", "calibration", "volume", "compare")
TOLERANCE = 6.0  # px
Box = list[float | None]
Regions = dict[str, dict[str, Box]]


def boxes(page: Any, parts: tuple[str, ...], flowing: bool) -> dict[str, Box]:
    """Of the parts that are seen; where the page scrolls, text decides how long things are and where they begin."""
    found: dict[str, Box] = {}
    for name in parts:
        part = page.page.locator(name).first
        box = part.bounding_box() if page.page.locator(name).count() else None
        if box is None or not box["width"]:
            continue
        y, height = round(box["y"]), round(box["height"])
        free = flowing and name not in (".top", ".stage", ".stage-b", ".drawer")
        found[name] = [round(box["x"]), None if free else y, round(box["width"])]
        found[name].append(None if free else height)
    return found


def different(kept: Regions, now: Regions) -> list[str]:
    """In words, what lies elsewhere, is gone, or is new."""
    said = []
    for state in sorted({*kept, *now}):
        old, new = kept.get(state, {}), now.get(state, {})
        said += [f"{state}: {name} is gone" for name in old if name not in new]
        said += [f"{state}: {name} is new" for name in new if name not in old]
        for name in old.keys() & new.keys():
            pairs = zip("xywh", old[name], new[name], strict=True)
            said += [
                f"{state}: {name} has {axis} {b}, it had {a}"
                for axis, a, b in pairs
                if (a is None) != (b is None)
                or (a is not None and b is not None and abs(a - b) > TOLERANCE)
            ]
    return said


def look(page: Any, width: int) -> Regions:
    """The regions of the studio in every state."""
    found: Regions = {}
    page.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    for state in STATES:
        page.js("() => { if (goughStudio.drawerOpen) goughStudio.drawer(null); scrollTo(0, 0); }")
        page.js("on => goughStudio.features.volume.set(on)", state == "volume")
        if state in ("edit", "motion", "code", "tools"):
            page.js("name => { goughStudio.drawer(name); }", state)
        if state == "volume":
            page.until("document.querySelector('.volume-legend .scale')", 120)
            page.at_rest()
        if state == "calibration":
            calibrated(page)
        if state == "compare":
            page.js(
                "() => { goughStudio.drawer('tools'); goughStudio.features.choose('compare'); }"
            )
            page.page.select_option(".tool-body select", "preset:octahedral-33")
            page.until("goughStudio.features.compare.second.viewer", 120)
        page.js("scrollTo(0, 0)")
        seen = boxes(page, PARTS, width < 640)
        if state == "calibration":
            seen |= {k: [x, None, w, None] for k, (x, _, w, _) in boxes(page, PANEL, True).items()}
        found[f"{width} {state}"] = seen
        same(page, found[f"{width} {state}"], state, width)
    page.page.select_option(".tool-body select", "")
    return found


def calibrated(page: Any) -> None:
    """The panel with single unknowns to tick, and a result below."""
    panel = "goughStudio.features.calibration"
    page.js("() => { goughStudio.drawer('tools'); goughStudio.features.choose('calibration'); }")
    page.until(f"{panel}.form.unknowns")
    page.page.select_option("[aria-label='Looked for']", "own")
    page.page.fill("[data-field=count]", "8")
    page.page.click("[data-unfold=base]")
    page.page.locator("text=Calibrate").first.dispatch_event("click")
    page.until(f"{panel}.answer && !{panel}.busy", 120)
    page.js("document.querySelector('.drawer-body').scrollTo(0, 0)")


def same(page: Any, dark: dict[str, Box], state: str, width: int) -> None:
    """Every part lies in the light theme where it lies in the dark one."""
    page.js("goughStudio.setTheme('light')")
    light = boxes(page, tuple(dark), width < 640)
    page.js("goughStudio.setTheme('dark')")
    kept = {
        name: [None if a is None else b for a, b in zip(box, light[name], strict=True)]
        for name, box in dark.items()
        if name in light
    }
    assert different({state: dark}, {state: kept}) == [], (state, width)


def held(now: Regions) -> None:
    """Against what is kept, or kept from now on."""
    kept: Regions = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if os.environ.get("GOUGH_WRITE_REGIONS"):
        lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted({**kept, **now}.items())]
        KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    assert different({state: kept.get(state, {}) for state in now}, now) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_parts_of_the_page_lie_where_they_were_looked_at(page: Any, width: int) -> None:
    try:
        held(look(page, width))
        page.js("document.querySelector('.stage').style.marginLeft = '9px'")
        page.js("() => { if (goughStudio.drawerOpen) goughStudio.drawer(null); scrollTo(0, 0); }")
        shifted = {f"{width} first": boxes(page, PARTS, width < 640)}
        kept = json.loads(KEPT.read_text())
        assert different({k: kept[k] for k in shifted}, shifted) != [], "nine pixels are noticed"
    finally:
        page.js("document.querySelector('.stage').style.marginLeft = ''")
        page.page.set_viewport_size({"width": 1280, "height": 720})


def test_the_parts_of_the_report_lie_where_they_were_looked_at(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    platform = gough.load("motion-base-1500")
    motion = gough.trajectory.trajectory_from(demo(platform)).sample(50)  # type: ignore[union-attr]
    path = write_report(tmp_path / "report.html", platform, motion, label="demo")
    page = open_page(1280, 900, address=path.as_uri())
    page.until("Boolean(window.goughReport)")
    found: Regions = {}
    for width, height in WIDTHS.items():
        page.page.set_viewport_size({"width": width, "height": height})
        assert page.js("document.documentElement.scrollWidth") <= width
        seen = boxes(page, REPORT, True)
        found[f"{width} report"] = {name: [x, None, w, None] for name, (x, _, w, _) in seen.items()}
    held(found)
    assert page.errors == []
