"""Rich representations in notebooks."""

from __future__ import annotations

import numpy as np

import gough


def test_platform_motion_and_result_show_themselves() -> None:
    platform = gough.load("motion-base-1500")
    motion = gough.trajectory.quintic(platform.home, gough.Pose([0, 0, 1.3]), 2.0)(
        np.linspace(0, 2, 5)
    )
    result = gough.inverse_dynamics(platform, motion)
    assert "motion-base-1500" in platform._repr_html_()
    for shown in (platform._repr_html_(), motion._repr_html_(), result._repr_html_()):
        assert "<table" in shown
        assert "<script" not in shown
    assert "L6" in platform._repr_html_()


def test_names_are_escaped() -> None:
    platform = gough.load("positioner-300").replace(name="<b>x</b>")
    assert "<b>x</b>" not in platform._repr_html_()
