"""What errors of lengths and joints do to spheres, conditions, slopes and solutions: bounds that hold, and not idly."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.kinematics import mode_boxes, uncertainty
from gough.kinematics.assembly import geometry as normalized
from gough.kinematics.assembly.forms import FORMS, leg_rows, matrices
from gough.kinematics.assembly.geometry import Geometry, normalize
from gough.kinematics.assembly.solve import solve
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.mode_boxes import DataError, balls, data_error
from gough.spatial import rotation_exp
from gough.struts import anchors, joints, lengths_only
from support.forward_machines import HOME, KINDS, machine, poses

CORNERS = 700
ACTUATOR = np.array([1e-3, 4e-3, 2e-3, 6e-3, 5e-3, 3e-3])
NOTHING = np.zeros((6, 3))


def signs(rng: np.random.Generator, *shape: int) -> Array:
    return rng.choice([-1.0, 1.0], shape)


@pytest.mark.parametrize("kind", KINDS)
def test_spheres_move_by_what_is_said(kind: str) -> None:
    """Struts change the radius, sliders the center along the rail, cranks the center on its circle to second order."""
    platform, pose = machine(kind), poses(1, seed=2)[0]
    lam = actuator_coordinates(platform, pose)
    error = data_error(platform, lam, ACTUATOR, 0.0, 0.0)
    c, l = anchors(platform, lam)
    moved = [anchors(platform, lam + side * ACTUATOR) for side in (-1.0, 1.0)]
    center = np.abs([x - c for x, _ in moved])
    radius = np.abs([x - l for _, x in moved])
    assert (radius <= error.radius * (1 + 1e-9)).all()
    assert radius.max(axis=0) == pytest.approx(error.radius)
    assert (center <= error.center * (1 + 1e-9) + 1e-15).all()
    arm = np.array([np.linalg.norm(getattr(leg, "arm", np.zeros(3))) for leg in platform.legs])
    assert (error.center - center.max(axis=0) <= (arm * ACTUATOR**2)[:, None] + 1e-12).all()
    more = data_error(platform, lam, ACTUATOR, 2e-4, 3e-4)
    assert more.center == pytest.approx(error.center + 2e-4)
    assert more.joint == pytest.approx(np.full((6, 3), 3e-4))
    assert more.radius == pytest.approx(error.radius)


def some_geometry(planar: bool) -> tuple[Geometry, Array, Array, Array]:
    """Normalized, with base, joints and lengths; planar points lie in tilted planes, which the axes then follow."""
    platform = machine("UPS")
    base, joint = platform.base_joints.copy(), platform.platform_joints.copy()
    if planar:
        base[:, 2] = joint[:, 2] = 0.0
        base = base @ rotation_exp([0.4, 0.3, 0.2]).T
        joint = joint @ rotation_exp([0.1, -0.5, 0.3]).T
    made = normalize(base, joint)
    assert made.planar == planar
    return made, base, joint, actuator_coordinates(platform, HOME)


@pytest.mark.parametrize("planar", [False, True])
def test_conditions_change_by_no_more_than_their_bound(planar: bool) -> None:
    made, _, _, l = some_geometry(planar)
    rng, size = np.random.default_rng(3), made.size
    error = DataError(
        rng.uniform(1e-3, 4e-3, 6), rng.uniform(1e-3, 4e-3, (6, 3)), rng.uniform(1e-3, 4e-3, (6, 3))
    )
    bound = mode_boxes._row_error(made, l, error)
    here, worst = leg_rows(made.b, made.p, (l / size) ** 2), np.zeros((6, FORMS))
    for _ in range(CORNERS):
        b = made.b + signs(rng, 6, 3) * error.center @ made.base_axes / size
        p = made.p + signs(rng, 6, 3) * error.joint @ made.joint_axes / size
        there = leg_rows(b, p, ((l + signs(rng, 6) * error.radius) / size) ** 2)
        worst = np.maximum(worst, np.abs(there - here))
    assert (worst <= bound * (1 + 1e-12)).all()
    share = worst[:, :-1] / bound[:, :-1]
    assert share.min() > (0.4 if planar else 0.98)
    assert (bound[:, -1] == 0.0).all()


def test_rounding_of_the_normalized_joints_is_in_the_bound() -> None:
    made, base, joint, l = some_geometry(False)
    assert mode_boxes.GRID * normalized.GRID == 1.0
    bound = mode_boxes._row_error(made, l, DataError(np.zeros(6), NOTHING, NOTHING))
    assert bound[:, 10:16] == pytest.approx(np.full((6, 6), 2.0**-49))
    exact = [(x - x.mean(axis=0)) / made.size for x in (base, joint)]
    off = leg_rows(*exact, (l / made.size) ** 2) - leg_rows(made.b, made.p, (l / made.size) ** 2)
    assert (np.abs(off) <= bound).all()


def test_the_slope_stays_within_its_spread() -> None:
    """``J = (2 P, 4/(1 + a.a) (m + m x a))`` of random poses in the box and random data, by its definition."""
    platform, pose = machine("UPS"), poses(1, seed=3)[0]
    rng, R = np.random.default_rng(4), pose.rotation
    q, end = joints(platform, pose)
    c, _ = anchors(platform, actuator_coordinates(platform, pose))
    joint, center = rng.uniform(1e-3, 3e-3, (6, 3)), rng.uniform(1e-3, 3e-3, (6, 3))
    turned = joint @ np.abs(R).T
    P = end - c
    J0 = np.concatenate([2 * P, 4 * np.cross(q, P)], axis=1)
    for size, least, middle in ((0.0, 0.64, 0.98), (1e-2, 0.42, 0.93), (0.1, 0.23, 0.77)):
        r = size * np.array([0.1, 0.2, 0.15, 0.5, 0.8, 0.6])
        bound = uncertainty._spread(q, P, turned, turned + center, r)
        worst = np.zeros((6, 6))
        for _ in range(CORNERS):
            z = r * signs(rng, 6) * rng.choice([1.0, 1.0, 0.0, 0.5], 6)
            u, a = z[:3], z[3:]
            aa = a @ a
            K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
            C = np.eye(3) + 2.0 * (K + K @ K) / (1.0 + aa)
            arm = (platform.platform_joints + signs(rng, 6, 3) * joint) @ (C @ R).T
            there = pose.position + u + arm - c - signs(rng, 6, 3) * center
            m = np.cross(arm, there)
            J = np.concatenate([2 * there, 4 / (1 + aa) * (m + np.cross(m, a))], axis=1)
            worst = np.maximum(worst, np.abs(J - J0))
        assert (worst <= bound * (1 + 1e-12)).all()
        share = worst / bound
        assert share.min() > least
        assert np.median(share) > middle


def all_solutions() -> tuple[gough.Platform, Geometry, Array, Array]:
    platform = machine("UPS")
    lam = actuator_coordinates(platform, poses(1, seed=6)[0])
    c, l = anchors(platform, lam)
    made = normalize(c, platform.platform_joints)
    return platform, made, l, solve(made, l, lengths_only(platform)).X


def weights(x: Array) -> Array:
    """Of the norm of assembly/roots.py: the largest entry of each half."""
    halves = np.abs(x.reshape(-1, 2, 4)).max(axis=2)
    return np.repeat(np.maximum(halves, 1e-8 * halves[:, ::-1]), 4, axis=1)


def newton(made: Geometry, l: Array, x: Array, chart: int) -> Array:
    """The solution next to x of these lengths, its entry `chart` kept at one."""
    rows = leg_rows(made.b, made.p, (l / made.size) ** 2)
    Q = np.concatenate([np.tensordot(rows, matrices()[:FORMS], 1), matrices()[FORMS:]])
    free = np.arange(8) != chart
    for _ in range(12):
        slope = np.einsum("iab,b->ia", Q, x)
        x = x.copy()
        x[free] -= np.linalg.solve(2 * slope[:, free], slope @ x)
    return x


def test_every_solution_stays_within_its_ball() -> None:
    _, made, l, X = all_solutions()
    assert len(X) == 40
    rng, off = np.random.default_rng(5), 1e-7
    radius, real = balls(made, l, X, DataError(np.full(6, off), NOTHING, NOTHING))
    proved = radius >= 0
    assert proved.sum() > 30
    chart = np.abs(X).argmax(axis=1)
    x = X / np.take_along_axis(X, chart[:, None], 1)
    w, worst = weights(x), np.zeros(len(X))
    for _ in range(40):
        other = l + off * signs(rng, 6)
        moved = np.array([newton(made, other, x[i], int(chart[i])) for i in range(len(X))])
        worst = np.maximum(worst, (np.abs(moved - x) / w).max(axis=1))
    assert (worst[proved] <= radius[proved]).all()
    share = (worst / radius)[proved]
    assert np.median(share) > 0.11
    assert share.max() > 0.49
    for i in np.flatnonzero(proved):
        assert real[i] == int(np.abs(x[i].imag).max() < 1e-9)


def test_balls_that_meet_are_no_proof() -> None:
    """The same solution twice, in another scale: both are given up, and the others are what they were."""
    _, made, l, X = all_solutions()
    error = DataError(np.full(6, 1e-9), NOTHING, NOTHING)
    alone, real = balls(made, l, X, error)
    assert (alone >= 0).all()
    for twice in (0, 7, 25):
        radius, now = balls(made, l, np.concatenate([X, (0.3 - 2j) * X[[twice]]]), error)
        lost = np.isin(np.arange(len(X) + 1), [twice, len(X)])
        assert (radius[lost] == -1.0).all()
        assert (now[lost] == -1).all()
        assert radius[~lost] == pytest.approx(np.delete(alone, twice), rel=1e-9)
        assert (now[~lost] == np.delete(real, twice)).all()


def test_growing_errors_lose_proofs_and_never_make_them_smaller() -> None:
    _, made, l, X = all_solutions()
    before, some = np.zeros(len(X)), set[int]()
    for off in (1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2):
        radius, real = balls(made, l, X, DataError(np.full(6, off), NOTHING, NOTHING))
        assert (radius[(radius >= 0)] >= before[radius >= 0]).all()
        assert ((radius < 0) <= (real < 0)).all()
        before = np.where(radius < 0, np.inf, radius)
        some.add(int((radius >= 0).sum()))
    assert max(some) == 40
    assert min(some) == 0
    assert len(some) > 3


def parted(x: Array, w: Array, k: int, r: Array, m: int, n: int) -> bool:
    """Balls m and n in the chart k of m, entry by entry; n's is blurred by ``2 r (w_b |x_k| + |x_b| w_k)/|x_k|^2``."""
    at = x[n, k]
    if at == 0 or r[n] * w[n, k] > abs(at) / 2:
        return False
    for b in range(8):
        blur = 2 * r[n] * (w[n, b] * abs(at) + abs(x[n, b]) * w[n, k]) / abs(at) ** 2
        if abs(x[n, b] / at - x[m, b]) > r[m] * w[m, b] + blur:
            return True
    return False


def test_balls_are_apart_where_one_chart_shows_it() -> None:
    """Small and large balls about near and far points: every pair by itself, seen from one of the two."""
    rng, both = np.random.default_rng(6), [0, 0]
    for trial in range(400):
        X = rng.normal(size=8) + 10.0 ** rng.uniform(-2, 1) * rng.normal(size=(3, 8)) + 0j
        X[:, 4:] *= 10.0 ** rng.uniform(-1, 1)
        chart = np.abs(X).argmax(axis=1)
        x = X / np.take_along_axis(X, chart[:, None], 1)
        w, r = weights(x), 10.0 ** rng.uniform(-4, 0, 3)
        if trial % 10 == 0:
            r[trial // 10 % 3] = -1.0  # no proof: a point
        found = mode_boxes._apart(x, w, chart, r)
        size = np.maximum(r, 0.0)
        for n in range(3):
            alone = all(
                parted(x, w, int(chart[m]), size, m, n) or parted(x, w, int(chart[n]), size, n, m)
                for m in range(3)
                if m != n
            )
            assert found[n] == alone
            both[int(alone)] += 1
    assert min(both) > 40
