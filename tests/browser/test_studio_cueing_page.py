"""The cueing panel: computes, shows Python's numbers and words, goes on the timeline, is marked after an edit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_studio_features import tool
from test_studio_layout import CUT, SMALL

import gough
from gough import cueing
from gough.analysis.utilisation import utilisation
from gough.limits import KINDS
from gough.model.json_document import from_document

LONG = 600.0  # s
EDIT = """() => { const d = structuredClone(goughStudio.machine.document);
  d.legs[0].limits.stroke = [d.legs[0].limits.stroke[0], d.legs[0].limits.stroke[1] + 0.01];
  return goughStudio.edit(d); }"""
SCORE = """() => [...document.querySelectorAll('.cue-out tr[data-axis]')].map((row) =>
  [...row.querySelectorAll('td')].map((cell) => Number(cell.dataset.value)))"""


def on_page(page: Any) -> gough.Platform:
    return from_document(page.js("goughStudio.machine.document"))[0]


def computed(page: Any) -> dict[str, Any]:
    """Press the button and wait for the answer (its arrays left out) or a refusal."""
    page.page.get_by_role("button", name="Compute cue").click()
    page.until("!goughStudio.features.cueing.cues.busy", LONG)
    return page.js(
        "() => { const { data, ...rest } = goughStudio.features.cueing.answer ?? {}; return rest; }"
    )


def arrays(page: Any) -> dict[str, np.ndarray]:
    found = page.js(
        "Object.fromEntries(Object.entries(goughStudio.features.cueing.answer.data).map(([k, x]) => [k, [...x]]))"
    )
    return {name: np.array(x).reshape(-1, 1 if name == "t" else 6) for name, x in found.items()}


def words(page: Any, selector: str) -> str:
    return page.js(f"document.querySelector({selector!r})?.textContent ?? ''")


def bars_agree(page: Any, found: cueing.Cue) -> None:
    """Beside each bar the share of the library in percent, or in words why there is none."""
    shown = page.js(
        "Object.fromEntries([...document.querySelectorAll('.cue-used .bar-row')].map((r) => [r.dataset.kind,"
        " [r.dataset.share, (r.querySelector('.bar-share') ?? r.querySelector('.bar-none')).textContent]]))"
    )
    times = np.linspace(0.0, found.trajectory.duration, found.looked)
    used = {row["kind"]: row["legs"] for row in utilisation(found.limits, times)}
    given = {kind: max(leg["share"] for leg in legs if leg) for kind, legs in used.items()}
    assert set(shown) == set(KINDS) - {"reach"}
    for kind, (share, text) in shown.items():
        if kind in given:
            assert float(share) == given[kind]
            assert text == f"{100 * given[kind]:.0f} %"
        elif kind == "force" and found.limits.platform.legs[0].limits.force is not None:
            assert text == "given, not judged here"
        else:
            assert text == "no limit given"


def test_a_cue_from_the_example_to_the_timeline_and_stale_after_an_edit(page: Any) -> None:
    tool(page, "cueing")
    page.until("goughStudio.features.cueing.form.offered")
    assert "made-up" in words(page, "[aria-label=Telemetry]")
    shown = computed(page)
    found = cueing.cue(on_page(page), cueing.example_drive(), scale=None)
    assert shown["scale"] == found.scale
    score = found.score
    table = np.array(page.js(SCORE))
    assert np.array_equal(table, np.stack([score.missed, score.noticed, score.false_cue], axis=1))
    data = arrays(page)
    assert np.array_equal(data["machine"], found.felt)
    assert np.array_equal(data["vehicle"], found.wanted)
    said = words(page, ".cue-verdict")
    assert said == str(found.verdict)
    assert said.startswith("proved at every instant")
    out = words(page, ".cue-out")
    assert "Forces are not judged" in out
    assert "scale 1" in out
    assert f"{score.missed[0]:.3g} m/s²" in out
    bars_agree(page, found)
    plots = page.js("[...document.querySelectorAll('.cue-plot')].map((p) => p.ariaLabel)")
    assert len(plots) == 6
    assert plots[0] == "surge, specific force at the head [m/s²]"
    assert plots[5] == "yaw, angular rate at the head [°/s]"
    assert "vehicle × 0.5" in words(page, ".cue-legend")
    drawn = page.js(
        "[...document.querySelectorAll('.cue-plots .cue-machine')].map((p) => p.getAttribute('d')?.length)"
    )
    assert min(drawn[1:]) > 1000
    page.picture("cueing-1280-dark")

    page.page.get_by_role("button", name="Put on the timeline").click()
    page.until("goughStudio.screen.run?.motion.kind === 'cue'", LONG)
    page.at_rest()
    t = page.js("[...goughStudio.timeline.data.t]")
    position = np.array(page.js("[...goughStudio.timeline.data.position]")).reshape(-1, 3)
    motion = found.trajectory.sample(len(t))
    assert np.array_equal(position, motion.position)
    assert "classical cue of a made-up drive" in page.js("goughStudio.runLabel")
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("c")
    page.until("document.querySelector('.drawer pre')")
    page.at_rest()
    assert "cueing.example_drive()" in words(page, ".drawer pre")
    tool(page, "cueing")

    page.js(EDIT)
    page.until("goughStudio.features.cueing.cues.stale")
    assert page.js("document.querySelector('.cue-out').classList.contains('stale')")
    assert "another machine" in words(page, ".cue-stale")
    put = page.page.get_by_role("button", name="Put on the timeline")
    assert put.is_disabled()
    page.js("goughStudio.features.cueing.put()")  # nor by a call
    page.picture("cueing-stale-1280-dark")
    assert computed(page)["word"] == "proved at every instant"
    assert put.is_enabled()
    assert words(page, ".cue-stale:not([hidden])") == ""
    page.at_rest()
    page.page.get_by_label("Method").select_option("adaptive")
    assert put.is_disabled()
    assert "other settings" in words(page, ".cue-stale:not([hidden])")
    page.page.get_by_label("Method").select_option("classical")
    assert put.is_enabled()


def test_a_file_a_method_and_parameters_by_keyboard(page: Any, studio: Any) -> None:
    """Every control by Tab, arrows and typing; numbers with units become the library's SI."""
    v = cueing.example_drive()
    rows = np.column_stack([v.time, v.specific_force, v.angular_rate])[:201]
    file = Path(studio.folder) / "measured.csv"
    text = "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist())
    file.write_text("time,fx,fy,fz,p,q,r\n" + text)
    tool(page, "cueing")
    page.until("goughStudio.features.cueing.form.offered?.files.includes('measured.csv')")
    keys = page.page.keyboard
    page.page.focus("[aria-label=Telemetry]")
    keys.press("ArrowDown")
    keys.press("Tab")
    assert page.js("document.activeElement.ariaLabel") == "Method"
    keys.press("Tab")
    keys.press("Space")  # auto off
    keys.press("Tab")
    keys.press("Control+a")
    keys.type("0.4")
    keys.press("Tab")
    assert page.js("document.activeElement.tagName") == "SUMMARY"
    keys.press("Enter")
    page.until("goughStudio.features.cueing.form.unfolded")
    page.page.focus("[aria-label='tilt rate, most °/s']")
    keys.press("Control+a")
    keys.type("2")
    page.page.focus("[aria-label='onset high-pass heave rad/s']")
    keys.press("Control+a")
    keys.type("5")
    assert "surge, sway, heave; default 2.5, 2.5, 3.5" in words(page, "[data-knob=translation]")
    page.page.get_by_role("button", name="Compute cue").focus()
    keys.press("Enter")
    page.until("goughStudio.features.cueing.answer && !goughStudio.features.cueing.cues.busy", LONG)
    law = cueing.ClassicalWashout(translation=(2.5, 2.5, 5.0), tilt_rate=2 * np.pi / 180)
    found = cueing.cue(on_page(page), cueing.load_telemetry(file), law, scale=0.4)
    assert np.array_equal(arrays(page)["machine"], found.felt)
    assert "as given" in words(page, ".cue-out")
    file.unlink()
    page.page.get_by_role("button", name="Put on the timeline").click()
    page.until("goughStudio.features.cueing.told.textContent.startsWith('Not on')", LONG)
    assert "no such file" in page.js("document.querySelector('.toasts').textContent")
    page.js("document.querySelectorAll('.toast').forEach((t) => t.remove())")


def test_words_where_nothing_is_proved_and_where_limits_break(page: Any) -> None:
    tool(page, "cueing")
    page.until("goughStudio.features.cueing.form.offered")
    page.page.get_by_label("auto").uncheck()
    page.page.get_by_label("scale", exact=True).fill("4")
    shown = computed(page)
    assert shown["word"] == "broken"
    said = words(page, ".cue-verdict.bad")
    found = cueing.cue(on_page(page), cueing.example_drive(), scale=4.0)
    assert found.limits.sentences()[0] in said
    page.page.get_by_label("scale", exact=True).fill("-1")
    computed(page)
    assert "must be greater than 0" in words(page, ".cueing .error-text:not([hidden])")
    assert page.js("goughStudio.features.cueing.answer") is None
    for name, word in (
        ("dasgupta-1998-physical", "no limits given"),
        ("servo-hexapod", "not proved"),
    ):
        page.js("name => goughStudio.open('preset', name)", name)
        page.until(f"goughStudio.machine.label === '{name}'", LONG)
        page.page.get_by_label("scale", exact=True).fill("0.05")
        assert computed(page)["word"] == word
        said = words(page, ".cue-verdict")
        assert said.startswith(word)
        assert "within limits" not in words(page, ".cue-out")
        bars = page.js(
            "[...document.querySelectorAll('.cue-used .bar-row')].map((r) => r.textContent)"
        )
        if word == "no limits given":
            assert len(bars) == 8
            assert all(text.endswith("no limit given") for text in bars)
            assert page.js("document.querySelector('.cue-used svg')") is None
        else:
            assert any("%" in text for text in bars)
        assert "proved at every instant" not in said


def test_a_long_cue_is_stopped_by_its_button(page: Any) -> None:
    tool(page, "cueing")
    page.until("goughStudio.features.cueing.form.offered")
    page.js("goughStudio.open('preset', 'positioner-300')")
    page.until("goughStudio.machine.label === 'positioner-300'", LONG)
    page.page.get_by_role("button", name="Compute cue").click()
    page.until("!goughStudio.features.cueing.halt.hidden")
    assert page.page.get_by_role("button", name="Compute cue").is_disabled()
    page.page.get_by_role("button", name="stop", exact=True).click()
    page.until("!goughStudio.features.cueing.cues.busy", LONG)
    assert "stopped" in words(page, ".cueing .error-text:not([hidden])")
    assert page.js("goughStudio.features.cueing.answer") is None
    page.at_rest()


@pytest.mark.parametrize("size", [(1280, 720), (768, 1024), (390, 844)])
def test_the_panel_fits_a_desk_and_a_phone(page: Any, size: tuple[int, int]) -> None:
    width, height = size
    tool(page, "cueing")
    page.until("goughStudio.features.cueing.form.offered")
    page.js("() => { const f = goughStudio.features.cueing.form; f.unfolded = true; f.build(); }")
    computed(page)
    page.page.set_viewport_size({"width": width, "height": height})
    try:
        for theme in ("dark", "light"):
            page.js("name => goughStudio.setTheme(name)", theme)
            page.at_rest()
            assert page.js("document.documentElement.scrollWidth") <= width
            body = page.js(
                "(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.drawer-body'))"
            )
            assert body[0] <= body[1]
            assert page.js(CUT) == []
            if width < 640:
                assert page.js(SMALL) == []
            for name, top in (("form", 0), ("result", 560), ("plots", 1100)):
                page.js("top => { document.querySelector('.drawer-body').scrollTop = top; }", top)
                page.picture(f"cueing-{name}-{width}-{theme}")
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 720})
