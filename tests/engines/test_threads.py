"""GOUGH_THREADS: honored by every batch, the same bits for any number, refused with a sentence where it is none."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import gough
from gough.engines import native, pack
from gough.engines.evaluate import ONE_THREAD, sum_of_squares
from gough.engines.stream import stream_into
from oracles.machines import case

STATES = 2 * native.SHARE + 7
CASE = case("UPS", seed=1, states=STATES)
BAD = ("0", "-1", "two", "2.5", " 2", "2 ", "+2", "²", "1e3", "1025", "9" * 30)


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many threads each batch that was cut asked for."""
    asked, made = [], native._pool

    def pool(workers: int) -> Any:
        asked.append(workers)
        return made(workers)

    monkeypatch.setattr(native, "_pool", pool)
    return asked


@pytest.mark.parametrize("given", BAD)
def test_what_is_no_number_of_threads_is_refused(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOUGH_THREADS", given)
    with pytest.raises(gough.InputError, match=r"GOUGH_THREADS.*whole number of threads from 1 to"):
        native.threads()


def test_the_sentence_reaches_those_who_ask_for_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_THREADS", "many")
    with pytest.raises(gough.InputError, match=r"GOUGH_THREADS.*many"):
        gough.inverse_dynamics(CASE.platform, CASE.motion)


@pytest.mark.parametrize(("given", "wanted"), [("1", 1), ("7", 7), ("007", 7), ("1024", 1024)])
def test_numbers_of_threads(given: str, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_THREADS", given)
    assert native.threads() == wanted


def test_unset_or_empty_means_the_processors_of_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOUGH_THREADS", "")
    assert native.threads() == native.processors() >= 1
    monkeypatch.delenv("GOUGH_THREADS")
    assert native.threads() == native.processors()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 8}, raising=False)
    assert native.threads() == 3
    monkeypatch.delattr(os, "sched_getaffinity")  # as on macOS
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    assert native.threads() == 12
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert native.threads() == 1


def test_the_verb_cuts_its_batch_as_told_and_answers_the_same(
    monkeypatch: pytest.MonkeyPatch, pools: list[int]
) -> None:
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("GOUGH_THREADS", threads)
        found.append(gough.inverse_dynamics(CASE.platform, CASE.motion, CASE.external).force)
    assert set(pools) == {2, 3}  # one thread needs no pool
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


def test_a_stream_cuts_its_chunks_as_told_and_answers_the_same(
    monkeypatch: pytest.MonkeyPatch, pools: list[int]
) -> None:
    from support.engine_states import blocks_of

    x = np.concatenate(blocks_of(CASE, "forces", pack.kinds_of(CASE.platform)), axis=1)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("GOUGH_THREADS", threads)
        out = np.empty((STATES, 7))
        stream_into(CASE.platform, x, out)
        found.append(out)
    assert set(pools) == {3}
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("size", [1, ONE_THREAD, ONE_THREAD + 1, 3 * ONE_THREAD])
def test_numbers_that_are_not_finite_are_seen_in_batches_of_any_size(size: int) -> None:
    numbers = np.linspace(-1e3, 1e3, size)
    assert sum_of_squares(numbers) == pytest.approx(np.sum(numbers**2))
    for bad in (np.nan, np.inf, -np.inf):
        for at in {0, size // 2, size - 1}:
            spoiled = numbers.copy()
            spoiled[at] = bad
            assert not sum_of_squares(spoiled) < np.inf
