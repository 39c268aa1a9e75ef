"""Legs must not touch platform and base: every judge against dense points, against one another, and planted errors."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest
from scipy.spatial import cKDTree

import gough
from campaigns.flood_campaign import MACHINES as FLOODED
from campaigns.flood_campaign import compared, shaped
from campaigns.travel_campaign import broken_range, broken_reach, machine
from gough import trajectory as tr
from gough.analysis import nearness
from gough.analysis.cell_bits import PROVED_IN, PROVED_OUT, WITHIN
from gough.analysis.cell_judge import BallJudge
from gough.analysis.connected import reachable_volume
from gough.analysis.points import points_inside
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED, proved_limits
from gough.analysis.workspace import workspace_slice
from gough.clearances import CLEARANCES
from gough.kinematics.assembly.filters import admitted
from gough.limits import KINDS, check, home_warnings
from gough.model import Limits, Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from support.bodies import dense_distance, plate_points, with_bodies
from support.flood import looked_at

LEGS = ("UPS", "PUS", "RUS", "mixed", "UCU-screw", "offset UPS-offset")
BALLS = int(os.environ.get("GOUGH_BODY_CELLS", "120"))
MACHINES = int(os.environ.get("GOUGH_BODY_MACHINES", "4"))


def around(platform: Platform, n: int, seed: int, size: float = 0.15) -> Pose:
    """Random poses about home."""
    rng, home = np.random.default_rng(seed), platform.require_home()
    shift = rng.uniform(-1, 1, (n, 3)) * size * platform.characteristic_length
    turn = rotation_exp(rng.uniform(-1, 1, (n, 3)) * size)
    return Pose(home.position + shift, turn @ home.rotation)


def motion_base(spared: float = 0.12, **limits: object) -> Platform:
    """motion-base-1500 (radii of 90 mm) between two plates that come before its strokes."""
    base = gough.load("motion-base-1500")
    legs = [x.replace(limits=x.limits.replace(**limits)) for x in base.legs]
    hexagon = 1.5 * np.stack([np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3)])
    return base.replace(
        legs=legs,
        base_shape=gough.Plate(bottom=-0.2, top=0.0, radius=2.0, spared=spared),
        platform_shape=gough.Plate(bottom=0.0, top=0.1, outline=hexagon.T, spared=spared),
    )


@pytest.mark.parametrize("kind", LEGS)
def test_distances_of_legs_against_dense_points(kind: str) -> None:
    """Struts cut back at their own joint, points on the bodies carried by the platform; margins are of these."""
    one, seen = with_bodies(machine(kind, 2), 2), 0
    poses = around(one, 4, 1)
    found, g = check(one, poses), struts(one, poses)
    size = one.characteristic_length
    for name in CLEARANCES:
        plate = one.platform_shape if name == CLEARANCES[0] else one.base_shape
        assert plate is not None
        points = cKDTree(plate_points(plate, 0.02 * size))
        for n, i in np.ndindex(4, 6):
            d = found.value[name][n, i]
            if not g.reachable[n, i]:
                assert np.isnan(found.margin[name][n, i])
                continue
            strut = g.end[n, i] - g.start[n, i]
            long = float(np.linalg.norm(strut))
            cut = min(plate.spared, long) / long * strut
            a, b = g.start[n, i] + cut, g.end[n, i]
            if name == CLEARANCES[0]:
                t, R = poses.position[n], poses.rotation[n]
                a, b = (g.start[n, i] - t) @ R, (g.end[n, i] - cut - t) @ R
            radius = one.legs[i].limits.radius
            assert found.margin[name][n, i] == pytest.approx((d - radius) / radius)
            if d > 0.02 * size:
                dense, away = dense_distance(points, a, b), 0.02 * size + long / 800
                assert d - 1e-9 <= dense <= d + min(away, away**2 / (2 * d))
                seen += 1
    assert seen > 20


def test_a_leg_that_touches_is_refused_everywhere() -> None:
    one = motion_base(0.11)  # 90 mm of radius do not fit at home
    said = home_warnings(one)
    assert sum("touches the platform" in x for x in said) == 6
    assert sum("touches the base" in x for x in said) == 6
    assert "it needs 90.00 mm" in said[0]
    home = one.require_home()
    assert not points_inside(one, home.position)
    assert gough.reach(one, home).reachable is False
    assert workspace_slice(one, points=5).reason[2, 2] in [1 + KINDS.index(k) for k in CLEARANCES]
    length = struts(one, home).coordinate
    near = Pose(home.position[None], home.rotation[None])
    assert not admitted("crossings", one, near, length).any()
    assert admitted("crossings", motion_base(), near, length).all()


def test_legs_without_a_radius_are_said_to_be_unchecked() -> None:
    one = motion_base()
    legs = [one.legs[0].replace(limits=Limits(stroke=(1.0, 2.0))), *one.legs[1:]]
    bare = one.replace(legs=legs)
    said = check(bare, bare.home).unchecked
    assert said == tuple(f"L1: {kind} not checked: the leg has no radius" for kind in CLEARANCES)
    assert said == reachable_volume(bare, depth=3).unchecked
    held = proved_limits(bare, tr.hold(bare.require_home(), 1.0), determinant=False)
    assert held.ok is None
    assert [v.legs for v in held.verdicts if v.status == UNDECIDED] == [(0,), (0,)]
    none = one.replace(legs=[x.replace(limits=x.limits.replace(radius=None)) for x in one.legs])
    assert len(check(none, none.home).unchecked) == 12


@pytest.mark.parametrize("route", ["compiled", "vectorized"])
def test_points_are_judged_as_poses_are(route: str) -> None:
    one, rng = motion_base(0.14), np.random.default_rng(6)
    points = one.require_home().position + rng.uniform(-0.4, 0.4, (2000, 3))
    R = rotation_exp([0.05, -0.03, 0.1])
    inside = points_inside(one, points, R, route=route)
    assert np.array_equal(inside, check(one, Pose(points, R)).ok)
    free = points_inside(one.replace(base_shape=None, platform_shape=None), points, R)
    only_base = points_inside(one.replace(platform_shape=None), points, R)
    assert inside.sum() < only_base.sum() < free.sum()


def broken_words(platform: Platform, judge: BallJudge, seed: int, radius: float) -> int:
    """How many balls break what is said of their limits, looked at in random points of theirs."""
    rng, size = np.random.default_rng(seed), platform.characteristic_length
    start = platform.require_home()
    scale = rng.choice([0.05, 0.2, 0.6], (BALLS, 1))
    centers = start.position + rng.normal(size=(BALLS, 3)) * size * scale
    bits = judge.judge(centers, radius * size, True)
    inside = rng.normal(size=(BALLS, 15, 3))
    inside *= (rng.uniform(0.5, 1.0, (BALLS, 15)) / np.linalg.norm(inside, axis=-1))[..., None]
    points = np.concatenate([centers[:, None], centers[:, None] + radius * size * inside], axis=1)
    within = looked_at(platform, points.reshape(-1, 3), start.rotation)[0].reshape(BALLS, -1)
    wrong = ((bits & PROVED_IN) > 0) & ~within.all(axis=1)
    wrong |= ((bits & PROVED_OUT) > 0) & within.any(axis=1)
    wrong |= ((bits & WITHIN) > 0) & ~within[:, 0]
    return int(wrong.sum())


def bodies_alone(kind: str, seed: int) -> tuple[Platform, BallJudge]:
    """A machine on which only bodies, radii and strokes are limits."""
    one = with_bodies(machine(kind, seed), seed, only=True)
    judge = BallJudge.of(one, one.require_home())
    assert judge is not None
    return one, judge


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_what_is_said_of_a_ball_holds_in_all_of_it(kind: str) -> None:
    for seed in (1, 2):
        one, judge = bodies_alone(kind, seed)
        for radius in (0.003, 0.05):
            assert broken_words(one, judge, seed, radius) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "mixed", "PSU", "RSS-free"])
def test_what_is_said_of_balls_of_many_machines(kind: str) -> None:
    """`GOUGH_BODY_MACHINES` machines of `GOUGH_BODY_CELLS` balls each."""
    for seed in range(20, 20 + MACHINES):
        one, judge = bodies_alone(kind, seed)
        for radius in (0.003, 0.05, 0.2):
            assert broken_words(one, judge, seed, radius) == 0


def test_proofs_over_balls_are_not_idle() -> None:
    """Nearly all balls of a small radius are decided by the bodies alone, some of them out."""
    one = motion_base(stroke=None)
    judge = BallJudge.of(one, one.require_home())
    assert judge is not None
    rng = np.random.default_rng(7)
    centers = one.require_home().position + rng.uniform(-0.3, 0.3, (1000, 3))
    bits = judge.judge(centers, 1e-3, True)
    within = looked_at(one, centers, one.require_home().rotation)[0]
    assert 0.1 < within.mean() < 0.9
    assert ((bits & PROVED_IN) > 0).sum() > 0.97 * within.sum()
    assert (bits == PROVED_OUT).sum() > 0.97 * (~within).sum()


@pytest.mark.parametrize("error", ["radius", "need", "spared", "turned", "whose"])
def test_planted_errors_of_cells_show(error: str) -> None:
    """Half the ball, half the distance, more spared, another orientation, the wrong body: random points say so."""
    one = motion_base(stroke=None)
    judge = BallJudge.of(one, one.require_home())
    assert judge is not None
    assert broken_words(one, judge, 8, 0.05) == 0

    def planted(body: tuple) -> tuple:
        table, arms, R, plate, on_platform, origin, need, spared = body
        if error == "need":
            need = 0.7 * need
        elif error == "spared":
            spared = 1.5 * spared
        elif error == "turned":
            R = rotation_exp([0.1, 0.0, 0.0]) @ R
        elif error == "whose":
            on_platform = not on_platform
        return table, arms, R, plate, on_platform, origin, need, spared

    wrong = dataclasses.replace(judge, bodies=[planted(body) for body in judge.bodies])
    if error == "radius":
        ball = judge.judge
        object.__setattr__(wrong, "judge", lambda centers, r, last: ball(centers, 0.3 * r, last))
    assert broken_words(one, wrong, 8, 0.05) > 0


def words_of_ways(kind: str, seed: int) -> tuple[list[str], int]:
    """What brute force contradicts of travel ranges and of verdicts on poses; ends that a body makes."""
    one = with_bodies(machine(kind, seed), seed, only=True)
    ranges = gough.travel(one)
    said = [broken_range(one, ranges, axis, up) for axis in range(6) for up in (False, True)]
    ends = [stop.kind for pair in ranges.ends for end in pair for stop in end.stops]
    for pose in around(one, 4, seed):
        said.append(broken_reach(one, gough.reach(one, pose)))
    return [x for x in said if x], sum(kind in CLEARANCES for kind in ends)


def test_travel_and_reach_end_at_bodies() -> None:
    """Two machines here; every leg type in the slow test."""
    found = [words_of_ways(kind, 3) for kind in ("UPS", "RUS")]
    assert [said for said, _ in found] == [[], []]
    assert sum(ends for _, ends in found) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LEGS, "PSU", "RSS-free"])
def test_travel_and_reach_of_every_leg_type(kind: str) -> None:
    for seed in range(30, 30 + MACHINES // 2):
        assert words_of_ways(kind, seed)[0] == []


def test_motions_are_judged_between_samples() -> None:
    """A lift that brings legs near the bodies: held, broken at an instant that is, undecided where met exactly."""
    one = motion_base(stroke=None, speed=None, force=None)
    home = one.require_home()

    def down(by: float) -> tr.Trajectory:
        return tr.move(home, Pose(home.position - np.array([0.0, 0.0, by]), home.rotation), 2.0)

    seen = set()
    for by in (0.05, 0.12, 0.2, 0.35):
        path = down(by)
        found = proved_limits(one, path, determinant=False)
        least = {
            k: x.min(axis=0) for k, x in check(one, path(np.linspace(0, 2, 501))).margin.items()
        }
        for v in found.verdicts:
            seen.add((v.kind, v.status))
            if v.status == HOLDS:
                assert least[v.kind][v.legs[0]] >= -1e-9
            elif v.status == BROKEN:
                assert v.time is not None
                assert check(one, path(v.time)).margin[v.kind][v.legs[0]] < 0.0
    for kind in CLEARANCES:
        assert {(kind, HOLDS), (kind, BROKEN)} <= seen


@pytest.mark.parametrize("error", ["support", "radius"])
def test_planted_errors_of_proofs_show(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that is thinner, or radii that are smaller in the proof: a motion that touches is said to hold."""
    one = motion_base(stroke=None, speed=None, force=None)
    home = one.require_home()
    end = Pose(home.position - np.array([0.0, 0.0, 0.2]), home.rotation)
    path = tr.move(home, end, 2.0)
    assert check(one, end).worst < 0.0
    assert proved_limits(one, path, determinant=False).ok is False
    blind = {"distance": 15} | dict.fromkeys(CLEARANCES, 6)
    monkeypatch.setattr(
        "gough.analysis.proved.room", lambda _p, kind, _t: np.ones((1, blind[kind]))
    )
    assert proved_limits(one, path, determinant=False).ok is None  # not seen, and not held either
    true = nearness.support if error == "support" else nearness.needed_clearances
    smaller = {
        "support": lambda table, n: true(table, n) - 0.05,
        "needed_clearances": lambda p: {k: 0.3 * v for k, v in true(p).items()},
    }
    name = "support" if error == "support" else "needed_clearances"
    monkeypatch.setattr(nearness, name, smaller[name])
    clear = [
        v for v in proved_limits(one, path, determinant=False).verdicts if v.kind in CLEARANCES
    ]
    assert {v.status for v in clear} == {HOLDS}


@pytest.mark.parametrize("name", FLOODED)
def test_the_joined_part_with_bodies_against_brute_force(name: str) -> None:
    """Volume to 1 % on another grid, four machines; finer ones by campaigns.flood_campaign."""
    found, joined, within = compared(name, 45, 6)
    assert found.value == pytest.approx(joined, rel=0.01)
    assert found.plain == pytest.approx(within, rel=0.01)
    assert 0.0 < found.low <= joined <= found.high
    one, start = shaped(name)
    free = one.replace(base_shape=None, platform_shape=None)
    assert found.value < 0.6 * reachable_volume(free, start, box=found.box, depth=4).value
