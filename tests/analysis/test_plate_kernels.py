"""Compiled distances from bodies against gough/plates.py: nearest points, both edges of what is proved of a ball."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import plates
from gough.analysis import plate_kernel as kernels
from gough.analysis.cell_bits import PROVED_IN, PROVED_OUT, WITHIN
from gough.checks import Array
from gough.kinematics.path_intervals import strut_at
from gough.layout import LEG_GEOMETRY as LEG
from gough.plates import PlateTable, nearest, segment_plate, support
from gough.spatial import rotation_exp
from gough.struts import CRANK, SLIDER, STRUT, leg_table
from support.forward_machines import HOME, machine

ROUND_PLATE = PlateTable(np.zeros((0, 2)), 0.1, -0.2, 0.5, -0.3, 0.15)
CORNERS = np.array([[0.5, -0.4], [0.7, 0.1], [0.2, 0.6], [-0.5, 0.4], [-0.6, -0.3]])
PRISM = PlateTable(CORNERS, 0.0, 0.0, 0.0, -0.1, 0.2)
BOTH = pytest.mark.parametrize("plate", [ROUND_PLATE, PRISM], ids=["cylinder", "prism"])
STILL = (0.0, 0.0)


def segments(count: int, seed: int) -> tuple[Array, Array]:
    """Short and long ones about the plates, some of them through these."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(count, 3)) * [0.8, 0.8, 0.5]
    return a, a + rng.normal(size=(count, 3)) * rng.choice([0.2, 1.5], size=(count, 1))


@BOTH
def test_nearest_points_and_the_farthest_along_a_direction(plate: PlateTable) -> None:
    points = segments(300, 1)[0]
    off = np.array([kernels.off_plate(plate, *p) for p in points])
    np.testing.assert_allclose(off, points - nearest(plate, points), atol=1e-14)
    assert (~off.any(axis=1)).sum() > 3  # inside
    reach = [kernels.reach_along(plate, *n) for n in points]
    np.testing.assert_allclose(reach, support(plate, points), atol=1e-14)


@BOTH
def test_where_a_segment_comes_nearest(plate: PlateTable) -> None:
    """At an end, or between; looked for no longer than asked."""
    a, b = segments(200, 2)
    wanted, gap = segment_plate(plate, a, b)
    places = []
    for i in range(200):
        *found, s = kernels.between(plate, a[i], b[i], 0.0)
        assert np.linalg.norm(found) == pytest.approx(wanted[i], abs=1e-12)
        if wanted[i] > 0.0:
            np.testing.assert_allclose(found, gap[i], atol=1e-7)
        places.append(s)
        *_, rough = kernels.between(plate, a[i], b[i], 0.01)
        if wanted[i] > 0.0:
            assert abs(rough - s) * np.linalg.norm(b[i] - a[i]) <= 0.01
    ends = {0.0, 1.0}
    assert ends < set(places)
    assert sum(0.0 < s < 1.0 for s in places) > 20


def edges(plate: PlateTable, a: Array, b: Array, moves: tuple[float, float]) -> tuple[float, float]:
    """What the distance is at least and at most while the ends move: by shadows on the line between nearest points,
    and by the move of the nearest point itself."""
    d, gap = segment_plate(plate, a, b)
    n, u = gap / d, b - a
    s = _place(plate, a, b)
    least = min(n @ a - moves[0], n @ b - moves[1]) - float(support(plate, n))
    assert np.linalg.norm(a + s * u - nearest(plate, a + s * u)) == pytest.approx(d, abs=1e-9)
    return least, float(d) + (1.0 - s) * moves[0] + s * moves[1]


def _place(plate: PlateTable, a: Array, b: Array) -> float:
    first, last = (plates._slope(plate, p, b - a) for p in (a, b))
    if first >= 0.0 or last <= 0.0:
        return float(last <= 0.0 and not first >= 0.0)
    return float(plates._level(plate, a[None], (b - a)[None])[0])


@BOTH
@pytest.mark.parametrize("moves", [STILL, (0.02, 0.0), (0.0, 0.03), (0.01, 0.05)])
def test_a_verdict_turns_at_both_edges(plate: PlateTable, moves: tuple[float, float]) -> None:
    a, b = segments(60, 3)
    away = np.flatnonzero(segment_plate(plate, a, b)[0] > 0.1)
    assert len(away) > 15
    opened = 0
    for i in away[:15]:
        least, most = edges(plate, a[i], b[i], moves)

        def said(need: float, at: int = i) -> int:
            return int(kernels.leg_verdict(plate, a[at], b[at], need, moves, 0.0))

        assert said(least - 1e-7) == 1
        assert said(most + 1e-7) == -1
        if most - least > 1e-6:
            assert said(least + 1e-7) == said(most - 1e-7) == 0
            opened += 1
        elif moves == STILL:  # met to the last digits: neither is proved
            assert said(float(segment_plate(plate, a[i], b[i])[0])) == 0
    assert opened > 2 or moves == STILL


@BOTH
def test_a_strut_through_the_body_is_never_proved_away(plate: PlateTable) -> None:
    a, b = np.array([0.05, -0.1, -1.0]), np.array([0.1, 0.0, 1.0])
    assert kernels.leg_verdict(plate, a, b, 0.01, STILL, 0.0) == -1
    assert kernels.leg_verdict(plate, a, b, 0.01, (0.02, 0.02), 0.0) == 0
    assert kernels.leg_verdict(plate, a, b, 0.0, STILL, 0.0) == 0


TURNED = rotation_exp([0.1, -0.2, 0.15])
ORIGIN = np.array([0.05, -0.02, 0.01])
SPARED = 0.04


def ball(kind: str, on_platform: bool) -> tuple[gough.Platform, PlateTable]:
    """A machine and a body that all its struts are clear of: far below the base, or above the platform."""
    z = (0.9, 1.0) if on_platform else (-1.2, -1.0)
    return machine(kind), PlateTable(CORNERS + np.array([0.3, 0.1]), 0.0, 0.0, 0.0, *z)


def moved_ends(
    row: Array, t: Array, arm: Array, radius: float, on_platform: bool
) -> tuple[Array, Array, tuple[float, float]]:
    """Ends of what is judged of a leg, and how far they move in the ball, as the module says."""
    S = np.empty(3)
    off = strut_at(row, t + arm - row[LEG.base], 1.0, radius, 2.0, S)
    long = np.linalg.norm(S)
    turn = off
    if long - off > SPARED:
        turn = min(off, 2.0 * SPARED * np.sin(0.5 * np.arcsin(off / long)))
    cut = min(SPARED / long, 1.0) * S
    if on_platform:
        return TURNED.T @ (arm - S), TURNED.T @ (arm - cut), (off, turn)
    foot = {STRUT: 0.0, SLIDER: off, CRANK: off - radius}[int(row[LEG.kind])]
    return t + arm - S + cut + ORIGIN, t + arm + ORIGIN, (foot + turn, radius)


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
@pytest.mark.parametrize("on_platform", [False, True])
def test_what_is_said_of_a_leg_in_a_ball_turns_where_its_moves_say(
    kind: str, on_platform: bool
) -> None:
    platform, plate = ball(kind, on_platform)
    table, t, radius = leg_table(platform), HOME.position, 1e-3
    arms = platform.platform_joints @ TURNED.T
    work = tuple(np.empty((4, 3)))

    def said(need: Array, at: float = radius) -> int:
        given = table, arms, TURNED, plate, on_platform, ORIGIN, need, SPARED, t, at, work
        return int(kernels.clear_in(*given))

    assert said(np.full(6, np.nan)) == 1  # nobody asks
    for i in range(6):
        a, b, moves = moved_ends(table[i], t, arms[i], radius, on_platform)
        least, most = edges(plate, a, b, moves)
        slack = 3e-6  # the place of the nearest point is known to a thousandth of the radius
        need = np.full(6, np.nan)
        for value, verdict in (
            (least - slack, 1),
            (least + slack, 0),
            (most - slack, 0),
            (most + slack, -1),
        ):
            need[i] = value
            assert said(need) == verdict, (i, verdict)
        need[(i + 1) % 6] = 0.0  # another leg that is clear, or far too near, in its turn
        assert said(need) == -1
        need[i], need[(i + 1) % 6] = least + slack, 0.0
        assert said(need) == 0
        need[(i + 1) % 6] = 1e3
        assert said(need) == -1


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_a_leg_out_of_reach_leaves_the_ball_open(kind: str) -> None:
    platform, plate = ball(kind, False)
    table, arms = leg_table(platform), platform.platform_joints @ TURNED.T
    work, need = tuple(np.empty((4, 3))), np.zeros(6)
    t = HOME.position + np.array([0.0, 0.0, 9.0])
    given = table, arms, TURNED, plate, False, ORIGIN, need, SPARED, t, 1e-3, work
    assert kernels.clear_in(*given) == 0


def test_what_is_left_of_the_bits_of_a_cell() -> None:
    """Proved out: out.  Proved in: as it was.  Open: looked at again, on the last level no longer proved, and within
    only where its center is clear."""
    platform, plate = ball("UPS", False)
    table, t, radius = leg_table(platform), HOME.position, 1e-3
    arms = platform.platform_joints @ TURNED.T
    a, b, moves = moved_ends(table[0], t, arms[0], radius, False)
    least, most = edges(plate, a, b, moves)
    middle = float(segment_plate(plate, a, b)[0])
    whole = PROVED_IN | WITHIN
    for distance, last, before, after in (
        (least - 1e-5, False, whole, whole),
        (least - 1e-5, True, WITHIN, WITHIN),
        (most + 1e-5, False, whole, PROVED_OUT),
        (most + 1e-5, True, 0, PROVED_OUT),
        (middle - 1e-5, False, whole, 0),
        (middle - 1e-5, True, whole, WITHIN),
        (middle - 1e-5, True, PROVED_IN, 0),
        (middle + 1e-5, False, WITHIN, 0),
        (middle + 1e-5, True, whole, 0),
        (most + 1e-5, True, PROVED_OUT, PROVED_OUT),
        (least - 1e-5, True, PROVED_OUT, PROVED_OUT),
    ):
        need, bits = np.full(6, np.nan), np.array([before, PROVED_OUT], dtype=np.uint8)
        need[0] = distance
        kernels.judge_clearance(
            table, arms, TURNED, plate, False, ORIGIN, need, SPARED, np.stack([t, t]), radius,
            last, bits,
        )  # fmt: skip
        assert bits.tolist() == [after, PROVED_OUT], (distance - middle, last, before)


@BOTH
@pytest.mark.parametrize("on_platform", [False, True])
def test_points_are_clear_where_every_leg_that_asks_is(
    plate: PlateTable, on_platform: bool
) -> None:
    rng = np.random.default_rng(5)
    base, arms = rng.normal(size=(6, 3)), 0.3 * rng.normal(size=(6, 3))
    points = rng.normal(size=(40, 3)) * 0.5 + [0.0, 0.0, 1.2]
    end = points[:, None] + arms
    S = end - base
    cut = S * np.minimum(SPARED / np.linalg.norm(S, axis=-1, keepdims=True), 1.0)
    ends = ((arms - S) @ TURNED, (arms - cut) @ TURNED) if on_platform else (base + cut, end)
    distance = segment_plate(plate, *np.broadcast_arrays(*ends))[0]
    need = np.quantile(distance, 0.2, axis=0)
    need[2] = np.nan
    before = np.ones(40, dtype=np.uint8)
    before[::7] = 0
    out = before.copy()
    kernels.clear_points(points, base, arms, TURNED, plate, on_platform, need, SPARED, out)
    wanted = (before == 1) & ~(distance < need).any(axis=1)
    np.testing.assert_array_equal(out, wanted.astype(np.uint8))
    assert 0 < wanted.sum() < (before == 1).sum()
