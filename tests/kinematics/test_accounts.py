"""What path ends amount to: groups, folds, continua."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.continuum import is_fold
from gough.kinematics.assembly.forms import FORMS, from_pose, leg_rows, matrices, psi, to_pose
from gough.kinematics.assembly.generic import generic_start
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.assembly.paths import known
from gough.kinematics.assembly.solve import _account, _distance, _group
from gough.kinematics.assembly.spheres import _cluster
from support.hexapods import random_machine
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


SPLIT = 1e-5  # half of the way between two ends


def some_pose(rng: np.random.Generator) -> Array:
    q = rng.normal(size=4)
    return from_pose(rng.normal(size=3), q / np.linalg.norm(q))


def merging(X: Array, slope: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Conditions (6, 17) that hold at X, the first without slope there, the second with `slope` times a usual one; and
    two ends beside X along the first one's fold."""
    gradients = 2 * matrices()[:FORMS] @ X
    flat = np.linalg.svd(gradients.T)[2][8:]
    rows = rng.normal(size=(6, FORMS - 1)) @ np.linalg.svd(psi(X)[None])[2][1:]
    rows[0] = rng.normal(size=len(flat)) @ flat
    rows[1] = slope * rows[1] + rng.normal(size=len(flat)) @ flat
    J = np.vstack([rows[1:] @ gradients, 2 * matrices()[FORMS] @ X, X])
    way = np.linalg.svd(J)[2][-1]
    return rows, np.stack([X + SPLIT * way, X - SPLIT * way]) + 0j


@pytest.mark.parametrize("seed", range(5))
def test_two_ends_are_no_fold_where_others_are_as_near(seed: int) -> None:
    """Two conditions without slope: four solutions merge.  With a slope of 1e-6 the other two lie about as far away,
    nearer than the two ends lie apart: these are not isolated, and nothing is complete with them."""
    rng = np.random.default_rng(seed)
    X = some_pose(rng)
    for slope, alone in ((1.0, True), (1e-6, False), (1e-9, False)):
        assert is_fold(*merging(X, slope, rng)) == alone


@pytest.mark.parametrize("seed", range(3))
def test_only_ends_that_merge_beside_a_real_point_have_a_pose(seed: int) -> None:
    """A pair of conjugates, or two real ends, however they are scaled: the pose between them.  Complex ones: none."""
    rng = np.random.default_rng(seed)
    platform = random_machine("general", rng)
    geometry = normalize(platform.base_joints, platform.platform_joints)
    X = some_pose(rng)
    t, R = geometry.world(*to_pose(X[None]))
    for off in (SPLIT * rng.normal(size=8), 1j * SPLIT * rng.normal(size=8)):
        found = _cluster(geometry, np.stack([(2 - 1j) * (X + off), 3j * (X - off)]))
        assert found.multiplicity == 2
        assert found.pose is not None
        np.testing.assert_allclose(found.pose.position, t[0], atol=1e-8)
        np.testing.assert_allclose(found.pose.rotation, R[0], atol=1e-8)
    for away in (0.5, 1e-3):  # in a direction that is no change of scale
        center = X + 1j * away * rng.normal(size=8)
        assert _cluster(geometry, np.stack([center + off, center - off])).pose is None
