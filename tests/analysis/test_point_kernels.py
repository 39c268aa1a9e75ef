"""Kernels that place a leg at a position, one by one: vectors, offset joints, closures, sliders, cranks, cones."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest

from gough import twist
from gough.analysis import offset_kernel as offsets
from gough.analysis import points_kernel as kernels
from gough.analysis.offset_kernel import ball_along, closed_along, joint_at, placed_offset, reach_of
from gough.analysis.points import _inside_any, joint_table
from gough.analysis.points_kernel import in_cone, place, place_crank, place_slider
from gough.checks import Array
from gough.clearances import CLEARANCES, leg_clearances, needed_clearances, plate_of
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import check
from gough.plates import plate_table
from gough.spatial import Pose, rotation_exp
from gough.struts import CRANK, SLIDER, leg_table, struts
from support.cut_machines import cut_machine

SEEDS = pytest.mark.parametrize("seed", range(4))
LOWER, UPPER = (0.05, -0.03, 0.04), (-0.02, 0.06, 0.03)  # e, d, f of both joints, m


def three(a: Any) -> tuple[float, float, float]:
    return tuple(float(x) for x in a)  # type: ignore[return-value]


def directions(rng: np.random.Generator, n: int) -> Array:
    v = rng.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def leaning(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """A leg's direction and first axes of both joints, well across it."""
    s, k, kp = directions(rng, 3)
    k, kp = (v - 0.8 * (v @ s) * s for v in (k, kp))
    return s, k / np.linalg.norm(k), kp / np.linalg.norm(kp)


@SEEDS
def test_vectors(seed: int) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, 3))
    assert offsets.dot(three(a), three(b)) == pytest.approx(a @ b)
    np.testing.assert_allclose(offsets.cross(three(a), three(b)), np.cross(a, b))
    np.testing.assert_allclose(offsets.plus(three(a), -0.7, three(b)), a - 0.7 * b)
    np.testing.assert_allclose(offsets.times(-0.7, three(a)), -0.7 * a)
    np.testing.assert_allclose(offsets.unit(three(a)), a / np.linalg.norm(a))
    assert kernels.three(np.arange(9.0), 4) == (4.0, 5.0, 6.0)


@SEEDS
def test_the_axes_of_a_joint(seed: int) -> None:
    """y across first axis and leg, z and n complete both frames; the leg's axis is e n + f y + d z from its center."""
    s, k, _ = leaning(np.random.default_rng(seed))
    joint = joint_at(three(k), three(s), LOWER)
    y = np.cross(k, s) / np.linalg.norm(np.cross(k, s))
    np.testing.assert_allclose(joint[0], k)
    np.testing.assert_allclose(joint[1], y)
    np.testing.assert_allclose(joint[2], np.cross(s, y))
    np.testing.assert_allclose(joint[3], np.cross(y, k))
    assert joint[4] == pytest.approx(k @ s)
    assert joint[5] == pytest.approx(np.linalg.norm(np.cross(k, s)))
    e, d, f = LOWER
    np.testing.assert_allclose(reach_of(joint), e * np.cross(y, k) + f * y + d * np.cross(s, y))


def swung(s: Array, axis: Array, angle: float) -> Array:
    return rotation_exp(angle * axis) @ s


@SEEDS
def test_speeds_of_a_leg_that_swings_are_slopes_of_its_places(seed: int) -> None:
    """Of the axis at one joint, and of the platform joint at a fixed length, about axes across the leg."""
    rng = np.random.default_rng(seed)
    s, k, kp = leaning(rng)
    below, above = joint_at(three(k), three(s), LOWER), joint_at(three(kp), three(s), UPPER)
    h, length = 1e-6, 1.3

    def slope(place: Any, axis: Array) -> Array:
        return (np.array(place(swung(s, axis, h))) - np.array(place(swung(s, axis, -h)))) / (2 * h)

    for axis in (np.array(below[1]), np.array(below[2]), np.cross(s, directions(rng, 1)[0])):
        due = slope(lambda v: reach_of(joint_at(three(k), three(v), LOWER)), axis)
        np.testing.assert_allclose(offsets.shift_of(below, three(s), three(axis)), due, atol=1e-8)

        def joint(v: Array) -> Array:
            low = reach_of(joint_at(three(k), three(v), LOWER))
            return length * v + low - np.array(reach_of(joint_at(three(kp), three(v), UPPER)))

        found = offsets.column(three(axis), three(s), length, below, above)
        np.testing.assert_allclose(found, slope(joint, axis), atol=1e-8)
    P = length * s + reach_of(below) - np.array(reach_of(above))
    np.testing.assert_allclose(offsets.between_joints(three(P), below, above), length * s)


@SEEDS
def test_legs_with_offset_joints_close_where_they_were_built(seed: int) -> None:
    s, k, kp = leaning(np.random.default_rng(seed))
    below, above = joint_at(three(k), three(s), LOWER), joint_at(three(kp), three(s), UPPER)
    P = three(1.3 * s + reach_of(below) - np.array(reach_of(above)))
    np.testing.assert_allclose(closed_along(P, three(k), three(kp), LOWER, UPPER), s, atol=1e-9)
    found, length, foot, head = placed_offset(P, three(k), three(kp), LOWER, UPPER, False)
    np.testing.assert_allclose(found, s, atol=1e-9)
    assert length == pytest.approx(1.3, abs=1e-9)
    np.testing.assert_allclose(foot, reach_of(below), atol=1e-9)
    np.testing.assert_allclose(head, reach_of(above), atol=1e-9)
    far = tuple(40.0 * x for x in LOWER)  # offsets longer than the leg: nothing closes
    assert np.isnan(closed_along(three(0.01 * s), three(k), three(kp), far, UPPER)).all()
    lost = placed_offset(three(0.01 * s), three(k), three(kp), far, UPPER, False)
    assert np.isnan([*lost[0], lost[1], *lost[2], *lost[3]]).all()


@SEEDS
def test_legs_with_a_ball_at_the_platform_close_where_they_were_built(seed: int) -> None:
    """In closed form, with offsets of either sign; not where the joint is nearer to the axis than the leg can come."""
    rng = np.random.default_rng(seed)
    s, k, _ = leaning(rng)
    for lower in (LOWER, (-0.05, 0.03, -0.04), (0.0, 0.0, 0.0), (0.1, 0.2, 0.0)):
        below = joint_at(three(k), three(s), lower)
        P = three(1.3 * s + np.array(reach_of(below)))
        np.testing.assert_allclose(ball_along(P, three(k), lower), s, atol=1e-9)
        found, length, foot, head = placed_offset(P, three(k), three(k), lower, (0.0,) * 3, True)
        np.testing.assert_allclose(found, s, atol=1e-9)
        assert length == pytest.approx(1.3)
        np.testing.assert_allclose(foot, reach_of(below), atol=1e-9)
        np.testing.assert_allclose(head, 0.0, atol=1e-12)
    across = np.cross(k, directions(rng, 1)[0])
    across /= np.linalg.norm(across)
    for far, known in ((0.041, True), (0.039, False)):  # f = 0.04
        P = three(0.5 * k + far * across)
        assert np.isfinite(ball_along(P, three(k), (-0.05, 0.0, 0.04))).all() == known
    for d, known in (
        (0.29, True),
        (0.31, False),
    ):  # nearer to the second axis than the leg's axis is
        assert np.isfinite(ball_along(three(0.3 * across), three(k), (0.0, d, 0.0))).all() == known


@SEEDS
def test_twists_are_those_of_the_legs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for zero in (0.0, 2.5, -7.0):
        s, k, kp = leaning(rng)
        found = offsets.twist_at(three(k), three(kp), three(s), zero)
        assert found == pytest.approx(float(twist.twist(k, kp, s, zero)), abs=1e-12)
        assert zero - pi < found <= zero + pi
        turned = rotation_exp(0.3 * s) @ kp  # a turn about the leg adds to its twist
        more = offsets.twist_at(three(k), three(turned), three(s), zero)
        assert (more - found - 0.3 + pi) % (2 * pi) == pytest.approx(pi, abs=1e-9)


def carried(kind: float, rng: np.random.Generator, sign: float) -> Array:
    """A slider or crank at the origin in a random frame."""
    e, u, n = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    n = np.cross(e, u)
    row = np.zeros(LEG.size)
    row[LEG.kind], row[LEG.length], row[LEG.rho], row[LEG.h] = kind, 1.2, 0.4, 0.15
    row[LEG.e], row[LEG.u], row[LEG.n] = e, 0.4 * u, 0.4 * n
    row[LEG.sign], row[LEG.zero] = sign, 0.6
    return row


@SEEDS
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_sliders_close_at_their_place_and_only_in_reach(seed: int, sign: float) -> None:
    rng = np.random.default_rng(seed)
    row = carried(SLIDER, rng, sign)
    e, s = row[LEG.e], directions(rng, 1)[0]
    s = s if sign * (s @ e) > 0.0 else -s
    lam, foot = place_slider(row, three(0.7 * e + 1.2 * s))
    assert lam == pytest.approx(0.7)
    np.testing.assert_allclose(foot, 0.7 * e, atol=1e-12)
    side = np.cross(e, s) / np.linalg.norm(np.cross(e, s))
    assert np.isfinite(place_slider(row, three(0.3 * e + 1.19 * side))[0])
    assert np.isnan(place_slider(row, three(0.3 * e + 1.21 * side))[0])


@SEEDS
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_cranks_close_at_their_angle_and_only_in_reach(seed: int, sign: float) -> None:
    """The elbow that `sign` says, its angle within half a turn of zero; the strut begins at the crank's end."""
    rng = np.random.default_rng(seed)
    row = carried(CRANK, rng, sign)
    e, u, n, seen = row[LEG.e], row[LEG.u], row[LEG.n], 0
    for angle in (-2.3, -0.4, 0.6, 2.0, 3.5):
        foot = 0.15 * e + np.cos(angle) * u + np.sin(angle) * n
        for s in directions(rng, 6):
            lam, end = place_crank(row, three(foot + 1.2 * s))
            strut = foot + 1.2 * s - np.array(end)
            assert np.linalg.norm(strut) == pytest.approx(1.2)
            assert abs(lam - 0.6) <= pi + 1e-12
            np.testing.assert_allclose(
                end, 0.15 * e + np.cos(lam) * u + np.sin(lam) * n, atol=1e-12
            )
            lever = strut @ np.cross(e, np.cos(lam) * u + np.sin(lam) * n)
            assert lever * sign <= 1e-12
            if abs(lam - angle) < 1e-9:
                seen += 1
    assert seen > 3
    assert np.isnan(place_crank(row, three(9.0 * u))[0])
    assert np.isnan(place_crank(row, three(0.5 * e))[0])  # on the axis: every angle, or none
    lam, end = place_crank(row, three(9.0 * u))
    assert np.isnan(end).all()


KINDS = ("UPS", "PUS", "RUS", "UCU", "UCU-screw", "mixed-offset", "UCU-offset", "UPS-offset")


@pytest.mark.parametrize("kind", KINDS)
def test_legs_are_placed_as_struts_are(kind: str) -> None:
    """Coordinate, both ends and direction of every leg at some positions and another orientation."""
    made = cut_machine(kind, 1, 24, False)
    R, rng = made.rotations[1], np.random.default_rng(0)
    table, joints = leg_table(made.platform), joint_table(made.platform, R)
    for t in made.positions[rng.integers(len(made.positions), size=4)]:
        true = struts(made.platform, Pose(t, R))
        for i in range(6):
            start, along = np.empty(3), np.empty(3)
            end = t + R @ made.platform.platform_joints[i]
            lam = place(table[i], joints[i], start, end, along)
            assert np.isnan(lam) == np.isnan(true.coordinate[i])
            if not np.isnan(lam):
                assert lam == pytest.approx(float(true.coordinate[i]), abs=1e-9)
                np.testing.assert_allclose(start, true.start[i], atol=1e-9)
                np.testing.assert_allclose(end, true.end[i], atol=1e-9)
                np.testing.assert_allclose(along, true.direction[i], atol=1e-9)


@pytest.mark.parametrize("kind", ["UPS", "RUS", "UCU-screw", "mixed-offset"])
def test_positions_are_judged_limit_by_limit(kind: str) -> None:
    """As the one judge says, with limits of every kind and bodies."""
    made = cut_machine(kind, 2, 400, True)
    for R, some in zip(made.rotations, np.split(made.positions, 2), strict=True):
        few = np.ascontiguousarray(some[:25])
        found = check(made.platform, Pose(few, R))
        sure = np.abs(found.worst) > 1e-9
        said = _inside_any(made.platform, R, few).astype(bool)
        np.testing.assert_array_equal(said[sure], found.ok[sure])


@pytest.mark.parametrize("half", [1e-5, 0.3, 1.2, 2.5])
@SEEDS
def test_cones_turn_at_their_half_angle(half: float, seed: int) -> None:
    s, k, _ = leaning(np.random.default_rng(seed))
    side = np.cross(s, k) / np.linalg.norm(np.cross(s, k))
    sine, cosine = np.sin(half / 2), np.cos(half / 2)
    for share, held in ((0.0, True), (0.999, True), (1.001, False)):
        assert bool(in_cone(s, swung(s, side, share * half), sine, cosine)) is held
    assert bool(in_cone(s, -s, 1.0, 0.0))  # no cone


@pytest.mark.parametrize("which", [0, 1])
def test_legs_keep_their_radius_from_a_body(which: int) -> None:
    """Each leg asks in its turn: just less than its distance is kept, just more is not; who does not ask is passed."""
    made = cut_machine("UPS", 3, 100, True)
    machine, kind = made.platform, CLEARANCES[which]
    plate = plate_of(machine, kind)
    assert plate is not None
    assert kind in needed_clearances(machine)
    R = made.rotations[1]
    t = made.positions[3]
    g = struts(machine, Pose(t, R))
    away = leg_clearances(machine, g, Pose(t, R))[kind]
    work = tuple(np.empty((4, 3)))
    for i in range(6):
        for share, kept in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
            need = np.full(6, nan)
            need[i] = share * away[i]
            body = (*[tuple(plate_table(plate)), which == 0, need, plate.spared],)
            if away[i] > 1e-3:
                assert bool(kernels.clear_of(body, R, t, g.start, g.end, work)) is kept
    nobody = (tuple(plate_table(plate)), which == 0, np.full(6, nan), plate.spared)
    assert bool(kernels.clear_of(nobody, R, t, g.start, g.end, work))
    assert inf > away.max()
