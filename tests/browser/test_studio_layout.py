"""Nothing beside the page, nothing cut, covered or too small for a finger: five widths, both themes, exports."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

WIDTHS = {390: 844, 768: 1024, 1280: 720, 1920: 1080, 2560: 1440}
# text that leaves its box, and anything that can be pressed or read outside the window
CUT = """() => [...document.querySelectorAll('#app *, dialog *')].filter((e) => {
  const box = e.getBoundingClientRect(), style = getComputedStyle(e);
  if (!box.width || !box.height || style.visibility === 'hidden' || style.display === 'inline') return false;
  if (!e.matches('button, select, td, th, label, h1, h2, h3, summary, dt, dd, .status, .plot-legend span'))
    return false;
  return box.left < -1 || box.right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1;
}).map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`)"""
SMALL = """() => [...document.querySelectorAll('button, select, summary, input:not([type=checkbox]), label.inline')]
  .map((e) => [e, e.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.width < 39.5 || box.height < 39.5))
  .map(([e, box]) => `${e.tagName} ${e.ariaLabel ?? e.textContent} ${box.width} x ${box.height}`)"""
OVERLAYS = ("newton-euler", "kane", "kane/published", "universal", "lagrange/published")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_at_any_width(page: Any, width: int) -> None:
    page.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    try:
        for state in ("", "edit", "motion", "code", "tools"):
            page.js("name => { if (name) goughStudio.drawer(name); }", state)
            for theme in ("dark", "light"):
                page.js("name => goughStudio.setTheme(name)", theme)
                assert page.js("document.documentElement.scrollWidth") <= width, (state, theme)
                assert page.js(CUT) == [], (state, theme)
                if width < 640:
                    assert page.js(SMALL) == [], (state, theme)
                elif state == "":
                    high = page.js("document.documentElement.scrollHeight")
                    assert high <= WIDTHS[width], "the page of a desk does not scroll"
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 720})


# numbers whose last digits, or exponents, would not be seen
CUT_NUMBERS = """() => [...document.querySelectorAll('.drawer input.number')]
  .filter((e) => e.getBoundingClientRect().width > 0 && e.scrollWidth > e.clientWidth)
  .map((e) => `${e.dataset.path} ${e.value} ${e.scrollWidth} > ${e.clientWidth}`)"""


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_of_the_editor_is_seen_whole(page: Any, width: int) -> None:
    page.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    try:
        page.js("() => { goughStudio.drawer('edit'); }")
        page.js(
            "() => document.querySelectorAll('.drawer details').forEach((d) => { d.open = true; })"
        )
        assert page.js("document.querySelectorAll('.drawer input.number').length") > 30
        assert page.js(CUT_NUMBERS) == []
        page.js(
            "() => { const box = document.querySelector('.drawer .boxes input'); box.style.width = '30px';"
            " box.style.flex = 'none'; box.value = '1243.15236'; }"
        )
        assert len(page.js(CUT_NUMBERS)) == 1, "a number that is cut is noticed"
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 720})


def test_code_is_wrapped_and_a_long_name_of_a_motion_is_whole(page: Any) -> None:
    """At every width: no line of code leaves its box; the name of a cue fits beside or below the timeline."""
    try:
        for width, height in WIDTHS.items():
            page.page.set_viewport_size({"width": width, "height": height})
            page.js("() => { if (goughStudio.drawerOpen !== 'code') goughStudio.drawer('code'); }")
            page.until("document.querySelectorAll('.drawer pre').length === 2")
            page.at_rest()
            over = page.js(
                "[...document.querySelectorAll('.drawer pre')].map((e) => e.scrollWidth - e.clientWidth)"
            )
            assert max(over) <= 0, width
            page.js("() => { if (goughStudio.drawerOpen) goughStudio.drawer(null); }")
            page.js(
                "goughStudio.timeline.label.textContent = 'classical cue of a made-up drive, scale 0.1234'"
            )
            left = page.js(
                "(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>"
                " [scrollHeight - clientHeight, scrollWidth - clientWidth])(goughStudio.timeline.label)"
            )
            assert max(left) <= 1, width
            bar = page.page.locator(".scrub").bounding_box()
            assert bar["width"] > 60, width
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize("width", WIDTHS)
def test_tools_do_not_cover_the_view(page: Any, width: int) -> None:
    """What is measured and compared is seen beside the panel, on a phone above it; the view's tools are in a row."""
    page.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    try:
        page.js("() => { goughStudio.drawer('tools'); }")
        stage, drawer, bar = (
            page.page.locator(name).first.bounding_box()
            for name in (".stage", ".drawer", ".toolbar")
        )
        across = min(stage["x"] + stage["width"], drawer["x"] + drawer["width"]) - max(
            stage["x"], drawer["x"]
        )
        down = min(stage["y"] + stage["height"], drawer["y"] + drawer["height"]) - max(
            stage["y"], drawer["y"]
        )
        assert min(across, down) <= 1.0, (stage, drawer)
        assert stage["width"] > 300
        assert stage["height"] > 250
        assert bar["height"] < 60, "one row"
        icons = page.js(
            "[...document.querySelectorAll('.tool .ico')].map((e) => e.getBoundingClientRect().width)"
        )
        assert len(icons) > 5
        assert min(icons) > 10
        ends = page.js(
            "[document.querySelector('.timeline'), ...document.querySelectorAll('.timeline > *')]"
            ".map((e) => e.getBoundingClientRect().right)"
        )
        assert max(ends[1:]) <= ends[0] - 4, "the timeline ends before its edge"
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 720})


IN_SIGHT = """() => { const { viewer, stage } = goughStudio;
  const away = viewer.camera.position.distanceTo(viewer.orbit.target);
  const points = viewer.machine.legs.flatMap((leg) => [leg.base, leg.start, leg.end]);
  const seen = points.map((p) => viewer.seen(p.toArray()));
  const size = [stage.clientWidth, stage.clientHeight];
  const inside = seen.every((p) => p && p.every((x, i) => x >= 0 && x <= size[i]));
  const xs = seen.map((p) => p[0]);
  return { inside, clear: viewer.scene.fog.near > away, share: (Math.max(...xs) - Math.min(...xs)) / stage.clientWidth,
    aspect: viewer.camera.aspect - stage.clientWidth / stage.clientHeight }; }"""


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_machine_fills_its_view_before_during_and_after_a_comparison(
    page: Any, width: int
) -> None:
    """Narrow views stand back: not into the fog, and not for good."""
    page.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    try:
        page.js("() => { goughStudio.drawer('tools'); goughStudio.features.choose('compare'); }")
        page.until(
            "Math.abs(goughStudio.viewer.camera.aspect * goughStudio.stage.clientHeight"
            " - goughStudio.stage.clientWidth) < 1e-6"
        )
        page.js("goughStudio.viewer.fit()")
        for choice in ("", "preset:octahedral-33", ""):
            before = page.js("goughStudio.stage.clientWidth")
            page.page.select_option(".tool-body select", choice)
            if choice:
                page.until("goughStudio.features.compare.second.viewer", 120)
            if choice or before < width / 3:
                page.until(f"goughStudio.stage.clientWidth !== {before}")
            page.until(
                "goughStudio.viewer.sized && Math.abs(goughStudio.viewer.camera.aspect"
                " * goughStudio.stage.clientHeight - goughStudio.stage.clientWidth) < 1e-6"
            )
            seen = page.js(IN_SIGHT)
            assert seen["inside"], choice
            assert seen["clear"], choice
            assert seen["share"] > 0.3, choice
    finally:
        page.page.select_option(".tool-body select", "")
        page.page.set_viewport_size({"width": 1280, "height": 720})


UNCOVERED = """() => { const { viewer, stage, overlay, viewTools } = goughStudio;
  const top = stage.getBoundingClientRect().top;
  const words = overlay.getBoundingClientRect().top - top;
  const tools = viewTools.getBoundingClientRect().bottom - top;
  const points = viewer.machine.legs.flatMap((leg) => [leg.base, leg.end]);
  return points.map((p) => viewer.seen(p.toArray())).every((p) => p && p[1] > tools && p[1] < words); }"""


@pytest.mark.parametrize("feature", ["slice", "ghosts", "volume"])
def test_words_across_a_phone_do_not_cover_the_machine(page: Any, feature: str) -> None:
    """With the words on, and after they went: then the machine fills its view as before."""
    page.page.set_viewport_size({"width": 390, "height": 844})
    switch = {
        "volume": "on => goughStudio.features.volume.set(on)",
        "slice": "on => goughStudio.slice(on)",
        "ghosts": "on => goughStudio.ghosts(on)",
    }[feature]
    try:
        page.until(
            "Math.abs(goughStudio.viewer.camera.aspect - 390 / goughStudio.stage.clientHeight) < 1e-6"
        )
        page.js("goughStudio.viewer.fit()")
        before = page.js(IN_SIGHT)
        page.js(switch, True)
        page.at_rest()
        page.until(UNCOVERED, 20)
        page.js(switch, False)
        page.until(f"Math.abs(({IN_SIGHT})().share - {before['share']}) < 1e-6", 20)
        assert page.js(UNCOVERED)
    finally:
        page.js(switch, False)
        page.page.set_viewport_size({"width": 1280, "height": 720})


def test_five_overlays_fit_with_their_legend(page: Any) -> None:
    """At 1280 pixels, one overlay after the other: the plots stay where they are and name each."""
    for count in range(1, 6):
        page.js(
            "names => { const b = goughStudio.builder; b.formulations.clear();"
            " names.forEach((n) => b.formulations.add(n)); }",
            list(OVERLAYS[:count]),
        )
        page.js("goughStudio.makeMotion()")
        page.at_rest()
        legend = page.js(
            "[...goughStudio.timeline.plots[1].legend.querySelectorAll('span')].map((e) => e.textContent)"
        )
        assert legend == [name.replace("/published", ", as printed") for name in OVERLAYS[:count]]
        assert page.js(CUT) == []
        assert page.js("document.documentElement.scrollWidth") == 1280
        inside = page.js("""() => { const part = document.querySelectorAll('.plot')[1].getBoundingClientRect();
          return [...document.querySelectorAll('.plot')[1].querySelectorAll('.plot-legend, .plot-area')].every((e) => {
            const box = e.getBoundingClientRect();
            return box.height > 10 && box.left >= part.left - 1 && box.right <= part.right + 1
              && box.bottom <= part.bottom + 1; }); }""")
        assert inside, count


def test_an_exported_plot_is_for_print(page: Any) -> None:
    """From the dark theme too: white paper, dark inks, names of the axes, legend of legs and formulations, vectors."""
    page.js(
        "() => { goughStudio.builder.formulations.add('kane'); return goughStudio.makeMotion(); }"
    )
    page.at_rest()
    with page.page.expect_download() as info:
        page.page.get_by_role("button", name="SVG").nth(1).click()
    text = Path(info.value.path()).read_text()
    words = re.findall(r">([^<>]+)</text>", text)
    assert {"time [s]", "Actuator force [N]", "kane", *(f"L{i}" for i in range(1, 7))} <= set(words)
    assert text.count('class="curve"') == 12
    assert 'fill="#fff"' in text
    assert "<image" not in text
    colors = {c.lower() for c in re.findall(r'class="curve"[^>]* stroke="(#\w+)"', text)}
    light = page.js(
        "() => { goughStudio.setTheme('light');"
        " return goughStudio.timeline.plots[1].quantity.series.map((s) => s.color); }"
    )
    assert colors == set(light)


def test_the_page_answers_before_the_view_is_built(page: Any, browser: Any, studio: Any) -> None:
    """With the script of the 3D view held back, table, sliders and plots work; then the view shows what they say."""
    context = browser.new_context(viewport={"width": 800, "height": 600})
    try:
        held = []
        context.route("**/viewer.js", lambda route: held.append(route))
        from conftest_studio import SLOW, Page

        early = Page(context, studio.address)
        early.until(
            "Boolean(window.goughStudio?.state) && Boolean(goughStudio.timeline.data)", SLOW
        )
        assert not early.js("goughStudio.viewerBuilt")
        early.js("goughStudio.panel.change(0, 25)")
        early.settle()
        assert early.js("goughStudio.state.position[0]") == 0.025
        assert len(early.force()) == 6
        early.until("goughStudio.stage.textContent.includes('being built')")
        assert held
        held[0].continue_()
        early.until("goughStudio.viewerBuilt", SLOW)
        assert early.js("goughStudio.viewer.machine.platform.position.x") == pytest.approx(0.025)
        assert early.errors == []
    finally:
        context.close()


def test_rails_stand_on_a_base(page: Any) -> None:
    """Of the hexaglide: a plate under all six rails, below their lowest ends."""
    page.js("goughStudio.open('preset', 'hexaglide')")
    page.until("goughStudio.machine.label === 'hexaglide'", 240)
    low, rails = page.js("""() => { const m = goughStudio.viewer.machine;
      const base = m.children.find((c) => c.name === 'base'); base.geometry.computeBoundingBox();
      const ends = m.doc.legs.flatMap((leg) => m.railEnds(leg)).map((p) => p.dot(m.up));
      return [base.geometry.boundingBox.max.dot(m.up), Math.min(...ends)]; }""")
    assert low == pytest.approx(rails, abs=0.03)
    assert low <= rails
