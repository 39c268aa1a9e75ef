"""Each bound of the path proofs by itself, against samples of the machine: never too small, never idle."""

from __future__ import annotations

from math import comb

import mpmath
import numpy as np
import pytest

import gough
from gough.kinematics.bernstein import decide, determinant6, determinants
from gough.kinematics.path_intervals import proved_sign, sign_on, strut_at
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Pose, quaternion_from_rotation, rotation_exp, rotation_from_quaternion
from gough.struts import joints, leg_table, struts
from support.forward_machines import HOME, machine

KINDS = ("UPS", "PUS", "RUS")


def spans(platform: gough.Platform, seed: int = 0) -> np.ndarray:
    """(6, 3) platform joints from the base points, at a random pose near home."""
    rng = np.random.default_rng(seed)
    pose = Pose(HOME.position + rng.uniform(-0.03, 0.03, 3), rotation_exp(0.1 * rng.normal(size=3)))
    return joints(platform, pose)[1] - platform.base_joints


def strut_of(row: np.ndarray, P: np.ndarray) -> tuple[np.ndarray, float]:
    """S of platform joints P (n, 3) from the base point, by its definition; and d, negative where out of reach."""
    e, u, n, L = row[LEG.e], row[LEG.u], row[LEG.n], row[LEG.length]
    if row[LEG.kind] == 0:
        return P, 1.0
    if row[LEG.kind] == 1:
        along = P @ e
        d = along**2 - (P * P).sum(-1) + L * L
        lam = along - row[LEG.sign] * np.sqrt(np.abs(d))
        return P - lam[..., None] * e, float(np.min(d))
    a, b = P @ u, P @ n
    rho, h = row[LEG.rho], row[LEG.h]
    D = ((P * P).sum(-1) + h * h + rho * rho - L * L) / 2 - h * (P @ e)
    d = a * a + b * b - D * D
    angle = np.arctan2(b, a) + row[LEG.sign] * np.arccos(
        np.clip(D / np.sqrt(a * a + b * b), -1.0, 1.0)
    )
    tip = h * e + np.cos(angle)[..., None] * u + np.sin(angle)[..., None] * n
    return P - tip, float(np.min(d))


def sphere(rng: np.random.Generator, n: int) -> np.ndarray:
    x = rng.normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("leg", range(6))
def test_a_strut_is_known_and_so_is_how_far_it_may_move(kind: str, leg: int) -> None:
    platform = machine(kind)
    row, P, S = leg_table(platform)[leg], spans(platform, leg)[leg], np.empty(3)
    middle = strut_of(row, P)[0]
    still = strut_at(row, P, 0.0, 3.0, 2.0, S)
    assert np.abs(S - middle).max() <= still < 3e-13
    rng = np.random.default_rng(leg)
    for reach in (1e-6, 1e-3, 5e-3):
        half = reach / 0.7
        off = strut_at(row, P, half, 0.7, 2.0, S)
        np.testing.assert_allclose(S, middle, atol=1e-12)
        moved = np.linalg.norm(strut_of(row, P + reach * sphere(rng, 4000))[0] - middle, axis=1)
        assert moved.max() <= off
        assert off < 2.2 * moved.max() + 1e-12  # not idle


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("outward", [True, False])
def test_an_interval_that_touches_the_end_of_reach_is_refused(
    kind: str, leg: int, outward: bool
) -> None:
    """Proved where the whole ball reaches, refused where it does not, up to a factor."""
    platform = machine(kind)
    row, P, S = leg_table(platform)[leg], spans(platform)[leg], np.empty(3)
    rng = np.random.default_rng(leg)
    way = sphere(rng, 1)[0] if kind == "PUS" else (P if outward else -P) / np.linalg.norm(P)
    low, high = 0.0, 1.0
    while strut_of(row, P + high * way)[1] > 0:
        high *= 2
        assert high < 16
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if strut_of(row, P + middle * way)[1] < 0 else (middle, high)
    edge = P + low * way
    step = 1e-5
    slope = np.array([strut_of(row, edge - step * w)[1] for w in np.eye(3)])
    slope -= np.array([strut_of(row, edge + step * w)[1] for w in np.eye(3)])
    inward = -slope / np.linalg.norm(slope)
    for depth in (1e-3, 1e-2):
        inside = edge + depth * inward
        assert strut_of(row, inside)[1] > 0
        assert strut_at(row, inside, 1.05 * depth, 1.0, 2.0, S) == -1.0
        assert strut_at(row, inside, 0.2 * depth, 1.0, 2.0, S) > 0.0
    assert strut_at(row, edge - 1e-3 * inward, 0.0, 1.0, 2.0, S) == -1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("far", [1e3, 1e6])
def test_the_rounding_of_a_far_frame_is_in_the_bound(kind: str, far: float) -> None:
    """A joint wrong by what its large parts round moves the strut by no more than is said."""
    platform = machine(kind)
    row, P, S = leg_table(platform)[1], spans(platform)[1], np.empty(3)
    rng = np.random.default_rng(1)
    off = strut_at(row, P, 0.0, 1.0, far, S)
    wrong = P + 16 * 2.2e-16 * far * sphere(rng, 500)
    moved = np.linalg.norm(strut_of(row, wrong)[0] - strut_of(row, P)[0], axis=1).max()
    assert moved <= off < 60 * moved


def way(seed: int) -> tuple[np.ndarray, ...]:
    """A straight path: t0, dt, q0, dq and |v| of its rotation."""
    rng = np.random.default_rng(seed)
    ends = [
        Pose(HOME.position + rng.uniform(-0.02, 0.02, 3), rotation_exp(0.15 * rng.normal(size=3)))
        for _ in "ab"
    ]
    t, q = ([f(x) for x in ends] for f in (lambda x: x.position, lambda x: x.rotation))
    q = [quaternion_from_rotation(R) for R in q]
    v = q[0][0] * q[1][1:] - q[1][0] * q[0][1:] + np.cross(q[0][1:], q[1][1:])
    return t[0], t[1] - t[0], q[0], q[1] - q[0], np.linalg.norm(v)


@pytest.mark.parametrize("kind", [*KINDS, "mixed"])
@pytest.mark.parametrize("seed", range(3))
def test_the_rows_of_an_interval_hold_the_machine(kind: str, seed: int) -> None:
    platform = machine(kind)
    table = leg_table(platform)
    middle = platform.platform_joints.mean(axis=0)
    t0, dt, q0, dq, turn = way(seed)
    size, u = 0.7, 0.3

    def rows(at: np.ndarray) -> np.ndarray:
        R = rotation_from_quaternion(q0 + at[:, None] * dq)
        g = struts(platform, Pose.trusted(t0 + at[:, None] * dt, R))
        S = g.end - g.start
        q = (platform.platform_joints - middle) @ np.swapaxes(R, -1, -2)
        return np.concatenate([S / size, np.cross(q, S) / size**2], axis=-1)

    here = rows(np.array([u]))[0]
    for half in (0.0, 1e-4, 1e-2):
        M, A, W = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 2))
        args = (table, middle, t0, dt, q0, dq, turn, u, half, size, M, A, W)
        sign = sign_on(*args, np.empty(3), np.empty(3), np.empty(3))
        assert sign == np.sign(np.linalg.det(here))
        np.testing.assert_allclose(A @ here, np.eye(6), atol=1e-9)
        off = np.abs(rows(np.linspace(u - half, u + half, 41)) - here)
        for part, k in ((slice(0, 3), 0), (slice(3, 6), 1)):
            moved = np.linalg.norm(off[..., part], axis=-1).max(axis=0)
            assert (moved <= W[:, k] + 1e-15).all()
            assert (W[:, k] < 12 * moved.max() + 1e-12).all()
        other = np.empty((6, 2))  # another unit of length
        sign_on(*args[:9], 0.01, *np.empty((2, 6, 6)), other, *np.empty((3, 3)))
        np.testing.assert_allclose(other * [0.01, 0.01**2], W * [size, size**2], rtol=1e-9)
    if kind != "UPS":
        args = (
            table,
            middle,
            t0 + np.array([0.0, 0.0, 9.0]),
            dt,
            q0,
            dq,
            turn,
            u,
            0.0,
            size,
            M,
            A,
            W,
        )
        assert sign_on(*args, *np.empty((3, 3))) == -2  # out of reach


def test_rounding_counts_alike_along_every_axis() -> None:
    """A machine of UPS legs moved far along x, y or z: the struts are as before, and as uncertain along each."""
    platform = machine("UPS")
    middle = platform.platform_joints.mean(axis=0)
    uncertain = []
    for shift in 1e6 * np.vstack([np.eye(3), -np.eye(3)]):
        legs = [leg.replace(base=leg.base + shift) for leg in platform.legs]
        table, W = leg_table(platform.replace(legs=legs, home=None)), np.empty((6, 2))
        still = (HOME.position + shift, np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(4), 0.0)
        matrices = np.empty((2, 6, 6))
        sign_on(table, middle, *still, 0.5, 0.0, 1.0, *matrices, W, *np.empty((3, 3)))
        uncertain.append(W[:, 0])
    np.testing.assert_allclose(uncertain, np.broadcast_to(uncertain[0], (6, 6)), rtol=1e-5)
    assert np.min(uncertain) >= 16 * 2.2e-16 * 2e6  # as far as joint and base lie, each


def test_where_the_path_turns_fastest_lies_halfway() -> None:
    """|Q|^2 of a straight quaternion path is least at u = 1/2: intervals before, around and after it are bounded."""
    platform = machine("PUS")
    table, middle = leg_table(platform), platform.platform_joints.mean(axis=0)
    q0, q1 = np.array([1.0, 0, 0, 0]), np.array([np.cos(1.4), 0, 0, np.sin(1.4)])
    turn = np.linalg.norm(q0[0] * q1[1:])
    arm = np.linalg.norm(platform.platform_joints - middle, axis=1)
    for u, half, nearest in ((0.2, 0.1, 0.3), (0.45, 0.1, 0.5), (0.8, 0.1, 0.7)):
        W = np.empty((6, 2))
        sign_on(
            table, middle, HOME.position, np.zeros(3), q0, q1 - q0, turn, u, half, 1.0,
            np.empty((6, 6)), np.empty((6, 6)), W, *np.empty((3, 3)),
        )  # fmt: skip
        Q = q0 + nearest * (q1 - q0)
        rate = 2 * turn / (Q @ Q)
        reach = half * rate * np.linalg.norm(platform.platform_joints, axis=1)
        S = np.empty(3)
        R = rotation_from_quaternion(q0 + u * (q1 - q0))
        P = HOME.position + platform.platform_joints @ R.T - platform.base_joints
        for i in range(6):
            off = strut_at(table[i], P[i], 1.0, reach[i], 2.0, S)
            if off < 0:
                break  # not filled in
            assert W[i, 0] == pytest.approx(off, rel=1e-9)
            long = np.linalg.norm(S)
            assert W[i, 1] == pytest.approx(arm[i] * (half * rate * (long + off) + off), rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_sign_is_proved_for_all_matrices_within_reach_and_no_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(6, 6))
    M[rng.permutation(6)[:2]] *= 1e-3 if seed % 2 else 1.0
    A = np.empty((6, 6))
    sign = 1 if np.linalg.det(M) > 0 else -1
    for unit in (1e-9, 1.0, 1e9):
        assert proved_sign(unit * M, A, np.zeros((6, 2))) == sign
    assert proved_sign(M.copy(), A, np.zeros((6, 2))) == sign
    np.testing.assert_allclose(A @ M, np.eye(6), atol=1e-9)
    left, values, right = np.linalg.svd(M)
    least = np.abs(left[:, -1])[:, None] * values[-1]  # rows of the nearest singular matrix, off by
    W = least * [np.linalg.norm(right[-1, :3]), np.linalg.norm(right[-1, 3:])]
    assert proved_sign(M.copy(), A, 1.0001 * W) == 0
    assert proved_sign(M.copy(), A, 0.1 * W) == sign
    for part in range(2):  # one of the two parts alone
        alone = np.zeros((6, 2))
        alone[:, part] = 1.5 / np.linalg.norm(A[3 * part : 3 * part + 3])
        assert proved_sign(M.copy(), A, alone) == 0
        assert proved_sign(M.copy(), A, 0.1 * alone) == sign
        for i in range(6):
            row = np.zeros((6, 2))
            row[i, part] = 0.99 / np.linalg.norm(A[3 * part : 3 * part + 3])
            assert proved_sign(M.copy(), A, row) == sign
            assert proved_sign(M.copy(), A, row * 1.02) == 0
    M[3] = M[1]
    assert proved_sign(M, A, np.zeros((6, 2))) == 0


def test_determinants_of_six_rows() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        M = rng.normal(size=(6, 6)) * 10.0 ** rng.integers(-2, 3, (6, 1))
        if rng.random() < 0.5:
            M[np.arange(6), np.arange(6)] = 0.0  # pivots must be looked for
        assert determinant6(M.copy()) == pytest.approx(np.linalg.det(M), rel=1e-9)
    for column in range(6):
        M = rng.normal(size=(6, 6))
        M[:, column] = 0.0
        assert determinant6(M) == 0.0
    assert determinant6(np.eye(6)[[1, 0, 2, 3, 4, 5]]) == -1.0


def bernstein(power: np.ndarray) -> np.ndarray:
    """Bernstein coefficients of sum c_k u^k."""
    n = len(power) - 1
    return np.array(
        [sum(comb(i, k) / comb(n, k) * power[k] for k in range(i + 1)) for i in range(n + 1)]
    )


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("roots", "regular", "crossing", "at"),
    [
        ([], 1, 0, None),
        ([0.3], 0, 1, 0.3),
        ([0.7], 0, 1, 0.7),
        ([1e-13], 0, 1, 0.0),
        ([0.0], 0, 0, 0.0),  # begins at zero: from which side is not known
        ([1 - 1e-13], 0, 0, 1.0),  # nothing behind it shows the other sign
        ([1 / 3, 2 / 3], 0, 1, 1 / 3),
        ([0.123, 0.124], 0, 1, 0.123),
        ([0.37, 0.37], 0, 0, 0.37),
        ([0.37, 0.37, 0.8], 0, 1, 0.37),
        ([0.5, 0.5], 0, 0, 0.5),
        ([-0.2], 1, 0, None),
        ([1.2], 1, 0, None),
        ([0.4 + 0.01j, 0.4 - 0.01j], 1, 0, None),
    ],
)
def test_signs_of_polynomials(
    roots: list[complex], regular: int, crossing: int, at: float | None, sign: float
) -> None:
    """Zeros found where they are, the first one first; touching zeros are not called crossings."""
    power = sign * np.poly(roots)[::-1].real if roots else np.array([sign])
    power = np.r_[power, np.zeros(6 - len(power))]
    quiet = bernstein(sign * np.poly([2.0, 3.0])[::-1])
    quiet = np.interp(np.linspace(0, 1, 6), np.linspace(0, 1, 3), quiet)
    rows = np.stack([quiet, bernstein(power), quiet])  # neighbors do not matter
    out = np.full((3, 3), 7.0)
    decide(rows, np.full(3, 1e-15), out)
    assert out[1, 0] == regular
    assert out[1, 1] == crossing
    if at is None:
        assert np.isnan(out[1, 2])
    else:
        assert at - 2e-7 <= out[1, 2] <= at + 2e-7
    for k in (0, 2):
        assert out[k, 0] == 1
        assert out[k, 1] == 0
        assert np.isnan(out[k, 2])


def test_a_polynomial_within_its_rounding_is_not_decided() -> None:
    rows = np.array([[1e-3, 2e-3, 1e-3], [-1e-3, -2e-3, -1e-3], [np.nan, 1, 1], [0, 0, 0]])
    for rounding, regular in ((0.9e-3, 1), (1.1e-3, 0)):
        out = np.empty((4, 3))
        decide(rows, np.full(4, rounding), out)
        assert out[:, 0].tolist() == [regular, regular, 0, 0]
        assert not out[:, 1].any()
    decide(rows, np.full(4, -1.0), out)
    assert not out[:, 0].any()
    decide(np.array([[2e-14, 1.0, 1.0]]), np.full(1, 1e-300), out[:1])
    assert out[0, 0] == 0  # halving itself rounds
    smooth = np.array(
        [[1.0, -0.5, 1.0]]
    )  # 1 - 3 u + 3 u^2 >= 1/4: positive, its coefficients are not
    decide(smooth, np.full(1, 0.2), out[:1])
    assert out[0, 0] == 1
    decide(smooth, np.full(1, 0.26), out[:1])
    assert out[0, 0] == 0


@pytest.mark.parametrize("far", [0.0, 40.0])
def test_determinants_along_a_path_and_their_rounding(far: float) -> None:
    """h^3 det [S, p x S]/size^9 against 40 digits; the bound holds and is within a million of the unit."""
    platform = machine("UPS")
    rng = np.random.default_rng(4)
    n, size = 6, 0.6
    t = HOME.position + rng.uniform(-0.1, 0.1, (n, 3)) + [far, -far, far]
    q = rng.normal(size=(n, 4)) * rng.uniform(0.5, 2.0, (n, 1))
    p, b = np.array(platform.platform_joints), platform.base_joints + np.array([far, -far, far])
    out, rounding = np.empty(n), np.empty(n)
    determinants(t, q, p, b, size, out, rounding)
    mpmath.mp.dps = 40
    for k in range(n):
        w, x, y, z = (mpmath.mpf(v) for v in q[k])
        h = w * w + x * x + y * y + z * z
        R = mpmath.matrix(
            [
                [h - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), h - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), h - 2 * (x * x + y * y)],
            ]
        )
        M = mpmath.matrix(6, 6)
        for i in range(6):
            r = [sum(R[a, c] * mpmath.mpf(p[i, c]) for c in range(3)) / h / size for a in range(3)]
            s = [(mpmath.mpf(t[k, a]) - mpmath.mpf(b[i, a])) / size + r[a] for a in range(3)]
            m = [r[1] * s[2] - r[2] * s[1], r[2] * s[0] - r[0] * s[2], r[0] * s[1] - r[1] * s[0]]
            for a in range(3):
                M[i, a], M[i, 3 + a] = s[a], m[a]
        exact = h**3 * mpmath.det(M)
        assert abs(out[k] - exact) <= rounding[k]
        arms = np.linalg.norm(p, axis=1) / size
        feet = (np.linalg.norm(t[k]) + np.linalg.norm(b, axis=1)) / size
        terms = float(h) ** 3 * np.prod((feet + arms) * np.sqrt(1 + arms**2))
        assert 100 * 2.2e-16 * terms < rounding[k] < 400 * 2.2e-16 * terms
    assert (np.abs(out) > 1e3 * rounding).any() or far > 0
