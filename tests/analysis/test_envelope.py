"""The report of `gough limits`: what a motion uses of what is allowed."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis import limit_report


def lift(platform: gough.Platform, height: float) -> gough.Motion:
    assert platform.home is not None
    top = gough.Pose(platform.home.position + np.array([0.0, 0.0, height]), platform.home.rotation)
    return gough.trajectory.quintic(platform.home, top, 2.0)(np.linspace(0, 2, 81))


def test_rows_are_the_ranges_of_the_motion() -> None:
    platform = gough.load("motion-base-1500")
    motion = lift(platform, 0.1)
    report = limit_report(platform, motion)
    assert report["ok"], report["reasons"]
    legs = gough.inverse_kinematics(platform, motion)
    force = gough.inverse_dynamics(platform, motion).force
    for row in report["rows"]:
        i = platform.leg_names.index(row["leg"])
        if row["kind"] == "stroke":
            assert (row["min"], row["max"]) == pytest.approx(
                (legs.length[:, i].min(), legs.length[:, i].max())
            )
        if row["kind"] == "force":
            assert row["max"] == pytest.approx(force[:, i].max())
    assert {row["kind"] for row in report["rows"]} >= {"stroke", "speed", "force"}


def test_a_motion_beyond_the_stroke_says_which_leg_and_how_far() -> None:
    platform = gough.load("motion-base-1500")
    report = limit_report(platform, lift(platform, 0.6))
    assert not report["ok"]
    assert any("L1" in said for said in report["reasons"])
    assert min(row["margin"] for row in report["rows"] if row["kind"] == "stroke") < 0


def test_a_singular_pose_between_two_samples_is_seen() -> None:
    """001's Path III changes the sign of det H near 3.67 s, between two samples that are both well computed."""
    platform = gough.load("dasgupta-1998")
    motion = gough.trajectory.paper("001-III")(np.linspace(0, 6, 61))
    report = limit_report(platform, motion)
    assert any("between t = 3.6 s and 3.7 s" in said for said in report["reasons"])


def test_an_unreachable_motion_gives_its_reason_first() -> None:
    servo = gough.load("servo-hexapod")
    report = limit_report(servo, lift(servo, 5.0))
    assert "out of reach" in report["reasons"][0]


def test_rows_say_what_is_allowed() -> None:
    """A stroke has two ends, a speed and a force one, on a leg that has them; nothing is said of the others."""
    platform = gough.load("motion-base-1500")
    legs = list(platform.legs)
    legs[3] = legs[3].replace(limits=gough.Limits())
    mixed = platform.replace(legs=legs)
    for row in limit_report(mixed, lift(mixed, 0.1))["rows"]:
        i = mixed.leg_names.index(row["leg"])
        limits = mixed.legs[i].limits
        if i == 3 and row["kind"] in ("stroke", "speed", "force"):
            assert row["allowed"] == (None, None)
            assert row["margin"] is None
        elif row["kind"] == "stroke":
            assert row["allowed"] == pytest.approx(limits.stroke)
        elif row["kind"] in ("speed", "force") and getattr(limits, row["kind"]) is not None:
            assert row["allowed"] == (None, pytest.approx(getattr(limits, row["kind"])))
