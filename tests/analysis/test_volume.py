"""Workspace volume: closed forms, three methods against each other, certified bounds, planted errors."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi

import numpy as np
import pytest

import gough
from gough.analysis import arcs, volume
from gough.analysis.arcs import Surfaces, slice_area, surfaces
from gough.analysis.points import kernels, points_inside
from gough.analysis.volume import (
    certified_volume,
    exact_volume,
    grid_volume,
    orientation_set,
    orientation_volume,
    slice_profile,
)
from gough.spatial import rotation_from_rpy

TILTED = rotation_from_rpy((0.1, -0.05, 0.2))


def shells(
    center: list[list[float]],
    low: list[float],
    high: list[float],
    cones: list[tuple[list[float], list[float], float]] | None = None,
) -> Surfaces:
    tip, axis, half = (
        zip(*cones, strict=True) if cones else (np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    )
    axes = np.array(axis, dtype=float).reshape(-1, 3)
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True) if len(axes) else axes
    return Surfaces(
        np.array(center, dtype=float),
        np.array(low, dtype=float),
        np.array(high, dtype=float),
        np.array(tip, dtype=float).reshape(-1, 3),
        axes,
        np.array(half, dtype=float),
        1.0,
    )


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def tight(machine: gough.Platform) -> gough.Platform:
    """Cones that cut the workspace, no leg-leg distance."""
    return machine.replace(
        legs=[
            leg.replace(limits=leg.limits.replace(base_cone=0.12, platform_cone=0.2, radius=None))
            for leg in machine.legs
        ]
    )


def test_one_shell_is_a_ring() -> None:
    s = shells([[0.1, 0.2, 0.3]], [0.5], [0.8])
    for z in (0.3, 0.6, 1.0):
        dz2 = (z - 0.3) ** 2
        wanted = pi * ((0.64 - dz2) - max(0.25 - dz2, 0.0))
        assert slice_area(s, z) == pytest.approx(wanted, rel=1e-13)
        assert kernels().shell_area(s.center, s.low, s.high, z) == pytest.approx(wanted, rel=1e-13)


def test_two_discs_meet_in_a_lens() -> None:
    s = shells([[-0.4, 0, 0], [0.4, 0, 0]], [0, 0], [0.7, 0.7])
    wanted = 2 * 0.49 * np.arccos(0.4 / 0.7) - 0.4 * np.sqrt(4 * 0.49 - 0.64)
    assert slice_area(s, 0.0) == pytest.approx(wanted, rel=1e-13)
    assert kernels().shell_area(s.center, s.low, s.high, 0.0) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize(
    ("axis", "half"),
    [
        ((0, 0, 1), 0.4),
        ((0.3, 0.1, 1), 0.5),
        ((0.2, -0.3, 1), 1.2),
        ((1, 0, 0.2), 1.9),
        ((0, 1, -0.3), 2.4),
    ],
)
def test_a_cone_slice_is_an_ellipse_or_is_cut_by_its_sphere(
    axis: tuple[float, ...], half: float
) -> None:
    """Against a fine sum over points; an upright cone also in closed form."""
    s = shells([[0, 0, 0]], [0.0], [1.0], [([0.0, 0.0, 0.0], list(axis), half)])
    z = 0.35
    u = (np.arange(2400) + 0.5) / 1200 - 1
    grid = np.stack(np.meshgrid(u, u, [z], indexing="ij"), axis=-1)[:, :, 0]
    count = sum(int(s.inside(part).sum()) for part in np.array_split(grid, 24)) / 1200**2
    assert slice_area(s, z) == pytest.approx(count, abs=2e-4)
    if axis == (0, 0, 1):
        assert slice_area(s, z) == pytest.approx(pi * (z * np.tan(half)) ** 2, rel=1e-13)


def test_volume_of_a_spherical_sector() -> None:
    """A shell within an upright cone: ``2 pi/3 (1 - cos a) (R^3 - r^3)``, by quadrature of the exact slices."""
    from scipy.integrate import quad

    s = shells([[0, 0, 0]], [0.4], [0.9], [([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.5)])
    breaks = [0.4 * cos(0.5), 0.4, 0.9 * cos(0.5)]
    edges = [0.3, *breaks, 0.9]
    found = sum(quad(lambda z: slice_area(s, z), a, b, epsrel=1e-10)[0] for a, b in pairwise(edges))
    assert found == pytest.approx(2 * pi / 3 * (1 - cos(0.5)) * (0.9**3 - 0.4**3), rel=1e-9)


@pytest.mark.parametrize("rotation", [np.eye(3), TILTED], ids=["level", "tilted"])
def test_exact_volume_agrees_with_a_fine_grid_and_certified_cells(
    machine: gough.Platform, rotation: np.ndarray
) -> None:
    exact = exact_volume(machine, rotation)
    assert exact.high - exact.low < 1e-6 * exact.value
    grid = grid_volume(machine, rotation, points=150)
    assert grid.value == pytest.approx(exact.value, rel=1e-3)
    cells = certified_volume(machine, rotation, depth=6)
    assert cells.low < exact.value < cells.high
    assert cells.high - cells.low < 0.5 * exact.value


def test_exact_volume_with_cones_agrees_with_a_fine_grid(tight: gough.Platform) -> None:
    R = rotation_from_rpy((0.02, 0.0, 0.03))
    exact = exact_volume(tight, R, tolerance=1e-3)
    assert len(surfaces(tight, R).tip) == 12
    assert grid_volume(tight, R, points=120).value == pytest.approx(exact.value, rel=3e-3)
    cells = certified_volume(tight, R, depth=5)
    assert cells.low < exact.value < cells.high
    free = tight.replace(
        legs=[leg.replace(limits=gough.Limits(stroke=leg.limits.stroke)) for leg in tight.legs]
    )
    assert exact.value < 0.5 * exact_volume(free, R).value


def test_compiled_slices_are_the_plain_ones(machine: gough.Platform) -> None:
    s = surfaces(
        machine.replace(
            legs=[
                leg.replace(limits=gough.Limits(stroke=leg.limits.stroke)) for leg in machine.legs
            ]
        ),
        TILTED,
    )
    for z in np.linspace(0.8, 1.5, 23):
        fast = kernels().shell_area(s.center, s.low, s.high, z)
        assert fast == pytest.approx(slice_area(s, float(z)), rel=1e-11, abs=1e-13)


def test_scaling_the_machine_scales_the_volume(machine: gough.Platform) -> None:
    double = machine.replace(
        home=gough.Pose(2 * machine.home.position) if machine.home else None,
        legs=[
            leg.replace(
                base=2 * leg.base,
                joint=2 * leg.joint,
                limits=gough.Limits(stroke=2 * np.asarray(leg.limits.stroke)),
            )
            for leg in machine.legs
        ],
    )
    assert exact_volume(double).value == pytest.approx(8 * exact_volume(machine).value, rel=1e-6)


def test_turning_the_whole_machine_changes_nothing(machine: gough.Platform) -> None:
    turn = rotation_from_rpy((0, 0, 0.7))
    turned = machine.replace(
        legs=[leg.replace(base=turn @ leg.base, axis=turn @ leg.axis) for leg in machine.legs],
        home=gough.Pose(machine.home.position, turn) if machine.home else None,
    )
    assert exact_volume(turned, turn @ TILTED).value == pytest.approx(
        exact_volume(machine, TILTED).value, rel=1e-6
    )


@pytest.mark.parametrize("rotation", [np.eye(3), TILTED], ids=["level", "tilted"])
def test_compiled_point_checks_are_the_vectorized_ones(
    machine: gough.Platform, rotation: np.ndarray
) -> None:
    """Distances too: two opposite legs of absurd thickness refuse some of the points."""
    assert machine.home is not None
    x = machine.home.position + 0.3 * np.random.default_rng(0).normal(size=(3000, 3))
    thick = machine.replace(
        legs=[
            leg.replace(limits=leg.limits.replace(radius=0.8 if i in (0, 2) else None))
            for i, leg in enumerate(machine.legs)
        ]
    )
    for one in (machine, thick):
        fast, slow = (
            points_inside(one, x, rotation),
            points_inside(one, x, rotation, route="vectorized"),
        )
        assert (fast == slow).all()
    assert 0 < points_inside(thick, x, rotation).sum() < points_inside(machine, x, rotation).sum()


def test_orientations_shrink_and_widen_the_workspace(machine: gough.Platform) -> None:
    R = orientation_set(0.08, 0.08, 0.0)
    assert R.shape == (9, 3, 3)
    found = orientation_volume(machine, R, points=30)
    level = grid_volume(machine, points=60).value
    assert found.every < level < found.some
    single = orientation_volume(machine, np.eye(3)[None], points=30)
    assert single.every == single.some == pytest.approx(level, rel=0.02)


def test_profile_integrates_to_the_volume(machine: gough.Platform) -> None:
    z, area = slice_profile(machine, levels=401)
    trapezium = float(((area[1:] + area[:-1]) / 2 * np.diff(z)).sum())
    assert trapezium == pytest.approx(exact_volume(machine).value, rel=1e-4)


def test_an_empty_workspace_is_zero(machine: gough.Platform) -> None:
    short = machine.replace(
        legs=[leg.replace(limits=gough.Limits(stroke=(0.05, 0.1))) for leg in machine.legs]
    )
    assert exact_volume(short).value == certified_volume(short).value == 0.0


def test_grid_serves_sliders_too() -> None:
    machine = gough.load("hexaglide")
    assert machine.home is not None
    h = machine.home.position
    small = grid_volume(machine, box=[h - 0.05, h + 0.05], points=8)
    assert 0.0 < small.value <= 1e-3 * (1 + 1e-9)
    assert small.clipped
    large = grid_volume(machine, box=[h - 2, h + 2], points=30)
    assert large.value > small.value
    assert not large.clipped
    with pytest.raises(gough.InputError, match="UPS, SPS, UCU"):
        exact_volume(machine)


def test_no_stroke_no_bound() -> None:
    bare = gough.hexapod(0.5, 0.3, 0.3, 0.4, 0.6)
    with pytest.raises(gough.InputError, match="no bound"):
        exact_volume(bare)


def test_a_forgotten_inner_sphere_is_caught(
    machine: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the shortest length not counted; grid and cells must disagree with the exact slices."""
    real = arcs.surfaces

    def wrong(platform: gough.Platform, rotation: np.ndarray) -> Surfaces:
        s = real(platform, rotation)
        return Surfaces(s.center, np.zeros_like(s.low), s.high, s.tip, s.axis, s.half, s.size)

    machine = machine.replace(
        legs=[leg.replace(limits=gough.Limits(stroke=leg.limits.stroke)) for leg in machine.legs]
    )
    grid = grid_volume(machine, points=80).value
    monkeypatch.setattr(volume, "surfaces", wrong)
    assert abs(exact_volume(machine).value / grid - 1) > 0.05


def test_a_wrong_arc_sign_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: inner arcs counted with the outer sign."""
    monkeypatch.setattr(arcs, "_left", lambda s, curves, n, X, T, z: np.ones(len(n)))
    with pytest.raises(AssertionError):
        test_one_shell_is_a_ring()
