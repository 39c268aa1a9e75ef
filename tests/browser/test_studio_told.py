"""What is told of the motion on the plots is of the machine on screen, or says that it is not; no time that is away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

HEAVIER = "() => { goughStudio.editor.commit(['body', 'mass'], 1.5 * goughStudio.editor.document.body.mass); }"
COUNT = """() => { for (const plot of goughStudio.timeline.plots) { const own = plot.markTime;
  plot.marked = 0; plot.markTime = function (...given) { this.marked += 1; return own.apply(this, given); }; } }"""
DRAWN = """() => goughStudio.timeline.plots.map((plot) => { plot.marked = 0; plot.plot.redraw(false); return plot; })
  .length && new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() =>
  go(goughStudio.timeline.plots.map((plot) => plot.marked > 0)))))"""
PATH = """
[trajectory]
kind = "harmonic"
center = { position = [0.0, 0.0, 1.15], rpy = [0.0, 0.0, 0.0] }
amplitude = [[0.02, 0.0, 0.0, 0.0, 0.0, 0.0]]
frequency = [0.5]
duration = 2.0
"""


def told(page: Any) -> str:
    return page.js("goughStudio.builder.reported.innerText ?? ''")


def test_the_plots_mark_a_time_only_while_the_screen_stands_there(page: Any) -> None:
    page.js(COUNT)
    assert page.js(DRAWN) == [False, False], "home is on screen, not the begin of the motion"
    page.js("goughStudio.timeline.seek(4)")
    page.at_rest()
    assert page.js(DRAWN) == [True, True]
    page.js("goughStudio.panel.change(0, 25)")
    page.at_rest()
    assert page.js("goughStudio.screen.mode") == "pose"
    assert page.js(DRAWN) == [False, False], "posed by hand: nothing on the plots is shown"
    assert "not this time" in page.js("goughStudio.timeline.clock.title")
    page.js("goughStudio.timeline.toggle()")
    page.until("goughStudio.timeline.time > 4.1")
    assert page.js(DRAWN) == [True, True]
    page.js("goughStudio.timeline.toggle()")
    page.at_rest()
    assert page.js("goughStudio.timeline.clock.title") == ""
    page.js(HEAVIER)
    page.at_rest()
    assert page.js(DRAWN) == [True, True], "computed again, still at this time"


def test_another_machine_takes_nothing_of_the_motion_before_with_it(page: Any) -> None:
    page.js("goughStudio.drawer('motion')")
    assert "proved at every instant" in told(page)
    page.js("goughStudio.open('preset', 'octahedral-33')")
    page.until("goughStudio.machine.label === 'octahedral-33'", 120)
    assert page.js("goughStudio.screen.run") is None
    assert told(page).strip() == ""
    assert page.js("goughStudio.timeline.label.textContent") == "no motion yet"
    page.js("goughStudio.makeMotion()")
    page.at_rest()
    assert "samples" in told(page)


def test_a_simulation_before_an_edit_is_told_as_such_until_undo(page: Any) -> None:
    page.js("goughStudio.drawer('motion')")
    page.js(
        "() => { goughStudio.builder.values.duration = 0.2; goughStudio.builder.step.value = 0.01; }"
    )
    page.js("goughStudio.simulate()")
    page.until("goughStudio.screen.run?.kind === 'simulation'", 240)
    page.at_rest()
    before = told(page)
    assert "samples" in before
    assert "run it again" not in before
    page.js(HEAVIER)
    page.until("goughStudio.history.past.length === 1 && !goughStudio.changes", 60)
    assert "simulated before the last change; run it again" in told(page)
    assert page.js("goughStudio.builder.reported.classList.contains('outdated')")
    assert "run it again" in page.js("goughStudio.timeline.label.title")
    page.js("() => { goughStudio.step('undo'); }")
    page.until("goughStudio.history.past.length === 0 && !goughStudio.changes", 60)
    page.at_rest()
    assert told(page) == before
    assert not page.js("goughStudio.builder.reported.classList.contains('outdated')")


def test_a_motion_that_is_refused_after_an_edit_is_not_called_being_computed(
    page: Any, studio: Any
) -> None:
    file = Path(studio.folder) / "short.toml"
    file.write_text(PATH)
    try:
        page.js(
            "() => { const b = goughStudio.builder; b.kind = 'file'; b.values.file = 'short.toml'; }"
        )
        assert page.js("goughStudio.makeMotion()") == "shown"
        page.at_rest()
        file.unlink()
        page.js(HEAVIER)
        page.until("goughStudio.notRemade && !goughStudio.remaking && !goughStudio.changes", 60)
        page.settle()
        label = page.js("goughStudio.timeline.label.textContent")
        assert label == "of an earlier machine or load; refused for this one"
        page.js("goughStudio.drawer('motion')")
        said = told(page)
        assert label in said
        assert "no such file" in said
        assert page.js("goughStudio.timeline.button.disabled"), "nor is it played"
    finally:
        file.unlink(missing_ok=True)


def test_broken_limits_that_are_not_told_are_counted(page: Any) -> None:
    page.js("goughStudio.drawer('motion')")
    page.js("goughStudio.builder.report(null, ['a', 'b', 'c', 'd', 'e', 'f'])")
    assert page.js("goughStudio.builder.error.textContent") == "a; b; c; d; 2 more"
