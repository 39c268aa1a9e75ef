"""What a volume proves: boxes that hold the workspace, cells that are certain, grids as large as they may be."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import volume, workspace
from gough.analysis.arcs import Surfaces, surfaces
from gough.analysis.volume import bounds, certified_volume, exact_volume, grid_volume

EVERYWHERE = (-2.0, 2.0)


def concentric(low: float, high: float) -> gough.Platform:
    """Six legs whose limits are one shell about the origin while the platform keeps level."""
    around = np.arange(6) * pi / 3
    joints = np.column_stack([np.cos(around), np.sin(around), 0.1 * around])
    legs = [
        gough.UPS(base=p, joint=p, limits=gough.Limits(stroke=(low, high)), axis=(1.0, 0.0, 0.0))
        for p in joints
    ]
    return gough.Platform(legs=legs, body=gough.Body(1.0))


@pytest.mark.parametrize("low", [0.0, 0.5, 0.95])
def test_certified_cells_hold_the_volume_of_a_shell_at_every_depth(low: float) -> None:
    """The center of a hollow ball is far outside of it: a cell is given up only where no corner can be inside."""
    machine, wanted = concentric(low, 1.0), 4 / 3 * pi * (1.0 - low**3)
    found = [certified_volume(machine, np.eye(3), z=EVERYWHERE, depth=d) for d in range(1, 6)]
    for one in found:
        assert one.low <= wanted <= one.high
        assert one.value == pytest.approx((one.low + one.high) / 2)
    for coarse, fine in pairwise(found):
        assert coarse.low <= fine.low <= fine.high <= coarse.high
        assert coarse.evaluations < fine.evaluations
    assert found[-1].high - found[-1].low < 0.5 * (found[0].high - found[0].low)


@pytest.mark.parametrize("low", [0.0, 0.5])
def test_exact_slices_of_a_shell_between_two_heights(low: float) -> None:
    """Zones of balls, ``pi (R^2 z - z^3/3)``; the inner one ends within the range."""
    machine = concentric(low, 1.0)

    def zone(radius: float, a: float, b: float) -> float:
        a, b = np.clip([a, b], -radius, radius)
        return pi * (radius**2 * (b - a) - (b**3 - a**3) / 3)

    for z in (EVERYWHERE, (-0.3, 0.7), (0.6, 0.9)):
        wanted = zone(1.0, *z) - zone(low, *z)
        assert exact_volume(machine, np.eye(3), z=z).value == pytest.approx(wanted, rel=1e-7)


def tiny(seed: int) -> tuple[Surfaces, np.ndarray, np.ndarray]:
    """Six spheres that have next to nothing in common but one point, and a box around that somewhere."""
    rng = np.random.default_rng(seed)
    point, way = rng.normal(size=3), rng.normal(size=(3, 3))
    way = np.concatenate([way, 0.05 * rng.normal(size=(3, 3)) - way])
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    far = rng.uniform(1.0, 2.0, 6)
    none = np.zeros((0, 3))
    s = Surfaces(
        point - far[:, None] * way, np.zeros(6), far * (1 + 1e-6), none, none, np.zeros(0), 1.0
    )
    return s, point, np.stack([point - rng.uniform(0, 0.3, 3), point + rng.uniform(0, 0.3, 3)])


def test_a_box_drawn_in_still_holds_the_workspace() -> None:
    for seed in range(150):
        s, point, box = tiny(seed)
        found = volume._drawn_in(s, box)
        assert (found[0] <= point).all()
        assert (point <= found[1]).all()
        assert np.prod(found[1] - found[0]) < np.prod(box[1] - box[0])  # and it is drawn in


@pytest.mark.parametrize("seed", range(12))
def test_certified_cells_never_lose_a_point(seed: int) -> None:
    """A workspace far smaller than a cell and off its center: the cell stays open."""
    s, point, _ = tiny(seed)
    joints = np.random.default_rng(seed).normal(size=(6, 3))
    legs = [
        gough.UPS(base=c + p, joint=p, limits=gough.Limits(stroke=(0.0, r)), axis=(0.0, 0.0, 1.0))
        for c, p, r in zip(s.center, joints, s.high, strict=True)
    ]
    machine = gough.Platform(legs=legs, body=gough.Body(1.0))
    for depth in (1, 2, 3):
        found = certified_volume(
            machine, np.eye(3), z=(point[2] - 0.2, point[2] + 0.3), depth=depth
        )
        assert found.low == 0.0 < found.high


def test_an_empty_workspace_has_no_box_and_no_cells() -> None:
    machine = gough.load("motion-base-1500")
    short = machine.replace(
        legs=[leg.replace(limits=gough.Limits(stroke=(0.05, 0.1))) for leg in machine.legs]
    )
    for found in (exact_volume(short), certified_volume(short)):
        assert (found.value, found.low, found.high, found.evaluations) == (0.0, 0.0, 0.0, 0)
        np.testing.assert_array_equal(found.box[0], found.box[1])
    # spheres that overlap as boxes and in no point
    s, _, box = tiny(3)
    apart = Surfaces(s.center, s.low, s.high * 0.9, s.tip, s.axis, s.half, s.size)
    found = volume._drawn_in(apart, box)
    np.testing.assert_array_equal(found[0], found[1])


def hanging(machine: gough.Platform) -> gough.Platform:
    """The mirror image below the base: z changes its sign everywhere."""
    flip = np.array([1.0, 1.0, -1.0])
    assert machine.home is not None
    return machine.replace(
        legs=[
            leg.replace(base=flip * leg.base, joint=flip * leg.joint, axis=flip * leg.axis)
            for leg in machine.legs
        ],
        home=gough.Pose(flip * machine.home.position, machine.home.rotation),
    )


def test_a_machine_that_hangs_has_the_workspace_of_its_mirror_image() -> None:
    """Without a range of heights the side of the base on which home lies counts; without home: above."""
    machine = gough.load("motion-base-1500")
    machine = machine.replace(
        legs=[leg.replace(limits=gough.Limits(stroke=leg.limits.stroke)) for leg in machine.legs]
    )
    standing = exact_volume(machine)
    assert exact_volume(hanging(machine)).value == pytest.approx(standing.value, rel=1e-6)
    assert standing.box[1, 2] > standing.box[0, 2] >= machine.base_joints[:, 2].mean()
    nowhere = machine.replace(home=None)
    assert exact_volume(nowhere, np.eye(3)).value == pytest.approx(standing.value, rel=1e-9)
    down = bounds(hanging(machine), surfaces(hanging(machine), np.eye(3)))
    assert down[1, 2] <= hanging(machine).base_joints[:, 2].mean()


def test_grids_as_large_as_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of all points is what is limited: cells of a box, points of a slice."""
    machine = gough.load("motion-base-1500")
    monkeypatch.setattr(volume, "MOST_POINTS", 1000)
    monkeypatch.setattr(workspace, "MOST_POINTS", 100)
    wrong: tuple[Any, ...] = (11, 0, 2.5)
    assert grid_volume(machine, points=10).evaluations == 1000
    assert grid_volume(machine, points=1).evaluations == 1
    assert gough.analysis.workspace_slice(machine, points=10).reason.shape == (10, 10)
    assert gough.analysis.workspace_slice(machine, points=2).reason.shape == (2, 2)
    for points in wrong:
        with pytest.raises(gough.InputError, match="points"):
            grid_volume(machine, points=points)
        with pytest.raises(gough.InputError, match="points"):
            gough.analysis.workspace_slice(machine, points=points)
    with pytest.raises(gough.InputError, match="points"):
        gough.analysis.workspace_slice(machine, points=1)


@pytest.mark.parametrize("z", [EVERYWHERE, (-0.05, 0.1), (0.2, 0.7)])
@pytest.mark.parametrize("by", [2.0**-10, 2.0**10])
def test_certified_cells_do_not_depend_on_the_unit_of_length(
    z: tuple[float, float], by: float
) -> None:
    """As many cells and as large a share inside in small machines as in large ones; powers of two, without rounding."""
    machine = concentric(0.25, 1.0)
    legs = [
        leg.replace(
            base=by * leg.base, joint=by * leg.joint, limits=gough.Limits(stroke=(0.25 * by, by))
        )
        for leg in machine.legs
    ]
    here = certified_volume(machine, np.eye(3), z=z, depth=3)
    there = certified_volume(
        machine.replace(legs=legs), np.eye(3), z=(by * z[0], by * z[1]), depth=3
    )
    assert here.evaluations == there.evaluations
    for name in ("value", "low", "high"):
        assert getattr(there, name) == pytest.approx(by**3 * getattr(here, name), rel=1e-12)


def test_flat_boxes_are_cut_into_cells_like_cubes() -> None:
    """A slice between two heights begins with more cells along its length, eight at most, than across."""
    machine = concentric(0.0, 1.0)
    for z, along in (((-0.2, 0.2), 5), ((-0.01, 0.01), 8), (EVERYWHERE, 1)):
        sides = np.diff(bounds(machine, surfaces(machine, np.eye(3)), z), axis=0)[0]
        assert np.minimum(np.ceil(sides / sides.min() - 1e-9), 8).tolist() in (
            [along, along, 1], [along + 1, along + 1, 1],
        )  # fmt: skip
        found = certified_volume(machine, np.eye(3), z=z, depth=1)
        # every cell of the first level is looked at, and at most eight of each
        assert along**2 <= found.evaluations <= 9 * (along + 1) ** 2
