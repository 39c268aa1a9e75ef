"""Paths whose steps are never accepted: each is tried with half the length, and at last they are called stuck."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.engines.plain_modules import plain_module
from gough.kinematics.assembly import doubled_tracker, lane_tracker
from gough.kinematics.assembly.generic import generic_start
from gough.kinematics.assembly.lanes import INFINITE, LONG, REACHED, STUCK


def followed(most: int, refused: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[float]]:
    """One path in doubled precision, steps of one half, the first ones refused; what ``left/share`` was each time."""
    tracker: Any = doubled_tracker
    if hasattr(
        tracker.doubled_path, "py_func"
    ):  # compiled: a plain copy, whose parts can be changed
        tracker = plain_module(doubled_tracker.__name__)
    tried: list[float] = []

    def stride(left: float, *more: float) -> float:
        tried.append(left)
        return min(left, 0.5)

    monkeypatch.setattr(tracker, "stride", stride)
    monkeypatch.setattr(tracker, "accepted", lambda *x: len(tried) > refused)
    legs, X = generic_start()
    rng = np.random.default_rng(4)
    K = legs.K * (1 + 1e-4 * (rng.normal(size=6) + 1j * rng.normal(size=6)))
    programs = tracker.EXPAND, tracker.TAKE_STEP
    with np.errstate(all="ignore"):
        found = tracker.doubled_path(
            *legs, legs.b, legs.p, K, X[0].copy(), *programs, 1e-7, 0.5, most, 0.0
        )
    return found, tried


def test_a_path_that_never_gets_on_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the share each time, ``left/share`` doubles; below a millionth nobody tries."""
    (state, left, count, _, chart), tried = followed(100, 1000, monkeypatch)
    assert state == STUCK
    assert left == 1.0
    assert tried == [2.0**k for k in range(20)]  # 2^-20 is less than a millionth
    assert count == len(tried)
    assert chart in range(4)


def test_shares_grow_again_when_steps_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three refusals: an eighth of a step is taken, then a quarter, a half, and whole ones until the end."""
    (state, left, count, _, _), tried = followed(100, 3, monkeypatch)
    assert (state, left, count) == (REACHED, 0.0, 8)
    assert tried[:4] == [1.0, 2.0, 4.0, 8.0]
    rest = 1.0
    for share, at in zip((1 / 8, 1 / 4, 1 / 2, 1.0, 1.0), tried[3:], strict=True):
        assert at == pytest.approx(rest / share)
        rest -= min(rest, 0.5 * share)
    assert rest == 0.0


def test_a_path_that_is_stopped_is_called_long(monkeypatch: pytest.MonkeyPatch) -> None:
    (state, left, count, _, _), _ = followed(5, 1000, monkeypatch)
    assert (state, left, count) == (LONG, 1.0, 5)


def in_lanes(
    most: int, refused: int, monkeypatch: pytest.MonkeyPatch, smallest: float = 0.0, paths: int = 1
) -> tuple[Any, list[float]]:
    """The same of lanes: status, what is left and steps of each path, and what was tried in the first lane."""
    tracker: Any = lane_tracker
    if hasattr(tracker.lane_paths, "py_func"):
        tracker = plain_module(lane_tracker.__name__)
    tried: list[float] = []
    asked = [0]

    def stride(left: float, *more: float) -> float:
        if asked[0] % lane_tracker.LANES == 0:
            tried.append(float(left))
        asked[0] += 1
        return min(left, 0.5)

    monkeypatch.setattr(tracker, "stride", stride)
    monkeypatch.setattr(tracker, "accepted", lambda *x: len(tried) > refused)
    legs, X = generic_start()
    rng = np.random.default_rng(4)
    K = legs.K * (1 + 1e-4 * (rng.normal(size=6) + 1j * rng.normal(size=6)))
    out = np.empty((1, paths, 8), dtype=complex)
    status, steps, reach = (
        np.full((1, paths), -7),
        np.full((1, paths), -7),
        np.full((1, paths), -7.0),
    )
    with np.errstate(all="ignore"):
        tracker.lane_paths(
            *legs, legs.b[None], legs.p[None], K[None], X[:paths].copy(), 1e-7, 0.5, most, smallest,
            out, status, reach, steps,
        )  # fmt: skip
    return (status[0].tolist(), reach[0].tolist(), steps[0].tolist()), tried


def test_lanes_halve_their_steps_until_they_are_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    told, tried = in_lanes(100, 1000, monkeypatch)
    assert told == ([STUCK], [1.0], [20])
    assert tried[:20] == [2.0**k for k in range(20)]


def test_lanes_take_longer_steps_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told, tried = in_lanes(100, 3, monkeypatch)
    assert told == ([REACHED], [0.0], [8])
    assert tried[:8] == pytest.approx([1.0, 2.0, 4.0, 8.0, 3.75, 1.625, 0.5625, 0.0625])


def test_lanes_that_are_stopped_or_run_away_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many steps; or what is left of the way is less than is worth while."""
    assert in_lanes(5, 1000, monkeypatch)[0] == ([LONG], [1.0], [5])
    assert in_lanes(100, 0, monkeypatch, smallest=0.6)[0] == ([INFINITE], [0.5], [1])
    assert in_lanes(100, 0, monkeypatch, smallest=0.4)[0] == ([REACHED], [0.0], [2])


def test_every_path_gets_a_lane_though_there_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    n = lane_tracker.LANES + 2
    told, _ = in_lanes(100, 0, monkeypatch, paths=n)
    assert told == ([REACHED] * n, [0.0] * n, [2] * n)
    told, _ = in_lanes(3, 1000, monkeypatch, paths=n)
    assert told == ([LONG] * n, [1.0] * n, [3] * n)
