"""Cells, widths and ratios of the analyses by themselves: what covers a box, a picture shows, a motor turns."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis import volume
from gough.analysis.sizing import size
from gough.analysis.volume import certified_volume
from gough.analysis.workspace import default_width, positive_area


class Watched:
    """Surfaces that say the same everywhere and note which points were asked."""

    def __init__(self, depth: float) -> None:
        self.value, self.asked = depth, []

    def depth(self, points: np.ndarray) -> np.ndarray:
        self.asked.append(points)
        return np.full(len(points), self.value)


def watched(
    monkeypatch: pytest.MonkeyPatch, box: list[list[float]], depth: float, levels: int
) -> tuple[Watched, volume.Volume]:
    known = Watched(depth)
    monkeypatch.setattr(volume, "surfaces", lambda *_: known)
    monkeypatch.setattr(volume, "bounds", lambda *_: np.array(box, dtype=float))
    return known, certified_volume(gough.load("motion-base-1500"), depth=levels)


@pytest.mark.parametrize("box", [[[0, 0, 0], [1, 1, 1]], [[-1, 2, 5], [1, 3, 8.1]]])
def test_the_cells_of_every_level_tile_the_box(
    monkeypatch: pytest.MonkeyPatch, box: list[list[float]]
) -> None:
    """Nothing proved anywhere: each level is the whole box, without gap or overlap, twice as fine."""
    known, found = watched(monkeypatch, box, 0.0, 2)
    side = np.diff(np.array(box, dtype=float), axis=0)[0]
    for level, cells in enumerate(known.asked):
        axes = [np.unique(np.round(cells[:, k], 12)) for k in range(3)]
        assert len(cells) == np.prod([len(a) for a in axes])
        assert len(np.unique(np.round(cells, 12), axis=0)) == len(cells)
        first = [len(np.unique(np.round(known.asked[0][:, k], 12))) for k in range(3)]
        for k, a in enumerate(axes):
            n = first[k] * 2**level
            wanted = box[0][k] + side[k] * (np.arange(n) + 0.5) / n
            np.testing.assert_allclose(a, wanted, atol=1e-9)
    assert found.evaluations == sum(map(len, known.asked))
    assert found.low == 0.0
    assert found.high == pytest.approx(np.prod(side))
    assert found.value == pytest.approx(np.prod(side) / 2)


def test_cells_are_proved_only_beyond_half_their_diagonal(monkeypatch: pytest.MonkeyPatch) -> None:
    half = np.sqrt(3) / 2
    for depth, wanted in ((1.01 * half, (1, 1)), (0.99 * half, (1, 1)), (-1.01 * half, (0, 0))):
        known, found = watched(monkeypatch, [[0, 0, 0], [1, 1, 1]], depth, 1)
        assert (found.low, found.high) == pytest.approx(wanted)
        assert len(known.asked[-1]) == (8 if abs(depth) < half else 0)
    _, found = watched(monkeypatch, [[0, 0, 0], [1, 1, 0]], 1.0, 1)
    assert found.value == 0.0


def test_a_picture_is_wide_enough_for_the_longest_stroke() -> None:
    machine = gough.load("motion-base-1500")
    legs = [
        leg.replace(limits=leg.limits.replace(stroke=(1.0, 1.1 + 0.1 * k)))
        for k, leg in enumerate(machine.legs)
    ]
    assert default_width(machine.replace(legs=legs)) == pytest.approx(2.6 * 0.6)
    free = [leg.replace(limits=gough.Limits()) for leg in legs]
    wide = np.ptp(machine.base_joints, axis=0).max()
    assert default_width(machine.replace(legs=free)) == pytest.approx(wide)
    slider = gough.load("hexaglide")  # strokes of sliders lie along their rails
    assert default_width(slider) == pytest.approx(np.ptp(slider.base_joints, axis=0).max())


def test_areas_of_linear_margins_are_exact() -> None:
    """A half-plane cut out of a rectangle, for any direction of the cut and uneven cells."""
    u, v = np.array([0.0, 0.3, 0.4, 1.0]), np.array([0.0, 0.5, 0.6, 0.9, 2.0])
    U, V = np.meshgrid(u, v)
    assert positive_area(U - 0.35, u, v) == pytest.approx(0.65 * 2.0)
    assert positive_area(0.35 - U, u, v) == pytest.approx(0.35 * 2.0)
    assert positive_area(V - 0.55, u, v) == pytest.approx(1.45)
    assert positive_area(V - 2 * U, u, v) == pytest.approx(1.0, rel=0.02)
    assert positive_area(1 + 0 * U, u, v) == pytest.approx(2.0)
    assert positive_area(-1 + 0 * U, u, v) == 0.0
    assert positive_area(np.where(U > 0.35, np.inf, -np.inf), u, v) == pytest.approx(0.65 * 2.0)


@pytest.mark.parametrize("leg", [0, 4])
def test_the_inertia_ratio_is_load_over_motor(leg: int) -> None:
    """What the motor feels of the machine, over its own rotor: twice the rotor, half the ratio."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    motion = gough.trajectory.harmonic(home, [0, 0, 0.02, 0, 0, 0], 1.0, duration=1.0).sample(5)

    def ratio(factor: float) -> float | None:
        legs = [
            x.replace(drive=x.drive.replace(rotor_inertia=factor * x.drive.rotor_inertia))
            for x in machine.legs
        ]
        sized = size(machine.replace(legs=legs), {"m": motion}).legs[leg].drive
        assert sized is not None
        return sized.inertia_ratio

    one, two, none = ratio(1.0), ratio(1e3), ratio(0.0)
    assert none is None
    assert one is not None
    assert two is not None
    # load = ratio * own, and the load of a leg does not contain its own rotor (but those of the others)
    alone = [
        x.replace(drive=x.drive.replace(rotor_inertia=(i == leg) * x.drive.rotor_inertia))
        for i, x in enumerate(machine.legs)
    ]
    many = [
        x.replace(drive=x.drive.replace(rotor_inertia=7 * (i == leg) * x.drive.rotor_inertia))
        for i, x in enumerate(machine.legs)
    ]
    found = [
        size(machine.replace(legs=legs), {"m": motion}).legs[leg].drive.inertia_ratio
        for legs in (alone, many)
    ]
    assert found[0] == pytest.approx(7 * found[1], rel=1e-9)
    assert found[0] > 0
