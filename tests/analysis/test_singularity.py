"""Singularity measures, certified paths and aspects."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gough
from gough.analysis.aspects import aspects
from gough.analysis.singularity import clearance, path_check, singularity
from gough.kinematics.assembly import assembly_modes
from gough.spatial import Pose, quaternion_from_rotation, rotation_exp, rotation_from_quaternion
from support.degenerate import CLASSES, deviated
from support.forward_machines import HOME, machine
from support.hexapods import hexapod, published


def random_poses(n: int, seed: int) -> Pose:
    rng = np.random.default_rng(seed)
    return Pose(
        HOME.position + 0.2 * rng.normal(size=(n, 3)), rotation_exp(0.7 * rng.normal(size=(n, 3)))
    )


def along(a: Pose, b: Pose, u: np.ndarray) -> Pose:
    """Samples of the straight path: position and quaternion linear."""
    p, q = quaternion_from_rotation(a.rotation), quaternion_from_rotation(b.rotation)
    q = np.where((p * q).sum(-1, keepdims=True) < 0, -q, q)
    w = u[:, None]
    t = (1 - w) * a.position[..., None, :] + w * b.position[..., None, :]
    return Pose(t, rotation_from_quaternion((1 - w) * p[..., None, :] + w * q[..., None, :]))


def test_fichters_singularity_and_units() -> None:
    """A platform turned by 90 degrees about the axis of a symmetric hexapod is singular [Fichter 1986]."""
    platform, _, _ = published("hexapod_semireg")
    turned = Pose.from_rpy([0.0, 0.0, 0.55], [0.0, 0.0, np.pi / 2])
    assert singularity(platform, turned).smallest < 1e-12
    assert singularity(platform, turned).condition > 1e12
    there = singularity(platform, Pose([0.0, 0.0, 0.55]))
    assert 0.05 < there.smallest < 1.0
    legs = [
        gough.UPS(base=10 * leg.base, joint=10 * leg.joint, axis=[1, 0, 0]) for leg in platform.legs
    ]
    big = singularity(gough.Platform(platform.body, legs), Pose([0.0, 0.0, 5.5]))
    np.testing.assert_allclose(
        [big.smallest, big.condition], [there.smallest, there.condition], rtol=1e-12
    )


def test_a_leg_out_of_reach_gives_nan() -> None:
    values = singularity(machine("PUS"), Pose([5.0, 0.0, 0.5]))
    assert np.isnan(values.smallest)


@pytest.mark.parametrize("path", ["translation", "straight"])
def test_paths_agree_with_dense_sampling(path: str) -> None:
    """Regular is never said of a path on which the determinant changes sign, and the place is right."""
    platform = machine("UPS")
    a, b = random_poses(300, 1), random_poses(300, 2)
    if path == "translation":
        b = Pose(b.position, a.rotation)
    found = path_check(platform, a, b, path)
    u = np.linspace(0, 1, 801)
    sign = np.sign(singularity(platform, along(a, b, u)).determinant)
    changes = sign[:, 1:] != sign[:, :-1]
    crossed = changes.any(axis=1)
    assert 20 < crossed.sum() < 280
    assert not (found.regular & crossed).any()
    assert not (found.crossing & ~crossed).any()
    assert (found.regular | found.crossing).mean() > 0.99
    first = u[1:][changes.argmax(axis=1)]
    assert np.abs(found.at - first)[crossed & found.crossing].max() < 2e-3
    assert np.isnan(found.at[found.regular]).all()


def test_the_determinant_is_a_polynomial_of_degree_nine() -> None:
    """The Bernstein form reproduces h^3 D between its nodes, up to the factor of the normalized struts."""
    platform = machine("UPS")
    a, b = random_poses(1, 3)[0], random_poses(1, 4)[0]
    c = path_check(platform, a, b).bernstein
    u = np.linspace(0, 1, 50)
    k = np.arange(10)
    from math import comb

    value = (np.array([comb(9, i) for i in k]) * u[:, None] ** k * (1 - u[:, None]) ** (9 - k)) @ c
    there = along(a, b, u)
    q = platform.platform_joints @ np.swapaxes(there.rotation, -1, -2)
    S = there.position[:, None] + q - platform.base_joints
    p0, p1 = quaternion_from_rotation(a.rotation), quaternion_from_rotation(b.rotation)
    p1 = p1 if p0 @ p1 > 0 else -p1
    h = (((1 - u[:, None]) * p0 + u[:, None] * p1) ** 2).sum(1)
    D = (
        np.linalg.det(np.concatenate([S, np.cross(q, S)], axis=-1))
        / platform.characteristic_length**9
    )
    np.testing.assert_allclose(value, h**3 * D, atol=1e-11 * np.abs(c).max())


def test_clearance_ends_at_the_singularity() -> None:
    platform = machine("UPS")
    rng = np.random.default_rng(5)
    tilted = Pose(HOME.position, rotation_exp([0.5, -0.4, 0.9]))
    ways = rng.normal(size=(60, 3))
    start = Pose(
        np.broadcast_to(tilted.position, (60, 3)), np.broadcast_to(tilted.rotation, (60, 3, 3))
    )
    reach = clearance(platform, start, ways, 3.0)
    assert np.isinf(reach).any()
    hit = np.isfinite(reach)
    assert hit.any()
    unit = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    at = Pose(start.position[hit] + (reach[:, None] * unit)[hit], start.rotation[hit])
    before = Pose(start.position[hit] + 0.5 * (reach[:, None] * unit)[hit], start.rotation[hit])
    assert singularity(platform, at).smallest.max() < 1e-6
    assert (singularity(platform, before).smallest > singularity(platform, at).smallest).all()


def test_bad_questions_are_refused() -> None:
    with pytest.raises(gough.InputError, match="UPS or SPS"):
        path_check(machine("RUS"), HOME, HOME)
    with pytest.raises(gough.InputError, match="one of"):
        path_check(machine("UPS"), HOME, HOME, "scenic")
    with pytest.raises(gough.InputError, match="same rotation"):
        path_check(
            machine("UPS"), HOME, Pose(HOME.position, rotation_exp([0.1, 0, 0])), "translation"
        )
    with pytest.raises(gough.InputError, match="direction"):
        clearance(machine("UPS"), HOME, np.zeros(3), 1.0)


def test_aspects_of_a_hexapod() -> None:
    """Eight modes: signs of the determinant split them in two groups of four, each joined by certified paths."""
    platform, length, _ = published("hexapod_semireg")
    modes = assembly_modes(platform, length)
    found = aspects(platform, modes.poses, samples=150)
    assert sorted(np.bincount(found.label)) == [4, 4]
    assert (found.sign[:, None] == found.sign).tolist() == found.connected.tolist()
    assert not (found.connected & found.separated).any()
    assert not found.open.any()
    for (i, j), way in found.via.items():  # every way is walked again and must be regular
        stops = [
            modes.poses[i],
            *[found.waypoints[k] if k >= 0 else modes.poses[-1 - k] for k in way],
            modes.poses[j],
        ]
        for a, b in itertools.pairwise(stops):
            assert path_check(platform, a, b).regular
            dense = np.sign(singularity(platform, along(a, b, np.linspace(0, 1, 500))).determinant)
            assert (dense == dense[0]).all()


def test_without_waypoints_open_pairs_stay_open() -> None:
    platform, length, _ = published("hexapod_semireg")
    modes = assembly_modes(platform, length)
    found = aspects(platform, modes.poses, samples=0)
    assert found.open.any()
    assert found.separated.sum() == 32


@pytest.mark.parametrize("name", CLASSES)
def test_a_machine_that_is_singular_everywhere_is_undecided(name: str) -> None:
    """The determinant is round-off along every path: neither regular nor crossing, no sign, no separation."""
    if name == "congruent":  # singular where it stands, not everywhere
        return
    base, joint, _ = CLASSES[name](np.random.default_rng(1))
    with pytest.warns(gough.ModelWarning, match="architecturally singular"):
        platform = hexapod(base, joint)
    a, b = random_poses(300, 1), random_poses(300, 2)
    for path, end in (("straight", b), ("translation", Pose(b.position, a.rotation))):
        found = path_check(platform, a, end, path)
        assert not found.regular.any()
        assert not found.crossing.any()
    groups = aspects(platform, a[:4], samples=5)
    assert not groups.separated.any()
    assert (groups.sign == 0).all()
    rng = np.random.default_rng(2)
    moved = deviated((base, joint, HOME), 1e-2, rng)
    turned = hexapod(*moved[:2])  # the planted opposite: a machine a centimeter away is decided
    found = path_check(turned, a, b)
    assert (found.regular | found.crossing).mean() > 0.9
