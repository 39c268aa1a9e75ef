"""The largest values over a box by themselves: functions whose maxima are known, boxes that cover, budgets that end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from gough.analysis import box_search
from gough.analysis.box_search import BoxBounds, largest
from gough.checks import Array

TOP = np.array([[0.3, -0.2], [-1.0, 0.7]])  # of both functions, the second one on the rim


class Hills:
    """``h - 2 |x - top|^2``, h = 5 and -3, over boxes: exact values and slopes, bounds from the nearest point."""

    def __init__(self) -> None:
        self.asked: list[tuple[Array, Array]] = []

    def __call__(self, middle: Array, half: Array) -> BoxBounds:
        self.asked.append((middle, half))
        off = middle[:, None] - TOP
        height = np.array([5.0, -3.0])
        value = height - 2.0 * (off**2).sum(axis=-1)
        nearest = np.maximum(np.abs(off) - half[:, None], 0.0)
        bound = height - 2.0 * (nearest**2).sum(axis=-1)
        slope = -4.0 * off * half[:, None]
        return BoxBounds(value, bound, slope, np.abs(slope).sum(axis=1))

    @property
    def rounds(self) -> list[tuple[Array, Array]]:
        """What was asked of whole boxes."""
        return [(m, h) for m, h in self.asked[1:] if h.any()]


MIDDLE, HALF = np.array([0.1, 0.0]), np.array([1.1, 0.9])


def test_maxima_are_found_and_bounded_to_the_tolerance() -> None:
    hills = Hills()
    found = largest(hills, MIDDLE, HALF, 0.01, 5000)
    assert found.open is None
    for value, bound, height in zip(found.found, found.bound, (5.0, -3.0), strict=True):
        assert value <= height <= bound
        assert bound - value <= 0.01 * abs(value) * (1.0 + 1e-12)
    for k in range(2):
        assert 2.0 * ((found.at[k] - TOP[k]) ** 2).sum() == pytest.approx(
            (5.0, -3.0)[k] - found.found[k], abs=1e-12
        )
    assert found.boxes == sum(len(m) for m, _ in hills.rounds)


def test_every_round_covers_what_was_left_open_and_is_filled() -> None:
    """Parts of a cut box cover it without overlap; few boxes are cut into as many as eight, many into two."""
    hills = Hills()
    largest(hills, MIDDLE, HALF, 1e-4, 20_000)
    rng, rounds = np.random.default_rng(0), hills.rounds
    assert len(rounds) > 4
    for (before, wide), (middle, half) in pairwise(rounds):
        made = np.prod(half, axis=1).sum()
        held = np.zeros(len(before), dtype=bool)
        for k, (c, h) in enumerate(zip(before, wide, strict=True)):
            points = c + h * rng.uniform(-1.0, 1.0, (4, 2))
            inside = (np.abs(points[:, None] - middle) <= half * (1.0 + 1e-12)).all(axis=-1)
            assert inside.any(axis=1).all() or not inside.any()
            held[k] = inside.any()
        assert made == pytest.approx(np.prod(wide[held], axis=1).sum(), rel=1e-12)
        count = int(held.sum())
        times = len(middle) // count
        assert len(middle) == count * times
        assert times in (2, 4, 8)
        assert times == 2 or count * times <= box_search.FILL
        assert times == 8 or 2 * count * times > box_search.FILL


def test_a_budget_leaves_proved_bounds_and_the_box_of_the_largest() -> None:
    hills = Hills()
    found = largest(hills, MIDDLE, HALF, 1e-9, 40)
    assert found.boxes <= 40
    assert found.boxes == sum(len(m) for m, _ in hills.rounds)
    assert (found.bound >= [5.0, -3.0]).all()
    assert (found.found <= [5.0, -3.0]).all()
    assert found.open is not None
    middle, half = found.open
    last = [(m, h) for m, h in zip(*hills.rounds[-1], strict=True)]
    assert any(np.array_equal(m, middle) and np.array_equal(h, half) for m, h in last)
    share = Hills()(middle[None], half[None]).bound[0] / np.abs(found.found)
    others = Hills()(*hills.rounds[-1]).bound / np.abs(found.found)
    assert share.max() == pytest.approx(others.max(axis=1).max())


def test_a_box_of_which_nothing_is_known_is_cut_by_what_changes_in_the_middle() -> None:
    """Bounds are infinite until the second variable is narrow: that is the one to cut, and the middle says so."""
    seen: list[Array] = []

    def bounds(middle: Array, half: Array) -> BoxBounds:
        seen.append(half)
        value = -np.abs(middle[:, 1:])
        bound = np.where(half[:, 1:] > 0.2, np.inf, value + half[:, 1:])
        turns = np.where(half[:, 1:] > 0.2, [[7.0, 0.0]], [[0.0, 1.0]]) * half
        slope = np.zeros((len(middle), 1, 2))
        return BoxBounds(value, bound, slope, turns)

    found = largest(bounds, np.zeros(2), np.array([1.0, 1.0]), 0.5, 3000)
    assert found.open is None or np.isfinite(found.bound).all()
    widths = np.unique(np.concatenate([h for h in seen[1:] if h.any()])[:, 0])
    assert widths.tolist() == [1.0]  # the first variable is never cut


def test_a_variable_without_width_is_never_cut() -> None:
    hills = Hills()
    found = largest(hills, np.array([0.3, 0.1]), np.array([0.0, 0.9]), 0.01, 500)
    assert found.open is None
    assert all((m[:, 0] == 0.3).all() and not h[:, 0].any() for m, h in hills.asked)
    assert found.found[0] == pytest.approx(5.0, rel=0.01)
    single = largest(Hills(), TOP[0], np.zeros(2), 0.01, 500)
    assert single.boxes == 1
    assert single.found[0] == single.bound[0] == 5.0
    np.testing.assert_array_equal(single.at, [TOP[0], TOP[0]])


def test_cuts_halve_the_variable_of_the_largest_share() -> None:
    centers = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [5.0, 5.0, 5.0]])
    halves = np.array([[1.0, 2.0, 3.0], [1.0, 0.0, 3.0], [1.0, 1.0, 1.0]])
    turns = np.array([[5.0, 6.0, 1.0], [2.0, 9.0, 3.0], [np.inf, 1.0, 2.0]])
    middle, half, left = box_search._cut(centers, halves, turns)
    for k, (row, axis) in enumerate(((0, 1), (1, 2), (2, 2))):
        step = np.eye(3)[axis] * halves[row] / 2.0
        np.testing.assert_allclose(middle[[k, k + 3]], [centers[row] - step, centers[row] + step])
        np.testing.assert_allclose(half[[k, k + 3]], np.tile(halves[row] - step, (2, 1)))
        due = turns[row] / np.where(np.arange(3) == axis, 2.0, 1.0)
        np.testing.assert_allclose(left[[k, k + 3]], np.tile(due, (2, 1)))
    assert halves[0].tolist() == [1.0, 2.0, 3.0]  # what was given stays


def test_looks_go_to_the_corners_of_the_most_promising_boxes() -> None:
    n = box_search.CORNERS + 3
    rng = np.random.default_rng(2)
    centers, halves = rng.normal(size=(n, 2)), rng.uniform(0.5, 1.0, (n, 2))
    slope, bound = rng.normal(size=(n, 3, 2)), rng.normal(size=(n, 3))
    slope[:, 2, 1] = 0.0  # level: its middle
    seen = BoxBounds(np.zeros((n, 3)), bound, slope, np.zeros((n, 2)))
    found = {tuple(p) for p in box_search._corners(seen, centers, halves).round(12).tolist()}
    due: set[Any] = set()
    for k in range(3):
        for i in sorted(range(n), key=lambda i: -bound[i, k])[: box_search.CORNERS]:
            due.add(tuple((centers[i] + np.sign(slope[i, k]) * halves[i]).round(12).tolist()))
    assert found == due


def test_larger_values_are_kept_with_their_places_and_nothing_unknown() -> None:
    found, at = np.array([1.0, -np.inf, 4.0]), np.zeros((3, 2))
    value = np.array([[0.5, np.nan, 4.0], [3.0, -7.0, 2.0], [2.0, -8.0, np.nan]])
    points = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    box_search._note(found, at, value, points)
    assert found.tolist() == [3.0, -7.0, 4.0]
    assert at.tolist() == [[2.0, 2.0], [2.0, 2.0], [0.0, 0.0]]


def test_many_boxes_are_asked_in_parts_and_put_together_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(box_search, "BATCH", 4)
    hills, rng = Hills(), np.random.default_rng(1)
    middle, half = rng.normal(size=(10, 2)), rng.uniform(size=(10, 2))
    parts = box_search._all(hills, middle, half)
    assert [len(m) for m, _ in hills.asked] == [4, 4, 2]
    for part, whole in zip(parts, Hills()(middle, half), strict=True):
        np.testing.assert_array_equal(part, whole)
