"""What is said of a ball of positions, function by function: each bound is what its formula gives in NumPy, neither
more nor less, and each verdict changes at its edge."""

from __future__ import annotations

from itertools import product
from math import inf, nan, pi

import numpy as np
import pytest

from campaigns.travel_campaign import machine
from gough.analysis import cell_kernel as kernels
from gough.analysis.cell_bits import OTHER, PROVED_IN, PROVED_OUT, SAME, SIGN_ALL, WITHIN
from gough.analysis.cell_judge import BallJudge
from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Pose
from gough.struts import CRANK, SLIDER, STRUT, pair_distances, struts

FEW = ("UPS", "PUS", "RUS", "mixed")


def row(kind: float, length: float = 1.3, rho: float = 0.4, h: float = 0.2) -> Array:
    """A leg at the origin with a slanted rail (axis of its crank)."""
    e = np.array([0.6, 0.0, 0.8])
    u, n = np.array([0.8, 0.0, -0.6]), np.array([0.0, 1.0, 0.0])
    out = np.zeros(LEG.size)
    out[LEG.kind], out[LEG.length], out[LEG.rho], out[LEG.h] = kind, length, rho, h
    out[LEG.e], out[LEG.u], out[LEG.n] = e, rho * u, rho * n
    out[LEG.sign], out[LEG.zero] = 1.0, 0.3
    return out


def distances(leg: Array, P: Array, low: float, high: float) -> tuple[float, float]:
    """Nearest and farthest place of the base-side end from P, by brute force."""
    if leg[LEG.kind] == SLIDER:
        places = np.linspace(low, high, 20001)[:, None] * leg[LEG.e]
    else:
        x = np.linspace(0.0, 2 * pi, 20001)[:, None]
        places = leg[LEG.h] * leg[LEG.e] + np.cos(x) * leg[LEG.u] + np.sin(x) * leg[LEG.n]
    apart = np.linalg.norm(P - places, axis=1)
    return float(apart.min()), float(apart.max())


@pytest.mark.parametrize("kind", [SLIDER, CRANK])
@pytest.mark.parametrize("seed", range(6))
def test_a_joint_is_out_of_reach_exactly_beyond_the_strut(kind: float, seed: int) -> None:
    """At both edges, too far and too near, from every side of the rail's stroke and of the circle."""
    rng = np.random.default_rng(seed)
    P, r = rng.normal(size=3), 0.05
    leg = row(kind)
    near, far = distances(leg, P, -0.3, 0.5)
    for length, never in (
        (near - r - 1e-5, True),
        (near - r + 1e-5, False),
        (far + r + 1e-5, True),
        (far + r - 1e-5, False),
    ):
        if length > 0.0:
            leg[LEG.length] = length
            assert bool(kernels.never_reaches(leg, P, r, -0.3, 0.5)) is never


@pytest.mark.parametrize("turn", [-3.0, -1.0, 0.0, 0.4, 2.0, 3.1])
def test_coordinates_their_spread_and_the_base_side_end(turn: float) -> None:
    P, S, off, r = np.array([0.3, -0.2, 1.1]), np.array([0.1, 0.5, 0.9]), 0.07, 0.02
    value, spread, moved = kernels.coordinate_in(row(STRUT), P, S, off, r)
    assert (value, spread, moved) == (pytest.approx(np.linalg.norm(S)), pytest.approx(off), 0.0)
    value, spread, moved = kernels.coordinate_in(row(SLIDER), P, S, off, r)
    assert (value, spread) == (pytest.approx((P - S) @ [0.6, 0.0, 0.8]), pytest.approx(off))
    assert moved == off
    leg = row(CRANK)
    x = leg[LEG.zero] + turn
    foot = leg[LEG.h] * leg[LEG.e] + np.cos(x) * leg[LEG.u] + np.sin(x) * leg[LEG.n]
    value, spread, moved = kernels.coordinate_in(leg, P, P - foot, off, r)
    assert value == pytest.approx(float(x), abs=1e-12)
    due = (off - r) / 0.4
    assert spread == (pytest.approx(due, abs=2e-12) if abs(turn) + due < pi else inf)
    assert moved == pytest.approx(off - r)
    spread = kernels.coordinate_in(leg, P, P - foot, r + 0.4 * (pi - abs(turn)) * 0.999, r)[1]
    assert spread == pytest.approx(0.999 * (pi - abs(turn)), abs=1e-9)
    assert kernels.coordinate_in(leg, P, P - foot, r + 0.4 * (pi - abs(turn)), r)[1] == inf


@pytest.mark.parametrize(
    ("value", "spread", "said"),
    [
        (0.5, 0.5, 1),
        (0.5, 0.6, 0),
        (0.25, 0.25, 1),
        (0.25, 0.3, 0),
        (0.75, 0.25, 1),
        (0.75, 0.3, 0),
        (-0.5, 0.5, 0),
        (-0.5, 0.25, -1),
        (1.5, 0.5, 0),
        (1.5, 0.25, -1),
        (nan, 0.1, 0),
        (0.5, inf, 0),
    ],
)
def test_a_verdict_at_its_edges(value: float, spread: float, said: int) -> None:
    assert kernels.verdict(value, spread, 0.0, 1.0) == said


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, 2.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_lean_is_an_angle_and_spreads_by_its_sine(angle: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis, other = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    long, off = 1.7, 0.2
    S = long * (np.cos(angle) * axis + np.sin(angle) * other)
    give = np.arcsin(off / long)
    for half, said in (
        (angle + give + 1e-6, 1),
        (angle + give - 1e-6, 0),
        (angle - give + 1e-6, 0),
        (angle - give - 1e-6, -1),
    ):
        if 0.0 < half < pi:
            assert kernels.lean_verdict(axis, half, S, off) == said
    assert kernels.lean_verdict(axis, pi, S, off) == 1
    assert kernels.lean_verdict(axis, inf, S, 2 * long) == 1
    assert kernels.lean_verdict(axis, 3.1, S, 1.001 * long) == 0
    assert kernels.lean_verdict(axis, 3.1, S, 2 * long) == 0


class Ball:
    """A ball at home of a random machine, and what the kernels fill in."""

    def __init__(self, kind: str, seed: int = 1, shift: float = 0.0) -> None:
        self.machine = machine(kind, seed)
        self.start = self.machine.require_home()
        judge = BallJudge.of(self.machine, self.start)
        assert judge is not None
        self.judge, tables = judge, judge.tables
        self.table, self.arms, self.low, self.high, self.axes, self.halves = tables[:6]
        self.pairs, self.need, self.about, self.size = tables[6:]
        self.position = self.start.position + shift * self.size * np.array([0.3, -0.5, 0.2])
        self.t = self.position - judge.middle
        self.S, self.offs = np.empty((6, 3)), np.empty(6)
        self.feet, self.moves = np.full((6, 3), nan), np.full(6, nan)
        self.work = np.empty(3), self.S, self.offs, self.feet, self.moves

    def limits(self, radius: float, **other: Array) -> int:
        given = {"low": self.low, "high": self.high, "halves": self.halves, "need": self.need}
        given |= other
        return kernels.limits_in(
            self.table, self.arms, given["low"], given["high"], self.axes, given["halves"],
            self.pairs, given["need"], self.t, radius, self.work,
        )  # fmt: skip

    def matrix(self) -> Array:
        """Rows (S, q x S) about the middle of the joints, without unit."""
        S = self.S / self.size
        return np.hstack([S, np.cross((self.arms - self.about) / self.size, S)])

    def change(self, M: Array, A: Array) -> float:
        """The bound, written in NumPy."""
        slip = np.linalg.norm(M @ A - np.eye(6)) + kernels.MATRIX_ROUND * np.linalg.norm(
            M
        ) * np.linalg.norm(A)
        q = (self.arms - self.about) / self.size
        g = A[:3].T[None] + np.cross(A[3:].T[None], q[:, None])
        entries = self.offs[:, None] / self.size * np.linalg.norm(g, axis=-1)
        return 2.5 * slip + min(np.linalg.norm(entries), entries.sum(axis=1).max())


@pytest.mark.parametrize("kind", FEW)
@pytest.mark.parametrize("shift", [0.0, 0.03])
def test_struts_ends_and_moves_are_those_of_the_machine(kind: str, shift: float) -> None:
    ball = Ball(kind, shift=shift)
    radius = 1e-3 * ball.size
    ball.limits(radius)
    true = struts(ball.machine, Pose(ball.position, ball.start.rotation))
    long = np.linalg.norm(ball.S, axis=1)
    np.testing.assert_allclose(ball.S / long[:, None], true.direction, atol=1e-12)
    joints = ball.position + ball.arms
    np.testing.assert_allclose(ball.feet + ball.judge.middle, joints - ball.S, atol=1e-12)
    fixed = ball.table[:, LEG.kind] == STRUT
    cranks = ball.table[:, LEG.kind] == CRANK
    np.testing.assert_allclose(ball.offs[fixed], radius, rtol=1e-9)
    due = np.where(fixed, 0.0, np.where(cranks, ball.offs - radius, ball.offs))
    np.testing.assert_allclose(ball.moves, due, rtol=1e-9, atol=1e-12 * ball.size)


@pytest.mark.parametrize("kind", FEW)
@pytest.mark.parametrize("leg", [0, 5])
def test_every_limit_of_every_leg_turns_the_verdict_at_its_edge(kind: str, leg: int) -> None:
    """Strokes, both cones and distances, each put at its edge while all others are far."""
    ball = Ball(kind)
    radius = 1e-4 * ball.size
    wide = {
        "low": np.full(6, -inf),
        "high": np.full(6, inf),
        "halves": np.full((2, 6), inf),
        "need": np.zeros(len(ball.pairs)),
    }
    assert ball.limits(radius, **wide) == 1
    true = struts(ball.machine, ball.start)
    P = ball.t + ball.arms[leg] - ball.table[leg, LEG.base]
    off = float(ball.offs[leg])
    given = ball.table[leg], P, ball.S[leg], off, radius
    value, spread, _ = kernels.coordinate_in(*given)
    assert value == pytest.approx(true.coordinate[leg], abs=1e-9)
    lean = [
        np.arccos(np.clip(ball.axes[side, leg] @ true.direction[leg], -1, 1)) for side in (0, 1)
    ]
    give = np.arcsin(off / np.linalg.norm(ball.S[leg]))
    cases = [("low", leg, value, -spread), ("high", leg, value, spread)]
    cases += [("halves", (side, leg), lean[side], give) for side in (0, 1) if lean[side] > 0.1]
    for name, at, edge, shift in cases:
        for share, said in ((1.01, 1), (0.99, 0), (-0.99, 0), (-1.01, -1)):
            tried = {**wide, name: wide[name].copy()}
            tried[name][at] = edge + share * shift
            assert ball.limits(radius, **tried) == said, (name, share)


@pytest.mark.parametrize("kind", FEW)
def test_distances_give_by_the_ends_that_move_most(kind: str) -> None:
    ball = Ball(kind)
    radius = 1e-3 * ball.size
    wide = {"low": np.full(6, -inf), "high": np.full(6, inf), "halves": np.full((2, 6), inf)}
    assert len(ball.pairs) > 0
    ball.limits(radius, **wide, need=np.zeros(len(ball.pairs)))
    apart = dict(
        zip(
            [(i, j) for i in range(6) for j in range(i + 1, 6)],
            pair_distances(struts(ball.machine, ball.start)),
            strict=True,
        )
    )
    for k, (i, j) in enumerate(ball.pairs.tolist()):
        f, g = ball.moves[i], ball.moves[j]
        give = max(f + g, f + radius, g + radius)
        for share, said in ((-1.02, 1), (-0.95, 0), (0.95, 0), (1.02, -1)):
            need = np.zeros(len(ball.pairs))
            need[k] = apart[min(i, j), max(i, j)] + share * give
            assert ball.limits(radius, **wide, need=need) == said, (k, share)


def test_a_leg_that_may_not_reach_leaves_its_pairs_open() -> None:
    ball = Ball("PUS")
    ball.table[2, LEG.length] = 1.001 * np.linalg.norm(
        np.cross(ball.t + ball.arms[2] - ball.table[2, LEG.base], ball.table[2, LEG.e])
    )
    wide = {"low": np.full(6, -inf), "high": np.full(6, inf), "halves": np.full((2, 6), inf)}
    touching = np.full(len(ball.pairs), 1e-9)
    assert ball.limits(0.05 * ball.size, **wide, need=touching) in (0, -1)
    assert ball.offs[2] == -1.0
    M, A, keep = (np.empty((6, 6)) for _ in range(3))
    given = ball.arms, ball.about, ball.size, ball.S, ball.offs, M, A, keep
    assert kernels.sign_in(*given) == 0


@pytest.mark.parametrize("kind", FEW)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_change_of_the_matrix_and_the_sign_it_leaves(kind: str, seed: int) -> None:
    ball = Ball(kind, seed)
    ball.limits(1e-4 * ball.size)
    M = ball.matrix()
    A = np.linalg.inv(M)
    crooked = A + 1e-3 * np.random.default_rng(seed).normal(size=(6, 6)) * np.abs(A).max()
    for inverse in (A, crooked):
        found = kernels.change(ball.arms, ball.about, ball.size, ball.offs, M, inverse)
        assert found == pytest.approx(ball.change(M, inverse), rel=1e-9)
    unit, sign = ball.change(M, A), int(np.sign(np.linalg.det(M)))
    offs = ball.offs.copy()
    work = [np.empty((6, 6)) for _ in range(3)]
    for turned, share in product((1.0, -1.0), (0.99, 1.01)):
        ball.offs[:] = offs * share / unit
        S = ball.S.copy()
        S[0] *= turned
        found = kernels.sign_in(ball.arms, ball.about, ball.size, S, ball.offs, *work)
        assert found == (turned * sign if share < 1.0 else 0)


@pytest.mark.parametrize(
    ("whole", "center", "sign", "here", "last", "said"),
    [
        (-1, 1, 1, 1, True, PROVED_OUT),
        (1, 1, 1, 1, False, PROVED_IN | SIGN_ALL | WITHIN | SAME),
        (1, 1, -1, 1, False, PROVED_IN | SIGN_ALL | WITHIN | OTHER),
        (0, 1, 1, 1, False, 0),
        (1, 1, 0, 1, False, 0),
        (0, 1, 1, 1, True, SIGN_ALL | WITHIN | SAME),
        (0, 0, 1, 1, True, SIGN_ALL | SAME),
        (1, 1, 0, 1, True, PROVED_IN | WITHIN | SAME),
        (1, 1, 0, -1, True, PROVED_IN | WITHIN | OTHER),
        (0, 0, 0, 1, True, 0),
        (0, 1, 0, 0, True, WITHIN),
    ],
)
def test_what_is_written_of_a_cell(
    whole: int,
    center: int,
    sign: int,
    here: int,
    last: bool,
    said: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the ball first, and of its center where that leaves something open and the level is the last."""
    judge = getattr(kernels.judge_cells, "py_func", kernels.judge_cells)
    asked = list[float]()

    def limits_in(*given: object) -> int:
        asked.append(float(given[9]))  # type: ignore[arg-type]
        return whole if given[9] else center

    names = getattr(judge, "__globals__", {})
    monkeypatch.setitem(names, "limits_in", limits_in)
    monkeypatch.setitem(names, "sign_in", lambda *_: sign if asked[-1] else here)
    out = np.full(2, 77, dtype=np.uint8)
    judge(*[None] * 10, np.zeros((2, 3)), 0.1, 1, last, out)
    assert out.tolist() == [said, said]
