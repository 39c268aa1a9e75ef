"""Where a motion is looked at: pieces cut in four, more where instants disagree, nearer around what is largest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import looks
from gough.analysis.looks import instants, sharpened
from gough.checks import Array
from gough.spatial import Motion


class Path:
    """A motion of 8 s in two pieces, of which only the times are looked at."""

    duration, breaks = 8.0, (3.0,)

    def __call__(self, t: Array) -> Array:
        return t


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Array]:
    """A coarse grid, pieces at 2 s, and agreement everywhere; the times that were asked about."""
    asked: list[Array] = []

    def agree(t: Array) -> Array:
        asked.append(t)
        return np.zeros(len(t) - 1)

    monkeypatch.setattr(looks, "time_grid", lambda duration: np.array([0.0, 4.0, 8.0]))
    monkeypatch.setattr(looks, "pieces", lambda path: np.array([0.0, 2.0, 8.0]))
    monkeypatch.setattr(looks, "disagreement", agree)
    return asked


def test_pieces_are_cut_in_four_beside_the_grid_and_the_breaks(told: list[Array]) -> None:
    found = instants(Path())  # type: ignore[arg-type]
    due = {0.0, 4.0, 8.0, 3.0} | {0.5 * k for k in range(4)} | {2.0 + 1.5 * k for k in range(4)}
    np.testing.assert_allclose(found, sorted(due))
    assert len(told) == 1


def test_where_instants_disagree_an_interval_is_cut_in_four(
    told: list[Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until they agree: one interval, then one of its parts; what is below the share is left alone."""

    def said(t: Array) -> Array:
        told.append(t)
        share = np.full(len(t) - 1, 0.9 * looks.AGREE)
        if len(told) <= 2:
            share[np.searchsorted(t, 5.0)] = 1.1 * looks.AGREE
        return share

    plain = instants(Path())  # type: ignore[arg-type]
    told.clear()
    monkeypatch.setattr(looks, "disagreement", said)
    found = instants(Path())  # type: ignore[arg-type]
    first = 5.0 + 1.5 * np.array([0.25, 0.5, 0.75])
    second = 5.0 + 1.5 / 4.0 * np.array([0.25, 0.5, 0.75])
    np.testing.assert_allclose(found, np.sort(np.concatenate([plain, first, second])))
    assert len(told) == 3


def test_looks_end_after_so_many_rounds_or_instants(
    told: list[Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(t: Array) -> Array:
        told.append(t)
        share = np.zeros(len(t) - 1)
        share[0] = 1.0
        return share

    start = len(instants(Path()))  # type: ignore[arg-type]
    monkeypatch.setattr(looks, "disagreement", never)
    told.clear()
    assert len(instants(Path())) == start + 3 * looks.ROUNDS  # type: ignore[arg-type]
    assert len(told) == looks.ROUNDS
    monkeypatch.setattr(looks, "MOST", start + looks.PARTS + 2)
    told.clear()
    assert len(instants(Path())) == start + 3  # type: ignore[arg-type]
    assert len(told) == 2
    monkeypatch.setattr(looks, "MOST", 2)  # fewer than the pieces' edges: these stay whole
    assert len(instants(Path())) == len({0.0, 2.0, 3.0, 4.0, 8.0})  # type: ignore[arg-type]


def test_extremes_of_every_column_are_looked_at_from_nearer() -> None:
    """Largest and smallest values of two columns, to a share of the grid that falls by four each time."""
    true = 0.4321, 0.7654, 0.1357

    def look(t: Array) -> Array:
        return np.stack(
            [-((t - true[0]) ** 2), (t - true[1]) ** 2 * (t - 2.0), np.abs(t - true[2])], axis=1
        )

    t = np.linspace(0.0, 1.0, 11)
    found = sharpened(t, look)
    assert set(t) <= set(found)
    assert (np.diff(found) > 0.0).all()
    value = look(found)
    assert abs(found[value[:, 0].argmax()] - true[0]) < 0.1 / 4.0**looks.CLOSER
    assert abs(found[value[:, 2].argmin()] - true[2]) < 0.1 / 4.0**looks.CLOSER
    assert len(found) < 600


def test_nothing_new_ends_the_looks() -> None:
    """Where all nearer instants are there already."""
    asked = list[int]()

    def look(t: Array) -> Array:
        asked.append(len(t))
        return np.zeros((len(t), 1))

    t = np.linspace(0.0, 1.0, 3)
    found = sharpened(t, look)
    last = sharpened(found, look)
    assert set(found) <= set(last)
    flat = np.array([0.0, 0.0])
    asked.clear()
    np.testing.assert_array_equal(sharpened(flat, look), flat)
    assert asked == [2]


def test_a_contradiction_needs_two_instants_in_one_rising_row() -> None:
    home = gough.load("motion-base-1500").require_home()

    def motion(t: Any, moved: float) -> Motion:
        n = np.size(t)
        position = np.tile(home.position, (n, 1))
        position[-1] += moved
        return Motion(position, np.tile(home.rotation, (n, 1, 1)), time=t)

    assert (
        looks.contradiction(motion([0.0, 1.0], 0.3)) is not None
    )  # it moved, and says that it did not
    assert looks.contradiction(motion([0.0, 1.0], 0.0)) is None
    assert looks.contradiction(motion([0.0], 0.3)) is None
    assert looks.contradiction(motion([0.0, 0.0], 0.3)) is None
    assert looks.contradiction(motion([0.0, 2.0, 1.0], 0.3)) is None
