"""Signals of rollouts and the judgement of their records: shapes that are taken, and which effort each record has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.layout import STATE
from gough.simulation import differentiable
from gough.simulation.differentiable import Rollout, _signal, whole

SIX = np.arange(1.0, 7.0)


def test_what_is_always_the_same_is_one_step() -> None:
    np.testing.assert_array_equal(_signal("external", SIX, (3,), 5), SIX.reshape(1, 6, 1))
    with pytest.raises(gough.InputError, match=r"effort.*\(steps, \.\.\., 6\)"):
        _signal("effort", SIX, (3,), None)  # how many steps would that be


def test_steps_for_all_runs_and_steps_for_each() -> None:
    rows = np.arange(4.0)[:, None] * SIX
    found = _signal("effort", rows, (3,), None)
    assert found.shape == (4, 6, 1)
    np.testing.assert_array_equal(found[..., 0], rows)
    each = rows[:, None, None] * np.arange(1.0, 7.0).reshape(1, 2, 3, 1)
    found = _signal("effort", each, (2, 3), 4)
    assert found.shape == (4, 6, 6)
    for run in range(6):
        np.testing.assert_array_equal(found[..., run], (run + 1.0) * rows)
    alike = _signal("effort", rows[:, None], (5,), None)  # broadcasts
    np.testing.assert_array_equal(alike, np.repeat(rows[..., None], 5, axis=2))
    assert found.flags.c_contiguous


@pytest.mark.parametrize(
    ("shape", "steps", "said"),
    [
        ((3, 6), 4, r"\(4, \.\.\., 6\)"),
        ((5, 6), 4, r"\(4, \.\.\., 6\)"),
        ((4, 2, 6), 4, r"broadcast to \(4, 3, 6\)"),
        ((4, 3, 1, 6), None, r"broadcast to \(4, 3, 6\)"),
    ],
)
def test_other_shapes_are_refused(shape: tuple[int, ...], steps: int | None, said: str) -> None:
    with pytest.raises(gough.InputError, match=said):
        _signal("effort", np.zeros(shape), (3,), steps)


@pytest.mark.parametrize("every", [0, -1, 1.0, True, "2", None])
def test_records_come_after_whole_numbers_of_steps(every: Any) -> None:
    with pytest.raises(gough.InputError, match=r"every.*at least 1"):
        whole(every)
    assert whole(1) == 1
    assert whole(np.int64(7)) == 7


@pytest.mark.parametrize("chunk", [1, 4, 7, 10_000])
@pytest.mark.parametrize("runs", [1, 2])
def test_every_record_is_judged_under_the_effort_of_its_own_step(
    chunk: int, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seven records, two steps apart; the last one under the last effort; all of them once, whatever goes together."""
    steps, every = 12, 2
    records = steps // every + 1
    rows = np.zeros((records, STATE.size, runs))
    rows[:, STATE.position] = np.arange(records)[:, None, None]
    rows[:, STATE.rotation] = np.eye(3).reshape(1, 9, 1)
    effort = np.arange(steps)[:, None, None] * np.ones((1, 6, runs)) + 100.0 * np.arange(runs)
    shape = () if runs == 1 else (runs,)
    machine = gough.load("motion-base-1500")
    run = Rollout(
        machine, "rk4", 1e-3, every, shape, rows, effort, np.full((1, 6, 1), 5.0), "native"
    )
    seen: list[tuple[Any, ...]] = []

    def asked(what: str, platform: Any, now: Any, spin: Any, *, force: Any, external: Any) -> Any:
        assert (what, platform, spin) == ("forward", machine, None)
        seen.append((now.position[..., 0], force, external))
        return SimpleNamespace(judged=lambda: None)

    monkeypatch.setattr(differentiable, "evaluation", asked)
    monkeypatch.setattr(differentiable, "CHUNK", chunk)
    differentiable._judge(run)
    place, force, external = (np.concatenate(part) for part in zip(*seen, strict=True))
    np.testing.assert_array_equal(place.reshape(records, -1)[:, 0], np.arange(records))
    due = np.array([0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 11.0])
    for k in range(runs):
        found = force.reshape(records, runs, 6)[:, k]
        np.testing.assert_array_equal(found, np.repeat(due[:, None] + 100.0 * k, 6, axis=1))
    np.testing.assert_array_equal(external, 5.0)
    assert len(seen) == -(-records // max(1, chunk // runs))
