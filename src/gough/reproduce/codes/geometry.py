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


def percent(found: Any, right: Any) -> float:
    """Largest difference in percent of the largest right value."""
    return 100 * float(np.abs(found - right).max() / np.abs(right).max())
