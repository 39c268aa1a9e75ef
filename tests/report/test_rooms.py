"""Report draws and nothing else; what it and reproduce promise can be reached, listed and seen by type checkers."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import lazy, report
from gough.analysis.drawing import level_plane, slice_drawing
from gough.analysis.workspace import workspace_slice

ROOM = Path(gough.__file__).parent


def imported(folder: Path) -> set[str]:
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
    return found


def test_the_studio_takes_nothing_from_the_report() -> None:
    used = imported(ROOM / "studio")
    assert "gough.analysis.timeline" in used  # the list is not empty
    assert not {name for name in used if name.startswith("gough.report")}


def test_public_names_of_the_report_are_listed_once_each_and_load() -> None:
    text = (ROOM / "report" / "__init__.py").read_text(encoding="utf-8")
    for name in lazy.promised("gough.report"):
        assert name in dir(report)
        assert callable(getattr(report, name))
        assert f"import {name} as {name}" in text, "type checkers see it too"
    with pytest.raises(AttributeError, match="weather"):
        _ = report.weather  # type: ignore[attr-defined]


def test_a_report_and_a_studio_pose_need_no_matplotlib() -> None:
    code = (
        "import sys, gough.report.html, gough.report.notebook, gough.studio.session; "
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_machine_without_home_gets_one_above_its_base() -> None:
    platform = gough.load("motion-base-1500")
    assert platform.likely_home is platform.home
    hung = platform.replace(home=None, gravity=(0.0, 9.81, 0.0))
    np.testing.assert_allclose(hung.up, (0.0, -1.0, 0.0))
    assert level_plane(hung) == "xz"
    size = float(np.ptp(platform.base_joints, axis=0).max())
    expected = platform.base_joints.mean(axis=0) - (0.0, size, 0.0)
    np.testing.assert_allclose(hung.likely_home.position, expected, atol=1e-12)
    assert level_plane(platform.replace(gravity=(0.0, 0.0, 0.0))) == "xy"


def test_a_slice_is_drawn_with_its_area_or_says_that_nothing_limits_it() -> None:
    platform = gough.load("motion-base-1500")
    one = workspace_slice(platform, points=21)
    shown = slice_drawing(one)
    assert shown["text"] == f"xy slice, {one.area:.4g} m² inside all limits"
    assert len(shown["reason"]) == 21 * 21
    bare = platform.replace(legs=[leg.replace(limits=gough.Limits()) for leg in platform.legs])
    assert "reach only" in slice_drawing(workspace_slice(bare, points=5))["text"]
