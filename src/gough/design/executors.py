"""Spans of cases handed out to workers until each is computed; where they run: `EXECUTORS`.

A crew takes spans and answers when they are done (`Done`), or that the worker died that had one (`Died`): killed by the
system, out of memory, crashed.  Such a span is handed out again by halves.  A single case whose worker died waits until
all others are done and is then computed with nothing else of the sweep under way; only if its worker dies then too,
`ALONE` times, it is given up (`Died`).  So no case is given up for what others of the sweep did beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from gough.design.spans import Span, Supply

EXECUTORS = ("serial", "processes", "dask")
ALONE = 2  # times that a single case is tried with nothing else under way
IN_A_ROW = 200  # deaths with nothing finished between them: it is not the cases' matter
Work = Callable[[Span], Any]
"""A span -> its rows, in whatever form its owner keeps them."""


class SweepStoppedError(RuntimeError):
    """The sweep stopped before its end; what is finished is kept, and it can be resumed."""


class Done(NamedTuple):
    """A span, its rows, and the seconds they took."""

    span: Span
    rows: Any
    seconds: float


class Died(NamedTuple):
    """A span whose worker died."""

    span: Span


class Failed(NamedTuple):
    """A span that could not be computed at all, with the reason: a matter of the worker, not of a case."""

    span: Span
    reason: str


class Crew(Protocol):
    """Workers that compute spans."""

    @property
    def workers(self) -> int:
        """How many spans are computed at the same time; at least one."""
        ...

    @property
    def room(self) -> int:
        """How many more spans may be started now."""
        ...

    @property
    def under_way(self) -> int:
        """Spans started and not answered."""
        ...

    def start(self, span: Span) -> None:
        """Hand out a span."""
        ...

    def wait(self) -> list[Done | Died | Failed]:
        """Answers that have come, at least one; none only if it is worth asking again."""
        ...

    def close(self) -> None:
        """Send the workers away, with what they have not finished."""
        ...


class Here:
    """This process as a crew of one."""

    workers = 1

    def __init__(self, work: Work) -> None:
        self._work = work
        self._span: Span | None = None

    @property
    def room(self) -> int:
        """One span at a time."""
        return 1 - self.under_way

    @property
    def under_way(self) -> int:
        """The span that `wait` will compute."""
        return int(self._span is not None)

    def start(self, span: Span) -> None:
        """Take down the span."""
        self._span = span

    def wait(self) -> list[Done | Died | Failed]:
        """Compute it."""
        assert self._span is not None
        span, self._span = self._span, None
        began = time.perf_counter()
        try:
            return [Done(span, self._work(span), time.perf_counter() - began)]
        except MemoryError:
            return [Died(span)]

    def close(self) -> None:
        """Nobody to send away."""


def attempted(work: Work, span: Span) -> Done | Died | Failed:
    """``work(span)`` on a worker; errors travel as text, for not every exception can be sent."""
    began = time.perf_counter()
    try:
        rows = work(span)
    except MemoryError:
        return Died(span)
    except Exception as error:
        return Failed(span, f"{type(error).__name__}: {error}")
    return Done(span, rows, time.perf_counter() - began)


def computed(crew: Crew, supply: Supply) -> Iterator[Done | Died]:
    """All spans of the supply as they are done; `Died` are single cases that were given up."""
    alone: list[Span] = []
    deaths = 0
    while True:
        while crew.room > 0 and (span := supply.take(crew.workers)) is not None:
            crew.start(span)
        if not crew.under_way:
            break
        for end in _answers(crew):
            if isinstance(end, Done):
                deaths = 0
                supply.measured(end.span.size, end.seconds)
                yield end
                continue
            deaths += 1
            if deaths == IN_A_ROW:
                raise SweepStoppedError(
                    f"{deaths} workers died one after the other and nothing was finished (out of "
                    "memory?); finished cases are kept: resume, with fewer workers if memory is short"
                )
            if end.span.size > 1:
                supply.put_back(*end.span.halves())
            else:
                alone.append(end.span)
    for span in sorted(alone):
        yield _by_itself(crew, span)


def _by_itself(crew: Crew, span: Span) -> Done | Died:
    """One case with nothing else under way."""
    for _ in range(ALONE):
        crew.start(span)
        while crew.under_way:
            for end in _answers(crew):
                if isinstance(end, Done):
                    return end
    return Died(span)


def _answers(crew: Crew) -> Iterator[Done | Died]:
    """What the crew answers; what it could not compute stops the sweep, after all that it could."""
    refused = None
    for end in crew.wait():
        if isinstance(end, Failed):
            refused = end
        else:
            yield end
    if refused is not None:
        raise SweepStoppedError(f"a worker gave up: {refused.reason}; finished cases are kept")
