"""Volumes by their parts: where quadrature breaks, stated errors, empty workspaces, rims of grids, idle cones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import volume
from gough.analysis.arcs import Surfaces
from gough.analysis.volume import (
    Volume,
    bounds,
    certified_volume,
    exact_volume,
    grid_volume,
    orientation_set,
    orientation_volume,
    slice_profile,
    without_idle_cones,
)
from gough.checks import Array

MACHINE = gough.load("motion-base-1500")


def ball(**other: Any) -> Surfaces:
    """Two shells and a cone above the floor."""
    given: dict[str, Any] = {
        "center": np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.25]]),
        "low": np.array([0.5, 0.0]),
        "high": np.array([1.0, 1.2]),
        "tip": np.array([[0.0, 0.0, 0.1]]),
        "axis": np.array([[0.0, 0.0, 1.0]]),
        "half": np.array([0.7]),
        "size": 2.0,
    }
    return Surfaces(**(given | other))


def quadrature(
    monkeypatch: pytest.MonkeyPatch, s: Surfaces, box: Array
) -> tuple[Volume, dict[str, Any]]:
    """`exact_volume` of given surfaces, and what it asks of SciPy."""
    asked: dict[str, Any] = {}

    def quad_vec(function: Any, low: float, high: float, **options: Any) -> tuple[float, float]:
        asked.update(options, low=low, high=high, looked=[function(z) for z in (0.4, 0.6, 0.7)])
        return 3.0, 0.125

    monkeypatch.setattr(volume, "package", lambda name: SimpleNamespace(quad_vec=quad_vec))
    monkeypatch.setattr(volume, "surfaces", lambda *_: s)
    monkeypatch.setattr(volume, "bounds", lambda *_: box)
    monkeypatch.setattr(volume, "without_idle_cones", lambda s, box: s)
    monkeypatch.setattr(volume, "compiled_area", lambda s: lambda z: 2.0 * z)
    return exact_volume(MACHINE, tolerance=1e-5), asked


def test_quadrature_breaks_where_spheres_begin_and_end_and_at_tips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    box = np.array([[-1.0, -1.0, -0.2], [1.0, 1.0, 2.0]])
    found, asked = quadrature(monkeypatch, ball(), box)
    due = {
        0.0 - 0.5, 0.0 + 0.5, 0.0 - 1.0, 0.0 + 1.0, 0.25 - 1.2, 0.25 + 1.2, 0.25, 0.1,
    }  # fmt: skip
    np.testing.assert_allclose(asked["points"], sorted(z for z in due if -0.2 < z < 2.0))
    assert (asked["low"], asked["high"], asked["epsrel"]) == (-0.2, 2.0, 1e-5)
    assert asked["looked"] == [0.8, 1.2, 1.4]
    assert (found.value, found.low, found.high) == (3.0, 2.875, 3.125)
    assert (found.evaluations, found.method, found.clipped) == (3, "exact", False)
    np.testing.assert_array_equal(found.box, box)


def test_breaks_that_fall_together_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearer than 1e-12 of the machine's size: a piece without height has no area to add."""
    near = ball(tip=np.array([[0.0, 0.0, 0.5 + 1e-13], [0.0, 0.0, 0.5 + 1e-9]]),
                axis=np.tile([0.0, 0.0, 1.0], (2, 1)), half=np.full(2, 0.7))  # fmt: skip
    _, asked = quadrature(monkeypatch, near, np.array([[-1.0, -1.0, 0.3], [1.0, 1.0, 0.9]]))
    np.testing.assert_allclose(asked["points"], [0.5, 0.5 + 1e-9], rtol=0.0, atol=1e-12)


def test_nothing_is_exactly_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    box = np.array([[-1.0, -1.0, 0.5], [1.0, 1.0, 0.5]])
    found, asked = quadrature(monkeypatch, ball(), box)
    assert not asked
    assert (found.value, found.low, found.high, found.evaluations) == (0.0, 0.0, 0.0, 0)
    for side in range(3):
        flat = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
        flat[1, side] = 0.0
        monkeypatch.setattr(volume, "bounds", lambda *_, flat=flat: flat)
        none = certified_volume(MACHINE, depth=2)
        assert (none.value, none.low, none.high, none.evaluations) == (0.0, 0.0, 0.0, 0)


def test_profiles_are_areas_at_even_heights() -> None:
    heights, areas = slice_profile(MACHINE, levels=7)
    box = exact_volume(MACHINE, tolerance=1e-3).box
    np.testing.assert_allclose(heights, np.linspace(box[0, 2], box[1, 2], 7))
    assert areas.shape == (7,)
    assert areas[[0, -1]].max() < areas[2:5].min()


def test_a_cone_is_idle_only_where_all_that_the_shells_leave_lies_in_it() -> None:
    """A wide cone from far below cuts nothing; a narrow one does; each is judged by itself."""
    tip = np.array([[0.0, 0.0, -9.0], [0.0, 0.0, -0.2], [0.0, 0.0, -9.0]])
    s = ball(tip=tip, axis=np.tile([0.0, 0.0, 1.0], (3, 1)), half=np.array([1.2, 0.6, 0.15]))
    box = np.array([[-1.0, -1.0, 0.3], [1.0, 1.0, 1.0]])
    kept = without_idle_cones(s, box)
    assert 0 < len(kept.tip) < 3
    np.testing.assert_array_equal(kept.tip[0], tip[1])
    rng = np.random.default_rng(0)
    points = box[0] + (box[1] - box[0]) * rng.uniform(size=(4000, 3))
    np.testing.assert_array_equal(kept.inside(points), s.inside(points))
    assert 0 < s.inside(points).sum() < 4000
    assert without_idle_cones(s, np.array([box[0], box[0]])) is s
    bare = ball(tip=tip[:0], axis=tip[:0], half=np.zeros(0))
    assert without_idle_cones(bare, box) is bare
    edge = ball(tip=tip[:1], axis=np.array([[0.0, 0.0, 1.0]]), half=np.array([0.095]))
    assert len(without_idle_cones(edge, box).tip) == 1  # it cuts off the corners of the shells


def test_the_box_holds_every_point_and_the_floor_cuts_it() -> None:
    s = ball(tip=np.zeros((0, 3)), axis=np.zeros((0, 3)), half=np.zeros(0))
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.3, 1.6, (20_000, 3))
    inside = points[s.inside(points)]
    machine: Any = SimpleNamespace(base_joints=np.zeros((6, 3)), home=None)
    up = bounds(machine, s)
    above = inside[inside[:, 2] >= 0.0]
    assert (above >= up[0] - 1e-12).all()
    assert (above <= up[1] + 1e-12).all()
    assert up[0, 2] >= 0.0
    machine.home = SimpleNamespace(position=np.array([0.0, 0.0, -0.5]))
    down = bounds(machine, s)
    below = inside[inside[:, 2] <= 0.0]
    assert (below >= down[0] - 1e-12).all()
    assert (below <= down[1] + 1e-12).all()
    assert down[1, 2] <= 0.0
    machine.home = SimpleNamespace(position=np.zeros(3))
    np.testing.assert_array_equal(bounds(machine, s), up)  # at the floor: above
    part = bounds(machine, s, (-0.3, 0.2))
    assert part[0, 2] >= -0.3
    assert part[1, 2] <= 0.2
    between = inside[(inside[:, 2] >= -0.3) & (inside[:, 2] <= 0.2)]
    assert (between >= part[0] - 1e-12).all()
    assert (between <= part[1] + 1e-12).all()
    for z in ((0.2, 0.2), (0.3, 0.1)):
        with pytest.raises(gough.InputError, match="low < high"):
            bounds(machine, s, z)


@pytest.mark.parametrize(
    "place", [(0, 2, 2), (4, 2, 2), (2, 0, 2), (2, 4, 2), (2, 2, 0), (2, 2, 4), None]
)
def test_a_grid_is_clipped_where_a_cell_of_its_rim_is_inside(
    monkeypatch: pytest.MonkeyPatch, place: tuple[int, int, int] | None
) -> None:
    """One cell of the rim is enough, and cells next to it are none; counted cells are the volume."""
    cells = np.zeros((5, 5, 5), dtype=bool)
    cells[1:4, 1:4, 1:4] = True
    if place is not None:
        cells[place] = True
    box = np.array([[0.0, 0.0, 0.0], [5.0, 10.0, 2.5]])

    def inside(platform: Any, points: Array, R: Array, engine: str) -> Array:
        at = np.floor(points / (box[1] / 5.0)).astype(int)
        np.testing.assert_allclose((at + 0.5) * box[1] / 5.0, points)
        return cells[tuple(np.moveaxis(at, -1, 0))]

    monkeypatch.setattr(volume, "points_inside", inside)
    found = grid_volume(MACHINE, box=box, points=5)
    assert found.clipped is (place is not None)
    assert found.value == pytest.approx(cells.sum() * 1.0)
    assert (found.low, found.high) == (0.0, 125.0)
    assert found.evaluations == 125
    axes = [box[1, k] / 5 * (np.arange(5) + 0.5) for k in range(3)]
    monkeypatch.setattr(volume, "grid_axes", lambda *_: (axes, 1.0, box))
    assert not grid_volume(MACHINE, points=5).clipped  # its own box holds all of it


def test_orientations_share_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rotations: what all allow, what one allows, and the share of each cell."""
    box = np.array([[0.0, 0.0, 0.0], [2.0, 4.0, 6.0]])
    R = orientation_set(0.1, 0.0, 0.0)
    assert R.shape == (3, 3, 3)
    allowed = np.array([[[3, 2], [1, 0]], [[3, 3], [0, 1]]])

    def inside(platform: Any, points: Array, one: Array, engine: str) -> Array:
        number = next(k for k in range(3) if np.array_equal(R[k], one))
        assert points.shape == (2, 2, 2, 3)
        return allowed > number

    monkeypatch.setattr(volume, "points_inside", inside)
    found = orientation_volume(MACHINE, R, box=box, points=2)
    np.testing.assert_allclose(found.share, allowed / 3.0)
    assert found.every == pytest.approx(3 * 6.0)
    assert found.some == pytest.approx(6 * 6.0)
    np.testing.assert_allclose(found.x, [0.5, 1.5])
    np.testing.assert_allclose(found.z, [1.5, 4.5])
    with pytest.raises(gough.InputError, match="at least one rotation"):
        orientation_volume(MACHINE, np.zeros((0, 3, 3)), box=box)


def test_sets_of_orientations_hold_their_ends_and_single_angles_once() -> None:
    from gough.spatial import rotation_from_rpy

    found = orientation_set(0.3, -0.2, 0.0)
    due = rotation_from_rpy(
        np.array([[a, b, 0.0] for a in (-0.3, 0.0, 0.3) for b in (-0.2, 0.0, 0.2)])
    )
    np.testing.assert_allclose(found, due, atol=1e-15)
    np.testing.assert_array_equal(orientation_set(0.0, 0.0, 0.0), np.eye(3)[None])
    assert len(orientation_set(0.1, 0.1, 0.1)) == 27
    assert len(orientation_set(0.1, 0.1, 0.1, count=2)) == 8


@pytest.mark.parametrize(
    ("method", "words"), [("exact", "strokes and cones"), ("grid", "all limits of a pose")]
)
def test_words_of_a_volume(method: str, words: str) -> None:
    found = Volume(0.125, 0.1, 0.2, np.zeros((2, 3)), 3, method)
    assert found.sentence().startswith(f"0.125 m³ within {words}; ")
    assert not found.clipped
