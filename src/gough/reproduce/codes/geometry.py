"""What the checks of public codes share: their published numbers, rings of joints, leg vectors, Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from gough.checks import Array
from gough.documents.source import parse_toml
from gough.formulations.linear import cross
from gough.spatial import rotation_exp


@cache
def numbers() -> dict[str, dict[str, Any]]:
    """Every work's published numbers, by its key."""
    path = files("gough.reproduce").joinpath("codes", "numbers.toml")
    return parse_toml(path.read_text(encoding="utf-8"), path.name)


def ring(radius: float, degrees: Sequence[float], height: float = 0.0) -> Array:
    """(6, 3) points on a circle about z."""
    a = np.radians(degrees)
    return np.stack([radius * np.cos(a), radius * np.sin(a), np.full(len(a), height)], axis=-1)


def legs(base: Array, platform: Array, position: Any, R: Array) -> tuple[Array, Array]:
    """Leg lengths (6,) and directions (6, 3) with the platform's joints at ``position + R p``."""
    vector = np.asarray(position) + platform @ R.T - base
    length = np.linalg.norm(vector, axis=-1)
    return length, vector / length[:, None]


def jacobian(direction: Array, arm: Array) -> Array:
    """(6, 6) leg rates by the platform's twist, rows ``(n, r x n)``."""
    return np.hstack([direction, cross(arm, direction)])


def newton(
    base: Array, joints: Array, wanted: Array, place: Any, R: Array, tolerance: float
) -> tuple[Array, int]:
    """Position with these leg lengths by Newton's method, and its steps until the lengths are met to `tolerance`."""
    for step in range(1, 100):
        length, n = legs(base, joints, place, R)
        move = np.linalg.solve(jacobian(n, joints @ R.T), wanted - length)
        place, R = np.asarray(place) + move[:3], rotation_exp(move[3:]) @ R
        if np.linalg.norm(wanted - legs(base, joints, place, R)[0]) < tolerance:
            return place, step
    raise ArithmeticError("the pose was not found")


def percent(found: Any, right: Any) -> float:
    """Largest difference in percent of the largest right value."""
    return 100 * float(np.abs(found - right).max() / np.abs(right).max())
