"""Singularity measures, certified paths and aspects."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gough
from gough.analysis.singularity import clearance, path_check, singularity
from gough.kinematics.aspects import aspects, same_aspect
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


def test_intervals_and_polynomials_agree() -> None:
    """The proof by intervals, which sliders and cranks need, says of struts what the polynomial says."""
    from gough.kinematics.regular_paths import _by_intervals, _way

    platform = machine("UPS")
    a, b = random_poses(400, 1), random_poses(400, 2)
    wanted = path_check(platform, a, b)
    regular, crossing, at = _by_intervals(platform, _way(platform, a, b, "straight")).T
    np.testing.assert_array_equal(regular == 1, wanted.regular)
    assert not ((crossing == 1) & ~wanted.crossing).any()
    assert (crossing == 1).sum() > 0.98 * wanted.crossing.sum()
    same = (crossing == 1) & wanted.crossing
    np.testing.assert_allclose(at[same], wanted.at[same], atol=1e-6)


def roomy(kind: str) -> gough.Platform:
    """The half-meter machines with longer links and cranks, which reach through their singularities."""
    legs = []
    for leg in machine(kind).legs:
        change = {"length": 1.1} if isinstance(leg, gough.PUS) else {}
        if isinstance(leg, gough.RUS):
            change = {"length": 0.95, "arm": 2.5 * leg.arm}
        legs.append(leg.replace(**change))
    return gough.Platform(gough.Body(1.0), legs, home=HOME)


@pytest.mark.parametrize("kind", ["PUS", "RUS", "mixed"])
def test_paths_of_sliders_and_cranks_agree_with_dense_sampling(kind: str) -> None:
    """Yaw drives them through singularities and out of reach: nothing false is said, and most is decided."""
    platform, rng = roomy(kind), np.random.default_rng(3)
    n, u = 150, np.linspace(0, 1, 401)
    t = HOME.position + rng.uniform(-0.05, 0.05, (2, n, 3))
    turn = rng.uniform(-0.3, 0.3, (2, n, 3))
    turn[1] *= 3.0
    turn[1, :, 2] += rng.choice([-2.3, 2.0], n)
    a, b = (Pose(t[k], rotation_exp(turn[k])) for k in (0, 1))
    for end in (b, Pose(t[1], rotation_exp(0.3 * turn[1]))):
        found = path_check(platform, a, end)
        det = singularity(platform, along(a, end, u)).determinant
        reached = np.isfinite(det)
        sign = np.sign(np.where(reached, det, 0.0))
        crossed = (sign[:, 1:] * sign[:, :-1] < 0).any(axis=1)
        assert not (found.regular & (crossed | ~reached.all(axis=1))).any()
        assert not (found.crossing & ~crossed).any()
        decided = found.regular | found.crossing
        assert decided[reached.all(axis=1)].mean() > 0.98
        assert found.bernstein.shape == (n, 0)
        for k in np.flatnonzero(~found.regular):  # what lies before `at` is regular
            before = Pose(t[0, k], a.rotation[k])
            safe = along(before, end[int(k)], np.array([0.0, 0.999 * found.at[k]]))
            assert found.at[k] < 1e-6 or path_check(platform, safe[0], safe[1]).regular
    far = path_check(platform, a, b)
    assert far.crossing.sum() > 8


def test_a_bound_that_forgets_the_slider_would_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted error: sliders that never move, judged as struts, give false verdicts."""
    from gough.kinematics import regular_paths
    from gough.layout import LEG_GEOMETRY

    platform, rng = roomy("PUS"), np.random.default_rng(3)
    t = HOME.position + rng.uniform(-0.05, 0.05, (2, 200, 3))
    turn = rng.uniform(-0.3, 0.3, (200, 3))
    turn[:, 2] += 1.7
    a, b = Pose(t[0], np.broadcast_to(np.eye(3), (200, 3, 3))), Pose(t[1], rotation_exp(turn))
    honest = path_check(platform, a, b)
    true_table = regular_paths.leg_table

    def careless(platform: gough.Platform) -> np.ndarray:
        table = true_table(platform).copy()
        table[:, LEG_GEOMETRY.kind] = 0.0
        return table

    monkeypatch.setattr(regular_paths, "leg_table", careless)
    wrong = path_check(platform, a, b)
    assert (wrong.regular != honest.regular).any()


@pytest.mark.parametrize("kind", ["PUS", "RUS", "mixed"])
def test_aspects_of_sliders_and_cranks(kind: str) -> None:
    """Modes on the legs' own branches: different signs are separated, joined ones are walked again."""
    platform = machine(kind)
    modes = assembly_modes(platform, gough.inverse_kinematics(platform, HOME).length, "branch")
    assert len(modes) > 1
    found = aspects(platform, modes.poses, samples=40)
    assert not (found.connected & found.separated).any()
    assert (found.sign != 0).all()
    det = singularity(platform, modes.poses).determinant
    np.testing.assert_array_equal(found.sign, np.sign(det))
    assert found.separated.any()
    for i, j in itertools.combinations(range(len(modes)), 2):
        told = same_aspect(platform, modes.poses[i], modes.poses[j], samples=20)
        assert told is not True or found.sign[i] == found.sign[j]
        assert (told is False) == (found.sign[i] != found.sign[j])
    assert same_aspect(platform, HOME, HOME) is True


def test_same_aspect_says_what_is_proved() -> None:
    platform, length, _ = published("hexapod_semireg")
    poses = assembly_modes(platform, length).poses
    found = aspects(platform, poses, samples=150)
    k = int(np.argmax(found.separated[0]))
    assert same_aspect(platform, poses[0], poses[k]) is False
    assert same_aspect(platform, poses[0], poses[0]) is True
    (i, j), _ = next(iter(found.via.items()))
    assert same_aspect(platform, poses[i], poses[j], samples=150) is True
    assert same_aspect(platform, poses[i], poses[j], samples=0) is None
    base, joint, _ = CLASSES["similar hexagons"](np.random.default_rng(1))
    with pytest.warns(gough.ModelWarning, match="architecturally singular"):
        singular = hexapod(base, joint)
    assert same_aspect(singular, HOME, Pose(HOME.position + 0.01), samples=5) is None
    with pytest.raises(gough.InputError, match="single"):
        same_aspect(platform, poses, poses[0])
