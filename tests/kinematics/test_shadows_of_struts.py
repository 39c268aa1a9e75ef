"""Struts at rest: their shadows on the line between them are apart by their distance, and rows are regular up to 1."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.leg_models import _across, pair_clearance, regular, regular_rows
from gough.segments import segment_distance
from gough.taylor import DEGREE, Model


def still(value: Array, doubt: float = 0.0) -> Model:
    """A constant, known to within `doubt`."""
    c = np.zeros((DEGREE + 1, *value.shape))
    c[0] = value
    return Model(c, np.full(value.shape, doubt))


def clearances(start: Array, end: Array, needed: Array, pairs: Array) -> Array:
    legs: Any = SimpleNamespace(start=still(start), end=still(end))
    return pair_clearance(legs, needed, pairs).lower()


def test_the_smallest_shadow_is_the_distance_less_what_is_needed() -> None:
    """Of forty machines at once, each pair by its own number: segments that meet inside, at ends, or at one of each."""
    rng = np.random.default_rng(1)
    start = rng.normal(size=(40, 4, 3))
    end = start + rng.normal(size=(40, 4, 3)) * rng.choice([0.3, 1.0, 3.0], size=(40, 4, 1))
    pairs = np.array([[0, 0, 1, 2], [1, 3, 2, 3]])
    needed = np.array([0.1, 0.02, 0.3, 0.0])
    found = clearances(start, end, needed, pairs)
    assert found.shape == (40, 4, 4)
    i, j = pairs
    apart = segment_distance(start[:, i], end[:, i], start[:, j], end[:, j])
    np.testing.assert_allclose(found.min(axis=-1), apart - needed, atol=1e-9)
    assert (found.max(axis=-1) > found.min(axis=-1)).any()


@pytest.mark.parametrize("where", [0.5, 0.2, 0.0, 1.0])
def test_struts_that_touch_are_never_proved_apart(where: float) -> None:
    """Inside both, or at an end of one: there is no line between them, and no number that says more."""
    a = np.array([[-1.0, 0.2, 0.0], [1.0, -0.1, 0.3]])
    point = a[0] + where * (a[1] - a[0])
    way = np.array([0.1, 1.0, -0.4])
    start, end = np.stack([a[0], point - way])[None], np.stack([a[1], point + 2.0 * way])[None]
    for needed in (0.0, 0.1):
        with np.errstate(all="ignore"):
            found = clearances(start, end, np.array([needed]), np.array([[0], [1]]))
        assert not (found > 0.0).all()
        if needed:
            assert not (found >= 0.0).all()


def test_what_lies_along_a_strut_is_taken_away_where_asked() -> None:
    rng = np.random.default_rng(2)
    gap, along = rng.normal(size=(2, 5, 3, 3))
    where = rng.uniform(size=(5, 3)) < 0.5
    assert 0 < where.sum() < where.size
    found = _across(still(gap), still(along), where)
    share = (gap * along).sum(axis=-1) / (along**2).sum(axis=-1)
    due = np.where(where[..., None], gap - share[..., None] * along, gap)
    np.testing.assert_allclose(found.c[0], due, atol=1e-12)
    kept = still(gap)
    assert _across(kept, still(along), np.zeros((5, 3), dtype=bool)) is kept


def halves(M: Array, doubt: float = 0.0) -> tuple[Model, Model]:
    return still(M[..., :3], doubt), still(M[..., 3:], doubt)


def test_rows_are_regular_as_long_as_no_row_of_errors_reaches_one() -> None:
    """Around the unit matrix six errors of a sixth reach a singular one; the sign is that of the middle."""
    swap = np.eye(6)[[1, 0, 2, 3, 4, 5]]
    M = np.stack([np.eye(6), swap, 2.0 * np.eye(6), np.diag([1.0, 1, 1, 1, 1, 0]), np.eye(6)])
    M[4, 2, 3] = np.nan
    for doubt, due in ((0.0, [True] * 3), (0.16, [True] * 3), (0.17, [False, False, True])):
        good, sign = regular_rows(*halves(M, doubt))
        assert good.tolist() == [*due, False, False]
        assert sign[:3].tolist() == [1.0, -1.0, 1.0]
    assert not regular_rows(*halves(M, np.inf))[0].any()
    assert not regular_rows(still(M[..., :3]), still(M[..., 3:], np.inf))[0].any()
    ones = np.ones((1, 6, 6)) / 10.0 + np.eye(6)  # errors of other rows count by the inverse
    A = np.linalg.inv(ones[0])
    limit = 1.0 / np.abs(A).sum(axis=1).max() / 6.0
    for share, due in ((0.98, True), (1.02, False)):
        assert regular_rows(*halves(ones, share * limit))[0].tolist() == [due]


def test_moments_are_counted_in_the_machines_length() -> None:
    """``(s, q x s/length)``: by hand."""
    rng = np.random.default_rng(4)
    s, q = rng.normal(size=(2, 3, 6, 3))
    legs: Any = SimpleNamespace(direction=still(s), arm=still(q))
    for length in (0.2, 1.0, 5.0):
        good, sign = regular(legs, length)
        M = np.concatenate([s, np.cross(q, s) / length], axis=-1)
        assert good.all()
        assert sign.tolist() == np.sign(np.linalg.det(M)).tolist()
    assert not regular(SimpleNamespace(direction=still(s), arm=still(q, 10.0)), 1.0)[0].any()  # type: ignore[arg-type]
