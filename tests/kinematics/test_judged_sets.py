"""Which poses, pairs and paths are taken: branches to a millionth, edges of one sign, sums of Bernstein."""

from __future__ import annotations

from math import comb
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.kinematics import aspects
from gough.kinematics.assembly import filters
from gough.kinematics.regular_paths import DEGREE, _interpolation, path_check
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from support.forward_machines import HOME, machine


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "mixed"])
@pytest.mark.parametrize("leg", range(6))
def test_a_coordinate_is_of_its_branch_to_a_millionth(kind: str, leg: int) -> None:
    """Of the machine's size for sliders, of a radian for cranks, whole turns aside; struts have no other branch."""
    platform = machine(kind)
    home = struts(platform, HOME).coordinate
    pose = Pose(HOME.position[None], HOME.rotation[None])
    name = platform.kinds[leg]
    unit = 1.0 if name == "RUS" else platform.characteristic_length

    def taken(change: float) -> bool:
        length = home.copy()
        length[leg] += change
        return bool(filters._branch(platform, pose, length)[0])

    assert taken(0.0)
    for share in (0.9, -0.9):
        assert taken(share * 1e-6 * unit)
    for share in (1.1, -1.1, 1e3):
        assert taken(share * 1e-6 * unit) == (name not in ("PUS", "RUS"))
    assert taken(2 * np.pi) == (name != "PUS")
    away = Pose(HOME.position[None] + np.array([0.0, 0.0, 50.0]), HOME.rotation[None])
    assert bool(filters._branch(platform, away, home)[0]) == (kind == "UPS")  # others do not reach


def test_edges_join_poses_of_one_sign_and_each_pair_is_asked_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More pairs than are asked at once; poses of unknown sign are joined with none."""
    asked: list[tuple[float, float]] = []

    def check(platform: Any, start: Pose, end: Pose) -> Any:
        pairs = zip(start.position[:, 0], end.position[:, 0], strict=True)
        asked.extend((float(a), float(b)) for a, b in pairs)
        return SimpleNamespace(regular=(start.position[:, 0] + end.position[:, 0]) % 3 != 0)

    monkeypatch.setattr(aspects, "path_check", check)
    m = 160
    sign = np.resize([1, 1, -1, 0, 1, -1], m).astype(np.int64)
    t = np.zeros((m, 3))
    t[:, 0] = np.arange(m)
    edge = aspects._edges(machine("UPS"), t, np.broadcast_to(np.eye(3), (m, 3, 3)), sign, 3)
    i, j = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    due = (sign[i] == sign[j]) & (sign[i] != 0) & (i != j) & ((i + j) % 3 != 0)
    np.testing.assert_array_equal(edge, due)
    assert len(asked) == len(set(asked)) > 4096


def test_two_poses_and_not_batches_of_them_are_joined() -> None:
    platform = machine("UPS")
    many = Pose(HOME.position[None], HOME.rotation[None])
    for pair, name in (((many, HOME), "pose_a"), ((HOME, many), "pose_b")):
        with pytest.raises(gough.InputError, match=f"{name}.*single pose"):
            aspects.same_aspect(platform, *pair)
    assert aspects.same_aspect(platform, HOME, HOME) is True


@pytest.mark.parametrize("degree", sorted(DEGREE.values()))
def test_values_at_the_nodes_become_bernsteins_coefficients(degree: int) -> None:
    rng = np.random.default_rng(degree)
    power = rng.normal(size=degree + 1)
    nodes, solve = _interpolation(degree)
    assert nodes[0] == 0.0
    assert nodes[-1] == pytest.approx(1.0)
    assert (np.diff(nodes) > 0.0).all()
    c = solve @ np.polynomial.polynomial.polyval(nodes, power)
    u = np.linspace(0.0, 1.0, 7)[:, None]
    k = np.arange(degree + 1)
    basis = np.array([comb(degree, i) for i in k]) * u**k * (1.0 - u) ** (degree - k)
    np.testing.assert_allclose(
        basis @ c, np.polynomial.polynomial.polyval(u[:, 0], power), atol=1e-9
    )


def sums(c: Array, u: Array) -> Array:
    n = len(c) - 1
    return sum(comb(n, k) * c[k] * u**k * (1 - u) ** (n - k) for k in range(n + 1))


@pytest.mark.parametrize("path", DEGREE)
def test_coefficients_of_a_path_are_those_of_its_determinant(path: str) -> None:
    """``h^3 det [S, q x S]`` at places between the nodes, up to one factor for all of them."""
    platform = machine("UPS")
    turn = np.eye(3) if path == "translation" else rotation_exp([0.3, -0.2, 0.4])
    end = Pose(HOME.position + np.array([0.05, -0.03, 0.04]), turn @ HOME.rotation)
    c = path_check(platform, HOME, end, path).bernstein
    assert c.shape == (DEGREE[path] + 1,)
    q0, q1 = (gough.spatial.quaternion_from_rotation(x.rotation) for x in (HOME, end))
    q1 = q1 if q0 @ q1 > 0 else -q1
    values = []
    for u in (0.0, 0.13, 0.5, 0.71, 1.0):
        q = (1 - u) * q0 + u * q1
        R = gough.spatial.rotation_from_quaternion(q)
        arm = platform.platform_joints @ R.T
        S = (1 - u) * HOME.position + u * end.position + arm - platform.base_joints
        rows = np.concatenate([S, np.cross(arm, S)], axis=1)
        values.append((q @ q) ** 3 * np.linalg.det(rows) / float(sums(c, np.array(u))))
    np.testing.assert_allclose(values, values[0], rtol=1e-7)


def test_a_translation_does_not_turn_by_more_than_rounding() -> None:
    platform = machine("UPS")
    for angle, taken in ((0.5e-9, True), (3e-9, False)):
        end = Pose(HOME.position, rotation_exp([angle, 0.0, 0.0]) @ HOME.rotation)
        if taken:
            assert path_check(platform, HOME, end, "translation").regular
        else:
            with pytest.raises(gough.InputError, match="same rotation at both ends"):
                path_check(platform, HOME, end, "translation")
    with pytest.raises(gough.InputError, match=r"path.*translation, straight"):
        path_check(platform, HOME, HOME, "curved")
