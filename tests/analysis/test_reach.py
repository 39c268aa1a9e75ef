"""Can I go there, and how far: verdicts and ranges against brute force, and errors planted in the proof."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import gough
from campaigns.travel_campaign import (
    MACHINES,
    along,
    broken_range,
    broken_reach,
    campaign,
    machine,
    margins,
)
from gough import taylor
from gough import trajectory as tr
from gough.analysis import rays, travels, ways
from gough.analysis.rays import RayProof
from gough.analysis.screw_models import with_screws
from gough.kinematics.encoders import reading_units
from gough.kinematics.leg_models import leg_models
from gough.layout import TWIST
from gough.limits import home_warnings
from gough.model import Limits, Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from oracles.links import linked
from oracles.machines import platform

COUNT = int(os.environ.get("GOUGH_TRAVELS", "24"))


def positioner(**changes: Any) -> Platform:
    """positioner-300 with other limits on every leg."""
    base = gough.load("positioner-300")
    legs = [leg.replace(limits=leg.limits.replace(**changes)) for leg in base.legs]
    return base.replace(legs=legs)


def test_ranges_and_verdicts_against_brute_force() -> None:
    """Three machines here; `campaigns.travel_campaign` asks any number of every leg type."""
    found = campaign(3, 3, ("UPS", "RUS", "PSU"))
    assert found["wrong"] == 0, found
    assert found["ends"] == 36
    assert found["open"] == found["sampled"] == 0


@pytest.mark.slow
def test_ranges_and_verdicts_of_every_leg_type() -> None:
    found = campaign(COUNT, 5, MACHINES)
    assert found["wrong"] == 0, found
    assert found["open"] <= 0.01 * found["ends"]


def alone(monkeypatch: pytest.MonkeyPatch) -> Platform:
    """A machine, and samples that see nothing: the proof finds the ends without them."""
    monkeypatch.setattr(rays, "looked_at", lambda platform, r, n: (r.end.copy(), r.end + np.nan))
    return machine("UPS", 3002).replace(frames=gough.Frames(pivot=[0.1, 0.2, 0.3]))


def test_the_proof_does_not_need_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not wrong_ends(alone(monkeypatch))


@pytest.mark.parametrize("error", ["slack", "center", "sign", "stroke"])
def test_planted_errors_show(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loose slack, a turn about another point, singular poses passed over, strokes forgotten: brute force says so."""
    one = alone(monkeypatch)
    if error == "slack":
        monkeypatch.setattr(RayProof, "slack", lambda self, kind: np.full(1, 0.01))
    elif error == "center":
        monkeypatch.setattr(gough.Frames, "turning_point", lambda self, pose: pose.position)
    elif error == "sign":
        one = gough.load("dasgupta-1998")
        monkeypatch.setattr(
            rays,
            "regular_rows",
            lambda force, moment: (np.ones(len(force.r), bool), np.ones(len(force.r))),
        )
    else:
        functions = RayProof.functions
        monkeypatch.setattr(
            RayProof,
            "functions",
            lambda *a: {k: f for k, f in functions(*a).items() if k != "stroke"},
        )
    assert wrong_ends(one)


def wrong_ends(one: Platform) -> int:
    found = gough.travel(one, most_travel=1.0, most_turn=1.0)
    sides = [(axis, up) for axis in range(6) for up in (False, True)]
    return sum(bool(broken_range(one, found, axis, up)) for axis, up in sides)


@pytest.mark.parametrize("kind", ["UCU-screw", "UCU-mixed"])
def test_models_of_screws_hold_the_struts(kind: str) -> None:
    """Travel and wrenches of unit efforts against gough/struts.py; planted: without the twist they do not."""
    one = machine(kind, 4)
    home = one.require_home()
    way = ways.straight(home, Pose(home.position + 0.05, rotation_exp([0.1, -0.2, 0.15])))
    motion = way.model(np.array([0.3]), np.array([0.5]))
    bare = leg_models(one, motion)
    legs, wrench = with_screws(one, motion, bare)
    for tau in np.linspace(-1.0, 1.0, 11):
        g = struts(one, way.pose(np.array([0.4 + 0.1 * tau])))
        for model, truth in (
            (legs.coordinate, g.coordinate),
            (wrench.force, g.rows[..., TWIST.linear]),
            (wrench.moment, g.rows[..., TWIST.angular]),
        ):
            value, off = model.at(np.array([tau]))
            assert (off < 1e-5).all()
            assert (np.abs(value[0] - truth) <= off + 1e-14).all()
        assert np.abs(bare.coordinate.at(np.array([tau]))[0][0] - g.coordinate).max() > 1e-5


def test_a_planted_model_without_its_remainder_is_found() -> None:
    """The way's model holds the way: every sampled pose is inside its remainder."""
    one = machine("UPS", 3002)
    home = one.require_home()
    far = Pose(home.position + 0.3, rotation_exp([0.4, -0.9, 1.2]) @ home.rotation)
    way = ways.straight(home, far)
    low, high = np.array([0.2]), np.array([0.7])
    model = way.model(low, high)
    for tau in np.linspace(-1.0, 1.0, 21):
        pose = way.pose(0.5 * (low + high) + 0.5 * tau * (high - low))
        for mine, truth in ((model.position, pose.position), (model.rotation, pose.rotation)):
            value, off = mine.at(np.array([tau]))
            assert (np.abs(value[0] - truth) <= off + 1e-15).all()
    cut = taylor.Model(model.rotation.c, 0.0 * model.rotation.r)
    value, off = cut.at(np.array([1.0]))
    assert (np.abs(value[0] - way.pose(high).rotation) > off).any()


def test_closed_form_of_one_axis() -> None:
    """Straight up, all legs alike: ``L^2 = r^2 + h^2``."""
    one = positioner(base_cone=None, platform_cone=None)
    home = one.require_home()
    found = gough.travel(one)
    L = struts(one, home).coordinate[0]
    stroke = one.legs[0].limits.stroke
    assert stroke is not None
    h = home.position[2]
    up, down = (np.sqrt(x**2 - L**2 + h**2) - h for x in stroke[::-1])
    assert found.high[2] == pytest.approx(up, abs=1e-8)
    assert found.low[2] == pytest.approx(down, abs=1e-8)
    assert {stop.legs for stop in found.ends[2][1].stops} == {(i,) for i in range(6)}
    assert "stroke at its maximum" in found.reason(2, True)
    assert found.proved
    assert np.nanmax(found.within) < 1e-8


def test_a_pivot_changes_the_turns_and_not_the_shifts() -> None:
    one = gough.load("positioner-300")
    near, far = gough.travel(one), gough.travel(one, pivot=[0.0, 0.0, 0.2])
    np.testing.assert_allclose(near.high[:3], far.high[:3], atol=1e-9)
    assert abs(near.high[3] - far.high[3]) > 1e-3
    np.testing.assert_allclose(
        far.frames.turning_point(far.pose), far.pose.position + np.array([0, 0, 0.2])
    )


def test_turns_of_numbers_that_are_no_angles_are_about_the_work_axes() -> None:
    one = gough.load("positioner-300")
    plain = gough.travel(one)
    vector = gough.travel(one, frames=gough.Frames(convention="vector"))
    assert vector.names == ("x", "y", "z", "about x", "about y", "about z")
    np.testing.assert_allclose(vector.high, plain.high, atol=1e-9)
    four = gough.travel(one, frames=gough.Frames(convention="quaternion"))
    assert four.entered.shape == (7,)


def test_where_nothing_stops_it_says_how_far_was_looked() -> None:
    one = gough.load("dasgupta-1998")
    found = gough.travel(one, most_travel=0.01, most_turn=0.01)
    assert found.proved
    assert all(end.whole for pair in found.ends for end in pair)
    assert "no limit up to 10 mm" in found.reason(0, True)
    assert "no limit up to 0.57" in found.reason(3, False)


def test_home_at_the_end_of_its_strokes_can_leave_it() -> None:
    """Vendors park their machines there: one side is closed, the other open."""
    base = gough.load("positioner-300")
    at = struts(base, base.require_home()).coordinate
    legs = [
        leg.replace(limits=Limits(stroke=(float(x), float(x) + 0.02)))
        for leg, x in zip(base.legs, at, strict=True)
    ]
    found = gough.travel(base.replace(legs=legs))
    assert found.proved
    assert found.high[2] > 0.01
    assert -1e-8 < found.low[2] <= 0.0
    home = base.require_home()
    up = gough.reach(
        base.replace(legs=legs), Pose(home.position + np.array([0, 0, 0.01]), home.rotation)
    )
    assert up.reachable is True


def test_a_pose_beyond_a_singularity_is_not_reachable() -> None:
    """[Dasgupta1998] path III: its ends have opposite signs of the determinant, and no limits."""
    one, path = gough.load("dasgupta-1998"), tr.paper("001-III")
    assert isinstance(path, tr.Trajectory)
    start, end = path(0.0).pose, path(path.duration).pose
    found = gough.reach(one, end, start=start)
    assert found.reachable is False
    assert found.within
    assert "beyond a singularity" in found.sentences[0]
    assert not broken_reach(one, found)
    good = tr.paper("001-I")
    assert isinstance(good, tr.Trajectory)
    there = gough.reach(one, good(good.duration).pose, start=good(0.0).pose)
    assert there.reachable is True
    assert bool(there)


def test_a_way_that_is_stopped_is_no_proof_that_there_is_none() -> None:
    """Both ends across a leg are farther from its base than the middle between them, where it is too short."""
    one = positioner(stroke=(0.1, 0.4))
    home = one.require_home()
    g = struts(one, home)
    aside = np.cross(g.direction[0], [0.0, 0.0, 1.0])
    aside *= 0.02 / np.linalg.norm(aside)
    short = Limits(stroke=(float(g.coordinate[0]) + 4e-4, 0.4))
    one = one.replace(legs=[one.legs[0].replace(limits=short), *one.legs[1:]])
    ends = [Pose(home.position + side * aside, home.rotation) for side in (-1.0, 1.0)]
    found = gough.reach(one, ends[1], start=ends[0])
    assert found.reachable is None
    assert not found
    assert found.within
    assert found.way is not None
    assert {(stop.kind, stop.legs) for stop in found.way.stops} == {("stroke", (0,))}
    assert "another way is not ruled out" in found.sentences
    assert not broken_reach(one, found)


def test_the_pose_itself_says_what_it_breaks() -> None:
    one = gough.load("positioner-300")
    home = one.require_home()
    found = gough.reach(one, Pose(home.position + np.array([0, 0, 0.05]), home.rotation))
    assert found.reachable is False
    assert not found.within
    assert found.way is None
    assert "beyond its maximum 254.00 mm" in found.sentences[0]
    assert (found.margin < 0.0).all()
    servo = gough.load("servo-hexapod")
    far = gough.reach(servo, Pose(servo.require_home().position + np.array([0, 0, 1.0])))
    assert far.reachable is False
    assert "cannot reach its platform joint" in far.sentences[0]
    assert np.isnan(far.coordinate).all()


def test_without_a_home_nothing_is_said_of_the_way() -> None:
    one = gough.load("positioner-300")
    home = one.require_home()
    found = gough.reach(one.replace(home=None), home)
    assert found.reachable is None
    assert found.within
    assert "no home pose" in found.sentences[0]
    with pytest.raises(gough.InputError, match="home"):
        gough.travel(one.replace(home=None))


def test_a_start_that_breaks_a_limit_proves_nothing() -> None:
    one = gough.load("positioner-300")
    home = one.require_home()
    low = Pose(home.position - np.array([0, 0, 0.1]), home.rotation)
    found = gough.reach(one, home, start=low)
    assert found.reachable is None
    assert "the start itself is refused" in found.sentences[0]
    with pytest.raises(gough.InfeasibleError, match="the pose itself breaks a limit"):
        gough.travel(one, low)


def test_cones_without_an_axis_are_not_passed_over() -> None:
    one = positioner(base_cone=1.0)
    home = one.require_home()
    found = gough.reach(one.replace(home=None), home, start=home)
    assert found.reachable is None
    assert "others could not be checked" in found.sentences[0]
    assert any("neither axis nor home pose" in said for said in found.sentences)
    ranges = gough.travel(one.replace(home=None), home)
    assert not ranges.proved
    assert ranges.unchecked


def test_a_strut_along_its_universal_axis_is_refused() -> None:
    base = gough.load("positioner-300")
    home = base.require_home()
    strut = struts(base, home).direction[0]
    legs = [base.legs[0].replace(axis=strut), *base.legs[1:]]
    found = gough.reach(base.replace(legs=legs), home)
    assert found.reachable is False
    assert "universal-joint singularity" in found.sentences[0]
    with pytest.raises(gough.InfeasibleError, match="universal-joint singularity"):
        gough.travel(base.replace(legs=legs))


def test_fixed_links_leave_no_axis_alone() -> None:
    """Each axis is stopped by the link at once; a pose off the links is refused."""
    case = linked("UPS", seed=4, count=1)
    assert case is not None
    one = case.platform
    found = gough.travel(one)
    assert (found.high < 1e-3).all()
    kinds = {stop.kind for pair in found.ends for end in pair for stop in end.stops}
    assert kinds == {"link"}
    assert not wrong_ends(one)
    home = one.require_home()
    off = gough.reach(one, Pose(home.position + 0.01, home.rotation))
    assert off.reachable is False
    assert "fixed link" in off.sentences[0]


def test_what_gives_no_bounds_is_sampled_and_says_so() -> None:
    one = machine("offset UCU-offset", 2)
    found = gough.travel(one)
    assert not found.proved
    assert all("no proof between them" in str(end.proved) for pair in found.ends for end in pair)
    assert "no proof between them" in found.reason(0, True)
    assert not wrong_ends(one)
    home = one.require_home()
    near = gough.reach(one, Pose(home.position + 1e-4, home.rotation))
    assert near.reachable is None
    assert "not proved" in near.sentences[0]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"pose": Pose(np.zeros((2, 3)))}, "pose"),
        ({"pivot": [0, 0]}, "pivot"),
        ({"most_travel": -1.0}, "most_travel"),
        ({"most_turn": 7.0}, "most_turn"),
        ({"frames": "rpy"}, "frames"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(gough.InputError, match=field):
        gough.travel(gough.load("positioner-300"), **arguments)


def test_axes_of_turns_are_those_of_the_numbers() -> None:
    """Finite differences of the pose by each angle, in every convention that has some."""
    rng = np.random.default_rng(5)
    one = machine("UPS", 11)
    for convention in ("rpy", "XYZ", "ZXZ extrinsic", "YXY"):
        frames = one.frames.replace(convention=convention)
        pose = frames.pose(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))
        numbers = np.concatenate(frames.numbers(pose))
        axes = travels.turn_axes(frames, pose)
        for k in range(3):
            (moved,) = [along(one.replace(frames=frames), numbers, 3 + k, np.array([1e-6]))[0]]
            turn = rotation_exp(1e-6 * axes[k]) @ pose.rotation
            np.testing.assert_allclose(moved.rotation, turn, atol=1e-12)


def test_readings_are_scaled_from_their_zero() -> None:
    base = gough.load("servo-hexapod")
    encoder = gough.Encoder(zero=0.1, scale=-1000.0, offset=5.0, unit="counts")
    one = base.replace(legs=[base.legs[0].replace(encoder=encoder), *base.legs[1:]])
    at = np.linspace(0.0, 1.0, 12).reshape(2, 6)
    shown = gough.readings(one, at)
    np.testing.assert_allclose(shown[:, 0], -1000.0 * (at[:, 0] - 0.1) + 5.0)
    np.testing.assert_array_equal(shown[:, 1:], at[:, 1:])
    np.testing.assert_allclose(gough.from_readings(one, shown), at, atol=1e-15)
    assert reading_units(one) == ("counts", *["rad"] * 5)
    found = gough.reach(one, one.require_home())
    np.testing.assert_array_equal(found.reading, gough.readings(one, found.coordinate))


def test_a_home_that_breaks_a_limit_is_told() -> None:
    assert home_warnings(gough.load("positioner-300")) == ()
    short = positioner(stroke=(0.1, 0.2))
    (first, *_) = home_warnings(short)
    assert "the home pose breaks a limit: L1: length" in first
    at = struts(short, short.require_home()).coordinate
    exact = [
        leg.replace(limits=Limits(stroke=(float(x), 1.0)))
        for leg, x in zip(short.legs, at, strict=True)
    ]
    assert home_warnings(short.replace(legs=exact)) == ()
    assert home_warnings(short.replace(home=None)) == ()
    strut = struts(short, short.require_home()).direction[0]
    along_axis = [short.legs[0].replace(axis=strut, limits=Limits()), *short.legs[1:]]
    free = [leg.replace(limits=Limits()) for leg in along_axis]
    assert "cannot be taken" in home_warnings(short.replace(legs=free))[0]


def test_margins_of_the_campaign_are_those_of_the_judge() -> None:
    one = platform("UPS", seed=1)
    assert set(margins(one, Pose(one.require_home().position[None]))) >= {"stroke", "link"}
