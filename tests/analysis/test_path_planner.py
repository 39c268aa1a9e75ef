"""Ways between two poses: each answer against brute force, and errors planted in the search."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import gough
from campaigns.plan_campaign import broken_plan, plans, valley
from campaigns.travel_campaign import machine
from gough.analysis import path_planner
from gough.analysis.path_planner import PathPlan, _Tree
from gough.analysis.rays import free_parts
from gough.analysis.ways import Rays
from gough.checks import Array
from gough.model import Platform
from gough.spatial import Pose
from gough.trajectory.compose import sequence
from oracles.links import linked

COUNT = int(os.environ.get("GOUGH_PLANS", "12"))


def planned(**more: Any) -> tuple[Platform, PathPlan]:
    one, start, end = valley()
    return one, gough.plan_path(one, start, end, **more)


def test_the_straight_way_where_it_is_free() -> None:
    one = gough.load("positioner-300")
    home = one.require_home()
    end = Pose.from_rpy([0, 0, 0.225], [0, 0, 0.02])
    found = gough.plan_path(one, home, end)
    assert found
    assert found.poses is not None
    np.testing.assert_array_equal(found.poses.position, [home.position, end.position])
    assert "the straight way" in found.sentences[0]
    assert found.tried == 1
    assert not broken_plan(one, home, end, found)


def test_a_detour_is_found_and_proved() -> None:
    one, start, end = valley()
    assert gough.reach(one, end, start=start).reachable is None
    found = gough.plan_path(one, start, end)
    assert found.possible is True
    assert found.poses is not None
    assert len(found.poses.position) > 2
    assert found.direct is not None
    assert not found.direct.whole
    assert not broken_plan(one, start, end, found)
    again = planned()[1]
    assert again.poses is not None
    np.testing.assert_array_equal(found.poses.position, again.poses.position)


def test_its_parts_are_the_way() -> None:
    """One after another they lead from start to end, and every limit holds on them: judged by the other proof."""
    one, found = planned()
    path = sequence(*found.parts)
    assert found.poses is not None
    np.testing.assert_allclose(path(0.0).position, found.poses.position[0], atol=1e-15)
    np.testing.assert_allclose(path(path.duration).position, found.poses.position[-1], atol=1e-15)
    assert gough.analysis.proved_limits(one, path).ok is True


@pytest.mark.parametrize("error", ["proof", "corners"])
def test_planted_errors_show(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ways that count as free unproved, corners left out unasked: brute force says so."""
    if error == "proof":
        monkeypatch.setattr(path_planner, "free_parts", lambda platform, rays: rays.end.copy())
    else:
        monkeypatch.setattr(
            path_planner, "_shortened", lambda platform, way, size: (way[np.array([0, -1])], 0)
        )
    one, start, end = valley()
    assert broken_plan(one, start, end, gough.plan_path(one, start, end))


def test_what_is_answered_is_proved_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search whose ways are not what it takes them for answers nothing that is not proved."""
    lying, grow = [False], _Tree.grow

    def lie(tree: _Tree, platform: Platform, goals: Pose) -> Any:
        lying[0] = True
        try:
            return grow(tree, platform, goals)
        finally:
            lying[0] = False

    def free(platform: Platform, rays: Rays) -> Array:
        return rays.end.copy() if lying[0] else free_parts(platform, rays)

    monkeypatch.setattr(_Tree, "grow", lie)
    monkeypatch.setattr(path_planner, "free_parts", free)
    one, start, end = valley()
    found = gough.plan_path(one, start, end, samples=16)
    assert found.tried > 1
    assert not broken_plan(one, start, end, found)


@pytest.mark.parametrize("back", [False, True])
def test_the_ends_of_path_three_lie_in_different_aspects(back: bool) -> None:
    """[Dasgupta1998] Path III: the determinants at its ends have opposite signs."""
    with pytest.warns(gough.ModelWarning):
        one = gough.load("dasgupta-1998")
    path = gough.trajectory.paper("001-III")
    ends = [path(0.0).pose, path(path.duration).pose]
    start, end = ends[::-1] if back else ends
    found = gough.plan_path(one, start, end)
    assert found.possible is False
    assert found.poses is None
    assert found.parts == ()
    assert "beyond a singularity" in found.sentences[0]
    assert not broken_plan(one, start, end, found)


def test_no_proof_of_impossibility_where_the_signs_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing found is nothing proved, and says so."""
    monkeypatch.setattr(path_planner, "SPREADS", (1e-9,))
    found = planned(samples=8)[1]
    assert found.possible is None
    assert found.poses is None
    assert "not ruled out" in found.sentences[-1]
    assert found.tried > 8


@pytest.mark.parametrize("name", ["start", "end"])
def test_an_end_that_breaks_a_limit(name: str) -> None:
    one, start, end = valley()
    ends = {"start": start, "end": end, name: Pose([0.0, 0.0, 0.6])}
    found = gough.plan_path(one, **ends)
    assert found.possible is False
    assert f"the {name} itself is refused" in found.sentences[0]
    assert not broken_plan(one, ends["start"], ends["end"], found)


def test_cones_without_an_axis_leave_it_open() -> None:
    base = gough.load("positioner-300")
    legs = [leg.replace(limits=leg.limits.replace(base_cone=1.0)) for leg in base.legs]
    home = base.require_home()
    one = base.replace(legs=legs, home=None)
    found = gough.plan_path(one, home, Pose(home.position + 1e-3, home.rotation))
    assert found.possible is None
    assert found.poses is not None
    assert "that could be checked" in found.sentences[0]
    assert any("neither axis nor home pose" in said for said in found.sentences)


def test_legs_without_bounds_prove_nothing() -> None:
    one = machine("offset UCU-offset", 2)
    home = one.require_home()
    found = gough.plan_path(one, home, Pose(home.position + 1e-4, home.rotation))
    assert found.possible is None
    assert found.poses is None
    assert "no proof between them" in found.sentences[-1]


def test_fixed_links_are_not_left() -> None:
    case = linked("UPS", seed=4, count=1)
    assert case is not None
    home = case.platform.require_home()
    found = gough.plan_path(case.platform, home, home)
    assert found.possible is not False
    off = gough.plan_path(case.platform, home, Pose(home.position + 0.01, home.rotation))
    assert off.possible is False
    assert "fixed link" in off.sentences[0]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"start": Pose(np.zeros((2, 3)))}, "start"),
        ({"end": Pose(np.zeros((2, 3)))}, "end"),
        ({"samples": 0}, "samples"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], field: str) -> None:
    one, start, end = valley()
    with pytest.raises(gough.InputError, match=field):
        gough.plan_path(one, **{"start": start, "end": end, **arguments})


@pytest.mark.slow
def test_plans_of_random_machines_against_brute_force() -> None:
    found = plans(COUNT, 1)
    assert found["wrong"] == 0, found
    assert found["True"] > 0
    assert found["False"] > 0
