"""What analyses refuse, one wrong number among right ones each; and rare legs, machines and ways that they answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough import trajectory as tr
from gough.analysis import (
    bearing_life,
    compliance,
    effort_boxes,
    gravity_springs,
    joint_stiffness,
    linearize,
    path_planner,
    rating_life,
    sampled_rays,
    size,
    stiffness_matrix,
    transmissibility,
    workspace_maps,
)
from gough.analysis.least_time import fastest_alone, least_time
from gough.analysis.linked import check_rest
from gough.analysis.pacing import _first_proved, _limited, _limits, pace_path
from gough.analysis.sizing import time_mean, with_payload
from gough.checks import Array
from gough.model import Body, Limits
from gough.spatial import Motion, Pose, rotation_z
from gough.struts import struts
from oracles.machines import platform

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
HALF = np.array([0.02, 0.03, 0.04])
ONE_LEG = pytest.mark.parametrize("leg", [0, 3, 5])


def wrong(leg: int, value: float = -1.0) -> Array:
    out = np.ones(6)
    out[leg] = value
    return out


@ONE_LEG
@pytest.mark.parametrize("field", ["stiffness", "damping"])
def test_one_negative_spring_or_damper_is_refused(field: str, leg: int) -> None:
    with pytest.raises(gough.InputError, match="must not be negative"):
        linearize(MACHINE, HOME, **{field: wrong(leg)})  # type: ignore[arg-type]
    linearize(MACHINE, HOME, **{field: wrong(leg, 0.0)})  # type: ignore[arg-type]
    if field == "stiffness":
        for asked in (stiffness_matrix, compliance):
            with pytest.raises(gough.InputError, match="must not be negative"):
                asked(MACHINE, HOME, stiffness=wrong(leg))


@pytest.mark.parametrize("f", [[[1.0, 2.0]], [1.0, -2.0], [-1.0, 2.0], -3.0])
def test_frequencies_stand_in_a_row_and_are_not_negative(f: Any) -> None:
    with pytest.raises(gough.InputError, match="frequencies in a row, not negative"):
        transmissibility(MACHINE, HOME, f, stiffness=1e7)
    assert transmissibility(MACHINE, HOME, 0.0, stiffness=1e7).response.shape == (1, 6, 6)


@pytest.mark.parametrize("rate", range(4))
@pytest.mark.parametrize("axis", range(3))
def test_one_number_that_moves_is_no_rest(rate: int, axis: int) -> None:
    rates = np.zeros((4, 3))
    rates[rate, axis] = 1e-3
    with pytest.raises(gough.InputError, match="linearized at rest"):
        check_rest(Motion(HOME.position, HOME.rotation, *rates), None)
    with pytest.raises(gough.InputError, match="must be left out"):
        check_rest(Motion.at_rest(HOME), np.zeros(6))
    check_rest(Motion.at_rest(HOME), None)


def test_joints_have_no_negative_stiffness() -> None:
    for pair in ((-1.0, 1.0), (1.0, -1e-9)):
        with pytest.raises(gough.InputError, match=r"universal|spherical"):
            joint_stiffness.joint_stiffness(MACHINE, HOME, *pair)
    assert np.abs(joint_stiffness.joint_stiffness(MACHINE, HOME, 0.5, 0.25)).max() > 0.0


MOTION = tr.harmonic(HOME, [0.0, 0.0, 0.02, 0.01, 0.0, 0.0], 1.0, duration=1.0)


@ONE_LEG
@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_ratings_are_positive(leg: int, bad: float) -> None:
    for field in ("base_rating", "platform_rating"):
        given = {"base_rating": 1e4, "platform_rating": 1e4} | {field: wrong(leg, bad)}
        with pytest.raises(gough.InputError, match="one number or six, positive") as error:
            bearing_life(MACHINE, MOTION, **given)  # type: ignore[arg-type]
        assert error.value.field == field
    with pytest.raises(gough.InputError, match="one number or six"):
        rating_life._rating("base_rating", np.ones(5))


@pytest.mark.parametrize("times", [None, [0.0], [0.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
def test_lives_need_a_rising_time(times: Any) -> None:
    n = 3 if times is None else len(times)
    motion = Motion(np.tile(HOME.position, (n, 1)), np.tile(HOME.rotation, (n, 1, 1)), time=times)
    with pytest.raises(gough.InputError, match="rising time axis"):
        bearing_life(MACHINE, motion, base_rating=1e4, platform_rating=1e4)
    with pytest.raises(gough.InputError):
        size(MACHINE, [motion])


def test_lives_are_those_of_known_joints_and_kinds() -> None:
    with pytest.raises(gough.InputError, match="ball, roller"):
        bearing_life(MACHINE, MOTION, base_rating=1.0, platform_rating=1.0, kind="needle")
    turned = gough.load("screw-hexapod")
    path = tr.hold(turned.require_home(), 1.0)
    with pytest.raises(gough.InputError, match="no turn is known here"):
        bearing_life(turned, path, base_rating=1.0, platform_rating=1.0)


def test_a_life_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two samples, one second apart: base joints bear 1 kN at 2 rad/s, then 3 kN at 4 rad/s; the tops stand still."""
    load = np.empty((2, 2, 6))
    load[0], load[1] = 1000.0, 3000.0
    turn = np.zeros((2, 2, 6))
    turn[0, 0], turn[1, 0] = 2.0, 4.0
    monkeypatch.setattr(rating_life, "_loads_and_turns", lambda *_: (load, turn))
    motion = MOTION(np.array([0.0, 1.0]))
    for kind, p in (("ball", 3.0), ("roller", 10.0 / 3.0)):
        found = bearing_life(MACHINE, motion, base_rating=2e4, platform_rating=1e4, kind=kind)
        np.testing.assert_allclose(found.turn[0], 3.0)  # rad in a cycle: half a second of each
        mean = ((1000.0**p * 1.0 + 3000.0**p * 2.0) / 3.0) ** (1.0 / p)
        np.testing.assert_allclose(found.load[0], mean)
        turns = 1e6 * (2e4 / mean) ** p
        np.testing.assert_allclose(found.turns[0], turns)
        np.testing.assert_allclose(found.hours[0], turns / (3.0 / (2.0 * np.pi)) / 3600.0)
        assert np.isinf(found.hours[1]).all()
        np.testing.assert_allclose(found.load[1], 3000.0)
        assert found.judged.startswith(f"{kind} bearings, 90 percent reliability, 2 samples")
        told = found.as_dict()["legs"][4]
        assert told["platform"]["life_h"] is None
        assert told["base"]["swept_rad"] == pytest.approx(3.0)


def test_screws_that_turn_buckle_over_the_length_of_their_strut() -> None:
    """Of a UCU leg with a screw the coordinate is the screw's travel: its strut is as long as its ends are apart."""
    turned = gough.load("screw-hexapod")
    home = turned.require_home()
    home = Pose(home.position, rotation_z(0.2) @ home.rotation)
    still = Motion(
        np.tile(home.position, (2, 1)), np.tile(home.rotation, (2, 1, 1)), time=[0.0, 1.0]
    )
    found = size(turned, [still]).legs
    g = struts(turned, home)
    span = np.linalg.norm(g.end - g.start, axis=-1)
    for leg, long in zip(found, span, strict=True):
        assert leg.bending_stiffness == pytest.approx(leg.strut_push * long**2 / np.pi**2)
    assert max(leg.strut_push for leg in found) > 0.0
    assert np.abs(span - gough.inverse_kinematics(turned, home).length).max() > 1e-6


def test_bodies_without_mass_change_nothing_and_masses_meet_in_their_center() -> None:
    assert with_payload(MACHINE, Body(0.0)) is MACHINE
    light = MACHINE.replace(body=Body(0.0, inertia=(1.0, 1.0, 1.0)))
    found = with_payload(light, Body(0.0, inertia=(1.0, 2.0, 2.0))).body
    assert found.mass == 0.0
    np.testing.assert_allclose(found.inertia, np.diag([2.0, 3.0, 3.0]))
    a, b = Body(2.0, (1.0, 0.0, 0.0)), Body(6.0, (0.0, 1.0, 2.0))
    both = with_payload(MACHINE.replace(body=a), b).body
    assert both.mass == 8.0
    np.testing.assert_allclose(both.center, [0.25, 0.75, 1.5])
    apart = np.array([1.0, -1.0, -2.0])
    reduced = 2.0 * 6.0 / 8.0
    due = reduced * (apart @ apart * np.eye(3) - np.outer(apart, apart))
    np.testing.assert_allclose(both.inertia, a.inertia + b.inertia + due, atol=1e-12)


def test_means_over_uneven_times() -> None:
    t = np.array([0.0, 1.0, 4.0])
    assert float(time_mean(np.array([2.0, 4.0, 0.0]), t)) == pytest.approx((3.0 + 6.0) / 4.0)
    rows = np.stack([np.array([2.0, 4.0, 0.0]), np.ones(3)], axis=1)
    np.testing.assert_allclose(time_mean(rows, t), [9.0 / 4.0, 1.0])


def test_boxes_of_legs_without_bounds_say_why() -> None:
    offset = platform("UPS", seed=1)
    assert effort_boxes.without_boxes(offset) == ""
    spinning = platform("SPS-general", seed=1)
    assert "over boxes" in effort_boxes.without_boxes(spinning)


def test_a_linear_program_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = SimpleNamespace(success=False, message="no answer")
    failing = SimpleNamespace(linprog=lambda *_, **__: ended)
    monkeypatch.setattr(gravity_springs, "package", lambda name: failing)
    with pytest.raises(gough.InputError, match="the linear program ended with: no answer"):
        gravity_springs._spring(np.array([1.0, 2.0]), np.array([1.0, 1.5]), "peak", None, None)


def test_springs_over_a_box_with_flat_sides_count_their_poses() -> None:
    """Three levels of each variable with a width; means and peaks of what is left at these very poses."""
    found = gravity_springs.choose_springs(
        MACHINE, (0.02, 0.0, 0.03), (0.0, 0.01, 0.0), prove=False
    )
    assert found.poses == 27
    assert (found.peak_after <= found.peak_before).all()
    assert (found.rms_before <= found.peak_before).all()
    assert (found.rms_after <= found.peak_after * (1 + 1e-12)).all()
    assert (found.before, found.after) == (None, None)
    one = gravity_springs.choose_springs(MACHINE, (0.0, 0.0, 0.0), prove=False)
    assert one.poses == 1
    force = gough.inverse_dynamics(MACHINE, HOME).force
    np.testing.assert_allclose(one.peak_before, np.abs(force))
    np.testing.assert_allclose(one.rms_before, np.abs(force))
    np.testing.assert_allclose(one.peak_after, 0.0, atol=1e-6 * np.abs(force).max())


@pytest.mark.parametrize("which", ["start", "end"])
def test_a_plan_names_the_end_that_is_refused(which: str) -> None:
    far = Pose(HOME.position + 9.0, HOME.rotation)
    ends = (far, HOME) if which == "start" else (HOME, far)
    found = gough.plan_path(MACHINE, *ends)
    assert found.possible is False
    assert (found.poses, found.direct, found.tried) == (None, None, 0)
    assert found.sentences[0].startswith(f"the {which} itself is refused: ")
    assert found.parts == ()
    assert not found


def stopped_way(monkeypatch: pytest.MonkeyPatch, **more: Any) -> Any:
    given: dict[str, Any] = {"free": 0.25, "beyond": 0.3, "whole": False, "stops": (), "proved": None}  # fmt: skip
    end = path_planner.RayEnd(**(given | more))
    monkeypatch.setattr(path_planner, "first_stops", lambda *_: [end])
    return gough.plan_path(MACHINE, HOME, HOME, samples=3)


def test_what_a_plan_says_of_the_straight_way(monkeypatch: pytest.MonkeyPatch) -> None:
    free = stopped_way(monkeypatch, free=1.0, whole=True)
    assert free.possible is True
    assert free.tried == 1
    assert len(free.poses.position) == 2
    sampled = stopped_way(monkeypatch, proved="samples")
    assert sampled.possible is None
    assert sampled.tried == 1
    assert sampled.sentences[-1] == "no way is proved: samples"
    assert len(stopped_way(monkeypatch, proved="samples", whole=True).sentences) == 1
    monkeypatch.setattr(path_planner, "apart", lambda *_: True)
    beyond = stopped_way(monkeypatch)
    assert beyond.possible is False
    assert beyond.tried == 1
    assert beyond.sentences[0] == path_planner.BEYOND
    monkeypatch.setattr(path_planner, "apart", lambda *_: False)
    monkeypatch.setattr(path_planner, "_search", lambda *_: (None, 12))
    lost = stopped_way(monkeypatch)
    assert lost.possible is None
    assert lost.tried == 12
    assert lost.sentences[-1].startswith("none of 12 straight ways by random poses led there")
    assert "stops at 25 % of it" in lost.sentences[0]


@pytest.mark.parametrize("samples", [0, True, 2.0])
def test_samples_of_a_plan_are_a_whole_number(samples: Any) -> None:
    with pytest.raises(gough.InputError, match="whole number, at least 1"):
        path_planner.plan_path(MACHINE, HOME, HOME, samples=samples)


def test_sampled_ends_of_a_machine_with_a_link_name_the_link() -> None:
    """Fixed links are named once, and what else breaks there is told of the other legs alone."""
    length = gough.inverse_kinematics(MACHINE, HOME).length
    first, *rest = MACHINE.legs
    held = first.replace(
        fixed=float(length[0]), drive=None, limits=Limits(), friction=gough.Friction()
    )
    machine = MACHINE.replace(legs=[held, *rest])
    off = Pose(HOME.position[None] + 0.3, HOME.rotation[None])
    sign = float(sampled_rays.signs(machine, off)[0])
    stops = sampled_rays._stops(machine, off, sign)
    assert (stops[0].kind, stops[0].legs) == ("link", (0,))
    assert all(0 not in stop.legs for stop in stops[1:])
    assert all(stop.kind in sampled_rays.GEOMETRIC for stop in stops[1:])
    other = sampled_rays._stops(machine, off, -sign)
    assert other[-1].kind == "determinant"
    assert len(other) == len(stops) + 1
    here = Pose(HOME.position[None], HOME.rotation[None])
    (alone,) = sampled_rays._stops(machine, here, sign)
    assert alone.kind == "determinant"
    assert sampled_rays.broken(machine, off, np.array([sign])).tolist() == [True]
    assert sampled_rays.broken(machine, here, sampled_rays.signs(machine, here)).tolist() == [False]
    assert sampled_rays.broken(machine, here, -sampled_rays.signs(machine, here)).tolist() == [True]


def part(cells: Any, start: Pose = HOME, box: Any = None) -> Any:
    corners = np.stack([start.position - 0.02, start.position + 0.02]) if box is None else box
    return SimpleNamespace(cells=np.array(cells, dtype=np.uint8), box=corners, start=start)


def test_maps_of_parts_without_cells_or_out_of_reach_are_refused() -> None:
    with pytest.raises(gough.InputError, match="joined with its start"):
        workspace_maps.workspace_map(MACHINE, part(np.zeros((2, 2, 2))), "condition")
    rails = gough.load("hexaglide")
    home = rails.require_home()
    far = np.stack([home.position - 0.001, home.position + np.array([0.001, 0.001, 90.0])])
    marks = np.full((1, 1, 2), 4)
    with pytest.raises(gough.InputError, match="cells out of reach"):
        workspace_maps.workspace_map(rails, part(marks, home, far), "condition")
    with pytest.raises(gough.InputError, match="one point"):
        workspace_maps._center(np.zeros((1, 3)))


def test_a_map_tells_worst_and_best_and_where() -> None:
    """Cells of different sides: places are their centers; of conditions the largest is worst, of margins the least."""
    marks = np.zeros((2, 3, 4))
    marks[0, 1, 2], marks[1, 2, 3], marks[1, 0, 0], marks[0, 0, 0] = 3, 4, 4, 2
    box = np.stack([HOME.position - HALF, HOME.position + HALF])
    for quantity, sign in (("condition", -1.0), ("margin", 1.0)):
        found = workspace_maps.workspace_map(MACHINE, part(marks, box=box), quantity)
        at = np.argwhere(marks >= 3)
        centers = box[0] + (at + 0.5) * 0.02
        values = found.values[tuple(at.T)]
        assert np.isfinite(values).all()
        assert np.isnan(found.values).sum() == 24 - 3
        assert sign * found.worst == (sign * values).min()
        assert sign * found.best == (sign * values).max()
        np.testing.assert_allclose(found.worst_at, centers[(sign * values).argmin()])
        np.testing.assert_allclose(found.best_at, centers[(sign * values).argmax()])
        np.testing.assert_allclose(found.spacing, 0.02)
        np.testing.assert_allclose(found.axes[2], box[0, 2] + 0.02 * (np.arange(4) + 0.5))
        pose = Pose(centers, HOME.rotation)
        if quantity == "condition":
            from gough.analysis.singularity import singularity

            np.testing.assert_allclose(values, singularity(MACHINE, pose).condition)


@pytest.mark.parametrize("points", [9, True, 10.0])
def test_intervals_of_a_pace_are_ten_at_least(points: Any) -> None:
    with pytest.raises(gough.InputError, match="whole number, at least 10"):
        pace_path(MACHINE, MOTION, max_acceleration=1.0, points=points)


def test_a_pace_of_ten_intervals_is_found() -> None:
    found = pace_path(MACHINE, MOTION, max_acceleration=1.0, points=10)
    assert found.duration > 0.0


def test_limits_of_a_pace_are_asked_for_or_the_machines_own() -> None:
    own = [0.5, None, 1.5, None, 2.5, 3.5]
    np.testing.assert_array_equal(_limits("max_rate", None, own), [0.5, np.inf, 1.5, np.inf, 2.5, 3.5])  # type: ignore[arg-type]  # fmt: skip
    np.testing.assert_array_equal(_limits("max_rate", 2.0, own), np.full(6, 2.0))  # type: ignore[arg-type]
    V, F = np.array([1.0, np.inf, 2.0, 3.0, 4.0, 5.0]), np.array([np.inf, 6.0, 7.0, 8.0, 9.0, 10.0])
    legs = [leg.limits for leg in _limited(MACHINE, V, F).legs]
    assert [x.speed for x in legs] == [1.0, None, 2.0, 3.0, 4.0, 5.0]
    assert [x.force for x in legs] == [None, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert [x.stroke is not None for x in legs] == [True] * 6
    first, *rest = (leg.replace(limits=Limits(force=1e5)) for leg in MACHINE.legs)
    bare = MACHINE.replace(legs=[first.replace(limits=Limits()), *rest])
    with pytest.raises(gough.InputError, match="where not every effort is limited"):
        pace_path(bare, MOTION)


def test_reserves_are_tried_until_one_is_enough_or_more_would_not_help() -> None:
    for enough, due in ((0.1, [0.1]), (0.3, [0.1, 0.2, 0.3]), (9.0, [0.1, 0.2, 0.3])):
        tried = list[float]()

        def attempt(reserve: float, enough: float = enough, tried: list[float] = tried) -> Any:
            tried.append(reserve)
            return f"with {reserve}", reserve < enough

        assert _first_proved(attempt, (0.1, 0.2, 0.3)) == f"with {due[-1]}"
        assert tried == due


def test_the_slowest_leg_decides_the_least_time() -> None:
    """Rate alone, rate and acceleration, acceleration alone where the rate is not reached; nothing to go: nothing."""
    none = np.inf
    assert fastest_alone(0.0, 1.0, 1.0, 1.0) == 0.0
    assert fastest_alone(6.0, 2.0, none, none) == 3.0
    assert fastest_alone(6.0, 2.0, 1.0, none) == pytest.approx(6.0 / 2.0 + 2.0)
    assert fastest_alone(4.0, 9.0, 1.0, none) == pytest.approx(4.0)
    assert fastest_alone(4.0, 2.0, 1.0, none) == pytest.approx(4.0)  # just reached
    assert fastest_alone(4.0, none, 1.0, none) == pytest.approx(4.0)
    # four equal parts of constant jerk: D = J T^3/32
    assert fastest_alone(6.0, none, none, 3.0) == pytest.approx(4.0)
    way = np.array([1.0, 0.0, 3.0, 2.0, 1.0, 1.0])
    V, A, J = np.full(6, 0.5), np.full(6, none), np.full(6, none)
    assert least_time(way, V, A, J) == 6.0
