"""Parts of sizing and pacing by themselves: lines that meet, springs of one leg, losses of a range, grids, columns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import catalogue, drive_choice, gravity_springs, looks
from gough.analysis.duty import Spread
from gough.analysis.joint_stiffness import joint_stiffness
from gough.analysis.pacing import largest
from gough.analysis.volume import grid_axes
from gough.checks import Array


def allowed(p: Array, q: Array, r: Array, x: float) -> bool:
    """Some u fulfills ``p x + q u <= r``."""
    flat, over, under = q == 0.0, q > 0.0, q < 0.0
    room = r - p * x
    slack = 1e-9 * (1.0 + np.abs(r).max())
    highest = np.min(room[over] / q[over], initial=np.inf)
    lowest = np.max(room[under] / q[under], initial=-np.inf)
    return bool((room[flat] >= -slack).all() and highest >= lowest - slack)


@pytest.mark.parametrize("seed", range(40))
def test_the_largest_x_is_allowed_and_nothing_beyond_it(seed: int) -> None:
    """Against a table of x; bounded by rows without u, by pairs of rows, by nothing, or never allowed."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 9))
    p, q, r = rng.normal(size=(3, m))
    q[rng.random(m) < 0.3] = 0.0
    if seed % 3:
        r = np.abs(r)  # x = 0 is allowed
    found = largest(p, q, r)
    table = np.linspace(-50.0, 50.0, 401)
    fine = [x for x in table if allowed(p, q, r, float(x))]
    if found == -np.inf:
        assert not fine
    elif found == np.inf:
        assert fine
        assert fine[-1] == 50.0
        assert allowed(p, q, r, 1e6)
    else:
        assert allowed(p, q, r, found)
        assert not allowed(p, q, r, found + 1e-6 * (1.0 + abs(found)))
        assert not any(x > found + 1e-6 for x in fine)


WISHES = pytest.mark.parametrize("wish", gravity_springs.WISHES)


@WISHES
@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e4])
def test_a_force_that_a_spring_gives_is_taken_by_that_spring(wish: str, unit: float) -> None:
    length = np.linspace(0.9, 1.4, 9)
    F = unit * (700.0 - 400.0 * length)
    k, rest = gravity_springs._spring(F, length, wish, 1e-6 * unit, None)
    assert k == pytest.approx(400.0 * unit, rel=1e-6)
    assert rest == pytest.approx(700.0 / 400.0, rel=1e-6)


@WISHES
@pytest.mark.parametrize(("softest", "stiffest", "k"), [(500.0, None, 500.0), (1.0, 300.0, 300.0)])
def test_bounds_of_the_stiffness_are_kept_and_the_rest_is_centered(
    wish: str, softest: float, stiffest: float | None, k: float
) -> None:
    """What is left then is a slope through nothing: in the middle of its range, or on average."""
    length = np.array([0.9, 1.0, 1.05, 1.4])
    F = 700.0 - 400.0 * length
    found, rest = gravity_springs._spring(F, length, wish, softest, stiffest)
    assert found == pytest.approx(k, rel=1e-6)
    left = F + found * (length - rest)
    middle = left.max() + left.min() if wish == "peak" else left.mean()
    assert middle == pytest.approx(0.0, abs=1e-4)


@WISHES
def test_a_constant_force_is_approached_by_a_spring_ten_lengths_long(wish: str) -> None:
    length = np.linspace(0.5, 2.0, 7)
    k, rest = gravity_springs._spring(np.full(7, 80.0), length, wish, None, None)
    assert k == pytest.approx(80.0 / (10.0 * 2.0), rel=1e-6)
    assert k * (rest - length.mean()) == pytest.approx(80.0, rel=1e-5)
    assert gravity_springs._spring(np.zeros(7), length, wish, None, None) == (0.0, 0.0)


@WISHES
@pytest.mark.parametrize(("softest", "stiffest"), [(0.0, None), (-1.0, None), (5.0, 4.0)])
def test_stiffnesses_that_cannot_be_are_refused(
    wish: str, softest: float, stiffest: float | None
) -> None:
    F, length = np.array([1.0, 2.0]), np.array([1.0, 1.1])
    with pytest.raises(gough.InputError, match=r"softest.*positive"):
        gravity_springs._spring(F, length, wish, softest, stiffest)
    k, _ = gravity_springs._spring(F, length, wish, 5.0, 5.0)
    assert k == pytest.approx(5.0, rel=1e-6)


def test_looks_lie_between_the_neighbors_of_every_local_maximum() -> None:
    t = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 8.0])
    value = np.array([3.0, 1.0, 2.0, 5.0, 5.0, 0.0, 4.0])[:, None]
    found = looks._around(t, value).reshape(-1, 7)
    ends = [(0.0, 1.0), (4.0, 6.0), (6.0, 8.0)]  # the first, the last of two equal ones, the last
    assert len(found) == 3
    for row, (low, high) in zip(found, ends, strict=True):
        np.testing.assert_allclose(row, low + (high - low) * np.arange(1, 8) / 8.0)


def test_only_the_highest_maxima_are_looked_at() -> None:
    t = np.arange(41.0)
    value = np.where(np.arange(41) % 2 == 1, np.arange(41.0), -1.0)[:, None]
    found = looks._around(t, value).reshape(-1, 7)
    assert len(found) == looks.PEAKS
    np.testing.assert_allclose(found[:, 3], 39.0 - 2.0 * np.arange(looks.PEAKS)[::-1])


@pytest.mark.parametrize("spread", [(-3.0, -1.0), (-2.0, 5.0), (2.0, 6.0), (-4.0, 0.0)])
@pytest.mark.parametrize("rates", [(-1.0, -0.5), (-0.2, 0.3), (0.4, 0.9), (0.0, 1.0)])
@pytest.mark.parametrize("back", [0.7, -0.4])
def test_the_range_of_a_load_with_its_loss_is_that_of_all_loads_and_directions(
    spread: tuple[float, float], rates: tuple[float, float], back: float
) -> None:
    """Against `Drive.motor_force` at a thousand loads, in the directions that occur."""
    drive = gough.Drive(1.0, efficiency=0.8, back_efficiency=back)
    loads = np.linspace(*spread, 1001)
    loads = np.append(loads, np.clip(0.0, *spread))
    ways = [v for v, there in ((1.0, rates[1] >= 0.0), (-1.0, rates[0] <= 0.0)) if there]
    each = np.concatenate([drive.motor_force(loads, v) for v in ways])

    def one(pair: tuple[float, float]) -> Spread:
        low, high = (np.full((1, 1), x) for x in pair)
        return Spread(low, high, 0.5 * (low + high))

    trial: Any = SimpleNamespace(drive=drive)
    low, high = drive_choice._Trial._transmitted(trial, one(spread), one(rates))
    assert float(low[0, 0]) == pytest.approx(each.min(), abs=1e-9)
    assert float(high[0, 0]) == pytest.approx(each.max(), abs=1e-9)


def test_a_column_buckles_as_euler_says() -> None:
    """``pi^2 E I/L^2`` with ``I = pi d^4/64``: a steel rod of 20 mm and one meter."""
    given = dict.fromkeys(("lead", "efficiency", "dynamic_load", "max_load", "max_speed"), 0.5)
    screw = catalogue.ScrewData(**given, root_diameter=0.02, modulus=200e9)
    second = np.pi * 0.02**4 / 64.0
    assert screw.buckling_load(1.0) == pytest.approx(np.pi**2 * 200e9 * second)
    assert screw.buckling_load(2.0) == pytest.approx(screw.buckling_load(1.0) / 4.0)
    assert catalogue.ScrewData(**given).buckling_load(1.0) is None


@pytest.mark.parametrize(
    "curve",
    [
        "fast",
        [[0.0, 5.0]],
        [[0.0, 5.0], [1.0]],
        [[0.0, 5.0], 1.0],
        [[0.1, 5.0], [1.0, 4.0]],
        [[0.0, 5.0], [0.0, 4.0]],
        [[0.0, 5.0], [2.0, 4.0], [1.0, 3.0]],
        [[0.0, 5.0], [1.0, 5.1]],
        [[0.0, 5.0], [1.0, -0.1]],
    ],
)
def test_curves_that_are_none_are_refused(curve: object) -> None:
    with pytest.raises(gough.InputError, match="speeds rising from 0"):
        catalogue._curve(curve)


def test_a_curve_may_be_flat_and_end_at_nothing() -> None:
    rows = [[0.0, 5.0], [1.0, 5.0], [2.0, 0.0]]
    np.testing.assert_array_equal(catalogue._curve(rows), rows)


def test_a_grid_has_its_points_in_the_middles_of_its_cells() -> None:
    platform = gough.load("motion-base-1500")
    box = [[-0.3, 0.1, 0.5], [0.3, 0.2, 1.5]]
    axes, cell, corners = grid_axes(platform, np.eye(3), box, None, 4)
    np.testing.assert_array_equal(corners, box)
    for k in range(3):
        low, high = corners[:, k]
        np.testing.assert_allclose(axes[k], low + (high - low) * np.array([1, 3, 5, 7]) / 8.0)
    assert cell * 4**3 == pytest.approx(np.prod(corners[1] - corners[0]))
    both = np.stack([np.eye(3), gough.Pose.from_rpy([0, 0, 0], [0.2, 0.0, 0.0]).rotation])
    whole = grid_axes(platform, np.eye(3), None, None, 2, both)[2]
    for one in both:
        low, high = grid_axes(platform, one, None, None, 2)[2]
        assert (whole[0] <= low).all()
        assert (whole[1] >= high).all()


@pytest.mark.parametrize("points", [0, -1, 2.0, 392])
def test_grids_without_points_or_with_too_many_are_refused(points: Any) -> None:
    with pytest.raises(gough.InputError, match=r"points.*from 1 to 391"):
        grid_axes(gough.load("motion-base-1500"), np.eye(3), [[0, 0, 0], [1, 1, 1]], None, points)


@pytest.mark.parametrize("side", range(3))
def test_a_box_has_a_low_and_a_high_corner(side: int) -> None:
    box = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    machine = gough.load("motion-base-1500")
    assert len(grid_axes(machine, np.eye(3), box, None, 391)[0][side]) == 391
    box[1, side] = 0.0
    with pytest.raises(gough.InputError, match=r"box.*low then high"):
        grid_axes(machine, np.eye(3), box, None, 2)


def test_joints_of_one_kind_alone_have_their_own_stiffness() -> None:
    """Linear in both: universal joints alone and balls alone add up, and none is lost where the other is absent."""
    machine = gough.load("motion-base-1500")
    both, hinges, balls = (
        joint_stiffness(machine, machine.home, *pair)
        for pair in ((3.0, 5.0), (3.0, 0.0), (0.0, 5.0))
    )
    size = np.abs(both).max()
    assert min(np.abs(hinges).max(), np.abs(balls).max()) > 1e-3 * size
    np.testing.assert_allclose(hinges + balls, both, atol=1e-9 * size)
    np.testing.assert_allclose(
        joint_stiffness(machine, machine.home, 300.0, 500.0), 100.0 * both, atol=1e-7 * size
    )
    assert not joint_stiffness(machine, machine.home, 0.0, 0.0).any()
    assert np.linalg.eigvalsh(both).min() > -1e-9 * size
