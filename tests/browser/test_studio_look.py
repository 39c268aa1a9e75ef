"""How it looks and who can use it: sizes, themes, keyboard, contrast, no WebGL, the report by double click."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gough
from gough.report.html import write_report
from gough.studio.motions import demo
from oracles.machines import platform as machine_of


def varied(picture: bytes, box: dict[str, float]) -> float:
    """Share of pixels in a part of a picture that differ from its corner: an empty view has none."""
    import matplotlib.image
    import numpy as np

    image = matplotlib.image.imread(io.BytesIO(picture), format="png")[..., :3]
    x, y, w, h = (int(box[k]) for k in ("x", "y", "width", "height"))
    part = image[y + 5 : y + h - 5, x + 5 : x + w - 5]
    return float((np.abs(part - part[0, 0]).max(axis=-1) > 0.08).mean())


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (2560, 1440)])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_both_sizes_and_themes_look_right(
    open_page: Callable[..., Any], width: int, height: int, theme: str
) -> None:
    page = open_page(width, height, painted=True).ready()
    page.js("name => goughStudio.setTheme(name)", theme)
    page.js("goughStudio.timeline.seek(4)")
    page.page.wait_for_timeout(600)
    picture = page.picture(f"studio-{width}x{height}-{theme}")
    size = page.js("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size == [width, height], "the page must not scroll"
    boxes = {
        name: page.page.locator(name).first.bounding_box()
        for name in (".stage", ".plots", ".timeline", ".side")
    }
    for name, box in boxes.items():
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= width + 1, name
        assert box["y"] + box["height"] <= height + 1, name
    assert boxes[".stage"]["height"] > 0.5 * height
    assert varied(picture, boxes[".stage"]) > 0.05
    assert page.page.locator(".legs tbody tr").last.is_visible()
    cut = page.js(
        "[...document.querySelectorAll('.legs td')].filter(c => c.scrollWidth > c.clientWidth + 1).length"
    )
    assert cut == 0
    assert page.errors == []


def luminance(rgb: tuple[float, ...]) -> float:
    parts = [c / 255 for c in rgb]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_text_has_contrast(page: Any, theme: str) -> None:
    """WCAG AA, 4.5 to 1, for everything written on the panels."""
    page.js("name => goughStudio.setTheme(name)", theme)
    page.page.wait_for_timeout(100)
    found = page.js("""() => [...document.querySelectorAll('.side *, .top *, .timeline *')].filter(e =>
        e.offsetParent && !e.disabled
        && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).map(e => {
          let b = e, color = 'rgba(0, 0, 0, 0)';
          while (b && (color = getComputedStyle(b).backgroundColor) === 'rgba(0, 0, 0, 0)') b = b.parentElement;
          return [e.textContent.trim().slice(0, 20), getComputedStyle(e).color, color]; })""")
    assert len(found) > 30
    for text, front, back in found:
        a, b = (tuple(float(x) for x in re.findall(r"[\d.]+", c)[:3]) for c in (front, back))
        assert contrast(a, b) >= 4.5, (text, front, back)


def test_keyboard_only(page: Any) -> None:
    keyboard = page.page.keyboard
    reached: dict[str, int] = {}
    for n in range(60):
        keyboard.press("Tab")
        label = page.js(
            "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
        )
        outline = page.js("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", f"focus must be visible on {label}"
        reached.setdefault(label.strip(), n)
        if label.startswith("x millimeters"):
            break
    assert any(label.startswith("x millimeters") for label in reached)
    before = page.js("goughStudio.panel.pose.position[0]")
    for _ in range(5):
        keyboard.press("ArrowRight")
    page.settle()
    assert page.js("goughStudio.panel.pose.position[0]") > before
    page.js("goughStudio.stage.focus()")
    z = page.js("goughStudio.panel.pose.position[2]")
    keyboard.press("PageUp")
    keyboard.press("Shift+ArrowRight")
    page.settle()
    assert page.js("goughStudio.panel.pose.position[2]") > z
    assert page.js("goughStudio.panel.pose.angles[0]") == pytest.approx(0.01745, abs=1e-4)
    keyboard.press("Home")
    page.until("goughStudio.state.position[2] === goughStudio.machine.drawing.home.position[2]")
    keyboard.press("Space")
    page.until("goughStudio.timeline.playing")
    keyboard.press("Space")
    page.until("!goughStudio.timeline.playing")
    keyboard.press("e")
    page.until("!goughStudio.drawerEl.hidden")
    assert page.js("goughStudio.drawerEl.contains(document.activeElement)")
    page.js("document.activeElement.blur()")
    keyboard.press("Escape")
    page.until("goughStudio.drawerEl.hidden")
    keyboard.press("?")
    page.until("Boolean(document.querySelector('dialog[open]'))")
    keyboard.press("Escape")
    page.until("!document.querySelector('dialog[open]')")
    page.js("goughStudio.timeline.slider.focus()")
    keyboard.press("ArrowRight")
    page.until("goughStudio.timeline.time > 0")


def test_without_webgl_the_rest_works(open_page: Callable[..., Any], studio: Any) -> None:
    page = open_page(address="about:blank")
    page.page.add_init_script(
        "HTMLCanvasElement.prototype.getContext = new Proxy("
        "HTMLCanvasElement.prototype.getContext, { apply: (f, self, args) =>"
        " String(args[0]).startsWith('webgl') ? null : Reflect.apply(f, self, args) });"
    )
    page.page.goto(studio.address)
    page.ready()
    assert "no WebGL" in page.page.locator(".notice").inner_text()
    page.js("goughStudio.panel.change(0, 20)")
    page.settle()
    assert all(abs(f) > 1 for f in page.force())
    page.js("goughStudio.timeline.seek(3)")
    assert page.page.locator(".uplot").count() == 2
    page.picture("no-webgl")


def test_every_request_goes_home(page: Any, studio: Any) -> None:
    assert page.requests
    assert all(url.startswith((studio.address, "data:", "blob:")) for url in page.requests), (
        page.requests
    )


def test_the_report_opens_from_a_file_and_asks_for_nothing(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    platform = gough.load("motion-base-1500")
    motion = gough.trajectory.trajectory_from(demo(platform)).sample(500)  # type: ignore[union-attr]
    path = write_report(
        tmp_path / "report.html", platform, motion, formulations=("exact", "kane"), label="demo"
    )
    assert path.stat().st_size <= 2_000_000
    page = open_page(1280, 900, address=path.as_uri(), painted=True)
    page.until("Boolean(window.goughReport)")
    page.page.wait_for_timeout(800)
    assert page.requests == [path.as_uri()]
    text = page.page.locator("body").inner_text()
    for title in ("Machine", "Motion", "Actuators", "Joint reactions", "Workspace", "Parameters"):
        assert title in text
    page.page.get_by_label("Play", exact=True).click()
    page.until("goughReport.timeline.time > 0.2")
    page.page.get_by_label("Pause", exact=True).click()
    page.picture("report-top")
    page.page.locator(".stage").scroll_into_view_if_needed()
    page.js("document.querySelector('.stage').scrollIntoView({ block: 'start' })")
    assert varied(page.picture("report-replay"), page.page.locator(".stage").bounding_box()) > 0.02
    page.page.screenshot(
        path=str(Path(__file__).parents[2] / "out" / "screenshots" / "report.png"), full_page=True
    )
    peak = float(abs(gough.inverse_dynamics(platform, motion).force).max(axis=0)[0])
    assert f"{peak:.0f}" in text
    assert page.errors == []


def test_the_report_of_legs_of_several_types_is_whole(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    """Its first leg has a link and a crank, others two parts: each mass stands in its column, a dash where none is."""
    machine = machine_of("mixed", seed=43)
    path = write_report(tmp_path / "mixed.html", machine)
    page = open_page(1280, 900, address=path.as_uri(), painted=True)
    page.until("Boolean(window.goughReport)")
    rows = page.js(
        "[...[...document.querySelectorAll('table.data')].at(-1).rows]"
        ".map((row) => [...row.cells].slice(4).map((cell) => cell.textContent))"
    )
    names = ("lower", "upper", "link", "crank")
    assert rows[0] == [f"{name} kg" for name in names]
    bodies = [[getattr(leg, name, None) for name in names] for leg in machine.legs]
    assert [[cell != "–" for cell in row] for row in rows[1:]] == [
        [body is not None for body in leg] for leg in bodies
    ]
    for row, leg in zip(rows[1:], bodies, strict=True):
        for cell, body in zip(row, leg, strict=True):
            assert body is None or float(cell) == pytest.approx(body.mass, rel=1e-4)
    assert page.errors == []
