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
        np.testing.assert_allclose(R, nearest(m), atol=1e-9)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)


def test_a_matrix_of_no_numbers_becomes_some_rotation() -> None:
    """A run that has left all numbers must not stop those beside it."""
    M = np.stack([np.eye(3), np.full((3, 3), np.nan), np.diag([1e200, 1.0, 1.0])])
    found = orthogonal(M)
    np.testing.assert_allclose(found @ np.swapaxes(found, 1, 2), [np.eye(3)] * 3, atol=1e-12)
    np.testing.assert_array_equal(found[0], np.eye(3))
