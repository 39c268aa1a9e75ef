"""Ways by their parts: twelve rays of travel, ends that are cut, signs that change, trees of a plan."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import path_planner, rays, travels
from gough.analysis.path_planner import _Tree, apart_by
from gough.analysis.rays import RayProof, _cut, _foremost, _sign_changes
from gough.analysis.ways import RayEnd, Rays, RayStop, between, straight, together
from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.model import Frames
from gough.spatial import (
    Pose,
    rotation_exp,
    rotation_log,
    rotation_x,
    rotation_y,
    rotation_z,
)
from gough.struts import CRANK, leg_table, struts

MACHINE = gough.load("motion-base-1500")
AT = Pose.from_rpy([0.05, -0.04, 1.2], [0.1, -0.2, 0.3])


@pytest.mark.parametrize(
    "convention", ["rpy", "vector", "XYZ intrinsic", "ZXZ intrinsic", "ZYX extrinsic"]
)
def test_changing_one_number_turns_about_its_axis(convention: str) -> None:
    """Finite change of each angle alone: the rotation is about the axis that is told, world axes."""
    work = Pose.from_rpy([0.1, 0.0, 0.0], [0.2, 0.1, -0.3])
    frames = Frames(convention=convention, work=work)
    axes = travels.turn_axes(frames, AT)
    assert axes.shape == (3, 3)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1.0)
    if convention == "vector":
        np.testing.assert_allclose(axes, work.rotation.T)
        return
    position, angles = frames.numbers(AT)
    for k in range(3):
        moved = np.array(angles)
        moved[k] += 1e-6
        turned = frames.pose(position, moved).rotation @ AT.rotation.T
        np.testing.assert_allclose(rotation_log(turned) / 1e-6, axes[k], atol=1e-5)


def test_names_of_turns() -> None:
    assert travels.turn_names("rpy") == ("roll", "pitch", "yaw")
    assert travels.turn_names("vector") == ("about x", "about y", "about z")
    assert travels.turn_names("ZXZ intrinsic") == ("angle 1 (Z)", "angle 2 (X)", "angle 3 (Z)")


def test_twelve_ways_down_and_up_each_axis() -> None:
    """Shifts along the work axes move no orientation and know no pivot; turns go about the pivot."""
    frames = Frames(work=Pose.from_rpy([0, 0, 0], [0.0, 0.0, 0.5]), pivot=[0.1, 0.2, 0.3])
    axes = np.stack([rotation_z(0.2)[:, 0], rotation_x(0.3)[:, 1], rotation_y(0.1)[:, 2]])
    made = travels._rays(MACHINE, AT, frames, axes, (0.7, 0.4))
    assert len(made) == 12
    np.testing.assert_array_equal(made.end, [0.7] * 6 + [0.4] * 6)
    np.testing.assert_array_equal(made.unit, [MACHINE.characteristic_length] * 6 + [1.0] * 6)
    x = np.linspace(0.05, 0.3, 12)
    found = made.pose(x)
    pivot = AT.position + AT.rotation @ [0.1, 0.2, 0.3]
    for k in range(12):
        side, axis = (1.0 if k % 2 else -1.0), (k % 6) // 2
        if k < 6:
            due = AT.position + side * x[k] * frames.work.rotation[:, axis]
            np.testing.assert_allclose(found.position[k], due)
            np.testing.assert_array_equal(found.rotation[k], AT.rotation)
            continue
        turn = rotation_exp(side * x[k] * axes[axis])
        np.testing.assert_allclose(found.rotation[k], turn @ AT.rotation, atol=1e-14)
        np.testing.assert_allclose(
            found.position[k], pivot + turn @ (AT.position - pivot), atol=1e-14
        )


def test_looks_go_five_sizes_of_the_machine_far() -> None:
    g = struts(MACHINE, AT)
    points = np.concatenate([g.start, g.end])
    assert travels._most(MACHINE, AT) == pytest.approx(5.0 * np.ptp(points, axis=0).max())


@pytest.mark.parametrize("most", [0.0, -1.0, 2.001 * np.pi])
def test_a_turn_goes_around_once_at_most(most: float) -> None:
    with pytest.raises(gough.InputError, match="most_turn"):
        gough.travel(MACHINE, most_turn=most)


def test_what_ends_a_way_in_words() -> None:
    stop = RayStop("stroke", (0,), "L1: stroke at its maximum, 1 m")
    whole, broken = RayEnd(0.25, np.nan, True, ()), RayEnd(0.25, 0.26, False, (stop,))
    opened = RayEnd(0.25, np.nan, False, (stop,), "samples")
    assert travels.end_reason(whole, False) == "no limit up to 250 mm"
    assert travels.end_reason(whole, True) == "no limit up to 14.3239°"
    assert travels.end_reason(broken, False) == stop.sentence
    assert travels.end_reason(opened, False) == f"not proved beyond: {stop.sentence} (samples)"
    assert (whole.settled, broken.settled, opened.settled) == (True, True, False)
    assert not RayEnd(0.25, np.nan, False, (stop,)).settled
    assert not RayEnd(0.25, np.nan, True, (), "samples").settled
    other = stop._replace(sentence="L4: stroke at its maximum, 1 m")
    last = RayStop("reach", (1,), "L2: too far")
    assert together((stop, last, other)) == ("L1, L4: stroke at its maximum, 1 m", "L2: too far")


def test_models_of_rays_hold_their_poses() -> None:
    """Turned about a center and shifted at once; over intervals, at their ends and inside."""
    rng = np.random.default_rng(1)
    start = Pose(rng.normal(size=(4, 3)), rotation_exp(rng.normal(size=(4, 3))))
    made = Rays(start, *rng.normal(size=(3, 4, 3)), np.ones(4), np.ones(4))
    low = rng.uniform(0.0, 0.3, 4)
    high = low + 0.1
    model = made.model(low, high)
    for share in (-1.0, -0.4, 0.0, 0.7, 1.0):
        pose = made.pose(0.5 * (low + high) + share * 0.5 * (high - low))
        for part, true in ((model.position, pose.position), (model.rotation, pose.rotation)):
            value, off = part.at(np.array([share]))
            assert (np.abs(value[0] - true) <= off + 1e-14).all()
    assert model.position.r.max() < 1e-3
    assert not model.velocity.c.any()


def test_straight_ways_end_at_their_ends() -> None:
    rng = np.random.default_rng(3)
    a, b = (Pose(rng.normal(size=(5, 3)), rotation_exp(rng.normal(size=(5, 3)))) for _ in range(2))
    made = between(a, b)
    for x, end in ((np.zeros(5), a), (np.ones(5), b)):
        found = made.pose(x)
        np.testing.assert_allclose(found.position, end.position, atol=1e-14)
        np.testing.assert_allclose(found.rotation, end.rotation, atol=1e-14)
    half = made.pose(np.full(5, 0.5))
    np.testing.assert_allclose(half.position, 0.5 * (a.position + b.position))
    np.testing.assert_allclose(apart_by(half, a, 1e9), apart_by(half, b, 1e9), rtol=1e-9)
    one = straight(a[2], b[2])
    assert len(one) == 1
    np.testing.assert_allclose(
        one.pose(np.array([0.3])).position, made.pose(np.full(5, 0.3)).position[2:3]
    )


def test_intervals_are_cut_in_parts_that_meet() -> None:
    ray, low, high = np.array([3, 7]), np.array([0.0, 1.0]), np.array([1.0, 1.3])
    number, begin, end = _cut(ray, low, high)
    parts = rays.PARTS
    assert number.tolist() == [3] * parts + [7] * parts
    for k in range(2):
        a, b = begin[k * parts : (k + 1) * parts], end[k * parts : (k + 1) * parts]
        np.testing.assert_allclose(a, low[k] + (high[k] - low[k]) * np.arange(parts) / parts)
        np.testing.assert_allclose(a[1:], b[:-1])
        assert b[-1] == high[k]


def test_the_foremost_intervals_of_each_ray_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rays, "FRONT", 2)
    ray = np.array([1, 0, 1, 1, 0, 2])
    low = np.array([0.5, 0.2, 0.1, 0.3, 0.4, 0.9])
    now, later = _foremost(ray, low, low + 0.05)
    assert now[0].tolist() == [0, 0, 1, 1, 2]
    assert now[1].tolist() == [0.2, 0.4, 0.1, 0.3, 0.9]
    assert (later[0].tolist(), later[1].tolist()) == ([1], [0.5])
    np.testing.assert_allclose(now[2] - now[1], 0.05)


@pytest.mark.parametrize("reach", [None, [[True], [True], [True], [False]]])
def test_a_sign_changes_where_both_are_proved_and_differ(reach: Any) -> None:
    """Not where one of them is not known (0), nor where a leg may not reach in between."""
    now, before = np.array([1.0, -1.0, 1.0, -1.0]), np.array([-1.0, -1.0, 0.0, 1.0])
    held = {} if reach is None else {"reach": np.array(reach)}
    asked = list[Any]()

    def over(many: Any, low: Array, high: Array) -> Any:
        asked.append((low.tolist(), high.tolist()))
        return held, now

    proof: Any = SimpleNamespace(over=over)
    free, places = np.zeros(4), np.full(4, 0.5)
    found = _sign_changes(proof, None, free, places, before)  # type: ignore[arg-type]
    assert found.tolist() == [True, False, False, reach is None]
    assert asked == [(places.tolist(), places.tolist()), (free.tolist(), places.tolist())]
    assert not _sign_changes(proof, None, free, places, 0.0 * now).any()  # type: ignore[arg-type]


def test_moments_are_made_forces_by_the_size_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows of the determinant at one pose: unit struts and their moments over the characteristic length."""
    seen: list[Any] = []

    def rows(force: Any, moment: Any) -> Any:
        seen.append((force.c[0, 0], moment.c[0, 0]))
        return np.array([True]), np.array([1.0])

    monkeypatch.setattr(rays, "regular_rows", rows)
    proof = RayProof(MACHINE)
    proof.over(straight(AT, AT), np.zeros(1), np.zeros(1))
    force, moment = seen[0]
    due = struts(MACHINE, AT).rows_over(MACHINE.characteristic_length)
    np.testing.assert_allclose(np.hstack([force, moment]), due, atol=1e-12)


@pytest.mark.parametrize("name", ["motion-base-1500", "servo-hexapod", "hexaglide"])
def test_limits_may_be_broken_by_a_billionth_in_their_own_unit(name: str) -> None:
    """Lengths by a share of the machine's size, angles and cosines by the number itself, reach by nothing."""
    machine = gough.load(name)
    proof = RayProof(machine)
    size = machine.characteristic_length
    turns = leg_table(machine)[:, LEG.kind] == CRANK
    for kind, legs in proof.limits.limits.items():
        if kind == "determinant":
            continue
        due = {
            "reach": np.zeros(6),
            "link": np.zeros(6),
            "stroke": np.where(turns, 1e-9, 1e-9 * size)[[i[0] for i in legs]],
            "distance": np.full(len(legs), 1e-9 * size),
        }.get(kind, np.full(len(legs), 1e-9))
        np.testing.assert_allclose(proof.slack(kind), due[: len(legs)], rtol=1e-12)
    assert set(proof.limits.limits) <= set(rays.JUDGED)


def tree(*shifts: float) -> _Tree:
    """A root and poses in a row, each joined to the one before."""
    made = _Tree(Pose([0.0, 0.0, 0.0]), 2.0)
    made.position = np.array([[x, 0.0, 0.0] for x in (0.0, *shifts)])
    made.rotation = np.tile(np.eye(3), (1 + len(shifts), 1, 1))
    made.before = [0, *range(len(shifts))]
    return made


def test_poses_are_apart_by_shift_over_size_and_angle() -> None:
    a, b = Pose([0.0, 0.0, 0.0]), Pose([3.0, 4.0, 0.0], rotation_exp([0.0, 0.3, 0.4]))
    assert apart_by(a, b, 2.0) == pytest.approx(2.5 + 0.5)
    made = tree(1.0, 2.0, 5.0)
    goals = Pose(np.array([[0.4, 0, 0], [1.6, 0, 0], [9.0, 0, 0]]), np.tile(np.eye(3), (3, 1, 1)))
    assert made.nearest(goals).tolist() == [0, 2, 3]
    np.testing.assert_array_equal(made.back(3).position[:, 0], [5.0, 2.0, 1.0, 0.0])
    assert len(made.back(0).position) == 1


def test_a_tree_grows_to_its_goals_or_nearly_as_far_as_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whole ways end at their goals; of the others 0.9 of the free part is kept, if that is any step at all."""
    free = np.array([1.0, 0.5, 0.004, 1.0])
    monkeypatch.setattr(path_planner, "free_parts", lambda platform, rays: free)
    made = tree(1.0)
    places = [[1.0, 2.0, 0.0], [0.0, 4.0, 0.0], [0.0, 1.0, 0.0], [-0.001, 0.0, 0.0]]
    goals = Pose(np.array(places), np.tile(np.eye(3), (4, 1, 1)))
    number, whole = made.grow(MACHINE, goals)
    assert number.tolist() == [2, 3, -1, 4]
    assert whole.tolist() == [True, False, False, True]
    np.testing.assert_allclose(
        made.position[2:], [[1.0, 2.0, 0.0], [0.0, 1.8, 0.0], [-0.001, 0, 0]]
    )
    assert made.before == [0, 0, 1, 0, 0]


def test_the_search_counts_the_ways_that_it_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each lot: the random goals and the poses that the other tree then went for; and one for the straight way."""
    asked = list[tuple[int, int]]()

    def grow(self: _Tree, platform: Any, goals: Pose) -> Any:
        n = len(goals.position)
        asked.append((n, id(self)))
        if len(asked) % 2:  # two of the goals are reached
            self.position = np.concatenate([self.position, goals.position[:2]])
            self.rotation = np.concatenate([self.rotation, goals.rotation[:2]])
            first = len(self.before)
            self.before += [0, 0]
            return np.array([first, first + 1, *[-1] * (n - 2)]), np.zeros(n, dtype=bool)
        return np.full(n, -1), np.zeros(n, dtype=bool)

    monkeypatch.setattr(_Tree, "grow", grow)
    poses, tried = path_planner._search(MACHINE, AT, AT, 20, 0)
    assert poses is None
    assert [n for n, _ in asked] == [8, 2, 8, 2, 4, 2]
    assert tried == 1 + 20 + 6
    assert asked[0][1] != asked[1][1]
    assert asked[0][1] == asked[3][1]  # the trees take turns
    monkeypatch.setattr(
        _Tree, "grow", lambda self, platform, goals: (np.full(len(goals.position), -1), None)
    )
    assert path_planner._search(MACHINE, AT, AT, 9, 0) == (None, 10)


def test_corners_that_are_not_needed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five poses in a row: the shortest sum of free pieces, each counting one size more; pieces are asked once."""
    way = Pose(
        np.array([[x, 0.0, 0.0] for x in (0.0, 1.0, 2.0, 3.0, 4.0)]), np.tile(np.eye(3), (5, 1, 1))
    )
    shut: set[tuple[float, float]] = set()

    def free(platform: Any, made: Rays) -> Array:
        ends = made.start.position + made.shift
        pairs = zip(made.start.position[:, 0].tolist(), ends[:, 0].tolist(), strict=True)
        return np.array([0.5 if pair in shut else 1.0 for pair in pairs])

    monkeypatch.setattr(path_planner, "free_parts", free)
    for closed, due in (
        ([], [0.0, 4.0]),
        ([(0.0, 4.0), (0.0, 3.0)], [0.0, 1.0, 4.0]),
        ([(0.0, 4.0), (1.0, 4.0), (0.0, 3.0), (2.0, 4.0), (0.0, 2.0)], [0.0, 1.0, 3.0, 4.0]),
    ):
        shut.clear()
        shut.update(closed)
        poses, asked = path_planner._shortened(MACHINE, way, 1.0)
        assert poses is not None
        if len(due) == 3:
            assert len(poses.position) == 3
        else:
            assert poses.position[:, 0].tolist() == due
        assert asked == 10
    shut.update([(3.0, 4.0)])
    assert path_planner._shortened(MACHINE, way, 1.0) == (None, 10)


def test_two_ways_back_are_joined_at_their_meeting_place() -> None:
    def row(*x: float) -> Pose:
        return Pose(np.array(x)[:, None] * np.eye(3)[0], np.tile(np.eye(3), (len(x), 1, 1)))

    joined = path_planner._joined(row(2.0, 1.0, 0.0), row(2.0, 5.0))
    assert joined.position[:, 0].tolist() == [0.0, 1.0, 2.0, 5.0]


def test_random_poses_lie_about_the_straight_way() -> None:
    end = Pose(AT.position + 0.4 * np.eye(3)[0], rotation_x(0.2) @ AT.rotation)
    rng = np.random.default_rng(0)
    found = path_planner._drawn(rng, AT, end, 0.1, 2.0, 400)
    off = found.position - AT.position
    assert off[:, 1:].std() == pytest.approx(0.2, rel=0.1)
    assert off[:, 0].mean() == pytest.approx(0.2, abs=0.05)
    still = path_planner._drawn(np.random.default_rng(0), AT, end, 0.0, 2.0, 50)
    share = (still.position - AT.position)[:, 0] / 0.4
    assert ((share >= 0.0) & (share <= 1.0)).all()
    assert share.max() > 0.8
    way = straight(AT, end)[np.zeros(50, dtype=int)]
    np.testing.assert_allclose(still.rotation, way.pose(share).rotation, atol=1e-12)
