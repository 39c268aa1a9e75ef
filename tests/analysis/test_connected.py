"""How much of a workspace can be moved to: brute force, proofs that must hold at every point, and planted errors."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest

import gough
from campaigns.travel_campaign import machine
from gough.analysis import connected
from gough.analysis.cell_bits import OTHER, PROVED_IN, PROVED_OUT, SAME, SIGN_ALL, WITHIN
from gough.analysis.cell_judge import BallJudge
from gough.analysis.connected import APART, BEYOND, OUTSIDE, PROVED, REACHED, reachable_volume
from gough.analysis.volume import exact_volume
from gough.analysis.workspace import default_width
from gough.checks import Array, InfeasibleError
from gough.model import Limits, Platform
from gough.spatial import Pose, rotation_from_rpy
from gough.struts import lengths_only, pair_distances, shared_joints, struts
from oracles.links import linked
from support.flood import flood_volume, looked_at

BALLS = int(os.environ.get("GOUGH_CELLS", "400"))
MACHINES = int(os.environ.get("GOUGH_CELL_MACHINES", "12"))
LEGS = ("UPS", "PUS", "RUS", "mixed", "PSU", "RSS-free", "UCS-free")


def wide() -> Platform:
    """Strokes that go far beyond the singular poses at a tilted orientation."""
    return gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, limits=Limits(stroke=np.array([0.4, 1.0])))


def tilted(platform: Platform) -> Pose:
    return Pose(platform.require_home().position, rotation_from_rpy((0.8, 0.0, 0.3)))


def look_around(platform: Platform) -> Array | None:
    """The box that the command takes."""
    if lengths_only(platform):
        return None
    home, half = platform.require_home().position, default_width(platform) / 2
    return np.stack([home - half, home + half])


@pytest.mark.parametrize("name", ["motion-base-1500", "wide", "hexaglide", "servo-hexapod"])
def test_the_part_joined_with_home_against_brute_force(name: str) -> None:
    """Volume to 1 %, on another grid, and the proved bounds around it."""
    one = wide() if name == "wide" else gough.load(name)
    start = tilted(one) if name == "wide" else one.require_home()
    depth = 7 if name == "hexaglide" else 6  # legs 33 mm apart from touching need small cells
    found = reachable_volume(one, start, box=look_around(one), depth=depth)
    joined, within, beyond = flood_volume(one, start, found.box, 55)
    assert found.value == pytest.approx(joined, rel=0.01)
    assert found.plain == pytest.approx(within, rel=0.01)
    assert found.beyond == pytest.approx(beyond, rel=0.02, abs=1e-3 * within)
    assert 0.0 < found.low <= found.value <= found.high
    assert found.low <= joined <= found.high
    assert found.proved is None
    assert found.plain == pytest.approx(found.value + found.beyond + found.apart)


def test_what_lies_beyond_a_singularity_is_said() -> None:
    one = wide()
    found = reachable_volume(one, tilted(one), depth=5)
    assert found.beyond > 0.4 * found.plain
    assert found.share < 0.6
    said = " ".join(found.sentences())
    assert "beyond a singularity" in said
    assert f"{100 * found.beyond / found.plain:.3g} %" in said
    level = reachable_volume(one, depth=4)
    assert level.beyond == 0.0
    assert "singularity" not in " ".join(level.sentences())


def test_bounds_close_in_on_the_exact_volume() -> None:
    """No leg-leg distance and no singular pose: the part joined with home is the whole workspace, known exactly."""
    base = gough.load("motion-base-1500")
    one = base.replace(
        legs=[leg.replace(limits=leg.limits.replace(radius=None)) for leg in base.legs]
    )
    exact = exact_volume(one).value
    gaps = []
    for depth in (4, 5, 6):
        found = reachable_volume(one, depth=depth)
        assert found.low <= exact * (1 + 1e-6)
        assert found.high >= exact * (1 - 1e-6)
        gaps.append(found.high - found.low)
    assert gaps[2] < 0.6 * gaps[1] < 0.36 * gaps[0]
    assert found.value == pytest.approx(exact, rel=5e-3)


def broken_words(
    platform: Platform, judge: BallJudge, start: Pose, seed: int, radius: float
) -> int:
    """How many balls break what is said of them, looked at in random points of theirs."""
    rng = np.random.default_rng(seed)
    size = platform.characteristic_length
    centers = start.position + rng.normal(size=(BALLS, 3)) * size * rng.choice(
        [0.05, 0.2, 0.6], (BALLS, 1)
    )
    bits = judge.judge(centers, radius * size, True)
    inside = rng.normal(size=(BALLS, 40, 3))
    inside *= (rng.uniform(0.5, 1.0, (BALLS, 40)) / np.linalg.norm(inside, axis=-1))[..., None]
    points = np.concatenate([centers[:, None], centers[:, None] + radius * size * inside], axis=1)
    within, sign = looked_at(platform, points.reshape(-1, 3), start.rotation)
    within, sign = within.reshape(BALLS, -1), sign.reshape(BALLS, -1) * judge.wanted
    said = {bit: (bits & bit) > 0 for bit in (WITHIN, PROVED_IN, PROVED_OUT, SAME, OTHER, SIGN_ALL)}
    wrong = said[PROVED_IN] & ~within.all(axis=1)
    wrong |= said[PROVED_OUT] & within.any(axis=1)
    wrong |= said[WITHIN] & ~within[:, 0]
    wrong |= said[SAME] & (sign[:, 0] <= 0)
    wrong |= said[OTHER] & (sign[:, 0] >= 0)
    wrong |= said[SIGN_ALL] & said[SAME] & (sign <= 0).any(axis=1)
    wrong |= said[SIGN_ALL] & said[OTHER] & (sign >= 0).any(axis=1)
    return int(wrong.sum())


@pytest.mark.parametrize("kind", LEGS)
def test_what_is_said_of_a_ball_holds_in_all_of_it(kind: str) -> None:
    """Random machines with strokes, cones and radii: every word about a ball, at random points of it."""
    told = 0
    for seed in (1, 2, 3):
        one = machine(kind, seed)
        start = one.require_home()
        judge = BallJudge.of(one, start)
        assert judge is not None
        assert judge.wanted != 0
        for radius in (1e-4, 0.02, 0.1):
            assert broken_words(one, judge, start, seed, radius) == 0
            near = start.position + np.linspace(-0.02, 0.02, 9)[:, None]
            told += int((judge.judge(near, radius, True) > 0).sum())
    assert told > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEGS)
def test_what_is_said_of_balls_of_many_machines(kind: str) -> None:
    """`GOUGH_CELL_MACHINES` machines of `GOUGH_CELLS` balls each."""
    for seed in range(10, 10 + MACHINES):
        one = machine(kind, seed)
        judge = BallJudge.of(one, one.require_home())
        assert judge is not None
        for radius in (0.003, 0.05, 0.3):
            assert broken_words(one, judge, one.require_home(), seed, radius) == 0


@pytest.mark.parametrize("error", ["radius", "stroke", "cone", "distance", "sign"])
def test_planted_errors_show(error: str) -> None:
    """Half the radius, a limit forgotten, the other sign: random points say so."""
    one = gough.load("motion-base-1500")
    start = one.require_home()
    near = pair_distances(struts(one, start))[~shared_joints(one)].min()
    tight = {"base_cone": 0.15, "platform_cone": 0.25, "radius": 0.48 * float(near)}
    if error == "distance":
        tight |= {"stroke": None, "base_cone": None, "platform_cone": None}
    one = one.replace(legs=[x.replace(limits=x.limits.replace(**tight)) for x in one.legs])
    judge = BallJudge.of(one, start)
    assert judge is not None
    table, arms, low, high, axes, halves, pairs, need, *rest = judge.tables
    if error == "stroke":
        low, high = low - 0.2, high + 0.2
    elif error == "cone":
        halves = np.where(halves < np.inf, halves * 1.5, halves)
    elif error == "distance":
        need = need * 0.5
    tables = (table, arms, low, high, axes, halves, pairs, need, *rest)
    wrong = dataclasses.replace(judge, tables=tables)
    if error == "sign":
        wrong = dataclasses.replace(judge, wanted=-judge.wanted)
        assert reachable_with(wrong, one).value == 0.0
        return
    if error == "radius":
        ball = judge.judge
        object.__setattr__(wrong, "judge", lambda centers, r, last: ball(centers, 0.5 * r, last))
    assert broken_words(one, judge, start, 5, 0.05) == 0
    assert broken_words(one, wrong, start, 5, 0.05) > 0


def reachable_with(judge: object, platform: Platform) -> connected.ReachableVolume:
    """The answer by another judge."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connected, "judge_of", lambda *_: judge)
        return reachable_volume(platform, depth=4)


def test_a_home_at_the_end_of_its_strokes_can_leave_it() -> None:
    base = gough.load("motion-base-1500")
    at = struts(base, base.require_home()).coordinate
    legs = [
        leg.replace(limits=leg.limits.replace(stroke=(x, x + 0.3), radius=None))
        for x, leg in zip(at.tolist(), base.legs, strict=True)
    ]
    found = reachable_volume(base.replace(legs=legs), depth=5)
    assert 0.0 < found.low <= found.value <= found.high
    assert found.from_home


class Painted:
    """Cells as they are painted: what the bits are taken for."""

    why, unchecked, wanted = None, (), 1

    def __init__(self, bits: Array) -> None:
        self.bits = bits

    def judge(self, centers: Array, radius: float, last: bool) -> np.ndarray:
        assert last
        return self.bits.ravel().astype(np.uint8)


FREE, SHUT = WITHIN | PROVED_IN | SAME | SIGN_ALL, PROVED_OUT
THROUGH = WITHIN | SAME  # its center is good, the rest is not known
ACROSS = WITHIN | PROVED_IN | OTHER | SIGN_ALL


def painted(
    monkeypatch: pytest.MonkeyPatch, cells: dict[tuple[int, int, int], int], closed: bool = True
) -> connected.ReachableVolume:
    """8 x 8 x 8 cells around home (in the cell 4, 4, 4), shut but for `cells`; no way by a ray."""
    one = gough.load("motion-base-1500")
    home = one.require_home()
    bits = np.full((8, 8, 8), SHUT)
    for at, what in cells.items():
        bits[at] = what
    corner = home.position - 4.5
    monkeypatch.setattr(connected, "judge_of", lambda *_: Painted(bits))
    monkeypatch.setattr(connected, "MOST_WAYS", 0)
    monkeypatch.setattr(connected, "ROUNDS", 0)
    if closed:
        sides = np.zeros((2, 3), dtype=bool)
        box = np.stack([corner, corner + 8.0])
        monkeypatch.setattr(connected, "_box", lambda *_: (box, sides))
    return reachable_volume(one, box=np.stack([corner, corner + 8.0]), depth=3)


def test_cells_are_joined_by_faces_where_it_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corner joins nothing for certain and may join for the upper bound; a center is only an estimate."""
    row = {(4, 4, 4): FREE, (5, 4, 4): FREE, (6, 5, 4): FREE, (6, 6, 5): THROUGH}
    found = painted(monkeypatch, row)
    assert (found.low, found.value, found.high, found.plain) == pytest.approx((2, 2, 4, 4))
    assert found.cells[5, 4, 4] == PROVED
    assert found.cells[6, 5, 4] == APART
    found = painted(monkeypatch, {(4, 4, 4): FREE, (5, 4, 4): THROUGH, (6, 4, 4): FREE})
    assert (found.low, found.value, found.high) == pytest.approx((1, 3, 3))
    assert found.cells[6, 4, 4] == found.cells[5, 4, 4] == REACHED


def test_a_wall_of_singular_poses_separates(monkeypatch: pytest.MonkeyPatch) -> None:
    found = painted(monkeypatch, {(4, 4, 4): FREE, (5, 4, 4): ACROSS, (6, 4, 4): FREE})
    assert (found.low, found.value, found.high, found.beyond, found.apart) == pytest.approx(
        (1, 1, 1, 1, 1)
    )
    assert found.cells[5, 4, 4] == BEYOND
    assert found.cells[3, 4, 4] == OUTSIDE


def test_a_motion_may_leave_the_box_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The upper bound counts what a way outside of a given box could join; without such sides it does not."""
    row = {(i, 4, 4): FREE for i in range(4, 8)} | {(0, 0, 0): FREE, (2, 2, 2): FREE}
    assert painted(monkeypatch, row).high == pytest.approx(4)
    monkeypatch.undo()
    assert painted(monkeypatch, row, closed=False).high == pytest.approx(5)


def test_legs_without_bounds_are_sampled_and_say_so() -> None:
    one = gough.load("screw-hexapod")
    home = one.require_home().position
    found = reachable_volume(one, box=np.stack([home - 0.05, home + 0.05]), depth=3)
    assert found.proved is not None
    assert found.low == 0.0
    assert found.high == pytest.approx(1e-3)
    assert found.value > 0.0
    assert "nothing of it is proved" in found.sentences()[0]


def test_refusals() -> None:
    one = gough.load("motion-base-1500")
    home = one.require_home()
    with pytest.raises(InfeasibleError, match="the start itself is refused"):
        reachable_volume(one, Pose(home.position + 5.0, home.rotation))
    with pytest.raises(gough.InputError, match="single pose"):
        reachable_volume(one, Pose(np.zeros((2, 3)), home.rotation))
    with pytest.raises(gough.InputError, match="depth"):
        reachable_volume(one, depth=9)
    with pytest.raises(gough.InputError, match="box"):
        reachable_volume(gough.load("hexaglide"))
    with pytest.raises(gough.InputError, match="low then high"):
        reachable_volume(one, box=[[0, 0, 0], [1, -1, 1]])
    with pytest.raises(gough.InputError, match="home"):
        reachable_volume(one.replace(home=None))
    held = linked("UPS", seed=0, count=1)
    assert held is not None
    with pytest.raises(gough.GoughError, match="no volume"):
        reachable_volume(held.platform)


def test_a_start_that_is_not_home_says_whether_home_reaches_it() -> None:
    one = gough.load("motion-base-1500")
    home = one.require_home()
    near = Pose(home.position + 0.01, rotation_from_rpy((0.02, 0.0, 0.05)))
    assert reachable_volume(one, near, depth=3).from_home is True
    lost = reachable_volume(wide().replace(home=None), wide().home, depth=3)
    assert lost.from_home is None
    assert "not proved" in " ".join(lost.sentences())
