"""Compiled slices with cones: against the plain ones, closed forms and counted cells; the stated error of a volume."""

from __future__ import annotations

import os
from math import pi, tan

import numpy as np
import pytest

from campaigns.volume_campaign import drawn, look
from gough.analysis import slice_kernel
from gough.analysis.arcs import Surfaces, slice_area, surfaces
from gough.analysis.volume import bounds, compiled_area, exact_volume

MACHINES = int(os.environ.get("GOUGH_VOLUMES", "40"))
NEAR = 1e-11  # m^2, of sums of some hundred arcs of machines of 1 m


def cone(axis: tuple[float, float, float], half: float, tip: float = 0.0) -> Surfaces:
    """A ball of radius 1 around the origin and a cone whose tip is `tip` above it."""
    n = np.array(axis) / np.linalg.norm(axis)
    at = np.array([[0.0, 0.0, tip]])
    return Surfaces(np.zeros((1, 3)), np.zeros(1), np.ones(1), at, n[None], np.array([half]), 1.0)


@pytest.mark.parametrize("seed", range(8))
def test_compiled_slices_with_cones_are_the_plain_ones(seed: int) -> None:
    machine, R = drawn(seed)
    s = surfaces(machine, R)
    box = bounds(machine, s)
    area = compiled_area(s)
    for z in np.linspace(box[0, 2], box[1, 2], 15)[1:-1]:
        assert area(float(z)) == pytest.approx(slice_area(s, float(z)), rel=1e-9, abs=NEAR)


@pytest.mark.parametrize(
    ("axis", "half"),
    [
        ((0, 0, 1), 0.5),
        ((0.3, 0.1, 1), 0.5),
        ((1, 0.2, 0.05), 0.6),  # a branch of a hyperbola
        ((1, 0, 0), pi / 2),  # a half plane
        ((0.2, -0.3, 1), 1.2),
        ((1, 0, 0.2), 1.9),
        ((0, 1, -0.3), 2.4),  # all but a cone
        ((0, 0, -1), 0.4),  # opens downwards: nothing above its tip
    ],
)
@pytest.mark.parametrize("z", [0.35, -0.2])
def test_every_kind_of_conic(axis: tuple[float, float, float], half: float, z: float) -> None:
    s = cone(axis, half)
    near = 1e-8 if half == pi / 2 else 1e-10  # plain crossings with a plane are double roots
    assert compiled_area(s)(z) == pytest.approx(slice_area(s, z), rel=near, abs=1e-12)
    side = (np.arange(800) + 0.5) / 400 - 1
    at = np.stack([*np.meshgrid(side, side, indexing="ij"), np.full((800, 800), z)], axis=-1)
    assert compiled_area(s)(z) == pytest.approx(s.inside(at).sum() / 400**2, abs=2e-3)


def test_closed_forms() -> None:
    """An ellipse within the ball, a half disc, a disc without a cone that lies beyond it."""
    for axis in ((1, 0, 0), (0.3, 0.8, 0)):
        half = compiled_area(cone(axis, pi / 2))(0.35)
        assert half == pytest.approx(pi * (1 - 0.35**2) / 2, rel=1e-12)
    upright = compiled_area(cone((0, 0, 1), 0.5))
    assert upright(0.4) == pytest.approx(pi * (0.4 * tan(0.5)) ** 2, rel=1e-13)
    assert upright(0.95) == pytest.approx(pi * (1 - 0.95**2), rel=1e-13)
    assert upright(-0.4) == 0.0


def test_a_slice_through_the_tip() -> None:
    """Nothing of an upright cone, half the disc of a flat one, never an error."""
    assert compiled_area(cone((0, 0, 1), 0.5, 0.3))(0.3) == pytest.approx(0.0, abs=1e-12)
    assert np.isfinite(compiled_area(cone((1, 0, 0), 0.5, 0.3))(0.3))


def test_too_many_pieces_are_left_to_the_plain_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    s = cone((0.3, 0.1, 1), 0.5)
    wanted = compiled_area(s)(0.35)
    monkeypatch.setattr(slice_kernel, "area", lambda *_: np.nan)
    assert compiled_area(s)(0.35) == pytest.approx(wanted, rel=1e-12)


def test_roots_are_those_of_a_fine_table() -> None:
    """Sign changes between dense samples, a tangency, and a function without a root."""
    rng = np.random.default_rng(1)
    out = np.empty(slice_kernel.MOST)
    psi = np.linspace(0.0, 2 * pi, 20_001)
    for _ in range(60):
        g = rng.normal(size=5)
        f = g[0] + g[1] * np.cos(psi) + g[2] * np.sin(psi)
        f += g[3] * np.cos(2 * psi) + g[4] * np.sin(2 * psi)
        wanted = psi[:-1][(f[:-1] < 0) != (f[1:] < 0)]
        found = out[: slice_kernel.roots(g, 0.0, 2 * pi, out)]
        assert len(found) >= len(wanted)
        for root in wanted:
            assert np.abs(found - root).min() < 1e-3
        assert all(abs(slice_kernel.value(g, x)[0]) < 1e-12 for x in found)
    touching = np.array([0.5, -1.0, 0.0, 0.0, 1e-3])
    touching[0] -= min(slice_kernel.value(touching, x)[0] for x in np.linspace(-0.01, 0.01, 20_001))
    found = out[: slice_kernel.roots(touching, -1.0, 1.1, out)]
    assert 0 < len(found) < 20
    assert np.abs(found).max() < 1e-2
    fourfold = np.array([1.5, -2.0, 0.0, 0.5, 0.0])  # (1 - cos psi)^2: left to the plain slices
    assert slice_kernel.roots(fourfold, -1.0, 1.1, out) == -1
    assert slice_kernel.roots(np.array([3.0, 1.0, 0.0, 1.0, 0.0]), 0.0, 2 * pi, out) == 0


def judged(count: int, tolerance: float) -> list[bool]:
    seen = [look(seed, 40_000, tolerance) for seed in range(count)]
    assert sum(one.value > 0 for one in seen) > 0.8 * count
    assert max(one.sigmas for one in seen) < 4.5  # of several dozen
    return [one.gap <= one.allowed for one in seen]


def test_the_stated_error_holds() -> None:
    """Coarse against fine volumes of random machines, and against points at random."""
    assert all(judged(4, 1e-2))


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_the_stated_error_holds_for_many(tolerance: float) -> None:
    assert all(judged(MACHINES, tolerance))


def test_wider_cones_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: cones too wide by a hundredth move the volume by more than all stated errors."""
    right = look(3, 40_000)
    real = slice_kernel.area

    def wrong(*tables: object) -> float:
        cosine = np.cos(1.01 * np.arccos(np.array(tables[5], dtype=float)))
        return real(*tables[:5], cosine, *tables[6:])

    monkeypatch.setattr(slice_kernel, "area", wrong)
    machine, R = drawn(3)
    moved = exact_volume(machine, R, tolerance=1e-4).value
    assert abs(moved - right.value) > 3 * right.allowed


@pytest.mark.parametrize("seed", range(6))
def test_sums_along_a_conic_are_those_of_fine_polygons(seed: int) -> None:
    """Any homogeneous form with w > 0, whole and in pieces, about any point: Green's sum of a chain of chords."""
    rng = np.random.default_rng(seed)
    form = rng.normal(size=(3, 3))
    form[2, 0] = 1.2 * np.hypot(form[2, 1], form[2, 2])
    x0, y0 = rng.normal(size=2)
    for a, b in ((0.0, 2 * pi), (0.3, 2.5), (-2.0, 0.1)):
        psi = np.linspace(a, b, 200_001)
        X = form @ np.stack([np.ones_like(psi), np.cos(psi), np.sin(psi)])
        x, y = X[0] / X[2] - x0, X[1] / X[2] - y0
        chords = 0.5 * (x[:-1] * y[1:] - y[:-1] * x[1:])
        found = slice_kernel.conic_sum(form, a, b, x0, y0)
        assert found == pytest.approx(chords.sum(), abs=1e-8 * np.abs(chords).sum())
