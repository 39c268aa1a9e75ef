"""The compiled checks of positions against NumPy and against geometry: segments, cones, shells and their areas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from gough.analysis.workspace_kernel import (
    circle_cuts,
    inside,
    point_segment,
    segments,
    shell_area,
    within_shells,
)
from gough.checks import Array

FREE = np.full((2, 6), -2.0)  # cosines of cones that are none
NO_PAIRS = np.zeros((0, 2), dtype=np.int64), np.zeros(0)


def nearest(a: Array, u: Array, b: Array, v: Array) -> float:
    """Squared distance of two segments by search."""

    def gap(st: Array) -> float:
        e = a + st[0] * u - b - st[1] * v
        return float(e @ e)

    starts = [(s, t) for s in (0.0, 0.5, 1.0) for t in (0.0, 0.5, 1.0)]
    found = [minimize(gap, st, bounds=[(0, 1)] * 2, tol=1e-15).fun for st in starts]
    return min(found)


@pytest.mark.parametrize("seed", range(12))
def test_struts_and_points_are_as_far_apart_as_a_search_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base, q = rng.normal(size=(2, 6, 3)) * [[[1.0]], [[0.3]]]
    t = rng.normal(size=3) + np.array([0.0, 0.0, (0.2, 1.5, 4.0)[seed % 3]])
    i, j = rng.choice(6, 2, replace=False)
    ends = t + q
    wanted = nearest(base[i], ends[i] - base[i], base[j], ends[j] - base[j])
    assert segments(base, i, j, q, *t) == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    point = rng.normal(size=3)
    far = nearest(point, np.zeros(3), base[j], ends[j] - base[j])
    assert point_segment(*point, *base[j], *ends[j]) == pytest.approx(far, rel=1e-6, abs=1e-9)


def test_parallel_and_crossing_struts() -> None:
    base = np.zeros((6, 3))
    base[1] = [0.3, 0.0, 0.0]
    q = base.copy()  # both straight up
    assert segments(base, 0, 1, q, 0.0, 0.0, 1.0) == pytest.approx(0.09)
    q[0], q[1] = [0.3, 0.1, 0.0], [0.0, 0.1, 0.0]  # they cross halfway
    assert segments(base, 0, 1, q, 0.0, 0.0, 1.0) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_a_position_is_inside_where_every_limit_holds(seed: int) -> None:
    """Strokes, both cones and distances, each alone and all together, point by point."""
    rng = np.random.default_rng(seed)
    base, q = rng.normal(size=(6, 3)), 0.4 * rng.normal(size=(6, 3))
    points = rng.normal(size=(200, 3)) + np.array([0.0, 0.0, 1.5])
    strut = points[:, None] + q - base
    length = np.linalg.norm(strut, axis=-1)
    low, high = np.quantile(length, 0.02, axis=0), np.quantile(length, 0.98, axis=0)
    axes = rng.normal(size=(2, 6, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    cosine = np.einsum("kij,nij->nki", axes, strut / length[..., None])
    cones = np.quantile(cosine, 0.02, axis=0)
    pairs = np.array([[0, 1], [2, 5]])
    gaps = np.array([[segments(base, *pair, q, *p) for pair in pairs] for p in points])
    need = np.sqrt(np.quantile(gaps, 0.1, axis=0))
    strokes = ((length >= low) & (length <= high)).all(axis=1)
    within = (cosine >= cones).all(axis=(1, 2))
    apart = (gaps >= need**2).all(axis=1)
    anything = np.zeros(6), np.full(6, np.inf)
    out = np.full(200, 7, dtype=np.uint8)
    for limits, wanted in (
        ((low, high, axes, FREE, *NO_PAIRS), strokes),
        ((*anything, axes, cones, *NO_PAIRS), within),
        ((*anything, axes, FREE, pairs, need), apart),
        ((low, high, axes, cones, pairs, need), strokes & within & apart),
    ):
        inside(points, base, q, *limits, out)
        np.testing.assert_array_equal(out, wanted.astype(np.uint8))
        assert 0 < wanted.sum() < 200


def test_a_strut_without_length_is_no_position() -> None:
    base = np.zeros((6, 3))
    out = np.ones(1, dtype=np.uint8)
    cones = np.full((2, 6), -2.0)
    inside(
        np.zeros((1, 3)), base, base, np.zeros(6), np.ones(6), np.zeros((2, 6, 3)), cones,
        *NO_PAIRS, out,
    )  # fmt: skip
    assert out[0] == 0


def shells(seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    center = rng.normal(size=(3, 3)) * [0.3, 0.3, 0.1]
    return center, rng.uniform(0.2, 0.5, 3), rng.uniform(0.9, 1.2, 3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("z", [0.0, 0.35, 0.7])
def test_the_area_within_shells_is_that_of_a_fine_grid(seed: int, z: float) -> None:
    center, low, high = shells(seed)
    side = np.linspace(-1.6, 1.6, 801)
    X, Y = np.meshgrid(side, side)
    r2 = (X[..., None] - center[:, 0]) ** 2 + (Y[..., None] - center[:, 1]) ** 2
    r2 += (z - center[:, 2]) ** 2
    counted = ((r2 <= high**2) & (r2 >= low**2)).all(axis=-1).sum() * (side[1] - side[0]) ** 2
    assert shell_area(center, low, high, z) == pytest.approx(counted, rel=5e-3, abs=2e-3)
    assert shell_area(center, low, high, 5.0) == 0.0


def test_one_shell_is_a_ring_and_concentric_ones_the_narrowest() -> None:
    center = np.array([[0.2, -0.1, 0.3]])
    ring = shell_area(center, np.array([0.5]), np.array([1.3]), 0.7)
    assert ring == pytest.approx(np.pi * (1.3**2 - 0.5**2), rel=1e-14)
    above = shell_area(center, np.array([0.5]), np.array([1.3]), 0.9)  # over the inner sphere
    assert above == pytest.approx(np.pi * (1.3**2 - 0.36), rel=1e-14)


def test_the_circles_of_other_legs_cut_where_both_equations_hold() -> None:
    center, low, high = shells(5)
    radii = np.stack([high, low])
    cuts = np.full(16, np.nan)
    count = circle_cuts(center[0, 0], center[0, 1], radii[0, 0], center, radii, 0, cuts)
    assert count > 2
    assert cuts[0] == 0.0
    assert cuts[count] == 2 * np.pi
    assert (np.diff(cuts[: count + 1]) >= 0).all()
    for angle in cuts[1:count]:
        x = center[0, :2] + radii[0, 0] * np.array([np.cos(angle), np.sin(angle)])
        gap = np.abs(np.linalg.norm(x - center[1:, :2], axis=1) - radii[:, 1:])
        assert gap.min() < 1e-12


def test_a_point_is_within_the_shells_that_are_not_left_out() -> None:
    center, low, high = shells(6)
    rng = np.random.default_rng(1)
    for p in rng.normal(size=(60, 3)) * 0.7:
        r = np.linalg.norm(p - center, axis=1)
        held = (r <= high) & (r >= low)
        for skip in range(-1, 3):
            rest = [held[j] for j in range(3) if j != skip]
            assert within_shells(*p, center, low, high, skip) == all(rest)
