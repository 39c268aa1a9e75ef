"""Joints made comparable: about their middles, of size one, in their own plane, and what was lost on the way."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.geometry import GRID, Geometry, _axes, normalize
from gough.spatial import rotation_exp
from support.hexapods import pairs

EPS = float(np.finfo(float).eps)


def joints(planar: bool, seed: int = 0) -> tuple[Array, Array]:
    """Base and platform somewhere, turned anyhow, the base twice as large."""
    rng = np.random.default_rng(seed)
    base, joint = 2.0 * pairs(1.0, 12.0, 0.0), np.roll(pairs(1.0, 17.0, 60.0), 1, axis=0)
    if not planar:
        base, joint = base + 0.2 * rng.normal(size=(6, 3)), joint + 0.2 * rng.normal(size=(6, 3))
    turns = rotation_exp(rng.normal(size=(2, 3)))
    return base @ turns[0].T + rng.normal(size=3), joint @ turns[1].T + rng.normal(size=3)


def back(g: Geometry) -> tuple[Array, Array]:
    """The joints that a geometry stands for."""
    return (
        g.base_origin + g.size * g.b @ g.base_axes.T,
        g.joint_origin + g.size * g.p @ g.joint_axes.T,
    )


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_geometry_is_its_joints_in_other_axes(planar: bool, seed: int) -> None:
    base, joint = joints(planar, seed)
    g = normalize(base, joint)
    for found, due in zip(back(g), (base, joint), strict=True):
        np.testing.assert_allclose(found, due, atol=1e-13)
    np.testing.assert_allclose(g.base_origin, base.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(g.joint_origin, joint.mean(axis=0), rtol=1e-12)
    assert (g.b**2).sum() / 6 + (g.p**2).sum() / 6 == pytest.approx(1.0)
    assert g.planar is planar
    for axes, points in ((g.base_axes, g.b), (g.joint_axes, g.p)):
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(axes) == pytest.approx(1.0)
        assert (points[:, 2] == 0.0).all() == planar
        assert (points * GRID == np.round(points * GRID)).all()
        if not planar:
            np.testing.assert_array_equal(axes, np.eye(3))
    for own, points in ((g.own_b, g.b), (g.own_p, g.p)):
        assert (own**2).sum() / 6 == pytest.approx(1.0)
        scale = np.linalg.norm(points) / np.linalg.norm(own)
        np.testing.assert_allclose(scale * own, points, atol=1e-14)


@pytest.mark.parametrize("which", [0, 1])
def test_both_must_be_planar(which: int) -> None:
    """One plane alone is none: the mirror image of a pose would not be one."""
    flat, solid = joints(True), joints(False)
    mixed = [flat[0], flat[1]]
    mixed[which] = solid[which]
    g = normalize(*mixed)
    assert not g.planar
    np.testing.assert_array_equal(g.base_axes, np.eye(3))
    kept = normalize(*flat, turn=False)
    assert not kept.planar
    np.testing.assert_array_equal(kept.joint_axes, np.eye(3))
    for found, due in zip(back(kept), flat, strict=True):
        np.testing.assert_allclose(found, due, atol=1e-13)


def test_a_plane_is_one_to_rounding() -> None:
    points = pairs(0.7, 12.0, 0.0)
    turn = rotation_exp([0.3, -0.8, 0.2])
    for off, planar in ((0.0, True), (1e-15, True), (1e-9, False)):
        bent = points.copy()
        bent[2, 2] += off
        assert _axes(bent)[1] is planar
        axes, flat = _axes(bent @ turn.T)
        assert flat is planar
        if planar:
            assert np.abs((bent @ turn.T @ axes)[:, 2]).max() < 1e-14
    axes, _ = _axes(points)
    np.testing.assert_array_equal(axes, np.eye(3))  # already in the plane z = 0


def test_far_frames_and_small_platforms_tell_fewer_digits() -> None:
    """Relative to the size of base or platform, whichever is worse: some roundings of the largest number given."""
    base, joint = joints(False)
    near = normalize(base, joint).rounding
    assert EPS < near < 20 * EPS
    for shift in (1e3, 1e6):
        for moved in ((base + shift, joint), (base, joint + shift)):
            g = normalize(*moved)
            worst = max(
                np.abs(x).max() / np.sqrt(((x - x.mean(axis=0)) ** 2).sum() / 6) for x in moved
            )
            assert g.rounding == pytest.approx(EPS * worst, rel=0.05)
    small = normalize(base, 1e-6 * joint)
    size = np.sqrt(((1e-6 * (joint - joint.mean(axis=0))) ** 2).sum() / 6)
    assert small.rounding == pytest.approx(EPS * (small.size / size), rel=0.5)


def test_points_in_one_place_have_a_size_of_their_own() -> None:
    base, _ = joints(False)
    point = normalize(base, np.full((6, 3), 0.25))
    np.testing.assert_array_equal(point.p, np.zeros((6, 3)))
    np.testing.assert_array_equal(point.own_p, np.zeros((6, 3)))
    assert point.size == pytest.approx(np.sqrt(((base - base.mean(axis=0)) ** 2).sum() / 6))


def test_a_key_names_the_normalized_joints() -> None:
    """The same for a machine that is moved or grown, another one for another machine, or for other axes."""
    base, joint = (np.round(x * 64) / 64 for x in joints(False))
    base, joint = base - base.mean(axis=0), joint - joint.mean(axis=0)
    key = normalize(base, joint).key
    assert len(key) == 32
    assert normalize(4.0 * base, 4.0 * joint).key == key
    assert normalize(base, 1.001 * joint).key != key
    assert normalize(1.001 * base, joint).key != key
    ring = pairs(1.0, 12.0, 0.0), np.roll(pairs(0.6, 17.0, 60.0), 1, axis=0)
    assert normalize(*ring).key != normalize(*ring, turn=False).key
