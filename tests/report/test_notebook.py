"""Rich representations in notebooks."""

from __future__ import annotations

import dataclasses

import numpy as np

import gough
from gough.analysis.natural_modes import modes
from gough.analysis.state_space import linearize


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


def test_poses_answers_and_models_show_themselves() -> None:
    platform = gough.load("positioner-300")
    home = platform.require_home()
    length = gough.inverse_kinematics(platform, home).length
    several = gough.Pose.from_rpy([[0, 0, 0.2], [0, 0, 0.21]], [[0, 0, 0], [0, 0, 0.1]])
    result = gough.inverse_dynamics(platform, several)
    natural = modes(platform, several, stiffness=1e7)
    shown = {
        "220": home,
        "200 … 210": several,
        "universal moment": result.reactions,
        "proved": gough.forward_kinematics(platform, length, guess=home),
        "2 converged": gough.forward_kinematics(platform, [length] * 2, guess=home),
        "real poses": gough.assembly_modes(platform, length),
        "Hz": natural,
        "force_1": linearize(platform, home),
    }
    for words, thing in shown.items():
        text = thing._repr_html_()
        assert words in text
        assert "<script" not in text
        assert len(text) < 20_000
    assert f"{1e3 * home.position[2]:.6g}" in home._repr_html_()
    largest = np.linalg.norm(result.reactions.spherical_force, axis=-1).max(axis=0)
    assert all(f"{x:.6g}" in result.reactions._repr_html_() for x in largest)
    frequency = modes(platform, home, stiffness=1e7)
    assert f"{frequency.frequency[0]:.6g}" in frequency._repr_html_()


def test_a_pose_that_was_not_found_is_no_number() -> None:
    platform = gough.load("positioner-300")
    found = gough.forward_kinematics(platform, [9.0, *[0.2] * 5], guess=platform.home)
    assert not found.success
    assert "nan" not in found._repr_html_()
    assert "–" in found.pose._repr_html_()


def test_html_in_texts_is_escaped() -> None:
    model = linearize(gough.load("positioner-300"), gough.load("positioner-300").require_home())
    evil = dataclasses.replace(model, inputs=("<img src=x>", *model.inputs[1:]))
    assert "<img" not in evil._repr_html_()
