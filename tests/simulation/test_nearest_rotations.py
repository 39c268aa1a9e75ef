"""The rotation nearest to a matrix, whether Newton's steps find it or not, each of a batch by itself."""

from __future__ import annotations

import numpy as np
import pytest

from gough.simulation.state import orthogonal
from gough.spatial import rotation_exp


def nearest(M: np.ndarray) -> np.ndarray:
    U, _, V = np.linalg.svd(M)
    return U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V


@pytest.mark.parametrize("far", [(), (0,), (2,), (0, 1, 2, 3)])
def test_every_matrix_gets_its_own_nearest_rotation(far: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    M = rotation_exp(rng.normal(size=(4, 3))) @ (np.eye(3) + 1e-5 * rng.normal(size=(4, 3, 3)))
    for k in far:
        M[k] = 0.3 * M[k] + 0.1 * rng.normal(size=(3, 3))
    found = orthogonal(M)
    for R, m in zip(found, M, strict=True):
        np.testing.assert_allclose(R, nearest(m), rtol=0, atol=1e-9)
        np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=1e-12)


def test_a_matrix_of_no_numbers_becomes_the_identity() -> None:
    """A run that has left all numbers must not stop those beside it."""
    part = np.eye(3)
    part[1, 2] = np.nan
    M = np.stack([np.eye(3), np.full((3, 3), np.nan), np.diag([1e200, 1.0, 1.0]), part])
    found = orthogonal(M)
    np.testing.assert_allclose(
        found @ np.swapaxes(found, 1, 2), [np.eye(3)] * 4, rtol=0, atol=1e-12
    )
    for k in (0, 1, 3):
        np.testing.assert_array_equal(found[k], np.eye(3))


@pytest.mark.parametrize("long", [1.2, 1.7, 1.9, 1e200, np.inf])
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_an_axis_that_grows_is_never_turned_around(axes: tuple[int, ...], long: float) -> None:
    """A stretch has no rotation, however long: one whose steps would go too far is found otherwise."""
    M = np.eye(3)
    M[axes, axes] = long
    np.testing.assert_allclose(orthogonal(M), np.eye(3), rtol=0, atol=1e-9)
    if long < 2.0:
        R = rotation_exp(np.array([0.3, -0.2, 0.5]))
        np.testing.assert_allclose(
            orthogonal((R @ M)[None])[0], nearest(np.clip(R @ M, -2, 2)), rtol=0, atol=1e-9
        )


@pytest.mark.parametrize("i", range(3))
@pytest.mark.parametrize("far", [-0.9, -1e200, -np.inf])
def test_what_is_turned_inside_out_is_no_rotation(i: int, far: float) -> None:
    """One axis against the two others: a rotation all the same."""
    M = np.diag([1.1, 1.2, 1.3])
    M[i, i] = far
    found = orthogonal(M)
    assert np.linalg.det(found) == pytest.approx(1.0)
    np.testing.assert_allclose(found @ found.T, np.eye(3), rtol=0, atol=1e-12)
