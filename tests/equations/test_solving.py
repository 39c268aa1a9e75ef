"""The small linear systems of the equations against arrays: six columns, mass matrices, links that hold."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gough.equations import links
from gough.equations.platform import PlatformMotion
from gough.equations.solve import Mass, Six, solve_columns
from gough.equations.vec import Frame, Mat, Sym, Vec
from gough.spatial import rotation_exp


def six(a: np.ndarray) -> Six:
    return Six(Vec(*map(float, a[:3])), Vec(*map(float, a[3:])))


def numbers(x: Six) -> np.ndarray:
    return np.array([*x.lin, *x.ang])


def sym(a: np.ndarray) -> Sym:
    return Sym(*(float(a[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))))


def mass(seed: int) -> tuple[np.ndarray, Mass]:
    x = np.random.default_rng(seed).normal(size=(6, 6))
    M = x @ x.T + np.eye(6)
    return M, Mass(sym(M[:3, :3]), Mat(*(Vec(*row) for row in M[:3, 3:])), sym(M[3:, 3:]))


@pytest.mark.parametrize("seed", range(4))
def test_six_columns_are_solved_and_say_how_dependent_they_are(seed: int) -> None:
    """``risk = |H_1^-1|_F^2`` of the columns at unit length, whatever their lengths are."""
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(6, 6)) * 10.0 ** rng.uniform(-2, 2, 6)
    c = rng.normal(size=6)
    found = solve_columns([six(column) for column in H.T], six(c))
    np.testing.assert_allclose(found.y, np.linalg.solve(H, c), rtol=1e-8)
    unit = H / np.linalg.norm(H, axis=0)
    assert found.risk == pytest.approx(np.linalg.norm(np.linalg.inv(unit)) ** 2, rel=1e-8)
    nearly = H.copy()
    nearly[:, 4] = H[:, 1] + 1e-6 * H[:, 4]
    assert solve_columns([six(column) for column in nearly.T], six(c)).risk > 1e6 * found.risk


@pytest.mark.parametrize("seed", range(4))
def test_a_mass_matrix_by_its_blocks(seed: int) -> None:
    M, blocks = mass(seed)
    f = np.random.default_rng(seed + 50).normal(size=6)
    np.testing.assert_allclose(numbers(blocks.times(six(f))), M @ f, rtol=1e-10)
    np.testing.assert_allclose(numbers((blocks + blocks).times(six(f))), 2.0 * M @ f, rtol=1e-10)
    np.testing.assert_allclose(numbers(blocks.solve(six(f))), np.linalg.solve(M, f), rtol=1e-8)
    answer, risk = blocks.solved(six(f))
    np.testing.assert_allclose(numbers(answer), np.linalg.solve(M, f), rtol=1e-8)
    assert risk == pytest.approx((np.diag(M) * np.diag(np.linalg.inv(M))).sum(), rel=1e-8)


@pytest.mark.parametrize("n", range(1, 6))
def test_a_few_links_are_solved_by_their_factors(n: int) -> None:
    M, blocks = mass(n)
    G = np.random.default_rng(n + 9).normal(size=(n, 6))
    misfit = np.arange(1.0, n + 1.0)
    A = G @ np.linalg.solve(M, G.T)
    factors = links.factored(A.tolist())
    np.testing.assert_allclose(factors.solve(misfit.tolist()), np.linalg.solve(A, misfit))
    held = links.hold(blocks, [six(row) for row in G])
    np.testing.assert_allclose(held.A, A, rtol=1e-9, atol=1e-12)
    lam = held.forces(misfit.tolist())
    np.testing.assert_allclose(lam, -np.linalg.solve(A, misfit), rtol=1e-7)
    moved = np.linalg.solve(M, G.T @ np.array(lam))
    np.testing.assert_allclose(numbers(held.answer(lam)), moved, rtol=1e-7, atol=1e-10)
    due = (np.diag(A) * np.diag(np.linalg.inv(A))).sum()
    assert held.risk() == pytest.approx(due, rel=1e-7)


def cross_matrix(u: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.7, 5.0])
def test_a_frame_is_turned_by_cayleys_rotation(size: float) -> None:
    """``(E - [u]x/2)^-1 (E + [u]x/2) R``, orthogonal for any u."""
    R = rotation_exp(np.array([0.3, -0.2, 0.9]))
    u = size * np.array([0.6, -0.8, 0.3])
    found = links.turned(Frame(*(Vec(*column) for column in R.T)), Vec(*u))
    X = 0.5 * cross_matrix(u)
    due = np.linalg.solve(np.eye(3) - X, (np.eye(3) + X) @ R)
    np.testing.assert_allclose(np.array([[*found.x], [*found.y], [*found.z]]).T, due, atol=1e-12)


@pytest.mark.parametrize("off", [1e-5, -2e-4])
def test_a_state_is_moved_onto_its_links_by_the_least(off: float) -> None:
    """Two links a little too long: the lengths then fit to the fourth power of what they missed, the twist keeps them,
    and what was taken from it is what impulses along the links take."""
    rng = np.random.default_rng(3)
    M, blocks = mass(3)
    R, t, twist = rotation_exp(rng.normal(size=3)), rng.normal(size=3), rng.normal(size=6)
    legs, rows = [], []
    for _ in range(2):
        joint, base = rng.normal(size=3), rng.normal(size=3) * 3.0
        span = t + R @ joint - base
        leg = SimpleNamespace(joint=Vec(*joint), base=Vec(*base))
        legs.append((leg, float(np.linalg.norm(span)) + off))
    frame = Frame(*(Vec(*column) for column in R.T))
    start = PlatformMotion(
        Vec(*t),
        frame,
        Vec(*twist[:3]),
        Vec(*twist[3:]),
        Vec(1.0, 2.0, 3.0),
        Vec(4.0, 5.0, 6.0),
        None,
    )
    row, length = links.link_row(start, legs[0][0])
    arm = R @ np.array([*legs[0][0].joint])
    along = t + arm - np.array([*legs[0][0].base])
    along /= np.linalg.norm(along)
    np.testing.assert_allclose(numbers(row), [*along, *np.cross(arm, along)])
    assert length == pytest.approx(legs[0][1] - off)
    found = links.onto_links(start, blocks, legs)
    for leg, wanted in legs:
        row, length = links.link_row(found, leg)
        assert length == pytest.approx(wanted, abs=1e3 * abs(off) ** 4 + 1e-14)
        rows.append(numbers(row))
    G, moved = np.array(rows), np.array([*found.v, *found.w])
    assert np.abs(G @ moved).max() < 1e-12
    taken = M @ (moved - twist)
    impulse = np.linalg.lstsq(G.T, taken, rcond=None)[0]
    np.testing.assert_allclose(G.T @ impulse, taken, atol=1e-9)
    assert ([*found.a], [*found.al]) == ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert np.abs(np.array([*found.t]) - t).max() < 50.0 * abs(off)
