"""Clearance of two struts between samples: never more than their distance, less only by the second power of time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gough.kinematics.leg_models import pair_clearance
from gough.taylor import DEGREE, Model

A = [[-1.0, 0.0, 0.0], [1.0, 0.1, 0.0]]
PAIRS = {  # the other strut: where it comes nearest to A
    "inside both": [[0.1, -0.9, 0.3], [0.2, 0.8, 0.4]],
    "its end, inside A": [[0.3, 0.05, 0.2], [0.5, 0.3, 1.0]],
    "inside it, the end of A": [[1.2, -0.7, 0.1], [1.3, 0.6, 0.15]],
    "two ends": [[1.1, 0.15, 0.1], [2.0, 0.5, 0.6]],
}


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Of two segments, by turns: the nearest point of one to the nearest of the other."""
    u, v, y = a[1] - a[0], b[1] - b[0], 0.5
    for _ in range(200):
        x = np.clip((b[0] + y * v - a[0]) @ u / (u @ u), 0.0, 1.0)
        y = np.clip((a[0] + x * u - b[0]) @ v / (v @ v), 0.0, 1.0)
    return float(np.linalg.norm(a[0] + x * u - b[0] - y * v))


def deficit(ends: np.ndarray, rates: np.ndarray, tau: float) -> float:
    """How much of the distance at `tau` the model does not prove; ends, rates (2 struts, 2 ends, 3)."""
    c = np.zeros((DEGREE + 1, 1, 2, 2, 3))
    c[0, 0], c[1, 0] = ends, rates
    legs: Any = SimpleNamespace(
        start=Model(c[..., 0, :], np.zeros((1, 2, 3))), end=Model(c[..., 1, :], np.zeros((1, 2, 3)))
    )
    now = ends + tau * rates
    needed = np.array([distance(*now)])
    value, off = pair_clearance(legs, needed, np.array([[0], [1]])).at(np.array([tau]))
    assert (value.min(axis=-1) <= off.max(axis=-1) + 1e-12).all()
    return -float(value.min())


@pytest.mark.parametrize("where", PAIRS)
@pytest.mark.parametrize("turned", [False, True])
def test_clearance_is_the_distance_up_to_the_second_power(where: str, turned: bool) -> None:
    ends = np.array([A, PAIRS[where]])
    ends = ends[::-1] if turned else ends
    rng = np.random.default_rng(3)
    for _ in range(5):
        rates = 1e-3 * rng.normal(size=ends.shape)
        for tau in (-1.0, 1.0):
            large, small = (deficit(ends, share * rates, tau) for share in (1.0, 0.25))
            assert small < 1e-5
            assert small < 0.12 * large + 1e-11
