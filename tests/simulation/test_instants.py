"""Where inside a step: crossings of margins and the deepest point of a dip, on functions whose answers are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gough.checks import Array
from gough.simulation.events import LOOKS, crossing, deepest

ROOTS = np.array([1e-9, 0.003, 0.25, 0.5, 0.61803, 0.9, 0.999999, 0.37])
TOP = np.array([1.0, 0.7, 0.5, 0.75, 1.0, 0.95, 1.0, 0.375])
FALLING: dict[str, Callable[[Array], Array]] = {  # of x - root: positive before it, negative behind
    "line": lambda d: -d,
    "wall": lambda d: np.where(d < 0.0, 1.0, -1e-12),
    "floor": lambda d: np.where(d < 0.0, 1e-12, -1.0),
    "flat": lambda d: -(d**9),
    "root": lambda d: -np.sign(d) * np.sqrt(np.abs(d)),
    "steep": lambda d: 1.0 - np.exp(np.minimum(60.0 * d, 300.0)),
    "late": lambda d: np.exp(-60.0 * d) - 1.0,
}
WIDTH = 2.0**-34  # of a step: how well docs/simulation.md says that an instant is known
MOST = 36  # halvings of a whole step down to WIDTH, and at most two more: the promise of the method


@pytest.mark.parametrize("shape", FALLING)
def test_crossings_are_bracketed_to_the_promised_width_with_the_promised_number_of_looks(
    shape: str,
) -> None:
    asked = 0

    def margin(x: Array) -> Array:
        nonlocal asked
        asked += 1
        return FALLING[shape](x - ROOTS)

    found = crossing(margin, TOP)
    assert (margin(found) <= 0.0).all()
    assert (found >= ROOTS).all()
    assert (found - ROOTS <= 1.01 * WIDTH).all()
    assert asked <= MOST + 3  # both ends, and the look of this test


def test_smooth_margins_cost_few_looks() -> None:
    """What the interpolation is for: a nearly straight margin takes a fraction of the halvings."""
    asked, roots = 0, np.array([0.25, 0.37, 0.5, 0.618, 0.9])

    def margin(x: Array) -> Array:
        nonlocal asked
        asked += 1
        return (roots - x) * (1.0 + 0.2 * x)

    found = crossing(margin, np.ones(5))
    assert asked < MOST / 2
    assert (np.abs(found - roots) <= 1.01 * WIDTH).all()


def test_no_neighbor_changes_a_crossing() -> None:
    """All events at once are the events alone, to the last bit."""
    shapes = list(FALLING.values())

    def all_of(x: Array) -> Array:
        return np.array([shapes[i % len(shapes)](x[i] - r) for i, r in enumerate(ROOTS)])

    together = crossing(all_of, TOP)
    for i, r in enumerate(ROOTS):
        alone = crossing(lambda x, i=i, r=r: shapes[i % len(shapes)](x - r), TOP[i : i + 1])
        assert together[i] == alone[0]


def test_signs_that_are_no_bracket() -> None:
    """Beyond at the start already: 0; not beyond at the top: the top."""
    found = crossing(lambda x: np.array([-1.0, 1.0]) + 0.0 * x, np.array([0.5, 0.25]))
    assert found.tolist() == [0.0, 0.25]


def test_signs_that_are_no_bracket_are_not_looked_into() -> None:
    """A dip between two ends that are not beyond, and a start of no number: the top, whatever lies between."""
    asked = []

    def margin(x: Array) -> Array:
        asked.append(x.copy())
        found = np.array([abs(x[0] - 0.25) - 0.1, 0.5 - x[1], -1.0, abs(x[3] - 0.5) - 0.4])
        found[1] = np.nan if x[1] == 0.0 else found[1]
        return found

    assert crossing(margin, np.array([1.0, 1.0, 1.0, 0.95])).tolist() == [1.0, 1.0, 0.0, 0.95]
    assert [x.tolist() for x in asked] == [[0.0] * 4, [1.0, 1.0, 1.0, 0.95]]


def test_an_end_that_lies_on_its_limit() -> None:
    """On the limit is not beyond it: at the start it opens a bracket, at the top it closes none."""
    found = crossing(lambda x: np.array([-x[0], 0.5 - x[1]]), np.array([1.0, 0.5]))
    assert 0.0 < found[0] <= 1.01 * WIDTH
    assert found[1] == 0.5


DIPS: dict[str, Callable[[Array], Array]] = {
    "parabola": lambda d: d * d,
    "notch": np.abs,
    "lopsided": lambda d: np.where(d < 0.0, -0.01 * d, 5.0 * d),
}


@pytest.mark.parametrize("shape", DIPS)
def test_the_deepest_point_of_a_dip(shape: str) -> None:
    """Golden section: each look leaves 0.618 of the bracket; a smooth dip is flat within the root of rounding."""
    low = ROOTS * TOP
    found = deepest(lambda x: DIPS[shape](x - low), TOP)
    width = TOP * (0.5 * (np.sqrt(5.0) - 1.0)) ** LOOKS
    assert (np.abs(found - low) <= 1.01 * width + 1e-16).all()
