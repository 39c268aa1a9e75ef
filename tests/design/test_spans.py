"""Cases handed out: each is computed once, and none is given up for what another one did."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest

import gough
from gough.design import executors, spans
from gough.design.executors import Died, Done, Failed, SweepStoppedError, computed
from gough.design.spans import Span, Supply, gaps


class Scripted:
    """A crew without processes: a span with a deadly case takes all that is under way down with it.

    So does a scheduler that counts what only waited on a dead worker.
    """

    def __init__(self, window: int, deadly: Iterable[int] = (), failing: int = -1) -> None:
        self.workers, self.window = window, window
        self.deadly, self.failing = frozenset(deadly), failing
        self.spans: list[Span] = []
        self.tried_alone: list[Span] = []

    @property
    def under_way(self) -> int:
        return len(self.spans)

    @property
    def room(self) -> int:
        return self.window - len(self.spans)

    def start(self, span: Span) -> None:
        self.spans.append(span)

    def wait(self) -> list[Done | Died | Failed]:
        taken, self.spans = self.spans, []
        if len(taken) == 1:
            self.tried_alone += taken
        if any(case in range(*span) for span in taken for case in self.deadly):
            return [Died(span) for span in taken]
        ends: list[Done | Died | Failed] = []
        for span in taken:
            if self.failing in range(*span):
                ends.append(Failed(span, "no such file"))
            else:
                ends.append(Done(span, [[case] for case in range(*span)], 0.01 * span.size))
        return ends

    def close(self) -> None: ...


def outcome(crew: Scripted, cases: int, size: int | None) -> tuple[list[int], list[int]]:
    """Cases that were computed, and those given up."""
    done, dead = [], []
    for end in computed(crew, Supply([Span(0, cases)], size)):
        if isinstance(end, Done):
            assert [row[0] for row in end.rows] == list(range(*end.span))
            done += range(*end.span)
        else:
            dead += range(*end.span)
    return sorted(done), dead


@pytest.mark.parametrize("size", [None, 1, 7, 64])
@pytest.mark.parametrize("window", [1, 3, 8])
@pytest.mark.parametrize("deadly", [(), (0,), (17, 18, 99), (40, 41, 42, 43)])
def test_deadly_cases_alone_are_given_up(
    size: int | None, window: int, deadly: tuple[int, ...]
) -> None:
    crew = Scripted(window, deadly)
    done, dead = outcome(crew, 100, size)
    assert dead == sorted(deadly)
    assert done == [k for k in range(100) if k not in deadly]
    for case in deadly:
        assert crew.tried_alone.count(Span(case, case + 1)) >= executors.ALONE


def test_who_is_not_tried_alone_is_blamed_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: single cases are given up at their first death."""
    monkeypatch.setattr(executors, "_by_itself", lambda crew, span: Died(span))
    _, dead = outcome(Scripted(4, (17,)), 100, 1)
    assert set(dead) > {17}


def test_a_crew_that_only_dies_stops_the_sweep() -> None:
    with pytest.raises(SweepStoppedError, match="died one after the other"):
        outcome(Scripted(2, range(1000)), 1000, 16)


def test_what_is_done_is_kept_when_a_worker_fails() -> None:
    ends = computed(Scripted(4, failing=1), Supply([Span(0, 8)], 2))
    assert [next(ends).span for _ in range(3)] == [Span(2, 4), Span(4, 6), Span(6, 8)]
    with pytest.raises(SweepStoppedError, match="no such file"):
        next(ends)


@pytest.mark.parametrize("seed", range(20))
def test_spans_of_any_cost_hold_every_case_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cases = int(rng.integers(1, 5000))
    cuts = np.unique(rng.integers(0, cases, 6))
    parts = [Span(a, b) for a, b in pairwise(cuts.tolist())]
    done, left = parts[::2], gaps(parts[::2], cases)
    supply, taken = Supply(left), []
    while (span := supply.take(int(rng.integers(1, 9)))) is not None:
        if rng.random() < 0.1 and span.size > 1:
            supply.put_back(*span.halves())
            continue
        taken.append(span)
        supply.measured(span.size, float(span.size * 10 ** rng.uniform(-5, 1)))
    numbers = [case for span in (*done, *taken) for case in range(*span)]
    assert sorted(numbers) == list(range(cases))
    assert max(span.size for span in taken) <= spans.MOST


def test_a_span_takes_the_time_that_is_aimed_at() -> None:
    supply = Supply([Span(0, 10**6)])
    sizes = []
    for _ in range(8):
        span = supply.take(2)
        assert span is not None
        sizes.append(span.size)
        supply.measured(span.size, 0.004 * span.size)
    assert sizes[:3] == [1, 8, 64]
    assert sizes[-1] == pytest.approx(spans.AIM / 0.004, abs=1)
    last = [span.size for span in iter(lambda: supply.take(2), None)][-8:]
    assert last == sorted(last, reverse=True)  # smaller towards the end
    assert last[-1] == 1
    assert Supply([Span(0, 100)], 7).take(2) == Span(0, 7)


def test_cases_done_twice_are_refused() -> None:
    assert gaps([Span(4, 6), Span(0, 2)], 10) == [Span(2, 4), Span(6, 10)]
    for wrong in ([Span(0, 3), Span(2, 5)], [Span(8, 11)]):
        with pytest.raises(gough.InputError, match="must lie between"):
            gaps(wrong, 10)
