"""What rounding adds to the bounds of a certificate, seen with numbers of four digits: enough, and not much more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics import certificate
from gough.layout import CERTIFICATE as ROW
from gough.layout import LEG_GEOMETRY as LEG
from gough.struts import leg_table
from support.forward_machines import machine

COARSE = 1e-4


def gathered(
    table: Array, q: Array, B: Array, width: Array, spin: float, push: float, A: Array | None = None
) -> Array:
    """Rows of `gather` as Python for legs with these arms and centers; what it does not fill in is no number."""
    plain: Any = getattr(certificate.gather, "py_func", certificate.gather)
    w = np.full((6, ROW.size), np.nan)
    w[:, ROW.q], w[:, ROW.center] = q, B
    w[:, certificate.SIZE] = np.linalg.norm(q - B, axis=1)
    plain(table, np.eye(6) if A is None else A, width, spin, push, w)
    return w


def arms(seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return 0.4 * rng.normal(size=(6, 3)), rng.normal(size=(6, 3))


@pytest.mark.parametrize("seed", range(4))
def test_rounded_arms_and_centers_change_no_leg_by_more_than_is_said(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``4 c = |S|^2 - l^2`` where every coordinate of q and B is wrong in its fourth digit."""
    monkeypatch.setattr(certificate, "ROUND", COARSE)
    q, B = arms(seed)
    found = gathered(leg_table(machine("UPS")), q, B, np.zeros(6), 1.0, 1.0)[:, certificate.E]
    rng, most = np.random.default_rng(seed + 10), np.zeros(6)
    square = ((q - B) ** 2).sum(axis=1)
    for _ in range(400):
        wrong = [x * (1.0 + COARSE * rng.choice([-1.0, 1.0], (6, 3))) for x in (q, B)]
        most = np.maximum(most, np.abs(((wrong[0] - wrong[1]) ** 2).sum(axis=1) - square) / 4.0)
    assert (most < found).all()
    assert (found < 8.0 * most).all()


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("axis", range(3))
def test_each_coordinate_counts(leg: int, axis: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a strut of length one at the origin, moved far along an axis with its center: the farther, the more."""
    monkeypatch.setattr(certificate, "ROUND", COARSE)
    q, B = np.zeros((6, 3)), np.tile([0.6, 0.0, -0.8], (6, 1))
    table = leg_table(machine("UPS"))
    here = gathered(table, q, B, np.zeros(6), 1.0, 1.0)[:, certificate.E]
    for sign in (1.0, -1.0):
        far = sign * 100.0 * np.outer(np.arange(6) == leg, np.arange(3) == axis)
        there = gathered(table, q + far, B + far, np.zeros(6), 1.0, 1.0)[:, certificate.E]
        due = COARSE * 200.0  # both of them
        assert there[leg] - here[leg] == pytest.approx(due, rel=0.02)
        assert (np.delete(there - here, leg) == 0.0).all()


def test_boxes_add_what_lengths_within_them_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """``|l^2 - (l + D)^2|/4`` at the far end of each box, through the rows of A."""
    monkeypatch.setattr(certificate, "ROUND", 0.0)
    q, B = arms(7)
    D = np.linspace(0.01, 0.06, 6)
    A = np.random.default_rng(8).normal(size=(6, 6))
    l = np.linalg.norm(q - B, axis=1)
    found = gathered(leg_table(machine("UPS")), q, B, D, 1.0, 1.0, A)
    np.testing.assert_allclose(
        found[:, certificate.E], np.abs(A) @ (((l + D) ** 2 - l**2) / 4.0), rtol=1e-12
    )
    for other in (certificate.F, certificate.F_RHO, certificate.G, certificate.G_RHO):
        assert (found[:, other] == 0.0).all()  # centers of struts stay


def test_rows_of_the_linear_part_round_by_their_largest_entries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Six entries of a row, each wrong by a rounding of the largest: spins and pushes in their own units."""
    monkeypatch.setattr(certificate, "ROUND", COARSE)
    q, B = arms(9)
    A = np.random.default_rng(9).normal(size=(6, 6))
    found = gathered(leg_table(machine("UPS")), q, B, np.zeros(6), 3.0, 0.5, A)
    total = np.abs(A).sum(axis=1)
    for column, largest in ((certificate.F, 3.0), (certificate.F_RHO, 0.5)):
        share = found[:, column] / (COARSE * largest * total)
        assert share == pytest.approx(np.full(6, share[0]))
        assert 3.0 <= share[0] <= 12.0


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_centers_that_move_change_the_conditions_by_their_slopes(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``h (|d|^2 - 2 d.P)/4`` of a center moved by d, |d| <= D: constant part, slopes in turn and shift, and how these
    change, each sampled about the middle in all directions: never more, and not much less, than is said."""
    monkeypatch.setattr(certificate, "ROUND", 0.0)
    q, B = arms(11)
    D = 0.02
    found = gathered(leg_table(machine(kind)), q, B, np.full(6, D), 1.0, 1.0)
    assert (leg_table(machine(kind))[:, LEG.kind] != 0).all()
    rng, turn, shift = np.random.default_rng(12), np.zeros(6), np.zeros(6)
    step = 1e-5
    for _ in range(600):
        d, way = rng.normal(size=(2, 6, 3))
        d *= D / np.linalg.norm(d, axis=1, keepdims=True)
        way *= step / np.linalg.norm(way, axis=1, keepdims=True)

        def change(a: Array, g: Array, d: Array = d) -> Array:
            """Of the joint: ``P = S + 2 (a x q + g)`` to first order in turn a and shift g."""
            P = q - B + 2.0 * (np.cross(a, q) + g)
            return (1.0 + (a * a).sum(axis=1)) * ((d * d).sum(axis=1) - 2.0 * (d * P).sum(axis=1)) / 4.0  # fmt: skip

        none = np.zeros((6, 3))
        turn = np.maximum(turn, np.abs(change(way, none) - change(-way, none)) / (2.0 * step))
        shift = np.maximum(shift, np.abs(change(none, way) - change(none, -way)) / (2.0 * step))
    for sampled, column in ((turn, certificate.F), (shift, certificate.F_RHO)):
        assert (sampled <= found[:, column] * (1.0 + 1e-9)).all()
        assert (found[:, column] < 2.0 * sampled).all()
    long = np.linalg.norm(q, axis=1)
    foot = np.linalg.norm(B, axis=1)
    assert (found[:, certificate.G] >= D * (2.0 * long + foot)).all()
    assert (found[:, certificate.G] <= D * (4.0 * long + 2.0 * foot + D)).all()
    assert (found[:, certificate.G_RHO] >= 2.0 * D).all()
    assert (found[:, certificate.G_RHO] <= 4.0 * D).all()
