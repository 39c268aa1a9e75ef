"""Slices by their parts: equal limits merged, frames of cones, tips at other sizes, pieces away from poles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import arcs
from gough.analysis.arcs import Surfaces, slice_area, surfaces
from gough.analysis.volume import compiled_area
from gough.checks import Array

SIZE = 3.0


def test_shells_about_one_center_become_the_narrowest() -> None:
    shells: list[Any] = []
    here, there = np.array([0.1, -0.2, 0.3]), np.array([0.1, -0.2, 0.3 + 1e-9])
    for center, low, high in (
        (here, 0.2, 1.0), (there, 0.1, 2.0), (here + 1e-13, 0.4, 1.5), (here, 0.3, 0.9),
    ):  # fmt: skip
        arcs._merge_shell(shells, center, low, high, SIZE)
    assert [shell[1:] for shell in shells] == [[0.4, 0.9], [0.1, 2.0]]
    np.testing.assert_array_equal(shells[0][0], here)
    np.testing.assert_array_equal(shells[1][0], there)
    for apart, count in ((2.9e-12, 1), (3.1e-12, 2)):  # 1e-12 of the size
        pair: list[Any] = []
        arcs._merge_shell(pair, np.zeros(3), 0.0, 1.0, SIZE)
        arcs._merge_shell(pair, np.array([0.0, -apart, 0.0]), 0.0, 1.0, SIZE)
        assert len(pair) == count


def test_cones_with_one_tip_and_one_axis_become_the_narrowest() -> None:
    cones: list[Any] = []
    tip, up, side = np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    left = np.array([0.0, 1.0, 0.0])
    for at, axis, half in (
        (tip, up, 0.5), (tip, side, 0.4), (tip + 1e-9, up, 0.3), (tip, up, 0.7), (tip, up, 0.45),
        (tip, side + 2e-9 * left, 0.1), (tip, side + 5e-10 * left, 0.2),
    ):  # fmt: skip
        arcs._merge_cone(cones, at, axis, half, SIZE)
    assert [cone[2] for cone in cones] == [0.45, 0.2, 0.3, 0.1]
    for apart, count in ((2.9e-12, 1), (3.1e-12, 2)):
        pair: list[Any] = []
        arcs._merge_cone(pair, np.zeros(3), up, 1.0, SIZE)
        arcs._merge_cone(pair, np.array([0.0, 0.0, -apart]), up, 1.0, SIZE)
        assert len(pair) == count


def test_limits_of_a_machine_become_surfaces_leg_by_leg() -> None:
    """Strokes about ``b - R p``; cones of the base along their axes, of the platform against the turned ones."""
    machine = gough.load("motion-base-1500")
    legs = []
    axes = np.random.default_rng(2).normal(size=(6, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    for i, leg in enumerate(machine.legs):
        given = {"base_cone": 0.5 + 0.1 * i} if i % 2 else {"platform_cone": 0.4, "platform_axis": axes[i]}  # fmt: skip
        wide = {"base_cone": np.pi} if i == 4 else {}
        stroke = {} if i == 3 else {"stroke": (0.5 + 0.1 * i, 2.0)}
        legs.append(leg.replace(limits=gough.Limits(**given, **wide, **stroke)))
    turned = gough.Pose.from_rpy([0, 0, 0], [0.1, -0.2, 0.3]).rotation
    s = surfaces(machine.replace(legs=legs), turned)
    centers = machine.base_joints - machine.platform_joints @ turned.T
    shown = [i for i in range(6) if i != 3]
    np.testing.assert_allclose(s.center, centers[shown])
    np.testing.assert_allclose(s.low, [0.5 + 0.1 * i for i in shown])
    np.testing.assert_array_equal(s.high, 2.0)
    np.testing.assert_allclose(s.tip, centers)
    np.testing.assert_allclose(s.half, [0.5 + 0.1 * i if i % 2 else 0.4 for i in range(6)])
    np.testing.assert_allclose(s.axis[::2], -(axes[::2] @ turned.T))
    both = np.vstack([machine.base_joints, machine.platform_joints])
    assert s.size == np.ptp(both, axis=0).max()


AXES = [(1.0, 0, 0), (0, -1.0, 0), (0, 0, 1.0), (0.6, 0.0, 0.8), (-0.48, 0.6, 0.64)]


@pytest.mark.parametrize("axis", AXES)
def test_two_unit_vectors_make_a_right_handed_frame_with_an_axis(axis: tuple[float, ...]) -> None:
    n = np.array(axis)
    a, b = arcs._across(n)
    frame = np.stack([n, a, b])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(frame) == pytest.approx(1.0)


def test_lines_of_a_cone_lean_by_its_half_angle() -> None:
    n = np.array([[0.6, 0.0, 0.8], [0.0, 0.0, -1.0]])
    s = Surfaces(
        np.zeros((1, 3)), np.zeros(1), np.ones(1), np.zeros((2, 3)), n, np.array([0.4, 2.0]), 1.0
    )
    psi = np.linspace(0.0, 2 * np.pi, 9)[:-1]
    trig = np.stack([np.ones(8), np.cos(psi), np.sin(psi)])
    for k in range(2):
        u = s.generators[k] @ trig
        np.testing.assert_allclose(np.linalg.norm(u, axis=0), 1.0)
        np.testing.assert_allclose(n[k] @ u, np.cos(s.half[k]))
        np.testing.assert_allclose(u.mean(axis=1), np.cos(s.half[k]) * n[k], atol=1e-15)


def scaled(s: Surfaces, by: float) -> Surfaces:
    return Surfaces(by * s.center, by * s.low, by * s.high, by * s.tip, s.axis, s.half, by * s.size)


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.3, -0.2, 1.0)])
@pytest.mark.parametrize("half", [0.5, 1.3])
def test_a_slice_through_the_tip_of_a_cone(axis: tuple[float, ...], half: float) -> None:
    """What the plane through the tip cuts out of the cone: nothing, or a wedge; at every size of the machine."""
    n = np.array(axis) / np.linalg.norm(axis)
    s = Surfaces(
        np.zeros((1, 3)), np.zeros(1), np.ones(1), np.array([[0.0, 0.0, 0.25]]), n[None], np.array([half]), 1.0
    )  # fmt: skip
    r2 = 1.0 - 0.25**2
    # lines of the plane within the cone: n . (cos, sin, 0) >= cos(half)
    flat = float(np.hypot(n[0], n[1]))
    reach = np.cos(half) / flat if flat > 0.0 else np.inf
    wedge = 2.0 * np.arccos(np.clip(reach, -1.0, 1.0)) if reach < 1.0 else 0.0
    for by in (1.0, 20.0, 0.01):
        for area in (lambda s, z: slice_area(s, z), lambda s, z: compiled_area(s)(z)):
            found = area(scaled(s, by), 0.25 * by)
            assert found == pytest.approx(by**2 * 0.5 * wedge * r2, rel=1e-6, abs=1e-9 * by**2)


@pytest.mark.parametrize("seed", range(5))
def test_pieces_of_conics_are_halved_until_poles_are_far_and_no_further(seed: int) -> None:
    """``2 swing width <= |w|`` in the middle of every piece; each cut was needed; together they are what was given."""
    rng = np.random.default_rng(seed)
    form = rng.normal(size=(3, 3, 3))
    form[:, 2, 0] = (1.0 + 10.0 ** -np.arange(1.0, 4.0)) * np.hypot(form[:, 2, 1], form[:, 2, 2])
    start = rng.uniform(-3.0, 3.0, 3)
    end = start + np.array([2.0, 0.8, 6.0])
    owner, a, b = arcs._away_from_poles(form, start, end)
    swing = np.hypot(form[:, 2, 1], form[:, 2, 2])

    def far(k: Any, low: Array, high: Array) -> Array:
        middle = (low + high) / 2
        w = form[k, 2, 0] + form[k, 2, 1] * np.cos(middle) + form[k, 2, 2] * np.sin(middle)
        return np.abs(w) / (2.0 * swing[k] * (high - low))

    assert (far(owner, a, b) >= 1.0).all()
    for k in range(3):
        own = np.argsort(a[owner == k])
        low, high = a[owner == k][own], b[owner == k][own]
        assert (low[0], high[-1]) == (start[k], end[k])
        np.testing.assert_array_equal(low[1:], high[:-1])
        wide = high - low
        share = np.round(np.log2((end[k] - start[k]) / wide)).astype(int)
        np.testing.assert_allclose(wide, (end[k] - start[k]) / 2.0**share)
        for x, width, level in zip(low, wide, share, strict=True):
            if level:  # the piece that it was cut from was too long
                number = np.floor((x - start[k]) / (2 * width) + 1e-9)
                left = start[k] + 2 * width * number
                assert far(k, left, left + 2 * width) < 1.0
    assert len(owner) > 3


def test_depths_of_cones_are_distances_on_both_sides_and_behind_the_tip() -> None:
    """Against the nearest of many points of the cone's surface; behind its tip the distance to the tip."""
    n = np.array([0.0, 0.6, 0.8])
    s = Surfaces(
        np.zeros((1, 3)),
        np.zeros(1),
        np.ones(1),
        np.array([[0.1, 0.2, 0.3]]),
        n[None],
        np.array([0.6]),
        1.0,
    )
    psi = np.linspace(0.0, 2 * np.pi, 721)
    u = (s.generators[0] @ np.stack([np.ones_like(psi), np.cos(psi), np.sin(psi)])).T
    surface = s.tip[0] + (np.linspace(0.0, 3.0, 601)[:, None, None] * u).reshape(-1, 3)
    rng = np.random.default_rng(4)
    points = s.tip[0] + rng.normal(size=(60, 3)) * 0.6
    nearest = np.array([np.linalg.norm(surface - p, axis=1).min() for p in points])
    depth = s.cone_depths(points)[:, 0]
    np.testing.assert_allclose(np.abs(depth), nearest, atol=6e-3)
    inside = ((points - s.tip[0]) @ n) >= np.cos(0.6) * np.linalg.norm(points - s.tip[0], axis=1)
    np.testing.assert_array_equal(depth > 0.0, inside)
    np.testing.assert_allclose(s.cone_depths(s.tip[0] - 0.5 * n), [-0.5])
    np.testing.assert_allclose(s.cone_depths(s.tip[0] + 0.5 * n), [0.5 * np.sin(0.6)])


def turned_apart(found: Array, wanted: Array) -> Array:
    """(n, k) angle from each wanted one (n, k) to the nearest found (n, m), over whole turns."""
    return np.abs(np.angle(np.exp(1j * (found[:, None, :] - wanted[:, :, None])))).min(axis=-1)


def test_angles_of_crossings_are_the_roots() -> None:
    """``c0 + 2 Re(c1 e^(i psi)) + 2 Re(c2 e^(2 i psi))`` from its four angles, and only where it is asked for."""
    rng = np.random.default_rng(6)
    angles = (rng.uniform(0.0, 0.8, (200, 4)) + np.arange(4)) * np.pi / 2
    p = np.array([np.poly(np.exp(1j * a)) for a in angles])
    p = p * np.sqrt(np.conj(p[:, 4:]))  # its own mirror image on the unit circle
    np.testing.assert_allclose(p, np.conj(p[:, ::-1]), atol=1e-12)
    c2, c1, c0 = p[:, :1], p[:, 1:2], np.real(p[:, 2:3])
    skip = np.arange(200)[:, None] % 5 == 3
    found = arcs._quartic(c0, c1, c2, skip)
    assert found.shape == (200, 1, 4)
    np.testing.assert_array_equal(found[skip], 0.0)
    off = turned_apart(found[:, 0], angles)[~skip[:, 0]]
    assert off.max() < 1e-12


def test_angles_of_curves_that_touch_are_kept() -> None:
    """``(1 + s cos(psi - phi))^2``: with s 1 one root four times, which rounding tears apart, but all of it stays near;
    with a larger s two double ones."""
    phi = np.linspace(0.0, 6.0, 61)
    for s, near in ((1.0, 1e-3), (1.5, 1e-5)):
        c0 = np.full((61, 1), 1.0 + s * s / 2)
        c1, c2 = s * np.exp(-1j * phi)[:, None], s * s / 4 * np.exp(-2j * phi)[:, None]
        found = arcs._quartic(c0, c1, c2, np.zeros((61, 1), dtype=bool))[:, 0]
        reach = np.arccos(-1.0 / s)
        wanted = np.stack([phi - reach, phi + reach], axis=1)
        assert turned_apart(found, wanted).max() < near
        assert turned_apart(wanted, found).max() < near  # and nothing else
