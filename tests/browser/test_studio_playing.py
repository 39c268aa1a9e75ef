"""No untruth after changes while the timeline plays: edits, undo, loads, another convention, reload, a second page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_studio_truth import ALL_ON, MOVES, compare

CHANGES = ("mass", "joint", "force", "undo", "redo", "payload", "turn")


def value_of(name: str, rng: np.random.Generator) -> Any:
    """What a change is given."""
    return {
        "mass": lambda: float(rng.uniform(0.5, 2.0)),
        "joint": lambda: [
            int(rng.integers(6)),
            int(rng.integers(3)),
            float(rng.uniform(-0.01, 0.01)),
        ],
        "force": lambda: float(rng.uniform(500.0, 20000.0)),
        "payload": lambda: float(rng.uniform(1.0, 300.0)),
        "turn": lambda: str(rng.choice(["rpy", "vector", "XYZ"])),
    }.get(name, lambda: None)()


@pytest.mark.parametrize("seed", [1, 2])
def test_changes_while_it_plays_leave_nothing_of_the_machine_before(
    page: Any, tmp_path: Path, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    page.js(ALL_ON)
    page.js("goughStudio.timeline.seek(1)")
    page.js("goughStudio.timeline.toggle()")
    for _ in range(6):
        name = str(rng.choice(CHANGES))
        page.js(MOVES[name], value_of(name, rng))
        page.js("() => { if (!goughStudio.timeline.playing) goughStudio.timeline.toggle(); }")
        page.page.wait_for_timeout(int(rng.integers(0, 120)))
    page.js("() => { if (goughStudio.timeline.playing) goughStudio.timeline.toggle(); }")
    page.at_rest()
    compare(page, tmp_path)
    standing = page.js("goughStudio.timeline.plots.every((plot) => plot.here)")
    assert standing is (page.js("goughStudio.screen.mode") == "time")


def test_a_second_page_and_a_reload_know_nothing_of_each_other(
    page: Any, open_page: Callable[..., Any], tmp_path: Path
) -> None:
    other = open_page(1280, 720).ready()
    page.js(ALL_ON)
    page.js(MOVES["mass"], 1.7)
    other.js("goughStudio.open('preset', 'octahedral-33')")
    other.until("goughStudio.machine.label === 'octahedral-33'", 120)
    page.js(MOVES["move"], [0, 12.0])
    page.at_rest()
    compare(page, tmp_path)
    mass = page.js("goughStudio.machine.document.body.mass")
    assert mass == pytest.approx(1.7 * 1850)
    assert other.js("goughStudio.machine.document.body.mass") != mass
    other.page.reload()
    other.ready()
    assert other.force() == pytest.approx(other.python_force().tolist(), rel=1e-9)
    assert other.errors == []
