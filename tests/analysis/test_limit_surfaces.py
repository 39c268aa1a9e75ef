"""Shells and cones by themselves: signed distances, what is inside, equal ones merged, idle ones left out."""

from __future__ import annotations

import numpy as np
import pytest

from gough.analysis.arcs import Surfaces, _merge_cone, _merge_shell
from gough.analysis.volume import without_idle_cones
from gough.checks import Array

UP = np.array([[0.0, 0.0, 1.0]])


def limits(
    half: float | None = None,
    tip: tuple[float, float, float] = (0.1, -0.2, -0.3),
    tilt: float = 0.4,
) -> Surfaces:
    """Two shells of about a meter, and a cone that leans."""
    center = np.array([[0.0, 0.0, 0.0], [0.2, 0.1, -0.1]])
    axis = np.array([[np.sin(tilt), 0.0, np.cos(tilt)]])
    cones = (np.array([tip]), axis, np.array([half])) if half else (UP[:0], UP[:0], np.zeros(0))
    return Surfaces(center, np.array([0.3, 0.0]), np.array([1.0, 1.1]), *cones, 1.0)


def points(count: int = 400) -> Array:
    return np.random.default_rng(8).uniform(-1.3, 1.3, size=(count, 3))


@pytest.mark.parametrize("half", [0.3, 1.2, np.pi / 2, 2.2])
def test_distances_from_a_cone_are_those_from_its_nearest_generator(half: float) -> None:
    """In the plane of point and axis a ray from the tip; positive inside, and from the tip itself where no other point
    of the ray is nearer."""
    s = limits(half)
    e = points() - s.tip[0]
    along = e @ s.axis[0]
    across = np.sqrt((e**2).sum(axis=1) - along**2)
    ahead = along * np.cos(half) + across * np.sin(half)
    beside = np.abs(across * np.cos(half) - along * np.sin(half))
    distance = np.where(ahead > 0.0, beside, np.linalg.norm(e, axis=1))
    within = np.arctan2(across, along) <= half
    np.testing.assert_allclose(
        s.cone_depths(points())[:, 0], np.where(within, distance, -distance), atol=1e-12
    )
    assert 0 < within.sum() < len(within)


@pytest.mark.parametrize("half", [None, 0.7, 1.9])
def test_what_is_inside_has_a_depth_and_nothing_else(half: float | None) -> None:
    """Never changing faster than the point moves; of shells alone to both of their spheres."""
    s, p = limits(half), points()
    depth, inside = s.depth(p), s.inside(p)
    np.testing.assert_array_equal(inside, depth >= 0.0)
    assert 10 < inside.sum() < 390
    q = p + 0.1 * np.random.default_rng(9).normal(size=p.shape)
    assert (np.abs(s.depth(q) - depth) <= np.linalg.norm(q - p, axis=1) + 1e-12).all()
    d = np.linalg.norm(p[:, None] - s.center, axis=-1)
    shells = np.minimum(d - s.low, s.high - d).min(axis=1)
    assert (depth <= shells + 1e-15).all()
    assert (depth == shells).all() == (half is None)
    assert s.depth(p.reshape(20, 20, 3)).shape == (20, 20)


def test_of_several_cones_the_nearest_counts() -> None:
    one, other, p = limits(0.7), limits(1.1, (0.0, 0.3, -0.5), -0.3), points()
    both = Surfaces(
        one.center,
        one.low,
        one.high,
        np.concatenate([one.tip, other.tip]),
        np.concatenate([one.axis, other.axis]),
        np.concatenate([one.half, other.half]),
        1.0,
    )
    np.testing.assert_allclose(both.depth(p), np.minimum(one.depth(p), other.depth(p)), atol=1e-15)
    np.testing.assert_array_equal(both.inside(p), one.inside(p) & other.inside(p))
    assert (one.inside(p) != other.inside(p)).any()


def test_shells_about_one_center_are_the_narrowest() -> None:
    shells: list[list[object]] = []
    one = np.array([0.1, 0.2, 0.3])
    for center, low, high in (
        (one, 0.5, 2.0),
        (one + 0.5e-12, 0.7, 2.5),
        (one - 0.5e-12, 0.4, 1.5),
        (one + np.array([0.0, 2e-12, 0.0]), 0.6, 1.0),
    ):
        _merge_shell(shells, center, low, high, 1.0)
    assert [(a, b) for _, a, b in shells] == [(0.7, 1.5), (0.6, 1.0)]
    _merge_shell(shells, one + 0.5e-9, 0.9, 1.2, 1e3)  # of a machine a thousand times as large
    assert shells[0][1:] == [0.9, 1.2]


def test_cones_of_one_tip_and_axis_are_the_narrowest() -> None:
    cones: list[list[object]] = []
    tip, axis = np.array([0.1, 0.2, 0.3]), UP[0]
    for at, along, half in (
        (tip, axis, 0.8),
        (tip + 0.5e-12, axis + 0.5e-9, 0.6),
        (tip, axis, 0.7),
        (tip + np.array([2e-12, 0.0, 0.0]), axis, 0.5),
        (tip, axis + np.array([2e-9, 0.0, 0.0]), 0.4),
        (tip + 1.0, -axis, 0.3),
    ):
        _merge_cone(cones, at, along, half, 1.0)
    assert [half for _, _, half in cones] == [0.6, 0.5, 0.4, 0.3]


BOX = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])


@pytest.mark.parametrize(("below", "idle"), [(8.0, True), (4.5, True), (1.2, False), (0.3, False)])
def test_a_cone_that_holds_all_of_the_shells_is_idle(below: float, idle: bool) -> None:
    """Its tip far below the ball, opening upward with 0.5 rad: the ball is inside from 1/sin(0.5) = 2.09 on."""
    tip, other = (0.0, 0.0, -below), limits(0.9)
    wide = limits(0.5, tip, 0.0)
    both = Surfaces(
        np.zeros((1, 3)),
        np.zeros(1),
        np.ones(1),
        np.concatenate([wide.tip, other.tip]),
        np.concatenate([wide.axis, other.axis]),
        np.array([0.5, 0.9]),
        1.0,
    )
    found = without_idle_cones(both, BOX)
    np.testing.assert_array_equal(found.half, [0.9] if idle else [0.5, 0.9])
    np.testing.assert_array_equal(found.tip, both.tip[1 if idle else 0 :])
    np.testing.assert_array_equal(found.axis, both.axis[1 if idle else 0 :])
    p = points(200)
    p = p[(np.abs(p) <= 1.0).all(axis=1)]
    np.testing.assert_array_equal(found.inside(p), both.inside(p))


def test_boxes_without_room_and_limits_without_cones_stay_as_they_are() -> None:
    plain, coned = limits(), limits(0.5, (0.0, 0.0, -9.0), 0.0)
    assert without_idle_cones(plain, BOX) is plain
    flat = BOX.copy()
    flat[1, 1] = flat[0, 1]
    assert without_idle_cones(coned, flat) is coned
    assert len(without_idle_cones(coned, BOX).half) == 0
