"""Edges of the compiled judges: sizes from micrometers to kilometers, rounding that is all that is left, curves cut to
nothing or into too many pieces, crossings with flat cones."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest

from gough.analysis import cell_kernel, plate_kernel, slice_kernel, workspace_kernel
from gough.analysis.arcs import Surfaces
from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.plates import PlateTable, segment_plate
from gough.struts import SLIDER, STRUT

CORNERS = np.array([[0.5, -0.4], [0.7, 0.1], [0.2, 0.6], [-0.5, 0.4], [-0.6, -0.3]])
PLATES = [
    PlateTable(np.zeros((0, 2)), 0.1, -0.2, 0.5, -0.3, 0.15),
    PlateTable(CORNERS, 0.0, 0.0, 0.0, -0.1, 0.2),
]
BOTH = pytest.mark.parametrize("plate", PLATES, ids=["cylinder", "prism"])


def scaled(plate: PlateTable, by: float) -> PlateTable:
    return PlateTable(*(by * x for x in plate))


def segments(count: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(count, 3)) * [0.8, 0.8, 0.5]
    return a, a + rng.normal(size=(count, 3))


@BOTH
@pytest.mark.parametrize("by", [1e-6, 1e-3, 1e5])
def test_verdicts_on_bodies_do_not_depend_on_the_unit(plate: PlateTable, by: float) -> None:
    """A billionth of the distance on either side of it: rounding is a share of the sizes there are."""
    a, b = segments(40, 3)
    away = np.flatnonzero(segment_plate(plate, a, b)[0] > 0.2)[:8]
    assert len(away) > 4
    for i in away:
        d = float(segment_plate(plate, a[i], b[i])[0])
        for share, said in ((1.0 - 1e-9, 1), (1.0 + 1e-9, -1)):
            need = share * d * by
            found = plate_kernel.leg_verdict(
                scaled(plate, by), by * a[i], by * b[i], need, (0.0, 0.0), 0.0
            )
            assert found == said, (i, share)


@BOTH
def test_a_place_is_looked_for_no_longer_than_asked(plate: PlateTable) -> None:
    """Halved until the part that is left is short enough: the place is a fraction with few binary digits."""
    a, b = segments(200, 2)
    seen = 0
    for i in range(200):
        *_, exact = plate_kernel.between(plate, a[i], b[i], 0.0)
        if not 0.05 < exact < 0.95:
            continue
        long = float(np.linalg.norm(b[i] - a[i]))
        for fine in (0.3, 0.02, 1e-4):
            *_, s = plate_kernel.between(plate, a[i], b[i], fine)
            halvings = int(np.ceil(np.log2(long / fine)))
            digits = s * 2.0 ** (max(halvings, 1) + 1)
            if (exact * 2.0**40) % 1.0:
                assert digits == round(digits)
            assert abs(s - exact) * long <= 0.5 * max(fine, long * 2.0**-48) * (1 + 1e-9)
            seen += 1
    assert seen > 30


def row(kind: float) -> Array:
    out = np.zeros(LEG.size)
    out[LEG.kind], out[LEG.length], out[LEG.sign] = kind, 1.3, 1.0
    out[LEG.e] = [0.6, 0.0, 0.8]
    return out


@pytest.mark.parametrize("off", [1e-9, 1e-6, 0.07])
def test_coordinates_spread_by_little_more_than_their_strut_is_off(off: float) -> None:
    """A share of 1e-12 of what is there at most, and never less."""
    P, S = np.array([0.3, -0.2, 1.1]), np.array([0.1, 0.5, 0.9])
    _, spread, _ = cell_kernel.coordinate_in(row(STRUT), P, S, off, 0.5 * off)
    assert off < spread < off * (1.0 + 1e-12)
    _, spread, _ = cell_kernel.coordinate_in(row(SLIDER), P, S, off, 0.5 * off)
    size = np.abs(P - S).sum()
    assert off < spread < off + 1e-12 * size


def test_rounding_of_the_inverse_is_all_that_is_left_of_a_still_machine() -> None:
    """Whole numbers with an exact inverse, no strut off: ``2.5 r |M| |A|``, Frobenius' norms, r the matrices' own."""
    L = np.eye(6) + np.diag([1.0, -2.0, 1.0, 3.0, -1.0], -1)
    U = np.eye(6) + np.diag([2.0, 1.0, -1.0, 1.0, 2.0], 1)
    M = L @ U
    A = np.round(np.linalg.inv(U) @ np.linalg.inv(L))
    np.testing.assert_array_equal(M @ A, np.eye(6))
    arms = np.random.default_rng(0).normal(size=(6, 3))
    found = cell_kernel.change(arms, np.zeros(3), 1.0, np.zeros(6), M, A)
    due = 2.5 * cell_kernel.MATRIX_ROUND * np.linalg.norm(M) * np.linalg.norm(A)
    assert found == pytest.approx(due, rel=1e-9)
    crooked = A.copy()
    crooked[2, 3] += 1e-3
    error = np.linalg.norm(M @ crooked - np.eye(6))
    assert cell_kernel.change(arms, np.zeros(3), 1.0, np.zeros(6), M, crooked) == pytest.approx(
        2.5 * (error + cell_kernel.MATRIX_ROUND * np.linalg.norm(M) * np.linalg.norm(crooked)),
        rel=1e-12,
    )


def test_a_strut_without_length_is_never_within() -> None:
    """Whatever its limits allow: half a ball about its own base joint."""
    table = np.zeros((6, LEG.size))
    table[:, LEG.kind], table[:, LEG.sign] = STRUT, 1.0
    arms = np.zeros((6, 3))
    wide = np.full(6, -np.inf), np.full(6, np.inf), np.zeros((2, 6, 3)), np.full((2, 6), np.inf)
    work = np.empty(3), np.empty(3), np.empty(6), np.empty((6, 3)), np.empty(6)
    P, S, offs, feet, moves = work
    there = [0.3, 0.0, 0.4]  # half a meter away
    for t, radius, said in ((there, 0.49, 1), (there, 0.51, 0), ([0.0, 0.0, 0.0], 0.1, 0)):
        given = 0, table, arms, *wide, np.array(t), radius, P, S, offs, feet, moves
        assert cell_kernel.leg_in(*given) == said


def test_room_for_the_cuts_of_a_circle_by_all_others() -> None:
    """Six rings that all cross one another, twice inside and twice outside: the area is that of counted cells."""
    turn = 2 * pi * np.arange(6) / 6
    center = np.stack([0.3 * np.cos(turn), 0.3 * np.sin(turn), np.zeros(6)], axis=1)
    low, high = np.full(6, 0.5), np.full(6, 0.9)
    radii = np.stack([high, low])
    cuts = np.empty(4 * 6 + 4)
    assert workspace_kernel.circle_cuts(*center[0, :2], 0.5, center, radii, 0, cuts) > 10
    side = (np.arange(600) + 0.5) / 300 - 1.0
    X, Y = np.meshgrid(side, side)
    r = np.hypot(X[..., None] - center[:, 0], Y[..., None] - center[:, 1])
    counted = ((r <= 0.9) & (r >= 0.5)).all(axis=-1).sum() / 300**2
    assert workspace_kernel.shell_area(center, low, high, 0.0) == pytest.approx(counted, abs=2e-3)


def tables(s: Surfaces) -> tuple[Any, ...]:
    return s.center, s.low, s.high, s.tip, s.axis, np.cos(s.half), s.generators, s.size


def shells(
    high: list[float], low: list[float], axis: Any = (0.0, 0.0, 1.0), half: float = 1.2
) -> Surfaces:
    n = len(high)
    center = np.zeros((n, 3))
    center[:, 0] = 0.1 * np.arange(n)
    unit = np.array(axis) / np.linalg.norm(axis)
    return Surfaces(
        center, np.array(low), np.array(high), np.zeros((1, 3)), unit[None], np.array([half]), 1.0
    )


def test_planes_beside_a_sphere_hold_nothing_and_inner_ones_need_not_be_met() -> None:
    s = shells([1.0, 0.6], [0.2, 0.0])
    assert slice_kernel.area(*tables(s), 0.7) == 0.0  # beyond the second outer sphere
    assert slice_kernel.area(*tables(s), 0.6) == 0.0
    above = slice_kernel.area(*tables(s), 0.25)  # over the inner sphere
    bare = shells([1.0, 0.6], [0.0, 0.0])
    assert above == pytest.approx(slice_kernel.area(*tables(bare), 0.25), rel=1e-12)
    ring = slice_kernel.area(*tables(s), 0.15)
    hole = pi * (0.2**2 - 0.15**2)
    assert slice_kernel.area(*tables(bare), 0.15) - ring == pytest.approx(hole, rel=1e-9)


def test_sides_of_curves() -> None:
    """Inside is on the left of an outer circle, on the right of an inner one, and towards the axis of a cone."""
    form = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    data = np.zeros(7)
    assert slice_kernel.side(slice_kernel.OUTER, data, form, 0.3) == 1.0
    assert slice_kernel.side(slice_kernel.INNER, data, form, 0.3) == -1.0
    data[2], data[5], data[6] = 1.0, 1.0, np.cos(pi / 4)
    backward = form * [[1, 1, -1], [1, 1, -1], [1, 1, 1]]
    for psi in (0.1, 2.0, 4.5):  # upright cone at height 1: the unit circle
        assert slice_kernel.side(slice_kernel.CONE, data, form, psi) == 1.0
        assert slice_kernel.side(slice_kernel.CONE, data, backward, psi) == -1.0


def test_a_crossing_that_only_touches_is_put_where_the_inside_changes() -> None:
    """A cone as flat as a plane: f has a double root there; others stay where they are."""
    form = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    plane = np.array([0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0])  # x >= 0
    flat = np.array([0.5, 0.0, 0.0, 0.5, 0.0])  # cos^2 psi
    near = pi / 2 + 2.5e-7
    found = slice_kernel.placed(slice_kernel.CONE, plane, form, flat, near)
    assert found == pytest.approx(pi / 2, abs=1e-12)
    assert slice_kernel.placed(slice_kernel.OUTER, plane, form, flat, near) == near
    steep = np.array([0.0, 1.0, 0.0, 0.0, 0.0])  # cos psi: a crossing of its own
    assert slice_kernel.placed(slice_kernel.CONE, plane, form, steep, near) == near
    far = pi / 2 + 1e-5  # nothing changes about it
    assert slice_kernel.placed(slice_kernel.CONE, plane, form, flat, far) == far


def test_curves_that_fall_into_too_many_pieces_have_no_answer() -> None:
    form = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    data = np.array([0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    most = slice_kernel.MOST
    pieces, spare, found = np.empty((most, 2)), np.empty((most, 2)), np.empty(most)
    g = np.array(
        [0.25, -1.0, 0.0, 0.0, 0.0]
    )  # the circle about (0.5, 0), of radius 1, along the unit circle
    half = np.arccos(0.25)
    pieces[0] = 0.0, 2 * pi
    kept = slice_kernel.cut(slice_kernel.OUTER, data, form, g, pieces, 1, spare, found)
    assert kept == 2
    np.testing.assert_allclose(pieces[:2], [[0.0, half], [2 * pi - half, 2 * pi]], atol=1e-12)
    pieces[0] = 0.0, 2 * pi
    assert slice_kernel.cut(slice_kernel.INNER, data, form, g, pieces, 1, spare, found) == 1
    np.testing.assert_allclose(pieces[0], [half, 2 * pi - half], atol=1e-12)
    pieces[:] = 0.0, 2 * pi
    assert slice_kernel.cut(slice_kernel.OUTER, data, form, g, pieces, most, spare, found) == -1
    fourfold = np.array([1.5, -2.0, 0.0, 0.5, 0.0])
    pieces[0] = -1.0, 1.1
    assert slice_kernel.cut(slice_kernel.OUTER, data, form, fourfold, pieces, 1, spare, found) == -1


def test_pieces_of_a_whole_curve_are_short_and_on_their_own_nappe() -> None:
    pieces = np.empty((slice_kernel.MOST, 2))
    circle = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    data = np.zeros(7)
    n = slice_kernel.start(slice_kernel.OUTER, data, circle, pieces)
    np.testing.assert_allclose(
        pieces[:n], np.stack([np.arange(8), np.arange(1, 9)], axis=1) * pi / 4
    )
    conic = circle.copy()
    conic[2] = [0.3, 0.8, 0.6]  # w changes its sign: a hyperbola
    for height, sign in ((2.0, 1.0), (0.5, 1.0), (-0.5, -1.0)):
        data[2] = height
        n = slice_kernel.start(slice_kernel.CONE, data, conic, pieces)
        assert (pieces[:n, 1] - pieces[:n, 0] <= pi / 4 + 1e-12).all()
        np.testing.assert_allclose(pieces[1:n, 0], pieces[: n - 1, 1])
        psi = np.linspace(pieces[0, 0], pieces[n - 1, 1], 101)
        w = 0.3 + 0.8 * np.cos(psi) + 0.6 * np.sin(psi)
        assert (sign * w >= -1e-9).all()
        np.testing.assert_allclose(w[[0, -1]], 0.0, atol=1e-9)
    conic[2] = [1.3, 0.8, 0.6]  # an ellipse: all of it, or nothing
    for height, due in ((0.5, 8), (-0.5, 0)):
        data[2] = height
        assert slice_kernel.start(slice_kernel.CONE, data, conic, pieces) == due


@pytest.mark.parametrize("kind", [STRUT, SLIDER])
def test_rounding_of_a_strut_is_a_share_of_every_number_it_is_made_of(kind: float) -> None:
    """Position, arm and base point, each coordinate of each: a billion meters of it make the strut of a ball without
    radius uncertain by as much, though two of them cancel."""
    work = np.empty(3), np.empty(3), np.empty(6), np.empty((6, 3)), np.empty(6)
    P, S, offs, feet, moves = work
    low, high = np.full(6, -np.inf), np.full(6, np.inf)
    cones = np.zeros((2, 6, 3)), np.full((2, 6), np.inf)
    leg, big = 4, 1e9
    found = []
    for axis in range(3):
        for one, other, sign in ((0, 1, -1.0), (0, 2, 1.0), (1, 2, 1.0)):
            parts = np.zeros((3, 3))
            parts[one, axis], parts[other, axis] = big, sign * big
            table, arms = np.zeros((6, LEG.size)), np.zeros((6, 3))
            table[leg] = row(kind)
            table[leg, LEG.base], arms[leg] = parts[2], parts[1]
            said = cell_kernel.leg_in(
                leg, table, arms, low, high, *cones, parts[0], 0.0, P, S, offs, feet, moves
            )
            np.testing.assert_array_equal(P, 0.0)
            assert said == 0 if kind == STRUT else said in (0, 1)
            found.append(offs[leg])
    least = np.finfo(float).eps * 2 * big
    np.testing.assert_allclose(found, found[0], rtol=1e-12)
    assert least < found[0] < 200 * least
    table[leg, LEG.base], arms[leg] = 0.0, 0.0
    small = np.array([0.3, 0.4, 0.5])
    cell_kernel.leg_in(leg, table, arms, low, high, *cones, small, 0.0, P, S, offs, feet, moves)
    assert 0.0 < offs[leg] < 1e-12
