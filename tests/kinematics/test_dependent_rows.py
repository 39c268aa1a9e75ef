"""When six rows are called dependent: by the worse of what they say of shifts and of turns, whatever the units."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.forward import _solution

RIGHT = np.array([1.0, -2.0, 0.5, 3.0, -0.7, 0.2])


def narrow(angle: float) -> Array:
    """Three unit rows of which two differ by a small angle, in the plane of the first two columns.

    The second column is small; singular values sqrt(2) cos, 1 and sqrt(2) sin."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0.0], [c, -s, 0.0], [0.0, 0.0, 1.0]])


def tilted(angle: float) -> Array:
    """The same seen from elsewhere: no column is small."""
    Q, _ = np.linalg.qr(np.array([[2.0, 1.0, 0.4], [-0.7, 1.5, 1.0], [0.5, -1.0, 2.0]]))
    return narrow(angle) @ Q


def rows_of(linear: Array, angular: Array) -> Array:
    rows = np.zeros((6, 6))
    rows[:3, :3], rows[3:, 3:] = linear, angular
    return rows


def solved(rows: Array) -> bool:
    """Whether they are independent; if so the answer fulfills them, else it is no number."""
    x, regular = _solution(rows, RIGHT)
    assert regular.shape == ()
    if regular:
        assert (np.abs(rows @ x - RIGHT) <= 1e-13 * (np.abs(rows) @ np.abs(x))).all()
    else:
        assert np.isnan(x).all()
    return bool(regular)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("swapped", [False, True])
def test_weak_in_two_ways_is_as_bad_as_the_worse(order: tuple[int, ...], swapped: bool) -> None:
    """A small column of one kind takes nothing from the other: 1e-10 and 1e-5 make 1e-10, not 1e-15."""
    parts = narrow(1e-10)[:, list(order)], tilted(1e-5)
    assert solved(rows_of(*(parts[::-1] if swapped else parts)))


@pytest.mark.parametrize("make", [narrow, tilted])
@pytest.mark.parametrize("weak", [0, 1])
@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_both_sides_of_the_bound_in_any_unit(make, weak: int, unit: float) -> None:  # type: ignore[no-untyped-def]
    """Moments in other units, and rows of other lengths, change no verdict."""
    for angle, wanted in ((1e-12, True), (1e-14, False)):
        parts = [tilted(1.0), tilted(1.0)]
        parts[weak] = make(angle)
        rows = rows_of(*parts)
        rows[:, 3:] *= unit
        assert solved(rows) is wanted
        assert solved(rows * np.array([1e-6, 1.0, 1e6, 5.0, 1e-3, 1e3])[:, None]) is wanted


@pytest.mark.parametrize("column", range(6))
def test_a_freedom_that_no_row_sees(column: int) -> None:
    rows = rows_of(tilted(1.0), tilted(1.0))
    rows[:, column] = 0.0
    assert not solved(rows)


def test_shifts_or_turns_that_no_row_sees() -> None:
    """Three columns of nothing have no size to be measured by."""
    for part in (slice(0, 3), slice(3, 6)):
        rows = np.random.default_rng(3).normal(size=(6, 6))
        rows[:, part] = 0.0
        assert not solved(rows)


def test_every_pose_of_many_has_its_own_verdict() -> None:
    """One dependent, one with no numbers, one whose right side has none: the others are solved as if alone."""
    good = np.random.default_rng(4).normal(size=(5, 6, 6))
    rows, right = good.copy(), np.tile(RIGHT, (5, 1))
    rows[1, 2] = rows[1, 4]
    rows[2, 5, 0] = np.nan
    right[4, 3] = np.inf
    x, regular = _solution(rows, right)
    assert regular.tolist() == [True, False, False, True, False]
    for k in range(5):
        if regular[k]:
            np.testing.assert_allclose(x[k], np.linalg.solve(good[k], RIGHT), rtol=1e-9)
        else:
            assert np.isnan(x[k]).all()


def test_many_questions_to_one_pose() -> None:
    rows = np.random.default_rng(5).normal(size=(6, 6))
    right = np.random.default_rng(6).normal(size=(4, 6))
    x, regular = _solution(rows, right)
    assert regular.tolist() == [True] * 4
    np.testing.assert_allclose(x @ rows.T, right, atol=1e-11)
