"""Ways around what blocks the straight one: strokes, cones, distances, singular poses; machines of three kinds."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from campaigns.blocked_ways import blocked
from campaigns.plan_campaign import blocked_plans, broken_plan
from gough.analysis import path_planner
from gough.spatial import Pose

CASES = [
    *(("UPS", 1, by) for by in ("stroke", "cone", "distance", "determinant")),
    *(("PUS", 2, by) for by in ("stroke", "cone", "distance", "determinant")),
    *(("RUS", 2, by) for by in ("stroke", "cone", "distance")),
]


@pytest.mark.parametrize(("kind", "seed", "by"), CASES)
def test_a_way_around_is_found_and_proved(kind: str, seed: int, by: str) -> None:
    case = blocked(kind, seed, by)
    assert case is not None
    found = gough.plan_path(*case, samples=64, seed=seed)
    assert found.direct is not None
    assert not found.direct.whole
    assert found.possible is True
    assert found.poses is not None
    assert len(found.poses.position) > 2
    assert broken_plan(*case, found) == ""


@pytest.mark.parametrize("by", ["distance", "determinant"])
def test_planted_errors_show(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ways that count as free unproved: brute force says so."""
    case = blocked("PUS", 2, by)
    assert case is not None
    monkeypatch.setattr(path_planner, "free_parts", lambda platform, rays: rays.end.copy())
    monkeypatch.setattr(path_planner, "CORNER", 1e9)
    assert broken_plan(*case, gough.plan_path(*case, samples=64, seed=2))


@pytest.mark.slow
def test_more_ways_around() -> None:
    found = blocked_plans(2, 5)
    assert found["wrong"] == 0, found
    assert sum(n for name, n in found.items() if name.endswith("detours")) >= 4


@pytest.mark.parametrize("scale", [1e-3, 1.0])
@pytest.mark.parametrize(("longer", "corners"), [(0.9, [0, 3, 4]), (1.1, [0, 1, 2, 4])])
def test_a_corner_less_is_worth_one_size_of_the_machine(
    longer: float, corners: list[int], scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Straight ahead with two corners, or by a detour with one: the detour is taken while it is no more than that
    longer."""
    aside = np.sqrt((1.0 + longer / 2.0) ** 2 - 1.0)
    x, y = np.array([[0.0, 0.5, 1.0, 1.0, 2.0], [0.0, 0.0, 0.0, aside, 0.0]]) * scale
    way = Pose.from_rpy(np.stack([x, y, 0.0 * x], axis=1), np.zeros((5, 3)))
    free = {(0, 1), (1, 2), (2, 4), (0, 3), (3, 4)}
    i, j = np.triu_indices(5, 1)
    whole = np.array([1.0 if pair in free else 0.5 for pair in zip(i, j, strict=True)])
    monkeypatch.setattr(path_planner, "free_parts", lambda platform, rays: whole)
    found, judged = path_planner._shortened(gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6), way, scale)
    assert judged == 10
    assert found is not None
    np.testing.assert_array_equal(found.position, way.position[corners])
