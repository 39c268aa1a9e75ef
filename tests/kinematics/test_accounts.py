"""What path ends amount to: groups, folds, continua."""

from __future__ import annotations

import numpy as np

from gough.kinematics.assembly.continuum import is_fold
from gough.kinematics.assembly.forms import leg_rows
from gough.kinematics.assembly.generic import generic_start
from gough.kinematics.assembly.paths import known
from gough.kinematics.assembly.solve import _account, _distance, _group
from support.study_points import complex_point


def test_points_of_projective_space_are_grouped_whatever_their_scale() -> None:
    x, y = complex_point(0), complex_point(4)
    near = 1j * x
    near[5] *= 1 + 1e-5
    X = np.stack([x, y, near, 2 * y])
    assert _group(X, np.arange(4)) == [[0, 2], [1, 3]]
    assert _group(X, np.array([1, 0])) == [[1], [0]]
    assert _distance(x, 3j * x) < 1e-14
    away = y.copy()
    away[int(np.argmax(np.abs(x)))] = 0.0
    assert _distance(x, away) == np.inf


def test_an_account_of_all_or_too_many_or_too_few() -> None:
    """40 of 40 of complex lengths are not closed under conjugation; more than expected are never trusted."""
    legs, X = generic_start()
    ends, rows = known(legs, X), leg_rows(*legs)
    found = _account(rows, ends, 40, True)
    assert len(found.X) == 40
    assert not found.complete
    more = _account(rows, ends, 39, True)
    assert more.expected == 40
    assert not more.trusted
    assert not more.complete
    fewer = _account(rows, ends.of(np.arange(38)), 40, True)
    assert fewer.lost == 2
    assert not fewer.complete


def test_a_fold_is_two_ends() -> None:
    legs, X = generic_start()
    rows = leg_rows(legs.b, legs.p, legs.K.real)
    assert not is_fold(rows, X[:1])
    assert not is_fold(rows, X[:3])
    assert not is_fold(rows, X[:2])  # far apart
