"""Solutions at infinity and machines that are singular everywhere: what is decided, and what is left open."""

from __future__ import annotations

import numpy as np
import pytest

from gough.kinematics.assembly import infinity
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.assembly.solve import Solutions, solve
from support.hexapods import pairs


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("gap", "decided"), [(0.0, True), (1e-9, False), (1e-3, True)])
def test_joints_that_nearly_coincide_decide_nothing(
    which: int, axis: int, gap: float, decided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two joints apart along one axis only, on the base or on the platform."""
    monkeypatch.setattr(
        infinity, "infinite_residual", lambda b, p, X: (np.zeros(len(X)), np.zeros(len(X)))
    )
    rng = np.random.default_rng(3)
    sides = [rng.normal(size=(6, 3)) for _ in range(2)]
    sides[which][4] = sides[which][1]
    sides[which][4, axis] += gap
    found = infinity.at_infinity(*sides, np.zeros((3, 8), dtype=complex))
    assert found.tolist() == [decided] * 3


@pytest.mark.parametrize(("residual", "moved"), [(1e-14, 0.0), (0.0, 2e-3), (np.nan, 0.0)])
def test_far_or_inexact_ends_are_not_at_infinity(
    residual: float, moved: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = np.array([0.0, residual]), np.array([0.0, moved])
    monkeypatch.setattr(infinity, "infinite_residual", lambda b, p, X: told)
    b, p = np.random.default_rng(4).normal(size=(2, 6, 3))
    assert infinity.at_infinity(b, p, np.zeros((2, 8), dtype=complex)).tolist() == [True, False]


def test_a_machine_that_is_singular_everywhere_is_trusted_with_nothing() -> None:
    """Similar hexagons: no number of solutions is expected, none is given, and nobody is told that these are all."""
    angle = np.radians([10.0, 50.0, 130.0, 170.0, 250.0, 290.0])
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    geometry = normalize(ring, 0.6 * ring)
    assert geometry.singular
    found = solve(geometry, np.linalg.norm(0.4 * ring + [0.0, 0.0, 1.0], axis=1), False)
    assert len(found.X) == 0
    assert found.expected == 0
    assert not found.trusted
    assert not found.complete


def heights(found: Solutions) -> np.ndarray:
    """|q.q|/|X|^2 of all solutions, the farthest first."""
    X = found.X
    return np.sort(np.abs((X[:, :4] ** 2).sum(axis=1)) / (np.abs(X) ** 2).sum(axis=1))


def test_solutions_that_have_left_for_infinity_are_counted_there() -> None:
    """Equal rings, which are solved by halves, and lengths for which two of 22 solutions are infinite: next to them
    these two are finite, and h falls with the fourth power of what the lengths are off.  None is called lost."""
    geometry = normalize(pairs(1.0, 12.0, 0.0), np.roll(pairs(1.0, 12.0, 60.0), 1, axis=0))
    length = np.array([1.0, 1.0, 1.1, 1.1, 1.0, 1.0])
    near = [solve(geometry, length + off * np.eye(6)[0], False) for off in (1e-3, 1e-4)]
    assert all(found.complete and len(found.X) == 22 for found in near)
    for two in zip(*(heights(found)[:2] for found in near), strict=True):
        assert two[0] / two[1] == pytest.approx(1e4, rel=0.05)
    found = solve(geometry, length, False)
    assert len(found.X) == 20
    assert (found.at_infinity, found.lost, found.singular) == (2, 0, 0)
    assert not found.complete
    assert heights(found)[0] == pytest.approx(heights(near[1])[2], rel=1e-3)
