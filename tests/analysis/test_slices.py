"""Slices of random workspaces: exact areas against counted cells, compiled helpers against plain ones."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.arcs import Surfaces, slice_area
from gough.analysis.envelope import limit_report
from gough.analysis.points import kernels
from gough.struts import segment_distance


def shells(rng: np.random.Generator, n: int, cones: int = 0) -> Surfaces:
    """Shells around points near the origin, some with a hole that matters, and cones that open upwards."""
    axis = np.column_stack([rng.uniform(-0.4, 0.4, (cones, 2)), np.ones(cones)]).reshape(-1, 3)
    axis = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    return Surfaces(
        rng.uniform(-0.3, 0.3, (n, 3)),
        rng.choice([0.0, 0.4, 0.7], n),
        rng.uniform(0.9, 1.2, n),
        np.column_stack(
            [rng.uniform(-0.2, 0.2, (cones, 2)), rng.uniform(-1.2, -0.6, cones)]
        ).reshape(-1, 3),
        axis,
        rng.uniform(0.4, 0.9, cones),
        1.0,
    )


def counted(s: Surfaces, z: float, n: int = 500) -> float:
    """Area by the cells of a grid whose centers are inside."""
    x = np.linspace(-1.6, 1.6, n + 1)
    x = (x[1:] + x[:-1]) / 2
    points = np.stack([*np.meshgrid(x, x, indexing="ij"), np.full((n, n), z)], axis=-1)
    return float(s.inside(points).sum()) * (3.2 / n) ** 2


@pytest.mark.parametrize("cones", [0, 1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_areas_of_slices_are_those_of_their_cells(seed: int, cones: int) -> None:
    rng = np.random.default_rng([seed, cones])
    s = shells(rng, int(rng.integers(2, 7)), cones)
    for z in rng.uniform(-0.6, 0.9, 4):
        wanted = counted(s, z)
        assert slice_area(s, float(z)) == pytest.approx(wanted, abs=4e-3)
        if not cones:
            fast = kernels().shell_area(s.center, s.low, s.high, z)
            assert fast == pytest.approx(slice_area(s, float(z)), rel=1e-9, abs=1e-12)


def test_points_within_shells_one_left_out() -> None:
    rng = np.random.default_rng(5)
    s = shells(rng, 5)
    for x, y, z in rng.uniform(-1.2, 1.2, (200, 3)):
        d = np.linalg.norm(np.array([x, y, z]) - s.center, axis=1)
        ok = (d >= s.low) & (d <= s.high)
        for skip in (-1, 0, 3, 4):
            wanted = bool(np.delete(ok, skip).all() if skip >= 0 else ok.all())
            assert kernels().within_shells(x, y, z, s.center, s.low, s.high, skip) == wanted


def test_depth_is_a_distance_whatever_the_shape_of_the_points() -> None:
    """Positive inside, zero on the surface, and it never changes faster than the point moves."""
    rng = np.random.default_rng(6)
    s = shells(rng, 4, 2)
    points = rng.uniform(-1, 1, (3, 5, 3))
    depth = s.depth(points)
    assert depth.shape == (3, 5)
    for i in range(3):
        for j in range(5):
            assert depth[i, j] == pytest.approx(float(s.depth(points[i, j])))
    np.testing.assert_array_equal(depth > 0, s.inside(points))
    other = points + 0.05 * rng.normal(size=points.shape)
    moved = np.linalg.norm(other - points, axis=-1)
    assert (np.abs(s.depth(other) - depth) <= moved * (1 + 1e-12)).all()


def test_distances_of_struts_are_those_of_segments() -> None:
    """Crossing, beside each other, end to end and parallel."""
    rng = np.random.default_rng(7)
    crossings = 0
    for _ in range(150):
        base, q, t = rng.normal(size=(2, 3)), 0.4 * rng.normal(size=(2, 3)), rng.normal(size=3)
        found = kernels().segments(base, 0, 1, q, *t)
        tips = t + q
        wanted = float(segment_distance(base[0], tips[0], base[1], tips[1]))
        assert np.sqrt(found) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        ends = [
            float(segment_distance(base[i], base[i], base[1 - i], tips[1 - i])) for i in (0, 1)
        ] + [float(segment_distance(tips[i], tips[i], base[1 - i], tips[1 - i])) for i in (0, 1)]
        crossings += wanted < 0.999 * min(ends)
    assert crossings > 15
    parallel = np.array([[0.0, 0, 0], [0.3, 0, 0]])
    assert kernels().segments(parallel, 0, 1, parallel, 0.0, 0.0, 1.0) == pytest.approx(0.09)


@pytest.mark.parametrize("order", [1, -1])
def test_every_leg_knows_its_nearest_neighbor(order: int) -> None:
    """Leg-leg distances in the report: allowed is the sum of the two radii, for the first leg's neighbors too."""
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    radii = 0.01 * np.arange(1, 7)[::order]  # the thickest leg is the last, or the first
    legs = [
        leg.replace(limits=leg.limits.replace(radius=r))
        for leg, r in zip(machine.legs, radii, strict=True)
    ]
    still = gough.Motion(machine.home.position[None], machine.home.rotation[None])
    found = limit_report(machine.replace(legs=legs), still)
    rows = {row["leg"]: row for row in found["rows"] if row["kind"] == "distance"}
    assert set(rows) == set(machine.leg_names)
    tips = machine.home.position + machine.platform_joints @ machine.home.rotation.T
    for i, name in enumerate(machine.leg_names):
        gap = [
            float(
                segment_distance(machine.base_joints[i], tips[i], machine.base_joints[k], tips[k])
            )
            - radii[i]
            - radii[k]
            if k != i
            else np.inf
            for k in range(6)
        ]
        near = int(np.argmin(gap))
        assert rows[name]["allowed"][0] == pytest.approx(radii[i] + radii[near])
