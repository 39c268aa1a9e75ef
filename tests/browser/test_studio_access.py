"""Who can use it: axe-core finds nothing in any state of the page, in both themes, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gough
from gough.report.html import write_report
from gough.studio.motions import demo

AXE = (Path(__file__).parent / "assets" / "axe.min.js").read_text(encoding="utf-8")
RUN = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
  const found = await axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] });
  return [found.passes.length, found.violations.map((v) =>
    `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).join(" | ")}`)];
}"""
CLOSE = "document.querySelectorAll('dialog').forEach((box) => box.close());"
STATES = {
    "start": "",
    "edit": "g.drawer('edit');",
    "motion": "g.drawer('motion'); g.builder.kind = 'waypoints'; g.builder.addPoint(g.panel.pose);",
    "code": "g.drawer('code');",
    "plots": "g.drawer(null); g.slice(true); g.ghosts(true); g.timeline.seek(4);"
    " ['condition', 'energy'].forEach((key, i) => { g.timeline.plots[i].key = key; });",
    "refused": "g.slice(false); g.ghosts(false); g.toPose(); g.panel.change(2, 1600);",
    "volume": "g.goHome(); g.features.volume.set(true);",
    "measures": "g.features.volume.set(false); g.drawer('tools'); g.features.measure.toggle('names');"
    " g.features.measure.toggle('dimensions');",
    "modes": "g.features.choose('modes');",
    "way": "g.features.gallery.choose(1);",
    "compare": "g.features.choose('compare'); g.features.compare.choose('preset:octahedral-33');",
    "cueing": "g.features.compare.choose(''); g.features.choose('cueing');",
    "cue": "g.features.cueing.form.unfolded = true; g.features.cueing.form.build(); g.features.cueing.compute();",
    "refused cue": "Object.assign(g.features.cueing.form, { auto: false, scale: '0' }); g.features.cueing.compute();",
    "calibration": "g.features.choose('calibration');",
    "calibrated": "const p = g.features.calibration; p.form.boxes.count.value = 12; p.compute(p.found);",
    "chosen unknowns": "const f = g.features.calibration.form; f.find.value = 'own'; f.choose();",
    "planned": "const p = g.features.calibration; p.form.find.value = 'usual'; p.form.choose(); p.compute(p.plan);",
    "files": "g.features.choose('files');",
    "first minute": "g.drawer(null); g.features.tour.start();",
    "gallery": "g.features.tour.end(); g.gallery();",
    "save": CLOSE + "g.save();",
    "keys": CLOSE + "document.querySelector('[aria-label=Help]').click();",
}
SIZES = [(1280, 720), (390, 844)]


def found(page: Any, least: int) -> list[str]:
    """What axe finds; that it looked at all is shown by the rules that pass."""
    if not page.js("Boolean(window.axe)"):
        page.js(AXE + "\n;0")
    passes, violations = page.js(RUN)
    assert passes >= least
    return violations


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_in_the_studio(page: Any, size: tuple[int, int]) -> None:
    width, height = size
    page.page.set_viewport_size({"width": width, "height": height})
    try:
        for name, act in STATES.items():
            page.js(f"() => {{ const g = goughStudio; {act} }}")
            page.at_rest()
            for theme in ("dark", "light"):
                page.js("name => goughStudio.setTheme(name)", theme)
                page.at_rest()
                assert found(page, 12) == [], (name, theme, width)
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 720})


def test_axe_finds_nothing_in_a_report(open_page: Callable[..., Any], tmp_path: Path) -> None:
    platform = gough.load("motion-base-1500")
    motion = gough.trajectory.trajectory_from(demo(platform)).sample(41)  # type: ignore[union-attr]
    path = write_report(tmp_path / "report.html", platform, motion, label="demo")
    page = open_page(1280, 900, address=path.as_uri())
    page.until("Boolean(window.goughReport)")
    for width in (1280, 390):
        page.page.set_viewport_size({"width": width, "height": 844})
        for _ in range(2):
            assert found(page, 12) == [], width
            assert page.js("document.documentElement.scrollWidth") <= width
            page.js("goughReport.theme()")
    assert page.errors == []


def test_axe_would_find_something(page: Any) -> None:
    """The tool is awake: a button without a name and pale text are found."""
    page.js(
        "() => { const box = document.createElement('div'); box.id = 'planted';"
        " box.innerHTML = '<button></button>pale'; box.style.color = '#333'; box.style.background = '#222';"
        " document.querySelector('.side').prepend(box); }"
    )
    try:
        violations = " ".join(found(page, 12))
    finally:
        page.js("document.getElementById('planted').remove()")
    assert "button-name" in violations
    assert "color-contrast" in violations
