"""Ways around what blocks the straight one: strokes, cones, distances, singular poses; machines of three kinds."""

from __future__ import annotations

import pytest

import gough
from campaigns.blocked_ways import blocked
from campaigns.plan_campaign import blocked_plans, broken_plan
from gough.analysis import path_planner

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
