"""Cells joined with a start, by themselves: neighbors, the start's own cell, ways to parts, open sides, words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import connected
from gough.analysis.cell_bits import OTHER, PROVED_IN, PROVED_OUT, SAME, SIGN_ALL, WITHIN
from gough.analysis.connected import (
    APART,
    BEYOND,
    OUTSIDE,
    PROVED,
    REACHED,
    ReachableVolume,
    _cell_of,
    _joined,
    _perhaps_joined,
    drawn_in,
)
from gough.checks import Array
from gough.spatial import Pose

BOX = np.array([[0.0, 0.0, 0.0], [4.0, 5.0, 6.0]])
SHAPE = (4, 5, 6)
NO_MACHINE: Any = None
CLOSED = np.zeros((2, 3), dtype=bool)


def cells(*at: tuple[int, int, int]) -> Any:
    out = np.zeros(SHAPE, dtype=bool)
    for place in at:
        out[place] = True
    return out


def test_neighbors_share_a_face_or_touch() -> None:
    index = np.indices((3, 3, 3)) - 1
    np.testing.assert_array_equal(connected.FACES, np.abs(index).sum(axis=0) <= 1)
    assert connected.TOUCHING.shape == (3, 3, 3)
    assert connected.TOUCHING.all()
    assert sorted({OUTSIDE, BEYOND, APART, REACHED, PROVED}) == list(range(5))


@pytest.mark.parametrize(
    ("position", "at"),
    [
        ([0.0, 0.0, 0.0], (0, 0, 0)),
        ([0.99, 1.01, 5.5], (0, 1, 5)),
        ([4.0, 5.0, 6.0], (3, 4, 5)),
        ([2.5, 4.5, 3.0], (2, 4, 3)),
        ([-0.01, 1.0, 1.0], None),
        ([1.0, 5.01, 1.0], None),
        ([1.0, 1.0, -1e-9], None),
        ([4.1, 1.0, 1.0], None),
    ],
)
def test_the_cell_that_holds_the_start(position: list[float], at: tuple[int, ...] | None) -> None:
    found = _cell_of(Pose(position), BOX, SHAPE)
    assert (None if found is None else tuple(found.tolist())) == at
    shift = np.array([16.0, -8.0, 0.5])
    found = _cell_of(Pose(np.array(position) + shift), BOX + shift, SHAPE)
    if at is not None:
        assert found is not None
        assert tuple(found.tolist()) == at


def ways(monkeypatch: pytest.MonkeyPatch, free: Any) -> list[Array]:
    """Straight ways that are free where `free` says so of their end; the ends that were asked for."""
    asked: list[Array] = []

    def stops(platform: Any, rays: Any) -> list[Any]:
        ends = rays.pose(rays.end).position
        asked.append(ends)
        np.testing.assert_array_equal(rays.turn, 0.0)
        return [SimpleNamespace(whole=bool(free(end))) for end in ends]

    monkeypatch.setattr(connected, "first_stops", stops)
    return asked


START = Pose([0.5, 0.5, 0.5])


def test_parts_are_joined_by_the_start_by_what_is_known_or_by_a_free_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, known_part, far, shut = (0, 0, 0), (0, 3, 0), (3, 0, 0), (3, 4, 5)
    monkeypatch.setattr(connected, "SMALL", 0.0)
    asked = ways(monkeypatch, lambda end: end[2] < 2.0)
    all_ = cells(here, (1, 0, 0), known_part, far, (3, 0, 1), shut, (1, 1, 1))
    found = _joined(NO_MACHINE, START, all_, BOX, cells(known_part))
    np.testing.assert_array_equal(
        found, cells(here, (1, 0, 0), known_part, far, (3, 0, 1), (1, 1, 1))
    )
    # the nearest center of each part that was not joined yet, the largest part first
    np.testing.assert_allclose(asked[0][0], [3.5, 0.5, 0.5])
    assert sorted(map(tuple, asked[0][1:].tolist())) == [(1.5, 1.5, 1.5), (3.5, 4.5, 5.5)]
    none = cells()
    assert _joined(NO_MACHINE, START, none, BOX) is none


def test_small_parts_and_many_parts_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ways(monkeypatch, lambda end: True)
    block = np.zeros(SHAPE, dtype=bool)
    block[:2] = True
    block[3, 4, 5] = True  # one of 61
    monkeypatch.setattr(connected, "SMALL", 0.05)
    assert not _joined(NO_MACHINE, START, block, BOX)[3, 4, 5]
    assert not asked
    monkeypatch.setattr(connected, "SMALL", 0.01)
    assert _joined(NO_MACHINE, START, block, BOX)[3, 4, 5]
    monkeypatch.setattr(connected, "SMALL", 0.05)
    alone = cells((3, 4, 5), (2, 2, 2))  # nothing holds the start: small parts are asked for too
    assert _joined(NO_MACHINE, START, alone, BOX).sum() == 2
    monkeypatch.setattr(connected, "MOST_WAYS", 1)
    two = cells((3, 4, 5), (2, 2, 2), (2, 2, 3))
    np.testing.assert_array_equal(_joined(NO_MACHINE, START, two, BOX), cells((2, 2, 2), (2, 2, 3)))


def test_a_start_outside_of_the_box_is_joined_by_ways_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ways(monkeypatch, lambda end: end[0] > 2.0)
    found = _joined(NO_MACHINE, Pose([-1.0, 0.5, 0.5]), cells((0, 0, 0), (3, 0, 0)), BOX)
    np.testing.assert_array_equal(found, cells((3, 0, 0)))
    assert len(asked[0]) == 2


def test_what_may_be_joined_touches_the_cell_of_the_start() -> None:
    """A corner is enough, two cells away is too far; parts hang together where they touch."""
    start = Pose([1.5, 1.5, 1.5])
    near, chain, far = (2, 2, 2), (3, 3, 3), (1, 1, 4)
    found = _perhaps_joined(start, cells(near, chain, far), BOX, CLOSED)
    np.testing.assert_array_equal(found, cells(near, chain))
    corner = _perhaps_joined(START, cells((1, 1, 1), (0, 3, 0)), BOX, CLOSED)
    np.testing.assert_array_equal(corner, cells((1, 1, 1)))
    assert not _perhaps_joined(START, cells((2, 0, 0)), BOX, CLOSED).any()


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("axis", range(3))
def test_a_motion_leaves_by_an_open_side_and_comes_in_by_it(axis: int, end: int) -> None:
    """Both parts must reach that side; a closed one lets nothing through."""
    middle = [2, 2, 2]
    rim = middle.copy()
    rim[axis] = end * (SHAPE[axis] - 1)
    row = [middle.copy() for _ in range(6)]
    for k, place in enumerate(row):
        place[axis] = min(max(middle[axis] + (1 if end else -1) * k, 0), SHAPE[axis] - 1)
    other = rim.copy()
    other[(axis + 1) % 3] = 0 if rim[(axis + 1) % 3] else 2
    start = Pose((np.array(middle) + 0.5).tolist())
    parts = cells(*map(tuple, row), tuple(other))  # type: ignore[arg-type]
    sides = CLOSED.copy()
    np.testing.assert_array_equal(_perhaps_joined(start, parts, BOX, sides)[tuple(other)], False)
    sides[end, axis] = True
    assert _perhaps_joined(start, parts, BOX, sides).sum() == parts.sum()
    only = cells(tuple(middle), tuple(other))  # type: ignore[arg-type]
    if not only[tuple(rim)]:
        assert not _perhaps_joined(start, only, BOX, sides)[tuple(other)]
    outside = Pose([-9.0, 0.0, 0.0])
    assert _perhaps_joined(outside, only, BOX, sides)[tuple(other)]


def test_what_a_cell_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proved where all of it is within and on the start's side; reached by its center; beyond; apart; outside."""
    ways(monkeypatch, lambda end: False)
    whole = WITHIN | PROVED_IN | SAME | SIGN_ALL
    bits = np.full(SHAPE, PROVED_OUT, dtype=np.uint8)
    bits[0, 0, 0], bits[1, 0, 0], bits[2, 0, 0] = whole, WITHIN | SAME, WITHIN | OTHER
    bits[0, 4, 4] = whole
    bits[0, 2, 2] = SIGN_ALL | OTHER
    bits[3, 4, 0] = WITHIN
    found, perhaps = connected._classes(NO_MACHINE, START, bits, BOX, CLOSED)
    assert [found[k, 0, 0] for k in range(4)] == [PROVED, REACHED, BEYOND, OUTSIDE]
    assert found[0, 4, 4] == APART
    assert found[0, 2, 2] == OUTSIDE
    assert found[3, 4, 0] == APART
    np.testing.assert_array_equal(perhaps, cells((0, 0, 0), (1, 0, 0), (2, 0, 0)))
    bits[1, 0, 0] = WITHIN | SAME | PROVED_IN  # the sign is known in its center only
    assert connected._classes(NO_MACHINE, START, bits, BOX, CLOSED)[0][1, 0, 0] == REACHED


def test_a_box_that_is_all_outside_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    judge: Any = SimpleNamespace(
        judge=lambda c, r, last: np.full(len(c), PROVED_OUT, dtype=np.uint8)
    )
    box, sides = drawn_in(judge, BOX, ~CLOSED)
    np.testing.assert_array_equal(box, BOX)
    assert sides.all()


def volume(**parts: Any) -> ReachableVolume:
    given: dict[str, Any] = {
        "value": 2.0, "low": 1.0, "high": 3.0, "plain": 8.0, "beyond": 0.0, "apart": 0.0,
        "box": BOX, "start": START, "from_home": True, "cells": np.zeros(SHAPE, dtype=np.uint8),
        "proved": None, "unchecked": (),
    }  # fmt: skip
    return ReachableVolume(**(given | parts))


def test_words_of_a_reachable_volume() -> None:
    (said,) = volume().sentences()
    assert said == (
        "2 m³ of 8 m³ (25 %), counted at the centers of cells, are joined with home without turning; "
        "proved: at least 1 m³ and at most 3 m³ are"
    )
    assert volume().share == 0.25
    assert np.isnan(volume(plain=0.0, value=0.0).share)
    assert "(0 %)" in volume(plain=0.0, value=0.0).sentences()[0]
    first, beyond, apart, start, last = volume(
        beyond=1.0, apart=5.0, from_home=None, unchecked=("cones",)
    ).sentences()
    assert "joined with the start" in first
    assert beyond.startswith("1 m³ of 8 m³ (12.5 %)")
    assert beyond.endswith(
        "every motion from the start there passes a singular pose of the machine or a leg"
    )
    assert apart.startswith("5 m³ of 8 m³ (62.5 %)")
    assert start == "that the start can be moved to from home is not proved"
    assert last == "cones"
    sampled = volume(proved="screws", beyond=1.0).sentences()
    assert sampled[0].endswith("nothing of it is proved: screws")
    assert sampled[1].endswith("the other sign of the determinant, not proved")


def test_the_surface_is_that_of_proved_cells_or_of_reached_ones() -> None:
    marks = np.zeros(SHAPE, dtype=np.uint8)
    marks[0, 0, 0], marks[1, 0, 0], marks[2, 0, 0] = PROVED, REACHED, BEYOND
    found = volume(cells=marks)
    assert found.surface().volume == pytest.approx(1.0)
    assert found.surface(proved=True).volume == pytest.approx(1.0)
    assert found.surface(proved=False).volume == pytest.approx(2.0)


def test_what_starts_nowhere_is_refused() -> None:
    one = gough.load("motion-base-1500")
    home = one.require_home()
    for depth in (0, 9):
        with pytest.raises(gough.InputError, match="must be 1 to 8"):
            connected.reachable_volume(one, depth=depth)
    with pytest.raises(gough.InputError, match="single pose"):
        connected.reachable_volume(one, Pose(np.zeros((1, 3)), home.rotation))
    with pytest.raises(gough.InfeasibleError, match="the start itself is refused"):
        connected.reachable_volume(one, Pose(home.position + 5.0, home.rotation))
    corners, sides = connected._box(one, home, None, None)
    assert sides.tolist() == [[False, False, True]] * 2
    assert (corners[1] > corners[0]).all()
    assert connected._box(one, home, BOX, None)[1].all()
