"""The search along a path by itself: which intervals it looks at, what it concludes, and when it gives up."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from gough.kinematics import path_intervals
from gough.kinematics.path_intervals import FINEST

Told = Callable[[float, float], int]  # sign on an interval, by its ends


class Search:
    """`judge` as Python, with paths that are functions of an interval; keeps what was asked and what was proved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *paths: Told) -> None:
        self.asked: list[list[tuple[float, float, int]]] = [[] for _ in paths]

        def sign_on(*given: object) -> int:
            n, u, half = int(given[6]), float(given[7]), float(given[8])  # type: ignore[call-overload]
            told = paths[n](u - half, u + half)
            self.asked[n].append((u - half, u + half, told))
            return told

        monkeypatch.setattr(path_intervals, "sign_on", sign_on)
        judge = getattr(path_intervals.judge, "py_func", path_intervals.judge)
        count, self.out = len(paths), np.full((len(paths), 3), 7.0)
        three, four = np.zeros((count, 3)), np.zeros((count, 4))
        table = np.zeros((6, 1))
        judge(table, np.zeros(3), three, three, four, four, np.arange(float(count)), 1.0, self.out)

    def proved(self, n: int = 0) -> list[tuple[float, float]]:
        return [(a, b) for a, b, told in self.asked[n] if abs(told) == 1]


def regular(sign: int, finest: float = 1.0) -> Told:
    """Of one sign, seen on intervals up to a width."""
    return lambda a, b: sign if b - a <= finest else 0


def zero_at(place: float, before: int, after: int) -> Told:
    return lambda a, b: 0 if a <= place <= b else before if b < place else after


def test_intervals_tile_the_path_from_its_beginning() -> None:
    for finest in (1.0, 0.5, 0.2, 0.01):
        with pytest.MonkeyPatch.context() as m:
            search = Search(m, regular(1, finest))
        assert search.out[0, :2].tolist() == [1.0, 0.0]
        assert np.isnan(search.out[0, 2])
        found = search.proved()
        assert found[0][0] == 0.0
        assert found[-1][1] == 1.0
        assert all(one[1] == two[0] for one, two in pairwise(found))
        assert len(search.asked[0]) == 2 * len(found) - 1  # each wide one is halved, once
        assert all(b - a > finest / 2 for a, b in found)


@pytest.mark.parametrize("place", [0.3, 0.7, 0.001])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_change_of_sign_is_a_crossing_and_a_touch_is_none(
    place: float, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both begin to be irregular in the finest interval about the place; a third path is not disturbed."""
    search = Search(
        monkeypatch,
        zero_at(place, sign, -sign),
        zero_at(place, sign, sign),
        regular(-sign, 0.3),
    )
    assert search.out[:, 0].tolist() == [0.0, 0.0, 1.0]
    assert search.out[:, 1].tolist() == [1.0, 0.0, 0.0]
    for n in (0, 1):
        assert search.out[n, 2] <= place <= search.out[n, 2] + 2 * FINEST
    assert np.isnan(search.out[2, 2])
    assert search.asked[1][-1][1] == 1.0  # looked at to its end
    assert search.asked[0][-1][1] < 1.0  # the verdict is clear before


def test_two_places_are_told_by_the_first() -> None:
    with pytest.MonkeyPatch.context() as m:
        search = Search(m, lambda a, b: 0 if a <= 0.2 <= b or a <= 0.6 <= b else 1)
    assert search.out[0, :2].tolist() == [0.0, 0.0]
    assert search.out[0, 2] == pytest.approx(0.2, abs=2 * FINEST)


def test_signs_that_change_from_one_interval_to_the_next_are_a_crossing_there() -> None:
    """Without an open interval between them: the place is where the second begins."""
    with pytest.MonkeyPatch.context() as m:
        search = Search(m, lambda a, b: 0 if b - a > 0.25 else -1 if b <= 0.5 else 1)
    assert search.out[0].tolist() == [0.0, 1.0, 0.5]


def test_a_leg_that_does_not_reach_ends_the_search() -> None:
    """On a finest interval; on a wide one it only says that less must be looked at."""
    with pytest.MonkeyPatch.context() as m:
        search = Search(m, lambda a, b: -2 if b > 0.6 else 1, lambda a, b: -2 if b - a > 0.1 else 1)
    assert search.out[0, :2].tolist() == [0.0, 0.0]
    assert search.out[0, 2] == pytest.approx(0.6, abs=2 * FINEST)
    assert [told for _, _, told in search.asked[0] if told == -2][-1] == search.asked[0][-1][2]
    assert search.asked[0][-1][1] - search.asked[0][-1][0] <= FINEST
    assert search.out[1, :2].tolist() == [1.0, 0.0]


def test_a_path_that_is_open_everywhere_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After MOST_OPEN finest intervals, each path by its own count."""
    monkeypatch.setattr(path_intervals, "MOST_OPEN", 5)
    search = Search(monkeypatch, lambda a, b: 0, lambda a, b: 0)
    for n in (0, 1):
        assert search.out[n].tolist() == [0.0, 0.0, 0.0]
        finest = [b - a for a, b, _ in search.asked[n] if b - a <= FINEST]
        assert len(finest) == 5 + 1
        assert max(finest) == FINEST


def test_a_path_with_too_many_intervals_is_safe_as_far_as_was_looked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And a path that needs just as many as are allowed is proved."""
    monkeypatch.setattr(path_intervals, "MOST", 63)
    search = Search(monkeypatch, regular(1, 2.0**-20), regular(1, 1 / 32), regular(1, 1 / 64))
    assert search.out[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert [len(asked) for asked in search.asked] == [64, 63, 64]
    for n in (0, 2):
        assert search.out[n, 1] == 0.0
        assert search.out[n, 2] == search.proved(n)[-1][1]  # the end of what is proved
