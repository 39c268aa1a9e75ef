"""No untruth on the page: after any changes, all that it shows is of the machine, pose, time and run on screen.

Random edits, moves, times, loads and steps of undo are sent without waiting for answers; once nothing is marked stale,
the pose, the table, the arrows, the workspace slice, the assembly modes and the shown code are computed again by the
library from the page's document and inputs alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.workspace import workspace_slice
from gough.limits import check
from gough.model.files import dumps
from gough.model.json_document import from_document
from gough.studio import messages as m
from gough.studio.motions import definition

EXACT = 1e-8
ALL_ON = """() => {
    goughStudio.slice(true);
    goughStudio.ghosts(true);
    if (goughStudio.drawerOpen !== 'code') goughStudio.drawer('code');
}"""
MOVES: dict[str, str] = {
    "move": "([i, x]) => goughStudio.panel.change(i, goughStudio.panel.range.middle[i] * (i < 3 ? 1000 : 0) + x)",
    "time": "t => goughStudio.timeline.seek(t)",
    "mass": "x => { const d = goughStudio.editor.document;"
    " goughStudio.editor.commit(['body', 'mass'], d.body.mass * x); }",
    "joint": "([i, k, x]) => { const d = goughStudio.editor.document, v = [...d.legs[i].joint];"
    " v[k] += x; goughStudio.editor.commit(['legs', i, 'joint'], v); }",
    "force": "x => goughStudio.editor.commit(['legs', 0, 'limits', 'force'], x)",
    "undo": "() => { goughStudio.step('undo'); }",
    "redo": "() => { goughStudio.step('redo'); }",
    "payload": "x => { goughStudio.panel.payload = { ...goughStudio.panel.payload, mass: x };"
    " goughStudio.panel.emit('change'); }",
    "turn": "name => goughStudio.panel.renumber({ convention: name })",
    "home": "() => goughStudio.panel.emit('home')",
}


DRAWN = """() => goughStudio.viewer.machine.forceArrows.map(a => {
    if (!a.visible) return null;
    const length = a.head.position.x + a.head.scale.x / 2;
    return a.head.position.clone().set(1, 0, 0).applyQuaternion(a.quaternion).multiplyScalar(length).toArray();
})"""


def draw(rng: np.random.Generator) -> tuple[str, Any]:
    """One change at random."""
    name = str(
        rng.choice(
            [
                "move",
                "move",
                "time",
                "time",
                "mass",
                "joint",
                "force",
                "undo",
                "redo",
                "payload",
                "turn",
                "home",
            ]
        )
    )
    value: Any = None
    if name == "move":
        i = int(rng.integers(6))
        value = [i, float(rng.uniform(-30, 30) if i < 3 else rng.uniform(-4, 4))]
    elif name == "time":
        value = float(rng.uniform(0, 10))
    elif name == "mass":
        value = float(rng.uniform(0.5, 2.0))
    elif name == "joint":
        value = [int(rng.integers(6)), int(rng.integers(3)), float(rng.uniform(-0.01, 0.01))]
    elif name == "force":
        value = float(rng.uniform(500.0, 20000.0))
    elif name == "payload":
        value = float(rng.choice([0.0, rng.uniform(1.0, 300.0)]))
    elif name == "turn":
        value = str(rng.choice(["rpy", "vector", "XYZ"]))
    return name, value


def loaded(page: Any, payload: dict[str, Any]) -> tuple[gough.Platform, gough.Platform]:
    """The machine that the page holds, and with its payload."""
    platform, _ = from_document(page.js("goughStudio.machine.document"))
    body = gough.Body(payload["mass"], payload["center"], payload["inertia"])
    return platform, gough.analysis.with_payload(platform, body)


def expected(page: Any) -> tuple[gough.Platform, gough.Platform, gough.Motion, list[float]]:
    """Machine, loaded machine, motion and outer load on screen, by the library."""
    if page.js("goughStudio.screen.mode") == "pose":
        solve = page.js("goughStudio.screen.solve")
        platform, carried = loaded(page, solve["payload"])
        pose = solve["pose"]
        frames = platform.frames if pose["framed"] else gough.Frames()
        frames = frames.replace(pivot=pose["pivot"], convention=pose["convention"])
        at = frames.pose(pose["position"], pose["angles"])
        return platform, carried, gough.Motion.at_rest(at), solve["external"]
    asked = page.js("goughStudio.screen.run.motion")
    platform, carried = loaded(page, asked["payload"])
    payload = m.Payload(**asked.pop("payload"))
    request = m.MakeMotion(id=1, payload=payload, **asked)
    path = gough.trajectory.trajectory_from(definition(carried, request))
    assert not isinstance(path, gough.trajectory.LegTrajectory)
    return platform, carried, path(page.js("goughStudio.screen.time")), asked["external"]


def compare(page: Any, folder: Path) -> None:
    """All that is shown against the library."""
    platform, carried, motion, external = expected(page)
    drawn = page.js("goughStudio.viewer.machine.platform.position.toArray()")
    assert drawn == pytest.approx(motion.position.tolist(), abs=1e-9)
    q = np.roll(page.js("goughStudio.viewer.machine.platform.quaternion.toArray()"), 1)
    assert abs(q @ motion.pose.quaternion) == pytest.approx(1.0, abs=1e-12)
    result = gough.inverse_dynamics(carried, motion, external)
    assert np.array(page.force()) == pytest.approx(result.force, rel=EXACT, abs=1e-6)
    compare_arrows(page, result.reactions.spherical_force)
    compare_marks(page, carried, motion, result.force)
    compare_slice(page, platform, motion)
    shown = np.array(page.js("goughStudio.modesShown.poses"))
    modes = gough.assembly_modes(platform, gough.inverse_kinematics(platform, motion).length)
    assert np.sort(shown[:, 2]) == pytest.approx(np.sort(modes.poses.position[:, 2]), abs=1e-6)
    compare_code(page, platform, folder, result.force)


def compare_arrows(page: Any, force: np.ndarray) -> None:
    """Length and direction of each arrow by the scale that the legend names."""
    arrows = page.js("goughStudio.viewer.arrows")
    legend = page.page.locator(".force-legend")
    assert float(legend.get_attribute("data-force")) == arrows["force"]
    drawn = page.js(DRAWN)
    for vector, wanted in zip(drawn, force, strict=True):
        length = np.linalg.norm(wanted) * arrows["length"] / arrows["force"]
        if vector is None:
            assert length <= 0.01 * arrows["length"]  # too short to be drawn
        else:
            found = np.array(vector) * arrows["force"] / arrows["length"]
            assert found == pytest.approx(wanted, rel=1e-6, abs=1e-6 * arrows["force"])


def compare_marks(page: Any, carried: gough.Platform, motion: gough.Motion, force: Any) -> None:
    """Red numbers are those whose own limit is broken."""
    limits = check(carried, motion, force=force)
    columns = {"coordinate": ("reach", "stroke"), "rate": ("speed",), "force": ("force",)}
    for key, kinds in columns.items():
        shown = page.js(
            "k => [...document.querySelectorAll(`.legs td[data-key=${k}]`)]"
            ".map(c => c.classList.contains('bad'))",
            key,
        )
        wanted = np.any([limits.margin[kind] < 0 for kind in kinds], axis=0)
        assert shown == wanted.tolist(), (key, shown)


def compare_slice(page: Any, platform: gough.Platform, motion: gough.Motion) -> None:
    shown = page.js("goughStudio.sliceShown")
    home = platform.require_home().position
    s = workspace_slice(
        platform,
        motion.rotation,
        plane="xy",
        level=float(motion.position[2]),
        center=home[:2],
        points=121,
    )
    assert shown["level"] == pytest.approx(s.level, abs=1e-12)
    different = np.array(shown["reason"]) != s.reason.ravel()
    assert different.mean() < 2e-3  # only points on a boundary, by rounding of the pose


def compare_code(page: Any, platform: gough.Platform, folder: Path, force: np.ndarray) -> None:
    """The shown Python, run where the edited machine is saved: the numbers of the table."""
    (folder / "machine.toml").write_text(dumps(platform))
    text = page.page.locator(".drawer pre").first.inner_text()
    scope: dict[str, Any] = {}
    before = Path.cwd()
    os.chdir(folder)
    try:
        exec(compile(text, "shown", "exec"), scope)
    finally:
        os.chdir(before)
    assert scope["result"].force == pytest.approx(force, rel=EXACT, abs=1e-6)
    data = page.js("goughStudio.screen.run?.data.force.exact")
    if data is not None and "along" in scope:
        assert np.array(data).reshape(-1, 6) == pytest.approx(
            scope["along"].force, rel=EXACT, abs=1e-5
        )


def play(page: Any, seed: int) -> list[tuple[str, Any]]:
    rng = np.random.default_rng(seed)
    page.js(ALL_ON)
    done = [draw(rng) for _ in range(int(rng.integers(2, 7)))]
    for name, value in done:
        page.js(MOVES[name], value)
    page.at_rest()
    return done


def run_seeds(page: Any, folder: Path, seeds: range) -> None:
    """Sequences one after the other on one page: what one leaves behind, the next begins with."""
    for seed in seeds:
        done = play(page, seed)
        try:
            compare(page, folder)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, after {done}: {error}") from error


def test_all_that_is_shown_is_of_what_is_on_screen(page: Any, tmp_path: Path) -> None:
    run_seeds(page, tmp_path, range(8))


@pytest.mark.slow
def test_more_sequences_show_no_untruth(page: Any, tmp_path: Path) -> None:
    """GOUGH_SEQUENCES=200 for a campaign."""
    run_seeds(page, tmp_path, range(1000, 1000 + int(os.environ.get("GOUGH_SEQUENCES", "24"))))
