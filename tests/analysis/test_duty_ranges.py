"""Ranges over intervals of time by themselves: sizes, weights, when an interval is cut and when not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import duty as duties
from gough.analysis.duty import Spread
from gough.analysis.size_bounds import LegBounds, _leg, joined
from gough.checks import Array
from gough.taylor import Model, constant

MACHINE = gough.load("motion-base-1500")


def test_sizes_of_ranges() -> None:
    """Largest and smallest size: of one sign, of both, and with an end at nothing."""
    low = np.array([[1.0, -3.0, -2.0, 0.0, -4.0, -1.0]])
    high = np.array([[2.0, -1.0, 5.0, 3.0, 0.0, 0.5]])
    found = Spread(low, high, 0.5 * (low + high))
    assert found.size.tolist() == [[2.0, 3.0, 5.0, 3.0, 4.0, 1.0]]
    assert found.least.tolist() == [[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]]


def model(value: Array, slope: Array, r: Array) -> Model:
    c = np.zeros_like(constant(value).c)
    c[0], c[1] = value, slope
    return Model(c, r)


def test_a_range_holds_the_model_and_nothing_is_known_of_one_without_bounds() -> None:
    value, slope = np.array([[2.0, -1.0, 3.0]]), np.array([[0.5, -0.25, 0.0]])
    found = duties._range(model(value, slope, np.array([[0.1, 0.0, np.inf]])))
    np.testing.assert_allclose(found.low[0, :2], [1.4, -1.25], atol=1e-12)
    np.testing.assert_allclose(found.high[0, :2], [2.6, -0.75], atol=1e-12)
    assert (found.low[0, 2], found.high[0, 2]) == (-np.inf, np.inf)
    np.testing.assert_array_equal(found.value, value)
    lost = duties._range(model(value, np.array([[np.nan, 0.0, 0.0]]), np.zeros((1, 3))))
    assert (lost.low[0, 0], lost.high[0, 0]) == (-np.inf, np.inf)
    assert np.isfinite(lost.low[0, 1:]).all()


class Known:
    """Ranges that are `wide` times as wide as their interval about given values, and what was asked."""

    def __init__(self, values: Array, wide: Array) -> None:
        self.values, self.wide, self.asked = values, wide, list[int]()

    def __call__(self, platform: Any, path: Any, t: Array, half: Array, external: Any) -> Any:
        self.asked.append(len(t))
        value = np.broadcast_to(self.values[:, None, :], (4, len(t), 6))
        off = self.wide[:, None, :] * half[:, None]
        return [Spread(v - x, v + x, v) for v, x in zip(value, off, strict=True)]


def proved(monkeypatch: pytest.MonkeyPatch, known: Known) -> Any:
    monkeypatch.setattr(duties, "pieces", lambda path: np.array([0.0, 1.0, 3.0]))
    monkeypatch.setattr(duties, "_spreads", known)
    return duties._proved(MACHINE, SimpleNamespace(duration=3.0), np.zeros(6))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", range(3))
def test_intervals_are_cut_in_four_until_ranges_are_narrow(
    monkeypatch: pytest.MonkeyPatch, kind: int
) -> None:
    """Narrow by the largest value of all legs; the longer interval needs no more cuts than its length asks for."""
    values, wide = np.ones((4, 6)), np.zeros((4, 6))
    values[kind, 2] = -8.0
    wide[kind, 4] = 5.0 * 8.0 * duties.NARROW  # narrow enough where half an interval is at most 1/5
    found = proved(monkeypatch, known := Known(values, wide))
    assert known.asked == [2, 8, 16]  # halves 1/2 and 1, 1/8 and 1/4, 1/16
    np.testing.assert_allclose(found.weight, [0.25] * 4 + [0.125] * 16, rtol=1e-14)
    edges = np.concatenate([found.time - found.weight / 2, [3.0]])
    np.testing.assert_allclose(edges[1:], found.time + found.weight / 2, atol=1e-14)
    assert edges[0] == pytest.approx(0.0, abs=1e-15)
    assert found.duration == pytest.approx(3.0)
    assert found.proved
    assert found.why == ""
    for k, spread in enumerate((found.effort, found.rate, found.acceleration, found.coordinate)):
        np.testing.assert_array_equal(spread.value, np.tile(values[k], (20, 1)))
        off = wide[k] * found.weight[:, None] / 2
        np.testing.assert_allclose(spread.high - spread.value, off, atol=1e-12)
        np.testing.assert_allclose(spread.value - spread.low, off, atol=1e-12)


def test_coordinates_need_not_be_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = np.zeros((4, 6))
    wide[3] = 100.0
    proved(monkeypatch, known := Known(np.ones((4, 6)), wide))
    assert known.asked == [2]


def test_what_stays_without_bounds_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many rounds of one interval that is left, or when there would be too many of them."""
    wide = np.zeros((4, 6))
    wide[3, 1] = np.inf
    known = Known(np.ones((4, 6)), wide)
    monkeypatch.setattr(duties, "ROUNDS", 3)
    assert proved(monkeypatch, known) is None
    assert known.asked == [2, 8, 32, 128]
    monkeypatch.setattr(duties, "MOST", 100)
    known.asked.clear()
    assert proved(monkeypatch, known) is None
    assert known.asked == [2, 8, 32]
    monkeypatch.setattr(duties, "MOST", 128)
    known.asked.clear()
    assert proved(monkeypatch, known) is None
    assert known.asked == [2, 8, 32, 128]


def test_many_intervals_are_asked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same ranges, whatever the number of intervals at once; each holds its samples."""
    path = gough.trajectory.harmonic(
        MACHINE.require_home(), [0.02, 0.0, 0.03, 0.0, 0.01, 0.0], 1.0, duration=1.0
    )
    half = np.full(5, 0.02)
    t = 0.1 + 0.04 * np.arange(5)
    push = np.array([10.0, -20.0, 30.0, 1.0, 2.0, -3.0])
    bare = duties.without_drives(MACHINE)
    assert all(leg.drive is None for leg in bare.legs)
    whole = duties._spreads(bare, path, t, half, push)
    monkeypatch.setattr(duties, "BATCH", 2)
    for part, all_ in zip(duties._spreads(bare, path, t, half, push), whole, strict=True):
        for name in ("low", "high", "value"):
            np.testing.assert_allclose(getattr(part, name), getattr(all_, name), rtol=1e-12)
    for share in (-1.0, -0.3, 0.0, 0.8, 1.0):
        motion = path(t + share * half)
        legs = gough.inverse_kinematics(bare, motion)
        force = gough.inverse_dynamics(bare, motion, push).force
        seen = (force, legs.rate, legs.acceleration, legs.length)
        for spread, value in zip(whole, seen, strict=True):
            slack = 1e-9 * np.abs(value).max()
            assert (spread.low - slack <= value).all()
            assert (value <= spread.high + slack).all()
            if share == 0.0:
                np.testing.assert_allclose(spread.value, value, rtol=1e-6, atol=1e-6)


def test_samples_have_the_weights_of_the_trapezium_rule() -> None:
    home = MACHINE.require_home()
    path = gough.trajectory.harmonic(home, [0, 0, 0.02, 0, 0, 0], 1.0, duration=1.0)
    t = np.array([0.0, 0.1, 0.4, 0.5])
    found = duties.duty(MACHINE, path(t), np.zeros(6))
    np.testing.assert_allclose(found.weight, [0.05, 0.2, 0.2, 0.05])
    assert found.duration == pytest.approx(0.5)
    assert not found.proved
    assert found.why == "samples were given"
    bare = duties.without_drives(MACHINE)
    np.testing.assert_allclose(
        found.effort.value, gough.inverse_dynamics(bare, path(t)).force, rtol=1e-9
    )
    two = duties.duty(MACHINE, path(t[:2]), np.zeros(6))
    np.testing.assert_allclose(two.weight, [0.05, 0.05])


@pytest.mark.parametrize("times", [None, [0.0], [0.0, 0.0], [0.0, 0.2, 0.1]])
def test_samples_without_a_rising_time_are_refused(times: Any) -> None:
    home = MACHINE.require_home()
    n = 2 if times is None else len(times)
    position = np.tile(home.position, (n, 1))
    rotation = np.tile(home.rotation, (n, 1, 1))
    motion = gough.Motion(position, rotation, time=times)
    with pytest.raises(gough.InputError, match="rising time axis"):
        duties.duty(MACHINE, motion, np.zeros(6))


def test_powers_are_bounded_by_the_ends_of_efforts_and_rates() -> None:
    """By hand: of two intervals, each with an effort and a rate of either sign."""

    def spread(low: list[float], high: list[float]) -> Spread:
        a, b = (np.tile(np.array(x)[:, None], (1, 6)) for x in (low, high))
        return Spread(a, b, 0.5 * (a + b))

    found: Any = SimpleNamespace(
        effort=spread([-2.0, 3.0], [4.0, 5.0]),
        rate=spread([-3.0, 1.0], [1.0, 2.0]),
        acceleration=spread([-7.0, 1.0], [2.0, 6.0]),
        coordinate=spread([0.4, 0.3], [0.6, 0.5]),
    )
    leg = _leg(found, 3)
    assert leg == LegBounds(0.3, 0.6, 5.0, 3.0, 7.0, 10.0, -12.0)
    always = SimpleNamespace(**vars(found))
    always.effort, always.rate = spread([1.0, 3.0], [4.0, 5.0]), spread([2.0, 1.0], [3.0, 2.0])
    assert _leg(always, 0).braking == 0.0  # it never brakes
    assert _leg(always, 0).power == 12.0
    both = joined([leg, LegBounds(0.2, 0.5, 9.0, 1.0, 1.0, 20.0, -1.0)])
    assert both == LegBounds(0.2, 0.6, 9.0, 3.0, 7.0, 20.0, -12.0)
