"""Each compiled piece of Newton, of the certificate and of its bounds against NumPy, for every leg and every row."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics import certificate as proof
from gough.kinematics import forward_kernel as newton
from gough.kinematics.centering import centered
from gough.kinematics.forward import flat_pose
from gough.layout import CERTIFICATE as ROW
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE
from gough.spatial import Pose, rotation_exp, rotation_from_quaternion, skew
from gough.struts import anchors, joints, leg_table, struts
from support.forward_machines import HOME, machine, poses

KINDS = ("UPS", "PUS", "RUS")


def shuffled(rng: np.random.Generator, grade: float = 1.0) -> np.ndarray:
    """A matrix whose pivots must be looked for, rows of very different size."""
    M = rng.normal(size=(6, 6)) * grade ** rng.uniform(-1, 1, (6, 1))
    M[np.arange(6), np.arange(6)] = 0.0
    return M


@pytest.mark.parametrize("seed", range(6))
def test_elimination_solves_and_inverts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    M, b = shuffled(rng, 100.0), rng.normal(size=6)
    J, x = np.full((7, 7), np.nan), np.full(6, np.nan)
    J[:6, :6], J[:6, 6] = M, b
    assert newton.factor6(J)
    size = newton.solve6(J, x)
    np.testing.assert_allclose(x, np.linalg.solve(M, b), rtol=1e-9, atol=1e-12)
    assert size == np.abs(x).max()
    A = np.empty((6, 6))
    assert proof.invert6(M.copy(), np.abs(M[:, :3]).max(), np.abs(M[:, 3:]).max(), A)
    np.testing.assert_allclose(A @ M, np.eye(6), atol=1e-9)


@pytest.mark.parametrize("column", range(6))
def test_singular_matrices_are_refused_at_every_pivot(column: int) -> None:
    """A column that depends on the others; its own unit decides what is small."""
    rng = np.random.default_rng(column)
    M = shuffled(rng)
    M[:, column] = M[:, : column or 6] @ rng.normal(size=column or 6) * (column > 0)
    J, A = np.empty((7, 7)), np.empty((6, 6))
    J[:6, :6], J[:6, 6] = M, 1.0
    assert not newton.factor6(J) or np.abs(J[5, 5]) > 1e13
    assert not proof.invert6(M.copy(), 1e3 * np.abs(M).max(), 1e3 * np.abs(M).max(), A)
    good = shuffled(rng)
    for small in (slice(0, 3), slice(3, 6)):
        scaled = good.copy()
        scaled[:, small] *= 1e-12
        spin, push = np.abs(scaled[:, :3]).max(), np.abs(scaled[:, 3:]).max()
        assert proof.invert6(scaled.copy(), spin, push, A)
        if column >= 3:
            wrong = (1e5, push) if small.start == 0 else (spin, 1e5)
            assert not proof.invert6(scaled.copy(), *wrong, A)


def test_the_nearest_rotation() -> None:
    rng = np.random.default_rng(1)
    for size in (1e-10, 1e-4, 3e-3):
        R = rotation_exp(rng.normal(size=3))
        symmetric = rng.normal(size=(3, 3))
        stretch = np.eye(3) + size * (symmetric + symmetric.T)
        row = np.r_[rng.normal(size=3), (R @ stretch).ravel()]
        before = row[:3].copy()
        newton.orthonormalize(row)
        np.testing.assert_array_equal(row[:3], before)
        within = max(3 * (5 * size) ** 4, 1e-15)
        np.testing.assert_allclose(row[3:].reshape(3, 3), R, rtol=0, atol=within)


@pytest.mark.parametrize(("i", "j"), [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)])
def test_one_step_is_enough_only_where_nothing_is_far_off(i: int, j: int) -> None:
    """Stretched or sheared in one way only: the second step is taken whichever way that is."""
    turned = rotation_exp(np.array([0.4, -1.1, 0.8]))
    stretch = np.eye(3)
    stretch[i, j] += 1e-4
    stretch[j, i] = stretch[i, j]
    row = np.r_[np.zeros(3), (turned @ stretch).ravel()]
    newton.orthonormalize(row)
    np.testing.assert_allclose(row[3:].reshape(3, 3), turned, rtol=0, atol=2e-15)


@pytest.mark.parametrize("factor", [1.0, -0.3])
@pytest.mark.parametrize("scale", [1.0, 0.4])
def test_a_move_turns_by_a_quaternion(factor: float, scale: float) -> None:
    """R <- Q R with the quaternion (1, a), a half of the turn; in place too."""
    rng = np.random.default_rng(2)
    pose = Pose(rng.normal(size=3), rotation_exp(rng.normal(size=3)))
    x, new = rng.normal(size=6), np.empty(12)
    row = flat_pose(pose)
    newton.move(row, x, factor, scale, new)
    Q = rotation_from_quaternion(np.r_[1.0, 0.5 * factor * x[3:] / scale])
    np.testing.assert_allclose(new[:3], pose.position + factor * x[:3], atol=1e-15)
    np.testing.assert_allclose(new[3:].reshape(3, 3), Q @ pose.rotation, atol=1e-14)
    newton.move(row, x, factor, scale, row)
    np.testing.assert_array_equal(row, new)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_of_newton(kind: str) -> None:
    platform, scale = machine(kind), 0.37
    pose = poses(1)[0]
    g = struts(platform, pose)
    rng = np.random.default_rng(3)
    wrong = 1e-3 * rng.normal(size=6)
    c, l = anchors(platform, g.coordinate)
    J = np.full((7, 7), np.nan)
    worst = newton.residual_rows(leg_table(platform), flat_pose(pose), c, l + wrong, scale, J)
    rows = np.concatenate([g.direction, np.cross(g.arm, g.direction) / scale], axis=1)
    np.testing.assert_allclose(J[:6, :6], rows, atol=1e-12)
    np.testing.assert_allclose(J[:6, 6], wrong, atol=1e-12)
    assert worst == pytest.approx(np.abs(wrong).max(), abs=1e-12)
    for leg in range(6):  # a leg without length
        there = c.copy()
        there[leg] = g.end[leg]
        table = leg_table(platform)
        assert newton.residual_rows(table, flat_pose(pose), there, l, scale, J) == -1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("leg", range(6))
def test_bad_coordinates_of_any_leg(kind: str, leg: int) -> None:
    platform = machine(kind)
    lam = struts(platform, HOME).coordinate.copy()
    table, c, l = leg_table(platform), np.empty((6, 3)), np.empty(6)
    assert newton.reduce_legs(table, lam, c, l)
    for bad, fine in (
        (np.nan, False),
        (np.inf, False),
        (0.0, kind != "UPS"),
        (-1.0, kind != "UPS"),
    ):
        wrong = lam.copy()
        wrong[leg] = bad
        assert newton.reduce_legs(table, wrong, c, l) == fine


@pytest.mark.parametrize("pair", [(0, 1), (2, 5), (4, 3), (1, 4), (5, 0)])
@pytest.mark.parametrize("which", range(4))
def test_two_legs_that_contradict_each_other(pair: tuple[int, int], which: int) -> None:
    """One side of the quadrilateral l_i, l_j, d, D longer than the three others together, and just not."""
    i, j = pair
    for sides, closes in (((0.5, 0.4, 0.3, 1.1999), True), ((0.5, 0.4, 0.3, 1.2001), False)):
        a, b, d, D = np.roll(sides, which)
        table, c, l = np.zeros((6, LEG.size)), np.zeros((6, 3)), np.full(6, 5.0)
        table[j, LEG.joint] = d * np.array([0.6, 0.0, 0.8])
        c[j], l[i], l[j] = D * np.array([0.0, 0.8, 0.6]), a, b
        others = [k for k in range(6) if k not in pair]
        table[others, LEG.joint], c[others] = 2.0, 2.0
        assert newton.impossible(table, c, l) != closes


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
@pytest.mark.parametrize("leg", range(6))
def test_the_other_branch_of_any_leg_is_seen(kind: str, leg: int) -> None:
    platform = machine(kind)
    g, table = struts(platform, HOME), leg_table(platform).copy()
    row = flat_pose(HOME)
    assert newton.on_branch(table, row, g.coordinate, np.array(g.start))
    table[leg, LEG.sign] *= -1
    assert not newton.on_branch(table, row, g.coordinate, np.array(g.start))


@pytest.mark.parametrize("kind", KINDS)
def test_local_geometry_and_the_norms_of_the_certificate(kind: str) -> None:
    platform = machine(kind)
    pose = poses(1, seed=4)[0]
    q, end = joints(platform, pose)
    c, _ = anchors(platform, struts(platform, pose).coordinate)
    w = np.full((6, ROW.size), np.nan)
    proof.local_geometry(leg_table(platform), flat_pose(pose), c, w)
    o = q.mean(axis=0)
    Q, B = q - o, c - pose.position - o
    np.testing.assert_allclose(w[:, ROW.q], Q, atol=1e-14)
    np.testing.assert_allclose(w[:, ROW.center], B, atol=1e-14)
    np.testing.assert_allclose(w[:, ROW.strut], end - c, atol=1e-14)
    np.testing.assert_allclose(w[:, ROW.at("size")], np.linalg.norm(end - c, axis=1), atol=1e-14)
    A = np.random.default_rng(5).normal(size=(6, 6))
    proof.bounds(w, A)
    form = [(skew(b).T @ skew(p) + skew(p).T @ skew(b)) / 2 for b, p in zip(B, Q, strict=True)]
    for k in range(6):
        assert w[k, ROW.sums] == pytest.approx(abs(A[k].sum()), rel=1e-12)
        whole = sum(a * f for a, f in zip(A[k], form, strict=True))
        assert w[k, ROW.squares] == pytest.approx(np.linalg.norm(whole), rel=1e-12)
        assert w[k, ROW.shifts] == pytest.approx(np.linalg.norm(A[k] @ (Q + B)), rel=1e-12)


@pytest.mark.parametrize("size", [1e-6, 0.3, 1.5])
def test_halfway_between_two_poses(size: float) -> None:
    rng = np.random.default_rng(6)
    turn = rng.normal(size=3)
    turn *= size / np.linalg.norm(turn)
    R = rotation_exp(rng.normal(size=3))
    first, second = Pose(rng.normal(size=3), R), Pose(rng.normal(size=3), rotation_exp(turn) @ R)
    trace, *a = proof.turn_between(flat_pose(first), flat_pose(second))
    assert trace == pytest.approx(1 + 2 * np.cos(size), rel=1e-12)
    np.testing.assert_allclose(a, np.tan(size / 2) * turn / size, rtol=1e-9)
    mid = np.empty(12)
    assert proof.halfway(flat_pose(first), flat_pose(second), np.empty(6), mid)
    np.testing.assert_allclose(mid[:3], (first.position + second.position) / 2, atol=1e-14)
    np.testing.assert_allclose(mid[3:].reshape(3, 3), rotation_exp(turn / 2) @ R, atol=1e-13)


def test_no_halfway_beyond_a_third_of_a_turn() -> None:
    mid = np.empty(12)
    for angle, fine in ((2.05, True), (2.15, False), (3.1, False)):
        there = Pose(HOME.position, rotation_exp(np.array([0.0, angle, 0.0])))
        assert proof.halfway(flat_pose(HOME), flat_pose(there), np.empty(6), mid) == fine


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("kind", ["UPS", "RUS"])
def test_the_box_holds_both_samples_and_what_lies_beyond(kind: str, leg: int) -> None:
    table = leg_table(machine(kind))
    rho, turn = table[:, LEG.rho], 2 * np.pi if kind == "RUS" else 0.0
    rng = np.random.default_rng(leg)
    lam0, lamc = rng.uniform(0.5, 0.6, (2, 6))
    lam1 = lam0 + 0.01 * rng.normal(size=6)
    lam1[leg] = lam0[leg] + 0.3
    width = np.empty(6)
    shift = np.array([turn * k for k in (1, 0, -1, 0, 2, 0)])
    beyond = np.zeros(6)
    beyond[(leg + 1) % 6] = 0.9
    proof.box(table, lam0, lam1 + shift, lamc - shift, 0.001, beyond, width)
    far = np.maximum(abs(lam0 - lamc), abs(lam1 - lamc)) * rho
    most = (np.abs(lam1 - lam0) * rho).max()
    more = np.maximum(0.25 * most, beyond)  # a quarter of the largest step
    np.testing.assert_allclose(width, far + more + 0.001, rtol=1e-9)


def coordinates_at(platform: gough.Platform, pose: Pose, other: Pose) -> tuple[float, float]:
    """|a| and |g| of the local coordinates of `other` at `pose`, by their definition."""
    Q = other.rotation @ pose.rotation.T
    a = np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]) / (1 + np.trace(Q))
    mean = platform.platform_joints.mean(axis=0)
    u = other.position + other.rotation @ mean - pose.position - pose.rotation @ mean
    # u = 2 (g + (a.g) a + a x g)/h
    h = 1 + a @ a
    g = np.linalg.solve(2 / h * (np.eye(3) + np.outer(a, a) + skew(a)), u)
    return float(np.linalg.norm(a)), float(np.linalg.norm(g))


@pytest.mark.parametrize("seed", range(4))
def test_inside_the_ball_and_not(seed: int) -> None:
    platform = machine("PUS")
    here, there = poses(2, 0.1, 0.4, seed=seed)[0], poses(2, 0.1, 0.4, seed=seed)[1]
    a, g = coordinates_at(platform, here, there)
    for rho in (0.5 * g / a, 2 * g / a):
        edge = max(a, g / rho)
        args = leg_table(platform), flat_pose(here), flat_pose(there), rho
        assert proof.inside(*args, edge * 1.0001)
        assert not proof.inside(*args, edge * 0.9999)
    around = Pose(here.position, rotation_exp(np.array([0, 0, 3.1])) @ here.rotation)
    assert not proof.inside(leg_table(platform), flat_pose(here), flat_pose(around), 1.0, 1e3)


def test_gathered_bounds_term_by_term() -> None:
    """E = |A| |c|, F and G by their own formula, for every leg: struts without the terms of moving centers."""
    rng = np.random.default_rng(7)
    platform = machine("mixed")
    table, w = leg_table(platform), np.zeros((6, ROW.size))
    w[:, ROW.q], w[:, ROW.center] = rng.normal(size=(2, 6, 3))
    size = ROW.at("size")
    w[:, size] = rng.uniform(0.5, 1.0, 6)
    A, D = rng.normal(size=(6, 6)), rng.uniform(1e-3, 1e-2, 6)
    before = w.copy()
    proof.gather(table, A, D, 0.0, 0.0, w)
    l, q = before[:, size], np.linalg.norm(before[:, ROW.q], axis=1)
    b = np.linalg.norm(before[:, ROW.center], axis=1)
    moves = (table[:, LEG.kind] != 0) * D
    each = np.abs(A)
    np.testing.assert_allclose(w[:, ROW.error], each @ ((2 * l * D + D * D) / 4), rtol=1e-9)
    np.testing.assert_allclose(w[:, ROW.first], each @ (moves * q), rtol=1e-9)
    np.testing.assert_allclose(w[:, ROW.first_rho], each @ moves, rtol=1e-9)
    np.testing.assert_allclose(w[:, ROW.second], each @ (moves * (3 * q + b + D / 2)), rtol=1e-9)
    np.testing.assert_allclose(w[:, ROW.second_rho], 3.5 * each @ moves, rtol=1e-9)
    proof.gather(table, A, np.zeros(6), 2.0, 3.0, w)  # what is left is the rounding
    far = np.abs(before[:, ROW.q]).sum(axis=1) + np.abs(before[:, ROW.center]).sum(axis=1)
    rounding = each @ (l * far)
    assert (w[:, ROW.error] > 1e-14 * rounding).all()
    assert (w[:, ROW.error] < 1e-12 * rounding).all()
    for column, unit in ((ROW.first, 2.0), (ROW.first_rho, 3.0)):
        ratio = w[:, column] / (each.sum(axis=1) * unit)
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
        assert 1e-14 < ratio[0] < 1e-11


@pytest.mark.parametrize("far", ["base", "joint"])
def test_a_far_frame_is_moved_to_the_machine(far: str) -> None:
    """Beyond 16 sizes of the larger of base and platform; and back."""
    plain = machine("UPS")
    size = max(np.abs(x - x.mean(axis=0)).max() for x in (plain.base_joints, plain.platform_joints))
    for sizes, moved in ((15.0, False), (17.0, True)):
        shift = np.array([0.0, -sizes * size, 0.0])
        legs = [x.replace(**{far: getattr(x, far) + shift}) for x in plain.legs]
        turned = Pose(HOME.position, rotation_exp(np.array([0.1, 0.2, 0.3])))
        platform = gough.Platform(gough.Body(1.0), legs, home=turned)
        here = centered(platform)
        assert here.moved == moved
        flat = flat_pose(turned)
        np.testing.assert_allclose(here.outward(here.inward(flat)), flat, atol=1e-12)
        assert (here.rounding(flat) > 0) == moved
        if moved:
            table, inner = here.table, here.inward(flat)
            q = table[:, LEG.joint] @ inner[POSE.rotation].reshape(3, 3).T
            S = inner[POSE.position] + q - table[:, LEG.base]
            np.testing.assert_allclose(
                np.linalg.norm(S, axis=1), struts(platform, turned).coordinate, rtol=1e-12
            )
            assert np.abs(table[:, LEG.joint if far == "joint" else LEG.base]).max() < 2 * size
            known = np.abs(turned.position).sum() + np.abs(here.joint).sum()
            assert here.rounding(flat) == pytest.approx(4 * 2.0**-52 * known)


@pytest.mark.parametrize("row", range(6))
def test_the_bound_of_a_step_is_the_integral_of_its_slope(row: int) -> None:
    """psi = integral of phi from 0 to r, phi(0) the first-order terms, each row in its own block and unit."""
    rng = np.random.default_rng(row)
    rho, block = 0.4, row // 3
    names = ("sums", "squares", "shifts", "error", "first", "first_rho", "second", "second_rho")
    w = np.zeros((6, ROW.size))
    w[row, [getattr(ROW, name) for name in names]] = rng.uniform(20.0, 30.0, len(names))
    n = {name: w[row, getattr(ROW, name)] for name in names}
    unit = 1 / rho if block else 1.0

    def slope(r: float) -> float:
        first = n["first"] + rho * n["first_rho"]
        quadratic = rho**2 * n["sums"] + n["squares"] + rho * n["shifts"] + n["error"]
        second = 2 * quadratic + n["second"] + rho * n["second_rho"]
        own = (
            first + second * r + (3 * rho * r**2 if block else 0.0) + 4 * rho**2 * n["sums"] * r**3
        )
        others = 2 * (3 * rho * r**2) ** 2 if block else 0.0  # the two rows without terms
        return float(unit * np.sqrt(own**2 + others))

    for r in (0.0, 0.1, 0.4):
        psi, phi = proof.lipschitz(w, rho, r)
        assert phi == pytest.approx(slope(r), rel=1e-12)
        nodes, weights = np.polynomial.legendre.leggauss(12)
        whole = r / 2 * sum(k * slope(r * (1 + x) / 2) for x, k in zip(nodes, weights, strict=True))
        assert psi == pytest.approx(whole, rel=1e-3)
    psi, phi = proof.lipschitz(np.zeros((6, ROW.size)), rho, 0.3)  # the term of every machine
    assert phi == pytest.approx(np.sqrt(3) * 3 * 0.3**2)
    assert psi == pytest.approx(np.sqrt(3) * 0.3**3)
