"""Many problems from one start in one call: every problem's own poses in its own rows, whatever its geometry."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.batch import Found, find
from gough.kinematics.assembly.forms import from_pose, mirror, to_pose
from gough.kinematics.assembly.geometry import Geometry, normalize
from gough.kinematics.assembly.paths import Legs
from gough.spatial import quaternion_from_rotation, rotation_exp
from support.hexapods import pairs

rng = np.random.default_rng(12)
TURN = [rotation_exp(w) for w in rng.normal(size=(2, 3))]
BASE = pairs(1.2, 12.0, 0.0) @ TURN[0].T + [0.3, -0.2, 0.5]  # planes that are turned and moved
JOINT = np.roll(pairs(0.7, 15.0, 60.0), 1, axis=0) @ TURN[1].T + [0.1, 0.2, -0.1]
STEPS = 0.02 * rng.normal(size=(4, 2, 3))  # from one pose to the next: shift, turn


def pose(g: Geometry, k: int) -> tuple[Array, Array]:
    """The k-th pose, world: above the base's plane, a little away from the first."""
    shift, turn = STEPS[:k].sum(axis=0)
    R = rotation_exp(turn) @ g.base_axes @ rotation_exp([0.2, -0.1, 0.3]) @ g.joint_axes.T
    return g.base_origin + g.base_axes @ [0.1, -0.05, 1.1] + shift - R @ JOINT.mean(axis=0), R


def lengths(centers: Array, t: Array, R: Array) -> Array:
    return np.linalg.norm(t + JOINT @ R.T - centers, axis=1)


def solution(g: Geometry, t: Array, R: Array) -> Array:
    """X (8,) of a pose in the normalized frames."""
    turned = g.base_axes.T @ R @ g.joint_axes
    shift = g.base_axes.T @ (t + R @ g.joint_origin - g.base_origin) / g.size
    return from_pose(shift, quaternion_from_rotation(turned)) + 0j


def rows_of(found: Found, k: int) -> tuple[Array, Array]:
    at = slice(found.first[k], found.first[k] + found.number[k])
    return found.rows[at], found.residual[at]


@pytest.mark.parametrize("halved", [False, True])
def test_a_planar_machine_has_each_pose_and_its_mirror_image(halved: bool) -> None:
    """Both solutions followed, or one and its reflection: the same poses, the higher one first."""
    g = normalize(BASE, JOINT)
    assert g.planar
    X = solution(g, *pose(g, 0))
    K = (lengths(BASE, *pose(g, 0)) / g.size) ** 2 + 0j
    start = Legs(g.b, g.p, K), np.array([X] if halved else [mirror(X), X]), halved
    l = np.array([lengths(BASE, *pose(g, k)) for k in (1, 2, 3)])
    found = find([g], np.broadcast_to(BASE, (3, 6, 3)), l, JOINT, start, 1)
    assert found.count.tolist() == [2, 2, 2]
    assert found.number.tolist() == [2, 2, 2]
    assert found.first.tolist() == [0, 2, 4]
    assert found.rows.shape == (6, 12)
    for k in range(3):
        t, R = pose(g, k + 1)
        other = [x[0] for x in g.world(*to_pose(mirror(solution(g, t, R)).real[None]))]
        both = sorted([(t, R), tuple(other)], key=lambda x: -x[0][2])
        rows, residual = rows_of(found, k)
        for row, (position, rotation) in zip(rows, both, strict=True):
            np.testing.assert_allclose(row, [*position, *rotation.ravel()], atol=1e-10)
        assert (residual < 1e-12).all()


def test_every_problem_has_its_own_centers() -> None:
    """As sliders have: sphere centers, size and origin from problem to problem."""
    move = np.random.default_rng(3)
    centers = BASE + 0.03 * move.normal(size=(4, 6, 3))
    each = [normalize(c, JOINT, turn=False) for c in centers]
    frame = normalize(BASE, JOINT)
    there = [pose(frame, k) for k in range(4)]
    l = np.array([lengths(c, *at) for c, at in zip(centers, there, strict=True)])
    X = solution(each[0], *there[0])[None]
    start = Legs(each[0].b, each[0].p, (l[0] / each[0].size) ** 2 + 0j), X, False
    found = find(each, centers, l, JOINT, start, 1)
    assert found.count.tolist() == [1] * 4
    assert found.number.tolist() == [1] * 4
    assert found.first.tolist() == [0, 1, 2, 3]
    for k, (t, R) in enumerate(there):
        rows, residual = rows_of(found, k)
        np.testing.assert_allclose(rows[0], [*t, *R.ravel()], atol=1e-10)
        assert residual[0] < 1e-12


def test_a_root_that_is_not_real_is_counted_and_has_no_pose() -> None:
    """A start with complex lengths ends at the real ones; one that is followed to complex lengths stays complex, and
    without its conjugate nothing is complete."""
    g = normalize(BASE, JOINT)
    X = solution(g, *pose(g, 0))
    squares = (lengths(BASE, *pose(g, 0)) / g.size) ** 2 + 0j
    l = np.array([lengths(BASE, *pose(g, k)) for k in (1, 2)])
    start = Legs(g.b, g.p, squares), np.array([X, X]), False  # the same one twice
    found = find([g], np.broadcast_to(BASE, (2, 6, 3)), l, JOINT, start, 1)
    assert found.count.tolist() == [1, 1]
    assert found.number.tolist() == [1, 1]
    assert found.first.tolist() == [0, 2]
    for k in range(2):
        t, R = pose(g, k + 1)
        np.testing.assert_allclose(rows_of(found, k)[0][0], [*t, *R.ravel()], atol=1e-10)
