"""What paces, rays and surfaces say in cases that usual machines never meet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough import taylor
from gough.analysis import pacing, reachable, sensitivity
from gough.analysis.cell_bits import PROVED_IN, PROVED_OUT
from gough.analysis.cell_surface import cell_surface
from gough.analysis.connected import drawn_in
from gough.analysis.envelope import singular_crossings
from gough.analysis.pacing import PLACES, _Bounds, largest
from gough.analysis.rays import _undecided
from gough.analysis.ways import RayStop
from gough.checks import InfeasibleError
from gough.kinematics.leg_models import turned_from

BASE = gough.load("motion-base-1500")


@pytest.mark.parametrize("seed", range(4))
def test_the_surface_of_cells_encloses_them_and_every_edge_is_shared(seed: int) -> None:
    """Volume, box and area; each edge once in each direction, so that the surface is closed and looks outward."""
    rng = np.random.default_rng(seed)
    cells = rng.uniform(size=(3, 4, 2)) < 0.5
    box = np.array([[-1.0, 0.5, 2.0], [0.5, 2.5, 2.8]])
    size = (box[1] - box[0]) / cells.shape
    mesh = cell_surface(cells, box)
    assert mesh.volume == pytest.approx(cells.sum() * size.prod(), rel=1e-12)
    at = np.argwhere(cells)
    np.testing.assert_allclose(mesh.vertices.min(axis=0), box[0] + at.min(axis=0) * size)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), box[0] + (at.max(axis=0) + 1) * size)
    assert len(np.unique(mesh.vertices.round(9), axis=0)) == len(mesh.vertices)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    padded, due = np.pad(cells, 1), 0.0
    for axis in range(3):
        other = size.prod() / size[axis]
        due += other * np.abs(np.diff(padded.astype(int), axis=axis)).sum()
    assert area == pytest.approx(due, rel=1e-12)
    edges = np.concatenate(
        [mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]]
    )
    there = {tuple(e): 0 for e in edges.tolist()}
    for e in edges.tolist():
        there[tuple(e)] += 1
    assert all(there.get((j, i)) == n for (i, j), n in there.items())


def test_no_cell_has_no_surface() -> None:
    mesh = cell_surface(np.zeros((2, 2, 2), dtype=bool), np.array([[0.0] * 3, [1.0] * 3]))
    assert len(mesh.triangles) == 0
    assert mesh.volume == 0.0


def bounds(n: int, h: float) -> Any:
    made: Any = _Bounds.__new__(_Bounds)
    made.n, made.h = n, h
    return made


def flat_rows(n: int, top: list[float], push: float) -> pacing.Rows:
    """``x <= top`` at the start of each interval and ``|u| <= push``."""
    p = np.tile([1.0, 0.0, 0.0], (n, 1))
    q = np.tile([0.0, 1.0, -1.0], (n, 1))
    r = np.stack([np.array(top), np.full(n, push), np.full(n, push)], axis=1)
    return p, q, r


def test_the_sweeps_of_a_bounded_push_are_those_of_a_falling_stone() -> None:
    """``x' = 2 u``: up with the largest push, along the top, and down again to rest."""
    n, h, push = 12, 0.5, 0.3
    top = [1.0] * n
    x = bounds(n, h)._swept(flat_rows(n, top, push))
    k = np.arange(n + 1)
    due = np.minimum(2 * h * push * np.minimum(k, n - k), 1.0)
    np.testing.assert_allclose(x, due, atol=1e-12)


@pytest.mark.parametrize(("closed", "share"), [(0, "0 %"), (3, "25 %"), (8, "66.67 %")])
def test_a_path_without_a_pace_names_the_place(closed: int, share: str) -> None:
    n = 12
    top = [1.0] * n
    top[closed] = -1.0
    with pytest.raises(InfeasibleError, match=f"at {share} of it"):
        bounds(n, 0.5)._swept(flat_rows(n, top, 0.3))


def test_a_path_that_must_stand_still_inside_is_refused() -> None:
    """And one whose start cannot be at rest."""
    n = 12
    top = [1.0] * n
    top[5] = 0.0
    with pytest.raises(InfeasibleError, match=r"at 41\.67 % of it"):
        bounds(n, 0.5)._swept(flat_rows(n, top, 0.3))
    p, q, r = flat_rows(n, [1.0] * n, 0.3)
    p[0, 2], q[0, 2], r[0, 2] = -1.0, 0.0, -0.5  # x >= 0.5 there
    with pytest.raises(InfeasibleError, match="at 0 % of it"):
        bounds(n, 0.5)._swept((p, q, r))


def test_friction_is_begun_with_the_slowest_share_where_no_other_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, tried = bounds(4, 0.5), list[float]()

    def rows(share: float, about: Any = None, wide: float = 1.0) -> list[Any]:
        tried.append(float(about[0]))
        assert wide == pacing.WIDER[0]
        return []

    def swept(given: Any) -> Any:
        if tried[-1] > pacing.SLOWER[most]:
            raise InfeasibleError("too fast")
        return "found"

    made._effort_rows, made._swept = rows, swept
    monkeypatch.setattr(pacing, "_joined", lambda *rows: rows)
    for most in (0, 2, len(pacing.SLOWER) - 1):
        tried.clear()
        assert made._first((), 1.0, np.ones(5)) == "found"
        np.testing.assert_allclose(tried, pacing.SLOWER[: most + 1])


def test_what_no_pace_fulfills_and_what_nothing_bounds() -> None:
    """``0 x + 0 u <= -1`` is never so; a lower line above the upper one for all x; no row at all."""

    def asked(*rows: tuple[float, float, float]) -> float:
        return largest(*np.array(rows, dtype=float).reshape(-1, 3).T)

    assert asked((0.0, 0.0, -1.0), (1.0, 0.0, 2.0)) == -np.inf
    assert asked((0.0, 0.0, 0.0), (1.0, 0.0, 2.0)) == 2.0
    assert asked((0.0, 1.0, 1.0), (0.0, -1.0, -2.0), (1.0, 0.0, 5.0)) == -np.inf
    assert asked((0.0, 1.0, 1.0), (0.0, -1.0, 1.0)) == np.inf
    assert asked((-1.0, 0.0, -3.0), (1.0, 0.0, 2.0)) == -np.inf
    assert asked((-1.0, 0.0, -2.0), (1.0, 0.0, 2.0)) == 2.0
    assert asked((1.0, 1.0, 4.0), (1.0, -1.0, 4.0)) == pytest.approx(4.0)
    assert asked((1.0, 1.0, 4.0), (3.0, -1.0, 4.0)) == pytest.approx(2.0)


def test_places_of_intervals() -> None:
    made = bounds(3, 0.8)
    np.testing.assert_array_equal(
        made._inside(np.arange(3 * PLACES + 1))[:, [0, -1]], [[0, 4], [4, 8], [8, 12]]
    )
    np.testing.assert_allclose(made._shift(), [0.0, 0.2, 0.4, 0.6, 0.8])
    p, q, r = made._under(*(np.full((13, 1), v) for v in (2.0, 3.0, 5.0)))
    np.testing.assert_allclose(p, 2.0)
    np.testing.assert_allclose(q, np.tile(3.0 + 4.0 * made._shift(), (3, 1)))
    np.testing.assert_allclose(r, 5.0)


def test_what_is_not_decided_is_named_leg_by_leg() -> None:
    limits = {"stroke": [(0,), (3,)], "distance": [(1, 4)]}
    proof: Any = SimpleNamespace(platform=BASE, limits=SimpleNamespace(limits=limits))
    failed = {
        "stroke": np.array([False, True]),
        "distance": np.array([True]),
        "determinant": np.array([True]),
    }
    names = BASE.leg_names
    said = _undecided(proof, failed)
    assert [(s.kind, s.legs) for s in said] == [
        ("stroke", (3,)),
        ("distance", (1, 4)),
        ("determinant", ()),
    ]
    texts = [str(s) for s in said]
    assert names[3] in texts[0]
    assert f"{names[1]} and {names[4]}" in texts[1]
    assert "the machine" in texts[2]
    nothing = {"stroke": np.array([False, False])}
    assert _undecided(proof, nothing) == (RayStop("determinant", (), "the way: not decided here"),)


def test_poses_of_machines_without_proofs_are_never_said_to_be_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = BASE.require_home()
    monkeypatch.setattr(reachable, "no_proof", lambda platform: "screws")
    assert reachable.apart(BASE, home, home) is False
    monkeypatch.setattr(reachable, "no_proof", lambda platform: None)
    for signs, said in (((1.0, -1.0), True), ((1.0, 1.0), False), ((0.0, -1.0), False)):
        told = iter(signs)
        proof = SimpleNamespace(over=lambda *_, told=told: (None, [next(told)]))
        monkeypatch.setattr(reachable, "RayProof", lambda platform, proof=proof: proof)
        assert reachable.apart(BASE, home, home) is said


def test_a_motion_without_finite_slopes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    home = BASE.require_home()
    true = sensitivity.slopes

    def spoiled(*given: Any) -> Any:
        first, found = true(*given)
        return first, found * np.nan

    monkeypatch.setattr(sensitivity, "slopes", spoiled)
    with pytest.raises(gough.InputError, match="its derivatives do not exist"):
        gough.analysis.pose_sensitivity(BASE, home)


@pytest.mark.parametrize("zero", [0.0, 1.0, -2.5, 9.0])
@pytest.mark.parametrize("turn", [-3.0, -1.0, 0.0, 0.5, 2.9])
def test_an_angle_is_counted_within_half_a_turn_and_not_beyond_the_cut(
    zero: float, turn: float
) -> None:
    """Known as long as the interval stays clear of the cut, half a turn from zero: on both sides of that edge."""
    for spread, known in (
        (0.1, True),
        (0.98 * (np.pi - abs(turn)), True),
        (np.pi - abs(turn), False),
    ):
        spread = min(spread, 1.0)
        c = np.zeros((len(taylor.constant(np.zeros(1)).c), 1))
        c[0], c[1] = zero + turn, spread
        angle = taylor.Model(c, np.zeros(1))
        sine, cosine = taylor.sin_cos(angle)
        found = turned_from(np.array([zero]), cosine, sine)
        if abs(turn) + spread < np.pi - 1e-3 and spread < 0.7:
            assert known
            assert found.c[0, 0] == pytest.approx(zero + turn, abs=0.02)
            assert np.isfinite(found.r).all()
        elif abs(turn) + spread >= np.pi:
            assert np.isinf(found.r).all()


def test_a_box_is_drawn_in_around_what_is_not_outside_and_sides_that_moved_are_closed() -> None:
    """Balls around (0.3, 0.5, 0.9) +- (0.2, 0.5, 0.05) of a unit box are not outside: no side of y moves."""
    low, high = np.array([0.1, 0.0, 0.85]), np.array([0.5, 1.0, 0.95])

    class Judge:
        wanted, why, unchecked = 1, None, ()

        def judge(self, centers: Any, radius: float, last: bool) -> Any:
            assert not last
            near = ((centers > low - radius) & (centers < high + radius)).all(axis=1)
            return np.where(near, PROVED_IN, PROVED_OUT).astype(np.uint8)

    every = np.ones((2, 3), dtype=bool)
    unit = np.array([[0.0] * 3, [1.0] * 3])
    box, open_sides = drawn_in(Judge(), unit, every)
    assert (box[0] <= low).all()
    assert (box[1] >= high).all()
    assert box[0, 2] > 0.6
    assert box[1, 0] < 0.9
    np.testing.assert_array_equal(box[:, 1], [0.0, 1.0])
    moved = box != unit
    np.testing.assert_array_equal(open_sides, ~moved)
    np.testing.assert_array_equal(drawn_in(Judge(), unit, ~every)[1], ~every)


def test_two_samples_are_enough_for_a_crossing() -> None:
    """A symmetric machine turned through a right angle; by their times where they have some."""
    machine = gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6)
    position = np.tile(machine.require_home().position, (3, 1))
    turns = gough.spatial.rotation_from_rpy(np.array([[0.0, 0.0, a] for a in (0.0, 0.1, 1.7)]))
    (said,) = singular_crossings(machine, gough.Motion(position[1:], turns[1:]))
    assert said.endswith("between samples 0 and 1")
    (said,) = singular_crossings(machine, gough.Motion(position, turns, time=[0.0, 0.25, 0.5]))
    assert said.endswith("between t = 0.25 s and 0.5 s")
    assert singular_crossings(machine, gough.Motion(position[:2], turns[:2])) == []
    assert singular_crossings(machine, gough.Motion(position[0], turns[0])) == []
